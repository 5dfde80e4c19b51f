"""Known mistakes: Pegasos."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from perceptron_classroom.checks.check import Array, Labels, Slip

__all__ = ["PEGASOS"]


def looking(
    X: Array,
    y: Labels,
    kappa: float,
    visits: npt.NDArray[np.int64],
    *,
    wrong: Callable[[float], bool] = lambda m: m <= 1,
    shrink: Callable[[Array, int, float, bool], Array] = lambda w, t, kappa, added: w * (1 - 1 / t),
    rate: Callable[[int, int, float], float] = lambda t, k, kappa: 1 / (kappa * t),
    label: Callable[[int], int] = lambda y: y,
) -> Array:
    """Run Pegasos with parts that can be got wrong; as it stands it is right.

    The rate depends on the look t and on how many samples were added, this one included.
    """
    w, k = np.zeros(X.shape[1]), 0
    for t, i in enumerate(visits.tolist(), start=1):
        added = wrong(float(y[i] * (w @ X[i])))
        w, k = shrink(w, t, kappa, added), k + added
        if added:
            w = w + rate(t, k, kappa) * label(int(y[i])) * X[i]
    return w


def but_the_bias(w: Array, t: int, kappa: float, added: bool) -> Array:
    """Shrink every weight but w₀."""
    return np.append(w[:1], w[1:] * (1 - 1 / t))


PEGASOS = (
    Slip(
        partial(looking, shrink=lambda w, t, kappa, added: w),
        "The factor 1 − 1/t is missing: the weights shrink at every look.",
    ),
    Slip(
        partial(looking, shrink=lambda w, t, kappa, added: w * (1 - 1 / t) if added else w),
        "The weights shrink at every look, even when the sample is not added.",
    ),
    Slip(partial(looking, shrink=but_the_bias), "Here all weights shrink, w₀ as well."),
    Slip(
        partial(looking, wrong=lambda m: m <= 0),
        "A sample is added if its signed score is at most 1, not only if it is a mistake.",
    ),
    Slip(
        partial(looking, wrong=lambda m: m < 1),
        "A sample with a signed score of exactly 1 is added too.",
    ),
    Slip(partial(looking, rate=lambda t, k, kappa: 1 / t), "The rate is 1/(κt); κ is missing."),
    Slip(
        partial(looking, rate=lambda t, k, kappa: 1 / kappa),
        "The rate is 1/(κt): it falls from look to look.",
    ),
    Slip(partial(looking, rate=lambda t, k, kappa: 1.0), "The rate is 1/(κt), not 1."),
    Slip(
        partial(looking, rate=lambda t, k, kappa: 1 / (kappa * k)),
        "t counts all looks, not only those that add a sample.",
    ),
    Slip(partial(looking, label=lambda y: 1), "What is added is y x, with the label."),
)
