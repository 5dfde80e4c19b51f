"""The data that the page gets of a figure: samples, settings and a run, all of them plain JSON."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.validation import LARGEST, check_count, check_flag, real_array
from perceptron_notes.convergence import separate
from perceptron_notes.data import Dataset, check_dataset
from perceptron_notes.kernels import Kernel, linear, polynomial, rbf
from perceptron_notes.learning import Trace

#: All words of the figure.
WORDS = Path(__file__).with_name("words.csv")
#: The mistakes of a run need no panel: they form the track of the scrubber.
PANELS = {
    "pla": ("plane", "angle"),
    "pocket": ("plane",),
    "dual": ("plane", "alpha"),
    "model": ("plane", "model"),
}
_ALL_PANELS = ("plane", "angle", "ledger", "alpha", "model")
#: The goals that a figure can set, and the type of each.
_GOALS: dict[str, type] = {"updates": int, "mistakes": int, "separable": bool}
_MOST_SAMPLES, _MOST_UPDATES = 1000, 100_000  # as in explorer.js
#: The least width of a frame relative to its distance from 0, so that tick labels stay distinct.
_NARROW = 1e-9
_TINY = float(np.finfo(np.float64).tiny)


def describe(state: dict[str, Any]) -> str:
    """Return a sentence that describes a figure's still picture."""
    name = state["settings"]["algorithm"]
    sentence = state["words"]["still_alt_model" if name == "model" else "still_alt"]
    numbers = {"n": len(state["labels"]), "t": state["step"], "T": len(state["run"]["picks"])}
    return str(sentence.format(algorithm=state["words"][name], **numbers))


def samples(data: Dataset) -> dict[str, Any]:
    """Return points and labels as the page gets them."""
    return {"points": data.points.tolist(), "labels": data.y.tolist()}


def separating(data: Dataset) -> list[float] | None:
    """Return the separating weights with the largest margin, if there are any."""
    found = separate(data)
    return found.w.tolist() if found.separable else None


# ------------------------------------------------------------------------------- checks


def check_samples(data: Dataset) -> Dataset:
    """Return `data` itself, if the figure can show it."""
    n, d = check_dataset(data).n, data.d
    if d != 2:
        raise ValueError(f"data has d = {d}; an Explorer shows samples in a plane, d = 2")
    if n > _MOST_SAMPLES:
        raise ValueError(
            f"data has {n} samples; an Explorer shows at most {_MOST_SAMPLES}: take some of them, "
            f"Dataset(data.points[:{_MOST_SAMPLES}], data.y[:{_MOST_SAMPLES}])"
        )
    return data


def check_at_most(at_most: int) -> int:
    """Return `at_most`, if the page can hold so many updates."""
    return check_count(at_most, "at_most", most=_MOST_UPDATES, why=", which an Explorer can show")


def check_finite(trace: Trace) -> Trace:
    """Return `trace` itself, if all of its weights can be drawn."""
    overflown = np.flatnonzero(~np.isfinite(trace.W).all(axis=1))
    if overflown.size:
        raise ValueError(
            f"the weights of step {overflown[0]} are {trace.W[overflown[0]]}; an Explorer draws "
            "finite ones: take a smaller rate, or smaller units"
        )
    return trace


def check_panels(panels: Sequence[str] | None, algorithm: str, kernel: Kernel) -> list[str]:
    """Return the panels as a list, if they go together."""
    chosen = list(PANELS[algorithm] if panels is None else panels)
    for name in chosen:
        if name not in _ALL_PANELS:
            raise ValueError(f"panels has {name!r}; expected some of {', '.join(_ALL_PANELS)}")
        if name == "alpha" and algorithm != "dual":
            raise ValueError(f'the panel {name} needs algorithm="dual"')
        if name != "plane" and (name == "model") != (algorithm == "model"):
            raise ValueError(f"the panel {name} does not go with algorithm={algorithm!r}")
        if kernel is not linear and name in ("angle", "ledger"):
            raise ValueError(f"a kernel has no line to draw in {name}")
    return chosen


def check_goal(goal: Mapping[str, Any] | None) -> dict[str, int | bool] | None:
    """Return a goal, if the page can recognise that it is reached."""
    if goal is None:
        return None
    if not isinstance(goal, Mapping) or not goal:
        raise ValueError(f"goal is {goal!r}; expected a dict such as {{'updates': 20}}")
    for name, value in goal.items():
        if name not in _GOALS:
            raise ValueError(f"goal has {name!r}; expected some of {', '.join(_GOALS)}")
        if _GOALS[name] is bool:
            check_flag(value, f"goal[{name!r}]")
        else:
            check_count(value, f"goal[{name!r}]")
    return {name: _GOALS[name](value) for name, value in goal.items()}


def described(kernel: Kernel) -> dict[str, Any]:
    """Return the description of a kernel for the page: its name, and all kernels' parameters."""
    told: dict[str, Any] = {"name": "linear", "degree": 2, "offset": 1.0, "gamma": 1.0}
    if kernel is linear:
        return told
    if type(kernel) not in (polynomial, rbf):
        raise ValueError(
            f"kernel is {kernel!r}; an Explorer draws linear, polynomial(…) and rbf(…)"
        )
    return {**told, "name": type(kernel).__name__, **vars(kernel)}


def kernel_of(told: dict[str, Any]) -> Kernel:
    """Return the kernel that the page describes."""
    if told["name"] == "linear":
        return linear
    if told["name"] == "rbf":
        return rbf(told["gamma"])
    return polynomial(told["degree"], told["offset"])


def check_names(names: Sequence[str], argument: str = "names", of: str = "axis") -> list[str]:
    """Return the names of the two axes, or of the two sides of a line, as a list."""
    if isinstance(names, str) or len(names) != 2:
        raise ValueError(f"{argument} is {names!r}; expected two strings, one for each {of}")
    return [str(one) for one in names]


# -------------------------------------------------------------------------------- frames


def check_box(box: npt.ArrayLike) -> list[float]:
    """Return the limits of a picture as a list, if something can be drawn between them."""
    limits = real_array(box, "box", LARGEST)
    if limits.shape != (4,):
        raise ValueError(f"box has shape {limits.shape}; expected (4,): left, right, low, high")
    left, right, low, high = (float(v) for v in limits)
    told = f"box is ({left:g}, {right:g}, {low:g}, {high:g})"
    if not (left < right and low < high):
        raise ValueError(f"{told}; expected left < right and low < high")
    if min(right - left, high - low) < _NARROW * np.abs(limits).max():
        raise ValueError(f"{told}, too narrow so far from 0; subtract what all samples share")
    return [left, right, low, high]


def frame(data: Dataset) -> list[float]:
    """Return limits with a little room around the samples, in the shape of a picture.

    Where every line goes through the origin, the origin is in the picture too.
    """
    points = data.points if data.intercept else np.vstack([data.points, np.zeros(2)])
    low, high = points.min(axis=0), points.max(axis=0)
    size = float((high - low).max())
    size = size if size > _TINY else 1.0
    middle = (low + high) / 2
    half = (high - low) / 2 + max(0.18 * size, _NARROW * float(np.abs(middle).max()))
    half[0] = max(half[0], half[1])
    half[1] = max(half[1], 0.7 * half[0])
    (a, c), (b, d) = middle - half, middle + half
    return [float(v) for v in (a, b, c, d)]


def grid(box: Sequence[float]) -> float:
    """Return the step in which samples move: a power of two, so that the runs stay exact."""
    width = max(box[1] - box[0], box[3] - box[2], 50 * _TINY)
    return float(2.0 ** np.floor(np.log2(width / 50)))
