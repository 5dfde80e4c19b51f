"""Points into the files that Canvas and Moodle read.

Both export a table of the class with their own ids, and take the same table back with points in
it. Nothing else in it changes. Formats: https://community.canvaslms.com, "How do I import grades
in the Gradebook?"; https://docs.moodle.org, "Using Assignment", offline grading worksheet.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from perceptron_classroom.grading.files import read_text, write_whole
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.spelling import fold
from perceptron_classroom.grading.table import Row, delimiter, number

__all__ = ["Sheet", "canvas", "moodle", "read_sheet", "unread", "write_sheet"]

#: The columns by which Canvas identifies a student; the import needs them and the assignment's.
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Integration ID", "Section")
#: Moodle's names of its columns, in English.
GRADE, MAXIMUM, COMMENTS = "Grade", "Maximum Grade", "Feedback comments"


@dataclass
class Sheet:
    """A table of an LMS."""

    #: Its columns.
    head: list[str]
    #: Its rows, as they are.
    lines: list[list[str]]
    #: The separator of the columns.
    separator: str = ","

    def column(self, name: str) -> int:
        """Return the place of a column."""
        # Canvas writes its number behind the name of an assignment: "Problem set 1 (4712)".
        heads = [re.sub(r" \(\d+\)$", "", each.strip()) for each in self.head]
        exact = [i for i, each in enumerate(self.head) if name in (each.strip(), heads[i])]
        alike = [i for i, each in enumerate(self.head) if fold(name) in fold(each)]
        found = exact or alike
        if len(found) != 1:
            some = " and ".join(repr(self.head[i]) for i in found)
            what = f"{some} are named" if found else "no column is named"
            raise Refused(
                f"{what} like {name!r}; name one with --column: {', '.join(map(repr, self.head))}"
            )
        return found[0]

    def optional(self, name: str) -> int | None:
        """Return the place of a column that need not be there, in capitals or not."""
        heads = [fold(each.strip()) for each in self.head]
        return heads.index(fold(name)) if fold(name) in heads else None


#: A table to import; who has no line there, and who could have several.
Made: TypeAlias = tuple[Sheet, list[str], list[str]]


def read_sheet(path: Path) -> Sheet:
    """Read a table as an LMS exported it."""
    text = read_text(path)
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter(text)))
    except csv.Error as error:
        raise Refused(f"{path}: {error}; expected a table") from error
    lines = [line for line in lines if line]
    if len(lines) < 2:
        raise Refused(f"{path} has no rows; expected the table that the LMS exports")
    head, *rest = lines
    filled = [[*line, *[""] * (len(head) - len(line))] for line in rest]
    return Sheet(head, filled, delimiter(text))


def write_sheet(path: Path, sheet: Sheet) -> None:
    """Write a table for an LMS."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=sheet.separator).writerows([sheet.head, *sheet.lines])
    write_whole(path, text.getvalue().encode("utf-8", "replace"))


# ------------------------------------------------------------------------------ the table


def unread(rows: list[Row]) -> str:
    """Say how many students have answers that a person has still to read; empty if none has."""
    head = rows[0] if rows else {}
    by_hand = [name.removeprefix("comment ") for name in head if name.startswith("comment ")]
    found = [
        row["student"]
        for row in rows
        if row.get("status") != "missing" and any(not row.get(name) for name in by_hand)
    ]
    return f"{len(found)} students, {found[0]} first" if found else ""


def comments(row: Row) -> str:
    """Return what is said to a student: in all, and to each question."""
    each = [
        f"{name.removeprefix('comment ')}: {text}"
        for name, text in row.items()
        if name.startswith("comment ") and text
    ]
    return "\n".join(filter(None, [row.get("comment", ""), *each]))


def agree(most: float | None, rows: list[Row]) -> None:
    """Refuse a table whose problem set is not worth what the LMS gives for it."""
    found = {number(row.get("out of", "")) for row in rows}
    only = found.pop() if len(found) == 1 else None
    if not only:
        raise Refused("the table does not say in its column `out of` what the set is worth")
    if most is not None and most != only:
        raise Refused(
            f"the LMS gives {most:g} points for this assignment, the table {only:g}; change the "
            "assignment there"
        )


