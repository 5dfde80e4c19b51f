"""How the benchmarks measure: one against another in turn, and what they were measured on."""

import gc
import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

PACKAGES = ("numpy", "numba", "scikit-learn", "mlxtend", "river")


def seconds(call: Callable[[], Any]) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def race(ways: dict[str, Callable[[], Any]], budget: float = 4.0) -> dict[str, list[float]]:
    """Time the ways in turn, A B A B …, at least three rounds and as many as the budget allows.

    Whatever else the machine does strikes all ways of a round alike, so their ratios are
    worth more than their times.
    """
    for call in ways.values():
        call()  # compiles, fills caches
    times: dict[str, list[float]] = {name: [] for name in ways}
    begun, rounds = time.perf_counter(), 0
    gc.disable()
    while rounds < 3 or (rounds < 31 and time.perf_counter() - begun < budget):
        for name, call in ways.items():
            times[name].append(seconds(call))
        rounds += 1
    gc.enable()
    return times


def ratio(slow: list[float], fast: list[float]) -> float:
    """The median of the rounds' ratios."""
    return float(np.median(np.array(slow) / np.array(fast)))


def spread(slow: list[float], fast: list[float]) -> list[float]:
    """The quartiles of the rounds' ratios."""
    return [float(q) for q in np.percentile(np.array(slow) / np.array(fast), [25, 75])]


def machine() -> dict[str, Any]:
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
        "packages": {name: version(name) for name in PACKAGES},
        "load": [round(x, 2) for x in os.getloadavg()],
        "threads": 1,
    }
