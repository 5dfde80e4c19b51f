"""Measure how fast the runs are, against the naive ways and against other libraries.

    make bench

Every figure is a ratio of times taken in turn within one run; before anything is timed, the
results are compared. All ways get one thread. Results go to `results/speed.json`, and
`charts.py` draws them. Names of sections may be given to measure only these:

    python benchmarks/speed.py grid pocket
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from measure import machine, race, ratio, spread
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.linear_model import Perceptron, SGDClassifier
from threadpoolctl import threadpool_limits

from perceptron_notes import (
    Dataset,
    GramRows,
    at_random,
    compiled,
    dual_pla,
    error_count,
    flip_labels,
    gram,
    halfspaces,
    last,
    pla,
    pocket,
    rbf,
    rings,
)
from perceptron_notes.estimators import PLAClassifier
from perceptron_notes.native import Scan

RESULTS = Path(__file__).parent / "results"
ENDLESS = 10**9
Row = dict[str, Any]


@contextmanager
def searching(how: str) -> Iterator[None]:
    """Search with compiled code from the start, or never."""
    before, compiled.COMPILING = compiled.COMPILING, 0 if how == "compiled" else float("inf")
    yield
    compiled.COMPILING = before


def with_search(how: str, call: Callable[[], Any]) -> Callable[[], Any]:
    """The same call, searching so."""

    def wrapped() -> Any:
        with searching(how):
            return call()

    return wrapped


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def passes(data: Dataset, most: int | None = None) -> tuple[int, int]:
    """The passes to the first clean one, at most so many, and the updates in them."""
    n_passes, updates, previous = 1, 0, -1
    for step in pla(data):
        if step.pick is None:
            return n_passes + 1 if updates else 1, updates
        if step.pick <= previous:
            n_passes += 1
            if most is not None and n_passes > most:
                return most, updates
        previous, updates = step.pick, updates + 1
    raise AssertionError("a run ends with a step without a pick")


def medians(times: dict[str, list[float]]) -> dict[str, float]:
    return {way: float(np.median(took)) for way, took in times.items()}


def show(row: Row) -> Row:
    """Print a result as it comes."""
    print(json.dumps(row, default=float), flush=True)
    return row


# ------------------------------------------------------------------- against scikit-learn


def against_sklearn(name: str, data: Dataset, most: int | None = None) -> Row:
    """Our run and theirs, to the same weights; with `most`, to the end of that pass."""
    with searching("compiled"):
        E, T = passes(data, most)
    X, y = np.ascontiguousarray(data.points), data.y
    theirs = Perceptron(max_iter=E, tol=None, shuffle=False)
    cap = ENDLESS if most is None else T
    estimator = PLAClassifier(max_updates=cap)

    def ours() -> Any:
        return last(pla(data), at_most=cap)

    ways = {
        "scikit-learn": lambda: theirs.fit(X, y),
        "compiled": with_search("compiled", ours),
        "numpy": with_search("in numpy", ours),
        "estimator": with_search("compiled", lambda: estimator.fit(X, y)),
    }
    fit, end = ways["scikit-learn"](), ways["compiled"]()
    # Their sums run in another order, so on data where sums round, the ends need not agree.
    same = np.array_equal(np.append(fit.intercept_, fit.coef_), end.w)
    assert np.array_equal(end.w, ways["numpy"]().w)
    times = race(ways)
    base = times.pop("scikit-learn")
    return show(
        {
            "data": name,
            "n": data.n,
            "d": data.d,
            "passes": E,
            "updates": T,
            "same": bool(same),
            "seconds": medians({"scikit-learn": base, **times}),
            "ratio": {way: ratio(base, took) for way, took in times.items()},
            "quartiles": {way: spread(base, took) for way, took in times.items()},
        }
    )


def grid() -> list[Row]:
    """Separable data of all sizes that fit into memory."""
    rows = []
    for d in (2, 10, 100, 784):
        for n in (10**2, 10**3, 10**4, 10**5, 10**6):
            if n * d > 2 * 10**8:
                continue
            rows.append(against_sklearn("separable", halfspaces(n, d, distance=0.2, rng=rng())))
    return rows


def dense() -> list[Row]:
    """Data with a narrow margin, where many visits end in an update."""
    rows = []
    for n, d, margin in ((1000, 2, 0.002), (1000, 10, 0.01), (1000, 100, 0.02), (10**4, 100, 0.05)):
        data = halfspaces(n, d, distance=margin, rng=rng())
        rows.append(against_sklearn(f"margin {margin}", data))
    return rows


def real() -> list[Row]:
    """scikit-learn's own small data sets; those that no hyperplane separates for 50 passes."""
    flowers, cells, digits = load_iris(), load_breast_cancer(), load_digits()
    scaled = (cells.data - cells.data.mean(axis=0)) / cells.data.std(axis=0)
    cases = [
        ("iris, setosa", flowers.data, flowers.target == 0, None),
        ("iris, virginica", flowers.data, flowers.target == 2, 50),
        ("breast cancer", scaled, cells.target == 1, 50),
        ("digits, 0", digits.data, digits.target == 0, None),
        ("digits, 8", digits.data, digits.target == 8, 50),
    ]
    rows = []
    for name, X, positive, most in cases:
        rows.append(against_sklearn(name, Dataset(X, np.where(positive, 1, -1)), most))
    return rows


