"""Many steps of a run at once, for those who only want its end.

A run stays the textbook's generator. Where compiled code pays and the pick rule is known,
it may be skipped through: `loops` makes the same updates, and none is shown. Pocket then
counts the mistakes of many weights together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from perceptron_notes import compiled
from perceptron_notes.data import Array, Dataset, Labels, check_weights, frozen
from perceptron_notes.scan import Scan, canonical_score

__all__ = ["Batches", "Strider", "skim", "tells"]

Order = npt.NDArray[np.int64]
R = TypeVar("R", bound=Callable[..., Any])
Tour = Callable[[int], tuple[Order, Order] | tuple[None, None]]
Start = tuple[int, Array, int | None]

#: How many numbers the weights of one stride may hold.
NUMBERS = 1 << 16
#: How many weights Pocket looks at together: `LEAST` to begin with, and up to `MOST` as long as
#: they make no more scores than `SCORES`. With few samples, Python costs more than a batch.
LEAST, MOST, SCORES = 256, 4096, 1 << 22
#: How many samples lie together when their coordinates are sorted into columns.
BLOCK = 256
#: How many draws `at_random` takes before it takes eight times as many.
DRAWS = 32

# ------------------------------------------------------------------------- what rules tell


def tells(*, tour: Tour | None = None, rng: np.random.Generator | None = None) -> Callable[[R], R]:
    """Let a pick rule say how it chooses, for those who make many of its picks at once.

    Parameters
    ----------
    tour : callable, optional
        It goes round in one order: gives, for n samples, the order and each sample's place
        in it; two ``None`` for the order of the samples themselves.
    rng : numpy.random.Generator, optional
        It takes the first mistake among `DRAWS` draws from here, and draws eight times as many
        as long as there is none and n is larger; at last it goes through all in random order.

    Returns
    -------
    decorator
    """

    def mark(rule: R) -> R:
        vars(rule).update(tour=tour, rng=rng)
        return rule

    return mark


# ------------------------------------------------------------------------------ strides


class Stretch(NamedTuple):
    """Steps in a row: the weights of each, shape (k, d + 1), and the last step itself."""

    W: Array
    last: Any


class Strider(Iterator[Any]):
    """The steps of a run, some of which may be skipped.

    Parameters
    ----------
    algorithm : callable
        ``algorithm(w, pick)``: the generator of steps from the weights w on.
    step : callable
        ``step(t, w, i)`` makes one of its steps.
    data : Dataset
        What it runs on.
    w : ndarray, shape (d + 1,)
        The weights to start from.
    pick : pick rule
        Which mistake to correct.
    rate : float
        The learning rate.
    """

    def __init__(
        self,
        algorithm: Callable[[Array, Any], Iterator[Any]],
        step: Callable[[int, Array, int | None], Any],
        data: Dataset,
        w: Array,
        pick: Callable[..., int | None],
        rate: float,
    ) -> None:
        self.algorithm, self.step, self.data = algorithm, step, data
        self.pick, self.rate = pick, rate
        self.go_on_from((0, w, None))

    def __next__(self) -> Any:
        self.latest = next(self.steps)
        return self.latest

    def go_on_from(self, start: Start | None) -> None:
        """Let the generator go on from t updates, weights w and the last pick; or be over."""
        self.start, self.latest = start, None
        if start is None:
            self.steps: Iterator[Any] = iter(())
            return
        t, w, previous = start

        def pick(look: Any, n: int, i: int | None) -> int | None:
            return self.pick(look, n, previous if i is None else i)

        fresh = self.algorithm(w, self.pick if previous is None else pick)
        self.steps = (step._replace(t=t + step.t) for step in fresh) if t else fresh

    def here(self) -> Start | None:
        """Where the next step starts from; ``None`` when there is none."""
        if self.latest is None:
            return self.start
        t, w, i = self.latest
        y, X = self.data.y, self.data.X
        return None if i is None else (t + 1, w + self.rate * y[i] * X[i], i)

    def stride(self, size: int) -> Stretch | None:
        """At most so many steps at once, if compiled code can make them."""
        loops, here = compiled.loops(self.data.X), self.here()
        if loops is None or here is None:
            return None
        t, w, previous = here
        W, picks = np.empty((size + 1, len(w))), np.empty(size, dtype=np.int64)
        W[0] = w
        made, over = self.advance(loops, W, picks, previous)
        if not made and not over:
            return None
        self.go_on_from(None if over else (t + made, W[made].copy(), int(picks[made - 1])))
        k = made if over else made - 1
        pick = None if over else int(picks[k])
        return Stretch(frozen(W)[: k + 1], self.step(t + k, frozen(W[k].copy()), pick))

    def advance(self, loops: Any, W: Array, picks: Order, previous: int | None) -> tuple[int, bool]:
        """Make updates as the rule would; how many, and whether no mistake is left."""
        X, y, n = self.data.X, self.data.y, self.data.n
        reach, rule = self.data.reach, getattr(self.pick, "__dict__", {})
        if (tour := rule.get("tour")) is not None:
            order, place = tour(n)
            at = previous if previous is None or place is None else int(place[previous])
            start = 0 if at is None else at + 1
            made = loops.sweep(X, y, reach, order, start, self.rate, W, picks)
            return made, made < len(picks)
        if (rng := rule.get("rng")) is None:
            return 0, False
        made = 0
        while made < len(picks):
            made += loops.wander(X, y, reach, rng, DRAWS, self.rate, W[made:], picks[made:])
            if made < len(picks):
                i = Scan(self.data)(W[made])(0, n, rng.permutation(n))
                if i is None:
                    return made, True
                picks[made] = i
                W[made + 1] = W[made] + self.rate * y[i] * X[i]
                made += 1
        return made, False

    def skim(self, most: int) -> Iterator[Any]:
        """Some of the next steps, at most so many further; the last one never misses."""
        size = max(1, NUMBERS // self.data.X.shape[1])
        while most > 0:
            found = self.stride(min(most, size))
            taken = list(islice(self, 1)) if found is None else [found.last]
            if not taken:
                return
            most -= 1 if found is None else len(found.W)
            yield taken[0]


def skim(steps: Iterable[Any], most: int) -> Iterator[Any]:
    """Some of the next steps, at most so many further; the last one never misses.

    Parameters
    ----------
    steps : iterable of Step, PocketStep or DualStep
        Those that cannot skip yield every step.
    most : int
        How many steps to go at most.

    Returns
    -------
    iterator of the same steps
    """
    source = getattr(steps, "source", steps)
    return source.skim(most) if isinstance(source, Strider | Batches) else islice(steps, most)


def stretch(steps: Iterator[Any], size: int, d: int) -> Stretch | None:
    """The next steps, at most so many, with their weights as a matrix; ``None`` at the end."""
    source = getattr(steps, "source", steps)
    found = source.stride(size) if isinstance(source, Strider) else None
    if found is None:
        taken = list(islice(steps, size))
        if not taken:
            return None
        found = Stretch(np.array([check_weights(step.w, d) for step in taken]), taken[-1])
    return found


# ------------------------------------------------------------------------------- batches


class Batches(Iterator[Any]):
    """The steps of Pocket, some of which may be skipped.

    Parameters
    ----------
    algorithm : callable
        ``algorithm(data, steps)``: the generator of Pocket's steps.
    step : callable
        ``step(step, errors, best, best_errors)`` makes one of its steps.
    data : Dataset
        What mistakes are counted on.
    steps : iterable of Step
        The run that is watched.
    """

    def __init__(
        self,
        algorithm: Callable[[Dataset, Iterable[Any]], Iterator[Any]],
        step: Callable[[Any, int, Array, int], Any],
        data: Dataset,
        steps: Iterable[Any],
    ) -> None:
        self.algorithm, self.step, self.data, self.steps = algorithm, step, data, iter(steps)
        self.latest: Any = None
        self.columns: npt.NDArray[Any] | None = None
        self.seen: Iterator[Any] | None = algorithm(data, self.steps)

    def __next__(self) -> Any:
        if self.seen is None:  # some were skipped: what is in the pocket comes first again
            pocketed = self.latest.step._replace(w=self.latest.best)
            self.seen = self.algorithm(self.data, chain([pocketed], self.steps))
            next(self.seen)
        self.latest = next(self.seen)
        return self.latest

    def skim(self, most: int) -> Iterator[Any]:
        """Some of the next steps, at most so many further; the last one never misses."""
        size = LEAST
        while most > 0:
            found = stretch(self.steps, min(most, size), self.data.d)
            if found is None:
                return
            best, fewest = found.W[0], self.data.n + 1
            if self.latest is not None:
                best, fewest = self.latest.best, self.latest.best_errors
            counts = self.count(found.W, fewest)
            k = int(counts.argmin())
            if counts[k] < fewest:
                best, fewest = frozen(found.W[k].copy()), int(counts[k])
            self.latest, self.seen = self.step(found.last, int(counts[-1]), best, fewest), None
            yield self.latest
            most -= len(found.W)
            size = max(LEAST, min(4 * size, MOST, SCORES // self.data.n))

    def count(self, W: Array, below: int) -> Order:
        """The mistakes of each row of `W`; may stop counting at `below`, but not for the last."""
        X, y, m = self.data.X, self.data.y, self.data.d + 1
        with np.errstate(all="ignore"):
            sizes = np.abs(W) @ np.full(W.shape[1], self.data.reach)
        if W.shape[1] != m or not np.isfinite(sizes.max()):
            for w in W:
                check_weights(w, m - 1)
        # Half the usual precision takes half the time. The small term covers underflow.
        kind: Any = np.float32
        near = 1.001 * (m + 4) * (2.0**-24 * sizes + 1e-29)
        if not max(sizes.max(), self.data.reach) < 1e15:  # float32 might overflow
            kind, near = np.float64, np.array([compiled.tolerance(size, m) for size in sizes])
        near, loops = near.astype(kind), compiled.loops(X)
        if loops is None or m > compiled.SHORT:
            return count_by_product(X, y, W, near, below, loops)
        if self.columns is None or self.columns.dtype != kind:
            self.columns = by_columns(X, y, kind)
        counts = np.zeros(len(W), dtype=np.int64)
        loops.errors(self.columns, X, y, W.astype(kind), W, near, below, counts)
        return counts


def count_by_product(X: Array, y: Labels, W: Array, near: Any, below: int, loops: Any) -> Order:
    """The same by matrix products of blocks of samples with the weights still in question.

    The products have the precision of `near`; what is nearer to 0 is decided canonically.
    """
    # In compiled code a block should stay in the cache; otherwise each block costs some calls.
    count, most = (tallies, 1 << 20) if loops is None else (loops.tallies, 1 << 17)
    V, labels = W.astype(near.dtype), y.astype(near.dtype)
    counts, alive = np.zeros(len(W), dtype=np.int64), np.arange(len(W))
    start, block = 0, 256
    while start < len(y):
        rows = slice(start, start + block)
        scores = V[alive] @ X[rows].astype(near.dtype).T
        compiled.spend(X, scores.size)
        wrong, unsure = count(scores, labels[rows], near[alive])
        some = np.flatnonzero(unsure)
        k, i = np.nonzero(~(np.abs(scores[some]) > near[alive[some], None]))
        k, i = some[k], start + i
        unsure_wrong = ~(y[i] * canonical_score(W[alive[k]].T, X[i]) > 0)
        counts[alive] += wrong + np.bincount(k[unsure_wrong], minlength=len(alive))
        alive = np.flatnonzero((counts < below) | (np.arange(len(W)) == len(W) - 1))
        start, block = rows.stop, max(256, most // len(alive))
    return counts


def by_columns(X: Array, y: Labels, kind: Any) -> npt.NDArray[Any]:
    """Coordinates times labels, column by column in blocks, for counts in a row."""
    blocks, m = -(-len(y) // BLOCK), X.shape[1]
    Z = np.zeros((blocks * BLOCK, m), dtype=kind)
    np.multiply(X, y[:, None], out=Z[: len(y)], casting="same_kind")
    return Z.reshape(blocks, BLOCK, m).transpose(0, 2, 1).copy()


def tallies(scores: Any, y: Any, near: Any) -> tuple[Order, Order]:
    """In each row, how many margins are negative, and how many too near to 0 to tell."""
    ys = scores * y
    # One by one: a row is counted ten times as fast as the same row among others.
    wrong = np.array([np.count_nonzero(ys[k] < -near[k]) for k in range(len(ys))])
    right = np.array([np.count_nonzero(ys[k] > near[k]) for k in range(len(ys))])
    return wrong, ys.shape[1] - wrong - right
