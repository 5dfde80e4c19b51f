"""A part of the samples that is held out, to see when a run gets no better."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedShuffleSplit

from perceptron_notes._kit.validation import check_number
from perceptron_notes._kit.values import Array
from perceptron_notes.estimators.linear import scored

__all__ = ["Judge", "held_out"]


def held_out(y: npt.NDArray[Any], fraction: float, random_state: Any) -> npt.NDArray[np.bool_]:
    """Choose samples to hold out, with its share of each class, as scikit-learn's Perceptron does.

    Parameters
    ----------
    y : ndarray, shape (n,)
        The classes.
    fraction : float
        The share to hold out.
    random_state : int, RandomState or None
        The source of randomness.

    Returns
    -------
    ndarray of bool, shape (n,)
    """
    if not 0 < check_number(fraction, "validation_fraction") < 1:
        raise ValueError(f"validation_fraction is {fraction}; expected a number between 0 and 1")
    split = StratifiedShuffleSplit(1, test_size=float(fraction), random_state=random_state)
    held = np.zeros(len(y), dtype=bool)
    try:
        ((_, rows),) = split.split(y, y)
    except ValueError as error:
        raise ValueError(
            f"early_stopping holds out {fraction:g} of {len(y)} samples, too few of some class on "
            f"either side: {error}"
        ) from error
    held[rows] = True
    return held


class Judge:
    """The share of the samples held out that weights are right about, one class against the rest.

    Parameters
    ----------
    X : ndarray or sparse matrix, shape (m, d)
        The samples held out.
    right : ndarray of bool, shape (m,)
        Which of them belong to the class.
    sample_weight : array_like, shape (n,), or None
        The importance of all samples.
    held : ndarray of bool, shape (n,)
        Which of all samples are held out.
    intercept : bool
        Whether the weights have an intercept.
    """

    def __init__(
        self, X: Any, right: npt.NDArray[np.bool_], sample_weight: Any, held: Any, intercept: bool
    ) -> None:
        self.X, self.right, self.intercept = X, right, intercept
        self.weight = None
        if sample_weight is not None:
            self.weight = np.broadcast_to(np.asarray(sample_weight), held.shape)[held]
        if self.weight is not None and not self.weight.any():
            raise ValueError(
                "sample_weight leaves no sample with a weight > 0 in the part held out"
            )

    def __call__(self, w: Array) -> float:
        """Return the share, weighted by importance."""
        answers = scored(self.X, w, self.intercept) > 0
        return float(np.average(answers == self.right, weights=self.weight))
