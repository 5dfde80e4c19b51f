"""Controls for the still pictures: what a live notebook can move, in plain ipywidgets.

Each function here returns a `Controls`: a few ipywidgets, and a matplotlib picture that
`figures` draws again whenever one of them changes. Each control is an attribute, so that code
can move it too, and `Controls.state` says in words what the picture shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice, product
from typing import Any, Literal

import ipywidgets
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from traitlets import Bunch

from perceptron_notes._kit.recipes import up_to
from perceptron_notes._kit.validation import check_count, check_kind
from perceptron_notes.convergence import Ledger, certify, separate
from perceptron_notes.convergence import ledger as prove
from perceptron_notes.data import Dataset, check_dataset, check_fit
from perceptron_notes.dual import dual_pla, dual_score
from perceptron_notes.figures._living import picture
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


@dataclass(frozen=True)
class _Shared:
    """What controls and an interactive figure can both move.

    It is in the figure's `trait`; `get` and `put` translate it from and to the controls' values. It
    belongs to what `of` finds in the figure, and `same` has of that what must agree.
    """

    trait: str
    get: Callable[[Any], list[float]]
    put: Callable[[Any, list[float]], None]
    of: Callable[[Any], Any]
    same: Callable[[Any], Any]
    other: str


_STEP = _Shared(
    "step",
    get=lambda figure: [figure.step],
    put=lambda figure, values: setattr(figure, "step", values[0]),
    of=lambda figure: figure.trace,
    same=lambda trace: (trace.data, trace.picks.tolist()),
    other="another run than {}; make them from the figure's own, as in watch_steps(figure.trace)",
)
_WEIGHTS = _Shared(
    "settings",
    get=lambda figure: figure.w.tolist(),
    put=lambda figure, values: setattr(figure, "w", values),
    of=lambda figure: figure.data,
    same=lambda data: data,
    other="other samples than {}; make them from the figure's own, as in move_weights(figure.data)",
)


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

    #: What they can share with a figure, a `Draw` for what that is about, and what it is now.
    _shared: _Shared | None = None
    _view: Callable[[Any], _Draw]
    _watched: Any

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
        super().__init__([*self._controls.values(), self.image, self.caption])
        for name, control in self._controls.items():
            setattr(self, name, control)
            control.observe(self.redraw, "value")
        self.redraw()

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
        shared, controls = self._shared, list(self._controls.values())
        if shared is not (_WEIGHTS if explorer.settings["algorithm"] == "model" else _STEP):
            raise TypeError(f"{explorer!r} shares no control with {', '.join(self._controls)}")
        if shared.same(self._watched) != shared.same(shared.of(explorer)):
            raise ValueError(f"these controls are about {shared.other.format(explorer)}")

        def to_figure(_change: Any) -> None:
            shared.put(explorer, [control.value for control in controls])

        def from_figure(change: Any) -> None:
            values, anew = shared.get(explorer), change.name == "run"
            if not anew and values == [control.value for control in controls]:
                return
            if anew:
                self._watched = shared.of(explorer)
                self._render = self._view(self._watched)
            with _deaf(controls, to_figure, self.redraw):
                if shared is _STEP:
                    controls[0].max = self._watched.updates
                for control, value in zip(controls, values, strict=True):
                    control.value = value
            self.redraw()

        for control in controls:
            control.observe(to_figure, "value")
        explorer.observe(from_figure, ["run", shared.trait])
        from_figure(Bunch(name="run"))
        return self

    def _picture(self, kind: str) -> tuple[bytes, str]:
        """Return the picture as a file, and the sentence about it."""
        values = {name: control.value for name, control in self._controls.items()}

        def draw(figure: Figure) -> str:
            axes = dict(sorted(figure.subplot_mosaic(self._axes).items()))
            return self._render(*axes.values(), **values)

        return picture(draw, self._size, kind)

    def __repr__(self) -> str:
        return f"Controls({self.state})"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """Return the controls, and for paper the picture alone."""
        bundle = super()._repr_mimebundle_(**kwargs) or {}
        return {**bundle, "text/plain": repr(self), "image/png": self._picture("png")[0]}


@contextmanager
def _deaf(controls: list[Any], *observers: Callable[[Any], None]) -> Iterator[None]:
    """Keep controls from telling of changes: the figure that makes them knows."""
    for control, observer in product(controls, observers):
        control.unobserve(observer, "value")
    try:
        yield
    finally:
        for control, observer in product(controls, observers):
            control.observe(observer, "value")


def _linked(
    shared: _Shared, view: Callable[[Any], _Draw], watched: Any, controls: Any, **layout: Any
) -> Controls:
    """Make controls that can be linked; `view` makes a `Draw` for what they are about."""
    made = Controls(view(watched), controls, **layout)
    made._shared, made._view, made._watched = shared, view, watched
    return made


def _along(view: Callable[[Trace], _Draw], trace: Trace, t: int, **layout: Any) -> Controls:
    """Make controls for the steps of a run: a player and the slider ``.t``."""
    check_kind(trace, Trace, "trace", "a Trace, as from record")
    slider = _slider("t", t, trace.updates)
    made = _linked(_STEP, view, trace, {"t": slider}, **layout)
    player = ipywidgets.Play(min=0, max=slider.max, interval=600)
    # Linked in the page, so that it plays without waiting for Python.
    made._links = [ipywidgets.jslink((player, one), (slider, one)) for one in ("value", "max")]
    made.children = [ipywidgets.HBox([player, slider]), *made.children[1:]]
    return made


def _slider(name: str, value: int, most: int) -> ipywidgets.IntSlider:
    """Make a slider for a count, which begins at `value`, or where it ends before."""
    return ipywidgets.IntSlider(min(check_count(value, name), most), 0, most, description=name)


def _counted(k: int, thing: str) -> str:
    """``3 mistakes``, ``1 mistake``, ``no mistake``."""
    return f"{k or 'no'} {thing}{'s' if k > 1 else ''}"


def _shown(w: Any) -> str:
    """Return weights as a short text."""
    return "(" + ", ".join(f"{v:.4g}" for v in w) + ")"


def move_weights(data: Dataset, w: npt.ArrayLike | None = None) -> Controls:
    """Show the sliders ``.w0``, ``.w1`` and ``.w2`` for the weights of a line (chapter 1).

    Parameters
    ----------
    data : Dataset
        Samples with d = 2.
    w : array_like, shape (3,), or (2,) for data without an intercept
        The weights to begin with; w₁ = w₂ = 1 if left out. They set how far the sliders go:
        those for w₁ and w₂ to twice the larger of the two in size, but at least to 2, and the
        one for w₀ as far as the line stays in sight. A line through the origin has no ``.w0``.

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
    return _linked(_WEIGHTS, view, data, {name: slider(name, value) for name, value in values})


