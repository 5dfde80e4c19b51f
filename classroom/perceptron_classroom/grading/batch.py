"""Grade many submissions side by side, in processes that may crash.

Each process of the pool grades one submission at a time, so when it ends or hangs, it is
clear which one caused it. That one is tried once more, alone; the others go on.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any

from perceptron_classroom.grading.collect import Submission
from perceptron_classroom.grading.sandbox import ONE_THREAD, Refused, Sandbox
from perceptron_classroom.grading.session import PATIENCE, WALL, Session
from perceptron_classroom.grading.submission import Graded, best, by_hand, grade, unscored
from perceptron_classroom.grading.table import Row, remembered
from perceptron_classroom.inside import confine
from perceptron_classroom.problem_sets import ProblemSet, read_master

__all__ = ["NOT_GRADED", "Class", "grade_all", "row_of", "ungraded"]

#: The status of a submission on which the grader itself failed; a person must look at it.
NOT_GRADED = "not graded"
#: An empty submission, to find out whether anything can be graded.
NOTHING = Submission("", (), "")
#: Bytes that a process of the pool may allocate while it grades; a notebook needs far less.
MEMORY = 2**30
#: The code that a process of the pool runs, with the import path of this one.
START = "import sys; sys.path[:] = {}; from {} import serve; serve({})"
#: Seconds beyond the limits of a notebook after which a process of the pool is given up.
GRACE = 120


@dataclass(frozen=True)
class Class:
    """The settings shared by a whole class."""

    #: The master notebook.
    master: Path
    #: The secret from which the seeds of the data are derived.
    secret: bytes
    #: Where students' code runs.
    sandbox: Sandbox
    #: Time limit of a cell, and of a check.
    seconds: float
    #: Of the class; see `prose.in_class`.
    shared: frozenset[str] = frozenset()
    #: Whether the questions in words are left out.
    auto: bool = False


# ------------------------------------------------------------------- a process of the pool


def serve(number: int) -> None:
    """Grade the submissions that arrive on the file descriptor of this number."""
    line: Connection = Connection(number)
    group: Class = line.recv()
    waiting: SimpleQueue[Submission] = SimpleQueue()
    Thread(target=listen, args=(line, waiting), daemon=True).start()
    problems = replace(read_master(group.master, group.auto), shared=group.shared)
    confine.limit_growth(MEMORY)
    while True:
        line.send(attempt(waiting.get(), group, problems))


def listen(line: Connection, waiting: SimpleQueue[Submission]) -> None:
    """Queue incoming submissions; end this process when the grader ends, which closes the line."""
    with suppress(EOFError, OSError):
        while True:
            waiting.put(line.recv())
    os._exit(1)


def attempt(this: Submission, group: Class, problems: ProblemSet) -> Graded | str | Refused:
    """Grade one submission; return an error message, or `Refused` if none can be graded here."""
    try:
        if this == NOTHING:
            return probe(group)
        start = monotonic()
        where = group.sandbox, group.seconds
        graded = grade(problems, this.paths[0], this.lead, group.secret, *where, this.home)
        graded.seconds = round(monotonic() - start, 2)
        return graded
    except Refused as refusal:
        try:
            probe(group)
        except Refused as error:
            return Refused(str(error))
        return str(refusal)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def probe(group: Class) -> Graded:
    """Run an empty notebook; raise `Refused` where not even that can run."""
    graded = Graded()
    with Session(group.sandbox, [], [], group.seconds) as session:
        session.run(graded)
    return graded


class Worker:
    """A process of the pool, and the submission that it has.

    It is in a session of its own, where Ctrl-C does not reach it: the first process decides when to
    stop. It computes in one thread: a product of small matrices leaves further threads in a busy
    loop, and the other processes of the pool need the cores.
    """

    def __init__(self, group: Class) -> None:
        self.line, theirs = Pipe()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-c", START.format(sys.path, __name__, theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env={**os.environ, **ONE_THREAD},
            )
        with suppress(OSError):  # if it has died, that shows when its answer is waited for
            self.line.send(group)
        self.this: Submission | None = None
        self.until = 0.0

    def give(self, this: Submission, seconds: float) -> None:
        """Send a submission to be graded within some seconds."""
        self.this, self.until = this, monotonic() + seconds
        with suppress(OSError):
            self.line.send(this)

    def answer(self) -> Any:
        """Return the result, or an error message if the process has ended."""
        try:
            return self.line.recv()
        except Exception:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(1)
            return f"the grader's own process ended ({self.process.returncode}) on this notebook"

    def close(self) -> None:
        """Wait for the process to end, as requested; then kill it, and its sandbox with it."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(2)
        self.process.kill()  # bubblewrap ends with it
        self.process.wait()
        self.line.close()


