"""Collect a class: whose is what lies among the submissions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.spelling import fold, normal
from perceptron_classroom.grading.table import Row, read_csv

__all__ = ["Roster", "Submission", "find", "read_roster"]

#: Folders that computers add by themselves.
CLUTTER = ("__MACOSX", "Thumbs.db", "desktop.ini")
#: Endings and names of files that are no submissions: lists of the class, explanations.
TABLES = (".csv", ".tsv", ".xlsx", ".xls", ".ods")
NOTES = ("readme", "license", "index")
#: Parts of a file's name that are looked at; an LMS joins five or so.
PARTS = 20


@dataclass(frozen=True)
class Submission:
    """What one student handed in."""

    #: Whose it is.
    student: str
    #: One notebook; any other number cannot be graded.
    paths: tuple[Path, ...]
    #: The file or the folder, as it lies among the submissions.
    name: str
    #: Whether the student is on the roster, if there is one.
    known: bool = True
    #: What was noticed while collecting.
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Roster:
    """Who is in the class."""

    #: By student, the line of the roster.
    rows: dict[str, Row]
    _exact: dict[str, str] = field(default_factory=dict)
    _folded: dict[str, set[str]] = field(default_factory=dict)

    def student(self, name: str) -> str | None:
        """Return the student that a name stands for, capitals or not; ``None`` if unclear."""
        name = normal(name)
        found = self._folded.get(fold(name), set())
        return self._exact.get(name) or (next(iter(found)) if len(found) == 1 else None)

    def owner(self, name: str) -> tuple[int, str] | None:
        """Return whose submission it is, after how sure that is: 0 for the whole name."""
        if (whole := self.student(name)) is not None:
            return 0, whole
        parts = name.split("_")[:PARTS]
        places: dict[str, int] = {}
        for i in range(len(parts)):
            for j in range(i + 1, len(parts) + 1):
                student = self.student("_".join(parts[i:j]))
                if student is not None:
                    places.setdefault(student, i + 1)
        if len(places) != 1:
            return None
        [(student, place)] = places.items()
        return place, student


def read_roster(path: Path) -> Roster:
    """Read who is in the class.

    The table has a column ``student``, and perhaps ``file``: the name of the student's file or
    folder, where that does not hold the student's own name.
    """
    roster = Roster({})
    for row in read_csv(path):
        student = row["student"]
        roster.rows[student] = row
        names = {student, normal(Path(row.get("file") or student).name)}
        for name in names | {name.removesuffix(".ipynb") for name in names}:
            if roster._exact.setdefault(name, student) != student:
                raise Refused(f"{path}: {name!r} names {roster._exact[name]!r} and {student!r}")
            roster._folded.setdefault(fold(name), set()).add(student)
    return roster


@dataclass
class Claim:
    """A file or folder, and whose it seems to be."""

    student: str
    rank: int
    name: str
    paths: tuple[Path, ...]
    known: bool = True


def find(
    folder: Path, roster: Roster | None, problem_set: str
) -> tuple[list[Submission], list[str]]:
    """Find everything that lies among the submissions, by student."""
    if not folder.is_dir():
        raise Refused(f"{folder} is no folder; expected one with the submissions")
    claims: dict[str, list[Claim]] = defaultdict(list)
    others: list[Claim] = []
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith(".") or entry.name in CLUTTER:
            continue
        this = claim(entry, roster, problem_set)
        if this.paths and this.paths[0] == entry and entry.suffix.lower() != ".ipynb":
            others.append(this)
        else:
            claims[this.student].append(this)
    surest(claims)
    beside: dict[str, list[str]] = defaultdict(list)
    ignored = []
    for this in others:
        match = next((name for name in claims if fold(name) == fold(this.student)), None)
        if match is not None:
            beside[match].append(this.name)
        elif nobodys(this, roster):
            ignored.append(this.name)
        else:
            claims[this.student].append(this)
    found = [joined(student, claims[student], beside[student]) for student in claims]
    for student in set(roster.rows if roster else ()) - set(claims):
        found.append(Submission(student, (), ""))
    return sorted(name_doubles(found), key=lambda each: each.student), ignored


def claim(entry: Path, roster: Roster | None, problem_set: str) -> Claim:
    """Find whose a file or folder seems to be."""
    real_folder = entry.is_dir() and not entry.is_symlink()
    paths = notebooks(entry, problem_set) if real_folder else (entry,)
    # A browser may have added its own ending: ann.ipynb.txt.
    stem = entry.name if real_folder else entry.stem.removesuffix(".ipynb")
    name, shown = normal(stem), normal(entry.name)
    if roster is None:
        return Claim(name, 0, shown, paths)
    owner = roster.owner(name)
    if owner is None:
        return Claim(name, 0, shown, paths, known=False)
    return Claim(owner[1], owner[0], shown, paths)


def surest(claims: dict[str, list[Claim]]) -> None:
    """Let each student keep the surest claims; who claims less surely stands alone."""
    for each in list(claims.values()):
        best = min(this.rank for this in each)
        for this in [this for this in each if this.rank > best]:
            each.remove(this)
            name = normal(this.name.removesuffix(".ipynb"))
            claims.setdefault(name, []).append(Claim(name, 0, this.name, this.paths, known=False))


def nobodys(this: Claim, roster: Roster | None) -> bool:
    """Tell whether a file that is no notebook belongs to no student."""
    path = Path(this.name)
    listed = path.suffix.lower() in TABLES or path.stem.lower() in NOTES
    return listed if roster is None else not this.known


def joined(student: str, claims: list[Claim], beside: Iterable[str]) -> Submission:
    """Join a student's files; of several notebooks none is chosen."""
    beside = list(beside)
    notes = (f"not graded: {', '.join(beside)}",) if beside else ()
    paths = tuple(path for this in claims for path in this.paths)
    name = ", ".join(this.name for this in claims)
    return Submission(student, paths, name, claims[0].known, notes)


def name_doubles(found: list[Submission]) -> list[Submission]:
    """Note where two students' names differ in capitals only: it may be one student."""
    alike: dict[str, list[str]] = defaultdict(list)
    for this in found:
        alike[fold(this.student)].append(this.student)
    return [
        replace(this, notes=(*this.notes, f"{' and '.join(names)} differ in capitals only"))
        if len(names := sorted(alike[fold(this.student)])) > 1
        else this
        for this in found
    ]


def notebooks(folder: Path, problem_set: str) -> tuple[Path, ...]:
    """Return the notebook in a student's folder; all of them if it is unclear which."""
    inside = [
        path
        for path in sorted(folder.rglob("*"))
        if path.suffix.lower() == ".ipynb"
        and not any(part[0] == "." or part in CLUTTER for part in path.relative_to(folder).parts)
    ]
    named = [path for path in inside if path.stem == problem_set]
    return tuple(named if len(named) == 1 else inside)
