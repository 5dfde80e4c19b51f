"""``perceptron-classroom analyse``: write a page on what a class found hard, and who did."""

from __future__ import annotations

import argparse
from pathlib import Path

from perceptron_classroom.grading import analysis, table
from perceptron_classroom.grading.files import journal_of, write_whole
from perceptron_classroom.grading.journal import Journal
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.terminal import Commands, say
from perceptron_classroom.problem_sets import read_master

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Describe the command."""
    parser = commands.add_parser("analyse", help="make a page on what a class found hard")
    parser.add_argument("master", type=Path, help="the master notebook")
    parser.add_argument("table", type=Path, help="the table that `grade` made")
    parser.add_argument("--auto", action="store_true", help="the table was made with --auto")
    default = Path("class.html")
    parser.add_argument(
        "-o", "--output", type=Path, default=default, help=f"the page (default: {default})"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the page."""
    problems = read_master(options.master, options.auto)
    rows = table.read_table(options.table, problems)
    if not rows:
        raise Refused(f"{options.table} holds no students; expected the table that `grade` made")
    if options.output.resolve() == options.table.resolve():
        raise Refused(f"{options.output} is the table that is read; expected another file with -o")
    made = analysis.class_page(problems, rows, Journal(journal_of(options.table)).last)
    write_whole(options.output, made.encode("utf-8", "replace"))
    say(f"{options.output}: {len(rows)} students")
    return 0
