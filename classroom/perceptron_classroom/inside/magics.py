"""Cells as Jupyter reads them."""

from __future__ import annotations

import ast
from contextlib import suppress

__all__ = ["python_of"]


def python_of(source: str) -> str:
    """Turn the cell into Python as Jupyter does: magics, ``!`` and ``?`` become calls."""
    # A cell of plain Python needs no parsing by IPython, which is slow.
    with suppress(SyntaxError, ValueError):
        ast.parse(source)
        return source
    from IPython.core.inputtransformer2 import TransformerManager

    return str(TransformerManager().transform_cell(source))  # type: ignore[no-untyped-call]
