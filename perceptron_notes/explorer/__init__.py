r"""The interactive figure: a run that a reader steps through, plays, and changes.

`Explorer` is a widget. In JupyterLab it talks to Python; on the website the same script
runs without it, from the state that stands in the page. The script computes for itself,
bit for bit what Python computes, and Python has the last word where it answers.
"""

from __future__ import annotations

import csv
import inspect
import io
from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from typing import Any

import anywidget
import numpy as np
import numpy.typing as npt
import traitlets

from perceptron_notes.convergence import Separator, separate
from perceptron_notes.data import (
    Array,
    Dataset,
    check_count,
    check_dataset,
    check_positive,
    check_weights,
    frozen,
    real_array,
)
from perceptron_notes.dual import Kernel, dual_pla, gram, linear
from perceptron_notes.model import error_count
from perceptron_notes.pla import (
    PickRule,
    Run,
    Step,
    Trace,
    check_pick,
    first,
    in_turn,
    pla,
    record,
    up_to,
)
from perceptron_notes.scan import Look

__all__ = ["Explorer", "at_random_by_dice", "dice", "shuffled_by_dice"]

HERE = files("perceptron_notes.explorer")
PANELS = {
    "pla": ("plane", "angle", "errors"),
    "pocket": ("plane", "errors"),
    "dual": ("region", "alpha"),
    "model": ("plane", "model"),
}
ALL_PANELS = ("plane", "region", "angle", "errors", "ledger", "alpha", "model")
MOST_SAMPLES = 1000

Algorithm = Callable[[Dataset], Iterable[Step]]


def words(language: str = "en") -> dict[str, str]:
    """One column of the table of all words of the figure."""
    rows = list(csv.DictReader(io.StringIO(HERE.joinpath("words.csv").read_text("utf-8"))))
    if language not in rows[0] or language == "key":
        known = ", ".join(column for column in rows[0] if column != "key")
        raise ValueError(f"language is {language!r}; words.csv has {known}")
    return {row["key"]: row[language] for row in rows}


# -------------------------------------------------------------------- chance, as on the page


def dice(seed: int) -> Callable[[], float]:
    """Make a source of numbers in [0, 1) that the page has too: xorshift with 32 bits.

    Good enough to shuffle a figure's samples; for anything else take a numpy generator.

    Parameters
    ----------
    seed : int
        At least 0.

    Returns
    -------
    callable
        Without arguments; each call gives the next number.

    References
    ----------
    G. Marsaglia, "Xorshift RNGs", *Journal of Statistical Software* 8, 2003.
    """
    x = ((seed + 1) * 0x9E3779B1) & 0xFFFFFFFF | 1

    def roll() -> float:
        nonlocal x
        x ^= x << 13 & 0xFFFFFFFF
        x ^= x >> 17
        x ^= x << 5 & 0xFFFFFFFF
        return x / 4294967296

    return roll


def shuffled_by_dice(seed: int) -> PickRule:
    """Make the rule `shuffled`, with an order that the page finds too.

    Parameters
    ----------
    seed : int
        Of the `dice`.

    Returns
    -------
    pick rule
    """
    orders: dict[int, tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]] = {}

    def pick(look: Look, n: int, previous: int | None) -> int | None:
        if n not in orders:
            roll, order = dice(seed), np.arange(n)
            for k in range(n - 1, 0, -1):
                j = int(roll() * (k + 1))
                order[[k, j]] = order[[j, k]]
            orders[n] = order, np.argsort(order)
        order, place = orders[n]
        start = 0 if previous is None else int(place[previous]) + 1
        i = look(start, n, order)
        return look(0, start, order) if i is None else i

    return pick


def at_random_by_dice(seed: int) -> PickRule:
    """Make the rule `at_random`, with picks that the page finds too.

    Parameters
    ----------
    seed : int
        Of the `dice`, which roll on from pick to pick: make one rule for one run.

    Returns
    -------
    pick rule
    """
    roll = dice(seed)

    def pick(look: Look, n: int, previous: int | None) -> int | None:
        if look(0, n) is None:
            return None
        while True:
            i = int(roll() * n)
            if look(i, i + 1) is not None:
                return i

    return pick