def peers() -> list[Row]:
    """All libraries for the same number of passes over the same data."""
    return [all_libraries(n, d) for n, d in ((1000, 2), (10**4, 10), (10**4, 100))]


def all_libraries(n: int, d: int) -> Row:
    """One line of the table: every library on n samples."""
    from mlxtend.classifier import Perceptron as MlxtendPerceptron
    from river.linear_model import Perceptron as RiverPerceptron

    data = halfspaces(n, d, distance=0.2, rng=rng())
    with searching("compiled"):
        E, T = passes(data)
    X, y = np.ascontiguousarray(data.points), data.y
    positive, dicts = y > 0, [dict(enumerate(map(float, x))) for x in X]
    theirs = Perceptron(max_iter=E, tol=None, shuffle=False)
    constant = {"loss": "perceptron", "learning_rate": "constant", "eta0": 1.0, "penalty": None}
    sgd = SGDClassifier(**constant, max_iter=E, tol=None, shuffle=False)
    mlxtend = MlxtendPerceptron(eta=1.0, epochs=E, random_seed=1)

    def river() -> None:
        model = RiverPerceptron()
        for _ in range(E):
            for x, label in zip(dicts, positive, strict=True):
                model.learn_one(x, bool(label))

    def ours() -> Any:
        return last(pla(data), at_most=ENDLESS)

    ways = {
        "perceptron_notes, compiled": with_search("compiled", ours),
        "perceptron_notes, NumPy": with_search("in numpy", ours),
        "scikit-learn Perceptron": lambda: theirs.fit(X, y),
        "scikit-learn SGDClassifier": lambda: sgd.fit(X, y),
        "mlxtend Perceptron": lambda: mlxtend.fit(X, positive.astype(int)),
        "river Perceptron": river,
    }
    times = race(ways, budget=10)
    base = times["perceptron_notes, compiled"]
    return show(
        {
            "n": n,
            "d": d,
            "passes": E,
            "updates": T,
            "seconds": medians(times),
            "ratio": {way: ratio(took, base) for way, took in times.items()},
        }
    )


# --------------------------------------------------------------------- one pass, step by step


def python_pass(data: Dataset, w: np.ndarray) -> bool:
    """Whether the textbook's loop over all samples, in plain Python, finds no mistake."""
    weights, X, y = w.tolist(), data.X.tolist(), data.y.tolist()
    return all(
        label * sum(a * b for a, b in zip(weights, x, strict=True)) > 0
        for x, label in zip(X, y, strict=True)
    )


@cache
def reader() -> Callable[[np.ndarray], float]:
    """The sum of all numbers, compiled: nothing that looks at them can be faster."""
    import numba

    @numba.njit(fastmath=True)
    def read(numbers):
        total = 0.0
        for k in range(len(numbers)):
            total += numbers[k]
        return total

    return read


def ladder() -> list[Row]:
    """One clean pass over the samples, each way faster than the one before."""
    return [clean_pass(n, d) for n, d in ((10**6, 2), (10**5, 10), (10**5, 100), (10**6, 100))]


