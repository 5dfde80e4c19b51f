"""Which columns separate alone, and how few are enough: where one looks for a leak."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.values import Array
from perceptron_notes.diagnosis.clock import Clock
from perceptron_notes.diagnosis.separability import COMPLETE, Separability
from perceptron_notes.exact.cone import divides
from perceptron_notes.exact.decimals import typed

__all__ = ["Cut", "alone", "enough"]


@dataclass(frozen=True)
class Cut:
    """A column that separates alone: the values of one class all lie below those of the other.

    Attributes
    ----------
    name : str
        The column.
    low, high : float
        The largest value of the one class, and the least of the other.
    rises : bool
        Whether it is the positive class that has the larger values.
    """

    name: str
    low: float
    high: float
    rises: bool


def alone(points: Array, positive: npt.NDArray[np.bool_], names: Sequence[str]) -> list[Cut]:
    """Find the columns that separate alone."""
    found = []
    for name, column in zip(names, points.T, strict=True):
        ours, theirs = column[positive], column[~positive]
        if theirs.max() < ours.min():
            found.append(Cut(name, float(theirs.max()), float(ours.min()), True))
        elif ours.max() < theirs.min():
            found.append(Cut(name, float(ours.max()), float(theirs.min()), False))
    return found


def enough(
    points: Array,
    positive: npt.NDArray[np.bool_],
    names: Sequence[str],
    verdict: Separability,
    clock: Clock,
) -> tuple[str, ...] | None:
    """Leave out columns in turn, as long as the others still separate completely.

    None if not even all of them do. There may be fewer that do it.
    """
    w = verdict.direction
    if verdict.kind != COMPLETE or w is None:
        return None
    Z = np.where(positive, 1.0, -1.0)[:, None] * np.column_stack(
        [np.ones(len(points)), typed(points)[0]]
    )
    # Those that move the scores least are left out first.
    spans = np.ptp(points, axis=0).tolist()
    moves = [float(abs(w[name])) * span for name, span in zip(names, spans, strict=True)]
    kept = list(range(len(names)))
    for done, j in enumerate(np.argsort(moves, kind="stable").tolist()):
        clock.report(f"column {done + 1} of {len(names)}")
        fewer = [k for k in kept if k != j]
        if divides(Z[:, [0, *(k + 1 for k in fewer)]], clock.report):
            kept = fewer
    return tuple(names[k] for k in kept)
