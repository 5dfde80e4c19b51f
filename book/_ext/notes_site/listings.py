"""Fold the code of a page below what it made; set it as wide as the text or the page.

A reader comes from a sentence to its picture, so the fold of the code that drew it stands behind
both. Code is as wide as the text unless one of its lines needs more; then it is `long`, and takes
the margin too: two edges instead of one for each block. Source of the package that a cell prints is
code, not output.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from .editions import speaker
from .statements import html

#: The letters of code that a line of the text has room for: `--pn-measure` less the edges of `pre`,
#: 574 px, at 8.07 px each.
LINE = 71
#: Those that a line of a telephone has room for. A longer phrase of code may break.
PHRASE = 25


class SetCode(SphinxPostTransform):
    """Go through the blocks of code, and through the cells."""

    default_priority = 250  # after MyST-NB has folded what a cell hides
    formats = ("html",)

    def run(self, **_kwargs: Any) -> None:
        """Mark what is long; move folds; give printed source its language."""
        say = speaker(self.config.language)
        for block in self.document.findall(nodes.literal_block):
            if max(map(len, block.astext().splitlines()), default=0) > LINE:
                block["classes"].append("long")
        for code in self.document.findall(nodes.literal):
            if not code["classes"] and len(code.astext()) >= PHRASE:
                code["classes"].append("long")
        for cell in self.document.findall(is_code):
            if "above-input" in cell[0]["classes"]:  # MyST-NB's fold, in the clothes of a note
                fold = cell.pop(0)
                summary = f"<summary>{escape(say(fold['prompt_show']))}</summary>\n"
                begin = html(f'<details class="hide">{summary}')
                cell += [begin, *fold.children, html("</details>\n")]
            if re.search(r"^print\(.*getsource\(", cell.astext(), re.MULTILINE):
                for block in cell.findall(nodes.literal_block):
                    block["language"] = "python"


def is_code(node: nodes.Node) -> bool:
    """Return whether this is a cell of code, with what it put out."""
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def setup(app: Sphinx) -> None:
    """Add the transform."""
    app.add_post_transform(SetCode)
