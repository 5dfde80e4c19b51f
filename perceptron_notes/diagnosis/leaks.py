"""Which columns separate by themselves, how few are enough, and whether shuffled labels do too."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.values import Array
from perceptron_notes.diagnosis.clock import Clock
from perceptron_notes.diagnosis.languages import say
from perceptron_notes.diagnosis.separability import Separability
from perceptron_notes.diagnosis.table import Table

#: How often the labels are shuffled. If they meant nothing, this table would be the only one of 21
#: that is separable with probability 1/21 at most.
SHUFFLES = 20


@dataclass(frozen=True)
class Cut:
    """A column that separates by itself: one class has all its values below the other's.

    Attributes
    ----------
    name : str
        The column.
    low, high : Fraction
        The largest value of one class, and the least of the other.
    rises : bool
        Whether it is the positive class that has the larger values.
    """

    name: str
    low: Fraction
    high: Fraction
    rises: bool


def alone(table: Table) -> list[Cut]:
    """Return the columns that separate by themselves; without an intercept the cut has to be 0."""
    found, positive = [], table.y == 1
    for name, column, unit in zip(table.names, table.numbers.T, table.units, strict=True):
        groups = column[~positive], column[positive]
        for rises in (True, False):
            below, above = groups if rises else groups[::-1]
            low, high = int(below.max()), int(above.min())
            if low < high and (table.intercept or low < 0 < high):
                found.append(Cut(name, low * unit, high * unit, rises))
    return found


def sufficient_columns(points: Array, verdict: Separability, clock: Clock) -> tuple[str, ...]:
    """Return few columns that separate completely, as all do; fewer may be possible.

    They are found by leaving out one after another.
    """
    w, names = verdict.direction or {}, verdict.names[verdict.intercept :]
    # Those that change the scores least are left out first.
    spans = np.ptp(points, axis=0).tolist()
    moves = [abs(w[name]) * Fraction(span) for name, span in zip(names, spans, strict=True)]
    kept = list(range(len(names)))
    for done, j in enumerate(sorted(kept, key=moves.__getitem__)):
        clock.report(f"column {done + 1} of {len(names)}")
        fewer = [k for k in kept if k != j]
        if verdict.divides(fewer, clock.report):
            kept = fewer
    return tuple(names[k] for k in kept)


def shuffled(
    positive: npt.NDArray[np.bool_], verdict: Separability, clock: Clock
) -> tuple[int, int]:
    """Count separable tables after shuffling labels among the rows, which keeps the class sizes.

    Return how many of these tables are separable, and how many were tried in time.
    """
    rng, separable, tried = np.random.default_rng(0), 0, 0
    with clock.part(say("shuffled_part"), 0.5):
        for _ in range(SHUFFLES):
            clock.report(f"{tried} of {SHUFFLES}")
            separable += verdict.divides_as(rng.permutation(positive), clock.report)
            tried += 1
    return separable, tried
