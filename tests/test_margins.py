"""Chapter 7: the widest street, margin PLA, Pegasos, KKT and Cover's count, against other means."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb, isclose

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from refusals import refuses
from strategies import HUGE, TENTHS, TINY, WIDE, datasets, dot, exact_rows, some, textbook_pla

from perceptron_notes import Dataset, certify, in_turn, lowest, record, separate
from perceptron_notes.convergence import Obstruction, Separator
from perceptron_notes.datasets import halfspaces, li_hang
from perceptron_notes.exact.numbers import fractions, least_margin, norm2
from perceptron_notes.margins import (
    LargestMargin,
    dichotomies,
    feasible,
    kkt,
    largest_margin,
    margin_pla,
    margin_promise,
    pegasos,
    regret,
    soft_margin,
)


def exact_points(data):
    return [[Fraction(v) for v in p] for p in data.points.tolist()]


# ---------------------------------------------------------------------- the widest street


def differences(data):
    """All differences of a positive and a negative sample, as samples through the origin."""
    plus, minus = data.points[data.y > 0], data.points[data.y < 0]
    pairs = (plus[:, None] - minus).reshape(-1, data.d)
    return Dataset(pairs, np.ones(len(pairs)), intercept=False)


def both(data):
    return abs(data.y.sum()) < data.n


@settings(max_examples=some(100), deadline=None)
@given(datasets(max_n=9))
@example(Dataset([[0], [1]], [-1, 1]))
@example(Dataset([[0, 0], [0, 0], [2, 1]], [-1, -1, 1]))
def test_the_street_is_half_of_the_best_margin_of_the_differences(data):
    if not both(data):
        return
    answer, oracle = largest_margin(data), separate(differences(data))
    assert answer.verify(data)
    assert isinstance(answer, LargestMargin) == isinstance(oracle, Separator)
    if isinstance(answer, Obstruction):
        assert isinstance(separate(data), Obstruction)
        return
    assert isclose(2 * answer.margin, oracle.rho, rel_tol=1e-7)
    assert len(answer.support) <= data.d + 1
    positive, negative = answer.feet(data)
    assert isclose(np.linalg.norm(positive - negative), 2 * answer.margin)
    assert np.allclose(answer.w @ [1, *(positive + negative) / 2], 0)
    few = max(answer.support)
    if few:
        refuses(ValueError, f"data has {few} samples", answer.feet, data[:few])


@settings(max_examples=some(40), deadline=None)
@given(st.data(), st.sampled_from([TENTHS, WIDE, HUGE, TINY]))
def test_numbers_of_any_size_are_answered_and_verified(draw, numbers):
    data = draw.draw(datasets(numbers=numbers, max_n=6))
    if both(data):
        answer = largest_margin(data)
        assert answer.verify(data)
        assert isinstance(answer, Obstruction) == isinstance(separate(data), Obstruction)


@settings(max_examples=some(60), deadline=None)
@given(datasets())
def test_through_the_origin_it_is_separate(data):
    data = Dataset(data.points, data.y, intercept=False)
    answer, oracle = largest_margin(data), separate(data)
    assert answer.verify(data)
    assert isinstance(answer, LargestMargin) == isinstance(oracle, Separator)
    if isinstance(answer, LargestMargin):
        assert isclose(answer.margin, oracle.rho, rel_tol=1e-7)
        assert len(answer.support) <= data.d


def test_shifting_the_points_shifts_only_the_threshold():
    data = halfspaces(40, distance=0.1, rng=np.random.default_rng(7))
    data = Dataset(np.round(data.points * 2**20) / 2**20, data.y)
    shift = np.array([1024.0, -4096.0])
    one, other = largest_margin(data), largest_margin(Dataset(data.points + shift, data.y))
    assert one.exact[1:] == other.exact[1:]
    assert one.exact[0] == other.exact[0] + dot(fractions(shift), one.exact[1:])
    assert (one.support, one.alpha) == (other.support, other.alpha)
    # The augmented margin does change, and is never larger.
    assert separate(data).rho > 10 * separate(Dataset(data.points + shift, data.y)).rho
    assert separate(data).rho <= one.margin * (1 + 1e-9)


def test_a_wrong_claim_is_not_verified():
    data = halfspaces(30, distance=0.2, rng=np.random.default_rng(1))
    best = largest_margin(data)
    assert best.verify(data)
    for other in (
        replace(best, exact=tuple(2 * a for a in best.exact)),
        replace(best, exact=(best.exact[0] + Fraction(1, 10**9), *best.exact[1:])),
        replace(best, alpha=tuple(2 * a for a in best.alpha)),
        replace(best, support=best.support[:-1], alpha=best.alpha[:-1]),
        replace(best, support=tuple(i + 1 for i in best.support)),
        replace(best, exact=best.exact[1:]),
    ):
        assert not other.verify(data)
    assert not best.verify(li_hang())
    assert not best.verify(Dataset(data.points, data.y, intercept=False))


# ------------------------------------------------------------------------------ margin PLA


@settings(max_examples=some(100), deadline=None)
@given(datasets(numbers=TENTHS), st.sampled_from([0, 0.1, 0.3, 1, 2.5, 10]), st.booleans())
def test_margin_pla_is_the_textbooks_loop_bit_for_bit(data, beta, intercept):
    data = Dataset(data.points, data.y, intercept)
    W, picks, _ = textbook_pla(data, beta=beta, at_most=60)
    trace = record(margin_pla(data, beta), at_most=60)
    assert trace.picks.tolist() == picks
    assert trace.W.tolist() == W


@settings(max_examples=some(60), deadline=None)
@given(datasets(), st.integers(0, 40), st.sampled_from([in_turn, lowest]))
def test_the_promise_is_kept_exactly(data, beta, rule):
    answer = separate(data)
    if isinstance(answer, Obstruction):
        return
    promise = margin_promise(certify(data, answer), beta)
    trace = record(margin_pla(data, beta, rule), at_most=promise.updates)
    assert trace.converged
    assert least_margin(data, fractions(trace.w))[1] > beta
    assert certify(data, trace.w).rho2 > promise.rho2
    # By its own hand: (R² + 2β)/ρ² and (βρ/(R² + 2β))².
    R2 = max(norm2(fractions(x)) for x in data.X)
    rho2 = certify(data, answer).rho2
    assert promise.updates == (R2 + 2 * beta) // rho2
    assert promise.rho2 == beta**2 * rho2 / (R2 + 2 * beta) ** 2


@pytest.mark.parametrize("beta", [-1, np.inf, np.nan, 1e152])
def test_a_threshold_is_a_number_from_0(beta):
    refuses(ValueError, f"beta is {beta}", margin_pla, li_hang(), beta)


# -------------------------------------------------------------------------------- Pegasos


def textbook_pegasos(data, kappa, visits):
    """The paper's loop in Fractions: shrink, and add if the margin was at most 1."""
    Z = exact_rows(data)
    w, kappa = [Fraction(0)] * data.X.shape[1], Fraction(kappa)
    W, corrects = [w], []
    for t, i in enumerate(visits, start=1):
        corrects.append(dot(w, Z[i]) <= 1)
        w = [(1 - Fraction(1, t)) * a for a in w]
        if corrects[-1]:
            w = [a + b / (kappa * t) for a, b in zip(w, Z[i], strict=True)]
        W.append(w)
    return W, corrects


