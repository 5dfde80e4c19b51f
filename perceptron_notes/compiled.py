"""When compiled code takes over, and the bound that it shares with the search in NumPy.

numba is loaded, and a function is compiled, when so much was searched without it that the
wait pays. Small work never waits.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from perceptron_notes.loops import Loops

__all__ = ["loops", "spend", "tolerance"]

Array = npt.NDArray[np.float64]

#: Compiling takes about as long as reading this many numbers from memory, and to begin with
#: a block of them takes as long as `OVERHEAD`. Who has paid as much for searches as compiling
#: costs gets the compiled ones: whatever comes, twice the least wait is the worst.
COMPILING = 4_000_000_000
OVERHEAD = 10_000
#: What was paid so far, by the length of a row.
spent: Counter[int] = Counter()

#: Rows up to this length get functions of their own: a length that the compiler knows doubles
#: their speed.
SHORT = 12


def tolerance(size: float, m: int) -> float:
    r"""How near to 0 a margin must lie for the order of its sum to matter.

    Parameters
    ----------
    size : float
        At least the sum of \|wⱼ\| times \|xⱼ\|.
    m : int
        The number of terms.

    Returns
    -------
    float
    """
    # The small term covers underflow. Where sums may overflow, nothing is skipped.
    return (m + 2) * 2.0**-52 * size + 1e-300 if size < 1e300 else np.inf


def spend(X: Array, rows: int) -> None:
    """Book a search among so many rows that was done without compiled code.

    Parameters
    ----------
    X : ndarray, shape (n, m)
    rows : int
    """
    m = X.shape[1]
    spent[m] += OVERHEAD + rows * m


def loops(X: Array) -> Loops | None:
    """The compiled functions for rows like those of `X`, if they pay by now and numba is here.

    Parameters
    ----------
    X : ndarray, shape (n, m)

    Returns
    -------
    Loops or None
    """
    m = X.shape[1]
    if spent[m] < COMPILING or not X.flags.c_contiguous:
        return None
    return load(m if m <= SHORT else None)


@cache
def load(m: int | None) -> Loops | None:
    """The functions for rows of m numbers, or of any length; none without numba."""
    try:
        from perceptron_notes.loops import make_loops
    except ImportError:
        return None
    return make_loops(m, tolerance)
