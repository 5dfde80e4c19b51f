"""The compiled loops by themselves: what they find, and what they refuse.

Everything is compared with the plainest loop in Python. Where there is no compiler there are
no compiled loops, and nothing to test; with one they must be there.
"""

import gc
import shutil
import signal
import threading
import time
import weakref
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from refusals import refuses
from strategies import TENTHS, WHOLE, each_kind, is_mistake, labels, some

try:
    from perceptron_notes.native import _loops
except ImportError:
    if shutil.which("cc") or shutil.which("gcc") or shutil.which("clang"):
        raise
    pytest.skip("no compiler here, so no compiled loops", allow_module_level=True)


@pytest.fixture(params=_loops.kinds(), autouse=True, scope="module")
def kind_of_processor(request):
    """Let everything here be done by the loops of each kind of processor that this one can be."""
    _loops.use(request.param)
    yield
    _loops.use(_loops.kinds()[0])


def whole(numbers):
    """Whole numbers as the loops take them; NumPy's own have 32 bits on some machines."""
    return np.array(numbers, dtype=np.int64)


#: Row lengths up to 12 are compiled for their length; others go in lanes of 16, 8 and 4.
LENGTHS = [1, 2, 3, 5, 11, 12, 13, 16, 24, 31, 45, 101]
MANY = 2**60


def search(X, y):
    X, y = np.ascontiguousarray(X, dtype=float), np.ascontiguousarray(y, dtype=np.int64)
    return _loops.Search(X, y, float(np.abs(X).max()))


def all_found(look, n):
    """One mistake after the other."""
    found = [look(0, n)]
    while found[-1] is not None:
        found.append(look(found[-1] + 1, n))
    return found[:-1]


def wrong_ones(w, X, y):
    """The mistakes, by Python's own floats."""
    return [i for i in range(len(y)) if is_mistake(w, X[i], y[i])]


def corrected(w, X, y, i, rate):
    """The update, one number after the other."""
    step = rate * float(y[i])
    return np.array([float(a) + step * float(b) for a, b in zip(w, X[i], strict=True)])


def samples(rng, n, m, kind):
    """Samples, labels and weights with many near ties, in the chosen kind of numbers."""
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
    return X, rng.choice([-1, 1], n), w


# ------------------------------------------------------------------------------ the search


@each_kind
@settings(max_examples=some(40))
@given(data=st.data())
def test_a_look_finds_what_the_plain_loop_finds(numbers, data):
    n, m = data.draw(st.integers(1, 20)), data.draw(st.sampled_from([1, 2, 3, 12, 17, 25]))
    X, y = data.draw(arrays(np.float64, (n, m), elements=numbers)), data.draw(labels(n))
    w = data.draw(arrays(np.float64, m, elements=numbers))
    order = data.draw(st.none() | st.lists(st.integers(0, n - 1), max_size=2 * n).map(np.array))
    chosen = list(range(n)) if order is None else [int(i) for i in order]
    start, stop = sorted(data.draw(st.tuples(*2 * [st.integers(0, len(chosen))])))
    wrong = set(wrong_ones(w, X, y))
    expected = next((i for i in chosen[start:stop] if i in wrong), None)
    order = None if order is None else order.astype(np.int64)
    assert search(X, y).look(w, start, stop, order) == expected


@pytest.mark.parametrize("kind", ["normal", "tenths", "huge", "tiny", "floats"])
def test_near_ties_are_decided_by_the_sum_from_the_left(kind):
    for m in LENGTHS:
        rng = np.random.default_rng(m)
        X, y, w = samples(rng, 300, m, kind)
        look = partial(search(X, y).look, w)
        found = all_found(look, len(y))
        assert found == wrong_ones(w, X, y)
        backwards, wrong = rng.permutation(len(y)), set(found)
        assert look(0, 300, backwards) == next((i for i in backwards if i in wrong), None)


