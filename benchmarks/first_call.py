"""Measure what a user meets: the first call in a fresh process, nothing warmed.

    make speed

Every time is of one call in an interpreter that did nothing before but load its data: the time of
the processor, so that what else the machine does hardly counts. Where numba's loops run beside
ours, further calls in the same process are timed as well. The ways of a case take turns,
round after round; a ratio is the median over the rounds. All ways get one thread. Names of
sections may be given to measure only these:

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
from ways import ENDLESS, KINDS, SETTINGS, WAYS, Row, rng

RESULTS = Path(__file__).parent / "results" / "first_call.json"
ROUNDS, AGAIN = 5, 5
#: What is raced against scikit-learn.
BESIDE = ["ours", "scikit-learn", "ours in NumPy", "numba"]


# --------------------------------------------------------------------------- fresh processes


def child(way: str, file: str, case: str) -> None:
    """In a fresh process: load the samples, and time the first call, and more if that is asked."""
    from perceptron_notes import Dataset
    from perceptron_notes.multiclass import Classes

    warnings.simplefilter("ignore")
    asked = json.loads(case)
    with np.load(file) as kept:
        data = (Classes if asked.get("classes") else Dataset)(kept["points"], kept["labels"])
    call = WAYS[way][0](data, asked)
    took, found = timed(call)
    again = [timed(call)[0] for _ in range(asked.get("again", 0))] or [took]
    mistakes = -1
    if np.shape(found) == (data.X.shape[1],):
        mistakes = int((~(data.y * (data.X @ found) > 0)).sum())
    told = {"seconds": took, "found": np.sum(found).item(), "mistakes": mistakes}
    print(json.dumps(told | {"again": float(np.median(again))}))


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """The seconds of the processor that a call takes, and what it returns."""
    start = time.process_time()
    found = call()
    return time.process_time() - start, found


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
    if "again" in case:
        again = {way: [run["again"] for run in found[way]] for way in ways}
        row["again"] = {way: float(np.median(took)) for way, took in again.items()}
        row["ratio again"] = {way: ratio(again[way], again[ways[0]]) for way in ways[1:]}
    print(json.dumps(row), flush=True)
    ours = [way for way in ways if way.removesuffix(" in NumPy") == ways[0]]
    assert len({found[way][0]["found"] for way in ours}) == 1, "the two engines differ"
    for way in filter(lambda way: way.startswith("numba"), ways):
        same = np.isclose(found[way][0]["found"], found[ways[0]][0]["found"], rtol=1e-9)
        assert same, "numba's loop ends with other weights"
    return row


# --------------------------------------------------------------------------------- sections


def against_sklearn() -> list[Row]:
    """To the first clean pass, or through as many passes where there is none; numba too."""
    from sklearn.datasets import load_breast_cancer, load_digits, load_iris

    from perceptron_notes import Dataset, last, pla
    from perceptron_notes.datasets import halfspaces

    rows = []
    sizes = ((10**6, 2), (10**5, 10), (10**4, 100), (10**5, 100), (10**3, 100), (10**2, 2))
    for n, d in sizes:
        data = halfspaces(n, d, distance=0.05, rng=rng())
        passes = last(pla(data), at_most=ENDLESS).passes
        case = {"passes": passes, "capped": False, "again": AGAIN}
        rows.append(compared("margin .05", data, case, BESIDE))
    flowers, cells, digits = load_iris(), load_breast_cancer(), load_digits()
    scaled = (cells.data - cells.data.mean(axis=0)) / cells.data.std(axis=0)
    for name, X, positive in (
        ("digits, 8", digits.data, digits.target == 8),
        ("breast cancer", scaled, cells.target == 1),
        ("iris, virginica", flowers.data, flowers.target == 2),
    ):
        case = {"passes": 50, "capped": True, "again": AGAIN}
        rows.append(compared(name, Dataset(X, np.where(positive, 1, -1)), case, BESIDE))
    return rows


def against_numba() -> list[Row]:
    """Other runs beside the loops that one would write, and beside scikit-learn's."""
    from perceptron_notes.multiclass import Classes

    chance, again = rng(), {"again": AGAIN}
    points = chance.standard_normal((20_000, 50))
    ten = Classes(points, (points @ chance.standard_normal((50, 10))).argmax(axis=1))
    passes, updates = {"passes": 3, "capped": True} | again, {"updates": 300} | again
    averages = ["average", "SGDClassifier average", "numba average"]
    classes = ["classes", "scikit-learn classes", "numba classes"]
    short = {"passes": 5, "capped": True} | again
    return [
        compared(
            "5% flipped, 100,000 × 10",
            noisy(10**5, 10, 20),
            short,
            ["ours", "scikit-learn", "numba"],
        ),
        compared("average, 100,000 × 30", noisy(10**5, 30, 20), passes, averages),
        compared("10 classes, 20,000 × 50", ten, passes | {"classes": True}, classes),
        compared("Pocket, 100,000 × 20", noisy(10**5, 20), updates, ["tour", "numba tour"]),
        compared("dual, 2000 samples", noisy(2000, 10), updates, ["dual", "numba dual"]),
    ]


