"""Time the decision before the run, and the proof after it.

    .venv/bin/python benchmarks/convergence.py

`separate` against the linear program "find w with y w·x ≥ 1", which decides the same but gives
neither the largest margin nor a proof; both in turn, on one thread. The certificate is verified
within the time of `separate`. Then what an update costs in the ledger.
"""

import os
import time
from statistics import median

os.environ.update(
    dict.fromkeys(["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"], "1")
)

import numpy as np
from scipy.optimize import linprog

from perceptron_notes import Dataset, certify, ledger, pla, record, separate
from perceptron_notes.datasets import flip_labels, halfspaces

ROUNDS = 3
FASTER = {10: 50, 100: 40}  # how many times, at least
PER_UPDATE = 2.0  # microseconds, at most
UPDATES = 10**5


def seconds(function, *arguments):
    """What a call takes, and what it returns."""
    start = time.perf_counter()
    answer = function(*arguments)
    return time.perf_counter() - start, answer


def decide(data):
    """Whether the data are separable, by a certificate that is verified once more."""
    answer = separate(data)
    assert answer.verify(data)
    return answer.separable


def program(data, limit):
    """The same by a linear program; None if the limit in seconds came first."""
    Z, free = data.y[:, None] * data.X, (None, None)
    found = linprog(
        np.zeros(data.d + 1),
        A_ub=-Z,
        b_ub=-np.ones(data.n),
        bounds=free,
        method="highs",
        options={"time_limit": limit},
    )
    return {0: True, 1: None, 2: False}[found.status]


def compare(data, patience):
    """The seconds of both, in turn, and whether the program ended in `patience` times ours."""
    ours, theirs, ended = [], [], True
    for _ in range(ROUNDS):
        took, answer = seconds(decide, data)
        ours.append(took)
        limit = max(60, patience * took)
        took, other = seconds(program, data, limit)
        theirs.append(took)
        ended = other is not None
        if not ended:
            break
        assert other == answer
    return ours, theirs, ended


def decisions():
    """The table of `separate` against the linear program."""
    rng = np.random.default_rng(2026)
    print("n = 100 000           separate      linprog    times faster")
    for d in (10, 100):
        apart = halfspaces(100_000, d, distance=0.05, rng=rng)
        for name, data in ("separable", apart), ("obstructed", flip_labels(apart, 1000, rng=rng)):
            ours, theirs, ended = compare(data, patience=3 * FASTER[d])
            ratio = median(b / a for a, b in zip(ours, theirs, strict=False))
            more = "" if ended else "more than "
            print(
                f"d = {d:3} {name:11} {median(ours):7.2f} s {median(theirs):10.1f} s    "
                f"{more}{ratio:.0f}   (at least {FASTER[d]})"
            )


def rows():
    """What the ledger costs, on data with short numbers, and with all 53 bits."""
    rng = np.random.default_rng(2026)
    print(f"\n{UPDATES} updates, d = 10         µs an update")
    points = rng.standard_normal((20_000, 10))  # so many that the margin is thin, the run long
    labels = np.where(points @ rng.standard_normal(10) > 0, 1, -1)
    short = np.round(points * 2**12) / 2**12
    for name, table in ("multiples of 1/4096", short), ("53 bits", points):
        data = Dataset(table, labels)
        c = certify(data, separate(data))
        trace = record(pla(data), at_most=UPDATES)
        assert trace.updates == UPDATES
        took = median(seconds(ledger, c, trace)[0] for _ in range(2 * ROUNDS + 1))
        print(f"{name:26} {took / UPDATES * 1e6:5.2f}   (at most {PER_UPDATE})")


if __name__ == "__main__":
    decisions()
    rows()
