"""Networks: scores and slopes against loops, differences and scikit-learn; what theorems say."""

import math
from fractions import Fraction
from itertools import combinations, islice, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses
from strategies import WHOLE, datasets, left_to_right, rng

from perceptron_notes import (
    Dataset,
    certify,
    last,
    pla,
    predict,
    record,
    separate,
)
from perceptron_notes._kit.elementary import tanh
from perceptron_notes.convergence import Obstruction
from perceptron_notes.datasets import rings, xor
from perceptron_notes.model import score
from perceptron_notes.networks import (
    Network,
    TrainStep,
    gradient,
    hidden,
    loss,
    monomials,
    numerical_gradient,
    parity,
    polygon_network,
    random_network,
    staircase_network,
    train,
)

LAYOUTS = [(1, 1), (2, 1), (2, 2, 1), (3, 4, 1), (1, 3, 2, 1), (2, 3, 3, 2, 1)]
NAIVE = {
    "sign": lambda s: (s > 0) - (s < 0),
    "relu": lambda s: max(s, 0),
    "square": lambda s: s * s,
    "tanh": lambda s: float(tanh(np.array([s]))[0]),
}
ROOTS = Network([[[-1, 2, 2], [3, -2, -2]], [[-1, 1, 1]]], "sign")  # not neither, not both


def naive_score(network, point):
    """The score of one point, unit by unit, in Python's own floats."""
    values = [float(x) for x in point]
    for k, W in enumerate(network.layers):
        values = [NAIVE[network.activation](s) for s in values] if k else values
        values = [left_to_right(w, [1.0, *values]) for w in W]
    return values[0]


# ------------------------------------------------------------------------------ the value


@pytest.mark.parametrize("activation", NAIVE)
@pytest.mark.parametrize("sizes", LAYOUTS)
def test_scores_are_those_of_a_loop_over_units_bit_for_bit(sizes, activation):
    network = random_network(sizes, activation, rng=rng(1))
    points = rng(2).standard_normal((7, sizes[0]))
    assert network(points).tolist() == [naive_score(network, point) for point in points]
    assert network.sizes == sizes


def test_hidden_sign_units_are_perceptrons():
    network, data = random_network((2, 5, 1), "sign", rng=rng(1)), rings(30, rng=rng(1))
    answers = np.column_stack([predict(w, data) for w in network.layers[0]])
    codes = hidden(network, data)
    assert np.array_equal(codes.points, answers)
    assert np.array_equal(codes.y, data.y)
    assert np.array_equal(network(data.points), score(network.layers[1][0], codes))


def test_networks_differ_by_their_weights_which_nobody_changes():
    network = random_network((2, 3, 1), rng=rng(1))
    assert network != random_network((2, 3, 1), rng=rng(2))
    assert network != random_network((2, 3, 1), "relu", rng=rng(1))
    assert network != Network(network.layers[1:])
    with pytest.raises(ValueError, match="read-only"):
        network.layers[0][0, 0] = 1
    own = np.ones((1, 3))
    copy = Network([own])
    own[0, 0] = 7
    assert copy.layers[0][0, 0] == 1


# --------------------------------------------------------------------------------- slopes


@pytest.mark.parametrize("activation", ["tanh", "square", "relu"])
@pytest.mark.parametrize("sizes", LAYOUTS)
def test_the_gradient_is_the_numerical_one(sizes, activation):
    for seed in range(5):
        network = random_network(sizes, activation, scale=0.7, rng=rng(seed))
        points = rng(seed + 100).standard_normal((6, sizes[0]))
        data = Dataset(points, rng(seed).choice([-1, 1], size=6))
        found, wanted = gradient(network, data), numerical_gradient(network, data)
        for G, wanted_G in zip(found, wanted, strict=True):
            assert G.shape == wanted_G.shape
            assert np.allclose(G, wanted_G, rtol=1e-6, atol=1e-8)


def test_one_neuron_ends_where_scikit_learns_logistic_regression_does():
    from sklearn.linear_model import LogisticRegression

    points = rng(1).standard_normal((40, 2))
    data = Dataset(points, np.where(points[:, 0] + rng(2).standard_normal(40) > 0, 1, -1))
    assert isinstance(separate(data), Obstruction)  # so that there is a best w
    other = LogisticRegression(C=np.inf, tol=1e-12).fit(data.points, data.y)
    (W,) = last(train(Network([[[0, 0, 0]]]), data), at_most=2000).network.layers
    assert W[0] == pytest.approx([*other.intercept_, *other.coef_[0]], abs=1e-6)


