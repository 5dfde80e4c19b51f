"""Every faster path against the plain one: the same mistakes, picks and weights, bit for bit."""

import os
import subprocess
import sys
from itertools import islice, product
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from refusals import refuses
from strategies import (
    RULES,
    each_kind,
    each_rule,
    is_mistake,
    labels,
    left_to_right,
    some,
)
from threadpoolctl import threadpool_limits

from perceptron_notes import (
    Dataset,
    error_count,
    last,
    learning,
    native,
    pla,
    pocket,
)
from perceptron_notes.datasets import halfspaces, li_hang
from perceptron_notes.model import canonical_score
from perceptron_notes.native.fallback import Scan, first_mistake

BLOCKS = st.sampled_from([1, 2, 3, 64])


def naive_look(w, X, y, start, stop, order=None):
    candidates = range(len(y)) if order is None else order
    return next((int(i) for i in candidates[start:stop] if is_mistake(w, X[i], y[i])), None)


@st.composite
def problems(draw, sample_numbers, weight_numbers, max_n=30, max_m=6):
    n, m = draw(st.integers(1, max_n)), draw(st.integers(1, max_m))
    X = draw(arrays(np.float64, (n, m), elements=sample_numbers))
    return draw(arrays(np.float64, m, elements=weight_numbers)), X, draw(labels(n))


def orders(n):
    """None, a way through all samples, or draws with repetition: what pick rules ask for."""
    draws = st.lists(st.integers(0, n - 1), min_size=1, max_size=2 * n)
    return st.one_of(st.none(), st.one_of(st.permutations(range(n)), draws).map(np.array))


def ranges(length):
    """A start and a stop."""
    return st.tuples(st.integers(0, length), st.integers(0, length)).map(sorted)


# ---------------------------------------------------------------------------- the score


@each_kind
@settings(max_examples=some(40))
@given(data=st.data())
def test_the_canonical_score_is_the_loop_from_the_left_bit_for_bit(numbers, data):
    w, X, _ = data.draw(problems(numbers, numbers))
    loop = np.array([left_to_right(w, x) for x in X])
    assert canonical_score(w, X).tobytes() == loop.tobytes()
    assert np.float64(canonical_score(w, X[0])).tobytes() == loop[:1].tobytes()


def test_a_fused_product_would_show_in_the_score():
    # Rounded, 0.1 * 10 is 1 and cancels; a fused multiply-add keeps the rest of the product.
    assert canonical_score(np.array([1.0, -0.1]), np.array([1.0, 10.0])) == 0


# ---------------------------------------------------------------------------- the search


def scan(X, y, block=64):
    return Scan(SimpleNamespace(X=X, y=y, reach=np.abs(X).max()), block)


@each_kind
@given(block=BLOCKS, data=st.data())
def test_a_scan_finds_what_the_plain_loop_finds(numbers, block, data):
    w, X, y = data.draw(problems(numbers, numbers))
    order = data.draw(orders(len(y)))
    start, stop = data.draw(ranges(len(y if order is None else order)))
    found = scan(X, y, block)(w)(start, stop, order)
    assert found == naive_look(w, X, y, start, stop, order)
    assert found is None or type(found) is int


def near_ties(rng, kind, n=120, m=7):
    """Samples whose scores are 0 but for rounding, in the chosen kind of numbers."""
    if kind == "tenths":
        w, X = rng.integers(1, 10, m), rng.integers(-9, 10, (100 * n, m))
        return w / 10, X[X @ w == 0][:n] / 10
    scale = {"normal": 1.0, "negative": 1.0, "overflow": 1e150, "underflow": 1e-157}[kind]
    w, X = rng.standard_normal(m), rng.standard_normal((n, m))
    if kind == "negative":  # and the first row is the smallest by far
        X = -np.abs(X) * 10.0 ** np.linspace(-8, 0, n)[:, None]
    X[:, -1] = -(X[:, :-1] @ w[:-1]) / w[-1]
    return w * scale, X * scale / np.abs(X).max()


