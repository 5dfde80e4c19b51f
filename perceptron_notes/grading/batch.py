"""Grade many submissions side by side."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from pathlib import Path

from perceptron_notes.grading.collect import Submission
from perceptron_notes.grading.sandbox import Refused, Sandbox
from perceptron_notes.grading.submission import Graded, blank, grade
from perceptron_notes.grading.table import Row
from perceptron_notes.problem_sets import ProblemSet, read

__all__ = ["Class", "grade_all", "row_of", "ungraded"]


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
