"""The calls as they travel between grader and worker: JSON, one message a line.

Only plain things travel: numbers, strings, arrays, tuples and lists of them, fractions. Reading
them back runs no code, whoever wrote them, which pickle could not promise.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = ["Opaque", "pack", "unpack"]

#: Characters that are shown of what does not travel.
SHOWN = 200
#: Arrays travel as their bytes: exactly, and ten times faster than as decimal numbers.
NUMBERS = {
    np.dtype(kind).str: np.dtype(kind)
    for kind in (
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64"),
    )
}


@dataclass(frozen=True)
class Opaque:
    """An answer that does not travel; its type and its beginning are all that is known.

    Parameters
    ----------
    kind : str
        The name of its type.
    text : str
        The beginning of its ``repr``.
    """

    kind: str
    text: str

    def __repr__(self) -> str:
        return f"<{self.kind}: {self.text}>"


def pack(value: Any) -> Any:
    """Turn a value into what JSON can hold.

    Parameters
    ----------
    value : object
        Numbers, strings, arrays, fractions, random generators, tuples and lists travel
        whole; of anything else only what it looks like.

    Returns
    -------
    object
        For ``json.dumps``.

    Examples
    --------
    >>> pack((1, [2.5, None]))
    {'tuple': [1, [2.5, None]]}
    """
    if isinstance(value, np.ndarray | np.generic):
        return pack_array(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple):
        return {"tuple": [pack(each) for each in value]}
    if isinstance(value, list):
        return [pack(each) for each in value]
    if isinstance(value, Fraction):
        return {"fraction": [value.numerator, value.denominator]}
    if isinstance(value, np.random.Generator):
        return {"generator": value.bit_generator.state}
    return {"opaque": [type(value).__name__, repr(value)[:SHOWN]]}


def pack_array(value: Any) -> Any:
    """An array or a number of NumPy's: as bytes, or item by item where it holds objects."""
    array = np.asarray(value)
    shape = None if isinstance(value, np.generic) else list(array.shape)
    kind = array.dtype.newbyteorder("<").str
    if kind in NUMBERS:
        raw = array.astype(kind, copy=False).tobytes()
        return {"array": base64.b64encode(raw).decode("ascii"), "dtype": kind, "shape": shape}
    if array.dtype.kind in "OU" and shape is not None:
        return {"items": [pack(each) for each in array.ravel().tolist()], "shape": shape}
    return {"opaque": [type(value).__name__, repr(value)[:SHOWN]]}


def unpack(value: Any) -> Any:
    """Read back what `pack` made.

    Parameters
    ----------
    value : object
        What ``json.loads`` gave; it may come from a hostile process.

    Returns
    -------
    object
        The value; an `Opaque` for what could not travel.

    Raises
    ------
    ValueError
        If it is nothing that `pack` makes.

    Examples
    --------
    >>> unpack(pack(np.array([[1, 2], [3, 4]])))
    array([[1, 2],
           [3, 4]])
    """
    if isinstance(value, list):
        return [unpack(each) for each in value]
    if not isinstance(value, dict):
        return value
    try:
        match value:
            case {"tuple": items}:
                return tuple(unpack(each) for each in items)
            case {"array": str(text), "dtype": kind, "shape": shape}:
                array = np.frombuffer(base64.b64decode(text), NUMBERS[kind]).copy()
                return array[0] if shape is None else array.reshape(shape)
            case {"items": list(items), "shape": shape}:
                array = np.empty(len(items), dtype=object)
                for i, each in enumerate(items):
                    array[i] = unpack(each)
                return array.reshape(shape)
            case {"fraction": [int(above), int(below)]}:
                return Fraction(above, below)
            case {"generator": state}:
                rng = np.random.default_rng()
                rng.bit_generator.state = state
                return rng
            case {"opaque": [str(kind), str(text)]}:
                return Opaque(kind[:SHOWN], text[:SHOWN])
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise ValueError(f"the answer does not hold together: {error}") from error
    raise ValueError(f"{str(value)[:60]} is no packed value")
