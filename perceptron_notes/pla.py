"""Chapter 2, the perceptron learning algorithm, as a generator of its steps.

`pla` yields its states and keeps none of them. `record` keeps them all, `last` only the
end; pictures, proofs and Pocket watch the same steps.
"""

from __future__ import annotations

import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import count, islice
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from perceptron_notes.data import (
    Array,
    Dataset,
    check_count,
    check_dataset,
    check_positive,
    check_rng,
    check_weights,
    frozen,
)
from perceptron_notes.model import margin
from perceptron_notes.scan import Look, Scan
from perceptron_notes.strides import DRAWS, Strider, skim, tells

__all__ = [
    "ConvergenceWarning",
    "Run",
    "Step",
    "Trace",
    "at_random",
    "criterion",
    "first",
    "in_turn",
    "last",
    "pla",
    "record",
    "shuffled",
]

#: The number of updates after which `record` and `last` stop by themselves.
AT_MOST = 10_000

#: ``pick(look, n, previous)``: the index of the mistake to correct, ``None`` if none is left.
PickRule = Callable[[Look, int, int | None], int | None]


class ConvergenceWarning(UserWarning):
    """A run was stopped by the default cap while it still had mistakes."""


class Step(NamedTuple):
    """One state of the algorithm.

    Attributes
    ----------
    t : int
        How many updates were made before.
    w : ndarray, shape (d + 1,)
        The weights *before* the update, read-only.
    pick : int or None
        The index of the sample that will correct ``w``; ``None`` exactly when no mistake
        is left.
    """

    t: int
    w: Array
    pick: int | None


class Run(Iterator[Step]):
    """Steps, together with the data and the rate that they belong to.

    It lets `record` and the proofs know what a stream of steps is about. Wrap a generator
    of your own in one to record it too.

    Parameters
    ----------
    data : Dataset
        What the steps run on.
    steps : iterable of Step
        The steps, made lazily as they are asked for.
    rate : float
        The learning rate λ.
    """

    def __init__(self, data: Dataset, steps: Iterable[Step], rate: float = 1.0) -> None:
        self.data, self.rate = check_dataset(data), check_positive(rate, "rate")
        self.source = iter(steps)

    def __next__(self) -> Step:
        return next(self.source)


# ------------------------------------------------------------------------------ pick rules


@tells(tour=lambda n: (None, None))
def in_turn(look: Look, n: int, previous: int | None) -> int | None:
    """The next mistake after the one just corrected, round and round: cyclic PLA.

    Parameters
    ----------
    look : callable
        ``look(start, stop, order=None)`` finds the first mistake among the samples
        ``start`` … ``stop - 1``, or among ``order[start:stop]``.
    n : int
        The number of samples.
    previous : int or None
        The sample corrected last.

    Returns
    -------
    int or None
    """
    start = 0 if previous is None else previous + 1
    i = look(start, n)
    return look(0, start) if i is None else i


def first(look: Look, n: int, previous: int | None) -> int | None:
    """The mistake with the lowest index, from the top each time.

    Parameters
    ----------
    look, n, previous
        As for `in_turn`.

    Returns
    -------
    int or None
    """
    return look(0, n)