@pytest.mark.parametrize("kind", ["normal", "tenths", "floats", "scales"])
@pytest.mark.parametrize("m", [13, 37, 101])
def test_numbers_of_two_bytes_find_the_same(m, kind):
    rng = np.random.default_rng(m)
    n = (1 << 18) // m + 100  # as many numbers as the copy in two bytes each takes to pay
    X, y, w = samples(rng, n, m, kind)
    y[: n - 300] = np.where(X[: n - 300] @ w > 0, 1, -1)
    ones = search(X, np.ones(n)).look
    for _ in range(3):
        before = ones(w, 0, n), ones(-w, 0, n)
        assert ones(w * 0, 0, n) == 0
    look = partial(search(X, y).look, w)
    look(n - 1, n)
    wrong = np.flatnonzero(~(y * left_to_right(w, X) > 0)).tolist()
    for _ in range(4):  # so much is searched that the copy is made
        assert all_found(look, n) == wrong
    assert (ones(w, 0, n), ones(-w, 0, n)) == before


@np.errstate(all="ignore")
def left_to_right(w, X):
    s = w[0] * X[:, 0]
    for j in range(1, len(w)):
        s = s + w[j] * X[:, j]
    return s


# ------------------------------------------------------------------------------- whole runs


def plain_run(X, y, w, order, restart, rate, updates):
    """The textbook's loop: the weights, the picks, and which pass it is."""
    place, W, picks, passes = 0, [w], [], 1
    while len(picks) < updates:
        wrong = set(wrong_ones(W[-1], X, y))
        k = next((k for k in range(place, len(order)) if order[k] in wrong), None)
        if k is None and place:
            passes += 1
            k = next((k for k in range(place) if order[k] in wrong), None)
        if k is None:
            break
        picks.append(int(order[k]))
        W.append(corrected(W[-1], X, y, picks[-1], rate))
        place = 0 if restart else k + 1
    return np.array(W), picks, passes


@each_kind
@settings(max_examples=some(30))
@given(data=st.data())
def test_a_run_makes_the_updates_of_the_plain_loop(numbers, data):
    n, m = data.draw(st.integers(1, 12)), data.draw(st.sampled_from([1, 2, 3, 11, 14, 33]))
    X, y = data.draw(arrays(np.float64, (n, m), elements=numbers)), data.draw(labels(n))
    restart = data.draw(st.booleans())
    tour = data.draw(st.none() | st.permutations(range(n)).map(whole))
    rate, T = data.draw(st.sampled_from([1.0, 0.1, 3.0])), data.draw(st.integers(0, 25))
    W, picks = np.zeros((T + 1, m)), np.empty(T, dtype=np.int64)
    order = np.arange(n) if tour is None else tour
    expected, chosen, passes = plain_run(X, y, W[0].copy(), order, restart, rate, T)
    how = _loops.FIRST if restart else _loops.IN_TURN
    made, _, passed, why = search(X, y).run(W, picks, rate, (how, tour, 0, 1, 1, MANY))
    assert picks[:made].tolist() == chosen
    assert W[: made + 1].tobytes() == expected.tobytes()
    assert passed == passes
    assert (why == _loops.CONVERGED) == (made < T)


def test_a_run_stops_in_the_pass_after_the_last():
    X, y = np.array([[1.0, 1], [1, 1]]), np.array([1, -1])
    W, picks = np.zeros((9, 2)), np.empty(8, dtype=np.int64)
    made, place, passes, why = search(X, y).run(W, picks, 1.0, (_loops.IN_TURN, None, 0, 1, 1, 2))
    assert (made, place, passes, why) == (5, 1, 3, _loops.FULL)
    assert picks[:5].tolist() == [0, 1, 0, 1, 0]


