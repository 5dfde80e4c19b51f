"""Which notebooks are alike, and what they import: a hint to look, never a verdict.

Code is cut into tokens, names and numbers made equal, and fingerprints are chosen from runs of
tokens by winnowing (Schleimer, Wilkerson and Aiken, SIGMOD 2003). What was handed out does not
count, and what many students share counts little: right answers to one question are alike.
"""

from __future__ import annotations

import keyword
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations
from math import log

__all__ = ["Pair", "imports", "pairs", "prints"]

#: Tokens in a run, and runs of which one is chosen.
RUN, WINDOW = 12, 6
#: Fingerprints that two notebooks must share before anything is said.
FEW = 8
TOKEN = re.compile(r"""\#.*|\w+|"[^"\n]*"|'[^'\n]*'|[^\w\s]""")


@dataclass(frozen=True)
class Pair:
    """Two notebooks that are alike."""

    #: The students.
    one: str
    other: str
    #: How much of the smaller one is in the other, with all names made equal: 0 to 1.
    structure: float
    #: The same with names and comments as they are. This is the stronger hint.
    words: float


def tokens(source: str, words: bool) -> Iterator[str]:
    """Yield the tokens of a cell; without `words`, names and numbers are made equal.

    They are found one after another, without a parser: what a cell holds costs no more than its
    length, and a cell that is no Python has tokens too.
    """
    for token in TOKEN.findall(source):
        if token[0] == "#":
            if words:
                yield token
        elif words or keyword.iskeyword(token) or not (token[0].isalnum() or token[0] in "_\"'"):
            yield token
        else:
            yield "word"


def prints(cells: Iterable[str], words: bool = False) -> set[bytes]:
    """Return the fingerprints of a notebook."""
    chosen: set[bytes] = set()
    for cell in cells:
        found = list(tokens(cell, words))
        runs = ["\0".join(found[i : i + RUN]) for i in range(len(found) - RUN + 1)]
        marks = [blake2b(run.encode(errors="replace"), digest_size=8).digest() for run in runs]
        chosen.update(
            min(marks[i : i + WINDOW]) for i in range(max(1, len(marks) - WINDOW + 1)) if marks
        )
    return chosen


def pairs(notebooks: dict[str, list[str]], handed_out: list[str], threshold: float) -> list[Pair]:
    """Return the notebooks that are alike."""
    structure, words = (likeness(notebooks, handed_out, kind) for kind in (False, True))
    found = [
        Pair(*both, value, words.get(both, 0.0))
        for both, value in structure.items()
        if value >= threshold
    ]
    return sorted(found, key=lambda pair: (-pair.words, -pair.structure, pair.one, pair.other))


def likeness(
    notebooks: dict[str, list[str]], handed_out: list[str], words: bool
) -> dict[tuple[str, str], float]:
    """Return how much of the smaller notebook is in the larger, for pairs that share enough."""
    known = prints(handed_out, words)
    marks = {name: prints(cells, words) - known for name, cells in notebooks.items()}
    holders: dict[bytes, list[str]] = defaultdict(list)
    for name in sorted(marks):
        for mark in marks[name]:
            holders[mark].append(name)
    # In a class of two, code that both have is not yet common.
    weight = {mark: log((1 + max(len(marks), 20)) / len(who)) for mark, who in holders.items()}
    size = {name: sum(weight[mark] for mark in mine) for name, mine in marks.items()}
    shared: Counter[tuple[str, str]] = Counter()
    weights: dict[tuple[str, str], float] = defaultdict(float)
    for mark, who in holders.items():
        for both in combinations(who, 2):
            shared[both] += 1
            weights[both] += weight[mark]
    return {
        both: weights[both] / min(size[name] for name in both)
        for both, count in shared.items()
        if count >= FEW
    }


def imports(cells: Iterable[str]) -> set[str]:
    """Return the modules that lines of code import.

    Examples
    --------
    >>> sorted(imports(["import numpy as np, os.path", "from a.b import c"]))
    ['a.b', 'numpy', 'os.path']
    """
    found: set[str] = set()
    for line in (line.strip() for cell in cells for line in cell.split("\n")):
        first, _, rest = line.partition(" ")
        if first in ("from", "import"):
            parts = rest.split(",") if first == "import" else [rest]
            names = (re.match(r"[\w.]+", part.strip()) for part in parts)
            found.update(name[0] for name in names if name)
    return found
