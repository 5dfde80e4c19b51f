"""``perceptron-classroom doctor``: say whether this machine can grade."""

from __future__ import annotations

import argparse

from perceptron_classroom.grading import doctor
from perceptron_classroom.grading.terminal import Commands, printable

__all__ = ["add"]

MARKS = {True: "ok     ", None: "note   ", False: "MISSING"}


def add(commands: Commands) -> None:
    """Describe the command."""
    parser = commands.add_parser("doctor", help="say whether this machine can grade")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Look at everything, and say what to do."""
    missing = 0
    for sign in doctor.examine():
        advice = f"\n         {sign.advice}" if sign.advice else ""
        print(printable(f"{MARKS[sign.good]}  {sign.what}{advice}"), flush=True)
        missing += sign.good is False
    print("This machine can grade." if not missing else "This machine cannot grade yet.")
    return 1 if missing else 0
