"""Where the samples of a shard come from: memory, a Dask collection, or a Parquet file.

A source is small and can be pickled: a description. Its samples come as Datasets of some rows
each, checked. What is costly to send or to compute is kept by a worker.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import accumulate, count
from typing import Any, TypeAlias
from uuid import uuid4
from zlib import crc32

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.validation import LARGEST, largest_size
from perceptron_notes._kit.values import Array, Labels
from perceptron_notes.data import Dataset, bare
from perceptron_notes.scale.cluster import lacking

#: A block that is read has about so many numbers: 2 MB, which stay in a processor's cache.
_NUMBERS = 1 << 18
#: How files here are read: page after page, so that a row group may be larger than the memory.
#: More threads would each keep pages of their own, and win no time. Elsewhere each request takes
#: long, so the columns of a row group are asked for at once.
_BOUNDED = {"pre_buffer": False, "buffer_size": 1 << 16, "page_checksum_verification": True}
_AT_ONCE = {"pre_buffer": True, "page_checksum_verification": True}
#: How many bytes at the end of a file are compared.
_TAIL = 4096
_HINT = "positive= says which one is +1"
Columns: TypeAlias = tuple[str, ...]


# ------------------------------------------------------------------------ memory and Dask


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


@dataclass(frozen=True)
class Computed:
    """A partition of a Dask collection: a task that computes its `Rows`."""

    name: str
    task: Any

    def datasets(self, rows: int | None) -> Iterator[Dataset]:
        """Compute the samples, each time anew, so that not all need fit into memory."""
        yield from self.task.compute().datasets(rows)

    def sent(self, client: Any) -> Any:
        """Have a worker compute and keep them."""
        return client.compute(self.task)


def computed(name: str, points: Any, labels: Any, intercept: bool, positive: Any) -> Rows:
    """Return the samples of a partition, checked where they are."""
    y = _signs(np.asarray(labels), positive, name, 0)
    try:
        return Rows(name, Dataset(np.asarray(points), y, intercept))
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None


# --------------------------------------------------------------------------------- labels


def _signs(labels: npt.NDArray[Any], positive: Any, name: str, first: int) -> Labels:
    """Return labels −1 and +1; an error names the first other one, its row counted from `first`."""
    if positive is not None:
        for i, label in enumerate(labels.tolist(), start=first):
            if label is None or label != label:
                raise ValueError(f"{name}, row {i}: the label is missing")
        return np.where(labels == positive, 1, -1).astype(np.intp)
    if labels.dtype.kind not in "buif":
        raise TypeError(f"{name}: the labels are {labels.dtype}; expected -1 and +1; {_HINT}")
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


# -------------------------------------------------------------------------------- Parquet


@dataclass(frozen=True)
class Parquet:
    """A row group of a Parquet file: a column of labels, others are coordinates."""

    name: str  # the path of the file, or an address that fsspec understands
    group: int
    first: int  # where it begins among the rows of the file
    size: int
    label: str
    columns: Columns
    stamp: tuple[Any, ...]
    intercept: bool
    positive: Any
    left_out: Columns

    @classmethod
    def look(
        cls, path: str, label: str, wanted: Columns | None, intercept: bool, positive: Any
    ) -> list[Parquet]:
        """Return the row groups of a file, if its columns can be coordinates."""
        stamp = _stamp(path)
        with _opened(path) as file:
            schema, about = file.schema_arrow, file.metadata
        for name in {label, *(wanted or ())}.difference(schema.names):
            raise ValueError(f"{path} has no column {name!r}; it has {', '.join(schema.names)}")
        for name in schema.names:
            if schema.names.count(name) > 1:
                raise ValueError(f"{path} has several columns {name!r}; expected one of each name")
        index = (schema.pandas_metadata or {}).get("index_columns", ())
        others = [name for name in schema.names if name != label]
        left_out = tuple(x for x in others if x in index or x.startswith("__index_level_"))
        columns = tuple(name for name in others if name not in left_out)
        if wanted is not None:
            columns, left_out = wanted, ()
        if not columns:
            raise ValueError(f"{path} has no column beside {label!r}; expected coordinates")
        for name in (*columns, *((label,) if positive is None else ())):
            kind = schema.field(name).type
            if not _is_number(kind):
                hint = f"; {_HINT}" if name == label else ""
                expected = f"expected integers, floats or booleans{hint}"
                raise TypeError(f"{path}: column {name!r} is {kind}; {expected}")
        sizes = [about.row_group(k).num_rows for k in range(about.num_row_groups)] or [0]
        groups = zip(count(), accumulate(sizes, initial=0), sizes, strict=False)
        return [
            cls(path, *group, label, columns, stamp, intercept, positive, left_out)
            for group in groups
        ]

    def datasets(self, rows: int | None) -> Iterator[Dataset]:
        """Read the samples, some 2 MB at a time; a thread is always one block ahead."""
        return _ahead(self.read(rows or _NUMBERS // (len(self.columns) + 1) + 1))

    def sent(self, client: Any) -> None:
        """Send nothing: a worker reads the file each time anew."""

    def read(self, rows: int) -> Iterator[Dataset]:
        """Read the samples, if the file is what it was, before and after."""
        done, columns = self.first, [*self.columns, self.label]
        self.check_stamp()
        with _opened(self.name) as file:
            for batch in file.iter_batches(rows, [self.group], columns, use_threads=False):
                if batch.num_rows:
                    yield self.checked(batch, done)
                done += batch.num_rows
        self.check_stamp()

    def labels(self) -> Iterator[npt.NDArray[Any]]:
        """Yield the labels alone."""
        with _opened(self.name) as file:
            for batch in file.iter_batches(_NUMBERS, [self.group], [self.label]):
                yield self.column(batch, self.label, 0)

    def checked(self, batch: Any, done: int) -> Dataset:
        """Return some rows as samples; `done` came before."""
        X, reach = np.ones((batch.num_rows, len(self.columns) + self.intercept)), 1.0
        for j, name in enumerate(self.columns, start=int(self.intercept)):
            column = self.column(batch, name, done)
            floats = X[:, j] = column.astype(np.float64, copy=False)
            reach = max(reach, size := largest_size(floats))
            if not size <= LARGEST:
                k = int(np.argmax(~(np.abs(floats) <= LARGEST)))
                expected = f"expected a finite number of size at most {LARGEST:g}"
                raise ValueError(f"{self.name}, row {done + k}: {name} is {floats[k]}; {expected}")
            if size >= 2.0**53 and column.dtype.kind in "iu":
                self.check_whole(column, floats, name, done)
        y = _signs(self.column(batch, self.label, done), self.positive, self.name, done)
        return bare(X, y, self.intercept, reach)

    def check_whole(self, column: npt.NDArray[Any], floats: Array, name: str, done: int) -> None:
        """Raise an error if float64 does not hold a whole number."""
        for k, (given, got) in enumerate(zip(column.tolist(), floats.tolist(), strict=True)):
            if given != got:
                place = f"{self.name}, row {done + k}"
                raise ValueError(f"{place}: {name} is {given}; float64 does not hold it")

    def column(self, batch: Any, name: str, done: int) -> npt.NDArray[Any]:
        """Return a column of some rows, if none of it is missing."""
        column = batch.column(name)
        if column.null_count:
            row = done + column.is_null().to_pylist().index(True)
            raise ValueError(f"{self.name}, row {row}: {name} is missing; expected a number")
        if not _is_number(column.type) or str(column.type) == "bool":
            array: npt.NDArray[Any] = column.to_numpy(zero_copy_only=False)
            return array
        # to_numpy would load pandas first, 50 MB
        kind = np.dtype(column.type.to_pandas_dtype())
        return np.frombuffer(column.buffers()[1], kind, len(column), column.offset * kind.itemsize)

    def check_stamp(self) -> None:
        """Raise an error if the file is no longer what it was when it was looked at."""
        if _stamp(self.name) != self.stamp:
            raise ValueError(
                f"{self.name} has changed since the shards were made; make them anew. A copy on "
                "another machine must keep its time: cp -p, rsync -t"
            )


#: Where samples come from.
Source: TypeAlias = Rows | Computed | Parquet


def _is_number(kind: Any) -> bool:
    """Tell whether a type of Arrow is a real number."""
    from pyarrow import types

    usable = (types.is_integer, types.is_floating, types.is_boolean)
    return any(fits(kind) for fits in usable)


def filesystem(path: str) -> tuple[Any, str]:
    """Return the file system on which a path or an address is, and what it is called there."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise lacking("fsspec") from None
    found: tuple[Any, str] = url_to_fs(path)
    return found


