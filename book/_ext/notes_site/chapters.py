"""The chapters as cards: `{chapters}`, on the first page.

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
from typing import Any

import matplotlib as mpl
import numpy as np
from docutils import nodes
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from perceptron_notes import (
    certify,
    dual_pla,
    dual_score,
    error_count,
    flip_labels,
    gram,
    halfspaces,
    last,
    pla,
    record,
    rings,
    separate,
)
from perceptron_notes.figures import PALETTE, draw_boundary, draw_data, draw_errors, draw_region
from perceptron_notes.kernels import polynomial

from .card import draw_run
from .figures import inline

WORDS_A_MINUTE = 150  # with formulas, figures and code in between
SMALL: dict[str, Any] = {"classes": (), "names": ("", ""), "size": 5}


class chapter_cards(nodes.General, nodes.Element):  # noqa: N801 (docutils names nodes so)
    """All cards."""


# Pictures ---------------------------------------------------------------------------------------


def model(ax: Axes) -> None:
    """A line, and its two sides."""
    data = halfspaces(20, distance=0.3, rng=np.random.default_rng(36))
    draw_data(ax, data, box=(-1.6, 1.6, -1, 1), **SMALL)
    draw_boundary(ax, separate(data).w)


def learning(ax: Axes) -> None:
    """The lines of a run."""
    draw_run(ax, (-1.6, 1.6, -1, 1), size=5)


def convergence(ax: Axes) -> None:
    """The length of the weights between what it is at least and at most, up to the wall."""
    data = halfspaces(6, distance=0.2, rng=np.random.default_rng(22))
    certificate, trace = certify(data, separate(data).w), record(pla(data))
    R, rho = math.sqrt(certificate.R2), math.sqrt(certificate.rho2)
    t = np.linspace(0, certificate.bound * 1.12, 200)
    ax.fill_between(t, rho * t, R * np.sqrt(t), where=t <= certificate.bound, alpha=0.1)
    for bound in (rho * t, R * np.sqrt(t)):
        ax.plot(t, bound, color=PALETTE["warn"], linestyle="--")
    ax.plot(np.linalg.norm(trace.W, axis=1), color=PALETTE["accent"], marker="o", markersize=4)


def pocketing(ax: Axes) -> None:
    """The mistakes of a run that never ends, and the fewest so far."""
    rng = np.random.default_rng(2)
    data = flip_labels(halfspaces(60, distance=0.1, rng=rng), 6, rng=rng)
    run = record(pla(data), at_most=45)
    errors = [error_count(w, data) for w in run.W]
    draw_errors(ax, errors, np.minimum.accumulate(errors))
    ax.get_legend().remove()


def kernels(ax: Axes) -> None:
    """What no line can do, and a circle does."""
    data, kernel = rings(40, rng=np.random.default_rng(4)), polynomial(2, 1)
    end = last(dual_pla(gram(data, kernel), data.y))
    draw_data(ax, data, box=(-4, 4, -2.5, 2.5), **SMALL)
    draw_region(ax, lambda points: dual_score(end.alpha, end.b, data, points, kernel))


PICTURES: dict[str, Callable[[Axes], None]] = {
    "1-model": model,
    "2-pla": learning,
    "3-convergence": convergence,
    "4-pocket": pocketing,
    "5-dual": kernels,
}


def picture(name: str) -> str:
    """A chapter's picture as SVG, without axes, the same bytes at every build."""
    style = {"svg.hashsalt": name, "axes.prop_cycle": mpl.cycler("color", [PALETTE["accent"]])}
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
    """How long a page takes to read, in steps of five."""
    paragraphs = app.env.get_doctree(page).findall(nodes.paragraph)
    words = sum(len(one.astext().split()) for one in paragraphs)
    return max(5, 5 * round(words / WORDS_A_MINUTE / 5))


def visit_cards(self: Any, node: chapter_cards) -> None:
    app, cards = self.builder.app, []
    for page, name, question in node["cards"]:
        if page not in app.env.titles:
            continue
        number = ".".join(map(str, app.env.toc_secnumbers.get(page, {}).get("", ())))
        title = escape(app.env.titles[page].astext())
        drawn = inline(app.tools, picture(name), "", f"card-{name}").replace(
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


def setup(app: Sphinx) -> dict[str, Any]:
    app.setup_extension("notes_site.npm")
    app.add_directive("chapters", Chapters)
    app.add_node(chapter_cards, html=(visit_cards, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
