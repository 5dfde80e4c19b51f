"""The dual form with a kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from perceptron_notes._kit.validation import (
    check_kernel,
    check_number,
    check_positive,
    check_symmetric,
)
from perceptron_notes._kit.values import Array, frozen
from perceptron_notes.data import Dataset
from perceptron_notes.dual import dual_pla
from perceptron_notes.estimators.base import (
    SEPARABLE,
    Chance,
    Classifier,
    ClassWeight,
    Pick,
    unharmed,
)
from perceptron_notes.estimators.checks import check_rows, checked_input
from perceptron_notes.kernels import GramRows, Kernel, linear, polynomial, rbf

__all__ = ["KernelPerceptronClassifier"]

#: The kernels that have names.
_Named = Literal["rbf", "poly", "polynomial", "linear", "precomputed"]
#: What the warning at a cap says of other kernels than the linear one.
_OTHER = "the data may not be separable with this kernel, or {by} must be larger"


class KernelPerceptronClassifier(Classifier):
    r"""The dual form with a kernel as a scikit-learn classifier for two classes.

    Points must be dense. For sparse points, compute the Gram matrix, which is dense, beforehand.
    For more classes take ``sklearn.multiclass.OneVsRestClassifier(KernelPerceptronClassifier())``.

    Parameters
    ----------
    kernel : {"rbf", "poly", "polynomial", "linear", "precomputed"} or kernel
        The inner product. "poly" and "polynomial" both mean
        :math:`(\gamma\,\mathbf{a}\cdot\mathbf{b} + c)^p`. With "precomputed", `fit` takes the
        Gram matrix in place of points, and `predict` takes a row for each new point: its inner
        products with the samples of `fit`. A kernel of your own is any function of two matrices
        of points; see `perceptron_notes.gram`.
    gamma : {"scale", "auto"} or float
        γ of "rbf" and "poly"; "scale" is 1/(d · variance of all coordinates), "auto" is 1/d.
    degree : int
        The power p of "poly".
    coef0 : float
        The constant c of "poly".
    pick, eta0, max_iter, max_updates, class_weight, random_state, verbose
        As for `PLAClassifier`.

    Attributes
    ----------
    classes_ : ndarray, shape (2,)
        The classes; the second one has positive scores.
    support_ : ndarray, shape (k,)
        The indices of the samples that were corrected.
    support_vectors_ : ndarray, shape (k, d)
        Their points; empty if the kernel is precomputed.
    dual_coef_ : ndarray, shape (1, k)
        How often each was corrected, times its label, the rate and its importance.
    intercept_ : ndarray, shape (1,)
        The bias b.
    gamma_ : float
        γ as a number.
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
        kernel: _Named | Kernel = "rbf",
        *,
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        pick: Pick = "in_turn",
        eta0: float = 1.0,
        max_iter: int | None = None,
        max_updates: int | None = None,
        class_weight: ClassWeight = None,
        random_state: Chance = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.pick = pick
        self.eta0 = eta0
        self.max_iter = max_iter
        self.max_updates = max_updates
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _gamma(self, X: Array) -> float:
        """Return γ as a number."""
        if not isinstance(self.gamma, str):
            return check_positive(self.gamma, "gamma")
        if self.gamma not in ("scale", "auto"):
            raise ValueError(f"gamma is {self.gamma!r}; expected a number, 'scale' or 'auto'")
        variance = X.var() if self.gamma == "scale" else 1.0
        return 1 / (X.shape[1] * variance) if variance > 0 else 1.0

    def _polynomial(self) -> polynomial:
        """Make the kernel, by scikit-learn's names for its numbers."""
        if (coef0 := check_number(self.coef0, "coef0")) < 0:
            raise ValueError(f"coef0 is {coef0:g}; expected a number ≥ 0")
        return polynomial(self.degree, coef0)

    def _matrix(self, A: Array, B: Array) -> Array:
        """Return the matrix of k(a, b); if precomputed, the support's columns."""
        kernels: dict[str, Callable[[], Array]] = {
            "rbf": lambda: rbf(self.gamma_)(A, B),
            "poly": lambda: self._polynomial()(self.gamma_ * A, B),
            "polynomial": lambda: self._polynomial()(self.gamma_ * A, B),
            "linear": lambda: linear(A, B),
            "precomputed": lambda: A[:, self.support_],
        }
        if not isinstance(self.kernel, str):
            return check_kernel(self.kernel)(A, B)
        if self.kernel not in kernels:
            raise ValueError(
                f"kernel is {self.kernel!r}; expected a kernel or one of {tuple(kernels)}"
            )
        return kernels[self.kernel]()

    @unharmed
    def fit(self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Run the dual form until no mistake is left.

        The arguments are those of `PLAClassifier.fit`, except that points are dense. If the kernel
        is "precomputed", X is their Gram matrix, shape (n, n).
        """
        check_rows(X, y, sample_weight)
        X, y = checked_input(self, X, y)
        self.classes_ = self._find_classes(y)
        given = self.kernel == "precomputed"
        if given and X.shape[0] != X.shape[1]:
            raise ValueError(f"X has shape {X.shape}; a precomputed Gram matrix is square")
        if given:
            check_symmetric(X, "X")
        labels, importance = self._labels(y), self._importance(X, y, sample_weight)
        used = np.arange(len(X)) if importance is None else np.flatnonzero(importance)
        labels, every = labels[used], len(used) == len(X)
        points = X if every else X[used]
        self.gamma_ = self._gamma(points)
        if given:
            G: Any = X if every else X[np.ix_(used, used)]
            G = G if importance is None else _important(G, importance[used], importance[used])
        else:
            data = Dataset(points, labels)
            G = (
                GramRows(data, self._matrix)
                if importance is None
                else _ImportantRows(data, self._matrix, importance[used])
            )
        rate = check_positive(self.eta0, "eta0")
        # With importance the constant 1 of each sample is a coordinate like any other.
        rule = self._rule()
        run = dual_pla(G, labels, rule, rate=rate, intercept=importance is None)
        end, self.n_iter_ = self._finish(run, rule, len(labels), *self._caps())
        self.n_updates_, self.converged_ = end.t, end.pick is None
        if not self.converged_:
            by = "max_updates" if end.t == self._caps()[0] else "max_iter"
            told = SEPARABLE if self.kernel == "linear" else _OTHER
            self._warn(by, "", None if given else X, told)
        alpha, b = end.alpha * labels, end.b
        if importance is not None:
            alpha = alpha * importance[used]
            b = alpha.sum()
        kept = np.flatnonzero(alpha)
        self.support_, self.dual_coef_ = used[kept], alpha[None, kept]
        self.support_vectors_ = np.empty((0, 0)) if given else X[self.support_]
        self.intercept_ = np.array([b])
        return self

    def decision_function(self, X: Any) -> Array:
        """Return the score of each sample, positive for ``classes_[1]``, shape (n,).

        If the kernel is "precomputed", X has the inner products of each sample with those of `fit`.
        """
        check_is_fitted(self)
        X = checked_input(self, X, reset=False)
        if not len(self.support_):
            return np.full(len(X), self.intercept_[0])
        return self._matrix(X, self.support_vectors_) @ self.dual_coef_[0] + self.intercept_[0]


class _ImportantRows(GramRows):
    """The Gram rows of samples, and of their constant 1, that are multiplied by an importance."""

    def __init__(self, data: Dataset, kernel: Kernel, importance: Array) -> None:
        self.importance = importance
        super().__init__(data, kernel)

    def make(self, start: int, stop: int) -> Array:
        """Make the rows from start to stop − 1."""
        c = self.importance
        return frozen(_important(super().make(start, stop), c[start:stop], c))


def _important(G: Array, c: Array, d: Array) -> Array:
    """Return inner products, plus that of the constant 1, of samples multiplied by c and by d."""
    return c[:, None] * (G + 1) * d