def clean_pass(n: int, d: int) -> Row:
    """One pass over n samples without a mistake, in every way."""
    data = halfspaces(n, d, distance=0.2, rng=rng())
    with searching("compiled"):
        w = last(pla(data), at_most=ENDLESS).w
    X, y, numbers, read = data.X, data.y, data.X.ravel(), reader()
    near = compiled.tolerance(np.abs(w).sum() * data.reach, d + 1)
    loops = compiled.load(d + 1 if d < compiled.SHORT else None)
    ways = {
        "plain Python": lambda: python_pass(data, w),
        "one product": lambda: (y * (X @ w) > 0).all(),
        "blocks": lambda: Scan(data)(w)(0, n) is None,
        "compiled": lambda: loops.look(X, y, w, near, 0, n) is None,
        "reading memory": lambda: read(numbers),
    }
    if n * d > 2 * 10**6:
        del ways["plain Python"]
    with searching("in numpy"):
        assert all(call() for way, call in ways.items() if way != "reading memory")
        times = race(ways, budget=8)
    # What the machine can do at best: here the least disturbed round counts.
    best = {way: min(took) for way, took in times.items()}
    limit = best["reading memory"]
    return show(
        {
            "n": n,
            "d": d,
            "bytes": int(numbers.nbytes),
            "seconds": best,
            "of the read speed": {way: limit / took for way, took in best.items()},
            "gigabytes a second": numbers.nbytes / limit / 1e9,
        }
    )


# ------------------------------------------------------------------ Pocket, dual, random PLA


def by_update(
    naive: Callable[[], Any], few: int, ours: Callable[[], Any], many: int, budget: float
) -> Row:
    """Seconds an update: the naive way for a few updates, ours for many."""
    ways = {
        "naive": naive,
        "numpy": with_search("in numpy", ours),
        "compiled": with_search("compiled", ours),
    }
    times = race(ways, budget)
    each = {
        way: [t / (few if way == "naive" else many) for t in took] for way, took in times.items()
    }
    return {
        "seconds an update": medians(each),
        "ratio": {way: ratio(each["naive"], each[way]) for way in ("numpy", "compiled")},
        "quartiles": {way: spread(each["naive"], each[way]) for way in ("numpy", "compiled")},
    }


