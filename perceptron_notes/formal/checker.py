"""The checker of `Checker.v` once more, in plain Python that shares no code with it.

Nothing is proved about these lines. They serve machines without Coq, and comparison: if this
checker and the proved one disagree, one of them is wrong.
"""

from collections.abc import Iterator
from operator import mul

from perceptron_notes.formal.claims import Claim, ClaimedObstruction, ClaimedRun


def verdict(claim: Claim) -> str:
    """Return the first reason to refuse a claim, in the words of `Checker.v`, or ``Accepted``."""
    wrong = _in_run(claim) if isinstance(claim, ClaimedRun) else _in_obstruction(claim)
    return next(wrong, "Accepted")


def _dot(u: list[int], v: list[int]) -> int:
    """Return the inner product."""
    return sum(map(mul, u, v))


def _in_run(c: ClaimedRun) -> Iterator[str]:
    """Yield the reasons to refuse a run, in order."""
    if min(c.rate, c.m, c.R2) <= 0:
        yield "Refused_sign"
    if not _same_size([c.start, c.separator, *c.samples]):
        yield "Refused_size"
    yield from _wrong_labels(c.labels)
    signed = [[y * a for a in x] for x, y in zip(c.samples, c.labels, strict=True)]
    scores = [_dot(c.separator, z) for z in signed]
    yield from (f"Refused_separator {n}" for n, score in enumerate(scores) if score < c.m)
    yield from (f"Refused_length {n}" for n, x in enumerate(c.samples) if _dot(x, x) > c.R2)
    w = c.start
    for t, (i, after) in enumerate(zip(c.picks, c.weights, strict=True), 1):
        if not 0 <= i < len(signed) or _dot(w, signed[i]) > 0:
            yield f"Refused_pick {t}"
        if after != [a + c.rate * b for a, b in zip(w, signed[i], strict=True)]:
            yield f"Refused_weights {t}"
        w = after
    if c.ended:
        yield from (f"Refused_end {n}" for n, z in enumerate(signed) if _dot(w, z) <= 0)
    far = [c.m * a - c.rate * c.R2 * b for a, b in zip(c.start, c.separator, strict=True)]
    if _dot(far, far) >= (c.limit + 1) * (c.m * c.rate) ** 2 * c.R2:
        yield "Refused_limit"


def _in_obstruction(c: ClaimedObstruction) -> Iterator[str]:
    """Yield the reasons to refuse an obstruction, in order."""
    if not _same_size(c.samples):
        yield "Refused_size"
    if len(c.multipliers) != len(c.samples):
        yield "Refused_count"
    yield from _wrong_labels(c.labels)
    yield from (f"Refused_multiplier {n}" for n, k in enumerate(c.multipliers) if k < 0)
    often = [k * y for k, y in zip(c.multipliers, c.labels, strict=True)]
    if not any(often) or any(_dot(often, list(column)) for column in zip(*c.samples, strict=True)):
        yield "Refused_sum"


def _same_size(vectors: list[list[int]]) -> bool:
    """Return whether all vectors have the same number of coordinates."""
    return len({len(v) for v in vectors}) < 2


def _wrong_labels(labels: list[int]) -> Iterator[str]:
    """Yield a refusal for each label that is neither +1 nor −1."""
    return (f"Refused_label {n}" for n, y in enumerate(labels) if y not in (1, -1))
