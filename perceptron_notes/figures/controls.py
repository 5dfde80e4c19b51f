"""Controls for the still pictures: what a live notebook can move, in plain ipywidgets.

Each function here returns a `Controls`: a few ipywidgets, and a matplotlib picture that
`figures` draws again whenever one of them changes. Each control is an attribute, so that code
can move it too, and `Controls.state` says in words what the picture shows.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any, Literal

import ipywidgets
import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from perceptron_notes._kit.recipes import up_to
from perceptron_notes._kit.validation import check_count, check_kind
from perceptron_notes.convergence import Ledger, Separator, certify, separate
from perceptron_notes.convergence import ledger as prove
from perceptron_notes.data import Dataset, check_dataset, check_fit
from perceptron_notes.dual import dual_pla, dual_score
from perceptron_notes.figures.plots import (
    PALETTE,
    draw_boundary,
    draw_classes,
    draw_data,
    draw_errors,
    draw_ledger,
    draw_region,
    draw_step,
    draw_street,
    draw_zones,
)
from perceptron_notes.kernels import Kernel, gram, linear, polynomial, rbf
from perceptron_notes.learning import Trace, last, pla
from perceptron_notes.margins import LargestMargin, largest_margin, margin_pla
from perceptron_notes.model import distance, error_count
from perceptron_notes.multiclass import Classes, MultiRun, multi_mistakes
from perceptron_notes.networks import Training
from perceptron_notes.online import deviations
from perceptron_notes.pocketing import pocket
from perceptron_notes.scale import Epoch, Shards, mixing
from perceptron_notes.scale.shards import check_shards

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

#: Draws into as many axes as the picture has, and says what it drew.
_Draw = Callable[..., str]
#: From what is watched to a `Draw` for its steps, and the last of them.
_View = Callable[[Any], tuple[_Draw, int]]


class Controls(ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets has no type hints
    """Some controls above a picture that follows them.

    Parameters
    ----------
    draw : callable
        ``draw(*axes, **values)`` draws and returns a sentence about the picture; `values`
        has the value of each control under its name.
    controls : dict of ipywidgets
        The controls, by the names under which they become attributes.
    size : two floats
        Width and height of the picture, in inches.
    axes : str
        Where the axes of the picture stand, as matplotlib's ``subplot_mosaic`` takes it: "AB" are
        two side by side, and "AB;CC" has a wide one below them. `draw` gets them in the order of
        their letters.

    Attributes
    ----------
    image : ipywidgets.Image
        The picture, as SVG.
    """

    def __init__(
        self,
        draw: _Draw,
        controls: Mapping[str, Any],
        *,
        size: tuple[float, float] = (5.2, 3.9),
        axes: str = "A",
    ) -> None:
        self._render, self._controls, self._size, self._axes = draw, dict(controls), size, axes
        # It says what the picture shows, also to those who cannot see it.
        self.caption = ipywidgets.Label()
        width = {"width": f"{100 * size[0]:.0f}px", "max_width": "100%", "align_self": "flex-start"}
        self.image = ipywidgets.Image(format="svg+xml", layout=width)
        super().__init__([*self._rows(), self.image, self.caption])
        for name, control in self._controls.items():
            setattr(self, name, control)
            control.observe(self.redraw, "value")
        self.redraw()

    def _rows(self) -> list[Any]:
        """Return what stands above the picture."""
        return list(self._controls.values())

    def redraw(self, _change: Any = None) -> None:
        """Draw the picture for the present values of the controls."""
        self.image.value, self.caption.value = self._picture("svg")

    @property
    def state(self) -> str:
        """What the picture shows now, in a sentence, which stands below the picture too."""
        return str(self.caption.value)

    def link(self, explorer: Any) -> Controls:
        """Let these controls and an interactive figure move each other.

        From then on the controls follow the figure: when its reader drags a sample, or when
        it is given other data or another run, they show the new run too.

        Parameters
        ----------
        explorer : Explorer
            A figure of the same run, or with ``algorithm="model"`` of the same samples.

        Returns
        -------
        Controls
            These controls, so that ``watch_steps(trace).link(explorer)`` can end a cell.

        Raises
        ------
        TypeError
            If there is nothing that both can move.
        ValueError
            If the two are about different runs, or different samples.
        """
        raise TypeError(f"{explorer!r} shares no control with {', '.join(self._controls)}")

    def _picture(self, kind: str) -> tuple[bytes, str]:
        """Return the picture as a file, and the sentence about it."""
        values = {name: control.value for name, control in self._controls.items()}
        with plt.style.context("perceptron_notes.figures.notes"):
            figure = Figure(figsize=self._size)
            axes = dict(sorted(figure.subplot_mosaic(self._axes).items()))
            state = self._render(*axes.values(), **values)
            stream = io.BytesIO()
            dated = {"Date": None} if kind == "svg" else {"Software": None}
            figure.savefig(stream, format=kind, dpi=160, metadata=dated)
        return stream.getvalue(), state

    def __repr__(self) -> str:
        return f"Controls({self.state})"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """Return the controls, and for paper the picture alone."""
        bundle = super()._repr_mimebundle_(**kwargs) or {}
        return {**bundle, "text/plain": repr(self), "image/png": self._picture("png")[0]}


class _Steps(Controls):
    """Controls for the steps of a run: a player and the slider ``.t``.

    `view` makes a `Draw` and the last step of what is watched; `run` are the samples and the picks
    that it is about; `of` finds in an `Explorer` what is to be watched of its present run.
    """

    def __init__(
        self,
        view: _View,
        watched: Any,
        t: int,
        *,
        run: tuple[Dataset, list[Any]],
        of: Callable[[Any], Any],
        **layout: Any,
    ) -> None:
        self._view, self._run, self._of = view, run, of
        draw, most = view(watched)
        step = min(check_count(t, "t"), most)
        slider = ipywidgets.IntSlider(step, 0, most, description="t")
        super().__init__(draw, {"t": slider}, **layout)

    def _rows(self) -> list[Any]:
        slider = self._controls["t"]
        player = ipywidgets.Play(min=0, max=slider.max, interval=600)
        # Linked in the page, so that it plays without waiting for Python.
        self._links = [ipywidgets.jslink((player, one), (slider, one)) for one in ("value", "max")]
        return [ipywidgets.HBox([player, slider])]

    def link(self, explorer: Any) -> Controls:
        """Share the step with an interactive figure; see `Controls.link`."""
        if explorer.settings["algorithm"] == "model":
            return super().link(explorer)
        if self._run != (explorer.data, explorer.picks.tolist()):
            raise ValueError(
                f"these controls are about another run than {explorer!r}; "
                "make them from the figure's own, as in watch_steps(figure.trace)"
            )
        slider = self._controls["t"]

        def to_figure(_change: Any) -> None:
            explorer.step = slider.value

        def step_from_figure(_change: Any) -> None:
            with _deaf(to_figure, slider):
                slider.value = explorer.step

        def run_from_figure(_change: Any) -> None:
            with _deaf(to_figure, slider):
                self._follow(explorer)

        self._follow(explorer)
        slider.observe(to_figure, "value")
        explorer.observe(step_from_figure, "step")
        explorer.observe(run_from_figure, "run")
        return self

    def _follow(self, explorer: Any) -> None:
        """Show the run that the figure shows now, at its step."""
        slider = self._controls["t"]
        self._render, most = self._view(self._of(explorer))
        self._run = explorer.data, explorer.picks.tolist()
        before, slider.max = slider.value, most
        slider.value = explorer.step
        if slider.value == before:  # or it has been drawn anew already
            self.redraw()


class _Weights(Controls):
    """Controls for the weights of a line, a slider each; `view` makes a `Draw` for samples."""

    def __init__(
        self, view: Callable[[Dataset], _Draw], data: Dataset, sliders: Mapping[str, Any]
    ) -> None:
        self._view, self._data = view, data
        super().__init__(view(data), sliders)

    def link(self, explorer: Any) -> Controls:
        """Share the weights with an interactive figure; see `Controls.link`."""
        if explorer.settings["algorithm"] != "model":
            return super().link(explorer)
        if self._data != explorer.data:
            raise ValueError(
                f"these controls are about other samples than {explorer!r}; "
                "make them from the figure's own, as in move_weights(figure.data)"
            )
        sliders = list(self._controls.values())

        def to_figure(_change: Any) -> None:
            explorer.w = [slider.value for slider in sliders]

        def weights_from_figure(_change: Any) -> None:
            with _deaf(to_figure, *sliders):
                for slider, value in zip(sliders, explorer.w.tolist(), strict=True):
                    slider.value = value

        def samples_from_figure(_change: Any) -> None:
            self._render = self._view(explorer.data)
            self.redraw()

        for slider in sliders:
            slider.observe(to_figure, "value")
        weights_from_figure(None)
        explorer.observe(weights_from_figure, "settings")
        explorer.observe(samples_from_figure, "run")
        return self


@contextmanager
def _deaf(observer: Callable[[Any], None], *controls: Any) -> Iterator[None]:
    """Keep controls from moving the figure that moves them."""
    for control in controls:
        control.unobserve(observer, "value")
    try:
        yield
    finally:
        for control in controls:
            control.observe(observer, "value")


def _trace_of(explorer: Any) -> Trace:
    """Return the run that a figure shows."""
    return explorer.trace


def _run_of(trace: Trace) -> tuple[Dataset, list[Any]]:
    """Return what tells one run from another: its samples and its picks."""
    check_kind(trace, Trace, "trace", "a Trace, as from record")
    return trace.data, trace.picks.tolist()


def _counted(k: int, thing: str) -> str:
    """``3 mistakes``, ``1 mistake``, ``no mistake``."""
    return f"{k or 'no'} {thing}{'s' if k > 1 else ''}"


def _shown(w: Any) -> str:
    """Return weights as a short text."""
    return "(" + ", ".join(f"{v:.4g}" for v in w) + ")"


def move_weights(data: Dataset, w: npt.ArrayLike | None = None) -> Controls:
    """Show three sliders for the weights of a line (chapter 1).

    Parameters
    ----------
    data : Dataset
        Samples with d = 2.
    w : array_like, shape (3,), or (2,) for data without an intercept
        The weights to begin with; w₁ = w₂ = 1 if left out. They set how far the sliders go:
        those for w₁ and w₂ to twice the larger of the two in size, but at least to 2, and the
        one for w₀ as far as the line stays in sight.

    Returns
    -------
    Controls
        With the sliders ``.w0``, ``.w1`` and ``.w2``; through the origin, without ``.w0``.

    Examples
    --------
    >>> move_weights(li_hang(), [-3, 1, 1]).state
    'w = (-3, 1, 1): no mistake'
    """
    default = np.array([0.0, 1.0, 1.0][not check_dataset(data).intercept :])
    start = check_fit(default if w is None else w, data)
    names = ("w0", "w1", "w2")[-len(start) :]
    turn = 2 * max(1.0, float(np.abs(start[-2:]).max()))
    shift = max(turn * float(np.abs(data.points).max()), 2 * abs(float(start[0])))

    def view(data: Dataset) -> _Draw:
        def draw(ax: Axes, **values: float) -> str:
            w = np.array(list(values.values()))
            draw_data(ax, data, classes=())
            draw_boundary(ax, w)
            return f"w = {_shown(w)}: {_counted(error_count(w, data), 'mistake')}"

        return draw

    def slider(name: str, value: float) -> ipywidgets.FloatSlider:
        most = shift if name == "w0" else turn
        step = 10.0 ** np.floor(np.log10(most / 20))
        options = {"min": -most, "max": most, "step": step, "description": name}
        return ipywidgets.FloatSlider(value, **options)

    values = zip(names, start.tolist(), strict=True)
    return _Weights(view, data, {name: slider(name, value) for name, value in values})


def watch_steps(trace: Trace, t: int = 0) -> Controls:
    """Show a slider and a player for the steps of a run (chapter 2).

    Parameters
    ----------
    trace : Trace
        A run on samples with d = 2.
    t : int
        The step shown first.

    Returns
    -------
    Controls
        With the slider ``.t``.

    Examples
    --------
    >>> watch_steps(record(pla(li_hang())), t=3).state
    't = 3: w = (-1, 1, 1), 1 mistake; sample 3 corrects'
    """
    check_kind(trace, Trace, "trace", "a Trace, as from record")

    def view(trace: Trace) -> tuple[_Draw, int]:
        def draw(ax: Axes, t: int) -> str:
            draw_step(ax, trace, t)
            w = trace.W[t]
            mistakes = _counted(error_count(w, trace.data), "mistake")
            pick = f"sample {trace.picks[t] + 1} corrects" if t < trace.updates else "the end"
            return f"t = {t}: w = {_shown(w)}, {mistakes}; {pick}"

        return draw, trace.updates

    return _Steps(view, trace, t, run=_run_of(trace), of=_trace_of)


def watch_proof(ledger: Ledger, t: int = 1) -> Controls:
    """Show a slider and a player along the three inequalities of the proof (chapter 3).

    Parameters
    ----------
    ledger : Ledger
        From `ledger`, of a run that starts from 0.
    t : int
        The update shown first, from 1.

    Returns
    -------
    Controls
        With the slider ``.t``; at t = 0 nothing has been updated yet.

    Examples
    --------
    >>> data = li_hang()
    >>> watch_proof(ledger(certify(data, [-3, 1, 1]), record(pla(data))), t=7).state
    't = 7: 7 ≤ 11, 11 ≤ 182, 0.02448 ≤ 1'
    """
    check_kind(ledger, Ledger, "ledger", "a Ledger, as from ledger(certificate, trace)")

    def ledger_of(explorer: Any) -> Ledger | None:
        trace = explorer.trace
        if trace.data == ledger.certificate.data:
            return prove(ledger.certificate, trace)
        found = separate(trace.data)
        return prove(certify(trace.data, found), trace) if isinstance(found, Separator) else None

    def view(ledger: Ledger | None) -> tuple[_Draw, int]:
        if ledger is None:
            return _unproved, 0

        def draw(*axes: Axes, t: int) -> str:
            draw_ledger(axes, ledger)
            for ax in axes:
                ax.axvline(t, lw=1, ls=":", color=PALETTE["ink"])
            if t == 0:
                return "t = 0: no update yet"
            row = ledger[t - 1]
            sides = [row.growth, row.length, *([row.cosine] if row.cosine else [])]
            return f"t = {t}: " + ", ".join(
                f"{float(s.less):.4g} ≤ {float(s.more):.4g}" for s in sides
            )

        return draw, len(ledger)

    run = _run_of(ledger.trace)
    return _Steps(view, ledger, t, run=run, of=ledger_of, size=(5.2, 5), axes="AB;CC")


def _unproved(*axes: Axes, t: int) -> str:
    """Return what `watch_proof` shows of samples that its figure's reader made inseparable."""
    for ax in axes:
        ax.set_axis_off()
    return f"t = {t}: no line separates these samples, so there is nothing to prove"


