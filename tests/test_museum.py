"""The bug museum: every bug of its two wings is caught, the right program passes, answers fold."""

import math
from fractions import Fraction

import nbformat
import numpy as np
import pytest
from exhibits import BOOK, definitions
from strategies import some

from perceptron_notes import (
    Dataset,
    at_random,
    average,
    certify,
    error_count,
    in_turn,
    last,
    ledger,
    lowest,
    mistakes,
    pla,
    pocket,
    record,
    separate,
)
from perceptron_notes.convergence import Obstruction
from perceptron_notes.datasets import flip_labels, halfspaces, tight
from perceptron_notes.learning import Trace
from perceptron_notes.margins import largest_margin, pegasos, soft_margin
from perceptron_notes.model import distance
from perceptron_notes.multiclass import Classes, leads, multi_mistakes, multi_pla
from perceptron_notes.networks import gradient, random_network, train
from perceptron_notes.online import Deviations, deviations, mistake_ledger, vote
from perceptron_notes.sequences import Sentences

FINE = "every inequality holds"
CATCHERS = {}
SPACE, EXHIBITS = definitions(BOOK / "museum.ipynb")
SPACE_TWO, EXHIBITS_TWO = definitions(BOOK / "museum-two.ipynb")
replay, refusal = SPACE["replay"], SPACE["refusal"]
PROGRAMS = {(1, name): pair for name, pair in EXHIBITS.items()}
PROGRAMS |= {(2, name): pair for name, pair in EXHIBITS_TWO.items()}


def catches(name, wing=1):
    """Register a catcher: `catcher(program, rng)` lists what it notices, one bool a check.

    On every data set all checks must notice the bug, and none the fixed version.
    """

    def register(catcher):
        CATCHERS[wing, name] = catcher
        return catcher

    return register


def grid(rng, *, least_d=1, low=-3):
    """A small separable data set of whole numbers with both labels, soon learned by PLA."""
    while True:
        n, d = rng.integers(2, 9), rng.integers(least_d, 4)
        points, w = rng.integers(low, 4, size=(n, d)), rng.integers(-3, 4, size=d + 1)
        scores = w[0] + points @ w[1:]
        if not scores.all() or len(set(np.sign(scores))) < 2:
            continue
        data = Dataset(points, np.sign(scores))
        if max(record(pla(data, rule)).updates for rule in (lowest, in_turn)) <= 60:
            return data


# What is a mistake? -----------------------------------------------------------------------------


@catches("strict")
def less_than(program, rng):
    data = grid(rng)
    W, picks = program(data.X, data.y)
    return [error_count(W[-1], data) > 0, replay(data, W, picks) != FINE]


@catches("sign")
def zero_is_positive(program, rng):
    data = grid(rng)
    turned = Dataset(data.points, -data.y)
    (W, picks), (V, others) = program(data.X, data.y), program(turned.X, turned.y)
    return [
        picks != others or not np.array_equal(W, -np.array(V)),
        [picks, others] != [record(pla(some)).picks.tolist() for some in (data, turned)],
    ]


@catches("every")
def every_visit(program, rng):
    data = grid(rng)
    return ["is no mistake" in replay(data, *program(data.X, data.y, passes=100))]


@catches("stale")
def scores_of_the_pass(program, rng):
    data = halfspaces(12, distance=0.1, rng=rng)
    return ["is no mistake" in replay(data, *program(data.X, data.y))]


# The update -------------------------------------------------------------------------------------


@catches("alias")
def one_vector(program, rng):
    data = grid(rng)
    W, picks = program(data.X, data.y)
    assert error_count(W[-1], data) == 0  # why it goes unnoticed
    return ["leads from" in replay(data, W, picks), W[0].any()]


@catches("view")
def a_sample(program, rng):
    data = grid(rng)
    down = np.argsort(data.y)  # a negative sample first: the start is a mistake at once
    data = Dataset(data.points[down], data.y[down])
    X = data.X.copy()
    program(X, data.y)
    return [refusal(program, data.X, data.y) != "accepted", not np.array_equal(X, data.X)]


@catches("integer")
def whole_numbers(program, rng):
    data = grid(rng)
    X, runs = data.X.astype(int), []
    for rate in (1, 0.25):
        W, picks = program(X, data.y, rate)
        runs.append(replay(data, W, picks, rate))
    assert runs[0] == FINE  # why it goes unnoticed
    return [runs[1] != FINE]


@catches("bias")
def bias_in_the_loop(program, rng):
    data = grid(rng, least_d=2)
    W, picks = program(data.X, data.y)
    trace = record(pla(data))
    equal = np.array_equal(trace.picks, picks) and np.array_equal(trace.W, W)
    return ["leads from" in replay(data, W, picks), not equal]


# The data ---------------------------------------------------------------------------------------


