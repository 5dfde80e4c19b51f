"""Tables from CSV files, as many programs write them.

Floats are read first, a file at a time where nothing but numbers stands in its columns. A cell that
its float does not show exactly is read again as a Decimal, so that proofs are about the file.
"""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.values import Array
from perceptron_notes.diagnosis.table import LIKE_GAPS, number, some
from perceptron_notes.exact.decimals import DIGITS
from perceptron_notes.exact.numbers import Indices, objects

#: What stands for a missing value; R writes NA, pandas nothing.
_MISSING = frozenset({"", "na", "nan", "n/a", "#n/a", "<na>", "null", "?"})
_TRUE = {"true": True, "false": False}
_MARKED = re.compile(r"[+-]?\d*(?:[.,]\d{3})*([.,])\d+")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}((,\d{3})+|(\.\d{3})+)")
_WHOLE = re.compile(r"[+-]?\d+")
#: Digits in groups of three; the key is the decimal mark.
_GROUPED = {
    ".": re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?"),
    ",": re.compile(r"[+-]?\d{1,3}(\.\d{3})+(,\d*)?"),
}
_SPACED = re.compile(r"[+-]?\d{1,3}([ \xa0\u202f\u2009'’]\d{3})+([.,]\d*)?")
#: A sign that all cells of a column may share: it is a unit.
_SIGN = re.compile(r"([$€£¥]?)\s*([^$€£¥%]*?)\s*([$€£¥%]?)")
#: Those that are no decimal marks first; spaces stand in names and texts too.
_SEPARATORS = "\t;|, "
#: How files that are no text begin, and what they are.
_BINARY = {
    b"PK": "is a workbook or another archive",
    b"\xd0\xcf\x11\xe0": "is an old Excel workbook",
    b"PAR1": "is a Parquet file",
}
_TENS = np.array([10.0**k for k in range(DIGITS + 1)])


@dataclass(frozen=True, eq=False)
class Columns:
    """Named columns of equal length, as `diagnose` takes them from a DataFrame.

    `place` is what a row's label in the index is the number of, and `notes` say what was made of
    the file.
    """

    values: dict[str, Any]
    index: npt.NDArray[Any]
    place: str
    notes: Sequence[str]

    @property
    def columns(self) -> list[str]:
        """The names."""
        return list(self.values)

    def __len__(self) -> int:
        return len(self.index)

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def without(self, names: Sequence[str]) -> Columns:
        """Leave columns out."""
        for name in names:
            if name not in self.values:
                raise ValueError(f"no column is called {name!r}; there are {some(self.columns, 8)}")
        kept = {name: values for name, values in self.values.items() if name not in names}
        return replace(self, values=kept)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.column_stack([np.asarray(v, dtype=object) for v in self.values.values()])


def load(path: Path, named: bool = True) -> Columns:
    """Read a table; its rows are called by their line, or by a first column without a name.

    If not `named`, it has no line of names, and its columns are called column 1, column 2, …
    """
    text = _text(path)
    separator, skipped = _separator(text)
    fast = _numbers(text, separator, skipped) if named else None
    names, lines, columns = fast or _cells(path, text, separator, skipped, named)
    called, notes = [name or f"column {j + 1}" for j, name in enumerate(names)], list[str]()
    if named:
        _check_names(f"{path.name}, line {skipped + 1}", called)
    marks = _decimal_marks(path, called, lines, columns, separator in ";\t ")
    values = {
        name: column if isinstance(column, np.ndarray) else _column(name, column, mark, notes)
        for name, column, mark in zip(called, columns, marks, strict=True)
    }
    if not named or names[0] or len(names) < 3 or not _calls_rows(values[called[0]]):
        return Columns(values, np.array(lines), "line", notes)
    labels = values.pop(called[0]).tolist()
    notes.append("The first column, which has no name, calls the rows.")
    labels = [int(a) if isinstance(a, float) else a for a in labels]
    return Columns(values, objects(labels), "row", notes)


def _calls_rows(values: Any) -> bool:
    """Tell whether a column counts the rows, or has another text for each."""
    if values.dtype.kind == "f":
        return bool(np.isin(values[0], (0, 1)) and (np.diff(values) == 1).all())
    return None not in values.tolist() and len(set(values.tolist())) == len(values)


# ---------------------------------------------------------------------------- from text to cells


