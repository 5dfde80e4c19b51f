"""Data for the property tests, and the plain loop that all of them trust."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from perceptron_notes import Dataset
from perceptron_notes.rules import NAMED, named

#: Whole numbers: ties are common, and every sum is exact.
WHOLE = st.integers(-3, 3).map(float)
#: On this grid the order of a sum decides which scores are 0.
TENTHS = st.integers(-9, 9).map(lambda k: k / 10)
#: One term can swallow another.
WIDE = st.builds(lambda digit, e: digit * 10.0**e, st.integers(-9, 9), st.integers(-100, 100))
#: Products of two leave, or nearly leave, the range of float64.
HUGE = st.builds(lambda digit, e: digit * 10.0**e, st.integers(-9, 9), st.integers(145, 149))
TINY = st.builds(lambda digit, e: digit * 10.0**e, st.integers(-9, 9), st.integers(-170, -150))
#: For tests of all kinds of numbers, and of all rules: each is generated from a seed.
NUMBERS = {"whole": WHOLE, "tenths": TENTHS, "wide": WIDE, "huge": HUGE, "tiny": TINY}
RULES = {name: lambda seed=5, name=name: named(name, lambda: rng(seed)) for name in NAMED}
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


# ------------------------------------------------------------- tables as they come, from a seed


def factor_table(rng, n, d):
    """A questionnaire: an age, factors as 0/1 columns, their sums and interactions, ids; labels.

    The labels hang on a dummy, on a sum, on an id, on some rows alone, or on nothing.
    """
    columns = [rng.integers(11, 80, n), rng.integers(0, 2, n)]
    while len(columns) < d:
        kind, k = rng.integers(6), int(rng.integers(2, max(3, min(12, d // 3))))
        level = rng.integers(0, k, n) if rng.random() < 0.7 else np.arange(n) % k
        binary = [c for c in columns if c.max() <= 1 and c.min() >= 0]
        a, b = (binary[i] for i in rng.integers(0, len(binary), 2))
        if kind <= 2:  # with all its levels, or without the first
            columns += [(level == j) * 1 for j in range(int(rng.random() < 0.7), k)]
        elif kind == 3:
            columns.append(np.sum(binary[-k:], axis=0))
        elif kind == 4:
            columns.append(a * b)
        else:
            columns.append(np.arange(n) // k + 1 if rng.random() < 0.5 else rng.permutation(n))
    X = np.column_stack(columns[:d])
    kind, noise = rng.integers(5), rng.random(n) < rng.choice([0.1, 0.5])
    c = X[:, rng.integers(d)]
    if kind == 0:
        positive = c > np.median(c) if c.max() > 1 else c == 1
    elif kind == 1:
        c = X[:, rng.integers(0, d, 4)].sum(axis=1)
        positive = c > np.quantile(c, rng.choice([0.1, 0.5, 0.9]))
    elif kind == 2:
        positive = noise
    else:  # one value of a column has one label, the others have any
        positive = (c == c[0]) if kind == 3 else (c == c[0]) | noise
    positive[:2] = True, False
    return X, np.where(positive, 1, -1)


def _decimals(rng, shape):
    return rng.integers(-99, 100, shape) / rng.choice([10, 100])


def _neighbours(rng, shape):
    return rng.choice([1, 2]) + rng.integers(-2, 3, shape) * 2.0**-52


def _mixed(rng, shape):
    return rng.integers(-9, 10, shape) * 10.0 ** rng.integers(-150, 149, shape[1])


def _subnormals(rng, shape):
    return rng.integers(-9, 10, shape) * 5e-324


def _fractions(rng, shape):
    return np.vectorize(Fraction, otypes=[object])(
        rng.integers(-9, 10, shape), rng.integers(1, 8, shape)
    )


#: What the numbers of `small_table` are like.
SHAPES = {
    "small": lambda rng, shape: rng.integers(-3, 4, shape),
    "large": lambda rng, shape: rng.integers(-(10**6), 10**6, shape),
    "decimals": _decimals,
    "fractions": _fractions,
    "mixed": _mixed,
    "neighbours": _neighbours,
    "subnormals": _subnormals,
    "dummies": lambda rng, shape: rng.integers(0, 2, shape),
    "gaussian": lambda rng, shape: rng.normal(size=shape),
}


def small_table(rng, shape):
    """Few rows, often on the brink: twins, collinear columns, scores of 0; and their labels."""
    n, d = int(rng.integers(3, 30)), int(rng.integers(1, 7))
    X = SHAPES[shape](rng, (n, d))
    if d > 1 and rng.random() < 0.3:
        X[:, -1] = X[:, 0] * int(rng.integers(-1, 2)) + X[:, 1] * int(rng.integers(-1, 2))
    if rng.random() < 0.3:
        X[rng.integers(0, n, 2)] = X[0]
    score = X @ rng.integers(-2, 3, d)
    score = score - score[rng.integers(n)] * int(rng.integers(0, 2))
    y = np.where(score == 0, rng.choice([-1, 1], n), np.where(score > 0, 1, -1))
    y[rng.integers(0, n, rng.integers(0, 3))] *= -1
    y[:2] = 1, -1
    return X, y