def _stamp(path: str) -> tuple[Any, ...]:
    """Return a file's size and its ETag; or when it was written, and a checksum of its end."""
    files, inner = filesystem(path)
    files.invalidate_cache()  # what was listed before need not be so any longer
    info = files.info(inner)
    if "ETag" in info:
        return info["size"], info["ETag"]
    return info["size"], files.modified(inner), crc32(files.tail(inner, _TAIL))


@contextmanager
def _opened(path: str) -> Iterator[Any]:
    """Open a Parquet file, or raise an error that says what it is not."""
    files, inner = filesystem(path)
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise lacking("pyarrow") from None
    try:
        here = "://" not in path
        source = nullcontext(inner) if here else files.open(inner, cache_type="none")
        with source as some, pq.ParquetFile(some, **(_BOUNDED if here else _AT_ONCE)) as file:
            yield file
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError) as error:
        why = " ".join(str(error).split())
        raise ValueError(f"{path} is no Parquet file, or damaged: {why}") from None


def _ahead(blocks: Iterator[Dataset]) -> Iterator[Dataset]:
    """Yield the same blocks; a thread is always one ahead."""
    with ThreadPoolExecutor(1, "read ahead") as thread:
        try:
            coming = thread.submit(next, blocks, None)
            while (block := coming.result()) is not None:
                coming = thread.submit(next, blocks, None)
                yield block
        finally:
            thread.submit(blocks.close)  # type: ignore[attr-defined]
