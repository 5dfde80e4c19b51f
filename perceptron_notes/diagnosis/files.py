"""Reading tables from files, as many programs write them.

Floats are read first, the whole file at once if its columns hold only numbers. A cell that no float
represents exactly is read again as a Decimal, so that proofs are about the file itself.
"""

import csv
import gzip
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from importlib import import_module
from io import BytesIO, StringIO
from itertools import takewhile
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.validation import columns_of
from perceptron_notes._kit.values import Array
from perceptron_notes.diagnosis.cells import LIKE_GAPS, MISSING, read_number
from perceptron_notes.diagnosis.decimals import DIGITS
from perceptron_notes.diagnosis.languages import say, some
from perceptron_notes.diagnosis.table import Columns
from perceptron_notes.exact.numbers import Exact, Indices, objects

_TRUE = {"true": True, "false": False}
#: Numbers that Python can read too, once their decimal mark is a point, each on its own line.
_PLAIN = {m: re.compile(rf"([+-]?([0-9]+([{m}][0-9]*)?|[{m}][0-9]+)\n)*") for m in ".,"}
#: Separators, those that cannot be decimal marks first; spaces occur in names and texts too.
_SEPARATORS = "\t;|, "
#: First bytes of files that are not text, or not tables; their format, and pandas' reader of it.
_KINDS = (
    (rb"PK|\xd0\xcf\x11\xe0", "a workbook", "read_excel"),
    (rb"PAR1", "a Parquet file", "read_parquet"),
    (rb"ARROW1|FEA1", "a Feather file", "read_feather"),
    (rb"<stata_dta>|[i-v][\x01\x02]\x01\0", "a Stata file", "read_stata"),
    (rb"\$FL[23]", "an SPSS file", ""),
    (rb"\x28\xb5\x2f\xfd|BZh|\xfd7zXZ", "packed by zstd, bz2 or xz", ""),
    (rb"%PDF", "a PDF", ""),
    (rb"\s*<[!?a-zA-Z]", "HTML or XML", ""),
    (rb"\s*(\[\s*[\[{]|\{\s*[\"}])", "JSON", ""),
)
_Cells = tuple[int, list[str], list[int], list[Any]]
_TOTALS = {"total", "totals", "sum", "mean", "average", "summe", "gesamt", "合计", "总计", "平均"}
_TENS = np.array([10.0**k for k in range(DIGITS + 1)])


def load_table(
    path: Path, named: bool = True, encoding: str = "utf-8", missing: Sequence[Any] = ()
) -> Columns:
    """Read a table; its rows are named by their line, or by a first column without a name.

    The path ``-`` is standard input. If not `named`, the table has no line of names, and its
    columns are called column 1, column 2, … Cells equal to one of `missing` are gaps.
    """
    piped = path == Path("-")
    source, notes = "standard input" if piped else path.name, list[str]()
    data = _unpacked(source, sys.stdin.buffer.read() if piped else path.read_bytes())
    for begin, what, reader in _KINDS:
        if re.match(begin, data):
            frame = _frame(source, data, what, reader, notes)
            if reader != "read_excel":
                named_columns = {str(name): column for name, column in columns_of(frame)}
                return Columns(named_columns, frame.index.tolist(), "row", notes, source)
            data, encoding = frame.to_csv(index=False, header=False).encode(), "utf-8"
            break
    text = _decoded(source, data, encoding)
    separator = _separator(text)
    fast = _numbers_at_once(text, separator) if named else None
    head, names, lines, columns = fast or _cells(source, text, separator, named, notes)
    called = [name or f"column {j + 1}" for j, name in enumerate(names)]
    if named:
        _check_names(f"{source}, line {head}", called)
    if (last := str(columns[0][-1])).strip(" :：").lower().removeprefix("grand ") in _TOTALS:
        notes.append(say("total", line=lines[-1], last=last))
    gaps = MISSING | {str(value).strip().lower() for value in missing}
    values = dict(zip(called, columns, strict=True))
    _read_cells(source, lines, values, gaps, separator in ";\t ", notes)
    if not named or names[0] not in ("", "Unnamed: 0") or len(names) < 3:
        return Columns(values, lines, "line", notes, source)
    labels = list(map(_unpointed, values[called[0]]))
    if len(set(labels)) == len(labels) and all(isinstance(v, int | str) for v in labels):
        del values[called[0]]
        notes.append(say("calls_rows"))
        return Columns(values, labels, "row", notes, source)
    notes.append(say("used_as", name=called[0]))
    return Columns(values, lines, "line", notes, source)


