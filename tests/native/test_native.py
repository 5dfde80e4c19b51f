"""Every faster path against the plain one: the same mistakes, picks and weights, bit for bit.

What is searched, run and counted here is so by the loops of each kind of processor that this one
can be, and by NumPy.
"""

import os
import subprocess
import sys
from itertools import islice
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from strategies import RULES, each_kind, each_rule, is_mistake, labels, left_to_right, some
from threadpoolctl import threadpool_limits

from perceptron_notes import (
    Dataset,
    average,
    dual_pla,
    last,
    learning,
    native,
    pla,
    pocket,
    record,
)
from perceptron_notes.datasets import halfspaces
from perceptron_notes.kernels import gram, polynomial
from perceptron_notes.model import canonical_score
from perceptron_notes.multiclass import Classes, multi_pla
from perceptron_notes.native.fallback import Scan
from perceptron_notes.online import vote
from perceptron_notes.rules import Tour

#: The compiled loops that this machine can run.
KINDS = () if native.loops == "none" else native._loops.kinds()
each_engine = pytest.mark.usefixtures("engine")


@pytest.fixture(params=[*KINDS, "numpy"], scope="module")
def engine(request):
    """Use the loops of one kind of processor, or NumPy, for everything."""
    if request.param == "numpy":
        with mock.patch.object(native, "means", native.fallback):
            yield
    else:
        native._loops.use(request.param)
        yield
        native._loops.use(native.loops)


# ---------------------------------------------------------------------------- the score


@each_kind
@settings(max_examples=some(40))
@given(data=st.data())
def test_the_canonical_score_is_the_loop_from_the_left_bit_for_bit(numbers, data):
    n, m = data.draw(st.integers(1, 30)), data.draw(st.integers(1, 6))
    X = data.draw(arrays(np.float64, (n, m), elements=numbers))
    w = data.draw(arrays(np.float64, m, elements=numbers))
    loop = np.array([left_to_right(w, x) for x in X])
    assert canonical_score(w, X).tobytes() == loop.tobytes()
    assert np.float64(canonical_score(w, X[0])).tobytes() == loop[:1].tobytes()


def test_a_fused_product_would_show_in_the_score():
    # Rounded, 0.1 * 10 is 1 and cancels; a fused multiply-add keeps the rest of the product.
    assert canonical_score(np.array([1.0, -0.1]), np.array([1.0, 10.0])) == 0


# ---------------------------------------------------------------------------- the search

#: Row lengths up to 12 are compiled for their length; others go in lanes of 16, 8 and 4.
LENGTHS = [1, 2, 3, 5, 11, 12, 13, 16, 24, 31, 45, 101]


def near_ties(rng, n, m, kind):
    """Samples and weights for which rounding decides often, in the chosen kind of numbers."""
    if kind == "tenths":
        X, w = rng.integers(-9, 10, (n, m)) / 10, rng.integers(-9, 10, m) / 10
    else:
        scale = {"huge": 1e149, "tiny": 1e-160, "floats": 1e14}.get(kind, 1.0)
        X, w = rng.standard_normal((n, m)), rng.standard_normal(m)
        if kind == "scales":
            X, w = X * np.logspace(-6, 0, m), w * np.logspace(6, 0, m)
        if m > 1:  # every other sample lies on the boundary, but for rounding
            X[::2, -1] = -(X[::2, :-1] @ w[:-1]) / w[-1]
        X = X * (scale / np.abs(X).max())
    return Dataset(X, rng.choice([-1, 1], n), intercept=False), w


def wrong_ones(w, data):
    """The mistakes, by Python's own floats."""
    return [i for i in range(data.n) if is_mistake(w, data.X[i], data.y[i])]


def all_found(look, n):
    """One mistake after the other."""
    found = [look(0, n)]
    while found[-1] is not None:
        found.append(look(found[-1] + 1, n))
    return found[:-1]


def orders(n):
    """None, a way through all samples, or draws with repetition: what pick rules ask for."""
    draws = st.lists(st.integers(0, n - 1), min_size=1, max_size=2 * n)
    return st.one_of(st.none(), st.one_of(st.permutations(range(n)), draws).map(np.array))


