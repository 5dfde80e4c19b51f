"""The table of points, ``grades.csv``: written by the grader, completed by a person.

Nothing that a person enters is lost: points, comments and whole columns survive when the
class is graded again.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from perceptron_notes.grading.sandbox import Refused
from perceptron_notes.problem_sets import ProblemSet

__all__ = ["Points", "Row", "columns", "merge", "number", "read_csv", "read_table", "write_table"]

#: A line of the table, by column.
Row = dict[str, str]
#: What the grader gave, by student and question.
Points = dict[str, dict[str, str]]

#: A spreadsheet takes a text that begins so for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def columns(problems: ProblemSet) -> list[str]:
    """The columns of the table, in order.

    Parameters
    ----------
    problems : ProblemSet
        The questions.

    Returns
    -------
    list of str
    """
    ids = [question.id for question in problems.questions]
    seeds = [f"seed {question.id}" for question in problems.questions if question.check]
    return ["student", "file", "status", "remark", *ids, "total", "out of", "comment", *seeds]


def number(text: str) -> float | None:
    """The number that a cell holds, with a point or a comma; ``None`` if it holds none.

    Parameters
    ----------
    text : str
        What the cell holds.

    Returns
    -------
    float or None

    Examples
    --------
    >>> number("2,5"), number("later")
    (2.5, None)
    """
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None


# -------------------------------------------------------------------------------- reading


def read_csv(path: Path) -> list[Row]:
    """Read a table with a column ``student``, as this grader or a spreadsheet wrote it.

    Parameters
    ----------
    path : Path
        Columns may be separated by commas, semicolons or tabs.

    Returns
    -------
    list of Row

    Raises
    ------
    Refused
        If it is no such table.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{path} cannot be read: {error}; expected a table in UTF-8") from error
    head = text.partition("\n")[0]
    reader = csv.DictReader(
        io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count), restval=""
    )
    if "student" not in (reader.fieldnames or ()):
        raise Refused(f"{path} has the columns {head.strip()!r}; expected one named `student`")
    rows = [{key: plain(value) for key, value in row.items() if key} for row in reader]
    rows = [row for row in rows if row["student"]]
    names = [row["student"] for row in rows]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise Refused(f"{path} has two rows for the student {twice!r}; expected one")
    return rows


def plain(text: str) -> str:
    """A cell without the mark that keeps it from being a formula."""
    text = text.strip()
    return text[1:] if text.startswith("'") and text[1:].startswith(FORMULA) else text


def read_table(path: Path, problems: ProblemSet) -> list[Row]:
    """The table of an earlier run; empty if there was none.

    Parameters
    ----------
    path : Path
        The table.
    problems : ProblemSet
        The questions that it should be about.

    Returns
    -------
    list of Row

    Raises
    ------
    Refused
        If the file is something else: it might hold what nobody wants to lose.
    """
    if not path.exists():
        return []
    rows = read_csv(path)
    missing = [name for name in columns(problems) if rows and name not in rows[0]]
    if missing:
        raise Refused(
            f"{path} has no column {missing[0]!r}, so it is no table of {problems.name} as it is "
            "now; it is left as it is: move it away, or write to another file with -o"
        )
    return rows


# -------------------------------------------------------------------------------- writing


def merge(
    old: Iterable[Row], new: Iterable[Row], given: Points, problems: ProblemSet
) -> tuple[list[Row], list[str]]:
    """Put new rows in the place of old ones, but keep what a person entered.

    Parameters
    ----------
    old, new : iterable of Row
        The table as it is, and what the grader found now. Rows without a new one stay.
    given : dict
        What the grader itself had written: other points were entered by hand.
    problems : ProblemSet
        The questions.

    Returns
    -------
    rows : list of Row
        Sorted by student.
    kept : list of str
        Which points of code questions stay as a person entered them.
    """
    table = {row["student"]: dict(row) for row in old}
    kept = []
    for row in new:
        student = row["student"]
        before = table.get(student, {})
        table[student] = {**before, **row}
        for question in problems.questions:
            cell = before.get(question.id, "")
            own = number(cell) == number(given.get(student, {}).get(question.id, ""))
            if cell and not own and number(cell) != number(row[question.id]):
                table[student][question.id] = cell
                if question.check:
                    kept.append(f"{student}, {question.id}: {cell}")
    for row in table.values():
        points = [number(row.get(question.id, "")) or 0 for question in problems.questions]
        row["total"] = f"{sum(points):g}"
        row["out of"] = str(sum(question.points for question in problems.questions))
    return sorted(table.values(), key=lambda row: row["student"]), kept


def write_table(path: Path, rows: list[Row], problems: ProblemSet) -> None:
    """Write the table, whole or not at all.

    Parameters
    ----------
    path : Path
        The table.
    rows : list of Row
        All of them.
    problems : ProblemSet
        The questions.

    Raises
    ------
    Refused
        If it cannot be written; a spreadsheet may hold it open.
    """
    own = columns(problems)
    others = dict.fromkeys(name for row in rows for name in row if name not in own)
    place = own.index("comment") + 1
    names = [*own[:place], *others, *own[place:]]
    draft = path.with_name(path.name + ".new")
    try:
        # The mark at the beginning tells Excel that this is UTF-8.
        with draft.open("w", encoding="utf-8-sig", errors="replace", newline="") as file:
            writer = csv.DictWriter(file, names, restval="")
            writer.writeheader()
            writer.writerows({key: safe(value) for key, value in row.items()} for row in rows)
        os.replace(draft, path)
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error}; is it open in a spreadsheet?") from error


def safe(value: Any) -> str:
    """A cell that no spreadsheet takes for a formula; students choose the names of files."""
    text = str(value).replace("\x00", "")
    return "'" + text if text.startswith(FORMULA) and number(text) is None else text
