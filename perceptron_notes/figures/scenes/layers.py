"""Chapter 9's figure: hidden lines that can be dragged, and what the output unit sees of them."""

from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from perceptron_notes._kit.values import Array
from perceptron_notes.data import Dataset
from perceptron_notes.datasets import rings, xor
from perceptron_notes.figures.plots import PALETTE, draw_boundary, draw_data, draw_region
from perceptron_notes.figures.scenes.scene import Scene, script
from perceptron_notes.learning import last, pla
from perceptron_notes.networks import Network, hidden, train
from perceptron_notes.pocketing import pocket

__all__ = ["Layers"]

#: The limits of the plane; the most updates of PLA on the codes; the slope of an arrow.
_BOX, _CAP, _STEEP = (-0.6, 1.6, -0.5, 1.5), 200, 8
#: The initial positions of the four lines, and of the tips of their arrows.
_FEET = ((0.5, 1.0), (0.0, 0.5), (0.25, 0.25), (0.75, 0.25))
_TIPS = ((0.75, 1.0), (0.0, 0.75), (0.4375, 0.4375), (0.5625, 0.4375))


class _Shown(NamedTuple):
    """The picture of a state: the network at its step, its signed scores, and PLA's run before."""

    network: Network
    signed_scores: Array
    updates: int | None
    halts: bool | None


def _moons(n: int = 9) -> Dataset:
    """Return two half circles that reach into each other, on a grid of 1/64."""
    turn = np.pi * np.arange(n) / (n - 1)
    upper = np.column_stack([0.3 + 0.55 * np.cos(turn), 0.4 + 0.55 * np.sin(turn)])
    lower = np.column_stack([0.75 - 0.55 * np.cos(turn), 0.6 - 0.55 * np.sin(turn)])
    points = np.round(64 * np.vstack([upper, lower])) / 64
    return Dataset(points, np.repeat([1, -1], n))


def _island() -> Dataset:
    """Return a disc in a ring, from `rings`, moved and scaled to the unit square."""
    data = rings(24, rng=np.random.default_rng(3))
    return Dataset(0.375 * data.points + 0.5, data.y)


class Layers(Scene):
    """Hidden lines in a plane, the region that they make, and the codes of the samples.

    Each line is a hidden unit: its square shifts it, its arrow turns it and points to its
    positive side. The output unit is an "and", an "or", or learnt by PLA on the codes; smooth
    units can be trained by backpropagation from where the lines stand.
    """

    name = "layers"
    _esm = script("layers.js")

    def __init__(self) -> None:
        sets = {"xor": xor(), "island": _island(), "moons": _moons()}
        spare = [_line(*ends) for ends in zip(_FEET, _TIPS, strict=True)]
        state: dict[str, Any] = {
            "samples": {
                name: {"points": data.points.tolist(), "labels": data.y.tolist()}
                for name, data in sets.items()
            },
            "chosen": "xor",
            "hidden": spare[:2],
            "anchors": [list(foot) for foot in _FEET[:2]],
            "spare": {"hidden": spare, "anchors": [list(foot) for foot in _FEET]},
            "output": "learned",
            "units": "sign",
            "t": 0,
            "box": list(_BOX),
        }
        alt = (
            "4 samples, 2 hidden lines with arrows, and the region that they make with the output "
            "unit; 1 sample is wrong."
        )
        super().__init__(state, alt)

    def draw(self, figure: Figure) -> None:
        """Draw the region, the lines and the samples."""
        ax, (network, *_) = figure.subplots(), _shown(self.state)
        draw_data(ax, _samples(self.state), classes=(), box=_BOX)
        draw_region(ax, network, resolution=240)
        for w in network.layers[0]:
            draw_boundary(ax, w, sides=False, color=PALETTE["ink"])


def _line(foot: tuple[float, float], tip: tuple[float, float]) -> list[float]:
    """Return the weights of the line through `foot`, perpendicular to its arrow."""
    v = [_STEEP * (b - a) for a, b in zip(foot, tip, strict=True)]
    return [-(v[0] * foot[0] + v[1] * foot[1]), *v]


def _samples(state: dict[str, Any]) -> Dataset:
    """Return the samples of a state."""
    chosen = state["samples"][state["chosen"]]
    return Dataset(chosen["points"], chosen["labels"])


def _shown(state: dict[str, Any]) -> _Shown:
    """Return the picture of a state, computed with chapter 9's own functions."""
    data, lines = _samples(state), np.array(state["hidden"], dtype=float)
    k, ones = len(lines), np.ones(len(lines))
    codes = hidden(Network((lines, np.zeros((1, k + 1))), "sign"), data)
    output, updates, halts = np.array([1.0 - k, *ones]), None, None
    if state["output"] == "or":
        output = np.array([k - 1.0, *ones])
    if state["output"] == "learned":
        end = last(pocket(codes, pla(codes)), at_most=_CAP)
        output, updates, halts = end.best, end.t, end.pick is None
    start = Network((lines, output[None]), state["units"])
    steps = state["t"] if state["units"] == "tanh" else 0
    step = next(islice(train(start, data), steps, None))
    return _Shown(step.network, step.signed_scores, updates, halts)
