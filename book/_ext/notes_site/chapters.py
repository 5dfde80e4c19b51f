"""Show the chapters as cards: `{chapters}`, on the first page.

    :::{chapters}
    1-model: What can a line tell apart?
    2-pla: …
    :::

A card has a picture of the chapter's idea, its number and title, and one question. The
picture is what the cell with the tag `card` draws, which the chapter itself does not show.
"""

from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from .drawings import inline
from .npm import tools

#: The attribute of a question without a translation.
LANG = ' lang="en"'


class chapter_cards(  # noqa: N801 (docutils names nodes so)
    nodes.General, nodes.Element, addnodes.translatable
):
    """All cards; Sphinx translates their questions."""

    def preserve_original_messages(self) -> None:
        """Keep the original questions."""
        self["questions"] = [question for _, question in self["cards"]]

    def extract_original_messages(self) -> list[str]:
        """Return the original questions."""
        return [*self["questions"]]

    def apply_translated_message(self, original: str, translated: str) -> None:
        """Replace an original by its translation."""
        self["cards"] = [
            (page, translated if question == original else question)
            for page, question in self["cards"]
        ]


def take_picture(app: Sphinx, doctree: nodes.document) -> None:
    """Store a chapter's drawing for its card, and remove the cell from the page."""
    for cell in list(doctree.findall(nodes.container)):
        if "tag_card" in cell["classes"]:
            drawn = [one["uri"] for one in cell.findall(nodes.image) if ".svg" in one["uri"]]
            kept = app.env.metadata[app.env.docname]
            kept["card"] = Path(app.srcdir, *drawn[:1]).read_text("utf-8")
            cell.parent.remove(cell)


def picture(app: Sphinx, page: str) -> str:
    """Return a chapter's picture as decorative SVG, or ""."""
    drawn = app.env.metadata[page].get("card")
    if not drawn:
        return ""
    svg = inline(tools(app), drawn, "", f"card-{page.rpartition('/')[2]}")
    return svg.replace('role="img" aria-label=""', 'aria-hidden="true"')


class Chapters(SphinxDirective):
    """A line for each chapter: its file, a colon, its question."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Parse the lines, and rebuild this page whenever a chapter changes."""
        self.env.metadata[self.env.docname]["shows_below"] = True
        folder = self.env.docname.rpartition("/")[0]
        cards = []
        for line in self.content:
            name, colon, question = line.partition(": ")
            page = f"{folder}/{name}".lstrip("/")
            if not colon or page not in self.env.found_docs:
                raise self.error(
                    f"chapters: {line!r}; expected a page of the book, a colon and a question"
                )
            cards.append((page, question))
        return [chapter_cards(cards=cards)]


def visit_cards(self: Any, node: chapter_cards) -> None:
    """Write the cards."""
    app, cards = self.builder.app, []
    for page, question in node["cards"]:
        number = ".".join(map(str, app.env.toc_secnumbers.get(page, {}).get("", ())))
        title = escape(app.env.titles[page].astext())
        english = app.config.language != "en" and question in node["questions"]
        cards.append(
            f'<li><a href="{self.builder.get_relative_uri(self.docnames[0], page)}">'
            f'{picture(app, page)}<span class="card-title">{number}. {title}</span>'
            f'<span class="card-question"{LANG * english}>{escape(question)}</span></a></li>'
        )
    self.body.append(f'<ol class="chapter-cards wide">{"".join(cards)}</ol>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Add the directive, and its node."""
    app.setup_extension("notes_site.npm")
    app.add_directive("chapters", Chapters)
    app.add_node(chapter_cards, html=(visit_cards, None))
    app.connect("doctree-read", take_picture, priority=900)  # after Sphinx has located images
