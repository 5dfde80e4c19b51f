"""The algorithm, the rules that choose its mistakes, and those who watch it."""

import inspect
import sys
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
from scipy.stats import chisquare
from strategies import HUGE, TENTHS, TINY, WHOLE, WIDE, datasets, is_mistake, some, textbook_pla

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
from perceptron_notes._kit import recipes
from perceptron_notes._kit.draws import Draws
from perceptron_notes.datasets import halfspaces, iris, li_hang, xor
from perceptron_notes.kernels import gram
from perceptron_notes.learning import Step, criterion
from perceptron_notes.model import score
from perceptron_notes.native import first_mistake

#: Every run once with the compiled loops and once without.
pytestmark = pytest.mark.usefixtures("engine")

NUMBERS = {"whole": WHOLE, "tenths": TENTHS, "wide": WIDE, "huge": HUGE, "tiny": TINY}
RULES = {
    "in_turn": lambda: in_turn,
    "lowest": lambda: lowest,
    "shuffled": lambda: shuffled(np.random.default_rng(5)),
    "at_random": lambda: at_random(np.random.default_rng(5)),
}
each_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


def scripted(*picks):
    """A pick rule that takes the given samples and then says that none is left."""
    script = iter([*picks, None])
    return lambda look, n, previous: next(script)


def tour(rule, n):
    """The order in which a cyclic rule goes round, seen where every sample is a mistake."""
    order = [rule(partial(first_mistake, np.full(n, -1.0)), n, None)]
    while len(order) < n:
        order.append(rule(partial(first_mistake, np.full(n, -1.0)), n, order[-1]))
    return order


# ------------------------------------------------------------------- the textbook's traces


def test_example_2_1_runs_as_in_the_book():
    trace = record(pla(li_hang()))
    assert trace.picks.tolist() == [0, 2, 2, 2, 0, 2, 2]
    assert trace.W[1:, 1:].tolist() == [[3, 3], [2, 2], [1, 1], [0, 0], [3, 3], [2, 2], [1, 1]]
    assert trace.W[1:, 0].tolist() == [1, 0, -1, -2, -1, -2, -3]
    assert trace.W[0].tolist() == [0, 0, 0]
    assert trace.w.tolist() == [-3, 1, 1]
    assert (trace.updates, trace.converged, trace.rate, trace.data) == (7, True, 1, li_hang())
    assert repr(trace) == "Trace(7 updates, converged, w=[-3.  1.  1.])"


def test_example_2_1_ends_at_another_line_in_another_order():
    order = [0, 2, 2, 2, 1, 2, 2, 2, 0, 2, 2]
    trace = record(pla(li_hang(), scripted(*order)))
    assert trace.picks.tolist() == order
    assert trace.w.tolist() == [-5, 2, 1]
    y, X = li_hang().y, li_hang().X
    assert all(is_mistake(w, X[i], y[i]) for w, i in zip(trace.W, order, strict=False))
    assert not any(is_mistake(trace.w, X[i], y[i]) for i in range(3))


def test_steps_count_from_zero_and_end_without_a_pick():
    steps = list(pla(li_hang()))
    assert [step.t for step in steps] == list(range(8))
    assert [step.pick for step in steps] == [0, 2, 2, 2, 0, 2, 2, None]
    assert all(isinstance(step, Step) for step in steps)


def test_pla_separates_iris_setosa_from_the_rest():
    data = iris("setosa")
    trace = record(pla(data))
    assert trace.converged
    assert (data.y * (data.X @ trace.w) > 0).all()


def test_rounding_can_keep_pla_from_halting_on_separable_data():
    data = Dataset([[1e150], [np.nextafter(1e150, 0)]], [1, -1])
    assert last(pla(data), at_most=20_000).pick is not None


# -------------------------------------------------------------- against the textbook's loop


@pytest.mark.parametrize("numbers", NUMBERS.values(), ids=NUMBERS)
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


@pytest.mark.parametrize("numbers", NUMBERS.values(), ids=NUMBERS)
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


