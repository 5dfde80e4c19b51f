"""Where work is done: the same answers in the same order here and there, whatever happens there."""

import os
import signal
import threading
import time

import dask
import dask.array
import numpy as np
import pytest
from distributed import Client, LocalCluster
from refusals import refuses

from perceptron_notes.datasets import halfspaces
from perceptron_notes.scale import ClusterError, Shards, at, cluster, each

pytestmark = pytest.mark.slow
LOCAL = {"threads_per_worker": 1, "dashboard_address": ":0", "processes": True}


@pytest.fixture(scope="module")
def data():
    return halfspaces(100, 3, distance=0.05, rng=np.random.default_rng(1))


def whole(shard, *more):
    return [block.data for block in shard.blocks()], shard.number, *more


def process(shard):
    return os.getpid()


def made(seed):
    return halfspaces(20, 2, distance=0.1, rng=np.random.default_rng(seed))


def every_kind(data, folder):
    np.save(folder / "X.npy", data.points)
    np.save(folder / "y.npy", data.y)
    chunks = dask.array.from_array(data.points, chunks=(30, 3))
    yield Shards.split(data, 5)
    yield Shards.from_npy(folder / "X.npy", folder / "y.npy", 5)
    yield Shards.generate(made, range(3))
    yield Shards.from_dask(chunks, dask.array.from_array(data.y, chunks=30))


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


def test_workers_see_what_shards_are(client, data, tmp_path):
    save = [tmp_path / "X.npy", tmp_path / "y.npy"]
    np.save(save[0], data.points)
    np.save(save[1], data.y)
    assert Shards.from_npy(*save, 3, on=client) == Shards.from_npy(*save, 3)
    assert Shards.from_folder(tmp_path, on=client) == Shards.from_folder(tmp_path)
    assert Shards.generate(made, [1, 2], on=client).sizes == (20, 20)
    X = dask.array.from_array(data.points, chunks=(30, 3))
    X, y = X[X[:, 0] > 0], dask.array.from_array(data.y, chunks=30)[X[:, 0] > 0]
    assert Shards.from_dask(X, y, on=client).sizes == Shards.from_dask(X, y).sizes


def test_samples_are_sent_or_made_once_for_a_place(client, tmp_path):
    def noted(seed):
        (tmp_path / f"{seed}-{time.time_ns()}").touch()
        return made(seed)

    shards = Shards.generate(noted, range(3), shape=(20, 2))
    for on in (None, client):
        with at(on) as place:
            for _ in range(3):
                each(len, shards, on=place)
        files = sorted(tmp_path.iterdir())
        assert len(files) == 3
        for file in files:
            file.unlink()


def test_errors_of_a_task_come_as_they_are(client, data):
    def wrong(shard):
        raise ValueError(f"shard {shard.number} is odd")

    for on in (None, client):
        with pytest.raises(ValueError, match=r"shard \d is odd"):
            each(wrong, Shards.split(data, 3), on=on)


def test_a_path_that_workers_do_not_see(client, data, tmp_path):
    with pytest.raises(ClusterError, match=r"worker tcp://.*: .*No such file.*nowhere/X.npy"):
        Shards.from_npy("/nowhere/X.npy", "/nowhere/y.npy", on=client)
    np.save(tmp_path / "X.npy", data.points)
    np.save(tmp_path / "y.npy", data.y)
    shards = Shards.from_npy(tmp_path / "X.npy", tmp_path / "y.npy", 2)
    (tmp_path / "y.npy").unlink()
    refuses(ClusterError, "worker tcp://", each, whole, shards, on=client)


# ------------------------------------------------------------------------------- faults


def test_an_idle_worker_does_what_a_slow_one_does_not_end(client, data, tmp_path):
    seen, enough = tmp_path / "seen", tmp_path / "enough"

    def slow(shard):
        if shard.number == 0 and not seen.exists():
            seen.touch()
            for _ in range(3000):
                time.sleep(0.1 * (not enough.exists()))
        return whole(shard)

    shards = Shards.split(data, 4)
    expected = each(whole, shards, on=client)  # and all is imported there
    assert each(slow, shards, on=client) == expected
    assert seen.exists()
    enough.touch()


def test_samples_are_dealt_out_and_mostly_stay_where_they_are(client, data):
    shards = Shards.split(data, 6)
    with at(client) as place:
        first, *rounds = (place.each(process, shards) for _ in range(4))
    assert len(set(first)) == 2
    moved = sum(a != b for found in rounds for a, b in zip(first, found, strict=True))
    assert moved <= 9  # of 18: a worker that is slow for a moment may lose some


def test_workers_that_are_all_silent_are_not_waited_for(client, data, monkeypatch):
    monkeypatch.setattr(cluster, "_PATIENCE", 2.0)
    pids = list(client.run(os.getpid).values())
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        refuses(
            ClusterError,
            "has not been heard of for long",
            each,
            whole,
            Shards.split(data, 4),
            on=client,
        )
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def test_a_worker_that_is_stopped_is_helped_too(client, data):
    pid = next(iter(client.run(os.getpid).values()))
    os.kill(pid, signal.SIGSTOP)
    try:
        shards = Shards.split(data, 4)
        assert each(whole, shards, on=client) == each(whole, shards)
    finally:
        os.kill(pid, signal.SIGCONT)


def test_what_a_killed_worker_had_is_done_elsewhere(client, data, tmp_path):
    def suicidal(shard):
        mark = tmp_path / f"{shard.number}"
        if shard.number == 1 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return whole(shard)

    shards = Shards.generate(made, range(5))
    assert each(suicidal, shards, on=client) == each(whole, shards)


def test_samples_that_were_scattered_die_with_their_worker(client, data):
    from faults import Disturbed, kill_workers  # not above: workers load this module, but not that

    parts = [client.scatter(data.points[a : a + 50]) for a in (0, 50)]
    arrays = [dask.array.from_delayed(dask.delayed(p), (50, 3), float) for p in parts]
    y = dask.array.from_array(data.y, chunks=50)
    shards = Shards.from_dask(dask.array.concatenate(arrays), y)
    place = Disturbed(client, 1, kill_workers)
    refuses(
        ClusterError,
        "samples that nobody can make again",
        lambda: [each(whole, shards, on=place) for _ in range(2)],
    )


def test_a_shard_that_kills_every_worker_is_no_endless_loop(client, data):
    def deadly(shard):
        os.kill(os.getpid(), signal.SIGKILL)

    # Of four deaths, as by default, the test would learn no more.
    client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))
    with pytest.raises(ClusterError, match="workers died of the same shard 1 times"):
        each(deadly, Shards.split(data, 1), on=client)


def test_a_cluster_without_workers_is_not_waited_for(data, monkeypatch):
    monkeypatch.setattr(cluster, "_PATIENCE", 1.0)
    with (
        LocalCluster(n_workers=0, **LOCAL) as nobody,
        pytest.raises(ClusterError, match=r"has no worker; `dask worker tcp://.*` on any"),
    ):
        each(len, Shards.split(data, 2), on=nobody)


def test_a_scheduler_that_is_gone(data):
    def forever():
        while True:
            each(lambda shard: time.sleep(0.2), Shards.split(data, 3), on=client)

    with LocalCluster(n_workers=1, **LOCAL) as workers:
        client = Client(workers, timeout=2)
        threading.Timer(1.5, workers.close).start()
        refuses(ClusterError, "the scheduler at tcp://", forever)
        client.close()
        refuses(ClusterError, "is closed", each, len, Shards.split(data, 3), on=client)
