"""Online learning: the game, the bound without a separator, averaging and voting."""

from dataclasses import replace
from fractions import Fraction
from itertools import islice, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refuses
from strategies import WHOLE, datasets, each_rule, is_mistake, left_to_right, rng, some

from perceptron_notes import (
    Dataset,
    at_random,
    average,
    certify,
    in_turn,
    last,
    lowest,
    pla,
    pocket,
    record,
    separate,
    shuffled,
)
from perceptron_notes.convergence import Separator
from perceptron_notes.datasets import flip_labels, halfspaces, iris, li_hang, tight, xor
from perceptron_notes.exact.deviating import floor_of_roots
from perceptron_notes.learning import Step, Trace
from perceptron_notes.online import (
    Deviations,
    RootSides,
    best_deviations,
    deviations,
    leave_one_out,
    mistake_ledger,
    no_bound_below,
    pla_learner,
    play,
    vote,
)

FRACTIONS = st.fractions(min_value=0, max_value=50, max_denominator=30)
SMALL = st.fractions(min_value=-3, max_value=3, max_denominator=6)
MARGINS = st.fractions(min_value=Fraction(1, 8), max_value=4, max_denominator=8)


def exact(values):
    return [Fraction(float(v)) for v in values]


def inner(a, b):
    return sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0))


def missed(data, u, m):
    """The deviations, as the definition has them."""
    pairs = zip(data.X, data.y.tolist(), strict=True)
    return [max(Fraction(0), m - y * inner(u, exact(x))) for x, y in pairs]


# ----------------------------------------------------------------------------- square roots


@given(p=FRACTIONS, q=FRACTIONS, s=FRACTIONS, tiny=st.integers(20, 200))
def test_three_roots_compare_where_no_float_can(p, q, s, tiny):
    a, b, c = s * (p + q) ** 2, s * p**2, s * q**2
    assert RootSides(a, b, c).holds
    assert not RootSides(a + Fraction(1, 10**tiny), b, c).holds


@given(b=FRACTIONS, c=FRACTIONS)
def test_the_whole_part_of_a_squared_sum_of_roots(b, c):
    k = floor_of_roots(b, c)
    assert RootSides(Fraction(k), b, c).holds
    assert not RootSides(Fraction(k + 1), b, c).holds


# ------------------------------------------------------------------------------- deviations


@given(data=datasets(WHOLE), m=MARGINS, draw=st.data())
def test_deviations_are_those_of_the_definition(data, m, draw):
    u = draw.draw(st.lists(SMALL, min_size=data.d + 1, max_size=data.d + 1))
    found = deviations(data, u, m)
    assert list(found.d) == missed(data, u, m)
    assert (sum(found.d), inner(found.d, found.d)) == (found.H, found.D2)
    assert max(inner(x, x) for x in map(exact, data.X)) == found.R2
    assert found.failure is None
    length2 = found.R2 * inner(u, u)

    def allowed(k):
        over = k * m - found.H
        return over <= 0 or over**2 <= k * length2

    assert allowed(found.bound)
    assert not allowed(found.bound + 1)
    rough = (float(length2) ** 0.5 + float(found.D2) ** 0.5) ** 2 / float(m) ** 2
    assert rough * (1 - 1e-9) - 1 < found.bound_by_squares <= rough * (1 + 1e-9)


@each_rule
@given(data=datasets(WHOLE), m=MARGINS, draw=st.data())
def test_the_bound_holds_for_every_u_and_every_rule_and_the_ledger_says_so(rule, data, m, draw):
    u = draw.draw(st.lists(SMALL, min_size=data.d + 1, max_size=data.d + 1))
    rate = draw.draw(st.sampled_from([1.0, 0.5, 3.0]))
    trace = record(pla(data, rule(), rate=rate), at_most=20)
    book = mistake_ledger(deviations(data, u, m), trace)
    assert book.holds, book.failure
    d, rate = missed(data, u, m), Fraction(rate)
    w, R2 = [Fraction(0)] * (data.d + 1), max(inner(x, x) for x in map(exact, data.X))
    total, b = Fraction(0), R2 * inner(u, u) / 4
    for k, (i, row) in enumerate(zip(trace.picks.tolist(), book, strict=True), start=1):
        z = [int(data.y[i]) * v for v in exact(data.X[i])]
        assert (row.k, row.pick, row.d) == (k, i, d[i])
        assert row.mistake == (inner(w, z), 0)
        w = [a + rate * b for a, b in zip(w, z, strict=True)]
        total += d[i]
        assert row.growth == (rate * (k * m - total), inner(u, w))
        assert row.length == (inner(w, w), k * rate**2 * R2)
        assert row.projection == (inner(u, w) ** 2, inner(u, u) * inner(w, w))
        assert row.bound == (k * m**2, b, b + m * total)
        sides = [row.mistake, row.growth, row.length, row.projection, row.bound]
        assert all(side.holds for side in sides)


