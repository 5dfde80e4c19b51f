"""PLA and Pocket, which have weights."""

from __future__ import annotations

from collections.abc import Callable
from math import fsum
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted, validate_data

from perceptron_notes._kit.validation import check_positive
from perceptron_notes._kit.values import Array
from perceptron_notes.data import Dataset, augment
from perceptron_notes.estimators.base import Classifier, unharmed
from perceptron_notes.estimators.checks import check_rows, check_unrounded
from perceptron_notes.learning import Run, last
from perceptron_notes.model import canonical_score, mistakes
from perceptron_notes.native import SparseSamples, sparse_marker, sparse_scores
from perceptron_notes.pocketing import pocket, watch
from perceptron_notes.rules import PickRule, _places

__all__ = ["PLAClassifier", "PocketClassifier"]

#: So many rows are scored together, while they are in the cache.
_BLOCK = 4096


class _Linear(Classifier):
    """The base of the two that have weights."""

    def __init__(
        self,
        *,
        pick: str | PickRule = "in_turn",
        eta0: float = 1.0,
        max_iter: int | None = None,
        max_updates: int | None = None,
        fit_intercept: bool = True,
        warm_start: bool = False,
        class_weight: Any = None,
        random_state: Any = None,
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _checked(self, X: Any, y: Any = "no_validation", reset: bool = True) -> Any:
        """Return the input as float64, sparse rows as the canonical score needs them."""
        given = X
        checked = validate_data(
            self, X, y, reset=reset, dtype=np.float64, order="C", accept_sparse="csr"
        )
        X, *rest = checked if isinstance(checked, tuple) else (checked,)
        check_unrounded(given, X)
        if not isinstance(X, np.ndarray) and not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        return (X, *rest) if rest else X

    def _samples(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Dataset | SparseSamples, Array | None]:
        """Return the samples that count, ready for a run, and the importance of each."""
        labels, importance = self._labels(y), self._importance(X, y, sample_weight)
        if importance is not None and not importance.all():
            used = importance > 0
            X, labels, importance = X[used], labels[used], importance[used]
        if not isinstance(X, np.ndarray):
            return SparseSamples(X, labels, importance, self.fit_intercept), importance
        if importance is None:
            return Dataset(X, labels, intercept=self.fit_intercept), None
        # A sample times its importance makes the same mistakes, and the update that is due.
        rows = augment(X) if self.fit_intercept else X
        return Dataset(importance[:, None] * rows, labels, intercept=False), importance

    def _run(self, data: Any, warm: bool) -> Run:
        """Begin a run of PLA, from 0 or from the weights of the last fit."""
        w0 = np.zeros(data.X.shape[1])
        if warm and hasattr(self, "coef_"):
            d, before = len(w0) - bool(self.fit_intercept), self.coef_.shape[1]
            if d != before:
                raise ValueError(
                    f"X has {d} features, the fit before had {before}; warm_start goes on from its "
                    "weights, so expected as many"
                )
            w0 = self._w()
        return Run(data, self._rule(data.n), w0, check_positive(self.eta0, "eta0"))

    def _w(self) -> Array:
        """Return the weights, as the package has them."""
        w = self.coef_[0]
        return np.append(self.intercept_, w) if self.fit_intercept else w.copy()

    def _keep(self, w: Array) -> Self:
        w0 = w[:1] if self.fit_intercept else np.zeros(1)
        self.coef_, self.intercept_ = w[None, int(self.fit_intercept) :].copy(), w0.copy()
        return self

    def decision_function(self, X: Any) -> Array:
        """Return the score w·x of each sample, positive for ``classes_[1]``, shape (n,)."""
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        w = np.append(self.intercept_, self.coef_)
        if not isinstance(X, np.ndarray):
            return sparse_scores(X, w)
        blocks = (X[k : k + _BLOCK] for k in range(0, len(X), _BLOCK))
        return np.concatenate([canonical_score(w, augment(block)) for block in blocks])


class PLAClassifier(_Linear):
    r"""The perceptron learning algorithm as a scikit-learn classifier for two classes.

    Sparse matrices stay sparse; only the weights, and one sample at a time, are made dense.
    Picks and weights are the same as for dense samples.

    Parameters
    ----------
    pick : {"in_turn", "lowest", "shuffled", "at_random"} or pick rule
        Which mistake to correct; see `perceptron_notes.pla`.
    eta0 : float
        The learning rate λ > 0; with a start at 0 it only scales the weights.
    max_iter : int, optional
        The number of passes after which to stop, for rules that make passes.
    max_updates : int, optional
        The number of updates after which to stop; 10,000 if no cap is given. A warning says
        when a cap was reached with mistakes left.
    fit_intercept : bool
        Whether there is a weight :math:`w_0`; without it the boundary goes through the origin.
    warm_start : bool
        Whether `fit` starts from the weights of the previous fit.
    class_weight : dict, "balanced" or None
        The importance of each class; see `perceptron_notes.estimators`.
    random_state : int, RandomState or None
        The source of randomness for "shuffled" and "at_random".
    verbose : int
        Print a line each time this many updates have been made; 0 or False for none, True for
        each update.

    Attributes
    ----------
    classes_ : ndarray, shape (2,)
        The classes; the second one has positive scores.
    coef_ : ndarray, shape (1, d)
        The weights :math:`w_1, \dots, w_d`.
    intercept_ : ndarray, shape (1,)
        The weight :math:`w_0`.
    n_updates_ : int
        How many updates were made.
    n_iter_ : int or None
        How many passes were made, including the last one without a mistake; None for rules
        without passes.
    converged_ : bool
        Whether no mistake was left.

    Examples
    --------
    >>> data = li_hang()
    >>> model = PLAClassifier().fit(data.points, data.y)
    >>> model.intercept_, model.coef_, model.n_updates_
    (array([-3.]), array([[1., 1.]]), 7)
    """

    @unharmed
    def fit(self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Run PLA until no mistake is left.

        Parameters
        ----------
        X : array_like or sparse matrix, shape (n, d)
            Points.
        y : array_like, shape (n,)
            Their classes, two different ones.
        sample_weight : array_like, shape (n,), optional
            The importance of each sample; see `perceptron_notes.estimators`.

        Returns
        -------
        self
        """
        check_rows(X, y, sample_weight)
        X, y = self._checked(X, y)
        self.classes_ = self._two_classes(y)
        data, _ = self._samples(X, y, sample_weight)
        end = self._finish(self._run(data, self.warm_start))
        self._warn()
        return self._keep(end.w)

    @unharmed
    def partial_fit(
        self,
        X: Any,
        y: npt.ArrayLike,
        classes: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """Make one pass over some samples, starting from the weights learnt so far.

        The first call needs `classes`, an array of both classes. The other arguments are those of
        `PLAClassifier.fit`.
        """
        first = not hasattr(self, "coef_")
        if isinstance(self.class_weight, str):
            raise ValueError(
                f"class_weight is {self.class_weight!r}, for which all samples must be known; "
                "give partial_fit a dict of weights"
            )
        check_rows(X, y, sample_weight)
        X, y = self._checked(X, y, reset=first)
        if first and classes is None:
            raise ValueError("classes is missing; the first partial_fit needs both classes")
        known = self.classes_ if classes is None else self._two_classes(np.asarray(classes))
        if not first and not np.array_equal(known, self.classes_):
            raise ValueError(f"classes is {known}; the fit before had {self.classes_}")
        if (unknown := np.setdiff1d(y, known)).size:
            raise ValueError(f"y has the class {unknown[0]}; expected one of {known}")
        self.classes_ = known
        data, _ = self._samples(X, y, sample_weight)
        run = self._run(data, warm=True)
        if _places(run.pick, data.n) is None:
            raise ValueError(
                f"pick={self.pick!r} makes no passes; partial_fit needs a rule that does"
            )
        end = last(run, passes=1)
        made = 0 if first else self.n_updates_
        self.n_updates_, self.n_iter_, self.converged_ = made + end.t, 1, end.pick is None
        return self._keep(end.w)


class PocketClassifier(_Linear):
    """Pocket as a scikit-learn classifier for two classes that need not be separable.

    It is normal for it to stop at a cap, so there is no warning. With ``sample_weight`` or
    ``class_weight`` the pocket keeps the weights whose mistakes have the least total importance.
    It compares weights on all samples, so there is no `partial_fit`.

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

    @unharmed
    def fit(self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Run PLA, and keep the weights with the fewest mistakes.

        The arguments are those of `PLAClassifier.fit`.
        """
        check_rows(X, y, sample_weight)
        X, y = self._checked(X, y)
        self.classes_ = self._two_classes(y)
        data, importance = self._samples(X, y, sample_weight)
        run, wrong = self._run(data, self.warm_start), _marker(data)
        if isinstance(data, Dataset) and importance is None:
            end = self._finish(pocket(data, run))
        else:

            def count(w: Array, _: Any) -> float:
                found = wrong(w)
                if importance is None:
                    return int(found.sum())
                # Equal sums must not differ by rounding, and none may overflow.
                return fsum(np.ldexp(importance[found], -exponent))

            exponent = 0 if importance is None else int(np.frexp(importance.max())[1])
            end = self._finish(watch(data, iter(run), count))  # type: ignore[arg-type]
        self.n_errors_ = int(wrong(end.best).sum())
        return self._keep(end.best)


def _marker(data: Dataset | SparseSamples) -> Callable[[Array], npt.NDArray[np.bool_]]:
    """Make what tells of weights which samples are mistakes of theirs."""
    if isinstance(data, SparseSamples):
        return sparse_marker(data)

    def mark(w: Array) -> npt.NDArray[np.bool_]:
        found = np.zeros(data.n, dtype=bool)
        found[mistakes(w, data)] = True
        return found

    return mark
