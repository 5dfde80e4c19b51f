"""Grade a class: find the submissions, grade them side by side, remember what is done."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from functools import cache
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any

from perceptron_notes.assignments import ProblemSet, read
from perceptron_notes.grading.sandbox import PACKAGE, Refused, Sandbox
from perceptron_notes.grading.submission import Graded, blank, grade
from perceptron_notes.grading.table import Points, Row, read_csv

__all__ = [
    "Class",
    "Journal",
    "Submission",
    "find",
    "grade_all",
    "key_of",
    "read_roster",
    "row_of",
    "ungraded",
]

#: Folders that computers add by themselves.
CLUTTER = ("__MACOSX", "Thumbs.db", "desktop.ini")


@dataclass(frozen=True)
class Submission:
    """What one student handed in.

    Attributes
    ----------
    student : str
        Whose it is.
    paths : tuple of Path
        One notebook; any other number cannot be graded.
    name : str
        The file or the folder, as it lies among the submissions.
    known : bool
        Whether the student is on the roster, if there is one.
    """

    student: str
    paths: tuple[Path, ...]
    name: str
    known: bool = True


@dataclass(frozen=True)
class Class:
    """What is the same for a whole class.

    Attributes
    ----------
    master : Path
        The master notebook.
    secret : bytes
        From which the data are drawn.
    sandbox : Sandbox
        Where students' code runs.
    seconds : float
        What a cell may take, and a check.
    """

    master: Path
    secret: bytes
    sandbox: Sandbox
    seconds: float


# -------------------------------------------------------------------------------- finding


def read_roster(path: Path) -> dict[str, str]:
    """Who is in the class.

    Parameters
    ----------
    path : Path
        A table with a column ``student``, and perhaps ``file``: the name of the student's file or
        folder, where that does not hold the student's own name.

    Returns
    -------
    dict
        The student, by what names a submission of theirs.

    Raises
    ------
    Refused
        If it is no such table, or if two students go by one name.
    """
    students: dict[str, str] = {}
    for row in read_csv(path):
        names = {row["student"], Path(row.get("file") or row["student"]).name}
        for name in names | {name.removesuffix(".ipynb") for name in names}:
            if students.setdefault(name, row["student"]) != row["student"]:
                raise Refused(f"{path}: {name!r} names {students[name]!r} and {row['student']!r}")
    return students


def owner(name: str, roster: dict[str, str]) -> str | None:
    """The student on the roster whose submission it is; ``None`` if that is nobody, or unclear."""
    if name in roster:
        return roster[name]
    # Downloads from an LMS join several names: ann_12345_ps1, Ann Smith_12345_assignsubmission.
    parts = name.split("_")
    runs = {"_".join(parts[i:j]) for i in range(len(parts)) for j in range(i + 1, len(parts) + 1)}
    found = {roster[run] for run in runs if run in roster}
    return found.pop() if len(found) == 1 else None


def find(folder: Path, roster: dict[str, str] | None, problem_set: str) -> list[Submission]:
    """Everything that lies among the submissions, by student.

    Parameters
    ----------
    folder : Path
        It holds notebooks, or folders with a notebook each, named after the students.
    roster : dict or None
        See `read_roster`.
    problem_set : str
        The notebook of this name is taken where a folder holds several.

    Returns
    -------
    list of Submission
        With those on the roster who handed in nothing.

    Raises
    ------
    Refused
        If there is no such folder.
    """
    if not folder.is_dir():
        raise Refused(f"{folder} is no folder; expected one with the submissions")
    found: dict[str, Submission] = {}
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith(".") or entry.name in CLUTTER:
            continue
        real_folder = entry.is_dir() and not entry.is_symlink()
        paths = notebooks(entry, problem_set) if real_folder else (entry,)
        name = entry.name if real_folder else entry.stem
        student = name if roster is None else owner(name, roster)
        this = Submission(student or name, paths, entry.name, student is not None)
        if this.student in found:
            other = found[this.student]
            this = Submission(
                this.student, other.paths + paths, f"{other.name}, {entry.name}", this.known
            )
        found[this.student] = this
    for student in set((roster or {}).values()) - set(found):
        found[student] = Submission(student, (), "")
    return sorted(found.values(), key=lambda each: each.student)


def notebooks(folder: Path, problem_set: str) -> tuple[Path, ...]:
    """The notebook in a student's folder; all of them if it is unclear which."""
    inside = [
        path
        for path in sorted(folder.rglob("*.ipynb"))
        if not any(part[0] == "." or part in CLUTTER for part in path.relative_to(folder).parts)
    ]
    named = [path for path in inside if path.stem == problem_set]
    return tuple(named if len(named) == 1 else inside)


