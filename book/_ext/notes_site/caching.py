"""Run the notebooks in parallel, and rebuild pages after changes that Sphinx does not see.

MyST-NB runs notebooks one by one, as it reads them; on two cores, this module fills its cache
in half the time. A notebook that fails is not in it, so that MyST-NB runs it again and reports the
error as it always does.

Sphinx rebuilds a page when its source or a setting has changed. So an edit of the package would
leave outdated numbers and figures, and an edit of this extension would leave outdated pages. Here
checksums of both are settings. (Stylesheets and scripts are copied at each build: economy.py.)
"""

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
    """Return a checksum of files and folders."""
    digest = hashlib.sha256()
    for place in places:
        for file in [place] if place.is_file() else sorted(place.rglob("*.*")):
            if file.suffix not in (".pyc", ".so", ".pyd"):  # compiled files differ by location
                digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def settle(app: Sphinx, config: Config) -> None:
    """Name the cache after the package's checksum, as its keys are the notebooks' cells alone."""
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
    # The kernels share the processors: more threads would only wait for one another.
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
    """Set the checksums once the other modules are configured, and run before Sphinx reads."""
    app.add_config_value("fresh_package", "perceptron_notes", "")
    app.add_config_value("made_by", "", "html")
    app.connect("config-inited", settle, priority=900)
    app.connect("env-before-read-docs", execute)
