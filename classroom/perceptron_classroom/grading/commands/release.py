"""``perceptron-classroom release``: make the version with solutions, to hand out afterwards."""

from __future__ import annotations

import argparse
import json
from datetime import datetime
from pathlib import Path
from typing import Any

from perceptron_classroom import problem_sets
from perceptron_classroom.grading import late
from perceptron_classroom.grading.files import write_whole
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.terminal import Commands, argument, say

__all__ = ["add", "solved_version"]

#: The marker lines around a solution.
MARKS = (problem_sets.BEGIN, problem_sets.END)


def add(commands: Commands) -> None:
    """Describe the command."""
    parser = commands.add_parser("release", help="make the version with solutions to hand out")
    parser.add_argument("master", type=Path, help="the master notebook, with solutions")
    parser.add_argument("-o", "--output", type=Path, required=True, help="where to write it")
    parser.add_argument(
        "--deadline", type=argument(late.moment), help="write nothing before this time"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Make the version with solutions."""
    if options.output.resolve() == options.master.resolve():
        raise Refused(f"{options.output} is the master itself; expected another file")
    if options.deadline is not None and datetime.now().astimezone() < options.deadline:
        raise Refused(
            f"the deadline is {options.deadline:%Y-%m-%d %H:%M}; no solution is released before"
        )
    problems = problem_sets.read(options.master)
    text = solved_version(options.master)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    write_whole(options.output, text.encode())
    words = ", ".join(question.id for question in problems.questions if not question.check)
    pages = f", nor the pages of feedback, which show the rubric of {words}" if words else ""
    say(f"{options.output} holds the solutions of all {len(problems.questions)} questions.")
    say(
        "Until the last extension has run out, students must get neither this file nor the "
        f"master{pages}. Not in the file: cells with the tag `teacher`, and metadata."
    )
    return 0


def solved_version(path: Path) -> str:
    """Return the master with its solutions, without what is for teachers alone."""
    problem_sets.read(path)
    master = json.loads(path.read_text(encoding="utf-8"))
    cells = [
        solved(cell)
        for cell in master["cells"]
        if "teacher" not in cell.get("metadata", {}).get("tags", [])
    ]
    kept = {k: v for k, v in master["metadata"].items() if k in ("kernelspec", "language_info")}
    version = {"cells": cells, "metadata": kept, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(version, ensure_ascii=False, indent=1) + "\n"


def solved(cell: dict[str, Any]) -> dict[str, Any]:
    """Return a cell with its solution and no marks around it."""
    lines = "".join(cell["source"]).split("\n")
    source = "\n".join(line for line in lines if line.strip() not in MARKS)
    return {**cell, "source": source, "metadata": {}}
