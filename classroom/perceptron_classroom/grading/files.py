"""Files that are written whole or not at all, by one run at a time."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.terminal import reason

__all__ = [
    "alone",
    "journal_of",
    "page_name",
    "private",
    "read_text",
    "write_elsewhere",
    "write_whole",
]


def read_text(path: Path) -> str:
    """Read the text of a table that a spreadsheet or an LMS may have written."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise Refused(
            f"{path} is not in UTF-8; in a spreadsheet, save it as CSV with the character set UTF-8"
        ) from None
    except OSError as error:
        raise Refused(f"{reason(error)}; expected a table") from error


def write_whole(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Write a file atomically: any reader finds the old one or the new one, never a part.

    On failure, the old file is unchanged and nothing is left beside it. Marks are their owner's
    alone to read, unless the old file's mode says otherwise.
    """
    path = path.resolve()
    # Always the same name, so the next run removes what a killed run left.
    draft = path.with_name(".new-" + hashlib.sha256(os.fsencode(path.name)).hexdigest()[:16])
    try:
        draft.unlink(missing_ok=True)
        with open(draft, "xb", opener=partial(os.open, mode=mode)) as file:
            if path.exists():
                os.chmod(draft, path.stat().st_mode & 0o777)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def write_elsewhere(submissions: Path, *paths: Path | None) -> None:
    """Raise `Refused` if a path lies among the submissions."""
    for path in paths:
        if path is not None and path.resolve().is_relative_to(submissions.resolve()):
            raise Refused(f"{path} lies among the submissions, where nothing is written")


def private(path: str, flags: int) -> int:
    """Open a file; a new one is readable by its owner alone, from the start."""
    return os.open(path, flags, 0o600)


def journal_of(table: Path) -> Path:
    """Return the journal beside a table."""
    return table.with_name(table.name + ".journal")


@contextmanager
def alone(table: Path) -> Iterator[None]:
    """Lock a table against other runs; the system frees the lock however this process ends."""
    try:
        import fcntl
    except ImportError:  # Windows, where grading is for trusted notebooks only
        yield
        return
    table.parent.mkdir(parents=True, exist_ok=True)
    with open(journal_of(table), "ab", opener=private) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(
                f"another run is at work on {table}; wait until it has ended, or write to another "
                "file with -o"
            ) from None
        except OSError:  # a file system without locks
            pass
        yield


def page_name(student: str) -> str:
    """Return the file name of a student's page: their name, as far as file systems allow it.

    Examples
    --------
    >>> page_name("ann")
    'ann.html'
    """
    plain = re.sub(r'[\\/:*?"<>|\x00-\x1f]|^\.|[. ]$', "-", student)[:80]
    if plain != student:
        plain += "-" + hashlib.sha256(student.encode(errors="replace")).hexdigest()[:8]
    return plain + ".html"
