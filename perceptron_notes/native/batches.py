"""The mistakes of many weight vectors counted together, for whoever watches a run."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from perceptron_notes.data import Dataset
from perceptron_notes.native import count_errors

__all__ = ["in_batches"]

#: How many weights are looked at together: `LEAST` to begin with, and up to `MOST` as long as
#: they make no more scores than `SCORES`. With few samples, Python costs more than a batch.
_LEAST, _MOST, _SCORES = 256, 4096, 1 << 22

_S = TypeVar("_S", bound=Any)


def in_batches(data: Dataset, steps: Iterable[_S], counts: deque[int]) -> Iterator[_S]:
    """Yield the same steps, each after its mistakes stand in `counts`, found for many at once.

    Counting stops early at what cannot get into the pocket, but not for the last weights.

    Parameters
    ----------
    data : Dataset
        The samples on which mistakes are counted.
    steps : iterable of Step
        Those whose weights ``w`` are looked at.
    counts : deque of int
        Filled before the steps are handed on.

    Yields
    ------
    Step
    """
    source, size, fewest = iter(steps), _LEAST, data.n + 1
    while batch := list(islice(source, size)):
        found = count_errors(data, np.array([step.w for step in batch]), fewest)
        counts.extend(found.tolist())
        fewest = min(fewest, int(found.min()))
        yield from batch
        size = max(_LEAST, min(4 * size, _MOST, _SCORES // data.n))
