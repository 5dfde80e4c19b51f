"""Record what has been graded, so that a stopped run can resume."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from dataclasses import asdict
from functools import cache
from pathlib import Path

from perceptron_classroom.grading.batch import Class
from perceptron_classroom.grading.collect import Submission
from perceptron_classroom.grading.sandbox import CLASSROOM, NOTES
from perceptron_classroom.grading.submission import Graded
from perceptron_classroom.problem_sets import own_checks, sheets_of

__all__ = ["Journal", "key_of"]


def key_of(this: Submission, group: Class) -> str:
    """Return a hash of everything that the result depends on: the same key, the same result.

    It reveals nothing about the secret.
    """
    digest = hmac.new(group.secret, grader(), hashlib.sha256)
    own = own_checks(group.master)
    for path in (group.master, *sheets_of(group.master), *([own] if own else []), *this.paths):
        digest.update(content(path))
    names = [this.lead, *(path.name for path in this.paths)]
    digest.update(json.dumps([names, sorted(group.shared), group.auto]).encode())
    return digest.hexdigest()


def content(path: Path) -> bytes:
    """Return a hash of a file's content; zeros for links and other special files."""
    if path.is_symlink() or not path.is_file():
        return bytes(32)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


@cache
def grader() -> bytes:
    """Return a hash of this program, including the checks."""
    sources = [*sorted(NOTES.rglob("*.py")), *sorted(CLASSROOM.rglob("*.py"))]
    return hashlib.sha256(b"".join(map(content, sources))).digest()


class Journal:
    """The results so far, beside the table, so that a stopped run can resume.

    Parameters
    ----------
    path : Path
        Lines of JSON, only ever appended to. An unreadable line is skipped, and the submission
        that it was about is graded again.

    Attributes
    ----------
    done : dict
        The results by their hashes; see `key_of`.
    last : dict
        The newest result of each student.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.done: dict[str, Graded] = {}
        self.last: dict[str, Graded] = {}
        for line in path.read_bytes().splitlines() if path.exists() else ():
            try:
                record = json.loads(line)
                self.keep(str(record["key"]), str(record["student"]), Graded(**record["graded"]))
            except (ValueError, KeyError, TypeError, RecursionError):
                continue

    def keep(self, key: str, student: str, graded: Graded) -> None:
        """Keep a result in memory, under its hash and the student."""
        self.done[key] = self.last[student] = graded

    def finish(self, key: str, student: str, graded: Graded) -> None:
        """Record the result of a submission, in the file too."""
        self.keep(key, student, graded)
        record = json.dumps({"key": key, "student": student, "graded": asdict(graded)})
        with self.path.open("ab+") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(end - 1, 0))
            broken = file.read(1) not in (b"", b"\n")
            file.write(b"\n" * broken + record.encode() + b"\n")
