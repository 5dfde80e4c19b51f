"""`separate` over shards: the proof of one machine, verified on all samples of all shards."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import isclose

import numpy as np
import pytest
from refusals import refuses
from sharded import cuts, written
from strategies import dot, exact_rows

from perceptron_notes import Dataset, certify, separate
from perceptron_notes.convergence import Obstruction, Separator
from perceptron_notes.data import augment
from perceptron_notes.datasets import halfspaces, li_hang, xor
from perceptron_notes.scale import Separation, Shards, files, separate_over, separating


def random_data(rng, most=120):
    """Whole numbers of a grid or uneven scales; with a line or one label short of it."""
    n, d, intercept = int(rng.integers(1, most)), int(rng.integers(1, 4)), bool(rng.integers(2))
    points = rng.integers(-9, 10, (n, d)).astype(float)
    if rng.integers(2):
        points = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d)
    X = augment(points) if intercept else points
    y = np.where(X @ rng.normal(size=X.shape[1]) > 0, 1, -1)
    if rng.integers(2):
        y[rng.integers(n)] *= -1
    return Dataset(points, y, intercept)


@pytest.fixture
def small_pools(monkeypatch):
    """Pools that begin with few samples, to which a shard adds two: all has to be found."""
    monkeypatch.setattr(separating, "_growth", lambda m: (1, 0))
    monkeypatch.setattr(separating, "_EACH", 1)


def agree(found, shards, data):
    alone = separate(data)
    assert type(found.proof) is type(alone)
    assert found.separable == alone.separable
    assert found.verify(shards)
    assert found.proof.verify(data)
    assert found.pooled <= data.n
    if isinstance(alone, Separator):
        assert isclose(found.proof.rho, alone.rho, rel_tol=1.1e-8)
        number, row = found.places[0]
        k = shards[number].first + row
        products = [dot(found.proof.exact, row) for row in exact_rows(data)]
        assert products[k] == min(products) > 0
    else:
        firsts = [shard.first for shard in shards]
        assert found.proof.samples == tuple(firsts[k] + row for k, row in found.places)
        assert all(0 <= row < shards.sizes[k] for k, row in found.places)


@pytest.mark.parametrize("seed", range(25))
def test_the_proof_is_that_of_one_machine(seed):
    data = random_data(np.random.default_rng(seed))
    for shards in cuts(data):
        agree(separate_over(shards), shards, data)


@pytest.mark.parametrize("seed", range(25))
def test_what_decides_is_found_from_a_pool_of_hardly_anything(seed, small_pools):
    data = random_data(np.random.default_rng(1000 + seed), most=60)
    for shards in cuts(data):
        said = []
        found = separate_over(shards, progress=said.append)
        agree(found, shards, data)
        told = [one.split() for one in said if one.startswith("round")]
        most = [float(words[-1]) for words in told]
        assert all(b <= a * (1 + 1e-5) for a, b in pairwise(most))  # more samples, less margin
        assert all(int(a[2]) < int(b[2]) for a, b in pairwise(told))


@pytest.mark.parametrize("rough", [np.nan, np.inf, -np.inf, 0.0])
def test_floats_that_say_nothing_do_not_hold_it_up(rough, small_pools, monkeypatch):
    """The exact worst of each shard is sent all the same, so there are at most n rounds."""
    monkeypatch.setattr(separating, "_rough_margins", lambda data, w: np.full(data.n, rough))
    for seed in range(8):
        data = random_data(np.random.default_rng(seed), most=40)
        for shards in cuts(data):
            found = separate_over(shards)
            agree(found, shards, data)
            assert found.rounds <= data.n


def test_an_answer_about_shards_is_no_truth_value():
    with pytest.raises(
        TypeError, match="Separation has no truth value; ask its attribute separable"
    ):
        bool(separate_over(Shards.split(xor(), 2)))


def test_few_samples_leave_their_shards():
    data = halfspaces(20_000, 5, distance=0.02, rng=np.random.default_rng(1))
    shards = Shards.split(data, 7)
    found = separate_over(shards)
    assert found.verify(shards)
    assert found.proof.verify(data)
    assert found.pooled < 600
    assert certify(data, found.proof).bound == certify(data, separate(data)).bound


def test_duplicates_do_not_fill_the_pool():
    data = Dataset(np.repeat([[2, 1], [3, 3], [0, 0], [1, 1], [9, 8]], 400, axis=0),
                   np.repeat([1, 1, -1, -1, 1], 400))  # fmt: skip
    shards = Shards.split(data, 4)
    agree(separate_over(shards), shards, data)
    same = Dataset([[1, 2]] * 50, [1] * 49 + [-1])
    shards = Shards.split(same, 3)
    found = separate_over(shards)
    agree(found, shards, same)
    assert (2, shards.sizes[2] - 1) in found.places


def test_scales_beyond_measure_are_borne():
    rng = np.random.default_rng(5)
    points = rng.normal(size=(60, 2)) * [1e120, 1e-120]
    data = Dataset(points, np.where(points[:, 1] > 0, 1, -1), intercept=False)
    for shards in cuts(data):
        agree(separate_over(shards), shards, data)


@pytest.mark.parametrize("data", [li_hang(), xor()])
def test_a_proof_that_is_wrong_is_refused(data):
    shards = Shards.split(data, 2)
    found = separate_over(shards)
    other = Shards.split(Dataset(data.points[:, :1], data.y), 2)
    assert not found.verify(other)
    assert not replace(found, proof=separate(Dataset([[5, 5]], [1]))).verify(shards)
    if isinstance(found.proof, Obstruction):
        assert not replace(found, proof=replace(found.proof, samples=(0, 1, 2, 4))).verify(shards)
        assert not replace(found, places=found.places[::-1]).verify(shards)
    wrong = Obstruction((0, 1), (Fraction(1, 2), Fraction(1, 2)))
    for places in (((0, 0), (1, 0)), ((0, 0), (5, 0)), ((0, 0), (0, 0)), ((0, 0), (0, 77)), ()):
        assert not Separation(wrong, places, 2, 0).verify(shards)


def test_samples_that_change_are_noticed(tmp_path, monkeypatch):
    # As if the files looked the same.
    monkeypatch.setattr(files.File, "check_stamp", lambda file: None)
    data, shift = halfspaces(60, 2, distance=0.05, rng=np.random.default_rng(1)), [0.0]

    def change(sentence):
        shift[0] += 1.0
        return written(Dataset(data.points + shift[0], data.y), tmp_path, 3)

    shards = change("")
    with pytest.raises(ValueError, match=r"row \d+ of shard \d is not what it was"):
        separate_over(shards, progress=change)


def test_bad_input_gets_one_sentence():
    refuses(TypeError, "shards is a Dataset", separate_over, xor())
    refuses(TypeError, "shards is a Dataset", separate_over(Shards.split(xor(), 2)).verify, xor())
