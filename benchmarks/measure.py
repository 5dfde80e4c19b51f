"""Ratios of times that were taken in turn, and what they were measured on."""

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from perceptron_notes.native import engine, loops

PACKAGES = (
    "numpy",
    "scikit-learn",
    "numba",
    "mlxtend",
    "river",
    "vowpalwabbit",
    "liblinear-official",
    "snapml",
)


def ratio(slow: list[float], fast: list[float]) -> float:
    """The median of the rounds' ratios."""
    return float(np.median(np.array(slow) / np.array(fast)))


def spread(slow: list[float], fast: list[float]) -> list[float]:
    """The quartiles of the rounds' ratios."""
    return [float(q) for q in np.percentile(np.array(slow) / np.array(fast), [25, 75])]


def machine(packages: tuple[str, ...] = PACKAGES) -> dict[str, Any]:
    """What the figures were measured on."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        cpu = names[0].split(":")[1].strip() if names else cpu
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": {name: version(name) for name in packages},
        "engine": engine,
        "loops": loops,
        "load": [round(x, 2) for x in os.getloadavg()],
        "threads": 1,
    }