# ------------------------------------------------------------------------------ remembering


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


# -------------------------------------------------------------------------------- grading

_group: Class
_problems: ProblemSet


def prepare(group: Class) -> None:
    """Make a process of the pool ready."""
    global _group, _problems
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process decides when to stop
    _group, _problems = group, read(group.master)


def grade_one(this: Submission) -> Graded:
    """Grade in a process of the pool."""
    return grade(
        _problems, this.paths[0], this.student, _group.secret, _group.sandbox, _group.seconds
    )


def grade_all(
    group: Class, submissions: list[Submission], jobs: int
) -> Iterator[tuple[Submission, Graded]]:
    """Grade many submissions side by side.

    Parameters
    ----------
    group : Class
        What is the same for all.
    submissions : list of Submission
        Each with one notebook.
    jobs : int
        How many at once.

    Yields
    ------
    (Submission, Graded)
        As they are ready.

    Raises
    ------
    Refused
        If students' processes cannot be started here.
    """
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), prepare, (group,))
    try:
        futures = {pool.submit(grade_one, this): this for this in submissions}
        for future in as_completed(futures):
            yield futures[future], future.result()
    except BrokenProcessPool as error:
        raise Refused(
            "a process of the grader ended unexpectedly (too little memory?); give the same "
            "command again to go on, perhaps with fewer --jobs"
        ) from error
    except BaseException:
        for process in active_children():
            process.kill()  # and bubblewrap ends with it
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def ungraded(this: Submission, problems: ProblemSet, secret: bytes) -> Graded | None:
    """The result of what cannot be graded, because it is not one notebook.

    Parameters
    ----------
    this : Submission
        What was handed in, if anything.
    problems : ProblemSet
        The questions.
    secret : bytes
        What the seeds are drawn from.

    Returns
    -------
    Graded or None
        ``None`` if there is a notebook to grade.
    """
    if len(this.paths) == 1:
        return None
    graded = blank(problems, this.student, secret)
    graded.status, graded.remarks = "missing", ["nothing was handed in"]
    if this.name:
        names = ", ".join(path.name for path in this.paths) or "no notebook"
        graded.status, graded.remarks = (
            "unreadable",
            [f"{this.name}: {names}; expected one notebook"],
        )
    return graded


def row_of(this: Submission, graded: Graded, problems: ProblemSet) -> Row:
    """The row of the table for a submission.

    Parameters
    ----------
    this : Submission
        What was handed in.
    graded : Graded
        What grading found.
    problems : ProblemSet
        The questions.

    Returns
    -------
    Row
        A question that a person must read has no points yet.
    """
    row = {"student": this.student, "file": this.name, "status": graded.status}
    remarks = list(graded.remarks)
    if not this.known:
        row["status"] = "not on roster"
        remarks.insert(0, graded.status)
    row["remark"] = re.sub(r"\s+", " ", "; ".join(remarks))
    for question in problems.questions:
        result = graded.questions.get(question.id, {})
        points = result.get("points")
        row[question.id] = "" if points is None else f"{points:g}"
        if question.check:
            row[f"seed {question.id}"] = str(result.get("seed", ""))
    return row
