"""Known mistakes: learning."""

from __future__ import annotations

from functools import partial

import numpy as np

from perceptron_classroom.checks.check import Slip
from perceptron_classroom.checks.slips.tours import ENOUGH, walk
from perceptron_notes._kit.values import Array, Labels

__all__ = ["PLA", "PLA_WORST"]


def stale(X: Array, y: Labels) -> tuple[Array, list[int]]:
    """Find all mistakes of a pass before the first is corrected."""
    w: Array = np.zeros(X.shape[1])
    picks: list[int] = []
    for _ in range(200):
        wrong = np.flatnonzero(y * (X @ w) <= 0)
        w = w + y[wrong] @ X[wrong]
        picks += wrong.tolist()
    return w, picks


def worst(X: Array, y: Labels, *, better: int = 1, at_most: int = 4000) -> tuple[Array, list[int]]:
    """Correct the mistake with the smallest margin, or with the largest that is one."""
    w: Array = np.zeros(X.shape[1])
    picks: list[int] = []
    while len(picks) < at_most:
        margins = y * (X @ w)
        wrong = np.flatnonzero(margins <= 0)
        if len(wrong) == 0:
            break
        i = wrong[np.argmin(better * margins[wrong])]
        w = w + y[i] * X[i]
        picks.append(int(i))
    return w, picks


def last_but_one(X: Array, y: Labels) -> tuple[Array, list[int]]:
    """Return the weights before the last update."""
    w, picks = walk(X, y)
    return w - y[picks[-1]] * X[picks[-1]], picks


def average(X: Array, y: Labels) -> tuple[Array, list[int]]:
    """Return the mean of all weights of the run."""
    picks = walk(X, y)[1]
    W = np.cumsum(y[picks, None] * X[picks], axis=0)
    return W.mean(axis=0), picks


def in_integers(X: Array, y: Labels) -> tuple[Array, list[int]]:
    """Return weights of whole numbers."""
    w: Array = np.zeros(X.shape[1])
    picks: list[int] = []
    for i in list(range(len(y))) * 200:
        if y[i] * (w @ X[i]) <= 0:
            w = np.trunc(w + y[i] * X[i])
            picks.append(i)
    return w, picks


def bias_in_the_loop(X: Array, y: Labels) -> tuple[Array, list[int]]:
    """Correct the leading weight once for each coordinate."""
    scale = np.ones(X.shape[1])
    scale[0] = X.shape[1] - 1
    return walk(X, y, change=lambda x, y: y * x * scale)


def without_bias(X: Array, y: Labels) -> tuple[Array, list[int]]:
    """Leave the leading weight at 0."""
    scale = np.ones(X.shape[1])
    scale[0] = 0
    return walk(X, y, change=lambda x, y: y * x * scale)


def visits(X: Array, y: Labels) -> tuple[Array, list[int]]:
    """List every visit among the picks."""
    seen: list[int] = []

    def wrong(s: float, label: int) -> bool:
        seen.append(len(seen) % len(y))
        return bool(label * s <= 0)

    return walk(X, y, wrong=wrong)[0], seen


EARLY = tuple(
    Slip(f"stops after {passes} passes", partial(walk, passes=passes), ENOUGH)
    for passes in (1, 2, 5, 10, 100, 1000)
) + tuple(
    Slip(f"stops after {cap} updates", partial(walk, at_most=cap), ENOUGH)
    for cap in (10, 100, 1000, 2000)
)


def last_of_equals(X: Array, y: Labels) -> tuple[Array, list[int]]:
    """Choose the highest index among equals."""
    w, picks = worst(X[::-1], y[::-1])
    return w, [len(y) - 1 - i for i in picks]


def by_distance(X: Array, y: Labels) -> tuple[Array, list[int]]:
    """Choose the largest score in size, whether right or wrong."""
    w: Array = np.zeros(X.shape[1])
    picks: list[int] = []
    while (y * (X @ w) <= 0).any() and len(picks) < 500:
        i = int(np.argmax(np.abs(X @ w)))
        w = w + y[i] * X[i]
        picks.append(i)
    return w, picks


def no_label(X: Array, y: Labels) -> tuple[Array, list[int]]:
    """Choose the smallest score among the mistakes."""
    w: Array = np.zeros(X.shape[1])
    picks: list[int] = []
    while (wrong := np.flatnonzero(y * (X @ w) <= 0)).size and len(picks) < 4000:
        i = int(wrong[np.argmin((X @ w)[wrong])])
        w = w + y[i] * X[i]
        picks.append(i)
    return w, picks


