"""The dual form: tallies, Gram matrices, kernels, and the same run as the primal form."""

import math
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from refusals import refuses
from strategies import TENTHS, WHOLE, datasets, each_kind, each_rule, left_to_right, some

from perceptron_notes import (
    Dataset,
    dual_pla,
    in_turn,
    last,
    linear,
    pla,
    polynomial,
    predict,
    rbf,
    shuffled,
)
from perceptron_notes.datasets import iris, li_hang, rings, xor
from perceptron_notes.dual import dual_score, weights
from perceptron_notes.kernels import gram
from perceptron_notes.margins import margin_pla
from perceptron_notes.model import score, signed_scores
from perceptron_notes.multiclass import Classes, leads, multi_pla

#: Every run once with the compiled loops and once without.
pytestmark = pytest.mark.usefixtures("engine")


def dual_run(data, rule=in_turn, kernel=linear, rate=1.0, at_most=60):
    steps = dual_pla(gram(data, kernel), data.y, rule, rate=rate)
    return list(islice(steps, at_most + 1))


# ------------------------------------------------------------------------- dual = primal


@each_rule
@settings(max_examples=some(60))
@given(data=datasets(WHOLE, max_n=12))
def test_the_dual_run_on_whole_numbers_is_the_primal_run(rule, data):
    primal = list(islice(pla(data, rule()), 61))
    dual = dual_run(data, rule())
    assert [step.pick for step in dual] == [step.pick for step in primal]
    for one, other in zip(dual, primal, strict=True):
        assert weights(one.alpha, data).tolist() == other.w.tolist()
        assert one.b == other.w[0]


def worst(look, n, previous):
    """A rule of one's own, which asks for the signed scores: the worst mistake first."""
    scores = look.scores()
    i = int(scores.argmin())
    return i if scores[i] <= 0 else None


@each_kind
@given(data=st.data())
def test_the_worst_mistake_first_is_what_brute_force_finds_from_any_start(numbers, data):
    samples, rate = data.draw(datasets(numbers)), data.draw(st.sampled_from([1.0, 0.1, 3.0]))
    w0 = data.draw(arrays(np.float64, samples.X.shape[1], elements=numbers))
    for step in islice(pla(samples, worst, w0=w0, rate=rate), 30):
        scores = [float(y) * left_to_right(step.w, x) for x, y in samples]
        assert step.pick == (scores.index(min(scores)) if min(scores) <= 0 else None)


@given(data=datasets(WHOLE, max_n=12), rate=st.sampled_from([1.0, 2.0, 0.25]))
def test_the_worst_mistake_is_the_same_one_in_the_primal_and_the_dual_form(data, rate):
    primal = islice(pla(data, worst, rate=rate), 61)
    dual = dual_run(data, worst, rate=rate)
    assert [step.pick for step in dual] == [step.pick for step in primal]


def test_other_forms_of_pla_have_signed_scores_too():
    data, seen = li_hang(), []

    def watched(look, n, previous):
        seen.append(look.scores())
        return worst(look, n, previous)

    for step in margin_pla(data, 0.5, watched):
        assert seen[-1].tolist() == (signed_scores(step.w, data) - 0.5).tolist()
    classes = Classes(data.points, ["a", "b", "c"])
    for step in multi_pla(classes, watched):
        assert seen[-1].tolist() == leads(step.w, classes).tolist()


@given(data=datasets(WHOLE), offset=st.integers(0, 2), degree=st.integers(1, 3))
def test_every_dual_pick_was_a_mistake_of_the_sum_over_all_samples(data, offset, degree):
    G, y = gram(data, polynomial(degree, offset)), data.y.tolist()
    for step in dual_run(data, kernel=polynomial(degree, offset), at_most=30):
        margins = [
            y[i] * (sum(step.alpha[j] * y[j] * G[j, i] for j in range(data.n)) + step.b)
            for i in range(data.n)
        ]
        # All numbers are whole, so these sums are exact in any order.
        assert min(margins) > 0 if step.pick is None else margins[step.pick] <= 0


