"""Problem sets: a master notebook with solutions, and the version that students get.

A master is an ordinary notebook. Its answer cells carry the metadata ``question``::

    {"id": "1.3", "title": "Mistakes", "points": 4, "minutes": 10, "outcome": "…",
     "check": "mistakes"}

with the name of a check, for an answer in code, or, in its place, ``"rubric": [[2, "…"], …]``
for an answer in words. Beside a check, ``"criteria": [[3, "small", "…"], …]`` says what parts of
the points are given for: the points, a group of the check's data sets, and what is shown.

In a code cell the solution stands between ``# BEGIN SOLUTION`` and
``# END SOLUTION``. Cells with the tag ``teacher`` are for nobody else.

A file ``checks.py`` beside the master makes further checks (see `checks.load`).

What a teacher changes in a sheet before it is handed out (a translation, a date) would pass for a
student's words; a copy in the folder ``sheets`` beside the master, with its name, prevents it.

The metadata may also say that students' code does without the package, which is then not there:
``{"perceptron_notes": {"imports": "refuse"}}``. Elsewhere a remark says which answers name it.

The same master makes a smaller set, ``auto``, which holds only what checks judge. Only the teacher
says so, to each command: what a student's notebook says of itself counts for nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from perceptron_classroom.checks import ALL, Check, load

__all__ = [
    "Criterion",
    "ProblemSet",
    "Question",
    "defining",
    "own_checks",
    "read_master",
    "sheets_of",
    "student_version",
]

BEGIN, END = "# BEGIN SOLUTION", "# END SOLUTION"
CODE_BLANK = 'raise NotImplementedError("Write your answer here")'
TEXT_BLANK = "*Write your answer here.*"
TEXT_BLANKS = TEXT_BLANK, "*在这里写下答案。*"  # in English and in Chinese sheets
LEFT_OUT = "*This version leaves out the questions in words; the others keep their numbers.*"

Cell = dict[str, Any]


@dataclass(frozen=True)
class Criterion:
    """A part of the points for an answer in code.

    Attributes
    ----------
    points : int
        What it is worth.
    group : str
        The group of the check's data sets on which all must be right.
    what : str
        What that shows, for the student.
    """

    points: int
    group: str
    what: str


@dataclass(frozen=True)
class Question:
    """One question of a problem set.

    Attributes
    ----------
    id : str
        Such as ``"1.3"``.
    title : str
        A few words.
    points : int
        What a full answer is worth.
    minutes : int
        How long it should take.
    outcome : str
        What somebody who answers it can do.
    check : Check or None
        What judges an answer in code.
    rubric : tuple of (int, str)
        For an answer in words: points, and what they are given for.
    criteria : tuple of Criterion
        For an answer in code: the parts of the points; none if all must be right for any.
    """

    id: str
    title: str
    points: int
    minutes: int
    outcome: str
    check: Check | None
    rubric: tuple[tuple[int, str], ...]
    criteria: tuple[Criterion, ...] = ()


@dataclass(frozen=True)
class ProblemSet:
    """A problem set, as its master notebook says.

    Attributes
    ----------
    name : str
        The name of the file without its suffix, such as ``"ps1"``.
    title : str
        The first heading.
    questions : tuple of Question
        In the order of the notebook.
    refuses : bool
        Whether students' code does without the package.
    code : tuple of str
        The cells of code, with the solutions.
    handed_out : tuple of dict
        The cells that students get.
    changed : tuple of dict
        Those of the sheets that a teacher changed or the build translated.
    shared : frozenset of str
        Hashes of what more than half of a class has word for word.
    """

    name: str
    title: str
    questions: tuple[Question, ...]
    refuses: bool = False
    code: tuple[str, ...] = ()
    handed_out: tuple[Cell, ...] = ()
    changed: tuple[Cell, ...] = ()
    shared: frozenset[str] = frozenset()

    def prompt(self, question: str) -> str:
        """Return the text from a question's heading to the next one, without its blanks."""
        cells = [cell for cell in self.handed_out if cell["source"] not in (TEXT_BLANK, CODE_BLANK)]
        said = "\n\n".join(
            cell["source"] if cell["cell_type"] == "markdown" else f"```\n{cell['source']}\n```"
            for cell in cells
        )
        after = re.split(rf"^## {re.escape(question)} .*$", said, flags=re.M)[-1]
        return re.split(r"^## ", after, flags=re.M)[0].strip()


