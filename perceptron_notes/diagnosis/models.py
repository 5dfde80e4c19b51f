"""The variants of the perceptron beside logistic regression, on rows that they have not seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.values import Array
from perceptron_notes.data import Dataset, augment
from perceptron_notes.diagnosis.clock import Clock
from perceptron_notes.diagnosis.logistic import fit
from perceptron_notes.diagnosis.table import Table
from perceptron_notes.diagnosis.units import Scale, labels
from perceptron_notes.dual import dual_pla, dual_score
from perceptron_notes.kernels import rbf
from perceptron_notes.learning import last, pla
from perceptron_notes.model import error_count, score
from perceptron_notes.online import average
from perceptron_notes.pocketing import pocket
from perceptron_notes.rules import shuffled

FOLDS = 5
_PASSES = 10
#: A Gram matrix of more rows takes too long.
_KERNEL_ROWS = 2000

#: What learns the weights of a plane.
_Learner = Callable[[Dataset, Clock], Array]


@dataclass(frozen=True)
class Model:
    """How often a model is right about rows that it has not seen.

    Attributes
    ----------
    name : str
        Which model.
    accuracy, spread : float
        The mean of the folds, and their standard deviation.
    """

    name: str
    accuracy: float
    spread: float


def _rule() -> shuffled:
    return shuffled(np.random.default_rng(0))


def _patience(data: Dataset) -> int:
    """Return after how many updates Pocket stops: each costs a look at all rows."""
    return int(np.clip(2e10 // data.X.size, 500, 20_000))


def _pocketed(data: Dataset, clock: Clock) -> Array:
    """Return the weights with the fewest mistakes that Pocket finds."""
    return last(pocket(data, pla(data, _rule())), _patience(data)).best


def _penalised(data: Dataset, penalty: float, clock: Clock) -> Array:
    """Return the weights of logistic regression with a penalty."""
    t, intercept = (data.y > 0).astype(np.float64), data.intercept
    found = fit(data.points, t, clock.report, penalty=penalty, intercept=intercept)
    return found.coefficients


LEARNERS: dict[str, _Learner | None] = {
    f"perceptron, last weights of {_PASSES} passes": lambda data, clock: (
        last(pla(data, _rule()), passes=_PASSES).w
    ),
    "perceptron, pocket": _pocketed,
    f"perceptron, average over {_PASSES} passes": lambda data, clock: (
        last(average(data, pla(data, _rule())), passes=_PASSES).average
    ),
    "perceptron with a Gaussian kernel": None,
    "logistic regression, penalty 1": lambda data, clock: _penalised(data, 1.0, clock),
}


def _scored(learner: _Learner | None, data: Dataset, new: Array, clock: Clock) -> Array:
    """Learn from the data, without a learner by the kernel, and score new points."""
    if learner is not None:
        w, first = learner(data, clock), data.intercept
        return score(w, augment(new) if first else new, intercept=first)
    kernel = rbf(1 / data.d)
    G = kernel(data.points, data.points)
    end = last(dual_pla(G, data.y, _rule(), intercept=data.intercept), passes=_PASSES)
    return dual_score(end.alpha, end.b, data, new, kernel)


def compare(table: Table, clock: Clock) -> list[Model]:
    """Cross-validate each variant; more than two classes are told apart one against the rest.

    A class with fewer rows than folds leaves nothing to compare.
    """
    points, y = table.points, table.y
    classes = np.unique(y)
    if np.bincount(y).min() < FOLDS:
        return []
    folds = list(_folds(y))
    majority = [float((y[test] == np.bincount(y[train]).argmax()).mean()) for train, test in folds]
    found = [_model("always the most frequent class", majority)]
    for name, learner in LEARNERS.items():
        if learner is None and len(y) > _KERNEL_ROWS:
            continue
        shares = []
        with clock.part(f"cross-validation of {name}", 0.3):
            for k, (train, test) in enumerate(folds):
                clock.report(f"fold {k + 1} of {FOLDS}")
                scale = Scale.of(points[train], table.intercept)
                old, new = scale.apply(points[train]), scale.apply(points[test])
                groups = classes[1:] if len(classes) == 2 else classes
                data = [Dataset(old, labels(y[train] == c), table.intercept) for c in groups]
                scores = [_scored(learner, samples, new, clock) for samples in data]
                guess = (
                    classes[(scores[0] > 0).astype(int)]
                    if len(classes) == 2
                    else classes[np.argmax(scores, axis=0)]
                )
                shares.append(float((guess == y[test]).mean()))
            found.append(_model(name, shares))
    return found


def _model(name: str, shares: list[float]) -> Model:
    return Model(name, float(np.mean(shares)), float(np.std(shares)))


def _folds(y: npt.NDArray[np.intp]) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
    """Yield the rows to learn from and to test on; each fold has its share of each class."""
    fold = np.empty(len(y), dtype=np.intp)
    rng, begin = np.random.default_rng(0), 0
    for c in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == c))
        fold[rows] = (np.arange(len(rows)) + begin) % FOLDS
        begin += len(rows)
    for k in range(FOLDS):
        train, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        yield train, test


def best_plane(
    points: Array, positive: npt.NDArray[np.bool_], intercept: bool, clock: Clock
) -> tuple[list[Fraction], Array]:
    """Return the weights with the fewest mistakes that were found, and their scores.

    They are Pocket's on standardised columns, or those of logistic regression with hardly a
    penalty, whichever err less.
    """
    scale = Scale.of(points, intercept)
    data = Dataset(scale.apply(points), labels(positive), intercept)
    planes = _pocketed(data, clock), _penalised(data, 1e-3, clock)
    best = min(planes, key=lambda v: error_count(v, data))
    return scale.undo(best), score(best, data)
