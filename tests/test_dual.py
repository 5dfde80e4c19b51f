"""The dual form: tallies, Gram matrices, kernels, and the same run as the primal form."""

import math
from fractions import Fraction
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from strategies import TENTHS, WHOLE, datasets, some

from perceptron_notes import (
    Dataset,
    at_random,
    dual_pla,
    in_turn,
    last,
    linear,
    lowest,
    mistakes,
    pla,
    polynomial,
    predict,
    rbf,
    record,
    shuffled,
)
from perceptron_notes.datasets import halfspaces, iris, li_hang, rings, xor
from perceptron_notes.dual import DualStep, dual_score, weights
from perceptron_notes.kernels import _AT_ONCE, GramRows, gram
from perceptron_notes.model import score

#: Every run once with the compiled loops and once without.
pytestmark = pytest.mark.usefixtures("engine")

RULES = {
    "in_turn": lambda: in_turn,
    "lowest": lambda: lowest,
    "shuffled": lambda: shuffled(np.random.default_rng(5)),
    "at_random": lambda: at_random(np.random.default_rng(5)),
}


def dual_run(data, rule=in_turn, kernel=linear, rate=1.0, at_most=60):
    steps = dual_pla(gram(data, kernel), data.y, rule, rate=rate)
    return list(islice(steps, at_most + 1))


# --------------------------------------------------------------------- the textbook's run


def test_example_2_2_runs_as_in_the_book():
    steps = dual_run(li_hang())
    assert gram(li_hang()).tolist() == [[18, 21, 6], [21, 25, 7], [6, 7, 2]]
    assert [step.alpha.tolist() for step in steps] == [
        [0, 0, 0],
        [1, 0, 0],
        [1, 0, 1],
        [1, 0, 2],
        [1, 0, 3],
        [2, 0, 3],
        [2, 0, 4],
        [2, 0, 5],
    ]
    assert [step.b for step in steps] == [0, 1, 0, -1, -2, -1, -2, -3]
    assert [step.pick for step in steps] == [0, 2, 2, 2, 0, 2, 2, None]
    assert [step.t for step in steps] == list(range(8))
    assert all(isinstance(step, DualStep) for step in steps)
    assert weights(steps[-1].alpha, li_hang()).tolist() == [-3, 1, 1]


# ------------------------------------------------------------------------- dual = primal


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@settings(max_examples=some(60))
@given(data=datasets(WHOLE, max_n=12))
def test_the_dual_run_on_whole_numbers_is_the_primal_run(rule, data):
    primal = list(islice(pla(data, rule()), 61))
    dual = dual_run(data, rule())
    assert [step.pick for step in dual] == [step.pick for step in primal]
    for one, other in zip(dual, primal, strict=True):
        assert weights(one.alpha, data).tolist() == other.w.tolist()
        assert one.b == other.w[0]


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@pytest.mark.parametrize(
    "make",
    [
        lambda: iris("setosa"),
        lambda: iris("versicolor", "virginica"),
        lambda: halfspaces(60, 5, distance=0.05, rng=np.random.default_rng(6)),
    ],
    ids=["setosa", "virginica", "dyadic"],
)
def test_on_the_books_data_too_the_two_forms_are_equal(rule, make):
    data = make()
    trace = record(pla(data, rule()), at_most=300)
    end = last(dual_pla(gram(data), data.y, rule()), at_most=300)
    assert end.t == trace.updates
    assert end.alpha.tolist() == np.bincount(trace.picks, minlength=data.n).tolist()
    assert weights(end.alpha, data).tolist() == trace.w.tolist()


@given(data=datasets(TENTHS), kernel=st.sampled_from([linear, polynomial(3), rbf(0.5)]))
def test_alpha_is_the_tally_of_picks_and_b_its_signed_sum(data, kernel):
    tally = [0] * data.n
    for step in dual_run(data, kernel=kernel):
        assert step.alpha.tolist() == tally
        assert step.b == sum(a * int(y) for a, y in zip(tally, data.y, strict=True))
        if step.pick is not None:
            tally[step.pick] += 1


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


