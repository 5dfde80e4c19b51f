"""Insert the contents of a page in the book's contents, below the page's title.

So one place shows the reader's position, and the right-hand side is free for the margin. The first
section of a chapter, a fold, is left out and has no number. Side roads for the curious are marked
by a ring.
"""

import re
from collections.abc import Callable
from typing import Any

from sphinx.application import Sphinx

from .editions import speaker

FOLD = "<summary>"
FOLD_NAMED = '<summary aria-label="{}">'
HERE = '<a class="current reference internal" href="#">'
#: Sections with such a beginning are not part of the short path.
CURIOUS = re.compile(r'<section id="([^"]+)">\s*.*</h\d>\s*<p class="curious">')
ASIDE = ' <span class="aside" role="img" aria-label="{0}" title="{0}"></span>'
LINK = r'(?s)(<a [^>]*href="#%s">.*?)(</a>)'


def nest(
    app: Sphinx, _pagename: str, _template: str, context: dict[str, Any], _doctree: Any
) -> None:
    """Make the theme's function for the book's contents include those of the page."""
    book: Callable[..., Any] | None = context.get("generate_toctree_html")
    page: Callable[..., Any] | None = context.get("generate_toc_html")
    if not (book and page):
        return
    say = speaker(app.config.language)
    named = FOLD_NAMED.format(say("Its pages"))  # an icon has no accessible name
    aside = ASIDE.format(say("for the curious"))

    def both(*args: Any, **kwargs: Any) -> str:
        contents = str(book(*args, **kwargs)).replace(FOLD, named)
        before, here, after = contents.partition(HERE)
        title, end, rest = after.partition("</a>")
        sections = str(page())
        for name in CURIOUS.findall(str(context.get("body"))):
            sections = re.sub(LINK % re.escape(name), rf"\1{aside}\2", sections)
        if "<a " in sections:
            end += f'<div id="page-toc" class="page-toc">{sections}</div>'
        return before + here + title + end + rest

    context["generate_toctree_html"] = both
    context["generate_toc_html"] = lambda *_args, **_kwargs: ""  # so that the theme adds no button


def setup(app: Sphinx) -> None:
    """Nest the contents on each page."""
    app.connect("html-page-context", nest, priority=990)  # after the theme's own functions
