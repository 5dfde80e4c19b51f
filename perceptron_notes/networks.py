r"""Chapter 9, networks: perceptrons in layers, made by hand or trained by backpropagation.

A `Network` is nothing but layers of weights, each row a perceptron with its bias first. `forward`
computes all scores, `backward` all slopes, and `train` descends the logistic loss and yields
its steps. `hidden` is what the last unit sees of the data: a Dataset like any other, on which
`pla`, `separate` and the ledger work as ever.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, count, pairwise
from itertools import product as tuples
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.elementary import exp, log1p, product, sigmoid, tanh
from perceptron_notes._kit.recipes import Recipe
from perceptron_notes._kit.validation import (
    check_count,
    check_kind,
    check_layers,
    check_one_of,
    check_points,
    check_positive,
    check_rng,
    check_several,
    check_weights,
)
from perceptron_notes._kit.values import Array, Labels, by_value, frozen
from perceptron_notes.data import Dataset, check_dataset

__all__ = [
    "Network",
    "TrainStep",
    "Training",
    "backward",
    "forward",
    "gradient",
    "hidden",
    "loss",
    "monomials",
    "numerical_gradient",
    "parity",
    "polygon_network",
    "random_network",
    "sigmoid",
    "staircase_network",
    "train",
]

Arrays = list[Array]
Layers = tuple[Array, ...]

_Activation = Literal["sign", "tanh", "relu", "square"]
#: A hidden unit's output a as a function of its score s, and the slope of that, from s and a.
ACTIVATIONS: dict[_Activation, tuple[Callable[[Any], Any], Callable[[Any, Any], Any]]] = {
    "sign": (np.sign, lambda s, a: 0 * a),
    "tanh": (tanh, lambda s, a: 1 - a * a),
    "relu": (lambda s: np.maximum(s, 0), lambda s, a: (s > 0) + 0 * a),
    "square": (lambda s: s * s, lambda s, a: 2 * s),
}

# ------------------------------------------------------------------------------ the value


@by_value
@dataclass(frozen=True, eq=False, repr=False, init=False)
class Network:
    r"""Layers of perceptrons: each sees the outputs of the layer below, and a constant 1.

    From its inputs **z**, the first of which is 1, a unit with weights **w** computes the score
    **w**·**z**. In a hidden layer the activation of the score goes on to the next layer; the
    last layer has one unit, and its score decides. Called with points, a network returns
    their scores: ``network(points)`` has shape (n,), and its sign is the answer.

    Parameters
    ----------
    layers : sequence of array_like
        For each layer a matrix of shape (units, 1 + inputs), with a row for each unit, its bias
        first. The last has one row. They are copied, and the copies are read-only.
    activation : {"tanh", "sign", "relu", "square"}
        Of all hidden units; "sign" makes them the perceptrons of chapter 1.

    Examples
    --------
    >>> network = Network([[[-1, 2, 2], [3, -2, -2]], [[-1, 1, 1]]], "sign")
    >>> network, network(xor().points)
    (Network(2-2-1, sign), array([-1.,  1.,  1., -1.]))
    """

    layers: Layers
    activation: _Activation

    def __init__(self, layers: Sequence[npt.ArrayLike], activation: _Activation = "tanh") -> None:
        check_one_of(activation, "activation", ACTIVATIONS)
        vars(self).update(layers=check_layers(layers), activation=activation)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of inputs, and the number of units in each layer."""
        return (self.layers[0].shape[1] - 1, *map(len, self.layers))

    def __call__(self, points: npt.ArrayLike) -> Array:
        """Return the scores of the last unit, shape (n,), for points of shape (n, d)."""
        return forward(self, _check_inputs(self, points))[1][-1][:, 0]

    def __repr__(self) -> str:
        return f"Network({'-'.join(map(str, self.sizes))}, {self.activation})"


def _check_inputs(network: Network, points: npt.ArrayLike) -> Array:
    """Return `points` as a float64 matrix with a column for each input of the network."""
    points = check_points(points)
    if points.shape[1] != (d := _check_network(network).sizes[0]):
        raise ValueError(f"points has {points.shape[1]} coordinates; {network} takes {d}")
    return points


def _check_network(network: Network) -> Network:
    """Return `network` itself, if it is one."""
    check_kind(network, Network, "network", "a Network(layers)")
    return network


# ------------------------------------------------------------------------- backpropagation


def forward(network: Network, A: Array) -> tuple[Arrays, Arrays]:
    """For each layer its inputs, with the leading 1, and its scores."""
    value, _ = ACTIVATIONS[network.activation]
    inputs: Arrays = []
    scores: Arrays = []
    for W in network.layers:
        A = value(scores[-1]) if scores else A
        inputs.append(np.concatenate([np.ones_like(A[:, :1]), A], axis=1))
        scores.append(product(inputs[-1], W.T))
    return inputs, scores