@catches("labels")
def zero_and_one(program, rng):
    data = grid(rng, low=0)  # no coordinate is negative, so one class alone cannot be right
    labels = (data.y + 1) // 2
    k = int(np.argmin(labels))
    sentence = refusal(Dataset, data.points, labels)
    assert sentence.startswith(f"labels[{k}] is 0; labels must be -1 or +1")
    return [error_count(program(data.points, labels), data) > 0]


@catches("leading")
def no_leading_one(program, rng):
    data = grid(rng)
    w = program(data.points, data.y)
    sentence = refusal(error_count, w, data)
    if sentence == "accepted":
        assert error_count(w, data) == 0
    return [f"expected ({data.d + 1},)" in sentence]


@catches("shuffle")
def labels_left_behind(program, rng):
    data = halfspaces(20, distance=0.25, rng=rng)
    order = rng.permutation(data.n)
    assert isinstance(separate(Dataset(data.points[order], data.y)), Obstruction)
    # A run on shuffled labels wanders, and may be stopped at good weights by chance.
    ends = [program(data.X, data.y, np.random.default_rng(seed), 30) for seed in range(3)]
    return [any(error_count(w, data) > 0 for w in ends)]


# The end, the count, the picture ----------------------------------------------------------------


@catches("cap")
def end_of_patience(program, rng):
    data = grid(rng)
    T = record(pla(data, lowest)).updates
    W, picks, converged = program(data.X, data.y, T - 1)
    early = replay(data, W, picks, converged=converged)
    both = Dataset([*data.points, data.points[0]], [*data.y, -data.y[0]])
    assert isinstance(separate(both), Obstruction)
    V, _, hopeless = program(both.X, both.y, 200)
    return ["converged is True" in early, hopeless != (error_count(V[-1], both) == 0)]


@catches("twice")
def second_fit(program, rng):
    data, other = grid(rng, least_d=3), grid(rng, least_d=3)
    model = program(d=3)
    model.fit(other.X, other.y)
    W, picks = model.fit(data.X, data.y)
    assert error_count(model.w, data) == 0  # why it goes unnoticed
    trace = Trace(data, 1.0, np.array(W), np.array(picks, dtype=int), True)
    book = ledger(certify(data, separate(data)), trace)
    assert book.holds
    again = model.fit(data.X, data.y)[1]
    expected = record(pla(data, lowest)).picks.tolist()
    return [book.start is not None, again != expected]


@catches("passes")
def updates_for_mistakes(program, rng):
    data = grid(rng)
    W, errors = program(data.X, data.y, passes=65)
    return [errors != [error_count(w, data) for w in W]]


@catches("picture")
def late_frames(program, rng):
    data = grid(rng)
    frames, steps = program(data.X, data.y), list(pla(data))[:-1]
    assert [i for _, i in frames] == [step.pick for step in steps]
    return [
        any(i not in mistakes(w, data) for w, i in frames),
        not all(np.array_equal(w, step.w) for (w, _), step in zip(frames, steps, strict=True)),
    ]


# Pocket and the bound ---------------------------------------------------------------------------


@catches("missed")
def last_weights(program, rng):
    data = grid(rng)
    best = program(data.X, data.y)
    return [
        error_count(best, data) > 0,
        not np.array_equal(best, last(pocket(data, pla(data, lowest))).best),
    ]


@catches("test")
def chosen_by_the_judge(program, rng):
    data = flip_labels(halfspaces(40, d=4, distance=0.01, rng=rng), 4, rng=rng)
    train = Dataset(data.points[:20], data.y[:20])
    seed, found = int(rng.integers(10**6)), []
    for turn in (1, -1):
        test = Dataset(data.points[20:], turn * data.y[20:])
        found.append(program(train, test, np.random.default_rng(seed), at_most=60)[0])
    depends = not np.array_equal(*found)
    steps = pla(train, at_random(np.random.default_rng(seed)))
    best = last(pocket(train, steps), at_most=60).best
    assert depends or np.array_equal(found[0], best)
    return [depends]


@catches("radius")
def short_radius(program, rng):
    data, tightest = grid(rng), tight(int(rng.integers(1, 7)))
    w_f = last(pla(data)).w
    c = certify(data, w_f)
    bound = program(tightest.points, tightest.y, separate(tightest).w)
    return [
        not math.isclose(program(data.points, data.y, w_f), c.R2 / c.rho2),
        record(pla(tightest)).updates > bound,
    ]


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


@catches("count", wing=2)
def votes_start_at_zero(program, rng):
    data, passes = often_wrong(rng)
    W, counts = program(data.X, data.y, passes)
    end = over(vote, data, passes)
    assert np.array_equal(W, end.weights)
    return [list(counts) != end.counts.tolist(), sum(counts) != passes * data.n]


@catches("twice", wing=2)
def the_last_weights_are_added_twice(program, rng):
    data, passes = often_wrong(rng)
    found, right = program(data.X, data.y, passes), over(average, data, passes).average
    return [not np.array_equal(found, right)]


@catches("deviation", wing=2)
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


@catches("norm", wing=2)
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


