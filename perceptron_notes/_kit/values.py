"""Values: read-only arrays, and classes of such arrays that can be compared and pickled."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Self, TypeVar, overload

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.intp]
A = TypeVar("A", bound=np.ndarray[Any, Any])
C = TypeVar("C", bound=type)


#: So many numbers, 2 MB, fit into a processor's cache.
BLOCK = 1 << 18


def blocks(array: npt.NDArray[Any]) -> Iterator[slice]:
    """Yield slices of an array's rows, each small enough for a processor's cache."""
    rows = max(1, BLOCK * len(array) // max(1, array.size))
    return (slice(a, a + rows) for a in range(0, len(array) if array.size else 0, rows))


def frozen(array: A) -> A:
    """Return the array, made read-only so that no history is rewritten by accident."""
    array.flags.writeable = False
    return array


def by_value(cls: C) -> C:
    """Return the class with an ``==`` that compares arrays as wholes, and a safe pickle.

    Its hash is None unless it defines one. All is derived from the fields that its
    ``__match_args__`` name, as in dataclasses and tuples.
    """
    names: tuple[str, ...] = cls.__match_args__  # type: ignore[attr-defined]

    def values(self: Any) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in names)

    def same(self: Any, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(map(equal, values(self), values(other)))

    def differs(self: Any, other: object) -> bool:
        answer = same(self, other)
        return answer if answer is NotImplemented else not answer

    def pickled(self: Any) -> tuple[Any, ...]:
        return restored, (type(self), values(self))

    cls.__eq__, cls.__ne__, cls.__reduce__ = same, differs, pickled  # type: ignore[assignment]
    unlike: Any = (object.__hash__, tuple.__hash__)
    if cls.__hash__ in unlike:
        cls.__hash__ = None  # type: ignore[assignment]
    return cls


def equal(one: Any, other: Any) -> bool:
    """Return whether two fields are equal, arrays as wholes, also within a plain tuple."""
    if type(one) is tuple and type(other) is tuple:
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other, equal_nan=np.asarray(one).dtype.kind == "f")
    return bool(one == other)


def restored(cls: type, values: tuple[Any, ...]) -> Any:
    """Return a value made of its pickled fields, with its arrays read-only again."""
    return cls(*(frozen(v) if isinstance(v, np.ndarray) else v for v in values))


class Samples:
    """Read-only augmented samples, as a sequence: the common base of `Dataset` and `Classes`."""

    __slots__ = ()

    X: Array
    y: Labels
    intercept: bool

    def _set(self, **fields: Any) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object = None) -> None:
        kind = type(self).__name__
        raise AttributeError(f"{kind} is read-only; make a new one to change its {name}")

    __delattr__ = __setattr__

    @property
    def points(self) -> Array:
        """The samples without the leading 1, shape (n, d)."""
        return self.X[:, int(self.intercept) :]

    @property
    def d(self) -> int:
        """The number of coordinates of a point, the leading 1 not counted."""
        return self.X.shape[1] - int(self.intercept)

    def __len__(self) -> int:
        return len(self.X)

    def __hash__(self) -> int:
        parts = ((self.X[rows] + 0.0).tobytes() for rows in blocks(self.X))  # as -0.0 equals 0.0
        return hash((self.intercept, self.X.shape, self.y.tobytes(), *map(hash, parts)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        kind = type(self).__name__
        raise TypeError(f"a {kind} is samples and labels, no array: take its X, points or y")

    @overload
    def __getitem__(self, k: int) -> tuple[Array, int]: ...
    @overload
    def __getitem__(self, k: slice | npt.NDArray[Any] | Sequence[int]) -> Self: ...
    def __getitem__(self, k: Any) -> tuple[Array, int] | Self:
        if isinstance(k, int | np.integer) and not isinstance(k, bool):
            return self.X[k], int(self.y[k])
        return self._some(k)

    @abstractmethod
    def _some(self, k: Any) -> Self:
        """Return some of the samples as data of the same kind."""

    def __iter__(self) -> Iterator[tuple[Array, int]]:
        return zip(self.X, self.y.tolist(), strict=True)
