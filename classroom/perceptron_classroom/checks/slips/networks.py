"""Known mistakes: backpropagation through one hidden layer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from perceptron_classroom.checks.check import Array, Labels, Slip

__all__ = ["GRADIENT"]


def backwards(
    V: Array,
    w: Array,
    X: Array,
    y: Labels,
    *,
    blame: Callable[[Array, Labels], Array] = lambda s, y: -y * halved(y * s),
    slope: Callable[[Array, Array], Array] = lambda r, h: 1 - h * h,
    back: Callable[[Array], Array] = lambda w: w[1:],
    inputs: Callable[[Array], Array] = lambda X: X,
    mean: Callable[[int], float] = lambda n: float(n),
    constant: float = 1.0,
) -> tuple[Array, Array]:
    """Return the slopes of both layers, with parts that can be got wrong; as is, it is right."""
    R = X @ V.T
    H = np.tanh(R)
    codes = np.hstack([np.full((len(X), 1), constant), H])
    s = np.hstack([np.ones((len(X), 1)), H]) @ w
    delta = blame(s, y) / mean(len(X))
    dw = delta @ codes
    shares = np.outer(delta, back(w)) * slope(R, H)
    return shares.T @ inputs(X), dw


def halved(m: Array) -> Array:
    """Compute σ(−m), which overflows nowhere."""
    return np.asarray((1 - np.tanh(m / 2)) / 2)


def quotient(s: Array, y: Labels) -> Array:
    """Return the slope of the loss as a quotient of two numbers that may both be infinite."""
    with np.errstate(all="ignore"):
        e = np.exp(-y * s)
        return np.asarray(-y * e / (1 + e))


GRADIENT = (
    Slip(
        partial(backwards, slope=lambda r, h: np.ones_like(h)),
        "The slope of the hidden units, 1 − h², is missing on the way back.",
    ),
    Slip(
        partial(backwards, slope=lambda r, h: 1 - h),
        "The slope of tanh is 1 − h², with the square.",
    ),
    Slip(
        partial(backwards, slope=lambda r, h: h * (1 - h)),
        "h (1 − h) is the slope of σ; that of tanh is 1 − h².",
    ),
    Slip(
        partial(backwards, back=lambda w: w[:-1]),
        "w₀ belongs to no hidden unit: on the way back its place must be left out, w[1:].",
    ),
    Slip(
        partial(backwards, mean=lambda n: 1.0),
        "These are the slopes of the sum of the losses; the loss is their mean.",
    ),
    Slip(
        partial(backwards, blame=lambda s, y: y * halved(y * s)),
        "All signs are reversed: this is the direction in which the loss falls.",
    ),
    Slip(
        partial(backwards, blame=lambda s, y: -halved(y * s)),
        "The slope with respect to the score is −y σ(−y s), with the label twice.",
    ),
    Slip(
        partial(backwards, constant=0.0),
        "The bias of the output unit has a slope too: its input is always 1.",
    ),
    Slip(
        partial(backwards, inputs=lambda X: np.hstack([0 * X[:, :1], X[:, 1:]])),
        "The biases of the hidden units have slopes too: their input is the leading 1.",
    ),
    Slip(
        partial(backwards, blame=quotient),
        "e/(1 + e) is not a number where e overflows: for a large score write 1/(1 + exp(y s)), or "
        "np.logaddexp.",
    ),
)
