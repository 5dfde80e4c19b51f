"""Find the written answers in a notebook, and compute their fingerprints."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from perceptron_classroom.grading.collect import Submission
from perceptron_classroom.grading.intake import Unreadable, first_line, read_notebook
from perceptron_classroom.problem_sets import TEXT_BLANKS, ProblemSet, defining

__all__ = [
    "Answer",
    "Cell",
    "answers_of",
    "fingerprint",
    "in_class",
    "outputs_of",
    "read_answers",
    "remarks",
    "versions",
]

Cell = dict[str, Any]
#: The outputs of a cell when it was graded, by its number among the code cells.
Outputs = dict[str, list[dict[str, Any]]]

#: From how many notebooks on a class is one, and how many paragraphs of each are compared.
CLASS, COMPARED = 5, 2_000
#: A picture; students' names for theirs are alike.
PICTURED = re.compile(r"!\[|<img|attachment:")


@dataclass(frozen=True)
class Answer:
    """The written answer to one question, for a person to read.

    Attributes
    ----------
    own : list of dict
        The cells that are new or changed between its heading and the next one; of a changed cell,
        the paragraphs that are new.
    elsewhere : list of dict
        What names the question elsewhere, and what is new above it, below questions in code; all
        else that is new, if it is open.
    open : bool
        Whether no words were written into the question's blank.
    blank : bool
        Whether that stands there as it was handed out.
    named : bool
        Whether the question is named elsewhere.
    shared : list of dict
        What more than half of the class has word for word: the sheet's, as it seems.
    """

    own: list[Cell]
    elsewhere: list[Cell]
    open: bool = True
    blank: bool = False
    named: bool = False
    shared: list[Cell] = field(default_factory=list)


class Part(NamedTuple):
    """The new part of a cell, whose heading it follows, and whether more than half have it."""

    question: str
    #: The same, if a person reads it, or the next that is.
    near: str
    cell: Cell
    shared: bool


# --------------------------------------------------------------------------- where they are


def read_answers(
    problems: ProblemSet, path: Path | None, home: Path | None, ran: Outputs | None = None
) -> dict[str, Answer]:
    """Return the written answers of a submission, with its cells' outputs when they `ran`.

    `home` is the student's own folder, whose pictures are shown.
    """
    try:
        cells = read_notebook(path, problems.name, home) if path else []
    except Unreadable:
        cells = []
    return answers_of(problems, cells, ran)


def answers_of(
    problems: ProblemSet, cells: list[Cell], ran: Outputs | None = None
) -> dict[str, Answer]:
    """Return a student's text and drawings that a person must read, by question.

    Nothing in a notebook marks the answers' cells reliably: students add, split and delete cells,
    and write anywhere. So an answer is whatever was not handed out, under the question whose
    heading it follows. Nothing is lost: what is new below a question in code, but for the answer
    itself, goes with the next written question; where a blank is unchanged, everything does.
    """
    parts, blanks = laid_out(problems, numbered(cells, ran or {}))
    answers = {}
    for question in written(problems):
        own = [part.cell for part in parts if part.question == question and not part.shared]
        filled = question not in blanks and any(map(is_words, own))
        others = [part for part in parts if part.question != question and not part.shared]
        named = [names(part.cell, question) for part in others]
        rest = [
            part.cell
            for part, here in zip(others, named, strict=True)
            if here or ((part.near == question or not filled) and not graded(problems, part.cell))
        ]
        shared = [part.cell for part in parts if part.shared and part.near == question]
        answers[question] = Answer(own, rest, not filled, question in blanks, any(named), shared)
    return answers


def written(problems: ProblemSet) -> list[str]:
    """Return the questions that a person reads."""
    return [question.id for question in problems.questions if not question.check]


def nearest(problems: ProblemSet, question: str) -> str:
    """Return a question if it is written, else the next that is, or the last."""
    ids, asked = [each.id for each in problems.questions], written(problems)
    after = ids[ids.index(question) if question else 0 :]
    return next((each for each in after if each in asked), asked[-1] if asked else "")


def numbered(cells: list[Cell], ran: Outputs) -> Iterator[Cell]:
    """Yield the cells; code cells get their number, and their outputs when they ran."""
    number = 0
    for cell in cells:
        number += cell["cell_type"] == "code"
        known = {"number": str(number), "ran": ran.get(str(number))}
        yield cell | (known if cell["cell_type"] == "code" else {})


def laid_out(problems: ProblemSet, cells: Iterable[Cell]) -> tuple[list[Part], set[str]]:
    """Return the new parts of a notebook, and the questions whose blanks are unchanged."""
    sheets = (*problems.handed_out, *problems.changed)
    given = {bare(piece) for cell in sheets for piece in pieces_of(cell)}
    cells = list(cells)
    begins = headings(problems, cells, given)
    asked, seen = written(problems), set[str]()
    question, parts, blanks = "", list[Part](), set[str]()
    for cell in cells:
        if bare(cell["source"]) in TEXT_BLANKS:
            blanks.add(question)
        new: dict[tuple[str, bool], list[str]] = {}
        for piece in pieces_of(cell):
            found = begins.get(title(piece)) if is_words(cell) else None
            if found and (found in asked or found not in seen):
                question = found  # unless an answer quotes the heading of a question in code
                seen.add(found)
            if bare(piece) and bare(piece) not in given:
                shared = bool(problems.shared) and is_words(cell)
                shared = shared and sign(bare(piece)) in problems.shared
                new.setdefault((question, shared), []).append(piece)
        for (below, shared), pieces in new.items():
            source = "\n\n".join(pieces) if is_words(cell) else cell["source"]
            parts.append(Part(below, nearest(problems, below), cell | {"source": source}, shared))
    return parts, blanks


def headings(problems: ProblemSet, cells: list[Cell], given: set[str]) -> dict[str, str]:
    """Return the headings that begin a question: those that were handed out.

    Any other that begins with its number is a student's ("1.4 against 1.5"), unless that of a
    written question is nowhere in the notebook, as somebody has changed it.
    """
    ids = "|".join(re.escape(question.id) for question in problems.questions)
    line = re.compile(rf"\s*#+\s*({ids})(?![.\d]*\d)")
    begins = {title(piece): found[1] for piece in given if (found := line.match(piece))}
    pieces = [piece for cell in cells if is_words(cell) for piece in pieces_of(cell)]
    there = {begins.get(title(piece)) for piece in pieces}
    others = {found[1]: title(each) for each in reversed(pieces) if (found := line.match(each))}
    lacking = {*written(problems)} - there
    return begins | {others[number]: number for number in lacking & others.keys()}


def title(piece: str) -> str:
    """Return a heading without its marks, which students change."""
    return bare(piece).lstrip("# ") if piece.lstrip().startswith("#") else ""


def in_class(problems: ProblemSet, submissions: Iterable[Submission]) -> ProblemSet:
    """Return a problem set that knows which new paragraphs more than half of a class has.

    They are a sheet's that was changed before it was handed out. So are copied answers, perhaps:
    these paragraphs are shown, but folded.
    """
    counts, read = Counter[str](), 0
    for path in {this.paths[0] for this in submissions if len(this.paths) == 1}:
        try:
            parts, _ = laid_out(problems, read_notebook(path, problems.name))
        except Unreadable:
            continue
        read += 1
        new = (
            sign(bare(piece))
            for part in parts
            if is_words(part.cell) and "attachments" not in part.cell
            for piece in pieces_of(part.cell)
            if not PICTURED.search(piece)
        )
        counts.update(set(islice(new, COMPARED)))
    most = [text for text, count in counts.items() if read >= CLASS and 2 * count > read]
    return replace(problems, shared=frozenset(most))


def is_words(cell: Cell) -> bool:
    """Return whether a cell holds text, not code."""
    return bool(cell["cell_type"] != "code")


def pieces_of(cell: Cell) -> list[str]:
    """Return the paragraphs and numbered headings of a text cell, or the lines of a code cell."""
    if not is_words(cell):
        return str(cell["source"]).split("\n")
    apart = re.sub(r"^[ \t]*#+[ \t]*\d.*$", r"\n\g<0>\n", cell["source"], flags=re.M)
    return re.split(r"\n\s*\n", apart)


def bare(text: str) -> str:
    """Return a text without the differences in white space that editors make."""
    return " ".join(text.split())


def names(cell: Cell, question: str) -> bool:
    """Return whether a line of a cell begins with the number of a question, or nearly so."""
    line = rf"^[^\w=(\n]*(?:\w+[^\w=(\n]+){{0,4}}?{re.escape(question)}(?![.\d]*\d)"
    return re.search(line, cell["source"], flags=re.M) is not None


def graded(problems: ProblemSet, cell: Cell) -> bool:
    """Return whether a cell is an answer in code, and shows nothing."""
    functions = [question.check.function for question in problems.questions if question.check]
    defines = any(defining(each).search(cell["source"]) for each in functions)
    return not is_words(cell) and defines and not outputs_of(cell)


def remarks(problems: ProblemSet, cells: list[Cell], answers: dict[str, Answer]) -> Iterator[str]:
    """Yield a remark on each unchanged blank, if something else is new, and on unread words."""
    for question, answer in answers.items():
        if answer.open and (answer.own or any(map(is_words, answer.elsewhere))):
            why = "its blank is empty" if answer.blank else "no words are in place of its blank"
            yield f"{question}: {why}; all that is new elsewhere is shown with it"
    parts = [] if answers else laid_out(problems, cells)[0]
    if words := [first_line(part.cell["source"]) for part in parts if is_words(part.cell)]:
        yield f"no question asks for words, and nobody is shown {', '.join(words)}"


# --------------------------------------------------------------------- what stands for them


def fingerprint(answer: Answer) -> str:
    """Return a hash of an answer, which changes when anything to be read changes.

    Running a cell again with the same result does not change it.
    """
    seen = [
        [
            cell.get("cell_type"),
            cell["source"],
            cell.get("attachments"),
            [
                [output.get(key) for key in ("text", "data", "evalue")]
                for output in outputs_of(cell)
            ],
        ]
        for cell in (*answer.own, *answer.elsewhere, *answer.shared)
    ]
    return sign(json.dumps(seen, sort_keys=True))


def sign(text: str) -> str:
    """Return a hash of a text; its letter keeps spreadsheets from reading it as a number."""
    return "x" + hashlib.sha256(text.encode(errors="replace")).hexdigest()[:12]


def outputs_of(cell: Cell, name: str = "outputs") -> list[dict[str, Any]]:
    """Return the valid outputs of a cell; those of the grading are in ``ran``."""
    outputs = cell.get(name)
    found = outputs if isinstance(outputs, list) and cell.get("cell_type") == "code" else []
    return [output for output in found if isinstance(output, dict)]


def versions(problems: ProblemSet, path: Path | None, home: Path | None) -> dict[str, str]:
    """Return a hash of a notebook and of each written answer."""
    if path is None:
        return {"notebook": "none"}
    try:
        cells = read_notebook(path, problems.name, home)
    except Unreadable:
        return {"notebook": "unreadable"}
    # What the rest of the class hands in changes nobody's answer.
    found = answers_of(replace(problems, shared=frozenset()), cells)
    written = {f"answer:{name}": fingerprint(answer) for name, answer in found.items()}
    # Outputs do not count.
    text = repr([(cell["source"], cell.get("attachments")) for cell in cells])
    return {"notebook": sign(text), **written}
