"""Show the chapters as cards: `{chapters}`, on the first page.

    :::{chapters}
    1-model: What can a line tell apart?
    2-pla: …
    :::

A card has a picture of the chapter's idea, its number and title, one question, and how long it
takes to read.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from html import escape
from itertools import islice
from typing import Any

import matplotlib as mpl
import numpy as np
from docutils import nodes
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.rcsetup import cycler
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from perceptron_notes import (
    Classes,
    Dataset,
    average,
    certify,
    dual_pla,
    error_count,
    largest_margin,
    last,
    multi_pla,
    pla,
    record,
    separate,
)
from perceptron_notes.convergence import Separator
from perceptron_notes.datasets import flip_labels, halfspaces, rings
from perceptron_notes.dual import dual_score
from perceptron_notes.figures.plots import (
    PALETTE,
    draw_boundary,
    draw_data,
    draw_errors,
    draw_region,
)
from perceptron_notes.kernels import gram, polynomial
from perceptron_notes.margins import LargestMargin

from .card import draw_run
from .drawings import inline
from .npm import tools

WORDS_A_MINUTE = 150  # with formulas, figures and code in between
SMALL: dict[str, Any] = {"classes": (), "names": ("", ""), "size": 5}


class chapter_cards(nodes.General, nodes.Element):  # noqa: N801 (docutils names nodes so)
    """All cards."""


# Pictures ---------------------------------------------------------------------------------------


def between(data: Dataset) -> Separator:
    """Find a line between the classes of data that have one."""
    found = separate(data)
    assert isinstance(found, Separator)
    return found


def model(ax: Axes) -> None:
    """Draw a line, and its two sides."""
    data = halfspaces(20, distance=0.3, rng=np.random.default_rng(36))
    draw_data(ax, data, box=(-1.6, 1.6, -1, 1), **SMALL)
    draw_boundary(ax, between(data).w)


def learning(ax: Axes) -> None:
    """Draw the lines of a run."""
    draw_run(ax, (-1.6, 1.6, -1, 1), size=5)


def convergence(ax: Axes) -> None:
    """Draw the length of the weights between what it is at least and at most, up to the wall."""
    data = halfspaces(6, distance=0.2, rng=np.random.default_rng(22))
    certificate, trace = certify(data, between(data).w), record(pla(data))
    R, rho = math.sqrt(certificate.R2), math.sqrt(certificate.rho2)
    t = np.linspace(0, certificate.bound * 1.12, 200)
    ax.fill_between(t, rho * t, R * np.sqrt(t), where=t <= certificate.bound, alpha=0.1)
    for bound in (rho * t, R * np.sqrt(t)):
        ax.plot(t, bound, color=PALETTE["warn"], linestyle="--")
    ax.plot(np.linalg.norm(trace.W, axis=1), color=PALETTE["accent"], marker="o", markersize=4)


def pocketing(ax: Axes) -> None:
    """Draw the mistakes of a run that never ends, and the fewest so far."""
    rng = np.random.default_rng(2)
    data = flip_labels(halfspaces(60, distance=0.1, rng=rng), 6, rng=rng)
    run = record(pla(data), at_most=45)
    errors = [error_count(w, data) for w in run.W]
    draw_errors(ax, errors, np.minimum.accumulate(errors))
    if legend := ax.get_legend():
        legend.remove()


def kernels(ax: Axes) -> None:
    """Draw what no line can do, and a circle does."""
    data, kernel = rings(40, rng=np.random.default_rng(4)), polynomial(2, 1)
    end = last(dual_pla(gram(data, kernel), data.y))
    draw_data(ax, data, box=(-4, 4, -2.5, 2.5), **SMALL)
    draw_region(ax, lambda points: dual_score(end.alpha, end.b, data, points, kernel))


def online(ax: Axes) -> None:
    """Draw the mistakes of weights that jump, and of their average."""
    rng = np.random.default_rng(5)
    data = flip_labels(halfspaces(60, distance=0.1, rng=rng), 6, rng=rng)
    steps = list(islice(average(data, pla(data)), 1, 46))
    draw_errors(ax, [error_count(step.w, data) for step in steps])
    means = [error_count(step.average, data) for step in steps]
    ax.plot(means, color=PALETTE["good"], linewidth=2.4)


def margins(ax: Axes) -> None:
    """Draw the widest street between two classes, and what holds it."""
    data = halfspaces(16, distance=0.25, rng=np.random.default_rng(24))
    found = largest_margin(data)
    assert isinstance(found, LargestMargin)
    draw_data(ax, data, box=(-1.6, 1.6, -1, 1), **SMALL)
    draw_boundary(ax, found.w, arrow=False)
    wide = np.abs(found.w @ data.X.T).min()
    for side in (-wide, wide):
        kerb = found.w + np.array([side, 0, 0])
        draw_boundary(ax, kerb, sides=False, arrow=False, style="--")
    held = data.points[np.isclose(np.abs(data.X @ found.w), wide)]
    ax.plot(*held.T, "o", mfc="none", mec=PALETTE["warn"], ms=12)


def classes(ax: Axes) -> None:
    """Draw three classes, and the region of each."""
    rng, box = np.random.default_rng(3), (-1.6, 1.6, -1, 1)
    middles = np.array([[-0.9, 0.4], [0.9, 0.45], [0.05, -0.6]])
    y = np.arange(27) % 3
    data = Classes(middles[y] + rng.normal(scale=0.16, size=(27, 2)), y)
    W = last(multi_pla(data)).w
    x, z = np.meshgrid(np.linspace(*box[:2], 200), np.linspace(*box[2:], 200))
    best = np.einsum("kj,jab->kab", W, np.array([np.ones_like(x), x, z])).argmax(axis=0)
    colors = [PALETTE[name] for name in ("positive", "negative", "good")]
    ax.contourf(x, z, best, levels=[-0.5, 0.5, 1.5, 2.5], colors=colors, alpha=0.14)
    for k, (color, marker) in enumerate(zip(colors, "ox^", strict=True)):
        ax.plot(*data.points[y == k].T, marker, color=color, mfc="none", ms=5)
    ax.set(xlim=box[:2], ylim=box[2:], aspect="equal")


def networks(ax: Axes) -> None:
    """Draw how two lines do what one cannot."""
    rng = np.random.default_rng(6)
    corners = np.array([[-1, -0.55], [1, 0.55], [-1, 0.55], [1, -0.55]])
    points = np.repeat(corners, 5, axis=0) + rng.normal(scale=0.13, size=(20, 2))
    draw_data(ax, Dataset(points, np.repeat([-1, -1, 1, 1], 5)), box=(-1.6, 1.6, -1, 1), **SMALL)
    for bias in (-0.62, 0.62):
        draw_boundary(ax, [bias, 0.8, 1.45], sides=False, arrow=False)
    x = np.array([-1.6, 1.6])
    ax.fill_between(x, (-0.62 - 0.8 * x) / 1.45, (0.62 - 0.8 * x) / 1.45, alpha=0.14)


def scale(ax: Axes) -> None:
    """Draw weights of three workers from one start, and their mix between them."""
    start, ends = np.array([-1.25, -0.65]), np.array([[-0.3, 0.85], [1.3, 0.4], [0.75, -0.75]])
    ax.fill(*ends.T, alpha=0.14)
    for end, name in zip(ends, ("positive", "negative", "good"), strict=True):
        shown: dict[str, Any] = {"arrowstyle": "->", "color": PALETTE[name], "lw": 1.6}
        arrow = {**shown, "shrinkA": 5, "shrinkB": 5}
        ax.annotate("", (end[0], end[1]), (start[0], start[1]), arrowprops=arrow)
        ax.plot(*end, "o", mfc="none", mec=PALETTE[name], ms=8, mew=1.6)
    ax.plot(*start, "o", mfc="none", mec=PALETTE["faint"], ms=8)
    ax.plot(*ends.mean(axis=0), "o", ms=11)
    ax.set(xlim=(-1.6, 1.6), ylim=(-1, 1), aspect="equal")


PICTURES: dict[str, Callable[[Axes], None]] = {
    "1-model": model,
    "2-pla": learning,
    "3-convergence": convergence,
    "4-pocket": pocketing,
    "5-dual": kernels,
    "6-online": online,
    "7-margins": margins,
    "8-classes": classes,
    "9-networks": networks,
    "10-scale": scale,
}


def picture(name: str) -> str:
    """Draw a chapter's picture as SVG, without axes, the same bytes at every build."""
    style: Any = {"svg.hashsalt": name, "axes.prop_cycle": cycler("color", [PALETTE["accent"]])}
    with mpl.rc_context(style):
        figure = Figure(figsize=(3.2, 2))
        ax = FigureCanvasSVG(figure).figure.add_axes((0, 0, 1, 1))
        PICTURES[name](ax)
        ax.set_axis_off()
        out = io.StringIO()
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    return out.getvalue()


