"""The algorithm, the rules that choose its mistakes, and those who watch it."""

import tracemalloc
import warnings
import weakref
from fractions import Fraction
from functools import partial
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from refusals import refuses
from scipy.stats import chisquare
from strategies import (
    RULES,
    WHOLE,
    datasets,
    each_kind,
    each_rule,
    some,
    textbook_pla,
)

from perceptron_notes import (
    ConvergenceWarning,
    Dataset,
    at_random,
    dual_pla,
    in_turn,
    last,
    lowest,
    pla,
    pocket,
    record,
    separate,
    shuffled,
)
from perceptron_notes.datasets import halfspaces, li_hang, xor
from perceptron_notes.kernels import gram
from perceptron_notes.learning import Step, criterion
from perceptron_notes.model import score
from perceptron_notes.native import first_mistake
from perceptron_notes.rules import Tour, traversal

#: Every run once with the compiled loops and once without.
pytestmark = pytest.mark.usefixtures("engine")


def tour(rule, n):
    """The order in which a cyclic rule goes round, seen where every sample is a mistake."""
    order = [rule(partial(first_mistake, np.full(n, -1.0)), n, None)]
    while len(order) < n:
        order.append(rule(partial(first_mistake, np.full(n, -1.0)), n, order[-1]))
    return order


# -------------------------------------------------------------- against the textbook's loop


def test_rounding_can_keep_pla_from_halting_on_separable_data():
    data = Dataset([[1e150], [np.nextafter(1e150, 0)]], [1, -1])
    assert last(pla(data), at_most=50_000).pick is not None


@each_kind
@given(data=st.data(), restart=st.booleans())
def test_pla_is_the_textbooks_loop_bit_for_bit(numbers, data, restart):
    samples = data.draw(datasets(numbers))
    w0 = data.draw(st.none() | arrays(np.float64, samples.d + 1, elements=numbers))
    rate = data.draw(st.sampled_from([1.0, 0.1, 3.0]))
    at_most = data.draw(st.integers(0, 60))
    W, picks, halted = textbook_pla(samples, restart=restart, w0=w0, rate=rate, at_most=at_most)
    rule = lowest if restart else in_turn
    trace = record(pla(samples, rule, w0=w0, rate=rate), at_most)
    assert trace.picks.tolist() == picks
    assert trace.W.tobytes() == np.array(W).tobytes()
    assert trace.converged == halted


@each_kind
@settings(max_examples=some(40))
@given(data=st.data(), seed=st.integers(0, 99))
def test_shuffled_is_the_textbooks_loop_in_one_random_order(numbers, data, seed):
    samples = data.draw(datasets(numbers))
    rule = shuffled(np.random.default_rng(seed))
    order = tour(rule, samples.n)
    W, picks, halted = textbook_pla(samples, order=order)
    trace = record(pla(samples, rule), at_most=100)
    assert trace.picks.tolist() == picks
    assert trace.W.tobytes() == np.array(W).tobytes()
    assert trace.converged == halted


# ------------------------------------------------------------------------------- the rules


def look_with_mistakes(n, wrong):
    margins = np.ones(n)
    margins[list(wrong)] = -1
    return partial(first_mistake, margins)


@each_rule
def test_no_rule_finds_a_mistake_where_none_is(rule):
    for n in (1, 32, 33, 3000):
        assert rule()(look_with_mistakes(n, []), n, None) is None


def test_shuffled_goes_round_through_all_samples_in_one_order():
    for n in (1, 2, 7, 100):
        rule = shuffled(np.random.default_rng(n))
        order = tour(rule, n)
        assert sorted(order) == list(range(n))
        assert tour(rule, n) == order
        assert rule(look_with_mistakes(n, range(n)), n, order[-1]) == order[0]


