"""How to read one cell of text: as a number, a gap, a date, or a word."""

import re
from decimal import Decimal
from math import isfinite

from perceptron_notes.diagnosis.decimals import DIGITS

#: Cells that mean a missing value, in lower case; R writes NA, pandas nothing.
MISSING = frozenset({"", "na", "nan", "n/a", "n.a.", "<na>", "null", "?", "#n/a", "#div/0!"})
#: In a column of numbers these do too, although elsewhere they may be words.
LIKE_GAPS = frozenset(
    {"none", ".", "..", "*", "-", "--", "---", "missing", "unknown", "n.d.", "无", "缺失", "未知"}
)
_DATE = re.compile(
    r"((\d{4}([-/.])\d\d?\3\d\d?|\d\d?([-/.])\d\d?\4(\d{4}|\d\d)|[12]\d{3}-[01]\d|"
    r"\d\d?[ -][A-Za-z]{3,9}[ -]\d{2,4}|[A-Za-z]{3,9} \d\d?, \d{4}|\d{4}年\d\d?月(\d\d?日)?)"
    r"([T ,]+(?=\d)|$))?"
    r"(\d\d?:\d\d(:\d\d([.,]\d+)?)?( ?[AaPp][Mm])?( ?Z| ?UTC|[+-]\d\d:?\d\d)?)?",
    re.ASCII,
)


def _numbers_with(mark: str) -> re.Pattern[str]:
    """Return the grammar of numbers with this decimal mark: 1 000, $5, 1D+00 as in Fortran."""
    other = r"\." if mark == "," else ","
    return re.compile(
        r"(?P<sign>[+−-]?)(?P<before>[$€£¥￥]?)[ \xa0]*"
        rf"(?P<whole>\d+|[1-9]\d{{0,2}}(?P<apart>[{other} \xa0\u202f\u2009'’])\d{{3}}"
        rf"(?:(?P=apart)\d{{3}})*|[1-9]\d?(?:{other}\d\d)+{other}\d{{3}})?(?:[{mark}](?P<part>\d*))?"
        r"(?:[eEdD](?P<power>[+−-]?\d+))?[ \xa0]*(?P<after>[%％$€£¥￥元]?)",
        re.ASCII,
    )


_GRAMMAR = {mark: _numbers_with(mark) for mark in ".,"}


def read_number(cell: str, mark: str = ".") -> tuple[float | Decimal, str] | None:
    """Return a number, a Decimal if no float equals it, and its unit; None if it is none."""
    if cell.lower().lstrip("+-") in ("inf", "infinity"):
        return float(cell), ""
    found = _GRAMMAR[mark].fullmatch(cell)
    if found is None or not (found["whole"] or found["part"]):
        return None
    digits = f"{re.sub('[^0-9]', '', found['whole'] or '0')}.{found['part'] or '0'}"
    power = (found["power"] or "0").replace("−", "-")
    plain = f"{found['sign'].replace('−', '-')}{digits}e{power}"
    value, unit = float(plain), found["before"] + found["after"]
    if len(digits) <= DIGITS and not found["power"]:
        return value, unit
    exact = Decimal(plain)
    same = isfinite(value) and Decimal(repr(value)) == exact
    return value if same else exact, unit


def is_date(text: str) -> bool:
    """Return whether a cell is a date, a time, or both."""
    return bool(text) and _DATE.fullmatch(text) is not None