VISITS = st.lists(st.integers(0, 7), min_size=1, max_size=25)


@settings(max_examples=some(100), deadline=None)
@given(datasets(max_n=8), st.sampled_from([0.125, 0.5, 1, 4]), VISITS, st.booleans())
def test_pegasos_is_the_papers_loop(data, kappa, visits, intercept):
    data = Dataset(data.points, data.y, intercept)
    visits = [i % data.n for i in visits]
    W, corrects = textbook_pegasos(data, kappa, visits)
    found = list(pegasos(data, kappa, visits))
    assert [visit.sample for visit in found] == [*visits, None]
    assert [visit.corrects for visit in found] == [*corrects, False]
    assert [visit.t for visit in found] == list(range(len(visits) + 1))
    assert np.allclose([visit.w for visit in found], [[float(a) for a in w] for w in W])


@settings(max_examples=some(60), deadline=None)
@given(datasets(max_n=8), st.sampled_from([0.125, 1, 3]), VISITS, st.data())
def test_the_regret_is_bounded_and_what_it_is_called(data, kappa, visits, draw):
    visits = [i % data.n for i in visits]
    u = [draw.draw(st.integers(-3, 3)) for _ in range(data.d + 1)]
    found = regret(pegasos(data, kappa, visits), u)
    assert found.holds
    W, corrects = textbook_pegasos(data, kappa, visits)

    def price(w, i):
        return soft_margin([float(a) for a in w], data[[i]], kappa)

    paid = sum(price(w, i) - price(u, i) for w, i in zip(W, visits, strict=False))
    assert isclose(found.regret, paid, rel_tol=1e-9, abs_tol=1e-9)
    steps = 0
    for t, (w, i, add) in enumerate(zip(W, visits, corrects, strict=False), start=1):
        g = kappa * np.array([float(a) for a in w]) - add * data.y[i] * data.X[i]
        steps += g @ g / (2 * kappa * t)
    assert isclose(found.steps, steps, rel_tol=1e-9)
    R2 = (data.X**2).sum(axis=1).max()
    H = sum(1 / t for t in range(1, len(visits) + 1))
    assert isclose(found.bound, 2 * R2 / kappa * H)


