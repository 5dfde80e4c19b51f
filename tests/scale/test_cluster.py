"""Where work is done: the answers of one machine, in the same order, here and on workers."""

import os
from itertools import islice

import numpy as np
import pytest
from refusals import refuses
from sharded import each, written

from perceptron_notes import error_count, last, pla, pocket
from perceptron_notes.datasets import flip_labels, halfspaces, xor
from perceptron_notes.scale import (
    ClusterError,
    Shards,
    at,
    average_mixing,
    error_counts_over,
    mixing,
    pocket_over,
    separate_over,
)

slow = pytest.mark.slow


@pytest.fixture(scope="module")
def data():
    return halfspaces(200, 3, distance=0.05, rng=np.random.default_rng(1))


def whole(shard, *more):
    return [data for _, data in shard.blocks()], shard.number, *more


def process(shard):
    return os.getpid()


def every_kind(data, folder):
    yield Shards.split(data, 5)
    yield written(data, folder, 5)


@slow
def test_workers_answer_what_this_process_answers(client, data, tmp_path):
    for shards in every_kind(data, tmp_path):
        expected = each(whole, shards, "more", 7)
        for on in (client, client.cluster, client.cluster.scheduler_address):
            assert each(whole, shards, "more", 7, on=on) == expected
        with at(client) as place:
            for _ in range(2):
                assert each(whole, shards, on=place) == each(whole, shards)
            assert each(whole, shards[1:], on=place) == each(whole, shards[1:])
        assert os.getpid() not in each(process, shards, on=client)
        assert len(set(each(process, shards, on=client))) == 2


@slow
@pytest.mark.parametrize("by", ["uniform", "mistakes"])
def test_workers_come_to_the_bits_of_one_process(client, data, tmp_path, by):
    for shards in every_kind(data, tmp_path):
        expected = list(islice(mixing(shards, by), 8))
        with at(client) as place:
            assert list(islice(mixing(shards, by, on=place), 8)) == expected
    there = average_mixing(mixing(shards, on=client))
    assert last(there, passes=5) == last(average_mixing(mixing(shards)), passes=5)


@slow
def test_proofs_and_counts_are_the_same_wherever_they_are_found(client, data):
    for samples in (data, flip_labels(data, 1, rng=np.random.default_rng(2)), xor()):
        shards = Shards.split(samples, 4)
        found = separate_over(shards, on=client)
        assert found == separate_over(shards)
        assert found.verify(shards, on=client)
    shards, W = Shards.split(data, 3), np.arange(20).reshape(5, 4) - 9
    assert error_counts_over(W, shards, on=client).tolist() == [error_count(w, data) for w in W]
    end = last(pocket_over(shards, pla(data), on=client), at_most=40)
    assert end == last(pocket(data, pla(data)), at_most=40)


@slow
def test_workers_see_what_shards_are(client, data, tmp_path):
    shards = written(data, tmp_path, 3)
    assert Shards.from_folder(tmp_path, on=client) == shards


@slow
def test_samples_are_sent_once_for_a_place(client, data):
    def sent(dask_scheduler):
        return sum(key.startswith("rows-") for key in map(str, dask_scheduler.tasks))

    shards = Shards.split(data, 4)
    with at(client) as place:
        for _ in range(3):
            each(whole, shards, on=place)
            assert client.run_on_scheduler(sent) == 4


@slow
def test_errors_of_a_task_come_as_they_are(client, data):
    def wrong(shard):
        raise ValueError(f"shard {shard.number} is odd")

    for on in (None, client):
        with pytest.raises(ValueError, match=r"shard \d is odd"):
            each(wrong, Shards.split(data, 3), on=on)


@slow
def test_a_path_that_workers_do_not_see(client, data, tmp_path):
    with pytest.raises(ClusterError, match=r"worker tcp://.*: /nowhere is not there"):
        Shards.from_folder("/nowhere", on=client)
    shards = written(data, tmp_path, 2)
    (tmp_path / "1.parquet").unlink()
    refuses(ClusterError, "worker tcp://", each, whole, shards, on=client)
