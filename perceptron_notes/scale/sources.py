"""Where the samples of a shard come from, a few at a time.

A source is small and can be pickled: a description. Files have `pieces`, points and labels as they
stand there; `shards` checks them. What is costly to send or to make is `settled` once, on the
worker that keeps it: as `Rows`, in memory and checked.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import IO, Any, ClassVar
from zlib import crc32

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.validation import kind_of, largest_size
from perceptron_notes._kit.values import Array
from perceptron_notes.data import Dataset
from perceptron_notes.scale.cluster import lacking

__all__ = [
    "ArrayFile",
    "Made",
    "NumPyFiles",
    "Parquet",
    "Partition",
    "Piece",
    "Rows",
    "Several",
    "Source",
    "partition",
    "signs",
]

Piece = tuple[npt.NDArray[Any], npt.NDArray[Any]]
#: A piece of a NumPy file has about so many numbers at most.
_NUMBERS = 1 << 18
#: How Parquet files are read: page after page, so that a row group may be larger than the memory.
#: More threads would each keep pages of their own, and win no time.
_BOUNDED = {
    "memory_map": False,
    "pre_buffer": False,
    "buffer_size": 1 << 14,
    "page_checksum_verification": True,
}
#: How many bytes at either end of a file are compared.
_EDGE = 4096
_HINT = "positive= says which one is +1"


class Source:
    """A description of samples: of where they are kept, and of what may be done with them.

    `kept_here` and `kept_there` say whether this process, or a worker, keeps the samples from one
    time to the next; `can_travel`, whether another worker can have them without the one that keeps
    them: if not, a `task` of Dask makes them. The label `positive` is +1, and all others are −1.
    """

    kept_here: ClassVar[bool] = False
    kept_there: ClassVar[bool] = False
    can_travel: ClassVar[bool] = True
    positive: Any = None
    name: Any = ""
    left_out: tuple[str, ...] = ()

    def settled(self) -> Source:
        """Return the source with its samples at hand."""
        return self

    def named(self, row: int) -> str:
        """Return what a row is called in an error."""
        return f"{self.name}, row {row}"


# --------------------------------------------------------------------------------- memory


@dataclass(frozen=True)
class Rows(Source):
    """Samples in memory."""

    data: Dataset
    name: str

    kept_there: ClassVar[bool] = True

    def __sizeof__(self) -> int:
        """Return the bytes of the samples: Dask weighs by it what to move to another worker."""
        return self.data.X.nbytes + self.data.y.nbytes


@dataclass(frozen=True)
class Made(Source):
    """Samples that a function makes of a seed, wherever they are needed."""

    make: Callable[[Any], Any]
    seed: Any
    intercept: bool

    kept_here: ClassVar[bool] = True
    kept_there: ClassVar[bool] = True

    def settled(self) -> Rows:
        """Make the samples."""
        made, name = self.make(self.seed), self.name
        if isinstance(made, Dataset):
            return Rows(made, name)
        try:
            points, labels = made
        except (TypeError, ValueError):
            raise TypeError(
                f"{name} is {kind_of(made)}; expected a Dataset, or points, labels"
            ) from None
        return Rows(_in_words(name, points, labels, self.intercept), name)

    @property
    def name(self) -> str:
        """What it is called in an error."""
        return f"make({self.seed!r})"


@dataclass(frozen=True)
class Partition(Source):
    """A partition of a Dask collection: a task that makes `Rows`."""

    task: Any

    kept_there: ClassVar[bool] = True
    can_travel: ClassVar[bool] = False

    def settled(self) -> Rows:
        """Compute the samples."""
        rows: Rows = self.task.compute()
        return rows

    def named(self, row: int) -> str:
        """Return what a row is called in an error."""
        return f"row {row}"


def _in_words(name: str, points: Any, labels: Any, intercept: bool) -> Dataset:
    """Make a Dataset; an error says whose it is."""
    try:
        return Dataset(points, labels, intercept)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None


def partition(name: str, points: Any, labels: Any, intercept: bool, positive: Any) -> Rows:
    """Return the samples of a partition, checked where they are."""
    points = points.to_numpy() if hasattr(points, "to_numpy") else np.asarray(points)
    labels = labels.to_numpy() if hasattr(labels, "to_numpy") else np.asarray(labels)
    return Rows(_in_words(name, points, signs(labels, positive), intercept), name)


def signs(labels: npt.NDArray[Any], positive: Any) -> npt.NDArray[Any]:
    """Return the labels as they are, or +1 for one of them and −1 for all others."""
    if isinstance(positive, str) and labels.dtype.kind in "buif":
        raise TypeError(f"positive is {positive!r}, but the labels are numbers, {labels.dtype}")
    return labels if positive is None else np.where(labels == positive, 1, -1)


def check_positive_occurs(sources: Sequence[Any]) -> None:
    """Raise an error if the label that is to be +1 occurs nowhere; the first one is enough."""
    positive, seen = sources[0].positive if sources else None, dict[Any, None]()
    for source in sources if positive is not None else ():
        for labels in source.labels():
            if np.any(signs(labels, positive) > 0):
                return
            seen |= dict.fromkeys(labels[:_EDGE].tolist())
    if seen:
        raise ValueError(never(positive, list(seen)))


def never(positive: Any, seen: Sequence[Any]) -> str:
    """Return what to say of a label that occurs nowhere."""
    some = ", ".join(repr(label) for label in seen[:4]) + ", …" * (len(seen) > 4)
    return f"positive is {positive!r}, which no label is; the labels are {some}"


# ------------------------------------------------------------------------------ NumPy files


def stamp(path: str) -> tuple[int, int, int]:
    """Return a file's size, its time of change, and a checksum of its beginning and end.

    What describes the numbers is there, in files of every kind.
    """
    with open(path, "rb", buffering=0) as file:
        said = os.fstat(file.fileno())
        edges = file.read(_EDGE)
        file.seek(max(0, said.st_size - _EDGE))
        return said.st_size, said.st_mtime_ns, crc32(file.read(_EDGE), crc32(edges))


def check_stamp(path: str, known: tuple[int, int, int]) -> None:
    """Raise an error if a file is no longer what it was when it was looked at."""
    if (now := stamp(path)) != known:
        has, had = now[0], known[0]
        how = (
            f"it has {has} bytes, and had {had}" if has != had else "same size, other time or head"
        )
        raise ValueError(
            f"{path} has changed since the shards were made ({how}); make them anew. A copy on "
            "another machine must keep its time: cp -p, rsync -t"
        )


def rounded(given: npt.NDArray[Any], floats: Array) -> npt.NDArray[np.intp]:
    """Return the indices of the numbers that float64 does not hold, a row for each."""
    some = given.dtype.itemsize > 8 or (given.dtype.kind in "iu" and given.dtype.itemsize == 8)
    if not (some and given.size and (given.dtype.kind == "f" or largest_size(floats) >= 2.0**53)):
        return np.empty((0, given.ndim), dtype=np.intp)
    with np.errstate(invalid="ignore"):  # 2**63 is no int64
        return np.argwhere(floats.astype(given.dtype) != given)


@dataclass(frozen=True)
class ArrayFile:
    """An array in a ``.npy`` file, or in a member of an ``.npz`` file.

    It is read, not mapped: what a map has touched counts as memory of the process, which is
    limited.
    """

    path: str
    member: str | None
    shape: tuple[int, ...]
    columnwise: bool
    dtype: str
    offset: int
    stamp: tuple[int, int, int]

    @property
    def name(self) -> str:
        """What it is called in an error."""
        return self.path if self.member is None else f"{self.path}:{self.member}"

    @classmethod
    def look(cls, path: str, member: str | None = None, text: str = "") -> ArrayFile:
        """Read what is said at its beginning, and see that it is all there; `text` is a hint."""
        known, name = stamp(path), path if member is None else f"{path}:{member}"
        read = {(1, 0): np.lib.format.read_array_header_1_0}
        read[2, 0] = np.lib.format.read_array_header_2_0
        with _opened(path, member) as stream:
            try:
                version = np.lib.format.read_magic(stream)
                shape, columnwise, dtype = read[version](stream)
            except (ValueError, KeyError, EOFError) as error:
                raise ValueError(f"{name} is no .npy array: {error}") from None
            offset = stream.tell()
        if dtype.kind not in "buif" and (dtype.kind not in "US" or text != "names"):
            hint = f"; {text}" if dtype.kind in "US" else ""
            raise TypeError(f"{name} has dtype {dtype}; expected real numbers{hint}")
        found = cls(path, member, shape, columnwise and len(shape) > 1, dtype.str, offset, known)
        size, has = offset + prod(shape) * dtype.itemsize, _length(path, member)
        if has < size:
            raise ValueError(f"{name} has {has} bytes; expected {size}: it is truncated")
        if found.columnwise and member is not None:
            raise ValueError(
                f"{name} is stored column by column; np.ascontiguousarray makes it rows"
            )
        return found

    def pieces(self, start: int, stop: int, rows: int) -> Iterator[npt.NDArray[Any]]:
        """Yield the rows from start to stop, so many at a time, in an array that is used again."""
        dtype, (n, *rest) = np.dtype(self.dtype), self.shape
        row, room = prod(rest), np.empty((rows, *rest), dtype=dtype)
        check_stamp(self.path, self.stamp)
        with _opened(self.path, self.member) as stream:
            if not self.columnwise:
                stream.seek(self.offset + start * row * dtype.itemsize)
            for a in range(start, stop, rows):
                k = min(rows, stop - a)
                piece = room[:k]
                if not self.columnwise:
                    self.fill(stream, piece.reshape(-1), a)
                else:
                    for j in range(row):
                        stream.seek(self.offset + (j * n + a) * dtype.itemsize)
                        column = np.empty(k, dtype=dtype)
                        self.fill(stream, column, a)
                        piece[:, j] = column
                yield piece
        check_stamp(self.path, self.stamp)  # or it was written while it was read

    def fill(self, stream: IO[bytes], numbers: npt.NDArray[Any], a: int) -> None:
        """Read so many numbers, or say from which row on the file ends."""
        wanted = numbers.view(np.uint8).data
        got = 0
        while got < len(wanted):
            more: int = stream.readinto(wanted[got:])  # type: ignore[attr-defined]
            if not more:
                raise ValueError(f"{self.name} ends within the rows from {a} on: it is truncated")
            got += more


@contextmanager
def _opened(path: str, member: str | None) -> Iterator[IO[bytes]]:
    """Open a file, or a member of an archive."""
    if member is None:
        with open(path, "rb", buffering=0) as stream:
            yield stream
        return
    with _archive(path) as files:
        if f"{member}.npy" not in (names := files.namelist()):
            has = ", ".join(name.removesuffix(".npy") for name in names)
            raise ValueError(f"{path} has no array {member!r}; it has {has or 'none'}")
        with files.open(f"{member}.npy") as packed:
            yield packed


@contextmanager
def _archive(path: str) -> Iterator[zipfile.ZipFile]:
    """Open an ``.npz`` file."""
    try:
        with zipfile.ZipFile(path) as files:
            yield files
    except (zipfile.BadZipFile, EOFError) as error:
        raise ValueError(f"{path} is no .npz file, or damaged: {error}") from None


def _length(path: str, member: str | None) -> int:
    """Return how many bytes there are."""
    if member is None:
        return os.path.getsize(path)
    with _archive(path) as files:
        return files.getinfo(f"{member}.npy").file_size


@dataclass(frozen=True)
class NumPyFiles(Source):
    """The rows from start to stop of two arrays in files: points and labels."""

    X: ArrayFile
    y: ArrayFile
    start: int
    stop: int
    positive: Any = None

    def pieces(self, rows: int) -> Iterator[Piece]:
        """Yield points and labels, so many rows at a time; used before the next ones come."""
        rows = min(rows, _NUMBERS // self.X.shape[1] + 1, self.stop - self.start)
        X = self.X.pieces(self.start, self.stop, rows)
        y = self.y.pieces(self.start, self.stop, rows)
        yield from zip(X, y, strict=True)

    def labels(self) -> Iterator[npt.NDArray[Any]]:
        """Yield the labels alone."""
        return self.y.pieces(self.start, self.stop, min(_NUMBERS, self.stop - self.start))

    def named(self, row: int) -> str:
        """Return what a row is called in an error."""
        return f"{self.X.name} with {Path(self.y.name).name}, row {self.start + row}"

    @classmethod
    def look(cls, X: str, y: str, member: tuple[str, str] | None, positive: Any) -> NumPyFiles:
        """Return both files, all rows, if they fit each other."""
        points = ArrayFile.look(X, member and member[0])
        labels = ArrayFile.look(y, member and member[1], _HINT if positive is None else "names")
        if len(points.shape) != 2 or points.shape[1] == 0:
            raise ValueError(f"{points.name} has shape {points.shape}; expected (n, d)")
        if labels.shape != points.shape[:1]:
            shape = points.shape[:1]
            raise ValueError(f"{labels.name} has shape {labels.shape}; expected {shape}")
        return cls(points, labels, 0, points.shape[0], positive)


# --------------------------------------------------------------------------------- Parquet


@dataclass(frozen=True)
class Parquet(Source):
    """A Parquet file: a column of labels, all others are coordinates."""

    path: str
    label: str
    columns: tuple[str, ...]
    size: int
    stamp: tuple[int, int, int]
    positive: Any = None
    left_out: tuple[str, ...] = ()

    @classmethod
    def look(cls, path: str, label: str, positive: Any) -> Parquet:
        """Return what its columns are, if they can be coordinates."""
        known = stamp(path)
        with _parquet(path) as file:
            schema, size = file.schema_arrow, file.metadata.num_rows
        import pyarrow as pa

        if label not in schema.names:
            raise ValueError(f"{path} has no column {label!r}; it has {', '.join(schema.names)}")
        for name in schema.names:
            if schema.names.count(name) > 1:
                raise ValueError(f"{path} has several columns {name!r}; expected one of each name")
        index = (schema.pandas_metadata or {}).get("index_columns", ())
        left_out = tuple(
            name
            for name in schema.names
            if name != label and (name in index or name.startswith("__index_level_"))
        )
        columns = tuple(name for name in schema.names if name not in (label, *left_out))
        if not columns:
            raise ValueError(f"{path} has no column beside {label!r}; expected coordinates")
        usable = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean)
        for name in (*columns, *((label,) if positive is None else ())):
            kind = schema.field(name).type
            if not any(fits(kind) for fits in usable):
                hint = f"; {_HINT}" if name == label else ""
                raise TypeError(f"{path}: column {name!r} is {kind}; expected real numbers{hint}")
        return cls(path, label, columns, size, known, positive, left_out)

    def pieces(self, rows: int) -> Iterator[Piece]:
        """Yield points and labels, so many rows at a time; used before the next ones come."""
        done, columns = 0, [*self.columns, self.label]
        check_stamp(self.path, self.stamp)
        with _parquet(self.path) as file:
            for batch in file.iter_batches(rows, columns=columns, use_threads=False):
                if batch.num_rows:
                    yield self.matrix(batch, done), self.column(batch, self.label, done)
                done += batch.num_rows
        check_stamp(self.path, self.stamp)

    def labels(self) -> Iterator[npt.NDArray[Any]]:
        """Yield the labels alone."""
        with _parquet(self.path) as file:
            for batch in file.iter_batches(_NUMBERS, columns=[self.label]):
                yield self.column(batch, self.label, 0)

    def matrix(self, batch: Any, done: int) -> npt.NDArray[np.float64]:
        """Return the coordinates of some rows."""
        points = np.empty((batch.num_rows, len(self.columns)))
        for j, name in enumerate(self.columns):
            column = self.column(batch, name, done)
            points[:, j] = column
            for (row,) in rounded(column, points[:, j])[:1].tolist():
                raise ValueError(
                    f"{self.named(done + row)}: {name} is {column[row]}; float64 does not hold it"
                )
        return points

    def column(self, batch: Any, name: str, done: int) -> npt.NDArray[Any]:
        """Return a column of some rows, if none of it is missing."""
        column = batch.column(name)
        if column.null_count:
            row = done + column.is_null().to_pylist().index(True)
            raise ValueError(f"{self.path}, row {row}: {name} is missing; expected a number")
        import pyarrow as pa

        if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
            # to_numpy would load pandas first, 50 MB
            kind = np.dtype(column.type.to_pandas_dtype())
            numbers, start = column.buffers()[1], column.offset * kind.itemsize
            array: npt.NDArray[Any] = np.frombuffer(numbers, kind, len(column), start)
        else:
            array = column.to_numpy(zero_copy_only=False)
        return array

    def named(self, row: int) -> str:
        """Return what a row is called in an error."""
        return f"{self.path}, row {row}"


@contextmanager
def _parquet(path: str) -> Iterator[Any]:
    """Open a Parquet file, or raise an error that says what it is not."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise lacking("pyarrow") from None
    try:
        with pq.ParquetFile(path, **_BOUNDED) as file:
            yield file
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError) as error:
        why = " ".join(str(error).split())
        raise ValueError(f"{path} is no Parquet file, or damaged: {why}") from None


# ------------------------------------------------------------------------------ many files


@dataclass(frozen=True)
class Several(Source):
    """Files that follow each other in one shard, each with its number of rows."""

    files: tuple[tuple[Any, int], ...]
    positive: Any = None
    left_out: tuple[str, ...] = ()

    def pieces(self, rows: int) -> Iterator[Piece]:
        """Yield points and labels, at most so many rows at a time, never of two files."""
        for source, _ in self.files:
            yield from source.pieces(rows)

    def named(self, row: int) -> str:
        """Return what a row is called in an error."""
        for source, size in self.files[:-1]:
            if row < size:
                return str(source.named(row))
            row -= size
        return str(self.files[-1][0].named(row))