@pytest.mark.parametrize("kind", ["tenths", "normal", "negative", "overflow", "underflow"])
def test_near_ties_are_decided_canonically_where_another_order_errs(kind):
    rng = np.random.default_rng(7)
    erred = 0
    for m, block in product([7, 40], [1, 2, 3, 64] * 3):
        w, X = near_ties(rng, kind, m=m)
        y = rng.choice([-1, 1], len(X))
        wrong = np.array([is_mistake(w, x, label) for x, label in zip(X, y, strict=True)])
        backwards = [is_mistake(w[::-1], x[::-1], label) for x, label in zip(X, y, strict=True)]
        erred += int((wrong != backwards).sum())
        look, start, found = scan(X, y, block)(w), 0, []
        while (i := look(start, len(y))) is not None:
            found.append(i)
            start = i + 1
        assert found == np.flatnonzero(wrong).tolist()
    # Sums of numbers below the normal range are exact; only their products are rounded.
    assert erred > 0 or kind == "underflow"


# ---------------------------------------------------------------------------- known margins

MARGINS = st.sampled_from([1.0, 5e-324, 0.0, -0.0, -5e-324, -2.0, np.inf, -np.inf, np.nan])


@given(data=st.data())
def test_first_mistake_is_the_first_margin_that_is_not_positive(data):
    margins = data.draw(st.lists(MARGINS, min_size=1, max_size=20))
    order = data.draw(orders(len(margins)))
    candidates = range(len(margins)) if order is None else order
    start, stop = data.draw(ranges(len(candidates)))
    expected = next((int(i) for i in candidates[start:stop] if not margins[i] > 0), None)
    found = first_mistake(np.array(margins), start, stop, order)
    assert found == expected
    assert found is None or type(found) is int


# ------------------------------------------------------------------ whole runs and their ends


def both_engines(test):
    """With the loops of this machine and without, in the quick tier too."""
    engines = pytest.mark.parametrize("engine", ["own", "numpy"], indirect=True, scope="module")
    return pytest.mark.usefixtures("engine")(engines(test))


def random_data(rng, most=60):
    """Whole numbers, tenths or normal numbers, near or across a hidden hyperplane."""
    n, d = int(rng.integers(1, most)), int(rng.choice([1, 2, 3, 11, 12, 30]))
    points = rng.integers(-9, 10, (n, d)) / rng.choice([1.0, 10.0])
    if rng.random() < 0.2:
        points = rng.standard_normal((n, d))
    y = np.where(points @ rng.integers(-3, 4, d) > rng.integers(-3, 4), 1, -1)
    y = np.where(rng.random(n) < rng.choice([0.0, 0.1]), -y, y)
    return Dataset(points, y, intercept=bool(rng.random() < 0.8))


def plain(step):
    """All that a step says, with the bits of its weights."""
    return step.t, step.w.tobytes(), step.pick, step.passes


def by_generator(run):
    """The steps as the chapter's generator makes them, one after the other."""
    with mock.patch.object(learning, "steps_ahead", return_value=None):
        return iter(run)


def plain_pocket(step):
    return *plain(step.step), step.errors, step.best.tobytes(), step.best_errors


@each_rule
@both_engines
def test_steps_made_ahead_are_the_generators_on_many_data_sets(rule):
    for seed in range(some(300)):
        rng = np.random.default_rng(seed)
        run = pla(random_data(rng), rule(seed), rate=float(rng.choice([1.0, 0.1])))
        many = int(rng.integers(0, 300))
        ours, expected = (list(islice(steps, many)) for steps in (run, by_generator(run)))
        assert list(map(plain, ours)) == list(map(plain, expected))
        assert all(type(step) is learning.Step and not step.w.flags.writeable for step in ours)


@both_engines
def test_runs_side_by_side_share_nothing():
    data = random_data(np.random.default_rng(3))
    for rule in RULES.values():
        run = pla(data, rule(1))
        assert all(plain(a) == plain(b) for a, b in islice(zip(run, run, strict=True), 100))
        first, second = iter(run), iter(run)
        next(first)
        assert plain(next(first)) != plain(next(second))
        kept = next(iter(run)).w
        assert kept.base is None  # a step that is kept keeps no other


