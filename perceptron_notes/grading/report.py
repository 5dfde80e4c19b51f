"""What a student gets back: one page, complete in itself."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from difflib import SequenceMatcher
from html import escape
from pathlib import Path
from typing import Any

from perceptron_notes.grading.submission import Graded, Unreadable, read_notebook
from perceptron_notes.grading.table import Row, number
from perceptron_notes.problem_sets import TEXT_BLANK, ProblemSet, Question, student_version

__all__ = ["file_name", "handed_out", "page", "written_answers"]

Cell = dict[str, Any]

#: Characters of base64 in the largest picture that is taken over, and how many of them.
PICTURE, PICTURES = 2_000_000, 8
#: Cells of an answer, and characters of a cell.
CELLS, CHARACTERS = 50, 20_000

STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --soft: #f3f3f1;
  --line: #c9c9c4; --good: #0a6b2d; --bad: #a8201a; --open: #6b5300; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e3; --paper: #16181c;
  --soft: #22252b; --line: #4a4e57; --good: #7fd69a; --bad: #ff9b94; --open: #e8c96a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 52rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.1rem; margin: 0; }
p { margin: .5rem 0; }
.total { font-size: 1.25rem; font-weight: 600; }
section { border-top: 1px solid var(--line); padding: 1rem 0; }
.head { display: flex; flex-wrap: wrap; gap: .25rem 1rem; justify-content: space-between; }
.points { font-weight: 600; white-space: nowrap; }
.good { color: var(--good); } .bad { color: var(--bad); } .open { color: var(--open); }
pre { background: var(--soft); padding: .75rem; margin: .5rem 0; overflow-x: auto;
  font: .875rem/1.45 ui-monospace, Consolas, monospace; overflow-wrap: normal; }
pre.words { white-space: pre-wrap; font: inherit; overflow-wrap: anywhere; }
@media (max-width: 36rem) { pre.report { white-space: pre-wrap; } }
code { font-family: ui-monospace, Consolas, monospace; font-size: .9em; }
img { max-width: 100%; background: #fff; }
ul { margin: .5rem 0; padding-left: 1.25rem; }
"""


# --------------------------------------------------------------------------- written answers


def handed_out(master: Path) -> list[Cell]:
    """The cells that students got.

    Parameters
    ----------
    master : Path
        The master notebook.

    Returns
    -------
    list of dict
    """
    return json.loads(student_version(master))["cells"]


def written_answers(handed_out: list[Cell], cells: list[Cell]) -> dict[str, list[Cell]]:
    """What a student wrote and drew where a person must read.

    Nothing in a notebook tells the answers' cells for sure: students add, split and delete
    cells. So the notebook is laid beside the one that was handed out, and an answer is all
    that stands between the nearest cells that are still as they were.

    Parameters
    ----------
    handed_out : list of dict
        The cells that the student got.
    cells : list of dict
        The submission's cells.

    Returns
    -------
    dict
        By the number of the blank, in the master's order: the cells.
    """
    texts = [(cell["cell_type"], "".join(cell["source"]).strip()) for cell in handed_out]
    blanks = [i for i, text in enumerate(texts) if text == ("markdown", TEXT_BLANK)]
    theirs = [(cell.get("cell_type"), cell["source"].strip()) for cell in cells]
    # A blank is where an answer belongs, so it must not count as unchanged.
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


def pictures(cell: Cell) -> list[str]:
    """The pictures that a code cell had drawn when it was handed in, as base64."""
    found = []
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else []:
        match output:
            case {"data": {"image/png": str() | list() as png}}:
                text = re.sub(r"\s", "", png if isinstance(png, str) else "".join(map(str, png)))
                if len(text) <= PICTURE and is_png(text):
                    found.append(text)
    return found


def is_png(text: str) -> bool:
    """Whether it is base64 of something that begins like a PNG."""
    try:
        return base64.b64decode(text, validate=True).startswith(b"\x89PNG\r\n\x1a\n")
    except (binascii.Error, ValueError):
        return False


# ----------------------------------------------------------------------------------- pages


