"""Collect a class: whose is what lies among the submissions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from perceptron_notes.grading.sandbox import Refused
from perceptron_notes.grading.table import read_csv

__all__ = ["Submission", "find", "read_roster"]

#: Folders that computers add by themselves.
CLUTTER = ("__MACOSX", "Thumbs.db", "desktop.ini")


@dataclass(frozen=True)
class Submission:
    """What one student handed in.

    Attributes
    ----------
    student : str
        Whose it is.
    paths : tuple of Path
        One notebook; any other number cannot be graded.
    name : str
        The file or the folder, as it lies among the submissions.
    known : bool
        Whether the student is on the roster, if there is one.
    """

    student: str
    paths: tuple[Path, ...]
    name: str
    known: bool = True


def read_roster(path: Path) -> dict[str, str]:
    """Who is in the class.

    Parameters
    ----------
    path : Path
        A table with a column ``student``, and perhaps ``file``: the name of the student's file or
        folder, where that does not hold the student's own name.

    Returns
    -------
    dict
        The student, by what names a submission of theirs.

    Raises
    ------
    Refused
        If it is no such table, or if two students go by one name.
    """
    students: dict[str, str] = {}
    for row in read_csv(path):
        names = {row["student"], Path(row.get("file") or row["student"]).name}
        for name in names | {name.removesuffix(".ipynb") for name in names}:
            if students.setdefault(name, row["student"]) != row["student"]:
                raise Refused(f"{path}: {name!r} names {students[name]!r} and {row['student']!r}")
    return students


def owner(name: str, roster: dict[str, str]) -> str | None:
    """The student on the roster whose submission it is; ``None`` if that is nobody, or unclear."""
    if name in roster:
        return roster[name]
    # Downloads from an LMS join several names: ann_12345_ps1, Ann Smith_12345_assignsubmission.
    parts = name.split("_")
    runs = {"_".join(parts[i:j]) for i in range(len(parts)) for j in range(i + 1, len(parts) + 1)}
    found = {roster[run] for run in runs if run in roster}
    return found.pop() if len(found) == 1 else None


def find(folder: Path, roster: dict[str, str] | None, problem_set: str) -> list[Submission]:
    """Everything that lies among the submissions, by student.

    Parameters
    ----------
    folder : Path
        It holds notebooks, or folders with a notebook each, named after the students.
    roster : dict or None
        See `read_roster`.
    problem_set : str
        The notebook of this name is taken where a folder holds several.

    Returns
    -------
    list of Submission
        With those on the roster who handed in nothing.

    Raises
    ------
    Refused
        If there is no such folder.
    """
    if not folder.is_dir():
        raise Refused(f"{folder} is no folder; expected one with the submissions")
    found: dict[str, Submission] = {}
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith(".") or entry.name in CLUTTER:
            continue
        real_folder = entry.is_dir() and not entry.is_symlink()
        paths = notebooks(entry, problem_set) if real_folder else (entry,)
        name = entry.name if real_folder else entry.stem
        student = name if roster is None else owner(name, roster)
        this = Submission(student or name, paths, entry.name, student is not None)
        if this.student in found:
            other = found[this.student]
            this = Submission(
                this.student, other.paths + paths, f"{other.name}, {entry.name}", this.known
            )
        found[this.student] = this
    for student in set((roster or {}).values()) - set(found):
        found[student] = Submission(student, (), "")
    return sorted(found.values(), key=lambda each: each.student)


def notebooks(folder: Path, problem_set: str) -> tuple[Path, ...]:
    """The notebook in a student's folder; all of them if it is unclear which."""
    inside = [
        path
        for path in sorted(folder.rglob("*.ipynb"))
        if not any(part[0] == "." or part in CLUTTER for part in path.relative_to(folder).parts)
    ]
    named = [path for path in inside if path.stem == problem_set]
    return tuple(named if len(named) == 1 else inside)