def watch_pocket(trace: Trace, t: int = 0) -> Controls:
    """Show a slider and a player along a run, with what lies in the pocket (chapter 4).

    Parameters
    ----------
    trace : Trace
        A run on samples with d = 2, cut where you like.
    t : int
        The step shown first.

    Returns
    -------
    Controls
        With the slider ``.t``.

    Examples
    --------
    >>> watch_pocket(record(pla(xor()), at_most=20), t=20).state
    't = 20: 4 mistakes now, 2 in the pocket'
    """

    def view(trace: Trace) -> tuple[_Draw, int]:
        watched = list(pocket(trace.data, trace))
        errors, best = [one.errors for one in watched], [one.best_errors for one in watched]

        def draw(plane: Axes, chart: Axes, t: int) -> str:
            draw_data(plane, trace.data, classes=())
            draw_boundary(plane, trace.W[t], sides=False)
            draw_boundary(plane, watched[t].best, color=PALETTE["good"], style="--")
            draw_errors(chart, errors, best)
            chart.axvline(t, lw=1, ls=":", color=PALETTE["ink"])
            return f"t = {t}: {_counted(errors[t], 'mistake')} now, {best[t]} in the pocket"

        return draw, trace.updates

    return _Steps(view, trace, t, run=_run_of(trace), of=_trace_of, size=(8.4, 3.6), axes="AB")


