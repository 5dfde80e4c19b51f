r"""Exact search over shards: the steps of `pla` on the whole data, bit for bit.

In turn, PLA walks through the samples, and so through one shard after another. The weights with
which it will enter a shard are unknown before the shards in front of it have been searched;
but as long as they hold no mistake, these are the current weights. So in a **round** every worker
walks through its shard from the current weights, as if there were nothing before it. The first
shard of the tour that has a mistake was right to do so, and its whole walk counts. The results of
the shards behind it are discarded.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.recipes import Recipe
from perceptron_notes._kit.validation import check_weights
from perceptron_notes._kit.values import Array, by_value, frozen
from perceptron_notes.data import Dataset, bare
from perceptron_notes.learning import Step, WatchedStep, corrections
from perceptron_notes.rules import Look, in_passes, in_turn
from perceptron_notes.scale.cluster import Place, There, at
from perceptron_notes.scale.shards import Shard, Shards, check_shards

__all__ = ["Found", "Search", "pla_over"]

#: A worker's report has the weights before each of its updates, and no more numbers than this.
_NUMBERS = 1 << 16


@by_value
@dataclass(frozen=True, eq=False)
class Found(WatchedStep):
    """A step of PLA, and how many rounds it took to find its mistake.

    Attributes
    ----------
    step : Step
        The step that `pla` makes on the whole data; its ``t``, ``w``, ``pick`` and ``passes`` are
        attributes of this one too. Samples are numbered through all shards.
    rounds : int
        How many rounds there have been so far, in each of which all workers search.

    Examples
    --------
    >>> from perceptron_notes.scale import Shards, pla_over
    >>> next(iter(pla_over(Shards.split(li_hang(), 2))))
    Found(step=Step(t=0, w=array([0., 0., 0.]), pick=0, passes=1), rounds=1)
    """

    rounds: int


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class Search(Recipe[Found]):
    """A run of PLA over shards, as a recipe: iterating it always gives the same steps.

    Attributes
    ----------
    shards : Shards
        The samples that it runs on.
    w0 : ndarray, shape (d + 1,)
        The weights that it starts from, read-only.
    on : None, distributed.Client, cluster, str or Place
        Where it runs; not part of its value.

    Examples
    --------
    >>> from perceptron_notes.scale import Shards, pla_over
    >>> run = pla_over(Shards.split(li_hang(), 2))
    >>> last(run).w, last(run).rounds
    (array([-3.,  1.,  1.]), 8)
    """

    shards: Shards
    w0: Array
    on: Any = field(default=None, kw_only=True)

    def __iter__(self) -> Iterator[Found]:
        rounds: deque[int] = deque()
        steps = in_passes(_search(self, rounds), in_turn, self.shards.n)
        return (Found(step, rounds.popleft()) for step in steps)

    def __repr__(self) -> str:
        start = f", w0={self.w0}" if self.w0.any() else ""
        return f"pla_over({self.shards!r}{start})"


def pla_over(shards: Shards, *, w0: npt.ArrayLike | None = None, on: Any = None) -> Search:
    r"""Run PLA in turn over shards, with the steps of one machine that holds all the data.

    In each round every worker starts from the same weights, walks through its shard and reports the
    mistakes that it comes across. If there are *S* shards and the run makes *P* passes, it takes at
    most :math:`SP + 1` rounds: one for each visit to a shard that corrects anything, and one that
    finds no mistake. (A walk with very many mistakes is cut into several, of about 65,000 numbers
    each.)

    In a round a worker walks through its shard once. One machine alone walks through *S* shards in
    a pass; so this **pays where most visits find nothing**: on data that are nearly learnt, or
    separable with a wide margin. Where every shard has a mistake in every pass, the workers are
    as slow as one machine, and the network costs time as well; `mixing` is for such data. What you
    always get are the steps of `pla`, on data that no machine holds.

    Parameters
    ----------
    shards : Shards
        The data.
    w0 : array_like, shape (d + 1,), optional
        The weights to start from; zeros if left out. The learning rate is 1.
    on : None, distributed.Client, cluster, str or Place, optional
        Where it runs, as for `at`. If only a few shards can be searched at a time (in this process
        just one), the next few are searched when these had no mistake; the rounds are counted as
        if there were a worker for each shard.

    Returns
    -------
    Search
        A recipe of `Found`. **If the data are not separable it never ends**; `last` stops at a
        cap.

    Raises
    ------
    ClusterError
        While it is iterated, if the workers are lost.

    Examples
    --------
    >>> from perceptron_notes.scale import Shards, pla_over
    >>> shards = Shards.split(li_hang(), 2)
    >>> [found.step for found in pla_over(shards)] == list(pla(li_hang()))
    True
    >>> [found.rounds for found in pla_over(shards)]
    [1, 2, 3, 4, 5, 6, 7, 8]
    """
    d = check_shards(shards).d + shards.intercept
    start = np.zeros(d) if w0 is None else check_weights(w0, shards.d, "w0", shards.intercept)
    return Search(shards, frozen(start), on=on)


# ----------------------------------------------------------------------- the coordinator


class _Walk(NamedTuple):
    """The corrections between two samples: the picks, the weights before and after, the end."""

    picks: list[int]
    W: Array
    end: int


def _search(run: Search, rounds: deque[int]) -> Iterator[Step]:
    """Yield the steps of a run; append to `rounds` for each the number of rounds so far."""
    shards, w, place = run.shards, run.w0, 0
    most, t = max(1, _NUMBERS // len(w)), 0
    with at(run.on) as there:
        for number in count(1):
            found = (walk for walk in _tour(shards, there, w, place, most) if walk.picks)
            picks, W, place = next(found, _Walk([], w[None], place))
            place %= shards.n
            for i, v in zip(picks, W[:-1], strict=True):
                rounds.append(number)
                yield Step(t, frozen(v.copy()), i)
                t += 1
            w = frozen(W[-1].copy())
            if not picks:
                rounds.append(number)
                yield Step(t, w, None)
                return


def _tour(shards: Shards, there: Place, w: Array, place: int, most: int) -> Iterator[_Walk]:
    """Yield the workers' walks in a round, in the order in which PLA comes to them.

    Only as many shards are searched at a time as can be. If there are more shards,
    those behind a mistake are not searched.
    """
    here = next(k for k, shard in enumerate(shards) if place < shard.first + shard.size)
    order, late = [*shards.parts[here:], *shards.parts[:here]], None
    size = 1
    if isinstance(there, There):
        with there.in_one_sentence():
            size = max(1, sum(there.call(there.client.scheduler.ncores).values()))
    for k in range(0, len(order), size):
        for walk, rest in there.each(_walks, order[k : k + size], w, place, most):
            yield walk
            late = late or rest
    if late is not None:
        yield late


# --------------------------------------------------------------------------- the worker


def _walks(shard: Shard, w: Array, place: int, most: int) -> tuple[_Walk, _Walk | None]:
    """Return the walk from `place` (or all the shard), and the walk up to it, if still needed."""
    w = w.copy()  # an array that was sent may be unaligned
    first, behind = shard.first, shard.first + shard.size
    if not first < place < behind:
        return _walk(shard, w, first, behind, most), None
    own = _walk(shard, w, place, behind, most)
    return own, None if own.picks else _walk(shard, w, first, place, most)


def _walk(shard: Shard, w: Array, start: int, stop: int, most: int) -> _Walk:
    """Return the walk of PLA between two samples of a shard, with at most `most` updates."""
    picks: list[int] = []
    W = [w]
    for first, data in _between(shard, start, stop):
        onward = _Onward(most - len(picks))
        steps = list(corrections(data, W[-1], onward, np.float64(1)))
        picks += [first + step.pick for step in steps if step.pick is not None]
        W += [step.w for step in steps[1:]]
        if len(picks) == most:
            return _Walk(picks, np.array(W), picks[-1] + 1)
    return _Walk(picks, np.array(W), stop)


def _between(shard: Shard, start: int, stop: int) -> Iterator[tuple[int, Dataset]]:
    """Yield the samples of a shard between two indices, in blocks, each with its first index."""
    for first, data in shard.blocks():
        a, b = max(start - first, 0), min(stop - first, data.n)
        if b <= 0:
            return
        if a < b:
            X, y = data.X[a:b], data.y[a:b]
            yield first + a, bare(X, y, shard.intercept, data.reach)


class _Onward:
    """The rule that goes through the samples once, as `in_turn` does, for at most `most` picks."""

    def __init__(self, most: int) -> None:
        self.left = most

    def __call__(self, look: Look, n: int, previous: int | None) -> int | None:
        """Return the next mistake after the last one, or None."""
        self.left -= 1
        return look(0 if previous is None else previous + 1, n) if self.left >= 0 else None
