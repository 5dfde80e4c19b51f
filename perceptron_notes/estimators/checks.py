"""What is refused as input beyond what scikit-learn refuses."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Any

import numpy as np

from perceptron_notes._kit.validation import LARGEST, check_exact, check_order, real_array
from perceptron_notes._kit.values import Array

__all__ = ["check_importance", "check_reach", "check_rows", "check_unrounded"]


def check_rows(X: Any, y: Any, sample_weight: Any) -> None:
    """Raise ValueError if tables have the same rows in another order than X."""
    check_order(y, X, "y", "X")
    check_order(sample_weight, X, "sample_weight", "X")


def check_unrounded(given: Any, X: Any) -> None:
    """Raise ValueError if X is not what was given, but rounded, or reaches too far."""
    if isinstance(X, np.ndarray):
        check_exact(given, np.asarray(given), X, "X")
        real_array(X, "X", LARGEST, fresh=False)
    else:
        data = given.tocsr().data
        check_exact(data, data, X.data, "X.data")
        real_array(X.data, "X.data", LARGEST, fresh=False)


def check_importance(weights: Array, name: str, keys: Iterable[Any]) -> None:
    """Raise ValueError unless all weights are finite and none is negative."""
    for key, weight in zip(keys, weights.tolist(), strict=True):
        if not 0 <= weight < inf:
            raise ValueError(f"{name}[{key!r}] is {weight:g}; expected a finite number ≥ 0")


def check_reach(importance: Array, X: Any) -> None:
    """Raise ValueError if a weight takes the coordinates of its sample, or its 1, too far."""
    sizes = abs(X).max(axis=1)
    rows = sizes if isinstance(X, np.ndarray) else sizes.toarray().ravel()
    with np.errstate(over="ignore"):
        far = np.flatnonzero(~(importance * np.maximum(rows, 1) <= LARGEST))
    for k in far[:1]:
        raise ValueError(
            f"sample {k} has the weight {importance[k]:g}, and coordinates up to {rows[k]:g}; "
            f"expected a product of at most {LARGEST:g}"
        )
