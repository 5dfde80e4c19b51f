"""Grade one submission: run its cells, and check its functions.

Whatever a notebook contains and whatever its process does, there is a result.
"""

from __future__ import annotations

import ast
import hashlib
import hmac
import json
import re
import symtable
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from perceptron_classroom.checks.check import SECONDS, Abandoned, Finding
from perceptron_classroom.grading.intake import Unreadable, code_of, first_line, take_in
from perceptron_classroom.grading.pieces import Allowance, pieces
from perceptron_classroom.grading.prose import Answer, answers_of, read_answers, remarks
from perceptron_classroom.grading.sandbox import Sandbox
from perceptron_classroom.grading.session import PATIENCE, Session, status_of
from perceptron_classroom.inside.calls import clean
from perceptron_classroom.inside.magics import python_of
from perceptron_classroom.problem_sets import ProblemSet, Question, defining

__all__ = ["PATIENCE", "Graded", "best", "by_hand", "grade", "seed", "unscored"]

#: Maximum number of remarks on a submission, and of characters in a remark and in a report.
REMARKS, REMARK, REPORT = 20, 600, 20_000
#: Modules that may contain ready-made answers.
PACKAGE = "perceptron_notes"
#: All statuses, from good to bad.
STATUSES = ("ok", "cell error", "timeout", "died", "unreadable", "check failed")


@dataclass
class Graded:
    """The result of grading one submission."""

    #: One of ``ok``, ``cell error``, ``timeout``, ``died``, ``unreadable``, ``check failed``.
    status: str = "ok"
    #: Remarks that explain the status.
    remarks: list[str] = field(default_factory=list)
    #: By question: ``points`` (``None`` until a person has read it), ``seed``, and where
    #: something is wrong a ``sentence`` and a ``report``, and the ``hint`` of the known mistake
    #: that gives the same answers. Where the question has criteria, ``criteria`` is a
    #: list of dicts with ``what``, ``points`` and ``earned``.
    questions: dict[str, dict[str, Any]] = field(default_factory=dict)
    #: The outputs of the cells of written answers, by their number among the code cells.
    outputs: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    #: Duration of the grading.
    seconds: float = 0.0
    #: Whether anything timed out, and another run may give more points.
    late: bool = False

    def note(self, status: str, remark: str) -> None:
        """Record a status and a remark; the worst status counts."""
        self.status = max(self.status, status, key=STATUSES.index)
        self.late = self.late or status == "timeout"
        remark = clean(remark, REMARK)
        # Cells run anew after a process has ended, and a notebook may have any number of them.
        if remark not in self.remarks and len(self.remarks) < REMARKS:
            self.remarks.append(remark)


# -------------------------------------------------------------------------------- grading


def seed(
    secret: bytes, problem_set: str, question: str, student: str, code: Sequence[str] = ()
) -> int:
    """Draw the seed of the data for one student's answer to one question.

    Changed code gets other data, even if the seed was known; the same code gets the same
    data. It has at most ten digits, which a spreadsheet shows and keeps.
    """
    message = json.dumps([problem_set, question, student, *code]).encode()
    return int.from_bytes(hmac.digest(secret, message, hashlib.sha256)) % 10**10


def unscored(problems: ProblemSet, student: str, secret: bytes, code: Sequence[str] = ()) -> Graded:
    """Return the initial result, without points."""
    graded = Graded()
    for question in problems.questions:
        result: dict[str, Any] = {"points": None}
        if question.check is not None:
            number = seed(secret, problems.name, question.id, student, code)
            result = {"points": 0, "seed": number, **earned(question, [])}
        graded.questions[question.id] = result
    return graded


def by_hand(problems: ProblemSet, student: str, secret: bytes, status: str, remark: str) -> Graded:
    """Return a result that a person must judge: until then no points, not even 0."""
    graded = unscored(problems, student, secret)
    for result in graded.questions.values():
        result["points"] = None
        result.pop("criteria", None)
    graded.status, graded.remarks = status, [clean(remark, REMARK)]
    return graded


def best(*results: Graded) -> Graded:
    """Return the result with the most points, the last among equals."""

    def points(graded: Graded) -> float:
        return sum(each["points"] or 0 for each in graded.questions.values())

    return max(reversed(results), key=points)