def test_bad_input_gets_a_sentence():
    data, walk = li_hang(), pegasos(li_hang(), 1, [0])
    refuses(ValueError, "all labels are +1", largest_margin, Dataset([[1], [2]], [1, 1]))
    refuses(ValueError, "kappa is 0", pegasos, data, 0, [1])
    refuses(ValueError, "kappa is 1e+150; expected at most", pegasos, data, 1e150, [0] * 20)
    refuses(ValueError, "visits[1] is 3", pegasos, data, 1, [0, 3])
    refuses(ValueError, "u has shape (2,)", regret, walk, [0, 0])
    refuses(ValueError, "alpha has shape (2,)", kkt, [1, 2], 0, data, 1)
    refuses(ValueError, "C is 0", kkt, [1, 2, 3], 0, data, 0)
    through = Dataset(data.points, data.y, intercept=False)
    refuses(ValueError, "b is 1", kkt, [1, 2, 3], 1, through, 1)


# ------------------------------------------------------------------------------------ KKT


def in_full(best, data):
    alpha = [Fraction(0)] * data.n
    for i, a in zip(best.support, best.alpha, strict=True):
        alpha[i] = a
    return alpha


@settings(max_examples=some(60), deadline=None)
@given(datasets(max_n=8), st.booleans())
def test_the_widest_street_fulfils_every_condition_exactly(data, intercept):
    data = Dataset(data.points, data.y, intercept)
    if (intercept and not both(data)) or isinstance(best := largest_margin(data), Obstruction):
        return
    alpha, b = in_full(best, data), best.exact[0] if intercept else 0
    found = kkt(alpha, b, data, C=max(alpha))
    assert found.holds
    assert found.gap == 0
    assert found.primal == sum(alpha) / 2
    less = kkt(alpha, b, data, C=max(alpha) / 2)
    assert less.box == max(alpha) / 2


QUARTERS = st.integers(-2, 8).map(lambda k: Fraction(k, 4))


@settings(max_examples=some(100), deadline=None)
@given(datasets(max_n=6), st.data(), st.integers(-3, 3), st.sampled_from([1, Fraction(3, 2)]))
def test_the_conditions_are_those_of_the_definition(data, draw, b, C):
    alpha = [draw.draw(QUARTERS) for _ in range(data.n)]
    points, y, found = exact_points(data), data.y.tolist(), kkt(alpha, b, data, C)
    v = [sum(a * k * p[j] for a, k, p in zip(alpha, y, points, strict=True)) for j in range(data.d)]
    m = [k * (dot(v, p) + b) for k, p in zip(y, points, strict=True)]
    xi = [max(0, 1 - k) for k in m]
    assert found.box == max(0, max(-a for a in alpha), max(a - C for a in alpha))
    balance = sum(a * k for a, k in zip(alpha, y, strict=True))
    assert found.balance == abs(balance)
    terms = [((C - a) * x, a * max(0, k - 1)) for a, x, k in zip(alpha, xi, m, strict=True)]
    assert found.slackness == max(abs(t) for pair in terms for t in pair)
    assert found.primal == norm2(v) / 2 + C * sum(xi)
    assert found.dual == sum(alpha) - norm2(v) / 2
    assert found.gap == sum(map(sum, terms)) - b * balance


@settings(max_examples=some(60), deadline=None)
@given(datasets(max_n=6), st.data(), st.sampled_from([1, 2.5]))
def test_no_dual_value_exceeds_a_price_and_spread_0_means_that_some_b_is_best(data, draw, C):
    alpha = feasible([draw.draw(QUARTERS) for _ in range(data.n)], data, C)
    found = kkt(alpha, draw.draw(st.integers(-2, 2)), data, C)
    assert found.box == found.balance == 0
    assert found.gap >= 0
    if both(data):
        v = [
            sum(
                a * k * p[j]
                for a, k, p in zip(alpha, data.y.tolist(), exact_points(data), strict=True)
            )
            for j in range(data.d)
        ]
        wants = {k - dot(v, p) for k, p in zip(data.y.tolist(), exact_points(data), strict=True)}
        best = min(kkt(alpha, b, data, C).slackness for b in wants)
        assert (found.spread == 0) == (best == 0)


