"""What to use when: mixing beside other libraries on the same data, for chapter 10.

    .venv/bin/python benchmarks/advice.py

Labels of a plane, 5% of them flipped, in Parquet files. Each way reads them, learns
on one core, and is judged by its mistakes on samples that none has seen, 5% of which are flipped
too. The ways take turns; what counts is processor time as a ratio to five epochs of `mixing`. Ways
"in batches" read the blocks of the shards, as mixing does; those "in memory" need all data there.
The results go into benchmarks/results/advice.json.
"""

import json
import os
import tempfile
import time
from pathlib import Path

os.environ.update(
    dict.fromkeys(["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"], "1")
)

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from measure import machine, ratio, spread

from perceptron_notes import last
from perceptron_notes.scale import Shards, average_mixing, mixing

RESULTS = Path(__file__).parent / "results" / "advice.json"
N, D, FLIPPED, COUNT, ROUNDS = 200_000, 50, 0.05, 8, 3
PACKAGES = ("numpy", "scikit-learn", "river", "vowpalwabbit", "liblinear-official", "snapml")
PACKAGES = (*PACKAGES, "xgboost-cpu")


def drawn(seed, n):
    """Samples, with some labels flipped."""
    rng, u = np.random.default_rng([2026, seed]), np.random.default_rng(2026).standard_normal(D)
    points = rng.standard_normal((n, D))
    flips = np.where(rng.random(n) < FLIPPED, -1, 1)
    return points, np.where(points @ u > 0, 1, -1) * flips


def shards(folder):
    return Shards.from_folder(folder)


def arrays(folder):
    data = shards(folder).dataset()
    return data.points, data.y


def mixed(folder, passes):
    return last(mixing(shards(folder)), passes=passes).w


def averaged(folder, passes):
    return last(average_mixing(mixing(shards(folder))), passes=passes).average


def in_batches(model, folder, passes):
    """Weights that `partial_fit` learns from the blocks of the shards."""
    for _ in range(passes):
        for shard in shards(folder):
            for _, block in shard.blocks():
                model.partial_fit(block.X[:, 1:], block.y, classes=[-1, 1])
    return np.append(model.intercept_, model.coef_)


def sklearn_perceptron(folder, passes):
    from sklearn.linear_model import Perceptron

    return in_batches(Perceptron(shuffle=False), folder, passes)


def sklearn_averaged(folder, passes):
    from sklearn.linear_model import SGDClassifier

    return in_batches(SGDClassifier(average=True, shuffle=False), folder, passes)


def sklearn_logistic(folder, passes):
    from sklearn.linear_model import SGDClassifier

    return in_batches(SGDClassifier("log_loss", average=True, shuffle=False), folder, passes)


def river(folder, passes):
    from river.linear_model import Perceptron

    model = Perceptron()
    for _ in range(passes):
        for shard in shards(folder):
            for _, block in shard.blocks():
                for x, label in zip(block.X[:, 1:].tolist(), (block.y > 0).tolist(), strict=True):
                    model.learn_one(dict(enumerate(x)), label)
    return np.array([model.intercept, *(model.weights[j] for j in range(D))])


def vowpal(folder, passes):
    """Vowpal Wabbit with what it does unasked; it reads text, which is written before."""
    from vowpalwabbit import Workspace

    cache = {"cache_file": f"{folder}/cache", "k": True, "passes": passes, "holdout_off": True}
    model = Workspace(data=f"{folder}/text", loss_function="hinge", quiet=True, **cache)
    names = ["Constant", *map(str, range(D))]
    return np.array([model.get_weight_from_name(name) for name in names])


def liblinear(folder, passes):
    from liblinear.liblinearutil import train

    X, y = arrays(folder)
    w, b = train(y.astype(float), X, "-s 2 -B 1 -q").get_decfun()
    return np.append(b, w) * (1 if y[0] > 0 else -1)


def snapml(folder, passes):
    from snapml import LogisticRegression

    model = LogisticRegression(fit_intercept=True, n_jobs=1, random_state=0)
    model.fit(*arrays(folder))
    return np.append(model.intercept_, model.coef_)


def xgboost(folder, passes):
    import xgboost

    X, y = arrays(folder)
    settings = {"booster": "gblinear", "objective": "binary:logistic", "nthread": 1}
    model = xgboost.train(settings, xgboost.DMatrix(X, y > 0), passes)
    found = json.loads(model.save_raw("json"))["learner"]["gradient_booster"]["model"]["weights"]
    return np.array([found[-1], *found[:-1]])


#: What it is called, where its samples are, what it does, and how many passes it is allowed.
WAYS = [
    ("mixing", "in batches", mixed, 5),
    ("average_mixing", "in batches", averaged, 5),
    ("average_mixing", "in batches", averaged, 1),
    ("scikit-learn, Perceptron", "in batches", sklearn_perceptron, 5),
    ("scikit-learn, SGDClassifier(average=True)", "in batches", sklearn_averaged, 1),
    ("scikit-learn, the same with the logistic loss", "in batches", sklearn_logistic, 5),
    ("Vowpal Wabbit, hinge loss", "in batches", vowpal, 1),
    ("river, Perceptron", "in batches", river, 1),
    ("LIBLINEAR, L2-regularised SVM", "in memory", liblinear, None),
    ("SnapML, logistic regression", "in memory", snapml, None),
    ("xgboost, linear booster", "in memory", xgboost, 10),
]


def main():
    """Measure, print and keep."""
    points, labels = drawn(1, N)
    others, truth = drawn(2, N)
    seconds, errors = [[] for _ in WAYS], [0.0] * len(WAYS)
    with tempfile.TemporaryDirectory(dir=os.environ.get("SCRATCH")) as scratch:
        folder = Path(scratch)
        for k, rows in enumerate(np.array_split(np.arange(N), COUNT)):
            columns = {f"x{j}": x for j, x in enumerate(points[rows].T)}
            table = pa.table({**columns, "label": labels[rows]})
            pq.write_table(table, folder / f"{k}.parquet")
        with open(folder / "text", "w", encoding="utf-8") as text:
            for x, label in zip(points.tolist(), labels.tolist(), strict=True):
                values = " ".join(f"{j}:{value:.9g}" for j, value in enumerate(x))
                text.write(f"{label} | {values}\n")
        for turn in range(ROUNDS + 1):  # the first one is not counted
            for k, (_, _, learn, passes) in enumerate(WAYS):
                (folder / "cache").unlink(missing_ok=True)
                start = time.process_time()
                w = learn(folder, passes)
                if turn:
                    seconds[k].append(time.process_time() - start)
                errors[k] = float(np.mean(truth * (w[0] + others @ w[1:]) <= 0))
    rows = []
    for (name, where, _, passes), some, error in zip(WAYS, seconds, errors, strict=True):
        found = {"way": name, "samples": where, "passes": passes, "error": error}
        found |= {"ratio": ratio(some, seconds[0]), "quartiles": spread(some, seconds[0])}
        rows.append(found)
        print(f"{name:46} {where:11} {passes!s:>5} {found['ratio']:8.2f} {error:8.4f}")
    kept = {"n": N, "d": D, "flipped": FLIPPED, "rows": rows, "machine": machine(PACKAGES)}
    RESULTS.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
