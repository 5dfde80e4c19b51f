"""The table of points, ``grades.csv``: written by the grader, completed by a person.

Nothing that a person enters is lost: points, comments and extra columns survive when the class
is graded again. The column ``graded`` records which points are the grader's own.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from perceptron_classroom.grading.files import read_text, write_whole
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.spelling import fold, normal, turned
from perceptron_classroom.grading.terminal import cause
from perceptron_classroom.problem_sets import ProblemSet

__all__ = [
    "Row",
    "adopt",
    "called",
    "columns",
    "memory",
    "merge",
    "number_in",
    "read_csv",
    "read_table",
    "remembered",
    "safe",
    "same",
    "settle",
    "write_csv",
    "write_table",
]

#: A line of the table, by column.
Row = dict[str, str]

#: A spreadsheet reads a text with such a beginning as a formula, an East Asian one in full width.
FORMULA = tuple("=+-@\t\r\uff1d\uff0b\uff0d\uff20")
#: Columns on lateness, present if the class had a deadline. See `late`.
LATE = ("handed in", "late", "deduction")
#: Columns that students influence, by their file names and error messages.
THEIRS = ("student", "name", "file", "remark")


def columns(problems: ProblemSet) -> list[str]:
    """Return the columns of the table, in order."""
    ids = [question.id for question in problems.questions]
    comments = [f"comment {question.id}" for question in problems.questions if not question.check]
    seeds = [f"seed {question.id}" for question in problems.questions if question.check]
    head = ["student", "file", "status", "remark", *ids, "total", "out of"]
    return [*head, "look again", "comment", *comments, *seeds, "graded"]


def called(row: Row) -> str:
    """Return what a person is called: the name, and in brackets what the table knows them by.

    Examples
    --------
    >>> called({"student": "101", "name": "Ann Lee"}), called({"student": "Ann Lee"})
    ('Ann Lee (101)', 'Ann Lee')
    """
    name, student = row.get("name", ""), row["student"]
    known = not name or fold(turned(name)) == fold(turned(student))
    return student if known else f"{normal(name)} ({student})"


def number_in(text: str) -> float | None:
    """Return the number in a cell, with a point or a comma; ``None`` if it is no number.

    Examples
    --------
    >>> number_in("2,5"), number_in("later"), number_in("nan")
    (2.5, None, None)
    """
    try:
        value = float(text.replace(",", ".").replace("_", "?"))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


# -------------------------------------------------------------------------------- reading


def read_csv(path: Path, key: str = "student") -> list[Row]:
    """Read a table with a column for names, as this grader or a spreadsheet wrote it.

    Columns may be separated by commas, semicolons or tabs. Rows without a name are left out.
    """
    text = read_text(path)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter(text))
    try:
        head, *rest = [[unmarked(cell) for cell in line] for line in lines] or [[]]
    except csv.Error as error:
        raise Refused(f"{path}, line {lines.line_num}: {error}; expected a table") from error
    if key not in head:
        raise Refused(f"{path} has the columns {', '.join(head)!r}; expected one named `{key}`")
    for name, count in Counter(head).items():
        if name and count > 1:
            raise Refused(f"{path} has {count} columns named {name!r}; expected one")
    rows = []
    for line in rest:
        if any(line[len(head) :]):
            raise Refused(
                f"{path}: the row {', '.join(line)[:80]!r} has more cells than there are columns; "
                "a comma in a cell needs quotes around the cell"
            )
        filled = [*line, *[""] * (len(head) - len(line))]
        row = {name: cell for name, cell in zip(head, filled, strict=False) if name}
        if row[key]:
            row[key] = normal(row[key])
            rows.append(row)
    for name, count in Counter(row[key] for row in rows).items():
        if count > 1:
            raise Refused(f"{path} has {count} rows for the {key} {name!r}; expected one")
    return rows


def delimiter(text: str) -> str:
    """Return the column separator of a table."""
    return max(",;\t", key=text.partition("\n")[0].count)


def unmarked(text: str) -> str:
    """Return a cell without the mark against formulas; see `safe`."""
    text = text.strip()
    return text[1:] if text.startswith("'") and text.lstrip("'").startswith(FORMULA) else text


def read_table(path: Path, problems: ProblemSet) -> list[Row]:
    """Read the table of an earlier run; empty if there was none.

    Any other file is refused, lest it be overwritten.
    """
    if not path.exists():
        return []
    rows = read_csv(path)
    wanted = ["student", "file", *(question.id for question in problems.questions)]
    missing = [name for name in wanted if rows and name not in rows[0]]
    if missing:
        raise Refused(
            f"{path} has no column {missing[0]!r}, so it is no table of {problems.name} as it is "
            "now; it is left as it is: move it away, or write to another file with -o"
        )
    return rows


# ---------------------------------------------------------------------------- remembering


def remembered(given: dict[str, str]) -> str:
    """Return the text of the column ``graded``.

    Examples
    --------
    >>> remembered({"notebook": "x3f", "1.1": "2"})
    'notebook=x3f 1.1=2'
    """
    return " ".join(f"{spaceless(name)}={value}" for name, value in given.items())


def spaceless(name: str) -> str:
    """Return a question's id in the spelling of the column ``graded``."""
    return re.sub(r"[\s=]", "_", name)


def memory(row: Row) -> dict[str, str]:
    """Return the entries of a row's column ``graded``; see `remembered`."""
    pairs = [part.split("=", 1) for part in row.get("graded", "").split()]
    return dict(pair for pair in pairs if len(pair) == 2)


def same(one: str, other: str) -> bool:
    """Return whether two cells hold the same number or text."""
    return one == other or (number_in(one) is not None and number_in(one) == number_in(other))


