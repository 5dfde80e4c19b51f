"""The bug museum: every bug of the appendix is caught, and its fixed version passes."""

import ast
import math
import re

import numpy as np
import pytest
from exhibits import BOOK, definitions, prose_and_code, told_apart

from perceptron_notes import (
    Dataset,
    at_random,
    certify,
    error_count,
    in_turn,
    last,
    ledger,
    lowest,
    mistakes,
    pla,
    pocket,
    record,
    separate,
)
from perceptron_notes.convergence import Obstruction
from perceptron_notes.datasets import flip_labels, halfspaces, tight
from perceptron_notes.learning import Trace

FINE = "every inequality holds"
NOTEBOOK = BOOK / "museum.ipynb"
SPACE, EXHIBITS = definitions(NOTEBOOK)
replay, refusal = SPACE["replay"], SPACE["refusal"]
CATCHERS = {}


def catches(name):
    """Register a catcher: `catcher(program, rng)` lists what it notices, one bool a check.

    On every data set all checks must notice the bug, and none the fixed version.
    """

    def register(catcher):
        CATCHERS[name] = catcher
        return catcher

    return register


def grid(rng, *, least_d=1, low=-3):
    """A small separable data set of whole numbers with both labels, soon learned by PLA."""
    while True:
        n, d = rng.integers(2, 9), rng.integers(least_d, 4)
        points, w = rng.integers(low, 4, size=(n, d)), rng.integers(-3, 4, size=d + 1)
        scores = w[0] + points @ w[1:]
        if not scores.all() or len(set(np.sign(scores))) < 2:
            continue
        data = Dataset(points, np.sign(scores))
        if max(record(pla(data, rule)).updates for rule in (lowest, in_turn)) <= 60:
            return data


# What is a mistake? -----------------------------------------------------------------------------


@catches("strict")
def less_than(program, rng):
    data = grid(rng)
    W, picks = program(data.X, data.y)
    return [error_count(W[-1], data) > 0, replay(data, W, picks) != FINE]


@catches("sign")
def zero_is_positive(program, rng):
    data = grid(rng)
    turned = Dataset(data.points, -data.y)
    (W, picks), (V, others) = program(data.X, data.y), program(turned.X, turned.y)
    return [
        picks != others or not np.array_equal(W, -np.array(V)),
        [picks, others] != [record(pla(some)).picks.tolist() for some in (data, turned)],
    ]


@catches("every")
def every_visit(program, rng):
    data = grid(rng)
    return ["is no mistake" in replay(data, *program(data.X, data.y, passes=100))]


@catches("stale")
def scores_of_the_pass(program, rng):
    data = halfspaces(12, distance=0.1, rng=rng)
    return ["is no mistake" in replay(data, *program(data.X, data.y))]


# The update -------------------------------------------------------------------------------------


@catches("alias")
def one_vector(program, rng):
    data = grid(rng)
    W, picks = program(data.X, data.y)
    assert error_count(W[-1], data) == 0  # why it goes unnoticed
    return ["leads from" in replay(data, W, picks), W[0].any()]


@catches("view")
def a_sample(program, rng):
    data = grid(rng)
    down = np.argsort(data.y)  # a negative sample first: the start is a mistake at once
    data = Dataset(data.points[down], data.y[down])
    X = data.X.copy()
    program(X, data.y)
    return [refusal(program, data.X, data.y) != "accepted", not np.array_equal(X, data.X)]


@catches("integer")
def whole_numbers(program, rng):
    data = grid(rng)
    X, runs = data.X.astype(int), []
    for rate in (1, 0.25):
        W, picks = program(X, data.y, rate)
        runs.append(replay(data, W, picks, rate))
    assert runs[0] == FINE  # why it goes unnoticed
    return [runs[1] != FINE]


@catches("bias")
def bias_in_the_loop(program, rng):
    data = grid(rng, least_d=2)
    W, picks = program(data.X, data.y)
    trace = record(pla(data))
    equal = np.array_equal(trace.picks, picks) and np.array_equal(trace.W, W)
    return ["leads from" in replay(data, W, picks), not equal]


# The data ---------------------------------------------------------------------------------------


@catches("labels")
def zero_and_one(program, rng):
    data = grid(rng, low=0)  # no coordinate is negative, so one class alone cannot be right
    labels = (data.y + 1) // 2
    k = int(np.argmin(labels))
    sentence = refusal(Dataset, data.points, labels)
    assert sentence.startswith(f"labels[{k}] is 0; labels must be -1 or +1")
    return [error_count(program(data.points, labels), data) > 0]


@catches("leading")
def no_leading_one(program, rng):
    data = grid(rng)
    w = program(data.points, data.y)
    sentence = refusal(error_count, w, data)
    if sentence == "accepted":
        assert error_count(w, data) == 0
    return [f"expected ({data.d + 1},)" in sentence]


