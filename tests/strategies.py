"""Data for the property tests, and the plain loop that all of them trust."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from perceptron_notes import Dataset, at_random, in_turn, lowest, shuffled

#: Whole numbers: ties are common, and every sum is exact.
WHOLE = st.integers(-3, 3).map(float)
#: On this grid the order of a sum decides which scores are 0.
TENTHS = st.integers(-9, 9).map(lambda k: k / 10)
#: One term can swallow another.
WIDE = st.builds(lambda digit, e: digit * 10.0**e, st.integers(-9, 9), st.integers(-100, 100))
#: Products of two leave, or nearly leave, the range of float64.
HUGE = st.builds(lambda digit, e: digit * 10.0**e, st.integers(-9, 9), st.integers(145, 149))
TINY = st.builds(lambda digit, e: digit * 10.0**e, st.integers(-9, 9), st.integers(-170, -150))
#: For tests of all kinds of numbers, and of all rules: each is made anew from a seed.
NUMBERS = {"whole": WHOLE, "tenths": TENTHS, "wide": WIDE, "huge": HUGE, "tiny": TINY}
RULES = {
    "in_turn": lambda seed=5: in_turn,
    "lowest": lambda seed=5: lowest,
    "shuffled": lambda seed=5: shuffled(np.random.default_rng(seed)),
    "at_random": lambda seed=5: at_random(np.random.default_rng(seed)),
}
each_kind = pytest.mark.parametrize("numbers", NUMBERS.values(), ids=NUMBERS)
each_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


def rng(seed=0):
    return np.random.default_rng(seed)


def some(most):
    """So many examples or rounds; for `make test`, whose profile has fewer, a fifth of them."""
    return max(1, most * settings.default.max_examples // 100)


def labels(n):
    return arrays(np.int64, n, elements=st.sampled_from([-1, 1]))


@st.composite
def datasets(draw, numbers=WHOLE, max_n=8, max_d=3):
    n, d = draw(st.integers(1, max_n)), draw(st.integers(1, max_d))
    return Dataset(draw(arrays(np.float64, (n, d), elements=numbers)), draw(labels(n)))


def left_to_right(w, x):
    """The score of one sample in Python's own floats, one term after the other."""
    w, x = [float(a) for a in w], [float(b) for b in x]
    total = w[0] * x[0]
    for a, b in zip(w[1:], x[1:], strict=True):
        total = total + a * b
    return total


def exact_rows(data):
    """The vectors y·x as lists of Fractions."""
    return [[Fraction(v) * int(y) for v in x] for x, y in zip(data.X.tolist(), data.y, strict=True)]


def dot(u, v):
    """An inner product without rounding."""
    return sum((Fraction(a) * Fraction(b) for a, b in zip(u, v, strict=True)), Fraction(0))


def is_mistake(w, x, label, beta=0):
    return not float(label) * left_to_right(w, x) > beta


def textbook_pla(data, *, order=None, restart=False, w0=None, rate=1.0, beta=0, at_most=100):
    """PLA as a lecture tells it: visit one sample after another, correct each mistake.

    A mistake has a signed score of at most `beta`, which is 0 but in PLA with a margin.
    It goes round in `order`, from its beginning again after each correction if `restart`,
    until all samples in a row are right. Returns all weights, the picks, and whether it halted.
    """
    X, y = data.X.tolist(), data.y.tolist()
    order = list(range(data.n)) if order is None else [int(i) for i in order]
    W, picks = [[0.0] * data.X.shape[1] if w0 is None else [float(a) for a in w0]], []
    position = right_in_a_row = 0
    while right_in_a_row < data.n and len(picks) < at_most:
        i = order[position]
        position = (position + 1) % data.n
        if is_mistake(W[-1], X[i], y[i], beta):
            W.append([a + rate * y[i] * b for a, b in zip(W[-1], X[i], strict=True)])
            picks.append(i)
            right_in_a_row = 0
            position = 0 if restart else position
        else:
            right_in_a_row += 1
    halted = not any(is_mistake(W[-1], x, label) for x, label in zip(X, y, strict=True))
    return W, picks, halted
