"""Execute the pages again when the package has changed.

The cache of executed notebooks knows their cells, not what the cells import: without this, the site
would go on showing numbers and figures of the package as it once was.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config


def compare(app: Sphinx, config: Config) -> None:
    """Empty the cache if the package differs from the one that filled it."""
    digest = hashlib.sha256()
    for file in sorted(Path(app.confdir, config.fresh_package).rglob("*.*")):
        if file.suffix != ".pyc":
            digest.update(file.name.encode() + file.read_bytes())
    cache = Path(app.confdir, config.nb_execution_cache_path)
    note, now = cache.with_suffix(".package"), digest.hexdigest()
    app.package = note, now
    app.package_changed = not note.is_file() or note.read_text() != now
    if app.package_changed:
        shutil.rmtree(cache, ignore_errors=True)


def outdated(app: Sphinx, env: Any, *_changes: set[str]) -> list[str]:
    """All pages, in that case: the sources have not changed, what the cells put out may have."""
    return sorted(env.found_docs) if app.package_changed else []


def remember(app: Sphinx, exception: Exception | None) -> None:
    """Note which package the cache belongs to."""
    note, now = app.package
    if not exception:
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(now)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("fresh_package", "perceptron_notes", "")
    app.connect("config-inited", compare)
    app.connect("env-get-outdated", outdated)
    app.connect("build-finished", remember)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
