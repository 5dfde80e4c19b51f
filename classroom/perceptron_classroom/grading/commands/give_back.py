"""``perceptron-classroom return``: pack the feedback pages as a platform takes them back."""

from __future__ import annotations

import argparse
from pathlib import Path

from perceptron_classroom.grading import lms, returning, table
from perceptron_classroom.grading.files import write_elsewhere, write_whole
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.terminal import Commands, say

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Describe the command."""
    parser = commands.add_parser("return", help="pack the feedback pages for a platform")
    option = parser.add_argument
    where = "where they go; `folder`: a folder for each student, by name"
    option("platform", choices=[*returning.PLATFORMS], help=where)
    option(
        "submissions", type=Path, help="the folder of the submissions, named as it was given out"
    )
    option("table", type=Path, help="the table that `grade` made")
    option("feedback", type=Path, help="the folder of the pages that `grade --feedback` made")
    option("-o", "--output", type=Path, required=True, help="the zip to upload")
    partial = "return pages although some answers have not been read"
    option("--partial", action="store_true", help=partial)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the zip; return 1 if somebody's page is not in it."""
    if options.output.resolve() == options.table.resolve():
        raise Refused(f"{options.output} is the table that is read; expected another file with -o")
    write_elsewhere(options.submissions, options.output)
    rows = table.read_csv(options.table)
    unread = lms.unread(rows, options.partial)
    given = options.platform, options.submissions, rows, options.feedback
    data, count, left = returning.pack(*given)
    write_whole(options.output, data)
    for what, students in left.items():
        say(f"{what}: {', '.join(students)}")
    if unread:
        say(unread)
    say(f"{options.output}: {count} students")
    return int(bool(left))
