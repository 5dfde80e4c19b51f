"""Ask each page to say what it is, in its `myst: html_meta: description`, or the build fails.

What every page's head has besides, for browsers, is in `templates/layout.html`.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)

# Docutils says it again, after Sphinx.
VIEWPORT = re.compile(r'<meta name="viewport"[^>]*>\s*')


def ask(_app: Sphinx, pagename: str, _template: str, context: dict[str, Any], doctree: Any) -> None:
    """Warn of a page of the book's that does not describe itself."""
    context["metatags"] = VIEWPORT.sub("", context.get("metatags", ""))
    tags = doctree.findall(nodes.meta) if doctree else [{"name": "description"}]
    if not any(tag.get("name") == "description" for tag in tags):
        logger.warning("%s: no description; say it in myst: html_meta", pagename)


def setup(app: Sphinx) -> None:
    """Ask each page."""
    app.connect("html-page-context", ask)