def choose_kernel(data: Dataset, kernels: Mapping[str, Kernel] | None = None) -> Controls:
    """Show a menu of kernels, and the region that the dual form finds with each (chapter 5).

    Parameters
    ----------
    data : Dataset
        Samples with d = 2.
    kernels : dict of kernels, optional
        The kernels by name; linear, two powers and a Gaussian if left out.

    Returns
    -------
    Controls
        With the menu ``.kernel``.

    Examples
    --------
    >>> choose_kernel(xor(), {"square": polynomial(2)}).state
    'square: 25 updates, 4 of 4 samples corrected, no mistake'
    """
    known = kernels or {
        "linear": linear,
        "degree 2": polynomial(2),
        "degree 3": polynomial(3),
        "Gaussian": rbf(1.0),
    }

    def draw(ax: Axes, kernel: str) -> str:
        k = known[kernel]
        *_, end = up_to(dual_pla(gram(data, k), data.y, intercept=data.intercept), 1000)
        draw_data(ax, data, classes=())
        if end.alpha.any():
            draw_region(ax, lambda P: dual_score(end.alpha, end.b, data, P, k))
        s = dual_score(end.alpha, end.b, data, data.points, k)
        wrong = _counted(int((~(data.y * s > 0)).sum()), "mistake")
        corrected = f"{int((end.alpha > 0).sum())} of {data.n} samples corrected"
        return f"{kernel}: {_counted(end.t, 'update')}, {corrected}, {wrong}"

    menu = ipywidgets.Dropdown(options=list(known), description="kernel")
    return Controls(draw, {"kernel": menu})