def test_a_sign_has_no_slope():
    network, data = random_network((2, 4, 3, 1), "sign", rng=rng(1)), rings(20, rng=rng(1))
    *below, top = gradient(network, data)
    assert not any(G.any() for G in below)
    assert top.any()


# -------------------------------------------------------------------------------- training


def test_a_step_tells_of_its_network():
    run = train(random_network((2, 2, 1), rng=rng(5)), xor(), rate=0.5)
    for t, step in enumerate(islice(run, 40)):
        scores = [naive_score(step.network, point) for point in xor().points]
        signed = [y * s for y, s in zip(xor().y.tolist(), scores, strict=True)]
        assert step.t == t
        assert step.signed_scores.tolist() == signed
        assert step.errors == sum(m <= 0 for m in signed)
        assert step.pick == next((i for i, m in enumerate(signed) if m <= 0), None)
        wanted = math.fsum(math.log1p(math.exp(-m)) for m in signed) / 4
        assert step.loss == pytest.approx(wanted) == loss(step.network, xor())


def test_a_training_stops_at_a_cap_of_steps():
    run = train(random_network((2, 2, 1), rng=rng(1)), xor())
    assert last(run, at_most=7) == list(islice(run, 8))[7]
    assert last(run, at_most=0) == TrainStep(0, run.network, next(iter(run)).signed_scores)
    refuses(ValueError, "makes no passes", last, run, passes=3)


def test_a_run_that_leaves_the_floats_says_so():
    data = Dataset([[1e100], [-1e100], [2e100]], [1, -1, -1])
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=r"layers\[\d\].*finite"):
        list(islice(train(random_network((1, 2, 1), "square", rng=rng(1)), data), 9))


def test_huge_scores_are_sure_and_tiny_ones_are_not():
    data = Dataset([[1e150], [-1e150]], [1, -1])
    network = Network([[[0, 1]], [[0, 1]]])
    assert network(data.points).tolist() == [1, -1]
    assert gradient(network, data)[0].tolist() == [[0, 0]]
    assert loss(Network([[[0, 1e-160]]]), Dataset([[1e-160]], [1])) == pytest.approx(math.log(2))


# ------------------------------------------------------------- two layers by hand, and PLA


SQUARE = [[0, 1, 0], [2, -1, 0], [0, 0, 1], [2, 0, -1]]
TRIANGLE = [[-3, 1, 0], [-1, 0, 1], [10, -1, -2]]
OVERLAP = [[-1, 1, 0], [4, -1, 0], [-1, 0, 1], [3, 0, -1]]


@pytest.mark.parametrize("shapes", list(combinations([SQUARE, TRIANGLE, OVERLAP], 2)))
def test_a_network_of_polygons_is_positive_on_their_union(shapes):
    network = polygon_network(shapes)
    grid = np.array(list(product(np.arange(-4, 33) / 4, repeat=2)))
    X = np.column_stack([np.ones(len(grid)), grid])
    sides = [X @ np.array(shape).T for shape in shapes]
    least = np.array([side.min(axis=1) for side in sides])
    inside, outside = (least > 0).any(axis=0), (least < 0).all(axis=0)
    scores = network(grid)
    assert inside.any()
    assert (scores[inside] > 0).all()
    assert (scores[outside] < 0).all()
    on = np.column_stack(sides) == 0
    side_of_one = ((least == 0).sum(axis=0) == 1) & (on.sum(axis=1) == 1)
    assert side_of_one.any()
    assert (scores[side_of_one & ~inside] == 0).all()


