"""Complete separation, quasi-complete separation, or overlap: decided, with a proof."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from perceptron_notes.diagnosis.cone import Limits, divides, partition, proves, raised
from perceptron_notes.diagnosis.table import INTERCEPT, Table
from perceptron_notes.exact.hull import Progress
from perceptron_notes.exact.numbers import Exact, primitive

Kind = Literal["complete separation", "quasi-complete separation", "overlap"]
COMPLETE: Kind = "complete separation"
QUASI: Kind = "quasi-complete separation"
OVERLAP: Kind = "overlap"


class Separability:
    r"""Whether a plane separates two groups of rows, with a proof.

    Numbers are read as the decimals that were typed: 0.1 is 1/10. `diagnose` creates it.

    Parameters
    ----------
    table : Table
        The rows, as whole numbers, with their labels and the names and units of the columns.
    positive : ndarray of bool, shape (n,)
        Which of its rows form one group; the others form the other.
    report : callable
        Called with a sentence that says how far the search is; it may raise to stop.
    used : ndarray of bool, shape (n,), optional
        Which of its rows to use; otherwise all.

    Attributes
    ----------
    kind : {"complete separation", "quasi-complete separation", "overlap"}
        Whether a plane has all rows strictly on their sides, or some of them and the others on
        the plane itself, or whether no plane does even that (Albert and Anderson 1984).
    is_separated : ndarray of bool
        Which of the rows are separated.
    """

    def __init__(
        self,
        table: Table,
        positive: npt.NDArray[np.bool_],
        report: Progress,
        used: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        chosen = np.arange(len(table.y)) if used is None else np.flatnonzero(used)
        X, self._positive = augmented(table)[chosen], positive[chosen]
        self._rows = [table.rows[i] for i in chosen.tolist()]
        self.intercept = table.intercept
        self.names = (*[INTERCEPT] * self.intercept, *table.names)
        self._units = [*[Fraction(1)] * self.intercept, *table.units]
        self._Z = _signed(X, self._positive)
        self._found = found = partition(self._Z, report)
        self.is_separated = np.zeros(len(X), dtype=bool)
        self.is_separated[found.separated] = True
        count = len(found.separated)
        self.kind: Kind = OVERLAP if not count else COMPLETE if count == len(X) else QUASI

    @property
    def separated(self) -> tuple[Any, ...]:
        """The labels of the rows that `direction` puts strictly on their right sides."""
        return tuple(self._rows[i] for i in np.flatnonzero(self.is_separated).tolist())

    @property
    def overlapping(self) -> tuple[Any, ...]:
        """The labels of the other rows, strictly on a side of no plane that makes no mistake."""
        return tuple(self._rows[i] for i in np.flatnonzero(~self.is_separated).tolist())

    @property
    def direction(self) -> dict[str, Fraction] | None:
        """A weight for each column and for the intercept; None if no row is separated.

        The scores have the right sign on the separated rows and are 0 on the others.
        """
        return None if self._found.direction is None else self.named(self._found.direction)

    @property
    def obstruction(self) -> dict[Any, Fraction]:
        r"""A positive whole multiplier for each of a few overlapping rows.

        With them :math:`\sum q_n y_n\mathbf{x}_n = 0`, and these rows span all overlapping ones: so
        no more rows can be separated. Empty for complete separation.
        """
        found = self._found
        return {
            self._rows[i]: Fraction(q)
            for i, q in zip(found.samples, primitive(found.multipliers)[0], strict=True)
        }

    @cached_property
    def relations(self) -> list[dict[str, Fraction]]:
        """The relations between the columns, as sums of columns that are 0 in every row."""
        return [
            {name: a for name, a in self.named(v).items() if a} for v in self._found.relations.T
        ]

    @cached_property
    def limits(self) -> Limits:
        """The limits of the coefficients of logistic regression, in the order of `names`."""
        return Limits(self._found, self._Z)

    def divides(self, columns: Sequence[int], report: Progress) -> bool:
        """Return whether these columns, with the intercept, separate all rows."""
        first = [0] * self.intercept
        return divides(self._Z[:, [*first, *(j + self.intercept for j in columns)]], report)

    def divides_as(self, positive: npt.NDArray[np.bool_], report: Progress) -> bool:
        """Return whether other groups of the same rows can be separated completely."""
        return divides(_signed(self._Z, positive == self._positive), report)

    def right(self, weights: Sequence[Fraction]) -> npt.NDArray[np.bool_]:
        """Return which rows these weights, intercept first, put on their right sides, exactly."""
        ours = [a * unit for a, unit in zip(weights, self._units, strict=True)]
        return raised(self._Z, primitive(ours)[0])

    def verify(self) -> bool:
        """Check the direction and the obstruction on all rows, in whole numbers."""
        return proves(self._found, self._Z)

    def named(self, w: Sequence[int] | npt.NDArray[Any]) -> dict[str, Fraction]:
        """Return weights in the units of the columns, as whole numbers, by name."""
        numbers = primitive([int(a) / unit for a, unit in zip(w, self._units, strict=True)])[0]
        return dict(zip(self.names, map(Fraction, numbers), strict=True))

    def __repr__(self) -> str:
        n, a = len(self.is_separated), len(self._found.separated)
        return f"Separability({self.kind}: {a:,} of {n:,} rows separated)"


def _signed(X: Exact, positive: npt.NDArray[np.bool_]) -> Exact:
    """Return the rows, those of the negative class times −1."""
    return np.where(positive[:, None], X, -X)


def augmented(table: Table) -> Exact:
    """Return the whole numbers, with a leading 1 if there is an intercept."""
    X = table.numbers
    ones = np.ones((len(X), int(table.intercept)), dtype=np.int64)
    return np.column_stack([ones.astype(X.dtype), X])
