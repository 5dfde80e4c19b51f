"""Run notebooks, and keep each run with a record of what it read: it counts while that is the same.

A record holds the checksums of the code cells, of the modules that the kernel loaded (their syntax
trees, without docstrings and comments) and of the files that it opened below the repository; the
versions of Python and of the libraries; and which engine the loops had. A run whose record still
holds need not be repeated, whatever else lies in the folders.
"""

import ast
import datetime
import functools
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from math import inf
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from perceptron_notes import native

from .folders import checksum, stray

HERE = Path(__file__).parent
#: What decides how a cell's outputs look, whatever the cell reads.
RUNNERS = [HERE / "drawings.py", HERE / "fonts.py"]
#: Scripts and styles of figures, which the site has in files of its own.
OF_THE_PAGE = (".js", ".css")
PYTHON = "Python"
JSON = "application/json"
#: The last cell of each run, which is not kept.
ASK = "import notes_reading\nnotes_reading.tell()"


@functools.cache
def checksum_of(path: str, _changed: int, _size: int, syntax: bool) -> str:
    """Return the checksum of a file, of a folder's names, or of the syntax tree of a module."""
    if os.path.isdir(path):
        return checksum(json.dumps(sorted(name for name in os.listdir(path) if not stray(name))))
    content = Path(path).read_bytes()
    if not (syntax and path.endswith(".py")):
        return checksum(content)
    tree = ast.parse(content)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                del node.body[0]
    return checksum(ast.dump(tree))


def now(path: Path, syntax: bool = False) -> str:
    """Return the checksum of a file as it is now, or "" if it is not there."""
    try:
        found = path.stat()
        return checksum_of(str(path), found.st_mtime_ns, found.st_size, syntax)
    except (OSError, SyntaxError):
        return ""


@functools.cache
def installed(name: str) -> str:
    """Return the installed version of a library, or of Python; "" if it is not installed."""
    try:
        return platform.python_version() if name == PYTHON else version(name)
    except PackageNotFoundError:
        return ""


def read(path: Path) -> NotebookNode:
    """Return a notebook, or end with a sentence if it is none, as in a merge with conflicts."""
    try:
        return nbformat.read(path, as_version=4)
    except ValueError as error:
        raise SystemExit(f"{path} cannot be read as a notebook: {error}") from error


def code_of(nb: NotebookNode) -> list[NotebookNode]:
    """Return the code cells of a notebook."""
    return [cell for cell in nb.cells if cell.cell_type == "code"]


def cells_of(nb: NotebookNode) -> str:
    """Return the checksum of a notebook's code; its prose does not run."""
    code = [[cell.source, sorted(cell.metadata.get("tags", []))] for cell in code_of(nb)]
    return checksum(json.dumps([code, nb.metadata.get("kernelspec", {}).get("name")]))


@dataclass(frozen=True)
class Record:
    """What a run read, and when it was.

    Attributes
    ----------
    cells : str
        The checksum of the code cells.
    modules, files : dict of str
        The checksum of each module and file below the repository, by its path there.
    versions : dict of str
        The versions of Python and of the libraries that were loaded.
    loops : str
        The engine of the package's loops, or "" if they were not loaded.
    day, commit : str
        The day of the run, and the commit of the repository, with "+" if files differed from it;
        these do not count.
    seconds : float
        How long it took.
    """

    cells: str
    modules: dict[str, str]
    files: dict[str, str]
    versions: dict[str, str]
    loops: str
    day: str = ""
    commit: str = ""
    seconds: float = 0.0

    def changes(self, root: Path) -> list[str]:
        """Return what is no longer as it was for this run, apart from the cells."""
        found = [path for path, was in self.modules.items() if now(root / path, True) != was]
        found += [path for path, was in self.files.items() if now(root / path) != was]
        found += [name for name, was in self.versions.items() if installed(name) != was]
        return found + ["the engine of the loops"] * (self.loops not in ("", native.loops))