def test_the_rate_multiplies_the_tally():
    assert last(dual_pla(gram(li_hang()), li_hang().y, rate=3)).alpha.tolist() == [6, 0, 15]


# ------------------------------------------------------------------- a generator of steps


def test_the_dual_run_is_lazy_and_goes_on_where_nothing_separates():
    steps = list(islice(dual_pla(gram(xor()), xor().y), 500))
    assert len(steps) == 500
    assert all(step.pick is not None for step in steps)


def test_tallies_are_read_only_and_fresh():
    alphas = [step.alpha for step in dual_run(xor(), at_most=10)]
    for k, alpha in enumerate(alphas):
        with pytest.raises(ValueError, match="read-only"):
            alpha[0] = 7
        assert not any(np.shares_memory(alpha, other) for other in alphas[:k])


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.float64])
def test_gram_matrices_of_every_real_kind_are_accepted_and_not_modified(dtype, order):
    G = np.array([[18, 21, 6], [21, 25, 7], [6, 7, 2]], dtype, order=order)
    y = np.array([1, 1, -1], dtype)
    G.flags.writeable = y.flags.writeable = False
    assert last(dual_pla(G, y)).alpha.tolist() == [2, 0, 5]
    assert last(dual_pla(G.tolist(), y.tolist())).alpha.tolist() == [2, 0, 5]


def test_a_gram_matrix_changed_after_the_call_does_not_change_the_run():
    G = gram(li_hang())
    steps = dual_pla(G, li_hang().y)
    G[:] = 0
    assert last(steps).alpha.tolist() == [2, 0, 5]


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
@given(
    A=arrays(np.float64, (4, 3), elements=TENTHS),
    B=arrays(np.float64, (2, 3), elements=TENTHS),
)
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


def test_polynomial_has_the_offset_1_by_default():
    one = np.array([[1.0]])
    assert polynomial(2)(one, one) == 4
    assert polynomial(2, 0)(one, one) == 1


def test_low_powers_of_rings_are_exact():
    data = rings(20, rng=np.random.default_rng(0))
    exact = [
        [
            (1 + sum(Fraction(a) * Fraction(b) for a, b in zip(p, q, strict=True))) ** 2
            for q in data.points.tolist()
        ]
        for p in data.points.tolist()
    ]
    assert gram(data, polynomial(2)).tolist() == exact


@pytest.mark.parametrize(
    ("make", "kernel", "solved"),
    [
        (xor, linear, False),
        (xor, polynomial(1), False),
        (xor, polynomial(2), True),
        (xor, rbf(1), True),
        (lambda: rings(60, rng=np.random.default_rng(1)), linear, False),
        (lambda: rings(60, rng=np.random.default_rng(1)), polynomial(2), True),
        (lambda: rings(60, rng=np.random.default_rng(1)), rbf(1), True),
    ],
    ids=[
        "xor linear",
        "xor degree 1",
        "xor degree 2",
        "xor rbf",
        "rings linear",
        "rings degree 2",
        "rings rbf",
    ],
)
def test_xor_and_rings_need_a_kernel(make, kernel, solved):
    data = make()
    end = last(dual_pla(gram(data, kernel), data.y), at_most=2000)
    assert (end.pick is None) == solved
    right = data.y * dual_score(end.alpha, end.b, data, data.points, kernel) > 0
    assert right.all() == solved


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


def test_before_the_first_update_the_dual_score_is_the_bias():
    assert dual_score([0, 0, 0], 2.0, li_hang(), [[5, 5], [0, 1]]).tolist() == [2, 2]


def test_weights_of_a_tally_separate_when_the_run_has_ended():
    data = iris("setosa")
    end = last(dual_pla(gram(data), data.y))
    assert mistakes(weights(end.alpha, data), data).tolist() == []


# ------------------------------------------------------------------------------ bad input