def match(rows: Iterable[Row], keys: list[set[str]]) -> tuple[dict[int, Row], list[str], list[str]]:
    """Find each student's line by what the LMS knows them by; say who has none, or several.

    First by the student's name in the table; then by the parts of the file's name, where an LMS
    writes its ids.
    """
    places: dict[str, set[int]] = defaultdict(set)
    for place, names in enumerate(keys):
        for name in names - {""}:
            places[name].add(place)
    matched: dict[int, Row] = {}
    nowhere: list[str] = []
    unclear: list[str] = []
    # Who is there by name comes first, so that no file's name takes their line.
    for row in sorted(rows, key=lambda row: fold(row["student"]) not in places):
        found = places.get(fold(row["student"]), set())
        if not found:
            # The LMS wrote the first parts, the student the last one.
            ids = [part for part in row.get("file", "").split("_")[:-1] if part.isdigit()]
            found = next((places[each] for each in ids if each in places), set())
        if len(found) != 1 or found <= set(matched):
            (unclear if found else nowhere).append(row["student"])
        else:
            matched[next(iter(found))] = row
    return matched, nowhere, unclear


def enter(line: list[str], column: int, row: Row) -> None:
    """Enter a student's points: nothing where nothing was handed in."""
    total = number(row.get("total", ""))
    if total is not None and row.get("status") != "missing":
        line[column] = f"{total:.10g}"


# -------------------------------------------------------------------------------- the LMS


def canvas(sheet: Sheet, rows: list[Row], assignment: str) -> Made:
    """Fill in the column of an assignment in the gradebook that Canvas exports."""
    who = [i for i, name in enumerate(sheet.head) if name.strip() in CANVAS]
    names = [sheet.head[i].strip() for i in who]
    if "Student" not in names or "ID" not in names:
        raise Refused(
            f"the gradebook has the columns {', '.join(sheet.head[:6])}; expected Student and ID, "
            "as in the file that Canvas exports"
        )
    column = sheet.column(assignment)
    if column in who:
        raise Refused(f"{assignment!r} is no assignment; expected the name of one")
    first = [line[who[0]].strip().lower() for line in sheet.lines]
    if "points possible" in first:
        agree(number(sheet.lines[first.index("points possible")][column]), rows)
    named = [i for i in who if sheet.head[i].strip() != "Section"]
    keys = [
        {fold(line[i]) for i in named} if line[sheet.column("ID")] else set()
        for line in sheet.lines
    ]
    matched, nowhere, unclear = match(rows, keys)
    for place, row in matched.items():
        enter(sheet.lines[place], column, row)
    kept = [*who, column]
    head, *lines = [[line[i] for i in kept] for line in (sheet.head, *sheet.lines)]
    return Sheet(head, lines, sheet.separator), nowhere, unclear


def moodle(sheet: Sheet, rows: list[Row], grade: str = GRADE) -> Made:
    """Fill in the offline grading worksheet of Moodle."""
    numbers = [re.sub(r"^\D*", "", line[0].strip()) for line in sheet.lines]
    if not all(map(str.isdigit, numbers)):
        raise Refused(
            f"the first column, {sheet.head[0]!r}, holds {sheet.lines[0][0]!r}; expected "
            "Moodle's `Identifier`, such as 'Participant 12345'"
        )
    column, worth, said = sheet.column(grade), sheet.optional(MAXIMUM), sheet.optional(COMMENTS)
    agree(None if worth is None else number(sheet.lines[0][worth]), rows)
    keys = [
        {key, *(fold(cell) for cell in line[:column])}
        for key, line in zip(numbers, sheet.lines, strict=True)
    ]
    matched, nowhere, unclear = match(rows, keys)
    for place, row in matched.items():
        enter(sheet.lines[place], column, row)
        if said is not None and comments(row):
            sheet.lines[place][said] = comments(row)
    return sheet, nowhere, unclear
