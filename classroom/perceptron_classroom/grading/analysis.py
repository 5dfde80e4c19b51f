"""What a class found hard: how the marks lie, which mistakes were made, and who needs help.

Points come from the table, with what a person entered. Which known mistake an answer shows, the
results of the checks tell, which the journal keeps.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise
from statistics import mean, median
from typing import Any, NamedTuple

from perceptron_classroom.grading.submission import Graded
from perceptron_classroom.grading.table import Row, number
from perceptron_classroom.problem_sets import ProblemSet, Question

__all__ = ["Figures", "Mistake", "analyse", "in_need", "page", "spread"]

#: The status of students who handed in nothing; they are not counted.
ABSENT = "missing"
#: What stands for answers that show no known mistake.
UNKNOWN = "no known mistake"
#: Columns of the distribution.
COLUMNS = 10


class Mistake(NamedTuple):
    """A mistake, and who made it."""

    name: str
    #: What the check says about it: to the first who made it, where it is no known one.
    sentence: str
    students: list[str]


class Figures(NamedTuple):
    """What became of one question."""

    #: The question.
    question: Question
    #: How many students have all of its points, some, none, or are still to be read.
    full: int
    part: int
    none: int
    unread: int
    #: Points on average, of those that are not still to be read.
    mean: float | None
    #: The most frequent first; answers with no known mistake are last.
    mistakes: list[Mistake]


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
    found: dict[str, Mistake] = {}
    for row in table:
        result = last.get(row["student"], Graded()).questions.get(question.id, {})
        for name, sentence in mistakes(question, result):
            found.setdefault(name, Mistake(name, sentence, [])).students.append(row["student"])
    ranked = sorted(found.values(), key=lambda m: (m.name == UNKNOWN, -len(m.students), m.name))
    average = mean(known) if known else None
    unread = len(points) - len(known)
    return Figures(question, full, len(known) - full - none, none, unread, average, ranked)


def mistakes(question: Question, result: dict[str, Any]) -> Iterable[tuple[str, str]]:
    """Return the known mistakes that a check found; how the answer failed, if it found none."""
    sentence, report = result.get("sentence", ""), result.get("report", "")
    if question.check is None or not sentence:
        return []
    slips: dict[str, list[str]] = defaultdict(list)
    for slip in question.check.slips:
        if slip.name in result.get("slips", ()):
            slips[slip.hint].append(slip.name)
    if slips:
        return [(" or ".join(names), hint) for hint, names in slips.items()]
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


def totals(table: Iterable[Row]) -> list[float]:
    """Return the points of those who handed in, as far as anything has been judged."""
    here = (number(row.get("total", "")) for row in table if row.get("status") != ABSENT)
    return [each for each in here if each is not None]


def spread(problems: ProblemSet, table: Iterable[Row]) -> list[tuple[float, float, int]]:
    """Return how many students have from so many points to so many, the last included."""
    out_of = sum(question.points for question in problems.questions)
    edges = [out_of * i / COLUMNS for i in range(COLUMNS + 1)]
    found = Counter(
        min(max(int(each * COLUMNS / out_of), 0), COLUMNS - 1) for each in totals(table)
    )
    return [(low, high, found[i]) for i, (low, high) in enumerate(pairwise(edges))]


def in_need(problems: ProblemSet, table: Iterable[Row]) -> dict[str, list[tuple[str, str]]]:
    """Return who may need help, and what is known of each: from nothing handed in to far below.

    Only what has been judged counts, so that nobody is below for answers that nobody has read.
    """
    found: dict[str, list[tuple[str, str]]] = {"nothing": [], "unread": [], "below": []}
    shares: dict[str, tuple[float, str]] = {}
    for row in table:
        points = [(number(row.get(each.id, "")), each.points) for each in problems.questions]
        judged = [(got, worth) for got, worth in points if got is not None]
        if row.get("status") == ABSENT:
            found["nothing"].append((row["student"], ""))
        elif not judged:
            found["unread"].append((row["student"], row.get("remark", "")))
        else:
            got, worth = map(sum, zip(*judged, strict=True))
            shares[row["student"]] = got / worth, f"{got:g} of {worth:g}"
    least = median(share for share, _ in shares.values()) / 2 if shares else 0
    for student, (share, said) in sorted(shares.items(), key=lambda item: item[1][0]):
        if share < least:
            found["below"].append((student, said))
    return found


def page(problems: ProblemSet, table: list[Row], last: dict[str, Graded]) -> str:
    """Return a page on the whole class, for its teacher: it has names."""
    from perceptron_classroom.grading import markup, report

    points = totals(table)
    columns = spread(problems, table)
    style = report.style("page.css", "class.css")
    return (
        report.templates()
        .get_template("class.html")
        .render(
            title=problems.title,
            style=style,
            style_hash=report.digest(style),
            students=len(table),
            handed_in=sum(row.get("status") != ABSENT for row in table),
            mean=mean(points) if points else None,
            median=median(points) if points else None,
            out_of=sum(question.points for question in problems.questions),
            columns=columns,
            most=max(count for *_, count in columns) or 1,
            need=in_need(problems, table),
            figures=analyse(problems, table, last),
            signs=report.SIGNS,
            legible=lambda name: markup.legible(name, 200),
            said=lambda text: markup.report(markup.legible(text, 1000)),
        )
    )
