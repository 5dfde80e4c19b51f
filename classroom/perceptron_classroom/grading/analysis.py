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

__all__ = ["Figures", "Mistake", "figures", "told"]

#: The status of students who handed in nothing; they are not counted.
ABSENT = "missing"
#: Label of answers that show no known mistake.
UNKNOWN = "no known mistake"


class Mistake(NamedTuple):
    """A mistake, and who made it."""

    #: The hint of the check; or another description.
    name: str
    #: How the first student with it failed, if it is no known mistake.
    sentence: str
    students: list[str]


class Figures(NamedTuple):
    """The results of one question."""

    #: The question.
    question: Question
    #: How many students have all of its points, some, none, or have yet to be marked.
    full: int
    part: int
    none: int
    unread: int
    #: Points on average, of those already marked.
    mean: float | None
    #: The most frequent first; answers with no known mistake are last.
    mistakes: list[Mistake]


def figures(question: Question, table: list[Row], last: dict[str, Graded]) -> Figures:
    """Count the results of one question."""
    points = [number_in(row.get(question.id, "")) for row in table]
    known = [each for each in points if each is not None]
    full = sum(each >= question.points for each in known)
    none = sum(each <= 0 for each in known)
    found: dict[str, Mistake] = {}
    for row in table:
        result = last.get(row["student"], Graded()).questions.get(question.id, {})
        for name, sentence in known_mistakes(question, result):
            found.setdefault(name, Mistake(name, sentence, [])).students.append(called(row))
    ranked = sorted(found.values(), key=lambda m: (m.name == UNKNOWN, -len(m.students), m.name))
    average = mean(known) if known else None
    unread = len(points) - len(known)
    return Figures(question, full, len(known) - full - none, none, unread, average, ranked)


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
    here = [row for row in table if row.get("status") != ABSENT]
    points = [each for row in here if (each := number_in(row.get("total", ""))) is not None]
    head = f"{len(here)} of {len(table)} students handed in"
    if points:
        out_of = sum(question.points for question in problems.questions)
        head += f"; the mean is {mean(points):.1f}, the median {median(points):g}, of {out_of}"
    yield head
    for question in problems.questions:
        found = figures(question, here, last)
        counts = {"all points": found.full, "some": found.part, "none": found.none}
        counts["to be read"] = found.unread
        said = [f"{count} {what}" for what, count in counts.items() if count]
        if found.mean is not None:
            said.append(f"{found.mean:.1f} of {question.points} on average")
        yield f"\n{question.id} {question.title}: {', '.join(said)}"
        for mistake in found.mistakes:
            yield f"  {len(mistake.students)} × {mistake.name} ({', '.join(mistake.students)})"
            if mistake.sentence:
                yield indent(mistake.sentence, "      ")
