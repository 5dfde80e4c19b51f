"""Draw the results of `first_call.py`, in the style of the book; its page on speed shows them too.

python benchmarks/charts.py
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from perceptron_notes.figures.plots import PALETTE

RESULTS = Path(__file__).parent / "results"
#: Our two engines and the loop that one would write have a colour and a marker each.
LOOKS = {
    "ours": {"color": PALETTE["positive"], "marker": "o", "label": "compiled"},
    "ours in NumPy": {"color": PALETTE["negative"], "marker": "s", "label": "NumPy alone"},
    "numba": {"color": PALETTE["warn"], "marker": "^", "label": "a loop for numba"},
}


def load() -> dict[str, Any]:
    """The measured results, by section."""
    sections = json.loads((RESULTS / "first_call.json").read_text("utf-8"))
    return {name: section["results"] for name, section in sections.items()}


def name_of(row: dict[str, Any]) -> str:
    """What a case is called: by its size, if it is made of random numbers."""
    made = row["case"] == "margin .05"
    return f"{row['n']:,} × {row['d']}" if made else row["case"]


def times_as_fast(row: dict[str, Any], way: str, other: str, call: str = "seconds") -> float:
    """How many times as fast as another way one is, in first calls or those that come "again"."""
    return float(row[call][other] / row[call][way])


def draw_ratios(axes: Sequence[Axes], results: dict[str, Any]) -> None:
    """Draw how many times as fast as scikit-learn's Perceptron first and later calls are."""
    rows = results["sklearn"]
    names = [name_of(row) for row in rows]
    for ax, call, said in zip(axes, ("seconds", "again"), ("first", "later"), strict=True):
        for way, look in LOOKS.items():
            ratios = [times_as_fast(row, way, "scikit-learn", call) for row in rows]
            ax.plot(ratios, names, linestyle="none", **look)
        ax.axvline(1, color=PALETTE["ink"], linewidth=1)
        ax.set(xscale="log", xlabel=f"times as fast, {said} calls")
        ax.grid(which="major", axis="both")
        ax.invert_yaxis()
    # Clear of the points.
    axes[0].figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=3)


def draw_libraries(ax: Axes, results: dict[str, Any], n: int = 10**4, d: int = 10) -> None:
    """Draw the seconds of every library for the same passes, on a logarithmic scale."""
    row = next(row for row in results["libraries"] if (row["n"], row["d"]) == (n, d))
    ways = sorted(row["seconds"], key=row["seconds"].get)
    times = [1e3 * row["seconds"][way] for way in ways]
    ours = ("ours", "PLAClassifier")
    colors = [PALETTE["positive" if way.startswith(ours) else "faint"] for way in ways]
    bars = ax.barh(ways, times, color=colors, height=0.6)
    ax.bar_label(bars, [f"{t:,.0f} ms" if t > 20 else f"{t:.2g} ms" for t in times], padding=4)
    ax.set(xscale="log", xlabel="milliseconds", xlim=(min(times) / 2, max(times) * 12))
    ax.invert_yaxis()
    ax.tick_params(axis="y", length=0)


def main() -> None:
    """Write the charts beside the results."""
    plt.style.use("perceptron_notes.figures.notes")
    results = load()
    for name, draw, panels, size in (
        ("ratios", draw_ratios, 2, (5.2, 7)),
        ("libraries", draw_libraries, 1, (5.8, 3.2)),
    ):
        fig, axes = plt.subplots(panels, 1, squeeze=False, figsize=size)
        draw(axes[:, 0] if panels > 1 else axes[0, 0], results)
        fig.savefig(RESULTS / f"{name}.svg", metadata={"Date": None})
        plt.close(fig)


if __name__ == "__main__":
    main()
