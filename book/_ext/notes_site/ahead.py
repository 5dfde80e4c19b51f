"""Execute the chapters side by side before they are read.

MyST-NB runs one notebook after the other, when it comes to it. On two cores this puts the outputs
into its cache in half the time. A notebook that fails is left out, so that MyST-NB runs it again
and reports the error as it always does.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import ExecutionResult, single_nb_execution
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging

logger = logging.getLogger(__name__)


def settle(app: Sphinx, config: Config) -> None:
    """Make the path of the cache absolute: MyST-NB takes it from where the build was started."""
    cache = Path(app.confdir, config.nb_execution_cache_path)
    config.nb_execution_cache_path = str(cache.resolve())


def execute(app: Sphinx, env: Any, docnames: list[str]) -> None:
    """Fill the cache with the notebooks among the pages to read."""
    cache = get_cache(app.config.nb_execution_cache_path)
    paths = [Path(env.doc2path(name)) for name in sorted(docnames)]
    skipped = app.config.nb_execution_excludepatterns
    paths = [path for path in paths if not any(map(path.match, skipped))]
    notebooks = [
        (path, nbformat.read(path, as_version=4))  # type: ignore[no-untyped-call]
        for path in paths
        if path.suffix == ".ipynb"
    ]
    waiting = [(path, nb) for path, nb in notebooks if not cached(cache, nb)]
    # The kernels share the processors: threads of one would only wait for those of another.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(variable, "1")

    def run(job: tuple[Path, nbformat.NotebookNode]) -> ExecutionResult:
        path, nb = job
        timeout = app.config.nb_execution_timeout
        return single_nb_execution(nb, cwd=str(path.parent), allow_errors=False, timeout=timeout)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for (path, nb), result in zip(waiting, pool.map(run, waiting), strict=True):
            if result.err is None:
                logger.info("executed %s in %.1f s", path.name, result.time)
                data = {"execution_seconds": result.time}
                bundle = CacheBundleIn(nb, str(path), data=data)
                cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def cached(cache: Any, nb: nbformat.NotebookNode) -> bool:
    """Tell whether the cache has the outputs of a notebook."""
    try:
        cache.match_cache_notebook(nb)
    except KeyError:
        return False
    return True


def setup(app: Sphinx) -> None:
    """Run the notebooks before Sphinx reads them."""
    app.connect("config-inited", settle)
    app.connect("env-before-read-docs", execute)