def watch_steps(trace: Trace, t: int = 0) -> Controls:
    """Show the slider ``.t`` and a player for the steps of a run (chapter 2).

    Parameters
    ----------
    trace : Trace
        A run on samples with d = 2.
    t : int
        The step shown first.

    Examples
    --------
    >>> watch_steps(record(pla(li_hang())), t=3).state
    't = 3: w = (-1, 1, 1), 1 mistake; sample 3 corrects'
    """

    def view(trace: Trace) -> _Draw:
        def draw(ax: Axes, t: int) -> str:
            draw_step(ax, trace, t)
            w = trace.W[t]
            mistakes = _counted(error_count(w, trace.data), "mistake")
            pick = f"sample {trace.picks[t] + 1} corrects" if t < trace.updates else "the end"
            return f"t = {t}: w = {_shown(w)}, {mistakes}; {pick}"

        return draw

    return _along(view, trace, t)


def watch_proof(ledger: Ledger, t: int = 1) -> Controls:
    """Show the slider ``.t`` and a player along the three inequalities of the proof (chapter 3).

    Parameters
    ----------
    ledger : Ledger
        From `ledger`, of a run that starts from 0.
    t : int
        The update shown first, from 1; at 0 nothing has been updated yet.

    Examples
    --------
    >>> data = li_hang()
    >>> watch_proof(ledger(certify(data, [-3, 1, 1]), record(pla(data))), t=7).state
    't = 7: 7 ≤ 11, 11 ≤ 182, 0.02448 ≤ 1'
    """
    check_kind(ledger, Ledger, "ledger", "a Ledger, as from ledger(certificate, trace)")

    def view(trace: Trace) -> _Draw:
        certificate = ledger.certificate
        if trace.data != certificate.data:
            found = separate(trace.data)
            if not found.separable:
                return _unproved
            certificate = certify(trace.data, found)
        rows = prove(certificate, trace)

        def draw(*axes: Axes, t: int) -> str:
            draw_ledger(axes, rows)
            for ax in axes:
                ax.axvline(t, lw=1, ls=":", color=PALETTE["ink"])
            if t == 0:
                return "t = 0: no update yet"
            row = rows[t - 1]
            sides = [row.growth, row.length, *([row.cosine] if row.cosine else [])]
            return f"t = {t}: " + ", ".join(
                f"{float(s.less):.4g} ≤ {float(s.more):.4g}" for s in sides
            )

        return draw

    return _along(view, ledger.trace, t, size=(5.2, 5), axes="AB;CC")


