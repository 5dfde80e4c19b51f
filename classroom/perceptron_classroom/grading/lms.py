"""Points into the files that Canvas and Moodle read, and pages as they take them.

Both export a table of the class with their own ids, and take the same table back with points in
it. Nothing else in it changes. Formats: https://community.canvaslms.com, "How do I import grades
in the Gradebook?"; https://docs.moodle.org, "Using Assignment", offline grading worksheet.
Pages go back to Canvas by "Re-upload submissions", which finds a student by the numbers in the name
of the file that was handed in.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from perceptron_classroom.grading.files import read_text, write_whole
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.spelling import fold
from perceptron_classroom.grading.table import Row, delimiter, number

__all__ = ["Sheet", "canvas", "feedback_zip", "moodle", "read_sheet", "unread", "write_sheet"]

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
    width = len(lines[0])
    return Sheet(
        lines[0], [[*line, *[""] * (width - len(line))] for line in lines[1:]], delimiter(text)
    )


def write_sheet(path: Path, sheet: Sheet) -> None:
    """Write a table for an LMS."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=sheet.separator).writerows([sheet.head, *sheet.lines])
    write_whole(path, text.getvalue().encode("utf-8", "replace"))


def match(rows: Iterable[Row], keys: list[set[str]]) -> tuple[dict[int, Row], list[str], list[str]]:
    """Find each student's line by what the LMS knows them by.

    First by the student's name in the table; then by the parts of the file's name, where an LMS
    writes its ids.
    """
    places: dict[str, set[int]] = defaultdict(set)
    for place, names in enumerate(keys):
        for name in names - {""}:
            places[name].add(place)
    by_name: list[tuple[str, Row, set[int]]] = []
    by_file: list[tuple[str, Row, set[int]]] = []
    for row in rows:
        exact = places.get(fold(row["student"]), set())
        (by_name if exact else by_file).append((row["student"], row, exact))
    matched: dict[int, Row] = {}
    nowhere: list[str] = []
    unclear: list[str] = []
    for student, row, found in [*by_name, *by_file]:
        if not found:
            # The LMS wrote the first parts, the student the last one.
            ids = [part for part in row.get("file", "").split("_")[:-1] if part.isdigit()]
            found = next((places[each] for each in ids if each in places), set())
        if len(found) != 1 or found <= set(matched):
            (unclear if found else nowhere).append(student)
        else:
            matched[next(iter(found))] = row
    return matched, nowhere, unclear


def enter(line: list[str], column: int, row: Row, scale: float) -> None:
    """Enter a student's points: nothing where nothing was handed in."""
    total = number(row.get("total", ""))
    if total is not None and row.get("status") != "missing":
        line[column] = f"{total * scale:.10g}"


def scale_to(most: float | None, out_of: float, scaled: bool) -> float:
    """Return the factor by which the LMS takes the points as they are meant."""
    if most is None or most == out_of:
        return 1
    if not scaled:
        raise Refused(
            f"the LMS gives {most:g} points for this assignment, the table {out_of:g}; give "
            "--scale to convert them, or change the assignment"
        )
    return most / out_of


def out_of(rows: list[Row]) -> float:
    """Return what the whole problem set is worth."""
    found = {number(row.get("out of", "")) for row in rows}
    only = found.pop() if len(found) == 1 else None
    if not only:
        raise Refused("the table does not say in its column `out of` what the set is worth")
    return only


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


def canvas(
    sheet: Sheet, rows: list[Row], assignment: str, scaled: bool = False
) -> tuple[Sheet, dict[str, str], list[str], list[str]]:
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
    worth = next(
        (
            number(line[column])
            for line in sheet.lines
            if line[who[0]].strip().lower() == "points possible"
        ),
        None,
    )
    scale = scale_to(worth, out_of(rows), scaled)
    named = [i for i in who if sheet.head[i].strip() != "Section"]
    keys = [
        {fold(line[i]) for i in named} if line[sheet.column("ID")] else set()
        for line in sheet.lines
    ]
    matched, nowhere, unclear = match(rows, keys)
    kept = [*who, column]
    lines = []
    for place, line in enumerate(sheet.lines):
        line = list(line)
        if place in matched:
            enter(line, column, matched[place], scale)
        lines.append([line[i] for i in kept])
    prefixes = {}
    for row in matched.values():  # who, user, attachment, and the student's own part
        if found := re.match(r"(.+?)(?:_LATE)?_(\d+)_(\d+)_", row.get("file", "")):
            prefixes[row["student"]] = "_".join(found.groups()) + "_"
    made = Sheet([sheet.head[i] for i in kept], lines, sheet.separator)
    return made, prefixes, nowhere, unclear


def participant(text: str) -> str:
    """Return the number that Moodle has given a participant; empty if there is none."""
    found = re.fullmatch(r"\D*(\d+)", text.strip())
    return found[1] if found else ""


def moodle(
    sheet: Sheet, rows: list[Row], grade: str = GRADE, scaled: bool = False
) -> tuple[Sheet, dict[str, str], list[str], list[str]]:
    """Fill in the offline grading worksheet of Moodle."""
    numbers = [participant(line[0]) for line in sheet.lines]
    if not all(numbers):
        raise Refused(
            f"the first column, {sheet.head[0]!r}, holds {sheet.lines[0][0]!r}; expected "
            "Moodle's `Identifier`, such as 'Participant 12345'"
        )
    column = sheet.column(grade)
    # Moodle has written both "Maximum Grade" and "Maximum grade".
    heads = [fold(each.strip()) for each in sheet.head]
    worth = None
    if fold(MAXIMUM) in heads:
        worth = number(sheet.lines[0][heads.index(fold(MAXIMUM))])
    scale = scale_to(worth, out_of(rows), scaled)
    keys = [
        {key, *(fold(cell) for cell in line[:column])}
        for key, line in zip(numbers, sheet.lines, strict=True)
    ]
    matched, nowhere, unclear = match(rows, keys)
    prefixes = {}
    lines = []
    for place, line in enumerate(sheet.lines):
        line = list(line)
        if place in matched:
            row = matched[place]
            enter(line, column, row, scale)
            if (said := comments(row)) and fold(COMMENTS) in heads:
                line[heads.index(fold(COMMENTS))] = said
            # Moodle cuts the name at underscores: who, number, kind, plugin, file.
            name = re.sub(r"[_/\\]", " ", line[1]).strip() or "student"
            prefixes[row["student"]] = f"{name}_{numbers[place]}_assignfeedback_file_"
        lines.append(line)
    return Sheet(sheet.head, lines, sheet.separator), prefixes, nowhere, unclear


def feedback_zip(path: Path, pages: dict[str, Path]) -> None:
    """Put pages together for an upload."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        for name, page in sorted(pages.items()):
            file.write(page, name)
    write_whole(path, data.getvalue())
