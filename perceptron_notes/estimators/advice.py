"""What helps where a cap was reached: the units of the columns may be the reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from perceptron_notes.diagnosis.units import figure, units

__all__ = ["advise"]

#: A column whose mean is so many times its spread hardly varies beside the constant 1.
_FAR = 10


def advise(X: Any, names: Sequence[Any] | None) -> str | None:
    """Say which columns make standardising worth while, with figures; None if none does.

    Parameters
    ----------
    X : ndarray or sparse matrix, shape (n, d)
        The samples.
    names : sequence of length d, or None
        What the columns are called.

    Returns
    -------
    str or None
    """
    calls = [f"column {j}" if names is None else repr(str(names[j])) for j in range(X.shape[1])]
    ends = [X.min(axis=0), X.max(axis=0)]
    low, high = ends if isinstance(X, np.ndarray) else [end.toarray().ravel() for end in ends]
    found, what = units(np.stack([low, high]), calls), ""
    if found is not None and found.uneven:
        what = str(found)
    elif isinstance(X, np.ndarray):  # without its zeros a sparse matrix would not be sparse
        mean, spread = X.mean(axis=0), X.std(axis=0)
        there = np.flatnonzero(high > low)
        for j in there[np.argsort(-np.abs(mean[there]) / spread[there], kind="stable")][:1]:
            if abs(mean[j]) > _FAR * spread[j]:
                around, by = figure(mean[j]), figure(spread[j])
                what = f"{calls[j]} lies around {around} and deviates by {by} only"
    return f"{what}: standardise, e.g. with StandardScaler in a pipeline" if what else None
