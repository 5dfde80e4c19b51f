"""Checks of the first problem set: the model and PLA."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from perceptron_notes import data, model
from perceptron_notes.checks import samples, trace
from perceptron_notes.checks.answers import indices, matrix, parts, vector, written
from perceptron_notes.checks.check import Arguments, Check, Slip
from perceptron_notes.data import Array, Labels

__all__ = ["CHECKS"]

Rng = np.random.Generator

# ------------------------------------------------------------------------------ the model


def draw_points(rng: Rng) -> Iterator[Arguments]:
    """Points without the leading 1."""
    for n, d in samples.SIZES:
        yield {"points": samples.grid(rng, n, d)[:, 1:]}


def judge_augment(got: Any, points: Array) -> str | None:
    """Entry by entry."""
    X = data.augment(points)
    for k, row in enumerate(matrix(got, "X", *X.shape)):
        if row != X[k].tolist():
            return f"row {k} of X is {written(row)}; expected {written(X[k])}."
    return None


AUGMENT = Check(
    "augment",
    "augment(points) -> X",
    draw_points,
    judge_augment,
    (
        Slip("no leading 1", lambda p: p, "The leading 1 is missing."),
        Slip(
            "1 at the end",
            lambda p: np.hstack([p, np.ones((len(p), 1))]),
            "The constant coordinate comes first: it is x₀.",
        ),
        Slip(
            "0 in front",
            lambda p: np.hstack([np.zeros((len(p), 1)), p]),
            "The constant coordinate is 1; with 0 the threshold would have no effect.",
        ),
        Slip(
            "-1 in front",
            lambda p: np.hstack([-np.ones((len(p), 1)), p]),
            "Here x₀ = +1, and w₀ is minus the threshold. With x₀ = −1 the weight would be the "
            "threshold itself.",
        ),
        Slip(
            "1 over the first coordinate",
            lambda p: np.hstack([np.ones((len(p), 1)), p[:, 1:]]),
            "The 1 is one more coordinate; it replaces none.",
        ),
    ),
)


def draw_scored(rng: Rng) -> Iterator[Arguments]:
    """Weights and samples; many scores are 0."""
    for n, d in samples.SIZES:
        X = samples.grid(rng, n, d)
        yield {"w": samples.weights(rng, d) * (rng.random() > 0.1), "X": X}


def judge_predict(got: Any, w: Array, X: Array) -> str | None:
    """Sample by sample."""
    scores, signs = model.score(w, X), model.predict(w, X)
    for i, value in enumerate(vector(got, "the answer", len(X))):
        if value != signs[i]:
            return (
                f"the prediction of sample {i} is wrong.\n"
                f"Its score is {written(scores[i])}: expected {signs[i]}, got {written(value)}."
            )
    return None


PREDICT = Check(
    "predict",
    "predict(w, X) -> signs",
    draw_scored,
    judge_predict,
    (
        Slip(
            "zero is positive",
            lambda w, X: np.where(X @ w >= 0, 1, -1),
            "A score of 0 decides nothing: its sign is 0, not +1.",
        ),
        Slip(
            "zero is negative",
            lambda w, X: np.where(X @ w > 0, 1, -1),
            "A score of 0 decides nothing: its sign is 0, not −1.",
        ),
        Slip("scores", lambda w, X: X @ w, "These are the scores; the prediction is their sign."),
        Slip(
            "no threshold",
            lambda w, X: np.sign(X[:, 1:] @ w[1:]),
            "The weight w₀ counts too: X has the leading 1.",
        ),
        Slip(
            "threshold subtracted",
            lambda w, X: np.sign(X[:, 1:] @ w[1:] - w[0]),
            "w₀ is minus the threshold, so it is added.",
        ),
        Slip(
            "labels 0 and 1",
            lambda w, X: (X @ w > 0).astype(int),
            "The labels are −1 and +1, not 0 and 1.",
        ),
        Slip(
            "one sign for all",
            lambda w, X: np.full(len(X), np.sign((X @ w).sum())),
            "Each sample has a score of its own.",
        ),
    ),
)


def draw_labelled(rng: Rng) -> Iterator[Arguments]:
    """Weights, samples and labels that have nothing to do with each other."""
    for arguments in draw_scored(rng):
        yield {**arguments, "y": samples.any_labels(rng, len(arguments["X"]))}


def judge_mistakes(got: Any, w: Array, X: Array, y: Labels) -> str | None:
    """As an increasing list."""
    margins = y * model.score(w, X)
    found, expected = indices(got, "the answer", len(y)), np.flatnonzero(margins <= 0).tolist()
    for i in range(len(y)):
        if (i in found) != (i in expected):
            return (
                f"sample {i} is {'no ' if i in found else 'a '}mistake.\n"
                f"It has y(w·x) = {written(margins[i])}. "
                f"Expected {written(expected)}, got {written(found)}."
            )
    if found != expected:
        return f"the samples are right, not their order: expected {expected}, got {found}."
    return None


MISTAKES = Check(
    "mistakes",
    "mistakes(w, X, y) -> indices",
    draw_labelled,
    judge_mistakes,
    (
        Slip(
            "strict",
            lambda w, X, y: np.flatnonzero(y * (X @ w) < 0),
            "A score of 0 is a mistake too: y(w·x) ≤ 0, with ≤.",
        ),
        Slip(
            "zero is positive",
            lambda w, X, y: np.flatnonzero(np.where(X @ w >= 0, 1, -1) != y),
            "A score of 0 is a mistake for either label; here it counts as +1.",
        ),
        Slip(
            "zero is negative",
            lambda w, X, y: np.flatnonzero(np.where(X @ w > 0, 1, -1) != y),
            "A score of 0 is a mistake for either label; here it counts as −1.",
        ),
        Slip(
            "right ones",
            lambda w, X, y: np.flatnonzero(y * (X @ w) > 0),
            "These are the samples that are right.",
        ),
        Slip(
            "no label",
            lambda w, X, y: np.flatnonzero(X @ w <= 0),
            "The label belongs into the product: y(w·x).",
        ),
        Slip(
            "a mask",
            lambda w, X, y: (y * (X @ w) <= 0).astype(int),
            "These are truth values, one for each sample; expected the indices of the mistakes.",
        ),
        Slip(
            "counted from 1",
            lambda w, X, y: np.flatnonzero(y * (X @ w) <= 0) + 1,
            "Samples are numbered from 0 in code.",
        ),
        Slip(
            "labels 0 and 1",
            lambda w, X, y: np.flatnonzero((X @ w > 0) != (y == 0)),
            "The labels are −1 and +1, not 0 and 1.",
        ),
    ),
)

# ------------------------------------------------------------------------------------ PLA


def draw_separable(rng: Rng) -> Iterator[Arguments]:
    """Data that can be separated; the last ones need thousands of updates."""
    for n, d in samples.SIZES:
        X, y = samples.separable(rng, n, d)
        yield {"X": X, "y": y}
    X, y = samples.far_from_zero(rng)
    yield {"X": X, "y": y}


def judge_run(got: Any, X: Array, y: Labels, rule: trace.Rule) -> str | None:
    """Every pick, and the weights at the end."""
    w, picks = parts(got, "w", "picks")
    w, picks = vector(w, "w", X.shape[1]), indices(picks, "picks", len(y))

    def margins(picks: trace.Picks) -> Array:
        return y[:, None] * (X @ trace.replayed(X, y, picks).T)

    def weights(t: int) -> Array:
        return trace.replayed(X, y, np.array(picks[:t], dtype=np.int64))[-1]

    fault = trace.one_by_one(picks, margins, rule, lambda t: f"w = {written(weights(t))}")
    if fault or w == weights(len(picks)).tolist():
        return fault
    return (
        "the picks are right, the weights are not.\n"
        f"After {len(picks)} updates expected w = {written(weights(len(picks)))}, "
        f"got {written(w)}."
    )


def judge_pla(got: Any, X: Array, y: Labels) -> str | None:
    """PLA in turn."""
    return judge_run(got, X, y, trace.in_turn)


def walk(
    X: Array,
    y: Labels,
    *,
    wrong: Callable[[float, int], bool] = lambda s, y: y * s <= 0,
    change: Callable[[Array, int], Array] = lambda x, y: y * x,
    start: Array | None = None,
    **route: Any,
) -> tuple[Array, list[int]]:
    """PLA with parts that can be got wrong; as it stands it is right, but for the tour's caps."""
    w = np.zeros(X.shape[1]) if start is None else start

    def visit(i: int) -> bool:
        nonlocal w
        needed = wrong(w @ X[i], y[i])
        if needed:
            w = w + change(X[i], y[i])
        return needed

    picks = trace.tour(len(y), visit, **route)
    return w, picks