@settings(max_examples=some(60))
@given(data=datasets(WHOLE), passes=st.sampled_from([1, 5, 20]))
def test_what_is_proposed_as_best_is_proved_best_but_for_rounding(data, passes):
    stream = data[[*range(data.n)] * passes]
    best, weights = best_deviations(stream)
    assert best.bound - no_bound_below(stream, weights) in (0, 1)
    found = separate(data)
    if isinstance(found, Separator):  # which has a bound too
        assert best.bound <= certify(data, found).bound


@given(data=datasets(WHOLE), m=MARGINS, draw=st.data())
def test_no_u_has_a_bound_below_what_any_weights_of_the_samples_say(data, m, draw):
    u = draw.draw(st.lists(SMALL, min_size=data.d + 1, max_size=data.d + 1))
    lam = draw.draw(st.lists(st.integers(0, 4), min_size=data.n, max_size=data.n).filter(any))
    assert no_bound_below(data, lam) <= deviations(data, u, m).bound


@pytest.mark.parametrize("scale", [1e-150, 1e-9, 1.0, 1e9, 1e150])
def test_the_best_bound_does_not_depend_on_the_unit_of_length(scale):
    noisy = flip_labels(halfspaces(30, distance=0.2, rng=rng()), 3, rng=rng())
    stream = noisy[[*range(30)] * 6]
    data = Dataset(stream.X * scale, stream.y, intercept=False)
    best, weights = best_deviations(data)
    assert best.bound == best_deviations(Dataset(stream.X, stream.y, intercept=False))[0].bound
    assert no_bound_below(data, weights) in (best.bound, best.bound - 1)


def test_fractions_and_wide_integers_count_as_they_are():
    third = deviations(li_hang(), [Fraction(-1, 3), 0, 0])
    assert third.d == (Fraction(4, 3), Fraction(4, 3), Fraction(2, 3))
    assert deviations(li_hang(), [2**70 + 1, 0, 0]).u[0] == 2**70 + 1
    for kind in (np.int8, np.int64, np.float32, np.float64):
        assert deviations(li_hang(), np.array([-4, 1, 1], dtype=kind), kind(2)).D2 == 0
        assert no_bound_below(li_hang(), np.array([1, 1, 0], dtype=kind)) == 1


# ---------------------------------------------------------------------------- broken claims


def test_a_wrong_deviation_is_called_by_its_name():
    trace, right = record(pla(xor()), passes=3), deviations(xor(), [0, 1, 0])
    for n in range(4):
        wrong = tuple(d + (k == n) for k, d in enumerate(right.d))
        book = mistake_ledger(Deviations(xor(), right.u, right.m, wrong), trace)
        assert book.failure.startswith(f"d[{n}] is {wrong[n]}, but max(0, m − y u·x) is max(0, 1 −")
        assert not book.holds
        assert len(book) == trace.updates
    book = mistake_ledger(Deviations(xor(), right.u, right.m, right.d[:3]), trace)
    assert book.failure == "d has 3 entries for 4 samples"


def test_broken_runs_are_called_by_their_names():
    right, trace = deviations(xor(), [0, 1, 0]), record(pla(xor()), at_most=6)
    W = trace.W.copy()
    W[3] += 1
    assert mistake_ledger(right, trace).failure is None
    wrong = mistake_ledger(right, replace(trace, W=W)).failure
    assert wrong.startswith("at t = 2, X[2] leads from")
    wrong = mistake_ledger(right, replace(trace, converged=True)).failure
    assert wrong.startswith("converged is True, but X[")
    clean = Dataset([[1], [2]], [1, 1])
    run = Trace(clean, 1.0, np.array([[0, 0], [1, 1], [2, 3]]), np.array([0, 1]), True)
    failure = mistake_ledger(deviations(clean, [0, 1]), run).failure
    assert failure == "at t = 1, X[1] is corrected, which is no mistake: y w·x is 3"


