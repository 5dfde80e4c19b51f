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

_Scores = Callable[[Array], Array]
_Learner = Callable[[Array, npt.NDArray[np.bool_], Clock], _Scores]


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


def _last(points: Array, positive: npt.NDArray[np.bool_], clock: Clock) -> _Scores:
    data = Dataset(points, labels(positive))
    w = last(pla(data, _rule()), passes=_PASSES).w
    return lambda new: score(w, augment(new))


def _pocket(points: Array, positive: npt.NDArray[np.bool_], clock: Clock) -> _Scores:
    w = _pocketed(Dataset(points, labels(positive)), clock)
    return lambda new: score(w, augment(new))


def _pocketed(data: Dataset, clock: Clock) -> Array:
    """Return the weights with the fewest mistakes that Pocket finds."""
    return last(pocket(data, pla(data, _rule())), _patience(data)).best


def _average(points: Array, positive: npt.NDArray[np.bool_], clock: Clock) -> _Scores:
    data = Dataset(points, labels(positive))
    w = last(average(data, pla(data, _rule())), passes=_PASSES).average
    return lambda new: score(w, augment(new))


def _kernel(points: Array, positive: npt.NDArray[np.bool_], clock: Clock) -> _Scores:
    kernel = rbf(1 / points.shape[1])
    data = Dataset(points, labels(positive))
    end = last(dual_pla(kernel(points, points), data.y, _rule()), passes=_PASSES)
    return lambda new: dual_score(end.alpha, end.b, data, new, kernel)


def _logistic(points: Array, positive: npt.NDArray[np.bool_], clock: Clock) -> _Scores:
    b = fit(points, positive.astype(np.float64), clock.report, penalty=1.0).coefficients
    return lambda new: b[0] + new @ b[1:]


LEARNERS: dict[str, _Learner] = {
    f"perceptron, last weights of {_PASSES} passes": _last,
    "perceptron, pocket": _pocket,
    f"perceptron, average over {_PASSES} passes": _average,
    "perceptron with a Gaussian kernel": _kernel,
    "logistic regression, penalty 1": _logistic,
}


def compare(points: Array, y: npt.NDArray[np.intp], clock: Clock) -> list[Model]:
    """Cross-validate each variant; more than two classes are told apart one against the rest.

    A class with fewer rows than folds leaves nothing to compare.
    """
    classes = np.unique(y)
    if np.bincount(y).min() < FOLDS:
        return []
    folds = list(_folds(y))
    majority = [float((y[test] == np.bincount(y[train]).argmax()).mean()) for train, test in folds]
    found = [_model("always the most frequent class", majority)]
    for name, learner in LEARNERS.items():
        if learner is _kernel and len(y) > _KERNEL_ROWS:
            continue
        shares = []
        with clock.part(f"cross-validation of {name}", 0.3):
            for k, (train, test) in enumerate(folds):
                clock.report(f"fold {k + 1} of {FOLDS}")
                scale = Scale.of(points[train])
                old, new = scale.apply(points[train]), scale.apply(points[test])
                groups = classes[1:] if len(classes) == 2 else classes
                scores = [learner(old, y[train] == c, clock)(new) for c in groups]
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
    points: Array, positive: npt.NDArray[np.bool_], clock: Clock
) -> tuple[list[Fraction], Array]:
    """Return the weights with the fewest mistakes that were found, and their scores.

    They are Pocket's on standardised columns, or those of logistic regression with hardly a
    penalty, whichever err less.
    """
    scale = Scale.of(points)
    data = Dataset(scale.apply(points), labels(positive))
    w = _pocketed(data, clock)
    plane = fit(data.points, positive.astype(np.float64), clock.report, penalty=1e-3)
    best = min(w, plane.coefficients, key=lambda v: error_count(v, data))
    return scale.undo(best), score(best, data)
