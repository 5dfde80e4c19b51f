"""Remember what has been graded: a stopped run goes on where it was."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from perceptron_classroom.grading.batch import Class
from perceptron_classroom.grading.collect import Submission
from perceptron_classroom.grading.sandbox import CLASSROOM, NOTES
from perceptron_classroom.grading.submission import Graded
from perceptron_classroom.problem_sets import own_checks

__all__ = ["Journal", "key_of"]


def key_of(this: Submission, group: Class) -> str:
    """Return what the result depends on, as one number: the same key, the same result.

    Nothing about the secret can be learnt from it.
    """
    digest = hmac.new(group.secret, grader(), hashlib.sha256)
    own = own_checks(group.master)
    for path in (group.master, *([own] if own else []), *this.paths):
        digest.update(content(path))
    digest.update(json.dumps([this.lead, *(path.name for path in this.paths)]).encode())
    return digest.hexdigest()


def content(path: Path) -> bytes:
    """Return what stands for the content of a file; links and the like have none."""
    if path.is_symlink() or not path.is_file():
        return bytes(32)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


@cache
def grader() -> bytes:
    """Return what stands for this program, the checks with it."""
    sources = [*sorted(NOTES.rglob("*.py")), *sorted(CLASSROOM.rglob("*.py"))]
    return hashlib.sha256(b"".join(map(content, sources))).digest()


class Journal:
    """What has been graded so far, beside the table: a stopped run goes on where it was.

    Parameters
    ----------
    path : Path
        Lines of JSON, only ever added to. A line that says nothing is passed over: what it was
        about is graded again.

    Attributes
    ----------
    done : dict
        The results, by what they depend on; see `key_of`.
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
                self.keep(str(record["key"]), str(record["student"]), result(record["graded"]))
            except (ValueError, KeyError, TypeError, RecursionError):
                continue

    def keep(self, key: str, student: str, graded: Graded) -> None:
        """Know a result, by what it depends on and by the student."""
        self.done[key] = self.last[student] = graded

    def finish(self, key: str, student: str, graded: Graded) -> None:
        """Remember the result of a submission."""
        self.keep(key, student, graded)
        record = json.dumps({"key": key, "student": student, "graded": asdict(graded)})
        with self.path.open("ab+") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(end - 1, 0))
            broken = file.read(1) not in (b"", b"\n")
            file.write(b"\n" * broken + record.encode() + b"\n")


def result(given: dict[str, Any]) -> Graded:
    """Return a result as it was written; a `TypeError` if it is not one."""
    graded = Graded(**given)
    if not (
        isinstance(graded.status, str)
        and isinstance(graded.seconds, (int, float))
        and isinstance(graded.remarks, list)
        and all(isinstance(remark, str) for remark in graded.remarks)
        and isinstance(graded.outputs, dict)
        and isinstance(graded.questions, dict)
        and all(isinstance(each, dict) for each in graded.questions.values())
        and all(
            type(each.get("points")) in (int, float, type(None))
            and all(isinstance(each.get(name, ""), str) for name in ("sentence", "report"))
            for each in graded.questions.values()
        )
    ):
        raise TypeError("no result")
    return graded