@each_engine
@each_kind
@settings(max_examples=some(40))
@given(data=st.data())
def test_a_look_finds_what_the_plain_loop_finds(numbers, data):
    n, m = data.draw(st.integers(1, 30)), data.draw(st.sampled_from([1, 2, 3, 12, 17, 25]))
    X, y = data.draw(arrays(np.float64, (n, m), elements=numbers)), data.draw(labels(n))
    w, order = data.draw(arrays(np.float64, m, elements=numbers)), data.draw(orders(n))
    samples, chosen = Dataset(X, y, intercept=False), range(n) if order is None else order.tolist()
    start, stop = sorted(data.draw(st.tuples(*2 * [st.integers(0, len(chosen))])))
    wrong = wrong_ones(w, samples)
    found = native.searching(samples)(w)(start, stop, order)
    assert found == next((i for i in chosen[start:stop] if i in wrong), None)
    assert found is None or type(found) is int


@each_engine
@pytest.mark.parametrize("kind", ["normal", "tenths", "huge", "tiny", "floats"])
def test_near_ties_are_decided_by_the_sum_from_the_left(kind):
    erred = 0
    for m in LENGTHS:
        rng = np.random.default_rng(m)
        data, w = near_ties(rng, 300, m, kind)
        look, wrong = native.searching(data)(w), wrong_ones(w, data)
        assert all_found(look, data.n) == wrong
        backwards = rng.permutation(data.n)
        assert look(0, 300, backwards) == next((i for i in backwards if i in wrong), None)
        reverse = Dataset(data.X[:, ::-1], data.y, intercept=False)
        erred += wrong_ones(w[::-1], reverse) != wrong
    # Sums of numbers below the normal range are exact; only their products are rounded.
    assert erred > 0 or kind == "tiny"


@pytest.mark.parametrize("engine", KINDS, indirect=True)
@pytest.mark.parametrize("kind", ["normal", "tenths", "floats", "scales"])
@pytest.mark.parametrize("m", [13, 37, 101])
def test_numbers_of_two_bytes_find_the_same(engine, m, kind):
    n = (1 << 18) // m + 100  # as many numbers as the copy in two bytes each takes to pay
    data, w = near_ties(np.random.default_rng(m), n, m, kind)
    y = data.y.copy()
    y[: n - 300] = np.where(data.X[: n - 300] @ w > 0, 1, -1)
    scan = native.searching(Dataset(data.X, y, intercept=False))
    scan(w)(n - 1, n)
    wrong = np.flatnonzero(~(y * canonical_score(w, data.X) > 0)).tolist()
    for _ in range(4):  # enough searches that the copy is made
        assert all_found(scan(w), n) == wrong
        assert scan(w * 0)(0, n) == 0


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("block", [1, 7, 64, 4096])
@pytest.mark.parametrize("d", [2, 40])
def test_blocks_and_threads_change_nothing(threads, block, d):
    rng = np.random.default_rng(d)
    points, w = rng.integers(-9, 10, (6000, d)) / 10, rng.integers(-9, 10, d + 1) / 10
    data = Dataset(points, np.where(points @ w[1:] > w[0], 1, -1))
    with threadpool_limits(threads):
        found = all_found(Scan(data, block)(w), data.n)
    assert found == np.flatnonzero(~(data.y * canonical_score(w, data.X) > 0)).tolist()


# ------------------------------------------------------------------ whole runs and their ends


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


def plain_pocket(step):
    return *plain(step.step), step.errors, step.best.tobytes(), step.best_errors


def plain_dual(step):
    return step.t, step.alpha.tobytes(), step.b, step.pick, step.passes


def by_generator(run):
    """The steps as the chapter's generator makes them, one after the other."""
    with mock.patch.object(native.means, "steps_ahead", return_value=None):
        return iter(run)


def end_of(steps, at_most):
    """The last step before a cap, by any engine."""
    *_, end = islice(steps, at_most + 1)
    return end


