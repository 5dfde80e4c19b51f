"""Still pictures: each function draws one idea into given axes.

They are made for ``plt.style.use("perceptron_notes.figures.notes")``. Nothing is shown by colour
alone: a positive sample is a circle, a negative one a cross.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

from perceptron_notes._kit import palette
from perceptron_notes._kit.validation import (
    check_count,
    check_kind,
    check_one_of,
    check_positive,
    check_weights,
    real_array,
)
from perceptron_notes._kit.values import Array
from perceptron_notes.data import Dataset, check_dataset
from perceptron_notes.learning import Trace

if TYPE_CHECKING:
    from perceptron_notes.margins import LargestMargin
    from perceptron_notes.multiclass import Classes

# Chapters are imported where they are drawn, so that a page loads those that it shows.

__all__ = [
    "PALETTE",
    "draw_boundary",
    "draw_claims",
    "draw_classes",
    "draw_data",
    "draw_errors",
    "draw_pixels",
    "draw_region",
    "draw_step",
    "draw_street",
    "draw_zones",
]

#: The colours by what they mean; the site gives each of them a light and a dark tone.
PALETTE = palette.PALETTE

#: As many shades as the eye can distinguish, and as the pixels of scanned digits have.
_SHADES = 16
#: The mark and the colour of each class, for up to four of them.
_CLASSES = (("o", "positive"), ("x", "negative"), ("^", "good"), ("s", "accent"))
#: The position of a legend: above the picture, at its left.
_ABOVE: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2}


def draw_data(
    ax: Axes,
    data: Dataset,
    *,
    names: Sequence[str] = ("$x_1$", "$x_2$"),
    classes: Sequence[str] = ("+1", "−1"),
    size: float = 7,
    box: tuple[float, float, float, float] | None = None,
) -> None:
    """Draw samples in a plane: circles for +1, crosses for −1.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw. Its limits are set around the samples, and also around the origin for
        data without an intercept; both axes have the same scale, so that right angles look
        right.
    data : Dataset
        Samples with d = 2.
    names : two strings
        What the axes measure, with units.
    classes : two strings, or nothing
        The meanings of +1 and −1, for a legend above the picture; no legend if empty.
    size : float
        The size of the markers, in points.
    box : four numbers, optional
        The limits left, right, bottom, top; a little room around the samples if left out.

    Raises
    ------
    ValueError
        If the samples do not lie in a plane.
    """
    points = _plane(data)
    kinds = np.where(data.y > 0, 0, 1)
    _mark(ax, points, kinds, classes or ("", ""), size=size)
    turned = points if data.intercept else np.vstack([points, np.zeros(2)])
    _frame(ax, turned, box)
    ax.set(xlabel=names[0], ylabel=names[1])
    if classes:
        ax.legend(ncols=2, **_ABOVE)


def draw_boundary(
    ax: Axes,
    w: npt.ArrayLike,
    *,
    sides: bool = True,
    arrow: bool = True,
    color: str = PALETTE["accent"],
    style: str = "-",
) -> None:
    r"""Draw the line :math:`w_0 + w_1x_1 + w_2x_2 = 0` within the current limits of the axes.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw, after `draw_data` has set its limits, which stay as they are.
    w : array_like, shape (3,), or (2,) for a line through the origin
        The weights. If the line does not cross the axes, only the tint is drawn; zero weights
        decide nothing, so nothing is drawn.
    sides : bool
        Whether to tint the two half-planes.
    arrow : bool
        Whether to draw the direction of :math:`(w_1, w_2)`, which points to the + side.
        Its length means nothing.
    color, style
        Of the line.
    """
    w = real_array(w, "w")
    w = np.array([0.0, *w]) if w.shape == (2,) else check_weights(w, 2)
    w = w / (np.abs(w).max() or 1.0)  # only its direction matters
    box = ax.axis()
    for sign, side in ((1, "positive"), (-1, "negative")):
        corners = _cell(sign * w[None], box)
        if sides and len(corners):
            ax.fill(*corners.T, color=PALETTE[side], alpha=0.09, lw=0, zorder=0)
    line = _line(w, box)
    if len(line):
        ax.plot(*line.T, style, color=color, zorder=2)
        if arrow:
            middle, normal = line.mean(axis=0), w[1:] / np.linalg.norm(w[1:])
            tip = middle + 0.16 * max(box[1] - box[0], box[3] - box[2]) * normal
            paint = {"arrowstyle": "-|>", "color": color, "lw": 1.8, "shrinkA": 0, "shrinkB": 0}
            ax.annotate("", tip, middle, arrowprops=paint, zorder=4, annotation_clip=False)
    ax.axis(box)


def draw_step(
    ax: Axes,
    trace: Trace,
    t: int,
    *,
    names: Sequence[str] = ("$x_1$", "$x_2$"),
    box: tuple[float, float, float, float] | None = None,
) -> None:
    """Draw step t of a run: a solid boundary before the update, a dashed one after it.

    The sample that corrects the weights has a ring around it, and the title names it.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    trace : Trace
        A run on samples in a plane.
    t : int
        The step, from 0 to T. At T there is no update left to show.
    names : two strings
        What the axes measure.
    box : four numbers, optional
        The limits left, right, bottom, top.

    Raises
    ------
    ValueError
        If the samples do not lie in a plane, or if the run has no step t.
    """
    check_kind(trace, Trace, "trace", "a Trace, as from record")
    if not 0 <= check_count(t, "t") <= trace.updates:
        raise ValueError(f"t is {t}; the run has steps 0 to {trace.updates}")
    draw_data(ax, trace.data, names=names, classes=(), box=box)
    draw_boundary(ax, trace.W[t])
    if t == trace.updates:
        ax.set_title(f"$t = {t}$: " + ("no mistake left" if trace.converged else "stopped here"))
        return
    i = int(trace.picks[t])
    paint: dict[str, Any] = {"mfc": "none", "mec": PALETTE["warn"], "mew": 2, "ms": 17}
    ax.plot(*trace.data.points[i], "o", zorder=4, **paint)
    draw_boundary(ax, trace.W[t + 1], sides=False, arrow=False, style="--")
    ax.set_title(rf"$t = {t}$: $\mathbf{{x}}_{{{i + 1}}}$")


def draw_errors(ax: Axes, errors: npt.ArrayLike, best: npt.ArrayLike | None = None) -> None:
    """Draw the number of mistakes after each update, and the fewest so far, in the pocket.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    errors : array_like, shape (T + 1,)
        The number of mistakes after 0, 1, …, T updates.
    best : array_like, shape (T + 1,), optional
        The fewest mistakes so far.
    """
    errors = real_array(errors, "errors")
    if errors.ndim != 1 or not len(errors):
        raise ValueError(f"errors has shape {errors.shape}; expected (T + 1,), a number a step")
    t = np.arange(len(errors))
    ax.step(t, errors, where="post", color=PALETTE["accent"], lw=1.3, label="PLA now")
    if best is not None:
        paint: dict[str, Any] = {"color": PALETTE["good"], "lw": 2.4, "ls": "--"}
        if (best := real_array(best, "best")).shape != errors.shape:
            raise ValueError(f"best has shape {best.shape}; expected {errors.shape}, as errors")
        ax.step(t, best, where="post", label="in the pocket", **paint)
        ax.legend(ncols=2, **_ABOVE)
    ax.set(xlabel="updates $t$", ylabel="mistakes", xlim=(0, max(len(t) - 1, 1)))
    ax.set_ylim(0, None)
    ax.locator_params(integer=True)


def draw_pixels(
    ax: Axes,
    values: npt.ArrayLike,
    *,
    color: str = "accent",
    most: float | None = None,
) -> None:
    """Draw a matrix as tinted squares: the larger a number, the deeper its tint.

    There are 16 shades. A number gets the nearest of them, or none if it is nearer to 0.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    values : array_like, shape (m, n)
        The matrix, its first row at the top. Numbers below 0 get the colour ``"warn"``.
    color : str
        A name of `PALETTE`, for the numbers above 0.
    most : float, optional
        The absolute value from which the tint is deepest; the largest one if left out.

    Raises
    ------
    ValueError
        If the values are not a matrix, the colour is unknown, or `most` is not positive.
    """
    values = real_array(values, "values")
    if values.ndim != 2 or not values.size:
        raise ValueError(f"values has shape {values.shape}; expected (m, n), a matrix of numbers")
    check_one_of(color, "color", tuple(PALETTE))
    if most is not None:
        check_positive(most, "most")
    size = np.abs(values)
    most = most or size.max() or 1.0
    shades = np.rint(_SHADES * (np.minimum(size, most) / most))
    for name, some in ((color, values > 0), ("warn", values < 0)):
        for shade in np.unique(shades[some & (shades > 0)]):
            squares = [
                Path.unit_rectangle().transformed(Affine2D().translate(j - 0.5, i - 0.5))
                for i, j in np.argwhere(some & (shades == shade))
            ]
            paint: dict[str, Any] = {"color": PALETTE[name], "alpha": shade / _SHADES}
            ax.add_patch(PathPatch(Path.make_compound_path(*squares), lw=0, zorder=0, **paint))
    m, n = values.shape
    ax.set(xlim=(-0.5, n - 0.5), ylim=(m - 0.5, -0.5), aspect="equal")


def draw_region(ax: Axes, score: Callable[[Array], Array], resolution: int = 120) -> None:
    """Tint where a score is positive and where it is negative, and draw the curve where it is 0.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw, after `draw_data` has set its limits, which stay as they are.
    score : callable
        From points, shape (m, 2), to scores, shape (m,).
    resolution : int
        The number of points along each side of the picture at which the score is computed.
    """
    box = ax.axis()
    x, y = np.linspace(*box[:2], resolution), np.linspace(*box[2:], resolution)
    grid = np.stack(np.meshgrid(x, y), axis=-1)
    s = score(grid.reshape(-1, 2)).reshape(resolution, resolution)
    sides = [PALETTE["negative"], PALETTE["positive"]]
    ax.contourf(x, y, s, levels=[-np.inf, 0, np.inf], colors=sides, alpha=0.1, zorder=0)
    ax.contour(x, y, s, levels=[0], colors=[PALETTE["accent"]], linewidths=1.8, zorder=2)
    ax.axis(box)


def draw_classes(
    ax: Axes,
    data: Classes,
    *,
    names: Sequence[str] = ("$x_1$", "$x_2$"),
    legend: bool = True,
    numbered: bool = False,
    box: tuple[float, float, float, float] | None = None,
) -> None:
    """Draw samples of up to four classes in a plane, each class with a mark of its own.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw. Its limits are set around the samples.
    data : Classes
        Samples with d = 2.
    names : two strings
        What the axes measure, with units.
    legend : bool
        Whether the names of the classes stand above the picture.
    numbered : bool
        Whether to write each sample's index beside it.
    box : four numbers, optional
        The limits left, right, bottom, top; a little room around the samples if left out.

    Raises
    ------
    ValueError
        If the samples do not lie in a plane, or if there are more than four classes.
    """
    from perceptron_notes.multiclass import Classes

    check_kind(data, Classes, "data", "Classes(points, labels)")
    points, marks = _flat(data), len(_CLASSES)
    if marks < data.K:
        raise ValueError(f"data has {data.K} classes; there are marks for {marks}")
    _mark(ax, points, data.y, [str(name) for name in data.names], numbered)
    _frame(ax, points, box)
    ax.set(xlabel=names[0], ylabel=names[1])
    if legend:
        ax.legend(ncols=data.K, **_ABOVE)


def draw_zones(ax: Axes, W: npt.ArrayLike) -> None:
    """Tint, for each class, the part of the plane where its score beats all the others.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw, after `draw_classes` has set its limits, which stay as they are.
    W : array_like, shape (K, 3), or (K, 2) through the origin
        The weights, a row for each class. Where classes share the largest score, nothing is
        tinted: a tie decides nothing.
    """
    W, box = _plane_weights(W), ax.axis()
    for k, w in enumerate(W):
        corners = _cell(w - np.delete(W, k, axis=0), box)
        if len(corners):
            color = PALETTE[_CLASSES[k % len(_CLASSES)][1]]
            ax.fill(*corners.T, color=color, alpha=0.11, lw=0, zorder=0)
            ax.fill(*corners.T, fill=False, edgecolor=PALETTE["ink"], lw=1.2, zorder=2)
    ax.axis(box)


def draw_claims(ax: Axes, W: npt.ArrayLike) -> None:
    """Draw the claims of separate perceptrons: a line and a tint for each, hatched if disputed.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw, after `draw_classes` has set its limits, which stay as they are.
    W : array_like, shape (K, 3), or (K, 2) through the origin
        The weights of the K perceptrons, each of one class against the rest. Where exactly one
        score is positive, its class is tinted; where none is, there are dots, and where
        several are, stripes.
    """
    W, box = _plane_weights(W), ax.axis()
    x, y = np.linspace(*box[:2], 240), np.linspace(*box[2:], 240)
    across, up = np.meshgrid(x, y)
    claims = np.stack([w[0] + w[1] * across + w[2] * up for w in W]) > 0
    for k, w in enumerate(W):
        color = PALETTE[_CLASSES[k % len(_CLASSES)][1]]
        corners = _cell(np.vstack([w, -np.delete(W, k, axis=0)]), box)
        if len(corners):
            ax.fill(*corners.T, color=color, alpha=0.13, lw=0, zorder=0)
        draw_boundary(ax, w, sides=False, arrow=False, color=color)
    count: dict[str, Any] = {"colors": "none", "hatches": ["..", None, "////"], "zorder": 1}
    hatched = ax.contourf(x, y, claims.sum(axis=0), levels=[-0.5, 0.5, 1.5, len(W) + 0.5], **count)
    hatched.set(edgecolor=PALETTE["faint"], linewidth=0)
    ax.set_aspect("equal")
    ax.axis(box)


# ------------------------------------------------------------------------------ geometry


def draw_street(ax: Axes, data: Dataset, best: LargestMargin, *, hulls: bool = True) -> None:
    """Draw the widest street: its middle and its edges, the hulls, and their nearest points.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw, after `draw_data` has set its limits, which stay as they are.
    data : Dataset
        Samples with d = 2.
    best : LargestMargin
        From `largest_margin`, for the same data.
    hulls : bool
        Whether to draw the hulls and their nearest points too. Support vectors get a ring.

    Raises
    ------
    ValueError
        If the samples do not lie in a plane, or if the data have no intercept.
    """
    from perceptron_notes.margins import LargestMargin

    check_kind(best, LargestMargin, "best", "a LargestMargin, from largest_margin(data)")
    if not data.intercept:
        raise ValueError("data have no intercept; expected lines that need not meet the origin")
    points, box = _plane(data), ax.axis()
    middle = np.array(best.w)
    for side in (1, -1):
        edge = middle - [side, 0, 0]
        line = _line(edge, box)
        if len(line):
            ax.plot(*line.T, "--", color=PALETTE["accent"], lw=1, zorder=1)
        color = PALETTE["positive" if side > 0 else "negative"]
        if hulls:
            corners = _hull(points[data.y == side])
            ax.fill(*corners.T, facecolor=color, edgecolor=color, alpha=0.15, lw=1, zorder=0)
    draw_boundary(ax, middle, sides=False, arrow=False)
    if hulls:
        ax.plot(*np.transpose(best.feet(data)), "D-", color=PALETTE["good"], ms=5, lw=2, zorder=4)
    ring: dict[str, Any] = {"mfc": "none", "mec": PALETTE["warn"], "mew": 1.8, "ms": 14}
    ax.plot(*points[list(best.support)].T, "o", zorder=4, **ring)
    ax.axis(box)


def _hull(points: Array) -> Array:
    """Return the corners of the convex hull of points in the plane, in order around it."""
    ordered = sorted(map(tuple, points.tolist()))
    corners: list[tuple[float, ...]] = []
    for way in (ordered, ordered[::-1]):
        begin = len(corners)
        for p in way:
            while len(corners) > begin + 1 and _turn(corners[-2], corners[-1], p) <= 0:
                corners.pop()
            corners.append(p)
    return np.array(corners)


def _turn(a: Sequence[float], b: Sequence[float], c: Sequence[float]) -> float:
    """Return twice the area of a triangle, positive if its corners are anticlockwise."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _mark(
    ax: Axes,
    points: Array,
    kinds: npt.NDArray[np.intp],
    names: Sequence[str],
    numbered: bool = False,
    size: float | None = None,
    width: float = 1.8,
) -> None:
    """Draw points, each kind with the mark of its class."""
    for k, (name, (marker, color)) in enumerate(zip(names, _CLASSES, strict=False)):
        paint: dict[str, Any] = {"color": PALETTE[color], "mfc": "none", "mew": width, "ms": size}
        ax.plot(*points[kinds == k].T, marker, label=name or None, zorder=3, **paint)
    for i, point in enumerate(points if numbered else ()):
        ax.annotate(str(i), point, xytext=(6, 5), textcoords="offset points", fontsize=9)