@given(data=datasets(WHOLE), k=st.integers(-20, 20))
def test_a_rate_that_is_a_power_of_two_scales_alpha_and_b_only(data, k):
    for plain, scaled in zip(dual_run(data), dual_run(data, rate=2.0**k), strict=True):
        assert scaled.pick == plain.pick
        assert np.array_equal(scaled.alpha, plain.alpha * 2.0**k)
        assert scaled.b == plain.b * 2.0**k


# ------------------------------------------------------------------- a generator of steps


def test_tallies_are_read_only_and_fresh():
    alphas = [step.alpha for step in dual_run(xor(), at_most=10)]
    for k, alpha in enumerate(alphas):
        assert not alpha.flags.writeable
        assert not any(np.shares_memory(alpha, other) for other in alphas[:k])


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.float64])
def test_gram_matrices_of_every_real_kind_are_accepted_and_not_modified(dtype, order):
    G = np.array([[18, 21, 6], [21, 25, 7], [6, 7, 2]], dtype, order=order)
    y = np.array([1, 1, -1], dtype)
    G.flags.writeable = y.flags.writeable = False
    assert last(dual_pla(G, y)).alpha.tolist() == [2, 0, 5]
    assert last(dual_pla(G.tolist(), y.tolist())).alpha.tolist() == [2, 0, 5]


# ------------------------------------------------------------------------------- kernels

KERNELS = {
    "linear": (linear, lambda a, b: math.fsum(x * y for x, y in zip(a, b, strict=True))),
    "quadratic": (polynomial(2), lambda a, b: (1 + float(np.dot(a, b))) ** 2),
    "cubic, no offset": (polynomial(3, 0), lambda a, b: float(np.dot(a, b)) ** 3),
    "offset 2.5": (polynomial(2, 2.5), lambda a, b: (2.5 + float(np.dot(a, b))) ** 2),
    "rbf": (rbf(0.7), lambda a, b: math.exp(-0.7 * math.dist(a, b) ** 2)),
    "narrow rbf": (rbf(50), lambda a, b: math.exp(-50 * math.dist(a, b) ** 2)),
}


@pytest.mark.parametrize(("kernel", "formula"), KERNELS.values(), ids=KERNELS)
@given(A=arrays(np.float64, (4, 3), elements=TENTHS), B=arrays(np.float64, (2, 3), elements=TENTHS))
def test_kernels_are_their_formulas(kernel, formula, A, B):
    naive = [[formula(a.tolist(), b.tolist()) for b in B] for a in A]
    assert kernel(A, B).shape == (4, 2)
    assert kernel(A, B) == pytest.approx(np.array(naive), rel=1e-11, abs=1e-14)


@pytest.mark.parametrize("kernel", [kernel for kernel, _ in KERNELS.values()], ids=KERNELS)
def test_gram_holds_the_kernel_of_all_pairs_symmetrically(kernel):
    data = iris("setosa", "virginica", features=["petal length", "petal width"])
    points = data.points / 64
    G = gram(Dataset(points, data.y), kernel)
    assert G.shape == (100, 100)
    assert np.array_equal(G, G.T)
    for i, j in [(0, 0), (0, 99), (50, 3)]:
        assert G[i, j] == pytest.approx(kernel(points[[i]], points[[j]])[0, 0], rel=1e-12)


@pytest.mark.parametrize("shift", [0, 1e4, 1e8, 1e12])
def test_rbf_depends_on_the_distance_alone_also_far_from_the_origin(shift):
    A, B = np.array([[shift, shift]]), np.array([[shift + 1, shift - 0.5]])
    assert rbf(1)(A, B)[0, 0] == pytest.approx(math.exp(-1.25), rel=1e-12)
    assert rbf(1)(A, A)[0, 0] == 1


# -------------------------------------------------------------- scores and weights of a run