@given(datasets(WHOLE, max_n=7, max_d=2), st.integers(1, 12))
def test_a_staircase_is_right_and_its_bound_holds(data, up):
    u = [1, up][: data.d]
    places = data.points @ u
    mixed = any(
        a == b and y != z for (a, y), (b, z) in combinations(zip(places, data.y, strict=True), 2)
    )
    if mixed:
        refuses(ValueError, "too near to one with the other label", staircase_network, data, u)
        return
    network = staircase_network(data, u)
    assert network(data.points).tolist() == data.y.tolist()
    in_order = data.y[np.argsort(places, kind="stable")]
    changes = int((np.diff(in_order) != 0).sum())
    assert network.sizes == ((data.d, changes, 1) if changes else (data.d, 1))
    if changes:
        codes = hidden(network, data)
        by_hand = certify(codes, network.layers[1][0])
        assert changes + 1 == by_hand.R2
        assert by_hand.rho2 >= Fraction(1, changes + 1)
        assert record(pla(codes)).updates <= by_hand.bound <= (changes + 1) ** 2


# ---------------------------------------------------------------------------------- parity


def test_parity_counts_ones():
    for n in (1, 2, 3, 5):
        data = parity(n)
        assert [int("".join(map(str, row)), 2) for row in data.points.astype(int).tolist()] == (
            list(range(2**n))
        )
        assert data.y.tolist() == [1 if k.bit_count() % 2 else -1 for k in range(2**n)]
    assert parity(2) == xor()


@pytest.mark.parametrize("n", [2, 3, 4])
def test_parity_has_order_n_and_nothing_less(n):
    data = parity(n)
    for degree in range(1, n):
        answer = separate(monomials(data, degree))
        assert isinstance(answer, Obstruction)
        assert answer.verify(monomials(data, degree))
    assert answer.samples == tuple(range(2**n))
    assert set(answer.weights) == {Fraction(1, 2**n)}
    full = monomials(data, n)
    assert separate(full).verify(full)


@given(datasets(WHOLE, max_n=4, max_d=4), st.integers(1, 4))
def test_monomials_are_products_of_different_coordinates(data, degree):
    if degree <= data.d:
        wanted = [
            [
                math.prod(row[j] for j in S)
                for k in range(1, degree + 1)
                for S in combinations(range(data.d), k)
            ]
            for row in data.points.tolist()
        ]
        found = monomials(data, degree)
        assert found.points.tolist() == wanted
        assert np.array_equal(found.y, data.y)


# --------------------------------------------------------------------------------- errors

A, B = np.ones((2, 3)), np.ones((1, 3))


def test_bad_input_gets_one_sentence():
    for words, call, *arguments in (
        ("layers is 5", Network, 5),
        ("layers is empty", Network, []),
        ("layers is one array of shape (2, 3)", Network, A),
        ("the last of layers has 2 rows", Network, [A]),
        ("layers[1] has shape (1, 2)", Network, [A, [[1, 2]]]),
        ("layers[0] has shape (3,)", Network, [[1, 2, 3]]),
        ("layers[0] has shape (1, 1)", Network, [[[1]]]),
        ("layers[0][0, 1] is nan", Network, [[[1, np.nan]]]),
        ("activation is 'softplus'", Network, [A, B], "softplus"),
        ("points has 3 coordinates; Network(2-2-1, sign) takes 2", ROOTS, [[1, 2, 3]]),
        ("points has shape (2,)", ROOTS, [1, 2]),
        ("points has 3 coordinates", loss, ROOTS, parity(3)),
        ("data is a ndarray", loss, ROOTS, xor().points),
        ("data is a Network", monomials, ROOTS, 1),
        ("network is a list", loss, [A], xor()),
        ("h is 0", numerical_gradient, ROOTS, xor(), 0),
        ("polygons is empty", polygon_network, []),
        ("polygons have [3, 2] columns", polygon_network, [A, B[:, :2]]),
        ("polygons[1][0, 1] is inf", polygon_network, [A, [[1, np.inf, 2]]]),
        ("direction has shape (1,)", staircase_network, xor(), [1]),
        ("is too near", staircase_network, xor(), [1, 0]),
        ("n is 0", parity, 0),
        ("n is 13", parity, 13),
        ("degree is 3", monomials, xor(), 3),
    ):
        refuses((TypeError, ValueError), words, call, *arguments)


def test_random_networks_refuse_bad_input():
    chance = rng(1)
    for sizes in ((2, 2), (1,)):
        refuses(ValueError, f"sizes is {sizes}", random_network, sizes, rng=chance)
    refuses(ValueError, "sizes[1] is 0", random_network, (2, 0, 1), rng=chance)
