"""The widget: the figure as Python has it, in step with its view in the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import traitlets
from matplotlib.figure import Figure

from perceptron_notes._kit.recipes import up_to
from perceptron_notes._kit.validation import (
    check_count,
    check_flag,
    check_kind,
    check_one_of,
    check_positive,
)
from perceptron_notes._kit.values import Array, frozen
from perceptron_notes.data import Dataset, check_dataset, check_fit
from perceptron_notes.dual import dual_pla, dual_score, tally
from perceptron_notes.figures._living import Living, module, words
from perceptron_notes.figures.explorer.dice import RULES
from perceptron_notes.figures.explorer.page import (
    PANELS,
    WORDS,
    check_at_most,
    check_box,
    check_goal,
    check_names,
    check_panels,
    check_samples,
    check_trace,
    describe,
    described,
    frame,
    grid,
    kernel_of,
    named_rule,
    samples,
    separating,
)
from perceptron_notes.figures.plots import (
    draw_boundary,
    draw_data,
    draw_errors,
    draw_region,
    draw_step,
)
from perceptron_notes.kernels import Kernel, gram, linear
from perceptron_notes.learning import Run, Step, Trace, corrections, pla, record
from perceptron_notes.model import error_count
from perceptron_notes.rules import PickRule, in_turn

__all__ = ["Explorer"]

_Algorithm = Callable[[Dataset], Iterable[Step]]


class Explorer(Living):
    r"""A figure in which a run can be stepped, played, scrubbed and changed.

    Parameters
    ----------
    data : Dataset, Trace or Run
        At most 1000 samples with d = 2, with or without an intercept. A `Trace` or a `Run` is
        shown as it is, and its samples cannot be changed. To show steps of your own, give
        ``record(steps, data=data)``.
    algorithm : {"pla", "pocket", "dual", "model"} or callable
        What runs. With ``"model"`` nothing runs: the reader moves the weights. A function
        ``f(data)`` that returns steps is your own PLA, run again whenever a sample moves.
    pick : pick rule or {"in_turn", "lowest", "shuffled", "at_random"}
        Which mistake to correct. Given by name, the last two throw the figure's own `dice`, so
        that the page can go on without Python.
    panels : sequence of str, optional
        Which of ``"plane"``, ``"angle"``, ``"ledger"``, ``"alpha"`` and ``"model"`` to show.
        ``"region"`` is another name for the plane, and ``"errors"`` is always there: the track
        of the scrubber shows the mistakes of the run.
    kernel : kernel
        For ``"dual"``: `linear`, ``polynomial(degree, offset)`` or ``rbf(gamma)``, which the
        reader may change.
    w0 : array_like, shape (3,), or (2,) without an intercept, optional
        The weights to start from; for ``"model"``, the weights shown first.
    rate : float, optional
        The learning rate λ > 0; 1 if left out. A given run has its own.
    at_most : int
        After how many updates a run stops until the reader asks for more; at most 100,000.
    step : int
        The step shown first.
    seed : int
        For the random rules given by name, and for the first new data. The reader can change
        the one without the other.
    noise : int
        How many labels are flipped in new data.
    names : two strings
        What the axes measure.
    box : four numbers, optional
        The limits left, right, bottom, top of the plane, kept when other data are shown. If left
        out, they follow the data.
    goal : dict, optional
        What the reader is asked to achieve; the figure notices when it is reached.
        ``{"updates": 20}`` is a run of at least 20 updates that ends, ``{"mistakes": 2}`` weights
        that make at most two mistakes, ``{"separable": False}`` samples that no line separates.
        If there are several goals, all must be reached.
    autoplay : bool
        Whether the run plays by itself, two steps a second, from when the figure is in view
        until a reader touches it. It does not for readers who ask for less motion.
    stage : bool
        Whether the figure is a stage for a text beside it, which tells its run: the panels and
        their time, without settings and tools.

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
    _css = Path(__file__).with_name("explorer.css").read_text("utf-8")

    points: traitlets.List[Any] = traitlets.List().tag(sync=True)
    labels: traitlets.List[Any] = traitlets.List().tag(sync=True)
    settings = traitlets.Dict().tag(sync=True)
    run = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    rev = traitlets.Int(0).tag(sync=True)  # counts the changes of the samples

    def __init__(
        self,
        data: Dataset | Trace | Run,
        algorithm: str | _Algorithm = "pla",
        pick: PickRule | str = in_turn,
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
        box: Sequence[float] | None = None,
        goal: Mapping[str, int | bool] | None = None,
        autoplay: bool = False,
        stage: bool = False,
    ) -> None:
        name = "pla" if callable(algorithm) else algorithm
        check_one_of(name, "algorithm", PANELS)
        if isinstance(data, Run):
            data = record(data, check_at_most(at_most))
        shown = check_trace(data, name) if isinstance(data, Trace) else None
        if shown and not (rate is None and w0 is None):
            raise ValueError("rate and w0 belong to a run, and the one that is given has its own")
        data = check_samples(data.data if isinstance(data, Trace) else data)
        self._own = algorithm if callable(algorithm) else None
        self._pick, rule = named_rule(pick)
        self._rate = 1.0 if rate is None else check_positive(rate, "rate")
        self._w0 = None if w0 is None else check_fit(w0, data, "w0")
        self._box = None if box is None else check_box(box)
        if name == "dual" and self._w0 is not None and self._w0.any():
            raise ValueError("w0 is not 0; a tally of corrections starts from 0")
        settings = {
            "algorithm": name,
            "rule": rule,
            "rules": [*RULES, *([] if rule in RULES else [rule])],
            "panels": check_panels(panels, name, kernel),
            "kernel": described(kernel),
            "at_most": check_at_most(at_most),
            "seed": check_count(seed, "seed"),  # of the data
            "order": check_count(seed, "seed"),  # of the picks
            "noise": check_count(noise, "noise"),
            "names": check_names(names),
            "goal": check_goal(goal),
            "autoplay": check_flag(autoplay, "autoplay"),
            "stage": check_flag(stage, "stage"),
        }
        super().__init__(words=words(WORDS), settings=settings)
        self._show(data, shown, rev=0)
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
        self._show(check_samples(check_dataset(data)), None)

    @property
    def trace(self) -> Trace:
        """The run that is shown. Setting it shows another one."""
        if self.settings["algorithm"] == "model":
            raise ValueError('algorithm is "model", which runs nothing; its weights are in .w')
        if self._trace is None:
            raise ValueError(
                f"the {self.settings['kernel']['name']} kernel's run has no weights w; "
                "its picks are in .picks"
            )
        return self._trace

    @trace.setter
    def trace(self, trace: Trace | Run) -> None:
        if isinstance(trace, Run):
            trace = record(trace, self.settings["at_most"])
        check_kind(trace, Trace, "trace", "a Trace, as from record")
        self._show(trace.data, check_trace(trace, self.settings["algorithm"]))

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
        elif (tally := self.tally)[0].any():
            draw_region(ax, lambda P: dual_score(*tally, data, P, self.kernel))

    # -------------------------------------------------------------------- what happens

    @traitlets.validate("step")
    def _within(self, proposal: Any) -> int:
        """Take a step beyond the run for its last, unless the run is still to be made."""
        last = len(self.run["picks"]) if self.run and self.run["rev"] == self.rev else np.inf
        return int(max(0, min(proposal["value"], last)))

    def _show(self, data: Dataset, trace: Trace | None, rev: int | None = None) -> None:
        """Show other samples, or another run."""
        start = np.zeros(data.X.shape[1]) if self._w0 is None else check_fit(self._w0, data, "w0")
        by_hand = self.settings.get("w", [])
        box = self._box or frame(data)
        settings = {
            **self.settings,
            "own": "look" if trace else "python" if self._own else False,
            "rate": trace.rate if trace else self._rate,
            "w0": (trace.W[0] if trace else start).tolist(),
            "w": by_hand if len(by_hand) == len(start) else start.tolist(),
            "intercept": data.intercept,
            "box": box,
            "grid": grid(box),
        }
        rev = self.rev + 1 if rev is None else rev
        run, trace, rate = self._compute(data, trace, settings, rev)
        settings["rate"] = rate
        self._data, self._trace = data, trace
        new = {"settings": settings, "run": run, "rev": rev, **samples(data)}
        with self.hold_sync(), self.hold_trait_notifications():
            for name, value in new.items():
                setattr(self, name, value)
            self.step = min(self.step, len(run["picks"]))

    def _changed(self, _change: Any) -> None:
        """Answer samples or an order that the page has changed with Python's run."""
        if self.run["rev"] == self.rev:
            return
        try:
            data = check_samples(Dataset(self.points, self.labels, self.data.intercept))
            run, trace, rate = self._compute(data, None, self.settings, self.rev)
        except Exception as error:  # a function of the reader's own may raise anything
            expected = isinstance(error, TypeError | ValueError)
            self.send({"error": str(error) if expected else f"{type(error).__name__}: {error}"})
            return
        self._data, self._trace = data, trace
        if not self._own:  # the reader may have chosen others
            w0 = check_fit(self.settings["w0"], data, "w0")
            self._rate, self._w0 = rate, w0 if w0.any() else None
        with self.hold_sync():
            self.settings = {**self.settings, "rate": rate}
            self.run = run
            self.step = min(self.step, len(run["picks"]))

    def _compute(
        self, data: Dataset, shown: Trace | None, now: dict[str, Any], rev: int
    ) -> tuple[dict[str, Any], Trace | None, float]:
        """Make a run: in the form in which the page gets it, as a Trace if it is one, its rate."""
        run: dict[str, Any] = {"rev": rev, "picks": [], "converged": True}
        trace, rate, linearly = shown, now["rate"], True
        if now["algorithm"] == "model":
            return run, None, rate
        if now["algorithm"] == "dual":
            kernel = kernel_of(now["kernel"])
            G, rule = gram(data, kernel), self._rule(now)
            steps = dual_pla(G, data.y, rule, rate=rate, intercept=data.intercept)
            *picks, end = (step.pick for step in up_to(steps, now["at_most"]))
            run |= {"picks": picks, "converged": end is None}
            linearly = kernel is linear
            if linearly:
                W = _replayed(data, run["picks"], now["w0"], rate)
                chosen = frozen(np.array(run["picks"], dtype=np.intp))
                trace = Trace(data, rate, W, chosen, run["converged"])
        else:
            trace = check_trace(shown or self._made(data, now), now["algorithm"])
            rate = trace.rate
            run |= {"picks": trace.picks.tolist(), "converged": trace.converged}
            # The page replays picks. Weights that do not follow from them it needs to be told.
            follows = not now["own"] or np.array_equal(
                _replayed(data, run["picks"], now["w0"], rate), trace.W
            )
            if not follows:
                run["W"] = trace.W.tolist()
        if linearly and "ledger" in now["panels"]:
            run["w_f"] = separating(data)
        return run, trace, rate

    def _rule(self, now: dict[str, Any]) -> PickRule:
        """Return the rule of the settings: by its name, or as it was given."""
        named = RULES.get(now["rule"])
        return named(now["order"]) if named else self._pick or in_turn

    def _made(self, data: Dataset, now: dict[str, Any]) -> Trace:
        """Make a new run, PLA's or that of the reader's own function."""
        rule, rate = self._rule(now), now["rate"]
        steps = self._own(data) if self._own else pla(data, rule, w0=now["w0"], rate=rate)
        its_own = isinstance(steps, Run | Trace)  # a run has data and a rate, which may be others
        missing = {} if its_own else {"data": data, "rate": rate}
        trace = record(steps, now["at_most"], **missing)
        if trace.data != data:
            raise ValueError("the function's steps are about other samples than it was given")
        return trace


def _given(picks: Iterable[int]) -> PickRule:
    """Return the rule that makes these picks, whatever it sees, and then ends the run."""
    rest = chain(picks, [None])
    return lambda _look, _n, _previous: next(rest)


def _replayed(data: Dataset, picks: Iterable[int], w0: Sequence[float], rate: float) -> Array:
    """Return the weights of the run with these picks, as the algorithm itself makes them."""
    steps = corrections(data, np.array(w0), _given(picks), rate)
    return frozen(np.array([step.w for step in steps]))