def backward(network: Network, inputs: Arrays, scores: Arrays, delta: Array) -> Layers:
    """The slopes by all weights, from `delta`, those by the last scores."""
    _, slope = ACTIVATIONS[network.activation]
    slopes: Arrays = []
    for k in reversed(range(len(network.layers))):
        slopes.insert(0, product(delta.T, inputs[k]))
        if k > 0:
            blame = product(delta, network.layers[k][:, 1:])
            delta = blame * slope(scores[k - 1], inputs[k][:, 1:])
    return tuple(slopes)


def _slopes_by_score(signed: Array, y: Labels) -> Array:
    """Return, as a column, how the mean logistic loss changes with each sample's score."""
    return (-(y * sigmoid(-signed)) / len(y))[:, None]


def _mean_loss(signed: Array) -> float:
    """Return the mean of ln(1 + exp(−signed score))."""
    return float((np.maximum(-signed, 0) + log1p(exp(-np.abs(signed)))).mean())


def loss(network: Network, data: Dataset) -> float:
    r"""Return the mean logistic loss of the scores s, :math:`\frac1N\sum_n\ln(1 + e^{-y_n s_n})`.

    Parameters
    ----------
    network : Network
        With an input for each coordinate.
    data : Dataset
        n samples. A network has biases of its own, even on data without an intercept.

    Returns
    -------
    float
        ln 2 if all scores are 0.

    Examples
    --------
    >>> round(loss(Network([[[0, 0, 0]]]), xor()), 4)
    0.6931
    """
    return _mean_loss(check_dataset(data).y * _check_network(network)(data.points))


def gradient(network: Network, data: Dataset) -> Layers:
    """Return the slope of the `loss` by every weight, found by backpropagation.

    Parameters
    ----------
    network, data
        As for `loss`.

    Returns
    -------
    tuple of ndarray
        Shaped like ``network.layers``. Where an activation has a kink, the slope on its left.

    References
    ----------
    Rumelhart, D. E., Hinton, G. E. and Williams, R. J., "Learning representations by
    back-propagating errors", *Nature* 323, 1986.

    Examples
    --------
    >>> gradient(Network([[[0, 0, 0]]]), li_hang())
    (array([[-0.16666667, -1.        , -0.83333333]]),)
    """
    inputs, scores = forward(network, _check_inputs(network, check_dataset(data).points))
    return backward(network, inputs, scores, _slopes_by_score(data.y * scores[-1][:, 0], data.y))


def numerical_gradient(network: Network, data: Dataset, h: float = 1e-5) -> Layers:
    r"""Return the `gradient` without calculus: move each weight by ±h, and compare the losses.

    Parameters
    ----------
    network, data
        As for `loss`.
    h : float
        The step. The error of a smooth network's slope is about h², plus rounding of about
        10⁻¹⁶/h.

    Returns
    -------
    tuple of ndarray
        Shaped like ``network.layers``; it takes two forward passes for each weight.

    Examples
    --------
    >>> numerical_gradient(Network([[[0, 0, 0]]]), li_hang())[0].round(6)
    array([[-0.166667, -1.      , -0.833333]])
    """
    h = check_positive(h, "h")
    layers = [W.copy() for W in _check_network(network).layers]

    def moved(W: Array, entry: tuple[int, ...], by: float) -> float:
        kept, W[entry] = W[entry], W[entry] + by
        value = loss(Network(tuple(layers), network.activation), data)
        W[entry] = kept
        return value

    slopes = [np.zeros_like(W) for W in layers]
    for W, G in zip(layers, slopes, strict=True):
        for entry in np.ndindex(W.shape):
            G[entry] = (moved(W, entry, h) - moved(W, entry, -h)) / (2 * h)
    return tuple(slopes)


# -------------------------------------------------------------------------------- training


@by_value
class TrainStep(NamedTuple):
    """One state of the training.

    Attributes
    ----------
    t : int
        How many steps have been made before.
    network : Network
        The network *before* the step.
    signed_scores : ndarray, shape (n,)
        Its signed scores :math:`y_n s_n`, read-only; where one is not positive, the network errs.
    """

    t: int
    network: Network
    signed_scores: Array

    @property
    def loss(self) -> float:
        """The mean logistic loss."""
        return _mean_loss(self.signed_scores)

    @property
    def errors(self) -> int:
        """The number of mistakes that the network makes."""
        return int((~(self.signed_scores > 0)).sum())

    @property
    def pick(self) -> int | None:
        """The first mistake; None exactly when there is none."""
        return int((~(self.signed_scores > 0)).argmax()) if self.errors else None

    @property
    def passes(self) -> None:
        """None, since every step uses all samples."""


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class Training(Recipe[TrainStep]):
    """A run of `train`, as a recipe: iterating it always gives the same steps.

    Its attributes are the arguments of `train`: ``network``, ``data`` and ``rate``.
    """

    network: Network
    data: Dataset
    rate: float

    def __iter__(self) -> Iterator[TrainStep]:
        return _descend(self.network, self.data, self.rate)

    def __repr__(self) -> str:
        rate = f", rate={self.rate:g}" if self.rate != 1 else ""
        return f"train({self.network!r}, {self.data!r}{rate})"