def file_name(student: str) -> str:
    """The name of a student's page: theirs, as far as files may be called so.

    Parameters
    ----------
    student : str
        The student.

    Returns
    -------
    str

    Examples
    --------
    >>> file_name("ann")
    'ann.html'
    """
    plain = re.sub(r'[\\/:*?"<>|\x00-\x1f]|^\.|[. ]$', "-", student)[:80]
    if plain != student:
        plain += "-" + hashlib.sha256(student.encode(errors="replace")).hexdigest()[:8]
    return plain + ".html"


def page(
    problems: ProblemSet, handed_out: list[Cell], path: Path | None, graded: Graded, row: Row
) -> str:
    """The feedback for one student.

    Parameters
    ----------
    problems : ProblemSet
        The questions.
    handed_out : list of dict
        The cells that the student got.
    path : Path or None
        The submission.
    graded : Graded
        What grading found.
    row : Row
        The row of the table, with what a person entered.

    Returns
    -------
    str
        HTML, with nothing to load.
    """
    try:
        answers = written_answers(handed_out, read_notebook(path)) if path else {}
    except Unreadable:
        answers = {}
    orders = [question.id for question in problems.questions if not question.check]
    parts = [
        checked(question, graded.questions.get(question.id, {}), row)
        if question.check
        else read_by_hand(question, answers.get(str(orders.index(question.id)), []), row)
        for question in problems.questions
    ]
    title = f"{problems.title}: {row['student']}"
    open_points = any(number(row.get(question.id, "")) is None for question in problems.questions)
    later = " so far; some answers are still to be read" if open_points else ""
    remarks = "".join(f"<li>{escape(remark)}</li>" for remark in graded.remarks)
    comment = row.get("comment", "")
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            # Whatever slips through, nothing in this page runs or loads.
            '<meta http-equiv="Content-Security-Policy" '
            "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">",
            f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>",
            f"<h1>{escape(problems.title)}</h1>\n<p>{escape(row['student'])}</p>",
            f'<p class="total">{escape(row["total"])} of {escape(row["out of"])} points{later}</p>',
            f"<p>While your notebook ran:</p>\n<ul>{remarks}</ul>" if remarks else "",
            f'<pre class="words">{escape(comment)}</pre>' if comment else "",
            *parts,
            "</main>\n</body>\n</html>\n",
        ]
    )


def heading(question: Question, row: Row) -> str:
    """The line above a question: what it is, and its points, in words and colour."""
    points = number(row.get(question.id, ""))
    if points is None:
        kind, text = "open", f"○ to be read, of {question.points}"
    else:
        kind = "good" if points >= question.points else "bad"
        text = f"{'✓' if kind == 'good' else '✗'} {points:g} of {question.points}"
    return (
        f'<div class="head"><h2>{escape(question.id)} {escape(question.title)}</h2>'
        f'<span class="points {kind}">{text}</span></div>'
    )


def checked(question: Question, result: dict[str, Any], row: Row) -> str:
    """A question that a check has judged."""
    check = question.check
    assert check is not None
    call = f"checks.{check.name}({check.function}, seed={result.get('seed')})"
    report = result.get("report", "")
    body = f'<pre class="report" tabindex="0">{escape(report)}</pre>' if report else ""
    if call not in report:
        body += f"<p>The same data in your notebook: <code>{escape(call)}</code></p>"
    return f"<section>{heading(question, row)}\n{body}</section>"


def read_by_hand(question: Question, cells: list[Cell], row: Row) -> str:
    """A question that a person reads: the answer, and what there is to be had for it."""
    rubric = "".join(f"<li>{points}: {escape(what)}</li>" for points, what in question.rubric)
    body, drawn = "", 0
    for cell in cells[:CELLS]:
        kind = "words" if cell.get("cell_type") == "markdown" else "code"
        body += f'<pre class="{kind}" tabindex="0">{escape(cell["source"][:CHARACTERS])}</pre>'
        for png in pictures(cell)[: PICTURES - drawn]:
            drawn += 1
            body += f'<img alt="A picture as it was handed in" src="data:image/png;base64,{png}">'
    answer = body or "<p>No answer was found in the notebook.</p>"
    return (
        f"<section>{heading(question, row)}\n{answer}<p>Points for</p><ul>{rubric}</ul></section>"
    )
