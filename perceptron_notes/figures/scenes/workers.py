"""Samples that lie with several workers, whose weights are mixed (chapter 10)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from perceptron_notes._kit.validation import check_one_of
from perceptron_notes.data import Dataset
from perceptron_notes.figures.plots import PALETTE, draw_boundary
from perceptron_notes.figures.scenes.scene import Scene, check_on_grid, script
from perceptron_notes.learning import last, pla
from perceptron_notes.scale import Epoch, Shards, mixing

__all__ = ["Workers"]

#: Each worker's four samples can be separated, and all twelve; no mix of the answers does it.
_POINTS = [
    *[(1.0, 0.5), (2.5, -1.5), (-2.0, -0.5), (1.5, 0.0)],
    *[(0.0, 1.0), (0.5, 1.5), (-2.5, -2.5), (-0.5, -2.0)],
    *[(-0.5, 0.5), (1.0, -2.5), (-3.5, 0.5), (-1.5, -0.5)],
]
_LABELS = [1, 1, -1, 1, -1, -1, 1, 1, -1, 1, -1, -1]
_WAYS = ("uniform", "mistakes", "once")
_COLORS = ("positive", "negative", "good")
#: At most so many epochs, and so many passes of a worker that runs to its end.
_EPOCHS, _PASSES = 60, 200


def _epochs(parts: Sequence[Dataset], by: str) -> list[Epoch]:
    """Return the epochs up to the first without a mistake, or the one of which all is averaged."""
    shards = Shards.generate(parts.__getitem__, range(len(parts)))
    if by == "once":
        return [next(iter(mixing(shards, passes=_PASSES)))]
    return list(islice(mixing(shards, "mistakes" if by == "mistakes" else "uniform"), _EPOCHS))


class Workers(Scene):
    """Samples of two classes, each with one of up to three workers; the reader moves both.

    Each epoch every worker makes one pass of PLA over its own samples, and their weights are mixed.

    Parameters
    ----------
    data : Dataset, optional
        At most 20 samples with d = 2 and an intercept, on the grid of quarters from −4 to 4 and
        from −3 to 3; a set of twelve if left out.
    workers : int
        From 1 to 3, and at most as many as there are samples; each gets a contiguous part of them.
    by : {"uniform", "mistakes", "once"}
        How the weights are mixed: each epoch, all alike; each epoch, by corrections; or once, when
        every worker has run to its end.
    t : int
        The step shown first: two for each epoch, after the pass and after the mixing.

    Raises
    ------
    ValueError
        If the samples are too many or not on the grid, or if a value is not one of these.
    """

    name = "workers"
    _esm = script("workers.js")

    def __init__(
        self,
        data: Dataset | None = None,
        workers: int = 3,
        by: str = "uniform",
        t: int = 2,
    ) -> None:
        data = Dataset(_POINTS, _LABELS) if data is None else data
        check_on_grid(data, 4, "quarters")
        if workers not in range(1, min(3, data.n) + 1):
            raise ValueError(f"workers is {workers!r}; expected 1 to 3, and a sample for each")
        check_one_of(by, "by", _WAYS)
        shard = [i * workers // data.n for i in range(data.n)]
        state: dict[str, Any] = {"points": data.points.tolist(), "labels": data.y.tolist()}
        state |= {"shard": shard, "S": workers, "by": by, "t": t}
        alt = (
            f"{data.n} samples of two classes in a plane, each with the number of its worker, 1 to "
            f"{workers}. Dashed lines are the workers' own, a solid one is the mixed line."
        )
        super().__init__(state, alt)

    @property
    def shards(self) -> list[Dataset]:
        """The samples of each worker, as they are now."""
        data = Dataset(self.state["points"], self.state["labels"])
        shard = np.array(self.state["shard"])
        return [data[np.flatnonzero(shard == s)] for s in range(self.state["S"])]

    def draw(self, figure: Figure) -> None:
        """Draw the present state for paper, with Matplotlib."""
        ax, shards, by = figure.subplots(), self.shards, self.state["by"]
        for s, shard in enumerate(shards):
            for label, marker in ((1, "o"), (-1, "x")):
                chosen = shard.points[shard.y == label]
                style: dict[str, Any] = {"color": PALETTE[_COLORS[s]], "mfc": "none"}
                ax.plot(*chosen.T, marker, ms=7, mew=1.6, **style)
            for place in shard.points:
                ax.annotate(f"{s + 1}", place, (5, 4), textcoords="offset points", size=8)
        ax.set(xlim=(-4, 4), ylim=(-3, 3), aspect="equal", xlabel="$x_1$", ylabel="$x_2$")
        made = _epochs(shards, by)
        t = min(self.state["t"], 2 * len(made))
        if not t:
            return
        e = (t + 1) // 2
        before = made[e - 2].w if e > 1 else np.zeros(3)
        for s, shard in enumerate(shards):
            end = last(pla(shard, w0=before), passes=_PASSES if by == "once" else 1)
            draw_boundary(
                ax, end.w, sides=False, arrow=False, color=PALETTE[_COLORS[s]], style="--"
            )
        if t % 2 == 0:
            draw_boundary(ax, made[e - 1].w, sides=False, arrow=False)
