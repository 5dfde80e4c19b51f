"""Tables for notebooks: typeset on a page and in JupyterLab, aligned text everywhere else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from numbers import Number

__all__ = ["table"]

#: What stands better at the right of its column: 7, −2.5, 1/4, 35.3°, 12%, 1.5e−07, ≤ 9; and what
#: stands there for a number.
NUMBER = re.compile(r"[<>≤≥≈]? ?[+−±-]?\d[\d.,/ ]*(e[+−-]?\d+)?\s?[°%]?")
NONE = {"", "–", "∞"}


def text(value: object) -> str:
    """A cell: numbers with a real minus sign, vectors in parentheses, words as they are."""
    if isinstance(value, str):
        return value.replace("|", r"\|")
    if isinstance(value, Number):
        shown = f"{value + 0:g}" if isinstance(value, float) else str(value)  # + 0: no -0
        return shown.replace("-", "−")
    if isinstance(value, Iterable):
        return f"({', '.join(map(text, value))})"
    return str(value)


class Table:
    """Headings and rows of text, written as a table of Markdown.

    JupyterLab and the book typeset it, formulas in its cells included; printed, it is text
    in columns, so that the tests of a notebook compare it like any other output.
    """

    def __init__(self, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        self.headings, self.rows = headings, rows

    def __repr__(self) -> str:
        columns = list(zip_longest(self.headings, *self.rows, fillvalue=""))
        right = [all(map(NUMBER.fullmatch, set(cells) - NONE)) for _, *cells in columns]
        widths = [max(3, *map(len, column)) for column in columns]

        def line(cells: Iterable[str]) -> str:
            sized = zip(cells, widths, right, strict=True)
            padded = (cell.rjust(w) if r else cell.ljust(w) for cell, w, r in sized)
            return f"| {' | '.join(padded)} |"

        rule = ["-" * (w - 1) + (":" if r else "-") for w, r in zip(widths, right, strict=True)]
        heading, *rows = zip(*columns, strict=True)
        return "\n".join([line(heading), line(rule), *map(line, rows)])

    _repr_markdown_ = __repr__


def table(headings: str | Sequence[str], rows: Iterable[Iterable[object]]) -> Table:
    r"""Set rows of values under their headings.

    Parameters
    ----------
    headings : str or sequence of str
        One for each column, or all in a string with ``|`` between them. Markdown, so
        formulas may stand between dollar signs.
    rows : iterable of iterables
        Strings stay as they are; other numbers get a real minus sign, and floats at most six
        digits; anything else with entries is written as a vector, ``(1, 2)``.

    Returns
    -------
    Table
        To stand last in a cell, or to be printed.

    Raises
    ------
    ValueError
        If a row has more or fewer cells than there are headings.

    Examples
    --------
    >>> from perceptron_notes.tables import table
    >>> table("t | w | score", [(0, (0, 0), 0), (1, (3, -1), -2.5)])
    |   t | w       | score |
    | --: | ------- | ----: |
    |   0 | (0, 0)  |     0 |
    |   1 | (3, −1) |  −2.5 |
    """
    if isinstance(headings, str):
        headings = [heading.strip() for heading in headings.split("|")]
    shown = [[text(value) for value in row] for row in rows]
    for number, row in enumerate(shown):
        if len(row) != len(headings):
            raise ValueError(
                f"rows[{number}] has {len(row)} cells; the headings are {len(headings)}: "
                f"{', '.join(headings)}"
            )
    return Table(headings, shown)
