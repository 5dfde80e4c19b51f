"""``perceptron-classroom export``: enter points into the table that a platform exports."""

from __future__ import annotations

import argparse
from pathlib import Path

from perceptron_classroom.grading import lms, table
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.terminal import Commands, say

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Describe the command."""
    parser = commands.add_parser("export", help="fill in the table that a platform exports")
    where = "where the points go; `table`: into any table, by its columns"
    parser.add_argument("lms", choices=["canvas", "moodle", "table"], help=where)
    parser.add_argument("table", type=Path, help="the table that `grade` made")
    parser.add_argument("sheet", type=Path, help="the gradebook, or the grading worksheet")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the file to import")
    parser.add_argument(
        "--column", help="Canvas: the assignment, or part of its name; Moodle: the grade column"
    )
    parser.add_argument("--id", help="any table: the column of what the students are known by")
    parser.add_argument("--points", help="any table: the column for the points")
    parser.add_argument("--comments", help="any table: the column for your comments")
    partial = "export totals although some answers have not been read"
    parser.add_argument("--partial", action="store_true", help=partial)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the file to import; return 1 if somebody's points are not in it."""
    if options.output.resolve() in (options.sheet.resolve(), options.table.resolve()):
        raise Refused(f"{options.output} is a file that is read; expected another one with -o")
    sheet, rows = lms.read_sheet(options.sheet), table.read_csv(options.table)
    unread = lms.unread(rows, options.partial)
    if options.lms == "table":
        if options.id is None or options.points is None:
            raise Refused("--id or --points is missing; expected the names of two columns")
        columns = (options.id, options.points, options.comments)
        made, nowhere, unclear = lms.any_table(sheet, rows, *columns)
    elif options.lms == "moodle":
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
        say(unread)
    say(f"{options.output}: {len(rows) - len(nowhere) - len(unclear)} students")
    return int(bool(nowhere or unclear))
