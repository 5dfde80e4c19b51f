"""The museum's second wing: every bug of part two is caught, and its fixed version passes."""

from fractions import Fraction

import numpy as np
import pytest
from exhibits import BOOK, definitions, told_apart

from perceptron_notes import (
    Classes,
    Dataset,
    average,
    largest_margin,
    last,
    multi_pla,
    pla,
    record,
    vote,
)
from perceptron_notes.datasets import halfspaces
from perceptron_notes.margins import pegasos, soft_margin
from perceptron_notes.model import distance
from perceptron_notes.multiclass import leads, multi_mistakes
from perceptron_notes.networks import gradient, random_network, train
from perceptron_notes.online import Deviations, deviations, mistake_ledger
from perceptron_notes.sequences import Sentences

NOTEBOOK = BOOK / "museum-two.ipynb"
SPACE, EXHIBITS = definitions(NOTEBOOK)
CATCHERS = {}


def catches(name):
    """Register a catcher: `catcher(program, rng)` lists what it notices, one bool a check."""

    def register(catcher):
        CATCHERS[name] = catcher
        return catcher

    return register


# Averaging --------------------------------------------------------------------------------------


def often_wrong(rng):
    """Whole-number samples on which the first pass of PLA makes two mistakes or more."""
    while True:
        n = int(rng.integers(2, 9))
        data = Dataset(rng.integers(-3, 4, size=(n, 2)), rng.choice([-1, 1], n))
        if record(pla(data), passes=1).updates > 1:
            return data, int(rng.integers(1, 5))


def over(watch, data, passes):
    """The weights and counts, or the average, of so many passes, on one long stream."""
    stream = data[[*range(data.n)] * passes]
    return last(watch(stream, pla(stream)), passes=1)


@catches("count")
def votes_start_at_zero(program, rng):
    data, passes = often_wrong(rng)
    W, counts = program(data.X, data.y, passes)
    end = over(vote, data, passes)
    assert np.array_equal(W, end.weights)
    return [list(counts) != end.counts.tolist(), sum(counts) != passes * data.n]


@catches("twice")
def the_last_weights_are_added_twice(program, rng):
    data, passes = often_wrong(rng)
    found, right = program(data.X, data.y, passes), over(average, data, passes).average
    return [not np.array_equal(found, right)]


@catches("deviation")
def deviations_are_measured_from_zero(program, rng):
    data, _ = often_wrong(rng)
    u, m = rng.integers(-2, 3, size=3), int(rng.integers(1, 5))
    if min(deviations(data, u, m).d) == max(deviations(data, u, m).d) == 0:
        u = 0 * u  # which misses every margin
    d = tuple(map(Fraction, program(data, u, m).tolist()))
    claim = Deviations(data, deviations(data, u).u, Fraction(m), d)
    failure = mistake_ledger(claim, record(pla(data), passes=2)).failure
    return [failure is not None and failure.startswith("d["), d != deviations(data, u, m).d]


# Margins ----------------------------------------------------------------------------------------


def shifted(rng):
    """Samples far from the origin, which a line separates, and some visits to them."""
    data = halfspaces(20, distance=0.15, rng=rng)
    points = np.round(data.points * 64) / 64 + rng.integers(2, 9, size=2)
    return Dataset(points, data.y), rng.integers(data.n, size=300)


@catches("norm")
def the_bias_is_in_the_norm(program, rng):
    data, _ = shifted(rng)
    best = largest_margin(data)
    further = Dataset(data.points + 16, data.y)
    return [
        not np.isclose(program(best.w, data), distance(best.w, data).min()),
        not np.isclose(program(best.w, data), program(largest_margin(further).w, further)),
    ]


def not_as_pegasos(program, data, kappa, visits):
    *_, end = pegasos(data, kappa, visits)
    return not np.allclose(program(data, kappa, visits), end.w)


@catches("shrink")
def the_weights_do_not_shrink(program, rng):
    data = halfspaces(20, distance=0.15, rng=rng)
    visits = rng.integers(data.n, size=1000)
    w = program(data, 0.25, visits)
    *_, end = pegasos(data, 0.25, visits)
    return [
        not_as_pegasos(program, data, 0.25, visits),
        soft_margin(w, data, 0.25) > 1.5 * soft_margin(end.w, data, 0.25),
    ]


