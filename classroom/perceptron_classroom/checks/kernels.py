"""Checks of the dual form and of kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from perceptron_classroom.answers import exact, indices, matrix, number, parts, vector, written
from perceptron_classroom.checks import runs, samples
from perceptron_classroom.checks.check import Arguments, Array, Check, Labels
from perceptron_classroom.checks.rounding import near
from perceptron_classroom.checks.slips import kernels as slips
from perceptron_classroom.inside.plain import Misfit
from perceptron_notes import kernels

__all__ = ["DUAL_PLA", "FEATURES", "GRAM", "POLYNOMIAL", "WITNESS"]

Rng = np.random.Generator


def difference(got: Any, name: str, expected: Array) -> str | None:
    """Describe the first wrong entry of a matrix; powers may be rounded."""
    for i, row in enumerate(matrix(got, name, *expected.shape)):
        for j, (value, right) in enumerate(zip(row, expected[i].tolist(), strict=True)):
            if not near(value, right, 1e-12 * abs(right)):
                return f"{name}[{i}, {j}] is {written(value)}; expected {written(right)}."
    return None


def judge_gram(got: Any, points: Array) -> str | None:
    """Judge entry by entry."""
    return difference(got, "G", points @ points.T)


GRAM = Check("gram", "gram(points) -> G", samples.point_groups, judge_gram, slips.GRAM)


def draw_kernel(rng: Rng) -> Iterator[Arguments]:
    """Draw two sets of points, a degree and an offset."""
    for n, d in samples.SIZES[2:]:
        yield {
            "A": samples.grid(rng, n, d)[:, 1:],
            "B": samples.grid(rng, int(rng.integers(1, 5)), d)[:, 1:],
            "degree": int(rng.integers(1, 5)),
            "offset": float(rng.integers(0, 4)) / 2,
        }


def draw_large_kernel(rng: Rng) -> Iterator[Arguments]:
    """Draw more points, higher degrees, odd offsets."""
    for (n, d), degree in zip(samples.LARGE, rng.permutation([1, 3, 5, 7]), strict=True):
        yield {
            "A": rng.integers(-512, 513, size=(n, d)) / 256,
            "B": rng.integers(-512, 513, size=(40, d)) / 256,
            "degree": int(degree),
            "offset": float(rng.integers(1, 2048)) / 1024,
        }


def judge_polynomial(got: Any, A: Array, B: Array, degree: int, offset: float) -> str | None:
    """Judge entry by entry."""
    return difference(got, "K", kernels.polynomial(degree, offset)(A, B))


POLYNOMIAL = Check(
    "polynomial",
    "polynomial(A, B, degree, offset) -> K",
    {"small": draw_kernel, "large": draw_large_kernel},
    judge_polynomial,
    slips.POLYNOMIAL,
)


def by_kernel(
    draw: Callable[[Rng], Iterator[Arguments]], share: float
) -> Callable[[Rng], Iterator[Arguments]]:
    """Return the Gram matrices of these samples, a share of them under a polynomial kernel."""

    def drawn(rng: Rng) -> Iterator[Arguments]:
        for X, y in (arguments.values() for arguments in draw(rng)):
            kernel = kernels.polynomial(2) if rng.random() < share else kernels.linear
            yield {"G": np.array(kernel(X[:, 1:], X[:, 1:])), "y": y}

    return drawn


def judge_dual(got: Any, G: Array, y: Labels) -> str | None:
    """Judge every pick, and the tally and the bias at the end."""
    alpha, b, picks = parts(got, "alpha", "b", "picks")
    alpha, b = vector(alpha, "alpha", len(y)), number(b, "b")
    picks = indices(picks, "picks", len(y))

    def margins(picks: runs.Picks) -> Array:
        A = runs.tally(len(y), picks) * y
        return y[:, None] * ((A @ G).T + A.sum(axis=1))

    def state(t: int) -> str:
        tally = [picks[:t].count(i) for i in range(len(y))]
        return f"alpha = {written(tally)}, b = {int(y @ tally)}"

    fault = runs.one_by_one(picks, margins, runs.in_turn, state, "y × score")
    tally = [picks.count(i) for i in range(len(y))]
    if fault or (alpha == tally and b == int(y @ tally)):
        return fault
    return (
        "the picks are right, but alpha or b is not.\n"
        f"At t = {len(picks)} expected {state(len(picks))}; "
        f"got alpha = {written(alpha)}, b = {written(b)}."
    )


DUAL_PLA = Check(
    "dual_pla",
    "dual_pla(G, y) -> (alpha, b, picks)",
    {name: by_kernel(draw, 0.4 if name == "small" else 0.0) for name, draw in samples.runs.items()},
    judge_dual,
    slips.DUAL_PLA,
)


def draw_points_apart(rng: Rng) -> Iterator[Arguments]:
    """Draw the same points together, one by one, and among others."""
    for d in (1, 2, 3, 5):
        points = samples.grid(rng, 6, d)[:, 1:] + rng.integers(-8, 9, size=d) / 16
        yield {"points": points}
        yield {"points": points[:1]}
        yield {"points": 0 * points[:1]}
        yield {"points": points[3:4]}
        yield {"points": rng.permutation(points)[:4]}
        yield {"points": np.vstack([samples.grid(rng, 20, d)[:, 1:], points[2:5]])}


def judge_features(got: Any, points: Array) -> str | None:
    """Compare inner products of features, which round, with the kernel."""
    F = features_of(got, points)
    if wrong := wrong_product(F, F, points, points):
        return wrong
    least = (points.shape[1] + 1) * (points.shape[1] + 2) // 2
    if F.shape[1] < least:
        return (
            f"the number of features is {F.shape[1]}; at least {least} are needed here.\n"
            "The inner products are right for these points, but with so few features they cannot "
            f"be right for all points with d = {points.shape[1]}. The features of a point must not "
            "depend on the other points."
        )
    return None


def features_of(got: Any, points: Array) -> Array:
    """Return the answer as a matrix of floats."""
    n = len(points)
    if not isinstance(got, list) or len(got) != n or not isinstance(got[0], list):
        raise Misfit(f"F is not a matrix with one row for each of the points (here {n}).")
    rows = matrix(got, "F", n, len(got[0]))
    try:
        return np.array([[float(value) for value in row] for row in rows])
    except OverflowError:
        raise Misfit("F has an entry that is too large.") from None


def wrong_product(F: Array, H: Array, points: Array, others: Array) -> str | None:
    """Return the first two points whose features have a wrong inner product."""
    with np.errstate(all="ignore"):
        expected, found = (points @ others.T + 1) ** 2, F @ H.T
        off = ~(np.abs(found - expected) <= 1e-9 * (1 + np.abs(expected)))
    if not off.any():
        return None
    i, j = np.argwhere(off)[0]
    return (
        f"the features of two points have the inner product {found[i, j]:.10g}; "
        f"expected {expected[i, j]:.10g}.\n"
        f"That is (a·b + 1)² for a = {written(points[i])}, b = {written(others[j])}.\n"
        f"Their features are {written(F[i])} and {written(H[j])}."
    )


def judge_apart(calls: list[tuple[Arguments, Any]]) -> str | None:
    """Judge features from different calls together, too."""
    known: dict[int, tuple[Array, Array]] = {}
    for arguments, got in calls:
        points = arguments["points"]
        F, d = features_of(got, points), points.shape[1]
        H, others = known.setdefault(d, (F, points))
        wrong = (
            "their numbers of features differ."
            if F.shape[1] != H.shape[1]
            else wrong_product(F, H, points, others)
        )
        if wrong:
            return (
                "the features of a point depend on the other points in the call.\n"
                f"Compared with those of another call, also with d = {d}: {wrong}"
            )
    return None


def alike_features(known: Any, answer: Any, points: Array) -> bool:
    """Return whether two answers have the same inner products, in whichever order features are."""
    F, H = (features_of(each, points) for each in (known, answer))
    with np.errstate(all="ignore"):
        return np.allclose(F @ F.T, H @ H.T, rtol=1e-9, atol=1e-9)


FEATURES = Check(
    "features",
    "features(points) -> F",
    {**samples.point_groups, "apart": draw_points_apart},
    judge_features,
    slips.FEATURES,
    judge_apart,
    alike_features,
)


#: No eigenvalue that decides lies between this and 0; the problem set promises that.
NEGATIVE = -0.05


def semidefinite(G: Array) -> bool:
    """Return whether no vector has cᵀGc < 0, for whole numbers with no eigenvalue near 0 but 0."""
    return bool(np.linalg.eigvalsh(G)[0] > NEGATIVE / 2)


def draw_matrices(rng: Rng) -> Iterator[Arguments]:
    """Draw symmetric matrices of whole numbers: Gram matrices, many singular, and others."""
    for n in (1, 1, *[2] * 6, *[3] * 12, *[4] * 14, *[5] * 14, *[6] * 8):
        found = False
        while not found:
            P = rng.integers(-2, 3, size=(n, int(rng.integers(1, n + 1))))
            u, s = rng.integers(-2, 3, size=n), rng.choice([-1, 1], size=n)
            kinds = [
                P @ P.T,
                P @ P.T - np.outer(u, u),
                (P @ P.T - 1) ** 2,
                # Singular, or with no witness that leaves out a sample.
                (n - rng.integers(3)) * np.eye(n) - np.outer(s, s),
            ]
            G = kinds[rng.integers(4)].astype(float)
            # Keep negative values far from 0, so that rounding decides nothing.
            found = not NEGATIVE <= np.linalg.eigvalsh(G)[0] < -1e-9
        yield {"G": G}


def draw_narrow_cones(rng: Rng) -> Iterator[Arguments]:
    """Draw larger matrices whose witnesses lie in a narrow cone, or that only just have none."""
    for n in (3, 4, 6, 8, 10, 12):
        s = rng.choice([-1, 1], size=n)
        for least in (-0.1, -1.0):  # a small negative eigenvalue, beside large ones
            yield {"G": with_smallest(rng, n, least)}
        # Semidefinite; with a smaller entry on the diagonal it is not, and s is the one witness.
        G = float(n) * np.eye(n) - np.outer(s, s)
        # All leading minors are 0, and the first coordinate is not involved.
        yield {"G": np.pad(with_smallest(rng, n, -1.0), ((1, 0), (1, 0)))}
        yield {"G": G}
        yield {"G": G - np.diag(np.eye(n)[rng.integers(n)])}


def with_smallest(rng: Rng, n: int, least: float) -> Array:
    """Return a matrix whose smallest eigenvalue lies between `least` and `NEGATIVE`."""
    while True:
        P = rng.integers(-3, 4, size=(n, n))
        G = (P @ P.T - np.diag(np.eye(n, dtype=int)[rng.integers(n)])).astype(float)
        if least < np.linalg.eigvalsh(G)[0] < NEGATIVE:
            return G


def judge_witness(got: Any, G: Array) -> str | None:
    """Judge a witness, which is a proof; None is right only where there is none."""
    if got is None:
        if semidefinite(G):
            return None
        c = np.linalg.eigh(G)[1][:, 0]
        return (
            "there is a vector c with cᵀGc < 0; got None.\n"
            f"The smallest eigenvalue is {c @ G @ c:.4g}."
        )
    c = np.array(exact(vector(got, "c", len(G)), "c"), dtype=object)
    form = c @ np.array([[Fraction(v) for v in row] for row in G.tolist()], dtype=object) @ c
    if form < 0:
        return None
    also = (
        "no c makes it negative, so expected None"
        if semidefinite(G)
        else "some other c makes it negative"
    )
    about = f"{float(form):.4g}" if form < 10**300 else "a huge number"
    return f"your c has cᵀGc = {about}, which is not negative; {also}."


WITNESS = Check(
    "witness",
    "witness(G) -> c or None",
    {"small": draw_matrices, "narrow": draw_narrow_cones},
    judge_witness,
    slips.WITNESS,
)