@pytest.mark.parametrize(
    "name", [name for name in RULES if isinstance(traversal(RULES[name](), 1), Tour)]
)
@given(data=datasets(max_n=12))
def test_a_rule_knows_how_many_samples_it_shows_between_two_mistakes(name, data):
    rule, shown = RULES[name](), []
    way = traversal(rule, data.n)

    def counting(look, n, previous):
        seen = 0

        def watched(start, stop, order=None):
            nonlocal seen
            i = look(start, stop, order)
            places = order[start:stop].tolist() if order is not None else range(start, stop)
            seen += len(places) if i is None else places.index(i) + 1
            return i

        pick = rule(watched, n, previous)
        shown.append(seen)
        return pick

    picks = [step.pick for step in islice(pla(data, counting), 20)]
    before = data.n - 1
    for seen, pick in zip(shown, picks, strict=True):
        if pick is None:  # whose last pass begins where the tour does
            assert seen == data.n
            assert way.rest(before) == data.n + (way.cyclic and data.n - 1 - before)
        else:
            here = int(way.places(pick))
            assert way.shown(before, here) == seen
            before = here


@pytest.mark.parametrize("name", RULES)
def test_a_rule_can_be_used_again_and_in_runs_side_by_side(name):
    rule = RULES[name]()
    small = Dataset(li_hang().points, [1, -1, 1])
    large = halfspaces(40, distance=0.05, rng=np.random.default_rng(2))
    alone = [[s.pick for s in islice(pla(data, rule), 12)] for data in (small, large, small)]
    runs = [iter(pla(data, rule)) for data in (small, large, small)]
    together = [[], [], []]
    for _ in range(12):
        for picks, run in zip(together, runs, strict=True):
            picks.extend(step.pick for step in islice(run, 1))
    assert together == alone
    assert alone[0] == alone[2]


@pytest.mark.parametrize(
    ("n", "wrong"), [(10, [0, 1, 8]), (33, [0, 1, 32]), (5000, range(0, 2500, 250))]
)
def test_at_random_takes_every_mistake_equally_often(n, wrong):
    rule = at_random(np.random.default_rng(8))
    look = look_with_mistakes(n, wrong)
    picks = [rule(look, n, 0) for _ in range(1500)]
    assert set(picks) <= set(wrong)
    assert chisquare([picks.count(i) for i in wrong]).pvalue > 0.01