@settings(max_examples=some(50))
@given(data=st.data())
def test_draws_are_taken_as_the_rule_takes_them(data):
    n, m = data.draw(st.integers(1, 40)), data.draw(st.sampled_from([2, 15]))
    X = data.draw(arrays(np.float64, (n, m), elements=WHOLE))
    y, size = data.draw(labels(n)), data.draw(st.integers(1, 5))
    draws = np.array(data.draw(st.lists(st.integers(0, n - 1), max_size=200)), dtype=np.int64)
    W, picks = np.zeros((31, m)), np.empty(30, dtype=np.int64)
    w, chosen, at, why = W[0].copy(), [], 0, _loops.FULL
    while len(chosen) < 30 and why == _loops.FULL:
        wrong, begun, i, count = set(wrong_ones(w, X, y)), at, None, size
        while i is None and count < n and why == _loops.FULL:
            if at + count > len(draws):
                why, at = _loops.TOO_FEW_DRAWS, begun
                break
            i = next((int(i) for i in draws[at : at + count] if i in wrong), None)
            at, count = at + count, 8 * count
        if i is None:
            why = why or _loops.ALL_DRAWN_RIGHT
        else:
            chosen.append(i)
            w = corrected(w, X, y, i, 1.0)
    state = (_loops.DRAWS, draws, 0, size, 1, MANY)
    assert search(X, y).run(W, picks, 1.0, state) == (len(chosen), at, 1, why)
    assert picks[: len(chosen)].tolist() == chosen
    assert W[len(chosen)].tobytes() == w.tobytes()


# ------------------------------------------------------------------------------- many counts


@pytest.mark.parametrize("kind", ["normal", "tenths", "huge", "tiny", "floats"])
@pytest.mark.parametrize("n", [1, 63, 64, 500])
def test_mistakes_of_many_weights_are_those_of_the_plain_loop(n, kind):
    for m in LENGTHS:
        rng = np.random.default_rng(n + m)
        X, y, w = samples(rng, n, m, kind)
        W = np.array([w, -w, 0 * w, *rng.standard_normal((7, m)), w * 1e-3, w * 1e200, w * 1e-300])
        expected = [int((~(y * left_to_right(v, X) > 0)).sum()) for v in W]
        counts = np.full(len(W), -1, dtype=np.int64)
        search(X, y).count(W, counts, MANY, True)
        least = np.minimum.accumulate(expected)
        assert counts[-1] == expected[-1]
        assert counts.min() == min(expected)
        assert counts.argmin() == np.argmin(expected)
        for k in range(len(W)):  # no weights that could be the best are counted in part
            assert counts[k] == expected[k] or counts[k] >= least[k - 1]


def test_counting_stops_at_what_was_reached_but_not_for_the_last_weights():
    X, y = np.ones((1000, 3)), np.ones(1000, dtype=np.int64)
    counts = np.empty(3, dtype=np.int64)
    search(X, y).count(-np.ones((3, 3)), counts, 10, False)
    assert 10 <= counts[0] < 1000
    assert counts[2] == 1000


# ------------------------------------------------------------------------------ the dual form


@settings(max_examples=some(30))
@given(data=st.data())
def test_the_dual_makes_the_updates_of_the_plain_loop(data):
    n = data.draw(st.integers(1, 10))
    A = data.draw(arrays(np.float64, (n, n), elements=TENTHS))
    G, y, rate = A @ A.T, data.draw(labels(n)), data.draw(st.sampled_from([1.0, 0.3]))
    intercept, T = data.draw(st.booleans()), data.draw(st.integers(0, 20))
    alpha, scores, b, place, t, pending = np.zeros(n), np.zeros(n), 0.0, 0, 0, None
    while True:
        wrong = [k for k in range(n) if not float(y[k]) * (scores[k] + b) > 0]
        i = min(wrong, key=lambda k: (k < place, k), default=None)
        if i is None or t == T:
            pending = i
            break
        alpha[i] += rate
        b += rate * float(y[i]) * intercept
        scores = np.array([s + (rate * float(y[i])) * g for s, g in zip(scores, G[i], strict=True)])
        place, t = i + 1, t + 1
    got = np.zeros(n), np.zeros(n)
    state = (_loops.IN_TURN, None, 0, 1, 1, MANY)
    made, bias, left, _, _, why = _loops.run_dual(
        list(G), y, *got, 0.0, intercept, rate, T + 1, T, state
    )
    assert (made, bias, left) == (t, b, pending)
    assert (got[0].tobytes(), got[1].tobytes()) == (alpha.tobytes(), scores.tobytes())
    assert (why == _loops.CONVERGED) == (pending is None)


