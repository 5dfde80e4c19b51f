"""Show what a class found hard: how each question went, and who made which mistake.

Points come from the table, including those that a person entered. Known mistakes come from the
results of the checks, which the journal keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from statistics import mean, median
from textwrap import indent
from typing import Any, NamedTuple

from perceptron_classroom.grading.submission import Graded
from perceptron_classroom.grading.table import Row, called, number_in
from perceptron_classroom.problem_sets import ProblemSet, Question

__all__ = ["Mistake", "mistakes", "told"]

#: Label of answers that show no known mistake.
UNKNOWN = "no known mistake"


class Mistake(NamedTuple):
    """A mistake, and who made it."""

    #: The hint of the check; or another description.
    name: str
    #: How the first student with it failed, if it is no known mistake.
    sentence: str
    students: list[str]


def standing(question: Question, table: list[Row]) -> str:
    """Say how many have all of a question's points, some, none, or have yet to be marked."""
    points = [number_in(row.get(question.id, "")) for row in table]
    known = [each for each in points if each is not None]
    full = sum(each >= question.points for each in known)
    none = sum(each <= 0 for each in known)
    counts = {"all points": full, "some": len(known) - full - none, "none": none}
    counts["to be read"] = len(points) - len(known)
    said = [f"{count} {what}" for what, count in counts.items() if count]
    if known:
        said.append(f"{mean(known):.1f} of {question.points} on average")
    return ", ".join(said)


def mistakes(question: Question, table: list[Row], last: dict[str, Graded]) -> list[Mistake]:
    """Return the mistakes in a question, the most frequent first, and those unknown last."""
    found: dict[str, Mistake] = {}
    for row in table:
        result = last.get(row["student"], Graded()).questions.get(question.id, {})
        for name, sentence in known_mistakes(question, result):
            found.setdefault(name, Mistake(name, sentence, [])).students.append(called(row))
    return sorted(found.values(), key=lambda m: (m.name == UNKNOWN, -len(m.students), m.name))


def known_mistakes(question: Question, result: dict[str, Any]) -> Iterable[tuple[str, str]]:
    """Return the known mistakes that a check found, or else how the answer failed."""
    sentence, report = result.get("sentence", ""), result.get("report", "")
    if question.check is None or not sentence:
        return []
    if result.get("hint"):
        return [(result["hint"], "")]
    for words, name in (
        ("NotImplementedError", "left blank"),
        ("defines no function", "no such function"),
        ("took too long", "took too long"),
        ("process", "its process ended"),
        ("raised", "an exception"),
    ):
        if words in sentence or (words == "NotImplementedError" and words in report):
            return [(name, "" if name == "left blank" else sentence)]
    return [(UNKNOWN, sentence)]


def told(problems: ProblemSet, table: list[Row], last: dict[str, Graded]) -> Iterator[str]:
    """Yield lines on the whole class, for its teacher only, as they contain names."""
    here = [row for row in table if row.get("status") != "missing"]
    points = [each for row in here if (each := number_in(row.get("total", ""))) is not None]
    head = f"{len(here)} of {len(table)} students handed in"
    if points:
        out_of = sum(question.points for question in problems.questions)
        head += f"; the mean is {mean(points):.1f}, the median {median(points):g}, of {out_of}"
        unread = any(not row.get(each.id) for row in here for each in problems.questions)
        head += ", with answers still to be read" * unread
    yield head
    for question in problems.questions:
        yield f"\n{question.id} {question.title}: {standing(question, here)}"
        for mistake in mistakes(question, here, last):
            yield f"  {len(mistake.students)} × {mistake.name} ({', '.join(mistake.students)})"
            if mistake.sentence:
                yield indent(mistake.sentence, "      ")
