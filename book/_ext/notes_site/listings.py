"""Fold the code of a page below its output, as wide as the text or the page.

A reader goes from a sentence to its picture, so the fold of the code that drew it comes after
both. Code is as wide as the text unless one of its lines needs more; then it is `long`, and uses
the margin too: two widths instead of one per block. Source of the package that a cell prints is
code, not output.
"""

import re
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from .editions import speaker
from .statements import html

#: How many letters of code fit on a line of the text: `--pn-measure` less the edges of `pre`,
#: 574 px, at 8.07 px each.
LINE = 71
#: How many fit on a line of a telephone. Longer inline code may break.
PHRASE = 25


class SetCode(SphinxPostTransform):
    """Sets the width of code blocks, and the place of folds."""

    default_priority = 250  # after MyST-NB has folded what a cell hides
    formats = ("html",)

    def run(self, **_kwargs: Any) -> None:
        """Mark long code; move folds; set the language of printed source."""
        say = speaker(self.config.language)
        for block in self.document.findall(nodes.literal_block):
            if max(map(len, block.astext().splitlines()), default=0) > LINE:
                block["classes"].append("long")
        for code in self.document.findall(nodes.literal):
            if not code["classes"] and len(code.astext()) >= PHRASE:
                code["classes"].append("long")
        for cell in self.document.findall(is_code):
            if "above-input" in cell[0]["classes"]:  # MyST-NB's fold, styled as a note
                fold = cell.pop(0)
                summary = f"<summary>{escape(say(fold['prompt_show']))}</summary>\n"
                begin = html(f'<details class="hide">{summary}')
                cell += [begin, *fold.children, html("</details>\n")]
            if re.search(r"^print\(.*getsource\(", cell.astext(), re.MULTILINE):
                for block in cell.findall(nodes.literal_block):
                    block["language"] = "python"


def is_code(node: nodes.Node) -> bool:
    """Return whether a node is a code cell with its outputs."""
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def setup(app: Sphinx) -> None:
    """Add the transform."""
    app.add_post_transform(SetCode)
