"""A run compared with its exact replay: its first fault, and the effects of rounding."""

from math import frexp

import numpy as np

from perceptron_notes._kit.values import Array
from perceptron_notes.data import Dataset
from perceptron_notes.exact.numbers import Indices, fractions, least_margin, quotient, show, whole
from perceptron_notes.exact.replay import Replay
from perceptron_notes.model import canonical_score


@np.errstate(all="ignore")
def audit(
    run: Replay, data: Dataset, W: Array, picks: Indices, rate: float, converged: bool
) -> tuple[str | None, str | None]:
    """Return the first failure of a run and the effect of rounding on it, each a sentence or None.

    `run` holds the same picks, replayed exactly; the rest is as in a `Trace`, and not trusted.
    """
    X, y, T = data.X, data.y, len(picks)
    moves = rate * y[picks, None] * X[picks]
    found = _wrong_update(run, data, W, moves, picks, rate)
    rounding = [] if found else _first_rounding(run, W, moves, rate)
    for name, k in run.violated().items():
        i, (less, more) = picks[k], map(show, run.columns[name].at(k))
        text = f"at t = {k + 1}, {name} is violated: {less} ≤ {more} is false"
        if name == "mistake":
            score = y[i] * canonical_score(W[k], X[i])
            text = f"at t = {k}, X[{i}] is corrected, which is no mistake: y w·x is {less}"
            if not score > 0:
                text = (
                    f"rounding: at t = {k}, X[{i}] is corrected, a mistake in floats only: "
                    f"y w·x is {score:g} there, but {less} exactly"
                )
        found.append((k, text))
    if not found:
        # Has it converged? By the floats of the trace, and by the exact weights.
        wrong = np.flatnonzero(~(y * canonical_score(W[-1], X) > 0))
        i, least = least_margin(data, fractions(run.V))
        if converged not in (len(wrong) == 0, least > 0):
            fact = f"X[{wrong[0]}] is a mistake" if len(wrong) else "no mistake is left"
            found = [(T, f"converged is {converged}, but {fact} at t = {T}")]
        elif (len(wrong) == 0) != (least > 0):
            where, i = ("in floats", wrong[0]) if least > 0 else ("in exact arithmetic", i)
            rounding.append(f"at t = {T}, X[{i}] is a mistake {where} only")
    failure = min(found, key=lambda one: one[0])[1] if found else None
    return failure, f"rounding: {'; '.join(rounding)}" if rounding else None


def _wrong_update(
    run: Replay, data: Dataset, W: Array, moves: Array, picks: Indices, rate: float
) -> list[tuple[int, str]]:
    """Return the first weights that are neither the float update nor the exact one, rounded."""
    expected = W[:-1] + moves
    if (W[1:] == expected).all():
        return []
    exact = run.weights()
    for k in np.flatnonzero((W[1:] != expected).any(axis=1)).tolist():
        if W[k + 1].tolist() != [quotient(*a.as_integer_ratio()) for a in exact[k]]:
            text = f"at t = {k}, X[{picks[k]}] leads from {W[k]} to {expected[k]}"
            further = expected[k] + rate * data.y[:, None] * data.X
            skipped = np.flatnonzero((further == W[k + 1]).all(axis=1))
            hint = f": a step with X[{skipped[0]}] was skipped" if len(skipped) else ""
            return [(k, f"{text}, not to {W[k + 1]}{hint}")]
    return []


def _first_rounding(run: Replay, W: Array, moves: Array, rate: float) -> list[str]:
    """Return the first weights that are not exact, from the rounding errors of each step."""
    # What rounding took from a sum of two floats is itself a float; Knuth's formula yields it.
    back = W[1:] - W[:-1]
    rounded = (W[:-1] - (W[1:] - back)) + (moves - back) != 0
    moved = rate * run.z
    off = moved / rate != run.z  # decides if λ is a power of two, but not otherwise
    if len(off) and frexp(rate)[0] != 0.5:
        numbers, unit = whole(np.where(np.isfinite(moved), moved, 0.0))
        ratio = run.step / unit
        off = numbers.astype(object) * ratio.denominator != run.Z * ratio.numerator
    rounded |= off[run.which]
    if not rounded.any():
        return []
    first = int(rounded.argmax()) // rounded.shape[1] + 1
    return [f"the weights of the trace are not the exact ones after update {first}"]