@each_rule
@each_engine
def test_runs_are_the_generators_on_many_data_sets(rule):
    for seed in range(some(150)):
        rng = np.random.default_rng(seed)
        data, at_most = random_data(rng), int(rng.integers(0, 150))
        run = pla(data, rule(seed), rate=float(rng.choice([1.0, 0.1])))
        ours, expected = (list(islice(steps, at_most + 1)) for steps in (run, by_generator(run)))
        assert list(map(plain, ours)) == list(map(plain, expected))
        assert all(type(step) is learning.Step and not step.w.flags.writeable for step in ours)
        assert plain(last(run, at_most)) == plain(expected[-1])
        if expected[-1].passes is not None:
            cap = int(rng.integers(0, expected[-1].passes + 1))
            stop = next((s for s in expected if s.passes > cap), expected[-1])
            assert plain(last(run, at_most, passes=cap)) == plain(stop)


@each_rule
@each_engine
def test_the_pocket_and_the_dual_form_are_the_plain_ones_on_many_data_sets(rule):
    for seed in range(some(150)):
        rng = np.random.default_rng(seed)
        data, at_most = random_data(rng), int(rng.integers(0, 60))
        run = pla(data, rule(seed))
        end = end_of(pocket(data, by_generator(run)), at_most)
        assert plain_pocket(last(pocket(data, run), at_most)) == plain_pocket(end)
        G = gram(data) if rng.random() < 0.5 else gram(data, polynomial(2))
        dual = dual_pla(G, data.y, rule(seed), rate=0.3, intercept=bool(seed % 2))
        assert plain_dual(last(dual, at_most)) == plain_dual(end_of(dual, at_most))


def bits(thing):
    """All that a Trace, or a step of an average or a vote says, with the bits of its arrays."""
    fields = vars(thing).items()
    return {name: v.tobytes() if isinstance(v, np.ndarray) else v for name, v in fields}


def capped(rng, steps):
    """Some caps: of updates, and of passes if there are any."""
    yield int(rng.integers(0, len(steps))), None
    if steps[-1].passes is not None:
        yield len(steps), int(rng.integers(0, steps[-1].passes))


@each_rule
@each_engine
def test_records_averages_and_votes_are_those_of_the_steps(rule):
    for seed in range(some(150)):
        rng = np.random.default_rng(seed)
        data = random_data(rng)
        w0 = rng.choice([0.0, 0.5, 0.1], data.X.shape[1]) if seed % 2 else None
        run = pla(data, rule(seed), rate=float(rng.choice([1.0, 0.1])), w0=w0)
        steps = list(islice(by_generator(run), 100))
        for cap, passes in capped(rng, steps):
            kept = record(steps, cap, passes=passes, data=data, rate=run.rate)
            assert bits(record(run, cap, passes=passes)) == bits(kept)
            for watch in (average, vote):
                ours = last(watch(data, run), cap, passes=passes)
                expected = last(watch(data, steps, pick=run.pick), cap, passes=passes)
                assert plain(ours.step) == plain(expected.step)
                assert bits(ours) == bits(expected)


class StepByStep(Classes):
    """Classes that compiled code does not know."""


@each_rule
@each_engine
def test_classes_that_compete_make_the_steps_of_the_generator(rule):
    for seed in range(some(150)):
        rng = np.random.default_rng(seed)
        points, K = random_data(rng).points, int(rng.choice([2, 3, 8, 9, 17]))
        labels, intercept = rng.integers(K, size=len(points)), bool(seed % 5)
        w0 = rng.choice([0.0, -0.0, 0.1], (K, points.shape[1] + intercept)) if seed % 2 else None
        runs = [
            multi_pla(kind(points, labels, range(K), intercept), rule(seed), w0=w0, rate=0.3)
            for kind in (Classes, StepByStep)
        ]
        ours, steps = (list(islice(run, 60)) for run in runs)
        assert [(*plain(s), s.rival) for s in ours] == [(*plain(s), s.rival) for s in steps]
        for cap, passes in capped(rng, steps):
            ours, expected = (last(run, cap, passes=passes) for run in runs)
            assert (*plain(ours), ours.rival) == (*plain(expected), expected.rival)


@each_engine
def test_scores_of_classes_that_overflow_decide_nothing_in_a_run_too():
    for kind in (Classes, StepByStep):
        data = kind([[1e150], [-1e150], [1e150]], "abc")
        with np.errstate(all="ignore"):
            end = last(multi_pla(data, w0=[[0, 1e200], [0, 1e200], [0, -1e200]]), 9)
        assert (end.t, end.pick, end.rival) == (9, 0, 1)


