"""The appendix on boundedness: the lengths in its table are those of runs."""

import re
from functools import cache
from pathlib import Path
from statistics import median

import numpy as np

from perceptron_notes import Dataset, pla, record, separate
from perceptron_notes.convergence import Obstruction

PAGE = Path(__file__).parent.parent / "book/bounded.md"
UPDATES = 1000


def signed(data):
    """The vectors z = y x, as whole numbers."""
    return (data.y[:, None] * data.X).astype(int)


@cache
def inseparable():
    """For d = 1, 2, 3 in turn, 500 data sets that no weights separate."""
    rng, found = np.random.default_rng(1), []
    while len(found) < 500:
        d = 1 + len(found) % 3
        data = Dataset(rng.integers(-3, 4, (d + 3, d)), rng.choice([-1, 1], d + 3))
        if isinstance(separate(data), Obstruction):
            found.append(data)
    return found


def walk(Z, value):
    """The largest squared length on each set, if the mistake of the greatest value is picked."""
    w, most = np.zeros_like(Z[:, 0]), np.zeros(len(Z), int)
    for _ in range(UPDATES):
        scores = np.einsum("snk,sk->sn", Z, w)
        picks = np.where(scores <= 0, value(scores), -np.inf).argmax(1)
        w = w + Z[np.arange(len(Z)), picks]
        most = np.maximum(most, (w**2).sum(-1))
    return most


@cache
def longest():
    """The largest squared length of the weights on each set, in three orders."""
    sets, rng = inseparable(), np.random.default_rng(1)
    runs = [record(pla(data), at_most=UPDATES).W for data in sets]
    most = np.array([(W**2).sum(1).max() for W in runs]).astype(int)
    for d in (1, 2, 3):
        Z = np.array([signed(data) for data in sets[d - 1 :: 3]])
        for value in (lambda s: rng.random(s.shape), lambda s, Z=Z: 2 * s + (Z**2).sum(-1)):
            most[d - 1 :: 3] = np.maximum(most[d - 1 :: 3], walk(Z, value))
    return most.tolist()


def test_the_table_has_the_numbers_of_these_runs():
    rows = re.findall(
        r"^\| (\d) \| (\d+) \| ([\d.]+) \| ([\d.]+) \|$", PAGE.read_text("utf-8"), re.M
    )
    assert [int(row[0]) for row in rows] == [1, 2, 3]
    for d, count, middle, most in rows:
        which = range(int(d) - 1, 500, 3)
        R2 = [(signed(inseparable()[k]) ** 2).sum(1).max() for k in which]
        ratios = [(longest()[k] / r2) ** 0.5 for k, r2 in zip(which, R2, strict=True)]
        found = (str(len(ratios)), f"{median(ratios):.1f}", f"{max(ratios):.1f}")
        assert found == (count, middle, most)
