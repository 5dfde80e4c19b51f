"""Where the samples of a shard come from: memory, or a file (`files`).

A source is small and can be pickled: a description. Its samples come as Datasets of some rows
each, checked. What is costly to send is kept by a worker.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.values import Labels
from perceptron_notes.data import Dataset, bare

#: What helps where labels have other names.
HINT = "positive= says which one is +1"


# --------------------------------------------------------------------------------- memory


@dataclass(frozen=True)
class Rows:
    """Samples in memory."""

    name: str
    data: Dataset

    def datasets(self, rows: int | None) -> Iterator[Dataset]:
        """Yield the samples without a copy, all at once if nothing else is said."""
        data = self.data
        for a in range(0, data.n, rows or data.n):
            b = a + (rows or data.n)
            yield bare(data.X[a:b], data.y[a:b], data.intercept, data.reach)

    def sent(self, client: Any) -> Any:
        """Send them as a task, not scattered: so Dask can send them again if the worker is lost."""
        # Tasks whose names are not alike are dealt out evenly.
        return client.submit(lambda rows: rows, self, key=f"rows-{uuid4().hex}", pure=False)

    def __sizeof__(self) -> int:
        """Return the bytes of the samples: Dask weighs by it what to move to another worker."""
        return self.data.X.nbytes + self.data.y.nbytes


# --------------------------------------------------------------------------------- labels


def signs(labels: npt.NDArray[Any], positive: Any, name: str, first: int) -> Labels:
    """Return labels −1 and +1; an error names the first other one, its row counted from `first`."""
    if positive is not None:
        for i, label in enumerate(labels.tolist(), start=first):
            if label is None or label != label:
                raise ValueError(f"{name}, row {i}: the label is missing")
        return np.where(labels == positive, 1, -1).astype(np.intp)
    wrong = np.flatnonzero(np.abs(labels.astype(np.float64)) != 1)
    if len(wrong):
        low, *others = np.unique(labels).tolist()
        value, hint = labels[wrong[0]].item(), ""
        if len(others) == 1:
            hint = f": with positive={others[0]} that one is +1 and {low} is -1"
        place = f"{name}, row {first + wrong[0]}"
        raise ValueError(f"{place}: the label is {value}; labels must be -1 or +1{hint}")
    return labels.astype(np.intp)


def check_occurs(positive: Any, parts: Iterable[npt.NDArray[Any]]) -> None:
    """Raise an error if no part has the label that is to be +1; the first one is enough."""
    seen = dict[Any, None]()
    for labels in parts:
        if np.any(labels == positive):
            return
        seen |= dict.fromkeys(labels[:1000].tolist())
    if seen:
        some = ", ".join(map(repr, list(seen)[:4])) + ", …" * (len(seen) > 4)
        raise ValueError(f"positive is {positive!r}, which no label is; the labels are {some}")