def _plane(data: Dataset) -> Array:
    """Return the points of a data set, if they lie in a plane."""
    return _flat(check_dataset(data))


def _flat(data: Dataset | Classes) -> Array:
    """Return the points of samples, if they lie in a plane."""
    if data.d != 2:
        raise ValueError(f"data has d = {data.d}; only samples with d = 2 fit into a plane")
    return data.points


def _frame(
    ax: Axes,
    points: Array,
    box: tuple[float, float, float, float] | None = None,
) -> None:
    """Set limits around the points, with the same scale on both axes."""
    if box is None:
        low, high = points.min(axis=0), points.max(axis=0)
        pad = 0.18 * float((high - low).max() or 1.0)
        box = (low[0] - pad, high[0] + pad, low[1] - pad, high[1] + pad)
    ax.set(aspect="equal", xlim=box[:2], ylim=box[2:])


def _cell(W: Array, box: tuple[float, float, float, float]) -> Array:
    """Return the corners, in order, of the part of a box where w·x > 0 for all rows of W."""
    left, right, low, high = box
    corners = np.array([(left, low), (right, low), (right, high), (left, high)])
    for w in W:
        corners = _clip(w, corners)
    return corners


def _clip(w: Array, corners: Array) -> Array:
    """Return the corners of the part of a convex polygon where w·x > 0, if there is one."""
    if not len(corners):
        return corners
    scores = w[0] + corners @ w[1:]
    kept: list[Array] = []
    for a, b, s, r in zip(
        corners, np.roll(corners, -1, 0), scores, np.roll(scores, -1), strict=True
    ):
        if s >= 0 and scores.max() > 0:
            kept.append(a)
        if min(s, r) < 0 < max(s, r):
            kept.append(a + (b - a) * s / (s - r))
    return np.array(kept).reshape(-1, 2)


def _plane_weights(W: npt.ArrayLike) -> Array:
    """Return weights of lines in a plane, a row for each, with a bias of 0 where it is missing."""
    W = real_array(W, "W")
    if W.ndim != 2 or W.shape[1] not in (2, 3):
        raise ValueError(f"W has shape {W.shape}; expected (K, 3), or (K, 2) through the origin")
    return W if W.shape[1] == 3 else np.column_stack([np.zeros(len(W)), W])


def _line(w: Array, box: tuple[float, float, float, float]) -> Array:
    """Return the two ends of the boundary inside the box; none if it misses the box."""
    nowhere = np.empty((0, 2))
    if not w[1:].any():
        return nowhere
    w = w / np.abs(w[1:]).max()
    foot, along = -w[0] * w[1:] / (w[1:] @ w[1:]), np.array([-w[2], w[1]])
    start, stop = -np.inf, np.inf
    for at, step, low, high in zip(foot, along, box[::2], box[1::2], strict=True):
        if step != 0:
            enter, leave = sorted(((low - at) / step, (high - at) / step))
            start, stop = max(start, enter), min(stop, leave)
        elif not low <= at <= high:
            return nowhere
    return np.array([foot + start * along, foot + stop * along]) if start < stop else nowhere
