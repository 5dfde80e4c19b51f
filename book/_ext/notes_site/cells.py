"""In a cell of a table (1, 2, 3) stays on one line, and so does 20.3 ≤ 332.8."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

NUMBER = r"[\d./−-]+"
WHOLE = re.compile(rf"\([^() ]+(?:, [^() ]+)+\)|{NUMBER} [<≤=≥>] {NUMBER}")


class KeepWhole(SphinxPostTransform):
    """Put spaces that do not break into the vectors and comparisons of all tables."""

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


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_post_transform(KeepWhole)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
