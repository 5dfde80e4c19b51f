"""What the units of the columns do to the perceptron: bounds and updates, raw and standardised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.values import Array, Labels
from perceptron_notes.convergence import Separator, certify, separate
from perceptron_notes.data import Dataset
from perceptron_notes.diagnosis.clock import Clock
from perceptron_notes.exact.numbers import fractions
from perceptron_notes.learning import last, pla
from perceptron_notes.model import score

#: So many updates a run may make before it counts as hopeless.
PATIENCE = 200_000


@dataclass(frozen=True)
class Units:
    """The columns whose values vary most and least; constant ones are left out.

    Attributes
    ----------
    widest, narrowest : str
        Their names.
    most, least : float
        From the least to the largest value of each.
    """

    widest: str
    most: float
    narrowest: str
    least: float

    @property
    def uneven(self) -> bool:
        """Whether one varies more than ten times as much as the other."""
        return self.most > 10 * self.least

    def __str__(self) -> str:
        spans = f"{self.widest} spans {figure(self.most)}"
        return f"{spans}, {self.narrowest} {figure(self.least)}"


def figure(number: float) -> str:
    """Write a number with three digits or more, and no power of ten where it is short."""
    return f"{number:,.0f}" if 1000 <= abs(number) < 1e9 else f"{number:.3g}"


@dataclass(frozen=True)
class Speed:
    """How soon PLA halts.

    Attributes
    ----------
    bound : int
        Novikoff's bound on the number of updates.
    updates : int or None
        How many it makes, visiting the rows in turn; None if it is not at the end after
        200,000.
    """

    bound: int
    updates: int | None


@dataclass(frozen=True, eq=False)
class Scale:
    """The mean of each column and its standard deviation, rounded to six digits.

    So runs do not depend on how a processor adds up.
    """

    centre: Array
    spread: Array

    @classmethod
    def of(cls, points: Array, intercept: bool = True) -> Scale:
        """Measure the columns; constant ones keep their size.

        Without an intercept planes go through the origin, so the origin stays where it is.
        """
        centre, spread = points.mean(axis=0), points.std(axis=0)
        spread = np.where(spread > 1e-12 * np.abs(points).max(axis=0), spread, 1.0)
        return cls(_six(centre if intercept else centre * 0), _six(spread))

    def apply(self, points: Array) -> Array:
        """Standardise the points."""
        return (points - self.centre) / self.spread

    def undo(self, w: Array) -> list[Fraction]:
        """Return the weights for the points as they were, exactly; an intercept is first."""
        k = len(w) - len(self.spread)
        first, others = fractions(w[:k]), fractions(w[k:])
        scaled = [a / s for a, s in zip(others, fractions(self.spread), strict=True)]
        shift = sum(a * c for a, c in zip(scaled, fractions(self.centre), strict=True))
        return [*(a - shift for a in first), *scaled]


def _six(values: Array) -> Array:
    return np.array([float(f"{value:.6g}") for value in values.tolist()])


def labels(positive: npt.NDArray[np.bool_]) -> Labels:
    """Return +1 for the positive rows, −1 for the others."""
    return np.where(positive, 1, -1)


def units(points: Array, names: Sequence[str]) -> Units | None:
    """Compare how much the columns vary."""
    spans = np.ptp(points, axis=0)
    there = np.flatnonzero(spans > 0)
    if len(there) < 2:
        return None
    most, least = there[spans[there].argmax()], there[spans[there].argmin()]
    return Units(names[most], float(spans[most]), names[least], float(spans[least]))


def speed(
    points: Array, positive: npt.NDArray[np.bool_], intercept: bool, clock: Clock
) -> tuple[Speed, Array] | None:
    """Bound and count the updates of PLA; return the scores of the widest margin beside them.

    None where no weights separate: rounding can bring that about where a margin is thin.
    """
    data = Dataset(points, labels(positive), intercept)
    found = separate(data, clock.report)
    if not isinstance(found, Separator):
        return None
    end = last(pla(data), PATIENCE)
    made = end.t if end.pick is None else None
    return Speed(certify(data, found).bound, made), score(found.w, data)
