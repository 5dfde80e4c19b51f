"""Grade one submission: run its cells, put the questions' functions to their checks.

Whatever a notebook holds and whatever its process does, there is a result.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from perceptron_classroom.checks.check import Abandoned, Finding
from perceptron_classroom.grading.intake import Unreadable, code_of, take_in
from perceptron_classroom.grading.sandbox import Sandbox
from perceptron_classroom.grading.session import PATIENCE, Session, status_of
from perceptron_classroom.inside.borrowing import borrowed
from perceptron_classroom.inside.calls import clean
from perceptron_classroom.problem_sets import ProblemSet, Question

__all__ = [
    "PATIENCE",
    "Graded",
    "blank",
    "by_hand",
    "grade",
    "seed",
]

#: Remarks on a submission, and characters of one and of a report.
REMARKS, REMARK, REPORT = 20, 600, 20_000
#: From bad to worse.
STATUSES = ("ok", "cell error", "timeout", "died", "unreadable", "check failed")


@dataclass
class Graded:
    """What grading found about one submission."""

    #: One of ``ok``, ``cell error``, ``timeout``, ``died``, ``unreadable``, ``check failed``.
    status: str = "ok"
    #: What the status is about.
    remarks: list[str] = field(default_factory=list)
    #: By question: ``points`` (``None`` where a person must read), ``seed``, and where
    #: something is wrong a ``sentence`` and a ``report``, and ``slips``, the names of the known
    #: mistakes that give the same answer. Where the question has criteria, ``criteria`` is a
    #: list of dicts with ``what``, ``points`` and ``earned``.
    questions: dict[str, dict[str, Any]] = field(default_factory=dict)
    #: How long it took.
    seconds: float = 0.0

    def note(self, status: str, remark: str) -> None:
        """Remember that something happened; the worst decides the status."""
        self.status = max(self.status, status, key=STATUSES.index)
        remark = clean(remark, REMARK)
        # Cells run anew after a process has ended, and a notebook may have any number of them.
        if remark not in self.remarks and len(self.remarks) < REMARKS:
            self.remarks.append(remark)


# -------------------------------------------------------------------------------- grading


def seed(
    secret: bytes, problem_set: str, question: str, student: str, code: Sequence[str] = ()
) -> int:
    """Draw the seed of the data for one student's answer to one question.

    Who hands in again after learning the seed meets other data; the same code meets the same
    data. It has ten digits at most, which a spreadsheet shows and keeps.
    """
    message = json.dumps([problem_set, question, student, *code]).encode()
    return int.from_bytes(hmac.digest(secret, message, hashlib.sha256)) % 10**10


def blank(problems: ProblemSet, student: str, secret: bytes, code: Sequence[str] = ()) -> Graded:
    """Return the result before anything is known: no points."""
    graded = Graded()
    for question in problems.questions:
        result: dict[str, Any] = {"points": None}
        if question.check is not None:
            number = seed(secret, problems.name, question.id, student, code)
            result = {"points": 0, "seed": number, **earned(question, [])}
        graded.questions[question.id] = result
    return graded


def by_hand(problems: ProblemSet, student: str, secret: bytes, status: str, remark: str) -> Graded:
    """Return the result of what no program can judge: no points, not even 0, until a person has."""
    graded = blank(problems, student, secret)
    for result in graded.questions.values():
        result["points"] = None
        result.pop("criteria", None)
    graded.status, graded.remarks = status, [clean(remark, REMARK)]
    return graded


def grade(
    problems: ProblemSet, path: Path, student: str, secret: bytes, sandbox: Sandbox, seconds: float
) -> Graded:
    """Grade a submission."""
    try:
        remarks = take_in(path, problems.name)[1]
        code = code_of(path, problems.name)
    except Unreadable as error:
        return by_hand(problems, student, secret, "unreadable", f"{error}; judge it by hand")
    graded = blank(problems, student, secret, code)
    for remark in remarks:
        graded.note("ok", remark)
    names = [question.check.function for question in problems.questions if question.check]
    package = problems.imports != "refuse"
    with Session(sandbox, code, names, seconds, package) as session:
        leaning = session.borrowed() if problems.imports == "flag" else {}
        session.run(graded)
        for question in problems.questions:
            if question.check is None:
                continue
            graded.questions[question.id] |= examine(question, session, graded)
            taken = set(leaning.get(question.check.function, ()))
            if taken and (taken := taken - intended(problems, question)):
                graded.note("ok", f"{question.id} uses {', '.join(sorted(taken))}")
    return graded


def intended(problems: ProblemSet, question: Question) -> set[str]:
    """Return what the model answer takes from the package."""
    assert question.check is not None
    name = question.check.function
    return set(borrowed(problems.code, [name]).get(name, ()))


def examine(question: Question, session: Session, graded: Graded) -> dict[str, Any]:
    """Put one function to its check: the points, and what is wrong."""
    check = question.check
    assert check is not None
    if not session.alive and session.spent:
        graded.note("timeout", f"{question.id}: no time was left to run the notebook again for it")
        sentence = "No time was left for this question: functions before it took all of it."
        return {"sentence": sentence, "report": sentence}
    if not session.alive:
        session.run(graded)
    if check.function not in session.known:
        sentence = f"The notebook defines no function {check.function}."
        return {"sentence": sentence, "report": sentence}
    held: list[str] = []
    first: Finding | None = None
    try:
        with session.within(session.seconds):
            number = graded.questions[question.id]["seed"]
            for group, finding in check.results(session.function(check.function), number):
                first = first or finding
                if finding is None:
                    held.append(group)
                elif not question.criteria:
                    break
    except Abandoned as stop:
        graded.note(status_of(stop), f"{question.id}: {stop}")
        notes = "\n\n".join(getattr(stop, "__notes__", []))
        report = f"{check.function}: {stop}.\n\n{notes}"
        wrong = {"sentence": f"{check.function}: {stop}.", "report": report[:REPORT]}
        return {**earned(question, held), **wrong}
    except MemoryError:
        sentence = f"{check.function}: the answer takes too much memory to be looked at."
        return {"sentence": sentence, "report": sentence}
    except Exception as error:
        graded.note("check failed", f"{question.id}: {type(error).__name__}: {error}")
        sentence = "The check itself failed; your teacher will look at this answer."
        return {"points": None, "sentence": sentence, "report": sentence}
    if first is None:
        return {**earned(question, held), "points": question.points}
    wrong = {"sentence": clean(first.sentence, REMARK), "report": clean(first.report, REPORT)}
    return {**earned(question, held), **wrong, "slips": list(first.slips)}


def earned(question: Question, held: list[str]) -> dict[str, Any]:
    """Return the points for the groups of data on which all is right, by the criteria."""
    if not question.criteria:
        return {"points": 0}
    criteria = [
        {"what": part.what, "points": part.points, "earned": part.points * (part.group in held)}
        for part in question.criteria
    ]
    return {"points": sum(part["earned"] for part in criteria), "criteria": criteria}