def watch_training(training: Training, t: int = 0, at_most: int = 200) -> Controls:
    """Show a slider along the training of a network: its region, and the loss so far (chapter 9).

    Parameters
    ----------
    training : Training
        What `train` returns, for samples with d = 2.
    t : int
        The step shown first.
    at_most : int
        The last step.

    Returns
    -------
    Controls
        With the slider ``.t``. The lines are those of the units in the first layer.

    Examples
    --------
    >>> start = random_network((2, 3, 1), rng=np.random.default_rng(1))
    >>> watch_training(train(start, xor()), t=100).state
    't = 100: loss 0.0605, no mistake'
    """
    check_kind(training, Training, "training", "train(network, data)")
    steps = list(islice(training, check_count(at_most, "at_most") + 1))
    losses = [step.loss for step in steps]

    def draw(plane: Axes, chart: Axes, t: int) -> str:
        step = steps[t]
        draw_data(plane, training.data, classes=())
        draw_region(plane, step.network)
        for w in step.network.layers[0]:
            draw_boundary(plane, w, sides=False, arrow=False, color=PALETTE["faint"], style=":")
        chart.plot(losses, color=PALETTE["accent"])
        chart.axvline(t, lw=1, ls=":", color=PALETTE["ink"])
        chart.set(xlabel="steps $t$", ylabel="loss", ylim=(0, None))
        return f"t = {t}: loss {losses[t]:.4f}, {_counted(step.errors, 'mistake')}"

    slider = ipywidgets.IntSlider(min(check_count(t, "t"), at_most), 0, at_most, description="t")
    return Controls(draw, {"t": slider}, size=(6.0, 3.2), axes="AB")


