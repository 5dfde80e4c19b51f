"""Checks of Pocket and of what an experiment with noise needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import comb
from typing import Any

import numpy as np

from perceptron_classroom.answers import exact, indices, parts, vector, whole, written
from perceptron_classroom.checks import samples
from perceptron_classroom.checks.check import Arguments, Array, Check, Labels, Seeded
from perceptron_classroom.checks.slips import noise as slips
from perceptron_notes.learning import corrections, last, pla, record
from perceptron_notes.pocketing import Pocket, pocket
from perceptron_notes.rules import Look, PickRule

__all__ = ["BEST_LINE", "FLIP_LABELS", "POCKET", "SPLIT", "unfair"]

Rng = np.random.Generator
Draws = Labels


#: (n, k): how many samples there are, and how many are to be chosen.
CHOICES = ((1, 0), (1, 1), (2, 1), (3, 0), (3, 3), *((n, n // 2) for n in range(2, 20)), (60, 30))
LARGE_CHOICES = ((100, 3), (100, 97), (500, 250), (2000, 100))
#: How many choices are drawn, with how many chosen among how many samples. Of 20 in 64 none comes
#: twice by a fair choice; an error by one place shows where there are few.
CHANCES = ((1200, 20, 64), (100, 4, 10), (100, 1, 3))
#: Bound on the probability that a right function fails, over all of its tests.
FALSE_ALARM = 1e-10
#: Exponents of the Chernoff bound.
TILTS = np.linspace(-8, 8, 1601)


def draw_labels(choices: tuple[tuple[int, int], ...]) -> Callable[[Rng], Iterator[Arguments]]:
    """Return a function that draws labels, and how many of them to flip."""

    def draw(rng: Rng) -> Iterator[Arguments]:
        for n, k in choices:
            yield {"y": samples.any_labels(rng, n), "k": k, "rng": seeded(rng)}

    return draw


def draw_choices_of_labels(rng: Rng) -> Iterator[Arguments]:
    """Draw the same labels again and again, about half of them positive."""
    for draws, k, n in CHANCES:
        y = rng.permutation(np.resize([-1, 1], n))
        for _ in range(draws):
            yield {"y": y, "k": k, "rng": seeded(rng)}


def seeded(rng: Rng) -> Seeded:
    """Return a separate generator for one call."""
    return Seeded(int(rng.integers(2**32)))


def judge_flip(got: Any, y: Labels, k: int, rng: Seeded) -> str | None:
    """Accept exactly k flipped labels."""
    flipped = vector(got, "the answer", len(y))
    for i, value in enumerate(flipped):
        if value not in (-1, 1):
            return f"label {i} is {written(value)}; labels are -1 or +1."
    changed = sum(flipped[i] != y[i] for i in range(len(y)))
    if changed != k:
        return f"the number of changed labels is {changed}; expected exactly {k}."
    return None


def judge_flips(calls: list[tuple[Arguments, Any]]) -> str | None:
    """Judge whether the flipped labels are a fair choice."""
    for draws, k, n in CHANCES:
        same = [(given["y"], got) for given, got in calls if len(given["y"]) == n]
        chosen = [[i for i in range(n) if got[i] != y[i]] for y, got in same]
        if len(same) == draws and (
            wrong := unfair(chosen, k, n, [np.flatnonzero(same[0][0] > 0).tolist()])
        ):
            return wrong
    return None


def unfair(chosen: list[list[int]], k: int, n: int, parts: list[list[int]]) -> str | None:
    """Return the evidence that choices of k among n are not fair, or None.

    Each statistic is a sum over the calls, of numbers with a known distribution if the choice is
    fair. So its tails have a bound, and all bounds together are half of `FALSE_ALARM`; a choice
    that comes twice has less than the other half.
    """
    calls, ways = len(chosen), comb(n, k)
    start = "the choice does not come from rng alone, or is not fair.\n"
    if len(set(map(frozenset, chosen))) < calls and calls**2 / ways < FALSE_ALARM:
        return f"{start}Two of {calls} calls, each with another generator, choose the same."
    picked = np.array([np.bincount(each, minlength=n) for each in chosen])
    together, share = picked.T @ picked, k / n
    sums: list[tuple[int, tuple[float, ...], str]] = []
    for i, j in combinations_with_replacement(range(n), 2):
        chance = share if i == j else share * (k - 1) / (n - 1)
        what = f"choices contain X[{i}]" + f" and X[{j}]" * (i < j)
        sums.append((together[i, j], (1 - chance, chance), what))
    for part in (*parts, list(range(n // 2)), list(range(0, n, 2)), list(range(k))):
        size, inside = len(part), picked[:, part].sum(axis=1)
        hits = tuple(comb(size, h) * comb(n - size, k - h) / ways for h in range(k + 1))
        sums.append((inside.sum(), hits, f"chosen samples are among {written(part)}"))
        for h, chance in enumerate(hits):
            what = f"choices contain exactly {h} of the {size} samples {written(part)}"
            sums.append(((inside == h).sum(), (1 - chance, chance), what))
    # Chosen ones in b blocks lie in b of the n - k + 1 gaps that the others leave.
    meet = tuple(comb(k - 1, b - 1) * comb(n - k + 1, b) / ways for b in range(k, 0, -1))
    neighbours = (picked[:, 1:] & picked[:, :-1]).sum()
    sums.append((neighbours, meet, "chosen samples come next after another one"))
    sums = [each for each in sums if max(each[1]) < 1]
    for total, chances, what in sums:
        if tail(total, calls, chances) < FALSE_ALARM / len(sums) / 4 / len(CHANCES):
            mean = calls * sum(value * chance for value, chance in enumerate(chances))
            return (
                f"{start}In {calls} calls with {k} of {n} to choose, each with another generator, "
                f"{total} {what}; about {mean:.0f} are expected."
            )
    return None


def tail(total: int, calls: int, chances: tuple[float, ...]) -> float:
    """Bound the probability of a sum this small or large, of numbers 0, 1, … with these chances."""
    return float(np.exp((calls * log_moments(chances) - TILTS * total).min()))


@cache
def log_moments(chances: tuple[float, ...]) -> Array:
    """Return the logarithm of the mean of exp(t v) for each tilt t."""
    return np.asarray(np.log(np.exp(np.outer(TILTS, np.arange(len(chances)))) @ chances))


FLIP_LABELS = Check(
    "flip_labels",
    "flip_labels(y, k, rng) -> labels",
    {
        "small": draw_labels(CHOICES),
        "large": draw_labels(LARGE_CHOICES),
        "chance": draw_choices_of_labels,
    },
    judge_flip,
    slips.FLIP_LABELS,
    judge_flips,
)


def draw_sizes(choices: tuple[tuple[int, int], ...]) -> Callable[[Rng], Iterator[Arguments]]:
    """Return a function that draws the number of samples, and how many are for testing."""

    def draw(rng: Rng) -> Iterator[Arguments]:
        for n, k in choices:
            yield {"n": n, "k": k, "rng": seeded(rng)}

    return draw


def judge_split(got: Any, n: int, k: int, rng: Seeded) -> str | None:
    """Accept each sample on one side, k of them in the test, chosen by chance."""
    train, test = parts(got, "train", "test")
    train = indices(train, "train", n, ordered=False)
    test = indices(test, "test", n, ordered=False)
    for name, side, size in (("train", train, n - k), ("test", test, k)):
        twice = next((i for i, count in Counter(side).items() if count > 1), None)
        if twice is not None:
            return f"X[{twice}] is in {name} more than once."
        if len(side) != size:
            return f"the size of {name} is {len(side)}; expected {size}."
    both = sorted({*train} & {*test})
    return f"X[{both[0]}] is in both parts." if both else None


def judge_splits(calls: list[tuple[Arguments, Any]]) -> str | None:
    """Judge whether the test part is a fair choice."""
    for draws, k, n in CHANCES:
        tests = [got[1] for given, got in calls if (given["n"], given["k"]) == (n, k)]
        chosen = [indices(test, "test", n, ordered=False) for test in tests]
        if len(chosen) == draws and (wrong := unfair(chosen, k, n, [])):
            return wrong
    return None


SPLIT = Check(
    "split",
    "split(n, k, rng) -> (train, test)",
    {
        "small": draw_sizes(CHOICES),
        "large": draw_sizes(LARGE_CHOICES),
        "chance": draw_sizes(tuple((n, k) for draws, k, n in CHANCES for _ in range(draws))),
    },
    judge_split,
    slips.SPLIT,
    judge_splits,
)


def draw_noisy(rng: Rng) -> Iterator[Arguments]:
    """Draw samples of which some have a wrong label, and the draws of the run."""
    for n, d in samples.SIZES:
        yield noisy(rng, *samples.separable(rng, n, d), 6 * n)
    for _ in range(8):  # equal samples count as often as they come
        X, y = samples.separable(rng, 9, 2)
        y, places = np.where(rng.random(9) < 1 / 3, -y, y), rng.integers(9, size=20)
        yield {"X": X[places], "y": y[places], "draws": rng.integers(20, size=60)}
    yield {"X": X, "y": y, "draws": np.zeros(0, dtype=np.int64)}


def draw_close(rng: Rng) -> Iterator[Arguments]:
    """Draw scores close to 0, which decide whether weights are better."""
    for gap in samples.CLOSE:
        for right in (True, False):
            X, y = samples.close(rng, gap, right)
            yield {"X": X, "y": y, "draws": np.array([0, 1, 1, 0])}
            # After the first update the second sample decides; then the first is spoilt by a third.
            yield {"X": X, "y": y, "draws": np.array([0])}


def draw_long(rng: Rng) -> Iterator[Arguments]:
    """Draw many samples, and many draws."""
    for (n, d), draws in zip(samples.LARGE, (200, 500, 1000, 2000), strict=True):
        yield noisy(rng, *samples.large(rng, n, d), draws)
    yield late(rng)


def noisy(rng: Rng, X: Array, y: Labels, draws: int) -> Arguments:
    """Flip every sixth label, and draw the visits of the run."""
    n = len(y)
    y = np.where(rng.random(n) < 1 / 6, -y, y)
    return {"X": X, "y": y, "draws": rng.integers(n, size=draws)}


def late(rng: Rng) -> Arguments:
    """Return data whose best weights come last: two neighbours far from 0, and a long run."""
    X, y = samples.far_from_zero(rng, 30, 34)
    picks = record(pla(samples.dataset(X, y)), at_most=10**6).picks
    return {"X": X, "y": y, "draws": picks.copy()}


def by_draws(draws: Draws) -> PickRule:
    """Return the rule that takes the next draw that is a mistake, until none is left."""
    k = 0

    def rule(look: Look, n: int, previous: int | None) -> int | None:
        nonlocal k
        i = look(k, len(draws), draws)
        if i is not None:
            k += int(np.argmax(draws[k:] == i)) + 1
        return i

    return rule


def counted(k: int) -> str:
    """Return "1 mistake" or "k mistakes"."""
    return f"{k} mistake{'s' * (k != 1)}"


def judge_pocket(got: Any, X: Array, y: Labels, draws: Draws) -> str | None:
    """Accept the first of the best weights, and how many mistakes they make."""
    w, errors = parts(got, "w", "errors")
    w, errors = vector(w, "w", X.shape[1]), whole(errors, "errors")
    data = samples.dataset(X, y)

    def watched() -> Pocket:
        return pocket(data, corrections(data, np.zeros(X.shape[1]), by_draws(draws), rate=1.0))

    end = last(watched(), at_most=len(draws))
    if w == end.best.tolist():
        if errors == end.best_errors:
            return None
        return (
            f"your w is right, but it makes {counted(end.best_errors)}; you say {written(errors)}."
        )
    steps = list(watched())
    yours = next((step for step in steps if step.w.tolist() == w), None)
    t = next(step.t for step in steps if np.array_equal(step.w, end.best))
    where = (
        f"Yours are the weights after update {yours.t}, which make {counted(yours.errors)}."
        if yours
        else f"The run never comes to these weights (updates: {end.t})."
    )
    return (
        f"expected w = {written(end.best)}, got {written(w)}.\n{where}\n"
        f"The expected ones, after update {t}, are the first that make only "
        f"{counted(end.best_errors)}."
    )


POCKET = Check(
    "pocket",
    "pocket(X, y, draws) -> (w, errors)",
    {"small": draw_noisy, "close": draw_close, "long": draw_long},
    judge_pocket,
    slips.POCKET,
)


def draw_line(rng: Rng) -> Iterator[Arguments]:
    """Draw points on a line, many of them equal, with arbitrary labels."""
    ways = rng.permutation([(1, -1), (-1, 1), (1, 1)]).tolist()
    for n in (1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 7, 7, 8, 8, 9, 10, 12, 15, 20):
        x = rng.integers(-3, 4, size=n) / rng.choice([1, 2, 4])
        if rng.random() < 0.3:
            x = x + 5
        y = samples.any_labels(rng, n)
        if n == 2:  # both orders, and once equal
            x[1], y = x[0] + 0.5, np.array(ways.pop())
        yield {"x": x, "y": y}
    # The best cut is where labels change on the whole, but not from one point to the next.
    y = rng.choice([-1, 1]) * np.array([1, 1, -1, -1, -1, 1])
    yield {"x": np.repeat([x[0], x[0] + 1], 3), "y": y}


def draw_gaps(rng: Rng) -> Iterator[Arguments]:
    """Draw points with one best cut that has little room, at every scale."""
    for gap in samples.CLOSE:
        n, at = int(rng.integers(4, 9)), int(rng.integers(-8, 9)) / 4
        width = samples.snapped(gap, 42)
        x = np.array([at, at + width, *(at - rng.integers(1, 40, size=n) / 8)])
        x = np.append(x, at + 1 + rng.integers(1, 40, size=n) / 8)
        y = int(rng.choice([-1, 1])) * np.where(x <= at, -1, 1)
        order = rng.permutation(len(x))
        yield {"x": x[order], "y": y[order]}


def draw_many_on_line(rng: Rng) -> Iterator[Arguments]:
    """Draw many points with some wrong labels; many of the points are equal, or few."""
    for n, places in ((40, 12), (80, 400)):
        yield noisy_line(rng, n, places, rng.uniform(0.1, 0.9))
    inside = False
    while not inside:  # only cuts that are far from either end are best
        line = noisy_line(rng, 150, 2000, 0.5)
        best = np.flatnonzero(errors_of_cuts(**line) == fewest_errors(**line))
        inside = bool(best.min() >= 40 and best.max() <= 100)
    yield line


def noisy_line(rng: Rng, n: int, places: int, share: float) -> Arguments:
    """Draw points with a cut that leaves this share on one side; every fifth label is flipped."""
    x = rng.integers(-places, places + 1, size=n) / 64
    side = np.where(x > np.quantile(x, share), 1, -1) * rng.choice([-1, 1])
    return {"x": x, "y": np.where(rng.random(n) < 0.2, -side, side)}


def errors_on_line(w: list[Any], x: Array, y: Labels) -> int:
    """Count the mistakes of two weights, without rounding."""
    w0, w1 = exact(w, "w")
    return sum(int(b) * (w0 + w1 * Fraction(a)) <= 0 for a, b in zip(x.tolist(), y, strict=True))


def errors_of_cuts(x: Array, y: Labels) -> Labels:
    """Count the mistakes of a cut before each point and after the last, better orientation."""
    places = np.unique(x)
    left = np.concatenate([x[None] < places[:, None], np.ones((1, len(x)), dtype=bool)])
    errors = (left == (y > 0)).sum(axis=1)  # the positive side is on the right
    return np.minimum(errors, len(x) - errors)


def fewest_errors(x: Array, y: Labels) -> int:
    """Find the fewest mistakes of any weights by counting the labels beside every cut."""
    return int(errors_of_cuts(x, y).min())


def judge_best_line(got: Any, x: Array, y: Labels) -> str | None:
    """Accept any of the best weights, with their true number of mistakes."""
    w, errors = parts(got, "w", "errors")
    w, errors = vector(w, "w", 2), whole(errors, "errors")
    made, fewest = errors_on_line(w, x, y), fewest_errors(x, y)
    if made != errors:
        return f"your w = {written(w)} makes {counted(made)}; you say {written(errors)}."
    if made > fewest:
        return f"your w = {written(w)} makes {counted(made)}; the fewest possible is {fewest}."
    return None


def alike_lines(known: Any, answer: Any, x: Array, y: Labels) -> bool:
    """Return whether two lines make as many mistakes, and are said to make as many."""
    (w, said), (v, claimed) = (parts(each, "w", "errors") for each in (known, answer))
    one, other = (errors_on_line(vector(each, "w", 2), x, y) for each in (w, v))
    return bool(said == claimed and one == other)


BEST_LINE = Check(
    "best_line",
    "best_line(x, y) -> (w, errors)",
    {"small": draw_line, "gaps": draw_gaps, "many": draw_many_on_line},
    judge_best_line,
    slips.BEST_LINE,
    alike=alike_lines,
)
