"""``perceptron-classroom similar``: which notebooks are alike.

A hint to look, never a verdict. Notebooks are alike that share runs of tokens, rare ones above all;
what was handed out does not count. Tokens are found by one pattern, without a parser: whatever a
cell holds costs no more than its length.
"""

from __future__ import annotations

import argparse
import json
import keyword
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations
from math import log
from pathlib import Path
from typing import NamedTuple

from perceptron_classroom.grading import collect
from perceptron_classroom.grading.intake import Unreadable, code_of
from perceptron_classroom.grading.terminal import Commands, printable, say
from perceptron_classroom.problem_sets import read, student_version

__all__ = ["Pair", "add", "pairs", "prints"]

#: Tokens in a run, and in a notebook; runs that two must share before anything is said.
RUN, MOST, FEW = 12, 20_000, 20
#: Pairs are listed of which so much is alike.
ALIKE = 0.7
TOKEN = re.compile(r"""\#.*|\w+|"[^"\n]*"|'[^'\n]*'|[^\w\s]""")


class Pair(NamedTuple):
    """Two notebooks, and how much of the smaller one is in the other, from 0 to 1."""

    one: str
    other: str
    #: With all names and numbers made equal.
    structure: float
    #: With names and comments as they are. This is the stronger hint.
    words: float


def prints(cells: Iterable[str], words: bool = False) -> set[int]:
    """Return what stands for the runs of tokens in a notebook."""
    found = TOKEN.findall("\n".join(cells))[:MOST]
    if not words:
        found = [
            "word" if re.match(r"[\w\"']", each) and not keyword.iskeyword(each) else each
            for each in found
            if each[0] != "#"
        ]
    return {hash(tuple(found[i : i + RUN])) for i in range(len(found) - RUN + 1)}


def likeness(
    notebooks: dict[str, list[str]], handed_out: list[str], words: bool
) -> dict[tuple[str, str], float]:
    """Return how much of the smaller notebook is in the larger, for pairs that share enough."""
    known, holders = prints(handed_out, words), defaultdict[int, list[str]](list)
    for name in sorted(notebooks):
        for mark in prints(notebooks[name], words) - known:
            holders[mark].append(name)
    shared, size, weights = Counter[tuple[str, str]](), Counter[str](), Counter[tuple[str, str]]()
    for who in holders.values():
        # What many students share counts little; in a class of two nothing is common yet.
        weight = log((1 + max(len(notebooks), 20)) / len(who))
        for name in who:
            size[name] += weight  # type: ignore[assignment]
        for both in combinations(who, 2):
            shared[both] += 1
            weights[both] += weight  # type: ignore[assignment]
    return {
        both: round(weights[both] / min(size[name] for name in both), 3)
        for both, count in shared.items()
        if count >= FEW
    }


def pairs(
    notebooks: dict[str, list[str]], handed_out: list[str], threshold: float = ALIKE
) -> list[Pair]:
    """Return the notebooks that are alike."""
    structure, words = (likeness(notebooks, handed_out, kind) for kind in (False, True))
    found = [
        Pair(*both, value, words.get(both, 0.0))
        for both, value in structure.items()
        if value >= threshold
    ]
    return sorted(found, key=lambda pair: (-pair.words, -pair.structure, pair))


def add(commands: Commands) -> None:
    """Describe the command."""
    parser = commands.add_parser("similar", help="list notebooks that are alike, as a hint")
    parser.add_argument("master", type=Path, help="the master notebook")
    parser.add_argument("submissions", type=Path, help="the folder that `grade` reads")
    parser.add_argument("--roster", type=Path, help="a table with the columns student and file")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print pairs of notebooks."""
    problems = read(options.master)
    cells = json.loads(student_version(options.master))["cells"]
    handed_out = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    roster = None if options.roster is None else collect.read_roster(options.roster)
    notebooks = {}
    for this in collect.find(options.submissions, roster, problems.name)[0]:
        try:
            if len(this.paths) == 1:
                notebooks[this.student] = code_of(this.paths[0], problems.name)
        except Unreadable as error:
            say(f"{this.student}: {error}")
    print("These are hints to look, no verdict: right answers to one question are alike.\n")
    print("words  structure")
    for pair in pairs(notebooks, handed_out):
        print(printable(f"{pair.words:5.0%}  {pair.structure:9.0%}  {pair.one} and {pair.other}"))
    return 0
