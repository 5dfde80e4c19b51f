"""Counting over shards, Pocket and the average: what one machine says, bit for bit."""

from fractions import Fraction
from itertools import islice

import numpy as np
import pytest
from refusals import refuses
from sharded import cuts

from perceptron_notes import (
    Dataset,
    at_random,
    error_count,
    last,
    pla,
    pocket,
    record,
)
from perceptron_notes.datasets import flip_labels, halfspaces, li_hang, xor
from perceptron_notes.learning import Step
from perceptron_notes.scale import (
    Shard,
    Shards,
    average_mixing,
    error_counts_over,
    mixing,
    pocket_over,
)


def random_data(rng):
    n, d, intercept = int(rng.integers(1, 40)), int(rng.integers(1, 4)), bool(rng.integers(2))
    return Dataset(rng.integers(-4, 5, (n, d)), rng.choice([-1, 1], n), intercept)


@pytest.mark.parametrize("seed", range(20))
def test_counts_are_those_of_one_machine(seed):
    rng = np.random.default_rng(seed)
    data = random_data(rng)
    W = rng.integers(-3, 4, (9, data.X.shape[1])) * rng.choice([1, 0.1])
    for shards in cuts(data):
        assert error_counts_over(W, shards).tolist() == [error_count(w, data) for w in W]


@pytest.mark.parametrize("seed", range(10))
def test_pocket_is_that_of_one_machine(seed):
    rng = np.random.default_rng(seed)
    data = random_data(rng)
    rule = at_random(np.random.default_rng(seed))
    for shards in cuts(data):
        over, alone = pocket_over(shards, pla(data)), pocket(data, pla(data))
        assert list(islice(over, 40)) == list(islice(alone, 40))
        assert last(over, at_most=33) == last(alone, at_most=33)
        assert last(over, passes=2) == last(alone, passes=2)
        trace = record(pla(data, rule), at_most=30)
        for run in (pla(data, rule), trace, lambda _: pla(data, rule), list(trace)):
            assert last(pocket_over(shards, run), 30) == last(pocket(data, pla(data, rule)), 30)


def test_pocket_on_a_sample_is_judged_by_all_shards():
    data = flip_labels(halfspaces(3000, 3, distance=0.05, rng=np.random.default_rng(1)), 100,
                       rng=np.random.default_rng(2))  # fmt: skip
    some = data[::30]
    end = last(pocket_over(Shards.split(data, 4), pla(some)), at_most=200)
    counts = [error_count(w, data) for w in record(pla(some), at_most=200).W]
    assert end.best_errors == min(counts)
    assert np.array_equal(end.best, record(pla(some), at_most=200).W[np.argmin(counts)])


def every_round(run, epochs):
    """The weights with which each round of each shard ends, by looking at one sample at a time."""
    ends, w = [], run.start.w
    for epoch, _ in zip(run, range(epochs), strict=False):
        for shard in run.shards:
            mine = [Fraction(a) for a in w.tolist()]
            for _ in range(run.passes):
                right = True
                for x, y in Shards((shard,)).dataset():
                    z = [y * Fraction(b) for b in x.tolist()]
                    if not sum(a * b for a, b in zip(mine, z, strict=True)) > 0:
                        mine, right = [a + b for a, b in zip(mine, z, strict=True)], False
                    ends.append(mine)
                if right:
                    break
        w = epoch.w
        yield len(ends), [sum(column) for column in zip(*ends, strict=True)]


@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("seed", range(5))
def test_the_average_of_mixing_is_that_of_every_round(seed, passes):
    data = random_data(np.random.default_rng(200 + seed))
    for count in (1, 2, 4):
        if count > data.n:
            continue
        run = mixing(Shards.split(data, count), passes=passes)  # in dyadic numbers: exactly
        found = list(islice(average_mixing(run), 4))
        expected = list(every_round(run, 4))
        assert [epoch.rounds for epoch in found] == [rounds for rounds, _ in expected]
        assert [epoch.total.tolist() for epoch in found] == [total for _, total in expected]
        assert [epoch.step for epoch in found] == list(islice(run, 4))


def test_averaging_goes_through_no_shard_twice(monkeypatch):
    shards, calls, blocks = Shards.split(li_hang(), 2), [], Shard.blocks
    monkeypatch.setattr(Shard, "blocks", lambda shard: calls.append(shard) or blocks(shard))
    run = mixing(shards, passes=2)
    epochs = list(run)
    made = calls.copy()
    calls.clear()
    assert [found.step for found in average_mixing(run)] == epochs
    assert calls == made


def test_the_epochs_of_mixing_can_be_pocketed():
    data = flip_labels(halfspaces(300, 2, distance=0.05, rng=np.random.default_rng(1)), 30,
                       rng=np.random.default_rng(2))  # fmt: skip
    shards = Shards.split(data, 3)
    epochs = list(islice(mixing(shards), 8))
    found = list(islice(pocket_over(shards, mixing(shards)), 8))
    assert [step.errors for step in found] == [error_count(epoch.w, data) for epoch in epochs]
    assert found[-1].best_errors == min(step.errors for step in found)
    assert last(pocket_over(shards, mixing(shards)), passes=5) == found[4]
    assert last(mixing(shards), passes=5) == epochs[4]


def test_bad_runs_get_one_sentence():
    shards = Shards.split(xor(), 2)
    refuses(TypeError, "shards is a Dataset", pocket_over, xor(), pla(xor()))
    refuses(TypeError, "run is an int", pocket_over, shards, 3)
    refuses(TypeError, "run is a Run", average_mixing, pla(xor()))
    short = pocket_over(shards, [Step(0, np.zeros(2), None)])
    refuses(ValueError, "w has shape (2,)", last, short)
    refuses(TypeError, "steps yields an int", last, pocket_over(shards, [3]))


def test_bad_weights_get_one_sentence():
    shards = Shards.split(xor(), 2)
    refuses(ValueError, "W[0] has shape ()", error_counts_over, [1, 2, 3], shards)
    refuses(ValueError, "W[0] has shape (2,)", error_counts_over, [[1, 2]], shards)
    refuses(TypeError, "W[0] has dtype", error_counts_over, "abc", shards)
    refuses(ValueError, "W[1][2] is nan", error_counts_over, [[0, 0, 0], [1, 2, np.nan]], shards)
    refuses(TypeError, "shards is a Dataset", error_counts_over, [[0, 0, 0]], xor())
