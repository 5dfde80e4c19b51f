"""The widget: the figure's state in Python, in step with its view in the page."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import traitlets
from matplotlib.figure import Figure

from perceptron_notes._kit.recipes import up_to
from perceptron_notes._kit.validation import check_count, check_flag, check_one_of, check_positive
from perceptron_notes._kit.values import Array, frozen
from perceptron_notes.data import Dataset, check_fit
from perceptron_notes.dual import dual_pla, dual_score, tally
from perceptron_notes.figures._living import Living, figure_words, module, style
from perceptron_notes.figures.explorer.page import (
    PANELS,
    WORDS,
    check_at_most,
    check_box,
    check_finite,
    check_goal,
    check_names,
    check_panels,
    check_samples,
    describe,
    described,
    frame,
    grid,
    kernel_of,
    samples,
    separating,
)
from perceptron_notes.figures.plots import (
    _mark,
    draw_boundary,
    draw_data,
    draw_errors,
    draw_region,
    draw_step,
)
from perceptron_notes.kernels import Kernel, gram, linear
from perceptron_notes.learning import Trace, corrections, pla, record
from perceptron_notes.model import error_count, mistakes
from perceptron_notes.rules import NAMED, PickRule, RuleName, named

__all__ = ["Explorer"]


class Explorer(Living):
    r"""A figure in which a run can be stepped, played, scrubbed and changed.

    Parameters
    ----------
    data : Dataset
        At most 1000 samples with d = 2, with or without an intercept.
    algorithm : {"pla", "pocket", "dual", "model"}
        What runs. With ``"model"`` nothing runs: the reader moves the weights.
    pick : str
        Which mistake to correct, by the name of a rule in `perceptron_notes.rules`. The page knows
        them too, so that it can go on without Python; ``"shuffled"`` is
        ``shuffled(numpy.random.default_rng(seed))``.
    panels : sequence of str, optional
        Which of ``"plane"``, ``"angle"``, ``"ledger"``, ``"alpha"`` and ``"model"`` to show.
        The mistakes of the run are always there, as the track of the scrubber.
    kernel : kernel
        For ``"dual"``: `linear`, ``polynomial(degree, offset)`` or ``rbf(gamma)``, which the
        reader may change.
    w0 : array_like, shape (3,), or (2,) without an intercept, optional
        The weights to start from; for ``"model"``, the weights shown first.
    rate : float, optional
        The learning rate λ > 0; 1 if left out.
    at_most : int
        After how many updates a run stops until the reader asks for more; at most 100,000.
    step : int
        The step shown first.
    seed : int
        For the random rules, and for the first new data. The reader can change
        the one without the other.
    noise : int
        How many labels are flipped in new data.
    names : two strings
        The quantities that the axes show.
    sides : two strings, optional
        What the answers −1 and +1 mean, written on the two sides of the line.
    box : four numbers, optional
        The limits left, right, bottom, top of the plane, kept when other data are shown. If left
        out, they follow the data.
    goal : dict, optional
        The goal set for the reader; the figure notices when it is reached.
        ``{"updates": 20}`` is a run of at least 20 updates that ends, ``{"mistakes": 2}`` weights
        that make at most two mistakes, ``{"separable": False}`` samples that no line separates.
        If there are several goals, all must be reached.
    autoplay : bool
        Whether the run plays by itself, two steps a second, from when the figure is in view
        until a reader touches it. Not for readers who prefer reduced motion.
    tools : bool
        Whether the reader also gets tools to edit samples, and the settings of the run. A figure
        beside a text that tells its run does without.

    Attributes
    ----------
    step : int
        The step shown, from 0 to the number of updates. A larger number becomes the last step.

    Raises
    ------
    TypeError, ValueError
        If the samples do not lie in a plane or are too many, or if an argument makes no sense.

    Examples
    --------
    >>> Explorer(li_hang(), step=3)
    Explorer(pla: 7 updates on 3 samples, converged; step 3)
    """

    _esm = module(Path(__file__).with_name("explorer.js"))
    _css = style()

    points: traitlets.List[Any] = traitlets.List().tag(sync=True)
    labels: traitlets.List[Any] = traitlets.List().tag(sync=True)
    settings = traitlets.Dict().tag(sync=True)
    run = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    rev = traitlets.Int(0).tag(sync=True)  # counts the changes of the samples

    def __init__(
        self,
        data: Dataset,
        algorithm: str = "pla",
        pick: RuleName = "in_turn",
        panels: Sequence[str] | None = None,
        *,
        kernel: Kernel = linear,
        w0: npt.ArrayLike | None = None,
        rate: float | None = None,
        at_most: int = 1000,
        step: int = 0,
        seed: int = 1,
        noise: int = 0,
        names: Sequence[str] = ("x₁", "x₂"),
        sides: Sequence[str] | None = None,
        box: Sequence[float] | None = None,
        goal: Mapping[str, int | bool] | None = None,
        autoplay: bool = False,
        tools: bool = True,
    ) -> None:
        check_one_of(algorithm, "algorithm", PANELS)
        check_samples(data)
        check_one_of(pick, "pick", NAMED)
        self._rate = 1.0 if rate is None else check_positive(rate, "rate")
        self._w0 = None if w0 is None else check_fit(w0, data, "w0")
        self._box = None if box is None else check_box(box)
        if algorithm == "dual" and self._w0 is not None and self._w0.any():
            raise ValueError("w0 is not 0; a tally of corrections starts from 0")
        settings = {
            "algorithm": algorithm,
            "rule": pick,
            "panels": check_panels(panels, algorithm, kernel),
            "kernel": described(kernel),
            "at_most": check_at_most(at_most),
            "seed": check_count(seed, "seed", most=2**53),  # of the data
            "order": int(seed),  # of the picks
            "noise": check_count(noise, "noise"),
            "names": check_names(names),
            "sides": None if sides is None else check_names(sides, "sides", "label"),
            "goal": check_goal(goal),
            "autoplay": check_flag(autoplay, "autoplay"),
            "tools": check_flag(tools, "tools"),
        }
        super().__init__(words=figure_words(WORDS), settings=settings)
        self._show(data, rev=0)
        self.step = check_count(step, "step")
        self.observe(self._changed, "rev")
        self.on_msg(lambda *_: self.send({"hello": True}))

    # -------------------------------------------------------------------- what Python reads

    @property
    def data(self) -> Dataset:
        """The samples as they are now. Setting it starts a new run."""
        return self._data

    @data.setter
    def data(self, data: Dataset) -> None:
        self._show(check_samples(data))

    @property
    def trace(self) -> Trace:
        """The run that is shown."""
        if self.settings["algorithm"] == "model":
            raise ValueError('algorithm is "model", which runs nothing; its weights are in .w')
        if self._trace is None:
            raise ValueError(
                f"the {self.settings['kernel']['name']} kernel's run has no weights w; "
                "its picks are in .picks"
            )
        return self._trace

    @property
    def picks(self) -> npt.NDArray[np.intp]:
        """The picks of the run that is shown, T in number."""
        return frozen(np.array(self.run["picks"], dtype=np.intp))

    @property
    def w(self) -> Array:
        """The weights of the step that is shown; for ``"model"`` they can be set."""
        if self.settings["algorithm"] == "model":
            return frozen(np.array(self.settings["w"], dtype=np.float64))
        return self.trace.W[self.step]

    @w.setter
    def w(self, w: npt.ArrayLike) -> None:
        if self.settings["algorithm"] != "model":
            raise ValueError('a run makes its weights itself; algorithm="model" lets you set them')
        self.settings = {**self.settings, "w": check_fit(w, self.data).tolist()}

    @property
    def tally(self) -> tuple[Array, float]:
        """α and b of the step that is shown, for ``"dual"``."""
        if self.settings["algorithm"] != "dual":
            raise ValueError('only a run with algorithm="dual" has a tally')
        G, rule = gram(self.data, self.kernel), _given(self.picks.tolist())
        steps = tally(G, self.data.y, rule, self.settings["rate"], self.data.intercept)
        *_, now = islice(steps, self.step + 1)
        return now.alpha, now.b

    @property
    def kernel(self) -> Kernel:
        """The kernel of a run with algorithm="dual"."""
        return kernel_of(self.settings["kernel"])

    def __repr__(self) -> str:
        algorithm, n = self.settings["algorithm"], len(self.labels)
        if algorithm == "model":
            errors = error_count(self.w, self.data)
            return f"Explorer(model: w = {self.w}, {errors} mistakes on {n} samples)"
        updates = f"{len(self.run['picks'])} updates on {n} samples"
        end = "converged" if self.run["converged"] else "not converged"
        return f"Explorer({algorithm}: {updates}, {end}; step {self.step})"

    @property
    def alt(self) -> str:
        """What the still picture shows, in a sentence."""
        return describe(self.get_state())

    @property
    def size(self) -> tuple[float, float]:
        """The width and height of the still picture, in inches."""
        return (4.4, 4) if self._is_plane() else (8.2, 4)

    def _is_plane(self) -> bool:
        """Return whether the plane stands alone: without a run, or with one that has no line."""
        now = self.settings
        kernelised = now["algorithm"] == "dual" and now["kernel"]["name"] != "linear"
        return now["algorithm"] == "model" or kernelised

    def draw(self, figure: Figure) -> None:
        """Draw the present step for paper: the plane, and beside it the mistakes of the run."""
        now, data = self.settings, self.data
        plane: dict[str, Any] = {"names": now["names"], "box": now["box"]}
        if not self._is_plane():
            left, right = figure.subplots(1, 2)
            draw_step(left, self.trace, self.step, **plane)
            errors = [error_count(w, data) for w in self.trace.W]
            best = np.minimum.accumulate(errors)
            draw_errors(right, errors, best if now["algorithm"] == "pocket" else None)
            right.axvline(self.step, lw=0.8, ls=":")
            return
        ax = figure.subplots()
        draw_data(ax, data, classes=(), **plane)
        if now["algorithm"] == "model":
            draw_boundary(ax, self.w)
            wrong = mistakes(self.w, data)
            _mark(ax, data.points[wrong], (data.y[wrong] < 0).astype(int), ("", ""), width=4)
        elif (tally := self.tally)[0].any():
            draw_region(ax, lambda P: dual_score(*tally, data, P, self.kernel))

    # -------------------------------------------------------------------- what happens

    @traitlets.validate("step")
    def _within(self, proposal: Any) -> int:
        """Return the step, or the last one if it is beyond, unless the run is yet to be made."""
        last = len(self.run["picks"]) if self.run and self.run["rev"] == self.rev else np.inf
        return int(max(0, min(proposal["value"], last)))

    def _show(self, data: Dataset, rev: int | None = None) -> None:
        """Show other samples."""
        start = np.zeros(data.X.shape[1]) if self._w0 is None else check_fit(self._w0, data, "w0")
        by_hand = self.settings.get("w", [])
        box = self._box or frame(data)
        settings = {
            **self.settings,
            "rate": self._rate,
            "w0": start.tolist(),
            "w": by_hand if len(by_hand) == len(start) else start.tolist(),
            "intercept": data.intercept,
            "box": box,
            "grid": grid(box),
        }
        rev = self.rev + 1 if rev is None else rev
        run, self._trace = self._compute(data, settings, rev)
        self._data = data
        new = {"settings": settings, "run": run, "rev": rev, **samples(data)}
        with self.hold_sync(), self.hold_trait_notifications():
            for name, value in new.items():
                setattr(self, name, value)
            self.step = min(self.step, len(run["picks"]))

    def _changed(self, _change: Any) -> None:
        """Answer a change of samples or order in the page with Python's run."""
        if self.run["rev"] == self.rev:
            return
        try:
            data = check_samples(Dataset(self.points, self.labels, self.data.intercept))
            run, trace = self._compute(data, self.settings, self.rev)
        except (TypeError, ValueError) as error:
            self.send({"error": str(error)})
            return
        self._data, self._trace = data, trace
        # The reader may have changed the starting weights and the rate.
        w0 = check_fit(self.settings["w0"], data, "w0")
        self._rate, self._w0 = self.settings["rate"], w0 if w0.any() else None
        with self.hold_sync():
            self.run = run
            self.step = min(self.step, len(run["picks"]))

    def _compute(
        self, data: Dataset, now: dict[str, Any], rev: int
    ) -> tuple[dict[str, Any], Trace | None]:
        """Return a run in the form that the page gets, and as a Trace if it has weights."""
        run: dict[str, Any] = {"rev": rev, "picks": [], "converged": True}
        if now["algorithm"] == "model":
            return run, None
        rule = named(now["rule"], lambda: np.random.default_rng(now["order"]))
        rate, trace = now["rate"], None
        if now["algorithm"] == "dual":
            kernel = kernel_of(now["kernel"])
            steps = dual_pla(gram(data, kernel), data.y, rule, rate=rate, intercept=data.intercept)
            *picks, end = (step.pick for step in up_to(steps, now["at_most"]))
            run |= {"picks": picks, "converged": end is None}
            if kernel is linear:
                replayed = corrections(data, np.array(now["w0"]), _given(picks), rate)
                W = frozen(np.array([step.w for step in replayed]))
                trace = Trace(data, rate, W, frozen(np.array(picks, dtype=np.intp)), end is None)
        else:
            primal = pla(data, rule, w0=now["w0"], rate=rate)
            trace = check_finite(record(primal, now["at_most"]))
            run |= {"picks": trace.picks.tolist(), "converged": trace.converged}
        if trace and "ledger" in now["panels"]:
            run["w_f"] = separating(data)
        return run, trace


def _given(picks: Iterable[int | None]) -> PickRule:
    """Return the rule that makes these picks regardless of the samples, and then ends the run."""
    rest = chain(picks, [None])
    return lambda _look, _n, _previous: next(rest)