GOOD = [[2, 0], [0, 2]]
BAD_RUNS = {
    "not square": ([[1, 2, 3], [4, 5, 6]], [1, -1], ValueError, r"G has shape \(2, 3\); .* square"),
    "a vector": ([1, 2], [1, -1], ValueError, r"G has shape \(2,\); a Gram matrix is square"),
    "a cube": (np.zeros((2, 2, 2)), [1, -1], ValueError, r"G has shape \(2, 2, 2\); .* square"),
    "too small": (GOOD, [1, -1, 1], ValueError, r"G has shape \(2, 2\) for 3 labels; .*\(3, 3\)"),
    "asymmetric": ([[1, 2], [3, 1]], [1, -1], ValueError, r"G\[0, 1\] is 2 but G\[1, 0\] is 3; "),
    "asymmetric and small": (
        [[1e-12, 2e-12], [-2e-12, 1e-12]],
        [1, -1],
        ValueError,
        r"G\[0, 1\] is 2e-12 but G\[1, 0\] is -2e-12; a Gram matrix is symmetric",
    ),
    "NaN": ([[1, np.nan], [2, 1]], [1, -1], ValueError, r"G\[0, 1\] is nan; expected a finite"),
    "text": ([["a"]], [1], TypeError, r"G has dtype <U1; expected real numbers"),
    "complex": ([[1j]], [1], TypeError, r"G has dtype complex128; expected real numbers"),
    "label 0": (GOOD, [1, 0], ValueError, r"labels\[1\] is 0; labels must be -1 or \+1"),
    "labels in a column": (GOOD, [[1], [-1]], ValueError, r"labels has shape \(2, 1\); expected"),
    "no samples": (np.zeros((0, 0)), [], ValueError, r"(labels|G) .*; expected at least one"),
}


@pytest.mark.parametrize(("G", "y", "error", "sentence"), BAD_RUNS.values(), ids=BAD_RUNS)
def test_dual_pla_refuses_bad_matrices_and_labels_when_it_is_called(G, y, error, sentence):
    with pytest.raises(error, match=sentence):
        dual_pla(G, y)


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"rate": 0}, ValueError, r"rate is 0; expected a positive finite number"),
        ({"rate": np.nan}, ValueError, r"rate is nan; expected a positive finite number"),
        ({"rate": "1"}, TypeError, r"rate is '1'; expected a positive finite number"),
        ({"pick": shuffled}, TypeError, r"pick is shuffled itself; expected shuffled\(rng\)"),
        ({"pick": at_random}, TypeError, r"pick is at_random itself; expected at_random\(rng\)"),
        ({"pick": 3}, TypeError, r"pick is 3; expected a rule such as in_turn"),
    ],
)
def test_dual_pla_refuses_bad_options_when_it_is_called(options, error, sentence):
    with pytest.raises(error, match=sentence):
        dual_pla(GOOD, [1, -1], **options)


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda: polynomial(0), ValueError, r"degree is 0; expected at least 1"),
        (lambda: polynomial(1.5), TypeError, r"degree is 1.5; expected a whole number"),
        (lambda: polynomial(True), TypeError, r"degree is True; expected a whole number"),
        (lambda: polynomial(2, -1), ValueError, r"offset is -1; expected a number ≥ 0"),
        (lambda: polynomial(2, np.nan), ValueError, r"offset is nan; expected a finite number"),
        (lambda: polynomial(2, "1"), TypeError, r"offset .*; expected"),
        (lambda: polynomial(2, [1, 2]), (TypeError, ValueError), r"offset .*; expected"),
        (lambda: rbf(0), ValueError, r"gamma is 0; expected a positive finite number"),
        (lambda: rbf(-1), ValueError, r"gamma is -1; expected a positive finite number"),
        (lambda: rbf(np.inf), ValueError, r"gamma is inf; expected a positive finite number"),
        (lambda: rbf("wide"), TypeError, r"gamma is 'wide'; expected a positive finite number"),
        (lambda: gram([[1]]), TypeError, r"data is a list; expected a Dataset"),
        (lambda: gram(xor(), lambda A, B: A), ValueError, r"shape \(4, 2\) for 4 and 4 points"),
        (lambda: gram(xor(), lambda A, B: [[1]]), ValueError, r"shape \(1, 1\) for 4 and 4"),
        (lambda: weights([1, 2], xor()), ValueError, r"alpha has shape \(2,\); expected \(4,\)"),
        (lambda: weights([1, 2, 3, np.inf], xor()), ValueError, r"alpha\[3\] is inf; expected"),
        (lambda: weights([1, 2, 3, 4], [[1]]), TypeError, r"data is a list; expected a Dataset"),
    ],
)
def test_kernels_gram_and_weights_refuse_what_does_not_fit(call, error, sentence):
    with pytest.raises(error, match=sentence):
        call()


