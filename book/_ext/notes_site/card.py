"""Draw the cover of the PDF and the e-book.

It shows a run of the algorithm: the samples, the intermediate lines, and the last one.
"""

import io
import textwrap
from typing import Any

import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from perceptron_notes import pla, record
from perceptron_notes.datasets import halfspaces
from perceptron_notes.figures.plots import PALETTE, draw_boundary, draw_data

PAPER, INK, MUTED = "#fefefd", "#22272e", "#57606b"
#: A font that ships with matplotlib, so that covers are the same everywhere; and fonts with Han.
SERIF = ["STIXGeneral", "Noto Serif CJK JP"]


def need_han() -> None:
    """Register the machine's Han font with matplotlib; exit with a message if there is none."""
    found = [file for file in font_manager.findSystemFonts() if "NotoSerifCJK" in file]
    for file in found:
        font_manager.fontManager.addfont(file)
    if not found:
        raise SystemExit(
            "A book in Chinese needs the typeface Noto Serif CJK; on Debian and Ubuntu: "
            "apt-get install fonts-noto-cjk"
        )


def draw_run(ax: Axes) -> None:
    """Draw the run of the book's first picture, without axes."""
    trace = record(pla(halfspaces(60, distance=0.12, rng=np.random.default_rng(5))))
    draw_data(ax, trace.data, classes=(), names=("", ""), size=11, box=(-1.3, 1.3, -1.4, 1.25))
    for w in trace.W[1:-1]:
        draw_boundary(ax, w, sides=False, arrow=False, style=":", color=PALETTE["faint"])
    draw_boundary(ax, trace.w, arrow=False)
    ax.set_axis_off()
    ax.set_anchor("E")


def draw_front(title: str, by: str, kind: str) -> bytes:
    """Draw the cover as a PNG or an SVG: the run, the title, and the author."""
    if not title.isascii():
        need_han()
    figure = Figure(figsize=(8, 12), dpi=150, facecolor=PAPER)
    FigureCanvasAgg(figure)
    draw_run(figure.add_axes((0, 0.32, 1, 0.68)))
    lines = "\n".join(textwrap.wrap(title, 19, break_long_words=False))
    words: dict[str, Any] = {"family": SERIF, "va": "top"}
    figure.text(0.09, 0.29, lines, size=54, weight="bold", color=INK, linespacing=1.15, **words)
    figure.text(0.09, 0.08, by, size=22, color=MUTED, **words)
    file = io.BytesIO()
    made = {"metadata": {"Software": None}} if kind == "png" else {"transparent": True}
    figure.savefig(file, format=kind, **made)
    return file.getvalue()
