"""Checks of the dual form and of kernels."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from perceptron_notes import kernels
from perceptron_notes.checks import runs, samples
from perceptron_notes.checks.answers import Misfit, indices, matrix, number, parts, vector, written
from perceptron_notes.checks.check import Arguments, Check
from perceptron_notes.checks.slips import kernels as slips
from perceptron_notes.data import Array, Labels

__all__ = ["DUAL_PLA", "FEATURES", "GRAM", "POLYNOMIAL", "WITNESS"]

Rng = np.random.Generator


def difference(got: Any, name: str, expected: Array) -> str | None:
    """The first entry of a matrix that is not as expected; a power may round."""
    for i, row in enumerate(matrix(got, name, *expected.shape)):
        for j, value in enumerate(row):
            if not abs(value - expected[i, j]) <= 1e-12 * abs(expected[i, j]):
                return f"{name}[{i}, {j}] is {written(value)}; expected {written(expected[i, j])}."
    return None


def judge_gram(got: Any, points: Array) -> str | None:
    """Entry by entry."""
    return difference(got, "G", points @ points.T)


GRAM = Check(
    "gram",
    "gram(points) -> G",
    samples.points,
    judge_gram,
    slips.GRAM,
)


def draw_kernel(rng: Rng) -> Iterator[Arguments]:
    """Two sets of points, a degree and an offset."""
    for n, d in samples.SIZES[2:]:
        yield {
            "A": samples.grid(rng, n, d)[:, 1:],
            "B": samples.grid(rng, int(rng.integers(1, 5)), d)[:, 1:],
            "degree": int(rng.integers(1, 5)),
            "offset": float(rng.integers(0, 4)) / 2,
        }


def judge_polynomial(got: Any, A: Array, B: Array, degree: int, offset: float) -> str | None:
    """Entry by entry."""
    return difference(got, "K", kernels.polynomial(degree, offset)(A, B))


POLYNOMIAL = Check(
    "polynomial",
    "polynomial(A, B, degree, offset) -> K",
    draw_kernel,
    judge_polynomial,
    slips.POLYNOMIAL,
)


def draw_dual(rng: Rng) -> Iterator[Arguments]:
    """Gram matrices of data that can be separated, also under a kernel; a long run at the end."""
    for n, d in samples.SIZES:
        X, y = samples.separable(rng, n, d)
        kernel = kernels.linear if rng.random() < 0.6 else kernels.polynomial(2)
        yield {"G": kernel(X[:, 1:], X[:, 1:]), "y": y}
    X, y = samples.far_from_zero(rng)
    yield {"G": X[:, 1:] @ X[:, 1:].T, "y": y}


def judge_dual(got: Any, G: Array, y: Labels) -> str | None:
    """Every pick, and the tally and the bias at the end."""
    alpha, b, picks = parts(got, "alpha", "b", "picks")
    alpha, b = vector(alpha, "alpha", len(y)), number(b, "b")
    picks = indices(picks, "picks", len(y))

    def margins(picks: runs.Picks) -> Array:
        A = runs.tally(len(y), picks) * y
        return y[:, None] * ((A @ G).T + A.sum(axis=1))

    def state(t: int) -> str:
        tally = [picks[:t].count(i) for i in range(len(y))]
        return f"alpha = {written(tally)}, b = {int(y @ tally)}"

    fault = runs.one_by_one(picks, margins, runs.in_turn, state)
    tally = [picks.count(i) for i in range(len(y))]
    if fault or (alpha == tally and b == int(y @ tally)):
        return fault
    return (
        "the picks are right, alpha or b is not.\n"
        f"After {len(picks)} updates expected {state(len(picks))}; "
        f"got alpha = {written(alpha)}, b = {written(b)}."
    )


DUAL_PLA = Check(
    "dual_pla",
    "dual_pla(G, y) -> (alpha, b, picks)",
    draw_dual,
    judge_dual,
    slips.DUAL_PLA,
)


def judge_features(got: Any, points: Array) -> str | None:
    """Inner products of features, which round, against the kernel."""
    n, d = points.shape
    if not isinstance(got, list) or len(got) != n or not isinstance(got[0], list):
        raise Misfit(f"F is no matrix with {n} rows, one for each point.")
    F = np.array(matrix(got, "F", n, len(got[0])), dtype=float)
    expected, found = (points @ points.T + 1) ** 2, F @ F.T
    off = ~(np.abs(found - expected) <= 1e-9 * (1 + np.abs(expected)))
    if off.any():
        i, j = np.argwhere(off)[0]
        return (
            f"the features of points {i} and {j} have the inner product {found[i, j]:.10g}; "
            f"expected {expected[i, j]:.10g}.\nThat is (a·b + 1)² for a = {written(points[i])}, "
            f"b = {written(points[j])}. Their features are {written(got[i])} and {written(got[j])}."
        )
    if F.shape[1] < (d + 1) * (d + 2) // 2:
        return (
            f"{F.shape[1]} features cannot do for all points with {d} coordinates.\n"
            "The inner products are right for these points. But the features of a point must not "
            "depend on the other points."
        )
    return None


FEATURES = Check(
    "features",
    "features(points) -> F",
    samples.points,
    judge_features,
    slips.FEATURES,
)


def semidefinite(G: Array) -> bool:
    """Whether no vector has cᵀGc < 0, by elimination without rounding."""
    A = [[Fraction(v) for v in row] for row in G.tolist()]
    n = len(A)
    for k in range(n):
        if A[k][k] < 0 or (A[k][k] == 0 and any(A[k][k:])):
            return False
        for i in range(k + 1, n):
            if A[k][k]:
                factor = A[i][k] / A[k][k]
                A[i] = [a - factor * b for a, b in zip(A[i], A[k], strict=True)]
    return True


def draw_matrices(rng: Rng) -> Iterator[Arguments]:
    """Symmetric matrices of whole numbers: Gram matrices, many singular, and others."""
    for n in (1, 1, *[2] * 6, *[3] * 12, *[4] * 14, *[5] * 14, *[6] * 8):
        found = False
        while not found:
            P = rng.integers(-2, 3, size=(n, int(rng.integers(1, n + 1))))
            u, s = rng.integers(-2, 3, size=n), rng.choice([-1, 1], size=n)
            kinds = [
                P @ P.T,
                P @ P.T - np.outer(u, u),
                (P @ P.T - 1) ** 2,
                # Singular, or without a witness among fewer than all n samples.
                (n - rng.integers(3)) * np.eye(n) - np.outer(s, s),
            ]
            G = kinds[rng.integers(4)].astype(float)
            # Rounding must not decide: the negative side is far from 0.
            found = semidefinite(G) or np.linalg.eigvalsh(G)[0] < -0.05
        yield {"G": G}


def judge_witness(got: Any, G: Array) -> str | None:
    """A witness is a proof, and None is right only where there is none."""
    if got is None:
        if semidefinite(G):
            return None
        c = np.linalg.eigh(G)[1][:, 0]
        return (
            "there is a vector c with cᵀGc < 0; got None.\n"
            f"The smallest eigenvalue is {c @ G @ c:.4g}."
        )
    values = vector(got, "c", len(G))
    try:
        c = np.array([Fraction(value) for value in values], dtype=object)
    except (ValueError, OverflowError):
        raise Misfit(f"c is {written(values)}; expected finite numbers.") from None
    form = c @ np.array([[Fraction(v) for v in row] for row in G.tolist()], dtype=object) @ c
    if form < 0:
        return None
    also = "there is none, so expected None" if semidefinite(G) else "others are negative"
    return f"your c has cᵀGc = {float(form):.4g}, which is not negative; {also}."


WITNESS = Check(
    "witness",
    "witness(G) -> c or None",
    draw_matrices,
    judge_witness,
    slips.WITNESS,
)
