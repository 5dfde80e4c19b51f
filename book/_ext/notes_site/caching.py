"""Make again what has changed in ways that Sphinx does not watch.

Sphinx reads a page again when its source has changed, and copies static files only when it writes a
page. So an edit of the package would leave numbers and figures as they once were, and an edit of a
stylesheet would not reach a site whose pages are as they were. A checksum beside what was built
tells both.
"""

from __future__ import annotations

import functools
import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config


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
    if package(app).changed:
        shutil.rmtree(Path(app.confdir, config.nb_execution_cache_path), ignore_errors=True)


@functools.cache
def package(app: Sphinx) -> Checksum:
    """Compare the package, and what draws its figures, with what the outputs were made by."""
    cache = Path(app.confdir, app.config.nb_execution_cache_path)
    drawing = [Path(__file__).with_name(name) for name in ("drawings.py", "fonts.py")]
    places = [Path(app.confdir, app.config.fresh_package), *drawing]
    return Checksum(cache.with_suffix(".package"), places)


@functools.cache
def assets(app: Sphinx) -> Checksum:
    """Compare what is to be copied, and what makes one file of many, with what the site has."""
    places = [Path(app.confdir, place) for place in app.config.html_static_path]
    # The note stands beside the site, which is for readers.
    return Checksum(Path(app.outdir).with_suffix(".assets"), [*places, Path(__file__).parent])


def clear(app: Sphinx) -> None:
    """Remove what was copied if it is copied again: a file that is no more must not stay."""
    if app.builder.format == "html" and assets(app).changed:
        shutil.rmtree(Path(app.outdir, "_static"), ignore_errors=True)


def outdated(app: Sphinx, env: Any, *_changes: set[str]) -> list[str]:
    """List all pages, if one of the two has changed."""
    copied = app.builder.format == "html" and assets(app).changed
    return sorted(env.found_docs) if copied or package(app).changed else []


def remember(app: Sphinx, exception: Exception | None) -> None:
    """Note what was used."""
    if not exception:
        package(app).remember()
        if app.builder.format == "html":
            assets(app).remember()


def setup(app: Sphinx) -> None:
    """Compare before Sphinx reads, and note at the end."""
    app.add_config_value("fresh_package", "perceptron_notes", "")
    app.connect("config-inited", forget_outputs)
    app.connect("builder-inited", clear, priority=1)  # before extensions put theirs there
    app.connect("env-get-outdated", outdated)
    app.connect("build-finished", remember)
