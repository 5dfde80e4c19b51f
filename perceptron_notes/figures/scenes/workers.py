"""Samples that lie with several workers, whose weights are mixed (chapter 10)."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import ConnectionPatch

from perceptron_notes._kit.values import Array
from perceptron_notes.data import Dataset
from perceptron_notes.figures.plots import PALETTE, draw_boundary, draw_data
from perceptron_notes.figures.scenes.scene import Scene, script
from perceptron_notes.learning import last, pla
from perceptron_notes.scale import Epoch, Shards, mixing

__all__ = ["Workers"]

#: Each worker's four samples are separable, and so are all twelve; no mix of the answers does it.
_POINTS = [
    *[(1.0, 0.5), (2.5, -1.5), (-2.0, -0.5), (1.5, 0.0)],
    *[(0.0, 1.0), (0.5, 1.5), (-2.5, -2.5), (-0.5, -2.0)],
    *[(-0.5, 0.5), (1.0, -2.5), (-3.5, 0.5), (-1.5, -0.5)],
]
_LABELS = [1, 1, -1, 1, -1, -1, 1, 1, -1, 1, -1, -1]
#: The most epochs, and the most passes of a worker that runs to its end.
_EPOCHS, _PASSES = 60, 200


def _epochs(parts: Sequence[Dataset], by: str) -> list[Epoch]:
    """Return the epochs up to the first without a mistake, or the one that is averaged."""
    points = np.concatenate([part.points for part in parts])
    data = Dataset(points, np.concatenate([part.y for part in parts]))
    shards = Shards.split(data, [part.n for part in parts])
    if by == "once":
        return [next(iter(mixing(shards, passes=_PASSES)))]
    return list(islice(mixing(shards, "mistakes" if by == "mistakes" else "uniform"), _EPOCHS))


class Workers(Scene):
    """Samples of two classes, each with one of up to three workers; the reader moves both.

    Each epoch every worker makes one pass of PLA over its own samples, and their weights are mixed:
    all alike, by corrections, or once, when every worker has run to its end, as ``state["by"]``
    says. ``state["t"]`` is the step: two for each epoch, after the pass and after the mixing.
    """

    name = "workers"
    size = (6.8, 4.2)
    _esm = script("workers.js")

    def __init__(self) -> None:
        state: dict[str, Any] = {"points": [list(point) for point in _POINTS], "labels": _LABELS}
        state |= {"shard": [i // 4 for i in range(12)], "S": 3, "by": "once", "t": 2}
        alt = (
            "12 samples of two classes, and 3 workers. Each worker has a small plane, with its "
            "samples and its line. Arrows lead to a large plane with all samples, in which the "
            "lines are mixed."
        )
        super().__init__(state, alt)

    @property
    def shards(self) -> list[Dataset]:
        """The samples of each worker, as they are now."""
        data = Dataset(self.state["points"], self.state["labels"])
        shard = np.array(self.state["shard"])
        return [data[np.flatnonzero(shard == s)] for s in range(self.state["S"])]

    def _weights(self) -> list[Array]:
        """Return each worker's weights at this step: its own after a pass, else the mixed ones."""
        shards, by = self.shards, self.state["by"]
        made = _epochs(shards, by)
        t = min(self.state["t"], 2 * len(made))
        mixed = [np.zeros(3), *(epoch.w for epoch in made)]
        if t % 2 == 0:
            return [mixed[t // 2]] * len(shards)
        passes = _PASSES if by == "once" else 1
        return [last(pla(shard, w0=mixed[t // 2]), passes=passes).w for shard in shards]

    def draw(self, figure: Figure) -> None:
        """Draw a small plane for each worker, and a large one for the mix."""
        shards, weights = self.shards, self._weights()
        grid = figure.add_gridspec(len(shards), 3, width_ratios=(1, 0.2, 3))
        large = figure.add_subplot(grid[:, 2])
        box = (-4, 4, -3, 3)
        for s, (shard, w) in enumerate(zip(shards, weights, strict=True)):
            ax = figure.add_subplot(grid[s, 0])
            draw_data(ax, shard, names=("", ""), classes=(), size=4, box=box)
            draw_boundary(ax, w, arrow=False)
            ax.set(xticks=[], yticks=[])
            ax.set_title(self.words["workers_name"].format(s=s + 1), size=9, loc="center")
            ends: dict[str, Any] = {"xyA": (1.03, 0.5), "xyB": (-0.14, 0.5)}
            axes: dict[str, Any] = {"coordsA": ax.transAxes, "coordsB": large.transAxes}
            look: dict[str, Any] = {"arrowstyle": "->", "color": PALETTE["ink"]}
            figure.add_artist(ConnectionPatch(**ends, **axes, **look))
        data = Dataset(self.state["points"], self.state["labels"])
        draw_data(large, data, classes=(), box=box)
        same = all((w == weights[0]).all() for w in weights)
        for w in weights[: 1 if same else None]:
            draw_boundary(large, w, sides=same, arrow=False)
