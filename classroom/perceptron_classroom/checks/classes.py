"""Check of PLA for many classes: every pick of a run, every rival, and the weights at its end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from perceptron_classroom.answers import indices, matrix, parts, vector, whole, written
from perceptron_classroom.checks import runs, samples
from perceptron_classroom.checks.check import Arguments, Array, Check, Labels
from perceptron_classroom.checks.slips import classes as slips
from perceptron_classroom.inside.plain import Misfit
from perceptron_notes.data import augment

__all__ = ["MULTI_PLA"]

Rng = np.random.Generator
Numbers = npt.NDArray[np.int64]

#: Runs are shorter than this: on small data, and on many samples.
SHORT, LONG = 300, 2000


def ends(X: Array, y: Labels, K: int, within: int) -> bool:
    """Return whether the run ends after fewer updates."""
    return len(slips.contest(X, y, K, at_most=within)[1]) < within


def draw_classes(rng: Rng) -> Iterator[Arguments]:
    """Draw a few samples of two to four classes, with many equal scores; some classes have none."""
    for n, d in samples.SIZES:
        found = False
        while not found:
            K = int(rng.integers(2, 5))
            X = samples.grid(rng, n, d)
            W = rng.integers(-3, 4, size=(K, d + 1)).astype(float)
            W[:, 0] += rng.permutation(K) / 16  # the other terms are multiples of 1/4
            y = np.argmax(X @ W.T, axis=1)
            found = ends(X, y, K, SHORT)
        yield {"X": X, "y": y, "K": K}


def draw_rivals(rng: Rng) -> Iterator[Arguments]:
    """Draw scores that almost agree, at many scales, and rivals one of which is barely stronger."""
    for gap in samples.CLOSE:
        for right in (True, False):
            X, signs = samples.close(rng, gap, right)
            yield {"X": X, "y": rng.permutation(2)[(signs > 0).astype(int)], "K": 2}
        X, _ = samples.close(rng, gap, right)
        # After the first update, the rivals of the second sample have the scores ± gap.
        order = rng.permutation([1, 2]) if X[0] @ X[1] > 0 else np.array([0, 2])
        yield {"X": X, "y": order, "K": 3}


def draw_many_classes(rng: Rng) -> Iterator[Arguments]:
    """Draw up to 300 samples of up to six classes, with some room between the classes."""
    for (n, d), K in zip(samples.LARGE, (3, 6, 4, 5), strict=True):
        found = False
        while not found:
            W = rng.integers(-4, 5, size=(K, d + 1)).astype(float)
            X = augment(rng.integers(-6, 7, size=(4 * n, d)) / rng.choice([1, 2, 4]))
            best = np.sort(X @ W.T, axis=1)
            X = X[best[:, -1] - best[:, -2] >= 1 / 2][:n]
            y = np.argmax(X @ W.T, axis=1)
            found = len(X) > n // 2 and ends(X, y, K, LONG)
        yield {"X": X, "y": y, "K": K}


def draw_long(rng: Rng) -> Iterator[Arguments]:
    """Draw runs of some hundred updates, and one of almost thirty thousand."""
    X, y = samples.stubborn(rng)
    for arguments in ({"X": X, "y": y}, *samples.long(rng)):
        yield {"X": arguments["X"], "y": (arguments["y"] > 0).astype(np.int64), "K": 2}


def replayed(X: Array, y: Labels, K: int, picks: Numbers, rivals: Numbers) -> Array:
    """Return the weights before the first update and after each, shape (T + 1, K, d + 1)."""
    W, t = np.zeros((len(picks) + 1, K, X.shape[1])), np.arange(len(picks))
    W[t + 1, y[picks]] += X[picks]
    W[t + 1, rivals] -= X[picks]
    return np.cumsum(W, axis=0, out=W)


def of_rivals(W: Array, X: Array, y: Labels) -> tuple[Array, Array]:
    """Return the scores, shape (T + 1, K, n), and the same with −∞ for the right classes."""
    S = W @ X.T
    others = S.copy()
    others[:, y, np.arange(len(y))] = -np.inf
    return S, others


def numbers_of(got: Any, length: int, K: int) -> Numbers:
    """Return the rivals that an answer contains."""
    found = [whole(each, "a rival") for each in vector(got, "rivals", length)]
    for t, k in enumerate(found):
        if not 0 <= k < K:
            raise Misfit(
                f"rivals[{t}] is {written(k)}; the classes are numbered from 0 to {K - 1}."
            )
    return np.array(found, dtype=np.int64)


def judge_multi_pla(got: Any, X: Array, y: Labels, K: int) -> str | None:
    """Judge every pick and every rival, and the weights at the end."""
    weights, picked, punished = parts(got, "W", "picks", "rivals")
    weights = matrix(weights, "W", K, X.shape[1])
    picked = indices(picked, "picks", len(y))
    rivals = numbers_of(punished, len(picked), K)

    def after(picks: Numbers) -> Array:
        return replayed(X, y, K, picks, rivals[: len(picks)])

    def leads(picks: Numbers) -> Array:
        S, others = of_rivals(after(picks), X, y)
        right: Array = S[:, y, np.arange(len(y))]
        return (right - others.max(axis=1)).T

    def state(t: int) -> str:
        return f"W = {written(after(np.array(picked[:t], dtype=np.int64))[-1])}"

    looked_at = np.array(picked[: runs.enough(len(y))], dtype=np.int64)
    steps = np.arange(len(looked_at))
    others = of_rivals(after(looked_at)[:-1], X, y)[1][steps, :, looked_at]
    wrong = np.flatnonzero(others.argmax(axis=1) != rivals[: len(looked_at)])
    fault = runs.first_fault(leads(looked_at), looked_at, runs.in_turn)
    if len(wrong) and (fault is None or wrong[0] < fault[0]):
        t = int(wrong[0])
        return (
            f"the rival of update {t + 1} is wrong.\n"
            f"Sample {picked[t]}, of class {y[picked[t]]}, is rightly corrected. "
            f"The weights are {state(t)},\nand the other classes have the scores "
            f"{scores_of(others[t])}.\nThe rival is class {others[t].argmax()}: it has the largest "
            f"score, and the lowest number if several do. Yours is class {rivals[t]}."
        )
    said = runs.one_by_one(
        picked, leads, runs.in_turn, state, "the lead of the right class of each sample"
    )
    end = after(np.array(picked, dtype=np.int64))[-1] if said is None else None
    if end is None or weights == end.tolist():
        return said
    return (
        "the picks and the rivals are right, but the weights are not.\n"
        f"At t = {len(picked)} expected W = {written(end)}, got {written(weights)}."
    )


def scores_of(others: Array) -> str:
    """Return the scores of all classes but the right one, with their numbers."""
    return ", ".join(f"{written(s)} (class {k})" for k, s in enumerate(others) if np.isfinite(s))


MULTI_PLA = Check(
    "multi_pla",
    "multi_pla(X, y, K) -> (W, picks, rivals)",
    {"small": draw_classes, "close": draw_rivals, "many": draw_many_classes, "long": draw_long},
    judge_multi_pla,
    slips.MULTI_PLA,
)
