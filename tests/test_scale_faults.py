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

import numpy as np
import pytest
from distributed import Client, LocalCluster
from faults import FUNCTIONS, SOURCES, outcome, processes

from perceptron_notes.datasets import halfspaces
from perceptron_notes.scale import ClusterError, Shards, at, mixing, resume

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


@pytest.mark.parametrize("source", ["npy", "memory"])
def test_when_all_workers_die_the_run_goes_on_with_those_that_come_back(client, tmp_path, source):
    said, _, same = outcome("all workers killed", source, "mixing", client, tmp_path, None)
    assert (said, same) == ("goes on", True)


#: A walk through the table of `faults.py`, which is printed by running it: half an hour.
KILLED = [(fault, *pair) for fault in ("all workers killed", "memory limits hit")
          for pair in zip([*SOURCES, "parquet"], FUNCTIONS, strict=True)]  # fmt: skip
ENDED = ["one worker silent", "all workers silent", "workers gone for good", "scheduler killed"]


@slow
@pytest.mark.parametrize(("fault", "source", "function"), KILLED)
def test_a_run_goes_on_with_workers_that_come_back(fault, source, function, tmp_path):
    (tmp_path / "data").mkdir()
    with processes(tmp_path) as client:
        said, _, same = outcome(fault, source, function, client, tmp_path / "data", None)
    assert (said, same) == ("goes on", True)


@slow
@pytest.mark.parametrize("fault", ENDED)
@pytest.mark.parametrize("source", ["parquet", "dask array"])
def test_a_run_that_cannot_go_on_says_so_and_can_be_resumed(fault, source, tmp_path):
    (tmp_path / "data").mkdir()
    with processes(tmp_path) as client:
        said, took, same = outcome(
            fault, source, "mixing", client, tmp_path / "data", lambda: processes(tmp_path)
        )
    assert same
    assert took < 120  # and 30 s on a machine that has nothing else to do
    assert said == "goes on" or "\n" not in said


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
