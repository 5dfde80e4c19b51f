"""The page at the site's own address, which leads on to the book's first page.

The book begins at `book/index.html`, because its sources are in `book/`. The external table of
contents writes a bare redirect for that; this one has a title, an icon and a link for those whose
browser does not follow it.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

PAGE = """\
<!DOCTYPE html>
<html lang="{language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="0; url={first}">
<title>{title}</title>
<link rel="icon" href="_static/{icon}">
<p><a href="{first}">{title}</a></p>
</html>
"""


def lead_on(app: Sphinx, exception: Exception | None) -> None:
    """Write `index.html` anew."""
    config = app.config
    if exception or app.builder.name != "html" or config.root_doc == "index":
        return
    page = PAGE.format(
        language=config.language,
        title=escape(config.html_title),
        icon=Path(config.html_favicon).name,
        first=app.builder.get_target_uri(config.root_doc),
    )
    Path(app.outdir, "index.html").write_text(page, "utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", lead_on, priority=900)  # after the external table of contents
    return {"parallel_read_safe": True, "parallel_write_safe": True}
