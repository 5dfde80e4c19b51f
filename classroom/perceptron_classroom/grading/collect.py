"""Collect a class's submissions, and find out who owns each file.

The part of a name that a platform has written decides who owns a file. The part that students
chose never does.
"""

from __future__ import annotations

import argparse
import os
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from perceptron_classroom.grading import lms
from perceptron_classroom.grading.opening import Unreadable, chose, members, ranked
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.spelling import fold, normal, turned
from perceptron_classroom.grading.table import Row, read_csv
from perceptron_classroom.grading.terminal import argument

__all__ = ["Roster", "Submission", "add_options", "find", "pattern", "read_roster"]

#: What computers and platforms add by themselves.
CLUTTER = ("__MACOSX", "Thumbs.db", "desktop.ini", "submission_metadata.yml")
#: Suffixes and names of files that are no submissions: lists of the class, explanations.
TABLES = (".csv", ".tsv", ".xlsx", ".xls", ".ods")
NOTES = ("readme", "license", "index")
#: How many parts of a file's name are inspected, and what separates them.
PARTS, BETWEEN = 20, re.compile(r"_| - |[()]")
#: How many students may hand in together; more are a tutorial group.
TOGETHER = 6
#: Endings of a notebook's name, with additions by browsers and platforms.
ENDING = re.compile(r"\.ipynb(\.(json|txt|zip|download))?( ?\(\d+\))?$|\.[^.]*$", flags=re.I)
#: Number of bytes read to see whether a file looks like a notebook.
START = 2**16
#: How platforms name downloaded files. Canvas: name, LATE, id, number of the file, the student's
#: own part (lib/content_zipper.rb). Moodle: name, id, kind, own part (mod/assign/locallib.php).
#: Blackboard: title, login, "attempt", time, own part. Brightspace: id, number, name, time and own
#: part. Sakai: name, login in brackets. nbgrader: login, set, time, a random word
#: (exchange/default/submit.py).
FORMS = [
    re.compile(form, flags=re.S)
    for form in (
        r"(?P<name>\w*?)(?:_LATE)?_(?P<id>\d+)_\d+_.*",
        r"(?P<name>.*?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)(?:_.*)?",
        r"(?:.*?_)??(?P<id>[^_]+)_attempt_\d{4}(?:-\d\d){5}(?:_.*)?",
        r"(?P<id>\d+)-\d+ - (?P<name>.*)",
        r"(?P<name>[^()]+)\((?P<id>[^()]+)\)",
        r"(?P<id>[^+]+)\+[^+]+\+\d{4}-\d\d-\d\d \d\d:\d\d:\d\d.*",
    )
]


def ids_in(name: str) -> list[str]:
    """Return the student's id and possible names that a platform wrote into a file name, if any.

    Of several matches, the one that begins first counts: a later one belongs to the
    student's own part.
    """
    found = [match for form in FORMS if (match := form.fullmatch(name))]
    if not found:
        return []
    parts = min(found, key=lambda match: match.start("id")).groupdict()
    name = parts.get("name") or ""
    # Of Brightspace's names, nobody knows where they end.
    ends = [*(cut.start() for cut in re.finditer(" - ", name)), None]
    return [part for part in (parts["id"], *(name[:end] for end in ends)) if part]


@dataclass(frozen=True)
class Submission:
    """What one student handed in."""

    #: The student.
    student: str
    #: One notebook; a submission with any other number cannot be graded.
    paths: tuple[Path, ...]
    #: The file or the folder, as it lies among the submissions.
    name: str
    #: Whether the student is on the roster, if there is one.
    known: bool = True
    #: What was noticed while collecting.
    notes: tuple[str, ...] = ()
    #: Group members, in the order of the roster; whose file counts for them all, and why.
    group: tuple[str, ...] = ()
    by: str = ""
    reasons: tuple[str, ...] = ()
    #: The student's own folder, if the notebook lies in one.
    home: Path | None = None

    @property
    def lead(self) -> str:
        """The student under whose name it is graded and marked, once for the whole group."""
        return self.group[0] if self.group else self.student