def test_what_is_no_run_from_0_is_refused_and_so_are_other_data():
    data, found = li_hang(), deviations(li_hang(), [0, 0, 0])
    from_elsewhere = record(pla(data, w0=[1, 0, 0]))
    refuses(ValueError, "does not start from 0", mistake_ledger, found, from_elsewhere)
    other = record(pla(xor()), at_most=5)
    refuses(ValueError, "about different data", mistake_ledger, found, other)
    proof = certify(data, [-3, 1, 1])
    refuses(TypeError, "deviations is a Certificate", mistake_ledger, proof, record(pla(data)))
    refuses(ValueError, "u has shape (2,)", deviations, data, [1, 2])
    refuses(ValueError, "m is 0", deviations, data, [1, 2, 3], 0)
    refuses(ValueError, "weights has 2 entries", no_bound_below, data, [1, 2])
    refuses(ValueError, "weights[1] is -1", no_bound_below, data, [1, -1, 0])
    refuses(ValueError, "weights are all 0", no_bound_below, data, [0, 0, 0])


# --------------------------------------------------------------------------------- the game


@given(data=datasets(WHOLE))
def test_pla_as_a_learner_makes_the_mistakes_of_its_first_pass(data):
    game = play(pla_learner, data.X, data.y)
    assert game.mistakes.tolist() == record(pla(data), passes=1).picks.tolist()
    assert not game.adversary


def majority(seen, x):
    return 1 if seen is None else np.sign(seen.y.sum())


def nearest(seen, x):
    if seen is None:
        return -1
    return seen.y[((seen.points - x) ** 2).sum(axis=1).argmin()]


LEARNERS = {
    "pla": pla_learner,
    "yes": lambda seen, x: 1.0,
    "majority": majority,
    "nearest": nearest,
    "chance": lambda seen, x: rng(int(x.argmax())).choice([-1, 1]),
}
SAMPLES = {
    "axes": np.eye(6),
    "thirds": np.eye(5) / 3,
    "Hadamard": tight(3).X,
    "turned": np.array([[3, 4], [-4, 3]]) * 0.1,
    "one": np.array([[1e150]]),
}


@pytest.mark.parametrize("points", SAMPLES.values(), ids=SAMPLES)
@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_every_learner_makes_as_many_mistakes_as_the_bound_allows(learner, points):
    game = play(learner, points)
    n = len(points)
    assert game.mistakes.tolist() == list(range(n))
    assert game.adversary
    assert game.certificate.bound == n == game.certificate.R2 / game.certificate.rho2
    assert all(y * inner(game.u, exact(x)) > 0 for x, y in game.data)
    # Nobody was treated unfairly: these labels, given beforehand, bring the same game.
    again = play(learner, points, game.data.y)
    assert again.answers.tolist() == game.answers.tolist()


def test_the_learner_sees_what_it_has_heard_and_cannot_change_it():
    shown = []

    def curious(seen, x):
        shown.append(0 if seen is None else seen.n)
        with pytest.raises(ValueError, match="read-only"):
            x[0] = 9
        return 1

    game = play(curious, np.eye(3), [1, -1, 1])
    assert shown == [0, 1, 2]
    assert game.mistakes.tolist() == [1]
    with pytest.raises(ValueError, match="only an adversary has a u to show"):
        _ = game.u
    assert repr(game) == "Game(1 mistakes in 3 rounds)"


def test_samples_that_are_no_use_to_the_adversary_are_refused():
    told = "points[0] and points[1] are not orthogonal"
    refuses(ValueError, told, play, pla_learner, [[1, 0], [1, 1]])
    refuses(ValueError, "points[1] is not as long as", play, pla_learner, [[1, 0], [0, 2]])
    refuses(ValueError, "points[1] is 0", play, pla_learner, [[1, 0], [0, 0]])
    refuses(ValueError, "answered 2 in round 1", play, lambda seen, x: 2, np.eye(2))
    refuses(ValueError, "labels", play, pla_learner, np.eye(2), [1])


# ----------------------------------------------------------------------- average and voting


