"""The algorithms with scikit-learn's interface: what `fit` and `predict` expect, and no more.

The extra ``sklearn`` installs what this module needs; `perceptron_notes` itself does not
import it.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from perceptron_notes.data import Dataset, augment
from perceptron_notes.dual import (
    dual_pla,
    dual_score,
)
from perceptron_notes.gram_rows import GramRows
from perceptron_notes.kernels import Kernel, linear, polynomial, rbf
from perceptron_notes.learning import last, pla
from perceptron_notes.model import score
from perceptron_notes.pocketing import pocket
from perceptron_notes.rules import PickRule, at_random, in_turn, lowest, shuffled
from perceptron_notes.validation import check_count
from perceptron_notes.values import Array

__all__ = ["KernelPerceptronClassifier", "PLAClassifier", "PocketClassifier"]


class _Binary(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no hints
    """What the three share: two classes, a pick rule, a cap that is never silent."""

    max_updates: int
    pick: str | PickRule
    random_state: Any
    verbose: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _dataset(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Dataset:
        """Check the input, and name the classes −1 and +1."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"{type_of_target(y)}. For {len(self.classes_)} classes take "
                f"sklearn.multiclass.OneVsRestClassifier({type(self).__name__}())."
            )
        if len(self.classes_) < 2:
            raise ValueError(f"y has 1 class, {self.classes_[0]}; expected two classes")
        return Dataset(X, np.where(y == self.classes_[1], 1, -1))

    def _rule(self) -> PickRule:
        """The pick rule that `pick` names."""
        if not isinstance(self.pick, str):
            return self.pick
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        rules: dict[str, Callable[[], PickRule]] = {
            "in_turn": lambda: in_turn,
            "lowest": lambda: lowest,
            "shuffled": lambda: shuffled(rng),
            "at_random": lambda: at_random(rng),
        }
        if self.pick not in rules:
            raise ValueError(f"pick is {self.pick!r}; expected a rule or one of {tuple(rules)}")
        return rules[self.pick]()

    def _finish(self, steps: Iterable[Any]) -> Any:
        """Run to the end or to the cap, and say how it went; the last step."""
        cap = check_count(self.max_updates, "max_updates")
        end = last(self._told(steps) if check_count(self.verbose, "verbose") else steps, cap)
        self.n_updates_, self.converged_ = end.t, end.pick is None
        self.n_iter_ = self.n_updates_ + 1
        return end

    def _told(self, steps: Iterable[Any]) -> Iterator[Any]:
        """The same steps, with a line after each `verbose` updates."""
        for step in steps:
            if (
                step.pick is not None
                and 0 < step.t < self.max_updates
                and step.t % self.verbose == 0
            ):
                print(f"[{type(self).__name__}] {step.t} updates")
            yield step

    def _warn(self) -> None:
        """Say that the cap was reached."""
        warnings.warn(
            f"still mistakes after max_updates={self.max_updates} updates; the data may not be "
            "linearly separable, or max_updates must be larger",
            ConvergenceWarning,
            stacklevel=3,
        )

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """The class of each sample.

        Parameters
        ----------
        X : array_like, shape (n, d)
            Points.

        Returns
        -------
        ndarray, shape (n,)
            ``classes_[1]`` where the score is positive, ``classes_[0]`` elsewhere.
        """
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]

    @abstractmethod
    def decision_function(self, X: npt.ArrayLike) -> Array:
        """The score of each sample, positive for ``classes_[1]``."""


