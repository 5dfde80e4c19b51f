"""A Gram matrix row by row: for many samples, the whole of it would not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from perceptron_notes.data import Dataset, check_dataset
from perceptron_notes.kernels import Kernel, rows_of
from perceptron_notes.validation import check_kernel, check_kind
from perceptron_notes.values import Array, frozen

__all__ = ["GramRows"]

#: Up to so many samples the whole matrix costs less than calling the kernel for each row.
AT_ONCE = 128


class GramRows:
    r"""A Gram matrix that makes only the rows that a run needs.

    Row i holds :math:`k(\mathbf{x}_i, \mathbf{x}_1), \dots, k(\mathbf{x}_i, \mathbf{x}_n)`.
    The dual run reads it when sample i is corrected, and most samples never are. A row
    is made when it is first needed, and kept; for up to 128 samples all rows are made at once.
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
        If `data` is not a Dataset, or `kernel` is not a kernel.
    ValueError
        If the kernel returns anything other than finite numbers of the right shape.

    Examples
    --------
    >>> from perceptron_notes import GramRows, dual_pla, last, li_hang, linear
    >>> last(dual_pla(GramRows(li_hang(), linear), li_hang().y)).alpha
    array([2., 0., 5.])
    """

    def __init__(self, data: Dataset, kernel: Kernel) -> None:
        self.points, self.kernel = check_dataset(data).points, check_kernel(kernel)
        few = len(self.points) <= AT_ONCE
        self.made = dict(enumerate(self.make(0, len(self.points)))) if few else {}

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the whole matrix."""
        return len(self.points), len(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, i: int) -> Array:
        n = len(self)
        check_kind(i, int | np.integer, "i", "the number of one row")
        if not -n <= i < n:
            raise IndexError(f"row {i} of {n}; expected {-n} … {n - 1}")
        i = range(n)[i]
        if i not in self.made:
            self.made[i] = self.make(i, i + 1)[0]
        return self.made[i]

    def __iter__(self) -> Iterator[Array]:
        return map(self.__getitem__, range(len(self)))

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.array(list(self), dtype=dtype)

    def __repr__(self) -> str:
        return f"GramRows({len(self.made)} of {len(self)} rows made)"

    def make(self, start: int, stop: int) -> Array:
        """The rows from start to stop − 1, from the kernel itself."""
        return frozen(rows_of(self.kernel, self.points[start:stop], self.points))