@each_rule
@settings(max_examples=some(50))
@given(samples=st.one_of(datasets(WHOLE, max_n=40), datasets(TENTHS, max_n=40)))
def test_every_pick_was_a_mistake_that_the_next_weights_answer(rule, samples):
    trace = record(pla(samples, rule()), at_most=50)
    X, y = samples.X, samples.y
    assert trace.W.shape == (trace.updates + 1, samples.d + 1)
    assert trace.picks.dtype == np.intp
    for t, i in enumerate(trace.picks):
        assert is_mistake(trace.W[t], X[i], y[i])
        assert np.array_equal(trace.W[t + 1], trace.W[t] + y[i] * X[i])
    none_left = not any(is_mistake(trace.w, X[i], y[i]) for i in range(samples.n))
    assert trace.converged == none_left
    assert trace.converged or trace.updates == 50


@each_rule
def test_all_rules_reach_a_separator_of_separable_data(rule):
    data = halfspaces(300, 3, distance=0.1, rng=np.random.default_rng(4))
    trace = record(pla(data, rule()))
    assert trace.converged
    assert (data.y * (data.X @ trace.w) > 0).all()


# ------------------------------------------------------------------------------- the rate


@each_rule
@settings(max_examples=some(60))
@given(samples=st.one_of(*map(datasets, [WHOLE, TENTHS, WIDE])), k=st.integers(-40, 40))
def test_a_rate_that_is_a_power_of_two_only_scales_the_run_from_zero(rule, samples, k):
    plain = record(pla(samples, rule()), at_most=60)
    scaled = record(pla(samples, rule(), rate=2.0**k), at_most=60)
    assert np.array_equal(scaled.picks, plain.picks)
    assert np.array_equal(scaled.W, plain.W * 2.0**k)
    assert scaled.rate == 2.0**k


def test_from_another_start_the_rate_changes_the_run():
    picks = [record(pla(li_hang(), w0=[0, 0, 1], rate=rate)).picks.tolist() for rate in (1, 2)]
    assert picks == [[2, 0, 2, 2], [2, 0, 2, 2, 0, 2, 2]]


# ------------------------------------------------------------------------------- the rules


def look_with_mistakes(n, wrong):
    margins = np.ones(n)
    margins[list(wrong)] = -1
    return partial(first_mistake, margins)


@pytest.mark.parametrize(
    ("rule", "previous", "expected"),
    [
        (in_turn, None, 1),
        (in_turn, 0, 1),
        (in_turn, 1, 4),
        (in_turn, 3, 4),
        (in_turn, 4, 1),
        (in_turn, 5, 1),
        (lowest, None, 1),
        (lowest, 1, 1),
        (lowest, 4, 1),
    ],
)
def test_the_two_plain_rules_on_samples_1_and_4_wrong(rule, previous, expected):
    assert rule(look_with_mistakes(6, [1, 4]), 6, previous) == expected


def test_in_turn_comes_back_to_the_sample_itself_last():
    assert in_turn(look_with_mistakes(6, [3]), 6, 3) == 3


@each_rule
@pytest.mark.parametrize("n", [1, 32, 33, 3000])
def test_no_rule_finds_a_mistake_where_none_is(rule, n):
    assert rule()(look_with_mistakes(n, []), n, None) is None


@pytest.mark.parametrize("n", [1, 2, 7, 100])
def test_shuffled_goes_round_through_all_samples_in_one_order(n):
    rule = shuffled(np.random.default_rng(n))
    order = tour(rule, n)
    assert sorted(order) == list(range(n))
    assert tour(rule, n) == order
    look = look_with_mistakes(n, range(n))
    assert rule(look, n, order[-1]) == order[0]


def test_shuffled_orders_differ_between_seeds_and_all_come_up():
    orders = {tuple(tour(shuffled(np.random.default_rng(seed)), 3)) for seed in range(60)}
    assert len(orders) == 6


def test_two_shuffled_rules_from_one_rng_differ_and_one_seed_repeats():
    rng = np.random.default_rng(1)
    one, other = tour(shuffled(rng), 50), tour(shuffled(rng), 50)
    assert one != other
    assert tour(shuffled(np.random.default_rng(1)), 50) == one


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


