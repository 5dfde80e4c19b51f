"""The data sets of the book: small ones made by hand, real ones, and random ones."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from perceptron_notes._kit.validation import check_count, check_positive, check_rng, check_several
from perceptron_notes._kit.values import Array
from perceptron_notes.data import Dataset, check_dataset

__all__ = [
    "credit",
    "flip_labels",
    "halfspaces",
    "iris",
    "li_hang",
    "rings",
    "slow",
    "tight",
    "xor",
]

_Length = Literal["sepal length", "sepal width", "petal length", "petal width"]
_Species = Literal["setosa", "versicolor", "virginica"]
_IRIS_FEATURES: tuple[_Length, ...] = get_args(_Length)
_IRIS_SPECIES = get_args(_Species)


def li_hang() -> Dataset:
    """Return the samples of examples 2.1 and 2.2 in Li Hang's book: (3, 3)+, (4, 3)+, (1, 1)−.

    Returns
    -------
    Dataset
        n = 3, d = 2; linearly separable.

    References
    ----------
    Li Hang, *Statistical Learning Methods*, 2nd ed., 2019, chapter 2.

    Examples
    --------
    >>> for x, y in li_hang():
    ...     print(x, y)
    [1. 3. 3.] 1
    [1. 4. 3.] 1
    [1. 1. 1.] -1
    """
    return Dataset([[3, 3], [4, 3], [1, 1]], [1, 1, -1])


def xor() -> Dataset:
    """Return the four points of the unit square, +1 where exactly one coordinate is 1.

    Returns
    -------
    Dataset
        n = 4, d = 2; no line separates it.

    References
    ----------
    Minsky, M. and Papert, S., *Perceptrons*, 1969.

    Examples
    --------
    >>> xor().points.tolist(), xor().y.tolist()
    ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [-1, 1, 1, -1])
    """
    return Dataset([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1])


def iris(
    positive: _Species,
    negative: _Species | None = None,
    *,
    features: Sequence[_Length] = _IRIS_FEATURES,
) -> Dataset:
    """Read Fisher's iris flowers, one species against another or against the rest.

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

    References
    ----------
    Fisher, R. A., "The use of multiple measurements in taxonomic problems",
    *Annals of Eugenics* 7, 1936. Public domain.

    Examples
    --------
    >>> iris("setosa", "versicolor", features=["petal length", "petal width"])
    Dataset(n=100, d=2: 50 positive, 50 negative)
    """
    import csv  # imported on first use, like the next line
    from importlib.resources import files

    for species in (positive,) if negative is None else (positive, negative):
        if species not in _IRIS_SPECIES:
            raise ValueError(f"{species!r} is no iris here; expected one of {_IRIS_SPECIES}")
    if positive == negative:
        raise ValueError(f"positive and negative are both {positive!r}; expected two species")
    features = check_several(features, "features", "names of measurements")
    for feature in features:
        if feature not in _IRIS_FEATURES:
            raise ValueError(f"{feature!r} was not measured; expected some of {_IRIS_FEATURES}")
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
    """Draw invented applicants for a credit card: yearly income and debt, approved or not.

    The bank keeps its rule secret: it approves applicants whose income is more than 20 above
    twice their debt, and refuses those for whom it is more than 20 below. There is no one in
    between.

    Parameters
    ----------
    n : int
        How many applicants.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    Dataset
        d = 2: yearly income and debt, each a whole number of thousands; +1 means approved.
        Linearly separable.

    Examples
    --------
    >>> credit(rng=np.random.default_rng(1))
    Dataset(n=60, d=2: 38 positive, 22 negative)
    """
    rng, n = check_rng(rng), check_count(n, "n", least=1)
    income, debt = rng.integers(20, 121, size=50 * n), rng.integers(0, 61, size=50 * n)
    lead = income - 2 * debt
    asked = np.flatnonzero(np.abs(lead) > 20)[:n]
    return Dataset(np.column_stack([income, debt])[asked], np.sign(lead[asked]))


def rings(n: int, *, rng: np.random.Generator) -> Dataset:
    """Draw a disc (+1) inside a ring (−1): no line separates them, a circle does.

    Parameters
    ----------
    n : int
        How many samples, at least 2; half of them, rounded up, lie in the disc.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    Dataset
        d = 2. Radii up to 1 in the disc and from 1.5 to 2.5 in the ring, and coordinates
        rounded to multiples of 1/64, so that low powers of them are exact in float64.

    Examples
    --------
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
    r"""Draw points in a cube, labelled by the side of a hidden hyperplane that they lie on.

    No point is closer to the hyperplane than `distance`, so the data are linearly separable.

    Parameters
    ----------
    n : int
        How many samples.
    d : int
        How many coordinates.
    distance : float
        The least Euclidean distance of a point from the hidden hyperplane, in the units of
        the coordinates; ValueError if hardly any point is so far from it.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    Dataset
        Points uniform in :math:`[-1, 1]^d` outside the band, on a grid of step
        :math:`2^{-12}` (runs of the perceptron on them are exact in float64).

    Raises
    ------
    ValueError
        If `distance` is not positive, or so large that hardly any point is left.

    Examples
    --------
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
    """Flip the labels of `k` random samples and keep the points: label noise.

    Parameters
    ----------
    data : Dataset
        The clean data, which stay as they are.
    k : int
        How many labels to flip, at most n.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    Dataset

    Examples
    --------
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


