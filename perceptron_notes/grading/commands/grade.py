"""``perceptron-notes grade``: grade the submissions of a class."""

from __future__ import annotations

import argparse
import os
import secrets
from collections import Counter
from pathlib import Path

from perceptron_notes.grading import batch, collect, report, table
from perceptron_notes.grading.batch import Class
from perceptron_notes.grading.collect import Submission
from perceptron_notes.grading.journal import Journal, key_of
from perceptron_notes.grading.sandbox import Refused, Sandbox, gather_fonts
from perceptron_notes.grading.submission import PATIENCE, Graded
from perceptron_notes.grading.terminal import Commands, Progress, positive, say
from perceptron_notes.problem_sets import ProblemSet, read

__all__ = ["add"]

#: A shorter secret could be guessed.
SECRET = 16


def add(commands: Commands) -> None:
    """Describe the command.

    Parameters
    ----------
    commands : Commands
        Those of the program.
    """
    parser = commands.add_parser("grade", help="grade the submissions of a class")
    parser.add_argument("master", type=Path, help="the master notebook")
    parser.add_argument(
        "submissions", type=Path, help="a folder of notebooks, or of folders with one each"
    )
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("grades.csv"), help="the table; grades.csv"
    )
    parser.add_argument(
        "--secret-file", type=Path, help="what the data are drawn from; made beside the table"
    )
    parser.add_argument("--roster", type=Path, help="a table with the columns student and file")
    parser.add_argument("--feedback", type=Path, help="a folder for a page for each student")
    parser.add_argument(
        "--jobs", type=positive, default=os.cpu_count() or 1, help="how many to grade at once"
    )
    parser.add_argument(
        "--timeout",
        type=positive,
        default=20,
        help=f"seconds for a cell or a check; a notebook gets {PATIENCE} times as many (20)",
    )
    parser.add_argument(
        "--only", metavar="STUDENT", help="grade one student anew, and say what was found"
    )
    parser.add_argument(
        "--unsafe", action="store_true", help="run students' code with your rights, unconfined"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Grade the submissions, and write the table and the pages."""
    problems = read(options.master)
    old = table.read_table(options.output, problems)
    roster = None if options.roster is None else collect.read_roster(options.roster)
    submissions = collect.find(options.submissions, roster, problems.name)
    if options.only is not None:
        submissions = [this for this in submissions if this.student == options.only]
    if not submissions:
        whose = "" if options.only is None else f" of the student {options.only!r}"
        raise Refused(f"{options.submissions} holds no submission{whose}")
    secret = take_secret(options.secret_file, options.output)
    fonts = None if options.unsafe else gather_fonts()
    sandbox = Sandbox(options.unsafe, 2 * PATIENCE * options.timeout, fonts)
    keep_apart(options, sandbox)
    group = Class(options.master, secret, sandbox, options.timeout)

    journal = Journal(options.output.with_name(options.output.name + ".journal"))
    results = grade_rest(group, problems, submissions, journal, options)
    new = [batch.row_of(this, results[this.student], problems) for this in submissions]
    rows, kept = table.merge(old, new, journal.given, problems)
    table.write_table(options.output, rows, problems)
    ids = [question.id for question in problems.questions]
    journal.add({"given": {row["student"]: {name: row[name] for name in ids} for row in new}})
    if options.feedback is not None:
        by_student = {row["student"]: row for row in rows}
        write_pages(options, problems, submissions, results, by_student)
    for line in kept:
        say(f"kept points that were entered by hand: {line}")
    if options.only is not None:
        explain(problems, results[options.only])
    counts = Counter(row["status"] for row in new).most_common()
    say(f"{options.output}: " + ", ".join(f"{count} {status}" for status, count in counts))
    return 0


def grade_rest(
    group: Class,
    problems: ProblemSet,
    submissions: list[Submission],
    journal: Journal,
    options: argparse.Namespace,
) -> dict[str, Graded]:
    """Take from the journal what is there, and grade the rest."""
    keys = {this.student: key_of(this, group) for this in submissions}
    results: dict[str, Graded] = {}
    rest = []
    for this in submissions:
        known = batch.ungraded(this, problems, group.secret) or journal.done.get(keys[this.student])
        if known is not None and (options.only is None or len(this.paths) != 1):
            results[this.student] = known
        else:
            rest.append(this)
    if len(rest) < len(submissions) and rest:
        say(f"{len(submissions) - len(rest)} are done or cannot be graded, {len(rest)} are left")
    progress = Progress(len(rest))
    for this, graded in batch.grade_all(group, rest, min(options.jobs, max(1, len(rest)))):
        results[this.student] = graded
        journal.finish(keys[this.student], graded)
        progress.step()
    return results


def take_secret(path: Path | None, output: Path) -> bytes:
    """The secret, made if there is none and the teacher named no file."""
    made = path is None
    path = output.with_suffix(".secret") if path is None else path
    if made and not path.exists():
        # Readable for its owner only, from the first moment on.
        with open(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            file.write(secrets.token_hex(32) + "\n")
        say(f"{path}: a new secret. Keep it: the same data are drawn from it again.")
    if not path.exists():
        raise Refused(f"{path} does not exist; without --secret-file, a secret is made")
    secret = path.read_bytes().strip()
    if len(secret) < SECRET:
        raise Refused(f"{path} holds {len(secret)} characters; expected at least {SECRET}")
    if os.name == "posix" and path.stat().st_mode & 0o077:
        say(f"{path} can be read by others on this machine; chmod 600 keeps it secret.")
    return secret


def keep_apart(options: argparse.Namespace, sandbox: Sandbox) -> None:
    """Students' code must not see what is theirs alone, nor may output fall among submissions."""
    folder = options.submissions.resolve()
    for path in (options.output, options.feedback):
        if path is not None and path.resolve().is_relative_to(folder):
            raise Refused(f"{path} lies among the submissions, where nothing is written")
    for path in (options.output, options.secret_file, options.submissions, options.master):
        seen = None if path is None else sandbox.exposed(path)
        if seen is not None:
            raise Refused(f"{path} lies in {seen}, which students' code can read; move it away")


def write_pages(
    options: argparse.Namespace,
    problems: ProblemSet,
    submissions: list[Submission],
    results: dict[str, Graded],
    rows: dict[str, table.Row],
) -> None:
    """Write a page for every student."""
    options.feedback.mkdir(parents=True, exist_ok=True)
    handed_out = report.handed_out(options.master)
    for this in submissions:
        path = this.paths[0] if len(this.paths) == 1 else None
        row, graded = rows[this.student], results[this.student]
        text = report.page(problems, handed_out, path, graded, row)
        file = options.feedback / report.file_name(this.student)
        file.write_text(text, encoding="utf-8", errors="replace")


def explain(problems: ProblemSet, graded: Graded) -> None:
    """Say what was found in one submission, for an appeal."""
    for remark in graded.remarks:
        say(remark)
    for question in problems.questions:
        result = graded.questions[question.id]
        if question.check:
            say(f"{question.id}: {result['points']} of {question.points}, seed {result['seed']}")
            say(result.get("report", "all right") + "\n")