@settings(max_examples=some(60), deadline=None)
@given(datasets(max_n=6), st.data(), st.booleans())
def test_feasible_multipliers_are_close_and_keep_the_constraints(data, draw, intercept):
    data = Dataset(data.points, data.y, intercept)
    alpha = [draw.draw(st.floats(-0.1, 1.2)) for _ in range(data.n)]
    found = feasible(alpha, data, 1.0)
    assert all(0 <= a <= 1 for a in found)
    cut = [min(max(Fraction(a), Fraction(0)), Fraction(1)) for a in alpha]
    off = abs(sum(a * k for a, k in zip(cut, data.y.tolist(), strict=True)))
    moved = sum(abs(a - c) for a, c in zip(found, cut, strict=True))
    assert moved == (off if intercept else 0)
    if intercept:
        assert sum(a * k for a, k in zip(found, data.y.tolist(), strict=True)) == 0


def test_kkt_is_exact_for_numbers_of_numpy_and_beyond_floats():
    data, large = li_hang(), 4 * 10**18
    assert kkt([0, 0, 0], 0, Dataset(data.points, data.y, intercept=False), 1).balance == 0
    assert kkt([0, 0, 0], 0, data, np.int64(large)) == kkt([0, 0, 0], 0, data, large)
    quarter = [np.float32(0.25), 0, np.float32(0.25)]
    assert kkt(quarter, -2, data, 1) == kkt([0.25, 0, 0.25], -2, data, 1)
    wide = [np.int64(2**40), 0, np.int64(2**40)]
    assert kkt(wide, 0, data, 2**41) == kkt([2**40, 0, 2**40], 0, data, 2**41)
    assert kkt([0, 0, 0], 0, data, Fraction(10) ** 400).primal == 3 * Fraction(10) ** 400


# ---------------------------------------------------------------------- against scikit-learn


def svc(data, C, tol=1e-3):
    """The multipliers and the bias of scikit-learn's solution."""
    model = pytest.importorskip("sklearn.svm").SVC(kernel="linear", C=C, tol=tol)
    model.fit(data.points, data.y)
    alpha = np.zeros(data.n)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    return alpha, float(model.intercept_[0])


def digits(one, other):
    X, y = pytest.importorskip("sklearn.datasets").load_digits(return_X_y=True)
    chosen = (y == one) | (y == other)
    return Dataset(X[chosen], np.where(y[chosen] == one, 1, -1))


@pytest.mark.parametrize("pair", [(0, 1), (3, 8), (4, 9)])
def test_svc_and_the_exact_street_agree_on_digits(pair):
    data = digits(*pair)
    best = largest_margin(data)
    assert best.verify(data)
    C = float(2 * max(best.alpha))  # so large that the soft margin is the hard one
    assert kkt(in_full(best, data), best.exact[0], data, C).holds
    alpha, b = svc(data, C)
    assert kkt(alpha, b, data, C).spread < Fraction(11, 10) / 1000
    found = kkt(feasible(alpha, data, C), b, data, C)
    least = sum(best.alpha) / 2
    assert found.dual <= least <= found.primal
    v = (alpha * data.y) @ data.points
    off = norm2(a - w for a, w in zip(fractions(v), best.exact[1:], strict=True))
    assert off <= 2 * found.gap + Fraction(1, 10**12)
    assert isclose(1 / np.linalg.norm(v), best.margin, rel_tol=1e-3)


# ------------------------------------------------------------------------------- capacity


@pytest.mark.parametrize(("n", "d"), [(5, 1), (6, 1), (4, 2), (6, 2), (5, 3)])
def test_covers_count_is_the_largest_number_of_labellings_that_separate_finds(n, d):
    curve = [[t**j for j in range(1, d + 1)] for t in range(n)]  # in general position
    flat = [[*point[:-1], 0] for point in curve]  # and not
    labels = list(product((-1, 1), repeat=n))
    found = [[separate(Dataset(points, y)).separable for y in labels] for points in (curve, flat)]
    assert sum(found[1]) <= sum(found[0]) == dichotomies(n, d)


def test_covers_count_has_its_recursion_and_its_ends():
    for n, d in product(range(1, 12), range(1, 8)):
        assert dichotomies(n + 1, d) == dichotomies(n, d) + dichotomies(n, d - 1)
        assert (dichotomies(n, d) == 2**n) == (n <= d + 1)
        assert 2 * dichotomies(2 * (d + 1), d) == 2 ** (2 * (d + 1))
    assert dichotomies(1, 5) == dichotomies(7, 0) == 2
    assert dichotomies(60, 2) == 2 * (1 + 59 + comb(59, 2))
