"""Chapter 8's scene: classes that compete for a plane."""

from typing import Any

from matplotlib.figure import Figure

from perceptron_notes._kit.recipes import up_to
from perceptron_notes._kit.validation import check_kind
from perceptron_notes.figures.plots import draw_claims, draw_classes, draw_zones
from perceptron_notes.figures.scenes.scene import Scene, script
from perceptron_notes.learning import pla
from perceptron_notes.multiclass import Classes, check_contest, multi_pla, versus

__all__ = ["Rivals"]

#: The number of updates after which a run is cut.
_MOST = 400

_CORNERS = [[-4, -2], [-3, -3], [-2, -1], [0, -1], [-1, 1], [1, 0], [2, 2], [4, 1], [3, 3]]


class Rivals(Scene):
    """Samples of two to four classes in a plane, and the zones that their weights make.

    The reader drags samples, or clicks one for its next class, and steps through a run of
    `multi_pla`; or of one perceptron for each class against the rest.

    Parameters
    ----------
    data : Classes, optional
        Samples with d = 2 and an intercept, of two to four classes; nine samples of three
        classes if left out.
    t : int
        The step shown first.

    Raises
    ------
    ValueError
        If they do not lie in a plane, or have too many classes or no intercept.
    """

    name = "rivals"
    _esm = script("rivals.js")

    def __init__(self, data: Classes | None = None, t: int = 0) -> None:
        if data is None:
            data = Classes(_CORNERS, "AAABBBCCC")
        check_kind(check_contest(data), Classes, "data", "Classes(points, labels)")
        if data.d != 2 or not data.intercept or data.K > 4:
            raise ValueError(f"data is {data!r}; expected d = 2, at most 4 classes, an intercept")
        reach = 1.25 * max(abs(data.points).max(), 1.0)
        state: dict[str, Any] = {
            "points": data.points.tolist(),
            "labels": data.y.tolist(),
            "names": [str(name) for name in data.names],
            "box": [-reach, reach, -0.8 * reach, 0.8 * reach],
            "mode": "all",
            "t": t,
        }
        after = f"{t} update" if t == 1 else f"{t} updates"
        zones = f"the zones of all classes after {after}"
        alt = f"{data.n} samples of {data.K} classes in a plane, and {zones}."
        super().__init__(state, alt)

    @property
    def data(self) -> Classes:
        """The samples as they are now."""
        names = self.state["names"]
        return Classes(self.state["points"], [names[k] for k in self.state["labels"]], names=names)

    def draw(self, figure: Figure) -> None:
        """Draw the present state for paper."""
        ax, data, t = figure.subplots(), self.data, int(self.state["t"])
        draw_classes(ax, data, box=tuple(self.state["box"]))
        if self.state["mode"] == "all":
            draw_zones(ax, list(up_to(multi_pla(data), min(t, _MOST)))[-1].w)
        else:
            runs = [pla(versus(data, k)) for k in range(data.K)]
            draw_claims(ax, [list(up_to(run, min(t, _MOST)))[-1].w for run in runs])
