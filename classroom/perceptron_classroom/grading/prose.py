"""The written answers in a notebook: where they are, and what stands for them."""

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
#: What a cell put out when it was graded, by its number among the cells of code.
Outputs = dict[str, list[dict[str, Any]]]

#: Cells of a notebook that are looked at.
NOTEBOOK = 2_000


@dataclass(frozen=True)
class Answer:
    """What a person reads of one question.

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
    """What is new in a cell, and the question below whose heading it stands."""

    question: str
    cell: Cell


# --------------------------------------------------------------------------- where they are


def read_answers(
    problems: ProblemSet, path: Path | None, home: Path | None, ran: Outputs | None = None
) -> dict[str, Answer]:
    """Return the written answers of a submission, with what its cells put out when they `ran`.

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
    """Return what a student wrote and drew where a person must read, by question.

    Nothing in a notebook tells the answers' cells for sure: students add, split and delete cells,
    and write where there is room. So what counts is what was not handed out, and below which
    heading it stands. Nothing of it is lost: where a blank is as it was, all that is new in the
    notebook goes with it, but for the answers in code.
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
    """Yield the cells; each of code knows its number, and what it put out when it ran."""
    number = 0
    for cell in cells:
        number += cell["cell_type"] == "code"
        known = {"number": str(number), "ran": ran.get(str(number))}
        yield cell | (known if cell["cell_type"] == "code" else {})


def laid_out(problems: ProblemSet, cells: Iterator[Cell]) -> tuple[list[Part], set[str]]:
    """Return what is new in a notebook, and the questions whose blanks are as they were."""
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
    """Tell whether a cell holds words, not code."""
    return bool(cell["cell_type"] != "code")


def pieces_of(cell: Cell) -> list[str]:
    """Return the paragraphs of words, the lines of code."""
    return re.split(r"\n\s*\n" if is_words(cell) else r"\n", cell["source"])


def bare(text: str) -> str:
    """Return a text without the differences in white space that editors make."""
    return " ".join(text.split())


def names(cell: Cell, question: str) -> bool:
    """Tell whether a line of a cell begins with the number of a question, or nearly so."""
    line = rf"^[^\w=(\n]*(?:\w+[^\w=(\n]+){{0,4}}?{re.escape(question)}(?![.\d]*\d)"
    return re.search(line, cell["source"], flags=re.M) is not None


def defines(problems: ProblemSet, cell: Cell) -> bool:
    """Tell whether a cell answers a question in code."""
    functions = [question.check.function for question in problems.questions if question.check]
    return not is_words(cell) and any(defining(each).search(cell["source"]) for each in functions)


def untouched(answers: dict[str, Answer]) -> Iterator[str]:
    """Yield a remark on each blank that was left alone, though something else is new."""
    for question, answer in answers.items():
        if answer.open and (answer.own or any(map(is_words, answer.elsewhere))):
            yield f"{question}: its blank is empty; all that is new elsewhere is shown with it"


# --------------------------------------------------------------------- what stands for them


def fingerprint(answer: Answer) -> str:
    """Return what stands for an answer: it changes when what is to be read changes.

    Running a cell again with the same result leaves it as it is.
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
    """Return what stands for a text; the letter keeps spreadsheets from taking it for a number."""
    return "x" + hashlib.sha256(text.encode(errors="replace")).hexdigest()[:12]


def outputs_of(cell: Cell, name: str = "outputs") -> list[dict[str, Any]]:
    """Return the outputs of a cell, as far as they are any; those of the grading are ``ran``."""
    outputs = cell.get(name)
    found = outputs if isinstance(outputs, list) and cell.get("cell_type") == "code" else []
    return [output for output in found if isinstance(output, dict)]


def versions(problems: ProblemSet, path: Path | None, home: Path | None) -> dict[str, str]:
    """Return what stands for a notebook and each written answer: another text, another number."""
    if path is None:
        return {"notebook": "none"}
    try:
        cells = read_notebook(path, problems.name, home)
    except Unreadable:
        return {"notebook": "unreadable"}
    found = answers_of(problems, cells)
    written = {f"answer:{name}": fingerprint(answer) for name, answer in found.items()}
    # Output does not count.
    text = repr([(cell["source"], cell.get("attachments")) for cell in cells])
    return {"notebook": sign(text), **written}