# ------------------------------------------------------------------------------ hostile input

X, Y, ROUND = np.ones((4, 3)), np.ones(4, dtype=np.int64), (0, None, 0, 1, 1, MANY)


def dual(G=None, alpha=None, scores=None):
    G, alpha = np.ones((4, 4)) if G is None else G, np.zeros(4) if alpha is None else alpha
    scores = np.zeros(4) if scores is None else scores
    return _loops.run_dual(G, Y, alpha, scores, 0.0, True, 1.0, 3, 3, ROUND)


def misaligned(X):
    """The same numbers, one byte further on."""
    room = bytearray(X.nbytes + 1)
    room[1:] = X.tobytes()
    return memoryview(room)[1:].cast("d", X.shape)


def test_what_does_not_fit_is_refused_with_a_sentence():
    wide, short, order = np.ones((6, 3)), np.empty(5, dtype=np.int64), whole([0, 1, 4])
    frozen = np.ones((6, 3))
    frozen.flags.writeable = False
    find, good = _loops.Search, _loops.Search(X, Y, 1.0)
    look, w = good.look, np.ones(3)
    for words, call, *arguments in (
        ("X is not a contiguous, aligned array of fl", find, X.astype(np.float32), Y, 1.0),
        ("X is not a contiguous, aligned", find, X.astype(">f8"), Y, 1.0),
        ("X is not a contiguous, aligned", find, np.asfortranarray(X), Y, 1.0),
        ("X is not a contiguous, aligned", find, X[:, ::2], Y, 1.0),
        ("array of float64 with 2 axes", find, X[0], Y, 1.0),
        ("X is not a contiguous, aligned", find, X.tolist(), Y, 1.0),
        ("y is not a contiguous, aligned array of int64", find, X, Y.astype(float), 1.0),
        ("y is not a contiguous, aligned", find, X, Y.astype(np.int32), 1.0),
        ("y is not a contiguous, aligned", find, X, Y.astype(np.uint64), 1.0),
        ("X has shape (4, 3) for 3 labels", find, X, Y[:3], 1.0),
        ("X has shape (4, 0)", find, np.ones((4, 0)), Y, 1.0),
        ("w has shape (2,); expected (3,)", look, np.ones(2), 0, 4),
        ("w is not a contiguous, aligned array of float64 with 1 axis", look, wide, 0, 4),
        ("argument", look, w),
        ("start is -1", look, w, -1, 4),
        ("order[2] is 4; expected a sample from 0 to 3", look, w, 0, 3, order),
        ("order[1] is -1", look, w, 0, 3, -order),
        ("annot cast", look, w, 0, 3, np.array([0.5])),
        ("W has shape", good.run, wide[:5], short, 1.0, ROUND),
        ("W is not a contiguous, aligned, writable array", good.run, frozen, short, 1.0, ROUND),
        ("W has shape", good.run, wide[:, :2].copy(), short, 1.0, ROUND),
        ("rule is not a tuple", good.run, wide, short, 1.0, [0]),
        ("do not fit", good.run, wide, short, 1.0, (0, order, 9, 1, 1, 9)),
        ("do not fit", good.run, wide, short, 1.0, (0, order, -1, 1, 1, 9)),
        ("do not fit", good.run, wide, short, 1.0, (2, None, 0, 1, 1, 9)),
        ("do not fit", good.run, wide, short, 1.0, (2, order, 0, 0, 1, 9)),
        ("order[2] is 4", good.run, wide, short, 1.0, (0, order, 0, 1, 1, 9)),
        ("W has shape", good.count, wide, short, 9, True),
        ("W is not a contiguous, aligned", good.count, wide[:5].astype(np.float32), short, 9, True),
        ("a row of G has 3 entries; expected 4", dual, np.ones((4, 3))),
        ("a row of G is not a contiguous, aligned", dual, np.ones((4, 4), dtype=np.float32)),
        ("index out of range", dual, []),
        ("alpha and scores have 3 and 4 entries; expected 4", dual, None, np.zeros(3)),
        ("scores is not a contiguous, aligned, writable", dual, None, None, frozen[0]),
        ("X is not a contiguous, aligned", find, misaligned(X), Y, 1.0),
        ("'fast' is not among the loops", _loops.use, "fast"),
        ("7 is not among the loops", _loops.use, 7),
    ):
        refuses((TypeError, ValueError, IndexError), words, call, *arguments)
    # What is no such array is copied, and what is read-only may be.
    assert look(w, 0, 2, np.array([3, 1], dtype=np.int8)) is None
    assert look(frozen[0], 0, 4) is None


