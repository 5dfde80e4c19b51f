r"""Mistakes counted where the samples are, and Pocket, which needs nothing but such counts.

A sum does not depend on who adds it up. So the weights are sent to the shards, whole numbers come
back, and their sum is the count of one machine. Counting takes a round however many weights there
are, so many are counted at a time.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from perceptron_notes import native
from perceptron_notes._kit.recipes import Recipe, up_to
from perceptron_notes._kit.validation import (
    check_kind,
    check_primal,
    check_run,
    check_several,
    check_weights,
    name_of,
)
from perceptron_notes._kit.values import Array, by_value, frozen
from perceptron_notes.learning import Step, WatchedStep, last, pla
from perceptron_notes.online import average
from perceptron_notes.pocketing import PocketStep, watch
from perceptron_notes.scale.cluster import Place, at
from perceptron_notes.scale.mixing import Epoch, Mixing, until
from perceptron_notes.scale.shards import Shard, Shards, check_shards

__all__ = [
    "AveragedEpoch",
    "AveragedMixing",
    "PocketOver",
    "average_mixing",
    "error_counts_over",
    "pocket_over",
]

_Counts = npt.NDArray[np.intp]
_Steps = Iterable[Any]

#: How many weights are counted together: one at first, then four times as many, up to this.
_MOST = 256


def error_counts_over(W: npt.ArrayLike, shards: Shards, *, on: Any = None) -> _Counts:
    """Return the number of mistakes of many weight vectors on all shards, in one round.

    Parameters
    ----------
    W : array_like, shape (k, d + 1)
        The weights, one vector in each row.
    shards : Shards
        n samples with d coordinates.
    on : None, distributed.Client, cluster, str or Place, optional
        Where they are counted, as for `at`.

    Returns
    -------
    ndarray of intp, shape (k,)
        The same as `error_count` on one machine that holds all the data.

    Raises
    ------
    TypeError, ValueError
        If `W` does not fit the shards, or if a sample is not valid.
    ClusterError
        If the workers are lost.

    Examples
    --------
    >>> from perceptron_notes.scale import Shards, error_counts_over
    >>> error_counts_over([[0, 1, 1], [0, 0, 0], [-3, 1, 1]], Shards.split(li_hang(), 2))
    array([1, 3, 0])
    """
    d, listed = check_shards(shards).d, check_several(W, "W", "weights in rows")
    many = [check_weights(w, d, f"W[{k}]", shards.intercept) for k, w in enumerate(listed)]
    with at(on) as place:
        return _counted(place, shards, np.array(many))


def _counted(place: Place, shards: Shards, W: Array) -> _Counts:
    """Return the mistakes of many weight vectors on all shards."""
    total: _Counts = np.sum(place.each(_count_in, shards, W), axis=0)
    return total


def _count_in(shard: Shard, W: Array) -> _Counts:
    """Return the mistakes of many weight vectors on one shard."""
    W, found = W.copy(), np.zeros(len(W), dtype=np.intp)  # arrays that were sent may be unaligned
    for _, data in shard.blocks():
        found += native.means.count_errors(data, W, data.n + 1)
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
    run : Mixing, Run, Trace, or steps of your own
        The run that is watched.
    on : None, distributed.Client, cluster, str or Place
        Where they are counted; not part of its value.

    Examples
    --------
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
            # Pocket asks the data for their number, and for nothing else.
            data: Any = self.shards
            yield from watch(data, ahead(), lambda w, data: counts.popleft())

    def __repr__(self) -> str:
        return f"pocket_over({self.shards!r}, {name_of(self.run)})"


def _steps_of(run: _Steps | Callable[[Shards], _Steps], shards: Shards) -> Iterator[Step]:
    """Yield the steps of a run, with weights that nothing else can change."""
    return (_copied(step, shards) for step in (run(shards) if callable(run) else run))


def _copied(step: Any, shards: Shards) -> Step:
    """Return a copy of a step, with weights that fit the shards."""
    check_primal(step)
    w = frozen(check_weights(step.w, shards.d, "w", shards.intercept))
    passes = getattr(step, "passes", None)
    if isinstance(step, Epoch):  # an epoch's weights are those with which the next one begins
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
    run : Mixing, Run, Trace, or steps of your own
        Such as ``mixing(shards)``, of which the weights after each epoch are compared; or a run
        on a part of the data that one machine holds, ``pla(some)``; or any iterable of `Step`, or
        a function that makes one from the shards.
    on : None, distributed.Client, cluster, str or Place, optional
        Where mistakes are counted, as for `at`.

    Returns
    -------
    PocketOver
        A recipe with one `PocketStep` for each step, made lazily; as long as the run.

    Raises
    ------
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
    >>> from perceptron_notes.scale import Shards, pocket_over
    >>> shards = Shards.split(xor(), 2)
    >>> end = last(pocket_over(shards, pla(xor())), at_most=20)
    >>> end == last(pocket(xor(), pla(xor())), at_most=20)
    True
    """
    return PocketOver(check_shards(shards), check_run(run, "mixing(shards)"), on=on)


