"""What all estimators share: the classes, the pick rule, the importance of samples, the caps."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from math import inf
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

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
from perceptron_notes.estimators.advice import advise
from perceptron_notes.estimators.checks import check_importance, check_reach
from perceptron_notes.learning import last
from perceptron_notes.rules import PickRule, at_random, in_turn, lowest, places_in_tour, shuffled

__all__ = ["SEPARABLE", "Chance", "ClassWeight", "Classifier", "Pick", "unharmed"]

#: What the warning at a cap says of planes.
SEPARABLE = (
    "perceptron_notes.diagnose(X, y) decides whether the data are linearly separable; if they are, "
    "a larger {by} helps"
)

#: What the parameters ``pick``, ``class_weight`` and ``random_state`` may be.
Pick = Literal["in_turn", "lowest", "shuffled", "at_random"] | PickRule
ClassWeight = Mapping[Any, float] | Literal["balanced"] | None
Chance = int | np.random.RandomState | None

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


class Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # it has no hints
    """The base of all three: the classes, a pick rule, a cap that is never silent."""

    pick: Pick
    eta0: float
    max_iter: int | None
    max_updates: int | None
    class_weight: ClassWeight
    random_state: Chance
    verbose: int

    classes_: npt.NDArray[Any]
    #: Whether more than two classes are told apart, each from the rest.
    _many = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._many
        return tags

    # ------------------------------------------------------------------- classes and importance

    def _find_classes(self, y: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the classes, in order."""
        check_classification_targets(y)
        classes = np.unique(y)
        if len(classes) > 2 and not self._many:
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"{type_of_target(y)}. For {len(classes)} classes take "
                f"sklearn.multiclass.OneVsRestClassifier({type(self).__name__}())."
            )
        if len(classes) < 2:
            raise ValueError(f"y has 1 class, {classes[0]}; expected two classes or more")
        return classes

    def _positive(self) -> list[int]:
        """Return the classes that have a run each: of two the second, of more every one."""
        return [1] if len(self.classes_) == 2 else list(range(len(self.classes_)))

    def _labels(self, y: Any, k: int = 1) -> Labels:
        """Label one class +1, the rest −1."""
        return np.where(y == self.classes_[k], 1, -1)

    def _importance(self, X: Any, y: Any, sample_weight: Any, k: int = 1) -> Array | None:
        """Return what multiplies the updates of each sample, for class k; None if nothing does.

        Of more than two classes the weight of one counts in its own run, as in scikit-learn.
        """
        if sample_weight is None and self.class_weight is None:
            return None
        importance = _check_sample_weight(sample_weight, X, dtype=np.float64, copy=True)
        check_importance(importance, "sample_weight", range(len(importance)))
        if self.class_weight is not None:
            by_class = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
            check_importance(by_class, "class_weight", self.classes_.tolist())
            rest = by_class[0] if len(by_class) == 2 else 1.0
            importance *= np.where(y == self.classes_[k], by_class[k], rest)
        check_reach(importance, X)
        if not importance.any():
            raise ValueError("sample_weight and class_weight leave no sample with a weight > 0")
        return importance

    # --------------------------------------------------------------------------- rules and caps

    def _rule(self) -> PickRule:
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

    def _caps(self) -> tuple[int | None, int | None]:
        """Return the most updates and passes: 10,000 updates if neither was said."""
        updates = None if self.max_updates is None else check_count(self.max_updates, "max_updates")
        passes = None if self.max_iter is None else check_count(self.max_iter, "max_iter")
        return (AT_MOST if updates is passes is None else updates), passes

    def _finish(
        self,
        steps: Iterable[Any],
        rule: PickRule,
        n: int,
        updates: int | None,
        passes: int | None,
        made: int = 0,
    ) -> tuple[Any, int]:
        """Run to the end or to a cap; return the last step and how many passes were made."""
        every = int(self.verbose) if isinstance(self.verbose, bool) else self.verbose
        if check_count(every, "verbose"):
            steps = self._told(steps, every, made)
        if places_in_tour(rule, n) is None:  # it makes no passes: n updates stand for one
            whole = inf if passes is None else passes * n
            end = last(steps, int(min(whole, inf if updates is None else updates)))
            done = max(1, -(-end.t // n))
        else:
            end = last(steps, updates, passes=passes)
            done = end.passes
        return end, done if passes is None else min(done, passes)

    def _told(self, steps: Iterable[Any], every: int, made: int) -> Iterator[Any]:
        """Print a line after every so many updates, with those that were made before."""
        for step in steps:
            t = made + step.t
            if step.pick is not None and step.t and t != self.max_updates and not t % every:
                print(f"[{type(self).__name__}] {t} updates")
            yield step

    def _warn(self, by: str, whose: str, X: Any, otherwise: str) -> None:
        """Warn that a cap was reached, and say what helps; X is None if it has no columns.

        The fit that calls this is called by the user's file.
        """
        cap = AT_MOST if getattr(self, by) is None else getattr(self, by)
        what = {"max_updates": "updates", "max_iter": "passes"}[by]
        advice = None if X is None else advise(X, getattr(self, "feature_names_in_", None))
        sentences = [
            f"still mistakes after {by}={cap} {what}{whose}",
            advice,
            otherwise.format(by=by),
        ]
        text = ". ".join(each for each in sentences if each)
        warnings.warn(text, ConvergenceWarning, stacklevel=4)

    # --------------------------------------------------------------------------------- answers

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of each sample, shape (n,).

        Of two classes it is ``classes_[1]`` where the score is positive, else ``classes_[0]``; of
        more it is the one with the largest score.
        """
        scores = self.decision_function(X)
        best = scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0).astype(int)
        return self.classes_[best]

    @abstractmethod
    def decision_function(self, X: Any) -> Array:
        """Return the score of each sample."""
