"""What a class found hard: for each question, how many were right, and which mistakes were made.

Points come from the table, with what a person entered. Which known mistake an answer shows, the
reports of the checks tell, which the journal keeps.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import mean, median

from perceptron_classroom.grading.submission import Graded
from perceptron_classroom.grading.table import Row, number
from perceptron_classroom.problem_sets import ProblemSet, Question

__all__ = ["Figures", "analyse", "lines", "rows"]

#: The status of students who handed in nothing; they are not counted.
ABSENT = "missing"


@dataclass(frozen=True)
class Figures:
    """What became of one question."""

    #: The question.
    question: Question
    #: How many students have all of its points, some, none, or are still to be read.
    full: int
    part: int
    none: int
    unread: int
    #: Points on average, of those that are not still to be read.
    mean: float
    #: For each mistake, the students who made it; the most frequent first. The last entry
    #: holds answers with no known mistake.
    mistakes: dict[str, list[str]]


def analyse(problems: ProblemSet, table: Iterable[Row], last: dict[str, Graded]) -> list[Figures]:
    """Count the results, question by question."""
    here = [row for row in table if row.get("status") != ABSENT]
    return [figures(question, here, last) for question in problems.questions]


def figures(question: Question, table: list[Row], last: dict[str, Graded]) -> Figures:
    """Count for one question."""
    points = [number(row.get(question.id, "")) for row in table]
    known = [each for each in points if each is not None]
    full = sum(each >= question.points for each in known)
    none = sum(each <= 0 for each in known)
    found: dict[str, list[str]] = defaultdict(list)
    for row in table:
        result = last.get(row["student"], Graded()).questions.get(question.id, {})
        for name in mistakes(question, result.get("report", ""), result.get("sentence", "")):
            found[name].append(row["student"])
    ranked = sorted(found.items(), key=lambda item: (item[0] == UNKNOWN, -len(item[1]), item[0]))
    average = mean(known) if known else 0.0
    unread = len(points) - len(known)
    return Figures(question, full, len(known) - full - none, none, unread, average, dict(ranked))


UNKNOWN = "no known mistake"


def mistakes(question: Question, report: str, sentence: str) -> list[str]:
    """Return the known mistakes that a report names; how it failed, if it names none."""
    if question.check is None or not sentence:
        return []
    slips: dict[str, list[str]] = defaultdict(list)
    for slip in question.check.slips:
        slips[slip.hint].append(slip.name)
    # The report has up to three hints, each on one line.
    said = set(report.replace("Hint. ", "").replace("\n- ", "\n").split("\n"))
    named = [" or ".join(names) for hint, names in slips.items() if hint and hint in said]
    if named:
        return named
    for words, name in (
        ("NotImplementedError", "left blank"),
        ("defines no function", "no such function"),
        ("took too long", "took too long"),
        ("process", "its process ended"),
        ("raised", "an exception"),
    ):
        if words in sentence or (words == "NotImplementedError" and words in report):
            return [name]
    return [UNKNOWN]


def lines(
    problems: ProblemSet, table: list[Row], last: dict[str, Graded], most: int = 3
) -> Iterable[str]:
    """Write the analysis as text."""
    totals = [total for row in table if (total := number(row.get("total", ""))) is not None]
    out_of = sum(question.points for question in problems.questions)
    yield f"{problems.title}: {len(table)} students"
    if totals:
        yield f"points  mean {mean(totals):.1f}, median {median(totals):g}, of {out_of}"
    statuses = Counter(row.get("status", "") for row in table).most_common()
    yield "status  " + ", ".join(f"{count} {status}" for status, count in statuses)
    seconds = sorted(graded.seconds for graded in last.values() if graded.seconds)
    if seconds:
        yield f"time    median {median(seconds):.1f} s, longest {seconds[-1]:.1f} s"
    yield ""
    yield "question                      all  some  none  unread   mean"
    for each in analyse(problems, table, last):
        question = each.question
        name = f"{question.id} {question.title}"[:28]
        average = f"{each.mean:.1f}" if each.full + each.part + each.none else "–"
        yield (
            f"{name:28}{each.full:5}{each.part:6}{each.none:6}{each.unread:8}"
            f"{average:>7} of {question.points}"
        )
        for mistake, students in each.mistakes.items():
            named = ", ".join(students[:most]) + ", …" * (len(students) > most)
            yield f"    {len(students):4} × {mistake} ({named})"


def rows(figures: Iterable[Figures]) -> list[Row]:
    """Write the analysis as a table: a row for each question and each mistake."""
    found = []
    for each in figures:
        head = {"question": each.question.id, "title": each.question.title}
        for what, value in (
            ("points", each.question.points),
            ("mean", round(each.mean, 3)),
            ("all points", each.full),
            ("some points", each.part),
            ("no points", each.none),
            ("still to be read", each.unread),
        ):
            found.append({**head, "what": what, "value": f"{value:g}"})
        for mistake, students in each.mistakes.items():
            named = {"value": str(len(students)), "students": ", ".join(students)}
            found.append({**head, "what": f"mistake: {mistake}", **named})
    return found
