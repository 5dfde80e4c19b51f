r"""The algorithms with scikit-learn's interface.

Parameters that mean the same have scikit-learn's names: ``eta0`` is the rate λ, ``max_iter``
counts passes, ``coef0`` is a polynomial's constant. A score of 0, where the package says
"undecided", belongs to ``classes_[0]``, as everywhere in scikit-learn.

``sample_weight`` and ``class_weight`` scale the updates, as in scikit-learn's Perceptron: a
mistake on a sample with importance c adds :math:`c\,\lambda\,y\,\mathbf{x}`. What counts as a
mistake does not change, so PLA still halts exactly when the data are separable. If every c lies
between a and b, the bound is
:math:`T \le (b/a)\,R^2/\rho^2`, by Novikoff's proof: the sum C of the importances of the
updates satisfies :math:`C\rho \le \lVert\mathbf{w}\rVert/\lambda \le R\sqrt{bC}`, and
:math:`aT \le C`. A sample with importance 0 is left out.

The extra ``sklearn`` installs what this module needs; `perceptron_notes` itself does not
import it.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from math import fsum, inf
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import numpy as np
import numpy.typing as npt

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.exceptions import ConvergenceWarning as TheirConvergenceWarning
    from sklearn.utils import check_random_state
    from sklearn.utils.class_weight import compute_class_weight
    from sklearn.utils.multiclass import check_classification_targets, type_of_target
    from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data
except ImportError as missing:
    raise ImportError(
        "perceptron_notes.estimators needs scikit-learn: pip install 'perceptron_notes[sklearn]'"
    ) from missing

from perceptron_notes._kit.recipes import AT_MOST
from perceptron_notes._kit.recipes import ConvergenceWarning as OurConvergenceWarning
from perceptron_notes._kit.validation import (
    LARGEST,
    check_count,
    check_exact,
    check_kernel,
    check_number,
    check_order,
    check_pick,
    check_positive,
    real_array,
)
from perceptron_notes._kit.values import Array, Labels, frozen
from perceptron_notes.data import Dataset, augment
from perceptron_notes.dual import dual_pla
from perceptron_notes.kernels import GramRows, Kernel, linear, polynomial, rbf
from perceptron_notes.learning import Run, last
from perceptron_notes.model import canonical_score, mistakes
from perceptron_notes.native import SparseSamples, sparse_marker, sparse_scores
from perceptron_notes.pocketing import pocket, watch
from perceptron_notes.rules import PickRule, _places, at_random, in_turn, lowest, shuffled

__all__ = [
    "KernelPerceptronClassifier",
    "PLAClassifier",
    "PocketClassifier",
]

_P = ParamSpec("_P")
_Model = TypeVar("_Model")

#: So many rows are scored together, while they are in the cache.
_BLOCK = 4096


# Users read this name in the warning.
class ConvergenceWarning(OurConvergenceWarning, TheirConvergenceWarning):  # type: ignore[misc]
    """A cap stopped a run that still had mistakes: this package's warning, and scikit-learn's."""


def _unharmed(
    fit: Callable[Concatenate[Any, _P], _Model],
) -> Callable[Concatenate[Any, _P], _Model]:
    """Wrap a fit so that it leaves the model as it was if it is refused, or stopped."""

    @wraps(fit)
    def fitted(self: Any, /, *args: _P.args, **kwargs: _P.kwargs) -> _Model:
        before = dict(vars(self))
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return fitted


class _Binary(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no hints
    """The base of all three: two classes, a pick rule, a cap that is never silent."""

    pick: str | PickRule
    eta0: float
    max_iter: int | None
    max_updates: int | None
    class_weight: Any
    random_state: Any
    verbose: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _two_classes(self, y: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the two classes, in order."""
        check_classification_targets(y)
        classes = np.unique(y)
        if len(classes) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"{type_of_target(y)}. For {len(classes)} classes take "
                f"sklearn.multiclass.OneVsRestClassifier({type(self).__name__}())."
            )
        if len(classes) < 2:
            raise ValueError(f"y has 1 class, {classes[0]}; expected two classes")
        return classes

    def _importance(self, X: Any, y: Any, sample_weight: Any) -> Array | None:
        """Return what multiplies the updates of each sample; None if nothing does."""
        if sample_weight is None and self.class_weight is None:
            return None
        importance = _check_sample_weight(sample_weight, X, dtype=np.float64, copy=True)
        _check_importance(importance, "sample_weight", range(len(importance)))
        if self.class_weight is not None:
            by_class = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
            _check_importance(by_class, "class_weight", self.classes_.tolist())
            importance *= by_class[(y == self.classes_[1]).astype(int)]
        _check_reach(importance, X)
        if not importance.any():
            raise ValueError("sample_weight and class_weight leave no sample with a weight > 0")
        return importance

    def _labels(self, y: Any) -> Labels:
        """Label the second class +1, the first −1."""
        return np.where(y == self.classes_[1], 1, -1)

    def _rule(self, n: int) -> PickRule:
        """Return the pick rule for n samples, which makes passes if these are capped."""
        rule = self._named_rule()
        if self.max_iter is not None and _places(rule, n) is None:
            raise ValueError(
                f"max_iter is {self.max_iter}, but pick={self.pick!r} makes no passes; "
                "max_updates caps its updates"
            )
        return rule

    def _named_rule(self) -> PickRule:
        """Return the rule that `pick` names; only what needs chance draws a seed."""
        if not isinstance(self.pick, str):
            return check_pick(self.pick)
        rules: dict[str, PickRule | Callable[[np.random.Generator], PickRule]] = {
            "in_turn": in_turn,
            "lowest": lowest,
            "shuffled": shuffled,
            "at_random": at_random,
        }
        if self.pick not in rules:
            raise ValueError(f"pick is {self.pick!r}; expected a rule or one of {tuple(rules)}")
        rule: Any = rules[self.pick]
        if not isinstance(rule, type):
            return rule
        known = self.random_state is not None
        seed = check_random_state(self.random_state).randint(2**31) if known else None
        return rule(np.random.default_rng(seed))

    def _finish(self, steps: Iterable[Any]) -> Any:
        """Run to the end or to a cap, note how it went, and return the last step."""
        most = None if self.max_iter is None else check_count(self.max_iter, "max_iter")
        cap = None if self.max_updates is None else check_count(self.max_updates, "max_updates")
        if most is None and cap is None:
            cap = AT_MOST
        every = int(self.verbose) if isinstance(self.verbose, bool) else self.verbose
        if check_count(every, "verbose"):
            steps = self._told(steps, every)
        end = last(steps, cap, passes=most)
        self.n_updates_, self.converged_ = end.t, end.pick is None
        self.n_iter_ = end.passes if most is None or end.passes is None else min(end.passes, most)
        return end

    def _told(self, steps: Iterable[Any], every: int) -> Iterator[Any]:
        """Print a line after every so many updates."""
        for step in steps:
            if step.pick is not None and 0 < step.t != self.max_updates and not step.t % every:
                print(f"[{type(self).__name__}] {step.t} updates")
            yield step

    def _warn(self) -> None:
        """Warn if a cap was reached."""
        if self.converged_:
            return
        name, cap, what = "max_updates", self.n_updates_, "updates"
        if self.max_iter is not None and self.n_updates_ != self.max_updates:
            name, cap, what = "max_iter", self.max_iter, "passes"
        warnings.warn(
            f"still mistakes after {name}={cap} {what}; the data may not be linearly separable, "
            f"or {name} must be larger",
            ConvergenceWarning,
            stacklevel=4,
        )

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return ``classes_[1]`` where the score is positive, else ``classes_[0]``, shape (n,)."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]

    @abstractmethod
    def decision_function(self, X: Any) -> Array:
        """Return the score of each sample, positive for ``classes_[1]``, shape (n,)."""


