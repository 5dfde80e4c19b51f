"""Runs that are disturbed: they end with the weights of the undisturbed run, or with a sentence."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from itertools import islice
from pathlib import Path

import dask.array
import dask.dataframe
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

from perceptron_notes.datasets import halfspaces
from perceptron_notes.scale import ClusterError, Shards, at, mixing, resume
from perceptron_notes.scale.cluster import There

slow = pytest.mark.slow
LOCAL = {"threads_per_worker": 1, "dashboard_address": ":0", "processes": True}
EPOCHS = 30


@pytest.fixture(scope="module")
def data():
    return halfspaces(2000, 5, distance=0.01, rng=np.random.default_rng(3))


def on_disk(data, folder, count=6):
    np.save(folder / "X.npy", data.points)
    np.save(folder / "y.npy", data.y)
    return Shards.from_npy(folder / "X.npy", folder / "y.npy", count)


def in_parquet(data, folder):
    for k, rows in enumerate(np.array_split(np.arange(data.n), 6)):
        frame(data).iloc[rows].to_parquet(folder / f"{k}.parquet")
    return Shards.from_folder(folder)


def frame(data):
    points = {f"x{j}": column for j, column in enumerate(data.points.T)}
    return pd.DataFrame({**points, "label": data.y})


def in_dask(data, folder):
    chunks = -(-data.n // 6)
    points = dask.array.from_array(data.points, chunks=(chunks, data.d))
    return Shards.from_dask(points, dask.array.from_array(data.y, chunks=chunks))


def in_frames(data, folder):
    return Shards.from_dask(dask.dataframe.from_pandas(frame(data), npartitions=6), "label")


SOURCES = {
    "memory": lambda data, folder: Shards.split(data, 6),
    "npy": on_disk,
    "parquet": in_parquet,
    "dask array": in_dask,
    "dask frame": in_frames,
}


class Disturbed(There):
    """Workers to whom something happens when so many answers have come."""

    def __init__(self, client, after, fault):
        super().__init__(client)
        self.left, self.fault = after, fault

    def each(self, task, shards, *arguments, progress=None):
        def heard(done, total):
            self.left -= 1
            if self.left == 0:
                self.fault(self.client)
            if progress is not None:
                progress(done, total)

        return super().each(task, shards, *arguments, progress=heard)


def kill_all(client):
    for pid in client.run(os.getpid).values():
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(
    "source", [pytest.param(s, marks=() if s in ("npy", "memory") else slow) for s in SOURCES]
)
def test_when_all_workers_die_the_run_goes_on_with_those_that_come_back(
    client, data, tmp_path, source
):
    shards = SOURCES[source](data, tmp_path)
    expected = list(islice(mixing(shards), 5))
    place = Disturbed(client, 9, kill_all)  # in the second epoch
    assert list(islice(mixing(shards, on=place), 5)) == expected
    assert place.left < 0


@slow
@pytest.mark.parametrize("by", ["uniform", "mistakes"])
def test_workers_come_to_the_bits_of_one_process(client, data, tmp_path, by):
    expected = list(islice(mixing(Shards.split(data, 6), by), 8))
    for shards in (Shards.split(data, 6), on_disk(data, tmp_path)):
        with at(client) as place:
            assert list(islice(mixing(shards, by, on=place), 8)) == expected


@slow
def test_a_worker_that_is_killed_in_an_epoch_changes_no_bit(client, data, tmp_path):
    shards = on_disk(data, tmp_path)
    expected = list(islice(mixing(shards), EPOCHS))
    victim = random.Random(4).choice(sorted(client.run(os.getpid).values()))
    heard = []

    def kill(epoch, done, total):  # between two answers of epoch 10
        if (epoch.n, done) == (9, 3):
            os.kill(victim, signal.SIGKILL)
            heard.append(victim)

    assert list(islice(mixing(shards, on=client, progress=kill), EPOCHS)) == expected
    assert heard == [victim]
    assert victim not in client.run(os.getpid).values()


@slow
def test_a_file_that_is_cut_during_a_run_is_named(client, data, tmp_path):
    shards, file = on_disk(data, tmp_path), tmp_path / "X.npy"
    whole = file.read_bytes()

    def cut(epoch, done, total):
        if (epoch.n, done) == (2, total):
            file.write_bytes(whole[:-999])

    run = mixing(shards, on=client, progress=cut, state=tmp_path / "run")
    with pytest.raises(ValueError, match=r"X.npy has changed since the shards were made"):
        list(run)
    file.write_bytes(whole)  # and mended
    shards = on_disk(data, tmp_path)
    found = list(islice(resume(tmp_path / "run", shards, on=client), 3))
    assert found == list(islice(mixing(shards), 3, 6))


@slow
def test_a_scheduler_that_goes_leaves_a_state(data, tmp_path):
    shards, state = on_disk(data, tmp_path), tmp_path / "run"
    with LocalCluster(n_workers=1, **LOCAL) as workers, Client(workers, timeout=2) as client:

        def go(epoch, done, total):
            if (epoch.n, done) == (3, 1):
                threading.Thread(target=workers.close).start()

        with pytest.raises(ClusterError, match=r"the scheduler at tcp://.* is gone"):
            list(mixing(shards, on=client, state=state, progress=go))
    expected = list(islice(mixing(shards), 8))
    start = resume(state, shards).start
    assert start in expected  # how far it came is a matter of moments
    assert list(islice(resume(state, shards), 8 - start.n)) == expected[start.n :]


SCRIPT = """
import sys
from pathlib import Path
from distributed import LocalCluster
from perceptron_notes.scale import Shards, mixing

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    shards = Shards.from_npy(folder / "X.npy", folder / "y.npy", 6)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as workers:
        print(*[worker.process.pid for worker in workers.workers.values()], flush=True)
        for epoch in mixing(shards, on=workers, state=folder / "run", progress=True):
            print(epoch.n, flush=True)
"""


@slow
def test_ctrl_c_leaves_a_state_and_no_process(data, tmp_path):
    shards = on_disk(data, tmp_path)
    (tmp_path / "learn.py").write_text(SCRIPT)
    running = subprocess.Popen(
        [sys.executable, tmp_path / "learn.py", tmp_path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # as the job of a terminal is
    )
    workers = [int(pid) for pid in running.stdout.readline().split()]
    assert len(workers) == 2
    while running.stdout.readline() != "5\n":
        assert running.poll() is None
    os.killpg(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=120)
    assert "KeyboardInterrupt" in said
    assert "epoch 5:" in said  # the progress, in lines where there is no terminal
    for pid in workers:
        for _ in range(100):
            if not Path(f"/proc/{pid}").exists():
                break
            time.sleep(0.1)
        else:
            pytest.fail(f"worker {pid} is still there")
    start = resume(tmp_path / "run", shards).start
    assert start.n >= 5
    expected = list(islice(mixing(shards), start.n + 3))
    assert start == expected[start.n - 1]
    assert list(islice(resume(tmp_path / "run", shards), 3)) == expected[start.n :]
