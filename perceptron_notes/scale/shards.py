"""Data in shards: a description of samples that need not fit into memory, nor on one machine.

`Shards` knows where the samples are and how many; nothing is gathered. Whoever needs them goes
through a shard in blocks, each checked like a `Dataset`, the next one read while the last is used.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from math import isnan, sqrt
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np

from perceptron_notes._kit.validation import (
    LARGEST,
    check_count,
    check_flag,
    check_kind,
    check_several,
    kind_of,
    largest_size,
)
from perceptron_notes._kit.values import Array, Labels, frozen
from perceptron_notes.data import Dataset, check_dataset
from perceptron_notes.scale.cluster import There, at, lacking
from perceptron_notes.scale.sources import (
    Made,
    NumPyFiles,
    Parquet,
    Partition,
    Piece,
    Rows,
    Several,
    Source,
    check_positive_occurs,
    never,
    partition,
    rounded,
    signs,
)

__all__ = ["Block", "Shard", "Shards", "bare", "check_shards", "in_one"]

#: A block has about so many numbers: 2 MB, which stay in a processor's cache.
_NUMBERS = 1 << 18
#: A sum of so many squares, or more, has at least one that has not underflowed.
_SMALLEST = 1e-250
#: Of more files than this, small ones share a shard, and there are about so many shards at least.
_MANY = 100

# ------------------------------------------------------------------------------- a block


class Block(NamedTuple):
    """Some rows of a shard, in memory.

    Attributes
    ----------
    data : Dataset
        The samples; ``X`` and ``y`` are its own. Its ``reach`` may be that of more rows.
    first : int
        The number of its first sample, counted from 0 over all shards.

    Examples
    --------
    >>> from perceptron_notes.datasets import li_hang
    >>> from perceptron_notes.scale import Shards
    >>> shard = Shards.split(li_hang(), 2)[1]
    >>> [(block.first, block.y.tolist()) for block in shard.blocks(rows=1)]
    [(1, [1]), (2, [-1])]
    """

    data: Dataset
    first: int

    @property
    def X(self) -> Array:
        """The augmented samples, float64, read-only."""
        return self.data.X

    @property
    def y(self) -> Labels:
        """The labels, whole numbers, read-only."""
        return self.data.y


def bare(X: Array, y: Labels, intercept: bool, reach: float) -> Dataset:
    """Return a Dataset of arrays that have been checked; nothing is copied."""
    data = object.__new__(Dataset)
    fields = {"X": frozen(X), "y": frozen(y), "intercept": intercept, "reach": reach}
    for name, value in fields.items():
        object.__setattr__(data, name, value)
    return data


def _filled(X: Array, y: Labels, piece: Piece, source: Source, done: int, intercept: bool) -> float:
    """Copy rows of a source into arrays and return what no coordinate exceeds in size.

    An error names the first bad row; `done` rows came before.
    """
    points, labels = piece
    X[:, : int(intercept)] = 1.0
    X[:, int(intercept) :] = points
    y[:] = _checked_labels(labels, source, done)
    if points.dtype == np.float64:
        # One look at every number instead of two; NaN and infinity do not hide in it. However it is
        # rounded, its root is at least the largest coordinate, unless squares underflow.
        square = float(np.einsum("ij,ij->", points, points))
        if _SMALLEST <= square <= LARGEST:
            return max(sqrt(square), float(intercept))
    reach = largest_size(X)
    if not reach <= LARGEST:
        i, j = np.argwhere(~(np.abs(X) <= LARGEST))[0].tolist()
        raise ValueError(
            f"{source.named(done + i)}: coordinate {j - intercept} is {X[i, j]}; "
            f"expected a finite number of size at most {LARGEST:g}"
        )
    for i, j in rounded(points, X[:, int(intercept) :])[:1].tolist():
        place = source.named(done + i)
        raise ValueError(f"{place}: coordinate {j} is {points[i, j]!s}; float64 does not hold it")
    return reach


def _checked_labels(labels: Any, source: Source, done: int) -> Labels:
    """Labels −1 and +1, or an error that names the first other one."""
    positive = source.positive
    if positive is not None:
        missing = [i for i, label in enumerate(labels.tolist()) if label != label]
        if missing:
            raise ValueError(f"{source.named(done + missing[0])}: the label is missing")
        labels = signs(labels, positive)
    y = labels.astype(np.intp)
    wrong = np.flatnonzero((np.abs(y) != 1) | (y != labels))
    if len(wrong):
        low, *others = np.unique(labels).tolist()
        value, hint = labels[wrong[0]].item(), ""
        if len(others) == 1:
            hint = f": with positive={others[0]} that one is +1 and {low} is -1"
        place = source.named(done + int(wrong[0]))
        raise ValueError(f"{place}: the label is {value}; labels must be -1 or +1{hint}")
    return y


# ------------------------------------------------------------------------------- a shard


@dataclass(frozen=True)
class Shard:
    """A part of the data: its place among the others, and where its samples come from.

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
    source : Source
        Where its samples come from.

    Examples
    --------
    >>> from perceptron_notes.datasets import li_hang
    >>> from perceptron_notes.scale import Shards
    >>> [shard.size for shard in Shards.split(li_hang(), 2)]
    [1, 2]
    """

    number: int
    first: int
    size: int
    d: int
    intercept: bool
    source: Any

    def __len__(self) -> int:
        return self.size

    def at(self, source: Any) -> Shard:
        """Return the same shard with its samples from elsewhere."""
        return replace(self, source=source)

    def blocks(self, rows: int | None = None) -> Iterator[Block]:
        """Go through the samples in their order; the next block is read while one is used.

        Parameters
        ----------
        rows : int, optional
            How many rows a block has at most. If left out, samples in memory are one block, and
            samples that are read come in blocks of about 2 MB.

        Yields
        ------
        Block
            Its arrays may be kept.

        Raises
        ------
        TypeError, ValueError
            If a row is not a valid sample, or if a file has changed; it says which file and row.
        OSError
            If a file cannot be read.
        """
        source = self.source.settled()
        if rows is None:
            rows = len(self) if isinstance(source, Rows) else _NUMBERS // (self.d + 1) + 1
        rows = check_count(rows, "rows", least=1)
        read = self.views(source.data, rows) if isinstance(source, Rows) else self.ahead(rows)
        first = self.first
        for data in read:
            if data.d != self.d:
                place = source.named(first - self.first)
                raise ValueError(f"{place}: {data.d} coordinates; expected {self.d}")
            if data.intercept != self.intercept:
                raise ValueError(
                    f"{source.named(first - self.first)}: a Dataset with "
                    f"intercept={data.intercept}; expected intercept={self.intercept}, as in the "
                    "other shards and in Shards.generate"
                )
            yield Block(data, first)
            first += data.n
        if first != self.first + self.size:
            place = source.named(first - self.first)
            raise ValueError(f"{place}: the samples end here; expected {self.size}")

    def views(self, data: Dataset, rows: int) -> Iterator[Dataset]:
        """Yield rows of a Dataset that is in memory, without a copy."""
        for a in range(0, data.n, rows):
            yield bare(data.X[a : a + rows], data.y[a : a + rows], data.intercept, data.reach)

    def ahead(self, rows: int) -> Iterator[Dataset]:
        """Yield the rows of the source, checked; a thread is always one block ahead."""
        pieces, done, kept = self.source.pieces(rows), 0, None

        def read() -> Dataset | None:
            nonlocal done, kept
            X, y = np.empty((rows, self.d + self.intercept)), np.empty(rows, dtype=np.intp)
            n, reach = 0, 0.0
            while (kept := kept or next(pieces, None)) and n + (k := len(kept[1])) <= rows:
                room = X[n : n + k], y[n : n + k]
                reach = max(reach, _filled(*room, kept, self.source, done + n, self.intercept))
                n, kept = n + k, None
            done += n
            return bare(X[:n], y[:n], self.intercept, reach) if n else None

        with ThreadPoolExecutor(1, "read ahead") as thread:
            try:
                coming = thread.submit(read)
                while (data := coming.result()) is not None:
                    coming = thread.submit(read)
                    yield data
            finally:
                thread.submit(pieces.close)  # where it was used, and after what is being read


# --------------------------------------------------------------------------------- shards


@dataclass(frozen=True, repr=False)
class Shards(Sequence[Shard]):
    """Data in parts, which stay where they are: a small description that can be pickled.

    Make them from what you have: `split` cuts a Dataset and `from_npy` two files, `from_folder`
    takes each file as a shard and `from_dask` each partition, and `generate` makes samples on the
    workers. Shards without samples are left out. A slice, such as ``shards[:4]``, is Shards too.

    Attributes
    ----------
    parts : tuple of Shard
        The shards, in their order.

    Examples
    --------
    >>> from perceptron_notes.datasets import xor
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

    def __iter__(self) -> Iterator[Shard]:
        return iter(self.parts)

    @overload
    def __getitem__(self, k: int) -> Shard: ...
    @overload
    def __getitem__(self, k: slice) -> Shards: ...
    def __getitem__(self, k: int | slice) -> Shard | Shards:
        if isinstance(k, slice):  # to try something on a few of them
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
    def split(cls, data: Dataset, count: int) -> Shards:
        """Cut a Dataset into shards of equal size, or nearly so.

        Parameters
        ----------
        data : Dataset
            n samples, in memory. The workers are sent their shards once for each run.
        count : int
            How many shards, from 1 to n.

        Returns
        -------
        Shards

        Examples
        --------
        >>> from perceptron_notes.datasets import xor
        >>> from perceptron_notes.scale import Shards
        >>> Shards.split(xor(), 3)
        Shards(n=4, d=2: 3 of 1 to 2)
        """
        cuts, found = _bounds(check_dataset(data).n, count), []
        for k, (a, b) in enumerate(pairwise(cuts)):
            X, y = data.X[a:b], data.y[a:b]
            rows = Rows(bare(X, y, data.intercept, largest_size(X)), f"shard {k}")
            found.append((rows, b - a, data.d))
        return _assembled(found, data.intercept)

    @classmethod
    def from_npy(
        cls,
        X: str | os.PathLike[str],
        y: str | os.PathLike[str],
        count: int = 1,
        *,
        intercept: bool = True,
        positive: Any = None,
        on: Any = None,
    ) -> Shards:
        """Cut two ``.npy`` files into shards of equal size, or nearly so.

        Parameters
        ----------
        X, y : path
            Points of shape (n, d) and labels of shape (n,), as `numpy.save` writes them, of any
            real type. They are read in blocks, never as a whole.
        count : int
            How many shards, from 1 to n.
        intercept : bool
            Whether the samples get a leading 1.
        positive : object, optional
            The label that is +1; all others are −1. It must occur. Without it labels must be −1 or
            +1.
        on : None, distributed.Client, str or Place, optional
            Where the files are looked at now, as for `at`. Whoever uses the shards later must find
            them at the same path.

        Returns
        -------
        Shards

        Raises
        ------
        TypeError, ValueError
            If a file is not such an array, is truncated, or does not fit the other.
        """
        paths = _absolute(X), _absolute(y)
        with at(on) as place:
            whole = place.run(_look_at, *paths, positive)
        found = [
            (replace(whole, start=a, stop=b), b - a, whole.X.shape[1])
            for a, b in pairwise(_bounds(whole.stop, count, f"{paths[0]} has"))
        ]
        return _assembled(found, intercept)

    @classmethod
    def from_folder(
        cls,
        path: str | os.PathLike[str],
        *,
        label: str = "label",
        intercept: bool = True,
        positive: Any = None,
        on: Any = None,
    ) -> Shards:
        """Take every file of a folder as a shard, in the order of their names.

        Of more than a hundred, small ones are taken together: up to a block of 2 MB, or to a
        hundredth of all data if that is less.

        Parameters
        ----------
        path : path
            A folder with Parquet files (``.parquet``), with ``.npz`` files that hold ``X`` and
            ``y``, or with pairs of ``.npy`` files whose names are the same except that one has an
            ``X`` where the other has a ``y``: ``X-3.npy`` and ``y-3.npy``. Folders in it are looked
            through too. Other files are ignored, and so is what begins with a dot or an underscore.
            Reading Parquet takes about 3 MB for each column, however large its row groups are.
        label : str
            The column of labels, for Parquet; all others are coordinates, but for a pandas index.
        intercept, positive, on
            As for `from_npy`.

        Returns
        -------
        Shards

        Raises
        ------
        TypeError, ValueError
            If a file is not as it should be, or is unlike the others; it says which file and why.
        """
        with at(on) as place:
            found = place.run(_look_around, _absolute(path), label, positive)
        for name in sorted({name for source, _, _ in found for name in source.left_out}):
            warnings.warn(
                f"{path}: {name!r} is the index of a pandas table; left out", stacklevel=2
            )
        return _assembled(found, intercept)

    @classmethod
    def from_dask(
        cls,
        X: Any,
        y: Any,
        *,
        intercept: bool = True,
        positive: Any = None,
        on: Any = None,
    ) -> Shards:
        """Take every partition of a Dask array or DataFrame as a shard; nothing is gathered.

        Parameters
        ----------
        X : dask.array.Array of shape (n, d), or dask.dataframe.DataFrame
            The points.
        y : array, Series, or str
            The labels, in the same partitions as `X`; or the name of their column in `X`.
        intercept, positive
            As for `from_npy`.
        on : None, distributed.Client, str or Place, optional
            Where the rows are counted if Dask does not know the sizes of the partitions, and where
            `positive` is looked for.

        Returns
        -------
        Shards
            On a cluster a partition is computed once for each run and stays with its worker; in
            this process it is computed again each time, so that not all need fit into memory.

        Raises
        ------
        TypeError
            If `X` is not from Dask, or if a column does not hold real numbers.
        ValueError
            If the shapes do not fit.
        """
        try:
            from dask import delayed
        except ImportError:
            raise lacking("dask") from None
        points, labels, sizes, d = _divided(X, y)
        tasks = [
            delayed(partition)(f"partition {k}", one, other, intercept, positive)
            for k, (one, other) in enumerate(zip(points, labels, strict=True))
        ]
        if positive is not None or any(isnan(size) for size in sizes):
            with at(on) as place:
                counts = _answers([delayed(_counted)(one, positive) for one in labels], place)
            sizes = [size for size, _, _ in counts]
            if positive is not None and not any(occurs for _, occurs, _ in counts):
                raise ValueError(
                    never(positive, list({x: None for *_, some in counts for x in some}))
                )
        # An empty partition is no Dataset; its task is never run.
        found = [(Partition(task), int(k), d) for task, k in zip(tasks, sizes, strict=True)]
        return _assembled(found, check_flag(intercept, "intercept"))

    @classmethod
    def generate(
        cls,
        make: Callable[[Any], Any],
        seeds: Iterable[Any],
        *,
        shape: tuple[int, int] | None = None,
        intercept: bool = True,
        on: Any = None,
    ) -> Shards:
        """Have the samples made where they are used, a shard for each seed.

        Parameters
        ----------
        make : callable
            ``make(seed)`` returns a Dataset, or points and labels; always the same for a seed.
        seeds : iterable
            A seed for each shard.
        shape : (n, d), optional
            How many samples each shard has, and how many coordinates a point has. Without it
            every shard is made once, only to find out.
        intercept : bool
            Whether points that `make` returns get a leading 1.
        on : None, distributed.Client, str or Place, optional
            Where they are made to find out their shape.

        Returns
        -------
        Shards

        Raises
        ------
        TypeError, ValueError
            If `make` returns anything else.

        Examples
        --------
        >>> import numpy as np
        >>> from perceptron_notes.datasets import halfspaces
        >>> from perceptron_notes.scale import Shards
        >>> make = lambda seed: halfspaces(100, 2, distance=0.1, rng=np.random.default_rng(seed))
        >>> Shards.generate(make, range(3))
        Shards(n=300, d=2: 3 of 100)
        """
        if not callable(make):
            raise TypeError(f"make is {make!r}; expected a function of a seed")
        each_seed = check_several(seeds, "seeds", "one for each shard")
        sources = [Made(make, seed, check_flag(intercept, "intercept")) for seed in each_seed]
        if shape is not None:
            if len(given := check_several(shape, "shape", "(n, d)")) != 2:
                raise ValueError(f"shape is {shape}; expected (n, d)")
            rows, d = (check_count(k, f"shape[{j}]", least=1) for j, k in enumerate(given))
            return _assembled([(source, rows, d) for source in sources], intercept)
        with at(on) as place:
            parts = [Shard(k, 0, 1, 1, intercept, source) for k, source in enumerate(sources)]
            seen = place.each(_seen_by, parts)
        found = [(source, n, d) for source, (n, d, _) in zip(sources, seen, strict=True)]
        return _assembled(found, seen[0][2] if seen else intercept)