def grade(
    problems: ProblemSet,
    path: Path,
    student: str,
    secret: bytes,
    sandbox: Sandbox,
    seconds: float,
    home: Path | None = None,
) -> Graded:
    """Grade a submission; `home` is the student's own folder."""
    try:
        cells, noted = take_in(path, problems.name)
        code = code_of(path, problems.name)
        names = [question.check.function for question in problems.questions if question.check]
        if names and not any(defining(name).search(cell) for name in names for cell in code):
            missing = f"it defines none of {', '.join(names)}"
            raise Unreadable(f"{path.name} is not {problems.title!r}: {missing}")
    except Unreadable as error:
        return by_hand(problems, student, secret, "unreadable", f"{error}; judge it by hand")
    graded, answers = unscored(problems, student, secret, code), answers_of(problems, cells)
    noted += [*twice(names, code), *remarks(problems, cells, answers), *leaning(problems, code)]
    for remark in noted:
        graded.note("ok", remark)
    shown = [cell for answer in answers.values() for cell in (*answer.own, *answer.elsewhere)]
    kept, package = {cell["number"] for cell in shown if "number" in cell}, not problems.refuses
    with Session(sandbox, code, names, seconds, package=package, kept=kept) as session:
        if lacking := left_out(problems, code):
            session.cells = {0: "\n".join(lacking), **session.cells}
            graded.note("ok", f"put back, as it was handed out: {'; '.join(lacking)}")
        session.run(graded)
        graded.outputs = session.outputs
        for question in problems.questions:
            if question.check is None:
                continue
            graded.questions[question.id] |= examine(question, session, graded)
    # What the machine does besides lengthens computing, but no sleep.
    graded.late = graded.late and not (session.slept and session.at_work < seconds)
    name_the_cause(graded)
    for remark in unshown(read_answers(problems, path, home, graded.outputs)):
        graded.note("ok", remark)
    return graded


def unshown(answers: dict[str, Answer]) -> Iterator[str]:
    """Yield a remark on each part of an answer that its page does not show."""
    allowance = Allowance()
    for question, answer in answers.items():
        for _ in pieces(answer, allowance):
            pass
        yield from (f"{question}: {reason}" for reason in dict.fromkeys(allowance.missing))
        allowance.missing.clear()


@dataclass
class Names:
    """The names of a cell, by its syntax: what stands in comments and strings is none."""

    #: Each name that the cell binds for the notebook, with those that it reads to do so.
    made: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    #: All names that the cell expects of the notebook.
    read: set[str] = field(default_factory=set)
    #: What is imported from the package, with the name there.
    package: set[tuple[str, str]] = field(default_factory=set)


@lru_cache(2048)  # each remark asks for all cells
def names_of(cell: str) -> Names:
    """Return the names of a cell; none if it is no Python, or nested too deep to be read."""
    names = Names()
    try:
        tree = ast.parse(python_of(cell))
        tables = [symtable.symtable(ast.unparse(each), "<cell>", "exec") for each in tree.body]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return names
    for node in ast.walk(tree):
        for each in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
            if (getattr(node, "module", "") or each.name).partition(".")[0] == PACKAGE:
                names.package.add(((each.asname or each.name).partition(".")[0], each.name))
    for top in tables:
        inside, read = [top], set[str]()
        for table in inside:  # which grows
            inside += table.get_children()
            read |= {
                symbol.get_name()
                for symbol in table.get_symbols()
                if symbol.is_referenced() and (table is top or symbol.is_global())
            }
        names.read |= read
        for symbol in top.get_symbols():
            if symbol.is_assigned() or symbol.is_imported():
                names.made[symbol.get_name()] |= read
    return names


def used_by(function: str, cells: list[Names]) -> set[str]:
    """Return what a function reads, and what that is made of in turn."""
    found = [function]
    for name in found:  # which grows
        more = set[str]().union(*(cell.made.get(name, ()) for cell in cells))
        found += sorted(more.difference(found))
    return set(found)


def twice(names: list[str], code: list[str]) -> Iterator[str]:
    """Yield a remark on each function that several cells define, of which the last counts."""
    made = [(first_line(cell), names_of(cell).made) for cell in code]
    for name in names:
        lines = [line for line, bound in made if name in bound]
        if len(lines) > 1:
            cells = " and ".join(dict.fromkeys(lines))
            yield f"{name} is defined in {len(lines)} cells: {cells}; the last one counts"


