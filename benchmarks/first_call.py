"""Measure what a user meets: the first call in a fresh process, nothing warmed.

    make bench

Every time is of one call in an interpreter that did nothing before but load its data. The ways of
a case take turns, round after round, so whatever else the machine does strikes all of them; a
ratio is the median over the rounds. All ways get one thread. Names of sections may be given to
measure only these:

    python benchmarks/first_call.py sklearn pocket
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from measure import machine, ratio, spread

RESULTS = Path(__file__).parent / "results" / "first_call.json"
ENDLESS = 10**9
ROUNDS = 5
Row = dict[str, Any]


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


# ------------------------------------------------------------------------------ the ways
#
# Each makes ready, outside of the time, and returns the call that is timed. What the call returns
# is compared between the ways of a case that must agree.


def our_run(data: Any, case: Row) -> Callable[[], Any]:
    from perceptron_notes import last, pla

    caps = {"passes": case["passes"]} if case["capped"] else {"at_most": ENDLESS}
    return lambda: last(pla(data), **caps).w


def naive_run(data: Any, case: Row) -> Callable[[], Any]:
    """The textbook's loop over the samples, in NumPy."""

    def call() -> Any:
        X, y, w = data.X, data.y, np.zeros(data.X.shape[1])
        for _ in range(case["passes"]):
            for i in range(len(y)):
                if y[i] * (w @ X[i]) <= 0:
                    w = w + y[i] * X[i]
        return w

    return call


def sklearn_run(data: Any, case: Row) -> Callable[[], Any]:
    from sklearn.linear_model import Perceptron

    X, y = np.ascontiguousarray(data.points), data.y
    model = Perceptron(max_iter=case["passes"], tol=None, shuffle=False)

    def call() -> Any:
        model.fit(X, y)
        return np.append(model.intercept_, model.coef_)

    return call


def our_pocket(data: Any, case: Row) -> Callable[[], Any]:
    from perceptron_notes import at_random, last, pla, pocket

    return lambda: last(pocket(data, pla(data, at_random(rng()))), at_most=case["updates"]).best


def naive_pocket(data: Any, case: Row) -> Callable[[], Any]:
    """The textbook's Pocket in NumPy: score all samples, choose a mistake, correct it."""

    def call() -> Any:
        chance, X, y = rng(), data.X, data.y
        w = best = np.zeros(X.shape[1])
        fewest = len(y) + 1
        for _ in range(case["naive updates"]):
            wrong = np.flatnonzero(~(y * (X @ w) > 0))
            if len(wrong) < fewest:
                best, fewest = w, len(wrong)
            i = chance.choice(wrong)
            w = w + y[i] * X[i]
        return best

    return call


def our_random(data: Any, case: Row) -> Callable[[], Any]:
    from perceptron_notes import at_random, last, pla

    return lambda: last(pla(data, at_random(rng())), at_most=case["updates"]).w


def naive_random(data: Any, case: Row) -> Callable[[], Any]:
    """Random PLA as one would write it: all mistakes, then a choice among them."""

    def call() -> Any:
        chance, X, y, w = rng(), data.X, data.y, np.zeros(data.X.shape[1])
        for _ in range(case["naive updates"]):
            i = chance.choice(np.flatnonzero(~(y * (X @ w) > 0)))
            w = w + y[i] * X[i]
        return w

    return call


def gram_of(data: Any) -> Any:
    from perceptron_notes import rbf

    return rbf(1.0)(data.points, data.points)


def our_dual(data: Any, case: Row) -> Callable[[], Any]:
    from perceptron_notes import dual_pla, last

    run = dual_pla(gram_of(data), data.y)
    return lambda: last(run, at_most=case["updates"]).alpha


def formula_dual(data: Any, case: Row) -> Callable[[], Any]:
    """The dual form as the sources write it: each look sums over all samples anew."""
    G = gram_of(data)

    def call() -> Any:
        y, alpha, b, i = data.y, np.zeros(len(data.y)), 0.0, -1
        for _ in range(case["naive updates"]):
            wrong = np.flatnonzero(~(y * (G @ (alpha * y) + b) > 0))
            i = int(wrong[np.searchsorted(wrong, i + 1) % len(wrong)])
            alpha[i] += 1
            b += y[i]
        return alpha

    return call


def our_separator(data: Any, case: Row) -> Callable[[], Any]:
    from perceptron_notes import separate

    return lambda: separate(data).w


def linear_svc(data: Any, case: Row) -> Callable[[], Any]:
    from sklearn.svm import LinearSVC

    X, y = np.ascontiguousarray(data.points), data.y
    model = LinearSVC(loss="hinge", C=case["C"], max_iter=case["iterations"], random_state=0)

    def call() -> Any:
        model.fit(X, y)
        return np.append(model.intercept_, model.coef_)

    return call


def our_steps(data: Any, case: Row) -> Callable[[], Any]:
    from perceptron_notes import pla

    return lambda: sum(1 for _ in pla(data))


