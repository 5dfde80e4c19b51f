"""Find the written answers in a notebook, and compute their fingerprints."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from perceptron_classroom.grading.intake import Unreadable, read_notebook
from perceptron_classroom.problem_sets import TEXT_BLANK, ProblemSet, defining

__all__ = [
    "Answer",
    "Cell",
    "answers_of",
    "fingerprint",
    "outputs_of",
    "read_answers",
    "untouched",
    "versions",
]

Cell = dict[str, Any]
#: The outputs of a cell when it was graded, by its number among the code cells.
Outputs = dict[str, list[dict[str, Any]]]

#: How many cells of a notebook are inspected.
NOTEBOOK = 2_000


@dataclass(frozen=True)
class Answer:
    """The written answer to one question, for a person to read.

    Attributes
    ----------
    own : list of dict
        The cells that are new or changed between its heading and the next one, and those that name
        the question; of a changed cell, the paragraphs that are new.
    elsewhere : list of dict
        All others that are new, if it is open.
    open : bool
        Whether nothing was written into the question's blank.
    """

    own: list[Cell]
    elsewhere: list[Cell]
    open: bool = True


class Part(NamedTuple):
    """The new part of a cell, and the question whose heading it follows."""

    question: str
    cell: Cell


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
    heading it follows. Nothing is lost: where a blank is unchanged, everything new in the
    notebook goes with it, except the answers in code.
    """
    parts, blanks = laid_out(problems, numbered(cells[:NOTEBOOK], ran or {}))
    answers = {}
    for question in (each.id for each in problems.questions if not each.check):
        own = [part.cell for part in parts if part.question == question]
        filled = question not in blanks and any(map(is_words, own))
        others = [part.cell for part in parts if part.question != question]
        own += [cell for cell in others if names(cell, question)]
        rest = [cell for cell in others if not (names(cell, question) or defines(problems, cell))]
        answers[question] = Answer(own, [] if filled else rest, not filled)
    return answers


def numbered(cells: list[Cell], ran: Outputs) -> Iterator[Cell]:
    """Yield the cells; code cells get their number, and their outputs when they ran."""
    number = 0
    for cell in cells:
        number += cell["cell_type"] == "code"
        known = {"number": str(number), "ran": ran.get(str(number))}
        yield cell | (known if cell["cell_type"] == "code" else {})


def laid_out(problems: ProblemSet, cells: Iterator[Cell]) -> tuple[list[Part], set[str]]:
    """Return the new parts of a notebook, and the questions whose blanks are unchanged."""
    sheets = (*problems.handed_out, *problems.changed)
    given = {bare(piece) for cell in sheets for piece in pieces_of(cell)}
    ids = "|".join(re.escape(question.id) for question in problems.questions)
    heading = re.compile(rf"\s*#+\s*({ids})(?![.\d]*\d)")
    question, parts, blanks = "", list[Part](), set[str]()
    for cell in cells:
        if bare(cell["source"]) == TEXT_BLANK:
            blanks.add(question)
        new: dict[str, list[str]] = {}
        for piece in pieces_of(cell):
            if is_words(cell) and (found := heading.match(piece)):
                question = found[1]
            if bare(piece) and bare(piece) not in given:
                new.setdefault(question, []).append(piece)
        for below, pieces in new.items():
            source = "\n\n".join(pieces) if is_words(cell) else cell["source"]
            parts.append(Part(below, cell | {"source": source}))
    return parts, blanks


def is_words(cell: Cell) -> bool:
    """Return whether a cell holds text, not code."""
    return bool(cell["cell_type"] != "code")


def pieces_of(cell: Cell) -> list[str]:
    """Return the paragraphs of a text cell, or the lines of a code cell."""
    return re.split(r"\n\s*\n" if is_words(cell) else r"\n", cell["source"])


def bare(text: str) -> str:
    """Return a text without the differences in white space that editors make."""
    return " ".join(text.split())


def names(cell: Cell, question: str) -> bool:
    """Return whether a line of a cell begins with the number of a question, or nearly so."""
    line = rf"^[^\w=(\n]*(?:\w+[^\w=(\n]+){{0,4}}?{re.escape(question)}(?![.\d]*\d)"
    return re.search(line, cell["source"], flags=re.M) is not None


def defines(problems: ProblemSet, cell: Cell) -> bool:
    """Return whether a cell answers a question in code."""
    functions = [question.check.function for question in problems.questions if question.check]
    return not is_words(cell) and any(defining(each).search(cell["source"]) for each in functions)


def untouched(answers: dict[str, Answer]) -> Iterator[str]:
    """Yield a remark on each unchanged blank, if something else is new."""
    for question, answer in answers.items():
        if answer.open and (answer.own or any(map(is_words, answer.elsewhere))):
            yield f"{question}: its blank is empty; all that is new elsewhere is shown with it"


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
        for cell in (*answer.own, *answer.elsewhere)
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
    found = answers_of(problems, cells)
    written = {f"answer:{name}": fingerprint(answer) for name, answer in found.items()}
    # Outputs do not count.
    text = repr([(cell["source"], cell.get("attachments")) for cell in cells])
    return {"notebook": sign(text), **written}
