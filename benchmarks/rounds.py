"""Measure what an epoch on a cluster is made of, for the model on the page on speed.

    .venv/bin/python benchmarks/rounds.py

How many bytes of samples a process looks through in a second, alone and with another at its side,
and how many where it must read them from Parquet files first (processor time); how the times of
equal passes spread; what a task costs a scheduler; and how fast weights travel.
The results go into benchmarks/results/rounds.json.
"""

import json
import os
import tempfile
import time
from pathlib import Path
from statistics import median

os.environ.update(
    dict.fromkeys(["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"], "1")
)

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from distributed import Client, LocalCluster
from measure import machine

from perceptron_notes import Dataset, last, pla
from perceptron_notes.scale import Shards, mixing

RESULTS = Path(__file__).parent / "results" / "rounds.json"
N, D = 10**6, 50
PASSES, SMALL = 9, 200
TASKS = (8, 16, 32, 64, 128, 256)
ROUNDS, SENT = 7, 10**6


def passes(number, n, times):
    """Times of passes in which every sample is right, over n samples of this process's own."""
    rng = np.random.default_rng(number)
    points = rng.standard_normal((n, D))
    data, w = Dataset(points, np.ones(n)), np.zeros(D + 1)
    w[0] = 1e6  # far beyond all scores: no sample is a mistake
    found = []
    for _ in range(times):
        start = time.perf_counter()
        assert last(pla(data, w0=w), passes=1).t == 0
        found.append(time.perf_counter() - start)
    return found


def epochs_of_files():
    """Seconds of the processor for an epoch over files in the page cache, again and again."""
    points = np.random.default_rng(0).standard_normal((N // 4, D))
    columns = {f"x{j}": x for j, x in enumerate(points.T)}
    table = pa.table({**columns, "label": np.where(points[:, 0] > 0, 1, -1)})
    with tempfile.TemporaryDirectory(dir=os.environ.get("SCRATCH")) as folder:
        for k in range(4):
            pq.write_table(table, f"{folder}/{k}.parquet")
        epochs, found = iter(mixing(Shards.from_folder(folder))), []
        for _ in range(ROUNDS):
            start = time.process_time()
            next(epochs)
            found.append(time.process_time() - start)
    return found


def nothing(k, _round):
    """A task that is over at once."""
    return k


def numbers(k, _round):
    """A task with weights to send back."""
    return np.full(SENT, float(k))


def least(client, task, count):
    """The shortest of some times in which so many tasks were done and answered."""
    found = []
    for r in range(ROUNDS):
        start = time.perf_counter()
        client.gather(client.map(task, range(count), [f"{task.__name__} {r}"] * count, pure=False))
        found.append(time.perf_counter() - start)
    return min(found)


def main():
    """Measure, print and keep."""
    size = 8 * N * (D + 1)
    alone = median(passes(0, N, PASSES))
    spread = passes(0, N // 10, SMALL)
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        both = client.gather(client.map(passes, [1, 2], [N] * 2, [PASSES] * 2, pure=False))
        rounds = [least(client, nothing, count) for count in TASKS]
        travels = least(client, numbers, 8) / 8
    task, start = np.polyfit(TASKS, rounds, 1)
    found = {
        "n": N,
        "d": D,
        "bytes a second": size / alone,
        "bytes a second, two at once": size / median(both[0] + both[1]),
        "bytes a second, from files": size / median(epochs_of_files()),
        "seconds a task": float(task),
        "seconds a round": float(start),
        "rounds": dict(zip(map(str, TASKS), rounds, strict=True)),
        "bytes of weights a second": 8 * SENT / travels,
        "spread": [round(t / median(spread), 3) for t in sorted(spread)],
        "machine": machine(("numpy", "dask", "distributed")),
    }
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    print(json.dumps({k: v for k, v in found.items() if k not in ("spread", "machine")}, indent=1))


if __name__ == "__main__":
    main()
