"""Known mistakes: model."""

from __future__ import annotations

import numpy as np

from perceptron_classroom.checks.check import Slip

__all__ = ["AUGMENT", "MISTAKES", "PREDICT"]


AUGMENT = (
    Slip(lambda p: p, "The leading 1 is missing."),
    Slip(
        lambda p: np.hstack([p, np.ones((len(p), 1))]),
        "The constant coordinate comes first: it is x₀.",
    ),
    Slip(
        lambda p: np.hstack([-np.ones((len(p), 1)), p]),
        "Here x₀ = +1, and w₀ is minus the threshold. With x₀ = −1 the weight would be the "
        "threshold itself.",
    ),
    Slip(
        lambda p: np.hstack([np.ones((len(p), 1)), p]).astype(int),
        "The digits after the decimal point are cut: the array has an integer dtype.",
    ),
)


PREDICT = (
    Slip(
        lambda w, X: np.where(X @ w >= 0, 1, -1),
        "A score of 0 decides nothing: its sign is 0, not +1.",
    ),
    Slip(
        lambda w, X: np.where(X @ w > 0, 1, -1),
        "A score of 0 decides nothing: its sign is 0, not −1.",
    ),
    Slip(lambda w, X: X @ w, "These are the scores; the prediction is their sign."),
    Slip(
        lambda w, X: np.sign(X[:, 1:] @ w[1:]),
        "The weight w₀ counts too: it multiplies the leading 1 in each row of X.",
    ),
    Slip(
        lambda w, X: np.sign(X[:, 1:] @ w[1:] - w[0]), "w₀ is minus the threshold, so it is added."
    ),
)


MISTAKES = (
    Slip(
        lambda w, X, y: np.flatnonzero(y * (X @ w) < 0),
        "A score of 0 is a mistake too: y(w·x) ≤ 0, with ≤.",
    ),
    Slip(
        lambda w, X, y: np.flatnonzero(np.where(X @ w >= 0, 1, -1) != y),
        "A score of 0 is a mistake for either label; here it counts as +1.",
    ),
    Slip(
        lambda w, X, y: np.flatnonzero(np.where(X @ w > 0, 1, -1) != y),
        "A score of 0 is a mistake for either label; here it counts as −1.",
    ),
    Slip(
        lambda w, X, y: int((y * (X @ w) <= 0).sum()),
        "This is how many mistakes there are; expected which samples.",
    ),
    Slip(lambda w, X, y: np.flatnonzero(y * (X @ w) > 0), "These are the samples that are right."),
    Slip(lambda w, X, y: np.flatnonzero(X @ w <= 0), "The label belongs in the product: y(w·x)."),
    Slip(
        lambda w, X, y: np.flatnonzero(y * (X @ w) <= 0) + 1, "Samples are numbered from 0 in code."
    ),
    Slip(
        lambda w, X, y: y * (X @ w) <= 0,
        "These are truth values, one for each sample; expected the indices of the mistakes.",
    ),
)
