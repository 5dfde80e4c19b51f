"""``perceptron-classroom similar``: which notebooks are alike, and what they import."""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path

from perceptron_classroom.grading import collect, similar, table
from perceptron_classroom.grading.intake import Unreadable, code_of
from perceptron_classroom.grading.terminal import argument
from perceptron_classroom.problem_sets import read, student_version
from perceptron_notes._kit.terminal import Commands, printable, say

__all__ = ["add"]


def share(text: str) -> float:
    """Return a number from 0 to 1."""
    value = table.number(text)
    if value is None or not 0 <= value <= 1:
        raise ValueError(f"{text!r} was given; expected a number from 0 to 1")
    return value


def add(commands: Commands) -> None:
    """Describe the command."""
    parser = commands.add_parser("similar", help="list notebooks that are alike, as a hint")
    parser.add_argument("master", type=Path, help="the master notebook")
    parser.add_argument("submissions", type=Path, help="the folder that `grade` reads")
    parser.add_argument("--roster", type=Path, help="a table with the columns student and file")
    parser.add_argument(
        "--threshold",
        type=argument(share),
        default=0.7,
        help="list pairs that are at least so alike, from 0 to 1 (0.7)",
    )
    parser.add_argument("--csv", type=Path, help="also write the pairs to this table")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print pairs of notebooks, and imports."""
    problems = read(options.master)
    handed_out = code(json.loads(student_version(options.master))["cells"])
    roster = None if options.roster is None else collect.read_roster(options.roster)
    notebooks = {}
    for this in collect.find(options.submissions, roster, problems.name)[0]:
        try:
            if len(this.paths) == 1:
                notebooks[this.student] = code_of(this.paths[0], problems.name)
        except Unreadable as error:
            say(f"{this.student}: {error}")
    found = similar.pairs(notebooks, handed_out, options.threshold)
    print("These are hints to look, no verdict: right answers to one question are alike.\n")
    print("words  structure")
    for pair in found:
        print(printable(f"{pair.words:5.0%}  {pair.structure:9.0%}  {pair.one} and {pair.other}"))
    if not found:
        print(f"no pair from {options.threshold:.0%} on")
    users = defaultdict(list)
    for student, cells in notebooks.items():
        for name in similar.imports(cells) - similar.imports(handed_out):
            users[name].append(student)
    print("\nimports beyond those handed out")
    for name, students in sorted(users.items()):
        print(printable(f"{name}: {', '.join(students)}"))
    if options.csv is not None:
        rows = [
            {
                "student": pair.one,
                "other": pair.other,
                "words": f"{pair.words:.3f}",
                "structure": f"{pair.structure:.3f}",
            }
            for pair in found
        ]
        table.write_csv(options.csv, ["student", "other", "words", "structure"], rows)
    return 0


def code(cells: list[dict[str, str]]) -> list[str]:
    """Return the sources of the code cells."""
    return ["".join(cell["source"]) for cell in cells if cell.get("cell_type") == "code"]
