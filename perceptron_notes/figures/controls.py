"""Plain ipywidgets beside the stills: interaction in a live notebook, a function for each chapter.

Each returns sliders or menus, which are attributes too, with a picture that shows their values.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import ipywidgets as widgets
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from perceptron_notes._kit.recipes import up_to
from perceptron_notes._kit.validation import check_count, check_kind
from perceptron_notes._kit.values import Array
from perceptron_notes.convergence import Ledger, certify, separate
from perceptron_notes.convergence import ledger as prove
from perceptron_notes.data import Dataset, check_dataset, check_fit
from perceptron_notes.dual import dual_pla, dual_score
from perceptron_notes.figures import plots
from perceptron_notes.figures._living import still_picture
from perceptron_notes.figures.plots import PALETTE, draw_boundary, draw_data
from perceptron_notes.kernels import gram, polynomial, rbf
from perceptron_notes.learning import Trace, last, pla
from perceptron_notes.model import distance, error_count
from perceptron_notes.online import deviations
from perceptron_notes.pocketing import pocket
from perceptron_notes.rules import lowest

if TYPE_CHECKING:
    from perceptron_notes.multiclass import MultiRun
    from perceptron_notes.networks import Training
    from perceptron_notes.scale import Shards

# Part two is imported where it is shown, so that a page loads what it shows.

__all__ = [
    "Controls",
    "choose_kernel",
    "choose_threshold",
    "miss_margin",
    "move_weights",
    "watch_classes",
    "watch_mixing",
    "watch_pocket",
    "watch_proof",
    "watch_steps",
    "watch_training",
]

#: The line at the step that is shown.
_NOW: dict[str, Any] = {"lw": 1, "ls": ":", "color": PALETTE["ink"]}

#: The three inequalities: the columns of the ledger for the run and for the bound, and a title.
_INEQUALITIES = (
    ("growth_more", "growth_less", r"$\mathbf{w}_f\cdot\mathbf{w}_t$ above its floor"),
    ("length_less", "length_more", r"$\Vert\mathbf{w}_t\Vert^2$ below its ceiling"),
    ("cosine_more", "cosine_less", "squared cosine above its floor"),
)


class Controls(widgets.VBox):  # type: ignore[misc]  # ipywidgets has no type hints
    """Sliders and menus above a picture that follows them, and a sentence about it.

    The picture is an Image, since the output of ipywidgets' `interactive` is missing on paper.

    Parameters
    ----------
    draw : callable
        ``draw(*axes, **values)`` draws for the values of the controls, and returns the sentence.
    panels : int
        How many axes the picture has, side by side.
    **controls : ipywidgets
        By the names under which they become attributes; a ``fixed`` one is not shown.

    Examples
    --------
    >>> controls = watch_steps(record(pla(li_hang())))
    >>> controls.t.value = 3
    >>> controls
    Controls(t = 3: w = (-1, 1, 1), 1 mistake; sample 3 corrects)
    """

    def __init__(self, draw: Callable[..., str], panels: int = 1, **controls: Any) -> None:
        self._draw, self._panels, self._controls = draw, panels, controls
        self._sentence = widgets.Label()
        self.image = widgets.Image(format="svg+xml")
        self.image.layout = {"max_width": "100%", "align_self": "flex-start"}
        shown = [one for one in controls.values() if isinstance(one, widgets.Widget)]
        super().__init__([*shown, self.image, self._sentence])
        for name, control in controls.items():
            setattr(self, name, control)
            control.observe(self._redraw, "value")
        self._redraw()

    @property
    def state(self) -> str:
        """The sentence about the picture as it is now."""
        return str(self._sentence.value)

    def link(self, figure: Any) -> Controls:
        """Link the slider of a run's steps and an interactive figure, so that each moves the other.

        Parameters
        ----------
        figure : Explorer
            Its run is shown from then on, also after its reader has changed the samples.

        Returns
        -------
        Controls
            These controls, so that ``watch_steps(trace).link(figure)`` can end a cell.

        Raises
        ------
        TypeError
            If these controls have no slider for steps, or the figure runs nothing.
        """
        if "trace" not in self._controls or figure.settings["algorithm"] == "model":
            raise TypeError(f"{figure!r} shares no control with {', '.join(self._controls)}")

        def follow(_change: Any = None) -> None:
            with self.t.hold_trait_notifications():  # the new run may not have the old step
                self.t.max = figure.trace.updates
                self.t.value = min(figure.step, self.t.max)
                self.trace.value = figure.trace

        follow()
        figure.observe(follow, "run")
        widgets.link((figure, "step"), (self.t, "value"))
        return self

    def _redraw(self, _change: Any = None) -> None:
        self.image.value, self._sentence.value = self._picture("svg")

    def _picture(self, kind: str) -> tuple[bytes, str]:
        """Return the picture as a file, and the sentence about it."""

        def draw(figure: Figure) -> str:
            axes = figure.subplots(1, self._panels, squeeze=False)[0]
            return self._draw(*axes, **{name: one.value for name, one in self._controls.items()})

        return still_picture(draw, (5.2, 3.9) if self._panels == 1 else (8.4, 3.6), kind)

    def __repr__(self) -> str:
        return f"Controls({self.state})"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """Return the controls, and for paper and pages the picture alone."""
        bundle = super()._repr_mimebundle_(**kwargs) or {}
        bundle["image/svg+xml"] = bytes(self.image.value).decode()
        return {**bundle, "text/plain": repr(self), "image/png": self._picture("png")[0]}


def move_weights(data: Dataset, w: npt.ArrayLike | None = None) -> Controls:
    """Show the sliders ``.w0``, ``.w1`` and ``.w2`` for the weights of a line (chapter 1).

    Parameters
    ----------
    data : Dataset
        Samples with d = 2. Lines through the origin have no ``.w0``.
    w : array_like, shape (3,) or (2,), optional
        The weights to begin with; w₁ = w₂ = 1 if left out.
    """
    first = 0 if check_dataset(data).intercept else 1
    start = check_fit([0.0, 1.0, 1.0][first:] if w is None else w, data)
    turn = 2 * max(1.0, float(np.abs(start[-2:]).max()))
    shift = max(turn * float(np.abs(data.points).max()), 2 * abs(float(start[0])))

    def draw(ax: Axes, **values: float) -> str:
        w = np.array(list(values.values()))
        draw_data(ax, data, classes=())
        draw_boundary(ax, w)
        return f"w = {_shown(w)}: {_counted(error_count(w, data))}"

    return Controls(draw, **_weights("w", start, shift, turn, turn))


def watch_steps(trace: Trace, t: int = 0) -> Controls:
    """Show the slider ``.t`` and a player for the steps of a run (chapter 2).

    Parameters
    ----------
    trace, t
        A run on samples with d = 2, and the step shown first.
    """

    def draw(ax: Axes, trace: Trace, t: int) -> str:
        plots.draw_step(ax, trace, t)
        mistakes = _counted(error_count(trace.W[t], trace.data))
        pick = f"sample {trace.picks[t] + 1} corrects" if t < trace.updates else "the end"
        return f"t = {t}: w = {_shown(trace.W[t])}, {mistakes}; {pick}"

    return _along(draw, trace, t)


def watch_proof(ledger: Ledger, t: int = 1) -> Controls:
    """Show the slider ``.t`` and a player along the three inequalities of the proof (chapter 3).

    Parameters
    ----------
    ledger, t
        The ledger of a run that starts from 0, and the update shown first, from 1.
    """
    check_kind(ledger, Ledger, "ledger", "a Ledger, as from ledger(certificate, trace)")

    def draw(*axes: Axes, trace: Trace, t: int) -> str:
        certificate = ledger.certificate
        if trace.data != certificate.data:
            if not (found := separate(trace.data)).separable:
                return f"t = {t}: no line separates these samples, so there is nothing to prove"
            certificate = certify(trace.data, found)
        rows = prove(certificate, trace)
        columns = rows.columns
        for ax, (run, bound, title) in zip(axes, _INEQUALITIES, strict=True):
            ax.axvline(t, **_NOW)
            ax.set(title=title, xlabel="updates $t$")
            if run in columns:  # there is no cosine where a run does not start from 0
                ax.plot(columns["t"], columns[run], color=PALETTE["accent"])
                ax.plot(columns["t"], columns[bound], "--", color=PALETTE["warn"])
        if t == 0:
            return "t = 0: no update yet"
        sides = [one for one in (rows[t - 1].growth, rows[t - 1].length, rows[t - 1].cosine) if one]
        return f"t = {t}: " + ", ".join(f"{float(s.less):.4g} ≤ {float(s.more):.4g}" for s in sides)

    return _along(draw, ledger.trace, t, panels=3)


def watch_pocket(trace: Trace, t: int = 0) -> Controls:
    """Show the slider ``.t`` and a player along a run, with what lies in the pocket (chapter 4).

    Parameters
    ----------
    trace, t
        As for `watch_steps`.
    """

    def draw(plane: Axes, chart: Axes, trace: Trace, t: int) -> str:
        steps = list(pocket(trace.data, trace))
        draw_data(plane, trace.data, classes=())
        draw_boundary(plane, trace.W[t], sides=False)
        draw_boundary(plane, steps[t].best, color=PALETTE["good"], style="--")
        plots.draw_errors(chart, [s.errors for s in steps], [s.best_errors for s in steps])
        chart.axvline(t, **_NOW)
        return f"t = {t}: {_counted(steps[t].errors)} now, {steps[t].best_errors} in the pocket"

    return _along(draw, trace, t, panels=2)


def choose_kernel(data: Dataset) -> Controls:
    """Show the menu ``.kernel``, and the region that the dual form finds with each (chapter 5).

    Parameters
    ----------
    data : Dataset
        Samples with d = 2.
    """
    curved: dict[str, Any] = {f"degree {k}": polynomial(k) for k in (2, 3)}
    kernels = {"linear": polynomial(1), **curved, "Gaussian": rbf(1.0)}

    def draw(ax: Axes, kernel: str) -> str:
        k = kernels[kernel]
        *_, end = up_to(dual_pla(gram(data, k), data.y, lowest, intercept=False), 1000)
        draw_data(ax, data, classes=())
        if end.alpha.any():
            plots.draw_region(ax, lambda P: dual_score(end.alpha, end.b, data, P, k))
        s = dual_score(end.alpha, end.b, data, data.points, k)
        wrong = _counted(int((~(data.y * s > 0)).sum()))
        corrected = f"{int((end.alpha > 0).sum())} of {data.n} samples corrected"
        return f"{kernel}: {_counted(end.t, 'update')}, {corrected}, {wrong}"

    return Controls(draw, kernel=widgets.Dropdown(options=list(kernels), description="kernel"))


def miss_margin(data: Dataset, u: npt.ArrayLike, passes: int = 1) -> Controls:
    """Show sliders for **u**, its deviations, and the bound on PLA's mistakes (chapter 6).

    The required signed score is 1; the more a sample misses it, the larger the ring around it.

    Parameters
    ----------
    data : Dataset
        Samples with d = 2.
    u : array_like, shape (3,) or (2,)
        The weights that ``.u0``, ``.u1`` and ``.u2`` begin with.
    passes : int
        How many passes over the samples PLA makes, in turn.
    """
    start, made = check_fit(u, data, "u"), last(pla(data), passes=passes).t
    stream = data[[*range(data.n)] * passes]

    def draw(ax: Axes, **values: float) -> str:
        u = list(values.values())
        found, d = deviations(stream, u), np.array(deviations(data, u).d, dtype=float)
        draw_data(ax, data, classes=())
        draw_boundary(ax, u, sides=False)
        for side in (-1, 1):
            edge = np.array([0.0, *u])[-3:] - [side, 0, 0]
            draw_boundary(ax, edge, sides=False, arrow=False, style=":")
        x, y = data.points[d > 0].T
        ax.scatter(x, y, s=90 + 90 * d[d > 0], fc="none", ec=PALETTE["warn"], lw=1.4)
        sizes = f"R‖u‖ = {float(found.roots[0]) ** 0.5 * 2:.4g}, H = {float(found.H):.4g}"
        return f"u = {_shown(u)}: {sizes}; mistakes: {made} ≤ {found.bound}"

    most = 2 * max(1.0, float(np.abs(start).max()))
    return Controls(draw, **_weights("u", start, most, most, most))


def choose_threshold(data: Dataset) -> Controls:
    """Show the slider ``.threshold`` of margin PLA, beside the widest street (chapter 7).

    The threshold β is 0 at 0, and then 1, 2, 4, … up to 2048.

    Parameters
    ----------
    data : Dataset
        Samples with d = 2, of both classes and with an intercept, that a line separates.
    """
    from perceptron_notes.margins import LargestMargin, largest_margin, margin_pla

    best = largest_margin(data)
    if not isinstance(best, LargestMargin):  # margin PLA would never end
        raise ValueError(f"no line separates the samples: {best!r}")

    def draw(ax: Axes, threshold: int) -> str:
        beta = 2 ** (threshold - 1) if threshold else 0
        end = last(margin_pla(data, beta), at_most=100_000)
        draw_data(ax, data, classes=())
        plots.draw_street(ax, data, best, hulls=False)
        draw_boundary(ax, end.w, sides=False, arrow=False, color=PALETTE["ink"], style="--")
        margins = f"Euclidean margin {distance(end.w, data).min():.4g} of {best.margin:.4g}"
        return f"β = {beta}: {_counted(end.t, 'update')}, {margins}"

    return Controls(draw, threshold=_slider("threshold", 0, 12))


def watch_classes(run: MultiRun, t: int = 0) -> Controls:
    """Show the slider ``.t`` for the steps of a run on several classes (chapter 8).

    Parameters
    ----------
    run : MultiRun
        A run of `multi_pla` on `Classes` with d = 2, which is cut after 100 updates.
    t : int
        The step shown first.
    """
    from perceptron_notes.multiclass import Classes, MultiRun, multi_mistakes

    if not isinstance(run, MultiRun) or not isinstance(run.data, Classes):
        raise TypeError(f"run is {run!r}; expected multi_pla(data) on Classes")
    data, steps = run.data, list(up_to(run, 100))

    def draw(ax: Axes, t: int) -> str:
        step, end = steps[t], "the end"
        plots.draw_classes(ax, data)
        plots.draw_zones(ax, step.w)
        if step.pick is not None:
            ring: dict[str, Any] = {"s": 290, "fc": "none", "ec": PALETTE["warn"], "lw": 2}
            ax.scatter(*data.points[step.pick], zorder=4, **ring)
            right, wrong = (data.names[k] for k in (data.y[step.pick], step.rival))
            end = f"sample {step.pick + 1}: {right} against {wrong}"
        return f"t = {t}: {_counted(len(multi_mistakes(step.w, data)))}; {end}"

    return Controls(draw, t=_slider("t", t, len(steps) - 1))


def watch_training(training: Training, t: int = 0) -> Controls:
    """Show the slider ``.t`` along 200 steps of a network's training, and the loss (chapter 9).

    Beside the region stand the lines of the units in the first layer.

    Parameters
    ----------
    training, t
        What `train` returns, for samples with d = 2, and the step shown first.
    """
    from perceptron_notes.networks import Training

    check_kind(training, Training, "training", "train(network, data)")
    steps = list(islice(training, 201))

    def draw(plane: Axes, chart: Axes, t: int) -> str:
        step, faint = steps[t], {"color": PALETTE["faint"], "style": ":"}
        draw_data(plane, training.data, classes=())
        plots.draw_region(plane, step.network)
        for w in step.network.layers[0]:
            draw_boundary(plane, w, sides=False, arrow=False, **faint)
        chart.plot([step.loss for step in steps], color=PALETTE["accent"])
        chart.axvline(t, **_NOW)
        chart.set(xlabel="steps $t$", ylabel="loss", ylim=(0, None))
        return f"t = {t}: loss {step.loss:.4f}, {_counted(step.errors)}"

    return Controls(draw, panels=2, t=_slider("t", t, 200))


def watch_mixing(shards: Shards) -> Controls:
    """Show the slider ``.epoch``, the menu ``.by`` of shares, and the mixed line (chapter 10).

    The dashed line is the mix of the previous epoch.

    Parameters
    ----------
    shards : Shards
        Samples with d = 2 and an intercept; each of 30 epochs makes one pass over every shard.
    """
    from perceptron_notes.scale import mixing

    def draw(ax: Axes, epoch: int, by: Literal["uniform", "mistakes"]) -> str:
        *before, now = islice(mixing(shards, by), epoch)
        data = shards.dataset()
        draw_data(ax, data, classes=())
        for one in before[-1:]:
            draw_boundary(ax, one.w, sides=False, arrow=False, style="--")
        draw_boundary(ax, now.w)
        wrong = _counted(error_count(now.w, data))
        return f"epoch {now.n}: updates {_shown(now.mistakes)}, {wrong}"

    menu = widgets.Dropdown(options=["uniform", "mistakes"], description="shares")
    return Controls(draw, epoch=_slider("epoch", 1, 30, least=1), by=menu)


# ------------------------------------------------------------------------- what they share


def _along(draw: Callable[..., str], trace: Trace, t: int, panels: int = 1) -> Controls:
    """Return controls for the steps of a run: the slider ``.t``, and a player beside it."""
    check_kind(trace, Trace, "trace", "a Trace, as from record")
    slider = _slider("t", t, trace.updates)
    made = Controls(draw, panels, trace=widgets.fixed(trace), t=slider)
    player = widgets.Play(max=trace.updates, interval=600)
    for one in ("value", "max"):  # linked in the page, so that playing does not wait for Python
        widgets.jslink((player, one), (slider, one))
    made.children = [widgets.HBox([player, slider]), *made.children[1:]]
    return made


def _slider(name: str, value: int, most: int, least: int = 0) -> widgets.IntSlider:
    """Return a slider for a count, which begins at `value`, or at `most` if that is less."""
    return widgets.IntSlider(min(check_count(value, name), most), least, most, description=name)


def _weights(letter: str, w: Array, *most: float) -> dict[str, widgets.FloatSlider]:
    """Return a slider for each weight, from −`most` to `most`; the last is that of w₂."""
    sliders = {}
    for i, value in enumerate(w.tolist(), 3 - len(w)):
        step = 10.0 ** np.floor(np.log10(most[i] / 20)) / 2
        name, ends = f"{letter}{i}", {"min": -most[i], "max": most[i], "step": step}
        sliders[name] = widgets.FloatSlider(value, description=name, **ends)
    return sliders


def _counted(k: int, thing: str = "mistake") -> str:
    """Return a count and its noun: ``3 mistakes``, ``1 mistake``, ``no mistake``."""
    return f"{k or 'no'} {thing}{'s' if k > 1 else ''}"


def _shown(w: Any) -> str:
    """Return weights as a short text."""
    return "(" + ", ".join(f"{v:.4g}" for v in w) + ")"