# -------------------------------------------------------------------------------- merging


def adopt(old: Iterable[Row], students: dict[str, str]) -> dict[str, Row]:
    """Return the rows of an earlier table, by student.

    A spreadsheet turns the student 007 into 7 when it saves. The file's name identifies them.
    """
    rows = {row["student"]: dict(row) for row in old}
    files = {row["file"]: name for name, row in rows.items() if name not in students}
    for student, file in students.items():
        if student not in rows and file and file in files:
            rows[student] = {**rows.pop(files.pop(file)), "student": student}
    return rows


def merge(before: Row, new: Row, problems: ProblemSet) -> tuple[Row, list[str]]:
    """Replace an old row by a new one, but keep what a person entered.

    Return also the points of code questions that stay as a person entered them.
    """
    row, kept = {**before, **new}, []
    gave, gives = memory(before), memory(new)
    again = before.get("look again", "").split()
    for question in problems.questions:
        name, key = question.id, spaceless(question.id)
        cell = before.get(name, "").strip()
        if cell and not same(cell, gave.get(key, "")):
            row[name] = cell
            # Points not recorded as the grader's are a person's.
            gives.pop(key, None)
            if question.check and not same(cell, new[name]):
                kept.append(f"{called(row)}, {name}: {cell}")
        by_hand = (cell and key not in gives) or before.get(f"comment {name}")
        version = f"answer:{key}" if f"answer:{key}" in gives else "notebook"
        if by_hand and key not in again and gave.get(version, "") not in ("", gives.get(version)):
            again.append(key)
    if "late" in new:
        cell = before.get("late", "")
        if cell and spaceless(cell) != gave.get("late"):
            row["late"] = cell  # an excuse, say
        else:
            gives["late"] = spaceless(new["late"])
    elif "late" in gave:
        gives["late"] = gave["late"]
    row["look again"], row["graded"] = " ".join(again), remembered(gives)
    return row, kept


def settle(row: Row, problems: ProblemSet) -> list[str]:
    """Update a row's total.

    Return a sentence for each cell that is no number, or more than the question is worth.
    """
    sentences, total = [], 0.0
    for question in problems.questions:
        cell = row.get(question.id, "")
        points = number_in(cell)
        total += points or 0
        if cell and points is None:
            sentences.append(
                f"{called(row)}, {question.id}: the cell holds {cell!r}; expected a number; it "
                "is kept, and counts 0 until you mend it"
            )
        elif points is not None and points > question.points:
            sentences.append(
                f"{called(row)}, {question.id}: {cell} points of {question.points}; they are "
                "kept, and counted"
            )
    if "late" in row:
        taken = min(total, off(row["late"], total)) if total > 0 else 0
        row["deduction"] = f"{taken:g}" if taken else ""
        total -= taken
    # Where nothing has been judged, 0 would be a judgement.
    known = any(row.get(question.id) for question in problems.questions)
    row["total"] = f"{total:g}" if known else ""
    row["out of"] = str(sum(question.points for question in problems.questions))
    return sentences


def off(cell: str, total: float) -> float:
    """Return the points to deduct by the column ``late``; 0 if it contains no deduction."""
    if cell.strip().endswith("all off"):
        return total
    found = re.search(r"([\d.,]+) ?(%|points?) off$", cell.strip())
    amount = number_in(found[1]) if found else None
    if found is None or amount is None:
        return 0
    return round(total * amount / 100, 2) if found[2] == "%" else amount


# -------------------------------------------------------------------------------- writing


def write_table(path: Path, rows: Iterable[Row], problems: ProblemSet) -> None:
    """Write the table, whole or not at all, sorted by student."""
    rows = sorted(rows, key=lambda row: row["student"])
    own = columns(problems)
    if any(row.get("name") for row in rows):
        own.insert(1, "name")
    if any("late" in row for row in rows):
        place = own.index("total")
        own[place:place] = LATE
    others = dict.fromkeys(name for row in rows for name in row if name not in own)
    place = own.index("comment") + 1
    write_csv(path, [*own[:place], *others, *own[place:]], rows)


def write_csv(path: Path, names: list[str], rows: Iterable[Row]) -> None:
    """Write a table, whole or not at all."""
    try:
        there = path.read_text(encoding="utf-8-sig", errors="replace") if path.exists() else ""
        text = io.StringIO(newline="")
        separator = delimiter(there) if there else ","
        writer = csv.writer(text, delimiter=separator)
        writer.writerow(map(safe, names))
        writer.writerows([safe(shown(row, name, separator)) for name in names] for row in rows)
        # The mark at the beginning tells Excel that this is UTF-8.
        write_whole(path, text.getvalue().encode("utf-8-sig", "replace"))
    except OSError as error:
        why = "; is it open in a spreadsheet?" if isinstance(error, PermissionError) else ""
        raise Refused(f"{path} cannot be written: {cause(error)}{why}") from error


def shown(row: Row, name: str, separator: str) -> str:
    """Return a cell; text that students influence is made safe, even when cut at separators.

    Spreadsheets of some locales cut a line at semicolons, even within quotes, and write numbers
    with a comma.
    """
    cell = row.get(name, "")
    if name in THEIRS:
        return re.sub(r"([;\t]\s*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])", r"\1'", cell)
    return cell.replace(".", ",") if separator == ";" and number_in(cell) is not None else cell


def safe(value: Any) -> str:
    """Return a cell that no spreadsheet reads as a formula, as students choose file names."""
    text = str(value).replace("\x00", "")
    if text.lstrip("'").startswith(FORMULA) and number_in(text) is None:
        return "'" + text
    return text
