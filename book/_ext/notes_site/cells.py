"""Keep on one line, in a table, (1, 2, 3), 20.3 ≤ 332.8 and 1,000 × 2; in a text, Theorem 3.5.

A browser shares out a narrow screen by the widest cell of each column, a heading of five words
too, and then breaks "0.111–0.312" beside empty paper. So a table that needs no such break on a
telephone is called `snug` here: only its headings break there.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from .formulas import letters

NUMBER = r"[\d.,/−-]+"
WHOLE = re.compile(rf"\([^() ]+(?:, [^() ]+)+\)|{NUMBER} [<≤=≥>×] {NUMBER}")
#: What a link to something numbered says, and what a number with its error does.
NUMBERED = re.compile(r"\w+\.? [\dA-F](?:\.\d+)?")
ERROR = re.compile(r"\d ± \d")

#: What a telephone's line holds, 358 px, and what each column takes for its edges, in letters.
LINE, EDGES = 47, 1.8


class KeepWhole(SphinxPostTransform):
    """Put spaces that do not break into vectors, comparisons and sizes; name the snug tables."""

    default_priority = 500

    def run(self, **_kwargs: Any) -> None:
        """Go through the texts, and through the cells."""
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
    """Let none of its spaces break in what is to stay whole."""
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
    """Give what is read in a cell."""
    return "".join(
        letters(text) if isinstance(text.parent, nodes.math) else text
        for text in cell.findall(nodes.Text)
    )


def setup(app: Sphinx) -> None:
    """Add the transform."""
    app.add_post_transform(KeepWhole)
