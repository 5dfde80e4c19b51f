"""The widest street between two classes, and a perceptron that wants a margin (chapter 7)."""

from matplotlib.figure import Figure

from perceptron_notes.data import Dataset
from perceptron_notes.figures.plots import PALETTE, draw_boundary, draw_data, draw_street
from perceptron_notes.figures.scenes.scene import Scene, script
from perceptron_notes.learning import last
from perceptron_notes.margins import LargestMargin, largest_margin, margin_pla

__all__ = ["Street"]

#: Samples that PLA separates with a narrow street although there is a wide one.
_POSITIVE = [(0.5, 1.5), (1.5, 0.5), (2.5, 1.25), (1.25, 2.25), (3.0, -0.5), (2.25, 2.5)]
_NEGATIVE = [(-1.5, 0.75), (-0.75, -0.75), (-2.5, -0.5), (-1.25, -2.0), (0.5, -2.25), (-3.0, 1.5)]


class Street(Scene):
    """Two classes to drag, the widest street between them, and margin PLA beside it.

    The slider's position is ``state["threshold"]``: β is 0 at 0, and then 1, 2, 4, … up to 256.
    """

    name = "street"
    _esm = script("street.js")

    def __init__(self) -> None:
        points = [list(point) for point in _POSITIVE + _NEGATIVE]
        labels = [1] * len(_POSITIVE) + [-1] * len(_NEGATIVE)
        alt = (
            "Two classes in a plane, each with its hull shaded. A short segment joins the nearest "
            "points of the hulls. A solid line crosses it in the middle at a right angle, between "
            "two dashed edges, on which the ringed support vectors lie. A dash-dotted line is "
            "the perceptron's."
        )
        super().__init__({"points": points, "labels": labels, "threshold": 0, "t": 2}, alt)

    def draw(self, figure: Figure) -> None:
        """Draw the present state for paper, with Matplotlib."""
        data = Dataset(self.state["points"], self.state["labels"])
        k = self.state["threshold"]
        ax = figure.subplots()
        draw_data(ax, data, classes=(), box=(-4, 4, -3, 3))
        best = largest_margin(data) if abs(data.y.sum()) < data.n else None
        if isinstance(best, LargestMargin):
            draw_street(ax, data, best)
            w = last(margin_pla(data, 2 ** (k - 1) if k else 0), at_most=self.state["t"]).w
            draw_boundary(ax, w, sides=False, arrow=False, color=PALETTE["ink"], style="--")
