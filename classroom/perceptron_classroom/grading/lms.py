"""Read the tables of a class that platforms export, and fill in points for their import.

Canvas and Moodle export a table of the class with their own ids, and take the same table back with
points in it. Nothing else in it changes. Moodle's worksheet has headers in the user's language, so
its columns are recognised by content. GitHub Classroom's roster names logins. Formats:
https://community.canvaslms.com, "How do I import grades in the Gradebook?";
https://docs.moodle.org, "Using Assignment", offline grading worksheet.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from perceptron_classroom.grading.files import read_text, write_whole
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.spelling import fold, normal, turned
from perceptron_classroom.grading.table import Row, called, delimiter, number_in, safe

__all__ = [
    "Sheet",
    "Worksheet",
    "any_table",
    "canvas",
    "moodle",
    "read_sheet",
    "roster",
    "unread",
    "write_sheet",
]

#: The columns by which Canvas identifies a student; the import needs them and the assignment's.
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Integration ID", "Section")
#: Headers of Moodle's column of groups, where students hand in together.
GROUP = ("group", "gruppe", "groupe", "grupo", "gruppo", "小组")
#: Its entries for students in no group, or in several.
NO_GROUP = (
    "Default group",
    "Not a member of any group, so unable to make submissions.",
    "Member of more than one group, so unable to make submissions.",
)
#: What Moodle calls a participant, its maximum, and a number with a decimal comma.
PARTICIPANT, MOST, COMMA = (re.compile(form) for form in (r"\D*\d+", r"\d+[.,]\d+$", r"-?\d+,\d+"))
#: Moodle's times, in any language: a year somewhere before the hour and the minute.
TIME = re.compile(r"(?s)-|.*\b20\d\d.*\d:\d\d.*")


@dataclass
class Sheet:
    """A table of an LMS."""

    #: Its columns.
    head: list[str]
    #: Its rows, as they are.
    lines: list[list[str]]
    #: The separator of the columns.
    separator: str = ","

    def column(self, name: str, option: str = "--column") -> int:
        """Return the index of a column, which was named by an option."""
        # Canvas appends a number to the name of an assignment: "Problem set 1 (4712)".
        heads = [re.sub(r" \(\d+\)$", "", each.strip()) for each in self.head]
        exact = [i for i, each in enumerate(self.head) if name in (each.strip(), heads[i])]
        alike = [i for i, each in enumerate(self.head) if fold(name) in fold(each)]
        found = exact or alike
        if len(found) != 1:
            some = " and ".join(repr(self.head[i]) for i in found)
            what = f"{some} are named" if found else "no column is named"
            raise Refused(
                f"{what} like {name!r}; name one with {option}: {', '.join(map(repr, self.head))}"
            )
        return found[0]

    def cells(self, place: int) -> list[str]:
        """Return the cells of a column, without its header."""
        return [line[place].strip() for line in self.lines]

    def write(self, row: Row, line: int, column: int) -> None:
        """Enter a student's points in the table's number format, or "" if nothing was handed in."""
        total = number_in(row.get("total", ""))
        if total is not None and row.get("status") != "missing":
            comma = self.separator == ";" or any(map(COMMA.fullmatch, self.lines[line]))
            self.lines[line][column] = f"{total:.10g}".replace(".", "," if comma else ".")


@dataclass(frozen=True)
class Worksheet:
    """The indices of the columns of Moodle's worksheet."""

    grade: int
    maximum: int
    #: None if there are no times.
    handed_in: int | None
    #: None if the assignment gives no comments.
    comments: int | None
    #: None if nobody hands in together.
    group: int | None

    @classmethod
    def of(cls, sheet: Sheet) -> Worksheet | None:
        """Find the columns; ``None`` if this is no worksheet.

        The first names the participants. The maximum, such as 100.00, is the same in each row. The
        grade is before it. After it come perhaps the state of marking and a marker, whether the
        grade can be changed, when the work came in, perhaps its text, when it was graded, and
        perhaps comments (mod/assign/gradingtable.php).
        """
        columns = range(2, len(sheet.head))
        same = [i for i in columns if len({*sheet.cells(i)}) == 1 and MOST.match(sheet.cells(i)[0])]
        if not all(PARTICIPANT.fullmatch(cell) for cell in sheet.cells(0)) or not same:
            return None
        most, last = same[-1], len(sheet.head) - 1
        if last < most + 2:
            return None
        times = [i for i in range(most + 1, last + 1) if all(map(TIME.fullmatch, sheet.cells(i)))]
        known = [i for i in times if {*sheet.cells(i)} != {"-"}] or times
        said = last > (times or [most + 2])[0] + 1 and last not in times
        groups = [i for i in range(1, most) if fold(sheet.head[i].strip()) in GROUP]
        came = known[0] if known else None
        return cls(most - 1, most, came, last if said else None, groups[0] if groups else None)


