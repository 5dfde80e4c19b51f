r"""Are shards linearly separable? The proof of one machine, found by looking at a few samples.

Whether weights separate is decided by a few samples: at most d + 2 of them hold the point of
the hull that is nearest to 0. So one machine keeps a **pool**, small enough for `separate` to
decide exactly. An obstruction of the pool is one of all the data. Weights that separate the pool
are sent to every shard, which returns the samples on which they do worst. As long as some do
worse than all of the pool, they join it. When none does, the margin of these weights on all the
data is their margin on the pool; and no weights do better on all samples than the best do on some.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isclose
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from perceptron_notes._kit.values import Array, by_value
from perceptron_notes.convergence import Answer, Obstruction, Separator, separate
from perceptron_notes.data import Dataset
from perceptron_notes.exact.hull import MANY, Progress
from perceptron_notes.exact.numbers import Vector, direction, least_margin, norm2, primitive, root
from perceptron_notes.exact.separation import silent
from perceptron_notes.scale.cluster import at
from perceptron_notes.scale.shards import Shard, Shards, check_shards

__all__ = ["Separation", "separate_over"]

#: How many samples a shard may always send, however many shards there are.
_EACH = 8

#: The number of a shard, and a row in it.
_Place = tuple[int, int]


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class Separation(Answer):
    """Whether shards are linearly separable, with the proof and how it was found.

    Attributes
    ----------
    proof : Separator or Obstruction
        As from `separate`, about all the data: an obstruction numbers the samples through all
        shards.
    places : tuple of (int, int)
        Shard and row of each sample of an obstruction; or of a sample on which a separator has
        its margin.
    pooled : int
        How many samples were sent from their shards to the pool.
    rounds : int
        How often the shards were asked for their worst samples.

    Examples
    --------
    >>> from perceptron_notes.scale import Shards, separate_over
    >>> found = separate_over(Shards.split(xor(), 2))
    >>> found.separable, found.proof == separate(xor()), found.places
    (False, True, ((0, 0), (0, 1), (1, 0), (1, 1)))
    """

    proof: Separator | Obstruction
    places: tuple[_Place, ...]
    pooled: int
    rounds: int

    @property
    def separable(self) -> bool:
        """Whether weights separate all samples of all shards."""
        return self.proof.separable

    def verify(self, shards: Shards, *, on: Any = None) -> bool:
        r"""Return whether the proof holds, decided in whole numbers where the samples are.

        Parameters
        ----------
        shards : Shards
            The data.
        on : None, distributed.Client, cluster, str or Place, optional
            Where the shards are read, as for `at`.

        Returns
        -------
        bool
        """
        check_shards(shards)
        with at(on) as place:
            if not self.proof.separable:
                sent = place.each(_these, shards, self.places)
            elif len(self.proof.exact) == shards.d + shards.intercept:
                found = place.each(_worst, shards, self.proof.exact, 0.0, 0)
            else:
                return False
        if self.proof.separable:
            least = min(found, key=itemgetter(0)).least
            return least > 0 and isclose(_reach(least, self.proof.exact), self.proof.rho)
        there = _together(sent)
        if not there or set(there) != set(self.places):
            return False
        met = _dataset([there[place] for place in self.places], shards.intercept)
        known = self.proof.samples == _numbers(self.places, shards)
        return known and replace(self.proof, samples=tuple(range(met.n))).verify(met)

    def __repr__(self) -> str:
        many = f"{self.rounds} round{'s' * (self.rounds != 1)}, {self.pooled} pooled"
        return f"Separation({self.proof!r}; {many})"


def separate_over(
    shards: Shards, *, on: Any = None, progress: Progress | None = None
) -> Separation:
    r"""Decide whether shards are linearly separable, with the proof that one machine gives.

    The samples stay where they are; only the few that may matter are sent to a pool here. The
    proof is about **all** samples: an `Obstruction` of some is one of all, and no sample of any
    shard has a smaller margin than the pool, for which `separate` has verified that no weights
    have a larger one. All of that is decided in whole numbers.

    Parameters
    ----------
    shards : Shards
        n samples with d coordinates.
    on : None, distributed.Client, cluster, str or Place, optional
        Where the shards are read, as for `at`. The pool is always here.
    progress : callable, optional
        Called now and then with a sentence that says how far the search has come, as for
        `separate`.

    Returns
    -------
    Separation
        Its `proof` is of the kind that `separate` gives on one machine that holds all the data,
        and the margin is the same to 8 digits. Where different sets of samples give the point
        nearest to 0, or floats propose it in another order, the last digits of the weights
        may differ, and so may the choice among several obstructions.

    Raises
    ------
    ValueError
        If a sample is not valid, or is no longer what it was when it was read before.
    ClusterError
        If the workers are lost.

    References
    ----------
    Kelley, J. E., "The cutting-plane method for solving convex programs", *Journal of the Society
    for Industrial and Applied Mathematics* 8, 1960.

    Examples
    --------
    >>> from perceptron_notes.scale import Shards, separate_over
    >>> separate_over(Shards.split(li_hang(), 2))
    Separation(Separator(w=[-4.  1.  1.], rho=0.47140452); 1 round, 3 pooled)
    >>> separate_over(Shards.split(xor(), 4)).places
    ((0, 0), (1, 0), (2, 0), (3, 0))
    """
    S, m = len(check_shards(shards)), shards.d + shards.intercept
    report, pool, rounds = progress or silent, dict[_Place, _Sample](), 0
    first, more = (-(-k * m // S) for k in _growth(m))
    with at(on) as place:
        new = _together(place.each(_spread, shards, first))
        # At most n rounds: whatever floats say, a shard sends its worst sample, found exactly. If
        # that is worse than all of the pool, it is new there; if none is, the search ends.
        while True:
            pool |= new
            places = sorted(pool)
            data = _dataset([pool[there] for there in places], shards.intercept)
            proof = separate(data, progress)
            if not proof.separable:
                met = tuple(places[k] for k in proof.samples)
                proof = replace(proof, samples=_numbers(met, shards))
                return Separation(proof, met, len(pool), rounds)
            enough = float(_rough_margins(data, proof.exact).min())
            found = place.each(_worst, shards, proof.exact, enough, max(more, _EACH))
            lowest = min(found, key=itemgetter(0))
            # The largest margin that any weights have on all the data lies between these two.
            least, most = _reach(lowest.least, proof.exact), proof.rho
            rounds += 1
            sizes = f"{len(pool)} samples pooled, margin from {least:.6g} to {most:.6g}"
            report(f"round {rounds}: {sizes}")
            if lowest.least >= least_margin(data, proof.exact)[1]:
                return Separation(proof, (lowest.place,), len(pool), rounds)
            new = _together(one.samples for one in found)
            if new.keys() <= pool.keys():  # but in the pool their margins were larger
                k, row = lowest.place
                raise ValueError(f"row {row} of shard {k} is not what it was; expected it to stay")


def _growth(m: int) -> tuple[int, int]:
    """Return the pool's first size and its growth, in samples for each of m weights.

    With many weights and more than 40 samples for each, `separate` begins with Newton's method.
    """
    return (20, 8) if m <= MANY else (44, 16)


def _together(sent: Iterable[dict[_Place, _Sample]]) -> dict[_Place, _Sample]:
    """Return the samples of all shards in one dict."""
    return {there: x for samples in sent for there, x in samples.items()}


#: A row of ``X``, and its label.
_Sample = tuple[Array, int]


def _reach(least: Fraction, w: Vector) -> float:
    """Return the augmented geometric margin, negative where there are mistakes."""
    return (1 if least > 0 else -1) * root(least**2 / norm2(w)) if least else 0.0


def _numbers(places: Iterable[_Place], shards: Shards) -> tuple[int, ...]:
    """Return the indices of these samples, counted through all shards."""
    return tuple(shards[k].first + row for k, row in places)


def _dataset(samples: list[_Sample], intercept: bool) -> Dataset:
    """Return samples that were sent as a Dataset."""
    X, y = np.array([x for x, _ in samples]), [label for _, label in samples]
    return Dataset(X[:, int(intercept) :], y, intercept)


# -------------------------------------------------------------------------- in the shards


class _Worst(NamedTuple):
    """A shard's answer about weights: its least margin, exactly; where; and its worst samples."""

    least: Fraction
    place: _Place
    samples: dict[_Place, _Sample]


