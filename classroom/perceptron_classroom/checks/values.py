"""Types of the values that checks compute with."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "Labels"]

Array: TypeAlias = npt.NDArray[np.float64]
Labels: TypeAlias = npt.NDArray[np.intp]