def stale(X: Array, y: Labels) -> tuple[Array, list[int]]:
    """All mistakes of a pass are found before the first is corrected."""
    w: Array = np.zeros(X.shape[1])
    picks: list[int] = []
    for _ in range(200):
        wrong = np.flatnonzero(y * (X @ w) <= 0)
        w = w + y[wrong] @ X[wrong]
        picks += wrong.tolist()
    return w, picks


def worst(X: Array, y: Labels, *, better: int = 1, at_most: int = 4000) -> tuple[Array, list[int]]:
    """The mistake with the smallest margin, or with the largest that is one."""
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
    """The weights before the last update."""
    w, picks = walk(X, y)
    return w - y[picks[-1]] * X[picks[-1]], picks


def average(X: Array, y: Labels) -> tuple[Array, list[int]]:
    """The mean of all weights of the run."""
    picks = walk(X, y)[1]
    W = np.cumsum(y[picks, None] * X[picks], axis=0)
    return W.mean(axis=0), picks


def in_integers(X: Array, y: Labels) -> tuple[Array, list[int]]:
    """Weights of whole numbers."""
    w: Array = np.zeros(X.shape[1])
    picks: list[int] = []
    for i in list(range(len(y))) * 200:
        if y[i] * (w @ X[i]) <= 0:
            w = np.trunc(w + y[i] * X[i])
            picks.append(i)
    return w, picks


