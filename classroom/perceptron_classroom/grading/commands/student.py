"""``perceptron-classroom student``: make the version of a problem set that students get."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from perceptron_classroom.grading.files import write_whole
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.terminal import Commands
from perceptron_classroom.problem_sets import (
    BEGIN,
    END,
    notebook,
    read_master,
    sheet,
    student_version,
)

__all__ = ["add", "solved_version"]


def add(commands: Commands) -> None:
    """Describe the command."""
    parser = commands.add_parser("student", help="make the students' version of a master")
    parser.add_argument("master", type=Path, help="the master notebook, with solutions")
    parser.add_argument("-o", "--output", type=Path, help="where to write it; printed if left out")
    solutions = "with the solutions, to hand out afterwards"
    parser.add_argument("--solutions", action="store_true", help=solutions)
    auto = "without the questions in words; grade it with --auto too"
    parser.add_argument("--auto", action="store_true", help=auto)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Make the version for students."""
    text = (solved_version if options.solutions else student_version)(options.master, options.auto)
    if options.output is None:
        sys.stdout.write(text)
        return 0
    if options.output.resolve() == options.master.resolve():
        raise Refused(f"{options.output} is the master itself; expected another file")
    options.output.parent.mkdir(parents=True, exist_ok=True)
    write_whole(options.output, text.encode(), 0o644)
    return 0


def solved_version(path: Path, auto: bool = False) -> str:
    """Return the master with its solutions, without what is for teachers alone."""
    read_master(path, auto)  # complain about what is no master
    master, cells = notebook(path, auto), []
    for cell in master["cells"]:
        if "teacher" not in cell["metadata"].get("tags", []):
            lines = cell["source"].split("\n")
            source = "\n".join(line for line in lines if line.strip() not in (BEGIN, END))
            cells.append({**cell, "source": source, "metadata": {}})
    return sheet(cells, master["metadata"])
