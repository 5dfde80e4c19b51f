"""``perceptron-classroom export``: enter points into the table that Canvas or Moodle exports."""

from __future__ import annotations

import argparse
from pathlib import Path

from perceptron_classroom.grading import lms, table
from perceptron_classroom.grading.files import page_name
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
    parser.add_argument("--scale", action="store_true", help="convert points to those of the LMS")
    parser.add_argument("--feedback", type=Path, help="the folder of the students' pages")
    parser.add_argument("--zip", type=Path, help="the zip file of these pages, to upload")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the file to import; return 1 if somebody's points are not in it."""
    if options.output.resolve() in (options.sheet.resolve(), options.table.resolve()):
        raise Refused(f"{options.output} is a file that is read; expected another one with -o")
    if (options.zip is None) != (options.feedback is None):
        raise Refused("--zip and --feedback belong together; expected both or neither")
    sheet, rows = lms.read_sheet(options.sheet), table.read_csv(options.table)
    if options.lms == "canvas":
        if options.column is None:
            raise Refused("--column is missing; expected the assignment's name in the gradebook")
        made, prefixes, nowhere, unclear = lms.canvas(sheet, rows, options.column, options.scale)
    else:
        grade = options.column or lms.GRADE
        made, prefixes, nowhere, unclear = lms.moodle(sheet, rows, grade, options.scale)
    lms.write_sheet(options.output, made)
    if options.zip is not None:
        zip_pages(options, prefixes)
    for what, names in (("no line", nowhere), ("more than one line", unclear)):
        if names:
            say(f"{options.sheet} has {what} for: {', '.join(names)}")
    if unread := lms.unread(rows):
        say(f"not all answers have been read yet: {unread}")
    say(f"{options.output}: {len(rows) - len(nowhere) - len(unclear)} students")
    return int(bool(nowhere or unclear))


def zip_pages(options: argparse.Namespace, prefixes: dict[str, str]) -> None:
    """Put the pages together, named so that the LMS knows whose they are."""
    pages = {}
    for student, prefix in prefixes.items():
        page = options.feedback / page_name(student)
        if page.exists():
            pages[prefix + "feedback.html"] = page
    if not pages:
        raise Refused(
            f"{options.output} is written, but {options.feedback} holds no page of these students; "
            "expected --feedback to be the folder that `grade` filled, and for Canvas files named "
            "as Canvas gave them out"
        )
    lms.feedback_zip(options.zip, pages)
    say(f"{options.zip}: {len(pages)} pages")