def check_shards(shards: Shards) -> Shards:
    """Return `shards` itself, if it is Shards."""
    check_kind(shards, Shards, "shards", "Shards, such as Shards.split(data, 4)")
    return shards


def in_one(shards: Iterable[Shard]) -> Dataset:
    """Return the samples of some shards as one Dataset."""
    blocks = [block.data for shard in shards for block in shard.blocks()]
    points = np.concatenate([data.points for data in blocks])
    return Dataset(points, np.concatenate([data.y for data in blocks]), blocks[0].intercept)


def _seen_by(shard: Shard) -> tuple[int, int, bool]:
    """Return the shape of a shard that is at hand."""
    data = shard.source.data
    return data.n, data.d, data.intercept


def _absolute(path: str | os.PathLike[str]) -> str:
    """Return the path from the root, so that it does not depend on who uses it."""
    return os.path.abspath(os.fspath(path))


def _bounds(n: int, count: int, who: str = "data has") -> list[int]:
    """Return where to cut n rows into so many parts."""
    if check_count(count, "count", least=1) > n:
        raise ValueError(f"count is {count}, but {who} {n} samples; expected at most {n}")
    return [k * n // count for k in range(count + 1)]


def _assembled(found: Sequence[tuple[Source, int, int]], intercept: bool) -> Shards:
    """Make shards of sources with so many samples and coordinates; leave empty ones out."""
    some, check = [one for one in found if one[1]], check_flag(intercept, "intercept")
    if not some:
        raise ValueError("the shards have no samples at all; expected at least one")
    firsts = accumulate((size for _, size, _ in some), initial=0)
    for source, _, d in some:
        if d != some[0][2]:
            raise ValueError(
                f"{source.named(0)}: {d} coordinates; {some[0][0].named(0)} has {some[0][2]}"
            )
    parts = [
        Shard(number, first, size, d, check, source)
        for number, (first, (source, size, d)) in enumerate(zip(firsts, some, strict=False))
    ]
    return Shards(tuple(parts))


# -------------------------------------------------------------------- what is in a folder


def _look_at(X: str, y: str, positive: Any) -> NumPyFiles:
    """Return two files, if they fit each other."""
    whole = NumPyFiles.look(X, y, None, positive)
    check_positive_occurs([whole])
    return whole


def _look_around(path: str, label: str, positive: Any) -> list[tuple[Source, int, int]]:
    """Return the files of a folder, each with its rows and coordinates."""
    found = _found_in(path, label, positive)
    check_positive_occurs([source for source, _, _ in found])
    return found if len(found) <= _MANY else _grouped(found)


def _grouped(found: list[tuple[Source, int, int]]) -> list[tuple[Source, int, int]]:
    """Take files that follow each other together, up to a block or a hundredth of all data."""
    most = min(_NUMBERS, sum(size * (d + 1) for _, size, d in found) // _MANY)
    groups, room = list[list[tuple[Source, int, int]]](), 0
    for one in found:
        _, size, d = one
        room -= size * (d + 1)
        if not groups or room < 0 or d != groups[-1][0][2]:
            groups.append([])
            room = most - size * (d + 1)
        groups[-1].append(one)
    return [_several(group) for group in groups]


def _several(group: list[tuple[Source, int, int]]) -> tuple[Source, int, int]:
    """Return files as one source, with their rows and coordinates."""
    first, _, d = group[0]
    files = tuple((source, size) for source, size, _ in group)
    return Several(files, first.positive, first.left_out), sum(size for _, size in files), d


def _found_in(path: str, label: str, positive: Any) -> list[tuple[Source, int, int]]:
    """Return the files of a folder and those below it, in the order of their names."""
    files = [
        file
        for file in (Path(path).rglob("*") if os.path.isdir(path) else Path(path).iterdir())
        if file.is_file() and not any(s[0] in "._" for s in file.relative_to(path).parts)
    ]
    files = sorted(files)
    kinds = {kind: [f for f in files if f.suffix == kind] for kind in (".parquet", ".npz", ".npy")}
    kinds = {kind: some for kind, some in kinds.items() if some}
    if len(kinds) != 1:
        has = f"files of {len(kinds)} kinds: {', '.join(kinds)}" if kinds else "no such file"
        raise ValueError(f"{path} has {has}; expected .parquet, .npz or .npy files, of one kind")
    ((kind, files),) = kinds.items()
    for file in files:
        if "=" in str(file.relative_to(path).parent):
            raise ValueError(
                f"{file.parent} has a column in its name, which its files lack; write it into them"
            )
    if kind == ".parquet":
        tables = [Parquet.look(str(file), label, positive) for file in files]
        return [(_alike(table, tables[0]), table.size, len(table.columns)) for table in tables]
    if kind == ".npz":
        both = [NumPyFiles.look(str(file), str(file), ("X", "y"), positive) for file in files]
    else:
        both = [NumPyFiles.look(X, y, None, positive) for X, y in _pairs(files)]
    return [(source, source.stop, source.X.shape[1]) for source in both]


def _alike(table: Parquet, model: Parquet) -> Parquet:
    """Return a table with its columns in the order of the first one, if they are the same."""
    if sorted(table.columns) != sorted(model.columns):
        others = ", ".join(sorted(set(table.columns) ^ set(model.columns)))
        raise ValueError(
            f"{table.path} has not the columns of {model.path}; they differ in {others}"
        )
    return replace(table, columns=model.columns)


def _pairs(files: Sequence[Path]) -> list[tuple[str, str]]:
    """Return the files of points, each with that of its labels."""
    found, taken, there = [], set[Path](), set(files)
    for file in files:
        for k, letter in enumerate(file.stem):
            partner = file.with_name(f"{file.name[:k]}y{file.name[k + 1 :]}")
            if letter == "X" and partner in there:
                found.append((str(file), str(partner)))
                taken |= {file, partner}
    for file in files:
        if file not in taken:
            raise ValueError(f"{file} has no partner; expected X….npy with y….npy")
    return found


# ------------------------------------------------------------------- what Dask has of them


def _divided(X: Any, y: Any) -> tuple[list[Any], list[Any], list[float], int]:
    """Return the partitions of points and labels, as delayed; their sizes or NaN; and d."""
    if hasattr(X, "columns"):
        points = X.drop(columns=[y]) if isinstance(y, str) else X
        labels = X[y] if isinstance(y, str) else y
        for name, dtype in points.dtypes.items():
            if getattr(dtype, "kind", "O") not in "buif":
                raise TypeError(f"column {name!r} is {dtype}; expected real numbers")
        one, other = points.to_delayed(), labels.to_delayed()
        sizes, d = [float("nan")] * len(one), len(points.columns)
    elif hasattr(X, "chunks"):
        if X.ndim != 2 or not hasattr(y, "chunks") or y.ndim != 1:
            raise ValueError("X and y have other shapes; expected Dask arrays (n, d) and (n,)")
        if X.numblocks[1] != 1:
            X = X.rechunk({1: -1})
        sizes, d = list(X.chunks[0]), X.shape[1]
        if not any(map(isnan, (*sizes, *y.chunks[0]))):
            if y.shape != X.shape[:1]:
                raise ValueError(f"y has shape {y.shape}; expected {X.shape[:1]}")
            y = y.rechunk((X.chunks[0],))
        one, other = X.to_delayed().ravel().tolist(), y.to_delayed().ravel().tolist()
    else:
        raise TypeError(f"X is {kind_of(X)}; expected a Dask array or DataFrame, Dataset has split")
    if len(one) != len(other):
        raise ValueError(f"y has {len(other)} partitions; expected {len(one)}, those of X")
    return list(one), list(other), sizes, d


def _counted(labels: Any, positive: Any) -> tuple[int, bool, list[Any]]:
    """Return how many rows a partition has, whether a label occurs in it, and some that do."""
    found = labels.to_numpy() if hasattr(labels, "to_numpy") else np.asarray(labels)
    occurs = positive is not None and bool(np.any(signs(found, positive) > 0))
    return len(found), occurs, list(dict.fromkeys(found[:1000].tolist()))[:5]


def _answers(tasks: list[Any], place: Any) -> list[Any]:
    """Return the answers of tasks of Dask."""
    if isinstance(place, There):
        return place.answers(place.client.compute(tasks))
    import dask

    return list(dask.compute(*tasks))