def choose_threshold(data: Dataset) -> Controls:
    """Show a slider for the threshold of margin PLA, beside the widest street (chapter 7).

    Parameters
    ----------
    data : Dataset
        Samples with d = 2, of both classes and with an intercept, that a line separates.

    Returns
    -------
    Controls
        With the slider ``.threshold``: β is 0 at 0, and then 1, 2, 4, … up to 2048.

    Raises
    ------
    ValueError
        If no line separates the samples: then margin PLA never ends.

    Examples
    --------
    >>> choose_threshold(li_hang()).state
    'β = 0: 7 updates, margin 0.7071 of 1.414'
    """
    best = largest_margin(data)
    if not isinstance(best, LargestMargin):
        raise ValueError(f"no line separates the samples: {best!r}")

    def draw(ax: Axes, threshold: int) -> str:
        beta = 2 ** (threshold - 1) if threshold else 0
        end = last(margin_pla(data, beta), at_most=100_000)
        draw_data(ax, data, classes=())
        draw_street(ax, data, best, hulls=False)
        draw_boundary(ax, end.w, sides=False, arrow=False, color=PALETTE["ink"], style="--")
        reached = distance(end.w, data).min()
        return f"β = {beta}: {_counted(end.t, 'update')}, margin {reached:.4g} of {best.margin:.4g}"

    slider = ipywidgets.IntSlider(0, 0, 12, description="threshold")
    return Controls(draw, {"threshold": slider})