@catches("shuffle")
def labels_left_behind(program, rng):
    data = halfspaces(20, distance=0.25, rng=rng)
    order = rng.permutation(data.n)
    assert isinstance(separate(Dataset(data.points[order], data.y)), Obstruction)
    # A run on shuffled labels wanders, and may be stopped at good weights by chance.
    ends = [program(data.X, data.y, np.random.default_rng(seed), 30) for seed in range(3)]
    return [any(error_count(w, data) > 0 for w in ends)]


# The end, the count, the picture ----------------------------------------------------------------


@catches("cap")
def end_of_patience(program, rng):
    data = grid(rng)
    T = record(pla(data, lowest)).updates
    W, picks, converged = program(data.X, data.y, T - 1)
    early = replay(data, W, picks, converged=converged)
    both = Dataset([*data.points, data.points[0]], [*data.y, -data.y[0]])
    assert isinstance(separate(both), Obstruction)
    V, _, hopeless = program(both.X, both.y, 200)
    return ["converged is True" in early, hopeless != (error_count(V[-1], both) == 0)]


@catches("twice")
def second_fit(program, rng):
    data, other = grid(rng, least_d=3), grid(rng, least_d=3)
    model = program(d=3)
    model.fit(other.X, other.y)
    W, picks = model.fit(data.X, data.y)
    assert error_count(model.w, data) == 0  # why it goes unnoticed
    trace = Trace(data, 1.0, np.array(W), np.array(picks, dtype=int), True)
    book = ledger(certify(data, separate(data)), trace)
    assert book.holds
    again = model.fit(data.X, data.y)[1]
    expected = record(pla(data, lowest)).picks.tolist()
    return [book.start is not None, again != expected]


@catches("passes")
def updates_for_mistakes(program, rng):
    data = grid(rng)
    W, errors = program(data.X, data.y, passes=65)
    return [errors != [error_count(w, data) for w in W]]


@catches("picture")
def late_frames(program, rng):
    data = grid(rng)
    frames, steps = program(data.X, data.y), list(pla(data))[:-1]
    assert [i for _, i in frames] == [step.pick for step in steps]
    return [
        any(i not in mistakes(w, data) for w, i in frames),
        not all(np.array_equal(w, step.w) for (w, _), step in zip(frames, steps, strict=True)),
    ]


# Pocket and the bound ---------------------------------------------------------------------------


@catches("missed")
def last_weights(program, rng):
    data = grid(rng)
    best = program(data.X, data.y)
    return [
        error_count(best, data) > 0,
        not np.array_equal(best, last(pocket(data, pla(data, lowest))).best),
    ]


@catches("test")
def chosen_by_the_judge(program, rng):
    data = flip_labels(halfspaces(40, d=4, distance=0.01, rng=rng), 4, rng=rng)
    train = Dataset(data.points[:20], data.y[:20])
    seed, found = int(rng.integers(10**6)), []
    for turn in (1, -1):
        test = Dataset(data.points[20:], turn * data.y[20:])
        found.append(program(train, test, np.random.default_rng(seed), at_most=60)[0])
    depends = not np.array_equal(*found)
    steps = pla(train, at_random(np.random.default_rng(seed)))
    best = last(pocket(train, steps), at_most=60).best
    assert depends or np.array_equal(found[0], best)
    return [depends]


@catches("radius")
def short_radius(program, rng):
    data, tightest = grid(rng), tight(int(rng.integers(1, 7)))
    w_f = last(pla(data)).w
    c = certify(data, w_f)
    bound = program(tightest.points, tightest.y, separate(tightest).w)
    return [
        not math.isclose(program(data.points, data.y, w_f), c.R2 / c.rho2),
        record(pla(tightest)).updates > bound,
    ]


# ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXHIBITS)
def test_the_bug_is_caught_and_the_fixed_version_passes(name):
    assert name in CATCHERS, f"no catcher for the exhibit {name}"
    told_apart(EXHIBITS[name], CATCHERS[name])


def test_a_catcher_for_every_exhibit_and_no_other():
    assert set(CATCHERS) == set(EXHIBITS)
    for name, programs in EXHIBITS.items():
        assert callable(programs["bug"]), name
        assert callable(programs["fixed"]), name
        assert programs["bug"] is not programs["fixed"], name


def test_the_table_lists_the_exhibits():
    prose, _ = prose_and_code(NOTEBOOK)
    headings = re.findall(r"^### (\d+)\. (.+)$", prose, flags=re.M)
    assert [int(number) for number, _ in headings] == list(range(1, len(EXHIBITS) + 1))
    rows = re.findall(r"^\| \[(\d+)\. (.+?)\]\(#(.+?)\)", prose, flags=re.M)
    assert [(number, title) for number, title, _ in rows] == headings
    for number, title, anchor in rows:
        words = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        assert anchor == f"{number}-{words}"


def test_the_table_says_which_exhibits_small_cases_find():
    prose, code = prose_and_code(NOTEBOOK)
    marked = {
        int(number)
        for number, habits in re.findall(r"^\| \[(\d+)\..*\*\*([ERS]+)\*\* \|$", prose, flags=re.M)
        if "S" in habits
    }
    tables = [
        node.value.keys
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "checks"
    ]
    assert [key.value for key in tables[0]] == sorted(marked)