def bias_in_the_loop(X: Array, y: Labels) -> tuple[Array, list[int]]:
    """The leading weight is corrected once for each coordinate."""
    scale = np.ones(X.shape[1])
    scale[0] = X.shape[1] - 1
    return walk(X, y, change=lambda x, y: y * x * scale)


def without_bias(X: Array, y: Labels) -> tuple[Array, list[int]]:
    """The leading weight stays 0."""
    scale = np.ones(X.shape[1])
    scale[0] = 0
    return walk(X, y, change=lambda x, y: y * x * scale)


def visits(X: Array, y: Labels) -> tuple[Array, list[int]]:
    """Every visit is in the list of picks."""
    seen: list[int] = []

    def wrong(s: float, label: int) -> bool:
        seen.append(len(seen) % len(y))
        return bool(label * s <= 0)

    return walk(X, y, wrong=wrong)[0], seen


ENOUGH = "The run ends only when no mistake is left, however many updates and passes that takes."
EARLY = tuple(
    Slip(f"stops after {passes} passes", partial(walk, passes=passes), ENOUGH)
    for passes in (1, 2, 5, 10, 100, 1000)
) + tuple(
    Slip(f"stops after {cap} updates", partial(walk, at_most=cap), ENOUGH)
    for cap in (10, 100, 1000, 2000)
)

PLA = Check(
    "pla",
    "pla(X, y) -> (w, picks)",
    draw_separable,
    judge_pla,
    (
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
            "After an update your run looks from sample 0 again. In turn, it goes on behind the "
            "sample that was corrected.",
        ),
        Slip(
            "stays until right",
            partial(walk, stay=True),
            "After an update your run visits the same sample again. In turn, it goes on to the "
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
            "The label belongs into the update: w + y x.",
        ),
        Slip(
            "no label in the test",
            partial(walk, wrong=lambda s, y: s <= 0, at_most=500),
            "The label belongs into the test: y(w·x) ≤ 0.",
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
            "The weight w₀ is corrected once for every coordinate; once for every update is right.",
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
            "Samples with a small positive y(w·x) are corrected too; they are right.",
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
        Slip(
            "last but one",
            last_but_one,
            "These are the weights before the last update.",
        ),
        Slip("average", average, "This is the mean of the weights; expected the last ones."),
        Slip(
            "whole numbers",
            in_integers,
            "Your weights lose what is behind the point: the array has an integer dtype.",
        ),
        Slip(
            "every sample adds itself",
            lambda X, y: (y @ X, list(range(len(y)))),
            "This is the sum of all y x; only mistakes are corrected, one after the other.",
        ),
    ),
)


def judge_worst(got: Any, X: Array, y: Labels) -> str | None:
    """The smallest margin first, the lowest index among equals."""
    return judge_run(got, X, y, trace.smallest)


def last_of_equals(X: Array, y: Labels) -> tuple[Array, list[int]]:
    """The highest index among equals."""
    w, picks = worst(X[::-1], y[::-1])
    return w, [len(y) - 1 - i for i in picks]


def by_distance(X: Array, y: Labels) -> tuple[Array, list[int]]:
    """The largest score in size, whether right or wrong."""
    w: Array = np.zeros(X.shape[1])
    picks: list[int] = []
    while (y * (X @ w) <= 0).any() and len(picks) < 500:
        i = int(np.argmax(np.abs(X @ w)))
        w = w + y[i] * X[i]
        picks.append(i)
    return w, picks


def no_label(X: Array, y: Labels) -> tuple[Array, list[int]]:
    """The smallest score among the mistakes."""
    w: Array = np.zeros(X.shape[1])
    picks: list[int] = []
    while (wrong := np.flatnonzero(y * (X @ w) <= 0)).size and len(picks) < 4000:
        i = int(wrong[np.argmin((X @ w)[wrong])])
        w = w + y[i] * X[i]
        picks.append(i)
    return w, picks


PLA_WORST = Check(
    "pla_worst",
    "pla_worst(X, y) -> (w, picks)",
    draw_separable,
    judge_worst,
    (
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
            "Your run looks at the size of the score; the label decides whether it is a mistake.",
        ),
        Slip(
            "smallest score",
            no_label,
            "Your run looks for the smallest score; expected the smallest y(w·x).",
        ),
        Slip(
            "stops after 100 updates",
            partial(worst, at_most=100),
            ENOUGH,
        ),
        Slip(
            "stops after 10 updates",
            partial(worst, at_most=10),
            ENOUGH,
        ),
        Slip(
            "strict",
            lambda X, y: (np.zeros(X.shape[1]), []),
            "At zero weights every y(w·x) is 0, and that is a mistake: ≤, not <.",
        ),
    ),
)


CHECKS = (AUGMENT, PREDICT, MISTAKES, PLA, PLA_WORST)
