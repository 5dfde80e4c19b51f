"""Exact search over shards: the steps of `pla` on the whole data, and how many rounds they take."""

from itertools import islice

import numpy as np
import pytest
from refusals import refuses
from sharded import cuts

from perceptron_notes import Dataset, last, pla, record
from perceptron_notes.datasets import halfspaces, xor
from perceptron_notes.scale import Shards, pla_over, searching


def random_data(rng, n=None):
    """Small whole numbers or normal ones, any labels: ties, duplicates, one class, no line."""
    n, d, intercept = n or int(rng.integers(1, 30)), int(rng.integers(1, 4)), bool(rng.integers(2))
    whole = rng.integers(-4, 5, (n, d))
    points = whole if rng.integers(2) else rng.normal(size=(n, d))
    return Dataset(points, rng.choice([-1, 1], n), intercept)


@pytest.mark.parametrize("seed", range(20))
def test_the_steps_are_those_of_one_machine(seed):
    rng = np.random.default_rng(seed)
    data = random_data(rng)
    w0 = rng.integers(-2, 3, data.X.shape[1]) if rng.integers(2) else None
    steps = list(islice(pla(data, w0=w0), 50))
    for shards in cuts(data):
        found = list(islice(pla_over(shards, w0=w0), 50))
        assert [one.step for one in found] == steps
        assert [one.step.w.tobytes() for one in found] == [s.w.tobytes() for s in steps]


@pytest.mark.parametrize("seed", range(20))
def test_rounds_are_no_more_than_promised(seed):
    data = halfspaces(60, 2, distance=0.02, rng=np.random.default_rng(seed))
    for shards in cuts(data):
        walked = list(pla_over(shards))
        # A visit is a pass through a shard: one round for each that corrects anything, and one.
        numbers = np.repeat(np.arange(len(shards)), shards.sizes)
        visits = {(one.passes, int(numbers[one.pick])) for one in walked if one.pick is not None}
        assert walked[-1].rounds == len(visits) + 1 <= len(shards) * walked[-1].passes + 1


@pytest.mark.parametrize("numbers", [1, 7, 20])
def test_walks_of_many_mistakes_are_cut(numbers, monkeypatch):
    monkeypatch.setattr(searching, "_NUMBERS", numbers)
    data = halfspaces(80, 2, distance=0.02, rng=np.random.default_rng(3))
    for shards in cuts(data):
        found = list(pla_over(shards))
        assert [one.step for one in found] == list(pla(data))
        _, updates = np.unique([one.rounds for one in found[:-1]], return_counts=True)
        assert max(updates) <= max(1, numbers // 3)


def test_where_no_weights_separate_a_cap_stops_it():
    shards = Shards.split(xor(), 2)
    end = last(pla_over(shards), at_most=30)
    assert end.step == last(pla(xor()), at_most=30)
    assert last(pla_over(shards), passes=3).step == last(pla(xor()), passes=3)
    assert record(pla_over(shards), 9, data=xor()) == record(pla(xor()), 9)


def test_a_run_is_a_value():
    shards = Shards.split(xor(), 2)
    assert pla_over(shards) == pla_over(shards)
    assert pla_over(shards) != pla_over(shards, w0=[0, 1, 2])
    assert "w0=[0. 1. 2.]" in repr(pla_over(shards, w0=[0, 1, 2]))


def test_bad_input_gets_one_sentence():
    shards = Shards.split(xor(), 2)
    refuses(TypeError, "shards is a Dataset", pla_over, xor())
    refuses(ValueError, "w0 has shape (2,)", pla_over, shards, w0=[0, 0])
    refuses(TypeError, "on is 7", next, iter(pla_over(shards, on=7)))
