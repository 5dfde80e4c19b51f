"""Let an edit of the stylesheet reach the site when no page has changed.

Sphinx copies static files only when it writes a page, and writes a page only when its source has
changed. Every page names the stylesheet with its checksum, so every page is written again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx


def outdated(app: Sphinx, env: Any, *_changes: set[str]) -> list[str]:
    """All pages, if a static file of ours differs from its copy in the site."""
    site = Path(app.outdir, "_static")
    ours = [entry for entry in app.config.html_static_path if not Path(entry).is_absolute()]
    for folder in (Path(app.confdir, entry) for entry in ours):
        for file in folder.rglob("*.*"):
            copy = site / file.relative_to(folder)
            if not copy.is_file() or copy.read_bytes() != file.read_bytes():
                return sorted(env.found_docs)
    return []


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("env-get-outdated", outdated)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