#: A table to import; students with no line in it, and students with several.
Made: TypeAlias = tuple[Sheet, list[str], list[str]]


def read_sheet(path: Path) -> Sheet:
    """Read a table that an LMS exported."""
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


def roster(path: Path) -> list[Row] | None:
    """Return the roster in a table of a platform; ``None`` if it is no such table."""
    sheet = read_sheet(path)
    if {"Student", "ID"} <= {name.strip() for name in sheet.head}:
        who, ids = sheet.cells(sheet.column("Student")), sheet.cells(sheet.column("ID"))
        pairs = zip(who, ids, strict=True)
        known = [each for each in pairs if each[1] and each[0] != "Student, Test"]
        return [{"student": number, "name": name} for name, number in known]
    if {"identifier", "github_username"} <= {*sheet.head}:
        at, login = sheet.head.index("identifier"), sheet.head.index("github_username")
        lines = [line for line in sheet.lines if line[at]]
        return [{"student": normal(line[at]), "login": line[login]} for line in lines]
    places = Worksheet.of(sheet)
    if places is None:
        return None
    groups = ["" if places.group is None else line[places.group] for line in sheet.lines]
    return [
        {
            "student": re.sub(r"\D", "", line[0]),
            # Where marking is blind, there is no name.
            "name": line[1].strip() if places.grade > 2 else "",
            "group": "" if group in NO_GROUP else group,
            "handed in": "" if places.handed_in is None else line[places.handed_in].strip("-"),
        }
        for line, group in zip(sheet.lines, groups, strict=True)
    ]