def rounds_of(data, order, passes, w0=None, rate=1):
    """The weights with which each round ends, in Fractions: the textbook's loop."""
    w = [Fraction(0)] * data.X.shape[1] if w0 is None else exact(w0)
    ends = []
    for _ in range(passes):
        for i in order:
            x, y = exact(data.X[i]), int(data.y[i])
            if y * inner(w, x) <= 0:
                w = [a + Fraction(rate) * y * b for a, b in zip(w, x, strict=True)]
            ends.append(w)
    return ends


def mean_of(ends):
    return [float(sum(column) / len(ends)) for column in zip(*ends, strict=True)]


@given(
    data=datasets(WHOLE),
    passes=st.integers(1, 5),
    seed=st.none() | st.integers(0, 5),
    rate=st.sampled_from([1.0, 0.25]),
    start=st.booleans(),
)
def test_the_average_is_the_textbooks_sum(data, passes, seed, rate, start):
    rule = in_turn if seed is None else shuffled(rng(seed))
    order = range(data.n) if seed is None else rng(rule.seed).permutation(data.n)
    w0 = [0.5] * (data.d + 1) if start else None
    run = pla(data, rule, w0=w0, rate=rate)
    ends = rounds_of(data, order, passes, w0, rate)
    end = last(average(data, run), passes=passes)
    if end.pick is not None:
        assert end.rounds == passes * data.n
    else:  # it has halted, with the first pass without a mistake or before
        assert end.rounds <= passes * data.n
        assert end.rounds % data.n == 0
    assert end.average.tolist() == mean_of(ends[: end.rounds])
    assert end.after(max(end.rounds, passes * data.n)).tolist() == mean_of(ends)


@given(data=datasets(WHOLE))
def test_survival_counts_are_the_lengths_of_the_rounds(data):
    ends = rounds_of(data, range(data.n), 4)
    end = last(vote(data, pla(data)), passes=4)
    lengths = []
    for k, w in enumerate(ends[: end.rounds]):
        if k == 0 or w != ends[k - 1]:
            lengths.append(0)
        lengths[-1] += 1
    counts = end.counts.tolist()
    # The starting weights have none if the first round is a mistake. (After a sample of zeros
    # the weights are as before, though corrected, and a count of theirs is split.)
    if data.X.any(axis=1).all():
        assert counts == ([0, *lengths] if any(ends[0]) else lengths)
    assert sum(counts) == end.rounds
    assert end.weights.tolist() == record(pla(data), passes=4).W.tolist()


@given(data=datasets(WHOLE), passes=st.integers(1, 4))
def test_the_vote_is_the_textbooks(data, passes):
    ends = rounds_of(data, range(data.n), passes)
    end = last(vote(data, pla(data)), passes=passes)
    tally = [sum(int(np.sign(inner(w, exact(x)))) for w in ends[: end.rounds]) for x in data.X]
    assert end.tally(data).tolist() == tally
    assert end.tally(data.X).tolist() == tally
    assert end.predict(data).tolist() == np.sign(tally).tolist()


@given(data=datasets(WHOLE, max_n=6))
def test_with_lowest_samples_are_shown_from_the_first_one_after_each_mistake(data):
    w, ends, steps = [Fraction(0)] * (data.d + 1), [], []
    for _ in range(12):
        for i in range(data.n):
            x, y = exact(data.X[i]), int(data.y[i])
            if y * inner(w, x) <= 0:
                steps.append(len(ends))
                w = [a + y * b for a, b in zip(w, x, strict=True)]
                ends.append(w)
                break
            ends.append(w)
        else:
            steps.append(len(ends))
            break
    found = list(islice(average(data, pla(data, lowest)), len(steps)))
    assert [step.rounds for step in found] == steps
    for step in found:
        if step.rounds:
            assert step.average.tolist() == mean_of(ends[: step.rounds])


@given(data=datasets(WHOLE), at_most=st.integers(0, 12))
def test_a_trace_and_steps_of_ones_own_are_averaged_as_the_run_itself(data, at_most):
    run = pla(data)
    trace = record(run, at_most=at_most)
    expected = last(average(data, run), at_most=at_most)
    own = [Step(step.t, step.w.copy(), step.pick) for step in trace]
    for steps in (trace, own, lambda data: iter(own), pocket(data, trace)):
        found = last(average(data, steps, pick=in_turn), at_most=at_most)
        assert (found.rounds, found.since) == (expected.rounds, expected.since)
        assert np.array_equal(found.average, expected.average)


