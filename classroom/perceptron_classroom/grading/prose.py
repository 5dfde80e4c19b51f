"""The written answers in a notebook: where they are, and what stands for them."""

from __future__ import annotations

import hashlib
import json
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from perceptron_classroom.grading.intake import Unreadable, read_notebook
from perceptron_classroom.problem_sets import TEXT_BLANK, ProblemSet, student_version

__all__ = [
    "Cell",
    "answers_of",
    "by_question",
    "fingerprint",
    "handed_out",
    "outputs_of",
    "versions",
    "written_answers",
]

Cell = dict[str, Any]

#: Cells of a notebook that are looked at.
NOTEBOOK = 2_000


# --------------------------------------------------------------------------- where they are


def handed_out(master: Path) -> list[Cell]:
    """Return the cells that students got."""
    cells: list[Cell] = json.loads(student_version(master))["cells"]
    return cells


def answers_of(
    problems: ProblemSet, handed_out: list[Cell], path: Path | None
) -> dict[str, list[Cell]]:
    """Return the cells of each written answer of a submission."""
    try:
        cells = read_notebook(path, problems.name) if path else []
    except Unreadable:
        cells = []
    return by_question(problems, handed_out, cells)


def by_question(
    problems: ProblemSet, handed_out: list[Cell], cells: list[Cell]
) -> dict[str, list[Cell]]:
    """Return the cells of each written answer; see `answers_of`."""
    found = written_answers(handed_out, cells)
    written = [question.id for question in problems.questions if not question.check]
    return {name: found.get(str(order), []) for order, name in enumerate(written)}


def written_answers(handed_out: list[Cell], cells: list[Cell]) -> dict[str, list[Cell]]:
    """Return what a student wrote and drew where a person must read.

    Nothing in a notebook tells the answers' cells for sure: students add, split and delete
    cells. So the notebook is laid beside the one that was handed out, and an answer is all
    that stands between the nearest cells that are still as they were.
    """
    cells = cells[:NOTEBOOK]
    texts = [(cell["cell_type"], "".join(cell["source"]).strip()) for cell in handed_out]
    blanks = [i for i, text in enumerate(texts) if text == ("markdown", TEXT_BLANK)]
    theirs = [(cell.get("cell_type"), cell["source"].strip()) for cell in cells]
    # A blank is the place for an answer, so it must not count as unchanged.
    unchanged = [None if i in blanks else text for i, text in enumerate(texts)]
    blocks = SequenceMatcher(None, unchanged, theirs, autojunk=False).get_matching_blocks()
    place = {block.a + k: block.b + k for block in blocks for k in range(block.size)}
    answers = {}
    for order, blank in enumerate(blanks):
        start = max((place[i] + 1 for i in place if i < blank), default=0)
        stop = min((place[i] for i in place if i > blank), default=len(cells))
        answers[str(order)] = [
            cell
            for cell, text in zip(cells[start:stop], theirs[start:stop], strict=True)
            if text not in (("markdown", TEXT_BLANK), ("markdown", ""), ("code", ""))
        ]
    return answers


def fingerprint(cells: list[Cell]) -> str:
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
        for cell in cells
    ]
    return sign(json.dumps(seen, sort_keys=True))


def sign(text: str) -> str:
    """Return what stands for a text; the letter keeps spreadsheets from taking it for a number."""
    return "x" + hashlib.sha256(text.encode(errors="replace")).hexdigest()[:12]


def outputs_of(cell: Cell) -> list[dict[str, Any]]:
    """Return the outputs of a cell, as far as they are any."""
    outputs = cell.get("outputs")
    found = outputs if isinstance(outputs, list) and cell.get("cell_type") == "code" else []
    return [output for output in found if isinstance(output, dict)]


def versions(problems: ProblemSet, handed_out: list[Cell], path: Path | None) -> dict[str, str]:
    """Return what stands for a notebook and each written answer: another text, another number."""
    if path is None:
        return {"notebook": "none"}
    try:
        cells = read_notebook(path, problems.name)
    except Unreadable:
        return {"notebook": "unreadable"}
    found = by_question(problems, handed_out, cells)
    written = {f"answer:{name}": fingerprint(part) for name, part in found.items()}
    # Output does not count.
    text = repr([(cell["source"], cell.get("attachments")) for cell in cells])
    return {"notebook": sign(text), **written}
