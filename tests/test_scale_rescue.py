"""Workers that die or hang in the midst of a run: the same bits, or one sentence."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from itertools import islice
from threading import Timer

import dask.dataframe
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

from perceptron_notes.datasets import halfspaces
from perceptron_notes.scale import ClusterError, Shards, cluster, mixing

COUNT, EPOCHS = 6, 5


@pytest.fixture(scope="module")
def data():
    return halfspaces(2000, 5, distance=0.01, rng=np.random.default_rng(3))


def frame(data):
    return pd.DataFrame({f"x{j}": x for j, x in enumerate(data.points.T)} | {"label": data.y})


def parquet(data, folder):
    for k, rows in enumerate(np.array_split(np.arange(data.n), COUNT)):
        frame(data).iloc[rows].to_parquet(folder / f"{k}.parquet", index=False)
    return Shards.from_folder(folder)


def dask_frame(data, folder):
    return Shards.from_dask(dask.dataframe.from_pandas(frame(data), npartitions=COUNT), "label")


SOURCES = {"memory": lambda data, _: Shards.split(data, COUNT), "parquet": parquet}
SOURCES["dask"] = dask_frame


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


def disturbed(client, shards, how, count):
    """The first epochs of a run in which so many workers are sent a signal."""
    assert list(islice(mixing(shards, on=client), 1))  # and all is imported there
    pids = sorted(client.run(os.getpid).values())[:count]

    def fault():
        for pid in pids:
            os.kill(pid, how)

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


@pytest.mark.parametrize("count", [pytest.param(1, marks=pytest.mark.slow), 2])
@pytest.mark.parametrize("source", ["memory", *(pytest.param(one, marks=pytest.mark.slow)
                                                for one in ("parquet", "dask"))])  # fmt: skip
def test_a_run_goes_on_when_workers_are_killed_and_come_back(client, data, tmp_path, source, count):
    shards = SOURCES[source](data, tmp_path)
    expected = list(islice(mixing(shards), EPOCHS))
    assert disturbed(client, shards, signal.SIGKILL, count) == expected


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_a_sentence_says_that_no_worker_comes_back(data, tmp_path, source, monkeypatch):
    monkeypatch.setattr(cluster, "_PATIENCE", 3.0)
    shards = SOURCES[source](data, tmp_path)
    with (
        bare_workers() as client,
        pytest.raises(ClusterError, match=r"has no worker; `dask worker tcp://.*` on any"),
    ):
        disturbed(client, shards, signal.SIGKILL, 2)


@pytest.mark.slow
@pytest.mark.parametrize("source", ["memory", "parquet"])
def test_what_a_stopped_worker_had_is_done_by_the_other(data, tmp_path, source):
    shards = SOURCES[source](data, tmp_path)
    expected = list(islice(mixing(shards), EPOCHS))
    with bare_workers() as client:
        assert disturbed(client, shards, signal.SIGSTOP, 1) == expected
