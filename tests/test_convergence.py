"""Chapter 3: both certificates, the bound, and the ledger, against exact oracles of their own."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import gcd, prod

import numpy as np
import oracle
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from judges import judge_separate
from refusals import refuses
from strategies import datasets, dot, exact_rows, factor_table, some

from perceptron_notes import (
    Dataset,
    at_random,
    certify,
    in_turn,
    ledger,
    lowest,
    pla,
    record,
    separate,
    shuffled,
)
from perceptron_notes.convergence import Ledger, Obstruction, Separator
from perceptron_notes.datasets import halfspaces, li_hang, slow, tight, xor
from perceptron_notes.exact.hull import nearest_exactly, nearest_point
from perceptron_notes.exact.numbers import (
    largest_norm2,
    least_margin,
    norm2,
    objects,
)
from perceptron_notes.exact.systems import _FEW, _PRIMES, _eliminate, refine, solve
from perceptron_notes.learning import Trace

# ------------------------------------------------------------------------------- oracles


def gauss(A, b):
    """The solution of A·u = b in Fractions, None if A is singular."""
    M = [[*map(Fraction, row), Fraction(c)] for row, c in zip(A, b, strict=True)]
    for k in range(len(M)):
        pivot = next((i for i in range(k, len(M)) if M[i][k]), None)
        if pivot is None:
            return None
        M[k], M[pivot] = M[pivot], M[k]
        M[k] = [v / M[k][k] for v in M[k]]
        for i in set(range(len(M))) - {k}:
            M[i] = [a - M[i][k] * b for a, b in zip(M[i], M[k], strict=True)]
    return [row[-1] for row in M]


def best_rho2(rows):
    """The squared distance of 0 from the hull, by looking at every face."""
    best = min(dot(row, row) for row in rows)
    for size in range(2, len(rows[0]) + 2):
        for face in combinations(rows, size):
            A = [[dot(u, v) + 1 for v in face] for u in face]
            u = gauss(A, [1] * size)
            if u is not None and min(u) >= 0:
                point = [dot(u, column) for column in zip(*face, strict=True)]
                best = min(best, dot(point, point) / sum(u) ** 2)
    return best


def check_answer(data, answer):
    """The certificate, checked from its definition and by its own method."""
    rows = exact_rows(data)
    if isinstance(answer, Separator):
        margins = [dot(answer.exact, row) for row in rows]
        assert min(margins) > 0
        rho2 = min(margins) ** 2 / dot(answer.exact, answer.exact)
        assert Fraction(answer.rho) ** 2 == pytest.approx(rho2, rel=1e-14)
        assert not answer.w.flags.writeable
    else:
        S, weights = answer.samples, answer.weights
        assert len(S) == len(weights) <= data.d + 2
        assert list(S) == sorted(set(S))
        assert min(weights) > 0
        assert sum(weights) == 1
        assert not any(dot(weights, [rows[i][j] for i in S]) for j in range(data.d + 1))
    assert answer.verify(data)
    assert repr(answer).startswith(type(answer).__name__)


def legal(trace):
    """Whether a trace is a run of PLA without any rounding, by the definition alone."""
    X, y = trace.data.X, trace.data.y
    W = [[Fraction(v) for v in w] for w in np.asarray(trace.W).tolist()]
    if len(W) != len(trace.picks) + 1 or trace.rate <= 0:
        return False
    for t, i in enumerate(np.asarray(trace.picks).tolist()):
        if not 0 <= i < len(y) or dot(W[t], X[i].tolist()) * int(y[i]) > 0:
            return False
        step = Fraction(trace.rate) * int(y[i])
        if W[t + 1] != [a + step * Fraction(b) for a, b in zip(W[t], X[i].tolist(), strict=True)]:
            return False
    done = all(dot(W[-1], row) > 0 for row in exact_rows(trace.data))
    return done == trace.converged


# ---------------------------------------------------------------------------- strategies


@st.composite
def grids(draw, scales, most=8):
    """Small data on a grid, where ties, duplicates and touching hulls are common."""
    data = draw(datasets(max_n=most))
    return Dataset(data.points * draw(st.sampled_from(scales)), data.y)


dyadic = grids([1.0, 0.25, 2.0**-20, 2.0**12])
decimal = grids([0.1, 0.3, 1e-7])


@st.composite
def separables(draw, source=dyadic):
    """The same points with the labels that some hyperplane gives them."""
    data = draw(source)
    w = draw(st.lists(st.integers(-3, 3), min_size=data.d, max_size=data.d))
    scores = data.points @ np.array(w, dtype=float)
    cut = draw(st.sampled_from([-np.inf, *scores]))
    return Dataset(data.points, np.where(scores >= cut, 1, -1))


rules = st.sampled_from([in_turn, lowest, shuffled, at_random])


def rule(pick, seed=0):
    return pick if pick in (in_turn, lowest) else pick(np.random.default_rng(seed))


# ------------------------------------------------------------------------------ separate


def test_separate_agrees_with_an_exact_simplex_method():
    rng = np.random.default_rng(0)
    found = {Separator: 0, Obstruction: 0}
    for k in range(some(1500)):
        n, d = rng.integers(1, 9), rng.integers(1, 4)
        points = rng.integers(-2, 3, size=(n, d)).astype(float)
        if k % 5 == 1:
            points *= 0.1
        if k % 5 == 2:
            points *= 10.0 ** rng.integers(-8, 9, size=d)
        if k % 5 == 3:
            points += rng.integers(-1, 2, size=(n, d)) * 2.0**-45
        data = Dataset(points, rng.choice([-1, 1], size=n))
        answer = separate(data)
        assert isinstance(answer, Separator) == oracle.separable(exact_rows(data)), data.X
        check_answer(data, answer)
        found[type(answer)] += 1
    assert min(found.values()) > some(400)


def test_separate_answers_on_questionnaires():
    for seed in range(some(50)):
        rng = np.random.default_rng(seed)
        X, y = factor_table(rng, int(rng.integers(30, 300)), int(rng.integers(8, 30)))
        assert judge_separate(separate(Dataset(X, y)), X, y) is None, seed


@given(grids([1.0, 0.1, 2.0**-20], most=5))
@settings(max_examples=some(150))
def test_rho_is_the_largest_margin(data):
    answer, best = separate(data), best_rho2(exact_rows(data))
    assert isinstance(answer, Separator) == (best > 0)
    if best:
        assert answer.rho**2 == pytest.approx(float(best), rel=2e-8)


@given(datasets(st.floats(-1e150, 1e150), max_n=6))
def test_separate_never_errs_on_floats_of_any_size(data):
    answer = separate(data)
    assert isinstance(answer, Separator) == oracle.separable(exact_rows(data))
    check_answer(data, answer)


def on_a_line(values, labels):
    return Dataset(np.reshape(values, (-1, 1)), labels)


SEPARABLE = {
    "one sample": on_a_line([5], [-1]),
    "a single class": Dataset([[1, 2], [-3, 4], [0, 0]], [1, 1, 1]),
    "duplicates": Dataset([[1, 2], [1, 2], [0, 0]], [1, 1, -1]),
    "collinear": Dataset([[k, 2 * k] for k in range(6)], [-1] * 3 + [1] * 3),
    "margin 1e-12": on_a_line([0, 1, 1 + 2e-12, 2], [-1, -1, 1, 1]),
    "margin 1e-12, far away": on_a_line([1000 - 1e-12, 1000 + 1e-12], [-1, 1]),
    "next floats": on_a_line([1, np.nextafter(1, 2)], [1, -1]),
    "next floats at 1e150": on_a_line([1e150, np.nextafter(1e150, 0)], [1, -1]),
    "uneven scales": Dataset([[1e-8, 1e8], [3e-8, 1e8], [2e-8, -1e8]], [1, -1, 1]),
    "very uneven": Dataset([[1e-150, 1e150], [-1e-150, 1e150]], [1, -1]),
    "subnormal": on_a_line([5e-324, 1e-323], [1, -1]),
    "many ties": Dataset(np.repeat([[0, 1], [1, 0]], 500, axis=0), [1] * 500 + [-1] * 500),
}
OBSTRUCTED = {
    "one point, two labels": on_a_line([7, 7], [1, -1]),
    "the same among others": Dataset([[0, 0], [5, 1], [5, 1], [9, 9]], [1, 1, -1, -1]),
    "xor": xor(),
    "touching hulls": Dataset([[0, 0], [2, 0], [1, 0], [1, 5]], [1, 1, -1, -1]),
    "a corner on a face": Dataset([[0, 0], [3, 0], [0, 3], [1, 1], [5, 5]], [1, 1, 1, -1, -1]),
    "collinear": Dataset([[k, 3 * k] for k in range(3)], [1, -1, 1]),
    "collinear thirds": on_a_line([0.1, 0.2, 0.3], [1, -1, 1]),
    "touching at 1e150": on_a_line([-1e150, 0, 1e150], [1, -1, 1]),
    "uneven scales": Dataset([[1e-8, 1e8], [-1e-8, -1e8], [0, 0]], [1, 1, -1]),
    "many ties": Dataset(np.tile(xor().points, (300, 1)), np.tile(xor().y, 300)),
}


@pytest.mark.parametrize("data", SEPARABLE.values(), ids=SEPARABLE)
def test_degenerate_separable(data):
    answer = separate(data)
    assert isinstance(answer, Separator)
    check_answer(data, answer)
    # Of the multiples of the exact weights one separates when it is rounded.
    assert certify(data, answer.w).bound >= certify(data, answer).bound >= 1


@pytest.mark.parametrize("data", OBSTRUCTED.values(), ids=OBSTRUCTED)
def test_degenerate_obstructed(data):
    answer = separate(data)
    assert isinstance(answer, Obstruction)
    check_answer(data, answer)


def test_larger_random_data():
    rng = np.random.default_rng(5)
    for n, d in ((3000, 2), (3000, 10), (400, 40)):
        data = halfspaces(n, d, distance=0.02, rng=rng)
        answer = separate(data)
        check_answer(data, answer)
        # The hidden hyperplane has this margin; the best one cannot have a smaller one.
        assert answer.rho >= 0.02 / np.sqrt(1 + 0.25**2) - 1e-3
        noisy = Dataset(data.points, np.where(np.arange(data.n) < 8, -data.y, data.y))
        answer = separate(noisy)
        assert isinstance(answer, Obstruction) or d == 40
        check_answer(noisy, answer)


def whole_sets(rounds, seed):
    """Random separable sets with small whole coordinates."""
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        n, d = int(rng.integers(2, 14)), int(rng.integers(1, 5))
        points, w = rng.integers(-3, 4, size=(n, d)), rng.integers(-3, 4, size=d + 1)
        yield Dataset(points, np.where(w[0] + points @ w[1:] > 0, 1, -1))


@pytest.mark.parametrize(
    "seed", [1, 2, *(pytest.param(k, marks=pytest.mark.slow) for k in range(3, 31))]
)
def test_whole_samples_have_whole_weights_with_the_largest_margin(seed):
    for data in whole_sets(100, seed):
        answer = separate(data)
        numbers = [int(a) for a in answer.exact]
        assert numbers == list(answer.exact) == answer.w.tolist()
        assert gcd(*numbers) == 1
        start = np.array([0]), (Fraction(1),)
        _, _, nearest = nearest_exactly(data, *start, lambda sentence: None)
        assert least_margin(data, answer.exact)[1] ** 2 / norm2(answer.exact) == norm2(nearest)


@pytest.mark.parametrize("data", [li_hang(), xor()])
def test_an_answer_is_asked_whether_it_separates_and_is_no_truth_value(data):
    answer = separate(data)
    assert answer.separable == isinstance(answer, Separator)
    with pytest.raises(TypeError, match="separable"):
        bool(answer)


@pytest.mark.parametrize(
    "affine",
    [lambda S: None, lambda S: np.array(([2.0, -1.0] * 2)[: len(S)]) if len(S) > 1 else np.ones(1)],
)
def test_a_search_in_floats_ends_even_if_rounding_leads_it_in_circles(affine):
    S, weights = nearest_point(
        np.arange(3), np.full(3, 1 / 3), affine, lambda S, weights: 1, 1e-12, most=50
    )
    assert len(S) == len(weights) > 0


def test_certificates_do_not_verify_what_is_false():
    data = li_hang()
    good = separate(data)
    assert not good.verify(Dataset(data.points, -data.y))
    assert not good.verify(Dataset(data.points[:, :1], data.y))
    assert not Separator(good.w, good.rho * 1.001, good.exact).verify(data)
    assert not Separator(good.w, good.rho, (Fraction(0), *good.exact[1:])).verify(data)
    no = separate(xor())
    half = Fraction(1, 2)
    assert not no.verify(Dataset(xor().points, [1, 1, 1, -1]))
    assert not no.verify(Dataset(xor().points[:3], xor().y[:3]))
    assert not Obstruction((0, 1), (half, half)).verify(xor())
    assert not Obstruction((0, 0, 1, 1), no.weights).verify(xor())
    assert not Obstruction(no.samples, tuple(2 * f for f in no.weights)).verify(xor())
    assert not Obstruction(no.samples, (*no.weights[:3], Fraction(0))).verify(xor())
    assert not Obstruction((), ()).verify(xor())
    # These sum to 1 and cancel the samples, but one of them is negative.
    assert not Obstruction((0, 1, 2), (-half, half, Fraction(1))).verify(
        on_a_line([1, 3, 2], [1, -1, 1])
    )
    # True, but more samples than it takes.
    twice = Dataset(np.tile(xor().points, (2, 1)), np.tile(xor().y, 2))
    assert not Obstruction(tuple(range(8)), (Fraction(1, 8),) * 8).verify(twice)
    touching = (Fraction(-6), Fraction(1), Fraction(1))
    assert not Separator(np.array([-6.0, 1, 1]), 0.0, touching).verify(data)


@pytest.mark.parametrize("name", ["a single sample", "all of them", "the wrong half"])
def test_a_bad_guess_costs_time_only(monkeypatch, name):
    data = halfspaces(30, 2, distance=0.05, rng=np.random.default_rng(6))
    noisy = Dataset(data.points, np.where(np.arange(30) < 3, -data.y, data.y))
    good, no = separate(data), separate(noisy)
    S = {"a single sample": [7], "all of them": range(30), "the wrong half": range(15)}[name]
    guess = np.array(S), (Fraction(1, len(S)),) * len(S), False
    monkeypatch.setattr("perceptron_notes.exact.separation.nearest_in_floats", lambda *_: guess)
    again = separate(data)
    check_answer(data, again)
    assert again.rho == pytest.approx(good.rho, rel=1e-8)
    assert isinstance(no, Obstruction)
    check_answer(noisy, separate(noisy))


def test_a_search_tells_how_far_it_is_and_can_be_stopped():
    class Enough(Exception):  # noqa: N818
        pass

    rng = np.random.default_rng(3)
    data = Dataset(rng.standard_normal((200, 60)), rng.choice([-1, 1], size=200))
    told = []
    assert isinstance(separate(data, progress=told.append), Obstruction)
    assert any("floats" in sentence for sentence in told)
    assert any("digit" in sentence for sentence in told)

    def stop(sentence):
        if "digit" in sentence:
            raise Enough

    with pytest.raises(Enough):
        separate(data, progress=stop)


# ------------------------------------------------------------------------------- certify


@given(separables(dyadic | decimal))
@settings(max_examples=some(100))
def test_certify_from_the_definitions(data):
    w_f = separate(data)
    for certificate in (certify(data, w_f), certify(data, w_f.w)):
        rows, w = exact_rows(data), certificate.exact
        assert certificate.m == min(dot(w, row) for row in rows)
        assert max(dot(row, row) for row in rows) == certificate.R2
        assert certificate.rho2 == certificate.m**2 / dot(w, w)
        assert certificate.bound == certificate.R2 // certificate.rho2
        assert certificate.bound <= certificate.R2 / certificate.rho2 < certificate.bound + 1


def test_certify_names_the_first_sample_that_is_wrong():
    refuses(ValueError, "X[2], label -1, has y w_f·x = -2", certify, li_hang(), [0, 1, 1])
    refuses(ValueError, "X[0], label +1, has y w_f·x = 0", certify, li_hang(), [-6, 1, 1])
    # The first one, not the worst one.
    data = Dataset([[4, 3], [3, 3], [1, 1]], [1, 1, -1])
    refuses(ValueError, "X[0], label +1, has y w_f·x = -1;", certify, data, [-8, 1, 1])
    # A tie that float sums see as a positive score.
    assert 0.1 + 0.2 - 0.3 > 0
    tie = Dataset([[0.1, 0.2], [1, 1]], [1, 1])
    refuses(ValueError, "X[0]", certify, tie, [-float(Fraction(0.1) + Fraction(0.2)), 1, 1])
    refuses(TypeError, "no weights separate these data", certify, xor(), separate(xor()))
    refuses(TypeError, "w_f is a Trace", certify, li_hang(), record(pla(li_hang())))
    refuses(TypeError, "data is a list", separate, [[1, 2]])


# -------------------------------------------------------------------------------- ledger


def by_definition(certificate, trace, t):
    """Row t from the definitions, in Fractions, replayed from the start."""
    X, y = trace.data.X, trace.data.y
    lam, R2, m, w_f = Fraction(trace.rate), certificate.R2, certificate.m, certificate.exact
    w = [Fraction(v) for v in trace.W[0].tolist()]
    g = [lam * R2 * a / m for a in w_f]
    norm0, inner0, far0 = dot(w, w), dot(w, w_f), far(w, g)
    for s in range(t):
        i = trace.picks[s]
        before, z = w, [Fraction(v) * int(y[i]) for v in X[i].tolist()]
        w = [a + lam * b for a, b in zip(w, z, strict=True)]
    cosine = t * certificate.rho2 / R2, dot(w, w_f) ** 2 / ((dot(w, w) or 1) * dot(w_f, w_f))
    return {
        "t": t,
        "pick": i,
        "mistake": (dot(before, z), 0),
        "growth": (inner0 + t * lam * m, dot(w, w_f)),
        "length": (dot(w, w), norm0 + t * lam**2 * R2),
        "cosine": None if norm0 else cosine,
        "bound": (t, far0 / (lam**2 * R2)),
        "distance": (far(w, g), far(before, g) - lam**2 * R2),
    }


def far(u, v):
    return sum((a - b) ** 2 for a, b in zip(u, v, strict=True))


STARTS = st.just([0] * 4) | st.lists(st.integers(-40, 40), min_size=4, max_size=4)


@given(separables(), rules, st.sampled_from([1.0, 0.5, 0.75, 3.0, 2.0**-30, 1024.0]), STARTS)
@settings(max_examples=some(200))
def test_ledger_holds_on_dyadic_data_from_any_start(data, pick, rate, start):
    w0 = np.array(start[: data.d + 1]) / 4
    certificate = certify(data, separate(data))
    trace = record(pla(data, rule(pick, abs(start[0])), w0=w0, rate=rate), at_most=1000)
    book = ledger(certificate, trace)
    assert book.holds
    assert book.failure is None
    assert len(book) == trace.updates <= book.bound
    if w0.any():
        assert f"T ≤ {book.bound}" in book.start or book.bound >= 10**12
    else:
        assert (book.start, book.bound, book.rounding) == (None, certificate.bound, None)
    assert all(side is None or side.holds for row in book[-40:] for side in row[2:])
    for t in {1, (trace.updates + 1) // 2, trace.updates} if trace.updates else ():
        assert book[t - 1]._asdict() == by_definition(certificate, trace, t)


@given(separables(decimal) | separables(dyadic), rules, st.sampled_from([1.0, 0.1, 1 / 3]))
@settings(max_examples=some(150))
def test_ledger_on_floats_holds_or_names_the_rounded_pick(data, pick, rate):
    certificate = certify(data, separate(data))
    trace = record(pla(data, rule(pick), rate=rate), at_most=400)
    book = ledger(certificate, trace)
    assert book.holds or book.failure.startswith("rounding: at t = ")
    if book.holds:
        assert trace.updates <= certificate.bound
        assert all(side is None or side.holds for row in book for side in row[2:])


def test_a_pick_that_only_rounding_made_a_mistake():
    # 0.1 + 0.2 − 0.3 and the like: the exact score is positive, the float score is not.
    rng = np.random.default_rng(1)
    for _ in range(4000):
        points = rng.integers(-3, 4, size=(5, 2)) * 0.1
        data = Dataset(points, np.sign(points @ rng.integers(-3, 4, size=2) + 0.05))
        trace = record(pla(data), at_most=100)
        certificate = certify(data, separate(data))
        book = ledger(certificate, trace)
        if not book.holds:
            break
    assert book.failure.startswith("rounding: at t = ")
    t = int(re.search(r"t = (\d+)", book.failure)[1]) + 1  # the row of what it leads to
    i = trace.picks[t - 1]
    row = by_definition(certificate, trace, t)
    assert row["mistake"][0] > 0
    assert data.y[i] * (trace.W[t - 1] @ data.X[i]) <= 1e-12
    assert f"X[{i}] is corrected, a mistake in floats only" in book.failure
    assert book.rounding is None or book.rounding.startswith("rounding: ")


def test_a_run_in_exact_arithmetic_that_is_rounded_for_the_record_is_legal():
    data = Dataset([[0.1], [0.3]], [1, -1])
    trace, exact, W = record(pla(data), at_most=1000), [Fraction(0)] * 2, [[0.0, 0.0]]
    for i in trace.picks:
        exact = [a + b for a, b in zip(exact, exact_rows(data)[i], strict=True)]
        W.append([float(a) for a in exact])
    assert (np.array(W) != trace.W).any()
    book = ledger(certify(data, separate(data)), replace(trace, W=np.array(W)))
    assert book.failure is None or book.failure.startswith("rounding")
    assert book.rounding


def test_a_rounded_product_is_named():
    data = on_a_line([3], [1])
    book = ledger(certify(data, [0, 1]), record(pla(data, rate=0.1)))
    assert Fraction(0.1) * 3 != 0.1 * 3
    assert book.rounding == (
        "rounding: the weights of the trace are not the exact ones after update 1"
    )
    assert ledger(book.certificate, record(pla(data, rate=0.125))).rounding is None
    # A power of two rounds too when its product with a small number leaves the range.
    small = on_a_line([3 * 2.0**-500], [1])
    book = ledger(certify(small, [1, 0]), record(pla(small, rate=2.0**-575)))
    assert book.rounding is not None


def mutants(trace, rng):
    """The trace with any one thing changed."""
    T, d1 = trace.updates, trace.data.d + 1
    t, j, k = rng.integers(T + 1), rng.integers(d1), rng.integers(T)
    W, picks = trace.W.copy(), trace.picks.copy()
    W[t, j] += rng.choice([-2, -1, -0.5, 0.5, 1, 3])
    picks[k] = rng.integers(-1, trace.data.n + 1)
    fewer, cut = np.delete(trace.picks, k), {"W": trace.W[:-1], "picks": trace.picks[:-1]}
    changes = {
        "entry": {"W": W},
        "pick": {"picks": picks},
        "rate": {"rate": float(rng.choice([0.25, 0.5, 2, 5]))},
        "row": {"W": np.delete(trace.W, t, axis=0)},
        "pick dropped": {"picks": fewer},
        "step": {"W": np.delete(trace.W, k + rng.integers(2), axis=0), "picks": fewer},
        "converged": {"converged": not trace.converged},
        "order": {"picks": trace.picks[::-1]},
        "labels": {"W": -trace.W},
        "cut": cut,
        "cut, honest": {**cut, "converged": False},
        "nothing": {},
    }
    return {name: replace(trace, **change) for name, change in changes.items()}


def test_every_mutant_is_refused_unless_it_is_a_legal_run():
    rng = np.random.default_rng(3)
    refused, passed = {}, {}
    for _ in range(some(250)):
        d = rng.integers(1, 4)
        points = rng.integers(-4, 5, size=(rng.integers(2, 9), d))
        w = rng.integers(-3, 4, size=d + 1) + 0.5
        data = Dataset(points, np.sign(points @ w[1:] + w[0] + 0.25))
        w0 = None if rng.random() < 0.7 else rng.integers(-3, 4, size=d + 1)
        trace = record(pla(data, rule(at_random, 1), w0=w0), at_most=int(rng.integers(1, 60)))
        if trace.updates == 0:
            continue
        certificate = certify(data, separate(data))
        for name, mutant in mutants(trace, rng).items():
            try:
                book = ledger(certificate, mutant)
            except ValueError as error:
                holds, sentence = False, str(error)
            else:
                holds, sentence = book.holds, book.failure
            assert holds == legal(mutant), (name, sentence)
            assert holds == (sentence is None)
            count = passed if holds else refused
            count[name] = count.get(name, 0) + 1
    assert len(refused) >= 10
    assert "nothing" not in refused
    assert min(refused.values()) > some(50)
    assert passed["nothing"] > some(150)


def test_failures_say_what_went_wrong():
    data = li_hang()
    certificate, trace = certify(data, [-3, 1, 1]), record(pla(data))

    def failure(**changes):
        book = ledger(certificate, replace(trace, **changes))
        assert not book.holds
        assert book.failure in repr(book)
        return book.failure

    W = trace.W.copy()
    W[3, 1] += 1
    told = "at t = 2, X[2] leads from [0. 2. 2.] to [-1.  1.  1.], not to [-1.  2.  1.]"
    assert failure(W=W) == told
    # Without step 3, the trace jumps from w_2 to w_4.
    short = failure(W=np.delete(trace.W, 3, axis=0), picks=np.delete(trace.picks, 2))
    assert short.endswith("not to [-2.  0.  0.]: a step with X[2] was skipped")
    # A legal update with a sample that was right.
    W = np.vstack([trace.W[:2], trace.W[1] + data.y[1] * data.X[1]])
    right = failure(W=W, picks=np.array([0, 1]), converged=False)
    assert right == "at t = 1, X[1] is corrected, which is no mistake: y w·x is 22"
    assert "no mistake is left at t = 7" in failure(converged=False)
    cut = failure(W=trace.W[:6], picks=trace.picks[:5])
    assert cut == "converged is True, but X[2] is a mistake at t = 5"
    # A certificate that promises too much breaks the proof, not the run.
    big = replace(certificate, m=certificate.m * 3, rho2=certificate.rho2 * 9)
    assert "growth is violated" in ledger(big, trace).failure
    small = replace(certificate, R2=certificate.R2 / 100)
    assert "length is violated: 19 ≤ 0.26 is false" in ledger(small, trace).failure


def test_long_numbers_and_short_ones_give_one_ledger():
    """A sample that is never picked may need a unit too fine for int64."""
    data = halfspaces(40, 3, distance=0.05, rng=np.random.default_rng(4))
    w_f, trace = separate(data).w, record(pla(data), at_most=500)
    speck = np.eye(1, 3) * 2.0**-70
    fine = Dataset(np.vstack([data.points, speck]), [*data.y, np.sign(w_f[0])])
    book = ledger(certify(data, w_f), trace)
    other = ledger(certify(fine, w_f), replace(trace, data=fine))
    assert len(other) == len(book) > 10
    for row, again in zip(book, other, strict=True):
        assert row.mistake == again.mistake
        assert row.length.less == again.length.less
        assert row.growth.more == again.growth.more


def test_columns_are_the_rows_in_floats():
    data = halfspaces(50, 2, distance=0.02, rng=np.random.default_rng(0))
    for w0 in (None, [1, 2, 3]):
        book = ledger(certify(data, separate(data)), record(pla(data, w0=w0, rate=0.1)))
        columns = book.columns
        assert columns["t"].tolist() == list(range(1, len(book) + 1))
        assert columns["pick"].tolist() == [row.pick for row in book]
        assert ("cosine_less" in columns) == (w0 is None)
        for name in columns.keys() - {"t", "pick"}:
            side, which = name.rsplit("_", 1)
            rows = [float(getattr(getattr(row, side), which)) for row in book]
            assert columns[name].tolist() == rows, name


def test_table():
    book = ledger(certify(li_hang(), [-4, 1, 1]), record(pla(li_hang())))
    lines = str(book).splitlines()
    row = [float(entry) for entry in lines[2].split()]
    assert row == [2, 2, -7, 4, 4, 8, 52, 0.111111, 0.017094, 2946, 2983]
    assert lines[-1] == "7 updates ≤ 117: every inequality holds"
    assert len({len(line) for line in lines[:-1]}) == 1
    short = book.table(rows=4).splitlines()
    assert [line.split()[0] for line in short] == ["t", "1", "2", "…", "6", "7"]
    elsewhere = str(ledger(book.certificate, record(pla(li_hang(), w0=[1, 2, 3], rate=0.5))))
    assert "≥ w_f·w₀+tλm" in elsewhere
    assert "does: T ≤ 117" in elsewhere
    refuses(ValueError, "rows is 1", book.table, rows=1)


def test_no_updates_at_all():
    data = li_hang()
    certificate = certify(data, [-3, 1, 1])
    book = ledger(certificate, record(pla(data, w0=[-3, 1, 1])))
    assert book.holds
    assert len(book) == 0
    assert str(book).endswith("0 updates ≤ 264: every inequality holds")
    assert all(len(column) == 0 for column in book.columns.values())
    empty = Trace(data, 1.0, np.zeros((1, 3)), np.array([], dtype=int), True)
    assert ledger(certificate, empty).failure == (
        "converged is True, but X[0] is a mistake at t = 0"
    )


def test_ledger_refuses_what_it_cannot_read():
    data = li_hang()
    certificate, trace = certify(data, [-3, 1, 1]), record(pla(data))
    refuses(TypeError, "certificate is a list", Ledger, [-3, 1, 1], trace)
    refuses(TypeError, "trace is a Run", ledger, certificate, pla(data))
    for error, words, changes in (
        (ValueError, "about different data", {"data": xor()}),
        (ValueError, "W has shape (7, 3) and picks (7,)", {"W": trace.W[:-1]}),
        (ValueError, "W[0] has shape (2,)", {"W": trace.W[:, :2]}),
        (ValueError, "W[0][1] is nan", {"W": np.where(np.eye(8, 3, 1), np.nan, trace.W)}),
        (ValueError, "picks[2] is 3", {"picks": np.where(np.arange(7) == 2, 3, trace.picks)}),
        (ValueError, "rate is 0", {"rate": 0.0}),
    ):
        refuses(error, words, ledger, certificate, replace(trace, **changes))
    # Equal data in another object are the same data.
    assert ledger(certificate, replace(trace, data=li_hang())).holds
    assert ledger(certificate, replace(trace, W=trace.W.tolist(), picks=trace.picks.tolist())).holds


def test_ledger_at_the_edge_of_the_floats():
    data = SEPARABLE["next floats at 1e150"]
    certificate = certify(data, separate(data))
    book = ledger(certificate, record(pla(data), at_most=50))
    assert book.holds or book.failure.startswith("rounding")
    assert certificate.bound > 10**300
    assert "e+" in str(book)
    assert (book.columns["distance_less"] == np.inf).all()
    tiny = on_a_line([5e-324, 1e-323], [1, -1])
    book = ledger(certify(tiny, separate(tiny)), record(pla(tiny), at_most=50))
    assert book.holds or book.failure.startswith("rounding")


TINY = [2.0**-1074, 1e-310, 1e-300, 1e-250, 1e-200, 1e-165, 1e-155, 1e-140]


@given(
    st.sampled_from(TINY),
    st.lists(st.tuples(*[st.integers(-40, 40)] * 2, st.sampled_from([-1, 1])), min_size=1),
    st.tuples(*[st.integers(-11, 11)] * 2),
)
@example(TINY[0], [(-1, -2, -1), (-1, -3, 1)], (6, 2))
@example(TINY[0], [(1, 0, 1), (1, 6, -1)], (1, 0))
def test_numbers_whose_squares_vanish_have_exact_margins_too(unit, rows, w):
    """Without the leading 1, which would outweigh them: no bound on roundings may be 0."""
    data = Dataset(
        [[a * unit, b * unit] for a, b, _ in rows], [y for *_, y in rows], intercept=False
    )
    weights = [Fraction(v) / 10 for v in w]
    margins = [dot(weights, row) for row in exact_rows(data)]
    k, least = least_margin(data, weights)
    assert least == min(margins) == margins[k]
    assert largest_norm2(data) == max(sum(Fraction(x) ** 2 for x in row) for row in data.X.tolist())
    answer = separate(data)  # and it ends
    if isinstance(answer, Separator):
        assert least_margin(data, answer.exact)[1] > 0
    else:
        assert min(margins) <= 0


# ------------------------------------------------------------------------------ tightness


@pytest.mark.parametrize("k", range(1, 7))
def test_tight_meets_its_bound(k):
    data, n = tight(k), 2**k
    assert data.X.shape == (n, n)
    assert (n * np.eye(n) == data.X @ data.X.T).all()
    certificate = certify(data, separate(data))
    assert certificate.R2 / certificate.rho2 == certificate.bound == n
    for pick in (in_turn, lowest, shuffled, at_random):
        for rate in (1.0, 0.75):
            trace = record(pla(data, rule(pick), rate=rate), at_most=2 * n)
            assert trace.converged
            assert trace.updates == n
            book = ledger(certificate, trace)
            assert book.holds
            last = book[-1]
            assert last.growth.slack == last.length.slack == last.bound.slack == 0
            assert last.cosine == (1, 1)
            assert last.distance == (0, 0)


def test_rounding_may_end_a_run_too_early():
    data = tight(6)
    trace = record(pla(data, rate=0.1))
    assert trace.converged
    assert trace.updates < 64
    book = ledger(certify(data, separate(data)), trace)
    assert book.holds  # what was done is right; what was left undone is another matter
    assert book.rounding.startswith("rounding: the weights of the trace are not the exact ones")
    assert book.rounding.endswith("is a mistake in exact arithmetic only")
    assert book.rounding in str(book)


# ------------------------------------------------------------------------------ slowness


def highest(look, n, previous):
    """A rule of one's own: the mistake with the highest index."""
    return look(0, n, np.arange(n)[::-1])


