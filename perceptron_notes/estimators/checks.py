"""What is refused as input beyond what scikit-learn refuses."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from perceptron_notes._kit.validation import (
    LARGEST,
    check_exact,
    check_numbers,
    check_order,
    is_table,
    real_array,
)
from perceptron_notes._kit.values import Array

__all__ = ["check_importance", "check_reach", "check_rows", "checked_input"]


def check_rows(X: Any, y: Any, sample_weight: Any) -> None:
    """Raise ValueError if tables have the same rows in another order than X."""
    check_order(y, X, "y", "X")
    check_order(sample_weight, X, "sample_weight", "X")


def checked_input(model: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    """Return X as float64, and y if there is one, as scikit-learn has the model take them."""
    try:
        checked = validate_data(model, X, y, dtype=np.float64, **options)
    except ValueError:
        if is_table(X):
            check_numbers(X, "X")  # which names a column of text
        raise
    _check_unrounded(X, checked[0] if isinstance(checked, tuple) else checked)
    return checked


def _check_unrounded(given: Any, X: Any) -> None:
    """Raise ValueError if X is not what was given, but rounded, or reaches too far."""
    if isinstance(X, np.ndarray):
        check_exact(given, np.asarray(given), X, "X")
        real_array(X, "X", LARGEST, fresh=False)
        return
    matrix = given.tocsr()
    whole = matrix.dtype.kind in "iu" or matrix.dtype.itemsize > 8  # float64 may not hold these
    for k in np.flatnonzero(~(np.abs(X.data) <= (2.0**53 - 1 if whole else LARGEST))).tolist():
        row = int(np.searchsorted(matrix.indptr, k, side="right")) - 1
        real_array(matrix.data[k], f"X[{row}, {matrix.indices[k]}]", LARGEST, exact=True)


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