@each_rule
@both_engines
def test_the_last_step_is_the_plain_runs_on_many_data_sets(rule):
    for seed in range(some(300)):
        rng = np.random.default_rng(seed)
        data, at_most = random_data(rng), int(rng.integers(0, 60))
        rate = float(rng.choice([1.0, 0.1]))
        run = pla(data, rule(seed), rate=rate)
        *_, end = islice(by_generator(run), at_most + 1)
        assert plain(last(run, at_most)) == plain(end)


@each_rule
@both_engines
def test_the_pocket_is_the_plain_one_on_many_data_sets(rule):
    for seed in range(some(300)):
        rng = np.random.default_rng(seed)
        data, at_most = random_data(rng), int(rng.integers(0, 60))
        run = pla(data, rule(seed))
        *_, end = islice(pocket(data, by_generator(run)), at_most + 1)
        assert plain_pocket(last(pocket(data, run), at_most)) == plain_pocket(end)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("block", [1, 7, 64, 4096])
@pytest.mark.parametrize("d", [2, 40])
def test_blocks_and_threads_change_nothing(threads, block, d):
    rng = np.random.default_rng(d)
    points = rng.integers(-9, 10, (6000, d)) / 10
    w = rng.integers(-9, 10, d + 1) / 10
    data = Dataset(points, np.where(points @ w[1:] > w[0], 1, -1))
    with threadpool_limits(threads):
        look = Scan(data, block)(w)
        found = [look(start, data.n) for start in range(0, data.n, 500)]
    wrong = [is_mistake(w, x, y) for x, y in data]
    assert found == [
        next((i for i in range(start, data.n) if wrong[i]), None) for start in range(0, data.n, 500)
    ]


@pytest.mark.parametrize("means", [native.fallback, native._means])
@pytest.mark.parametrize("d", [2, 40])
@pytest.mark.parametrize("scale", [1e-160, 1e-40, 1.0, 1e20, 1e140])
def test_what_half_the_precision_cannot_tell_is_counted_right(d, scale, means):
    # All samples lie on the boundary of w, but for rounding; and other weights are near to w.
    rng = np.random.default_rng(d)
    w, points = rng.standard_normal(d + 1), rng.standard_normal((700, d))
    points[:, -1] = -(w[0] + points[:, :-1] @ w[1:-1]) / w[-1]
    data = Dataset(points * scale, rng.choice([-1, 1], len(points)))
    W = w * (1 + rng.choice([0, 1e-9, -1e-12], (300, d + 1)))
    if scale == 1:
        halves = data.X.astype(np.float32) @ W.T.astype(np.float32)
        assert np.mean((halves > 0) != (data.X @ W.T > 0)) > 0.2
    W[:, 1:] /= scale
    expected = np.array([error_count(w, data) for w in W])
    fewest = expected.min()
    assert means.count_errors(data, W, data.n + 1).tolist() == expected.tolist()
    counts = means.count_errors(data, W, fewest)
    assert counts[-1] == expected[-1]
    assert (counts >= fewest).all()


def test_pocket_refuses_weights_of_another_length_in_batches_too():
    data = halfspaces(9, 4, distance=0.1, rng=np.random.default_rng(0))
    refuses(ValueError, "w has shape (3,)", last, pocket(data, pla(li_hang())))


def test_an_engine_that_is_not_known_is_named():
    environment = os.environ | {"PERCEPTRON_NOTES_ENGINE": "nump"}
    command = [sys.executable, "-c", "import perceptron_notes.native"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert 'ValueError: PERCEPTRON_NOTES_ENGINE is "nump"' in run.stderr


@pytest.mark.parametrize("kind", (native.loops != "none" and native._loops.kinds()) or ())
def test_older_loops_can_be_asked_for(kind):
    environment = os.environ | {"PERCEPTRON_NOTES_ENGINE": kind}
    words = "from perceptron_notes import native; print(native.engine, native.loops)"
    command = [sys.executable, "-c", words]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["compiled", kind]
