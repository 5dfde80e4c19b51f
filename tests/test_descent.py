"""Learners that descend a loss: their runs, what they promise, and the lemma behind it."""

from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from refusals import refuses
from strategies import WHOLE, datasets, labels, left_to_right

from perceptron_notes import Dataset
from perceptron_notes.datasets import li_hang, xor
from perceptron_notes.descent import descend, promise
from perceptron_notes.online import deviations

#: In the plain loop: the factor of y·x, from the signed score m, ‖x‖² and the rate η or C.
FACTORS = {
    "perceptron": lambda m, x2, eta: eta if m <= 0 else 0,
    "hinge steps": lambda m, x2, eta: eta if m <= 1 else 0,
    "logistic": lambda m, x2, eta: eta / (1 + exp(m)),
    "LMS": lambda m, x2, eta: eta * (1 - m),
    "PA": lambda m, x2, C: max(0, 1 - m) / x2,
    "PA-I": lambda m, x2, C: min(C, max(0, 1 - m) / x2),
    "PA-II": lambda m, x2, C: max(0, 1 - m) / (x2 + 0.5 / C),
}
#: The losses of signed scores, where they are not the hinge loss.
LOSSES = {"logistic": lambda m: np.logaddexp(0, -m), "LMS": lambda m: (1 - m) ** 2 / 2}
each_learner = pytest.mark.parametrize("learner", FACTORS)
#: On grids of a power of two, steps with such a rate are exact.
EIGHTHS = st.integers(-20, 20).map(lambda k: k / 8)
RATES = st.sampled_from([2.0, 1.0, 0.25, 1 / 64])


def of_lms(learner, data, rate):
    """The rate, for LMS a part of what it may be."""
    return rate if learner != "LMS" else 0.45 * min(rate, 2) / (data.X**2).sum(axis=1).max()


@each_learner
@given(data=datasets(EIGHTHS), rate=RATES, passes=st.integers(1, 4))
def test_a_run_is_that_of_the_plain_loop(learner, data, rate, passes):
    rate = of_lms(learner, data, rate)
    w, scores = [0.0] * data.X.shape[1], []
    for x, y in [*zip(data.X.tolist(), data.y.tolist(), strict=True)] * passes:
        scores.append(y * left_to_right(w, x))
        factor = FACTORS[learner](scores[-1], sum(a * a for a in x), rate)
        w = [a + factor * y * b for a, b in zip(w, x, strict=True)]
    run = descend(data, learner, rate=rate, passes=passes)
    if learner in {"perceptron", "hinge steps"}:  # exact; the others round, and do not jump
        assert run.m.tolist() == scores
        assert run.w.tolist() == w
        assert run.mistakes == sum(m <= 0 for m in scores)
    assert run.m == pytest.approx(scores, rel=1e-9, abs=1e-9)
    assert run.w == pytest.approx(w, rel=1e-9, abs=1e-9)


@st.composite
def streams(draw):
    """Samples of all lengths, some twice, some 0, with any labels, and any u."""
    n, d = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    numbers = st.floats(-4, 4, allow_subnormal=False).map(lambda v: round(v, 3))
    points = draw(arrays(np.float64, (n, d), elements=numbers))
    points = (points * draw(st.sampled_from([0.1, 1, 10])))[draw(st.permutations([*range(n)] * 2))]
    intercept = draw(st.booleans())
    u = draw(arrays(np.float64, d + intercept, elements=numbers))
    return Dataset(points, draw(labels(2 * n)), intercept=intercept), u


@each_learner
@given(stream=streams(), rate=st.floats(1e-3, 10), passes=st.integers(1, 3))
def test_no_run_breaks_a_promise_and_the_lemma_gives_away_what_its_proof_drops(
    learner, stream, rate, passes
):
    data, u = stream
    if learner in {"LMS", "PA"} and not data.X.any(axis=1).all():
        data = Dataset(data.points, data.y)  # with a leading 1 no sample is 0
        u = np.resize(u, data.X.shape[1])
    run = descend(data, learner, rate=of_lms(learner, data, rate), passes=passes)
    sides = promise(run, u)
    # In the proof ‖w − u‖² is at most twice `allowed` all the time, so that each of T rounds is
    # rounded by a few times d 2⁻⁵³ of it: in all far less than 10⁻⁹.
    rounding = 1e-9 * sides.allowed
    assert sides.mistakes <= sides.promised * (1 + 1e-9)
    assert sides.paid <= sides.allowed + rounding
    Z = np.tile(data.y[:, None] * data.X, (passes, 1))
    loss = LOSSES.get(learner, lambda m: np.maximum(0, 1 - m))
    above_tangents = run.sizes @ (loss(Z @ u) - loss(run.m)) + run.factors @ (Z @ u - run.m)
    dropped = above_tangents + (run.w - u) @ (run.w - u) / 2
    assert sides.allowed - sides.paid == pytest.approx(dropped, rel=1e-9, abs=4 * rounding)


@given(data=datasets(EIGHTHS), passes=st.integers(1, 4), chance=st.data())
def test_the_perceptron_promises_the_exact_bound_before_it_is_rounded_down(data, passes, chance):
    u = chance.draw(arrays(np.float64, data.X.shape[1], elements=WHOLE))
    bound = deviations(data[[*range(data.n)] * passes], u).bound
    promised = promise(descend(data, "perceptron", passes=passes), u).promised
    assert bound - 1e-9 <= promised < bound + 1 + 1e-9


def test_the_promises_are_those_of_the_theorems():
    one = Dataset([[2.0]], [1], intercept=False)  # with u = 1/4: m = ½, ‖x‖² = 4, ‖u‖² = 1/16
    promised = {
        "perceptron": 1,
        "hinge steps": 0.5 + 0.3125 + 0.2,
        "logistic": (log(1 + exp(-0.5)) + 0.3125 + 0.2) / log(2),
        "LMS": 2 * (0.125 + 0.3125) / 0.6,
        "PA": 4 * (0.25 + sqrt(0.125)) ** 2,
        "PA-I": 10 * (0.0625 + 0.1),
        "PA-II": 9 * (0.0625 + 0.05),
    }
    assert promised.keys() == FACTORS.keys()
    for learner, most in promised.items():
        run = descend(one, learner, rate=0.1)
        assert promise(run, [0.25]).promised == pytest.approx(most)


def test_samples_of_zeros_stop_only_who_divides_by_their_length():
    zeros = Dataset([[1.0], [0.0]], [1, 1], intercept=False)
    for learner in FACTORS.keys() - {"PA"}:
        run = descend(zeros, learner, rate=0.5, passes=3)
        assert run.mistakes >= 3
        assert run.mistakes <= promise(run, [1]).promised
    refuses(ValueError, "X[1] is 0; PA", descend, zeros, "PA")


def test_what_cannot_be_run_or_compared_is_refused():
    refuses(ValueError, "learner is 'SVM'", descend, xor(), "SVM")
    refuses(ValueError, "rate is 0", descend, xor(), "hinge steps", rate=0)
    refuses(ValueError, "rate is -1", descend, xor(), "PA-I", rate=-1)
    refuses(ValueError, "passes is 0", descend, xor(), "PA", passes=0)
    refuses(
        ValueError, "rate is 0.1; LMS needs less than 1/R²", descend, li_hang(), "LMS", rate=0.1
    )
    refuses(TypeError, "data is", descend, [[1, 2]], "PA")
    refuses(ValueError, "u ", promise, descend(xor(), "PA"), [1, 2])
    refuses(TypeError, "run is", promise, xor(), [1, 2, 3])
