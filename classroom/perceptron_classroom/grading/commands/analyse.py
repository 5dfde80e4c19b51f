"""``perceptron-classroom analyse``: say what a class found hard, and who did."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from perceptron_classroom.grading import analysis, table
from perceptron_classroom.grading.files import journal_of
from perceptron_classroom.grading.journal import Journal
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.terminal import Commands, say
from perceptron_classroom.problem_sets import read_master

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Describe the command."""
    parser = commands.add_parser("analyse", help="say what a class found hard")
    parser.add_argument("master", type=Path, help="the master notebook")
    parser.add_argument("table", type=Path, help="the table that `grade` made")
    parser.add_argument("--auto", action="store_true", help="the table was made with --auto")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print it."""
    problems = read_master(options.master, options.auto)
    rows = table.read_table(options.table, problems)
    if not rows:
        raise Refused(f"{options.table} holds no students; expected the table that `grade` made")
    for line in analysis.told(problems, rows, Journal(journal_of(options.table)).last):
        say(line, sys.stdout)
    return 0
