"""A Gram matrix of which only the rows that a run asks for are made."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from perceptron_notes.data import Array, Dataset, check_dataset

__all__ = ["GramRows"]

#: Up to so many samples the whole matrix costs less than calling the kernel for each row.
AT_ONCE = 128


class GramRows:
    r"""The rows :math:`k(\mathbf{x}_i, \mathbf{x}_1), \dots, k(\mathbf{x}_i, \mathbf{x}_n)`.

    The dual run reads row i when sample i is corrected, and most samples never are. A row
    is made when it is first asked for, and kept; few samples get all their rows at once.
    A row may differ from that of `gram` in the last bit where the kernel rounds.

    Parameters
    ----------
    data : Dataset
        n samples.
    kernel : kernel
        As for `gram`.

    Raises
    ------
    TypeError
        If `data` is not a Dataset.
    ValueError
        If the kernel returns something else than finite numbers of the right shape.

    Examples
    --------
    >>> last(dual_pla(GramRows(li_hang(), linear), li_hang().y)).alpha
    array([2., 0., 5.])
    """

    def __init__(self, data: Dataset, kernel: Callable[[Array, Array], Array]) -> None:
        self.points, self.kernel = check_dataset(data).points, kernel
        few = len(self.points) <= AT_ONCE
        self.made = dict(enumerate(self.make(0, len(self.points)))) if few else {}

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the whole matrix."""
        return len(self.points), len(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, i: int) -> Array:
        if i not in self.made:
            self.made[i] = self.make(i, i + 1)[0]
        return self.made[i]

    def make(self, start: int, stop: int) -> Array:
        """The rows from start to stop − 1, from the kernel itself."""
        rows = np.asarray(self.kernel(self.points[start:stop], self.points), dtype=np.float64)
        if rows.shape != (stop - start, len(self)) or not np.isfinite(rows).all():
            raise ValueError(
                f"kernel returned shape {rows.shape} for {stop - start} and {len(self)} points; "
                f"expected ({stop - start}, {len(self)}) finite numbers"
            )
        return rows
