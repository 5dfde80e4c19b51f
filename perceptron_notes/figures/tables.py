"""Tables for notebooks: typeset on a page and in JupyterLab, aligned text everywhere else."""

import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from numbers import Number

__all__ = ["table"]

#: Text that is aligned at the right: 7, −2.5, 1/4, 35.3°, 12%, ≤ 9, a power of ten; and
#: placeholders for numbers.
_NUMBER = re.compile(r"[<>≤≥≈]? ?[+−±-]?\d[\d.,/ ]*\s?[°%]?|\$.*10\^\{.*\}\$")
_NONE = {"", "–", "∞"}
#: Python's words, and those of a reader.
_WORDS = {"True": "yes", "False": "no", "None": "–"}
_POWER = re.compile(r"([−-]?)(\d[\d.]*)e([+−-]?\d+)")


def _text(value: object) -> str:
    """Return a cell as text: numbers as in print, vectors in parentheses, words unchanged."""
    if isinstance(value, str):
        shown = value
    elif str(value) in _WORDS:
        return _WORDS[str(value)]
    elif isinstance(value, Number):
        shown = f"{value + 0:g}" if isinstance(value, float) else str(value)  # + 0: no -0
        if re.fullmatch(r"-?\d{5,}(\.\d+)?", shown):
            shown = f"{float(shown) if '.' in shown else int(shown):,}"
        shown = shown.replace("-", "−")
    elif isinstance(value, Iterable):
        return f"({', '.join(map(_text, value))})"
    else:
        shown = str(value)
    found = _POWER.fullmatch(shown)
    return _power(*found.groups()) if found else shown.replace("|", r"\|")


def _power(sign: str, factor: str, exponent: str) -> str:
    """Return 1.5e-07 as it is printed in a book."""
    times = "" if factor == "1" else rf"{factor}\cdot"
    return f"${'-' if sign else ''}{times}10^{{{int(exponent.replace('−', '-'))}}}$"


class _Table:
    """Headings and rows of text, written as a table of Markdown.

    JupyterLab and the book typeset it, formulas in its cells included; printed, it is text
    in columns, so that the tests of a notebook compare it like any other output.
    """

    def __init__(self, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        self.headings, self.rows = headings, rows

    def __repr__(self) -> str:
        columns = list(zip_longest(self.headings, *self.rows, fillvalue=""))
        right = [all(map(_NUMBER.fullmatch, set(cells) - _NONE)) for _, *cells in columns]
        widths = [max(3, *map(len, column)) for column in columns]

        def line(cells: Iterable[str]) -> str:
            sized = zip(cells, widths, right, strict=True)
            padded = (cell.rjust(w) if r else cell.ljust(w) for cell, w, r in sized)
            return f"| {' | '.join(padded)} |"

        rule = ["-" * (w - 1) + (":" if r else "-") for w, r in zip(widths, right, strict=True)]
        heading, *rows = zip(*columns, strict=True)
        return "\n".join([line(heading), line(rule), *map(line, rows)])

    _repr_markdown_ = __repr__


def table(headings: str | Sequence[str], rows: Iterable[Iterable[object]]) -> _Table:
    r"""Return rows of values as a table with headings.

    Parameters
    ----------
    headings : str or sequence of str
        One for each column, or all in one string with ``|`` between them. They are Markdown, so
        formulas may stand between dollar signs.
    rows : iterable of iterables
        Strings stay as they are. Numbers are written as a book prints them: with a real minus
        sign, 10,000 with a comma, 1e-07 as a power of ten, floats with at most six digits.
        Anything else with entries is a vector, ``(1, 2)``; True, False and None are "yes", "no"
        and "–".

    Returns
    -------
    Table
        To print, or to put last in a cell.

    Raises
    ------
    ValueError
        If a row has more or fewer cells than there are headings.

    Examples
    --------
    >>> table("t | w | score", [(0, (0, 0), 0), (1, (3, -1), -2.5)])
    |   t | w       | score |
    | --: | ------- | ----: |
    |   0 | (0, 0)  |     0 |
    |   1 | (3, −1) |  −2.5 |
    """
    if isinstance(headings, str):
        headings = [heading.strip() for heading in headings.split("|")]
    shown = [[_text(value) for value in row] for row in rows]
    for number, row in enumerate(shown):
        if len(row) != len(headings):
            raise ValueError(
                f"rows[{number}] has {len(row)} cells; the headings are {len(headings)}: "
                f"{', '.join(headings)}"
            )
    return _Table(headings, shown)
