"""``perceptron-classroom analyse``: what a class found hard, question by question."""

from __future__ import annotations

import argparse
from pathlib import Path

from perceptron_classroom.grading import analysis, table
from perceptron_classroom.grading.files import journal_of, write_whole
from perceptron_classroom.grading.journal import Journal
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.problem_sets import read
from perceptron_notes._kit.terminal import Commands, printable

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Describe the command."""
    parser = commands.add_parser("analyse", help="count what a class found hard")
    parser.add_argument("master", type=Path, help="the master notebook")
    parser.add_argument("table", type=Path, help="the table that `grade` made")
    parser.add_argument("--page", type=Path, help="also write a page on the class, to print")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the analysis."""
    problems = read(options.master)
    rows = table.read_table(options.table, problems)
    if not rows:
        raise Refused(f"{options.table} holds no students; expected the table that `grade` made")
    last = Journal(journal_of(options.table)).last
    for line in analysis.lines(problems, rows, last):
        print(printable(line))
    if options.page is not None:
        made = analysis.page(problems, rows, last)
        write_whole(options.page, made.encode("utf-8", "replace"))
    return 0
