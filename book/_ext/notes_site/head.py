"""Let a page describe itself to search engines, to browsers and where a link to it is shared.

Every page describes itself: in its `myst: html_meta: description`, and without one the build fails.
With a public address (see links.py) a page also has a social card, drawn by card.py, and the Open
Graph tags that name it. Its canonical link is Sphinx's. (sphinxext-opengraph would have to be told
each of these facts, and makes tags for a site without an address as well.)
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from .card import draw

logger = logging.getLogger(__name__)

# `--pn-paper` of notes.css, which a phone's browser can show around the page.
PAPER = {"light": "#fefefd", "dark": "#14181e"}
# Docutils says it again, after Sphinx.
VIEWPORT = re.compile(r'<meta name="viewport"[^>]*>\s*')


def describe(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], doctree: nodes.document
) -> None:
    """Complete the head of a page."""
    tags = [
        meta("name", "theme-color", paper, media=f"(prefers-color-scheme: {theme})")
        for theme, paper in PAPER.items()
    ]
    if doctree is None:  # no page of the book's, but the search
        tags.append(meta("name", "description", f"Search the book “{app.config.html_title}”."))
        tags.append(meta("name", "robots", "noindex"))
    else:
        text = description(doctree)
        if not text:
            logger.warning("%s: no description; say it in myst: html_meta", pagename)
        elif app.config.html_baseurl and app.builder.name == "html":
            tags += sharing(app, pagename, text)
    said = VIEWPORT.sub("", context.get("metatags", ""))
    context["metatags"] = said + "".join(f"\n{tag}" for tag in tags)


def description(doctree: nodes.document) -> str:
    """Find what a page says of itself."""
    found = (m["content"] for m in doctree.findall(nodes.meta) if m.get("name") == "description")
    return next(found, "")


def sharing(app: Sphinx, pagename: str, text: str) -> list[str]:
    """Draw the page's card; give the tags that show it, with the page's title, in a message."""
    book, home = app.config.html_title, app.config.html_baseurl
    title = app.env.titles[pagename].astext()
    card = f"_static/cards/{pagename.replace('/', '-')}.png"
    file = Path(app.outdir, card)
    file.parent.mkdir(parents=True, exist_ok=True)
    first = pagename == app.config.root_doc
    draw(file, title, f"By {app.config.author}" if first else book)
    facts = {
        "og:type": "website" if first else "article",
        "og:site_name": book,
        "og:title": title,
        "og:description": text,
        "og:url": home + app.builder.get_target_uri(pagename),
        "og:image": home + card,
        "og:image:width": "1200",
        "og:image:height": "630",
        "og:image:alt": f"{title}: circles and crosses in the plane, and the line between them",
    }
    tags = [meta("property", name, content) for name, content in facts.items()]
    return [*tags, meta("name", "twitter:card", "summary_large_image")]


def meta(kind: str, name: str, content: str, **more: str) -> str:
    """Write a tag."""
    extra = "".join(f' {key}="{escape(value)}"' for key, value in more.items())
    return f'<meta {kind}="{name}" content="{escape(content)}"{extra} />'


def setup(app: Sphinx) -> None:
    """Describe each page."""
    app.connect("html-page-context", describe)