def watch_mixing(shards: Shards, epoch: int = 1, passes: int = 30) -> Controls:
    """Show a slider for the epoch, a menu for the shares, and the mixed line (chapter 10).

    Parameters
    ----------
    shards : Shards
        Samples with d = 2 and an intercept.
    epoch : int
        The epoch shown first.
    passes : int
        The last epoch: each makes one pass over every shard.

    Returns
    -------
    Controls
        With the slider ``.epoch`` and the menu ``.by``. The dashed line is the mix of the epoch
        before.

    Examples
    --------
    >>> from perceptron_notes.scale import Shards
    >>> watch_mixing(Shards.split(li_hang(), 3)).state
    'epoch 1: updates (1, 1, 1), 1 mistake'
    """
    ways: tuple[Literal["uniform", "mistakes"], ...] = ("uniform", "mistakes")
    data = check_shards(shards).dataset()
    last, epoch = check_count(passes, "passes", least=1), check_count(epoch, "epoch", least=1)
    made: dict[str, list[Epoch]] = {by: list(islice(mixing(shards, by), last)) for by in ways}

    def draw(ax: Axes, epoch: int, by: str) -> str:
        epochs = made[by][: max(1, epoch)]
        draw_data(ax, data, classes=())
        if len(epochs) > 1:
            draw_boundary(ax, epochs[-2].w, sides=False, arrow=False, style="--")
        draw_boundary(ax, epochs[-1].w)
        wrong = _counted(error_count(epochs[-1].w, data), "mistake")
        return f"epoch {epochs[-1].n}: updates {_shown(epochs[-1].mistakes)}, {wrong}"

    slider = ipywidgets.IntSlider(min(epoch, last), 1, last, description="epoch")
    menu = ipywidgets.Dropdown(options=ways, description="shares")
    return Controls(draw, {"epoch": slider, "by": menu})