def read_master(path: str | Path, auto: bool = False) -> ProblemSet:
    """Read the questions of a master notebook.

    Parameters
    ----------
    path : str or Path
        The master notebook.
    auto : bool
        Whether to leave out the questions in words.

    Returns
    -------
    ProblemSet

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is no notebook of format 4, or if a question is not as it should be. The sentence
        names the file and the question.
    """
    path = Path(path)
    own = own_checks(path)
    known = {**ALL, **(vars(load(own)) if own else {})}
    with naming(path.name):
        problems = understood(path.stem, notebook(path, auto), known)
    changed = list[Cell]()
    for sheet in sheets_of(path):
        with naming(sheet.relative_to(path.parent)):
            changed += notebook(sheet)["cells"]
    return replace(problems, changed=tuple(changed))


def sheets_of(path: Path) -> list[Path]:
    """Return the sheets that were handed out in place of the students' version of a master."""
    return sorted((path.parent / "sheets").rglob(path.name))


def own_checks(path: str | Path) -> Path | None:
    """Return the file with a teacher's own checks beside a master, or None if there is none."""
    own = Path(path).with_name("checks.py")
    return own if own.is_file() else None


def student_version(path: str | Path, auto: bool = False) -> str:
    """Return the students' version: the master without solutions, outputs and teacher's cells.

    A table of the questions follows the first cell. Each question says what it is worth, and what
    parts of the points are given for. The same master always gives the same text.

    Parameters
    ----------
    path : str or Path
        The master notebook.
    auto : bool
        Whether to leave out the questions in words.

    Returns
    -------
    str
        A notebook, as JSON.

    Raises
    ------
    OSError, ValueError
        As for `read_master`.
    """
    path = Path(path)
    return sheet(read_master(path, auto).handed_out, notebook(path)["metadata"])


