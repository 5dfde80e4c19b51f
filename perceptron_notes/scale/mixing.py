r"""Iterative parameter mixing: PLA on shards, whose weights are mixed after every pass.

Each epoch every shard starts from the same weights and makes a pass of PLA on its own samples;
then the weights of all shards are mixed. A run is a recipe, as those of `pla` are, and its epochs
are the same bits however many workers there are, in whichever order they answer.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.recipes import Recipe
from perceptron_notes._kit.validation import check_count, check_one_of, check_several, check_weights
from perceptron_notes._kit.values import Array, by_value, frozen
from perceptron_notes.convergence import Obstruction, Separator, separate
from perceptron_notes.data import Dataset, check_dataset, check_fit
from perceptron_notes.exact.deviating import exact_margins
from perceptron_notes.exact.numbers import fractions
from perceptron_notes.learning import last, pla
from perceptron_notes.scale.cluster import at
from perceptron_notes.scale.shards import Shard, Shards, check_shards

__all__ = ["Epoch", "Mixing", "mix", "mixable", "mixing", "shares", "until"]


@by_value
class Epoch(NamedTuple):
    """The result of one epoch: every shard has made its passes, and the weights were mixed.

    Attributes
    ----------
    n : int
        Which epoch, counted from 1.
    w : ndarray, shape (d + 1,)
        The mixed weights after it, read-only.
    mistakes : tuple of int
        How many updates each shard made.
    mixture : tuple of Fraction
        The share of each shard in the weights; they are not negative and their sum is 1.
    t : int
        How many updates were made by all shards in all epochs up to this one.

    Examples
    --------
    >>> from perceptron_notes.scale import Shards, mixing
    >>> epoch = next(iter(mixing(Shards.split(li_hang(), 2))))
    >>> epoch.n, epoch.w, epoch.mistakes, epoch.t
    (1, array([0.5, 3. , 2.5]), (1, 2), 3)
    """

    n: int
    w: Array
    mistakes: tuple[int, ...]
    mixture: tuple[Fraction, ...]
    t: int

    @property
    def pick(self) -> int | None:
        """The first shard with a mistake; None exactly when the weights separate all samples."""
        return next((i for i, k in enumerate(self.mistakes) if k), None)

    @property
    def passes(self) -> int:
        """The same as n, by the name that runs of PLA have for it."""
        return self.n


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class Mixing(Recipe[Epoch]):
    """A run of `mixing`, as a recipe: iterating it always gives the same epochs.

    Attributes
    ----------
    shards : Shards
        The samples that it learns from.
    by : str
        "uniform" or "mistakes".
    passes : int
        How many passes a shard makes in an epoch at most.
    start : Epoch
        The state before the first epoch; its n is 0.
    on : None, distributed.Client, cluster, str or Place
        Where it runs; not part of its value.

    Examples
    --------
    >>> from perceptron_notes.scale import Shards, mixing
    >>> run = mixing(Shards.split(li_hang(), 2), by="mistakes")
    >>> run.by, [epoch.mistakes for epoch in run] == [epoch.mistakes for epoch in run]
    ('mistakes', True)
    """

    shards: Shards
    by: str
    passes: int
    start: Epoch
    on: Any = field(default=None, kw_only=True)

    def __iter__(self) -> Iterator[Epoch]:
        return (epoch for epoch, _ in self.rounds(_learn))

    def rounds(self, learn: Callable[..., Any]) -> Iterator[tuple[Epoch, list[Any]]]:
        """Yield each epoch with the results of its shards: mistakes, weights, and perhaps more."""
        with at(self.on) as place:
            epoch = self.start
            while epoch.n == 0 or epoch.pick is not None:
                found = place.each(learn, self.shards, epoch.w, self.passes)
                mistakes, W, *_ = zip(*found, strict=True)
                mixture = shares(mistakes, self.by)
                w = frozen(mix(W, mistakes, self.by))
                epoch = Epoch(epoch.n + 1, w, mistakes, mixture, epoch.t + sum(mistakes))
                yield epoch, found

    def end(self, updates: int, passes: int | None) -> Epoch:
        """Return the epoch at which a cap stops; no epoch beyond it is made."""
        epoch: Epoch = self.start if passes == 0 else until(self, updates, passes)
        return epoch

    def __repr__(self) -> str:
        more = f", passes={self.passes}" if self.passes != 1 else ""
        return f"mixing({self.shards!r}, {self.by!r}{more})"


def until(epochs: Iterable[Any], updates: int, passes: int | None) -> Any:
    """Return the last epoch, or the one at which a cap stops: on all updates, or on epochs."""
    for epoch in epochs:
        if epoch.t >= updates or (passes is not None and epoch.passes >= passes):
            break
    return epoch


def mixing(
    shards: Shards,
    by: Literal["uniform", "mistakes"] = "uniform",
    *,
    passes: int = 1,
    start: npt.ArrayLike | None = None,
    on: Any = None,
) -> Mixing:
    r"""Learn from shards by iterative parameter mixing.

    In epoch n every shard i starts from :math:`\mathbf{w}_{n-1}`, makes a pass of PLA in turn
    with :math:`k_{i,n}` mistakes, and arrives at :math:`\mathbf{w}_{i,n}`. The next weights are
    :math:`\mathbf{w}_n = \sum_i \mu_{i,n}\mathbf{w}_{i,n}`. If some weights separate all samples
    with the margin ρ, and no sample is longer than R, then a run from 0 has
    :math:`\sum_n\sum_i \mu_{i,n}k_{i,n} \le R^2/\rho^2`, so it ends.

    One-shot averaging is the first epoch with as many `passes` as it takes; the weights need not
    separate.

    Parameters
    ----------
    shards : Shards
        n samples with d coordinates, in S shards.
    by : str
        With "uniform", :math:`\mu_{i,n} = 1/S`; if the data are whole numbers and S is a power of
        two, the weights are exact as long as float64 can hold them. With "mistakes",
        :math:`\mu_{i,n}` is the share of shard i in the mistakes of the epoch.
    passes : int
        How many passes a shard makes in an epoch at most; it stops after one without a mistake.
    start : array_like, shape (d + 1,), optional
        The weights to start from; zeros if left out. From the weights of an epoch the next ones
        go on as they would have.
    on : None, distributed.Client, cluster, str or Place, optional
        Where it runs: this process if left out.

    Returns
    -------
    Mixing
        Iterate over it for its epochs. It ends after an epoch without a mistake. **If no weights
        separate the samples, it never ends**: take the epochs that you need, or use
        ``last(run, passes=20)``, which stops after epoch 20 at the latest.

    References
    ----------
    McDonald, R., Hall, K. and Mann, G., "Distributed training strategies for the structured
    perceptron", *NAACL HLT* 2010.

    Examples
    --------
    >>> from perceptron_notes.scale import Shards, mixing
    >>> for epoch in mixing(Shards.split(li_hang(), 3), by="mistakes"):
    ...     print(epoch.n, epoch.mistakes)
    1 (1, 1, 1)
    2 (0, 0, 1)
    3 (0, 0, 1)
    4 (1, 1, 0)
    5 (0, 0, 1)
    6 (0, 0, 1)
    7 (0, 0, 0)
    """
    check_shards(shards)
    check_one_of(by, "by", ("uniform", "mistakes"))
    w = np.zeros(shards.d + shards.intercept)
    if start is not None:
        w = check_weights(start, shards.d, "start", shards.intercept)
    before = Epoch(0, frozen(w), (), (), 0)
    passes = check_count(passes, "passes", least=1)
    return Mixing(shards, by, passes, before, on=on)


# ------------------------------------------------------------------------------ algorithm


def _learn(shard: Shard, w: Array, passes: int) -> tuple[int, Array]:
    """Return the mistakes and the weights after at most `passes` passes over a shard."""
    mistakes = 0
    for _ in range(passes):
        before = mistakes
        for _, data in shard.blocks():
            step = last(pla(data, w0=w), passes=1)
            w, mistakes = step.w, mistakes + step.t
        if mistakes == before:
            break
    return mistakes, w


def shares(mistakes: Sequence[int], by: str) -> tuple[Fraction, ...]:
    """Return the share of each shard in the mix; equal shares if there are no mistakes."""
    parts = mistakes if by == "mistakes" and any(mistakes) else [1] * len(mistakes)
    return tuple(Fraction(part, sum(parts)) for part in parts)


def mix(W: Sequence[Array], mistakes: Sequence[int], by: str) -> Array:
    """Return the mixed weights: summed in the order of the shards, and divided once."""
    if not any(mistakes):
        return W[0].copy()  # nobody has changed them
    parts = mistakes if by == "mistakes" else [1] * len(W)
    total = np.zeros_like(W[0])
    for part, w in zip(parts, W, strict=True):
        total = total + part * w
    return total / sum(parts)


# ----------------------------------------------------------------------------- one-shot


def mixable(W: npt.ArrayLike, data: Dataset) -> Separator | Obstruction:
    r"""Decide whether any mixture of these weights separates the data, with a proof either way.

    Shares :math:`\mu_i > 0` are themselves weights, for the samples
    :math:`(y_n\mathbf{w}_1\cdot\mathbf{x}_n, \dots, y_n\mathbf{w}_S\cdot\mathbf{x}_n)`. The S unit
    vectors, as further samples, demand that the shares are positive, and `separate` decides.

    Parameters
    ----------
    W : array_like, shape (S, d + 1)
        The weights of S shards.
    data : Dataset
        n samples.

    Returns
    -------
    Separator or Obstruction
        Shares; or samples that no shares can satisfy together, where those from n on are the unit
        vectors.

    Raises
    ------
    ValueError
        If the weights do not fit the data, or if a score does not fit into a float exactly.

    Examples
    --------
    >>> from perceptron_notes.scale import mixable
    >>> data = Dataset([[-2, 3], [1, -2], [1, 3], [3, 3]], [-1, -1, -1, 1])
    >>> mixable([[-5, 1, 0], [-1, 5, -3]], data)
    Obstruction(1/3 of X[1] + 2/3 of X[3] is 0)
    """
    return separate(_in_shares(W, data))


def _in_shares(W: npt.ArrayLike, data: Dataset) -> Dataset:
    """Return what shares of weights must satisfy, as samples through the origin."""
    listed = check_several(W, "W", "weights in rows")
    rows = [check_fit(w, check_dataset(data), f"W[{i}]") for i, w in enumerate(listed)]
    if not rows:
        raise ValueError("W is empty; expected weights in rows")
    scores = [exact_margins(data, fractions(w)) for w in rows]
    points = np.array([[float(a) for a in some] for some in scores]).T
    for i, some in enumerate(scores):
        if fractions(points[:, i]) != some:
            raise ValueError(f"the scores of W[{i}] do not fit into floats; expected whole numbers")
    points = np.vstack([points, np.eye(len(rows))])
    return Dataset(points, np.ones(len(points)), intercept=False)
