"""Data sets, samplers, and the one place where input is checked.

A `Dataset` is a matrix of augmented samples ``X`` (a leading column of ones) and a
vector ``y`` of labels −1 or +1. Everything else in the package takes one.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Sequence
from numbers import Real
from operator import attrgetter
from typing import Any, TypeVar, overload

import numpy as np
import numpy.typing as npt

__all__ = [
    "Dataset",
    "augment",
    "credit",
    "flip_labels",
    "halfspaces",
    "iris",
    "li_hang",
    "rings",
    "xor",
]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
A = TypeVar("A", bound=np.ndarray[Any, Any])
C = TypeVar("C", bound=type)

# Sums of squares of larger coordinates leave the range of float64: no score means anything then.
LARGEST = 1e151

IRIS_FEATURES = ("sepal length", "sepal width", "petal length", "petal width")
IRIS_SPECIES = ("setosa", "versicolor", "virginica")


class Dataset:
    r"""Labelled samples, checked once and read-only from then on.

    It is a sequence of pairs **x**, y: ``for x, y in data`` goes through them, and a slice
    such as ``data[:5]`` is a Dataset again.

    Parameters
    ----------
    points : array_like, shape (n, d)
        The samples :math:`\mathbf{x}_1, \dots, \mathbf{x}_n`, one in each row, without
        the leading 1. Any real numbers of size at most 1e151; they are copied to float64.
    labels : array_like, shape (n,)
        The labels :math:`y_1, \dots, y_n`, each −1 or +1.
    intercept : bool
        Whether the samples get a leading 1, for the weight w₀. Without it every boundary goes
        through the origin, and all else follows from that: a weight vector has d entries.

    Attributes
    ----------
    X : ndarray of float64, shape (n, d + 1)
        The augmented samples: ``X[:, 0]`` is 1 and ``X[:, 1:]`` are the points. Without
        intercept, the points themselves, shape (n, d).
    y : ndarray of int64, shape (n,)
        The labels.
    intercept : bool
        Whether ``X`` has the leading 1.
    reach : float
        The largest absolute value in ``X``.

    Raises
    ------
    TypeError
        If the points or labels are not real numbers, or are masked.
    ValueError
        If there are no samples or no dimensions, if the shapes do not fit, if a
        coordinate is NaN, infinite or beyond 1e151, or if a label is not −1 or +1.

    Examples
    --------
    >>> from perceptron_notes import Dataset
    >>> data = Dataset([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    >>> data
    Dataset(n=3, d=2: 2 positive, 1 negative)
    >>> data.X
    array([[1., 3., 3.],
           [1., 4., 3.],
           [1., 1., 1.]])
    """

    __slots__ = ("X", "intercept", "reach", "y")

    X: Array
    y: Labels
    intercept: bool
    reach: float

    def __init__(
        self, points: npt.ArrayLike, labels: npt.ArrayLike, intercept: bool = True
    ) -> None:
        X = augment(points)
        if X.ndim != 2:
            raise ValueError(
                f"points has shape {X[..., 1:].shape}; expected (n, d), a row a sample"
            )
        X = X if check_flag(intercept, "intercept") else X[:, 1:].copy()
        object.__setattr__(self, "X", frozen(X))
        object.__setattr__(self, "intercept", bool(intercept))
        object.__setattr__(self, "reach", largest_size(X))
        object.__setattr__(self, "y", frozen(check_labels(labels, len(X))))

    def __setattr__(self, name: str, value: object = None) -> None:
        raise AttributeError(f"a Dataset is read-only; make a new one to change its {name}")

    __delattr__ = __setattr__

    def __reduce__(self) -> tuple[type[Dataset], tuple[Array, Labels, bool]]:
        return Dataset, (self.points, self.y, self.intercept)

    @property
    def points(self) -> Array:
        """The samples without the leading 1, shape (n, d)."""
        return self.X[:, int(self.intercept) :]

    @property
    def n(self) -> int:
        """How many samples there are."""
        return self.X.shape[0]

    @property
    def d(self) -> int:
        """How many coordinates a point has, the leading 1 not counted."""
        return self.X.shape[1] - int(self.intercept)

    def __len__(self) -> int:
        return self.n

    @overload
    def __getitem__(self, k: int) -> tuple[Array, int]: ...
    @overload
    def __getitem__(self, k: slice | npt.NDArray[Any] | Sequence[int]) -> Dataset: ...
    def __getitem__(self, k: Any) -> tuple[Array, int] | Dataset:
        if isinstance(k, int | np.integer) and not isinstance(k, bool):
            return self.X[k], int(self.y[k])
        return Dataset(self.points[k], self.y[k], self.intercept)

    def __iter__(self) -> Iterator[tuple[Array, int]]:
        return zip(self.X, self.y.tolist(), strict=True)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dataset):
            return NotImplemented
        return (
            np.array_equal(self.X, other.X)
            and np.array_equal(self.y, other.y)
            and (self.intercept == other.intercept)
        )

    __hash__ = None  # type: ignore[assignment]  # equal by value, so not hashable by identity

    def __repr__(self) -> str:
        positive = int((self.y > 0).sum())
        counts = f"{positive} positive, {self.n - positive} negative"
        origin = "" if self.intercept else ", through the origin"
        return f"Dataset(n={self.n}, d={self.d}: {counts}{origin})"


def augment(points: npt.ArrayLike) -> Array:
    r"""Put the constant coordinate :math:`x_0 = 1` in front of every point.

    With it the threshold becomes an ordinary weight, :math:`w_0 = -\text{threshold}`,
    and the score is one inner product :math:`\mathbf{w}\cdot\mathbf{x}`.

    Parameters
    ----------
    points : array_like, shape (n, d) or (d,)
        Points without the leading 1.

    Returns
    -------
    ndarray of float64, shape (n, d + 1) or (d + 1,)

    Raises
    ------
    TypeError, ValueError
        As for `Dataset`.

    Examples
    --------
    >>> from perceptron_notes import augment
    >>> augment([[3, 3], [1, 1]])
    array([[1., 3., 3.],
           [1., 1., 1.]])
    """
    points = real_array(points, "points", LARGEST, fresh=False)
    if points.ndim not in (1, 2):
        raise ValueError(f"points has shape {points.shape}; expected (n, d), a row a sample")
    if len(points) == 0:
        raise ValueError("points is empty; expected at least one sample")
    if points.shape[-1] == 0:
        raise ValueError(f"points has shape {points.shape}; expected at least one coordinate")
    X = np.empty((*points.shape[:-1], points.shape[-1] + 1))
    X[..., 0] = 1.0
    X[..., 1:] = points
    return X


# ---------------------------------------------------------------- checks, used everywhere


def frozen(array: A) -> A:
    """The same array, read-only, so that nobody rewrites a history by accident."""
    array.flags.writeable = False
    return array


def equal(one: Any, other: Any) -> bool:
    """Whether two fields are equal, arrays compared as a whole."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other, equal_nan=np.asarray(one).dtype.kind == "f")
    return bool(one == other)


def restored(cls: type, values: tuple[Any, ...]) -> Any:
    """A value from its pickled fields, its arrays read-only again."""
    return cls(*(frozen(v) if isinstance(v, np.ndarray) else v for v in values))


def by_value(cls: C) -> C:
    """Give a class of values that hold arrays an ``==`` that answers, no hash, a safe pickle."""
    names = getattr(cls, "_fields", None) or [field.name for field in dataclasses.fields(cls)]
    values = attrgetter(*names)

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
    cls.__hash__ = None  # type: ignore[assignment]
    return cls


def real_array(
    values: npt.ArrayLike, name: str, largest: float = sys.float_info.max, fresh: bool = True
) -> Array:
    """`values` as float64, or a sentence about the first entry that is not a usable number."""
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array; fill or leave out what is masked first")
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} is ragged; its rows must have equal lengths") from None
    fractions_or_wide = array.dtype.kind == "O" and all(isinstance(v, Real) for v in array.flat)
    if array.dtype.kind not in "buif" and not fractions_or_wide:
        raise TypeError(f"{name} has dtype {array.dtype}; expected real numbers")
    try:
        array = array.astype(np.float64, copy=fresh)
    except OverflowError:
        raise ValueError(f"{name} has a number beyond the range of float64") from None
    if array.size and not largest_size(array) <= largest:
        unusable = ~(np.abs(array) <= largest)
        where = tuple(int(k) for k in np.argwhere(unusable)[0])
        place = f"{name}[{', '.join(map(str, where))}]" if where else name
        size = f" of size at most {largest:g}" if largest == LARGEST else ""
        raise ValueError(f"{place} is {float(array[where])}; expected a finite number{size}")
    return array


def largest_size(array: Array) -> float:
    """The largest absolute value; NaN if there is one. The extremes tell, without a copy."""
    return float(np.maximum(array.max(), -array.min()))


def check_labels(labels: npt.ArrayLike, n: int | None = None) -> Labels:
    """Labels −1 or +1 as a fresh int64 vector, one for each of n samples."""
    if (text := np.asarray(labels)).dtype.kind in "US" and text.size:
        raise TypeError(
            f"labels has dtype {text.dtype}; expected real numbers, -1 or +1: "
            f"np.where(labels == {text.flat[0].item()!r}, 1, -1) makes them of two names"
        )
    y = real_array(labels, "labels")
    if y.ndim != 1 or len(y) != (len(y) if n is None else n):
        expected = "one dimension" if n is None else f"({n},)"
        raise ValueError(f"labels has shape {y.shape}; expected {expected}")
    if len(y) == 0:
        raise ValueError("labels is empty; expected at least one sample")
    wrong = np.flatnonzero(np.abs(y) != 1)
    if len(wrong):
        raise ValueError(
            f"labels[{wrong[0]}] is {short(y[wrong[0]])}; labels must be -1 or +1{recipe(y)}"
        )
    return y.astype(np.int64)


def short(number: float) -> str:
    """A number in full, but without a needless point."""
    return repr(float(number)).removesuffix(".0")


def recipe(labels: Array) -> str:
    """How to make −1 and +1 of labels with two other values."""
    low, *others = np.unique(labels).tolist()
    if (low, others) == (0, [1]):
        return ": 2 * labels - 1 makes them of 0 and 1"
    if len(others) == 1:
        return f": np.where(labels == {short(others[0])}, 1, -1) makes them of two values"
    return ""


def check_dataset(data: Dataset) -> Dataset:
    """`data` itself, if it is a Dataset."""
    if not isinstance(data, Dataset):
        raise TypeError(f"data is a {type(data).__name__}; expected a Dataset(points, labels)")
    return data


def check_weights(w: npt.ArrayLike, d: int, name: str = "w", intercept: bool = True) -> Array:
    """`w` as a fresh float64 vector with d + 1 entries, or d without intercept."""
    w = real_array(w, name)
    if w.shape != (d + intercept,):
        threshold = "w₀ for the leading 1 and " if intercept else ""
        raise ValueError(
            f"{name} has shape {w.shape}; expected ({d + intercept},): "
            f"{threshold}one weight for each of {d} coordinates"
        )
    return w


def check_fit(w: npt.ArrayLike, data: Dataset, name: str = "w") -> Array:
    """`w` as a fresh float64 vector with a weight for each column of ``data.X``."""
    return check_weights(w, check_dataset(data).d, name, data.intercept)


def check_number(value: float, name: str, expected: str = "a finite number") -> float:
    """A finite real number as a float."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} is {value!r}; expected {expected}")
    try:
        number = float(value)
    except OverflowError:
        number = np.inf
    if not np.isfinite(number):
        raise ValueError(f"{name} is {value}; expected {expected}")
    return number


def check_positive(value: float, name: str) -> float:
    """A positive finite number, such as the learning rate, as a float."""
    expected = "a positive finite number"
    number = check_number(value, name, expected)
    if number <= 0:
        raise ValueError(f"{name} is {number:g}; expected {expected}")
    return number


def check_count(count: int, name: str, least: int = 0) -> int:
    """A whole number that is at least `least`."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer):
        raise TypeError(f"{name} is {count!r}; expected a whole number")
    if count < least:
        raise ValueError(f"{name} is {count}; expected at least {least}")
    return int(count)


def check_flag(flag: bool, name: str) -> bool:
    """True or False as such."""
    if not isinstance(flag, bool | np.bool_):
        raise TypeError(f"{name} is {flag!r}; expected True or False")
    return bool(flag)


def check_rng(rng: np.random.Generator) -> np.random.Generator:
    """`rng` itself, if it is a Generator: chance is always handed in, never global."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng is {rng!r}; expected a generator: np.random.default_rng(seed)")
    return rng


# ---------------------------------------------------------------- data sets of the book


def li_hang() -> Dataset:
    """Three samples of examples 2.1 and 2.2 in Li Hang's book: (3, 3)+, (4, 3)+, (1, 1)−.

    Returns
    -------
    Dataset
        n = 3, d = 2; linearly separable.

    References
    ----------
    Li Hang, *Statistical Learning Methods*, 2nd ed., 2019, chapter 2.

    Examples
    --------
    >>> from perceptron_notes import li_hang
    >>> for x, y in li_hang():
    ...     print(x, y)
    [1. 3. 3.] 1
    [1. 4. 3.] 1
    [1. 1. 1.] -1
    """
    return Dataset([[3, 3], [4, 3], [1, 1]], [1, 1, -1])


def xor() -> Dataset:
    """The four points of the unit square, +1 where exactly one coordinate is 1.

    Returns
    -------
    Dataset
        n = 4, d = 2; no line separates it.

    References
    ----------
    Minsky, M. and Papert, S., *Perceptrons*, 1969.

    Examples
    --------
    >>> from perceptron_notes import xor
    >>> xor().points.tolist(), xor().y.tolist()
    ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [-1, 1, 1, -1])
    """
    return Dataset([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1])


def iris(
    positive: str, negative: str | None = None, *, features: Sequence[str] = IRIS_FEATURES
) -> Dataset:
    """Fisher's iris flowers, one species against another or against the rest.

    The lengths are whole millimetres, so that scores, weights and proofs are exact.

    Parameters
    ----------
    positive : {"setosa", "versicolor", "virginica"}
        The species with label +1.
    negative : {"setosa", "versicolor", "virginica"}, optional
        The species with label −1; both others if left out.
    features : sequence of str
        Which measurements to take, in this order, from ``"sepal length"``,
        ``"sepal width"``, ``"petal length"``, ``"petal width"``.

    Returns
    -------
    Dataset
        n = 100 (or 150 against the rest), d = ``len(features)``, in millimetres.

    Raises
    ------
    ValueError
        If a species or a feature is unknown, or if both species are the same.

    References
    ----------
    Fisher, R. A., "The use of multiple measurements in taxonomic problems",
    *Annals of Eugenics* 7, 1936. Public domain.

    Examples
    --------
    >>> from perceptron_notes import iris
    >>> iris("setosa", "versicolor", features=["petal length", "petal width"])
    Dataset(n=100, d=2: 50 positive, 50 negative)
    """
    import csv  # imported when it is used, like the next line
    from importlib.resources import files

    for species in (positive,) if negative is None else (positive, negative):
        if species not in IRIS_SPECIES:
            raise ValueError(f"{species!r} is no iris here; expected one of {IRIS_SPECIES}")
    if positive == negative:
        raise ValueError(f"positive and negative are both {positive!r}; expected two species")
    for feature in features:
        if feature not in IRIS_FEATURES:
            raise ValueError(f"{feature!r} was not measured; expected some of {IRIS_FEATURES}")
    with files("perceptron_notes").joinpath("iris.csv").open(encoding="utf-8") as lines:
        flowers = [
            flower
            for flower in csv.DictReader(line for line in lines if not line.startswith("#"))
            if negative is None or flower["species"] in (positive, negative)
        ]
    return Dataset(
        [[int(flower[feature]) for feature in features] for flower in flowers],
        [1 if flower["species"] == positive else -1 for flower in flowers],
    )


def credit(n: int = 60, *, rng: np.random.Generator) -> Dataset:
    """Credit-card applicants, invented: yearly income and debt, approved or not.

    A bank that nobody can ask approves an applicant when income is more than 20 above
    twice the debt, and refuses when it is more than 20 below; no one comes in between.

    Parameters
    ----------
    n : int
        How many applicants.
    rng : numpy.random.Generator
        The source of chance.

    Returns
    -------
    Dataset
        d = 2: income and debt, each a whole number of thousands a year; +1 is approved.
        Linearly separable.

    Examples
    --------
    >>> import numpy as np
    >>> from perceptron_notes import credit
    >>> credit(rng=np.random.default_rng(1))
    Dataset(n=60, d=2: 38 positive, 22 negative)
    """
    rng, n = check_rng(rng), check_count(n, "n", least=1)
    income, debt = rng.integers(20, 121, size=50 * n), rng.integers(0, 61, size=50 * n)
    lead = income - 2 * debt
    asked = np.flatnonzero(np.abs(lead) > 20)[:n]
    return Dataset(np.column_stack([income, debt])[asked], np.sign(lead[asked]))


def rings(n: int, *, rng: np.random.Generator) -> Dataset:
    """A disc (+1) inside a ring (−1): no line separates them, a circle does.

    Parameters
    ----------
    n : int
        How many samples; half of them, rounded up, lie in the disc.
    rng : numpy.random.Generator
        The source of chance.

    Returns
    -------
    Dataset
        d = 2. Radii up to 1 in the disc and from 1.5 to 2.5 in the ring, and coordinates
        rounded to multiples of 1/64, so that low powers of them are exact in float64.

    Examples
    --------
    >>> import numpy as np
    >>> from perceptron_notes import rings
    >>> rings(60, rng=np.random.default_rng(1))
    Dataset(n=60, d=2: 30 positive, 30 negative)
    """
    n, rng = check_count(n, "n", least=2), check_rng(rng)
    inside = np.arange(n) < (n + 1) // 2
    radius = np.where(inside, np.sqrt(rng.random(n)), 1.5 + rng.random(n))
    turn = 2 * np.pi * rng.random(n)
    points = np.column_stack([radius * np.cos(turn), radius * np.sin(turn)])
    return Dataset(np.round(points * 64) / 64, np.where(inside, 1, -1))


def halfspaces(n: int, d: int = 2, *, distance: float, rng: np.random.Generator) -> Dataset:
    r"""Random points in a cube, labelled by the side of a hidden hyperplane.

    No point is closer to it than `distance`, so the data are linearly separable.

    Parameters
    ----------
    n : int
        How many samples.
    d : int
        How many coordinates.
    distance : float
        The least Euclidean distance of a point to the hidden hyperplane, in the units of
        the coordinates.
    rng : numpy.random.Generator
        The source of chance.

    Returns
    -------
    Dataset
        Points uniform in :math:`[-1, 1]^d` outside of the band, on a grid of step
        :math:`2^{-12}` (runs of the perceptron on them are exact in float64).

    Raises
    ------
    ValueError
        If `distance` is not positive, or so wide that hardly a point is left.

    Examples
    --------
    >>> import numpy as np
    >>> from perceptron_notes import halfspaces
    >>> halfspaces(100, distance=0.1, rng=np.random.default_rng(0))
    Dataset(n=100, d=2: 62 positive, 38 negative)
    """
    n, d, rng = check_count(n, "n", least=1), check_count(d, "d", least=1), check_rng(rng)
    distance = check_positive(distance, "distance")
    normal = rng.standard_normal(d)
    normal /= np.linalg.norm(normal)
    threshold = rng.uniform(-0.25, 0.25)
    kept: list[Array] = []
    for _ in range(100):
        points = np.round(rng.uniform(-1, 1, size=(4 * n, d)) * 4096) / 4096
        kept.extend(points[np.abs(points @ normal - threshold) >= distance])
        if len(kept) >= n:
            points = np.array(kept[:n])
            return Dataset(points, np.where(points @ normal > threshold, 1, -1))
    raise ValueError(
        f"distance is {distance}; so far from it the cube [-1, 1]^{d} has hardly a point"
    )


def flip_labels(data: Dataset, k: int, *, rng: np.random.Generator) -> Dataset:
    """The same points with the labels of `k` random samples flipped: noise.

    Parameters
    ----------
    data : Dataset
        The clean data; it stays as it is.
    k : int
        How many labels to flip, at most n.
    rng : numpy.random.Generator
        The source of chance.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import numpy as np
    >>> from perceptron_notes import flip_labels, xor
    >>> noisy = flip_labels(xor(), 1, rng=np.random.default_rng(1))
    >>> int((noisy.y != xor().y).sum())
    1
    """
    k = check_count(k, "k")
    if k > check_dataset(data).n:
        raise ValueError(f"k is {k}; there are only {data.n} labels to flip")
    labels = data.y.copy()
    labels[check_rng(rng).choice(data.n, size=k, replace=False)] *= -1
    return Dataset(data.points, labels, data.intercept)
