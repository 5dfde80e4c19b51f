"""In a cell of a table (1, 2, 3) stays on one line, and so do 20.3 ≤ 332.8 and 1,000 × 2.

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

#: What a telephone's line holds, 358 px, and what each column takes for its edges, in letters.
LINE, EDGES = 47, 1.8


class KeepWhole(SphinxPostTransform):
    """Put spaces that do not break into vectors, comparisons and sizes; name the snug tables."""

    default_priority = 500

    def run(self, **_kwargs: Any) -> None:
        """Go through the cells."""
        for cell in self.document.findall(nodes.entry):
            for text in list(cell.findall(nodes.Text)):
                if isinstance(text.parent, nodes.math | nodes.literal):
                    continue
                kept = WHOLE.sub(lambda found: found[0].replace(" ", "\u00a0"), text)
                if kept != text:
                    text.parent.replace(text, nodes.Text(kept))
        for table in self.document.findall(nodes.table):
            if snug(table):
                table["classes"].append("snug")


def snug(table: nodes.table) -> bool:
    """Whether a telephone has room for each cell on one line, if the headings break."""
    rows = [[signs(cell) for cell in row] for row in table.findall(nodes.row)]
    columns = zip_longest(*rows, fillvalue="")  # a cell may span several
    return sum(EDGES + max(map(len, [*head.split(), *cells])) for head, *cells in columns) <= LINE


def signs(cell: nodes.entry) -> str:
    """What is read in a cell."""
    return "".join(
        letters(text) if isinstance(text.parent, nodes.math) else text
        for text in cell.findall(nodes.Text)
    )


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_post_transform(KeepWhole)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
