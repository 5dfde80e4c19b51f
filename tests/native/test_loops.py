"""The compiled loops by themselves: what they refuse, and what other threads may do meanwhile.

What they find is compared in `test_native`. Where there is no compiler there are no compiled loops,
and nothing to test; with one they must be there.
"""

import shutil
import signal
import threading
import time
from functools import partial
from unittest import mock

import numpy as np
import pytest
from refusals import refuses

try:
    from perceptron_notes.native import _loops
except ImportError:
    if shutil.which("cc") or shutil.which("gcc") or shutil.which("clang"):
        raise
    pytest.skip("no compiler here, so no compiled loops", allow_module_level=True)


@pytest.fixture(params=_loops.kinds(), autouse=True, scope="module")
def kind_of_processor(request):
    """Run all tests here with the loops of each kind of processor that this one supports."""
    _loops.use(request.param)
    yield
    _loops.use(_loops.kinds()[0])


def whole(numbers):
    """Whole numbers as the loops take them; NumPy's own have 32 bits on some machines."""
    return np.array(numbers, dtype=np.int64)


def search(X, y):
    X, y = np.ascontiguousarray(X, dtype=float), np.ascontiguousarray(y, dtype=np.int64)
    return _loops.Search(X, y, float(np.abs(X).max()))


# ------------------------------------------------------------------------------ hostile input

MANY = 2**60
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
    look, w, contest = good.look, np.ones(3), _loops.Search(X, 9 * Y, 1.0, 2)
    duels = np.ones((6, 2, 3)), np.empty((5, 2), dtype=np.int64)
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
        ("W has shape", contest.run, np.ones((6, 4, 3)), np.empty((5, 2), np.int64), 1.0, ROUND),
        ("W has shape", contest.run, np.ones((6, 2, 3)), np.empty((5, 3), np.int64), 1.0, ROUND),
        ("2 axes", contest.run, np.ones((6, 2, 3)), short, 1.0, ROUND),
        ("y holds a number that is no class", contest.run, *duels, 1.0, ROUND),
        ("X has shape (4, 3) for 4 labels of -1 classes", find, X, Y, 1.0, -1),
        ("W has a shape that does not fit", _loops.add_changes, np.ones(2), wide, short),
        ("W has a shape that does not fit", _loops.add_changes, np.ones(3), wide[:5], short),
        ("total is not a contiguous", _loops.add_changes, frozen[0], wide, short),
        ("W has shape", good.run, wide[:, :2].copy(), short, 1.0, ROUND),
        ("rule is not a tuple", good.run, wide, short, 1.0, [0]),
        ("do not fit", good.run, wide, short, 1.0, (0, order, 9, 1, 1, 9)),
        ("do not fit", good.run, wide, short, 1.0, (0, order, -1, 1, 1, 9)),
        ("do not fit", good.run, wide, short, 1.0, (2, None, 0, 1, 1, 9)),
        ("do not fit", good.run, wide, short, 1.0, (2, order, 0, 0, 1, 9)),
        ("order[2] is 4", good.run, wide, short, 1.0, (0, order, 0, 1, 1, 9)),
        ("W has shape", good.count, wide, short, 9, True),
        ("W is not a contiguous, aligned", good.count, wide[:5].astype(np.float32), short, 9, True),
        ("G, alpha and scores do not fit 4 labels", dual, np.ones((4, 3))),
        ("G is not a contiguous, aligned", dual, np.ones((4, 4), dtype=np.float32)),
        ("G is not a contiguous, aligned", dual, []),
        ("G, alpha and scores do not fit 4 labels", dual, None, np.zeros(3)),
        ("scores is not a contiguous, aligned, writable", dual, None, None, frozen[0]),
        ("X is not a contiguous, aligned", find, misaligned(X), Y, 1.0),
        ("'fast' is not among the loops", _loops.use, "fast"),
        ("7 is not among the loops", _loops.use, 7),
    ):
        refuses((TypeError, ValueError, IndexError), words, call, *arguments)
    # What is no such array is copied, and what is read-only may be.
    assert look(w, 0, 2, np.array([3, 1], dtype=np.int8)) is None
    assert look(frozen[0], 0, 4) is None


def test_an_array_that_numpy_makes_otherwise_is_refused_by_its_kind():
    wide = search(np.ones((40_000, 20)), np.ones(40_000))
    with mock.patch("numpy.empty", lambda count, kind: np.zeros(count)):
        counts = whole([0])
        refuses(TypeError, "array of float32", wide.count, np.ones((1, 20)), counts, 9, True)
        for _ in range(2):
            wide.look(np.ones(20), 0, 40_000)
        refuses(TypeError, "array of int16", wide.look, np.ones(20), 0, 40_000)


def test_a_search_keeps_what_it_searches_alive():
    look = _loops.Search(np.ones((1000, 3)), -np.ones(1000, dtype=np.int64), 1.0).look
    assert look(np.ones(3), 999, 1000) == 999


@pytest.mark.parametrize(("start", "stop"), [(MANY, 0), (0, -MANY), (9, 4), (4, 4), (0, 2**63 - 1)])
def test_a_range_beyond_the_samples_is_cut_to_them(start, stop):
    look = partial(_loops.Search(X, Y, 1.0).look, np.ones(3))
    assert look(start, stop) is None
    assert look(start, stop, np.arange(4)) is None
    assert look(0, 4) is None


def test_orders_and_classes_that_another_thread_changes_are_never_followed_outside():
    n, stop = 200_000, threading.Event()
    y, order, W = np.ones(n, dtype=np.int64), whole(range(n)), np.ones((2, 2, 2))
    W[0, 0] = 0  # so class 1 wins
    X, rule = np.ones((n, 2)), (_loops.FIRST, order, 0, 1, 1, MANY)
    contest, duel = _loops.Search(X, y, 1.0, 2), np.empty((1, 2), dtype=np.int64)
    few = 2_000
    G, scores = np.zeros((few, few)), np.ones(few)

    def disturb():
        while not stop.is_set():
            for array, good in ((order, np.arange(n)), (y, np.ones(n))):
                array[::1000] = 2**62
                array[::1000] = good[::1000]

    so_far, first = (y[:few], scores, scores), (_loops.FIRST, order[:few], 0, 1, 1, MANY)
    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        for call in 100 * (
            lambda: search(X, np.ones(n)).look(np.ones(2), 0, n, order) is None,
            lambda: contest.run(W, duel, 1.0, rule)[0] == 0,
            lambda: _loops.run_dual(G, *so_far, 0.0, True, 1.0, 1, 1, first)[0] == 0,
        ):
            try:
                assert call()
            except IndexError as error:
                assert "order" in str(error) or "class" in str(error)  # noqa: PT017  # or not raised
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


def endless_count():
    X, y = np.ones((50_000, 20)), np.ones(50_000, dtype=np.int64)
    counted, W = search(X, y), np.ones((300, 20))
    return lambda: counted.count(W, np.empty(300, dtype=np.int64), MANY, True)


def interrupted_soon(call):
    """However fast or slow the machine is, the interrupt comes during a call."""
    threading.Timer(0.05, signal.raise_signal, [signal.SIGINT]).start()
    while True:
        call()


@pytest.mark.parametrize("make", [endless, endless_count])
def test_an_interrupt_ends_a_long_run_and_a_long_count(make):
    call = make()
    with pytest.raises(KeyboardInterrupt):
        interrupted_soon(call)
