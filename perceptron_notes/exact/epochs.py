"""Epochs of parameter mixing replayed without rounding, with both sides of every inequality."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from perceptron_notes.data import Dataset
from perceptron_notes.exact.numbers import Indices, Vector, norm2
from perceptron_notes.exact.replay import Replay

#: Both sides of an inequality: the one that must not be larger, and the other.
Pair = tuple[Fraction, Fraction]


class Mixed(NamedTuple):
    """One epoch: the inequalities of the proof, of its shards and of its mix."""

    weight: Fraction
    mistake: Pair
    worst: tuple[int, int]
    shard_growth: tuple[Pair, ...]
    shard_length: tuple[Pair, ...]
    convexity: Pair
    growth: Pair
    length: Pair
    distance: Pair
    bound: Pair


class MixedReplay:
    r"""Parameter mixing without rounding, epoch by epoch, beside weights that separate.

    With whole-number data and equal shares of S shards, :math:`S^n\mathbf{w}_n` is whole.
    As in `Replay`, **g** is :math:`R^2\mathbf{w}_f/m`; the learning rate is 1.
    """

    def __init__(
        self, parts: Sequence[Dataset], start: Vector, w_f: Vector, m: Fraction, R2: Fraction
    ) -> None:
        self.parts, self.w, self.w_f, self.m, self.R2 = parts, start, w_f, m, R2
        self.total = Fraction(0)
        self.g = tuple(a * R2 / m for a in w_f)
        self.first = _dot(start, w_f), norm2(start)
        self.bound = self.far(start) / R2

    def far(self, w: Vector) -> Fraction:
        """Return ‖w − g‖²."""
        return norm2(a - b for a, b in zip(w, self.g, strict=True))

    def epoch(self, picks: Sequence[Indices], mixture: Sequence[Fraction]) -> Mixed:
        """Add an epoch: each shard corrects the samples picked in it, and the weights are mixed."""
        m, R2, before = self.m, self.R2, self.w
        counts = [len(chosen) for chosen in picks]
        W, scores = zip(*(self.corrected(i, chosen) for i, chosen in enumerate(picks)), strict=True)
        worst = max(range(len(scores)), key=lambda i: scores[i][0])
        a, n2, weight = _dot(before, self.w_f), norm2(before), _dot(mixture, counts)
        self.w = tuple(_dot(mixture, column) for column in zip(*W, strict=True))
        self.total += weight
        lengths = [norm2(w) for w in W]
        length, t, first = norm2(self.w), self.total, self.first
        return Mixed(
            weight,
            (scores[worst][0], Fraction(0)),
            (worst, scores[worst][1]),
            tuple((a + k * m, _dot(w, self.w_f)) for k, w in zip(counts, W, strict=True)),
            tuple((n, n2 + k * R2) for k, n in zip(counts, lengths, strict=True)),
            (length, _dot(mixture, lengths)),
            (first[0] + t * m, _dot(self.w, self.w_f)),
            (length, first[1] + t * R2),
            (self.far(self.w), self.far(before) - R2 * weight),
            (t, self.bound),
        )

    def corrected(self, i: int, picks: Indices) -> tuple[Vector, tuple[Fraction, int]]:
        """Return the weights of a shard after its corrections, and the largest y w·x among them."""
        if not len(picks):
            return self.w, (Fraction(0), -1)
        run = Replay(self.parts[i], 1.0, self.w, picks, self.w_f, self.m, self.R2)
        k = int(np.argmax(run.scores))
        after = tuple(int(a) * run.grid for a in run.V)
        return after, (int(run.scores[k]) * run.grid * run.unit, int(picks[k]))


def _dot(a: Sequence[Fraction], b: Sequence[Fraction | int]) -> Fraction:
    """Return the inner product."""
    return sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0))
