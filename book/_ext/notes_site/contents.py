"""Insert the contents of a page in the book's contents, below the page's title.

So one place shows the reader's position, and the right-hand side is free for the margin. The
sections common to all chapters take little room, so that the next chapter is near: the first,
a fold, is left out and has no number, and those at the end are one entry, which unfolds when the
reader is there. Side roads for the curious are marked by a ring.
"""

import copy
import re
from collections.abc import Callable
from typing import Any

from bs4 import BeautifulSoup
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx_external_toc.collectors import TocTreeCollectorWithStyles as Collector

from .editions import speaker
from .statements import OUTCOMES

FOLD = "<summary>"
FOLD_NAMED = '<summary aria-label="{}">'
HERE = '<a class="current reference internal" href="#">'
#: Sections with such a beginning are not part of the short path.
CURIOUS = re.compile(r'<section id="([^"]+)">\s*.*</h\d>\s*<p class="curious">')
ASIDE = ' <span class="aside" role="img" aria-label="{0}" title="{0}"></span>'
ENDING = ("check-yourself", "summary", "exercises", "sources-and-further-reading")
ENDS = "Check yourself, exercises, sources"
ENDING_ENTRY = """\
<li class="toc-h2 nav-item toc-entry"><a class="reference internal nav-link" href="#check-yourself"
>{}</a><ul class="nav section-nav flex-column"></ul></li>
"""


def number(self: Collector, env: BuildEnvironment) -> list[str]:
    """Number the sections, but for the fold on outcomes; return the pages with other numbers.

    What the contents leave out is not counted. (The collector itself would compare an appendix's
    letters with the numbers behind them.)
    """
    before = copy.deepcopy(env.toc_secnumbers)
    for contents in env.tocs.values():
        for link in list(contents.findall(nodes.reference)):
            if link["anchorname"] == f"#{OUTCOMES}":
                entry = link.parent.parent
                entry.parent.remove(entry)
    numbered(self, env)
    for numbers in env.toc_secnumbers.values():
        numbers[f"#{OUTCOMES}"] = ()  # or its heading would have the page's
    return [page for page, now in env.toc_secnumbers.items() if now != before.get(page)]


numbered: Callable[[Collector, BuildEnvironment], list[str]] = Collector.assign_section_numbers


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
    """Mark side roads, and join the sections at the end of all chapters in one entry."""
    soup = BeautifulSoup(sections, "html.parser")
    links = soup.select(".toc-h2 > a")
    entries = {str(link["href"])[1:]: link.parent for link in links if link.parent}
    for link in soup.select("a"):
        if str(link["href"])[1:] in curious:
            link.append(BeautifulSoup(ASIDE.format(say("for the curious")), "html.parser"))
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
    Collector.assign_section_numbers = number  # type: ignore[method-assign]  # it makes itself
    app.connect("html-page-context", nest, priority=990)  # after the theme's own functions
