"""What PLA and Pocket share, which have weights."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from perceptron_notes._kit.validation import LARGEST, check_flag, real_array
from perceptron_notes._kit.values import Array
from perceptron_notes.data import Dataset, augment
from perceptron_notes.estimators.base import Classifier
from perceptron_notes.estimators.checks import checked_input
from perceptron_notes.model import canonical_score
from perceptron_notes.native import SparseSamples, sparse_scores

__all__ = ["Linear", "scored"]

#: So many rows are scored together, while they are in the cache.
_BLOCK = 4096


class Linear(Classifier):
    """The base of the two that have weights."""

    fit_intercept: bool
    warm_start: bool
    coef_: Array
    intercept_: Array

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _checked(self, X: Any, y: Any = "no_validation", reset: bool = True) -> Any:
        """Return the input as float64, sparse rows as the canonical score needs them."""
        checked = checked_input(self, X, y, reset=reset, order="C", accept_sparse="csr")
        X, *rest = checked if isinstance(checked, tuple) else (checked,)
        if not isinstance(X, np.ndarray) and not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        return (X, *rest) if rest else X

    def _samples(
        self, X: Any, y: Any, sample_weight: Any, k: int = 1, kept: Any = True
    ) -> tuple[Dataset | SparseSamples, Array | None]:
        """Return the samples that count in the run for a class, and the importance of each."""
        labels, importance = self._labels(y, k), self._importance(X, y, sample_weight, k)
        used = np.full(len(y), kept) if importance is None else (importance > 0) & kept
        if not used.all():
            X, labels = X[used], labels[used]
            importance = None if importance is None else importance[used]
        if not len(labels):
            raise ValueError("sample_weight and class_weight leave no sample to learn from")
        if not isinstance(X, np.ndarray):
            return SparseSamples(X, labels, importance, self.fit_intercept), importance
        if importance is None:
            return Dataset(X, labels, intercept=self.fit_intercept), None
        # A sample times its importance makes the same mistakes, and the update that is due.
        rows = augment(X) if self.fit_intercept else X
        return Dataset(importance[:, None] * rows, labels, intercept=False), importance

    def _begin(self, d: int, coef_init: Any, intercept_init: Any) -> Array:
        """Return the weights to start from, a row for each run: zeros if nothing is known."""
        runs = len(self._positive())
        W = np.zeros((runs, d + check_flag(self.fit_intercept, "fit_intercept")))
        if self.warm_start and hasattr(self, "coef_"):
            for have, before, what in (
                (d, self.coef_.shape[1], "X has {} features"),
                (len(self.classes_), max(2, len(self.coef_)), "y has {} classes"),
            ):
                if have != before:
                    raise ValueError(
                        f"{what.format(have)}, the fit before had {before}; warm_start goes on "
                        "from its weights, so expected as many"
                    )
            W = self._weights()
        if coef_init is not None:
            W[:, int(self.fit_intercept) :] = _shaped(coef_init, "coef_init", (runs, d))
        if intercept_init is not None:
            w0 = _shaped(intercept_init, "intercept_init", (runs,))
            if self.fit_intercept:
                W[:, 0] = w0
            elif w0.any():
                raise ValueError(f"intercept_init is {intercept_init}, but fit_intercept is False")
        return W

    def _weights(self) -> Array:
        """Return the weights as the package has them, a row for each run."""
        if self.fit_intercept:
            return np.column_stack([self.intercept_, self.coef_])
        return self.coef_.copy()

    def _keep(self, W: Array) -> Self:
        first = int(self.fit_intercept)
        self.intercept_ = W[:, 0].copy() if first else np.zeros(len(W))
        self.coef_ = W[:, first:].copy()
        return self

    def decision_function(self, X: Any) -> Array:
        """Return the scores w·x, shape (n,); for more than two classes a column each, (n, K).

        Of two classes ``classes_[1]`` has positive scores.
        """
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        scores = [
            scored(X, np.append(w0, w)) for w0, w in zip(self.intercept_, self.coef_, strict=True)
        ]
        return scores[0] if len(scores) == 1 else np.column_stack(scores)


def scored(X: Any, w: Array, intercept: bool = True) -> Array:
    """Score each sample canonically."""
    if not isinstance(X, np.ndarray):
        return sparse_scores(X, w, intercept)
    blocks = (X[k : k + _BLOCK] for k in range(0, len(X), _BLOCK))
    return np.concatenate([canonical_score(w, augment(b) if intercept else b) for b in blocks])


def _shaped(values: Any, name: str, shape: tuple[int, ...]) -> Array:
    """Return weights to start from; those of a single run may lack the first dimension."""
    given = real_array(values, name, LARGEST)
    if given.shape != shape and not (shape[0] == 1 and given.shape == shape[1:]):
        short = f" or {shape[1:]}" if shape[0] == 1 else ""
        raise ValueError(f"{name} has shape {given.shape}; expected {shape}{short}")
    return given.reshape(shape)