@given(data=datasets(WHOLE), new=st.data())
def test_the_dual_score_of_new_points_is_the_primal_score_exactly(data, new):
    points = new.draw(arrays(np.float64, (3, data.d), elements=WHOLE))
    end = dual_run(data, at_most=20)[-1]
    w = weights(end.alpha, data)
    X = np.column_stack([np.ones(3), points])
    scores = dual_score(end.alpha, end.b, data, points)
    assert scores.tolist() == score(w, X).tolist()
    assert np.sign(scores).tolist() == predict(w, X).tolist()


@pytest.mark.parametrize("kernel", [linear, polynomial(2), rbf(2)])
def test_the_dual_score_is_the_sum_over_all_samples(kernel):
    data, alpha, b = rings(9, rng=np.random.default_rng(2)), np.arange(9) % 3, -0.5
    new = np.array([[0.5, 0.25], [2, -1]])
    naive = [
        sum(
            alpha[j] * data.y[j] * kernel(data.points[[j]], point[None])[0, 0]
            for j in range(data.n)
        )
        + b
        for point in new
    ]
    assert dual_score(alpha, b, data, new, kernel) == pytest.approx(naive, rel=1e-12)


# ------------------------------------------------------------------------------ bad input


def test_bad_input_gets_a_sentence():
    good, y, four, at = [[2, 0], [0, 2]], [1, -1], [1, 0, 0, 1], [[1, 2]]
    for error, words, call, *arguments in (
        (ValueError, "G has shape (2, 3)", dual_pla, [[1, 2, 3], [4, 5, 6]], y),
        (ValueError, "G has shape (2, 2) for 3 labels", dual_pla, good, [1, -1, 1]),
        (ValueError, "G[0, 1] is 2 but G[1, 0] is 3", dual_pla, [[1, 2], [3, 1]], y),
        (ValueError, "is -2e-12; a", dual_pla, [[1e-12, 2e-12], [-2e-12, 1e-12]], y),
        (ValueError, "G[0, 1] is nan", dual_pla, [[1, np.nan], [2, 1]], y),
        (TypeError, "G has dtype <U1", dual_pla, [["a"]], [1]),
        (ValueError, "labels[1] is 0", dual_pla, good, [1, 0]),
        (ValueError, "labels has shape (2, 1)", dual_pla, good, [[1], [-1]]),
        (ValueError, "expected at least one", dual_pla, np.zeros((0, 0)), []),
        (TypeError, "pick is shuffled itself", dual_pla, good, y, shuffled),
        (ValueError, "degree is 0", polynomial, 0),
        (TypeError, "degree is 1.5", polynomial, 1.5),
        (ValueError, "offset is -1", polynomial, 2, -1),
        (ValueError, "gamma is 0", rbf, 0),
        (TypeError, "data is a list", gram, [[1]]),
        (ValueError, "shape (4, 2) for 4 and 4", gram, xor(), lambda A, B: A),
        (ValueError, "alpha has shape (2,)", weights, [1, 2], xor()),
        (ValueError, "alpha[3] is inf", weights, [1, 2, 3, np.inf], xor()),
        (TypeError, "data is a list", weights, [1, 2, 3, 4], [[1]]),
        (ValueError, "alpha has shape (2,)", dual_score, [1, 2], 0, xor(), at),
        (ValueError, "points has shape (1, 3)", dual_score, four, 0, xor(), [[1, 2, 3]]),
        (ValueError, "points[0, 1] is nan", dual_score, four, 0, xor(), [[1, np.nan]]),
        (TypeError, "data is a list", dual_score, four, 0, [[1]], at),
        (ValueError, "b is nan", dual_score, four, np.nan, xor(), at),
        (ValueError, "shape () for 1 and 2", dual_score, four, 0, xor(), at, lambda A, B: 1),
    ):
        with np.errstate(all="ignore"):
            refuses(error, words, call, *arguments)
    refuses(ValueError, "rate is 0", dual_pla, good, y, rate=0)