def write_sheet(path: Path, sheet: Sheet) -> None:
    """Write a table for an LMS."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=sheet.separator).writerows([sheet.head, *sheet.lines])
    write_whole(path, text.getvalue().encode("utf-8", "replace"))


# ------------------------------------------------------------------------------ the table


def unread(rows: list[Row], partial: bool) -> str:
    """Return in words how many students have unmarked written answers; "" if none.

    Raise `Refused` if there are any, and points so far are not wanted.
    """
    head = rows[0] if rows else {}
    by_hand = [name.removeprefix("comment ") for name in head if name.startswith("comment ")]
    found = [
        called(row)
        for row in rows
        if row.get("status") != "missing" and any(not row.get(name) for name in by_hand)
    ]
    if not found:
        return ""
    said = f"not all answers have been read yet: {len(found)} students, {found[0]} first"
    if not partial:
        raise Refused(f"{said}; mark them, or give --partial to send out the points so far")
    return said


def comments(row: Row) -> str:
    """Return the comments to a student: the overall one, and those on questions."""
    each = [
        f"{name.removeprefix('comment ')}: {text}"
        for name, text in row.items()
        if name.startswith("comment ") and text
    ]
    return "\n".join(filter(None, [row.get("comment", ""), *each]))


def agree(most: float | None, rows: list[Row]) -> None:
    """Raise `Refused` unless the table and the LMS agree on the maximum points."""
    found = {number_in(row.get("out of", "")) for row in rows}
    only = found.pop() if len(found) == 1 else None
    if not only:
        raise Refused("the table does not say in its column `out of` what the set is worth")
    if most is None:
        raise Refused(
            "the table does not say how many points the LMS gives for this assignment; expected "
            "them in a line of Canvas' gradebook, in a column of Moodle's worksheet"
        )
    if most != only:
        raise Refused(
            f"the LMS gives {most:g} points for this assignment, the table {only:g}; change the "
            "assignment there"
        )


def match(
    rows: list[Row], ids: list[str], keys: list[set[str]]
) -> tuple[dict[int, Row], list[str], list[str]]:
    """Match students to lines by the LMS's keys; return the rows, and those with none or several.

    First by the student's name in the table; then by the parts of the file's name, where an LMS
    writes its ids. If the table has the LMS's own ids for students, an id is nothing else.
    """
    places: dict[str, set[int]] = defaultdict(set)
    for place, names in enumerate(keys):
        for name in {*names, *(fold(turned(name)) for name in names), ids[place]} - {""}:
            places[name].add(place)
    if 2 * sum(fold(row["student"]) in ids for row in rows) >= len(rows):
        places |= {each: {place} for place, each in enumerate(ids) if each and ids.count(each) == 1}
    matched: dict[int, Row] = {}
    nowhere: list[str] = []
    unclear: list[str] = []
    # Matches by name come first, so that no file's name takes their line.
    for row in sorted(rows, key=lambda row: fold(row["student"]) not in places):
        found = places.get(fold(row["student"]), set())
        if not found:
            # The LMS wrote the first parts, the student the last one.
            parts = [part for part in row.get("file", "").split("_")[:-1] if part.isdigit()]
            found = next((places[each] for each in parts if each in places), set())
        if len(found) != 1 or found <= set(matched):
            (unclear if found else nowhere).append(called(row))
        else:
            matched[next(iter(found))] = row
    return matched, nowhere, unclear


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
    # The maximum points of an assignment are in a line that is no student's.
    given = [line[column] for line in sheet.lines if not line[sheet.column("ID")].strip()]
    agree(next((points for cell in given if (points := number_in(cell))), None), rows)
    named = [i for i in who if sheet.head[i].strip() != "Section"]
    keys = [
        {fold(line[i]) for i in named} if line[sheet.column("ID")] else set()
        for line in sheet.lines
    ]
    ids = [line[sheet.column("ID")].strip() for line in sheet.lines]
    matched, nowhere, unclear = match(rows, ids, keys)
    for place, row in matched.items():
        sheet.write(row, place, column)
    kept = [*who, column]
    head, *lines = [[line[i] for i in kept] for line in (sheet.head, *sheet.lines)]
    return Sheet(head, lines, sheet.separator), nowhere, unclear


def moodle(sheet: Sheet, rows: list[Row], grade: str | None = None) -> Made:
    """Fill in the offline grading worksheet of Moodle, in whatever language."""
    places = Worksheet.of(sheet)
    if places is None:
        raise Refused(
            f"the columns {', '.join(map(repr, sheet.head))} are not those of Moodle's grading "
            "worksheet; expected participants such as 'Participant 12345' in the first, and the "
            "assignment's maximum, such as 30.00, in another"
        )
    column = places.grade if grade is None else sheet.column(grade)
    agree(number_in(sheet.cells(places.maximum)[0]), rows)
    if places.comments is None and any(map(comments, rows)):
        raise Refused(
            "the worksheet has no column for comments, and the table has some; allow feedback "
            "comments in the assignment, and download the worksheet again"
        )
    numbers = [re.sub(r"\D", "", cell) for cell in sheet.cells(0)]
    keys = [{fold(cell) for cell in line[: places.grade]} for line in sheet.lines]
    matched, nowhere, unclear = match(rows, numbers, keys)
    for place, row in matched.items():
        sheet.write(row, place, column)
        if places.comments is not None and comments(row):
            sheet.lines[place][places.comments] = comments(row)
    return sheet, nowhere, unclear


def any_table(sheet: Sheet, rows: list[Row], key: str, points: str, said: str | None) -> Made:
    """Fill in the columns of any table by one that identifies the students."""
    place, column = sheet.column(key, "--id"), sheet.column(points, "--points")
    words = None if said is None else sheet.column(said, "--comments")
    if len({place, column, words}) < 3:
        raise Refused(f"{key!r}, {points!r} and {said!r} name one column twice; expected others")
    ids = [fold(cell) if cell else "" for cell in sheet.cells(place)]
    matched, nowhere, unclear = match(rows, ids, [{each} for each in ids])
    for line, row in matched.items():
        sheet.write(row, line, column)
        if words is not None and comments(row):
            sheet.lines[line][words] = safe(comments(row))
    return sheet, nowhere, unclear
