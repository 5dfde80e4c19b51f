r"""The algorithm with scikit-learn's interface.

More than two classes are told apart one against the rest: each has a run of its own. (One rule for
all classes together is `perceptron_notes.multiclass.multi_pla`.) A score of 0, where the package
says "undecided", belongs to ``classes_[0]``, as everywhere in scikit-learn.

In turn, the weights of `PLAClassifier` are those of scikit-learn's ``Perceptron(shuffle=False,
tol=None)`` after as many passes. But a run ends when no mistake is left, where theirs goes on to
the last pass; and "shuffled" keeps one order, where theirs is drawn anew for each pass.
"""

import sys
import warnings
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt

try:
    from sklearn import exceptions
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, check_X_y, validate_data
except ImportError as missing:
    raise ImportError(
        "perceptron_notes.estimators needs scikit-learn: pip install 'perceptron_notes[sklearn]'"
    ) from missing

from perceptron_notes._kit import recipes
from perceptron_notes._kit.validation import (
    check_count,
    check_one_of,
    check_order,
    check_pick,
    check_samples,
    is_table,
)
from perceptron_notes._kit.values import Array
from perceptron_notes.data import bare
from perceptron_notes.learning import last, pla
from perceptron_notes.model import canonical_score
from perceptron_notes.rules import NAMED, PickRule, RuleName, named

__all__ = ["PLAClassifier"]

#: What the parameters ``pick`` and ``random_state`` may be.
_Pick = RuleName | PickRule
_Chance = int | np.random.RandomState | None


#: Advice for when a cap was reached.
_ADVICE = (
    "perceptron_notes.diagnosis.diagnose(X, y) decides whether the data are linearly "
    "separable; if they are, larger caps help, and often a StandardScaler in the pipeline"
)


# Users read this name in the warning.
class ConvergenceWarning(recipes.ConvergenceWarning, exceptions.ConvergenceWarning):  # type: ignore[misc]
    """A cap stopped a run that still had mistakes: this package's warning and scikit-learn's."""


class PLAClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # it has no hints
    r"""The perceptron learning algorithm as a scikit-learn classifier.

    Parameters
    ----------
    pick : str or pick rule
        Which mistake to correct: a rule, or the name of one in `perceptron_notes.rules`.
    max_iter : int, optional
        The number of passes after which to stop; for rules that make none, such as "lowest" and
        "at_random", n updates stand for one.
    max_updates : int, optional
        The number of updates of a run after which to stop; 10,000 if no cap is given. A warning
        is given when a cap was reached with mistakes left.
    fit_intercept : bool
        Whether there is a weight :math:`w_0`; without it the boundary goes through the origin.
    random_state : int, RandomState or None
        The source of randomness for "shuffled" and "at_random".

    Attributes
    ----------
    classes_ : ndarray, shape (K,)
        The classes; of two, the second one has positive scores.
    coef_ : ndarray, shape (1, d) or (K, d)
        The weights :math:`w_1, \dots, w_d`, for more than two classes a row for each.
    intercept_ : ndarray, shape (1,) or (K,)
        The weights :math:`w_0`.
    n_updates_ : int
        How many updates were made, in all runs together.
    n_iter_ : int
        How many passes the longest run made, including the last one without a mistake.
    converged_ : bool
        Whether each run ended with no mistake left.

    Examples
    --------
    >>> data = li_hang()
    >>> model = PLAClassifier().fit(data.points, data.y)
    >>> model.intercept_, model.coef_, model.n_updates_
    (array([-3.]), array([[1., 1.]]), 7)
    """

    def __init__(
        self,
        *,
        pick: _Pick = "in_turn",
        max_iter: int | None = None,
        max_updates: int | None = None,
        fit_intercept: bool = True,
        random_state: _Chance = None,
    ) -> None:
        self.pick = pick
        self.max_iter = max_iter
        self.max_updates = max_updates
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Run the algorithm for each class until no mistake is left, or up to a cap.

        Parameters
        ----------
        X : array_like, shape (n, d)
            Points.
        y : array_like, shape (n,)
            Their classes, two or more.

        Returns
        -------
        self
        """
        check_order(y, X, "y", "X")
        samples, reach = self._samples(X, self.fit_intercept, reset=True)
        labels: Any = check_X_y(samples, y, dtype=None, ensure_all_finite=False, estimator=self)[1]
        check_classification_targets(labels[:20])
        met = np.unique(labels[:20])  # since sorting all of them takes as long as a pass
        classes = np.unique(np.append(met, labels[~np.isin(labels, met)]))
        check_classification_targets(np.resize(classes, min(len(labels), 3 * len(classes))))
        if len(classes) < 2:
            raise ValueError(f"y has 1 class, {classes[0]}; expected two classes or more")
        chosen = classes if len(classes) > 2 else classes[1:]
        Y = [np.where(labels == c, 1, -1).astype(np.int8) for c in chosen]
        each = (bare(samples, y.astype(np.intp), self.fit_intercept, reach) for y in Y)
        rule = self._rule()
        ends = [self._end(pla(data, rule), len(samples)) for data in each]
        steps = [step for step, _ in ends]
        self.classes_ = classes
        self.n_updates_ = sum(step.t for step in steps)
        self.n_iter_ = max(passes for _, passes in ends)
        self.converged_ = all(step.pick is None for step in steps)
        W = np.array([step.w for step in steps])
        self.intercept_ = W[:, 0].copy() if self.fit_intercept else np.zeros(len(W))
        self.coef_ = W[:, int(self.fit_intercept) :].copy()
        if not self.converged_:
            t, left = max(step.t for step in steps), sum(step.pick is not None for step in steps)
            whose = f" for {left} of {len(steps)} classes" if len(steps) > 1 else ""
            text = f"still mistakes after {t} updates, {self.n_iter_} passes{whose}; {_ADVICE}"
            warnings.warn(text, ConvergenceWarning, stacklevel=2)
        return self

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the class of each sample, shape (n,).

        Of two classes it is ``classes_[1]`` where the score is positive; of more, the best scored.
        """
        scores = self.decision_function(X)
        best = scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0).astype(int)
        return self.classes_[best]

    def decision_function(self, X: npt.ArrayLike) -> Array:
        """Return the score of each sample: for two classes that of ``classes_[1]``, shape (n,).

        For more than two there is a column for each class, shape (n, K).
        """
        check_is_fitted(self)
        samples = self._samples(X)[0]
        W = np.column_stack([self.intercept_, self.coef_])
        scores = np.column_stack([canonical_score(w, samples) for w in W])
        return scores if scores.shape[1] > 2 else scores[:, 0]

    def _samples(self, X: Any, ones: bool = True, reset: bool = False) -> tuple[Array, float]:
        """Return the samples and their largest absolute value; prefer scikit-learn's errors."""
        try:
            samples = check_samples(X, "X", ones)
        except (TypeError, ValueError):
            if not is_table(X) and not hasattr(X, "toarray"):  # for which our error says more
                validate_data(self, X, dtype=np.float64, reset=reset)
            raise
        if isinstance(X, Mapping):
            raise TypeError("X is a dict; expected rows, or a table: pandas.DataFrame(X)")
        validate_data(self, X, skip_check_array=True, reset=reset)  # the names of the columns
        return samples

    def _rule(self) -> PickRule:
        """Return the rule that `pick` names; a seed is drawn only for a random rule."""
        if not isinstance(self.pick, str):
            return check_pick(self.pick)
        check_one_of(self.pick, "pick", NAMED)
        return named(self.pick, self._rng)

    def _rng(self) -> np.random.Generator:
        """Return a generator that `random_state` determines, unless it is None."""
        known = self.random_state is not None
        return np.random.default_rng(
            check_random_state(self.random_state).randint(2**31) if known else None
        )

    def _end(self, run: Any, n: int) -> tuple[Any, int]:
        """Run to the end or to a cap; return the last step and the number of passes."""
        given = {"max_updates": self.max_updates, "max_iter": self.max_iter}
        caps = {name: check_count(cap, name) for name, cap in given.items() if cap is not None}
        updates = caps.get("max_updates", sys.maxsize if caps else recipes.AT_MOST)
        passes = caps.get("max_iter")
        if passes is not None and next(iter(run)).passes is None:  # n updates count as one pass
            updates, passes = min(updates, passes * n), None
        end = last(run, updates, passes=passes)
        made = max(1, -(-end.t // n)) if end.passes is None else end.passes
        return end, made if passes is None else min(made, passes)