def test_at_random_repeats_with_its_seed_and_not_without():
    data = iris("versicolor", "virginica")
    runs = [
        record(pla(data, at_random(np.random.default_rng(seed))), at_most=50).picks.tolist()
        for seed in (1, 1, 2)
    ]
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize(
    ("n", "wrong"),
    [
        (10, [0, 1, 8]),
        (33, [0, 1, 32]),
        (1000, [0, 1, 2, 999]),
        (5000, range(0, 2500, 250)),
        (3000, [0, 1, 2999]),
    ],
)
def test_at_random_takes_every_mistake_equally_often(n, wrong):
    rule = at_random(np.random.default_rng(8))
    look = look_with_mistakes(n, wrong)
    picks = [rule(look, n, 0) for _ in range(1500)]
    assert set(picks) <= set(wrong)
    assert chisquare([picks.count(i) for i in wrong]).pvalue > 0.01


@pytest.mark.parametrize(
    ("n", "wrong", "ways"),
    [
        (10, 3, {"all"}),
        (33, 1, {"draws", "all"}),
        (1000, 500, {"draws"}),
        (1000, 3, {"draws", "all"}),
        (5000, 1, {"draws", "all"}),
    ],
)
def test_at_random_searches_all_samples_only_when_draws_have_failed(n, wrong, ways):
    rule, plain, seen = at_random(np.random.default_rng(8)), look_with_mistakes(n, range(wrong)), []

    def look(start, stop, order):
        seen.append("all" if len(set(order.tolist())) == stop - start == n else "draws")
        return plain(start, stop, order)

    ends = []
    for _ in range(200):
        rule(look, n, 0)
        ends.append(seen[-1])
    assert set(ends) == ways
    assert seen.count("all") == ends.count("all")


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


@given(
    st.integers(0, 2**32),
    st.lists(
        st.tuples(
            st.sampled_from(["take", "take", "have", "permutation"]),
            st.sampled_from([1, 7, 1000, 2**33]),
            st.sampled_from([0, 1, 32, 256, 2049, 7000]),
        ),
        max_size=40,
    ),
)
def test_draws_made_ahead_are_those_of_the_generator(seed, calls):
    draws, rng = Draws(seed), np.random.default_rng(seed)
    for call, n, count in calls:
        if call == "take":
            assert (draws.take(count, n) == rng.integers(n, size=count)).all()
        elif call == "have":
            draws.have(len(draws.draws) - draws.place + count)
        else:
            assert (draws.permutation(20) == rng.permutation(20)).all()


def test_a_rule_of_ones_own_may_take_the_worst_mistake():
    data = li_hang()

    def backwards(look, n, previous):
        return look(0, n, np.arange(n)[::-1])

    assert record(pla(data, backwards)).picks.tolist()[:2] == [2, 1]


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


def test_the_bare_generator_goes_on_where_nothing_separates():
    steps = list(islice(pla(xor()), 500))
    assert len(steps) == 500
    assert all(step.pick is not None for step in steps)


def test_weights_are_read_only_fresh_and_nobody_elses():
    w0 = np.array([1.0, -1.0, 0.0])
    run = pla(xor(), w0=w0)
    w0[:] = 99
    weights = [step.w for step in islice(run, 10)]
    assert weights[0].tolist() == [1, -1, 0]
    assert w0.flags.writeable
    for k, w in enumerate(weights):
        assert w.dtype == np.float64
        with pytest.raises(ValueError, match="read-only"):
            w[0] = 7
        assert not any(np.shares_memory(w, other) for other in weights[:k])


@pytest.mark.parametrize("name", ["W", "picks", "w"])
def test_the_arrays_of_a_trace_are_read_only(name):
    array = getattr(record(pla(li_hang())), name)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 7


