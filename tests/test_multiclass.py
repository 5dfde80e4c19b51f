"""Many classes: Kesler's vectors, the run on them, and the same proof and ledger as ever."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from refusals import refuses
from strategies import TENTHS, WHOLE, WIDE, left_to_right, rng

from perceptron_notes import (
    Dataset,
    at_random,
    certify,
    in_turn,
    last,
    ledger,
    lowest,
    pla,
    record,
    separate,
    shuffled,
)
from perceptron_notes.data import augment
from perceptron_notes.datasets import tight
from perceptron_notes.learning import Trace
from perceptron_notes.model import signed_scores
from perceptron_notes.multiclass import (
    Classes,
    Contest,
    Duel,
    MultiRun,
    classify,
    kesler,
    leads,
    multi_mistakes,
    multi_pla,
    scores,
    unfold,
    versus,
)
from perceptron_notes.sequences import Sentences

LINE = Classes([[-1], [0], [1]], ["low", "mid", "top"])
#: Each class has a corner of a triangle and one of a smaller triangle inside, turned by a third:
#: each class can be separated from each other one, but not all three at once.
PINWHEEL = Classes([[-2, -2], [0, 1], [2, 0], [-1, -1], [0, 2], [1, 0]], "aabbcc")


def drawn(rng, n=6, d=2, K=3, size=3, intercept=True):
    """Random samples on a small grid, where ties are common; a class may have no samples."""
    points = rng.integers(-size, size + 1, (n, d))
    return Classes(points, rng.integers(K, size=n), range(K), intercept)


@st.composite
def classes(draw, numbers=WHOLE, max_n=7, max_d=3):
    n, d, K = draw(st.integers(1, max_n)), draw(st.integers(1, max_d)), draw(st.integers(2, 4))
    points = draw(arrays(np.float64, (n, d), elements=numbers))
    labels = draw(st.lists(st.integers(0, K - 1), min_size=n, max_size=n))
    return Classes(points, labels, range(K), draw(st.booleans()))


def naive(data, order=None, restart=False, rate=1.0, at_most=60):
    """The textbook's loop in Python's own floats: visit, let the classes compete, correct."""
    X, y, K, n = data.X.tolist(), data.y.tolist(), data.K, data.n
    order = list(range(n)) if order is None else [int(i) for i in order]
    W, duels, k, right_in_a_row = [[0.0] * len(X[0]) for _ in range(K)], [], 0, 0
    while right_in_a_row < n and len(duels) < at_most:
        i = order[k % n]
        score = [left_to_right(w, X[i]) for w in W]
        rivals = [r for r in range(K) if r != y[i]]
        best = next(r for r in rivals if score[r] == max(score[r] for r in rivals))
        k += 1
        if score[y[i]] - score[best] > 0:
            right_in_a_row += 1
            continue
        W[y[i]] = [a + rate * b for a, b in zip(W[y[i]], X[i], strict=True)]
        W[best] = [a - rate * b for a, b in zip(W[best], X[i], strict=True)]
        duels.append((i, best))
        right_in_a_row = 0
        k = 0 if restart else k
    return W, duels


# ------------------------------------------------------------------------------ the run


@pytest.mark.parametrize("numbers", [WHOLE, TENTHS, WIDE], ids=["whole", "tenths", "wide"])
@given(data=st.data())
def test_the_picks_are_those_of_the_naive_loop(numbers, data):
    samples = data.draw(classes(numbers))
    rule = shuffled(rng(data.draw(st.integers(0, 9))))
    order = rng(rule.seed).permutation(samples.n)
    for pick, *kind in ((in_turn, None, False), (lowest, None, True), (rule, order, False)):
        W, duels = naive(samples, *kind)
        steps = [step for step, _ in zip(multi_pla(samples, pick), range(61), strict=False)]
        made = steps[: len(duels)]
        assert [(step.pick, step.rival) for step in made] == duels
        assert steps[len(duels)].w.tolist() == W


@pytest.mark.parametrize("n", [70, 300])
def test_a_search_over_several_blocks_finds_what_one_by_one_finds(n):
    for seed in range(5):
        data = drawn(rng(seed), n=n, d=3, K=4, size=9)
        W = rng(seed).integers(-3, 4, (4, 4)).astype(float)
        order = rng(seed).permutation(n)
        for start, stop in ((0, n), (n // 2, n), (n - 1, n), (0, 0)):
            for path in (None, order):
                wanted = Contest.look(data, W, start, stop, path)
                assert data.look(W, start, stop, path) == wanted


@pytest.mark.parametrize("numbers", [TENTHS, WIDE], ids=["tenths", "wide"])
@given(data=st.data())
def test_what_is_a_mistake_is_decided_by_canonical_scores(numbers, data):
    samples = data.draw(classes(numbers))
    shape = samples.K, samples.X.shape[1]
    W = data.draw(arrays(np.float64, shape, elements=numbers))
    wanted = []
    for x, right in samples:
        score = [left_to_right(w, x) for w in W]
        wanted.append(score.pop(right) - max(score))
    assert leads(W, samples).tolist() == wanted
    assert multi_mistakes(W, samples).tolist() == [i for i, v in enumerate(wanted) if not v > 0]


@given(data=classes(), seed=st.integers(0, 99))
def test_random_picks_are_mistakes_and_a_run_is_the_same_each_time(data, seed):
    run = multi_pla(data, at_random(rng(seed)))
    once, again = ([s for s, _ in zip(run, range(20), strict=False)] for _ in range(2))
    assert once == again
    for step in once[:-1]:
        assert step.pick in multi_mistakes(step.w, data)
        assert step.passes is None


@given(data=classes())
def test_with_two_classes_it_is_the_perceptron(data):
    some = np.flatnonzero(data.y < 2)
    if not len(some):
        return
    two = Classes(data.points[some], data.y[some], (0, 1), data.intercept)
    pairs = zip(multi_pla(two), pla(versus(two, 1)), range(40), strict=False)
    for multi, plain, _ in pairs:
        assert multi.pick == plain.pick
        assert multi.passes == plain.passes
        assert multi.w.tolist() == [(-plain.w).tolist(), plain.w.tolist()]


def test_a_start_of_ones_own():
    W = [[0, -1], [0.5, 0], [0, 1]]
    assert [step.pick for step in multi_pla(LINE, w0=W)] == [None]
    start = next(iter(multi_pla(LINE, w0=[[1, 0], [0, 0], [0, 0]], rate=2)))
    assert (start.pick, start.rival, start.w[0, 0]) == (1, 0, 1)


def test_passes_and_caps():
    steps = list(multi_pla(LINE))
    assert [step.passes for step in steps] == sorted(step.passes for step in steps)
    assert last(multi_pla(LINE), passes=1).t < steps[-1].t
    assert last(multi_pla(PINWHEEL), at_most=7).t == 7
    with pytest.warns(match="default cap"):
        last(multi_pla(PINWHEEL))


# ------------------------------------------------------------------------ Kesler's vectors


@given(data=classes(), seed=st.integers(0, 99))
def test_the_vectors_say_by_how_much_each_rival_is_beaten(data, seed):
    W = rng(seed).integers(-3, 4, (data.K, data.X.shape[1]))
    S, rows = scores(W, data), kesler(data)
    assert rows.n == data.n * (data.K - 1)
    assert (rows.y == 1).all()
    assert not rows.intercept
    gaps = [S[i, data.y[i]] - S[i, rival] for i, rival in data.duels()]
    assert signed_scores(W.ravel(), rows).tolist() == gaps
    assert leads(W, data).tolist() == np.reshape(gaps, (data.n, -1)).min(axis=1).tolist()
    squares = np.repeat((data.X**2).sum(axis=1), data.K - 1)
    assert ((rows.X**2).sum(axis=1) == 2 * squares).all()


@given(data=classes(max_d=2), pick=st.sampled_from([in_turn, lowest, at_random]))
def test_a_run_is_a_run_of_pla_on_them(data, pick):
    rule = pick if pick is not at_random else at_random(rng(3))
    trace = unfold(multi_pla(data, rule), at_most=25)
    duels = list(data.duels())
    wanted = iter([*trace.picks.tolist(), trace.next_pick])
    rows = kesler(data)
    assert trace.data == rows
    assert record(pla(rows, lambda look, n, previous: next(wanted)), at_most=25) == trace
    steps = zip(multi_pla(data, rule), range(trace.updates), strict=False)
    met = [Duel(step.pick, step.rival) for step, _ in steps]
    assert [duels[i] for i in trace.picks] == met


def test_a_run_that_only_met_some_duels_has_the_same_ledger():
    trace = unfold(multi_pla(LINE), every=False)
    assert ledger(certify(trace.data, trace.w), trace).holds
    assert trace.data.n < 6
    right = unfold(multi_pla(LINE, w0=[[0, -1], [0.5, 0], [0, 1]]), every=False)
    assert (right.updates, right.data.n, right.converged) == (0, 1, True)


# ------------------------------------------------------- one against the rest, and in pairs


def test_versus_keeps_the_samples():
    assert versus(LINE, 0, 2).points.tolist() == [[-1], [1]]
    assert versus(LINE, 1).y.tolist() == [-1, 1, -1]
    refuses(ValueError, "k is 3", versus, LINE, 3)
    refuses(ValueError, "both 1", versus, LINE, 1, 1)
    refuses(ValueError, "have no samples", versus, Classes([[1]], ["a"], "abc"), 1, 2)


# --------------------------------------------------------------------------------- scores


def test_a_tie_is_undecided_and_so_a_mistake():
    W = np.zeros((3, 2))
    assert classify(W, LINE).tolist() == [-1, -1, -1]
    assert multi_mistakes(W, LINE).tolist() == [0, 1, 2]
    W = [[1, 0], [1, 0], [0, 5]]
    assert classify(W, LINE).tolist() == [-1, -1, 2]
    assert multi_mistakes(W, LINE).tolist() == [0, 1]  # they share the largest score
    W = [[0, 0], [0, 0], [-1, 0]]
    assert multi_mistakes(W, LINE).tolist() == [0, 1, 2]


@given(data=classes(), seed=st.integers(0, 99))
def test_who_is_classified_rightly_is_no_mistake(data, seed):
    W = rng(seed).integers(-2, 3, (data.K, data.X.shape[1]))
    assert multi_mistakes(W, data).tolist() == np.flatnonzero(classify(W, data) != data.y).tolist()
    assert (scores(W, data) == data.X @ W.T).all()
    assert (scores(W, data.X, intercept=data.intercept) == scores(W, data)).all()
    one = scores(W, data.X[0], intercept=data.intercept)
    assert (one == scores(W, data)[0]).all()


def test_scores_that_do_not_fit_are_refused():
    refuses(ValueError, "w has shape (2,)", scores, [[0, 0], [0, 0]], augment([[1, 2]]))
    for look in scores, classify:
        with pytest.raises(ValueError, match=r"X\[:, 0\] is not 1 throughout"):
            look([[0, 1, 1], [0, 2, 1]], [[3, 3, 3]])
        with pytest.raises(ValueError, match=r"X has 2 columns and w has 3 weights"):
            look([[0, 1, 1], [0, 2, 1]], [[3, 3]])
        for W in [np.zeros((0, 2)), np.zeros((2, 0)), [1, 2]]:
            refuses(ValueError, "W has shape ", look, W, [[1, 1]])
    refuses(TypeError, "expected a contest", leads, [0, 0], tight(1))


def test_scores_that_overflow_decide_nothing():
    data = Classes([[1e150], [-1e150]], "ab")
    with np.errstate(all="ignore"):
        assert multi_mistakes([[0, 1e200], [0, 1e200]], data).tolist() == [0, 1]


# ----------------------------------------------------------------------------------- data


def test_labels_are_numbered_in_order():
    assert Classes([[1], [2], [3]], [30, 10, 20]).y.tolist() == [2, 0, 1]
    assert Classes([[1], [2], [3]], np.array(["b", "a", "b"])).names == ("a", "b")
    assert Classes([[1], [2]], [None, 3]).names == (None, 3)  # as they appear
    data = Classes([[1], [2]], [("x", 1), ("y", 2)], names=[("y", 2), ("x", 1), ("z", 0)])
    assert (data.K, data.y.tolist(), data.labels) == (3, [1, 0], [("x", 1), ("y", 2)])


def test_slices_keep_the_classes():
    data = Classes([[1], [2], [3]], "abc", intercept=False)
    assert data[:1].names == data.names
    assert data[[2, 0]].labels == ["c", "a"]
    assert data[1][1] == 1
    assert [(x.tolist(), k) for x, k in data] == [([1.0], 0), ([2.0], 1), ([3.0], 2)]
    assert repr(data[:2]).endswith("1 of 'a', 1 of 'b', 0 of 'c', through the origin)")
    assert (len(data), data.d) == (3, 1)


def test_classes_differ_by_their_names_and_nobody_changes_them():
    run = multi_pla(LINE, rate=2.0)
    assert Classes([[-1], [0], [1]], "abc") != LINE
    assert Classes([[-1], [0], [1]], ["low", "mid", "top"]) == LINE
    assert repr(run) == f"multi_pla({LINE!r}, in_turn, rate=2)"
    assert "w0=[[1.0" in repr(multi_pla(LINE, w0=np.eye(3, 2)))
    with pytest.raises(AttributeError, match="read-only"):
        LINE.names = ()
    with pytest.raises(ValueError, match="read-only"):
        LINE.X[0] = 1


def test_bad_input_is_refused_in_a_sentence():
    for error, words, call, *arguments in (
        (ValueError, "labels has length 1", Classes, [[1], [2]], ["a"]),
        (ValueError, "labels are all 'a'", Classes, [[1], [2]], ["a", "a"]),
        (ValueError, "labels[1] is 'b'", Classes, [[1], [2]], ["a", "b"], ["a", "c"]),
        (ValueError, "expected each once", Classes, [[1]], ["a"], ["a", "b", "a"]),
        (ValueError, "labels[1] is nan", Classes, [[1], [2]], [1.0, float("nan")]),
        (ValueError, "points[1, 0] is inf", Classes, [[1], [np.inf]], "ab"),
        (TypeError, "labels[0] is [1]", Classes, [[1], [2]], [[1], [2]]),
        (TypeError, "data is a Dataset", multi_pla, tight(1)),
        (TypeError, "run is a Run", unfold, pla(tight(1))),
        (TypeError, "expected at_random(rng)", multi_pla, LINE, at_random),
        (ValueError, "duels is empty", kesler, LINE, []),
    ):
        refuses(error, words, call, *arguments)
    refuses(ValueError, "w0 has shape (3,)", multi_pla, LINE, w0=[0, 0, 0])
    own = multi_pla(LINE, lambda look, n, previous: 0)
    refuses(ValueError, "picked X[0], which is right", last, own)


def test_too_many_duels_are_never_written_down():
    data = Sentences([["a"] * 12], ["ABCDABCDABCD"])
    refuses(ValueError, "data has more than 100000 duels", kesler, data)
    refuses(ValueError, "data has more than 100000 duels", unfold, multi_pla(data), 5)


# ----------------------------------------------------------------------- a contest of one's own


class Matching(Contest):
    """Three guests, three chairs, and a right way to seat them: an answer is a permutation."""

    def __init__(self, tables, y):
        self.tables, self.y, self.n = tables, y, len(y)

    def features(self, i, answer):
        return np.array(self.tables[i], dtype=float)[list(answer), range(3)].sum(axis=0)

    def rivals(self, i):
        return (p for p in product(range(3), repeat=3) if len(set(p)) == 3 and p != self.y[i])

    def strongest(self, w, i):
        return max(self.rivals(i), key=lambda p: float(self.features(i, p) @ w))


def test_a_contest_of_ones_own_has_a_run_and_a_ledger():
    chance, w = rng(5), np.array([2, -1, 1])
    tables = [chance.integers(-4, 5, (3, 3, 3)) for _ in range(12)]
    every = [p for p in product(range(3), repeat=3) if len(set(p)) == 3]
    draft = Matching(tables, [every[0]] * 12)
    y = [max(every, key=lambda p, i=i: float(draft.features(i, p) @ w)) for i in range(12)]
    data = Matching(tables, y)
    some = [i for i, lead in enumerate(leads(w, data)) if lead > 0]
    data = Matching([tables[i] for i in some], [y[i] for i in some])
    run = multi_pla(data)
    assert isinstance(run, MultiRun)
    for whole in (True, False):
        trace = unfold(run, every=whole)
        assert isinstance(trace, Trace)
        assert isinstance(trace.data, Dataset)
        assert trace.updates > 3
        assert ledger(certify(trace.data, separate(trace.data)), trace).holds
