"""``perceptron-notes new-check``: begin a check of one's own."""

from __future__ import annotations

import argparse
import keyword
from pathlib import Path

from perceptron_notes.grading.sandbox import Refused
from perceptron_notes.grading.terminal import Commands, say

__all__ = ["add"]

TEMPLATE = '''\
"""Checks of our own; the grader reads this file beside the master, students' code never does."""

import numpy as np

from perceptron_notes.checks import Check, Slip
from perceptron_notes.answers import vector, written

# The data sets, in groups. A question can give points for each group. `rng` is all the chance
# there is. Draw whole numbers or binary fractions, so that no right program has to round.


def few(rng):
    for n in (1, 1, 2, 2, 3, 5, 8):
        yield {"x": rng.integers(-5, 6, size=n).astype(float)}


def many(rng):
    for n in (100, 1000):
        yield {"x": rng.integers(-1000, 1001, size=n) / 8}


# What is wrong with an answer, in words: first a sentence, then lines with more. None if nothing
# is. `vector`, `matrix`, `number`, `whole` and `parts` read an answer whatever its type.


def judge(got, x):
    expected = x - x.min()
    for i, value in enumerate(vector(got, "the answer", len(x))):
        if value != expected[i]:
            return f"entry {i} is {written(value)}; expected {written(expected[i])}."
    return None


# Known mistakes: a function with the mistake in it, and what to say to whoever makes it.

NAME = Check(
    "NAME",
    "NAME(x) -> y",
    {"few": few, "many": many},
    judge,
    (
        Slip("the mean", lambda x: x - x.mean(), "Subtract the smallest entry, not the mean."),
        Slip("the first", lambda x: x - x[0], "Subtract the smallest entry, not the first."),
        Slip("only a hundred", lambda x: x - x[:100].min(), "Look at all entries."),
    ),
)
'''

QUESTION = """\
In the master, a question with this check is a code cell with the metadata
    "question": {"id": "1.1", "title": "From the bottom", "points": 3, "minutes": 5,
                 "outcome": "subtract the smallest entry", "check": "NAME",
                 "criteria": [[2, "few", "a few numbers"], [1, "many", "many numbers"]]}
and a solution between # BEGIN SOLUTION and # END SOLUTION:
    def NAME(x):
        # BEGIN SOLUTION
        return x - x.min()
        # END SOLUTION
Then: perceptron-notes try MASTER"""


def add(commands: Commands) -> None:
    """Describe the command.

    Parameters
    ----------
    commands : Commands
        Those of the program.
    """
    parser = commands.add_parser("new-check", help="begin a check of your own, from a template")
    parser.add_argument("name", help="the name of the function that it is about")
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("checks.py"), help="the file; checks.py"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the template."""
    name = options.name
    if not name.isidentifier() or keyword.iskeyword(name):
        raise Refused(f"{name!r} is no name of a function in Python")
    if options.output.exists():
        raise Refused(f"{options.output} is there already; expected the name of a new file")
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(TEMPLATE.replace("NAME", name), encoding="utf-8", newline="\n")
    say(f"{options.output}: a check of {name}(x), to be changed. Keep it beside the master.")
    say(QUESTION.replace("NAME", name))
    return 0
