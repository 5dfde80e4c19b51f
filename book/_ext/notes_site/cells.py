"""Avoid line breaks within (1, 2, 3), 20.3 ≤ 332.8 and 1,000 × 2 in tables, Theorem 3.5 in text."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

NUMBER = r"[\d.,/−-]+"
WHOLE = re.compile(rf"\([^() ]+(?:, [^() ]+)+\)|{NUMBER} [<≤=≥>×] {NUMBER}")
#: The text of a link to something numbered, and of a number with its error.
NUMBERED = re.compile(r"\w+\.? [\dA-F](?:\.\d+)?")
ERROR = re.compile(r"\d ± \d")


class KeepWhole(SphinxPostTransform):
    """Sets unbreakable spaces in vectors, comparisons and sizes."""

    default_priority = 500

    def run(self, **_kwargs: Any) -> None:
        """Process numbered links and table cells."""
        keep(self.document, ERROR)
        for cell in self.document.findall(nodes.entry):
            keep(cell, WHOLE)
        for link in self.document.findall(nodes.reference):
            if NUMBERED.fullmatch(link.astext()):
                keep(link, NUMBERED)


def keep(node: nodes.Element, whole: re.Pattern[str]) -> None:
    """Make the spaces unbreakable in all matches of `whole`."""
    for text in list(node.findall(nodes.Text)):
        if isinstance(text.parent, nodes.math | nodes.literal | nodes.literal_block):
            continue
        kept = whole.sub(lambda found: found[0].replace(" ", "\u00a0"), text)
        if kept != text:
            text.parent.replace(text, nodes.Text(kept))


def setup(app: Sphinx) -> None:
    """Add the transform."""
    app.add_post_transform(KeepWhole)