def _unpointed(label: Any) -> Any:
    """Return a whole number as an int, and anything else as it is."""
    if isinstance(label, float | Decimal) and -1e40 < label < 1e40 and label == int(label):
        return int(label)
    return label


# ---------------------------------------------------------------------------- from bytes to text


def _unpacked(source: str, data: bytes) -> bytes:
    """Return the content of a compressed file; that of a zip, if it is one table."""
    try:
        if data.startswith(b"\x1f\x8b"):
            return gzip.decompress(data)
        if data.startswith(b"PK"):
            with ZipFile(BytesIO(data)) as archive:
                names = [n for n in archive.namelist() if not re.match("__MACOSX|.*/$", n)]
                if len(names) == 1:
                    return archive.read(names[0])
                workbook = {"xl/workbook.xml", "xl/workbook.bin", "content.xml"} & set(names)
    except Exception as error:  # encrypted, truncated, or compressed in another way
        raise ValueError(f"{source} cannot be unpacked: {error}") from None
    if data.startswith(b"PK") and not workbook:
        raise ValueError(
            f"{source} holds {some(names, 4) or 'nothing'}; expected one table: unpack it first"
        )
    return data


def _frame(source: str, data: bytes, what: str, reader: str, notes: list[str]) -> Any:
    """Return the table that pandas reads; raise ValueError if it cannot."""
    refused = f"{source} is {what}; save the table as CSV UTF-8"
    if not reader:
        raise ValueError(refused)
    how: dict[str, Any] = {"dtype_backend": "pyarrow"}  # keeps whole numbers whole beside gaps
    if reader == "read_excel":
        how = {"sheet_name": None, "header": None, "dtype": object, "na_filter": False}
    try:
        pandas = import_module("pandas")
        read = getattr(pandas, reader)(BytesIO(data), **({} if reader == "read_stata" else how))
    except ImportError as error:
        raise ValueError(f"{refused}, or install what reads it ({error})") from None
    except Exception as error:  # each reader has errors of its own
        raise ValueError(f"{source} begins as {what}, but cannot be read: {error}") from None
    if reader != "read_excel":
        return read
    first, *others = read
    if others:
        notes.append(say("first_sheet", first=first, others=some(others, 4)))
    return read[first]


