"""``perceptron-classroom student``: make the version of a problem set that students get."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from perceptron_classroom.grading.files import write_whole
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.terminal import Commands
from perceptron_classroom.problem_sets import BEGIN, END, read_master, student_version

__all__ = ["add", "solved_version"]


def add(commands: Commands) -> None:
    """Describe the command."""
    parser = commands.add_parser("student", help="make the students' version of a master")
    parser.add_argument("master", type=Path, help="the master notebook, with solutions")
    parser.add_argument("-o", "--output", type=Path, help="where to write it; printed if left out")
    parser.add_argument(
        "--solutions", action="store_true", help="with the solutions, to hand out afterwards"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Make the version for students."""
    text = (solved_version if options.solutions else student_version)(options.master)
    if options.output is None:
        sys.stdout.write(text)
        return 0
    if options.output.resolve() == options.master.resolve():
        raise Refused(f"{options.output} is the master itself; expected another file")
    options.output.parent.mkdir(parents=True, exist_ok=True)
    write_whole(options.output, text.encode(), 0o644)
    return 0


def solved_version(path: Path) -> str:
    """Return the master with its solutions, without what is for teachers alone."""
    read_master(path)  # complain about what is no master
    master = json.loads(path.read_text(encoding="utf-8"))
    cells = []
    for cell in master["cells"]:
        if "teacher" not in cell.get("metadata", {}).get("tags", []):
            lines = "".join(cell["source"]).split("\n")
            source = "\n".join(line for line in lines if line.strip() not in (BEGIN, END))
            cells.append({**cell, "source": source, "metadata": {}})
    kept = {k: v for k, v in master["metadata"].items() if k in ("kernelspec", "language_info")}
    version = {"cells": cells, "metadata": kept, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(version, ensure_ascii=False, indent=1) + "\n"