def _text(path: Path) -> str:
    """Return what the file holds, unpacked, with one kind of line end."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"{path.name} cannot be unpacked: {error}") from None
    for begin, what in _BINARY.items():
        if data.startswith(begin):
            raise ValueError(f"{path.name} {what}; save the table as CSV UTF-8")
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path.name}, line {line}: byte {error.object[error.start]:#04x} is not "
            f"{'UTF-16' if wide else 'UTF-8'}; save the table as CSV UTF-8"
        ) from None
    if "\0" in text[:4096]:
        raise ValueError(f"{path.name} holds null bytes; expected text: a table saved as CSV UTF-8")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _separator(text: str) -> tuple[str, int]:
    """Return what separates the cells, and how many lines stand above the names.

    They are empty, or comments, or Excel's ``sep=;``. Rows have as many cells as there are names,
    or one more, as R calls its rows.
    """
    told = re.match(r'"?sep=(.)"?\n', text)
    lines = re.sub(r'"[^"]*"', '"', text[: 1 << 20]).split("\n", 50)
    if len(lines) > 50 or len(text) > 1 << 20:
        lines.pop()
    for k, line in enumerate(lines):
        below = [other.strip(" ") for other in lines[k + 1 :] if other.strip()]
        if not line.strip() or (told and k == 0):
            continue
        counts = [(c, line.strip(" ").count(c), {other.count(c) for other in below})
                  for c in _SEPARATORS]  # fmt: skip
        fits = [c for c, a, others in counts if a and others in ({a}, {a + 1})]
        if not line.startswith("#") or (fits and not below[0].startswith("#")):
            most = max(",;\t|", key=line.count)
            return told[1] if told else fits[0] if fits else most, k
    return ",", len(lines)


def _numbers(
    text: str, separator: str, skipped: int
) -> tuple[list[str], list[int], list[Any]] | None:
    """Read a regular table fast: columns of nothing but short numbers are floats at once.

    None where cells have to come one by one: there are quotes, empty or ragged lines, or commas
    that may be decimal.
    """
    head, _, body = text.split("\n", skipped)[-1].partition("\n")
    names = [name.strip() for name in head.split(separator)]
    d, data = len(names), body.rstrip("\n").encode() + b"\n"
    if separator not in ",|" or '"' in text or not body.strip():
        return None
    raw = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero((raw == ord(separator)) | (raw == 10))
    if len(ends) % d or data.count(b"\n") * d != len(ends) or (raw[ends[d - 1 :: d]] != 10).any():
        return None
    sizes, blocks = np.diff(ends, prepend=-1) - 1, range(0, len(ends), 1 << 15)
    parts = [_short(raw, ends[k : k + (1 << 15)], sizes[k : k + (1 << 15)]) for k in blocks]
    floats = np.concatenate(parts).reshape(-1, d)
    columns: list[Any] = [np.ascontiguousarray(column) for column in floats.T]
    for j in np.flatnonzero(np.isnan(floats).any(axis=0)).tolist():
        spans = zip((ends - sizes)[j::d].tolist(), ends[j::d].tolist(), strict=True)
        columns[j] = [data[a:b].decode().strip() for a, b in spans]
    return names, list(range(skipped + 2, skipped + 2 + len(floats))), columns


def _short(raw: npt.NDArray[np.uint8], ends: Indices, sizes: Indices) -> Array:
    """Read cells that are short decimals: digits over a power of ten, rounded once; else NaN."""
    whole, digits, points, places = np.zeros((4, len(ends)), dtype=np.int64)
    for back in range(min(int(sizes.max()), DIGITS), 0, -1):
        byte, there = raw[ends - back], back <= sizes
        digit = byte - np.uint8(48)  # what is no digit is 10 or more, also below 48
        is_digit = there & (digit < 10)
        whole = np.where(is_digit, whole * 10 + digit, whole)
        digits += is_digit
        places += is_digit & (points > 0)
        points += there & (byte == ord("."))
    first = raw[ends - sizes]
    signs = (first == ord("-")) | (first == ord("+"))
    good = (digits + points + signs == sizes) & (digits > 0) & (points <= 1)
    return np.where(good, np.where(first == ord("-"), -whole, whole) / _TENS[places], np.nan)


def _cells(
    path: Path, text: str, separator: str, skipped: int, named: bool
) -> tuple[list[str], list[int], list[Any]]:
    """Return the names, the lines on which rows begin, and the cells of each column."""
    rows = list(_rows(path, text, separator, skipped))
    if not rows:
        raise ValueError(f"{path.name} is empty; expected a line of names, and rows below it")
    head, first = rows[0]
    names, rows = (
        ([name.strip() for name in first], rows[1:]) if named else ([""] * len(first), rows)
    )
    if not rows:
        raise ValueError(f"{path.name} has names in line {head}, but no row below them")
    if all(len(row) == len(names) + 1 for _, row in rows):
        if any(row[-1].strip() for _, row in rows):
            names.insert(0, "")  # as R has it: the first column calls the rows
        else:
            rows = [(line, row[:-1]) for line, row in rows]  # a separator ends each line
    for line, row in rows:
        if len(row) != len(names):
            raise ValueError(
                f"{path.name}, line {line}: {len(row)} values, but line {head} has {len(names)} "
                + (f"names ({some(names, 5)})" if named else "")
            )
    lines, cells = zip(*rows, strict=True)
    return names, list(lines), [[cell.strip() for cell in c] for c in zip(*cells, strict=True)]


def _check_names(where: str, names: list[str]) -> None:
    """Raise ValueError if two columns have one name, or all names are numbers."""
    if all(re.fullmatch(r"[+-]?(\d+[.,]?\d*|[.,]\d+)", name) for name in names):
        raise ValueError(
            f"{where}: all names are numbers ({some(names, 3)}); expected a line of names. "
            "With --no-names it is a row, and the columns are column 1, column 2, …"
        )
    for j, name in enumerate(names):
        if name in names[:j]:
            i = names.index(name) + 1
            raise ValueError(f"{where}: columns {i} and {j + 1} are both called {name!r}")


def _rows(path: Path, text: str, separator: str, skipped: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not empty, with the line on which each begins."""
    lines = StringIO(text)
    for _ in range(skipped):
        next(lines, None)
    spaced = (line.strip(" ") for line in lines) if separator == " " else lines
    reader = csv.reader(spaced, delimiter=separator, strict=True)
    begin = 1 + skipped
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield begin, row
            begin = reader.line_num + 1 + skipped
    except csv.Error as error:
        raise ValueError(f"{path.name}, line {reader.line_num + skipped}: {error}") from None