def our_memory(data: Any, case: Row) -> Callable[[], Any]:
    from perceptron_notes import last, pla

    def call() -> float:
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
        before = resident("VmRSS")
        last(pla(data), at_most=ENDLESS)
        return (resident("VmHWM") - before) / data.X.nbytes

    return call


def resident(field: str) -> int:
    """Bytes of memory that this process has, or had at most."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(field))


NUMPY = {"PERCEPTRON_NOTES_ENGINE": "numpy"}
#: By name: what makes it ready, and the environment that it gets.
WAYS: dict[str, tuple[Callable[..., Callable[[], Any]], dict[str, str]]] = {
    "ours": (our_run, {}),
    "ours in NumPy": (our_run, NUMPY),
    "naive": (naive_run, {}),
    "scikit-learn": (sklearn_run, {}),
    "pocket": (our_pocket, {}),
    "pocket in NumPy": (our_pocket, NUMPY),
    "naive pocket": (naive_pocket, {}),
    "random": (our_random, {}),
    "random in NumPy": (our_random, NUMPY),
    "naive random": (naive_random, {}),
    "dual": (our_dual, {}),
    "dual in NumPy": (our_dual, NUMPY),
    "formula": (formula_dual, {}),
    "separate": (our_separator, {}),
    "LinearSVC": (linear_svc, {}),
    "steps": (our_steps, {}),
    "memory": (our_memory, {}),
}


# --------------------------------------------------------------------------- fresh processes


def child(way: str, file: str, case: str) -> None:
    """In a fresh process: load the samples, and time one call."""
    from perceptron_notes import Dataset

    warnings.simplefilter("ignore")
    with np.load(file) as kept:
        data = Dataset(kept["points"], kept["labels"])
    call = WAYS[way][0](data, json.loads(case))
    start = time.perf_counter()
    found = call()
    took = time.perf_counter() - start
    mistakes = -1
    if np.shape(found) == (data.X.shape[1],):
        mistakes = int((~(data.y * (data.X @ found) > 0)).sum())
    print(json.dumps({"seconds": took, "found": np.sum(found).item(), "mistakes": mistakes}))


def race(data: Any, case: Row, ways: list[str], rounds: int = ROUNDS) -> dict[str, list[Row]]:
    """What each way found in each round, A B A B …, every time in a process of its own."""
    found: dict[str, list[Row]] = {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/samples.npz"
        np.savez(file, points=data.points, labels=data.y)
        for _ in range(rounds):
            for way in ways:
                command = [sys.executable, __file__, "--child", way, file, json.dumps(case)]
                one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
                settings = os.environ | one | WAYS[way][1]
                done = subprocess.run(command, capture_output=True, text=True, env=settings)
                if done.returncode:
                    raise RuntimeError(f"{way}: {done.stderr}")
                found[way].append(json.loads(done.stdout))
    return found


def compared(name: str, data: Any, case: Row, ways: list[str], rounds: int = ROUNDS) -> Row:
    """One row of the table: the first way is ours, and every other is compared with it."""
    found = race(data, case, ways, rounds)
    updates = {
        way: case.get("naive updates", 1)
        if way.startswith(("naive", "formula"))
        else case.get("updates", 1)
        for way in ways
    }
    times = {way: [run["seconds"] / updates[way] for run in found[way]] for way in ways}
    row = {
        "case": name,
        **case,
        "n": data.n,
        "d": data.d,
        "seconds": {way: float(np.median(took)) for way, took in times.items()},
        "ratio": {way: ratio(times[way], times[ways[0]]) for way in ways[1:]},
        "quartiles": {way: spread(times[way], times[ways[0]]) for way in ways[1:]},
        "mistakes": {way: found[way][0]["mistakes"] for way in ways},
    }
    print(json.dumps(row), flush=True)
    ours = [way for way in ways if way.removesuffix(" in NumPy") == ways[0]]
    assert len({found[way][0]["found"] for way in ours}) == 1, "the two engines differ"
    return row


# --------------------------------------------------------------------------------- sections


def against_sklearn() -> list[Row]:
    """To the first clean pass; on data that have none, through as many passes."""
    from sklearn.datasets import load_breast_cancer, load_digits, load_iris

    from perceptron_notes import Dataset, halfspaces, last, pla

    rows = []
    sizes = ((10**6, 2), (10**5, 10), (10**4, 100), (10**5, 100), (10**3, 100), (10**2, 2))
    for n, d in sizes:
        data = halfspaces(n, d, distance=0.05, rng=rng())
        passes = last(pla(data), at_most=ENDLESS).passes
        ways = ["ours", "scikit-learn", "ours in NumPy", *(["naive"] if n * d <= 10**6 else [])]
        rows.append(compared("margin .05", data, {"passes": passes, "capped": False}, ways))
    flowers, cells, digits = load_iris(), load_breast_cancer(), load_digits()
    scaled = (cells.data - cells.data.mean(axis=0)) / cells.data.std(axis=0)
    for name, X, positive in (
        ("digits, 8", digits.data, digits.target == 8),
        ("breast cancer", scaled, cells.target == 1),
        ("iris, virginica", flowers.data, flowers.target == 2),
    ):
        data, case = Dataset(X, np.where(positive, 1, -1)), {"passes": 50, "capped": True}
        rows.append(compared(name, data, case, ["ours", "scikit-learn", "ours in NumPy", "naive"]))
    return rows


def noisy(n: int, d: int) -> Any:
    """Samples of which every tenth has the wrong label."""
    from perceptron_notes import flip_labels, halfspaces

    chance = rng()
    return flip_labels(halfspaces(n, d, distance=0.05, rng=chance), n // 10, rng=chance)


def pockets() -> list[Row]:
    """Seconds an update of Pocket with random picks."""
    rows = []
    for n, d, updates in (
        (10**3, 2, 8000),
        (10**5, 2, 2000),
        (10**5, 20, 2000),
        (10**5, 100, 1000),
    ):
        case = {"updates": updates, "naive updates": 1000 if n < 10**4 else 60}
        ways = ["pocket", "naive pocket", "pocket in NumPy"]
        rows.append(compared("Pocket", noisy(n, d), case, ways))
    return rows


def duals() -> list[Row]:
    """Seconds an update of the dual form, its Gram matrix given."""
    from perceptron_notes import flip_labels, rings

    rows = []
    for n in (1000, 5000):
        chance = rng()
        data = flip_labels(rings(n, rng=chance), n // 20, rng=chance)
        case = {"updates": 2000, "naive updates": 20}
        rows.append(compared("dual", data, case, ["dual", "formula", "dual in NumPy"]))
    return rows


def random_picks() -> list[Row]:
    """Seconds an update of random PLA."""
    case = {"updates": 5000, "naive updates": 30}
    ways = ["random", "naive random", "random in NumPy"]
    return [compared("random mistakes", noisy(10**5, 100), case, ways)]


def separators() -> list[Row]:
    """A certified separator, against LinearSVC with the settings that find one fastest."""
    from perceptron_notes import halfspaces

    rows = []
    for n, d in ((10**5, 10), (10**4, 100), (10**5, 100)):
        for margin in (0.02, 0.05):
            data = halfspaces(n, d, distance=margin, rng=rng())
            case = {"margin": margin, **best_settings(data)}
            rows.append(compared("separate", data, case, ["separate", "LinearSVC"], rounds=3))
    return rows


def best_settings(data: Any) -> Row:
    """The C and iterations with which LinearSVC first makes no mistake, the fastest of them."""
    best = {"C": 1e6, "iterations": 1000}
    least = float("inf")
    X, y = np.ascontiguousarray(data.points), data.y
    from sklearn.svm import LinearSVC

    warnings.simplefilter("ignore")
    for C in (1.0, 100.0, 1e4, 1e6):
        for iterations in (1, 3, 10, 30, 100):
            model = LinearSVC(loss="hinge", C=C, max_iter=iterations, random_state=0)
            start = time.perf_counter()
            model.fit(X, y)
            took = time.perf_counter() - start
            if took > least:
                break
            if (y * model.decision_function(X) > 0).all():
                best, least = {"C": C, "iterations": iterations}, took
                break
    return best


def steps() -> Row:
    """Seconds a step, seen from Python; and of the search that is part of it."""
    from perceptron_notes import halfspaces, last, pla

    data = halfspaces(1000, 10, distance=0.01, rng=rng())
    made = last(pla(data), at_most=ENDLESS).t + 1
    case = {"passes": None, "capped": False}
    found = race(data, case, ["steps", "ours"])
    each = {way: float(np.median([run["seconds"] for run in found[way]])) / made for way in found}
    row = {"steps": made, "seconds a step": each["steps"], "of them the search": each["ours"]}
    print(json.dumps(row), flush=True)
    return row


def memory() -> Row:
    """The peak of a run beside its data."""
    from perceptron_notes import halfspaces

    data = halfspaces(10**6, 100, distance=0.05, rng=rng())
    found = race(data, {}, ["memory"], rounds=1)["memory"][0]
    row = {"n": data.n, "d": data.d, "peak beside the data": found["found"]}
    print(json.dumps(row), flush=True)
    return row


SECTIONS: dict[str, Callable[[], Any]] = {
    "sklearn": against_sklearn,
    "pocket": pockets,
    "dual": duals,
    "random": random_picks,
    "separate": separators,
    "steps": steps,
    "memory": memory,
}


def main() -> None:
    """Measure the sections that were asked for, and keep the results of the others."""
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sections", nargs="*", help=f"some of {', '.join(SECTIONS)}; all if none")
    names = parser.parse_args().sections or list(SECTIONS)
    unknown = set(names) - set(SECTIONS)
    if unknown:
        parser.error(f"unknown section {sorted(unknown)[0]}; expected some of {list(SECTIONS)}")
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    for name in names:
        print(f"--- {name}", flush=True)
        begun = machine()
        results[name] = {"machine": begun, "results": SECTIONS[name]()}
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