@catches("kappa")
def the_step_is_without_kappa(program, rng):
    data, visits = shifted(rng)
    return [
        not_as_pegasos(program, data, 0.25, visits),
        np.array_equal(program(data, 0.25, visits), program(data, 4.0, visits)),
    ]


# Many classes -----------------------------------------------------------------------------------


def sums_of_scores(rng):
    """Whole-number samples of three classes, each of which scores best in its own corner."""
    corners = np.array([[4, 0], [-2, 4], [-2, -4]])
    y = rng.permutation(np.arange(9) % 3)
    return Classes(corners[y] + rng.integers(-1, 2, size=(9, 2)), y, range(3))


@catches("argmax")
def the_first_of_equal_scores_wins(program, rng):
    points = rng.integers(-3, 4, size=(4, 2))
    left = []
    for number in (0, 2):
        alone = Classes(points, [number] * 4, range(3))
        left.append(len(multi_mistakes(program(alone.X, alone.y, 3), alone)))
    return [left[0] > 0, left[0] != left[1]]


@catches("forget")
def the_rival_goes_unpunished(program, rng):
    data = sums_of_scores(rng)
    W, _ = program(data.X, data.y, 3)
    return [W.sum(axis=0).any(), not np.array_equal(W, last(multi_pla(data)).w)]


@catches("viterbi")
def the_right_sequence_is_found_first(program, rng):
    n = int(rng.integers(1, 5))
    alike = Sentences([rng.integers(3, size=n).tolist()], [[0] * n], range(3), range(2))
    return [leads(program(alike), alike).min() <= 0]


# Networks ---------------------------------------------------------------------------------------


def some_points(rng):
    """A few samples in a plane, at random, with both labels."""
    points = rng.standard_normal((6, 2))
    return Dataset(points, rng.permutation([1, 1, 1, -1, -1, -1]))


@catches("alike")
def all_units_are_one(program, rng):
    data, units = some_points(rng), int(rng.integers(2, 6))
    start = program((2, units, 1), rng)
    slopes = gradient(start, data)[0]
    return [
        SPACE["different_units"](start, data) < units,
        len(np.unique(slopes, axis=0)) < units,
    ]


@catches("early")
def a_layer_is_updated_before_its_time(program, rng):
    data, network = some_points(rng), random_network((2, int(rng.integers(1, 5)), 1), rng=rng)
    V, (w,) = network.layers
    after, _ = program(V, w, data.X, data.y, 1.0)
    wanted = last(train(network, data), at_most=1).network.layers[0]
    return [
        SPACE["off"](program, network, data) > 1e-6,
        not np.allclose(after, wanted, rtol=0, atol=1e-9),
    ]


# Many workers -----------------------------------------------------------------------------------


@catches("arrival")
def answers_are_mixed_as_they_arrive(program, rng):
    shares = rng.dirichlet(np.ones(5))
    answers = [(s, rng.standard_normal(20)) for s in range(5)]
    orders = [rng.permutation(5) for _ in range(20)]
    found = {program([answers[s] for s in order], shares).tobytes() for order in orders}
    return [len(found) > 1]


@catches("divisor")
def the_mix_is_divided_by_the_workers(program, rng):
    S, w = int(rng.integers(2, 6)), rng.integers(1, 9, size=3).astype(float)
    k = [int(rng.integers(2, 9)) for _ in range(S)]
    other = [np.zeros(3)] * (S - 1)
    return [
        not np.allclose(program([w] * S, k), w),
        not np.array_equal(program([w, *other], [1] + [0] * (S - 1)), w),
    ]


@catches("alone")
def the_workers_never_hear_of_the_mix(program, rng):
    a, b = rng.integers(1, 5, size=2)
    x = np.array([[1, 0, 0], [a, -a, 1], [0, 1, 0], [-b, b, 1]])[:, rng.permutation(3)]
    data = Dataset(x, np.ones(4), intercept=False)
    w = program((data[:2], data[2:]), 100)
    return [(data.X @ w <= 0).any()]


# ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXHIBITS)
def test_the_bug_is_caught_and_the_fixed_version_passes(name):
    assert name in CATCHERS, f"no catcher for the exhibit {name}"
    told_apart(EXHIBITS[name], CATCHERS[name])


def test_a_catcher_for_every_exhibit_and_no_other():
    assert set(CATCHERS) == set(EXHIBITS)
