r"""A search that speaks plainly: no TeX in its index, none in its previews.

To Sphinx a formula is its source, so that `\mathbf{w}` would make every page a find for "mathbf".
Of a formula the index keeps the Greek letters by name, which one may well look for.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

GREEK = re.compile(r"\\(alpha|eta|gamma|lambda|mu|rho|sigma|theta|xi)\b")


def index_plainly(app: Sphinx) -> None:
    """Let the builder index a copy of each page without formulas."""
    builder = app.builder
    if not hasattr(builder, "index_page"):
        return
    index_page = builder.index_page

    def index_copy(pagename: str, doctree: nodes.document, title: str) -> None:
        copy = doctree.deepcopy()
        for math in [*copy.findall(nodes.math), *copy.findall(nodes.math_block)]:
            words = nodes.Text(" ".join(GREEK.findall(math.astext())))
            math.parent.replace(math, words)
        for head in copy.findall(nodes.title):  # a theorem's is " (Halting)", without its number
            if head.astext().startswith(" ("):
                head[:] = [nodes.Text(head.astext().strip(" ()"))]
        index_page(pagename, copy, title)

    builder.index_page = index_copy


def add_script(app: Sphinx, pagename: str, *_rest: Any) -> None:
    """Mend the previews, on the page that shows them."""
    if pagename == "search":
        app.add_js_file("search.js", loading_method="defer")


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", index_plainly)
    app.connect("html-page-context", add_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
