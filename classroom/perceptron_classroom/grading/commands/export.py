"""``perceptron-classroom export``: enter points into the table that Canvas or Moodle exports."""

from __future__ import annotations

import argparse
from pathlib import Path

from perceptron_classroom.grading import lms, table
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.terminal import Commands, say

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Describe the command."""
    parser = commands.add_parser("export", help="fill in the table that Canvas or Moodle exports")
    parser.add_argument("lms", choices=["canvas", "moodle"], help="where the points go")
    parser.add_argument("table", type=Path, help="the table that `grade` made")
    parser.add_argument("sheet", type=Path, help="the gradebook, or the grading worksheet")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the file to import")
    parser.add_argument(
        "--column", help="Canvas: the assignment, or part of its name; Moodle: the grade column"
    )
    partial = "export totals although some answers have not been read"
    parser.add_argument("--partial", action="store_true", help=partial)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the file to import; return 1 if somebody's points are not in it."""
    if options.output.resolve() in (options.sheet.resolve(), options.table.resolve()):
        raise Refused(f"{options.output} is a file that is read; expected another one with -o")
    sheet, rows = lms.read_sheet(options.sheet), table.read_csv(options.table)
    if (unread := lms.unread(rows)) and not options.partial:
        raise Refused(
            f"not all answers have been read yet: {unread}; mark them, or give --partial to export "
            "the points so far"
        )
    if options.lms == "moodle":
        made, nowhere, unclear = lms.moodle(sheet, rows, options.column)
    elif options.column is None:
        raise Refused("--column is missing; expected the assignment's name in the gradebook")
    else:
        made, nowhere, unclear = lms.canvas(sheet, rows, options.column)
    lms.write_sheet(options.output, made)
    for what, names in (("no line", nowhere), ("more than one line", unclear)):
        if names:
            say(f"{options.sheet} has {what} for: {', '.join(names)}")
    if unread:
        say(f"not all answers have been read yet: {unread}")
    say(f"{options.output}: {len(rows) - len(nowhere) - len(unclear)} students")
    return int(bool(nowhere or unclear))