def _spread(shard: Shard, most: int) -> dict[_Place, _Sample]:
    """Return at most `most` samples, evenly spread over a shard."""
    rows = np.linspace(0, shard.size - 1, min(shard.size, most)).astype(np.intp)
    return _chosen(shard, rows.tolist())


def _these(shard: Shard, places: tuple[_Place, ...]) -> dict[_Place, _Sample]:
    """Return the samples at these places, as far as they are in this shard."""
    return _chosen(shard, [row for k, row in places if k == shard.number])


def _chosen(shard: Shard, rows: list[int]) -> dict[_Place, _Sample]:
    """Return some rows of a shard."""
    wanted, found = np.unique(np.array(rows, dtype=np.intp)), {}
    for first, data in shard.blocks() if rows else ():
        begin = first - shard.first
        for row in wanted[(begin <= wanted) & (wanted < begin + data.n)].tolist():
            found[shard.number, row] = _sample(data, row - begin)
    return found


def _sample(data: Dataset, k: int) -> _Sample:
    """Return a copy of a row, and its label."""
    return data.X[k].copy(), int(data.y[k])


def _worst(shard: Shard, w: Vector, enough: float, most: int) -> _Worst:
    """Return the least margin in a shard, exactly, and the worst samples with less than `enough`.

    Of samples with the same margin only one is returned.
    """
    extremes, low = [], list[tuple[float, int, _Sample]]()
    for number, data in shard.blocks():
        begin = number - shard.first
        k, least = least_margin(data, w)
        extremes.append((least, begin + k, _sample(data, k)))
        margins = _rough_margins(data, w)
        below = np.flatnonzero(margins < enough)
        values, first = np.unique(margins[below], return_index=True)
        for value, k in zip(values[:most].tolist(), below[first].tolist(), strict=False):
            low.append((value, begin + k, _sample(data, k)))
        low = sorted(low, key=itemgetter(0, 1))[:most]
    least, row, extreme = min(extremes, key=itemgetter(0, 1))
    sent = {(shard.number, row): extreme} | {(shard.number, k): x for _, k, x in low}
    return _Worst(least, (shard.number, row), sent)


def _rough_margins(data: Dataset, w: Vector) -> Array:
    """Return the margins of a multiple of exact weights, in floats."""
    margins: Array = data.y * (data.X @ direction(primitive(w)[0]))
    return margins
