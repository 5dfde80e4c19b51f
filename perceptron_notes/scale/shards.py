"""Data in shards: a description of samples that need not fit into memory, nor on one machine.

`Shards` knows where the samples are and how many; nothing is gathered. A shard is read in
blocks, each checked like a `Dataset`.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, overload
from uuid import uuid4

import numpy as np

from perceptron_notes._kit.validation import check_count, check_flag, check_kind
from perceptron_notes.data import Dataset, bare, check_dataset
from perceptron_notes.scale.cluster import at
from perceptron_notes.scale.files import absolute, files_at

__all__ = ["Shard", "Shards", "check_shards", "in_one"]

# ------------------------------------------------------------------------------- a shard


@dataclass(frozen=True)
class Rows:
    """Samples in memory."""

    name: str
    data: Dataset

    def datasets(self, rows: int | None) -> Iterator[Dataset]:
        """Yield the samples without a copy, all at once unless `rows` says otherwise."""
        data = self.data
        for a in range(0, data.n, rows or data.n):
            b = a + (rows or data.n)
            yield bare(data.X[a:b], data.y[a:b], data.intercept, data.reach)

    def sent(self, client: Any) -> Any:
        """Submit the samples as a task, not scattered, so that Dask can repeat it after a loss."""
        # Tasks with unlike names are distributed evenly.
        return client.submit(lambda rows: rows, self, key=f"rows-{uuid4().hex}", pure=False)

    def __sizeof__(self) -> int:
        """Return the bytes of the samples, by which Dask decides what to move to another worker."""
        return self.data.X.nbytes + self.data.y.nbytes


@dataclass(frozen=True)
class Shard:
    """A part of the data: its position among the others, and where its samples come from.

    Attributes
    ----------
    number : int
        Which shard it is, counted from 0.
    first : int
        The number of its first sample, counted from 0 over all shards.
    size : int
        How many samples it has, at least 1.
    d : int
        How many coordinates a point has.
    intercept : bool
        Whether a sample has the leading 1.
    source : Rows or File
        Where its samples come from: small, or kept by a worker.

    Examples
    --------
    >>> from perceptron_notes.scale import Shards
    >>> shard = Shards.split(li_hang(), 2)[1]
    >>> [(first, data.y.tolist()) for first, data in shard.blocks(rows=1)]
    [(1, [1]), (2, [-1])]
    """

    number: int
    first: int
    size: int
    d: int
    intercept: bool
    source: Any

    def __len__(self) -> int:
        return self.size

    def blocks(self, rows: int | None = None) -> Iterator[tuple[int, Dataset]]:
        """Yield the samples in blocks, in their order.

        Parameters
        ----------
        rows : int, optional
            How many rows a block has at most. If left out, samples in memory are one block, and
            files are read in blocks of about 2 MB.

        Yields
        ------
        int, Dataset
            Some rows, in memory, and the number of the first, counted from 0 over all shards. The
            ``reach`` of the Dataset may be that of more rows.

        Raises
        ------
        TypeError, ValueError
            If a row is not a valid sample, or if a file has changed; it says which file and row.
        OSError
            If a file cannot be read.
        """
        first, end = self.first, self.first + self.size
        for data in self.source.datasets(None if rows is None else check_count(rows, "rows", 1)):
            if data.d != self.d or first + data.n > end:
                break
            yield first, data
            first += data.n
        else:
            if first == end:
                return
        raise ValueError(
            f"{self.source.name} is not what it was; expected {self.size} samples with "
            f"{self.d} coordinates"
        )


# --------------------------------------------------------------------------------- shards


@dataclass(frozen=True, repr=False)
class Shards(Sequence[Shard]):
    """Data in parts, which stay where they are: a small description that can be pickled.

    Make them from what you have: `split` cuts a Dataset, and `from_folder` takes each row group of
    Parquet files as a shard. Shards without samples are left out. A slice, such as ``shards[:4]``,
    is Shards too.

    Attributes
    ----------
    parts : tuple of Shard
        The shards, in their order.

    Examples
    --------
    >>> from perceptron_notes.scale import Shards
    >>> shards = Shards.split(xor(), 4)
    >>> len(shards) == 4 and sum(shards.sizes) == shards.n == xor().n
    True
    """

    parts: tuple[Shard, ...]

    @property
    def d(self) -> int:
        """How many coordinates a point has."""
        return self.parts[0].d

    @property
    def intercept(self) -> bool:
        """Whether a sample has the leading 1."""
        return self.parts[0].intercept

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many samples each shard has."""
        return tuple(shard.size for shard in self.parts)

    @property
    def n(self) -> int:
        """How many samples there are."""
        return sum(self.sizes)

    def __len__(self) -> int:
        return len(self.parts)

    @overload
    def __getitem__(self, k: int) -> Shard: ...
    @overload
    def __getitem__(self, k: slice) -> Shards: ...
    def __getitem__(self, k: int | slice) -> Shard | Shards:
        if isinstance(k, slice):  # to try something on a few shards
            some = [(shard.source, shard.size, shard.d) for shard in self.parts[k]]
            return _assembled(some, self.intercept)
        return self.parts[k]

    def __repr__(self) -> str:
        sizes, origin = self.sizes, "" if self.intercept else ", through the origin"
        rows = f"{min(sizes)}" if min(sizes) == max(sizes) else f"{min(sizes)} to {max(sizes)}"
        return f"Shards(n={self.n}, d={self.d}: {len(self)} of {rows}{origin})"

    def dataset(self) -> Dataset:
        """Return all samples as one Dataset, where one machine can hold them."""
        return in_one(self.parts)

    # ---------------------------------------------------------------------------- makers

    @classmethod
    def split(cls, data: Dataset, count: int | Sequence[int]) -> Shards:
        """Cut a Dataset into shards.

        Parameters
        ----------
        data : Dataset
            n samples, in memory. The workers are sent their shards once for each run.
        count : int or sequence of int
            How many shards of equal size, or nearly so, from 1 to n; or the size of each.

        Returns
        -------
        Shards

        Examples
        --------
        >>> from perceptron_notes.scale import Shards
        >>> Shards.split(xor(), 3)
        Shards(n=4, d=2: 3 of 1 to 2)
        >>> Shards.split(xor(), [1, 3]).sizes
        (1, 3)
        """
        found = []
        for k, (a, b) in enumerate(pairwise(_cuts(check_dataset(data).n, count))):
            some = bare(data.X[a:b], data.y[a:b], data.intercept, data.reach)
            found.append((Rows(f"shard {k}", some), b - a, data.d))
        return _assembled(found, data.intercept)

    @classmethod
    def from_folder(
        cls,
        path: str | os.PathLike[str],
        *,
        label: str = "label",
        columns: Sequence[str] | None = None,
        intercept: bool = True,
        positive: Any = None,
        on: Any = None,
    ) -> Shards:
        """Return every row group of Parquet files, or every CSV file, as a shard, ordered by name.

        Later users of the shards must find the same files at the same path.

        Parameters
        ----------
        path : path
            A folder with files that end in ``.parquet``, or else in ``.csv``; one such file; or an
            address of either that fsspec understands, such as ``s3://bucket/folder``. Folders in
            it are looked through too; what begins with a dot or an underscore is ignored. Reading
            Parquet takes about 3 MB for each column, however large row groups are; at an address
            it takes the memory of a row group.
        label : str
            The column of labels.
        columns : sequence of str, optional
            The coordinates, in this order; all other columns except a pandas index if left out.
        intercept : bool
            Whether the samples get a leading 1.
        positive : object, optional
            The label that is +1; all others are −1. It must occur. Without it labels must be −1 or
            +1.
        on : None, distributed.Client, str or Place, optional
            Where the files are inspected now, as for `at`.

        Returns
        -------
        Shards

        Raises
        ------
        TypeError, ValueError
            If a file is not valid, or is unlike the others; it says which file and why.
        """
        wanted = columns if columns is None else tuple(columns)
        if wanted is not None and len({label, *wanted}) <= len(wanted):
            raise ValueError(f"columns are {wanted}; expected each once, and not the label's")
        given = absolute(path), label, wanted, check_flag(intercept, "intercept"), positive
        with at(on) as place:
            files, index = place.run(files_at, *given)
        for name in index:
            warnings.warn(
                f"{path}: {name!r} is the index of a pandas table; left out", stacklevel=2
            )
        found = [(file, file.size, len(file.schema.names) - 1) for file in files]
        return _assembled(found, intercept)


