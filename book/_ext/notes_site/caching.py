"""What is made again when something has changed that Sphinx does not watch.

Sphinx reads a page again when its source has changed, and copies static files only when it writes a
page. So an edit of the package would leave numbers and figures as they once were, and an edit of a
stylesheet would not reach a site whose pages are as they were. A checksum beside what was built
tells both.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

from . import drawings, fonts


class Checksum:
    """A checksum over files and folders, and a note of what it was when they were used."""

    def __init__(self, note: Path, places: Iterable[Path]) -> None:
        digest = hashlib.sha256()
        for place in places:
            for file in [place] if place.is_file() else sorted(place.rglob("*.*")):
                if file.suffix != ".pyc":
                    digest.update(file.name.encode() + file.read_bytes())
        self.note, self.now = note, digest.hexdigest()
        self.changed = not note.is_file() or note.read_text() != self.now

    def remember(self) -> None:
        """Write the note."""
        self.note.parent.mkdir(parents=True, exist_ok=True)
        self.note.write_text(self.now)


def forget_outputs(app: Sphinx, config: Config) -> None:
    """Empty the cache of executed notebooks if the package differs from the one that filled it.

    The cache knows the notebooks' cells, not what the cells import, nor how the kernels draw.
    """
    cache = Path(app.confdir, config.nb_execution_cache_path)
    package = Path(app.confdir, config.fresh_package)
    drawing = [Path(room.__file__) for room in (drawings, fonts)]
    app.package = Checksum(cache.with_suffix(".package"), [package, *drawing])
    if app.package.changed:
        shutil.rmtree(cache, ignore_errors=True)


def look_at_assets(app: Sphinx) -> None:
    """Compare what is to be copied, and what makes one file of many, with what the site has."""
    places = [Path(app.confdir, place) for place in app.config.html_static_path]
    # The note stands beside the site, which is for readers.
    app.assets = Checksum(Path(app.outdir).with_suffix(".assets"), [*places, Path(__file__).parent])


def outdated(app: Sphinx, env: Any, *_changes: set[str]) -> list[str]:
    """All pages, if one of the two has changed."""
    assets = app.assets.changed and app.builder.format == "html"
    return sorted(env.found_docs) if app.package.changed or assets else []


def remember(app: Sphinx, exception: Exception | None) -> None:
    """Note what was used."""
    if not exception:
        app.package.remember()
        if app.builder.format == "html":
            app.assets.remember()


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("fresh_package", "perceptron_notes", "")
    app.connect("config-inited", forget_outputs)
    app.connect("builder-inited", look_at_assets)
    app.connect("env-get-outdated", outdated)
    app.connect("build-finished", remember)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