def _decoded(source: str, data: bytes, encoding: str) -> str:
    """Return the decoded text, with one kind of line end."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    try:
        text = data.decode("utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding)
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        hint = "; `--encoding cp1252` reads what Windows wrote, `--encoding gbk` if in Chinese"
        hint = "" if encoding == "utf-16" else hint
        raise ValueError(
            f"{source}, line {line}: byte {error.object[error.start]:#04x} is not "
            f"{encoding.upper()}{hint}"
        ) from None
    except LookupError:
        raise ValueError(f"encoding is {encoding!r}; expected one such as cp1252") from None
    if "\0" in text:
        raise ValueError(f"{source} holds null bytes; expected text: a table saved as CSV UTF-8")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"\Asep=.\n", "\n", text)  # a hint for Excel; the separator is found anyway


# ---------------------------------------------------------------------------- from text to cells


def _separator(text: str) -> str:
    """Return the separator: the one that gives most lines equally many cells, at least two."""
    lines, share = text[: 1 << 20].split("\n", 50)[:50], dict.fromkeys(_SEPARATORS, 0.0)
    for c in _SEPARATORS:
        with suppress(csv.Error):  # it is raised again where rows are read
            rows = list(csv.reader(lines, delimiter=c, skipinitialspace=c == " "))
            widths = Counter(len(row) for row in rows if len(row) > 1)
            share[c] = max(widths.values(), default=0) / len(rows)
    return max(share, key=share.__getitem__) if any(share.values()) else ","


def _numbers_at_once(text: str, separator: str) -> _Cells | None:
    """Read a regular table fast: columns of short numbers become floats at once.

    None if cells have to be read one by one: there are quotes, empty or ragged lines, commas that
    may be decimal marks, or lines above the names.
    """
    head, _, body = text.partition("\n")
    names = [name.strip() for name in head.split(separator)]
    d, data = len(names), body.rstrip("\n").encode() + b"\n"
    if separator not in ",|" or '"' in text or not body.strip() or _stands_above(names, d):
        return None
    raw = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero((raw == ord(separator)) | (raw == 10))
    if len(ends) % d or data.count(b"\n") * d != len(ends) or (raw[ends[d - 1 :: d]] != 10).any():
        return None
    sizes, blocks = np.diff(ends, prepend=-1) - 1, range(0, len(ends), 1 << 15)
    parts = [_short(raw, ends[k : k + (1 << 15)], sizes[k : k + (1 << 15)]) for k in blocks]
    floats = np.concatenate(parts).reshape(-1, d)
    columns: list[Any] = [np.ascontiguousarray(column) for column in floats.T]
    for j in np.flatnonzero(np.isinf(floats).any(axis=0)).tolist():
        spans = zip((ends - sizes)[j::d].tolist(), ends[j::d].tolist(), strict=True)
        columns[j] = [data[a:b].decode().strip() for a, b in spans]
    return 1, names, list(range(2, 2 + len(floats))), columns


def _short(raw: npt.NDArray[np.uint8], ends: Indices, sizes: Indices) -> Array:
    """Read cells that are short decimals: digits over a power of ten, rounded once.

    An empty cell gives NaN; any other text, or a code with a leading zero, gives infinity.
    """
    whole, digits, points, places = np.zeros((4, len(ends)), dtype=np.int64)
    for back in range(min(int(sizes.max()), DIGITS), 0, -1):
        byte, there = raw[ends - back], back <= sizes
        digit = byte - np.uint8(48)  # 10 or more if it is no digit, also below 48
        is_digit = there & (digit < 10)
        whole = np.where(is_digit, whole * 10 + digit, whole)
        digits += is_digit
        places += is_digit & (points > 0)
        points += there & (byte == ord("."))
    first = raw[ends - sizes]
    signs = (first == ord("-")) | (first == ord("+"))
    good = (digits + points + signs == sizes) & (digits > 0) & (points <= 1)
    good &= (first != ord("0")) | (digits - places == 1)
    values = np.where(first == ord("-"), -whole, whole) / _TENS[places]
    return np.where(good, values, np.where(sizes == 0, np.nan, np.inf))


def _stands_above(row: list[str], usual: int) -> bool:
    """Return whether a row is a comment or a title: one cell, where others have more."""
    if row[0].startswith("#"):
        return len(row) == 1 or len(row) not in (usual - 1, usual)
    return sum(bool(cell.strip()) for cell in row) < 2 and (usual > 2 or len(row) < usual)


def _cells(source: str, text: str, separator: str, named: bool, notes: list[str]) -> _Cells:
    """Return the line of the names, the names, the line of each row, and each column's cells."""
    rows = list(_rows(source, text, separator))
    if not rows:
        raise ValueError(f"{source} is empty; expected a line of names, and rows below it")
    usual = Counter(len(row) for _, row in reversed(rows)).most_common(1)[0][0]
    while _stands_above(rows[0][1], usual) and len(rows) > 1:
        _, row = rows.pop(0)
        if not row[0].startswith("#"):
            notes.append(say("above_names", line=" ".join(row).strip()))
    head, first = rows[0]
    names = [name.strip() if named else "" for name in first]
    rows = rows[named:]
    if not rows:
        raise ValueError(f"{source} has names in line {head}, but no row below them")
    if usual == len(names) + 1:
        if any(row[-1].strip() for _, row in rows if len(row) == usual):
            names.insert(0, "")  # as R writes it: the first column names the rows
        else:
            rows = [(line, row[: len(names)]) for line, row in rows]  # lines end with a separator
    for line, row in rows:
        if len(row) != len(names):
            raise ValueError(
                f"{source}, line {line}: {len(row)} values, but line {head} has {len(names)} "
                + (f"names ({some(names, 5)})" if named else "")
                + ("; is that line a title?" if usual == len(row) > len(names) else "")
            )
    lines, cells = zip(*rows, strict=True)
    columns = [[cell.strip() for cell in column] for column in zip(*cells, strict=True)]
    return head, names, list(lines), columns


def _check_names(where: str, names: list[str]) -> None:
    """Raise ValueError if two columns have the same name, or all names are numbers."""
    if all(re.fullmatch(r"[+-]?(\d+[.,]?\d*|[.,]\d+)", name) for name in names):
        raise ValueError(
            f"{where}: all names are numbers ({some(names, 3)}); expected a line of names. "
            "With --no-names it is a row, and the columns are column 1, column 2, …"
        )
    for j, name in enumerate(names):
        if name in names[:j]:
            columns = f"columns {names.index(name) + 1} and {j + 1}"
            raise ValueError(f"{where}: {columns} are both called {name!r}")


