"""Read a student's file: its cells, or one sentence on what it is instead."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from perceptron_classroom.grading import opening
from perceptron_classroom.grading.opening import Unreadable, text_of
from perceptron_classroom.inside.calls import clean

__all__ = ["Unreadable", "code_of", "first_line", "read_notebook", "take_in", "text_of"]

#: Limits in bytes and values of a notebook that is opened in this process, as nearly all are.
SMALL, VALUES = 2_000_000, 200_000
#: How many code cells are run, and how many characters in all; characters that name a cell.
CELLS, CODE, LINE = 1000, 1_000_000, 50


#: Cells, each with ``cell_type`` and ``source`` and, as far as they fit, ``outputs`` and
#: ``attachments``; and remarks.
Taken: TypeAlias = tuple[list[dict[str, Any]], list[str]]


def take_in(path: Path, named: str = "") -> Taken:
    """Read a submission in whatever state; `named` is the name of the problem set."""
    if path.is_symlink() or not path.is_file():
        raise Unreadable(f"{path.name} is no ordinary file")
    try:
        state = path.stat()
        if state.st_size > opening.NOTEBOOK:
            raise Unreadable(f"is larger than {opening.NOTEBOOK // 10**6} MB")
        return taken(path, named, (state.st_mtime_ns, state.st_size, state.st_ino))
    except (Unreadable, OSError) as error:
        if ".ipynb" not in path.name.lower() and str(error).startswith("cannot be read as JSON"):
            raise Unreadable(
                f"{path.name} is no notebook; expected a file that ends in .ipynb"
            ) from error
        raise Unreadable(f"{path.name} {error}") from error


@lru_cache(maxsize=4)
def taken(path: Path, named: str, _state: tuple[int, ...]) -> Taken:
    """Read a file: here if it is small and plain, in a process under limits if not."""
    with path.open("rb") as file:
        start = file.read(SMALL + 1)
    values = sum(map(start.count, (b"[", b"{", b",")))  # at most
    if len(start) <= SMALL and start[:2] != b"PK" and values <= VALUES:
        found = opening.opened(path, named)
    else:
        found = apart(path, named)
    language, cells = found["language"], found["cells"]
    if language not in ("", "python") and not speaks_python(cells):
        raise Unreadable(f"is a notebook in {language}; expected Python")
    return cells, found["remarks"]


def apart(path: Path, named: str) -> dict[str, Any]:
    """Open a file in a process of its own."""
    command = [sys.executable, "-I", "-S", opening.__file__, str(path), named]
    try:
        done = subprocess.run(command, capture_output=True, timeout=3 * opening.SECONDS)
    except subprocess.TimeoutExpired:
        done = None
    if done is None or done.returncode:
        raise Unreadable(f"takes more than {opening.SECONDS} seconds to read")
    found: dict[str, Any] = json.loads(done.stdout)
    if "unreadable" in found:
        raise Unreadable(found["unreadable"])
    return found


def speaks_python(cells: list[dict[str, Any]]) -> bool:
    """Return whether a notebook defines a function in Python, whatever its kernel is called."""
    return any(
        line.startswith(("def ", "async def ")) and line.partition("#")[0].rstrip().endswith(":")
        for cell in cells
        if cell["cell_type"] == "code"
        for line in cell["source"].split("\n")
    )


def read_notebook(path: Path, named: str = "", home: Path | None = None) -> list[dict[str, Any]]:
    """Return the cells of a submission, with pictures that lie beside it in a student's `home`."""
    cells = take_in(path, named)[0]

    def picture(name: str) -> bytes | None:
        place = (path.parent / name).resolve()
        inside = home is not None and place.is_relative_to(home.resolve())
        if not inside or not place.is_file():
            return None
        return place.read_bytes() if place.stat().st_size <= opening.PICTURE else b""

    return cells if home is None else list(opening.attach(cells, picture))


def code_of(path: Path, named: str = "") -> list[str]:
    """Return the sources of a submission's code cells."""
    code = [cell["source"] for cell in read_notebook(path, named) if cell["cell_type"] == "code"]
    if len(code) > CELLS:
        raise Unreadable(f"{path.name} has {len(code)} cells of code; expected at most {CELLS}")
    if sum(map(len, code)) > CODE:
        raise Unreadable(f"{path.name} holds more than {CODE} characters of code")
    return code


def first_line(source: str) -> str:
    """Return what a person finds a cell by, as no notebook shows a number: “its first line”."""
    line = next((line.strip() for line in source.split("\n") if line.strip()), "")
    line = clean(line, LINE) + "…" * (len(line) > LINE)
    return "“" + line.replace("“", '"').replace("”", '"') + "”"
