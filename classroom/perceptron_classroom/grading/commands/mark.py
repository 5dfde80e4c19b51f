"""``perceptron-classroom mark``: mark written answers on a page of your own."""

from __future__ import annotations

import argparse
import webbrowser
from contextlib import suppress
from pathlib import Path

from perceptron_classroom.grading import collect, groups
from perceptron_classroom.grading.files import write_elsewhere
from perceptron_classroom.grading.prose import in_class
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.terminal import Commands, say
from perceptron_classroom.problem_sets import read_master

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Describe the command."""
    parser = commands.add_parser("mark", help="mark the written answers of a class")
    option = parser.add_argument
    option("master", type=Path, help="the master notebook")
    option("submissions", type=Path, help="the folder of the submissions")
    output = Path("grades.csv")
    option("-o", "--output", type=Path, default=output, help="the table (default: grades.csv)")
    collect.add_options(parser)
    option("--question", help="the question to begin with, such as 1.6")
    option("--blind", action="store_true", help="hide the names, and shuffle the answers")
    option("--open", action="store_true", help="open the page in your browser")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    from perceptron_classroom.grading.marking import Desk, Server

    problems = read_master(options.master)
    written = [question.id for question in problems.questions if not question.check]
    question = options.question or (written[0] if written else "")
    if question not in written:
        known = ", ".join(written) or "none"
        raise Refused(f"{question!r} is no question in words; {problems.name} has {known}")
    write_elsewhere(options.submissions, options.output)
    roster = None if options.roster is None else collect.read_roster(options.roster)
    found, _ = collect.find(options.submissions, roster, problems.name, options.names)
    here = groups.share(found, roster)
    desk = Desk(in_class(problems, here), here, options.output, options.blind)
    if not desk.paths:
        raise Refused(f"{options.submissions} holds no submission that can be read")
    desk.state(question)  # complain about the table or the marks now
    door = options.output.resolve().with_suffix(".mark.html")
    with Server(desk, question) as server:
        server.write_door(door)
        say(f"Mark on the page that this file opens, for you alone; Ctrl-C ends it:\n  {door}")
        say(f"or at {server.origin}/ with the word {server.token}")
        if options.open:
            webbrowser.open(door.as_uri())
        try:
            with suppress(KeyboardInterrupt):
                server.serve_forever()
        finally:
            door.unlink(missing_ok=True)
    say(f"\nThe marks are in {desk.marks.path}.")
    return 0