def train(network: Network, data: Dataset, *, rate: float = 1.0) -> Training:
    r"""Descend the logistic loss along its gradient, one step at a time.

    Each step replaces every matrix W of the network by W − λG, where G holds the slopes of the
    `loss` with respect to its entries. A single unit trained in this way is logistic regression.
    The steps use no functions of the system (see `elementary`), so a run is the same everywhere.

    Parameters
    ----------
    network : Network
        The network to start from, with an input for each coordinate. Hidden units that are alike
        stay alike, so begin with different ones, such as those of `random_network`.
    data : Dataset
        n samples. A network has biases of its own, even on data without an intercept.
    rate : float
        The learning rate λ > 0.

    Returns
    -------
    Training
        **It never ends**, even when no mistake is left: take the steps that you need, or use
        `last` with ``at_most``.

    Raises
    ------
    ValueError
        If a run leaves the range of float64; a smaller rate may prevent that.

    Examples
    --------
    >>> start = random_network((2, 2, 1), rng=np.random.default_rng(1))
    >>> [last(train(start, xor()), at_most=t).errors for t in (0, 10, 100)]
    [3, 1, 0]
    """
    _check_inputs(network, check_dataset(data).points)
    return Training(network, data, check_positive(rate, "rate"))


def _descend(network: Network, data: Dataset, rate: float) -> Iterator[TrainStep]:
    """Yield the steps of gradient descent, without end: forward, backward, then downhill."""
    y = data.y
    for t in count():
        inputs, scores = forward(network, data.points)
        signed = y * scores[-1][:, 0]
        yield TrainStep(t, network, frozen(signed))
        slopes = backward(network, inputs, scores, _slopes_by_score(signed, y))
        steps = zip(network.layers, slopes, strict=True)
        network = Network(tuple(W - rate * G for W, G in steps), network.activation)


def random_network(
    sizes: Sequence[int],
    activation: _Activation = "tanh",
    *,
    scale: float = 1.0,
    rng: np.random.Generator,
) -> Network:
    """Draw a network with independent normal weights and biases.

    Parameters
    ----------
    sizes : sequence of int
        How many inputs, and how many units in each layer; the last is 1.
    activation : {"tanh", "sign", "relu", "square"}
        The activation of the hidden units.
    scale : float
        The standard deviation of the weights.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    Network

    Examples
    --------
    >>> random_network((2, 3, 1), rng=np.random.default_rng(1))
    Network(2-3-1, tanh)
    """
    rng, scale = check_rng(rng), check_positive(scale, "scale")
    each = check_several(sizes, "sizes", "(2, 3, 1) or the like")
    sizes = [check_count(size, f"sizes[{k}]", least=1) for k, size in enumerate(each)]
    if len(sizes) < 2 or sizes[-1] != 1:
        raise ValueError(f"sizes is {tuple(sizes)}; expected inputs, units …, and 1 at the end")
    shapes = [(upper, 1 + lower) for lower, upper in pairwise(sizes)]
    return Network(tuple(scale * rng.standard_normal(shape) for shape in shapes), activation)


def hidden(network: Network, data: Dataset) -> Dataset:
    """Return what the last unit sees: the outputs of the last hidden layer, same labels.

    Parameters
    ----------
    network : Network
        With an input for each coordinate; without hidden layers, the points stay as they are.
    data : Dataset
        n samples.

    Returns
    -------
    Dataset
        A coordinate for each unit of the layer. With "sign" units all are −1, 0 or 1, so runs
        and proofs on them are exact.

    Examples
    --------
    >>> network = Network([[[-1, 2, 2], [3, -2, -2]], [[0, 0, 0]]], "sign")
    >>> hidden(network, xor()).points.tolist()
    [[-1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, -1.0]]
    """
    inputs, _ = forward(network, _check_inputs(network, check_dataset(data).points))
    return Dataset(inputs[-1][:, 1:], data.y)


# --------------------------------------------------------------------------------- by hand


