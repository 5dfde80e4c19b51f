"""Checks of the proof: replay, ledger, bound, auditor, and whether a run halts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from perceptron_classroom.answers import exact, matrix, parts, vector, whole, written
from perceptron_classroom.checks import samples
from perceptron_classroom.checks.check import Arguments, Array, Check, Labels
from perceptron_classroom.checks.runs import Picks, first_fault, in_turn, ledger, replayed
from perceptron_classroom.checks.slips import proof as slips
from perceptron_classroom.inside.plain import Misfit
from perceptron_notes.convergence import Separator, certify, separate
from perceptron_notes.data import augment
from perceptron_notes.learning import last, pla, record
from perceptron_notes.rules import lowest

__all__ = ["AUDIT", "BOUND", "HALTS", "LEDGER", "REPLAY"]

Rng = np.random.Generator


def draw_picks(rng: Rng) -> Iterator[Arguments]:
    """Draw samples and arbitrary picks, at first none."""
    for k, (n, d) in enumerate(samples.SIZES):
        yield {
            "X": samples.grid(rng, n, d),
            "y": samples.any_labels(rng, n),
            "picks": rng.integers(n, size=min(k, 2 * n)),
        }


def draw_many_picks(rng: Rng) -> Iterator[Arguments]:
    """Draw many samples of many digits, many picks."""
    for (n, d), updates in zip(samples.LARGE, (100, 300, 1000, 3000), strict=True):
        digits = (2 * rng.integers(-(2**27), 2**27, size=d) + 1) / 2**30
        yield {
            "X": augment(samples.grid(rng, n, d)[:, 1:] + digits),
            "y": samples.any_labels(rng, n),
            "picks": rng.integers(n, size=updates),
        }


def judge_replay(got: Any, X: Array, y: Labels, picks: Picks) -> str | None:
    """Judge row by row."""
    W = replayed(X, y, picks)
    for t, row in enumerate(matrix(got, "W", *W.shape)):
        if row != W[t].tolist():
            return (
                f"row {t} of W is wrong.\nAt t = {t} expected {written(W[t])}, got {written(row)}."
            )
    return None


REPLAY = Check(
    "replay",
    "replay(X, y, picks) -> W",
    {"small": draw_picks, "many": draw_many_picks},
    judge_replay,
    slips.REPLAY,
)


def draw_runs(rng: Rng) -> Iterator[Arguments]:
    """Draw a run of PLA in turn, and some weights that separate."""
    for n, d in samples.SIZES:
        yield with_separator(rng, *samples.separable(rng, n, d), 60)


def draw_long_runs(rng: Rng) -> Iterator[Arguments]:
    """Draw the same for many samples, and for many updates."""
    for n, d in samples.LARGE:
        X, y = samples.large(rng, n, d)
        X[:, 1:] *= 257 / 256  # single precision is not enough for the squares
        # A program that leaves out the last samples leaves out the longest.
        places = [int((X**2).sum(axis=1).argmax()), -1]
        X[places], y[places] = X[places[::-1]], y[places[::-1]]
        yield with_separator(rng, X, y, 400)
    yield with_separator(rng, *samples.far_from_zero(rng, 20, 24), 3000)


def with_separator(rng: Rng, X: Array, y: Labels, at_most: int) -> Arguments:
    """Add the start of a run, and a multiple of other weights that separate."""
    data = samples.dataset(X, y)
    w_f = last(pla(data, lowest), at_most=10**6).w * int(rng.integers(1, 4))
    return {"X": X, "y": y, "picks": record(pla(data), at_most=at_most).picks.copy(), "w_f": w_f}


COLUMNS = ("w·w_f", "t m", "‖w‖²", "t R²")


def judge_ledger(got: Any, X: Array, y: Labels, picks: Picks, w_f: Array) -> str | None:
    """Judge row by row, entry by entry."""
    expected = ledger(X, y, picks, w_f)
    for t, row in enumerate(matrix(got, "the ledger", *expected.shape), start=1):
        for name, value, right in zip(COLUMNS, row, expected[t - 1].tolist(), strict=True):
            if value != right:
                return (
                    f"in row {t} of the ledger, {name} is {written(value)}; "
                    f"expected {written(right)}.\n"
                    f"After update {t}, w = {written(replayed(X, y, picks)[t])}; "
                    f"m = {written((y * (X @ w_f)).min())}, "
                    f"R² = {written((X**2).sum(axis=1).max())}."
                )
    return None


LEDGER = Check(
    "ledger",
    "ledger(X, y, picks, w_f) -> rows",
    {"small": draw_runs, "long": draw_long_runs},
    judge_ledger,
    slips.LEDGER,
)


def draw_separators(rng: Rng) -> Iterator[Arguments]:
    """Draw the same as for the ledger, without the run."""
    for draw in (draw_runs, draw_long_runs):
        for arguments in draw(rng):
            if len(arguments["y"]) > 1:  # with one sample, R²/ρ² is always 1
                yield {k: arguments[k] for k in ("X", "y", "w_f")}


def draw_narrow(rng: Rng) -> Iterator[Arguments]:
    """Draw R²/ρ² = K − 1/m² or K + 1/m² for a whole number K, where rounding decides."""
    for size in (3, 10, 100, 1000, 10_000, 100_000, 1_000_000):
        for sign in (-1, 1):
            yield narrow(rng, size, sign)


def narrow(rng: Rng, size: int, sign: int) -> Arguments:
    """Construct two samples: one with the smallest margin m, and one as long as R must be.

    With w_f = (u, 1, 0, …) and L = ‖w_f‖² = u² + 1, some R² has R² L = K m² + sign. The
    coordinates where w_f is 0 give the long sample that length.
    """
    u = int(rng.integers(1, 4))
    L = u * u + 1
    m = 2 * L * max(1, int(rng.integers(size, 2 * size)) // (2 * L)) + 1  # coprime to L
    y = rng.choice([-1, 1], size=2)
    short, along = (int(y[0]) * m - u, int(y[1]) * (m + int(rng.integers(4))) - u)
    R2 = sign * pow(L, -1, m * m) % (m * m)
    while 1 + max(short**2, along**2) > R2:
        R2 += m * m
    points = np.array([[short, 0, 0, 0, 0], [along, *samples.four_squares(R2 - 1 - along**2)]])
    order, places = rng.permutation(2), rng.permutation(5)
    w_f = np.array([u, *np.eye(5)[0][places]], dtype=float)
    return {"X": augment(points[order][:, places]), "y": y[order], "w_f": w_f}


def judge_bound(got: Any, X: Array, y: Labels, w_f: Array) -> str | None:
    """Judge one whole number."""
    certificate = certify(samples.dataset(X, y), w_f)
    if (found := whole(got, "the bound")) == certificate.bound:
        return None
    return (
        f"the bound is {certificate.bound}; got {written(found)}.\n"
        f"R² = {certificate.R2}, m = {certificate.m}, ‖w_f‖² = {written((w_f**2).sum())}."
    )


BOUND = Check(
    "bound",
    "bound(X, y, w_f) -> T",
    {"runs": draw_separators, "narrow": draw_narrow},
    judge_bound,
    slips.BOUND,
)


def draw_claims(rng: Rng) -> Iterator[Arguments]:
    """Draw claimed short runs of PLA in turn."""
    for n, d in samples.SIZES:
        yield claimed(rng, *samples.separable(rng, n, d), int(rng.integers(6)))
    for _ in range(3):
        yield from (tempted(rng, tempts) for tempts in TEMPTING)
        yield unfinished(rng)


def draw_close_claims(rng: Rng) -> Iterator[Arguments]:
    """Draw runs with scores close to 0: the right one, and those that misjudge such scores."""
    for gap in samples.CLOSE:
        for right in (True, False):
            X, y = samples.close(rng, gap, right)
            picks = [0, 1] if right == (rng.random() < 0.7) else [0]
            yield {"X": X, "y": y, "picks": np.array(picks)}


def draw_long_claims(rng: Rng) -> Iterator[Arguments]:
    """Draw runs of many samples, and of thousands of updates, of each kind."""
    for n, d in samples.LARGE:
        for kind in range(6):
            yield claimed(rng, *samples.large(rng, n, d), kind)
    for kind in range(6):
        yield claimed(rng, *samples.far_from_zero(rng, *((16, 20) if kind < 5 else (42, 46))), kind)


#: Plausible wrong picks p after s, where q is the next mistake in turn: s again; in the next pass,
#: while q is in this one; both in the next pass, p after q; a sample equal to q.
TEMPTING: tuple[Callable[[int, int, int, Array], bool], ...] = (
    lambda p, s, q, X: p == s,
    lambda p, s, q, X: p <= s < q,
    lambda p, s, q, X: q < p <= s,
    lambda p, s, q, X: bool((X[p] == X[q]).all()),
)


def tempted(rng: Rng, tempts: Callable[[int, int, int, Array], bool]) -> Arguments:
    """Return a short run in which one pick is a mistake, but not the next one in turn."""
    found: list[tuple[int, int]] = []
    while not found:
        X, y = samples.with_equals(rng, 12, 2)
        picks = record(pla(samples.dataset(X, y)), at_most=200).picks.tolist()
        M = y[:, None] * (X @ replayed(X, y, np.array(picks)).T)
        found = [
            (t, p)
            for t, (s, q) in enumerate(pairwise(picks), start=1)
            for p in np.flatnonzero(M[:, t] <= 0).tolist()
            if p != q and tempts(p, s, q, X)
        ]
    t, p = found[rng.integers(len(found))]
    return {"X": X, "y": y, "picks": np.array([*picks[:t], p, *picks[t + 1 :]])}


def unfinished(rng: Rng) -> Arguments:
    """Return a run cut where its last pick is still wrong, and nothing else is."""
    X, y = samples.stubborn(rng)
    picks = record(pla(samples.dataset(X, y)), at_most=200).picks
    t = rng.choice(np.flatnonzero(picks[1:] == picks[:-1])) + 1
    return {"X": X, "y": y, "picks": picks[:t].copy()}


def claimed(rng: Rng, X: Array, y: Labels, kind: int) -> Arguments:
    """Return a run: cut short (0), going on (1), changing its rule (2), right (3) or wrong (4)."""
    n, data = len(y), samples.dataset(X, y)
    picks = record(pla(data), at_most=10**6).picks.tolist()
    t = int(rng.integers(len(picks)))
    if kind == 0:
        picks = picks[:t]
    elif kind == 1:
        picks.append(int(rng.integers(n)))
    elif kind == 2:
        other = record(pla(data, lowest), at_most=t + 9).picks
        picks = picks[:t] + other[t:].tolist()
    elif kind > 3:
        t = max(t, len(picks) // 2)
        picks[t] = (picks[t] + int(rng.integers(1, max(n, 2)))) % n
    return {"X": X, "y": y, "picks": np.array(picks, dtype=np.int64)}


def fault(X: Array, y: Labels, picks: Picks) -> int | None:
    """Find where a claimed run differs from PLA in turn."""
    found = first_fault(y[:, None] * (X @ replayed(X, y, picks).T), picks, in_turn)
    return None if found is None else found[0]


def judge_audit(got: Any, X: Array, y: Labels, picks: Picks) -> str | None:
    """Judge the position of the first fault."""
    t = fault(X, y, picks)
    found = None if got is None else whole(got, "the answer")
    if found == t:
        return None
    if t is None:
        return f"the whole run is right; expected None, got {written(found)}."
    w = replayed(X, y, picks)[t]
    when = f"After {t} update{'s' * (t > 1)}" if t else "At the start"
    margins = f"{when}, w = {written(w)}, with y(w·x) = {written(y * (X @ w))}."
    what = f"picks[{t}] is wrong" if t < len(picks) else "the run ends with a mistake left"
    return f"{what}; expected {t}, got {written(found)}.\n{margins}"


AUDIT = Check(
    "audit",
    "audit(X, y, picks) -> t or None",
    {"small": draw_claims, "close": draw_close_claims, "long": draw_long_claims},
    judge_audit,
    slips.AUDIT,
)


#: (n, d) of the small data sets.
HALTING = (*[(1, 1)] * 2, *[(2, 1)] * 8, *[(3, 1)] * 6, *[(3, 2)] * 8, *[(4, 2)] * 8, *[(6, 2)] * 4)
#: At most this many updates until PLA ends, or returns to an earlier state. The problem set
#: promises that.
SHORT, LONG = 1000, 20_000


def draw_any(rng: Rng) -> Iterator[Arguments]:
    """Draw samples that can be separated, or cannot, with short runs and short cycles."""
    for n, d in HALTING:
        found = False
        while not found:
            X, y = samples.grid(rng, n, d), samples.any_labels(rng, n)
            X[:, 1:] /= rng.choice([1, 4])
            found = until_known(X, y, SHORT) is not None
        yield {"X": X, "y": y}


def draw_long_ways(rng: Rng) -> Iterator[Arguments]:
    """Draw runs of thousands of updates, one that ends and two that cycle."""
    X, y = samples.far_from_zero(rng, 62, 67)
    yield {"X": X, "y": y}
    near = int(np.abs(X[:, 1]).argmin())
    for point in (X[near, 1], -3 * np.sign(X[near, 1])):
        yield {"X": np.vstack([X, [1, point]]), "y": np.append(y, -y[near])}


def until_known(X: Array, y: Labels, most: int) -> int | None:
    """Count the updates until PLA in turn ends or cycles; None if more than `most`."""
    Z = (y[:, None] * X).tolist()
    w, i, quiet = [0.0] * X.shape[1], 0, 0
    seen: set[tuple[float, ...]] = set()
    while quiet < len(Z):
        if sum(map(float.__mul__, w, Z[i])) <= 0:
            if (state := (*w, i)) in seen:
                return len(seen)
            if len(seen) == most:
                return None
            seen.add(state)
            w, quiet = list(map(float.__add__, w, Z[i])), 0
        else:
            quiet += 1
        i = (i + 1) % len(Z)
    return len(seen)


def judge_halts(got: Any, X: Array, y: Labels) -> str | None:
    """Judge by the certificate, which is a proof: no other oracle is needed, unless it fails."""
    answer, certificate = parts(got, "answer", "certificate")
    if not isinstance(answer, bool):
        raise Misfit(f"the answer is {written(answer)}; expected True or False.")
    z = np.array([[Fraction(a) for a in row] for row in (y[:, None] * X).tolist()])
    if answer:
        w = exact(vector(certificate, "w", X.shape[1]), "w")
        margins = z @ np.array(w)
        if min(margins) > 0:
            return None
        i = int(margins.argmin())
        what = f"w = {written(w)} does not separate: X[{i}] has y(w·x) = {margins[i]}."
    else:
        a = exact(vector(certificate, "a", len(y)), "a")
        total = np.array(a) @ z
        if min(a) >= 0 and any(a) and not any(total):
            return None
        what = f"a = {written(a)} is not an obstruction: " + (
            "all its entries are 0."
            if not any(a)
            else "an entry is negative."
            if min(a) < 0
            else f"Σ a y x = {written(total)}, not 0."
        )
    halts = isinstance(separate(samples.dataset(X, y)), Separator)
    if halts == answer:
        return f"the answer {answer} is right, but its certificate is not.\n{what}"
    return f"PLA {'halts' if halts else 'never halts'} on these data; you say {answer}.\n{what}"


HALTS = Check(
    "halts",
    "halts(X, y) -> (True, w) or (False, a)",
    {"small": draw_any, "long": draw_long_ways},
    judge_halts,
    slips.HALTS,
)
