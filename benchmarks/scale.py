"""Parameter mixing on data beyond memory: does it fit, what does it gain, does it last?

    .venv/bin/python benchmarks/scale.py [memory] [parquet] [speed] [files] [kills]

memory: two workers learn from files of four times their memory limits together. parquet: what one
process needs for a file of 2 GB in a single row group. speed: two workers against one process, the
same epochs of the same files. files: one process, files in the page cache against the same data in
memory. kills: a worker of two is killed at a random moment of a run, twenty times; every run must
end with the same bits. All files are Parquet.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from statistics import median
from threading import Timer

os.environ.update(
    dict.fromkeys(["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"], "1")
)

import dask
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from distributed import Client, LocalCluster

from perceptron_notes import Dataset
from perceptron_notes.scale import Shards, mixing

# A LocalCluster gives up a worker that has not been started again after 15 seconds.
dask.config.set({"distributed.deploy.lost-worker-timeout": "10 minutes"})

ROWS, D = 10**6, 50
LIMIT = 384 << 20  # bytes for each worker
ROUNDS, EPOCHS, KILLS = 7, 4, 20
FILES = 4, 8  # in `speed`
LOCAL = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "processes": True}


def noisy(seed, rows=ROWS):
    """Points with labels by a plane of their own number, some of them on the wrong side."""
    rng = np.random.default_rng([2026, seed])
    u = np.random.default_rng(2026).standard_normal(D)
    points = rng.standard_normal((rows, D))
    scores = points @ u + 0.2 * np.linalg.norm(u) * rng.standard_normal(rows)
    return points, np.where(scores > 0, 1, -1)


def epochs(shards, count, on=None):
    """The first epochs of a run."""
    return list(islice(mixing(shards, on=on), count))


def timed(shards, count, on=None):
    """What they take, and the last one."""
    start = time.perf_counter()
    end = epochs(shards, count, on)[-1]
    return time.perf_counter() - start, end


def table(points, labels):
    """A table with a column for each coordinate."""
    return pa.table({**{f"x{j}": x for j, x in enumerate(points.T)}, "label": labels})


def write(folder, rows, count):
    """So many files with so many rows in all; a row group is a tenth of ROWS."""
    for k in range(count):
        size = rows // count
        with pq.ParquetWriter(f"{folder}/{k:02}.parquet", table(*noisy(0, 1)).schema) as file:
            for seed, a in enumerate(range(0, size, ROWS // 10)):
                file.write_table(table(*noisy(100 * k + seed, min(ROWS // 10, size - a))))
    return Shards.from_folder(folder)


def peak():
    """The largest memory that this process has ever had, in bytes."""
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) << 10


def report(what, value, goal=""):
    """A line of the table."""
    print(f"{what:58} {value:>16}   {goal}", flush=True)


def memory():
    """Data of four times the memory limits of both workers."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("SCRATCH")) as scratch:
        shards = write(scratch, 4 * 2 * LIMIT // (8 * D), 16)
        size = sum(file.stat().st_size for file in Path(scratch).iterdir())
        with LocalCluster(memory_limit=LIMIT, **LOCAL) as workers, Client(workers) as client:
            idle = max(client.run(peak).values())
            pids = client.run(os.getpid)
            took, end = timed(shards, 3, client)
            most = max(client.run(peak).values())
            assert client.run(os.getpid) == pids, "a worker was restarted"
        assert end == epochs(shards, 3)[-1], "other weights than in one process"
    report("samples in files", f"{size / 2**20:.0f} MiB")
    report("memory limit of each of two workers", f"{LIMIT / 2**20:.0f} MiB", "4 × both")
    report("most that a worker had, before", f"{idle / 2**20:.0f} MiB")
    report("most that a worker had, after 3 epochs", f"{most / 2**20:.0f} MiB", "below the limit")
    report("3 epochs", f"{took:.1f} s", "the weights of one process, bit for bit")


def parquet():
    """A file of 2 GB in one row group, in a process of its own."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("SCRATCH")) as scratch:
        file = f"{scratch}/0.parquet"
        pq.write_table(table(*noisy(0, 5 * ROWS)), file, row_group_size=5 * ROWS)
        size = os.path.getsize(file)
        command = [sys.executable, "-c", PASS, scratch]
        most = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    report("a Parquet file of one row group", f"{size / 2**20:.0f} MiB")
    report("most that a process had, after an epoch", f"{most / 2**20:.0f} MiB", "at most 256 MiB")


PASS = """
import sys
from pathlib import Path
from perceptron_notes.scale import Shards, mixing
next(iter(mixing(Shards.from_folder(sys.argv[1]))))
print(int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) << 10)
"""


def speed():
    """Two workers against this process. With more shards, messages count for less."""
    for count in FILES:
        with (
            tempfile.TemporaryDirectory(dir=os.environ.get("SCRATCH")) as scratch,
            LocalCluster(memory_limit=0, **LOCAL) as workers,
            Client(workers) as client,
        ):
            shards = write(scratch, count * ROWS // 4, count)
            one, two = [], []
            for _ in range(ROUNDS + 1):  # the first one is not counted
                took, end = timed(shards, EPOCHS)
                one.append(took)
                took, same = timed(shards, EPOCHS, client)
                two.append(took)
                assert end == same
        ratios = sorted(a / b for a, b in zip(one[1:], two[1:], strict=True))
        what = f"{EPOCHS} epochs of {count} files of {ROWS // 4:,} × {D}, one process"
        report(what, f"{median(one):.2f} s")
        report("the same on two workers", f"{median(two):.2f} s")
        report("times faster (median of rounds)", f"{median(ratios):.2f}", "goal: 1.6")
        report("   from … to", f"{ratios[0]:.2f} … {ratios[-1]:.2f}")


def files():
    """Files in the page cache against memory, in this process."""
    points, labels = noisy(0)
    with tempfile.TemporaryDirectory(dir=os.environ.get("SCRATCH")) as scratch:
        for k in range(2):
            half = slice(k * ROWS // 2, (k + 1) * ROWS // 2)
            pq.write_table(table(points[half], labels[half]), f"{scratch}/{k}.parquet")
        out, held = Shards.from_folder(scratch), Shards.split(Dataset(points, labels), 2)
        memory, disk = [], []
        for _ in range(ROUNDS + 1):  # nor here
            took, end = timed(held, EPOCHS)
            memory.append(took)
            took, same = timed(out, EPOCHS)
            disk.append(took)
            assert end == same
    ratios = sorted(a / b for a, b in zip(memory[1:], disk[1:], strict=True))
    report(f"{EPOCHS} epochs of 10⁶ × 50 in memory", f"{median(memory):.2f} s")
    report("the same from files in the page cache", f"{median(disk):.2f} s")
    report("speed of the files (median of rounds)", f"{median(ratios):.2f}")
    report("   from … to", f"{ratios[0]:.2f} … {ratios[-1]:.2f}")


def both(client):
    """The processes of the two workers, when both are there."""
    while True:
        try:
            pids = sorted(client.run(os.getpid).values())
        except OSError:  # one has just been killed, and the scheduler does not know
            pids = []
        if len(pids) == 2:
            return pids
        time.sleep(0.1)


def kills():
    """A worker is killed at a random moment of a run, again and again."""
    rng = np.random.default_rng(2026)
    with tempfile.TemporaryDirectory(dir=os.environ.get("SCRATCH")) as scratch:
        shards = write(scratch, ROWS // 4, 16)
        count, same, lost = 40, 0, []
        with LocalCluster(memory_limit=0, **LOCAL) as workers, Client(workers) as client:
            expected = epochs(shards, count)
            timed(shards, count, client)
            undisturbed, _ = timed(shards, count, client)
            for _ in range(KILLS):
                victim = both(client)[rng.integers(2)]
                killer = Timer(undisturbed * rng.random(), os.kill, (victim, signal.SIGKILL))
                killer.start()
                took, _ = timed_all(shards, count, client, expected)
                killer.join()
                same += 1
                lost.append(took - undisturbed)
    report(f"{count} epochs on two workers, undisturbed", f"{undisturbed:.1f} s")
    report("runs in which a worker was killed", f"{KILLS}")
    report("of these with the bits of the undisturbed run", f"{same}", f"goal: {KILLS}")
    report("what a kill costs (median)", f"{median(lost):.1f} s", f"at most {max(lost):.1f} s")


def timed_all(shards, count, client, expected):
    """A run whose every epoch must be as expected."""
    start = time.perf_counter()
    found = epochs(shards, count, client)
    assert found == expected, "other weights than without the kill"
    return time.perf_counter() - start, found


SECTIONS = {"memory": memory, "parquet": parquet, "speed": speed, "files": files, "kills": kills}

if __name__ == "__main__":
    for name in sys.argv[1:] or SECTIONS:
        print(
            f"\n{name}  (load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors)", flush=True
        )
        SECTIONS[name]()
