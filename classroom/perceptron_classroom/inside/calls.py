"""Encode the calls between grader and worker as JSON, one message per line.

Only plain values are sent: numbers, strings, arrays, tuples and lists of them, fractions. Reading
them back runs no code, whoever wrote them (unlike pickle), and takes memory and
time in proportion to the message, whatever it contains.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from perceptron_classroom.inside.plain import Opaque, ordinary

__all__ = ["ANSWER", "Opaque", "clean", "hear", "pack", "roomy", "unpack"]

#: Maximum bytes of an answer, and maximum number of values in a message or an array.
ANSWER, MOST = 4_000_000, 1_000_000
#: Maximum nesting of lists, and dimensions of an array.
DEPTH, DIMENSIONS = 32, 8
#: Bound on whole numbers that are sent: even the exact proofs stay far below, and a float can
#: hold it.
LARGEST = 2**1000
#: How many characters are shown of values that cannot be sent.
SHOWN = 200
#: Arrays are sent as their bytes: exactly, and ten times faster than as decimal numbers.
NUMBERS = {
    np.dtype(kind).str: np.dtype(kind)
    for kind in (
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64"),
    )
}


# ------------------------------------------------------------------------------- messages


def hear(line: bytes, most: int = MOST) -> Any:
    """Parse JSON from a possibly hostile process.

    More than `most` values are refused: 20 MB of JSON can hold 7 million.
    """
    if sum(map(line.count, (b"[", b"{", b","))) > most:
        raise ValueError(f"it holds more than {most} values")
    try:
        return json.loads(line)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def clean(text: str, most: int) -> str:
    """Return the beginning of a student's text, without control characters."""
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else "\N{REPLACEMENT CHARACTER}"
        for letter in text[:most]
    )


# -------------------------------------------------------------------------------- packing


def pack(value: Any, depth: int = DEPTH) -> Any:
    """Convert a value to what JSON can represent.

    Numbers, strings, arrays, fractions, generators, tuples, lists and sets are sent whole; of
    anything else, or too large, only a description.
    """
    if isinstance(value, np.ndarray | np.generic):
        return pack_array(value, depth)
    if isinstance(value, int) and abs(value) >= LARGEST:
        return {"opaque": [type(value).__name__, f"a number of {value.bit_length()} bits"]}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        if depth == 0:
            return {"opaque": [type(value).__name__, f"nested more than {DEPTH} deep"]}
        items = list(value) if ordinary(value, LARGEST) else pack_all(value, depth)
        return {"tuple": items} if isinstance(value, tuple) else items
    if isinstance(value, frozenset):
        return {"set": pack_all(value, depth)}
    if isinstance(value, Opaque):
        return {"opaque": [value.kind, value.text]}
    if isinstance(value, Fraction):
        return pack_fraction(value)
    if isinstance(value, np.random.Generator):
        # Its children, if it has any, come from the seed and not from the state.
        entropy = getattr(value.bit_generator.seed_seq, "entropy", None)
        seed = entropy if isinstance(entropy, int) else None
        return {"generator": value.bit_generator.state, "seed": seed}
    return {"opaque": [type(value).__name__, repr(value)[:SHOWN]]}


def pack_all(values: Iterable[Any], depth: int) -> list[Any]:
    """Pack each value, one level deeper."""
    return [pack(each, depth - 1) for each in values]


def pack_fraction(value: Fraction) -> Any:
    """Pack a fraction, unless its numbers are too large."""
    above, below = value.numerator, value.denominator
    if max(abs(above), below) >= LARGEST:
        return {"opaque": ["Fraction", f"of numbers of {below.bit_length()} bits and more"]}
    return {"fraction": [above, below]}


def pack_array(value: Any, depth: int = DEPTH) -> Any:
    """Pack an array or a number of NumPy's: as bytes, or item by item where it holds objects."""
    array = np.asarray(value)
    shape = None if isinstance(value, np.generic) else list(array.shape)
    kind = array.dtype.newbyteorder("<").str
    if depth == 0 or not fits(array.shape):
        return {"opaque": [type(value).__name__, f"of shape {array.shape}"]}
    if kind in NUMBERS:
        raw = array.astype(kind, copy=False).tobytes()
        return {"array": base64.b64encode(raw).decode("ascii"), "dtype": kind, "shape": shape}
    if array.dtype.kind in "OU" and shape is not None:
        return {"items": pack_all(array.ravel().tolist(), depth), "shape": shape}
    return {"opaque": [type(value).__name__, repr(value)[:SHOWN]]}


def fits(shape: Iterable[int]) -> bool:
    """Return whether an array of this shape is small, also as nested lists; some may be empty."""
    sizes = list(shape)
    return len(sizes) <= DIMENSIONS and prod(max(size, 1) for size in sizes) <= MOST


def roomy(packed: Any) -> Any:
    """Return the packed value, or a description if the message would be too long."""
    text = json.dumps(packed)
    if len(text) < 0.9 * ANSWER and sum(map(text.count, "[{,")) < 0.9 * MOST:
        return packed
    return {"opaque": ["answer", f"of more than {MOST} values, or {ANSWER // 10**6} MB"]}


# ------------------------------------------------------------------------------ unpacking


def unpack(value: Any, depth: int = DEPTH + 1) -> Any:
    """Restore a value from the result of `hear`, which may come from a hostile process."""
    if depth == 0:
        raise ValueError(f"the answer is nested more than {DEPTH} deep")
    if isinstance(value, list):
        return value if ordinary(value, LARGEST) else [unpack(v, depth - 1) for v in value]
    if isinstance(value, int) and abs(value) >= LARGEST:
        raise ValueError(f"the answer holds a number of {value.bit_length()} bits")
    if not isinstance(value, dict):
        return value
    try:
        match value:
            case {"tuple": list(items)}:
                return tuple(unpack(each, depth - 1) for each in items)
            case {"set": list(items)}:
                return frozenset(unpack(each, depth - 1) for each in items)
            case {"array": str(text), "dtype": str(kind), "shape": shape}:
                return unpack_array(text, kind, shape)
            case {"items": list(items), "shape": list(shape)}:
                array = np.empty(len(items), dtype=object)
                for i, each in enumerate(items):
                    array[i] = unpack(each, depth - 1)
                # An array without dimensions counts as its only entry.
                return array.reshape(checked_shape(shape)) if shape else array[0]
            case {"fraction": [int(above), int(below)]} if max(abs(above), abs(below)) < LARGEST:
                return Fraction(above, below)
            case {"generator": dict(state), "seed": int() | None as seed}:
                rng = np.random.default_rng(seed)
                rng.bit_generator.state = state
                return rng
            case {"opaque": [str(kind), str(text)]}:
                return Opaque(clean(kind, SHOWN), clean(text, SHOWN))
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise ValueError(f"the answer does not hold together: {error}") from error
    raise ValueError(f"{str(value)[:60]} is no packed value")


def unpack_array(text: str, kind: str, shape: Any) -> Any:
    """Read bytes as an array, or as one number."""
    array = np.frombuffer(base64.b64decode(text, validate=True), NUMBERS[kind]).copy()
    if shape is None:
        return array.reshape(())[()]
    return array.reshape(checked_shape(shape))


def checked_shape(shape: Any) -> list[int]:
    """Return a valid, small shape; raise if it is not."""
    if not isinstance(shape, list) or any(type(n) is not int or n < 0 for n in shape):
        raise ValueError(f"{str(shape)[:60]} is no shape")
    if not fits(shape):
        raise ValueError(f"{str(shape)[:60]} is too large a shape")
    return shape