def miss_margin(data: Dataset, u: npt.ArrayLike, passes: int = 1) -> Controls:
    """Show three sliders for **u**, its deviations, and the bound on PLA's mistakes (chapter 6).

    Parameters
    ----------
    data : Dataset
        Samples with d = 2.
    u : array_like, shape (3,)
        The weights to begin with; each slider goes from −s to s, where s is twice the
        largest absolute value of a weight, but at least 2.
    passes : int
        How many passes over the samples PLA makes, in turn.

    Returns
    -------
    Controls
        With the sliders ``.u0``, ``.u1`` and ``.u2``. The margin asked for is 1; the more a
        sample misses it, the larger the ring around it.

    Examples
    --------
    >>> miss_margin(xor(), [0, 0, 0], passes=5).state
    'u = (0, 0, 0): R‖u‖ = 0, D = 4.472; mistakes: 20 ≤ 20'
    """
    start, made = check_fit(u, data, "u"), last(pla(data), passes=passes).t
    if not data.intercept:
        raise ValueError("data has no intercept; expected one, which has a slider too")
    stream = data[[*range(data.n)] * check_count(passes, "passes", least=1)]

    def draw(ax: Axes, **values: float) -> str:
        v = np.array(list(values.values()))
        found, d = deviations(stream, v), np.array(deviations(data, v).d, dtype=float)
        draw_data(ax, data, classes=())
        draw_boundary(ax, v, sides=False)
        for side in (-1, 1):
            draw_boundary(ax, v - [side, 0, 0], sides=False, arrow=False, style=":")
        x, y = data.points[d > 0].T
        ax.scatter(x, y, s=90 + 90 * d[d > 0], fc="none", ec=PALETTE["warn"], lw=1.4)
        length, D = float(found.squares[0]) ** 0.5, float(found.D2) ** 0.5
        sizes = f"R‖u‖ = {length:.4g}, D = {D:.4g}"
        return f"u = {_shown(v)}: {sizes}; mistakes: {made} ≤ {found.bound}"

    most = 2 * max(1.0, float(np.abs(start).max()))
    options = {"min": -most, "max": most, "step": 0.05}
    names = zip(("u0", "u1", "u2"), start.tolist(), strict=True)
    sliders = {
        name: ipywidgets.FloatSlider(value, description=name, **options) for name, value in names
    }
    return Controls(draw, sliders)


def watch_classes(run: MultiRun, t: int = 0, at_most: int = 100) -> Controls:
    """Show a slider for the steps of a run on several classes, and their zones (chapter 8).

    Parameters
    ----------
    run : MultiRun
        A run of `multi_pla` on `Classes` with d = 2.
    t : int
        The step shown first.
    at_most : int
        The number of updates after which the run is cut.

    Returns
    -------
    Controls
        With the slider ``.t``.

    Raises
    ------
    TypeError
        If the run is not on `Classes`.

    Examples
    --------
    >>> corner = Classes([[0, 2], [2, 0], [-2, -2]], "abc")
    >>> watch_classes(multi_pla(corner), t=1).state
    't = 1: 2 mistakes; sample 2: b against a'
    """
    if not isinstance(run, MultiRun) or not isinstance(run.data, Classes):
        raise TypeError(f"run is {run!r}; expected multi_pla(data) on Classes")
    data, steps = run.data, list(up_to(run, at_most))

    def draw(ax: Axes, t: int) -> str:
        step = steps[t]
        draw_classes(ax, data)
        draw_zones(ax, step.w)
        told = f"t = {t}: {_counted(len(multi_mistakes(step.w, data)), 'mistake')}"
        if step.pick is None:
            return f"{told}; the end"
        ring: dict[str, Any] = {"mfc": "none", "mec": PALETTE["warn"], "mew": 2, "ms": 17}
        ax.plot(*data.points[step.pick], "o", zorder=4, **ring)
        right, rival = data.names[data.y[step.pick]], data.names[step.rival]
        return f"{told}; sample {step.pick + 1}: {right} against {rival}"

    last = len(steps) - 1
    slider = ipywidgets.IntSlider(min(check_count(t, "t"), last), 0, last, description="t")
    return Controls(draw, {"t": slider})
