"""The command ``perceptron-notes``: make the students' version, grade a class."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from perceptron_notes.assignments import ProblemSet, read, student_version
from perceptron_notes.grading import batch, report, table
from perceptron_notes.grading.batch import Class, Journal, Submission
from perceptron_notes.grading.sandbox import Refused, Sandbox, gather_fonts
from perceptron_notes.grading.submission import PATIENCE, Graded

__all__ = ["main"]

#: A shorter secret could be guessed.
SECRET = 16


def parser() -> argparse.ArgumentParser:
    """What the command line may say."""
    top = argparse.ArgumentParser(
        prog="perceptron-notes", description="Hand out problem sets and grade what comes back."
    )
    commands = top.add_subparsers(dest="command", required=True)
    student = commands.add_parser("student", help="make the version of a master for students")
    student.add_argument("master", type=Path, help="the master notebook, with solutions")
    student.add_argument("-o", "--output", type=Path, help="where to write it; printed if left out")
    grading = commands.add_parser("grade", help="grade the submissions of a class")
    grading.add_argument("master", type=Path, help="the master notebook")
    grading.add_argument(
        "submissions", type=Path, help="a folder of notebooks, or of folders with one each"
    )
    grading.add_argument(
        "-o", "--output", type=Path, default=Path("grades.csv"), help="the table; grades.csv"
    )
    grading.add_argument(
        "--secret-file", type=Path, help="what the data are drawn from; made beside the table"
    )
    grading.add_argument("--roster", type=Path, help="a table with the columns student and file")
    grading.add_argument("--feedback", type=Path, help="a folder for a page for each student")
    grading.add_argument(
        "--jobs", type=positive, default=os.cpu_count() or 1, help="how many to grade at once"
    )
    grading.add_argument(
        "--timeout",
        type=positive,
        default=20,
        help=f"seconds for a cell or a check; a notebook gets {PATIENCE} times as many (20)",
    )
    grading.add_argument(
        "--only", metavar="STUDENT", help="grade one student anew, and say what was found"
    )
    grading.add_argument(
        "--unsafe", action="store_true", help="run students' code with your rights, unconfined"
    )
    return top


def positive(text: str) -> int:
    """A whole number from 1 on."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} was given; expected a whole number from 1 on")
    return int(text)


def main(words: Sequence[str] | None = None) -> int:
    """Do what the command line says.

    Parameters
    ----------
    words : sequence of str, optional
        The command line without the program's name; that of the process if left out.

    Returns
    -------
    int
        0 if all went well, 1 if not, 130 if it was stopped.
    """
    options = parser().parse_args(words)
    try:
        return {"student": hand_out, "grade": grade_class}[options.command](options)
    except (Refused, ValueError, OSError) as error:
        say(f"perceptron-notes: {error}")
        return 1
    except KeyboardInterrupt:
        say("\nStopped. The same command goes on from here.")
        return 130


def say(text: str) -> None:
    """Tell the teacher; the terminal may lack a character of a student's name."""
    coding = sys.stderr.encoding or "utf-8"
    print(text.encode(coding, "replace").decode(coding), file=sys.stderr, flush=True)


# ---------------------------------------------------------------------------- the commands


def hand_out(options: argparse.Namespace) -> int:
    """Make the version for students."""
    text = student_version(options.master)
    if options.output is None:
        sys.stdout.write(text)
        return 0
    if options.output.resolve() == options.master.resolve():
        raise Refused(f"{options.output} is the master itself; expected another file")
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(text, encoding="utf-8", newline="\n")
    return 0


def grade_class(options: argparse.Namespace) -> int:
    """Grade the submissions, and write the table and the pages."""
    problems = read(options.master)
    old = table.read_table(options.output, problems)
    roster = None if options.roster is None else batch.read_roster(options.roster)
    submissions = batch.find(options.submissions, roster, problems.name)
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
    keys = {this.student: batch.key_of(this, group) for this in submissions}
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


class Progress:
    """A bar on a terminal; elsewhere a line now and then."""

    def __init__(self, total: int) -> None:
        self.total, self.done = total, 0
        self.bar = sys.stderr.isatty()

    def step(self) -> None:
        """One more is done."""
        self.done += 1
        if self.bar:
            full = 30 * self.done // self.total
            end = "\n" if self.done == self.total else ""
            line = f"\r[{'#' * full}{' ' * (30 - full)}] {self.done}/{self.total}"
            print(line, end=end, file=sys.stderr, flush=True)
        elif self.done == self.total or self.done % max(1, self.total // 10) == 0:
            say(f"{self.done} of {self.total} graded")
