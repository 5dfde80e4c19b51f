"""The plane with the fewest mistakes that was found."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.values import Array
from perceptron_notes.data import Dataset
from perceptron_notes.diagnosis.clock import Clock
from perceptron_notes.diagnosis.logistic import fit
from perceptron_notes.diagnosis.units import Scale, labels
from perceptron_notes.learning import last, pla
from perceptron_notes.model import error_count, score
from perceptron_notes.pocketing import pocket
from perceptron_notes.rules import shuffled

#: So small a penalty hardly moves what logistic regression finds, but for infinite coefficients.
_PENALTY = 1e-3


def best_plane(
    points: Array, positive: npt.NDArray[np.bool_], intercept: bool, clock: Clock
) -> tuple[list[Fraction], Array]:
    """Return the weights with the fewest mistakes that were found, and their scores.

    They are Pocket's on standardised columns, or those of logistic regression with hardly a
    penalty, whichever err less.
    """
    scale = Scale.of(points, intercept)
    data = Dataset(scale.apply(points), labels(positive), intercept)
    t = positive.astype(np.float64)
    fitted = fit(data.points, t, clock.report, penalty=_PENALTY, intercept=intercept)
    best = min(_pocketed(data), fitted.coefficients, key=lambda w: error_count(w, data))
    return scale.undo(best), score(best, data)


def _pocketed(data: Dataset) -> Array:
    """Return the best weights of a run of Pocket: 20,000 updates, or 500 where each takes long."""
    updates = int(np.clip(2e10 // data.X.size, 500, 20_000))
    rule = shuffled(np.random.default_rng(0))
    return last(pocket(data, pla(data, rule)), updates).best
