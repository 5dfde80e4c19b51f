"""Logistic regression: the fit, Firth's fit, and the profile limit of an infinite coefficient.

These are floats, unlike the verdict on which of them exist. Columns are first centred and divided
by their standard deviations, which changes no fitted value.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.values import Array
from perceptron_notes.exact.hull import Progress
from perceptron_notes.exact.numbers import fractions

_MOST_STEPS = 100
#: Firth's steps converge only linearly, so the fit ends when their size is below this.
_SMALL_STEP = 1e-7
#: Combinations of standardised columns that vary less than this fraction of the most are noise.
_NOISE = 1e-13
#: The root of the 95 % quantile of χ² with one degree of freedom.
_CHI = 1.959963984540054
#: Eigenvalues of the information below this fraction of the largest count as 0.
_RANK = 1e-11
_TINY = 1e-200


@dataclass(frozen=True, eq=False)
class Scale:
    """The mean of each column and its standard deviation, rounded to six digits.

    This makes runs independent of the order in which a processor adds.
    """

    centre: Array
    spread: Array

    @classmethod
    def of(cls, points: Array, intercept: bool = True) -> Scale:
        """Return the scale of the columns; a constant one keeps its size.

        Without an intercept planes go through the origin, so the columns are not centred.
        """
        centre, spread = points.mean(axis=0), points.std(axis=0)
        spread = np.where(spread > 1e-12 * np.abs(points).max(axis=0), spread, 1.0)
        return cls(_six(centre if intercept else centre * 0), _six(spread))

    def apply(self, points: Array) -> Array:
        """Return the points, standardised."""
        return (points - self.centre) / self.spread

    def undo(self, w: Array) -> list[Fraction]:
        """Return the exact weights for the points before standardisation; the intercept first."""
        k = len(w) - len(self.spread)
        first, others = fractions(w[:k]), fractions(w[k:])
        scaled = [a / s for a, s in zip(others, fractions(self.spread), strict=True)]
        shift = sum(a * c for a, c in zip(scaled, fractions(self.centre), strict=True))
        return [*(a - shift for a in first), *scaled]


def _six(values: Array) -> Array:
    return np.array([float(f"{value:.6g}") for value in values.tolist()])


@dataclass(frozen=True, eq=False)
class Fit:
    """Coefficients, the intercept first, their standard errors, and the log-likelihood.

    `vague` marks coefficients that rounding leaves undetermined, because their columns are
    collinear, or too nearly so for floats to distinguish.
    """

    coefficients: Array
    errors: Array
    likelihood: float
    vague: npt.NDArray[np.bool_]


def _design(
    points: Array, orthogonal: bool, intercept: bool
) -> tuple[Array, Array, npt.NDArray[np.bool_]]:
    """Return rows F with a leading 1, in columns of comparable size; the way back; what is vague.

    Coefficients b of F are T·b for the points with their leading 1. Without a penalty the columns
    are made orthogonal: the information squares them, so nearly collinear ones would lose digits.
    """
    scale = Scale.of(points, intercept)
    F = np.column_stack([np.ones((len(points), int(intercept))), scale.apply(points)])
    T = np.diag(np.append(np.ones(int(intercept)), 1 / scale.spread))
    if intercept:
        T[0, 1:] = -scale.centre / scale.spread
    if not orthogonal:
        return F, T, np.zeros(len(T), dtype=bool)
    Q, R = np.linalg.qr(F)
    U, sizes, axes = np.linalg.svd(R, full_matrices=False)
    clear, root = sizes > sizes.max(initial=0) * _NOISE, sqrt(len(points))
    vague = 1 - (axes[clear] ** 2).sum(axis=0) > 1e-6
    return (Q @ U[:, clear]) * root, T @ (axes[clear].T / sizes[clear]) * root, vague


def fit(
    points: Array,
    positive: Array,
    report: Progress,
    *,
    firth: bool = False,
    penalty: float = 0.0,
    offset: Array | float = 0.0,
    intercept: bool = True,
    enough: float = 1e-9,
) -> Fit:
    """Maximise the likelihood by Newton's method with halved steps.

    `positive` holds the probabilities 0 and 1 of the labels. `firth` adds half the logarithm of
    the information's determinant (Firth, "Bias reduction of maximum likelihood estimates",
    *Biometrika* 80, 1993); half of `penalty` times the squared standardised coefficients, without
    the intercept, is subtracted. The last step gains less than `enough`. Where columns are
    collinear, the shortest coefficients are returned.
    """
    F, T, vague = _design(points, penalty == 0, intercept)
    ridge = np.full(F.shape[1], penalty)
    ridge[: int(intercept)] = 0
    b = np.zeros(F.shape[1])
    value, slope, inverse = _at(F, positive, b, ridge, offset, firth)
    for k in range(_MOST_STEPS):
        report(f"logistic regression: step {k}")
        step = inverse @ slope
        # Scores may at most double, or grow to 5 where all are small.
        most = max(5.0, float(np.abs(F @ b + offset).max()))
        moved = float(np.abs(F @ step).max())
        step *= min(1.0, most / max(moved, 1e-300))
        gain = float(slope @ step)
        for _ in range(30):
            better = _at(F, positive, b + step, ridge, offset, firth)
            # Firth's steps may overshoot, so a step has to gain a quarter of what its slope says.
            if better[0] >= value + float(slope @ step) / 4 - 1e-13 * (1 + abs(value)):
                break
            step = step / 2
        b, (value, slope, inverse) = b + step, better
        # After Newton's step the next gain would be about the square of this one.
        if gain < enough and not (firth and moved > _SMALL_STEP):
            break
    variances = ((T @ inverse) * T).sum(axis=1)
    return Fit(T @ b, np.sqrt(np.maximum(variances, 0)), value, vague)


def _at(
    F: Array, t: Array, b: Array, ridge: Array, offset: Array | float, firth: bool
) -> tuple[float, Array, Array]:
    """Return the value at b, its slope, and the inverse of the information there."""
    s = F @ b + offset
    p = 1 / (1 + np.exp(-np.clip(s, -700, 700)))
    weights = p * (1 - p)
    information = (F.T * weights) @ F + np.diag(ridge)
    sizes, axes = np.linalg.eigh(information)
    # Far out all weights vanish; then no direction is left, and the fit ends.
    full = sizes > max(float(sizes.max(initial=0)) * _RANK, _TINY)
    inverse = (axes[:, full] / sizes[full]) @ axes[:, full].T
    value = float(-(np.logaddexp(0, np.where(t > 0, -s, s))).sum() - (ridge * b * b).sum() / 2)
    residual = t - p
    if firth:
        leverage = ((F @ inverse) * F).sum(axis=1) * weights
        residual = residual + leverage * (0.5 - p)
        value += float(np.log(np.maximum(sizes, _TINY)).sum()) / 2
    return value, F.T @ residual - ridge * b, inverse


def profile_limit(
    points: Array,
    positive: Array,
    j: int,
    sign: int,
    supremum: float,
    intercept: bool,
    report: Progress,
) -> float | None:
    """Return a lower limit for the coefficient of column j; for sign < 0, an upper one.

    The likelihood grows along the coefficient to its supremum; the limit is where twice the
    difference in log-likelihoods is the 95 % quantile of χ² with one degree of freedom. That is
    an approximation for many rows: with few separated ones the limit is too narrow. None if no
    such value is found.
    """
    # A large mean would have to be offset by the intercept.
    column, others = points[:, j] - intercept * points[:, j].mean(), np.delete(points, j, axis=1)
    unit = sign / max(float(column.std()) or float(np.abs(column).max()), 1e-300)

    def beyond(units: float) -> float:
        """Return the root of twice the difference, minus its quantile: nearly a straight line."""
        moved = column * (units * unit)
        held = fit(others, positive, report, offset=moved, intercept=intercept, enough=1e-5)
        return _CHI - sqrt(max(2 * (supremum - held.likelihood), 0))

    low, high = -1.0, 1.0
    while (below := beyond(low)) > 0:
        low *= 2
        if low < -1e6:
            return None
    while (above := beyond(high)) < 0:
        high *= 2
        if high > 1e6:
            return None
    # Regula falsi; the value at an end that stays is halved (the Illinois algorithm).
    before = 0
    for _ in range(_MOST_STEPS):
        if high - low <= 1e-6 * max(1.0, abs(high)):
            break
        middle = (low * above - high * below) / (above - below)
        value = beyond(middle)
        if abs(value) < 1e-7:
            return middle * unit
        if value < 0:
            low, below, above = middle, value, above / 2 if before < 0 else above
        else:
            high, above, below = middle, value, below / 2 if before > 0 else below
        before = -1 if value < 0 else 1
    return high * unit