def shuffled(rng: np.random.Generator) -> PickRule:
    """Make a rule that goes round like `in_turn`, but in one random order.

    Parameters
    ----------
    rng : numpy.random.Generator
        Chooses the order, once, when the rule is made.

    Returns
    -------
    pick rule
        Every run that uses it on n samples takes the same order of them.
    """
    seed = int(check_rng(rng).integers(2**63))

    @cache
    def tour(n: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        order = np.random.default_rng(seed).permutation(n)
        return order, np.argsort(order)

    @tells(tour=tour)
    def in_shuffled_turn(look: Look, n: int, previous: int | None) -> int | None:
        order, place = tour(n)
        start = 0 if previous is None else int(place[previous]) + 1
        i = look(start, n, order)
        return look(0, start, order) if i is None else i

    return in_shuffled_turn


def at_random(rng: np.random.Generator) -> PickRule:
    """Make a rule that takes every mistake with the same probability.

    It draws samples until one is a mistake: the first mistake among independent uniform
    draws is uniform among the mistakes, and mistakes need not be counted for it. When
    many draws in a row were right, it goes through all samples in a random order.

    Parameters
    ----------
    rng : numpy.random.Generator
        The source of chance; it moves on with every pick.

    Returns
    -------
    pick rule
    """

    @tells(rng=check_rng(rng))
    def at_random_pick(look: Look, n: int, previous: int | None) -> int | None:
        draws = DRAWS
        while draws < n:
            i = look(0, draws, rng.integers(n, size=draws))
            if i is not None:
                return i
            draws *= 8
        return look(0, n, rng.permutation(n))

    return at_random_pick


def check_pick(pick: Any) -> PickRule:
    """`pick` itself, if it can be a rule; the makers of rules need their rng first."""
    for maker in (shuffled, at_random):
        if pick is maker:
            raise TypeError(f"pick is {maker.__name__} itself; expected {maker.__name__}(rng)")
    if not callable(pick):
        raise TypeError(f"pick is {pick!r}; expected a rule such as in_turn")
    return pick


# ------------------------------------------------------------------------------ algorithm


def pla(
    data: Dataset,
    pick: PickRule = in_turn,
    *,
    w0: npt.ArrayLike | None = None,
    rate: float = 1.0,
) -> Run:
    r"""Run the perceptron learning algorithm, one step at a time.

    Starting from ``w0``, find a sample with
    :math:`y_n\,\mathbf{w}_t\cdot\mathbf{x}_n \le 0`, correct it by
    :math:`\mathbf{w}_{t+1} = \mathbf{w}_t + \lambda\,y_n\mathbf{x}_n`, and go on until no
    such sample is left.

    Parameters
    ----------
    data : Dataset
        n samples with d coordinates.
    pick : pick rule
        Which mistake to correct: `in_turn`, `first`, ``shuffled(rng)``,
        ``at_random(rng)``, or a function of your own with the arguments of `in_turn`.
    w0 : array_like, shape (d + 1,), optional
        The weights to start from; zeros if left out.
    rate : float
        The learning rate λ > 0. With ``w0 = 0`` it only scales the weights.

    Returns
    -------
    Run
        An iterator of `Step`. **If the data are not linearly separable it never ends**:
        take from it what you need, or use `record` or `last`, which stop at a cap.

    Raises
    ------
    TypeError
        If an argument is of the wrong kind.
    ValueError
        If `w0` does not fit the data, or if the rate is not positive and finite.

    References
    ----------
    Rosenblatt, F., "The perceptron: a probabilistic model for information storage and
    organization in the brain", *Psychological Review* 65, 1958.

    Examples
    --------
    >>> for step in pla(li_hang()):
    ...     print(step.t, step.w, step.pick)
    0 [0. 0. 0.] 0
    1 [1. 3. 3.] 2
    2 [0. 2. 2.] 2
    3 [-1.  1.  1.] 2
    4 [-2.  0.  0.] 0
    5 [-1.  3.  3.] 2
    6 [-2.  2.  2.] 2
    7 [-3.  1.  1.] None
    """
    d, rate = check_dataset(data).d, check_positive(rate, "rate")
    start = np.zeros(d + 1) if w0 is None else check_weights(w0, d, "w0")
    run = partial(corrections, data, rate=rate)
    return Run(data, Strider(run, Step, data, start, check_pick(pick), rate), rate)


def corrections(data: Dataset, w: Array, pick: PickRule, rate: float) -> Iterator[Step]:
    """The algorithm itself: find a mistake, correct it, until none is left."""
    X, y, scan = data.X, data.y, Scan(data)
    i = None
    for t in count():
        i = pick(scan(w), len(y), i)
        yield Step(t, frozen(w), i)
        if i is None:
            return
        w = w + rate * y[i] * X[i]


# ------------------------------------------------------------------------------ watching


class Trace(NamedTuple):
    """A whole run: every weight vector and every pick.

    Attributes
    ----------
    data : Dataset
        What the run was on.
    rate : float
        The learning rate λ.
    W : ndarray, shape (T + 1, d + 1)
        ``W[t]`` are the weights after t updates, read-only.
    picks : ndarray of int64, shape (T,)
        ``picks[t]`` is the sample that turned ``W[t]`` into ``W[t + 1]``, read-only.
    converged : bool
        Whether no mistake was left at the end.
    """

    data: Dataset
    rate: float
    W: Array
    picks: npt.NDArray[np.int64]
    converged: bool

    @property
    def w(self) -> Array:
        """The last weights, shape (d + 1,)."""
        return self.W[-1]

    @property
    def updates(self) -> int:
        """T, the number of updates."""
        return len(self.picks)

    def __repr__(self) -> str:
        end = "converged" if self.converged else "not converged"
        return f"Trace({self.updates} updates, {end}, w={self.w})"


S = TypeVar("S")


def up_to(
    steps: Iterable[S],
    at_most: int | None,
    take: Callable[[Iterable[S], int], Iterator[S]] = islice,
) -> Iterator[S]:
    """The steps up to a cap; when the default cap cuts a run short, a warning says so."""
    cap = AT_MOST if at_most is None else check_count(at_most, "at_most")
    step: Any = None
    for step in take(steps, min(cap, sys.maxsize - 1) + 1):
        if not hasattr(step, "pick"):
            raise TypeError(f"steps yields a {type(step).__name__}; expected steps of a run")
        yield step
    if step is None:
        raise ValueError("steps is empty; expected at least the starting weights")
    if at_most is None and step.pick is not None:
        warnings.warn(
            f"still mistakes after {cap} updates, the default cap; the data may not be "
            "linearly separable (separate(data) decides), or at_most must be larger",
            ConvergenceWarning,
            stacklevel=3,
        )


def record(steps: Run, at_most: int | None = None) -> Trace:
    """Keep a run as a whole.

    Parameters
    ----------
    steps : Run
        What `pla` returns, or steps of your own in a `Run`.
    at_most : int, optional
        The number of updates after which to stop. If it is left out the cap is 10 000,
        and a warning says when it was reached with mistakes left.

    Returns
    -------
    Trace

    Raises
    ------
    TypeError
        If `steps` does not say what data it is about.
    ValueError
        If `at_most` is negative, or if there are no steps.

    Warns
    -----
    ConvergenceWarning
        If the default cap stopped the run.

    Examples
    --------
    >>> record(pla(li_hang()))
    Trace(7 updates, converged, w=[-3.  1.  1.])
    """
    if not isinstance(steps, Run):
        raise TypeError(
            f"steps is a {type(steps).__name__}; expected pla(data), or Run(data, steps, rate)"
        )
    W, picks = [], []
    for _, w, i in up_to(steps, at_most):
        W.append(w)
        picks.append(i)
    T = len(W) - 1
    chosen = np.array(picks[:T], dtype=np.int64)
    return Trace(steps.data, steps.rate, frozen(np.array(W)), frozen(chosen), picks[T] is None)


def last(steps: Iterable[S], at_most: int | None = None) -> S:
    """The last step, in constant memory.

    Parameters
    ----------
    steps : iterable of Step, PocketStep or DualStep
        A run of any of the algorithms.
    at_most : int, optional
        The number of updates after which to stop, as for `record`.

    Returns
    -------
    Step, PocketStep or DualStep
        Its ``pick`` is ``None`` if the run ended by itself.

    Raises
    ------
    ValueError
        If `at_most` is negative, or if there are no steps.

    Warns
    -----
    ConvergenceWarning
        If the default cap stopped the run.

    Examples
    --------
    >>> last(pla(li_hang())).w
    array([-3.,  1.,  1.])
    """
    return deque(up_to(steps, at_most, skim), maxlen=1).pop()


def criterion(w: npt.ArrayLike, data: Dataset) -> float:
    r"""The perceptron criterion of the weights ``w``.

    It is the sum of :math:`-y_n\,\mathbf{w}\cdot\mathbf{x}_n` over the mistakes: convex and
    piecewise linear in ``w``, never negative. PLA is a stochastic subgradient method for
    it. It is also 0 at ``w = 0``, where every sample is a mistake.

    Parameters
    ----------
    w : array_like, shape (d + 1,)
        The weights.
    data : Dataset
        n samples with d coordinates.

    Returns
    -------
    float
        In the units of the score.

    Raises
    ------
    TypeError, ValueError
        If `w` does not fit the data.

    Examples
    --------
    >>> criterion([0, 1, 1], li_hang())
    2.0
    """
    return float(np.maximum(-margin(w, data), 0).sum())
