"""Put the contents of a page into the book's contents, below the page's own title.

So there is one place that says where one is, and the right-hand side is free for the margin.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sphinx.application import Sphinx

HERE = '<a class="current reference internal" href="#">'


def nest(
    _app: Sphinx, _pagename: str, _template: str, context: dict[str, Any], _doctree: Any
) -> None:
    """Let the theme's function for the book's contents put the page's into them."""
    book: Callable[..., Any] | None = context.get("generate_toctree_html")
    page: Callable[..., Any] | None = context.get("generate_toc_html")
    if not (book and page):
        return

    def both(*args: Any, **kwargs: Any) -> str:
        before, here, after = str(book(*args, **kwargs)).partition(HERE)
        title, end, rest = after.partition("</a>")
        sections = str(page())
        if "<a " in sections:
            end += f'<div id="page-toc" class="page-toc">{sections}</div>'
        return before + here + title + end + rest

    context["generate_toctree_html"] = both
    context["generate_toc_html"] = lambda *_args, **_kwargs: ""  # so there is no button for it


def setup(app: Sphinx) -> None:
    """Do that for each page."""
    app.connect("html-page-context", nest, priority=990)  # when the theme has made its functions