def _unproved(*axes: Axes, t: int) -> str:
    """Return what `watch_proof` shows of samples that its figure's reader made inseparable."""
    for ax in axes:
        ax.set_axis_off()
    return f"t = {t}: no line separates these samples, so there is nothing to prove"


def watch_pocket(trace: Trace, t: int = 0) -> Controls:
    """Show the slider ``.t`` and a player along a run, with what lies in the pocket (chapter 4).

    Parameters
    ----------
    trace, t
        As for `watch_steps`.

    Examples
    --------
    >>> watch_pocket(record(pla(xor()), at_most=20), t=20).state
    't = 20: 4 mistakes now, 2 in the pocket'
    """

    def view(trace: Trace) -> _Draw:
        watched = list(pocket(trace.data, trace))
        errors, best = [one.errors for one in watched], [one.best_errors for one in watched]

        def draw(plane: Axes, chart: Axes, t: int) -> str:
            draw_data(plane, trace.data, classes=())
            draw_boundary(plane, trace.W[t], sides=False)
            draw_boundary(plane, watched[t].best, color=PALETTE["good"], style="--")
            draw_errors(chart, errors, best)
            chart.axvline(t, lw=1, ls=":", color=PALETTE["ink"])
            return f"t = {t}: {_counted(errors[t], 'mistake')} now, {best[t]} in the pocket"

        return draw

    return _along(view, trace, t, size=(8.4, 3.6), axes="AB")


