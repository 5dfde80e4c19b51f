"""What all estimators share: the classes, the pick rule, the importance of samples, the caps."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning as TheirConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight

from perceptron_notes._kit.recipes import AT_MOST
from perceptron_notes._kit.recipes import ConvergenceWarning as OurConvergenceWarning
from perceptron_notes._kit.validation import check_count, check_pick
from perceptron_notes._kit.values import Array, Labels
from perceptron_notes.estimators.checks import check_importance, check_reach
from perceptron_notes.learning import last
from perceptron_notes.rules import PickRule, _places, at_random, in_turn, lowest, shuffled

__all__ = ["Classifier", "unharmed"]

_P = ParamSpec("_P")
_Model = TypeVar("_Model")


# Users read this name in the warning.
class ConvergenceWarning(OurConvergenceWarning, TheirConvergenceWarning):  # type: ignore[misc]
    """A cap stopped a run that still had mistakes: this package's warning, and scikit-learn's."""


def unharmed(
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


class Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no hints
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
        check_importance(importance, "sample_weight", range(len(importance)))
        if self.class_weight is not None:
            by_class = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
            check_importance(by_class, "class_weight", self.classes_.tolist())
            importance *= by_class[(y == self.classes_[1]).astype(int)]
        check_reach(importance, X)
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
