"""The functions and sums that come out the same everywhere: near the system's, in fixed order."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from strategies import WIDE, left_to_right

from perceptron_notes._kit.elementary import exp, log1p, product, sigmoid, tanh

SCORES = np.concatenate([np.linspace(-40, 40, 2001), np.linspace(-800, 800, 41), [5e-324, 1e300]])


def test_exp_is_the_systems_to_a_few_last_bits():
    x = -np.abs(SCORES)
    wanted = np.where(x < -708, 0, np.exp(x))
    assert np.allclose(exp(x), wanted, rtol=1e-15, atol=0)


def test_log1p_is_the_systems_to_a_few_last_bits():
    x = np.concatenate([np.linspace(0, 1, 2001), 10.0 ** np.arange(-300, 0)])
    assert np.allclose(log1p(x), np.log1p(x), rtol=1e-15, atol=0)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_sigmoid_and_the_tangent_are_the_systems_to_a_few_last_bits(sign):
    for s in (sign * SCORES).tolist():
        assert tanh(np.array([s]))[0] == pytest.approx(math.tanh(s), rel=0, abs=4e-16)
        wanted = 1 / (1 + math.exp(-s)) if s > -700 else 0.0
        assert sigmoid(np.array([s]))[0] == pytest.approx(wanted, rel=2e-15, abs=1e-300)


@given(st.data())
def test_the_product_sums_from_left_to_right(data):
    p, m, q = (data.draw(st.integers(1, 20 if name == "m" else 3)) for name in "pmq")
    A = data.draw(arrays(float, (p, m), elements=WIDE))
    B = data.draw(arrays(float, (m, q), elements=WIDE))
    assert product(A, B).tolist() == [[left_to_right(row, column) for column in B.T] for row in A]


def test_the_product_of_fractions_is_exact():
    A = np.array([[Fraction(1, 3), Fraction(1, 7)]])
    assert product(A, A.T).tolist() == [[Fraction(1, 9) + Fraction(1, 49)]]
