"""Workers that die or hang in the midst of a run: the same bits, or one sentence."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from itertools import islice
from threading import Timer
from unittest.mock import patch

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster
from refusals import refuses
from sharded import each, written

from perceptron_notes.datasets import halfspaces
from perceptron_notes.scale import ClusterError, Shards, cluster, mixing

COUNT, EPOCHS = 6, 5
LOCAL = {"threads_per_worker": 1, "dashboard_address": ":0", "processes": True}


def soon():
    """Dask gives up a worker that is silent for so long, and not only after 5 minutes."""
    return dask.config.set({"distributed.scheduler.worker-ttl": "8 seconds"})


def slowly_tested(*sources):
    """Sources of which the first is tried always, the others at night."""
    return [sources[0], *(pytest.param(one, marks=pytest.mark.slow) for one in sources[1:])]


@pytest.fixture(scope="module")
def data():
    return halfspaces(2000, 5, distance=0.01, rng=np.random.default_rng(3))


SOURCES = {
    "memory": lambda data, folder: Shards.split(data, COUNT),
    "parquet": lambda data, folder: written(data, folder, COUNT),
}


class Disturbed(cluster.There):
    """Workers to whom something happens in the midst of the third epoch."""

    def __init__(self, client, fault):
        super().__init__(client)
        self.fault, self.asked = fault, 0

    def each(self, task, shards, *arguments, **more):
        def slowly(*given):  # so that everybody is at work
            time.sleep(0.5)
            return task(*given)

        self.asked += 1
        if self.asked != 3:
            return super().each(task, shards, *arguments, **more)
        Timer(0.7, self.fault).start()
        return super().each(slowly, shards, *arguments, **more)


def disturbed(client, shards, how, count, patience=25.0):
    """The first epochs of a run in which this many workers are sent a signal."""
    assert list(islice(mixing(shards, on=client), 1))  # and all is imported there
    pids = sorted(client.run(os.getpid).values())[:count]

    def fault():
        for pid in pids:
            os.kill(pid, how)

    with patch.object(cluster, "_PATIENCE", patience):
        return list(islice(mixing(shards, on=Disturbed(client, fault)), EPOCHS))


@contextmanager
def bare_workers(count=2):
    """A client of workers that nobody starts again."""
    with LocalCluster(n_workers=0, processes=True, dashboard_address=":0") as nobody:
        address = nobody.scheduler_address
        command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        workers = [subprocess.Popen([*command, "--nthreads", "1"], **quiet) for _ in range(count)]
        try:
            with Client(nobody) as client:
                client.wait_for_workers(count, timeout=120)
                yield client
        finally:
            for worker in workers:
                worker.kill()
                worker.wait()


@contextmanager
def nannied_workers():
    """A client of workers that are started again."""
    with LocalCluster(n_workers=2, **LOCAL) as workers, Client(workers) as client:
        yield client


@pytest.mark.parametrize("count", slowly_tested(2, 1))
@pytest.mark.parametrize("source", slowly_tested(*SOURCES))
def test_a_run_goes_on_when_workers_are_killed_and_come_back(client, data, tmp_path, source, count):
    shards = SOURCES[source](data, tmp_path)
    expected = list(islice(mixing(shards), EPOCHS))
    assert disturbed(client, shards, signal.SIGKILL, count) == expected


@pytest.mark.slow
@pytest.mark.parametrize("restarted", [True, False])
def test_a_run_goes_on_when_dask_gives_up_a_hung_worker(data, restarted):
    """Which its nanny starts again, or which nobody does."""
    shards = Shards.split(data, COUNT)
    expected = list(islice(mixing(shards), EPOCHS))
    with soon(), nannied_workers() if restarted else bare_workers() as client:
        assert disturbed(client, shards, signal.SIGSTOP, 1) == expected


@pytest.mark.slow
def test_workers_that_all_hang_are_not_waited_for(data):
    with soon(), bare_workers() as client:
        shards, said = Shards.split(data, COUNT), "are gone; most likely"
        refuses(ClusterError, said, disturbed, client, shards, signal.SIGSTOP, 2, 3.0)


@pytest.mark.slow
def test_a_shard_that_kills_every_worker_is_no_endless_loop(client, data):
    def deadly(shard):
        os.kill(os.getpid(), signal.SIGKILL)

    # Of four deaths, as by default, the test would learn no more.
    client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))
    with pytest.raises(ClusterError, match="workers died of the same shard 1 times"):
        each(deadly, Shards.split(data, 1), on=client)


def test_a_sentence_says_that_there_never_was_a_worker(data):
    with LocalCluster(n_workers=0, **LOCAL) as nobody, patch.object(cluster, "_PATIENCE", 1.0):
        said = "has no worker; `dask worker tcp://"
        refuses(ClusterError, said, each, len, Shards.split(data, 2), on=nobody)


@pytest.mark.slow
@pytest.mark.parametrize(("patience", "deaths"), [(1.0, 99), (25.0, 0)])
def test_workers_that_die_of_memory_are_told_so_whatever_comes_first(data, patience, deaths):
    """That nobody is left to wait for, or that a shard has killed too many."""

    def hoard(shard):
        np.ones(80 << 20)  # 640 MB
        time.sleep(60)

    with LocalCluster(n_workers=1, memory_limit="400MB", **LOCAL) as workers:
        workers.scheduler.allowed_failures = deaths
        with patch.object(cluster, "_PATIENCE", patience):
            said = "because their memory was full: a larger memory_limit, smaller row groups or"
            refuses(ClusterError, said, each, hoard, Shards.split(data, 1), on=workers)


@pytest.mark.slow
def test_a_scheduler_that_is_gone(data):
    def forever():
        while True:
            each(lambda shard: time.sleep(0.2), Shards.split(data, 3), on=client)

    with LocalCluster(n_workers=1, **LOCAL) as workers:
        client = Client(workers, timeout=2)
        Timer(1.5, workers.close).start()
        refuses(ClusterError, "the scheduler at tcp://", forever)
        client.close()
        refuses(ClusterError, "is closed", each, len, Shards.split(data, 3), on=client)


@pytest.mark.slow
def test_a_file_that_is_cut_during_a_run_is_named(client, data, tmp_path):
    run = iter(mixing(written(data, tmp_path, COUNT), on=client))
    next(run)
    os.truncate(tmp_path / "3.parquet", 999)
    refuses(ValueError, "3.parquet has changed since the shards were made", next, run)
