"""Draw the moving picture at the top of the README: the run of the book's first page.

    python book/cover.py

It writes book/cover.svg, which is committed; a test compares it with what is drawn here. The
picture needs no script, suits light pages and dark ones, and shows the end of the run to who wants
no motion.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from perceptron_notes import lowest, mistakes, pla, record
from perceptron_notes.datasets import halfspaces
from perceptron_notes.figures.plots import PALETTE

FILE = Path(__file__).with_name("cover.svg")
WIDTH, HEIGHT, SCALE = 760, 480, 200
STEP, PAUSE = 0.8, 4  # seconds, and how many of them the end is shown

HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">
<title>{title}</title>
<style>
.plus, .minus {{ fill: none; stroke-width: 2.5; stroke-linecap: round }}
.plus {{ stroke: {positive} /* positive */ }}
.minus {{ stroke: {negative} /* negative */ }}
.side {{ fill: {positive} /* positive */; opacity: .12 }}
.line {{ stroke: {accent} /* accent */; stroke-width: 3 }}
.pick {{ fill: none; stroke: {warn} /* warn */; stroke-width: 3 }}
text {{ font: 20px Georgia, serif; fill: {faint} /* faint */ }}
g.step {{ visibility: hidden }}
g.step:last-of-type {{ visibility: visible }}
@media (prefers-reduced-motion: no-preference) {{
g.step {{ animation: step {whole}s infinite }}
g.step:last-of-type {{ visibility: hidden; animation-name: end }}
}}
@keyframes step {{ 0%, {one}% {{ visibility: visible }} {one_on}%, 100% {{ visibility: hidden }} }}
@keyframes end {{ 0%, {last}% {{ visibility: visible }} {last_on}%, 100% {{ visibility: hidden }} }}
</style>
"""


def draw() -> str:
    """Write the picture."""
    data = halfspaces(36, distance=0.06, rng=np.random.default_rng(16))
    trace = record(pla(data, pick=lowest))
    whole = STEP * trace.updates + PAUSE
    one, last = 100 * STEP / whole, 100 * PAUSE / whole
    share = {"one": one, "one_on": one + 0.01, "last": last, "last_on": last + 0.01}
    title = f"{data.n} samples: mistake after mistake is corrected, until a line separates them"
    head = {"width": WIDTH, "height": HEIGHT, "title": title, "whole": f"{whole:g}", **PALETTE}
    lines = [HEAD.format(**head, **{name: f"{value:.2f}" for name, value in share.items()})]
    for t, w, pick, _ in trace:
        lines.append(f'<g class="step" style="animation-delay: {STEP * t:g}s">')
        if w[1:].any():
            lines += boundary(w)
        if pick is not None:
            x, y = at(data.points[pick])
            lines.append(f'<circle class="pick" cx="{x:.1f}" cy="{y:.1f}" r="15"/>')
        wrong = len(mistakes(w, data))
        words = f"{wrong} mistake{'' if wrong == 1 else 's'}" if wrong else "no mistakes"
        lines.append(f'<text x="20" y="34">t = {t}: {words}</text></g>')
    lines += [mark(*at(point), y) for point, y in zip(data.points, data.y, strict=True)]
    return "\n".join([*lines, "</svg>", ""])


def at(point: np.ndarray) -> tuple[float, float]:
    """Where a point of the plane stands in the picture."""
    return WIDTH / 2 + SCALE * point[0], HEIGHT / 2 - SCALE * point[1]


def mark(x: float, y: float, label: int) -> str:
    """Draw a sample: a circle or a cross."""
    if label > 0:
        return f'<circle class="plus" cx="{x:.1f}" cy="{y:.1f}" r="7"/>'
    return f'<path class="minus" d="M{x - 6:.1f},{y - 6:.1f}l12,12m0,-12l-12,12"/>'


def boundary(w: np.ndarray) -> Iterator[str]:
    """Draw a line and tint its positive side: the picture's edges cut both."""
    x, y = at(-w[0] * w[1:] / (w[1:] @ w[1:]))
    angle = np.degrees(np.arctan2(-w[1], -w[2]))
    yield f'<g transform="translate({x:.1f} {y:.1f}) rotate({angle:.1f})">'
    yield '<path class="side" d="M-2000,0h4000v2000h-4000z"/>'
    yield '<path class="line" d="M-2000,0h4000"/></g>'


if __name__ == "__main__":
    FILE.write_text(draw(), "utf-8")