@dataclass(frozen=True)
class Roster:
    """Who is in the class."""

    #: By student, the line of the roster.
    rows: dict[str, Row]
    #: The group of each student.
    groups: dict[str, list[str]] = field(default_factory=dict)
    _exact: dict[str, str] = field(default_factory=dict)
    _folded: dict[str, set[str]] = field(default_factory=dict)
    #: By login and name, where the students are known by something else.
    _other: dict[str, set[str]] = field(default_factory=dict)

    def _named(self, name: str) -> set[str]:
        """Return the students who may be meant by a name."""
        if (exact := self._exact.get(normal(name))) is not None:
            return {exact}
        return self._folded.get(fold(name)) or self._other.get(fold(turned(normal(name))), set())

    def student(self, name: str) -> str | None:
        """Return the student with this name, ignoring case; ``None`` if ambiguous or unknown."""
        return self.one([name])

    def one(self, names: Iterable[str]) -> str | None:
        """Return the one student whom some of these names mean; ``None`` if several."""
        found = set[str]().union(*map(self._named, names))
        return found.pop() if len(found) == 1 else None

    def owner(self, raw: str, platform: bool = False) -> tuple[int, str, str] | None:
        """Return how certain the owner of a name is (0 is surest), the owner, and the evidence.

        In names by a `platform`, only the platform's own part counts.
        """
        name = normal(raw)
        whole = self.student(name) or self.student(re.sub(r"( copy)? ?\(\d+\)$", "", name))
        if whole is not None:
            # What nobody sees, but a file system tells apart, is less sure.
            return int(unicodedata.normalize("NFC", raw) != name), whole, raw
        if platform and (ids := ids_in(name)):
            for i, some in enumerate((ids[:1], ids[1:]), 2):
                if (student := self.one(some)) is not None:
                    return i, student, "_".join(ids[:2])
            return None
        cuts = [*BETWEEN.finditer(name)][:PARTS]
        starts = [0, *(cut.end() for cut in cuts)]
        ends = [*(cut.start() for cut in cuts), len(name)]
        for i, start in enumerate(starts):
            fits = [end for end in ends[i:] if self.student(name[start:end]) is not None]
            if fits:
                student = self.one(name[start:end] for end in fits)
                return None if student is None else (i + 2, student, name[: fits[-1]])
        return None


def read_roster(path: Path) -> Roster:
    """Read who is in the class.

    The table has a column ``student``, and perhaps ``file``: the name of the student's file or
    folder, where that does not hold the student's own name. Who have the same ``group`` hand in
    together. It may also be Canvas' gradebook, or Moodle's grading worksheet, which says when work
    was handed in too; or GitHub Classroom's roster.
    """
    roster, groups = Roster({}), defaultdict[tuple[str, str], list[str]](list)
    for row in lms.roster(path) or read_csv(path):
        student = row["student"]
        roster.rows[student] = row
        named = "group" if row.get("group") else "student"
        roster.groups[student] = groups[named, fold(row[named])]
        roster.groups[student].append(student)
        names = {student, normal(Path(row.get("file") or student).name)}
        for name in names | {name.removesuffix(".ipynb") for name in names}:
            first = roster._exact.setdefault(name, student)
            if first not in roster.groups[student]:
                raise Refused(f"{path}: {name!r} names {first!r} and {student!r}")
            roster._folded.setdefault(fold(name), set()).add(first)
        for name in filter(None, (student, row.get("name"), row.get("login"))):
            roster._other.setdefault(fold(turned(name)), set()).add(student)
    for (_, named), students in groups.items():
        if len(students) > TOGETHER:
            raise Refused(
                f"{path}: {len(students)} students have the group {named!r}; expected at most "
                f"{TOGETHER} who hand in together. Give a column of tutorial groups another name"
            )
    return roster