def commit_of(root: Path) -> str:
    """Return the short name of the commit, with "+" if files differ from it; "" without git."""
    asked = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
    done = subprocess.run(asked, cwd=root, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def record_of(root: Path, told: dict[str, Any], began: float = inf, **others: Any) -> Record:
    """Make the record of a run from what its kernel has told.

    What was changed while it ran has a sum that no file has, so that this run will not hold.
    """
    prefix = Path(sys.prefix).resolve()

    def ours(name: str) -> bool:
        path = Path(name)
        apart = path.is_relative_to(prefix) or ".runtime" in path.parts  # see `running.execute`
        return path.is_relative_to(root) and not apart

    modules = {*filter(ours, told["modules"].values()), *filter(ours, map(str, RUNNERS))}
    files = {name for name in told["files"] if ours(name) and not name.endswith(OF_THE_PAGE)}
    tops = {name.partition(".")[0] for name, file in told["modules"].items() if not ours(file)}
    known = packages_distributions()
    names = sorted({one for top in tops for one in known.get(top, [])})

    def changed(file: Path) -> bool:  # not in the future, by a clock that was set back
        return file.is_file() and began < file.stat().st_mtime <= time.time()

    def sums(found: set[str], syntax: bool) -> dict[str, str]:
        paths = {Path(name).relative_to(root).as_posix(): Path(name) for name in sorted(found)}
        return {
            name: "changed" if changed(file) else now(file, syntax) for name, file in paths.items()
        }

    return Record(
        modules=sums(modules, True),
        files=sums(files, False),
        versions={name: installed(name) for name in [PYTHON, *names]},
        loops=told["loops"],
        day=datetime.datetime.now().astimezone().date().isoformat(),
        commit=commit_of(root),
        **others,
    )


class RunError(Exception):
    """A cell that raised an error: its number among the code cells, its first line, the error."""

    def __init__(self, nb: NotebookNode, reached: int, error: Exception) -> None:
        self.nb = nb
        code = [cell for cell in code_of(nb) if cell.source.strip()]
        number = max(1, min(reached, len(code)))
        what = f"{error.ename}: {error.evalue}" if isinstance(error, CellExecutionError) else error
        told = (str(one).strip().partition("\n")[0] for one in (code[number - 1].source, what))
        where = f"code cell {number} of {len(code)} ended with an error"
        super().__init__("\n  ".join([where, *told]))


def execute(root: Path, path: Path, timeout: int) -> tuple[NotebookNode, Record]:
    """Run a notebook in its own folder; return it and its record, or raise `RunError`."""
    nb, began = read(path), time.time()
    cells = cells_of(nb)
    for cell in code_of(nb):  # else those below an error would show what is committed
        cell.outputs, cell.execution_count = [], None
    ask = nbformat.v4.new_code_cell(ASK)
    search = os.pathsep.join(filter(None, [str(HERE.parent), os.environ.get("PYTHONPATH")]))
    client = NotebookClient(
        NotebookNode({**nb, "cells": [*nb.cells, ask]}),
        timeout=timeout,
        record_timing=False,
        coalesce_streams=True,  # what a cell prints comes in pieces
        shutdown_kernel="immediate",
        resources={"metadata": {"path": str(path.parent)}},
        extra_arguments=["--InteractiveShellApp.extensions=notes_reading", "--log-level=ERROR"],
    )
    try:
        client.execute(env=os.environ | {"PYTHONPATH": search})
        (told,) = (one.data[JSON] for one in ask.outputs if JSON in one.get("data", ()))
    except Exception as error:  # of a cell, of its time limit, or of a kernel that died
        raise RunError(nb, client.code_cells_executed, error) from error
    seconds = round(time.time() - began, 1)
    return nb, record_of(root, told, began, cells=cells, seconds=seconds)


@dataclass(frozen=True)
class Runs:
    """The last run of each notebook of a repository, which a folder keeps.

    It is a notebook of the same name, with its record in its metadata.
    """

    root: Path
    folder: Path

    def file(self, path: Path) -> Path:
        """Return where the run of a notebook is kept."""
        return self.folder / path.relative_to(self.root)

    def of(self, path: Path) -> Record | None:
        """Return the record of the run that is kept of a notebook, or None."""
        try:
            return Record(**json.loads(self.file(path).read_text("utf-8"))["metadata"]["run"])
        except (OSError, ValueError, KeyError, TypeError):  # none, or of another version of this
            return None

    def valid(self, path: Path) -> tuple[Record | None, str]:
        """Return the record of a run that still holds, or None and the reason to run again."""
        cells, record = cells_of(read(path)), self.of(path)
        if record is None:
            return None, "not run yet"
        changed = ["its cells"] * (record.cells != cells) + record.changes(self.root)
        if not changed:
            return record, ""
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        return None, f"because of {changed[0]}{more}"

    def keep(self, path: Path, nb: NotebookNode, record: Record) -> None:
        """Store a run in place of the one before."""
        file = self.file(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        nb.metadata["run"] = asdict(record)
        part = file.with_suffix(f".{os.getpid()}")  # so that it is whole or not there
        part.write_text(nbformat.writes(nb), "utf-8")
        part.replace(file)

    def outputs(self, path: Path) -> NotebookNode:
        """Return the run that is kept of a notebook."""
        return read(self.file(path))

    def run(
        self,
        paths: Iterable[Path],
        timeout: int,
        tell: Callable[[Path, Record | RunError], None],
    ) -> None:
        """Run notebooks, as many at a time as there are processors, and keep those that succeed.

        `tell` is called as each ends. The longest begin first.
        """

        def length(path: Path) -> float:
            known = self.of(path)
            return -(known.seconds if known else path.stat().st_size / 1000)

        def run(path: Path) -> tuple[Path, Record | RunError]:
            try:
                nb, record = execute(self.root, path, timeout)
            except RunError as error:
                return path, error
            self.keep(path, nb, record)
            return path, record

        # If the build is ended, it does not wait for these threads, and nbclient ends the kernels.
        with ThreadPool(os.cpu_count()) as pool:
            for path, end in pool.imap_unordered(run, sorted(paths, key=length)):
                tell(path, end)


def filled(nb: NotebookNode, ran: NotebookNode) -> NotebookNode:
    """Put the outputs of a run into the cells of a notebook, whose prose may be newer."""
    if cells_of(nb) != cells_of(ran):  # edited meanwhile: the next build runs it
        return ran
    for cell, with_outputs in zip(code_of(nb), code_of(ran), strict=True):
        cell.outputs = with_outputs.outputs
        cell.execution_count = with_outputs.execution_count
    for name in {"widgets", "language_info"} & {*ran.metadata}:
        nb.metadata[name] = ran.metadata[name]
    return nb