def sheet(cells: Iterable[Cell], given: dict[str, Any]) -> str:
    """Return a notebook of these cells, with what a kernel needs of the master's metadata."""
    kept = {k: v for k, v in given.items() if k in ("kernelspec", "language_info")}
    version = {"cells": list(cells), "metadata": kept, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(version, ensure_ascii=False, indent=1) + "\n"


def defining(function: str) -> re.Pattern[str]:
    """Return a pattern for the line of a cell that defines a function."""
    name = re.escape(function)
    return re.compile(rf"^[ \t]*(?:async[ \t]+)?def[ \t]+{name}\b|^{name}[ \t]*=(?!=)", flags=re.M)


# ------------------------------------------------------------------------ reading a master


@contextmanager
def naming(name: str | Path) -> Iterator[None]:
    """Prefix error messages with the name of a notebook."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def demand(fine: bool, sentence: str) -> None:
    """Raise `ValueError` with this sentence unless the condition holds."""
    if not fine:
        raise ValueError(sentence)


def notebook(path: Path, auto: bool = False) -> dict[str, Any]:
    """Return a notebook of format 4, each cell with its source as one text; see `in_code`."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"not a notebook; {error}") from None
    demand(
        isinstance(found, dict) and found.get("nbformat") == 4 and "cells" in found,
        "not a notebook of format 4",
    )
    found.setdefault("metadata", {})
    for cell in found["cells"]:
        cell["source"] = "".join(cell["source"])
        cell.setdefault("metadata", {})
    return {**found, "cells": list(in_code(found["cells"]))} if auto else dict(found)


def in_code(cells: list[Cell]) -> Iterator[Cell]:
    """Yield the cells but for those of questions in words, each from its heading to the next."""
    words, kept = set(), True
    for cell in cells:
        match cell["metadata"]:
            case {"question": {"id": name, "title": title, "rubric": _}}:
                words.add(f"## {name} {title}")
    for number, cell in enumerate(cells):
        if heads := re.findall(r"^## .+", cell["source"], re.M) * (cell["cell_type"] == "markdown"):
            kept = not words.issuperset(heads)
        if kept:
            yield cell
        if number == 0:
            yield {"cell_type": "markdown", "id": "left-out", "metadata": {}, "source": LEFT_OUT}


def understood(name: str, master: dict[str, Any], known: dict[str, Check]) -> ProblemSet:
    """Return the problem set of a parsed master, with these checks."""
    cells = master["cells"]
    text, questions = prose(cells), list[Question]()
    for cell in cells:
        blank(cell)  # the markers must pair up everywhere
        if "question" in cell["metadata"]:
            found = question(cell, known)
            demand(found.id not in [q.id for q in questions], f"question {found.id} comes twice")
            demand(
                heading(found) in text.split("\n"),
                f"no line `{heading(found)}` stands above question {found.id}",
            )
            questions.append(found)
    demand(bool(questions), "no cell has the metadata `question`")
    headings = re.findall(r"^# +(.+?) *$", text, flags=re.M)
    demand(bool(headings), "no cell has a heading `# …`, for the title")
    given = master["metadata"].get("perceptron_notes", {})
    demand(
        isinstance(given, dict) and given.get("imports", "refuse") == "refuse",
        f"the metadata `perceptron_notes` is {given!r}; expected `imports`: refuse, or none",
    )
    code = tuple(cell["source"] for cell in cells if cell["cell_type"] == "code")
    given_out = tuple(students_cells(cells, questions))
    return ProblemSet(name, headings[0], tuple(questions), "imports" in given, code, given_out)


def prose(cells: list[Cell]) -> str:
    """Return all Markdown of the cells."""
    return "\n\n".join(cell["source"] for cell in cells if cell["cell_type"] == "markdown")


def heading(question: Question) -> str:
    """Return the line that stands above a question."""
    return f"## {question.id} {question.title}"


def question(cell: Cell, known: dict[str, Check]) -> Question:
    """Return the question that an answer cell belongs to."""
    given = cell["metadata"]["question"]
    demand(isinstance(given, dict), f"the metadata `question` is {given!r}")
    name = f"question {given.get('id', '?')}"
    kinds = {"id": str, "title": str, "outcome": str, "minutes": int, "points": int}
    for key, kind in kinds.items():
        demand(
            type(given.get(key)) is kind,
            f"{name} has {key}: {given.get(key)!r}; expected {kind.__name__}",
        )
    rest = set(given) - set(kinds)
    demand(
        rest in ({"check"}, {"check", "criteria"}, {"rubric"}),
        f"{name} has {sorted(rest)}; expected `check` for code, or `rubric` for words",
    )
    demand(given["points"] > 0 and given["minutes"] > 0, f"{name} has no points, or no minutes")
    if "check" in given:
        return coded(cell, given, name, known)
    demand(
        cell["cell_type"] == "markdown", f"{name} has a rubric, but its answer is no Markdown cell"
    )
    rubric = rows(given, "rubric", [int, str], name)
    return Question(**{**given, "check": None, "rubric": tuple(map(tuple, rubric))})


def rows(given: dict[str, Any], key: str, kinds: list[type], name: str) -> list[list[Any]]:
    """Return what the points of a question are given for; together they must be its points."""
    found = given[key]
    demand(
        isinstance(found, list)
        and all(isinstance(row, list) and list(map(type, row)) == kinds for row in found),
        f"{name} has a {key} that is no list of [{', '.join(kind.__name__ for kind in kinds)}]",
    )
    points = [row[0] for row in found]
    demand(
        sum(points) == given["points"] and min(points) > 0,
        f"{name} is worth {given['points']} points, but its {key} {' + '.join(map(str, points))}",
    )
    return list(found)


def coded(cell: Cell, given: dict[str, Any], name: str, known: dict[str, Check]) -> Question:
    """Return a question whose answer is a function."""
    check = known.get(str(given["check"]))
    if check is None:
        names = ", ".join(known)
        raise ValueError(f"{name} has the check {given['check']!r}; expected one of {names}")
    demand(cell["cell_type"] == "code", f"{name} has a check, but its answer is no code cell")
    demand(BEGIN in cell["source"], f"{name} has no line `{BEGIN}`")
    demand(
        defining(check.function).search(cell["source"]) is not None,
        f"{name} does not define {check.function}(…), which its check calls",
    )
    criteria = criteria_of(check, given, name)
    return Question(**{**given, "check": check, "rubric": (), "criteria": criteria})


def criteria_of(check: Check, given: dict[str, Any], name: str) -> tuple[Criterion, ...]:
    """Return the parts of the points: one for each group of the check's data sets."""
    if not given.get("criteria"):
        return ()
    criteria = [Criterion(*row) for row in rows(given, "criteria", [int, str, str], name)]
    groups = [part.group for part in criteria]
    demand(
        sorted(groups) == sorted(check.groups),
        f"{name} has criteria for {', '.join(groups)}; "
        f"expected one for each of {', '.join(check.groups)}",
    )
    return tuple(criteria)


# --------------------------------------------------------------------- the students' version


def students_cells(cells: list[Cell], questions: list[Question]) -> Iterator[Cell]:
    """Yield the cells that students get; a table of the questions follows the first."""
    table: Cell = {"cell_type": "markdown", "id": "questions", "metadata": {}}
    table["source"] = overview(questions)
    named = {heading(question): question for question in questions}
    for number, cell in enumerate(cells):
        if "teacher" not in cell["metadata"].get("tags", []):
            yield clean(cell, named)
        if number == 0:
            yield table


def clean(cell: Cell, questions: dict[str, Question]) -> Cell:
    """Return a cell without solution, outputs and metadata; points follow a question's heading."""
    kept: Cell = {k: cell[k] for k in ("cell_type", "id") if k in cell}
    lines = blank(cell).split("\n")
    asked = [questions[line] for line in lines if line in questions]
    kept |= {"metadata": {}, "source": "\n".join([worth(line, questions) for line in lines])}
    kept["source"] += "".join(f"\n\n{parts(each)}" for each in asked if each.criteria)
    if cell["cell_type"] == "code":
        kept |= {"execution_count": None, "outputs": []}
    return kept


def worth(line: str, questions: dict[str, Question]) -> str:
    """Append a question's points below its heading."""
    if line not in questions:
        return line
    this = questions[line]
    return f"{line}\n\n*{this.points} points, about {this.minutes} minutes*"


def parts(question: Question) -> str:
    """Return the criteria of a question's points in words."""
    lines = [f"- {part.points} of {question.points}: {part.what}" for part in question.criteria]
    return "\n".join(["How the points are given:", "", *lines])


def blank(cell: Cell) -> str:
    """Return the source of a cell with a blank where the solution was."""
    if cell["cell_type"] == "markdown":
        return TEXT_BLANK if "question" in cell["metadata"] else str(cell["source"])
    return "\n".join(without_solutions(cell["source"].split("\n")))


def without_solutions(lines: list[str]) -> Iterator[str]:
    """Yield the lines of a cell, with one blank for each solution."""
    opened: str | None = None
    for line in lines:
        indent, text = line[: len(line) - len(line.lstrip())], line.strip()
        if text == BEGIN:
            demand(opened is None, f"a line `{BEGIN}` follows another without `{END}`")
            opened = indent
            yield indent + CODE_BLANK
        elif text == END:
            demand(opened == indent, f"a line `{END}` has no `{BEGIN}` of its indentation")
            opened = None
        elif opened is None:
            demand(BEGIN not in line and END not in line, f"the line {text!r} is no marker")
            yield line
    demand(opened is None, f"a line `{BEGIN}` has no `{END}`")


def overview(questions: list[Question]) -> str:
    """Return a table of the questions, with the points and minutes of each."""
    rows = [
        f"| {q.id} | **{q.title}{'' if q.title[-1] in '?!.' else ':'}** {q.outcome} "
        f"| {q.points} | {q.minutes} |"
        for q in questions
    ]
    points, minutes = sum(q.points for q in questions), sum(q.minutes for q in questions)
    return "\n".join(
        [
            "| no. | Here you show that you can … | points | minutes |",
            "|---|---|---|---|",
            *rows,
            f"| | **all** | **{points}** | **{minutes}** |",
        ]
    )