@pytest.mark.parametrize("w0", [[1, 2, 3], np.array([1, 2, 3], np.float32)])
@pytest.mark.parametrize("rate", [2, 2.0, np.float32(2), np.int64(2)])
def test_start_and_rate_of_every_real_kind_are_accepted(w0, rate):
    trace = record(pla(li_hang(), w0=w0, rate=rate))
    assert trace.W[0].tolist() == [1, 2, 3]
    assert trace.W[1].tolist() == [-1, 0, 1]
    assert type(trace.rate) is float


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        ({"data": [[3, 3]]}, TypeError, r"data is a list; expected a Dataset\(points, labels\)"),
        ({"w0": [0, 0]}, ValueError, r"w0 has shape \(2,\); expected \(3,\)"),
        ({"w0": [[0, 0, 0]]}, ValueError, r"w0 has shape \(1, 3\); expected \(3,\)"),
        ({"w0": 0}, ValueError, r"w0 has shape \(\); expected \(3,\)"),
        ({"w0": [0, np.nan, 0]}, ValueError, r"w0\[1\] is nan; expected a finite number"),
        ({"w0": ["a", "b", "c"]}, TypeError, r"w0 has dtype <U1; expected real numbers"),
        ({"rate": 0}, ValueError, r"rate is 0; expected a positive finite number"),
        ({"rate": -1.5}, ValueError, r"rate is -1.5; expected a positive finite number"),
        ({"rate": np.inf}, ValueError, r"rate is inf; expected a positive finite number"),
        ({"rate": np.nan}, ValueError, r"rate is nan; expected a positive finite number"),
        ({"rate": 10**400}, ValueError, r"rate is .*; expected a positive finite number"),
        ({"rate": "fast"}, TypeError, r"rate is 'fast'; expected a positive finite number"),
        ({"rate": None}, TypeError, r"rate is None; expected a positive finite number"),
        ({"rate": True}, TypeError, r"rate is True; expected a positive finite number"),
        ({"rate": 1j}, TypeError, r"rate is 1j; expected a positive finite number"),
        ({"rate": np.complex128(1)}, TypeError, r"rate is .*; expected a positive finite number"),
        ({"rate": [1.0]}, TypeError, r"rate is \[1.0\]; expected a positive finite number"),
        ({"pick": shuffled}, TypeError, r"pick is shuffled itself; expected shuffled\(rng\)"),
        ({"pick": at_random}, TypeError, r"pick is at_random itself; expected at_random\(rng\)"),
        ({"pick": "lowest"}, TypeError, r"pick is 'lowest'; expected a rule such as in_turn"),
        ({"pick": None}, TypeError, r"pick is None; expected a rule such as in_turn"),
    ],
    ids=lambda value: str(value)[:30] if isinstance(value, dict) else "",
)
def test_pla_refuses_bad_arguments_when_it_is_called(arguments, error, sentence):
    with pytest.raises(error, match=sentence):
        pla(**{"data": li_hang(), **arguments})


@pytest.mark.parametrize("make", [shuffled, at_random])
@pytest.mark.parametrize("rng", [None, 3, np.random], ids=["None", "seed", "module"])
def test_random_rules_need_a_generator(make, rng):
    with pytest.raises(TypeError, match=r"rng is .*; expected a generator: np.random.default_rng"):
        make(rng)
    with pytest.raises(TypeError, match="rng"):
        make()


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


@pytest.mark.parametrize("watch", [record, last])
@pytest.mark.parametrize(("cap", "warns"), [(6, True), (7, False)])
def test_a_run_that_ends_at_the_default_cap_gets_no_warning(watch, cap, warns, monkeypatch):
    monkeypatch.setattr(recipes, "AT_MOST", cap)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        watch(pla(li_hang()))
    assert [w.category for w in caught] == [ConvergenceWarning] * warns


@pytest.mark.parametrize(
    ("make", "length"),
    [
        (lambda: pla(xor()), 10_000),
        (lambda: pocket(xor(), pla(xor())), 10_000),
        (lambda: dual_pla(gram(xor()), xor().y), 10_000),
    ],
    ids=["pla", "pocket", "dual_pla"],
)
def test_last_never_hangs_whichever_form_runs(make, length):
    with pytest.warns(ConvergenceWarning, match=f"{length} updates"):
        end = last(make())
    assert end.pick is not None
    assert last(make(), at_most=3).pick is not None


@pytest.mark.parametrize("watch", [record, last])
@pytest.mark.parametrize(
    ("at_most", "error", "sentence"),
    [
        (-1, ValueError, r"at_most is -1; expected at least 0"),
        (True, TypeError, r"at_most is True; expected a whole number"),
        (5.0, TypeError, r"at_most is 5.0; expected a whole number"),
        ("5", TypeError, r"at_most is '5'; expected a whole number"),
    ],
)
def test_a_cap_must_be_a_count(watch, at_most, error, sentence):
    steps = iter(pla(li_hang()))
    with pytest.raises(error, match=sentence):
        watch(steps, at_most=at_most, **({"data": li_hang()} if watch is record else {}))
    assert next(steps).t == 0  # nothing was run before the check


