"""Draw the results in `speed.json`, in the style of the book; its page on speed shows them too.

python benchmarks/charts.py
"""

import json
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from perceptron_notes.figures import PALETTE

RESULTS = Path(__file__).parent / "results"
#: Every number of coordinates has a colour, a marker and a kind of line.
LOOKS = {
    2: {"color": PALETTE["positive"], "marker": "o", "linestyle": "-"},
    10: {"color": PALETTE["negative"], "marker": "s", "linestyle": "--"},
    100: {"color": PALETTE["accent"], "marker": "^", "linestyle": "-."},
    784: {"color": PALETTE["good"], "marker": "D", "linestyle": ":"},
}


def load() -> dict[str, Any]:
    """The measured results, by section."""
    sections = json.loads((RESULTS / "speed.json").read_text("utf-8"))
    return {name: section["results"] for name, section in sections.items()}


def draw_ladder(ax: Axes, results: dict[str, Any], n: int = 10**5, d: int = 10) -> None:
    """Draw how long one sample of a clean pass takes, way by way, on a logarithmic scale."""
    row = next(row for row in results["ladder"] if (row["n"], row["d"]) == (n, d))
    ways = list(row["seconds"])
    times = np.array([row["seconds"][way] for way in ways]) / n * 1e9
    colors = [PALETTE["faint"] if way == "reading memory" else PALETTE["positive"] for way in ways]
    bars = ax.barh(ways, times, color=colors, height=0.6)
    ax.bar_label(bars, [f"{t:,.0f} ns" if t > 20 else f"{t:.1f} ns" for t in times], padding=4)
    ax.set(xscale="log", xlabel="nanoseconds a sample", xlim=(times.min() / 2, times.max() * 12))
    ax.invert_yaxis()
    ax.tick_params(axis="y", length=0)


def draw_ratios(ax: Axes, results: dict[str, Any], way: str = "compiled") -> None:
    """Draw how many times faster than scikit-learn's Perceptron a run is, for all sizes."""
    for d, look in LOOKS.items():
        rows = [row for row in results["grid"] if row["d"] == d]
        ratios = [row["ratio"][way] for row in rows]
        ax.plot([row["n"] for row in rows], ratios, label=f"d = {d}", **look)
    ax.axhline(1, color=PALETTE["ink"], linewidth=1)
    ax.set(xscale="log", yscale="log", xlabel="samples", ylabel="times as fast")
    ax.grid(which="major")


def growth(results: dict[str, Any]) -> tuple[float, float, float]:
    """Fit seconds a pass = c·Nᵃ·(d + 1)ᵇ to the runs with at least 10⁵ numbers; a, b, c."""
    rows = [row for row in results["grid"] if row["n"] * row["d"] >= 10**5]
    seconds = np.array([row["seconds"]["compiled"] / row["passes"] for row in rows])
    sizes = [[np.log(row["n"]), np.log(row["d"] + 1), 1.0] for row in rows]
    a, b, log_c = np.linalg.lstsq(np.array(sizes), np.log(seconds))[0]
    return float(a), float(b), float(np.exp(log_c))


def draw_growth(ax: Axes, results: dict[str, Any]) -> None:
    """Draw how the time of a pass grows, with the fitted power law in grey."""
    a, b, c = growth(results)
    for d, look in LOOKS.items():
        rows = [row for row in results["grid"] if row["d"] == d]
        n = np.array([row["n"] for row in rows])
        passes = [row["seconds"]["compiled"] / row["passes"] for row in rows]
        ax.plot(n, passes, label=f"d = {d}", **{**look, "linestyle": "none"})
        ax.plot(n, c * n**a * (d + 1) ** b, color=PALETTE["faint"], linewidth=1, zorder=1)
    ax.set(xscale="log", yscale="log", xlabel="samples", ylabel="seconds a pass")
    ax.grid(which="major")
    ax.legend()


def draw_both_ratios(axes: tuple[Axes, Axes], results: dict[str, Any]) -> None:
    """Draw the ratios with compiled code and without, on equal scales."""
    compiled, blocks = axes
    draw_ratios(compiled, results)
    draw_ratios(blocks, results, "numpy")
    compiled.set_title("compiled")
    blocks.set(title="NumPy alone", ylabel="")
    lines = compiled.get_legend_handles_labels()
    compiled.figure.legend(*lines, loc="outside lower center", ncols=4, handlelength=2.4)


def main() -> None:
    """Write the charts beside the results."""
    plt.style.use("perceptron_notes.notes")
    results = load()
    for name, draw, shape, size in (
        ("ladder", draw_ladder, (1, 1), (5.8, 2.4)),
        ("ratios", draw_both_ratios, (1, 2), (5.8, 3.3)),
        ("growth", draw_growth, (1, 1), (5.2, 3.4)),
    ):
        fig, axes = plt.subplots(*shape, figsize=size, sharey=shape != (1, 1))
        draw(axes, results)
        fig.savefig(RESULTS / f"{name}.svg", metadata={"Date": None})
        plt.close(fig)


if __name__ == "__main__":
    main()
