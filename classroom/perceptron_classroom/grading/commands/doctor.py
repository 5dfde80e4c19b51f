"""``perceptron-classroom doctor``: check whether this machine can grade, and how to mend it."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

from perceptron_classroom.grading.sandbox import Refused, Sandbox, gather_fonts
from perceptron_classroom.grading.session import Session
from perceptron_classroom.grading.submission import Graded
from perceptron_classroom.grading.terminal import Commands, say

__all__ = ["add"]


class Sign(NamedTuple):
    """The result of one check."""

    good: bool
    what: str
    advice: str = ""


def add(commands: Commands) -> None:
    """Describe the command."""
    parser = commands.add_parser("doctor", help="say whether this machine can grade")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check everything, and print what to do."""
    signs = list(examine())
    for sign in signs:
        advice = f"\n         {sign.advice}" if sign.advice else ""
        say(f"{'ok     ' if sign.good else 'MISSING'}  {sign.what}{advice}", sys.stdout)
    fine = all(sign.good for sign in signs)
    print("This machine can grade." if fine else "This machine cannot grade yet.")
    return 0 if fine else 1


def examine() -> Iterator[Sign]:
    """Check everything that grading needs."""
    if found := shutil.which("bwrap"):
        yield bubblewrap(found)
    yield sandbox_runs()


def bubblewrap(found: str) -> Sign:
    """Check the version of the program that confines students' code."""
    said = subprocess.run([found, "--version"], capture_output=True, text=True).stdout.strip()
    if [int(number) for number in re.findall(r"\d+", said)[:2]] >= [0, 7]:
        return Sign(True, said)
    return Sign(
        False,
        f"{said or found}, which cannot limit the memory of files",
        "Install version 0.7 or newer; Debian 12 and Ubuntu 23.04 have it.",
    )


def sandbox_runs() -> Sign:
    """Grade a notebook of one cell, which proves that grading works."""
    graded = Graded()
    try:
        with (
            closing(Sandbox(seconds=60, fonts=gather_fonts())) as shelter,
            Session(shelter, ["import numpy, matplotlib.pyplot"], [], 60) as session,
        ):
            session.run(graded)
    except (Refused, OSError) as error:
        advice = "The teachers' page “When bubblewrap does not work” says what to do."
        return Sign(False, f"a sandbox does not start: {error}", advice)
    if graded.status != "ok":
        return Sign(False, f"a notebook of one cell fails: {'; '.join(graded.remarks)}")
    return Sign(True, "a notebook runs in a sandbox")