class _Linear(_Binary):
    """What the two with weights share."""

    def __init__(
        self,
        *,
        pick: str | PickRule = "in_turn",
        rate: float = 1.0,
        max_updates: int = 10_000,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.pick = pick
        self.rate = rate
        self.max_updates = max_updates
        self.random_state = random_state
        self.verbose = verbose

    def _keep(self, w: Array) -> Self:
        self.coef_, self.intercept_ = w[None, 1:].copy(), w[:1].copy()
        return self

    def decision_function(self, X: npt.ArrayLike) -> Array:
        """The score w·x of each sample, positive for ``classes_[1]``.

        Parameters
        ----------
        X : array_like, shape (n, d)
            Points.

        Returns
        -------
        ndarray, shape (n,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return score(np.append(self.intercept_, self.coef_), augment(X))


class PLAClassifier(_Linear):
    """The perceptron learning algorithm as a scikit-learn classifier for two classes.

    Parameters
    ----------
    pick : {"in_turn", "lowest", "shuffled", "at_random"} or pick rule
        Which mistake to correct, see `perceptron_notes.pla`.
    rate : float
        The learning rate λ > 0; it only scales the weights.
    max_updates : int
        The number of updates after which to stop, with a warning, if mistakes are left.
    random_state : int, RandomState or None
        For "shuffled" and "at_random".
    verbose : int
        Print a line after each so many updates; 0 for none.

    Attributes
    ----------
    classes_ : ndarray, shape (2,)
        The classes; the second one has positive scores.
    coef_ : ndarray, shape (1, d)
        The weights w₁ … w_d.
    intercept_ : ndarray, shape (1,)
        The weight w₀.
    n_updates_ : int
        How many updates were made.
    n_iter_ : int
        How many steps the run had: the updates, and the last look for a mistake.
    converged_ : bool
        Whether no mistake was left.

    Examples
    --------
    >>> data = li_hang()
    >>> model = PLAClassifier().fit(data.points, data.y)
    >>> model.intercept_, model.coef_, model.n_updates_
    (array([-3.]), array([[1., 1.]]), 7)
    """

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Run PLA until no mistake is left.

        Parameters
        ----------
        X : array_like, shape (n, d)
            Points.
        y : array_like, shape (n,)
            Their classes, two different ones.

        Returns
        -------
        self
        """
        data = self._dataset(X, y)
        end = self._finish(pla(data, self._rule(), rate=self.rate))
        if not self.converged_:
            self._warn()
        return self._keep(end.w)


class PocketClassifier(_Linear):
    """Pocket as a scikit-learn classifier for two classes that need not be separable.

    It stops at ``max_updates`` as a matter of course, so that is no cause for a warning.

    Parameters
    ----------
    pick : {"in_turn", "lowest", "shuffled", "at_random"} or pick rule
        Which mistake to correct, see `perceptron_notes.pla`.
    rate : float
        The learning rate λ > 0; it only scales the weights.
    max_updates : int
        The number of updates after which to stop.
    random_state : int, RandomState or None
        For "shuffled" and "at_random".
    verbose : int
        Print a line after each so many updates; 0 for none.

    Attributes
    ----------
    classes_, coef_, intercept_, n_updates_, n_iter_, converged_
        As for `PLAClassifier`, of the best weights that were seen.
    n_errors_ : int
        The mistakes that they make on the training samples.

    Examples
    --------
    >>> data = xor()
    >>> PocketClassifier(max_updates=20).fit(data.points, data.y).n_errors_
    2
    """

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Run PLA, and keep the weights with the fewest mistakes.

        Parameters
        ----------
        X : array_like, shape (n, d)
            Points.
        y : array_like, shape (n,)
            Their classes, two different ones.

        Returns
        -------
        self
        """
        data = self._dataset(X, y)
        end = self._finish(pocket(data, pla(data, self._rule(), rate=self.rate)))
        self.n_errors_ = end.best_errors
        return self._keep(end.best)


class KernelPerceptronClassifier(_Binary):
    """The dual form with a kernel as a scikit-learn classifier for two classes.

    Parameters
    ----------
    kernel : {"rbf", "polynomial", "linear"} or kernel
        The inner product, see `perceptron_notes.dual`.
    gamma : float
        γ of "rbf".
    degree : int
        The power of "polynomial".
    offset : float
        The constant of "polynomial".
    pick : {"in_turn", "lowest", "shuffled", "at_random"} or pick rule
        Which mistake to correct, see `perceptron_notes.pla`.
    max_updates : int
        The number of updates after which to stop, with a warning, if mistakes are left.
    random_state : int, RandomState or None
        For "shuffled" and "at_random".
    verbose : int
        Print a line after each so many updates; 0 for none.

    Attributes
    ----------
    classes_ : ndarray, shape (2,)
        The classes; the second one has positive scores.
    support_ : ndarray, shape (k,)
        The samples that were corrected.
    support_vectors_ : ndarray, shape (k, d)
        Their points.
    dual_coef_ : ndarray, shape (1, k)
        How often each was corrected, times its label.
    intercept_ : ndarray, shape (1,)
        The bias b.
    n_updates_, n_iter_, converged_
        As for `PLAClassifier`.

    Examples
    --------
    >>> data = xor()
    >>> KernelPerceptronClassifier(gamma=2.0).fit(data.points, data.y).score(data.points, data.y)
    1.0
    """

    def __init__(
        self,
        kernel: str | Kernel = "rbf",
        *,
        gamma: float = 1.0,
        degree: int = 3,
        offset: float = 1.0,
        pick: str | PickRule = "in_turn",
        max_updates: int = 10_000,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.offset = offset
        self.pick = pick
        self.max_updates = max_updates
        self.random_state = random_state
        self.verbose = verbose

    def _kernel(self) -> Kernel:
        """The kernel that `kernel` names."""
        if not isinstance(self.kernel, str):
            return self.kernel
        kernels: dict[str, Callable[[], Kernel]] = {
            "rbf": lambda: rbf(self.gamma),
            "polynomial": lambda: polynomial(self.degree, self.offset),
            "linear": lambda: linear,
        }
        if self.kernel not in kernels:
            raise ValueError(
                f"kernel is {self.kernel!r}; expected a kernel or one of {tuple(kernels)}"
            )
        return kernels[self.kernel]()

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Run the dual form until no mistake is left.

        Parameters
        ----------
        X : array_like, shape (n, d)
            Points.
        y : array_like, shape (n,)
            Their classes, two different ones.

        Returns
        -------
        self
        """
        data = self._dataset(X, y)
        end = self._finish(dual_pla(GramRows(data, self._kernel()), data.y, self._rule()))
        if not self.converged_:
            self._warn()
        self.support_ = np.flatnonzero(end.alpha)
        self.support_vectors_ = data.points[self.support_]
        self.dual_coef_ = (end.alpha * data.y)[None, self.support_]
        self.intercept_ = np.array([end.b])
        return self

    def decision_function(self, X: npt.ArrayLike) -> Array:
        """The score of each sample, positive for ``classes_[1]``.

        Parameters
        ----------
        X : array_like, shape (n, d)
            Points.

        Returns
        -------
        ndarray, shape (n,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        coefficients = self.dual_coef_[0]
        seen = Dataset(self.support_vectors_, np.sign(coefficients))
        return dual_score(np.abs(coefficients), self.intercept_[0], seen, X, self._kernel())
