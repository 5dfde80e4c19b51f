"""The checker of `Checker.v` once more, in plain Python that shares nothing with it.

Nothing is proved about these lines. They serve machines without Coq, and comparison: where this
checker and the proved one disagree, one of them is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import mul

from perceptron_notes.formal.claims import Claim, ClaimedObstruction, ClaimedRun

__all__ = ["verdict"]


def verdict(claim: Claim) -> str:
    """The first thing that is wrong with a claim, in the words of `Checker.v`.

    Parameters
    ----------
    claim : ClaimedRun or ClaimedObstruction

    Returns
    -------
    str
        ``Accepted`` if nothing is wrong.

    Examples
    --------
    >>> from perceptron_notes.formal import claims, plain
    >>> plain.verdict(claims.ClaimedObstruction([[1, 5], [1, 5]], [1, -1], [1, 1]))
    'Accepted'
    """
    wrong = in_run(claim) if isinstance(claim, ClaimedRun) else in_obstruction(claim)
    return next(wrong, "Accepted")


def dot(u: list[int], v: list[int]) -> int:
    """The inner product."""
    return sum(map(mul, u, v))


def in_run(c: ClaimedRun) -> Iterator[str]:
    """What is wrong with a run, the first thing first."""
    signed = [[y * a for a in x] for x, y in zip(c.samples, c.labels, strict=True)]
    if c.rate <= 0:
        yield "Refused_rate"
    if c.m <= 0:
        yield "Refused_separator 0"
    if c.R2 <= 0:
        yield "Refused_length 0"
    yield from (f"Refused_label {n}" for n, y in enumerate(c.labels) if y not in (1, -1))
    margins = [dot(c.separator, z) for z in signed]
    yield from (f"Refused_separator {n}" for n, margin in enumerate(margins) if margin < c.m)
    yield from (f"Refused_length {n}" for n, x in enumerate(c.samples) if dot(x, x) > c.R2)
    w = c.start
    for t, (i, after) in enumerate(zip(c.picks, c.weights, strict=True), 1):
        if i >= len(signed) or dot(w, signed[i]) > 0:
            yield f"Refused_pick {t}"
        if after != [a + c.rate * b for a, b in zip(w, signed[i], strict=True)]:
            yield f"Refused_weights {t}"
        w = after
    if c.ended:
        yield from (f"Refused_end {n}" for n, z in enumerate(signed) if dot(w, z) <= 0)
    far = [c.m * a - c.rate * c.R2 * b for a, b in zip(c.start, c.separator, strict=True)]
    if dot(far, far) >= (c.limit + 1) * (c.m * c.rate) ** 2 * c.R2:
        yield "Refused_limit"


def in_obstruction(c: ClaimedObstruction) -> Iterator[str]:
    """What is wrong with an obstruction, the first thing first."""
    yield from (f"Refused_multiplier {n}" for n, k in enumerate(c.multipliers) if k < 0)
    often = [k * y for k, y in zip(c.multipliers, c.labels, strict=True)]
    if not any(c.multipliers) or any(
        dot(often, list(column)) for column in zip(*c.samples, strict=True)
    ):
        yield "Refused_sum"
