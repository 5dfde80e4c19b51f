"""``perceptron-classroom grade``: grade the submissions of a class."""

from __future__ import annotations

import argparse
import os
import secrets
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from perceptron_classroom.grading import batch, collect, groups, late, table
from perceptron_classroom.grading.batch import Class
from perceptron_classroom.grading.collect import Submission
from perceptron_classroom.grading.files import alone, journal_of, private, write_elsewhere
from perceptron_classroom.grading.journal import Journal, key_of
from perceptron_classroom.grading.marks import Mark, Marks, enter
from perceptron_classroom.grading.prose import in_class, versions
from perceptron_classroom.grading.sandbox import Refused, Sandbox, gather_fonts
from perceptron_classroom.grading.spelling import fold, normal, turned
from perceptron_classroom.grading.submission import PATIENCE, Graded, best
from perceptron_classroom.grading.terminal import Commands, argument, cause, positive, say
from perceptron_classroom.problem_sets import ProblemSet, read_master

__all__ = ["add"]

#: A shorter secret could be guessed.
SECRET = 16


def add(commands: Commands) -> None:
    """Describe the command."""
    parser = commands.add_parser("grade", help="grade the submissions of a class")
    option = parser.add_argument
    option("master", type=Path, help="the master notebook")
    option("submissions", type=Path, help="a folder of notebooks, or of folders with one each")
    output = Path("grades.csv")
    option("-o", "--output", type=Path, default=output, help="the table (default: grades.csv)")
    secret = "a secret from which the data are drawn (default: made beside the table)"
    option("--secret-file", type=Path, help=secret)
    collect.add_options(parser)
    when = "a time such as '2026-11-30 18:00'"
    option("--deadline", type=argument(late.moment), help=when)
    cost = "what lateness costs, such as '10%% a day, at most 3' (default: nothing)"
    rule = argument(late.rule)
    option("--late", type=rule, default=late.Rule(), metavar="RULE", help=cost)
    option("--feedback", type=Path, help="a folder that gets a page for each student")
    option("--jobs", type=positive, help="how many to grade at once")
    seconds = f"seconds for a cell or a check; a notebook gets {PATIENCE} times as many"
    option("--timeout", type=positive, default=20, help=f"{seconds} (default: 20)")
    only = "grade one student again, and say what was found"
    option("--only", metavar="STUDENT", help=only)
    auto = "the set was handed out with --auto: no question in words counts"
    option("--auto", action="store_true", help=auto)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Grade the submissions, and write the table and the pages."""
    problems = read_master(options.master, options.auto)
    if options.late != late.Rule() and options.deadline is None:
        raise Refused("--late is about a deadline; expected a --deadline with it")
    sandbox = Sandbox(2 * PATIENCE * options.timeout, gather_fonts())
    keep_apart(options, sandbox)
    roster = None if options.roster is None else collect.read_roster(options.roster)
    everything, ignored = collect.find(options.submissions, roster, problems.name, options.names)
    if ignored:
        say(f"nobody's, and left alone: {', '.join(ignored)}")
    rule = None
    if options.deadline is not None:
        rule = late.Policy(options.deadline, options.late, roster)
        rule.check(everything)
    everything = groups.share(everything, roster)
    submissions = chosen(options, everything)
    problems = in_class(problems, everything)
    with alone(options.output):
        old = table.read_table(options.output, problems)
        secret = take_secret(options.secret_file or options.output.with_suffix(".secret"))
        given = options.timeout, problems.shared, options.auto
        group = Class(options.master, secret, sandbox, *given)
        rows = table.adopt(old, {this.student: this.name for this in submissions})
        if rule is None and any("late" in row for row in old):
            say(
                f"{options.output} was made with a --deadline, and none was given now: its columns "
                "on late work stay as they are"
            )
        known = {} if roster is None else roster.rows
        names = {student: name for student, row in known.items() if (name := row.get("name"))}
        leads = {this.student: this.lead for this in everything}
        desk = Desk(options, problems, rows, rule, leads, names)
        for this, graded in results(group, problems, submissions, options):
            desk.receive(this, graded)
        return desk.close()


def chosen(options: argparse.Namespace, submissions: list[Submission]) -> list[Submission]:
    """Return the submissions to grade."""
    if options.only is not None:
        exact = [this for this in submissions if this.student == normal(options.only)]
        alike = [this for this in submissions if fold(this.student) == fold(options.only)]
        leads = {this.lead for this in exact or alike}
        submissions = [this for this in submissions if this.lead in leads]
    if not submissions:
        whose = "" if options.only is None else f" of the student {options.only!r}"
        raise Refused(f"{options.submissions} holds no submission{whose}")
    return submissions


def results(
    group: Class, problems: ProblemSet, submissions: list[Submission], options: argparse.Namespace
) -> Iterator[tuple[Submission, Graded]]:
    """Yield the results that the journal has, and grade the rest."""
    journal = Journal(journal_of(options.output))
    keys = {this.student: key_of(this, group) for this in submissions}
    writable = True

    def finish(this: Submission, graded: Graded) -> None:
        nonlocal writable
        try:
            if writable:
                journal.finish(keys[this.student], this.student, graded)
        except OSError as error:
            writable = False
            say(f"{journal.path} cannot be written: {cause(error)}; a stopped run would start anew")

    together: dict[str, list[Submission]] = defaultdict(list)  # equal submissions, graded once
    for this in submissions:
        known = batch.ungraded(this, problems, group.secret)
        done = journal.done.get(keys[this.student])
        if known is not None:
            yield this, known
        elif done is None or done.late or options.only is not None:
            together[keys[this.student]].append(this)
        else:
            if journal.last.get(this.student) != done:  # an earlier notebook is back
                finish(this, done)
            yield this, done
    rest = [each[0] for each in together.values()]
    left = sum(map(len, together.values()))
    if left < len(submissions) and rest:
        say(f"{len(submissions) - left} are done or cannot be graded, {left} are left")
    jobs = min(options.jobs or os.cpu_count() or 1, max(1, len(rest)))
    for count, (this, graded) in enumerate(batch.grade_all(group, rest, jobs), start=1):
        if (done := journal.done.get(keys[this.student])) is not None:
            graded = best(done, graded)  # a timeout may recur on a busy machine
        for each in together[keys[this.student]]:
            if graded.status != batch.NOT_GRADED:
                finish(each, graded)
            yield each, graded
        if count == len(rest) or count % max(1, len(rest) // 10) == 0:
            say(f"{count} of {len(rest)} graded")


def take_secret(path: Path) -> bytes:
    """Return the secret from its file, which is created if missing."""
    if not path.exists():
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        with open(path, "x", opener=private) as file:
            file.write(secrets.token_hex(32) + "\n")
        say(f"{path}: a new secret. Keep it: the same data are drawn from it again.")
    secret = path.read_bytes().strip()
    if len(secret) < SECRET:
        raise Refused(f"{path} holds {len(secret)} characters; expected at least {SECRET}")
    if os.name == "posix" and path.stat().st_mode & 0o077:
        say(f"{path} can be read by others on this machine; chmod 600 keeps it secret.")
    return secret


def keep_apart(options: argparse.Namespace, sandbox: Sandbox) -> None:
    """Raise `Refused` if students' code could see a teacher's file, or output is among theirs."""
    write_elsewhere(options.submissions, options.output, options.feedback)
    for path in (options.output, options.secret_file, options.submissions, options.master):
        seen = None if path is None else sandbox.exposed(path)
        if seen is not None:
            raise Refused(f"{path} lies in {seen}, which students' code can read; move it away")


class Desk:
    """Collects results: each becomes a row and a page at once, and the table comes last."""

    def __init__(
        self,
        options: argparse.Namespace,
        problems: ProblemSet,
        rows: dict[str, table.Row],
        policy: late.Policy | None,
        leads: dict[str, str],
        names: dict[str, str],
    ) -> None:
        self.options, self.problems, self.rows, self.policy = options, problems, rows, policy
        self.leads, self.names = leads, names
        self.statuses: Counter[str] = Counter()
        self.marks = Marks(options.output)
        self.marks.read()  # complain about them before anything is graded
        self.kept: list[str] = []
        self.again: list[str] = []
        self.pageless = 0
        if options.feedback is not None:
            options.feedback.mkdir(parents=True, exist_ok=True)

    def receive(self, this: Submission, graded: Graded) -> None:
        """Add a result; whatever a person had entered stays."""
        before = self.rows.get(this.student, {})
        path = this.paths[0] if len(this.paths) == 1 else None
        new = batch.row_of(this, graded, self.problems, versions(self.problems, path, this.home))
        if self.policy is not None:
            new |= self.policy.cells(this)
        if this.student in self.names:
            new["name"] = turned(normal(self.names[this.student]))
        row, kept = table.merge(before, new, self.problems)
        enter(row, self.marks_of(this.student), self.problems)
        table.settle(row, self.problems)
        self.rows[this.student] = row
        self.statuses[row["status"]] += 1
        self.kept += kept
        if row["look again"] and row["look again"] != before.get("look again"):
            self.again.append(f"{table.called(row)} ({row['look again']})")
        if self.options.feedback is not None:
            self.write_page(this, path, graded, row)
        if self.options.only is not None:
            explain(self.problems, graded)

    def marks_of(self, student: str) -> dict[str, Mark]:
        """Return the marks of a student, which group members share."""
        return self.marks.of(self.leads.get(student, student))

    def write_page(
        self, this: Submission, path: Path | None, graded: Graded, row: table.Row
    ) -> None:
        """Write a student's page; if that fails, the other pages are still written."""
        from perceptron_classroom.grading import report

        about = (path, graded, row, self.marks_of(this.student), this.reasons, this.home)
        try:
            report.write_feedback(self.options.feedback, self.problems, *about)
        except Exception as error:
            self.pageless += 1
            say(f"no page for {table.called(row)}: {type(error).__name__}: {error}")

    def close(self) -> int:
        """Write the table, print a summary, and return the exit code."""
        sentences = []
        for student, row in self.rows.items():
            # Once more: somebody may have marked while this run was grading.
            for name, held in enter(row, self.marks_of(student), self.problems).items():
                sentences.append(
                    f"{table.called(row)}, {name}: the table holds {held}, the marks say something "
                    "else; the table counts, until you empty the cell"
                )
            sentences += table.settle(row, self.problems)
        table.write_table(self.options.output, self.rows.values(), self.problems)
        for line in self.kept:
            say(f"kept points that were entered by hand: {line}")
        for sentence in sentences:
            say(sentence)
        if self.again:
            say(f"handed in again after a person had marked it: {', '.join(self.again)}")
        missing = [each for each in self.rows.values() if each.get("status") == "missing"]
        if missing:
            say(f"nothing was handed in by: {', '.join(map(table.called, missing))}")
        counts = ", ".join(f"{count} {status}" for status, count in self.statuses.most_common())
        say(f"{self.options.output}: {counts or 'nothing is graded'}")
        return 1 if self.pageless else 0


def explain(problems: ProblemSet, graded: Graded) -> None:
    """Print the findings on one submission, for an appeal."""
    for remark in graded.remarks:
        say(remark)
    for question in problems.questions:
        result = graded.questions[question.id]
        if question.check:
            say(f"{question.id}: {result['points']} of {question.points}, seed {result['seed']}")
            fine = "all right" if result["points"] == question.points else "not tried"
            say(result.get("report", fine) + "\n")