# -------------------------------------------------------------------------- from cells to numbers


def _decimal_marks(
    path: Path, names: list[str], lines: list[int], columns: list[Any], comma: bool
) -> list[str]:
    """Return the decimal mark of each column, or both; refuse what may be read in two ways.

    Where a comma may be a decimal one, as it is no separator, 1,234 beside 958 is 1.234 or 1234,
    unless 2,5 or 2.5 stands somewhere.
    """
    sure: list[set[str]] = []
    doubtful: tuple[str, int, str] | None = None
    for name, column in zip(names, columns, strict=True):
        if isinstance(column, np.ndarray):
            sure.append({"."} if (column != np.floor(column)).any() else set())
            continue
        marked = (_MARKED.fullmatch(cell) for cell in column if not _THOUSANDS.fullmatch(cell))
        sure.append({found[1] for found in marked if found})
        if not sure[-1] and comma and any(map(_WHOLE.fullmatch, column)):
            grouped = next((k for k, cell in enumerate(column) if _THOUSANDS.fullmatch(cell)), None)
            if grouped is not None:
                doubtful = name, lines[grouped], column[grouped]
    proved = set().union(*sure)
    if doubtful and not proved:
        name, line, cell = doubtful
        raise ValueError(
            f"{path.name}, line {line}: {cell!r} in {name!r} may have a decimal mark, or one of "
            "thousands; save the table without the latter"
        )
    general = "." if "." in proved else "," if proved else ".," if comma else "."
    return [next(iter(own)) if len(own) == 1 else general for own in sure]


def _column(name: str, cells: list[str], marks: str, notes: list[str]) -> Any:
    """Return numbers where all cells are numbers or missing, else text; None where missing."""
    if marks != "," and max(map(len, cells)) <= DIGITS and not re.search("[_eE]", " ".join(cells)):
        try:
            return np.array(list(map(float, cells)))
        except ValueError:
            pass
    there = {cell for cell in cells if cell.lower() not in _MISSING}
    if there and {cell.lower() for cell in there} <= {*_TRUE}:
        return objects([_TRUE.get(cell.lower()) for cell in cells])
    signs = {cell: _SIGN.fullmatch(cell) for cell in there if cell.lower() not in LIKE_GAPS}
    shared = {(found[1], found[3]) if found else ("", "") for found in signs.values()}
    try:
        if len(shared) == 1:
            values = {
                cell: _read(found[2] if found else cell, marks) for cell, found in signs.items()
            }
        else:
            values = {cell: _read(cell, marks) for cell in signs}
    except ValueError:
        return objects([cell if cell in there else None for cell in cells])
    if len(shared) == 1 and (sign := "".join(*shared)):
        notes.append(f"{name} is read without its {sign}.")
    if any(isinstance(value, Decimal) for value in values.values()):
        return objects([values.get(cell) for cell in cells])
    return np.array([values.get(cell, np.nan) for cell in cells])


def _read(cell: str, marks: str) -> float | Decimal:
    """Read a number with one of these decimal marks; as a Decimal if no float shows it exactly."""
    try:
        if marks == "," and "." in cell:
            raise ValueError
        value = number(cell)
    except ValueError:
        cell = cell.replace("−", "-")
        if _SPACED.fullmatch(cell):
            cell = re.sub("[ \xa0\u202f\u2009'’]", "", cell)
        if marks in _GROUPED and _GROUPED[marks].fullmatch(cell):
            cell = cell.replace("," if marks == "." else ".", "")
        if marks == "," and "." in cell:
            raise
        cell = cell.replace(",", ".", 1) if "," in marks else cell
        value = number(cell)
    short = len(cell) <= DIGITS and "e" not in cell.lower()
    if short or not np.isfinite(value) or repr(value) == cell:
        return value
    exact = Decimal(cell)
    return value if Decimal(repr(value)) == exact else exact
