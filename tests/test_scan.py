"""The canonical score and the fast search: always the answer of the plain loop."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from strategies import (
    HUGE,
    TENTHS,
    TINY,
    WHOLE,
    WIDE,
    is_mistake,
    labels,
    left_to_right,
    searching,
)

from perceptron_notes.scan import Scan, canonical_score, first_mistake

NUMBERS = {
    "whole": WHOLE,
    "tenths": TENTHS,
    "wide": WIDE,
    "huge": HUGE,
    "tiny": TINY,
}
#: Weights that overflow with HUGE samples, to infinity or, with two signs, to NaN.
OVERFLOWING = st.sampled_from([0.0, 1.0, -1e155, 1e155, -1e300, 1e300, np.inf, -np.inf])
BLOCKS = st.sampled_from([1, 2, 3, 64])
either_way = pytest.mark.parametrize("how", ["in numpy", "compiled"])


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


@pytest.mark.parametrize("numbers", NUMBERS.values(), ids=NUMBERS)
@settings(max_examples=40)
@given(data=st.data())
def test_the_canonical_score_is_the_loop_from_the_left_bit_for_bit(numbers, data):
    w, X, _ = data.draw(problems(numbers, numbers))
    loop = np.array([left_to_right(w, x) for x in X])
    assert canonical_score(w, X).tobytes() == loop.tobytes()
    assert np.float64(canonical_score(w, X[0])).tobytes() == loop[:1].tobytes()


def test_the_order_of_the_sum_can_decide_a_score():
    w, x = np.array([0.1, 0.2, -0.3]), np.ones(3)
    assert (0.1 + 0.2) - 0.3 != 0.1 + (0.2 - 0.3)
    assert canonical_score(w, x) == (0.1 + 0.2) - 0.3


def test_a_fused_product_would_show_in_the_score():
    # Rounded, 0.1 * 10 is 1 and cancels; a fused multiply-add keeps the rest of the product.
    assert canonical_score(np.array([1.0, -0.1]), np.array([1.0, 10.0])) == 0


# ---------------------------------------------------------------------------- the search


def scan(X, y, block=64):
    return Scan(SimpleNamespace(X=X, y=y, reach=np.abs(X).max()), block)


@either_way
@pytest.mark.parametrize("numbers", NUMBERS.values(), ids=NUMBERS)
@given(block=BLOCKS, data=st.data())
def test_a_scan_finds_what_the_plain_loop_finds(how, numbers, block, data):
    w, X, y = data.draw(problems(numbers, numbers))
    order = data.draw(orders(len(y)))
    start, stop = data.draw(ranges(len(y if order is None else order)))
    with searching(how):
        found = scan(X, y, block)(w)(start, stop, order)
    assert found == naive_look(w, X, y, start, stop, order)
    assert found is None or type(found) is int


@either_way
@given(block=BLOCKS, data=st.data())
def test_a_scan_agrees_where_sums_overflow_or_are_not_numbers(how, block, data):
    w, X, y = data.draw(problems(HUGE, OVERFLOWING, max_n=12, max_m=4))
    order = data.draw(orders(len(y)))
    stop = len(y if order is None else order)
    with searching(how), np.errstate(all="ignore"):
        assert scan(X, y, block)(w)(0, stop, order) == naive_look(w, X, y, 0, stop, order)


@either_way
def test_a_sum_that_is_not_a_number_is_a_mistake(how):
    X, y = np.array([[1e150, 1e150]]), np.array([1])
    with searching(how), np.errstate(all="ignore"):
        assert math.isnan(canonical_score(np.array([1e300, -1e300]), X)[0])
        assert scan(X, y)(np.array([1e300, -1e300]))(0, 1) == 0


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


@either_way
@pytest.mark.parametrize("m", [7, 40])
@pytest.mark.parametrize("kind", ["tenths", "normal", "negative", "overflow", "underflow"])
def test_near_ties_are_decided_canonically_where_another_order_errs(how, m, kind):
    rng = np.random.default_rng(7)
    erred = 0
    for block in [1, 2, 3, 64] * 5:
        w, X = near_ties(rng, kind, m=m)
        y = rng.choice([-1, 1], len(X))
        wrong = np.array([is_mistake(w, x, label) for x, label in zip(X, y, strict=True)])
        backwards = [is_mistake(w[::-1], x[::-1], label) for x, label in zip(X, y, strict=True)]
        erred += int((wrong != backwards).sum())
        with searching(how):
            look, start, found = scan(X, y, block)(w), 0, []
            while (i := look(start, len(y))) is not None:
                found.append(i)
                start = i + 1
        assert found == np.flatnonzero(wrong).tolist()
    # Sums of numbers below the normal range are exact; only their products are rounded.
    assert erred > 0 or kind == "underflow"


@either_way
@pytest.mark.parametrize("block", [1, 64])
def test_products_that_vanish_are_decided_canonically(how, block):
    # A product is the least positive number, or half of it: 0 when rounded, not when fused.
    step = 2.0**-537
    X = np.array(list(itertools.product([0, step, -step, step / 2, -step / 2], repeat=3)))
    y = np.ones(len(X), dtype=np.int64)
    for w in map(np.array, itertools.product([step, step / 2], repeat=3)):
        with searching(how):
            look = scan(X, y, block)(w)
            found = [i for i in range(len(X)) if look(i, i + 1) is not None]
            assert found == [i for i in range(len(X)) if is_mistake(w, X[i], 1)]
            assert look(0, len(X)) == found[0]


@pytest.mark.parametrize("where", [0, 63, 64, 191, 192, 39_998, 39_999])
@pytest.mark.parametrize("through", ["rows", "order"])
@either_way
def test_a_lone_mistake_is_found_in_any_block_of_a_long_search(how, where, through):
    n = 40_000
    X, y = np.ones((n, 2)), np.ones(n, dtype=np.int64)
    order = None if through == "rows" else np.random.default_rng(0).permutation(n)
    y[where if order is None else order[where]] = -1
    with searching(how):
        look = scan(X, y)(np.ones(2))
    assert look(0, n, order) == (where if order is None else order[where])
    assert look(where, where + 1, order) is not None
    assert look(0, where, order) is None
    assert look(where + 1, n, order) is None


@pytest.mark.parametrize(("start", "stop"), [(0, 0), (5, 5), (5, 2), (9, 9), (20, 9)])
@either_way
def test_an_empty_range_holds_no_mistake(how, start, stop):
    X, y = np.ones((9, 2)), np.ones(9, dtype=np.int64)
    with searching(how):
        assert scan(X, y)(-np.ones(2))(start, stop) is None
    assert first_mistake(-np.ones(9), start, stop) is None


@either_way
def test_an_order_may_hold_no_strange_index(how):
    X, y = np.ones((9, 2)), np.ones(9, dtype=np.int64)
    with searching(how), pytest.raises(IndexError):
        scan(X, y)(np.ones(2))(0, 2, np.array([0, 9]))


@either_way
def test_an_order_may_run_backwards_or_hold_small_integers(how):
    X, y = np.ones((9, 2)), np.array([1, 1, -1, 1, 1, 1, -1, 1, 1])
    with searching(how):
        look = scan(X, y)(np.ones(2))
    assert look(0, 9, np.arange(9)[::-1]) == 6
    assert look(0, 9, np.arange(9, dtype=np.int8)) == 2


def test_rows_that_lie_apart_are_searched_too():
    X, y = np.ones((9, 4))[:, ::2], np.array([1, 1, -1, 1, 1, 1, -1, 1, 1])
    with searching("compiled"):
        assert scan(X, y)(np.ones(2))(0, 9) == 2


def test_a_scan_leaves_its_arguments_alone():
    rng = np.random.default_rng(3)
    X, y, w = rng.standard_normal((50, 3)), rng.choice([-1, 1], 50), rng.standard_normal(3)
    order = rng.permutation(50)
    before = [array.copy() for array in (X, y, w, order)]
    look = scan(X, y)(w)
    look(0, 50)
    look(10, 40, order)
    for array, copy in zip((X, y, w, order), before, strict=True):
        assert np.array_equal(array, copy)


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
