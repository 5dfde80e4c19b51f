r"""Mistakes counted where the samples are, and what needs nothing but such counts: Pocket.

A sum does not depend on who adds it up. So the weights travel to the shards, whole numbers come
back, and their sum is the count of one machine. Counting is a round, however many weights it is
about; so they are looked at many at a time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.recipes import Recipe, up_to
from perceptron_notes._kit.validation import (
    check_kind,
    check_primal,
    check_run,
    check_weights,
    name_of,
    real_array,
)
from perceptron_notes._kit.values import Array, by_value, frozen
from perceptron_notes.learning import Run, Step, pla, record
from perceptron_notes.native import count_errors
from perceptron_notes.online import Averaged, AveragedStep
from perceptron_notes.pocketing import PocketStep, watch
from perceptron_notes.rules import in_turn
from perceptron_notes.scale.cluster import Place, at
from perceptron_notes.scale.mixing import Epoch, Mixing
from perceptron_notes.scale.shards import Shard, Shards, bare, check_shards

__all__ = [
    "AveragedEpoch",
    "AveragedMixing",
    "AveragedOver",
    "PocketOver",
    "average_mixing",
    "average_over",
    "error_count_over",
    "error_counts_over",
    "pocket_over",
]

_Counts = npt.NDArray[np.intp]
_Steps = Iterable[Any]

#: How many weights are counted together: one at first, then four times as many, up to `MOST`.
_MOST = 256


def error_count_over(w: npt.ArrayLike, shards: Shards, *, on: Any = None) -> int:
    """Return the number of mistakes on all shards.

    Parameters
    ----------
    w : array_like, shape (d + 1,)
        The weights.
    shards : Shards
        n samples with d coordinates.
    on : None, distributed.Client, cluster, str or Place, optional
        Where they are counted, as for `at`.

    Returns
    -------
    int
        The same as `error_count` gives on one machine that holds all the data.

    Raises
    ------
    TypeError, ValueError
        If `w` does not fit the shards, or if a sample is not valid.
    ClusterError
        If the workers are lost.

    Examples
    --------
    >>> from perceptron_notes.datasets import li_hang
    >>> from perceptron_notes.scale import Shards, error_count_over
    >>> error_count_over([0, 1, 1], Shards.split(li_hang(), 2))
    1
    """
    w = check_weights(w, check_shards(shards).d, "w", shards.intercept)
    return int(error_counts_over(w[None], shards, on=on)[0])


def error_counts_over(W: npt.ArrayLike, shards: Shards, *, on: Any = None) -> _Counts:
    """Return the number of mistakes of many weight vectors on all shards, in one round.

    Parameters
    ----------
    W : array_like, shape (k, d + 1)
        The weights, one vector in each row.
    shards, on
        As for `error_count_over`.

    Returns
    -------
    ndarray of intp, shape (k,)

    Raises
    ------
    TypeError, ValueError, ClusterError
        As for `error_count_over`.

    Examples
    --------
    >>> from perceptron_notes.datasets import li_hang
    >>> from perceptron_notes.scale import Shards, error_counts_over
    >>> error_counts_over([[0, 1, 1], [0, 0, 0], [-3, 1, 1]], Shards.split(li_hang(), 2))
    array([1, 3, 0])
    """
    many, shards = real_array(W, "W"), check_shards(shards)
    if many.ndim != 2:
        raise ValueError(f"W has shape {many.shape}; expected (k, d + 1), a row a vector")
    for k, w in enumerate(many):
        check_weights(w, shards.d, f"W[{k}]", shards.intercept)
    with at(on) as place:
        return _counted(place, shards, many)


def _counted(place: Place, shards: Shards, W: Array) -> _Counts:
    """Return the mistakes of many weight vectors, from all shards."""
    total: _Counts = np.sum(place.each(_count_in, shards, W), axis=0)
    return total


def _count_in(shard: Shard, W: Array) -> _Counts:
    """Return the mistakes of many weight vectors in one shard."""
    W, found = W.copy(), np.zeros(len(W), dtype=np.intp)  # what has travelled may be unaligned
    for block in shard.blocks():
        found += count_errors(block.data, W, block.data.n + 1)
    return found


# --------------------------------------------------------------------------------- Pocket


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class PocketOver(Recipe[PocketStep]):
    """A run that is watched over shards, as a recipe: iterating it always gives the same steps.

    Attributes
    ----------
    shards : Shards
        The samples on which mistakes are counted.
    run : Search, Mixing, Run, Trace, or steps of your own
        What is watched.
    on : None, distributed.Client, cluster, str or Place
        Where they are counted; not part of its value.

    Examples
    --------
    >>> from perceptron_notes import pla
    >>> from perceptron_notes.datasets import xor
    >>> from perceptron_notes.scale import Shards, pocket_over
    >>> run = pocket_over(Shards.split(xor(), 2), pla(xor()))
    >>> [step.best_errors for step, _ in zip(run, range(4))]
    [4, 2, 2, 2]
    """

    shards: Shards
    run: _Steps | Callable[[Shards], _Steps]
    on: Any = field(default=None, kw_only=True)

    def __iter__(self) -> Iterator[PocketStep]:
        return self.follow(_steps_of(self.run, self.shards))

    def end(self, updates: int, passes: int | None) -> PocketStep:
        """Return the step at which a cap stops: no mistakes are counted beyond it."""
        steps = up_to(_steps_of(self.run, self.shards), updates, passes)
        return deque(self.follow(steps), maxlen=1).pop()

    def follow(self, steps: Iterator[Step]) -> Iterator[PocketStep]:
        """Yield the steps of Pocket; the mistakes of many weights are counted together."""
        counts: deque[int] = deque()

        def ahead() -> Iterator[Step]:
            many = 1
            while batch := list(islice(steps, many)):
                W = np.array([step.w for step in batch])
                counts.extend(_counted(place, self.shards, W).tolist())
                yield from batch
                many = min(4 * many, _MOST)

        with at(self.on) as place:
            # Pocket asks data for their number, and for nothing else.
            data: Any = self.shards
            yield from watch(data, ahead(), lambda w, data: counts.popleft())

    def __repr__(self) -> str:
        return f"pocket_over({self.shards!r}, {name_of(self.run)})"


def _steps_of(run: _Steps | Callable[[Shards], _Steps], shards: Shards) -> Iterator[Step]:
    """Return the steps of a run, with weights that no one else can change."""
    return (_copied(step, shards) for step in (run(shards) if callable(run) else run))


def _copied(step: Any, shards: Shards) -> Step:
    """Return a step with weights of its own, which fit the shards."""
    check_primal(step)
    w = frozen(check_weights(step.w, shards.d, "w", shards.intercept))
    passes = getattr(step, "passes", None)
    if isinstance(step, Epoch):  # its weights are those with which the next one begins
        passes = step.n + 1
    return Step(step.t, w, step.pick, passes)


def pocket_over(
    shards: Shards, run: _Steps | Callable[[Shards], _Steps], *, on: Any = None
) -> PocketOver:
    r"""Watch a run and keep the weights with the fewest mistakes on all shards.

    This is the same algorithm as `pocket`, with the same steps, bit for bit, as on one machine that
    holds all the data. Only the counting is done by the workers, in rounds of up to 256 weights. So
    the run may be ahead of the steps that you see, but a cap stops it at the same step.

    Parameters
    ----------
    shards : Shards
        The samples on which mistakes are counted.
    run : Search, Mixing, Run, Trace, or steps of your own
        Such as ``pla_over(shards)``; or ``mixing(shards)``, of which the weights after each epoch
        are compared; or a run on a part of the data that one machine holds, ``pla(some)``; or
        any iterable of `Step`, or a function that makes one from the shards.
    on : None, distributed.Client, cluster, str or Place, optional
        Where mistakes are counted, as for `at`.

    Returns
    -------
    PocketOver
        A recipe with one `PocketStep` for each step, made lazily; as long as the run.

    Raises
    ------
    TypeError
        If `shards` are not Shards, or if `run` is not a run.
    ValueError
        While it is iterated, if the weights of a step do not fit the shards.
    ClusterError
        While it is iterated, if the workers are lost.

    References
    ----------
    Gallant, S. I., "Perceptron-based learning algorithms", *IEEE Transactions on Neural
    Networks* 1, 1990.

    Examples
    --------
    >>> from perceptron_notes import last, pla, pocket
    >>> from perceptron_notes.datasets import xor
    >>> from perceptron_notes.scale import Shards, pla_over, pocket_over
    >>> shards = Shards.split(xor(), 2)
    >>> end = last(pocket_over(shards, pla_over(shards)), at_most=20)
    >>> end == last(pocket(xor(), pla(xor())), at_most=20)
    True
    """
    return PocketOver(check_shards(shards), check_run(run, "pla_over(shards)"), on=on)


# -------------------------------------------------------------------------------- average


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class AveragedOver(Recipe[AveragedStep]):
    """A run over shards whose weights are averaged, as a recipe.

    Attributes
    ----------
    shards : Shards
        The samples that the run is on.
    run : Search, or steps of your own
        What is watched.

    Examples
    --------
    >>> from perceptron_notes.datasets import xor
    >>> from perceptron_notes.scale import Shards, average_over, pla_over
    >>> shards = Shards.split(xor(), 2)
    >>> [step.rounds for step, _ in zip(average_over(shards, pla_over(shards)), range(5))]
    [0, 1, 2, 3, 4]
    """

    shards: Shards
    run: _Steps | Callable[[Shards], _Steps]

    def __iter__(self) -> Iterator[AveragedStep]:
        return iter(self.watching())

    def end(self, updates: int, passes: int | None) -> AveragedStep:
        """Return the step at which a cap stops; a cap of passes counts their rounds."""
        found: AveragedStep = self.watching().end(updates, passes)
        return found

    def watching(self) -> Averaged:
        """Return the run that `average` watches: it asks data for their shape alone."""
        n, m = self.shards.n, self.shards.d + self.shards.intercept
        shape = bare(np.broadcast_to(0.0, (n, m)), np.broadcast_to(1, n), m > self.shards.d, 0.0)
        return Averaged(shape, lambda _: _steps_of(self.run, self.shards), in_turn)

    def __repr__(self) -> str:
        return f"average_over({self.shards!r}, {name_of(self.run)})"


def average_over(shards: Shards, run: _Steps | Callable[[Shards], _Steps]) -> AveragedOver:
    r"""Watch a run in turn over shards and average its weights over the rounds of `average`.

    There, a round shows one sample. How many were shown between two mistakes follows from the
    numbers of the two samples. So averaging asks nothing of the shards, and no sample is read
    again.

    Parameters
    ----------
    shards : Shards
        The samples that the run is on.
    run : Search, or steps of your own
        ``pla_over(shards)``; or any iterable of the `Step` of a run in turn, or a function that
        makes one from the shards.

    Returns
    -------
    AveragedOver
        A recipe with one `AveragedStep` for each step, bit for bit those of `average` on one
        machine that holds all the data.

    Raises
    ------
    TypeError
        If `shards` are not Shards, or if `run` is not a run.
    ValueError
        If a `Run` has another rule than `in_turn`; while it is iterated, if the weights of a step
        do not fit the shards.

    References
    ----------
    Freund, Y. and Schapire, R. E., "Large margin classification using the perceptron
    algorithm", *Machine Learning* 37, 1999.

    Examples
    --------
    >>> from perceptron_notes import average, last, pla
    >>> from perceptron_notes.datasets import li_hang
    >>> from perceptron_notes.scale import Shards, average_over, pla_over
    >>> shards = Shards.split(li_hang(), 2)
    >>> end = last(average_over(shards, pla_over(shards)))
    >>> end == last(average(li_hang(), pla(li_hang())))
    True
    """
    if isinstance(run, Run) and run.pick is not in_turn:
        raise ValueError(f"the run has the rule {name_of(run.pick)}; expected in_turn")
    return AveragedOver(check_shards(shards), check_run(run, "pla_over(shards)"))


@by_value
class AveragedEpoch(NamedTuple):
    """An epoch of mixing and the average of all weights up to it.

    Attributes
    ----------
    epoch : Epoch
        The epoch of the run that is watched; its ``n``, ``t``, ``w``, ``pick`` and ``passes`` are
        attributes of this one too.
    rounds : int
        How many samples all shards have been shown in all epochs up to this one.
    total : ndarray, shape (d + 1,)
        The sum of the weights with which these rounds ended, each in its shard.

    Examples
    --------
    >>> from perceptron_notes import last
    >>> from perceptron_notes.datasets import li_hang
    >>> from perceptron_notes.scale import Shards, average_mixing, mixing
    >>> end = last(average_mixing(mixing(Shards.split(li_hang(), 2))))
    >>> end.n, end.rounds, end.total
    (12, 36, array([-56.,  80.,  52.]))
    """

    epoch: Epoch
    rounds: int
    total: Array

    @property
    def average(self) -> Array:
        """The mean of these weights."""
        return frozen(self.total / self.rounds)

    @property
    def n(self) -> int:
        """Which epoch, counted from 1."""
        return self.epoch.n

    @property
    def t(self) -> int:
        """How many updates all shards have made up to here."""
        return self.epoch.t

    @property
    def w(self) -> Array:
        """The mixed weights after the epoch."""
        return self.epoch.w

    @property
    def pick(self) -> int | None:
        """The first shard that made a mistake; None if none did."""
        return self.epoch.pick

    @property
    def passes(self) -> int:
        """The same as n."""
        return self.epoch.passes


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class AveragedMixing(Recipe[AveragedEpoch]):
    """A run of mixing whose weights are averaged, as a recipe.

    Attributes
    ----------
    run : Mixing
        What is watched.
    on : None, distributed.Client, cluster, str or Place
        Where the run is made, if not where it says itself; not part of its value.

    Examples
    --------
    >>> from perceptron_notes.datasets import xor
    >>> from perceptron_notes.scale import Shards, average_mixing, mixing
    >>> run = average_mixing(mixing(Shards.split(xor(), 2)))
    >>> [epoch.rounds for epoch, _ in zip(run, range(3))]
    [4, 8, 12]
    """

    run: Mixing
    on: Any = field(default=None, kw_only=True)

    def __iter__(self) -> Iterator[AveragedEpoch]:
        rounds, total = 0, np.zeros_like(self.run.start.w)
        run = self.run if self.on is None else replace(self.run, on=self.on)
        for epoch, found in run.rounds(_learn_and_sum):
            for *_, shown, weights in found:
                rounds, total = rounds + shown, total + weights
            yield AveragedEpoch(epoch, rounds, frozen(total))

    def end(self, updates: int, passes: int | None) -> AveragedEpoch:
        """Return the last epoch, or the one at which a cap stops: of all updates, or of epochs."""
        found = None
        for found in self:
            if found.t >= updates or (passes is not None and found.n >= passes):
                break
        if found is None:
            raise ValueError("the run has ended before; expected at least one epoch to average")
        return found

    def __repr__(self) -> str:
        return f"average_mixing({self.run!r})"


def average_mixing(run: Mixing, *, on: Any = None) -> AveragedMixing:
    r"""Watch a run of mixing and average the weights of all shards over all rounds.

    A round shows one sample to one shard and ends with its weights, the corrected ones if it was a
    mistake. The average of the epochs so far is the mean of the weights with which all of these
    rounds ended, so that weights count for as long as they lasted. With a single shard it is the
    `average` of PLA in turn.

    Parameters
    ----------
    run : Mixing
        Such as ``mixing(shards)``. If it was resumed, the epochs before do not count.
    on : None, distributed.Client, cluster, str or Place, optional
        Where the run is made, as for `at`, if not where it says itself. It is made once: what the
        shards learn and how long it lasted come in one answer.

    Returns
    -------
    AveragedMixing
        A recipe with one `AveragedEpoch` for each epoch, made lazily; as long as the run.

    Raises
    ------
    TypeError
        If `run` is not a Mixing.
    ClusterError
        While it is iterated, if the workers are lost.

    References
    ----------
    McDonald, R., Hall, K. and Mann, G., "Distributed training strategies for the structured
    perceptron", *NAACL HLT* 2010.

    Examples
    --------
    >>> from perceptron_notes import last
    >>> from perceptron_notes.datasets import xor
    >>> from perceptron_notes.scale import Shards, average_mixing, mixing
    >>> last(average_mixing(mixing(Shards.split(xor(), 2))), passes=3).average
    array([0.  , 0.25, 0.  ])
    """
    check_kind(run, Mixing, "run", "a Mixing, as from mixing(shards)")
    return AveragedMixing(run, on=on)


def _learn_and_sum(shard: Shard, w: Array, passes: int) -> tuple[int, Array, int, Array]:
    """Learn as mixing does; count the rounds, too, and sum the weights with which they end."""
    mistakes, rounds, total = 0, 0, np.zeros_like(w)
    for _ in range(passes):
        before = mistakes
        for block in shard.blocks():
            trace = record(pla(block.data, w0=w), passes=1)
            w, mistakes, rounds = trace.w, mistakes + trace.updates, rounds + block.data.n
            # Each change comes too late for the rounds before it.
            late = trace.picks[:, None] * np.diff(trace.W, axis=0)
            total = total + block.data.n * w - np.cumsum(late, axis=0)[-1:].sum(axis=0)
        if mistakes == before:
            break
    return mistakes, w, rounds, total
