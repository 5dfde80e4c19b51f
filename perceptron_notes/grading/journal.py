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

from perceptron_notes.grading.batch import Class
from perceptron_notes.grading.collect import Submission
from perceptron_notes.grading.sandbox import PACKAGE
from perceptron_notes.grading.submission import Graded
from perceptron_notes.grading.table import Points

__all__ = ["Journal", "key_of"]


def key_of(this: Submission, group: Class) -> str:
    """What the result depends on, as one number: the same key, the same result.

    Parameters
    ----------
    this : Submission
        What was handed in.
    group : Class
        The master, the secret.

    Returns
    -------
    str
        Nothing about the secret can be learnt from it.
    """
    digest = hmac.new(group.secret, grader(), hashlib.sha256)
    for path in (group.master, *this.paths):
        digest.update(content(path))
    digest.update(json.dumps([this.student, this.name, this.known]).encode())
    return digest.hexdigest()


def content(path: Path) -> bytes:
    """What stands for the content of a file; links and the like have none."""
    if path.is_symlink() or not path.is_file():
        return bytes(32)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


@cache
def grader() -> bytes:
    """What stands for this program, the checks with it."""
    sources = sorted(PACKAGE.rglob("*.py"))
    return hashlib.sha256(b"".join(map(content, sources))).digest()


class Journal:
    """What has been graded so far, beside the table: a stopped run goes on where it was.

    Parameters
    ----------
    path : Path
        Lines of JSON, only ever added to.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.done: dict[str, Graded] = {}
        self.given: Points = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            try:
                record = json.loads(line)
            except ValueError:  # the line that was being written when the run was stopped
                continue
            if "key" in record:
                self.done[record["key"]] = Graded(**record["graded"])
            self.given |= record.get("given", {})

    def add(self, record: dict[str, Any]) -> None:
        """Remember something.

        Parameters
        ----------
        record : dict
            ``key`` and ``graded``, or ``given``: the points that went into the table.
        """
        with self.path.open("ab+") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(end - 1, 0))
            broken = file.read(1) not in (b"", b"\n")
            file.write(b"\n" * broken + json.dumps(record).encode() + b"\n")

    def finish(self, key: str, graded: Graded) -> None:
        """Remember the result of a submission.

        Parameters
        ----------
        key : str
            See `key_of`.
        graded : Graded
            The result.
        """
        self.done[key] = graded
        self.add({"key": key, "graded": asdict(graded)})
