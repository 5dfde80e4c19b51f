"""The model: scores, signs, mistakes, margins, distances, angles."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from refusals import refuses
from scipy.linalg import null_space
from strategies import WHOLE, datasets, each_kind, is_mistake, left_to_right

from perceptron_notes import Dataset, error_count, mistakes, pla, predict, record
from perceptron_notes.data import augment
from perceptron_notes.datasets import li_hang
from perceptron_notes.model import angle, distance, score, signed_scores

ON_DATA = [signed_scores, mistakes, error_count]


@st.composite
def models(draw, numbers=WHOLE):
    """Weights and a data set that they fit."""
    data = draw(datasets(numbers))
    return draw(arrays(np.float64, data.d + 1, elements=numbers)), data


# ------------------------------------------------------------------- scores and mistakes


@each_kind
@given(data=st.data())
def test_scores_signs_margins_and_mistakes_are_those_of_the_plain_loop(numbers, data):
    w, data = data.draw(models(numbers))
    scores = [left_to_right(w, x) for x in data.X]
    assert score(w, data.X).tolist() == scores
    assert predict(w, data.X).tolist() == [(s > 0) - (s < 0) for s in scores]
    assert signed_scores(w, data).tolist() == [
        s * int(y) for s, y in zip(scores, data.y, strict=True)
    ]
    wrong = [i for i in range(data.n) if is_mistake(w, data.X[i], data.y[i])]
    assert mistakes(w, data).tolist() == wrong
    assert error_count(w, data) == len(wrong)
    assert type(error_count(w, data)) is int


@pytest.mark.parametrize("function", ON_DATA)
def test_weights_that_pla_made_can_be_judged_however_large(function):
    data = Dataset([[1e150, 1e150], [1e150, -1e150]], [1, 1])
    largest = record(pla(data)).W[-1]
    assert largest.max() > 1e150
    assert np.size(function(largest, data)) <= data.n


# ---------------------------------------------------------------------------- distance


@given(
    w=arrays(np.float64, 4, elements=WHOLE).filter(lambda w: w[1:].any()),
    points=arrays(np.float64, (5, 3), elements=WHOLE),
)
def test_the_distance_is_that_to_the_foot_of_the_perpendicular(w, points):
    along = null_space(w[None, 1:])
    origin = -w[0] * w[1:] / (w[1:] @ w[1:])
    feet = origin + (points - origin) @ along @ along.T
    expected = np.linalg.norm(points - feet, axis=1)
    assert distance(w, points) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_the_distance_of_one_point_is_one_number():
    assert distance([-5, 3, 4], [0, 0]) == 1


@pytest.mark.parametrize("exponent", [-560, -530, -500, 300, 490])
def test_the_distance_does_not_depend_on_the_scale_of_the_weights(exponent):
    w = np.array([-5.0, 3, 4]) * 2.0**exponent
    assert distance(w, [[3, 4], [0, 0]]).tolist() == [4, 1]


# ------------------------------------------------------------------------------- angle


@pytest.mark.parametrize("theta", [1e-9, 1e-5, 0.5, math.pi / 2, 3.0, math.pi - 1e-9])
@pytest.mark.parametrize("lengths", [(1, 1), (1e-3, 1e5), (1e-160, 1e140)])
def test_the_angle_is_the_turn_from_one_vector_to_the_other(theta, lengths):
    u = lengths[0] * np.array([1.0, 0.0])
    v = lengths[1] * np.array([math.cos(theta), math.sin(theta)])
    assert angle(u, v) == pytest.approx(theta, rel=1e-14)
    assert angle(v, u) == angle(u, v)


@given(
    u=arrays(np.float64, 3, elements=WHOLE).filter(np.any),
    v=arrays(np.float64, 3, elements=WHOLE).filter(np.any),
)
def test_the_cosine_of_the_angle_is_the_scaled_inner_product(u, v):
    squared = Fraction(int(u @ v)) ** 2 / (Fraction(int(u @ u)) * Fraction(int(v @ v)))
    cosine = math.cos(angle(u, v))
    assert cosine**2 == pytest.approx(float(squared), abs=1e-14)
    assert cosine * (u @ v) >= 0 or abs(cosine) < 1e-14


# --------------------------------------------------------------------------- bad input


@pytest.mark.parametrize("function", [score, predict])
def test_score_and_predict_refuse_what_does_not_fit(function):
    helped = "augment(points) puts the leading 1 in front"
    for error, words, w, X in (
        (ValueError, helped, [1, 2, 3], [[3, 4]]),
        (ValueError, "X[:, 0] is not 1", [1, 2], [[1, 5], [3, 4]]),
        (ValueError, "w has shape (4,)", [1, 2, 3, 4], [[1, 5]]),
        (ValueError, "w has shape (1,)", [1], [[1, 5]]),
        (ValueError, "w has shape (1, 2)", [[1, 2]], [[1, 5]]),
        (ValueError, "X has shape (2, 2, 2)", [1, 2], np.ones((2, 2, 2))),
        (ValueError, "w[1] is nan", [1, np.nan], [[1, 5]]),
        (ValueError, "X[0, 1] is inf", [1, 2], [[1, np.inf]]),
        (TypeError, "w has dtype <U1", ["a", "b"], [[1, 5]]),
    ):
        refuses(error, words, function, w, X)


@pytest.mark.parametrize("function", ON_DATA)
def test_functions_of_weights_and_data_refuse_what_does_not_fit(function):
    refuses(ValueError, "w has shape (2,)", function, [1, 2], li_hang())
    refuses(TypeError, "data is a ndarray", function, [1, 2, 3], li_hang().X)


def test_distance_and_angle_refuse_what_does_not_fit():
    refuses(ValueError, "w[1:] is zero", distance, [1, 0, 0], [[3, 4]])
    refuses(ValueError, "w has shape (3,)", distance, [1, 2, 3], [[1, 3, 4]])
    refuses(ValueError, "u is zero", angle, [0, 0], [1, 0])
    refuses(ValueError, "u has shape (2,) and v (3,)", angle, [1, 0], [1, 0, 0])
    refuses(ValueError, "u[1] is nan", angle, [1, np.nan], [1, 0])


@pytest.mark.parametrize(
    "w",
    [[-3, 1, 1], np.array([-3, 1, 1], np.float32), np.array([-3, 1, 1], np.int8)],
    ids=["list", "float32", "int8"],
)
def test_weights_of_every_real_kind_are_accepted_and_not_modified(w):
    before = np.array(w)
    if isinstance(w, np.ndarray):
        w.flags.writeable = False
    assert score(w, augment([[3, 3], [1, 1]])).tolist() == [3, -1]
    assert signed_scores(w, li_hang()).tolist() == [3, 4, 1]
    assert distance(w, np.asfortranarray([[3, 3], [4, 4]])) == pytest.approx(
        [3 / 2**0.5, 5 / 2**0.5]
    )
    assert angle(w, w) == 0
    assert np.array_equal(w, before)