def choose_kernel(data: Dataset) -> Controls:
    """Show the menu ``.kernel``, and the region that the dual form finds with each (chapter 5).

    Parameters
    ----------
    data : Dataset
        Samples with d = 2.

    Examples
    --------
    >>> controls = choose_kernel(xor())
    >>> controls.kernel.value = "degree 2"
    >>> controls.state
    'degree 2: 25 updates, 4 of 4 samples corrected, no mistake'
    """
    known: dict[str, Kernel] = {
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


def watch_training(training: Training, t: int = 0) -> Controls:
    """Show the slider ``.t`` along the training of a network, and the loss so far (chapter 9).

    Beside the region stand the lines of the units in the first layer.

    Parameters
    ----------
    training : Training
        What `train` returns, for samples with d = 2.
    t : int
        The step shown first, of 200.

    Examples
    --------
    >>> start = random_network((2, 3, 1), rng=np.random.default_rng(1))
    >>> watch_training(train(start, xor()), t=100).state
    't = 100: loss 0.0605, no mistake'
    """
    check_kind(training, Training, "training", "train(network, data)")
    steps = list(islice(training, 201))
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

    return Controls(draw, {"t": _slider("t", t, 200)}, size=(6.0, 3.2), axes="AB")


def choose_threshold(data: Dataset) -> Controls:
    """Show the slider ``.threshold`` of margin PLA, beside the widest street (chapter 7).

    The threshold β is 0 at 0, and then 1, 2, 4, … up to 2048.

    Parameters
    ----------
    data : Dataset
        Samples with d = 2, of both classes and with an intercept, that a line separates.

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


def watch_mixing(shards: Shards) -> Controls:
    """Show the slider ``.epoch``, the menu ``.by`` of shares, and the mixed line (chapter 10).

    The dashed line is the mix of the epoch before.

    Parameters
    ----------
    shards : Shards
        Samples with d = 2 and an intercept; each of 30 epochs makes one pass over every shard.

    Examples
    --------
    >>> from perceptron_notes.scale import Shards
    >>> watch_mixing(Shards.split(li_hang(), 3)).state
    'epoch 1: updates (1, 1, 1), 1 mistake'
    """
    ways: tuple[Literal["uniform", "mistakes"], ...] = ("uniform", "mistakes")
    data = check_shards(shards).dataset()
    made: dict[str, list[Epoch]] = {by: list(islice(mixing(shards, by), 30)) for by in ways}

    def draw(ax: Axes, epoch: int, by: str) -> str:
        epochs = made[by][:epoch]
        draw_data(ax, data, classes=())
        if len(epochs) > 1:
            draw_boundary(ax, epochs[-2].w, sides=False, arrow=False, style="--")
        draw_boundary(ax, epochs[-1].w)
        wrong = _counted(error_count(epochs[-1].w, data), "mistake")
        return f"epoch {epochs[-1].n}: updates {_shown(epochs[-1].mistakes)}, {wrong}"

    slider = ipywidgets.IntSlider(1, 1, 30, description="epoch")
    menu = ipywidgets.Dropdown(options=ways, description="shares")
    return Controls(draw, {"epoch": slider, "by": menu})


def miss_margin(data: Dataset, u: npt.ArrayLike, passes: int = 1) -> Controls:
    """Show sliders for **u**, its deviations, and the bound on PLA's mistakes (chapter 6).

    The margin asked for is 1; the more a sample misses it, the larger the ring around it.

    Parameters
    ----------
    data : Dataset
        Samples with d = 2.
    u : array_like, shape (3,)
        The weights that ``.u0``, ``.u1`` and ``.u2`` begin with; each goes from −s to s, where s
        is twice the largest absolute value of a weight, but at least 2.
    passes : int
        How many passes over the samples PLA makes, in turn.

    Examples
    --------
    >>> miss_margin(xor(), [0, 0, 0], passes=5).state
    'u = (0, 0, 0): R‖u‖ = 0, H = 20; mistakes: 20 ≤ 20'
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
        length = 2 * float(found.roots[0]) ** 0.5
        sizes = f"R‖u‖ = {length:.4g}, H = {float(found.H):.4g}"
        return f"u = {_shown(v)}: {sizes}; mistakes: {made} ≤ {found.bound}"

    most = 2 * max(1.0, float(np.abs(start).max()))
    options = {"min": -most, "max": most, "step": 0.05}
    names = zip(("u0", "u1", "u2"), start.tolist(), strict=True)
    sliders = {
        name: ipywidgets.FloatSlider(value, description=name, **options) for name, value in names
    }
    return Controls(draw, sliders)


def watch_classes(run: MultiRun, t: int = 0) -> Controls:
    """Show the slider ``.t`` for the steps of a run on several classes (chapter 8).

    Parameters
    ----------
    run : MultiRun
        A run of `multi_pla` on `Classes` with d = 2, which is cut after 100 updates.
    t : int
        The step shown first.

    Raises
    ------
    TypeError
        If the run is not on `Classes`.

    Examples
    --------
    >>> from perceptron_notes.multiclass import Classes, multi_pla
    >>> corner = Classes([[0, 2], [2, 0], [-2, -2]], "abc")
    >>> watch_classes(multi_pla(corner), t=1).state
    't = 1: 2 mistakes; sample 2: b against a'
    """
    if not isinstance(run, MultiRun) or not isinstance(run.data, Classes):
        raise TypeError(f"run is {run!r}; expected multi_pla(data) on Classes")
    data, steps = run.data, list(up_to(run, 100))

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

    return Controls(draw, {"t": _slider("t", t, len(steps) - 1)})