class _Linear(_Binary):
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
        _check_unrounded(given, X)
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

    @_unharmed
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
        _check_rows(X, y, sample_weight)
        X, y = self._checked(X, y)
        self.classes_ = self._two_classes(y)
        data, _ = self._samples(X, y, sample_weight)
        end = self._finish(self._run(data, self.warm_start))
        self._warn()
        return self._keep(end.w)

    @_unharmed
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
        _check_rows(X, y, sample_weight)
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

    @_unharmed
    def fit(self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Run PLA, and keep the weights with the fewest mistakes.

        The arguments are those of `PLAClassifier.fit`.
        """
        _check_rows(X, y, sample_weight)
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


def _check_rows(X: Any, y: Any, sample_weight: Any) -> None:
    """Raise ValueError if tables have the same rows in another order than X."""
    check_order(y, X, "y", "X")
    check_order(sample_weight, X, "sample_weight", "X")


def _check_unrounded(given: Any, X: Any) -> None:
    """Raise ValueError if X is not what was given, but rounded, or reaches too far."""
    if isinstance(X, np.ndarray):
        check_exact(given, np.asarray(given), X, "X")
        real_array(X, "X", LARGEST, fresh=False)
    else:
        data = given.tocsr().data
        check_exact(data, data, X.data, "X.data")
        real_array(X.data, "X.data", LARGEST, fresh=False)


def _check_importance(weights: Array, name: str, keys: Iterable[Any]) -> None:
    """Raise ValueError unless all weights are finite and none is negative."""
    for key, weight in zip(keys, weights.tolist(), strict=True):
        if not 0 <= weight < inf:
            raise ValueError(f"{name}[{key!r}] is {weight:g}; expected a finite number ≥ 0")


def _check_reach(importance: Array, X: Any) -> None:
    """Raise ValueError if a weight takes the coordinates of its sample, or its 1, too far."""
    sizes = abs(X).max(axis=1)
    rows = sizes if isinstance(X, np.ndarray) else sizes.toarray().ravel()
    with np.errstate(over="ignore"):
        far = np.flatnonzero(~(importance * np.maximum(rows, 1) <= LARGEST))
    for k in far[:1]:
        raise ValueError(
            f"sample {k} has the weight {importance[k]:g}, and coordinates up to {rows[k]:g}; "
            f"expected a product of at most {LARGEST:g}"
        )


def _marker(data: Dataset | SparseSamples) -> Callable[[Array], npt.NDArray[np.bool_]]:
    """Make what tells of weights which samples are mistakes of theirs."""
    if isinstance(data, SparseSamples):
        return sparse_marker(data)

    def mark(w: Array) -> npt.NDArray[np.bool_]:
        found = np.zeros(data.n, dtype=bool)
        found[mistakes(w, data)] = True
        return found

    return mark


class KernelPerceptronClassifier(_Binary):
    r"""The dual form with a kernel as a scikit-learn classifier for two classes.

    Points must be dense. For sparse points, compute the Gram matrix, which is dense, beforehand.

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
        kernel: str | Kernel = "rbf",
        *,
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        pick: str | PickRule = "in_turn",
        eta0: float = 1.0,
        max_iter: int | None = None,
        max_updates: int | None = None,
        class_weight: Any = None,
        random_state: Any = None,
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

    @_unharmed
    def fit(self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Run the dual form until no mistake is left.

        The arguments are those of `PLAClassifier.fit`, except that points are dense. If the kernel
        is "precomputed", X is their Gram matrix, shape (n, n).
        """
        _check_rows(X, y, sample_weight)
        given = X
        X, y = validate_data(self, X, y, dtype=np.float64)
        _check_unrounded(given, X)
        self.classes_ = self._two_classes(y)
        given = self.kernel == "precomputed"
        if given and X.shape[0] != X.shape[1]:
            raise ValueError(f"X has shape {X.shape}; a precomputed Gram matrix is square")
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
        run = dual_pla(G, labels, self._rule(len(labels)), rate=rate, intercept=importance is None)
        end = self._finish(run)
        self._warn()
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
        X = validate_data(self, X, reset=False, dtype=np.float64)
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