PLA = (
    Slip(
        "strict",
        partial(walk, wrong=lambda s, y: y * s < 0),
        "With y(w·x) < 0 the zero weights make no mistake, and nothing is ever corrected. "
        "A mistake is y(w·x) ≤ 0.",
    ),
    Slip(
        "zero is positive",
        partial(walk, wrong=lambda s, y: (1 if s >= 0 else -1) != y),
        "A score of 0 is a mistake for either label; your run takes it for +1.",
    ),
    Slip(
        "zero is negative",
        partial(walk, wrong=lambda s, y: (1 if s > 0 else -1) != y),
        "A score of 0 is a mistake for either label; your run takes it for −1.",
    ),
    Slip(
        "from the top",
        partial(walk, top=True),
        "After an update your run looks from sample 0 again. In turn, it goes on with the sample "
        "after the corrected one.",
    ),
    Slip(
        "stays until right",
        partial(walk, stay=True),
        "After an update your run visits the same sample again. In turn, it goes on with the "
        "next one.",
    ),
    Slip(
        "every visit",
        partial(walk, wrong=lambda s, y: True, at_most=200),
        "Your run corrects every sample that it visits, right or wrong.",
    ),
    Slip(
        "scores of the pass",
        stale,
        "Your run finds all mistakes of a pass before it corrects any. After a correction "
        "the other scores are out of date.",
    ),
    *EARLY,
    Slip(
        "stops one sample early",
        lambda X, y: walk(X[:-1], y[:-1]) if len(y) > 1 else (np.zeros(X.shape[1]), []),
        "The last sample is never visited.",
    ),
    Slip(
        "labels 0 and 1",
        partial(walk, change=lambda x, y: (y > 0) * x, at_most=500),
        "Samples with label −1 add nothing to your weights. The labels are −1 and +1.",
    ),
    Slip(
        "no label in the update",
        partial(walk, change=lambda x, y: x, at_most=500),
        "The label belongs in the update: w + y x.",
    ),
    Slip(
        "no label in the test",
        partial(walk, wrong=lambda s, y: s <= 0, at_most=500),
        "The label belongs in the test: y(w·x) ≤ 0.",
    ),
    Slip(
        "away from the sample",
        partial(walk, change=lambda x, y: -y * x, at_most=500),
        "The update adds y x; your run subtracts it.",
    ),
    Slip(
        "the bias stays 0",
        without_bias,
        "The weight w₀ is never corrected; it belongs to the leading 1 of every sample.",
    ),
    Slip(
        "the bias inside the loop",
        bias_in_the_loop,
        "Your run corrects w₀ once for every coordinate; it changes only once in an update.",
    ),
    Slip(
        "starts at a sample",
        lambda X, y: walk(X, y, start=X[0]),
        "The run starts at zero weights, not at a sample.",
    ),
    Slip(
        "starts at ones",
        lambda X, y: walk(X, y, start=np.ones(X.shape[1])),
        "The run starts at zero weights, not at ones.",
    ),
    Slip(
        "rate 1/2",
        partial(walk, change=lambda x, y: y * x / 2),
        "The learning rate is 1 here: w + y x.",
    ),
    Slip(
        "corrects what is right",
        partial(walk, wrong=lambda s, y: y * s <= 1),
        "Your run also corrects samples with a small positive y(w·x); they are right.",
    ),
    Slip(
        "backwards",
        partial(walk, order=-1),
        "Your run goes through the samples from the last to the first.",
    ),
    Slip(
        "the worst first",
        worst,
        "Your run takes the mistake with the smallest y(w·x), not the next one in turn.",
    ),
    Slip(
        "counted from 1",
        lambda X, y: (walk(X, y)[0], [i + 1 for i in walk(X, y)[1]]),
        "Samples are numbered from 0 in code.",
    ),
    Slip(
        "visits for picks",
        visits,
        "The picks are the samples that were corrected, not all that were visited.",
    ),
    Slip("last but one", last_but_one, "These are the weights before the last update."),
    Slip("average", average, "This is the mean of all weights; expected the last ones."),
    Slip(
        "whole numbers",
        in_integers,
        "Your weights lose the digits after the decimal point: the array has an integer dtype.",
    ),
    Slip(
        "every sample adds itself",
        lambda X, y: (y @ X, list(range(len(y)))),
        "This is the sum of all y x. Only mistakes are corrected, one after the other.",
    ),
    Slip(
        "no picks",
        lambda X, y: walk(X, y)[0],
        "These are the weights alone; expected two things, the weights and the list of picks.",
    ),
    Slip(
        "picks first", lambda X, y: walk(X, y)[::-1], "First the weights, then the list of picks."
    ),
)


PLA_WORST = (
    Slip("in turn", walk, "This is PLA in turn; here the smallest y(w·x) goes first."),
    Slip(
        "from the top",
        partial(walk, top=True),
        "Your run takes the first mistake; here the smallest y(w·x) goes first.",
    ),
    Slip(
        "last of equals",
        last_of_equals,
        "Among samples with equal y(w·x) the one with the lowest index goes first.",
    ),
    Slip(
        "nearest first",
        partial(worst, better=-1),
        "Your run takes the mistake nearest to 0; here the smallest y(w·x) goes first.",
    ),
    Slip(
        "largest score",
        by_distance,
        "Your run looks at the size of the score; whether it is a mistake depends on the label.",
    ),
    Slip(
        "smallest score",
        no_label,
        "Your run looks for the smallest score; expected the smallest y(w·x).",
    ),
    Slip("stops after 100 updates", partial(worst, at_most=100), ENOUGH),
    Slip("stops after 10 updates", partial(worst, at_most=10), ENOUGH),
    Slip(
        "strict",
        lambda X, y: (np.zeros(X.shape[1]), []),
        "At zero weights every y(w·x) is 0, and that is a mistake: ≤, not <.",
    ),
)
