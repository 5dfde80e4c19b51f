"""Draw the results of `first_call.py`, in the style of the book; its page on speed shows them too.

python benchmarks/charts.py
"""

import json
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from perceptron_notes.figures.plots import PALETTE

RESULTS = Path(__file__).parent / "results"
#: Our two engines have a colour and a marker each.
LOOKS = {
    "ours": {"color": PALETTE["positive"], "marker": "o", "label": "compiled"},
    "ours in NumPy": {"color": PALETTE["negative"], "marker": "s", "label": "NumPy alone"},
}


def load() -> dict[str, Any]:
    """The measured results, by section."""
    sections = json.loads((RESULTS / "first_call.json").read_text("utf-8"))
    return {name: section["results"] for name, section in sections.items()}


def name_of(row: dict[str, Any]) -> str:
    """What a case is called: by its size, if it is made of random numbers."""
    made = row["case"] == "margin .05"
    return f"{row['n']:,} × {row['d']}" if made else row["case"]


def times_as_fast(row: dict[str, Any], way: str, other: str) -> float:
    """How many times as fast as another way one is."""
    return float(row["seconds"][other] / row["seconds"][way])


def draw_ratios(ax: Axes, results: dict[str, Any]) -> None:
    """Draw how many times as fast as scikit-learn's Perceptron a first call is, case by case."""
    rows = results["sklearn"]
    names = [name_of(row) for row in rows]
    for way, look in LOOKS.items():
        ratios = [times_as_fast(row, way, "scikit-learn") for row in rows]
        ax.plot(ratios, names, linestyle="none", **look)
    ax.axvline(1, color=PALETTE["ink"], linewidth=1)
    ax.set(xscale="log", xlabel="times as fast as scikit-learn")
    ax.grid(which="major", axis="both")
    ax.invert_yaxis()
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)  # clear of the points


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
    for name, draw, size in (
        ("ratios", draw_ratios, (5.8, 3.6)),
        ("libraries", draw_libraries, (5.8, 3.2)),
    ):
        fig, ax = plt.subplots(figsize=size)
        draw(ax, results)
        fig.savefig(RESULTS / f"{name}.svg", metadata={"Date": None})
        plt.close(fig)


if __name__ == "__main__":
    main()