def check_shards(shards: Shards) -> Shards:
    """Return `shards` itself, if it is Shards."""
    check_kind(shards, Shards, "shards", "Shards, such as Shards.split(data, 4)")
    return shards


def in_one(shards: Iterable[Shard]) -> Dataset:
    """Return the samples of some shards as one Dataset."""
    blocks = [data for shard in shards for _, data in shard.blocks()]
    points = np.concatenate([data.points for data in blocks])
    return Dataset(points, np.concatenate([data.y for data in blocks]), blocks[0].intercept)


def _cuts(n: int, count: int | Sequence[int]) -> list[int]:
    """Return where to cut n rows: into so many parts, or into parts of these sizes."""
    if isinstance(count, Sequence):
        cuts = [0, *accumulate(check_count(k, "a size", least=1) for k in count)]
        if cuts[-1] != n:
            raise ValueError(f"the sizes add up to {cuts[-1]}; expected {n}, as many as samples")
        return cuts
    if check_count(count, "count", least=1) > n:
        raise ValueError(f"count is {count}, but data has {n} samples; expected at most {n}")
    return [k * n // count for k in range(count + 1)]


def _assembled(found: Sequence[tuple[Any, int, int]], intercept: bool) -> Shards:
    """Return shards made of sources, sizes and dimensions; leave empty ones out."""
    some, check = [one for one in found if one[1]], check_flag(intercept, "intercept")
    if not some:
        raise ValueError("the shards have no samples at all; expected at least one")
    firsts = accumulate((size for _, size, _ in some), initial=0)
    parts = [
        Shard(number, first, size, d, check, source)
        for number, (first, (source, size, d)) in enumerate(zip(firsts, some, strict=False))
    ]
    return Shards(tuple(parts))