@catches("shrink", wing=2)
def the_weights_do_not_shrink(program, rng):
    data = halfspaces(20, distance=0.15, rng=rng)
    visits = rng.integers(data.n, size=1000)
    w = program(data, 0.25, visits)
    *_, end = pegasos(data, 0.25, visits)
    return [
        not_as_pegasos(program, data, 0.25, visits),
        soft_margin(w, data, 0.25) > 1.5 * soft_margin(end.w, data, 0.25),
    ]


# Many classes -----------------------------------------------------------------------------------


def sums_of_scores(rng):
    """Whole-number samples of three classes, each of which scores best in its own corner."""
    corners = np.array([[4, 0], [-2, 4], [-2, -4]])
    y = rng.permutation(np.arange(9) % 3)
    return Classes(corners[y] + rng.integers(-1, 2, size=(9, 2)), y, range(3))


@catches("argmax", wing=2)
def the_first_of_equal_scores_wins(program, rng):
    points = rng.integers(-3, 4, size=(4, 2))
    left = []
    for number in (0, 2):
        alone = Classes(points, [number] * 4, range(3))
        left.append(len(multi_mistakes(program(alone.X, alone.y, 3), alone)))
    return [left[0] > 0, left[0] != left[1]]


@catches("forget", wing=2)
def the_rival_goes_unpunished(program, rng):
    data = sums_of_scores(rng)
    W, _ = program(data.X, data.y, 3)
    return [W.sum(axis=0).any(), not np.array_equal(W, last(multi_pla(data)).w)]


@catches("viterbi", wing=2)
def the_right_sequence_is_found_first(program, rng):
    n = int(rng.integers(1, 5))
    alike = Sentences([rng.integers(3, size=n).tolist()], [[0] * n], range(3), range(2))
    return [leads(program(alike), alike).min() <= 0]


# Networks ---------------------------------------------------------------------------------------


def some_points(rng):
    """A few samples in a plane, at random, with both labels."""
    points = rng.standard_normal((6, 2))
    return Dataset(points, rng.permutation([1, 1, 1, -1, -1, -1]))


@catches("alike", wing=2)
def all_units_are_one(program, rng):
    data, units = some_points(rng), int(rng.integers(2, 6))
    start = program((2, units, 1), rng)
    slopes = gradient(start, data)[0]
    return [
        SPACE_TWO["different_units"](start, data) < units,
        len(np.unique(slopes, axis=0)) < units,
    ]


@catches("early", wing=2)
def a_layer_is_updated_before_its_time(program, rng):
    data, network = some_points(rng), random_network((2, int(rng.integers(1, 5)), 1), rng=rng)
    V, (w,) = network.layers
    after, _ = program(V, w, data.X, data.y, 1.0)
    wanted = last(train(network, data), at_most=1).network.layers[0]
    return [
        SPACE_TWO["off"](program, network, data) > 1e-6,
        not np.allclose(after, wanted, rtol=0, atol=1e-9),
    ]


# Many workers -----------------------------------------------------------------------------------


@catches("alone", wing=2)
def the_workers_never_hear_of_the_mix(program, rng):
    a, b = rng.integers(1, 5, size=2)
    x = np.array([[1, 0, 0], [a, -a, 1], [0, 1, 0], [-b, b, 1]])[:, rng.permutation(3)]
    data = Dataset(x, np.ones(4), intercept=False)
    w = program((data[:2], data[2:]), 100)
    return [(data.X @ w <= 0).any()]


# ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exhibit", PROGRAMS, ids=lambda exhibit: exhibit[1])
def test_the_bug_is_caught_and_the_fixed_version_passes(exhibit):
    programs, catcher = PROGRAMS[exhibit], CATCHERS[exhibit]
    for seed in range(some(50)):
        noticed = catcher(programs["bug"], np.random.default_rng(seed))
        assert noticed
        assert all(noticed), f"seed {seed}: the bug goes unnoticed: {noticed}"
        noticed = catcher(programs["fixed"], np.random.default_rng(seed))
        assert not any(noticed), f"seed {seed}: the fixed version fails: {noticed}"


def test_a_catcher_for_every_exhibit_and_no_other():
    assert set(CATCHERS) == set(PROGRAMS)


def test_each_answer_is_folded_behind_its_program():
    """In JupyterLab the heading of the answer is collapsed; the site folds the same sections."""
    found, number, folded = [], None, False
    for name in ("museum", "museum-two"):
        for cell in nbformat.read(BOOK / f"{name}.ipynb", as_version=4).cells:
            if cell.source.startswith("### "):
                number, folded = int(cell.source.split()[1].rstrip(".")), False
            elif cell.source.startswith("#### "):
                assert cell.source == f"#### What is wrong with exhibit {number}?"
                assert cell.metadata["jp-MarkdownHeadingCollapsed"]
                folded = True
            elif any(tag.startswith("bug-") for tag in cell.metadata.get("tags", [])):
                found.append((number, folded))
    assert found == [(n, folded) for n in range(1, len(PROGRAMS) + 1) for folded in (False, True)]
