"""Pocket, for two classes that need not be separable."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import fsum
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.validation import check_positive
from perceptron_notes._kit.values import Array
from perceptron_notes.data import Dataset
from perceptron_notes.estimators.base import Chance, ClassWeight, Pick, unharmed
from perceptron_notes.estimators.checks import check_rows
from perceptron_notes.estimators.linear import Linear
from perceptron_notes.learning import Run
from perceptron_notes.model import mistakes
from perceptron_notes.native import SparseSamples, sparse_marker
from perceptron_notes.pocketing import pocket, watch

__all__ = ["PocketClassifier"]


class PocketClassifier(Linear):
    """Pocket as a scikit-learn classifier for two classes that need not be separable.

    It is normal for it to stop at a cap, so there is no warning. With ``sample_weight`` or
    ``class_weight`` the pocket keeps the weights whose mistakes have the least total importance.
    It compares weights on all samples, so there is no `partial_fit`. For more classes take
    ``sklearn.multiclass.OneVsRestClassifier(PocketClassifier())``.

    Parameters
    ----------
    pick, eta0, max_iter, max_updates, fit_intercept
        As for `PLAClassifier`.
    warm_start : bool
        Whether `fit` starts from the best weights of the previous fit.
    class_weight, random_state, verbose
        As for `PLAClassifier`.

    Attributes
    ----------
    classes_, coef_, intercept_, n_updates_, n_iter_, converged_
        As for `PLAClassifier`; ``coef_`` and ``intercept_`` are the best weights of the run.
    n_errors_ : int
        How many mistakes these weights make on the training samples with importance > 0.

    Examples
    --------
    >>> data = xor()
    >>> PocketClassifier(max_updates=20).fit(data.points, data.y).n_errors_
    2
    """

    def __init__(
        self,
        *,
        pick: Pick = "in_turn",
        eta0: float = 1.0,
        max_iter: int | None = None,
        max_updates: int | None = None,
        fit_intercept: bool = True,
        warm_start: bool = False,
        class_weight: ClassWeight = None,
        random_state: Chance = None,
        verbose: int = 0,
    ) -> None:
        self.pick = pick
        self.eta0 = eta0
        self.max_iter = max_iter
        self.max_updates = max_updates
        self.fit_intercept = fit_intercept
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose

    @unharmed
    def fit(
        self,
        X: Any,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        *,
        coef_init: npt.ArrayLike | None = None,
        intercept_init: npt.ArrayLike | None = None,
    ) -> Self:
        """Run PLA, and keep the weights with the fewest mistakes.

        The arguments are those of `PLAClassifier.fit`.
        """
        check_rows(X, y, sample_weight)
        X, y = self._checked(X, y)
        self.classes_ = self._find_classes(y)
        (w0,) = self._begin(X.shape[1], coef_init, intercept_init)
        data, importance = self._samples(X, y, sample_weight)
        rule, wrong = self._rule(), _marker(data)
        run = Run(data, rule, w0, check_positive(self.eta0, "eta0"))  # type: ignore[arg-type]
        if isinstance(data, Dataset) and importance is None:
            steps: Iterable[Any] = pocket(data, run)
        else:

            def count(w: Array, _: Any) -> float:
                found = wrong(w)
                if importance is None:
                    return int(found.sum())
                # Equal sums must not differ by rounding, and none may overflow.
                return fsum(np.ldexp(importance[found], -exponent))

            exponent = 0 if importance is None else int(np.frexp(importance.max())[1])
            steps = watch(data, iter(run), count)  # type: ignore[arg-type]
        end, self.n_iter_ = self._finish(steps, rule, data.n, *self._caps())
        self.n_updates_, self.converged_ = end.t, end.pick is None
        self.n_errors_ = int(wrong(end.best).sum())
        return self._keep(end.best[None])


def _marker(data: Dataset | SparseSamples) -> Callable[[Array], npt.NDArray[np.bool_]]:
    """Make what tells of weights which samples are mistakes of theirs."""
    if isinstance(data, SparseSamples):
        return sparse_marker(data)

    def mark(w: Array) -> npt.NDArray[np.bool_]:
        found = np.zeros(data.n, dtype=bool)
        found[mistakes(w, data)] = True
        return found

    return mark