@pytest.mark.parametrize("watch", [record, last])
@pytest.mark.parametrize("at_most", [np.int64(9), sys.maxsize, 10**30])
def test_a_cap_may_be_any_whole_number(watch, at_most):
    assert watch(pla(li_hang()), at_most=at_most).w.tolist() == [-3, 1, 1]


@pytest.mark.parametrize("at_most", [0, 3])
def test_watching_takes_no_step_beyond_the_cap(at_most):
    steps = iter(pla(li_hang()))
    record(steps, at_most=at_most, data=li_hang())
    assert next(steps).t == at_most + 1


def test_record_needs_to_know_the_data():
    with pytest.raises(TypeError, match=r"steps is a generator; .*record\(steps, data=data\)"):
        record(step for step in pla(li_hang()))
    with pytest.raises(TypeError, match=r"steps is a list; .*record\(steps, data=data\)"):
        record(list(pla(li_hang())))


@pytest.mark.parametrize("watch", [record, last])
def test_a_run_without_a_step_is_refused(watch):
    with pytest.raises(ValueError, match=r"steps is empty; expected at least the starting"):
        watch([], **({"data": li_hang()} if watch is record else {}))


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


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        ({"data": [[1]]}, TypeError, r"data is a list; expected a Dataset"),
        ({"data": li_hang(), "rate": 0}, ValueError, r"rate is 0; expected a positive finite"),
    ],
)
def test_a_run_of_ones_own_needs_its_data_and_rate(arguments, error, sentence):
    with pytest.raises(error, match=sentence):
        record([], **arguments)


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


def test_the_docstring_of_pla_warns_of_the_endless_run():
    assert "never ends" in inspect.getdoc(pla)


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


def test_the_criterion_is_zero_at_separators_and_at_zero():
    assert criterion([-3, 1, 1], li_hang()) == 0
    assert criterion([0, 0, 0], li_hang()) == 0
    assert criterion([0, 1, 1], li_hang()) == 2
    assert type(criterion([0, 1, 1], li_hang())) is float


def test_the_criterion_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match=r"w has shape \(2,\); expected \(3,\)"):
        criterion([1, 2], li_hang())
    with pytest.raises(TypeError, match=r"data is a list; expected a Dataset"):
        criterion([1, 2], [[1]])


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda data: last(3), "steps is 3; expected a run, such as pla"),
        (lambda data: score(data, [1, 2, 3]), "is a Dataset; expected numbers"),
        (lambda data: Dataset(data, [1, 1, -1]), "points is a Dataset; expected numbers"),
        (lambda data: separate(data, progress=3), "progress is 3; expected a function"),
    ],
)
def test_what_is_handed_in_at_the_wrong_place_is_named(call, sentence):
    with pytest.raises(TypeError, match=sentence):
        call(li_hang())


def test_a_run_keeps_its_own_data_and_rate():
    run = pla(li_hang(), rate=2)
    assert record(run, data=li_hang(), rate=2).updates == 7
    with pytest.raises(
        ValueError, match=r"data is Dataset\(n=4.*, but that of the run is Dataset\(n=3"
    ):
        record(run, data=xor())
    with pytest.raises(ValueError, match=r"rate is 3, but that of the run is 2\.0"):
        record(run, rate=3)


@pytest.mark.parametrize(
    ("pick", "error", "sentence"),
    [
        (0.7, TypeError, "step 0 picked 0.7; expected the index of a sample, or None"),
        ("1", TypeError, "step 0 picked '1'; expected the index"),
        (True, TypeError, "step 0 picked True; expected the index"),
        (77, ValueError, "step 0 picked 77; expected one of the samples 0 … 2"),
        (-1, ValueError, "step 0 picked -1; expected one of the samples 0 … 2"),
        (None, ValueError, "step 0 picked None, but another step follows"),
    ],
)
def test_steps_of_ones_own_pick_samples(pick, error, sentence):
    steps = [Step(0, [0, 0, 0], pick), Step(1, [1, 3, 3], None)]
    with pytest.raises(error, match=sentence):
        record(steps, data=li_hang())
    if pick is not None:
        with pytest.raises(error, match=sentence):
            record([Step(0, [0, 0, 0], pick)], data=li_hang())
