"""Show on each page what its notebook computes, and run it again if what it reads has changed.

`runs` keeps the runs, and says which of them still hold. The outputs are put into a page's source
as Sphinx reads it, so MyST-NB, which would run a notebook for itself, runs nothing. A page is read
again if its run is another one than when it was read last. A notebook that fails is told in three
lines; its page shows how far it came, and the others go on. Below each page stands what its run
read, folded.
"""

import functools
import os
import re
from html import escape
from importlib.metadata import requires
from pathlib import Path

import nbformat
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from .editions import speaker
from .runs import PYTHON, Record, RunError, Runs, filled

logger = logging.getLogger(__name__)

FOLD = '<details class="folded computed"><summary>{title}</summary><dl>{rows}</dl></details>'
#: Extras for those who work on the package and the book.
NOT_USED = r"extra == .(?!sklearn|scale)"
HOW = "How this page was computed"
DAY = "Day, commit"
CHANGED = "{commit} with changes"
WITH = "With"
LOOPS = "the loops “{name}”"
READ = "Files read"
MODULES = "Modules"
AGAIN = "The same again, in a copy of the repository at this commit"


def runs_of(app: Sphinx) -> Runs:
    """Return the runs that this build keeps."""
    root = Path(app.srcdir)
    return Runs(root, root / app.config.runs_folder)


#: The end of a page's run, or None if its notebook has to run; and the reason to run it.
Found = tuple[Record | RunError | None, str]


@functools.cache
def found_runs(_app: Sphinx) -> dict[str, Found]:
    """Return what this build has found of each page's run."""
    return {}


def path_of(env: BuildEnvironment, page: str) -> Path | None:
    """Return the notebook of a page, if the build runs it."""
    path = Path(env.doc2path(page))
    left_out = any(map(path.match, env.config.runs_exclude))
    return path if path.suffix == ".ipynb" and not left_out else None


def outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Return the pages whose run does not hold any more, or is another one than they show."""
    runs, pages = runs_of(app), []
    for page in env.found_docs - removed:
        if path := path_of(env, page):
            record, reason = runs.valid(path)
            found_runs(app)[page] = record, reason
            if not record or record != env.metadata[page].get("run"):
                pages.append(page)
    return pages


def execute(app: Sphinx, env: BuildEnvironment, pages: list[str]) -> None:
    """Run the notebooks of the pages to read that have no run which holds."""
    found = found_runs(app)
    needed = {path_of(env, page): page for page in pages if page in found and not found[page][0]}
    # The kernels share the processors: more threads would only wait for one another.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    if not os.access(Path.home(), os.W_OK):  # kernels and Matplotlib write there
        for variable in ("JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR"):
            os.environ.setdefault(variable, str(Path(app.doctreedir).parent / ".runtime"))
    done = 0

    def conclude(path: Path, end: Record | RunError) -> None:
        nonlocal done
        done += 1
        page = needed[path]
        reason, found[page] = found[page][1], (end, "")
        if isinstance(end, RunError):
            logger.warning("%s: %s", page, end, location=page)
        else:
            seconds = f"{end.seconds:.0f} s"
            logger.info("%d of %d, %s (%s): %s", done, len(needed), path.stem, reason, seconds)

    if needed:
        logger.info("running %d of %d notebooks …", len(needed), len(found))
        runs_of(app).run(filter(None, needed), app.config.runs_timeout, conclude)


def insert(app: Sphinx, page: str, content: list[str]) -> None:
    """Put the outputs of a page's run into its source."""
    end, _ = found_runs(app).get(page, (None, ""))
    if end is None:
        return
    nb = nbformat.reads(content[0], as_version=4)
    path = Path(app.env.doc2path(page))
    ran = end.nb if isinstance(end, RunError) else runs_of(app).outputs(path)
    content[0] = nbformat.writes(filled(nb, ran))
    app.env.metadata[page]["run"] = None if isinstance(end, RunError) else end


def libraries() -> set[str]:
    """Return the names of the libraries that the package itself uses."""
    declared = [one for one in requires("perceptron_notes") or () if not re.search(NOT_USED, one)]
    return {re.split(r"[^\w.-]", one)[0] for one in declared}


def described(record: Record, language: str) -> str:
    """Return the fold below a page: when and with what its cells ran, and what they read."""
    say, code = speaker(language), "<code>{}</code>".format
    commit = code(escape(record.commit.rstrip("+")))
    if record.commit.endswith("+"):
        commit = say(CHANGED).format(commit=commit)
    versions = {
        name: number for name, number in record.versions.items() if name in {PYTHON, *libraries()}
    }
    told = [f"{name} {number}" for name, number in versions.items()]
    told += [say(LOOPS).format(name=record.loops)] * bool(record.loops)
    files = [path for path, was in record.files.items() if was and not path.startswith("_build/")]
    modules: dict[str, list[str]] = {}  # by the folder in which a reader looks for them
    for path in record.modules:
        folder, _, name = path.removesuffix(".py").partition("/")
        if name and not name.endswith("__init__"):
            modules.setdefault(folder, []).append(name)
    pins = [f"{name}=={number}" for name, number in versions.items() if name != PYTHON]
    rows = {
        say(DAY): ", ".join(filter(None, [record.day, commit * bool(record.commit)])),
        say(WITH): ", ".join(told),
        say(READ): ", ".join(map(code, files)) or "–",
        say(MODULES): "; ".join(
            f"{code(folder)}: {', '.join(names)}" for folder, names in modules.items()
        ),
        say(AGAIN): code(" ".join(["pip install", *pins])),
    }
    listed = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in rows.items())
    return FOLD.format(title=say(HOW), rows=listed)


def show_record(app: Sphinx, document: nodes.document) -> None:
    """Put the fold at the end of a page."""
    end, _ = found_runs(app).get(app.env.docname, (None, ""))
    sections = [node for node in document.children if isinstance(node, nodes.section)]
    if isinstance(end, Record) and sections:
        sections[-1] += nodes.raw("", described(end, app.config.language), format="html")


def setup(app: Sphinx) -> None:
    """Say where runs are kept, and connect to the reading of pages."""
    app.add_config_value("runs_folder", "_build/.runs", "")
    app.add_config_value("runs_exclude", [], "env")
    app.add_config_value("runs_timeout", 600, "")
    app.connect("env-get-outdated", outdated)
    app.connect("env-before-read-docs", execute)
    app.connect("source-read", insert, priority=100)  # before others change the cells
    app.connect("doctree-read", show_record)