def processors() -> list[Row]:
    """The loops of each kind of processor, side by side."""
    from perceptron_notes import last, pla
    from perceptron_notes.datasets import halfspaces

    rows = []
    for n, d in ((10**5, 10), (10**3, 100), (10**4, 100), (10**5, 100)):
        data = halfspaces(n, d, distance=0.05, rng=rng())
        case = {"passes": last(pla(data), at_most=ENDLESS).passes, "capped": False}
        ways = ["ours", *(f"ours, {kind}" for kind in KINDS), "ours in NumPy", "scikit-learn"]
        rows.append(compared("margin .05", data, case, ways))
    case = {"updates": 300}
    ways = ["pocket", *(f"pocket, {kind}" for kind in KINDS), "pocket in NumPy"]
    return [*rows, compared("Pocket", noisy(50_000, 60), case, ways)]


def raw_arrays() -> list[Row]:
    """From arrays that nobody has checked, to the first clean pass."""
    from perceptron_notes import last, pla
    from perceptron_notes.datasets import halfspaces

    rows = []
    for n, d in ((10**6, 2), (10**5, 10), (10**4, 100), (10**5, 100), (10**3, 100)):
        data = halfspaces(n, d, distance=0.05, rng=rng())
        case = {"passes": last(pla(data), at_most=ENDLESS).passes, "capped": False}
        rows.append(
            compared("raw arrays", data, case, ["raw arrays", "PLAClassifier", "scikit-learn"])
        )
    return rows


def all_libraries() -> list[Row]:
    """Every library for the same number of passes over the same data."""
    from perceptron_notes import last, pla
    from perceptron_notes.datasets import halfspaces

    rows = []
    for n, d in ((1000, 2), (10**4, 10), (10**4, 100)):
        data = halfspaces(n, d, distance=0.2, rng=rng())
        case = {"passes": last(pla(data), at_most=ENDLESS).passes, "capped": False}
        ways = ["ours", "PLAClassifier", "ours in NumPy", "naive"]
        ways += ["scikit-learn", "SGDClassifier", "mlxtend", "river", "Vowpal Wabbit"]
        rows.append(compared("all libraries", data, case, ways))
    return rows


def imports() -> Row:
    """Seconds until the package is imported, and NumPy alone."""
    timed = (
        "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"
    )
    took: dict[str, list[float]] = {"numpy": [], "perceptron_notes": []}
    for _ in range(4 * ROUNDS):
        for name, times in took.items():
            command = [sys.executable, "-c", timed.format(name)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            times.append(float(done.stdout))
    row = {
        "seconds": {name: float(np.median(times)) for name, times in took.items()},
        "ratio": ratio(took["perceptron_notes"], took["numpy"]),
    }
    print(json.dumps(row), flush=True)
    return row


def noisy(n: int, d: int, every: int = 10) -> Any:
    """Samples of which every tenth has the wrong label."""
    from perceptron_notes.datasets import flip_labels, halfspaces

    chance = rng()
    return flip_labels(halfspaces(n, d, distance=0.05, rng=chance), n // every, rng=chance)


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
    from perceptron_notes.datasets import flip_labels, rings

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
    """A certified separator, against the settings with which others find one soonest."""
    from perceptron_notes.datasets import halfspaces

    rows = []
    for n, d in ((10**5, 10), (10**4, 100), (10**5, 100)):
        for margin in (0.02, 0.05):
            data = halfspaces(n, d, distance=margin, rng=rng())
            best = {way: best_settings(data, way) for way in SETTINGS}
            found = [way for way in SETTINGS if best[way]]
            case = {"margin": margin, **best}
            rows.append(compared("separate", data, case, ["separate", *found]))
    return rows


def best_settings(data: Any, way: str) -> tuple[float, float] | None:
    """The settings with which a library makes no mistake after the least time, if there are any."""
    best, least = None, 60.0
    warnings.simplefilter("ignore")
    for settings in SETTINGS[way]:
        call = WAYS[way][0](data, {way: settings})
        start = time.perf_counter()
        w = call()
        took = time.perf_counter() - start
        if took < least and (data.y * (data.X @ w) > 0).all():
            best, least = settings, took
    return best


def steps() -> Row:
    """Seconds a step, seen from Python; and of the search that is part of it."""
    from perceptron_notes import last, pla
    from perceptron_notes.datasets import halfspaces

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
    from perceptron_notes.datasets import halfspaces

    data = halfspaces(10**6, 100, distance=0.05, rng=rng())
    found = race(data, {}, ["memory"], rounds=1)["memory"][0]
    row = {"n": data.n, "d": data.d, "peak beside the data": found["found"]}
    print(json.dumps(row), flush=True)
    return row


SECTIONS: dict[str, Callable[[], Any]] = {
    "sklearn": against_sklearn,
    "numba": against_numba,
    "processors": processors,
    "raw": raw_arrays,
    "libraries": all_libraries,
    "imports": imports,
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
