"""The ways that `first_call.py` times: ours, the naive ones, and those of other libraries.

Each makes ready, outside of the time, and returns the call that is timed. What the call returns
is compared between the ways of a case that must agree.
"""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from perceptron_notes import native

ENDLESS = 10**9
Row = dict[str, Any]


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


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


def sgd_run(data: Any, case: Row) -> Callable[[], Any]:
    from sklearn.linear_model import SGDClassifier

    X, y = np.ascontiguousarray(data.points), data.y
    constant = {"loss": "perceptron", "learning_rate": "constant", "eta0": 1.0, "penalty": None}
    model = SGDClassifier(**constant, max_iter=case["passes"], tol=None, shuffle=False)
    return lambda: model.fit(X, y).coef_


def mlxtend_run(data: Any, case: Row) -> Callable[[], Any]:
    from mlxtend.classifier import Perceptron

    X, positive = np.ascontiguousarray(data.points), (data.y > 0).astype(int)
    model = Perceptron(eta=1.0, epochs=case["passes"], random_seed=1)
    return lambda: model.fit(X, positive).w_


def river_run(data: Any, case: Row) -> Callable[[], Any]:
    from river.linear_model import Perceptron

    samples = [dict(enumerate(map(float, x))) for x in data.points]
    labels, model = (data.y > 0).tolist(), Perceptron()

    def call() -> Any:
        for _ in range(case["passes"]):
            for x, label in zip(samples, labels, strict=True):
                model.learn_one(x, label)
        return list(model.weights.values())

    return call


def vowpal_run(data: Any, case: Row) -> Callable[[], Any]:
    """Vowpal Wabbit, which reads text: passes of stochastic gradient descent on the hinge loss."""
    from vowpalwabbit import Workspace

    folder = tempfile.mkdtemp()
    lines = (
        f"{label} | " + " ".join(f"{j}:{value!r}" for j, value in enumerate(x))
        for x, label in zip(data.points.tolist(), data.y.tolist(), strict=True)
    )
    Path(folder, "samples").write_text("\n".join(lines) + "\n")
    files = {"data": f"{folder}/samples", "cache_file": f"{folder}/cache", "k": True}
    constant = {"loss_function": "hinge", "sgd": True, "l": 1, "power_t": 0, "quiet": True}

    def call() -> Any:
        model = Workspace(**files, **constant, passes=case["passes"], holdout_off=True)
        shutil.rmtree(folder)
        return model.get_weight_from_name("0")

    return call


def numba_run(data: Any, case: Row) -> Callable[[], Any]:
    import numba_loops

    X, y = data.X, data.y.astype(float)
    return lambda: numba_loops.pla(X, y, case["passes"])


def estimator_run(data: Any, case: Row) -> Callable[[], Any]:
    from perceptron_notes.estimators import PLAClassifier

    X, y = np.ascontiguousarray(data.points), data.y
    model = PLAClassifier(max_updates=ENDLESS)

    def call() -> Any:
        model.fit(X, y)
        return np.append(model.intercept_, model.coef_)

    return call


def raw_run(data: Any, case: Row) -> Callable[[], Any]:
    """From raw arrays, which are checked and copied first."""
    from perceptron_notes import Dataset, last, pla

    X, y = np.ascontiguousarray(data.points), data.y
    return lambda: last(pla(Dataset(X, y)), at_most=ENDLESS).w


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


def our_tour(data: Any, case: Row) -> Callable[[], Any]:
    """Pocket that watches a run in turn."""
    from perceptron_notes import last, pla, pocket

    return lambda: last(pocket(data, pla(data)), at_most=case["updates"]).best


def numba_tour(data: Any, case: Row) -> Callable[[], Any]:
    import numba_loops

    X, y = data.X, data.y.astype(float)
    return lambda: numba_loops.pocket(X, y, case["updates"])


def our_average(data: Any, case: Row) -> Callable[[], Any]:
    from perceptron_notes import average, last, pla

    return lambda: last(average(data, pla(data)), passes=case["passes"]).average


def numba_average(data: Any, case: Row) -> Callable[[], Any]:
    import numba_loops

    X, y = data.X, data.y.astype(float)
    return lambda: numba_loops.average(X, y, case["passes"])