# -------------------------------------------------------------------------------- average


@by_value
@dataclass(frozen=True, eq=False)
class AveragedEpoch(WatchedStep):
    """An epoch of mixing and the average of all weights up to it.

    Attributes
    ----------
    step : Epoch
        The epoch of the run that is watched; its ``t``, ``w``, ``pick`` and ``passes`` are
        attributes of this one too.
    rounds : int
        How many samples all shards have been shown in all epochs up to this one.
    total : ndarray, shape (d + 1,)
        The sum of the weights with which these rounds ended, each in its shard.

    Examples
    --------
    >>> from perceptron_notes.scale import Shards, average_mixing, mixing
    >>> end = last(average_mixing(mixing(Shards.split(li_hang(), 2))))
    >>> end.passes, end.rounds, end.total
    (12, 36, array([-56.,  80.,  52.]))
    """

    step: Epoch  # type: ignore[assignment]
    rounds: int
    total: Array

    @property
    def average(self) -> Array:
        """The mean of these weights."""
        return frozen(self.total / self.rounds)


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class AveragedMixing(Recipe[AveragedEpoch]):
    """A run of mixing whose weights are averaged, as a recipe.

    Attributes
    ----------
    run : Mixing
        The run that is watched.

    Examples
    --------
    >>> from perceptron_notes.scale import Shards, average_mixing, mixing
    >>> run = average_mixing(mixing(Shards.split(xor(), 2)))
    >>> [epoch.rounds for epoch, _ in zip(run, range(3))]
    [4, 8, 12]
    """

    run: Mixing

    def __iter__(self) -> Iterator[AveragedEpoch]:
        rounds, total = 0, np.zeros_like(self.run.start.w)
        for epoch, found in self.run.rounds(_learn_and_sum):
            for *_, shown, weights in found:
                rounds, total = rounds + shown, total + weights
            yield AveragedEpoch(epoch, rounds, frozen(total))

    def end(self, updates: int, passes: int | None) -> AveragedEpoch:
        """Return the epoch at which a cap stops."""
        epoch: AveragedEpoch = until(self, updates, passes)
        return epoch

    def __repr__(self) -> str:
        return f"average_mixing({self.run!r})"


def average_mixing(run: Mixing) -> AveragedMixing:
    r"""Watch a run of mixing and average the weights of all shards over all rounds.

    A round shows one sample to one shard and ends with its weights, the corrected ones if it was a
    mistake. The average of the epochs so far is the mean of the weights with which all of these
    rounds ended, so that weights count for as long as they lasted. With a single shard it is the
    `average` of PLA in turn.

    Parameters
    ----------
    run : Mixing
        Such as ``mixing(shards)``. It is run only once: what the shards learn and the sums
        come in one answer.

    Returns
    -------
    AveragedMixing
        A recipe with one `AveragedEpoch` for each epoch, made lazily; as long as the run.

    Raises
    ------
    ClusterError
        While it is iterated, if the workers are lost.

    Examples
    --------
    >>> from perceptron_notes.scale import Shards, average_mixing, mixing
    >>> last(average_mixing(mixing(Shards.split(xor(), 2))), passes=3).average
    array([0.  , 0.25, 0.  ])
    """
    check_kind(run, Mixing, "run", "a Mixing, as from mixing(shards)")
    return AveragedMixing(run)


def _learn_and_sum(shard: Shard, w: Array, passes: int) -> tuple[int, Array, int, Array]:
    """Learn as mixing does; also count the rounds, and sum the weights with which they end."""
    mistakes, rounds, total = 0, 0, np.zeros_like(w)
    for _ in range(passes):
        before = mistakes
        for _, data in shard.blocks():
            step = last(average(data, pla(data, w0=w)), passes=1)
            w, mistakes, rounds = step.w, mistakes + step.t, rounds + data.n
            total = total + (data.n + 1) * w - step.aux
        if mistakes == before:
            break
    return mistakes, w, rounds, total
