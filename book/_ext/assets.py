"""Let an edit of a stylesheet, a script or a font reach the site when no page has changed.

Sphinx copies static files only when it writes a page, and writes a page only when its source has
changed. So every page is written again when the files that are to be copied have changed.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx


def digest(app: Sphinx) -> str:
    """A checksum over all that is to be copied, and over what makes one file of many."""
    found = hashlib.sha256()
    for entry in [*app.config.html_static_path, Path(__file__).parent]:
        for file in sorted(Path(app.confdir, entry).rglob("*.*")):
            if file.suffix != ".pyc":
                found.update(file.name.encode() + file.read_bytes())
    return found.hexdigest()


def note(app: Sphinx) -> Path:
    """Where the checksum of the last build stands: not in the site, which is for readers."""
    return Path(app.outdir).with_suffix(".assets")


def outdated(app: Sphinx, env: Any, *_changes: set[str]) -> list[str]:
    """All pages, if that differs from what the site was made of."""
    file = note(app)
    same = file.is_file() and file.read_text() == digest(app)
    return [] if same or app.builder.format != "html" else sorted(env.found_docs)


def remember(app: Sphinx, exception: Exception | None) -> None:
    """Note what the site was made of."""
    if not exception and app.builder.format == "html":
        note(app).write_text(digest(app))


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("env-get-outdated", outdated)
    app.connect("build-finished", remember)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