def leaning(problems: ProblemSet, code: list[str]) -> Iterator[str]:
    """Yield remarks on what is imported from the package, or used of handed-out imports.

    Hidden uses (in ``getattr`` or ``eval``) are not found; where that matters, a problem
    set refuses the package.
    """
    models, cells = ([names_of(cell) for cell in each] for each in (problems.code, code))
    given = set[tuple[str, str]]().union(*(model.package for model in models))
    for source, cell in zip(code, cells, strict=True):
        if more := sorted(name for bound, name in cell.package - given):
            of = "" if more[0].startswith(PACKAGE) else f" from {PACKAGE}"
            yield f"the cell {first_line(source)} imports {', '.join(more)}{of}"
    own = {name for cell in cells for name in cell.made if name not in dict(cell.package)}
    for question in problems.questions:
        if question.check:
            name = question.check.function
            if used := sorted(
                (used_by(name, cells) - used_by(name, models) - own) & {*dict(given)}
            ):
                yield f"{question.id} uses {', '.join(used)} of {PACKAGE}, which was handed out"


def left_out(problems: ProblemSet, code: list[str]) -> list[str]:
    """Return the handed-out imports that are missing, though the code needs them."""
    cells = [names_of(cell) for cell in code]
    missing = (
        set[str]().union(*(cell.read for cell in cells)).difference(*(cell.made for cell in cells))
    )
    imports = []
    for cell in problems.code:
        try:
            body = ast.parse(python_of(cell)).body
        except (SyntaxError, ValueError):  # an exercise in broken code, for instance
            continue
        given = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
        if len(given) == len(body):  # neither an answer nor its data
            imports += given
    return [
        ast.unparse(node)
        for node in imports
        if any((each.asname or each.name).partition(".")[0] in missing for each in node.names)
    ]


def name_the_cause(graded: Graded) -> None:
    """Add a remark on an error that more than two questions share."""
    raised: dict[str, dict[str, str]] = defaultdict(dict)
    for name, result in graded.questions.items():
        error = re.search(r"your function raised (\w+): (.*)", result.get("sentence", ""))
        if error and error[1] != "NotImplementedError":
            raised[error[1]][name] = f"{error[1]}: {error[2]}"
    for errors in raised.values():
        if len(errors) > 2:
            first = next(iter(errors.values()))
            graded.note("ok", f"{', '.join(errors)} end in the same kind of error: {first}")


def examine(question: Question, session: Session, graded: Graded) -> dict[str, Any]:
    """Check one function; return the points, and what is wrong."""
    check = question.check
    assert check is not None
    if not session.alive and session.spent:
        graded.note("timeout", f"{question.id}: no time was left to run the notebook again for it")
        sentence = "No time was left for this question: functions before it took all of it."
        return {"sentence": sentence, "report": sentence}
    if not session.alive:
        session.run(graded)
    if check.function not in session.known:
        sentence = f"The notebook defines no function {check.function}."
        return {"sentence": sentence, "report": sentence}
    held: list[str] = []
    first: Finding | None = None
    try:
        with session.within(session.seconds):
            number = graded.questions[question.id]["seed"]
            for group, finding in check.results(session.function(check.function), number):
                first = first or finding
                if finding is None:
                    held.append(group)
                elif not question.criteria:
                    break
    except Abandoned as stop:
        before = f"; right until then: {', '.join(held)}" * bool(held)
        graded.note(status_of(stop), f"{question.id}: {stop}{before}")
        notes = "\n\n".join(getattr(stop, "__notes__", []))
        report = f"{check.function}: {stop}.\n\n{notes}"
        wrong = {"sentence": f"{check.function}: {stop}.", "report": report[:REPORT]}
        return {**earned(question, held), **wrong}
    except MemoryError:
        sentence = f"{check.function}: the answer takes too much memory to be looked at."
        return {"sentence": sentence, "report": sentence}
    except Exception as error:
        graded.note("check failed", f"{question.id}: {type(error).__name__}: {error}")
        sentence = "The check itself failed; your teacher will look at this answer."
        return {"points": None, "sentence": sentence, "report": sentence}
    if first is None:
        return {**earned(question, held), "points": question.points}
    patience = session.within(min(SECONDS, session.seconds))
    first = check.told(first, session.function(check.function), number, patience)
    wrong = {"sentence": clean(first.sentence, REMARK), "report": clean(first.report, REPORT)}
    return {**earned(question, held), **wrong, "hint": first.hint * bool(first.slips)}


def earned(question: Question, held: list[str]) -> dict[str, Any]:
    """Return the points by criteria, for the groups of data that passed."""
    if not question.criteria:
        return {"points": 0}
    criteria = [
        {"what": part.what, "points": part.points, "earned": part.points * (part.group in held)}
        for part in question.criteria
    ]
    return {"points": sum(part["earned"] for part in criteria), "criteria": criteria}