def sgd_average(data: Any, case: Row) -> Callable[[], Any]:
    from sklearn.linear_model import SGDClassifier

    X, y = np.ascontiguousarray(data.points), data.y
    constant = {"loss": "perceptron", "learning_rate": "constant", "eta0": 1.0, "penalty": None}
    passes = {"max_iter": case["passes"], "tol": None, "shuffle": False}
    model = SGDClassifier(**constant, **passes, average=True)

    def call() -> Any:
        model.fit(X, y)
        return np.append(model.intercept_, model.coef_)

    return call


def our_classes(data: Any, case: Row) -> Callable[[], Any]:
    from perceptron_notes import last
    from perceptron_notes.multiclass import multi_pla

    return lambda: last(multi_pla(data), passes=case["passes"]).w


def numba_classes(data: Any, case: Row) -> Callable[[], Any]:
    import numba_loops

    return lambda: numba_loops.classes(data.X, data.y, data.K, case["passes"])


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


def numba_dual(data: Any, case: Row) -> Callable[[], Any]:
    import numba_loops

    G, y = gram_of(data), data.y.astype(float)
    return lambda: numba_loops.dual(G, y, case["updates"])


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
    C, iterations = case["LinearSVC"]
    model = LinearSVC(loss="hinge", C=C, max_iter=iterations, random_state=0)

    def call() -> Any:
        model.fit(X, y)
        return np.append(model.intercept_, model.coef_)

    return call


def liblinear(data: Any, case: Row) -> Callable[[], Any]:
    from liblinear.liblinearutil import train

    X, y = np.ascontiguousarray(data.points), data.y.astype(float)
    C, tolerance = case["liblinear"]

    def call() -> Any:
        w, b = train(y, X, f"-s 3 -c {C} -e {tolerance} -B 1 -q").get_decfun()
        w = np.append(b, w)
        return w if y[0] > 0 else -w  # its positive class is the first that it meets

    return call


def snapml(data: Any, case: Row) -> Callable[[], Any]:
    from snapml import SupportVectorMachine

    X, y = np.ascontiguousarray(data.points), data.y
    strength, iterations = case["SnapML"]
    model = SupportVectorMachine(
        regularizer=strength, max_iter=iterations, fit_intercept=True, n_jobs=1, random_state=0
    )

    def call() -> Any:
        model.fit(X, y)
        return np.append(model.intercept_, model.coef_)

    return call


#: Settings to try, each with less care first: what finds a separator soonest is raced.
SETTINGS: dict[str, list[tuple[float, float]]] = {
    "LinearSVC": [(C, k) for C in (1.0, 100.0, 1e4, 1e6) for k in (1, 3, 10, 30, 100)],
    "liblinear": [(C, e) for C in (1.0, 100.0, 1e4) for e in (10.0, 1.0, 0.1)],
    "SnapML": [(strength, k) for strength in (1.0, 1e-2, 1e-4) for k in (1, 3, 10, 30, 100)],
}


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
    "numba": (numba_run, {}),
    "SGDClassifier": (sgd_run, {}),
    "mlxtend": (mlxtend_run, {}),
    "river": (river_run, {}),
    "Vowpal Wabbit": (vowpal_run, {}),
    "PLAClassifier": (estimator_run, {}),
    "pocket": (our_pocket, {}),
    "pocket in NumPy": (our_pocket, NUMPY),
    "naive pocket": (naive_pocket, {}),
    "tour": (our_tour, {}),
    "numba tour": (numba_tour, {}),
    "average": (our_average, {}),
    "numba average": (numba_average, {}),
    "SGDClassifier average": (sgd_average, {}),
    "classes": (our_classes, {}),
    "numba classes": (numba_classes, {}),
    "scikit-learn classes": (sklearn_run, {}),
    "random": (our_random, {}),
    "random in NumPy": (our_random, NUMPY),
    "naive random": (naive_random, {}),
    "dual": (our_dual, {}),
    "dual in NumPy": (our_dual, NUMPY),
    "numba dual": (numba_dual, {}),
    "formula": (formula_dual, {}),
    "separate": (our_separator, {}),
    "LinearSVC": (linear_svc, {}),
    "liblinear": (liblinear, {}),
    "SnapML": (snapml, {}),
    "steps": (our_steps, {}),
    "memory": (our_memory, {}),
    "raw arrays": (raw_run, {}),
}
#: The kinds of processor that this one can be; our runs by the loops of each.
KINDS = () if native.loops == "none" else native._loops.kinds()
for kind in KINDS:
    WAYS[f"ours, {kind}"] = our_run, {"PERCEPTRON_NOTES_ENGINE": kind}
    WAYS[f"pocket, {kind}"] = our_pocket, {"PERCEPTRON_NOTES_ENGINE": kind}
