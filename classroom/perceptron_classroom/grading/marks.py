"""A person's marks, in a file beside the table: by question, student and item of the rubric.

Every change is written at once, whole or not at all. What somebody entered into the table by
hand is never overwritten; where it differs from the marks, both are shown.
"""

from __future__ import annotations

import hashlib
import json
import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from perceptron_classroom.grading.files import write_whole
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.table import Row, memory, number_in, remembered, same
from perceptron_classroom.problem_sets import ProblemSet, Question

__all__ = ["Mark", "Marks", "enter", "points", "valid"]

#: ``earned`` (points for each item of the rubric, or None), ``adjust``, ``comment``; ``answer``
#: identifies the answer read, ``version`` counts the changes, ``said`` holds past comments.
Mark = dict[str, Any]

#: Maximum length of a comment, and how many former comments are recognised.
COMMENT, SAID = 5_000, 200


def points(mark: Mark | None, question: Question) -> float | None:
    """Return the points of a mark, from 0 to the question's maximum; ``None`` if it is open.

    Examples
    --------
    >>> from perceptron_classroom.problem_sets import Question
    >>> six = Question("1.6", "…", 6, 10, "…", None, ((4, "…"), (2, "…")))
    >>> points({"earned": [4, 1], "adjust": -0.5}, six), points({"earned": None}, six)
    (4.5, None)
    """
    if not mark or mark.get("earned") is None:
        return None
    total = sum(mark["earned"]) + mark.get("adjust", 0)
    return float(min(max(total, 0), question.points))


def valid(given: Any, question: Question) -> Mark:
    """Return the mark that was sent; raise `ValueError` if it is none."""

    def amount(value: Any, least: float, most: float) -> bool:
        return type(value) in (int, float) and math.isfinite(value) and least <= value <= most

    worth = [each for each, _ in question.rubric]
    match given:
        case {"earned": earned, "adjust": adjust, "comment": str(comment)}:
            listed = isinstance(earned, list) and len(earned) == len(worth)
            fits = earned is None or (
                listed
                and all(amount(got, 0, most) for got, most in zip(earned, worth, strict=True))
            )
            if fits and amount(adjust, -question.points, question.points):
                comment = comment.encode(errors="replace").decode()[:COMMENT].strip()
                return {"earned": earned, "adjust": adjust, "comment": comment}
    raise ValueError(f"{str(given)[:80]} is no mark for {question.id}")


class Marks:
    """The file of the marks, beside the table: ``grades.marks.json`` for ``grades.csv``."""

    def __init__(self, table: Path) -> None:
        self.path = table.with_suffix(".marks.json")
        self._alone = threading.Lock()

    def read(self) -> dict[str, dict[str, Mark]]:
        """Read all marks."""
        if not self.path.exists():
            return {}
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))["marks"]
            for students in found.values():
                for mark in students.values():
                    _ = mark["earned"], mark["adjust"] + 0, mark["version"] + 0
                    _ = mark["comment"] + ""
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise Refused(
                f"{self.path} holds no marks ({type(error).__name__}: {error}); it is left as it "
                "is: mend it, or move it away"
            ) from error
        return dict(found)

    def of(self, student: str) -> dict[str, Mark]:
        """Return the marks of one student."""
        return {name: given[student] for name, given in self.read().items() if student in given}

    def change(self, question: str, student: str, mark: Mark) -> Mark | None:
        """Replace a mark, and return the earlier one."""
        with self.locked():
            marks = self.read()
            before = marks.setdefault(question, {}).get(student)
            said = [*(before or {}).get("said", ()), *mark.get("said", ())]
            said += [sign(each["comment"]) for each in (before, mark) if each and each["comment"]]
            mark["said"] = list(dict.fromkeys(said))[-SAID:]
            mark["version"] = (before or {}).get("version", 0) + 1
            marks[question][student] = mark
            text = json.dumps({"marks": marks}, ensure_ascii=False, indent=0, sort_keys=True)
            write_whole(self.path, text.encode("utf-8", "replace"))
        return before

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the file against others who mark, for the time of a change."""
        with self._alone, self.path.with_suffix(".lock").open("ab") as file:
            try:
                import fcntl
            except ImportError:  # Windows: one marker at a time
                yield
                return
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def sign(comment: str) -> str:
    """Return a hash of a comment."""
    return hashlib.sha256(comment.strip().encode(errors="replace")).hexdigest()[:8]


def enter(row: Row, marks: dict[str, Mark], problems: ProblemSet) -> dict[str, str]:
    """Enter the marks of a student in a row of the table."""
    gave, conflicts = memory(row), {}
    again = row.get("look again", "").split()
    for question in problems.questions:
        name, mark = question.id, marks.get(question.id)
        if question.check or mark is None:
            continue
        found, value = row.get(name, "").strip(), points(mark, question)
        given = "" if value is None else f"{value:g}"
        if not found or same(found, gave.get(name, "")):
            row[name] = given
            gave |= {name: given} if given else {}
        elif given and number_in(found) != number_in(given):
            conflicts[name] = found
        comment = row.get(f"comment {name}", "")
        if not comment or sign(comment) in mark.get("said", ()):
            row[f"comment {name}"] = mark["comment"]
        if mark.get("answer") == gave.get(f"answer:{name}") and name in again:
            again.remove(name)
    row["look again"], row["graded"] = " ".join(again), remembered(gave)
    return conflicts