@each_engine
@pytest.mark.parametrize("passes", [2, 12])
def test_many_passes_over_many_samples_are_those_of_the_generator(passes):
    data = halfspaces(9000, 30, distance=0.05, rng=np.random.default_rng(2))
    y = data.y.copy()
    y[::1000] *= -1
    run = pla(Dataset(data.points, y))
    end = next(step for step in by_generator(run) if step.passes > passes)
    assert plain(last(run, passes=passes)) == plain(last(run, end.t)) == plain(end)


@each_engine
def test_a_step_that_is_kept_keeps_no_other():
    data = random_data(np.random.default_rng(3))
    for rule in RULES.values():
        assert next(iter(pla(data, rule(1)))).w.base is None


@each_engine
@pytest.mark.parametrize("seed", range(20))
def test_a_rule_that_changes_all_it_can_reach_leads_nobody_outside(seed):
    rng, n = np.random.default_rng(seed), 300
    data = halfspaces(n, 20, distance=0.01, rng=rng)
    three, G, order = Classes(data.points, rng.integers(3, size=n)), gram(data), np.arange(n)

    def meddle(look, n, previous):
        for array in (data.X, data.y, three.X, three.y, G, order):
            array.flags.writeable = True
            array[rng.integers(n)] = (
                rng.choice([-1, np.iinfo(np.intp).max]) if rng.random() < 0.05 else array[0]
            )
        return look(0, n, order)

    run = pla(data, meddle)
    for steps in (run, pocket(data, run), multi_pla(three, meddle), dual_pla(G, data.y, meddle)):
        try:
            with np.errstate(all="ignore"):
                assert all(0 <= step.pick < n for step in islice(steps, 40))
        except (IndexError, ValueError) as error:
            assert "out of bounds" in str(error) or "expected" in str(error)  # noqa: PT017


def test_a_rule_that_goes_backwards_is_known_by_its_order(monkeypatch):
    compiled = pytest.importorskip("perceptron_notes.native.compiled")
    data = halfspaces(40, distance=0.05, rng=np.random.default_rng(3))
    back = np.arange(data.n)[::-1]
    by_hand = [step.pick for step in pla(data, lambda look, n, previous: look(0, n, back))]
    monkeypatch.setattr(native, "means", compiled)
    monkeypatch.setattr(compiled, "traversal", lambda pick, n: Tour(n, back, back, cyclic=False))
    assert [step.pick for step in pla(data)] == by_hand


# ------------------------------------------------------------------------------- many counts


@each_engine
@pytest.mark.parametrize("kind", ["normal", "tenths", "huge", "tiny", "floats"])
@pytest.mark.parametrize("n", [1, 63, 64, 500])
def test_mistakes_of_many_weights_are_those_of_the_plain_loop(n, kind):
    for m in LENGTHS:
        rng = np.random.default_rng(n + m)
        data, w = near_ties(rng, n, m, kind)
        near = w * (1 + rng.choice([0, 1e-9, -1e-12], (20, m)))
        W = np.array([*near, -w, 0 * w, *rng.standard_normal((7, m)), w * 1e-3, w * 1e-300])
        expected = np.array([(~(data.y * canonical_score(v, data.X) > 0)).sum() for v in W])
        assert native.means.count_errors(data, W, n + 1).tolist() == expected.tolist()
        below = int(np.median(expected))
        counts = native.means.count_errors(data, W, below)
        assert counts[-1] == expected[-1]
        assert ((counts == expected) | (counts >= below)).all()


# --------------------------------------------------------------------------------- engines


def asked_for(engine):
    """Import the package where the environment asks for an engine."""
    words = "from perceptron_notes import native; print(native.engine, native.loops)"
    environment = os.environ | {"PERCEPTRON_NOTES_ENGINE": engine}
    command = [sys.executable, "-c", words]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_an_engine_that_is_not_known_is_named():
    assert 'ValueError: PERCEPTRON_NOTES_ENGINE is "nump"' in asked_for("nump").stderr


@pytest.mark.parametrize("kind", KINDS)
def test_older_loops_can_be_asked_for(kind):
    assert asked_for(kind).stdout.split() == ["compiled", kind]