@pytest.mark.parametrize("d", range(1, 8))
def test_slow_takes_as_many_updates_in_every_order(d):
    data, T, goal = slow(d), (4 ** (d + 1) - 1) // 3, [2**k for k in range(d + 1)]
    signed = [[-1] * k + [1] + [0] * (d - k) for k in range(d + 1)]  # as in the exercise it cites
    assert (data.y[:, None] * data.X).tolist() == signed
    certificate = certify(data, separate(data))
    assert certificate.R2 / certificate.rho2 == certificate.bound == (d + 1) * T
    for pick in (in_turn, lowest, rule(shuffled), rule(at_random), highest):
        trace = record(pla(data, pick), at_most=2 * T)
        assert trace.converged
        assert trace.updates == T
        assert trace.w.tolist() == goal
        if d <= 4:
            assert legal(trace)
            book = ledger(certificate, trace)
            assert book.holds
            assert not any(line.growth.slack for line in book)


def test_slow_is_shorter_after_a_move_than_in_any_units():
    data = slow(2)
    units = [record(pla(Dataset(data.points * [a, 4.0], data.y))).updates for a in (1.0, 2.0, 4.0)]
    assert min(units) == 7
    assert record(pla(Dataset(4 * data.points + np.array([2, 0]), data.y))).updates == 5


