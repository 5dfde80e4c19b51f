"""Samples in Parquet and CSV files, local or at an address; pyarrow lists, opens and reads them."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.validation import LARGEST, largest_size
from perceptron_notes._kit.values import BLOCK, Array, Labels
from perceptron_notes.data import Dataset, bare
from perceptron_notes.scale.cluster import lacking

__all__ = ["File", "absolute", "files_at"]

#: The number of bytes at the end of a file that are compared.
_TAIL = 4096
#: The hint for labels with other values.
_HINT = "positive= says which one is +1"


@dataclass(frozen=True)
class File:
    """A row group of a Parquet file, or a whole CSV file."""

    name: str  # its path, or an address that fsspec understands
    group: int | None  # None for a CSV file
    first: int  # the index of its first row in the file
    size: int
    schema: Any  # the coordinates in their order, and the labels last
    stamp: tuple[Any, ...]
    intercept: bool
    positive: Any

    def datasets(self, rows: int | None) -> Iterator[Dataset]:
        """Yield the samples, some 2 MB at a time; check the file's stamp before and after."""
        names, done = self.schema.names, self.first
        self.check_stamp()
        for batch in self.batches(rows or BLOCK // len(names) + 1, names):
            if batch.num_rows:
                yield self.checked(batch, done)
            done += batch.num_rows
        self.check_stamp()

    def sent(self, client: Any) -> None:
        """Send nothing: a worker reads the file each time."""

    def batches(self, rows: int, names: list[str]) -> Iterator[Any]:
        """Yield some columns, at most `rows` rows at a time.

        The batches of a fragment would hold a whole row group of Parquet, and take three times as
        long for a small one. Local files are read page by page; at an address each request
        takes long, so all columns are requested at once.
        """
        files, inner = _filesystem(self.name)
        from pyarrow.parquet import ParquetFile  # alone: a dataset loads pandas too, 50 MB

        here = "://" not in self.name
        with _named(self.name):
            if self.group is None:
                text = _csv().make_fragment(inner, files)
                yield from text.to_batches(self.schema, names, batch_size=rows, use_threads=False)
                return
            source = inner if here else files.handler.fs.open(inner, cache_type="none")
            how = {"pre_buffer": not here, "buffer_size": here << 16}
            with ParquetFile(source, page_checksum_verification=True, **how) as file:
                yield from file.iter_batches(rows, [self.group], names, use_threads=False)

    def labels(self) -> Iterator[npt.NDArray[Any]]:
        """Yield the labels alone, in batches."""
        label = self.schema.names[-1]
        for batch in self.batches(BLOCK, [label]):
            yield self.column(batch, label, 0)

    def checked(self, batch: Any, done: int) -> Dataset:
        """Return a batch of rows as checked samples; `done` rows came before it."""
        *names, label = self.schema.names
        X, reach = np.ones((batch.num_rows, len(names) + self.intercept)), 1.0
        for j, name in enumerate(names, start=int(self.intercept)):
            column = self.column(batch, name, done)
            floats = X[:, j] = column.astype(np.float64, copy=False)
            reach = max(reach, size := largest_size(floats))
            if not size <= LARGEST:
                k = int(np.argmax(~(np.abs(floats) <= LARGEST)))
                expected = f"expected a finite number of size at most {LARGEST:g}"
                raise ValueError(f"{self.name}, row {done + k}: {name} is {floats[k]}; {expected}")
            if size >= 2.0**53 and column.dtype.kind in "iu":
                self.check_whole(column, floats, name, done)
            elif size >= 2.0**53 and self.group is None:  # CSV yields whole numbers as floats
                raise ValueError(
                    f"{self.name} has {name} of size {size:g}, which float64 may not hold exactly; "
                    "write the table as Parquet"
                )
        y = _signs(self.column(batch, label, done), self.positive, self.name, done)
        return bare(X, y, self.intercept, reach)

    def check_whole(self, column: npt.NDArray[Any], floats: Array, name: str, done: int) -> None:
        """Raise ValueError if float64 cannot represent a whole number."""
        for k, (given, got) in enumerate(zip(column.tolist(), floats.tolist(), strict=True)):
            if given != got:
                place = f"{self.name}, row {done + k}"
                raise ValueError(f"{place}: {name} is {given}; float64 does not hold it")

    def column(self, batch: Any, name: str, done: int) -> npt.NDArray[Any]:
        """Return a column of a batch; raise ValueError if an entry is missing."""
        column = batch.column(name)
        if column.null_count:
            row = done + column.is_null().to_pylist().index(True)
            raise ValueError(f"{self.name}, row {row}: {name} is missing; expected a number")
        if not _is_number(column.type):
            return np.array(column.to_pylist())
        if column.type == "bool":  # Arrow packs eight of them into a byte
            return np.from_dlpack(column.cast("uint8")).view(np.bool_)
        return np.from_dlpack(column)  # to_numpy would load pandas first, 50 MB

    def check_stamp(self) -> None:
        """Raise ValueError if the file has changed since the shards were made."""
        if _stamp(self.name) != self.stamp:
            raise ValueError(
                f"{self.name} has changed since the shards were made; make them anew. A copy on "
                "another machine must keep its time: cp -p, rsync -t"
            )


def _is_number(kind: Any) -> bool:
    """Return whether a type of Arrow is a real number."""
    from pyarrow import types

    return any(fits(kind) for fits in (types.is_integer, types.is_floating, types.is_boolean))


def _signs(labels: npt.NDArray[Any], positive: Any, name: str, first: int) -> Labels:
    """Return labels −1 and +1; an error names the first other one, its row counted from `first`."""
    if positive is not None:
        for i, label in enumerate(labels.tolist(), start=first):
            if label != label:
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


def _check_occurs(positive: Any, parts: Iterable[npt.NDArray[Any]]) -> None:
    """Raise an error if no part has the label that is to be +1; stop at the first that does."""
    seen = dict[Any, None]()
    for labels in parts:
        if np.any(labels == positive):
            return
        seen |= dict.fromkeys(labels[:1000].tolist())
    if seen:
        some = ", ".join(map(repr, list(seen)[:4])) + ", …" * (len(seen) > 4)
        raise ValueError(f"positive is {positive!r}, which no label is; the labels are {some}")


# ------------------------------------------------------------------ what is at an address


def files_at(
    root: str, label: str, wanted: Sequence[str] | None, intercept: bool, positive: Any
) -> tuple[list[File], list[str]]:
    """Return the files or row groups as sources of shards, by name; and the index columns."""
    found, left_out, model = list[File](), set[str](), list[str]()
    names = _names(root)
    import pyarrow.dataset as ds

    for name in names:
        csv, (files, inner) = name.endswith(".csv"), _filesystem(name)
        with _named(name):
            stamp = _stamp(name)
            table = (_csv() if csv else ds.ParquetFileFormat()).make_fragment(inner, files)
            schema = table.physical_schema
            schema.names  # noqa: B018  (an error here if they are not UTF-8)
            sizes = [table.count_rows()] if csv else [group.num_rows for group in table.row_groups]
        columns, index = _coordinates(schema, name, label, wanted, positive)
        model, left_out = model or columns, left_out | set(index)
        if others := set(columns) ^ set(model):
            differ = ", ".join(sorted(others))
            raise ValueError(
                f"{name} has other columns than the first file; they differ in {differ}"
            )
        known = _as_read(schema, [*model, label])
        for k, (first, size) in enumerate(zip(accumulate(sizes, initial=0), sizes, strict=False)):
            group = None if csv else k
            found.append(File(name, group, first, size, known, stamp, intercept, positive))
    if positive is not None:
        _check_occurs(positive, (some for file in found if file.size for some in file.labels()))
    return found, sorted(left_out)


def _names(root: str) -> list[str]:
    """Return the Parquet files of a folder and of its subfolders, or else its CSV files."""
    files, inner = _filesystem(root)
    import pyarrow as pa
    import pyarrow.dataset as ds

    try:
        with _named(root):
            paths = ds.dataset(inner, pa.schema([]), filesystem=files, format="parquet").files
    except FileNotFoundError:
        hint = "; an address has two slashes, s3://bucket" * bool(re.search(r"[a-z]\w+:/\b", root))
        raise FileNotFoundError(f"{root} is not there{hint}") from None
    names = [path if "://" not in root else root + path.removeprefix(inner) for path in paths]
    for ending in (".parquet", ".csv"):
        if some := [name for name in names if name.endswith(ending)]:
            for name in some:
                if "=" in os.path.dirname(name.removeprefix(root)):
                    raise ValueError(
                        f"{name} has a column in the name of its folder; write it into the file"
                    )
            return some
    raise ValueError(f"{root} has no file whose name ends in .parquet or .csv")


def _coordinates(
    schema: Any, name: str, label: str, wanted: Sequence[str] | None, positive: Any
) -> tuple[list[str], list[str]]:
    """Return the columns that are coordinates, checked, and those that are an index."""
    for missing in {label, *(wanted or ())}.difference(schema.names):
        raise ValueError(f"{name} has no column {missing!r}; it has {', '.join(schema.names)}")
    if twice := [one for one in schema.names if schema.names.count(one) > 1]:
        raise ValueError(f"{name} has several columns {twice[0]!r}; expected one of each name")
    index = (schema.pandas_metadata or {}).get("index_columns", ())
    others = [one for one in schema.names if one != label]
    left_out = [one for one in others if one in index or one.startswith("__index_level_")]
    columns = [one for one in others if one not in left_out]
    if wanted is not None:
        columns, left_out = list(wanted), []
    if not columns:
        raise ValueError(f"{name} has no column beside {label!r}; expected coordinates")
    for one in (*columns, *((label,) if positive is None else ())):
        if not _is_number(kind := schema.field(one).type):
            expected = "expected integers, floats or booleans" + f"; {_HINT}" * (one == label)
            raise TypeError(f"{name}: column {one!r} is {kind}; {expected}")
    return columns, left_out


def _as_read(schema: Any, names: list[str]) -> Any:
    """Return the schema of columns in text: whole ones as floats, as points may follow later."""
    import pyarrow as pa

    kinds = {one: schema.field(one).type for one in names}
    whole = {one: pa.types.is_integer(kind) for one, kind in kinds.items()}
    return pa.schema([(one, pa.float64() if whole[one] else kinds[one]) for one in names])


def _csv() -> Any:
    """Return the format of CSV: empty text means missing, as it does for numbers."""
    from pyarrow import csv, dataset

    return dataset.CsvFileFormat(convert_options=csv.ConvertOptions(strings_can_be_null=True))


# ------------------------------------------------------------------------------ addresses


def _filesystem(name: str) -> tuple[Any, str]:
    """Return pyarrow's file system for a path or an address, and the path within it."""
    try:
        from pyarrow import fs
    except ImportError:
        raise lacking("pyarrow") from None
    if "://" not in name:
        return fs.LocalFileSystem(), name
    files, inner = _found(name)
    return fs.PyFileSystem(fs.FSSpecHandler(files)), inner


def _found(name: str) -> tuple[Any, str]:
    """Return fsspec's file system for a path or an address, and the path within it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise lacking("fsspec") from None
    found: tuple[Any, str] = url_to_fs(name)
    return found


def absolute(path: str | os.PathLike[str]) -> str:
    """Return an address unchanged; for a path, the absolute one, which is the same for all."""
    name = os.fspath(path)
    here = "://" not in name or name.startswith("file://")
    return _found(name)[1] if here else name.rstrip("/")


def _stamp(name: str) -> tuple[Any, ...]:
    """Return a file's size and its ETag; or the time of its last change, and its end's checksum."""
    if "://" in name:
        files, inner = _found(name)
        files.invalidate_cache()  # an earlier listing may be out of date
        info = files.info(inner)
        tag = info.get("ETag") or info.get("Last-Modified")  # a web server sends one of them
        return info["size"], tag or (files.modified(inner), crc32(files.tail(inner, _TAIL)))
    with open(name, "rb") as file:
        about = os.fstat(file.fileno())
        file.seek(max(about.st_size - _TAIL, 0))
        return about.st_size, about.st_mtime_ns, crc32(file.read())


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Raise errors of reading a file as one sentence that names it."""
    try:
        yield
    except (ImportError, FileNotFoundError):
        raise
    except Exception as error:  # of pyarrow, of the system, or of the server at an address
        raise ValueError(f"{name} cannot be read: {' '.join(str(error).split())}") from error