def noisy(n: int, d: int) -> Dataset:
    """Samples of which every tenth has the wrong label."""
    chance = rng()
    return flip_labels(halfspaces(n, d, distance=0.05, rng=chance), n // 10, rng=chance)


def naive_pocket(data: Dataset, chance: np.random.Generator, updates: int) -> np.ndarray:
    """The textbook's Pocket in NumPy: score all samples, choose a mistake, correct it."""
    X, y = data.X, data.y
    w = best = np.zeros(data.d + 1)
    fewest = data.n + 1
    for t in range(updates + 1):
        wrong = np.flatnonzero(~(y * (X @ w) > 0))
        if len(wrong) < fewest:
            best, fewest = w, len(wrong)
        if t == updates or not len(wrong):
            break
        i = chance.choice(wrong)
        w = w + y[i] * X[i]
    return best


def pockets() -> list[Row]:
    """Pocket with random picks, an update, against the naive one."""
    sizes = ((10**3, 2, 8000), (10**5, 2, 2000), (10**5, 20, 2000), (10**5, 100, 1000))
    return [pocket_race(*size) for size in sizes]


def pocket_race(n: int, d: int, updates: int) -> Row:
    """Pocket on n samples."""
    data, few = noisy(n, d), 1000 if n < 10**4 else 60

    def ours() -> Any:
        return last(pocket(data, pla(data, at_random(rng()))), at_most=updates)

    ends = [with_search(how, ours)() for how in ("in numpy", "compiled")]
    assert ends[0].best.tobytes() == ends[1].best.tobytes()
    assert ends[0].best_errors == ends[1].best_errors == error_count(ends[0].best, data)
    raced = by_update(lambda: naive_pocket(data, rng(), few), few, ours, updates, budget=12)
    return show({"n": n, "d": d, "updates": updates, **raced})


def naive_random(data: Dataset, chance: np.random.Generator, updates: int) -> np.ndarray:
    """Random PLA as one would write it: all mistakes, then a choice among them."""
    X, y, w = data.X, data.y, np.zeros(data.d + 1)
    for _ in range(updates):
        i = chance.choice(np.flatnonzero(~(y * (X @ w) > 0)))
        w = w + y[i] * X[i]
    return w


def random_picks() -> list[Row]:
    """Random PLA, an update, against a full scan and a choice."""
    return [random_race(n, d) for n, d in ((10**4, 10), (10**5, 100))]


def random_race(n: int, d: int) -> Row:
    """Random PLA on n samples."""
    data = noisy(n, d)

    def ours() -> Any:
        return last(pla(data, at_random(rng())), at_most=5000)

    raced = by_update(lambda: naive_random(data, rng(), 30), 30, ours, 5000, budget=8)
    return show({"n": n, "d": d, **raced})


def formula_dual(G: np.ndarray, y: np.ndarray, updates: int) -> np.ndarray:
    """The dual form as the sources write it: each look sums over all samples anew."""
    alpha, b, i = np.zeros(len(y)), 0.0, -1
    for _ in range(updates):
        wrong = np.flatnonzero(~(y * (G @ (alpha * y) + b) > 0))
        i = int(wrong[np.searchsorted(wrong, i + 1) % len(wrong)])
        alpha[i] += 1
        b += y[i]
    return alpha


def dual() -> list[Row]:
    """The dual run, an update, against the formula; and the Gram matrix, whole or by rows."""
    return [dual_race(n) for n in (1000, 5000)]


def dual_race(n: int, few: int = 20, many: int = 2000) -> Row:
    """The dual run on n samples."""
    chance = rng()
    data, kernel = flip_labels(rings(n, rng=chance), n // 20, rng=chance), rbf(1.0)
    G, rows = kernel(data.points, data.points), GramRows(data, kernel)
    rows.made = dict(enumerate(G))  # so that no time goes into making or checking the matrix
    alpha = last(dual_pla(rows, data.y), at_most=40).alpha
    assert np.array_equal(alpha, formula_dual(G, data.y, 40))
    times = race(
        {
            "formula": lambda: formula_dual(G, data.y, few),
            "running scores": lambda: last(dual_pla(rows, data.y), at_most=many),
        },
        budget=8,
    )
    grams = race(
        {
            "whole": lambda: last(dual_pla(gram(data, kernel), data.y), at_most=500),
            "rows": lambda: last(dual_pla(GramRows(data, kernel), data.y), at_most=500),
        },
        budget=8,
    )
    each = {
        way: [t / (few if way == "formula" else many) for t in took] for way, took in times.items()
    }
    return show(
        {
            "n": n,
            "seconds an update": medians(each),
            "ratio": ratio(each["formula"], each["running scores"]),
            "500 updates and the matrix": medians(grams),
            "ratio of the matrix by rows": ratio(grams["whole"], grams["rows"]),
        }
    )


# ------------------------------------------------------------------------------- beginnings


def fresh(code: str) -> float:
    """The number that a fresh interpreter prints, which keeps what it has compiled as usual."""
    kept = Path(tempfile.gettempdir(), "perceptron_notes-bytecode")
    settings = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    settings["PYTHONPYCACHEPREFIX"] = str(kept)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=settings)
    return float(done.stdout)


def beginnings() -> Row:
    """What a user waits for once: the import, and the first compiled run."""
    timed = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"
    times: dict[str, list[float]] = {"numpy": [], "perceptron_notes": []}
    fresh(timed.format("import perceptron_notes"))
    for _ in range(31):
        for name, took in times.items():
            took.append(fresh(timed.format(f"import {name}")))
    data = (
        "from perceptron_notes import *; from perceptron_notes import compiled; d = iris('setosa')"
    )
    first = "compiled.COMPILING = 0; last(pla(d))"
    compiling = [fresh(f"{data}; " + timed.format(first)) for _ in range(5)]
    small = [fresh(f"{data}; " + timed.format("last(pla(d))")) for _ in range(5)]
    found = {
        "import": {
            "seconds": {name: float(np.median(took)) for name, took in times.items()},
            "ratio": ratio(times["perceptron_notes"], times["numpy"]),
        },
        "first compiled run": float(np.median(compiling)),
        "first small run": float(np.median(small)),
    }
    return show(found)


# -------------------------------------------------------------------------------- all of it

SECTIONS: dict[str, Callable[[], Any]] = {
    "ladder": ladder,
    "grid": grid,
    "dense": dense,
    "real": real,
    "peers": peers,
    "pocket": pockets,
    "random": random_picks,
    "dual": dual,
    "beginnings": beginnings,
}


def main() -> None:
    """Measure the sections that were asked for, and keep the results of the others."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sections", nargs="*", help=f"some of {', '.join(SECTIONS)}; all if none")
    names = parser.parse_args().sections or list(SECTIONS)
    unknown = set(names) - set(SECTIONS)
    if unknown:
        parser.error(f"unknown section {sorted(unknown)[0]}; expected some of {list(SECTIONS)}")
    path = RESULTS / "speed.json"
    results = json.loads(path.read_text("utf-8")) if path.exists() else {}
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        for name in names:
            print(f"--- {name}", flush=True)
            begun = machine()
            results[name] = {"machine": begun, "results": SECTIONS[name]()}
            RESULTS.mkdir(exist_ok=True)
            path.write_text(json.dumps(results, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
