"""The list of all pages for search engines, and where they find it, if the site has an address."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

HEAD = """\
<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">"""


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write `sitemap.xml` and `robots.txt`."""
    home = app.config.html_baseurl
    if exception or app.builder.name != "html":
        return
    site, files = Path(app.outdir), {}
    if home:
        pages = [home + app.builder.get_target_uri(name) for name in sorted(app.env.found_docs)]
        entries = "".join(f"  <url><loc>{escape(page)}</loc></url>\n" for page in pages)
        files["sitemap.xml"] = f"{HEAD}\n{entries}</urlset>\n"
        files["robots.txt"] = f"User-agent: *\nAllow: /\nSitemap: {home}sitemap.xml\n"
    for name in ("sitemap.xml", "robots.txt"):
        if name in files:
            (site / name).write_text(files[name], "utf-8")
        else:  # of an earlier build, that had an address
            (site / name).unlink(missing_ok=True)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