@dataclass
class Claim:
    """A file or folder, and its presumed owner."""

    student: str
    rank: int
    #: The evidence, as it is spelled there: two spellings may be two people.
    who: str
    entry: Path
    paths: tuple[Path, ...]
    known: bool = True
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The file or folder, as the table has it."""
        return normal(self.entry.name)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for finding owners, which `find` needs."""
    who = "a table with the columns student and file, or what a platform exports"
    parser.add_argument("--roster", type=Path, help=who)
    form = "what finds a student in a file's name, such as '^(?P<student>.+?) -'"
    parser.add_argument("--names", type=argument(pattern), metavar="REGEX", help=form)


def pattern(text: str) -> re.Pattern[str]:
    """Read the form of the names from the command line."""
    try:
        found = re.compile(text)
    except re.error as error:
        raise ValueError(f"{text!r} is no regular expression: {error}") from error
    if "student" not in found.groupindex:
        raise ValueError(f"{text!r} has no group named student; expected (?P<student>…)")
    return found


def find(
    folder: Path, roster: Roster | None, problem_set: str, names: re.Pattern[str] | None = None
) -> tuple[list[Submission], list[str]]:
    """Return all submissions in the folder, by student.

    `names` says where the student's name is in a file name; without it, the roster decides.
    """
    if not folder.is_dir():
        raise Refused(f"{folder} is no folder; expected one with the submissions")
    claims: dict[str, list[Claim]] = defaultdict(list)
    others: list[Claim] = []
    entries = [
        entry
        for entry in sorted(folder.iterdir())
        if not entry.name.startswith(".") and entry.name not in CLUTTER
    ]
    stems = whose(folder, entries, roster, names)
    ids = {tuple(parts) for entry in entries if (parts := ids_in(normal(stem(entry))))}
    # Most names decide whether this is a platform's download: a few odd ones do not matter.
    known = roster is not None and 2 * sum(any(map(roster.student, each)) for each in ids) >= len(
        ids
    )
    for entry in entries:
        this = claim(entry, stems[entry], roster, problem_set, known)
        if this.paths == (entry,) and looks(entry) is None:
            others.append(this)
        else:
            claims[this.student].append(this)
    surest(claims, known=roster is None)
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
    found = [joined(each, claims[each], beside[each], problem_set) for each in claims]
    for student in set(roster.rows if roster else ()) - set(claims):
        found.append(Submission(student, (), ""))
    return sorted(found, key=lambda each: each.student), ignored


def stem(entry: Path) -> str:
    """Return the name of a file without its endings, the name of a folder as it is."""
    return entry.name if entry.is_dir() else ENDING.sub("", entry.name) or entry.name


def whose(
    folder: Path, entries: list[Path], roster: Roster | None, names: re.Pattern[str] | None
) -> dict[Path, str]:
    """Return by file or folder the text in which its owner is looked for."""
    if names is not None:
        found = {entry: names.search(entry.name) for entry in entries}
        return {each: (match and match["student"]) or stem(each) for each, match in found.items()}
    stems = {entry: stem(entry) for entry in entries}
    known = Roster({}) if roster is None else roster
    new = {entry: name for entry, name in stems.items() if known.student(name) is None}
    if bare := [name for name in new.values() if re.fullmatch(r"submission_\d+", name)]:
        raise Refused(
            f"{folder / min(bare)} does not say whose it is; expected such names of Gradescope's "
            "in the column `file` of the roster; its submission_metadata.yml says whose they are"
        )
    # GitHub Classroom: the assignment and the login, either of which may hold hyphens.
    slug = os.path.commonprefix([each.name for each in entries if each.is_dir()])  # noqa: RUF071
    for entry, name in new.items() if "-" in slug else ():
        login = entry.is_dir() and known.one(name[cut.end() :] for cut in re.finditer("-", slug))
        stems[entry] = login or name
    return stems


