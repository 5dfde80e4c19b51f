"""Avoid line breaks within (1, 2, 3), 20.3 ≤ 332.8 and 1,000 × 2 in tables, Theorem 3.5 in text.

A browser divides a narrow screen by the widest cell of each column, even a heading of five words,
and then breaks "0.111–0.312" beside empty space. So a table that needs no such break on a
telephone is called `snug` here: only its headings break there.
"""

import re
from itertools import zip_longest
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from .formulas import letters

NUMBER = r"[\d.,/−-]+"
WHOLE = re.compile(rf"\([^() ]+(?:, [^() ]+)+\)|{NUMBER} [<≤=≥>×] {NUMBER}")
#: The text of a link to something numbered, and of a number with its error.
NUMBERED = re.compile(r"\w+\.? [\dA-F](?:\.\d+)?")
ERROR = re.compile(r"\d ± \d")

#: Width of a telephone's line, 358 px, and of the edges of each column, in letters.
LINE, EDGES = 47, 1.8


class KeepWhole(SphinxPostTransform):
    """Sets unbreakable spaces in vectors, comparisons and sizes; marks the snug tables."""

    default_priority = 500

    def run(self, **_kwargs: Any) -> None:
        """Process numbered links and table cells."""
        keep(self.document, ERROR)
        for cell in self.document.findall(nodes.entry):
            keep(cell, WHOLE)
        for link in self.document.findall(nodes.reference):
            if NUMBERED.fullmatch(link.astext()):
                keep(link, NUMBERED)
        for table in self.document.findall(nodes.table):
            if snug(table):
                table["classes"].append("snug")


def keep(node: nodes.Element, whole: re.Pattern[str]) -> None:
    """Make the spaces unbreakable in all matches of `whole`."""
    for text in list(node.findall(nodes.Text)):
        if isinstance(text.parent, nodes.math | nodes.literal | nodes.literal_block):
            continue
        kept = whole.sub(lambda found: found[0].replace(" ", "\u00a0"), text)
        if kept != text:
            text.parent.replace(text, nodes.Text(kept))


def snug(table: nodes.table) -> bool:
    """Return whether a telephone has room for each cell on one line, if the headings break."""
    rows = [[signs(cell) for cell in row] for row in table.findall(nodes.row)]
    columns = zip_longest(*rows, fillvalue="")  # a cell may span several
    return sum(EDGES + max(map(len, [*head.split(), *cells])) for head, *cells in columns) <= LINE


def signs(cell: nodes.entry) -> str:
    """Return the visible characters of a cell."""
    return "".join(
        letters(text) if isinstance(text.parent, nodes.math) else text
        for text in cell.findall(nodes.Text)
    )


def setup(app: Sphinx) -> None:
    """Add the transform."""
    app.add_post_transform(KeepWhole)
