"""List the names of a reference with what each is for: `{names}`, near the top of its page.

A reference is as long as its docstrings, and one looks something up in it by a word that one does
not know yet. The table has the names in the page's order, section by section, each with the first
paragraph of its docstring.
"""

from __future__ import annotations

from collections.abc import Iterator

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

#: The place of the table, until the page has been read.
PLACE = "names-place"


class Names(SphinxDirective):
    """All names of the page."""

    def run(self) -> list[nodes.Node]:
        """Leave a place for them."""
        return [nodes.container(classes=[PLACE])]


def fill(_app: Sphinx, doctree: nodes.document) -> None:
    """Put the table into its place."""
    for place in [one for one in doctree.findall(nodes.container) if PLACE in one["classes"]]:
        body = nodes.tbody("", *rows(doctree))
        columns = [nodes.colspec(colwidth=width) for width in (30, 70)]
        group = nodes.tgroup("", *columns, body, cols=2)
        place.replace_self(nodes.table("", group, classes=["names"]))


def rows(doctree: nodes.document) -> Iterator[nodes.row]:
    """Give a row for each section that documents something, and one for each name in it."""
    for section in doctree.findall(nodes.section):
        listed = [one for one in section.children if isinstance(one, addnodes.desc)]
        if listed:
            title = nodes.strong("", section.next_node(nodes.title).astext())
            anchor = min(section["ids"], key=lambda name: "." in name)  # not a module's name
            link = nodes.reference("", "", title, internal=True, refid=anchor)
            cell = nodes.entry("", nodes.paragraph("", "", link), morecols=1)
            yield nodes.row("", cell)
        for one in listed:
            yield nodes.row("", *entries(one))


def entries(one: addnodes.desc) -> Iterator[nodes.entry]:
    """Give a name, as a link to what is said of it, and the first paragraph of that."""
    signature, content = one[0], one[-1]
    name = signature.next_node(addnodes.desc_name).astext()
    text = nodes.literal("", name)
    link = nodes.reference("", "", text, internal=True, refid=signature["ids"][0])
    yield nodes.entry("", nodes.paragraph("", "", link))
    first = [part for part in content.children if isinstance(part, nodes.paragraph)][:1]
    yield nodes.entry("", *(part.deepcopy() for part in first))


def setup(app: Sphinx) -> None:
    """Add the directive; fill the table before references are resolved."""
    app.add_directive("names", Names)
    app.connect("doctree-read", fill)
