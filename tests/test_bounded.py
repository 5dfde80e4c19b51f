"""The appendix on boundedness: its bound, the step that its proof turns on, and its table."""

import re
from functools import cache
from itertools import combinations
from math import isqrt
from pathlib import Path
from statistics import median

import numpy as np
import pytest

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


def rank(vectors):
    return int(np.linalg.matrix_rank(np.array(vectors, float))) if vectors else 0


def constants(Z):
    """The rank, R and κ of the page, the last two rounded up to whole numbers."""
    kappa = 0.0
    for k in range(1, Z.shape[1] + 1):
        for basis in combinations(Z.astype(float), k):
            sigma = np.linalg.svd(np.array(basis), compute_uv=False)[-1]
            if sigma > 1e-9:
                kappa = max(kappa, k**0.5 / sigma)
    R = isqrt(int((Z**2).sum(1).max())) + 1
    return rank(Z.tolist()), R, int(kappa) + 1


def levels(r, R, kappa, M):
    """Twice the levels θ₀, …, θᵣ of the page, where M serves smaller ranks."""
    theta = [0]
    while len(theta) <= r:
        theta.append(kappa * (M + 2 * R) * theta[-1] + (M + R) ** 2)
    return theta


def bounds(r, R, kappa):
    """M₀, …, Mᵣ of the page, rounded up."""
    M = [0]
    for rank in range(1, r + 1):
        M.append(kappa * levels(rank, R, kappa, M[-1])[-1] + R + M[-1])
    return M


def test_the_weights_stay_below_the_bound():
    for data, length2 in zip(inseparable(), longest(), strict=True):
        assert length2 <= bounds(*constants(signed(data)))[-1] ** 2


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


@pytest.mark.parametrize("d", [1, 2])
def test_far_out_the_first_pick_outside_shortens(d):
    """The decisive step of the proof, from starts beyond L, in whole numbers of any size."""
    rng, met = np.random.default_rng(2), 0
    for data in inseparable()[d - 1 : 240 : 3]:
        Z = signed(data)
        r, R, kappa = constants(Z)
        M = bounds(r, R, kappa)[r - 1]
        theta = levels(r, R, kappa, M)
        rows = [tuple(map(int, z)) for z in Z]

        # Almost at right angles to a sample, or to two: there the weights lengthen.
        normal = [int(a) for a in rng.integers(-3, 4, d + 1)]
        if d == 2:
            normal = [int(a) for a in np.cross(Z[rng.integers(d + 3)], normal)]
        elif rng.integers(2):
            normal = [-rows[0][1], rows[0][0]]
        shift = [int(a) for a in rng.integers(-2, 3, d + 1)]
        w = [a * 4 * kappa * theta[-1] + b for a, b in zip(normal, shift, strict=True)]
        if rank(rows) <= d or 4 * sum(a * a for a in w) <= (kappa * theta[-1]) ** 2:
            continue

        def score(u, z):
            return sum(a * b for a, b in zip(u, z, strict=True))

        near = [[z for z in rows if 2 * abs(score(w, z)) <= level] for level in theta]
        j = next(j for j in range(r) if rank(near[j]) == rank(near[j + 1]))
        inside = {z for z in rows if rank([*near[j], z]) == rank(near[j])}
        v = w
        for left in range(int(rng.integers(50)), -200, -1):
            picks = [z for z in rows if score(v, z) <= 0]
            picks.sort(key=lambda z: (z in inside) != (left > 0))  # inside first, outside later
            v = [a + b for a, b in zip(v, picks[0], strict=True)]
            if picks[0] not in inside:
                assert score(v, v) < score(w, w)
                met += 1
                break
            assert score(v, v) <= (isqrt(score(w, w)) + 1 + M) ** 2
    assert met >= 60
