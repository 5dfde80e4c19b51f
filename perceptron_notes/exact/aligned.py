"""The ledger as aligned text."""

from collections.abc import Sequence
from typing import Any

from perceptron_notes.exact.numbers import show

_FROM_ZERO = ["t", "pick", "y w·x ≤ 0", "w_f·w", "≥ tλm", "‖w‖²", "≤ tλ²R²"]
_FROM_ELSEWHERE = [*_FROM_ZERO[:4], "≥ w_f·w₀+tλm", "‖w‖²", "≤ ‖w₀‖²+tλ²R²"]
_FROM_ZERO += ["cos²", "≥ tρ²/R²", "‖w−g‖²", "≤ before−λ²R²"]
_FROM_ELSEWHERE += _FROM_ZERO[-2:]


def table(ledger: Sequence[Any], most: int, start: bool) -> str:
    """Return the rows of a ledger as text; of a long one the first and the last, `most` in all."""
    T = len(ledger)
    shown = [_cells(row) for row in ledger[: T if most >= T else most - most // 2]]
    if most < T:
        shown += [["…"] * len(shown[0]), *map(_cells, ledger[T - most // 2 :])]
    lines = [_FROM_ELSEWHERE if start else _FROM_ZERO, *shown]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        for line in lines
    )


def _cells(row: Any) -> list[str]:
    """Return the cells of one row as text."""
    numbers = [row.mistake.less, *reversed(row.growth), *row.length]
    numbers += [*reversed(row.cosine or ()), *row.distance]
    return [str(row.t), str(row.pick), *map(show, numbers)]
