"""Checks of the proof: replay, ledger, bound, auditor, and whether a run halts."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from perceptron_notes.checks import samples
from perceptron_notes.checks.answers import Misfit, matrix, parts, vector, whole, written
from perceptron_notes.checks.check import Arguments, Check
from perceptron_notes.checks.runs import Picks, first_fault, in_turn, ledger, replayed
from perceptron_notes.checks.slips import proof as slips
from perceptron_notes.convergence import Separator, certify, separate
from perceptron_notes.data import Array, Labels
from perceptron_notes.learning import last, pla, record
from perceptron_notes.rules import first

__all__ = ["AUDIT", "BOUND", "HALTS", "LEDGER", "REPLAY"]

Rng = np.random.Generator


def draw_picks(rng: Rng) -> Iterator[Arguments]:
    """Samples and any picks, first none at all."""
    for k, (n, d) in enumerate(samples.SIZES):
        yield {
            "X": samples.grid(rng, n, d),
            "y": samples.any_labels(rng, n),
            "picks": rng.integers(n, size=min(k, 2 * n)),
        }


def judge_replay(got: Any, X: Array, y: Labels, picks: Picks) -> str | None:
    """Row by row."""
    W = replayed(X, y, picks)
    for t, row in enumerate(matrix(got, "W", *W.shape)):
        if row != W[t].tolist():
            return (
                f"row {t} of W is wrong.\nAfter {t} updates expected {written(W[t])}, "
                f"got {written(row)}."
            )
    return None


REPLAY = Check(
    "replay",
    "replay(X, y, picks) -> W",
    draw_picks,
    judge_replay,
    slips.REPLAY,
)


def draw_runs(rng: Rng) -> Iterator[Arguments]:
    """A run of PLA in turn, and some weights that separate."""
    for n, d in samples.SIZES:
        X, y = samples.separable(rng, n, d)
        data = samples.dataset(X, y)
        picks = record(pla(data), at_most=60).picks
        w_f = last(pla(data, first), at_most=10**6).w * int(rng.integers(1, 4))
        yield {"X": X, "y": y, "picks": picks.copy(), "w_f": w_f.copy()}


COLUMNS = ("w·w_f", "t m", "‖w‖²", "t R²")


def judge_ledger(got: Any, X: Array, y: Labels, picks: Picks, w_f: Array) -> str | None:
    """Row by row, entry by entry."""
    expected = ledger(X, y, picks, w_f)
    for t, row in enumerate(matrix(got, "the ledger", *expected.shape), start=1):
        for name, value, right in zip(COLUMNS, row, expected[t - 1], strict=True):
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
    draw_runs,
    judge_ledger,
    slips.LEDGER,
)


def draw_separators(rng: Rng) -> Iterator[Arguments]:
    """As for the ledger, without the run."""
    for arguments in draw_runs(rng):
        if len(arguments["y"]) > 1:  # with one sample, R²/ρ² = 1 says little
            yield {k: arguments[k] for k in ("X", "y", "w_f")}


def judge_bound(got: Any, X: Array, y: Labels, w_f: Array) -> str | None:
    """One whole number."""
    certificate = certify(samples.dataset(X, y), w_f)
    if (found := whole(got, "the bound")) == certificate.bound:
        return None
    return (
        f"the bound is {certificate.bound}; got {found}.\n"
        f"R² = {certificate.R2}, m = {certificate.m}, ‖w_f‖² = {written((w_f**2).sum())}."
    )


BOUND = Check(
    "bound",
    "bound(X, y, w_f) -> T",
    draw_separators,
    judge_bound,
    slips.BOUND,
)


def draw_claims(rng: Rng) -> Iterator[Arguments]:
    """Runs in turn that somebody claims: right, cut short, gone on, or wrong somewhere."""
    for n, d in samples.SIZES:
        X, y = samples.separable(rng, n, d)
        picks = record(pla(samples.dataset(X, y)), at_most=10**6).picks.tolist()
        t, kind = int(rng.integers(len(picks))), rng.integers(6)
        if kind == 0:
            picks = picks[:t]
        elif kind == 1:
            picks.append(int(rng.integers(n)))
        elif kind == 2:
            picks = (
                picks[:t]
                + record(pla(samples.dataset(X, y), first), at_most=t + 9).picks[t:].tolist()
            )
        elif kind < 5:
            picks[t] = int(rng.integers(n))
        yield {"X": X, "y": y, "picks": np.array(picks, dtype=np.int64)}


def fault(X: Array, y: Labels, picks: Picks) -> int | None:
    """Where a claimed run differs from PLA in turn."""
    found = first_fault(y[:, None] * (X @ replayed(X, y, picks).T), picks, in_turn)
    return None if found is None else found[0]


def judge_audit(got: Any, X: Array, y: Labels, picks: Picks) -> str | None:
    """The place of the first fault."""
    t = fault(X, y, picks)
    found = None if got is None else whole(got, "the answer")
    if found == t:
        return None
    if t is None:
        return f"the whole run is right; expected None, got {found}."
    w = replayed(X, y, picks)[t]
    margins = f"There w = {written(w)}, with y(w·x) = {written(y * (X @ w))}."
    what = f"picks[{t}] is wrong" if t < len(picks) else "the run ends with a mistake left"
    return f"{what}; expected {t}, got {found}.\n{margins}"


AUDIT = Check(
    "audit",
    "audit(X, y, picks) -> t or None",
    draw_claims,
    judge_audit,
    slips.AUDIT,
)


HALTING = (*[(1, 1)] * 2, *[(2, 1)] * 8, *[(3, 1)] * 6, *[(3, 2)] * 8, *[(4, 2)] * 8, *[(6, 2)] * 4)


def draw_any(rng: Rng) -> Iterator[Arguments]:
    """Samples that can be separated, or cannot, with short cycles in that case."""
    for n, d in HALTING:
        X = samples.grid(rng, n, d)
        X[:, 1:] = np.rint(X[:, 1:])
        yield {"X": X, "y": samples.any_labels(rng, n)}
    X, y = samples.far_from_zero(rng)
    yield {"X": X, "y": y}


def exact(values: list[Any], name: str) -> list[Fraction]:
    """Numbers without rounding."""
    try:
        return [Fraction(value) for value in values]
    except (ValueError, OverflowError):  # NaN and infinity
        raise Misfit(f"{name} is {written(values)}; expected finite numbers.") from None


def judge_halts(got: Any, X: Array, y: Labels) -> str | None:
    """By the certificate, which is a proof: no other oracle is needed, unless it fails."""
    answer, certificate = parts(got, "answer", "certificate")
    if not isinstance(answer, bool):
        raise Misfit(f"the answer is {written(answer)}; expected True or False.")
    z = [[Fraction(a) * int(label) for a in row] for row, label in zip(X.tolist(), y, strict=True)]
    if answer:
        w = exact(vector(certificate, "w", X.shape[1]), "w")
        margins = [sum((a * b for a, b in zip(w, row, strict=True)), Fraction(0)) for row in z]
        if min(margins) > 0:
            return None
        i = margins.index(min(margins))
        what = f"w = {written(w)} does not separate: sample {i} has y(w·x) = {margins[i]}."
    else:
        a = exact(vector(certificate, "a", len(y)), "a")
        total = [
            sum((c * v for c, v in zip(a, each, strict=True)), Fraction(0))
            for each in zip(*z, strict=True)
        ]
        if min(a) >= 0 and any(a) and not any(total):
            return None
        what = f"a = {written(a)} is no obstruction: " + (
            "it is zero."
            if not any(a)
            else "an entry is negative."
            if min(a) < 0
            else f"Σ a y x = {written(total)}, not 0."
        )
    halts = isinstance(separate(samples.dataset(X, y)), Separator)
    if halts == answer:
        return f"the answer {answer} is right, its certificate is not.\n{what}"
    return f"PLA {'halts' if halts else 'never halts'} on these data; you say {answer}.\n{what}"


HALTS = Check(
    "halts",
    "halts(X, y) -> (True, w) or (False, a)",
    draw_any,
    judge_halts,
    slips.HALTS,
)