#: The rules that the page knows: from a seed to a rule.
RULES: dict[str, Callable[[int], PickRule]] = {
    "in_turn": lambda seed: in_turn,
    "first": lambda seed: first,
    "shuffled": shuffled_by_dice,
    "at_random": at_random_by_dice,
}


# ------------------------------------------------------------------------------ the figure


class Explorer(anywidget.AnyWidget):
    r"""A figure in which a run can be stepped, played, scrubbed and changed.

    Parameters
    ----------
    data : Dataset, Trace or Run
        At most 1000 samples with d = 2. A `Trace`, or steps of your own as
        ``Run(data, steps)``, is shown as it is; its samples cannot be changed then.
    algorithm : {"pla", "pocket", "dual", "model"} or callable
        What runs. ``"model"`` runs nothing: its reader moves the weights. A function
        ``f(data)`` that returns steps is your own PLA, run again whenever a sample moves.
    pick : pick rule or {"in_turn", "first", "shuffled", "at_random"}
        Which mistake to correct. Named, the last two throw the figure's own `dice`, so that
        the page can go on without Python.
    panels : sequence of str, optional
        Which of ``"plane"``, ``"region"``, ``"angle"``, ``"errors"``, ``"ledger"``,
        ``"alpha"`` and ``"model"`` to show.
    kernel : kernel
        For ``"dual"``: `linear`, ``polynomial(degree, offset)`` or ``rbf(gamma)``.
    w0 : array_like, shape (3,), optional
        The weights to start from; for ``"model"``, the weights shown first.
    rate : float
        The learning rate λ > 0.
    at_most : int
        After how many updates a run stops until the reader asks for more.
    step : int
        The step shown first.
    seed : int
        For the named random rules, and for the first new data.
    noise : int
        How many labels are turned in new data.
    names : two strings
        What the axes measure.
    box : four numbers, optional
        The limits left, right, low, high of the plane.
    language : str
        A column of ``words.csv``.

    Attributes
    ----------
    data : Dataset
        The samples, as they are now. Setting it starts a new run.
    step : int
        The step shown, from 0 to the number of updates. A larger one becomes the last.
    trace : Trace
        The run shown. Setting it shows another one.
    picks : ndarray of int64, shape (T,)
        The picks of the run shown.
    w : ndarray, shape (3,)
        The weights of the step shown; settable for ``"model"``.

    Raises
    ------
    TypeError, ValueError
        If the data are no samples of a plane or too many, or an argument makes no sense.

    Examples
    --------
    >>> Explorer(li_hang(), step=3)
    Explorer(pla: 7 updates on 3 samples, converged; step 3)
    """

    _esm = HERE.joinpath("explorer.js").read_text("utf-8")
    _css = HERE.joinpath("explorer.css").read_text("utf-8")

    points: traitlets.List[Any] = traitlets.List().tag(sync=True)
    labels: traitlets.List[Any] = traitlets.List().tag(sync=True)
    settings = traitlets.Dict().tag(sync=True)
    run = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    rev = traitlets.Int(0).tag(sync=True)  # counts the changes of the samples
    words = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        data: Dataset | Trace | Run,
        algorithm: str | Algorithm = "pla",
        pick: PickRule | str = in_turn,
        panels: Sequence[str] | None = None,
        *,
        kernel: Kernel = linear,
        w0: npt.ArrayLike | None = None,
        rate: float = 1.0,
        at_most: int = 1000,
        step: int = 0,
        seed: int = 1,
        noise: int = 0,
        names: Sequence[str] = ("x₁", "x₂"),
        box: Sequence[float] | None = None,
        language: str = "en",
    ) -> None:
        shown = data if isinstance(data, Trace) else None
        if isinstance(data, Run):
            shown = record(data, check_count(at_most, "at_most"))
        data = check_samples(data.data if isinstance(data, Trace | Run) else data)
        self._own = algorithm if callable(algorithm) else None
        name = "pla" if callable(algorithm) else algorithm
        if name not in PANELS:
            raise ValueError(f"algorithm is {name!r}; expected one of {', '.join(PANELS)}")
        self._kernel, (self._pick, rule) = kernel, named_rule(pick)
        start = [0.0, 0.0, 0.0] if w0 is None else check_weights(w0, 2, "w0").tolist()
        if name == "dual" and any(start):
            raise ValueError("w0 is not 0; a tally of corrections starts from 0")
        limits = frame(data.points) if box is None else real_array(box, "box").tolist()
        settings = {
            "algorithm": name,
            "own": "look" if shown else "python" if self._own else False,
            "rule": rule,
            "rules": [*RULES, *([] if rule in RULES else [rule])],
            "panels": check_panels(panels, name, kernel),
            "kernel": described(kernel),
            "w0": start,
            "rate": check_positive(rate, "rate") if shown is None else shown.rate,
            "at_most": check_count(at_most, "at_most"),
            "seed": check_count(seed, "seed"),
            "random": {
                "kind": "rings" if name == "dual" and kernel is not linear else "line",
                "noise": check_count(noise, "noise"),
            },
            "names": [str(one) for one in names],
            "box": limits,
            "grid": grid(limits),
            "w": start,
        }
        super().__init__(words=words(language), settings=settings, **samples(data))
        self._data = data
        self.run, self._trace = self._compute(data, shown, settings, 0)
        self.step = check_count(step, "step")
        self.observe(self._changed, "rev")
        self.on_msg(lambda *_: self.send({"hello": True}))

    # -------------------------------------------------------------------- what Python reads

    @property
    def data(self) -> Dataset:
        """The samples as they are now."""
        return self._data

    @data.setter
    def data(self, data: Dataset) -> None:
        self._show(check_samples(check_dataset(data)), None)

    @property
    def trace(self) -> Trace:
        """The run that is shown."""
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
        if not isinstance(trace, Trace):
            raise TypeError(f"trace is a {type(trace).__name__}; expected a Trace, as from record")
        self._show(check_samples(trace.data), trace)

    @property
    def picks(self) -> npt.NDArray[np.int64]:
        """The picks of the run that is shown."""
        return frozen(np.array(self.run["picks"], dtype=np.int64))

    @property
    def w(self) -> Array:
        """The weights of the step that is shown."""
        if self.settings["algorithm"] == "model":
            return frozen(np.array(self.settings["w"], dtype=np.float64))
        return self.trace.W[self.step]

    @w.setter
    def w(self, w: npt.ArrayLike) -> None:
        if self.settings["algorithm"] != "model":
            raise ValueError('a run makes its weights itself; algorithm="model" lets you set them')
        self.settings = {**self.settings, "w": check_weights(w, 2).tolist()}

    @property
    def tally(self) -> tuple[Array, float]:
        """α and b of the step that is shown, for ``"dual"``."""
        if self.settings["algorithm"] != "dual":
            raise ValueError('only a run with algorithm="dual" has a tally')
        counts = np.bincount(self.picks[: self.step], minlength=self.data.n)
        alpha = self.settings["rate"] * counts
        return frozen(alpha), float(alpha @ self.data.y)

    @property
    def kernel(self) -> Kernel:
        """The kernel of a run with algorithm="dual"."""
        return self._kernel

    def __repr__(self) -> str:
        algorithm, n = self.settings["algorithm"], len(self.labels)
        if algorithm == "model":
            errors = error_count(self.w, self.data)
            return f"Explorer(model: w = {self.w}, {errors} mistakes on {n} samples)"
        updates = f"{len(self.run['picks'])} updates on {n} samples"
        end = "converged" if self.run["converged"] else "not converged"
        return f"Explorer({algorithm}: {updates}, {end}; step {self.step})"

    def _repr_mimebundle_(self, **_kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The figure, and for paper a still picture of it."""
        from perceptron_notes.explorer.still import still

        bundle, metadata = super()._repr_mimebundle_() or ({}, {})
        return {**bundle, "text/plain": repr(self), "image/png": still(self)}, {
            **metadata,
            "image/png": {"alt": self.alt},
        }

    @property
    def alt(self) -> str:
        """What the still picture shows, in a sentence."""
        return describe(self.get_state())

    # -------------------------------------------------------------------- what happens

    @traitlets.validate("step")
    def _within(self, proposal: Any) -> int:
        """A step beyond the run becomes its last, unless the run is still to be made."""
        last = len(self.run["picks"]) if self.run and self.run["rev"] == self.rev else np.inf
        return int(max(0, min(proposal["value"], last)))

    def _show(self, data: Dataset, trace: Trace | None) -> None:
        """Show other samples, or another run."""
        own = "look" if trace else "python" if self._own else False
        settings = {**self.settings, "own": own, "box": frame(data.points)}
        settings["grid"] = grid(settings["box"])
        run, trace = self._compute(data, trace, settings, self.rev + 1)
        self._data, self._trace = data, trace
        new = {"settings": settings, "run": run, "rev": self.rev + 1, **samples(data)}
        with self.hold_sync(), self.hold_trait_notifications():
            for name, value in new.items():
                setattr(self, name, value)
            self.step = min(self.step, len(run["picks"]))

    def _changed(self, _change: Any) -> None:
        """The page changed its samples or its order: Python's run has the last word."""
        if self.run["rev"] == self.rev:
            return
        try:
            data = check_samples(Dataset(self.points, self.labels))
            kept = self._trace if self.settings["own"] == "look" else None
            run, trace = self._compute(data, kept, self.settings, self.rev)
        except (TypeError, ValueError) as error:
            self.send({"error": str(error)})
            return
        self._data, self._trace = data, trace
        with self.hold_sync():
            self.run = run
            self.step = min(self.step, len(run["picks"]))

    def _compute(
        self, data: Dataset, trace: Trace | None, now: dict[str, Any], rev: int
    ) -> tuple[dict[str, Any], Trace | None]:
        """Make a run, in the form in which the page gets it, and as a Trace if it is one."""
        run: dict[str, Any] = {"rev": rev, "picks": [], "converged": True}
        if now["algorithm"] == "model":
            return run, None
        rule = RULES[now["rule"]](now["seed"]) if now["rule"] in RULES else self._pick or in_turn
        if trace is None and now["algorithm"] == "dual":
            steps = dual_pla(gram(data, self._kernel), data.y, rule, rate=now["rate"])
            chosen = [step.pick for step in up_to(steps, now["at_most"])]
            picks, converged = [int(i) for i in chosen[:-1] if i is not None], chosen[-1] is None
            if self._kernel is linear:
                trace = replayed(data, picks, now["w0"], now["rate"], converged)
        else:
            if trace is None and self._own:
                made = self._own(data)
                made = made if isinstance(made, Run) else Run(data, made, now["rate"])
                trace = record(made, now["at_most"])
            elif trace is None:
                made = pla(data, rule, w0=now["w0"], rate=now["rate"])
                trace = record(made, now["at_most"])
            picks, converged = trace.picks.tolist(), trace.converged
            strange = [i for i in picks if not 0 <= i < data.n]
            if strange:
                raise ValueError(f"a step picks {strange[0]}; the samples are 0 to {data.n - 1}")
            # The page replays picks. Weights that do not follow from them it needs to be told.
            if not np.array_equal(replayed(data, picks, now["w0"], now["rate"], True).W, trace.W):
                run["W"] = real_array(trace.W, "W").tolist()
        run |= {"picks": picks, "converged": converged}
        linearly = now["algorithm"] != "dual" or self._kernel is linear
        if linearly and (not converged or "ledger" in now["panels"]):
            run |= certified(data)
        return run, trace


def describe(state: dict[str, Any]) -> str:
    """A figure's still picture in a sentence."""
    name = state["words"][state["settings"]["algorithm"]]
    numbers = {"n": len(state["labels"]), "t": state["step"], "T": len(state["run"]["picks"])}
    return str(state["words"]["still_alt"].format(algorithm=name, **numbers))


def replayed(
    data: Dataset, picks: Sequence[int], w0: Sequence[float], rate: float, converged: bool
) -> Trace:
    """The run with these picks, as `pla` would make it."""
    W = [np.array(w0)]
    for i in picks:
        W.append(W[-1] + rate * data.y[i] * data.X[i])
    chosen = frozen(np.array(picks, dtype=np.int64))
    return Trace(data, rate, frozen(np.array(W)), chosen, converged)


def certified(data: Dataset) -> dict[str, Any]:
    """Whether a line separates the samples, and if so, which."""
    found = separate(data)
    if not isinstance(found, Separator):
        return {"separable": False}
    return {"separable": True, "w_f": found.w.tolist()}


# ------------------------------------------------------------------------------- checks


def check_samples(data: Dataset) -> Dataset:
    """`data` itself, if the figure can show it."""
    n, d = check_dataset(data).n, data.d
    if d != 2:
        raise ValueError(f"data has d = {d}; an Explorer shows samples in a plane, d = 2")
    if n > MOST_SAMPLES:
        raise ValueError(
            f"data has {n} samples; an Explorer shows at most {MOST_SAMPLES}: take some of them, "
            f"Dataset(data.points[:{MOST_SAMPLES}], data.y[:{MOST_SAMPLES}])"
        )
    return data


def check_panels(panels: Sequence[str] | None, algorithm: str, kernel: Kernel) -> list[str]:
    """The names of panels that make sense together."""
    chosen = list(PANELS[algorithm] if panels is None else panels)
    if panels is None and algorithm == "dual" and kernel is linear:
        chosen[0] = "plane"
    for name in chosen:
        if name not in ALL_PANELS:
            raise ValueError(f"panels has {name!r}; expected some of {', '.join(ALL_PANELS)}")
        if name in ("region", "alpha") and algorithm != "dual":
            raise ValueError(f'the panel {name} needs algorithm="dual"')
        if (name == "model") != (algorithm == "model") and name not in ("plane",):
            raise ValueError(f"the panel {name} does not go with algorithm={algorithm!r}")
        if kernel is not linear and name in ("plane", "angle", "ledger"):
            raise ValueError(f'a kernel has no line to draw in {name}; take the panel "region"')
    return chosen


def named_rule(pick: PickRule | str) -> tuple[PickRule | None, str]:
    """A pick rule and the name by which the page knows it."""
    if isinstance(pick, str):
        if pick not in RULES:
            raise ValueError(f"pick is {pick!r}; expected a rule, or one of {', '.join(RULES)}")
        return None, pick
    known: dict[PickRule, str] = {in_turn: "in_turn", first: "first"}
    return pick, known.get(check_pick(pick), "given")


def described(kernel: Kernel) -> dict[str, Any]:
    """A kernel in words that the page understands: its name and its parameters."""
    name = getattr(kernel, "__qualname__", "").partition(".")[0]
    if kernel is linear:
        return {"name": "linear"}
    if name not in ("polynomial", "rbf"):
        raise ValueError(
            f"kernel is {kernel!r}; an Explorer draws linear, polynomial(…) and rbf(…)"
        )
    return {"name": name, **inspect.getclosurevars(kernel).nonlocals}


def samples(data: Dataset) -> dict[str, Any]:
    """Points and labels as the page gets them."""
    return {"points": data.points.tolist(), "labels": data.y.tolist()}


def frame(points: Array) -> list[float]:
    """Limits with a little room around the points, in the shape of a picture."""
    low, high = points.min(axis=0), points.max(axis=0)
    size = float((high - low).max()) or 1.0
    middle, half = (low + high) / 2, (high - low) / 2 + 0.18 * size
    half[0] = max(half[0], half[1])
    half[1] = max(half[1], 0.7 * half[0])
    (a, c), (b, d) = middle - half, middle + half
    return [float(v) for v in (a, b, c, d)]


def grid(box: Sequence[float]) -> float:
    """The step in which samples move: a power of two, so that the runs stay exact."""
    width = max(box[1] - box[0], box[3] - box[2])
    return float(2.0 ** np.floor(np.log2(width / 50)))