# Cards ------------------------------------------------------------------------------------------


class Chapters(SphinxDirective):
    """A line for each chapter: its file, a colon, its question."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Check the names."""
        folder = self.env.docname.rpartition("/")[0]
        cards = []
        for line in self.content:
            name, colon, question = line.partition(": ")
            if name not in PICTURES or not colon:
                known = ", ".join(PICTURES)
                raise self.error(
                    f"chapters: expected one of {known}, a colon and a question; {line!r}"
                )
            cards.append((f"{folder}/{name}".lstrip("/"), name, question))
        return [chapter_cards(cards=cards)]


def minutes(app: Sphinx, page: str) -> int:
    """Estimate how long a page takes to read, in steps of five."""
    paragraphs = app.env.get_doctree(page).findall(nodes.paragraph)
    words = sum(len(one.astext().split()) for one in paragraphs)
    return max(5, 5 * round(words / WORDS_A_MINUTE / 5))


def visit_cards(self: Any, node: chapter_cards) -> None:
    """Write the cards of the chapters that this build has."""
    app, cards = self.builder.app, []
    for page, name, question in node["cards"]:
        if page not in app.env.titles:
            continue
        number = ".".join(map(str, app.env.toc_secnumbers.get(page, {}).get("", ())))
        title = escape(app.env.titles[page].astext())
        drawn = inline(tools(app), picture(name), "", f"card-{name}").replace(
            'role="img" aria-label=""', 'aria-hidden="true"'
        )
        cards.append(
            f'<li><a href="{self.builder.get_relative_uri(self.docnames[0], page)}">{drawn}'
            f'<span class="card-title">{number}. {title}</span>'
            f'<span class="card-question">{escape(question)}</span>'
            f'<span class="card-time">{minutes(app, page)} minutes</span></a></li>'
        )
    self.body.append(f'<ol class="chapter-cards wide">{"".join(cards)}</ol>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Add the directive, and its node."""
    app.setup_extension("notes_site.npm")
    app.add_directive("chapters", Chapters)
    app.add_node(chapter_cards, html=(visit_cards, None))
