"""Put `separate` and `diagnose` to generated tables, and compare with an independent program.

    .venv/bin/python tests/fuzz_separation.py --cases 20000 --tables 500

Cases are small tables of all kinds of numbers; tables are questionnaires of 1,000 to 8,000 rows and
20 to 100 columns. What comes is the number of cases without an answer in `--seconds` of processor
time, and of wrong ones; each with its seed, and so is the slowest.
"""

import argparse
import signal
import time
from collections import Counter
from contextlib import contextmanager
from fractions import Fraction

import numpy as np
import oracle
from strategies import SHAPES, factor_table, small_table

from perceptron_notes import Dataset, separate
from perceptron_notes.convergence import Separator
from perceptron_notes.diagnosis.separability import Separability
from perceptron_notes.diagnosis.table import read_table


class UnansweredError(Exception):
    """No answer in time."""


@contextmanager
def at_most(seconds):
    """Stop what takes more processor time."""

    def stop(*_):
        raise UnansweredError

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def typed(a):
    """The number that was typed: of a float the shortest decimal."""
    return Fraction(repr(float(a))) if isinstance(a, float) else Fraction(a)


def signed(X, y, intercept, number):
    """The rows y·x without rounding."""
    rows = X.tolist()
    ones = [1] * intercept
    return [[int(s) * number(a) for a in [*ones, *x]] for x, s in zip(rows, y, strict=True)]


def judge_separate(answer, X, y):
    """Return what is wrong with the answer of `separate`, if anything."""
    rows = signed(X, y, True, Fraction)
    separable = bool(oracle.partition(oracle.whole(rows))[0].all())
    if isinstance(answer, Separator) != separable:
        return f"{answer}, but separable is {separable}"
    if separable:
        good = all(sum(a * b for a, b in zip(z, answer.exact, strict=True)) > 0 for z in rows)
    else:
        parts = zip(answer.samples, answer.weights, strict=True)
        terms = [[q * a for a in rows[i]] for i, q in parts]
        good = min(answer.weights) > 0 and not any(map(sum, zip(*terms, strict=True)))
    return None if good else f"{answer} proves nothing"


def diagnosed(X, y, intercept):
    """Return a diagnosis' main results: verdict and rows, then the limits of the coefficients."""
    table = read_table(X, y, intercept=intercept)

    def silent(sentence):
        pass

    s = Separability(table, table.y == 1, silent)
    return table.names, s, [s.limit(j, silent).state for j in range(len(s.names))]


def judge_diagnosis(found, X, y, intercept):
    """Return what is wrong with the verdict, the rows, their proof or the limits, if anything."""
    names, s, told = found
    used = [int(name.removeprefix("column ")) for name in names]
    rows = signed(X[:, used], y, intercept, typed)
    Z = oracle.whole(rows)
    truth = oracle.partition(Z)
    if (s.is_separated != truth[0]).any():
        return f"separated are {np.flatnonzero(truth[0])}, not {s.separated}"
    if s.direction is not None:
        w = list(s.direction.values())
        scores = [sum(a * b for a, b in zip(z, w, strict=True)) for z in rows]
        if [a > 0 for a in scores] != truth[0].tolist() or min(scores) < 0:
            return f"the direction {s.direction} proves nothing"
    if s.obstruction:
        total = [sum(q * rows[i][j] for i, q in s.obstruction.items()) for j in range(len(s.names))]
        if any(total) or min(s.obstruction.values()) <= 0:
            return f"the obstruction {s.obstruction} proves nothing"
    limits = oracle.limits(Z, truth)
    return None if told == limits else f"the limits are {limits}, not {told}"


class Fuzz:
    """Cases, counted."""

    def __init__(self, seconds):
        self.seconds, self.done, self.bad = seconds, Counter(), []
        self.slowest = (0.0, "")

    def put(self, name, X, y, intercept):
        """Try both on one table."""
        try:
            data = Dataset(X, y)
        except ValueError:  # Fractions that float64 does not hold
            self.done["refused"] += 1
        else:
            self.ask(f"{name}, separate", lambda: separate(data), judge_separate, X, y)
        table = X, y, intercept
        self.ask(f"{name}, diagnose", lambda: diagnosed(*table), judge_diagnosis, *table)

    def ask(self, name, call, judge, *arguments):
        """Time a call, and judge its answer; `name` says how to reproduce it."""
        before = time.process_time()
        try:
            with at_most(self.seconds):
                answer, wrong = call(), None
        except UnansweredError:
            wrong = "unanswered"
        except ValueError as error:
            if "sizes too far apart" in str(error):
                self.done["refused"] += 1
                return
            wrong = str(error)
        except Exception as error:
            wrong = f"{type(error).__name__}: {error}"
        self.slowest = max(self.slowest, (time.process_time() - before, name))
        wrong = wrong or judge(answer, *arguments)
        self.done["unanswered" if wrong == "unanswered" else "wrong" if wrong else "right"] += 1
        if wrong:
            self.bad.append(name)
            print(f"{name}: {wrong}", flush=True)

    def cases(self, first, count):
        """Small tables, one of each shape in turn."""
        for seed in range(first, first + count):
            rng, shape = np.random.default_rng(seed), list(SHAPES)[seed % len(SHAPES)]
            X, y = small_table(rng, shape)
            self.put(f"case {seed}", X, y, bool(rng.random() < 0.8))

    def tables(self, first, count):
        """Questionnaires."""
        for seed in range(first, first + count):
            rng = np.random.default_rng(seed)
            n, d = (int(np.exp(rng.uniform(*np.log(ends)))) for ends in ((1000, 8000), (20, 100)))
            X, y = factor_table(rng, n, d)
            self.put(f"table {seed}", X, y, True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=0)
    parser.add_argument("--tables", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument(
        "--seconds", type=float, default=60, help="of processor time, for each case"
    )
    options = parser.parse_args()
    fuzz = Fuzz(options.seconds)
    fuzz.cases(options.first, options.cases)
    fuzz.tables(options.first, options.tables)
    print(dict(fuzz.done), "slowest: {:.2f} s, {}".format(*fuzz.slowest))
    raise SystemExit(bool(fuzz.bad))


if __name__ == "__main__":
    main()