def _rows(source: str, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not empty, with the number of the line on which each begins."""
    spaced = separator == " "
    lines = (line.strip(" ") if spaced else line for line in StringIO(text))
    reader = csv.reader(lines, delimiter=separator, strict=True, skipinitialspace=spaced)
    begin = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield begin, row
            begin = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(f"{source}, line {reader.line_num}: {error}") from None


# -------------------------------------------------------------------------- from cells to numbers


def _read_cells(
    source: str,
    lines: list[int],
    values: dict[str, Any],
    gaps: frozenset[str],
    comma: bool,
    notes: list[str],
) -> None:
    """Turn each column of cells into numbers, if all are numbers or gaps, else into text.

    Gaps in text are None. Where a comma may be a decimal mark, as it is no separator, 1,234 beside
    958 is 1.234 or 1234, unless 2,5 or 2.5 stands somewhere.
    """
    readings = {
        name: _readings([cell for cell in dict.fromkeys(column) if cell.lower() not in gaps])
        for name, column in values.items()
        if isinstance(column, list)
    }
    proved = {mark for found in readings.values() if len(found) == 1 for mark in found if mark}
    for name, found in readings.items():
        column, mark = values[name], next(iter(found), None)
        if len(found) > 1 and len(proved) == 1:
            mark = min(proved)
        elif len(found) > 1 and comma:
            marked = [cell for cell in found["."][0] if not re.fullmatch("[+-]?[0-9]+", cell)]
            marks = [m for m in ".," if any(m in cell for cell in marked)]
            if len(marks) > 1 or len(marked) < len(found["."][0]):
                raise ValueError(
                    f"{source}, line {lines[column.index(marked[0])]}: {marked[0]!r} in {name!r} "
                    "may have a decimal mark, or one of thousands; save it without the latter"
                )
            mark = marks[0]
        if mark == "," and not comma:
            notes.append(say("decimal_commas", name=name))
        if mark is None:
            values[name] = _words(name, column, gaps, notes)
        else:
            values[name] = _numbers(name, column, *found[mark], notes)


def _readings(words: list[str]) -> dict[str, tuple[dict[str, Any], str]]:
    """Return the readings of a column's cells with each decimal mark, as numbers and their unit.

    If both readings agree there is one, under "". There is none for words, nor for codes, which
    have leading zeros.
    """
    found = dict[str, tuple[dict[str, Any], str]]()
    cells = [word for word in words if word.lower() not in LIKE_GAPS]
    if not cells or _code(cells):
        return found
    for mark in ".,":
        if _PLAIN[mark].fullmatch("\n".join([*cells, ""])) and max(map(len, cells)) <= DIGITS:
            floats = map(float, (cell.replace(",", ".") for cell in cells))
            found[mark] = dict(zip(cells, floats, strict=True)), ""
            continue
        read = list(takewhile(lambda pair: pair[1], ((c, read_number(c, mark)) for c in cells)))
        units = {pair[1] for _, pair in read if pair}
        if len(read) == len(cells) and len(units) == 1:
            found[mark] = {cell: pair[0] for cell, pair in read if pair}, units.pop()
    return {"": found["."]} if len(found) == 2 and found["."] == found[","] else found


def _code(cells: Iterable[str]) -> str:
    """Return a cell with leading zeros, if all consist of digits: then they are codes; else ""."""
    if not all(re.fullmatch("[0-9]+", cell) for cell in cells):
        return ""
    return min((cell for cell in cells if re.match("0[0-9]", cell)), default="")


def _numbers(
    name: str, column: list[str], values: dict[str, Any], unit: str, notes: list[str]
) -> Exact:
    """Return the numbers of a column; NaN, or None beside Decimals, for gaps."""
    if unit:
        notes.append(say("without_unit", name=name, unit=unit))
    if any(isinstance(value, Decimal) for value in values.values()):
        return objects([values.get(cell) for cell in column])
    return np.array([values.get(cell, np.nan) for cell in column])


def _words(name: str, column: list[str], gaps: frozenset[str], notes: list[str]) -> Exact:
    """Return a column of text, or of True and False; gaps are None."""
    words = {cell for cell in column if cell.lower() not in gaps}
    if words and {cell.lower() for cell in words} <= {*_TRUE}:
        return objects([_TRUE.get(cell.lower()) for cell in column])
    if code := _code(words):
        notes.append(say("leading_zeros", name=name, code=code))
    return objects([cell if cell in words else None for cell in column])