def claim(entry: Path, raw: str, roster: Roster | None, problem_set: str, platform: bool) -> Claim:
    """Find the presumed owner of a file or folder."""
    paths: tuple[Path, ...] = (entry,)
    notes: tuple[str, ...] = ()
    if entry.is_dir() and not entry.is_symlink():
        paths, notes = best(inside(entry), problem_set)
    sloppy = int(unicodedata.normalize("NFC", raw) != normal(raw))
    this = Claim(normal(raw), sloppy, raw, entry, paths, roster is None, notes)
    if roster is not None and (owner := roster.owner(raw, platform)) is not None:
        this.known, (this.rank, this.student, this.who) = True, owner
    return this


def surest(claims: dict[str, list[Claim]], known: bool) -> None:
    """Keep each student's surest claims in place; list less certain ones under their own names."""
    for each in list(claims.values()):
        least = min(this.rank for this in each)
        for this in [this for this in each if this.rank > least]:
            each.remove(this)
            own = normal(this.who)
            # A name that looks like a classmate's is shown by its code points.
            own = normal(ascii(this.who)) if own == this.student else own
            this.student, this.known, this.rank = own, known, 0
            claims.setdefault(this.student, []).append(this)


def looks(path: Path) -> int | None:
    """Return 1 if a file looks like a notebook, 0 if only its name does, else None."""
    name = path.name.lower()
    if path.is_symlink() or not path.is_file():
        return 0 if name.endswith(".ipynb") else None
    try:
        with path.open("rb") as file:
            start = file.read(START)
            if start.startswith(b"PK") and name.endswith((".ipynb", ".zip")):
                return int(bool(members(file)))
    except (Unreadable, OSError):
        return 0
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip(b"\xff\xfe").replace(b"\0", b"").lstrip()
    if name.endswith((".ipynb", ".zip")):
        return int(text.startswith(b"{"))
    odd = ".ipynb" in name or path.suffix.lower() in ("", ".json", ".txt")
    return 1 if odd and text.startswith(b"{") and re.search(rb'"(cells|nbformat)"', text) else None


def inside(folder: Path) -> list[Path]:
    """Return what could be a notebook in a student's folder."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if not any(part[0] == "." or part in CLUTTER for part in path.relative_to(folder).parts)
        and not path.is_dir()
        and looks(path) is not None
    ]


def best(paths: Iterable[Path], problem_set: str) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Return the one of a student's notebooks that counts, and a remark if there are others."""
    found = {str(path): (looks(path) or 0, path.lstat().st_mtime) for path in paths}
    if not found:
        return (), ()
    first, *others = map(Path, ranked(found, problem_set))
    above = os.path.commonpath([path.parent for path in (first, *others)])
    names = [normal(str(path.relative_to(above))) for path in (first, *others)]
    return (first,), (chose(names[0], names[1:]),) if others else ()


def nobodys(this: Claim, roster: Roster | None) -> bool:
    """Return whether a file that is no notebook belongs to no student."""
    path = Path(this.name)
    listed = path.suffix.lower() in TABLES or path.stem.lower() in NOTES
    return listed if roster is None else not this.known


def joined(
    student: str, claims: list[Claim], beside: Iterable[str], problem_set: str
) -> Submission:
    """Join a student's files: the newest notebook counts, unless they may be several people's."""
    notes = [note for this in claims for note in this.notes]
    paths = tuple(path for this in claims for path in this.paths)
    if len({this.who for this in claims}) == 1:
        paths, chosen = best(paths, problem_set)
        notes += chosen
    if beside := list(beside):
        notes.append(f"not graded: {', '.join(beside)}")
    name = ", ".join(this.name for this in claims)
    homes = [this.entry for this in claims if paths and this.entry in paths[0].parents]
    home = homes[0] if homes else None
    return Submission(student, paths, name, claims[0].known, tuple(notes), home=home)
