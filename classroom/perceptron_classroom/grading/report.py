"""Write a student's feedback: one self-contained page."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from perceptron_classroom.grading import markup
from perceptron_classroom.grading.files import page_name, write_whole
from perceptron_classroom.grading.intake import Unreadable, first_line, read_notebook
from perceptron_classroom.grading.pieces import Allowance, pieces
from perceptron_classroom.grading.prose import read_answers
from perceptron_classroom.grading.submission import Graded
from perceptron_classroom.grading.table import Row, called, number_in
from perceptron_classroom.problem_sets import ProblemSet, Question, defining

__all__ = ["feedback_page", "style", "templates", "write_feedback"]

TEMPLATES = Path(__file__).with_name("templates")
#: Characters of a report and of a comment that a page shows.
REPORT, COMMENT = 20_000, 5_000
#: A sign for the state of a question, besides its colour.
SIGNS = {"good": "✓", "part": "◐", "bad": "✗", "open": "○"}


#: The variables of a template for a question, or for a part of its points.
Shown: TypeAlias = dict[str, Any]


def standing(earned: float | None, points: float, unread: str) -> Shown:
    """Describe the points earned, if known: a class of the stylesheet, a sign, and words."""
    if earned is None:
        kind, said = "open", unread
    else:
        kind = "good" if earned >= points else "part" if earned > 0 else "bad"
        said = f"{earned:g} of {points:g}"
    return {"kind": kind, "sign": SIGNS[kind], "said": said}


# ------------------------------------------------------------------------------- the tools


@cache
def templates() -> Environment:
    """Return the templates, which escape their variables."""
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def style(*names: str) -> Markup:
    """Return the named stylesheets joined into one; by default, that of a student's page."""
    files = [TEMPLATES / name for name in names or ["page.css"]]
    return Markup("").join(Markup(path.read_text(encoding="utf-8")) for path in files)


def digest(text: str) -> str:
    """Return the hash by which a page's security policy allows its own stylesheet."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


# -------------------------------------------------------------------------------- the page


def feedback_page(
    problems: ProblemSet,
    path: Path | None,
    graded: Graded,
    row: Row,
    marks: dict[str, dict[str, Any]] | None = None,
    reasons: Iterable[str] = (),
    home: Path | None = None,
) -> str:
    """Return the feedback for one student, with the reasons why this notebook counts.

    `home` is the student's own folder, if the notebook lies in one.
    """
    allowance = Allowance()
    answers = read_answers(problems, path, home, graded.outputs)
    shown = {name: list(pieces(answer, allowance)) for name, answer in answers.items()}
    cells = code_cells(problems, path)
    parts = [
        part_of(question, graded, row, (marks or {}).get(question.id, {}), cells)
        | {"pieces": shown.get(question.id, [])}
        for question in problems.questions
    ]
    template = templates().get_template("page.html")
    return template.render(
        title=problems.title,
        student=markup.legible(called(row), 200),
        style=style(),
        style_hash=digest(style()),
        total=f"{number_in(row['total']) or 0:g}",
        out_of=row["out of"],
        open=any(part["kind"] == "open" for part in parts),
        late=lateness(row),
        comment=note(row.get("comment", "")),
        remarks=[markup.legible(remark, 1000) for remark in (*reasons, *graded.remarks)],
        parts=parts,
    )


def part_of(
    question: Question, graded: Graded, row: Row, mark: dict[str, Any], cells: list[str]
) -> Shown:
    """Return the variables of a page for one question, except the answer in words."""
    result = graded.questions.get(question.id, {})
    points = number_in(row.get(question.id, ""))
    because = reasons(question, result, cells, graded)
    return {
        "question": question,
        **standing(points, question.points, f"to be read, of {question.points}"),
        "points": "–" if points is None else f"{points:g}",
        "criteria": criteria(question, result, mark),
        "adjusted": f"{mark['adjust']:+g}" if mark.get("adjust") else "",
        "note": note(row.get(f"comment {question.id}", "")),
        "because": because,
        "report": Markup("")
        if because
        else markup.report(markup.legible(result.get("report", ""), REPORT)),
        "call": replay(question, result),
    }


def write_feedback(folder: Path, problems: ProblemSet, *about: Any) -> None:
    """Write a student's page, whole or not at all; see `feedback_page`."""
    _, _, row, *_ = about
    text = feedback_page(problems, *about)
    write_whole(folder / page_name(row["student"]), text.encode("utf-8", "replace"))


def lateness(row: Row) -> str:
    """Return a sentence on lateness and its deduction."""
    if not number_in(row.get("deduction", "")):
        return ""
    when, rule = (markup.legible(row.get(name, ""), 100) for name in ("handed in", "late"))
    return f"Handed in late, on {when} ({rule}): {row['deduction']} points are taken off."


def note(text: str) -> Markup:
    """Render a teacher's comment, in Markdown."""
    shown = markup.legible(text, COMMENT)
    return markup.markdown_html(shown, lambda *_: Markup("")) if text else Markup("")


def criteria(question: Question, result: dict[str, Any], mark: dict[str, Any]) -> list[Shown]:
    """Return the criteria of a question's points, and the points given."""
    if question.check:
        given = result.get("criteria")
        found = [(str(each["what"]), each["points"], each["earned"]) for each in given or ()]
    else:
        earned = mark.get("earned") or []
        if len(earned) != len(question.rubric):  # not marked, or by another rubric
            earned = [None] * len(question.rubric)
        pairs = zip(question.rubric, earned, strict=True)
        found = [(what, worth, got) for (worth, what), got in pairs]
    return [
        {"what": what, **standing(got, worth, f"{worth:g} to be had")} for what, worth, got in found
    ]


def replay(question: Question, result: dict[str, Any]) -> str:
    """Return the call that replays the same data, unless the report ends with it."""
    if question.check is None or result.get("points") is None:
        return ""
    call = f"checks.{question.check.name}({question.check.function}, seed={result.get('seed')})"
    return "" if call in result.get("report", "") else call


def code_cells(problems: ProblemSet, path: Path | None) -> list[str]:
    """Return the code cells of a submission."""
    try:
        cells = read_notebook(path, problems.name) if path else []
    except Unreadable:
        return []
    return [cell["source"] for cell in cells if cell.get("cell_type") == "code"]


def reasons(
    question: Question, result: dict[str, Any], cells: list[str], graded: Graded
) -> list[str]:
    """Return why a function is missing: what happened in the cell that should define it."""
    if question.check is None or "defines no function" not in result.get("sentence", ""):
        return []
    name = question.check.function
    lines = {first_line(cell) for cell in cells if defining(name).search(cell)}
    found = [re.match(r"the cell (“.*?”): (.*)", each, flags=re.S) for each in graded.remarks]
    return [
        markup.legible(cell_failure(name, match[1], match[2]), 1000)
        for match in found
        if match and match[1] in lines
    ]


def cell_failure(name: str, cell: str, error: str) -> str:
    """Return one sentence about the cell that should define a function."""
    syntax = re.match(
        r"(SyntaxError|IndentationError|TabError): (.*?) ?\((?:<.*?>, )?line (\d+)\)", error
    )
    if syntax:
        return (
            f"The cell {cell}, which should define {name}, has a syntax error in line {syntax[3]}: "
            f"{syntax[2]}. So nothing in this cell could run."
        )
    return f"The cell {cell}, which should define {name}, did not run to its end: {error}"
