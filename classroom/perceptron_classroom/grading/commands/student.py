"""``perceptron-classroom student``: make the version of a problem set that students get."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.terminal import Commands
from perceptron_classroom.problem_sets import student_version

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Describe the command."""
    parser = commands.add_parser("student", help="make the students' version of a master")
    parser.add_argument("master", type=Path, help="the master notebook, with solutions")
    parser.add_argument("-o", "--output", type=Path, help="where to write it; printed if left out")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
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