def test_slow_is_as_large_as_float64_can_follow():
    d = 47
    assert (d + 1) ** 2 * (4 ** (d + 1) - 1) // 3 < 2**106 < (d + 2) ** 2 * 4 ** (d + 2) // 3
    certificate = certify(slow(d), 2.0 ** np.arange(d + 1))
    assert certificate.bound == (d + 1) * (4 ** (d + 1) - 1) // 3
    refuses(ValueError, "d is 0", slow, 0)
    refuses(ValueError, "d is 48", slow, 48)


# ------------------------------------------------------------------------ exact arithmetic


def test_solve_when_some_primes_divide_the_determinant():
    A, b = np.eye(_FEW + 1, dtype=int).astype(object), objects([1] * (_FEW + 1))
    A[:2, :2] = [[prod(_PRIMES[:2]) + 1, 1], [1, 1]]
    assert solve(A, b).tolist() == [0, *b[1:]]
    assert solve(A * 0, b) is None


@pytest.mark.parametrize("k", [1, 2, 5, 16, 17, 40])
def test_three_ways_to_solve_a_system_agree(k):
    rng = np.random.default_rng(k)
    Z = rng.integers(-9, 10, size=(k, k + 1)).astype(object)
    A, b = Z @ Z.T + 1, objects([1] * k)
    for found in (solve(A, b), _eliminate(A, b[:, None])[:, 0]):
        [scale] = set(A @ found)
        assert scale > 0
        nearly = refine(A, b)
        error = max(
            abs(Fraction(p, sum(nearly)) - Fraction(q, sum(found)))
            for p, q in zip(nearly, found, strict=True)
        )
        assert error < Fraction(1, 2**140)