@each_rule
def test_watching_never_changes_the_run_and_every_step_is_seen(rule):
    data = flip_labels(halfspaces(40, distance=0.05, rng=rng()), 4, rng=rng())
    plain = list(islice(pla(data, rule()), 60))
    for watch in (pocket, average, vote):
        run = watch(data, pla(data, rule()))
        seen = list(islice(run, 60))
        assert [step.step for step in seen] == plain
        assert [step.step for step in islice(run, 60)] == plain
        for step in seen:
            inner_step = step.step
            assert (step.t, step.pick) == (inner_step.t, inner_step.pick)
            assert step.passes == inner_step.passes
            assert step.w is step.step.w
        if watch is not pocket:  # each mistake is in the round after the last with the old weights
            assert [a.rounds + 1 for a in seen[:-1]] == [b.since for b in seen[1:]]


def test_a_halted_run_counts_its_last_weights_to_the_end_of_the_first_clean_pass():
    data = li_hang()
    end = last(average(data, pla(data)))
    assert (end.pick, end.t, end.since, end.rounds) == (None, 7, 15, 18)
    ends = rounds_of(data, range(3), 30)
    for r in (18, 21, 90):
        assert end.after(r).tolist() == mean_of(ends[:r])
    refuses(ValueError, "rounds is 13", end.after, 13)
    cut = last(average(data, pla(data)), passes=2)
    assert cut.average.tolist() == mean_of(ends[:6])
    refuses(ValueError, "rounds is 9", cut.after, 9)


def test_before_any_round_has_ended_the_average_is_the_starting_weights():
    first = next(iter(average(li_hang(), pla(li_hang(), w0=[0, -1, 0]))))
    assert (first.rounds, first.count, first.average.tolist()) == (0, 0, [0, -1, 0])
    right = list(average(li_hang(), pla(li_hang(), w0=[-3, 1, 1])))
    assert (len(right), right[0].rounds, right[0].average.tolist()) == (1, 3, [-3, 1, 1])
    still = last(average(li_hang(), pla(li_hang(), at_random(rng()), w0=[-3, 1, 1])))
    assert (still.rounds, still.average.tolist()) == (0, [-3, 1, 1])
    voted = last(vote(li_hang(), pla(li_hang(), w0=[-3, 1, 1])))
    assert voted.predict(li_hang()).tolist() == [1, 1, -1]


def test_watched_runs_refuse_what_does_not_fit():
    data = li_hang()
    for watch in (average, vote):
        refuses(ValueError, "the run is on other data", watch, xor(), pla(data))
        refuses(TypeError, "run is a Trace", watch, data, record(pla(data)))
        refuses(ValueError, "pick is lowest", watch, data, pla(data), pick=lowest)
    assert not last(average(data, pla(data))).average.flags.writeable
    assert not last(vote(data, pla(data))).weights.flags.writeable


# --------------------------------------------------------------------------- one is left out


@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("seed", range(some(6)))
def test_leaving_out_each_sample_is_what_the_definition_says(n, seed):
    chance = rng(seed)
    data = Dataset(chance.integers(-2, 3, (n, 2)), chance.choice([-1, 1], n))
    stopped = voted = made = Fraction(0)
    orders = list(permutations(range(n)))
    for order in orders:
        w, W = [0.0] * 3, []
        for i in order:
            W.append(w)
            if is_mistake(w, data.X[i], data.y[i]):
                made += Fraction(1, n)
                w = [a + int(data.y[i]) * b for a, b in zip(w, data.X[i], strict=True)]
        x, y = data[order[-1]]
        signs = [np.sign(y * left_to_right(v, x)) for v in W]
        stopped += Fraction(sum(s <= 0 for s in signs), n)
        voted += sum(signs) <= 0
    found = leave_one_out(data)
    assert found.stopped == stopped / len(orders)
    assert found.voted == voted / len(orders)
    assert found.mistakes == made / len(orders)
    # The theorem: equality for the random round, at most twice that for the vote.
    assert found.stopped == found.mistakes
    assert found.voted <= 2 * found.mistakes
    assert found.mistakes <= Fraction(best_deviations(data)[0].bound, n)


def test_leaving_out_wants_few_samples():
    refuses(ValueError, "data has 1 samples", leave_one_out, li_hang()[:1])
    refuses(ValueError, "data has 100 samples", leave_one_out, iris("setosa")[:100])
