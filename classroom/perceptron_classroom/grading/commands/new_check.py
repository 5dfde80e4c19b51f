"""``perceptron-classroom new-check``: begin a check of your own."""

from __future__ import annotations

import argparse
import keyword
from pathlib import Path
from string import Template

from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.terminal import Commands, say

__all__ = ["add"]

PLAIN = '''\
"""Checks of our own; the grader reads this file beside the master, students' code never does."""

import numpy as np

from perceptron_classroom.checks import Check, Slip
from perceptron_classroom.answers import vector, written

# The data sets, in groups. A question can give points for each group. `rng` is all the chance
# there is. Draw whole numbers or binary fractions, so that no right program has to round.


def few(rng):
    for n in (1, 1, 2, 2, 3, 5, 8):
        yield {"x": rng.integers(-5, 6, size=n).astype(float)}


def many(rng):
    # More than one of a kind: in one alone, chance could hide a mistake.
    for n in (100, 1000, 1000, 1000, 1000):
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

CHANCE = '''\
"""Checks of our own; the grader reads this file beside the master, students' code never does."""

import numpy as np

from perceptron_classroom.answers import indices
from perceptron_classroom.checks import Check, Seeded, Slip
from perceptron_classroom.checks.noise import unfair

# The data sets, in groups. A question can give points for each group. Where the function is to
# get a generator of its own, draw `Seeded`: such a call is made a second time in the same state,
# and chance from elsewhere shows.

CALLS = 300


def given(rng, n):
    return {"n": n, "rng": Seeded(int(rng.integers(2**32)))}


def sizes(rng):
    for n in (0, 1, 2, 3, 8, 100):
        yield given(rng, n)


def fair(rng):
    for _ in range(CALLS):
        yield given(rng, 4)


# What is wrong with one answer, in words: first a sentence, then lines with more. None if nothing
# is.


def judge(got, n, rng):
    order = indices(got, "the answer", n)
    if sorted(order) != list(range(n)):
        return f"the answer is {order}; expected each of 0 to {n - 1} once."
    return None


# What is wrong with all answers of a group, which are right one by one: here, whether each of the
# four comes first as often as the others. A right function fails with a probability below 1e-10.


def across(calls):
    firsts = [answer[:1] for arguments, answer in calls if arguments["n"] == 4]
    return unfair(firsts, 1, 4, []) if len(firsts) == CALLS else None


# Known mistakes: a function with the mistake in it, and what to say to whoever makes it.

NAME = Check(
    "NAME",
    "NAME(n, rng) -> order",
    {"sizes": sizes, "fair": fair},
    judge,
    (
        Slip("no chance", lambda n, rng: np.arange(n), "Draw from rng."),
        Slip("a fixed seed", lambda n, rng: np.random.default_rng(0).permutation(n), "Use rng."),
        Slip("global", lambda n, rng: np.random.permutation(n), "Use rng, not np.random."),
        Slip(
            "the first moves",
            lambda n, rng: np.roll(np.arange(n), -int(n > 1 and rng.integers(1, n))),
            "Every order must be possible, also one that begins with 0.",
        ),
    ),
    across,
)
'''

QUESTION = Template("""\
In the master, below a heading
    ## 1.1 $title
a question with this check is a code cell with the metadata
    "question": {"id": "1.1", "title": "$title", "points": 3, "minutes": 5,
                 "outcome": "$outcome", "check": "$name",
                 "criteria": [$criteria]}
and a solution between # BEGIN SOLUTION and # END SOLUTION:
    def $name($arguments):
        # BEGIN SOLUTION
        return $answer
        # END SOLUTION
Then: perceptron-classroom try MASTER""")

#: What stands in the text above, without chance and with it.
WORDS = {
    PLAIN: {
        "title": "From the bottom",
        "outcome": "subtract the smallest entry",
        "criteria": '[2, "few", "a few numbers"], [1, "many", "many numbers"]',
        "arguments": "x",
        "answer": "x - x.min()",
    },
    CHANCE: {
        "title": "Any order",
        "outcome": "shuffle by a given generator",
        "criteria": '[1, "sizes", "orders of all sizes"], [2, "fair", "each as often"]',
        "arguments": "n, rng",
        "answer": "rng.permutation(n)",
    },
}


def add(commands: Commands) -> None:
    """Describe the command."""
    parser = commands.add_parser("new-check", help="begin a check of your own, from a template")
    parser.add_argument("name", help="the name of the function to check")
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("checks.py"), help="the file (default: checks.py)"
    )
    parser.add_argument(
        "--chance", action="store_true", help="for a function that gets a random generator"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the template."""
    name = options.name
    if not name.isidentifier() or keyword.iskeyword(name):
        raise Refused(f"{name!r} is no name of a function in Python")
    if options.output.exists():
        raise Refused(f"{options.output} is there already; expected the name of a new file")
    template = CHANCE if options.chance else PLAIN
    words = WORDS[template]
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(template.replace("NAME", name), encoding="utf-8", newline="\n")
    call = f"{name}({words['arguments']})"
    say(f"{options.output}: a check of {call}, to be changed. Keep it beside the master.")
    say(QUESTION.substitute(words, name=name))
    return 0