@pytest.mark.parametrize("k", [3, 20])
def test_columns_of_a_matrix_are_solved_together(k):
    rng = np.random.default_rng(k)
    A = rng.integers(-9, 10, size=(k, k)).astype(object)
    B = (A @ rng.integers(-9, 10, size=(k, 4)))[:, [0, 1, 2, 3, 0]] // [1, 1, 1, 1, -1]
    B[:, 2] = 0
    U = solve(A, B)
    for u, b in zip(U.T, B.T, strict=True):
        scale = next((int(p) // int(q) for p, q in zip(A @ u, b, strict=True) if q), 1)
        assert scale > 0
        assert (A @ u == scale * b).all()


def test_what_floats_cannot_refine_is_left_to_others():
    Z = objects([3, 10**20])[:, None]
    assert refine(Z @ Z.T + 1, objects([1, 1])) is None
    assert refine(objects([0])[:, None], objects([1])) is None
    assert _eliminate(objects([0])[:, None], objects([1])[:, None]) is None


@pytest.mark.parametrize("powers", [9, 140])
def test_samples_that_no_weights_separate_cancel_in_any_units(powers):
    rng = np.random.default_rng(powers)
    points, y = rng.normal(size=(500, 12)), rng.choice([-1, 1], 500)
    units = 10.0 ** rng.integers(-powers, powers + 1, 12)
    found = separate(data := Dataset(points * units, y))
    assert not found.separable
    assert found.verify(data)
