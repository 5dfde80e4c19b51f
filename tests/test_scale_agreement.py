"""Exact search, `separate`, Pocket and the average on workers: the answers of one machine."""

from itertools import islice

import numpy as np
import pytest

from perceptron_notes import average, error_count, last, pla, pocket, separate
from perceptron_notes.datasets import flip_labels, halfspaces, xor
from perceptron_notes.scale import (
    Shards,
    average_mixing,
    average_over,
    error_count_over,
    error_counts_over,
    mixing,
    pla_over,
    pocket_over,
    separate_over,
)


@pytest.fixture(scope="module")
def data():
    return halfspaces(200, 3, distance=0.05, rng=np.random.default_rng(1))


@pytest.mark.slow
@pytest.mark.parametrize("ahead", [True, False])
def test_the_search_makes_the_same_steps_in_the_same_rounds(client, data, ahead):
    shards = Shards.split(data, 3)
    found = list(islice(pla_over(shards, ahead=ahead, on=client), 60))
    assert [one.step for one in found] == list(islice(pla(data), 60))
    assert found == list(islice(pla_over(shards, ahead=ahead), 60))


@pytest.mark.slow
def test_a_run_on_files_ends_as_on_one_machine(client, data, tmp_path):
    np.save(tmp_path / "X.npy", data.points)
    np.save(tmp_path / "y.npy", data.y)
    shards = Shards.from_npy(tmp_path / "X.npy", tmp_path / "y.npy", 4)
    assert last(pla_over(shards, on=client)).step == last(pla(data))
    end = last(average_over(shards, pla_over(shards, on=client)))
    assert end == last(average(data, pla(data)))


@pytest.mark.slow
def test_proofs_are_the_same_wherever_they_are_found(client, data):
    for samples in (data, flip_labels(data, 1, rng=np.random.default_rng(2)), xor()):
        shards = Shards.split(samples, 4)
        found = separate_over(shards, on=client)
        assert found == separate_over(shards)
        assert type(found.proof) is type(separate(samples))
        assert found.verify(shards, on=client)


def made(seed):
    return halfspaces(50, 2, distance=0.1, rng=np.random.default_rng(seed))


def test_samples_that_are_made_by_the_workers_are_never_here(client):
    shards = Shards.generate(made, range(3), on=client)
    found = separate_over(shards, on=client)
    assert found.verify(shards, on=client)
    assert found.verify(shards)
    end = last(pocket_over(shards, pla_over(shards, on=client), on=client), at_most=40)
    assert end == last(pocket(shards.dataset(), pla(shards.dataset())), at_most=40)


@pytest.mark.slow
def test_counts_are_the_same_wherever_they_are_made(client, data):
    shards, W = Shards.split(data, 3), np.arange(20).reshape(5, 4) - 9
    assert error_counts_over(W, shards, on=client).tolist() == [error_count(w, data) for w in W]
    assert error_count_over(W[0], shards, on=client) == error_count(W[0], data)


@pytest.mark.slow
def test_the_average_of_mixing_is_the_same_wherever_it_is_made(client, data):
    run, there = (mixing(Shards.split(data, 3), on=on) for on in (None, client))
    found = last(average_mixing(there, on=client), passes=5)
    assert found == last(average_mixing(run), passes=5)


@pytest.mark.slow
def test_a_bad_value_on_a_worker_is_named(client, data, tmp_path):
    points = data.points.copy()
    points[150, 1] = np.inf
    np.save(tmp_path / "X.npy", points)
    np.save(tmp_path / "y.npy", data.y)
    shards = Shards.from_npy(tmp_path / "X.npy", tmp_path / "y.npy", 4)
    for ask in (
        lambda: last(pla_over(shards, on=client)),
        lambda: separate_over(shards, on=client),
        lambda: error_count_over([0, 0, 0, 0], shards, on=client),
    ):
        with pytest.raises(ValueError, match=r"X\.npy.*row 150: coordinate 1 is inf"):
            ask()
