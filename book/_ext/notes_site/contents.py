"""Insert the contents of a page in the book's contents, below the page's title.

So one place shows the reader's position, and the right-hand side is free for the margin. The
sections common to all chapters take little room, so that the next chapter is near: the first
is left out, and those at the end are one entry, which unfolds when the reader is there. Side roads
for the curious are marked.
"""

import re
from collections.abc import Callable
from typing import Any

from bs4 import BeautifulSoup
from sphinx.application import Sphinx

from .editions import speaker
from .statements import OUTCOMES

FOLD = "<summary>"
FOLD_NAMED = '<summary aria-label="{}">'
HERE = '<a class="current reference internal" href="#">'
#: Sections with such a beginning are not part of the short path.
CURIOUS = re.compile(r'<section id="([^"]+)">\s*.*</h\d>\s*<p class="curious">')
ASIDE = '<span class="aside">{}</span>'
ENDING = ("check-yourself", "summary", "exercises", "sources-and-further-reading")
ENDS = "Check yourself, exercises, sources"
ENDING_ENTRY = """\
<li class="toc-h2 nav-item toc-entry"><a class="reference internal nav-link" href="#check-yourself"
>{}</a><ul class="nav section-nav flex-column"></ul></li>
"""


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

    def both(*args: Any, **kwargs: Any) -> str:
        contents = str(book(*args, **kwargs)).replace(FOLD, named)
        before, here, after = contents.partition(HERE)
        title, end, rest = after.partition("</a>")
        sections = short(str(page()), CURIOUS.findall(str(context.get("body"))), say)
        if "<a " in sections:
            end += f'<div id="page-toc" class="page-toc">{sections}</div>'
        return before + here + title + end + rest

    context["generate_toctree_html"] = both
    context["generate_toc_html"] = lambda *_args, **_kwargs: ""  # so that the theme adds no button


def short(sections: str, curious: list[str], say: Callable[[str], str]) -> str:
    """Omit the first section common to all chapters, and join those at the end in one entry."""
    soup = BeautifulSoup(sections, "html.parser")
    links = soup.select(".toc-h2 > a")
    entries = {str(link["href"])[1:]: link.parent for link in links if link.parent}
    for link in soup.select("a"):
        if str(link["href"])[1:] in curious:
            link.append(BeautifulSoup(ASIDE.format(say("for the curious")), "html.parser"))
    if OUTCOMES in entries:
        entries[OUTCOMES].decompose()
    ending = [entries[name] for name in ENDING if name in entries]
    if len(ending) == len(ENDING):
        whole = BeautifulSoup(ENDING_ENTRY.format(say(ENDS)), "html.parser")
        [inner] = whole.select("ul")
        ending[0].insert_before(whole)
        for entry in ending:
            inner.append(entry)
    return str(soup)


def setup(app: Sphinx) -> None:
    """Nest the contents on each page."""
    app.connect("html-page-context", nest, priority=990)  # after the theme's own functions