def test_a_search_keeps_what_it_searches_alive():
    look = _loops.Search(np.ones((1000, 3)), -np.ones(1000, dtype=np.int64), 1.0).look
    assert look(np.ones(3), 999, 1000) == 999


@pytest.mark.parametrize(("start", "stop"), [(MANY, 0), (0, -MANY), (9, 4), (4, 4), (0, 2**63 - 1)])
def test_a_range_beyond_the_samples_is_cut_to_them(start, stop):
    look = partial(_loops.Search(X, Y, 1.0).look, np.ones(3))
    assert look(start, stop) is None
    assert look(start, stop, np.arange(4)) is None
    assert look(0, 4) is None


def test_a_search_that_its_own_samples_refer_to_is_collected():
    class Samples(np.ndarray):
        """An array that may have attributes."""

    samples = X.copy().view(Samples)
    samples.search, gone = _loops.Search(samples, Y, 1.0), weakref.ref(samples)
    samples.look = samples.search.look
    del samples
    gc.collect()
    assert gone() is None


def test_an_order_that_another_thread_changes_is_never_followed_outside():
    n, stop = 200_000, threading.Event()
    X, y = np.ones((n, 2)), np.ones(n, dtype=np.int64)
    order, look = whole(range(n)), partial(search(X, y).look, np.ones(2))

    def disturb():
        while not stop.is_set():
            order[::1000] = 2**62
            order[::1000] = np.arange(n)[::1000]

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        for _ in range(100):
            try:
                assert look(0, n, order) is None
            except IndexError as error:
                assert "order" in str(error)  # noqa: PT017  # it may or may not be raised
    finally:
        stop.set()
        thread.join()


def test_threads_that_share_a_search_make_the_same_run():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 14))
    y = np.where(X @ rng.standard_normal(14) > 0, 1, -1)
    ends, shared = [], search(X, y)

    def run(searched):
        W, picks = np.zeros((301, 14)), np.empty(300, dtype=np.int64)
        made = searched.run(W, picks, 1.0, ROUND)
        found = searched.look(W[-1], 0, len(X))
        ends.append((made, picks.tolist(), W.tobytes(), found))

    threads = [threading.Thread(target=run, args=[shared]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    run(search(X, y))
    assert len(ends) == 5
    assert all(end == ends[0] for end in ends)


# --------------------------------------------------------------------------- other threads


def endless():
    """A run that no hyperplane ends."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20_000, 30)), rng.choice([-1, 1], 20_000)
    W, picks = np.zeros((200_001, 30)), np.empty(200_000, dtype=np.int64)
    return lambda: search(X, y).run(W, picks, 1.0, (_loops.FIRST, None, 0, 1, 1, MANY))


def interrupted_soon(call):
    """However fast or slow the machine is, the interrupt comes during a call."""
    threading.Timer(0.05, signal.raise_signal, [signal.SIGINT]).start()
    while True:
        call()


def test_others_run_during_a_long_run():
    ticks, run = [], endless()
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    run()
    done.set()
    thread.join()
    assert len(ticks) > 3


def test_an_interrupt_ends_a_long_run():
    run = endless()
    with pytest.raises(KeyboardInterrupt):
        interrupted_soon(run)


def test_an_interrupt_ends_a_long_count():
    X, y = np.ones((50_000, 20)), np.ones(50_000, dtype=np.int64)
    counted, W = search(X, y), np.ones((300, 20))
    with pytest.raises(KeyboardInterrupt):
        interrupted_soon(lambda: counted.count(W, np.empty(300, dtype=np.int64), MANY, True))
