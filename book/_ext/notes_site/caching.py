"""Run the notebooks side by side, and make again what has changed in ways that Sphinx does not see.

MyST-NB runs one notebook after the other, when it comes to it; on two cores, this fills its cache
in half the time. A notebook that fails is not in it, so that MyST-NB runs it again and reports the
error as it always does.

Sphinx makes a page again when its source or a setting has changed. So an edit of the package would
leave numbers and figures as they once were, and one of this extension would leave the pages. Here
checksums of both are settings. (Stylesheets and scripts are copied at each build: economy.py.)
"""

from __future__ import annotations

import hashlib
import logging as std_logging
import os
import shutil
from pathlib import Path
from typing import Any

from jupyter_cache import get_cache
from jupyter_cache.executors import load_executor
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging

from .editions import LOCALE

logger = logging.getLogger(__name__)

HERE = Path(__file__).parent


def checksum(*places: Path) -> str:
    """Sum up files and folders."""
    digest = hashlib.sha256()
    for place in places:
        for file in [place] if place.is_file() else sorted(place.rglob("*.*")):
            if file.suffix not in (".pyc", ".so", ".pyd"):  # what is compiled differs by its place
                digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def settle(app: Sphinx, config: Config) -> None:
    """Name the cache after the package: it knows the notebooks' cells, not what these import."""
    caches = Path(app.confdir, config.nb_execution_cache_path).resolve()
    drawing = [HERE / name for name in ("drawings.py", "fonts.py")]
    now = caches / checksum(Path(app.confdir, config.fresh_package), *drawing)
    for old in [one for one in caches.glob("*") if one != now]:
        shutil.rmtree(old)
    config.nb_execution_cache_path = str(now)
    words = (LOCALE / config.language).glob("LC_MESSAGES/*.po")
    config.made_by = checksum(HERE, *words)


def execute(app: Sphinx, env: Any, docnames: list[str]) -> None:
    """Fill the cache with the notebooks among the pages to read."""
    cache = get_cache(app.config.nb_execution_cache_path)
    paths = [Path(env.doc2path(name)) for name in sorted(docnames)]
    skipped = app.config.nb_execution_excludepatterns
    notebooks = [
        cache.add_nb_to_project(str(path)).uri
        for path in paths
        if path.suffix == ".ipynb" and not any(map(path.match, skipped))
    ]
    # The kernels share the processors: threads of one would only wait for those of another.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    if notebooks:
        logger.info(
            "running what has changed of %d notebooks, which can take minutes", len(notebooks)
        )
        quiet = std_logging.getLogger("jupyter_cache.executors")
        quiet.setLevel(std_logging.WARNING)
        parallel = load_executor("local-parallel", cache, quiet)
        parallel.run_and_cache(filter_uris=notebooks, timeout=app.config.nb_execution_timeout)


def setup(app: Sphinx) -> None:
    """Settle what the others have put together, and run before Sphinx reads."""
    app.add_config_value("fresh_package", "perceptron_notes", "")
    app.add_config_value("made_by", "", "html")
    app.connect("config-inited", settle, priority=900)
    app.connect("env-before-read-docs", execute)