def tight(k: int) -> Dataset:
    r"""Return data for which PLA needs exactly :math:`R^2/\rho^2` updates: the bound is attained.

    The samples are the :math:`n = 2^k` rows of the Sylvester–Hadamard matrix H, whose first
    column is 1; the label of a row is its second entry. Rows are orthogonal, so a correction
    of one sample changes no other score: starting from 0, each sample is a mistake until it
    is picked, and right from then on. Hence T = n, in any order. And the second weight alone
    separates with margin ρ = 1, while :math:`R^2 = n`, so :math:`R^2/\rho^2 = n` too.

    Parameters
    ----------
    k : int
        From 1 to 12: there are :math:`n = 2^k` samples with n − 1 coordinates.

    Returns
    -------
    Dataset

    References
    ----------
    Sylvester, J. J., "Thoughts on inverse orthogonal matrices", *Philosophical Magazine* 34,
    1867.

    Examples
    --------
    >>> data = tight(3)
    >>> record(pla(data)).updates, certify(data, separate(data)).bound
    (8, 8)
    """
    check_count(k, "k", 1, 12, ", which makes 4096 samples")
    H = np.ones((1, 1))
    for _ in range(k):
        H = np.block([[H, H], [H, -H]])
    return Dataset(H[:, 1:], H[:, 1])


def slow(d: int) -> Dataset:
    r"""Return d + 1 samples on which PLA makes :math:`(4^{d+1} - 1)/3` updates, in any order.

    Sample 0, the origin, is positive. Sample k, for k = 1, …, d, is negative: it has ones before
    its k-th coordinate, −1 there, and zeros behind. So sample k is right exactly when the weight
    :math:`w_k` exceeds the sum of all weights before it.

    *Why T.* At the end :math:`w_k \ge 1 + w_0 + \dots + w_{k-1}`, so :math:`w_k \ge 2^k` by
    induction. At all times :math:`w_k \le 2^k`: only a correction of sample k raises it, by 1,
    and only while :math:`w_k \le w_0 + \dots + w_{k-1} \le 2^k - 1`. So a run from 0 can end
    nowhere but at :math:`g = (1, 2, 4, \dots, 2^d)`. They give each sample the signed score
    :math:`2^k - (1 + \dots + 2^{k-1}) = 1`, so each update raises :math:`g \cdot w` by exactly 1.
    It starts at 0 and never passes :math:`g \cdot g = 1 + 4 + \dots + 4^d = T`: the run ends, at g,
    after T updates. The best bound :math:`R^2/\rho^2` is (d + 1) T, as :math:`R^2 = d + 1` and
    :math:`\rho = 1/\lVert g\rVert`.

    Parameters
    ----------
    d : int
        How many coordinates, from 1 to 47. By Cauchy's inequality and the length lemma no score
        on the way, nor any part of its sum, exceeds :math:`(d + 1)\sqrt T`, which is below
        :math:`2^{53}` for these d: every run is exact in float64, though with d = 47 nobody will
        see the end of it.

    Returns
    -------
    Dataset
        n = d + 1; linearly separable.

    Notes
    -----
    Times their labels these are the samples of exercise 8.1 in Mohri, M., Rostamizadeh, A. and
    Talwalkar, A., *Foundations of Machine Learning*, 2nd ed., 2018, which asks for a proof that
    every order needs exponentially many updates. That their number is the same in every order,
    and which it is, we have not found elsewhere.

    Examples
    --------
    >>> [record(pla(slow(d))).updates for d in (1, 2, 3, 4)]
    [5, 21, 85, 341]
    >>> last(pla(slow(4))).w
    array([ 1.,  2.,  4.,  8., 16.])
    """
    d = check_count(d, "d", 1, 47, "; beyond it a run need not be exact in float64")
    points = np.tril(np.ones((d, d)), -1) - np.eye(d)
    return Dataset(np.vstack([np.zeros(d), points]), [1] + [-1] * d)