@pytest.mark.parametrize(
    ("changed", "error", "sentence"),
    [
        ({"alpha": [1, 2]}, ValueError, r"alpha has shape \(2,\); expected \(4,\)"),
        ({"points": [1, 2]}, ValueError, r"points has shape \(2,\); expected \(m, 2\)"),
        ({"points": [[1, 2, 3]]}, ValueError, r"points has shape \(1, 3\); expected \(m, 2\)"),
        ({"points": [[1, np.nan]]}, ValueError, r"points\[0, 1\] is nan; expected a finite"),
        ({"data": [[1]]}, TypeError, r"data is a list; expected a Dataset"),
        ({"b": "x"}, TypeError, r"b .*; expected"),
        ({"b": np.nan}, ValueError, r"b is nan; expected a finite number"),
    ],
)
def test_dual_score_refuses_what_does_not_fit(changed, error, sentence):
    good = {"alpha": [1, 0, 0, 1], "b": 0.0, "data": xor(), "points": [[1, 2]]}
    with pytest.raises(error, match=sentence):
        dual_score(**{**good, **changed})


# --------------------------------------------------------------------------- rows on demand


@pytest.mark.parametrize("n", [_AT_ONCE, _AT_ONCE + 1, 400])
@pytest.mark.parametrize("kernel", [linear, polynomial(2)], ids=["linear", "polynomial"])
@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_rows_made_on_demand_give_the_same_run(rule, kernel, n):
    data = rings(n, rng=np.random.default_rng(n))
    whole = list(islice(dual_pla(gram(data, kernel), data.y, rule()), 100))
    later = list(islice(dual_pla(GramRows(data, kernel), data.y, rule()), 100))
    assert [step.pick for step in later] == [step.pick for step in whole]
    assert later[-1].alpha.tolist() == whole[-1].alpha.tolist()


def test_only_the_rows_of_corrected_samples_are_made():
    calls = []

    def kernel(A, B):
        calls.append(len(A))
        return A @ B.T

    data = halfspaces(1000, distance=0.1, rng=np.random.default_rng(0))
    G = GramRows(data, kernel)
    end = last(dual_pla(G, data.y))
    assert end.pick is None
    assert calls == [1] * np.count_nonzero(end.alpha)
    last(dual_pla(G, data.y))
    assert len(calls) == np.count_nonzero(end.alpha)


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda: GramRows([[1]], linear), TypeError, r"data is a list; expected a Dataset"),
        (lambda: GramRows(xor(), lambda A, B: A), ValueError, r"kernel returned shape \(4, 2\)"),
        (
            lambda: GramRows(xor(), lambda A, B: A @ B.T / 0.0),
            ValueError,
            r"kernel\(A, B\)\[0, 0\]",
        ),
        (lambda: GramRows(xor(), lambda A, B: "a"), TypeError, r"kernel\(A, B\) has dtype"),
        (lambda: GramRows(xor(), linear)[0:2], TypeError, r"i is a slice; expected the number"),
        (
            lambda: dual_score([1, 1, 1, 1], 0, xor(), [[1, 2]], lambda A, B: 1),
            ValueError,
            r"kernel returned shape \(\) for 1 and 4 points",
        ),
        (
            lambda: dual_pla(GramRows(xor(), linear), [1, -1]),
            ValueError,
            r"G has shape \(4, 4\) for 2 labels; expected \(2, 2\)",
        ),
    ],
)
def test_rows_refuse_what_does_not_fit(call, error, sentence):
    with np.errstate(all="ignore"), pytest.raises(error, match=sentence):
        call()
