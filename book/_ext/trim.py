"""Leave out what the theme loads and this book does not use.

`fontawesome.js` draws icons that the theme's stylesheet draws already, from a font: 542 kB of
compressed script on every page for nothing. The theme has no switch for it, so its tag is taken
out of the finished pages, and the file out of the site.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

TAG = re.compile(r"\s*<script[^>]*scripts/fontawesome\.js[^>]*></script>")


def trim(app: Sphinx, exception: Exception | None) -> None:
    """Take the tag and the file out."""
    if exception or app.builder.format != "html":
        return
    site = Path(app.outdir)
    for page in site.rglob("*.html"):
        html = page.read_text("utf-8")
        trimmed = TAG.sub("", html)
        if trimmed != html:
            page.write_text(trimmed, "utf-8")
    for file in site.glob("_static/scripts/fontawesome.js*"):
        file.unlink()


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", trim)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
