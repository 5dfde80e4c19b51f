"""The perceptron on the rows: its bound in their units, its updates, and the best plane found."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.values import Array
from perceptron_notes.convergence import Separator, certify, separate
from perceptron_notes.data import Dataset
from perceptron_notes.diagnosis.clock import Clock
from perceptron_notes.diagnosis.logistic import Scale, fit
from perceptron_notes.learning import last, pla
from perceptron_notes.model import error_count, score
from perceptron_notes.pocketing import pocket
from perceptron_notes.rules import shuffled

#: The number of updates after which a run is given up.
PATIENCE = 200_000
#: This small penalty hardly changes the fit of logistic regression, except infinite coefficients.
_PENALTY = 1e-3


@dataclass(frozen=True)
class Units:
    """The columns whose values vary most and least; constant ones are left out.

    Attributes
    ----------
    widest, narrowest : str
        Their names.
    most, least : float
        The range of each: its largest value minus its least.
    """

    widest: str
    most: float
    narrowest: str
    least: float


@dataclass(frozen=True)
class Speed:
    """How soon PLA halts.

    Attributes
    ----------
    bound : int
        Novikoff's bound on the number of updates.
    updates : int or None
        The number of updates when rows are visited in turn; None if more than 200,000.
    """

    bound: int
    updates: int | None


def span(points: Array, names: Sequence[str]) -> Units | None:
    """Return how much the most and the least varying column vary."""
    spans = np.ptp(points, axis=0)
    there = np.flatnonzero(spans > 0)
    if len(there) < 2:
        return None
    most, least = there[spans[there].argmax()], there[spans[there].argmin()]
    return Units(names[most], float(spans[most]), names[least], float(spans[least]))


def speed(
    points: Array, positive: npt.NDArray[np.bool_], intercept: bool, clock: Clock
) -> tuple[Speed, Array] | None:
    """Return the bound and the updates of PLA, and the scores of the plane with the widest margin.

    None where no weights separate, which rounding can cause where a margin is thin.
    """
    data = Dataset(points, np.where(positive, 1, -1), intercept)
    found = separate(data, clock.report)
    if not isinstance(found, Separator):
        return None
    end = last(pla(data), PATIENCE)
    made = end.t if end.pick is None else None
    return Speed(certify(data, found).bound, made), score(found.w, data)


def best_plane(
    points: Array, positive: npt.NDArray[np.bool_], intercept: bool, clock: Clock
) -> tuple[list[Fraction], Array]:
    """Return the weights with the fewest mistakes that were found, and their scores.

    They are Pocket's on standardised columns, or those of logistic regression with a tiny
    penalty, whichever make fewer mistakes.
    """
    scale = Scale.of(points, intercept)
    data = Dataset(scale.apply(points), np.where(positive, 1, -1), intercept)
    t = positive.astype(np.float64)
    fitted = fit(data.points, t, clock.report, penalty=_PENALTY, intercept=intercept)
    # Where an update takes long, Pocket makes fewer.
    updates = int(np.clip(2e10 // data.X.size, 500, 20_000))
    rule = shuffled(np.random.default_rng(0))
    pocketed = last(pocket(data, pla(data, rule)), updates).best
    best = min(pocketed, fitted.coefficients, key=lambda w: error_count(w, data))
    return scale.undo(best), score(best, data)