def polygon_network(polygons: Sequence[npt.ArrayLike]) -> Network:
    r"""Return a network that is positive on a union of convex polygons, given their sides.

    Parameters
    ----------
    polygons : sequence of array_like, each of shape (sides, d + 1)
        Each row has the weights of a side (in d dimensions, of a face) with the polygon on its
        positive side.

    Returns
    -------
    Network
        With "sign" units: in the first layer one for each side, in the second one for each
        polygon. Its score is positive inside a polygon and negative outside all of them. On a
        side it is 0, if no other polygon is met there; at a corner it may be anything.

    Examples
    --------
    >>> triangle = [[0, 1, 0], [0, 0, 1], [1, -1, -1]]
    >>> polygon_network([triangle])([[0.2, 0.2], [1, 1], [0, 0.5]])
    array([ 1., -1.,  0.])
    """
    each = check_several(polygons, "polygons", "a sequence of matrices, one for each polygon")
    sides = [check_points(sides, f"polygons[{k}]") for k, sides in enumerate(each)]
    if not sides:
        raise ValueError("polygons is empty; expected at least one")
    if len({polygon.shape[1] for polygon in sides}) > 1:
        columns = [polygon.shape[1] for polygon in sides]
        raise ValueError(f"polygons have {columns} columns; expected as many in each")
    owner = np.repeat(np.arange(len(sides)), [len(polygon) for polygon in sides])
    belongs = (owner == np.arange(len(sides))[:, None]).astype(float)
    all_of = np.column_stack([1 - belongs.sum(axis=1), belongs])
    any_of = np.array([[len(sides) - 1.0, *np.ones(len(sides))]])
    return Network((np.vstack(sides), all_of, any_of), "sign")


def staircase_network(data: Dataset, direction: npt.ArrayLike) -> Network:
    r"""Return a network that is right on all samples, with parallel hidden lines.

    The samples are ordered along a direction, and wherever the label changes from one to the
    next, a hidden unit has its threshold halfway between the two. With c changes, the hidden
    codes can be separated with :math:`R^2/\rho^2 \le (c + 1)^2`.

    Parameters
    ----------
    data : Dataset
        n samples with d coordinates.
    direction : array_like, shape (d,)
        Samples with different labels must have different positions along it.

    Returns
    -------
    Network
        With as many "sign" units as there are changes; its score of each sample is the label.

    Examples
    --------
    >>> data = parity(3)
    >>> network = staircase_network(data, [1, 1, 1])
    >>> network, (network(data.points) == data.y).all()
    (Network(3-3-1, sign), np.True_)
    """
    points = check_dataset(data).points
    u = check_weights(direction, data.d, "direction", intercept=False)
    places = product(points, u[:, None])[:, 0]
    order = np.argsort(places, kind="stable")
    t, y = places[order], data.y[order]
    change = np.flatnonzero(y[1:] != y[:-1])
    middles = (t[change] + t[change + 1]) / 2
    units = np.column_stack([-middles, np.tile(u, (len(change), 1))])
    top = [(y[0] + y[-1]) / 2, *(y[change + 1] - y[change]) / 2]
    below = (units,) if len(change) else ()
    network = Network((*below, [top if below else [*top, *(0 * u)]]), "sign")
    for i in np.flatnonzero(network(points) != data.y)[:1]:
        raise ValueError(f"along direction, X[{i}] is too near to one with the other label")
    return network


# ---------------------------------------------------------------------------------- parity


def parity(n: int) -> Dataset:
    """Return all corners of the n-dimensional unit cube, +1 where the number of ones is odd.

    Parameters
    ----------
    n : int
        From 1 to 12.

    Returns
    -------
    Dataset
        2ⁿ samples in the order of counting; for n = 2 they are `xor`.

    References
    ----------
    Minsky, M. and Papert, S., *Perceptrons*, 1969, chapter 3.

    Examples
    --------
    >>> parity(2) == xor()
    True
    """
    check_count(n, "n", 1, 12, ", which makes 4096 samples")
    corners = np.array(list(tuples((0, 1), repeat=n)))
    return Dataset(corners, np.where(corners.sum(axis=1) % 2, 1, -1))


def monomials(data: Dataset, degree: int) -> Dataset:
    """Return data whose coordinates are all products of at most `degree` different coordinates.

    Parameters
    ----------
    data : Dataset
        n samples with d coordinates.
    degree : int
        From 1 to d.

    Returns
    -------
    Dataset
        The single coordinates first, then the products of two, and so on.

    Examples
    --------
    >>> monomials(xor(), 2).points[3]
    array([1., 1., 1.])
    >>> separate(monomials(xor(), 2))
    Separator(w=[-1.  2.  2. -4.], rho=0.2)
    """
    d = check_dataset(data).d
    check_count(degree, "degree", 1, d, ", all coordinates")
    chosen = [S for k in range(1, degree + 1) for S in combinations(range(d), k)]
    columns = [data.points[:, S].prod(axis=1) for S in chosen]
    return Dataset(np.column_stack(columns), data.y, data.intercept)
