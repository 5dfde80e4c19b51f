"""Runs over shards that are disturbed, and what becomes of them: fault x source x function.

    .venv/bin/python tests/faults.py [--all] [fault ...]

prints a table with the outcome of each, the seconds from the fault to it, and whether the bits are
those of the undisturbed run: at once if the run goes on, or else after a sentence, with new workers
and, for `mixing`, with `resume`. Without --all, each function is tried on .npy files and each
source with `mixing`; a kill of all workers is always tried on all.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

import dask.array
import dask.dataframe
import numpy as np
import pandas as pd
from distributed import Client

from perceptron_notes import last
from perceptron_notes.datasets import halfspaces
from perceptron_notes.scale import (
    ClusterError,
    Shards,
    average_mixing,
    average_over,
    error_counts_over,
    mixing,
    pla_over,
    pocket_over,
    resume,
    separate_over,
)
from perceptron_notes.scale.cluster import There

COUNT, LIMIT = 6, 400 << 20  # shards, and bytes of memory of a worker
DATA = halfspaces(2000, 5, distance=0.01, rng=np.random.default_rng(3))

# ------------------------------------------------------------------------------- sources


def npy(data, folder):
    np.save(folder / "X.npy", data.points)
    np.save(folder / "y.npy", data.y)
    return Shards.from_npy(folder / "X.npy", folder / "y.npy", COUNT)


def frame(data):
    points = {f"x{j}": column for j, column in enumerate(data.points.T)}
    return pd.DataFrame({**points, "label": data.y})


def parquet(data, folder):
    for k, rows in enumerate(np.array_split(np.arange(data.n), COUNT)):
        frame(data).iloc[rows].to_parquet(folder / f"{k}.parquet", index=False)
    return Shards.from_folder(folder)


def dask_array(data, folder):
    chunks = -(-data.n // COUNT)
    points = dask.array.from_array(data.points, chunks=(chunks, data.d))
    return Shards.from_dask(points, dask.array.from_array(data.y, chunks=chunks))


def dask_frame(data, folder):
    return Shards.from_dask(dask.dataframe.from_pandas(frame(data), npartitions=COUNT), "label")


def made(data, folder):
    parts = np.array_split(np.arange(data.n), COUNT)

    def make(seed):
        return data[parts[seed].tolist()]

    return Shards.generate(make, range(COUNT))


SOURCES = {
    "memory": lambda data, folder: Shards.split(data, COUNT),
    "npy": npy,
    "parquet": parquet,
    "dask array": dask_array,
    "dask frame": dask_frame,
    "made on workers": made,
}

# ----------------------------------------------------------------------------- functions


def some_epochs(shards, on, state=None):
    if state is not None and state.exists():
        start = resume(state, shards, on=on)
        return [*islice(mixing(shards), start.start.n), *islice(start, 5 - start.start.n)]
    return list(islice(mixing(shards, on=on, state=state), 5))


FUNCTIONS = {
    "mixing": some_epochs,
    "average_mixing": lambda s, on, _: last(average_mixing(mixing(s, on=on)), passes=5),
    "pla_over": lambda s, on, _: last(pla_over(s, on=on), passes=2),
    "average_over": lambda s, on, _: last(average_over(s, pla_over(s, on=on)), passes=2),
    "pocket_over": lambda s, on, _: last(pocket_over(s, mixing(s, on=on), on=on), passes=5),
    "error_counts_over": lambda s, on, _: error_counts_over(np.eye(6), s, on=on).tolist(),
    "separate_over": lambda s, on, _: repr(separate_over(s, on=on)),
}

# -------------------------------------------------------------------------------- faults


class Disturbed(There):
    """Workers to whom something happens when so many answers have come."""

    def __init__(self, client, after, fault):
        super().__init__(client)
        self.left, self.fault, self.when = after, fault, None

    def each(self, task, shards, *arguments, progress=None):
        def heard(done, total):
            self.left -= 1
            if self.left == 0:
                self.when = time.monotonic()
                self.fault(self.client)
            if progress is not None:
                progress(done, total)

        return super().each(task, shards, *arguments, progress=heard)


def end(pids, how=signal.SIGKILL):
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, how)


def kill_workers(client):
    end(client.run(os.getpid).values())


def kill_nannies(client):
    end([*client.run(os.getppid).values(), *client.run(os.getpid).values()])


def kill_scheduler(client):
    end([client.run_on_scheduler(os.getpid)])


def silence_one(client):
    end(sorted(client.run(os.getpid).values())[:1], signal.SIGSTOP)


def silence_all(client):
    end(client.run(os.getpid).values(), signal.SIGSTOP)


def fill_memory(client):
    def hog():
        import threading

        import numpy as np

        def fill():
            import time

            full = np.ones(3 * 400 << 17)  # three times the limit
            time.sleep(60 + full[0])

        threading.Thread(target=fill, daemon=True).start()

    pids = client.run(os.getpid).values()
    client.run(hog)
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        time.sleep(0.05)


FAULTS = {
    "all workers killed": kill_workers,
    "memory limits hit": fill_memory,
    "one worker silent": silence_one,
    "all workers silent": silence_all,
    "workers gone for good": kill_nannies,
    "scheduler killed": kill_scheduler,
}


@contextmanager
def processes(folder):
    """A scheduler and two workers with nannies, each a process; the client of them."""
    file = Path(folder) / f"scheduler-{time.monotonic_ns()}.json"
    run = [sys.executable, "-m"]
    at = ["--scheduler-file", file]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
    dashboard = ["--dashboard-address", ":0", "--port", "0"]
    workers = ["--nworkers", "2", "--nthreads", "1", "--memory-limit", str(LIMIT), "--no-dashboard"]
    started = [
        subprocess.Popen([*run, "distributed.cli.dask_scheduler", *at, *dashboard], **quiet),
        subprocess.Popen([*run, "distributed.cli.dask_worker", *at, *workers], cwd=folder, **quiet),
    ]
    pids = []
    try:
        while not file.exists():
            time.sleep(0.05)
        with Client(scheduler_file=str(file), timeout=60) as client:
            client.wait_for_workers(2, timeout=120)
            pids = [*client.run(os.getpid).values(), *client.run(os.getppid).values()]
            yield client
    finally:
        for process in started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        end(pids)


def outcome(fault, source, function, client, folder, anew):
    """What becomes of a run: in words, after how many seconds, and whether the bits are right.

    `anew` opens other workers for what a sentence has ended.
    """
    folder, state = Path(folder), Path(folder) / "state"
    shards, call = SOURCES[source](DATA, folder), FUNCTIONS[function]
    expected = call(shards, None, None)
    place = Disturbed(client, 2 if function == "error_counts_over" else COUNT + 2, FAULTS[fault])
    try:
        found, said = call(shards, place, state), "goes on"
        took = time.monotonic() - place.when
    except ClusterError as error:
        took, said = time.monotonic() - place.when, str(error)
        with anew() as other:
            found = call(shards, other, state)
    return said, took, found == expected


def cells(faults=FAULTS, whole=False):
    """The combinations that are tried."""
    for fault in faults:
        for source in SOURCES:
            for function in FUNCTIONS:
                few = source == "npy" or function == "mixing"
                if whole or few or fault == "all workers killed":
                    yield fault, source, function


def main(*words):
    faults = [word for word in words if word != "--all"] or FAULTS
    print(
        "| fault | source | function | outcome | seconds | same bits |\n|---|---|---|---|--:|---|"
    )
    for fault, source, function in cells(faults, "--all" in words):
        with tempfile.TemporaryDirectory() as scratch, processes(scratch) as client:
            folder = Path(scratch) / "data"
            folder.mkdir()
            said, took, same = outcome(
                fault, source, function, client, folder, lambda: processes(scratch)
            )
        bits = "yes" if same else "NO"
        print(f"| {fault} | {source} | {function} | {said} | {took:.1f} | {bits} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