# ------------------------------------------------------------------------------- the pool


def grade_all(
    group: Class, submissions: list[Submission], jobs: int
) -> Iterator[tuple[Submission, Graded]]:
    """Grade many submissions in parallel, and yield each when it is ready.

    A submission that took too long, or ended a process of the pool, is tried once more, alone. If a
    process has ended twice, the status is ``not graded``.
    `Refused` is raised if students' processes cannot be started here.
    """
    if sys.platform == "win32":
        probe(group)  # is refused: no line can be handed on to a process
    again = []
    for this, result in side_by_side(group, deque(submissions), jobs):
        if isinstance(result, Graded) and not result.late:
            yield this, result
        else:
            again.append((this, result))
    for this, first in again:
        for _, second in side_by_side(group, deque([this]), 1):
            found = [each for each in (first, second) if isinstance(each, Graded)]
            yield this, best(*found) if found else failed(this, group, str(second))


def failed(this: Submission, group: Class, sentence: str) -> Graded:
    """Return the result of a submission that cannot be graded; raise `Refused` if none can be."""
    [(_, empty)] = side_by_side(group, deque([NOTHING]), 1)
    if not isinstance(empty, Graded):
        raise Refused(
            f"{empty}, and on an empty one too (too little memory?); give the same command again "
            "to go on, perhaps with fewer --jobs"
        )
    remark = f"{sentence}; judge it by hand"
    problems = read_master(group.master, group.auto)
    return by_hand(problems, this.student, group.secret, NOT_GRADED, remark)


def side_by_side(
    group: Class, waiting: deque[Submission], jobs: int
) -> Iterator[tuple[Submission, Graded | str]]:
    """Yield the result of each submission, or the reason why there is none."""
    seconds = 3 * WALL * PATIENCE * group.seconds + GRACE
    workers: list[Worker] = []
    try:
        while waiting or workers:
            while waiting and len(workers) < jobs:
                workers.append(Worker(group))
                workers[-1].give(waiting.popleft(), seconds)
            ready = wait([w.line for w in workers], min(w.until for w in workers) - monotonic())
            for worker in list(workers):
                if worker.line in ready:
                    answer = worker.answer()
                elif monotonic() > worker.until:
                    answer = f"the grader spent {seconds:g} seconds on this notebook"
                else:
                    continue
                if isinstance(answer, Refused):
                    raise answer
                this, worker.this = worker.this, None
                assert isinstance(this, Submission)
                if isinstance(answer, Graded) and waiting:
                    worker.give(waiting.popleft(), seconds)
                else:
                    workers.remove(worker)
                    worker.process.terminate()
                    worker.close()
                yield this, answer
    finally:
        for worker in workers:
            worker.process.terminate()
        for worker in workers:
            worker.close()


# ------------------------------------------------------------------------------- the rows


def ungraded(this: Submission, problems: ProblemSet, secret: bytes) -> Graded | None:
    """Return the result of a submission that is not exactly one notebook, else None."""
    if len(this.paths) == 1:
        return None
    if this.name:
        names = ", ".join(path.name for path in this.paths) or "no notebook"
        remark = f"{this.name}: {names}; expected one notebook; judge it by hand"
        return by_hand(problems, this.student, secret, "unreadable", remark)
    graded = unscored(problems, this.student, secret)
    graded.status, graded.remarks = "missing", ["nothing was handed in"]
    return graded


def row_of(
    this: Submission, graded: Graded, problems: ProblemSet, versions: dict[str, str] | None = None
) -> Row:
    """Return the row of the table for a submission."""
    row = {"student": this.student, "file": this.name, "status": graded.status}
    remarks = [*this.notes, *this.reasons, *graded.remarks]
    if not this.known:
        row["status"] = "not on roster"
        remarks.insert(0, graded.status)
    row["remark"] = re.sub(r"\s+", " ", "; ".join(remarks))
    gives = dict(versions or {})
    for question in problems.questions:
        result = graded.questions.get(question.id, {})
        points = result.get("points")
        row[question.id] = "" if points is None else f"{points:g}"
        if points is not None:
            gives[question.id] = row[question.id]
        if question.check:
            row[f"seed {question.id}"] = str(result.get("seed", ""))
    row["graded"] = remembered(gives)
    return row