def test_at_random_draws_what_its_generator_draws_one_by_one():
    """However many it makes ahead, and when samples are added between two picks."""
    rule = at_random(np.random.default_rng(8))
    rng, sizes = np.random.default_rng(rule.seed), np.random.default_rng(9)
    for n in [*sizes.choice([20, 1000, 1001, 30_000], size=300), *[1000] * 300]:
        look = look_with_mistakes(n, sizes.choice(n, size=1 + n // 40))
        draws, expected = 32, None
        while draws < n and expected is None:
            expected = look(0, draws, rng.integers(n, size=draws))
            draws *= 8
        if expected is None:
            expected = look(0, n, rng.permutation(n))
        assert rule(look, n, 0) == expected


# -------------------------------------------------------------------- a generator of steps


def test_pla_makes_one_step_at_a_time():
    asked = []

    def watched(look, n, previous):
        asked.append(previous)
        return in_turn(look, n, previous)

    steps = iter(pla(xor(), watched))
    assert asked == []
    next(steps)
    assert asked == [None]
    next(steps)
    assert asked == [None, 0]


def test_weights_are_read_only_fresh_and_nobody_elses():
    w0 = np.array([1.0, -1.0, 0.0])
    run = pla(xor(), w0=w0)
    w0[:] = 99
    weights = [step.w for step in islice(run, 10)]
    assert weights[0].tolist() == [1, -1, 0]
    for k, w in enumerate(weights):
        assert w.dtype == np.float64
        assert not w.flags.writeable
        assert not any(np.shares_memory(w, other) for other in weights[:k])
    trace = record(pla(li_hang()))
    assert not any(array.flags.writeable for array in (trace.W, trace.picks, trace.w))


def test_start_and_rate_of_every_real_kind_are_accepted():
    for w0 in ([1, 2, 3], np.array([1, 2, 3], np.float32)):
        for rate in (2, 2.0, np.float32(2), np.int64(2)):
            trace = record(pla(li_hang(), w0=w0, rate=rate))
            assert trace.W[:2].tolist() == [[1, 2, 3], [-1, 0, 1]]
            assert type(trace.rate) is float


def test_pla_refuses_bad_arguments_when_it_is_called():
    refuses(TypeError, "data is a list; expected a Dataset", pla, [[3, 3]])
    for error, words, argument in (
        (ValueError, "w0 has shape (2,)", {"w0": [0, 0]}),
        (ValueError, "w0[1] is nan", {"w0": [0, np.nan, 0]}),
        (TypeError, "w0 has dtype <U1", {"w0": ["a", "b", "c"]}),
        (ValueError, "rate is 0", {"rate": 0}),
        (ValueError, "rate is inf", {"rate": np.inf}),
        (ValueError, "rate is 1000", {"rate": 10**400}),
        (TypeError, "rate is 'fast'", {"rate": "fast"}),
        (TypeError, "rate is True", {"rate": True}),
        (TypeError, "pick is shuffled itself", {"pick": shuffled}),
        (TypeError, "pick is 'lowest'", {"pick": "lowest"}),
    ):
        refuses(error, words, pla, li_hang(), **argument)


@pytest.mark.parametrize("make", [shuffled, at_random])
def test_random_rules_need_a_generator(make):
    refuses(TypeError, "rng", make)
    for rng in (None, 3, np.random):
        refuses(TypeError, "expected a generator: np.random.default_rng", make, rng)


# ------------------------------------------------------------------------ record and last


@pytest.mark.parametrize(
    ("at_most", "updates", "converged"), [(0, 0, False), (6, 6, False), (7, 7, True), (8, 7, True)]
)
def test_an_explicit_cap_stops_silently_and_says_whether_the_run_was_over(
    at_most, updates, converged
):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trace = record(pla(li_hang()), at_most=at_most)
        end = last(pla(li_hang()), at_most=at_most)
    assert (trace.updates, trace.converged) == (updates, converged)
    assert trace.W.shape == (updates + 1, 3)
    assert (end.t, end.pick is None) == (updates, converged)
    assert np.array_equal(end.w, trace.w)
    assert ("not converged" in repr(trace)) is not converged


@pytest.mark.parametrize("watch", [record, last])
def test_the_default_cap_warns_with_its_number_in_the_callers_file(watch):
    with pytest.warns(ConvergenceWarning, match=r"10000 updates") as caught:
        end = watch(pla(xor()))
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert (end.updates if watch is record else end.t) == 10_000
    assert not (end.converged if watch is record else end.pick is None)


def test_last_never_hangs_whichever_form_runs():
    data = xor()
    for run in (pla(data), pocket(data, pla(data)), dual_pla(gram(data), data.y)):
        with pytest.warns(ConvergenceWarning, match="10000 updates"):
            assert last(run).pick is not None
        assert last(run, at_most=3).pick is not None


@pytest.mark.parametrize("watch", [record, last])
def test_a_cap_must_be_a_count(watch):
    data, steps = {"data": li_hang()} if watch is record else {}, iter(pla(li_hang()))
    refuses(ValueError, "at_most is -1", watch, steps, at_most=-1, **data)
    for wrong in (True, 5.0, "5"):
        refuses(TypeError, f"at_most is {wrong!r}", watch, steps, at_most=wrong, **data)
    assert next(steps).t == 0  # nothing was run before the check
    assert watch(pla(li_hang()), at_most=10**30).w.tolist() == [-3, 1, 1]
    refuses(ValueError, "steps is empty", watch, [], **data)


def test_record_needs_to_know_the_data():
    data, run = li_hang(), pla(li_hang(), rate=2)
    refuses(TypeError, "record(steps, data=data)", record, (step for step in run))
    refuses(TypeError, "steps is a list", record, list(run))
    refuses(ValueError, "but that of the run is Dataset(n=3", record, run, data=xor())
    refuses(ValueError, "rate is 3, but that of the run is 2.0", record, run, rate=3)
    assert record(run, data=data, rate=2).updates == 7


def test_a_long_run_is_recorded_in_little_more_than_its_trace():
    run = pla(xor())
    tracemalloc.start()
    trace = record(run, at_most=30_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * (trace.W.nbytes + trace.picks.nbytes) + 1_000_000  # of a stretch


def test_a_run_of_ones_own_can_be_recorded():
    def my_pla(data):
        w = np.zeros(data.d + 1)
        for t, i in enumerate([0, 2, None]):
            yield Step(t, w, i)
            w = w if i is None else w + 0.5 * data.y[i] * data.X[i]

    for steps in (my_pla, my_pla(li_hang()), list(my_pla(li_hang()))):
        trace = record(steps, data=li_hang(), rate=0.5)
        assert trace.picks.tolist() == [0, 2]
        assert trace.w.tolist() == [0, 1, 1]
        assert (trace.rate, trace.data, trace.converged) == (0.5, li_hang(), True)


def test_last_keeps_no_history():
    made, kept = [], []

    def steps():
        for t in range(200):
            w = np.zeros(2)
            made.append(weakref.ref(w))
            kept.append(sum(ref() is not None for ref in made))
            yield Step(t, w, 0 if t < 199 else None)

    assert last(steps()).t == 199
    assert max(kept) <= 3


# ---------------------------------------------------------------------------- the criterion


def exact_criterion(w, data):
    """The sum over the mistakes, and minus one subgradient of it, in fractions."""
    w = [Fraction(float(a)) for a in w]
    total, step = Fraction(0), [Fraction(0)] * len(w)
    for x, label in zip(data.X.tolist(), data.y.tolist(), strict=True):
        x = [Fraction(b) for b in x]
        ys = label * sum(a * b for a, b in zip(w, x, strict=True))
        if ys <= 0:
            total -= ys
            step = [a + label * b for a, b in zip(step, x, strict=True)]
    return total, step


@st.composite
def two_models(draw):
    data = draw(datasets(WHOLE))
    weights = arrays(np.float64, data.d + 1, elements=WHOLE)
    return draw(weights), draw(weights), data


@given(models=two_models())
def test_the_criterion_is_the_sum_over_the_mistakes_and_convex(models):
    u, v, data = models
    value, downhill = exact_criterion(u, data)
    assert criterion(u, data) == value >= 0
    # The subgradient inequality: the tangent at u stays below the criterion at v.
    slope = -sum(
        step * (Fraction(b) - Fraction(a)) for step, a, b in zip(downhill, u, v, strict=True)
    )
    assert criterion(v, data) >= value + slope
    assert criterion((u + v) / 2, data) <= (criterion(u, data) + criterion(v, data)) / 2


def test_what_is_handed_in_at_the_wrong_place_is_named():
    data = li_hang()
    refuses(TypeError, "is a Dataset; expected numbers", score, data, [1, 2, 3])
    refuses(TypeError, "points is a Dataset", Dataset, data, [1, 1, -1])
    refuses(TypeError, "progress is 3", separate, data, progress=3)


def test_steps_of_ones_own_pick_samples():
    for error, words, pick in (
        (TypeError, "step 0 picked 0.7", 0.7),
        (TypeError, "step 0 picked '1'", "1"),
        (TypeError, "step 0 picked True", True),
        (ValueError, "step 0 picked 77", 77),
        (ValueError, "step 0 picked -1", -1),
        (ValueError, "step 0 picked None, but another step follows", None),
    ):
        steps = [Step(0, [0, 0, 0], pick), Step(1, [1, 3, 3], None)]
        refuses(error, words, record, steps, data=li_hang())
