"""How often the ways of chapter 10 err on several sources of samples, nine draws of each.

    .venv/bin/python benchmarks/advice.py

In all sources but the last the labels are those of a plane, 5% of them flipped, in training and in
test samples alike; each draw has its own plane. The last one is real, and nothing was tuned with
it. Each way learns from the same shards and is judged on samples that none has seen.
The errors of all draws go into benchmarks/results/advice.json.
"""

import json
import os
from itertools import islice
from pathlib import Path

os.environ.update(
    dict.fromkeys(["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"], "1")
)

import numpy as np
from measure import machine
from sklearn.datasets import load_digits
from sklearn.linear_model import SGDClassifier

from perceptron_notes import Dataset
from perceptron_notes.scale import Shards, average_mixing, mixing

RESULTS = Path(__file__).parent / "results" / "advice.json"
N, D, FLIPPED, COUNT, DRAWS = 20_000, 50, 0.05, 8, 9
#: The advice keeps every fifth sample back, and waits five passes for a better average.
KEPT, PATIENCE = 5, 5
PACKAGES = ("numpy", "scikit-learn", "liblinear-official")


# -------------------------------------------------------------------------------- sources


def round_cloud(seed):
    """Independent normal coordinates: points to learn from and points to be judged by."""
    rng = np.random.default_rng([77, seed])
    u, found = rng.standard_normal(D), []
    for _ in range(2):
        points = rng.standard_normal((N, D))
        flips = np.where(rng.random(N) < FLIPPED, -1, 1)
        found.append((points, np.where(points @ u > 0, 1, -1) * flips))
    return found


def longer(seed, way):
    """The round cloud, one direction of which is a hundred times as long."""
    return [(points + 99 * (points @ way)[:, None] * way, y) for points, y in round_cloud(seed)]


def long_column(seed):
    return longer(seed, np.eye(D)[0])


def long_slant(seed):
    way = np.random.default_rng([78, seed]).standard_normal(D)
    return longer(seed, way / np.linalg.norm(way))


def tabular(seed):
    """Columns as tables have them, which a few hidden causes make depend on each other.

    Four choices of one among five, as columns of 0 and 1; ten counts; nine measurements; and an
    amount of money. About a third of the labels are +1.
    """
    rng = np.random.default_rng([79, seed])
    causes = rng.standard_normal((2 * N, 4)) @ rng.standard_normal((4, 40)) / 2
    seen = causes + 0.5 * rng.standard_normal((2 * N, 40))
    choices = [np.eye(5)[block.argmax(axis=1)] for block in np.split(seen[:, :20], 4, axis=1)]
    counts = rng.poisson(np.exp(seen[:, 20:30]))
    money = 30_000 * np.exp(seen[:, 39:] / 2)
    points = np.column_stack([*choices, counts, seen[:, 30:39], money])
    scores = (points - points.mean(axis=0)) / points.std(axis=0) @ rng.standard_normal(40)
    flips = np.where(rng.random(2 * N) < FLIPPED, -1, 1)
    y = np.where(scores > np.quantile(scores, 2 / 3), 1, -1) * flips
    return [(points[:N], y[:N]), (points[N:], y[N:])]


def digits(seed):
    """Odd against even in the 1,797 small pictures of scikit-learn, cut in two at random."""
    points, names = load_digits(return_X_y=True)
    order = np.random.default_rng([80, seed]).permutation(len(names))
    y = np.where(names % 2, 1, -1)
    return [(points[rows], y[rows]) for rows in (order[:1200], order[1200:])]


def standardised(pair):
    """Both parts, shifted and scaled as it takes to standardise the first."""
    mean, spread = scales(pair[0][0])
    return [((points - mean) / spread, y) for points, y in pair]


def scales(points):
    """The mean of each column, and its standard deviation, or 1 where that is 0."""
    spread = points.std(axis=0)
    return points.mean(axis=0), np.where(spread > 0, spread, 1)


SOURCES = {
    "round": round_cloud,
    "column": long_column,
    "column, standardised": lambda seed: standardised(long_column(seed)),
    "slant, standardised": lambda seed: standardised(long_slant(seed)),
    "table": tabular,
    "table, standardised": lambda seed: standardised(tabular(seed)),
    "digits": digits,
}

# ----------------------------------------------------------------------------------- ways


def split(points, y):
    return Shards.split(Dataset(points, y), COUNT)


def mixed(points, y, passes):
    return list(islice(mixing(split(points, y)), passes))[-1].w


def averaged(points, y, passes):
    return list(islice(average_mixing(mixing(split(points, y))), passes))[-1].average


def advised(points, y, most):
    """Standardise; average for as long as it pays on samples kept back; compare the last mix.

    Returns the weights for the samples as they came, and the number of passes of the best average.
    """
    mean, spread = scales(points)
    scaled, kept = (points - mean) / spread, np.arange(len(y)) % KEPT == 0
    fewest, waited = len(y), 0
    for epoch in islice(average_mixing(mixing(split(scaled[~kept], y[~kept]))), most):
        errors = mistakes(epoch.average, scaled[kept], y[kept])
        waited = 0 if errors < fewest else waited + 1
        if errors < fewest:
            fewest, w, passes = errors, epoch.average, epoch.passes
        if waited == PATIENCE:
            break
    if mistakes(epoch.w, scaled[kept], y[kept]) < fewest:
        w = epoch.w
    slopes = w[1:] / spread
    return np.append(w[0] - slopes @ mean, slopes), passes


def mistakes(w, points, y):
    return int(np.count_nonzero(y * (w[0] + points @ w[1:]) <= 0))


def sklearn_averaged(points, y, passes):
    """scikit-learn's average, from one shard after the other."""
    model, shards = SGDClassifier(average=True, shuffle=False), split(points, y)
    for _ in range(passes):
        for shard in shards:
            for _, block in shard.blocks():
                model.partial_fit(block.points, block.y, classes=[-1, 1])
    return np.append(model.intercept_, model.coef_)


def liblinear(points, y, passes):
    from liblinear.liblinearutil import train

    w, b = train(y.astype(float), points, "-s 2 -B 1 -q").get_decfun()
    return np.append(b, w)


#: What it is called, what it does, and how many passes it makes.
WAYS = [
    ("mixing", mixed, 20),
    ("average_mixing", averaged, 1),
    ("average_mixing", averaged, 20),
    ("scikit-learn, SGDClassifier(average=True)", sklearn_averaged, 20),
    ("LIBLINEAR, L2-regularised SVM", liblinear, None),
    ("the advice", advised, 200),
]


def main():
    """Measure, print and keep."""
    rows = [{"way": name, "passes": passes, "errors": {}} for name, _, passes in WAYS]
    for source, draw in SOURCES.items():
        for seed in range(DRAWS):
            (points, y), (others, truth) = draw(seed)
            for row, (_, learn, passes) in zip(rows, WAYS, strict=True):
                w = learn(points, y, passes)
                if learn is advised:
                    w, made = w
                    row.setdefault("made", {}).setdefault(source, []).append(made)
                row["errors"].setdefault(source, []).append(mistakes(w, others, truth) / len(truth))
        print(source)
        for row in rows:
            some = 100 * np.array(row["errors"][source])
            found = f"{np.median(some):5.1f} ({some.min():.1f}–{some.max():.1f})"
            print(f"   {row['way']:46} {row['passes']!s:>5} {found}", flush=True)
    kept = {"n": N, "flipped": FLIPPED, "shards": COUNT, "draws": DRAWS, "rows": rows}
    kept["machine"] = machine(PACKAGES)
    RESULTS.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
