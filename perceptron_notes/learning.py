"""Chapter 2, the perceptron learning algorithm.

`pla` returns a `Run`: a recipe that starts the algorithm afresh each time it is iterated, and
yields its steps. `record` keeps all of them, `last` only the final one; pictures, proofs and
Pocket watch the same steps.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from perceptron_notes import native
from perceptron_notes._kit.recipes import Primal, Recipe, caps, up_to, warn
from perceptron_notes._kit.validation import (
    check_own,
    check_pick,
    check_picked,
    check_positive,
    check_primal,
    kind_of,
    name_of,
)
from perceptron_notes._kit.values import Array, by_value, frozen
from perceptron_notes.data import Dataset, check_dataset, check_fit
from perceptron_notes.model import signed_scores
from perceptron_notes.native import searching
from perceptron_notes.rules import PickRule, in_passes, in_turn, one_run_of

__all__ = ["Run", "Step", "Trace", "corrections", "criterion", "last", "pla", "record"]

_S = TypeVar("_S")

#: How many steps are collected before they become an array.
_TOGETHER = 256


@by_value
class Step(NamedTuple):
    """One state of the algorithm.

    Attributes
    ----------
    t : int
        How many updates have been made before.
    w : ndarray, shape (d + 1,)
        The weights *before* the update, read-only.
    pick : int or None
        The index of the sample that will correct ``w``; ``None`` exactly when no mistake
        is left.
    passes : int or None
        Which pass over the samples this is, counted from 1: one more each time a cyclic
        rule begins its tour again. ``None`` for rules that make no passes.
    """

    t: int
    w: Array
    pick: int | None
    passes: int | None = None


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class Run(Primal[Step]):
    """A run of `pla`, as a recipe: iterating it always gives the same steps.

    Its attributes are the arguments of `pla`: ``data``, ``pick``, ``w0`` and ``rate``.
    """

    data: Dataset
    pick: PickRule
    w0: Array
    rate: float

    def __iter__(self) -> Iterator[Step]:
        ahead = native.means.steps_ahead(self)
        if ahead is not None:  # compiled code has already found some of the next mistakes
            return map(Step._make, ahead)
        rate = np.float64(self.rate)  # NumPy multiplies it with a label ten times as fast
        steps = corrections(self.data, self.w0.copy(), one_run_of(self.pick, self.data.n), rate)
        return in_passes(steps, self.pick, self.data.n)

    def end(self, updates: int, passes: int | None) -> Step | None:
        """Return the step at which a cap stops, if compiled code can make the run; else None."""
        ahead = native.means.stretches(self, updates, passes)
        return None if ahead is None else Step(*deque(ahead, maxlen=1).pop().end)

    def __repr__(self) -> str:
        start = f", w0={self.w0}" if self.w0.any() else ""
        rate = f", rate={self.rate:g}" if self.rate != 1 else ""
        return f"pla({self.data!r}, {name_of(self.pick)}{start}{rate})"


# ------------------------------------------------------------------------------ algorithm


def pla(
    data: Dataset,
    pick: PickRule = in_turn,
    *,
    w0: npt.ArrayLike | None = None,
    rate: float = 1.0,
) -> Run:
    r"""Run the perceptron learning algorithm, one step at a time.

    Starting from ``w0``, find a sample with
    :math:`y_n\,\mathbf{w}_t\cdot\mathbf{x}_n \le 0`, correct it by
    :math:`\mathbf{w}_{t+1} = \mathbf{w}_t + \lambda\,y_n\mathbf{x}_n`, and go on until no
    such sample is left.

    Parameters
    ----------
    data : Dataset
        n samples with d coordinates.
    pick : pick rule
        Which mistake to correct: `in_turn`, `lowest`, ``shuffled(rng)``,
        ``at_random(rng)``, or a function of your own with the arguments of `in_turn`.
    w0 : array_like, shape (d + 1,), optional
        The weights to start from; zeros if left out.
    rate : float
        The learning rate λ > 0. With ``w0 = 0`` it only scales the weights.

    Returns
    -------
    Run
        Iterate over it for its steps, as often as you like. **If the data are not linearly
        separable, it never ends**: take the steps that you need, or use `record` or `last`,
        which stop at a cap.

    References
    ----------
    Rosenblatt, F., "The perceptron: a probabilistic model for information storage and
    organization in the brain", *Psychological Review* 65, 1958.

    Examples
    --------
    >>> for step in pla(li_hang()):
    ...     print(step.t, step.w, step.pick)
    0 [0. 0. 0.] 0
    1 [1. 3. 3.] 2
    2 [0. 2. 2.] 2
    3 [-1.  1.  1.] 2
    4 [-2.  0.  0.] 0
    5 [-1.  3.  3.] 2
    6 [-2.  2.  2.] 2
    7 [-3.  1.  1.] None
    """
    start = np.zeros(check_dataset(data).X.shape[1]) if w0 is None else check_fit(w0, data, "w0")
    return Run(data, check_pick(pick), frozen(start), check_positive(rate, "rate"))


def corrections(data: Dataset, w: Array, pick: PickRule, rate: float) -> Iterator[Step]:
    """The algorithm itself: find a mistake, correct it, until none is left."""
    X, y, scan = data.X, data.y, searching(data)
    i = None
    for t in count():
        i = pick(scan(w), len(y), i)
        yield Step(t, frozen(w), i)
        if i is None:
            return
        w = w + rate * y[i] * X[i]


# ------------------------------------------------------------------------------ watching


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class Trace(Primal[Step]):
    """A whole run: every weight vector and every pick. Iterate over it for its steps.

    Attributes
    ----------
    data : Dataset
        The samples that the run was on.
    rate : float
        The learning rate λ.
    W : ndarray, shape (T + 1, d + 1)
        ``W[t]`` are the weights after t updates, read-only.
    picks : ndarray of intp, shape (T,)
        ``picks[t]`` is the sample that turned ``W[t]`` into ``W[t + 1]``, read-only.
    converged : bool
        Whether no mistake was left at the end.
    next_pick : int or None
        The sample that the run would have corrected next, had it not been cut short;
        ``None`` if no mistake was left.

    Examples
    --------
    >>> trace = record(pla(li_hang()))
    >>> trace.updates, trace.picks, trace.W[-1]
    (7, array([0, 2, 2, 2, 0, 2, 2]), array([-3.,  1.,  1.]))
    """

    data: Dataset
    rate: float
    W: Array
    picks: npt.NDArray[np.intp]
    converged: bool
    next_pick: int | None = None

    @property
    def w(self) -> Array:
        """The last weights, shape (d + 1,)."""
        return self.W[-1]

    @property
    def updates(self) -> int:
        """T, the number of updates."""
        return len(self.picks)

    def __iter__(self) -> Iterator[Step]:
        for t, i in enumerate([*self.picks.tolist(), self.next_pick]):
            yield Step(t, self.W[t], i)

    def __repr__(self) -> str:
        end = "converged" if self.converged else "not converged"
        return f"Trace({self.updates} updates, {end}, w={self.w})"


@dataclass(frozen=True, eq=False)
class WatchedStep:
    """A step of a run, with what Pocket, an average, a vote or a search has seen so far."""

    step: Step

    @property
    def t(self) -> int:
        """How many updates have been made before."""
        return self.step.t

    @property
    def w(self) -> Array:
        """The weights of the step."""
        return self.step.w

    @property
    def pick(self) -> int | None:
        """The sample that will be corrected."""
        return self.step.pick

    @property
    def passes(self) -> int | None:
        """Which pass over the samples this is."""
        return self.step.passes


def protected(
    steps: Iterable[Any] | Callable[[Dataset], Iterable[Any]], data: Dataset
) -> Iterable[Step]:
    """Return steps that are safe from later changes: arrays of the caller's own are copied."""
    if isinstance(steps, Primal):
        return steps
    return (_copied(step, data) for step in (steps(data) if callable(steps) else steps))


def _copied(step: Any, data: Dataset) -> Step:
    """Return a copy of a step, whose weights must fit the data."""
    check_primal(step)
    w, i = frozen(check_fit(step.w, data)), check_picked(step, data.n)
    return Step(step.t, w, i, getattr(step, "passes", None))


def record(
    steps: Iterable[Any] | Callable[[Dataset], Iterable[Any]],
    at_most: int | None = None,
    *,
    passes: int | None = None,
    data: Dataset | None = None,
    rate: float | None = None,
) -> Trace:
    """Run to the end, or to a cap, and keep every step.

    Parameters
    ----------
    steps : Run, or steps of your own
        What `pla` returns; or any iterable of `Step`, or a function that makes one from the
        data. Weights of your own are copied, so you may change them in place.
    at_most : int, optional
        The number of updates, from the start, after which to stop. If neither it nor
        `passes` is given, the cap is 10,000 updates, and a warning says when it was reached
        with mistakes left.
    passes : int, optional
        The number of passes over the samples after which to stop, for cyclic rules.
    data : Dataset, optional
        The samples that steps of your own are about; a `Run` has its own.
    rate : float, optional
        The learning rate λ of steps of your own; 1 if left out.

    Returns
    -------
    Trace

    Raises
    ------
    TypeError
        If it is unknown what data the steps are about, or if they have no weights.
    ValueError
        If there are no steps, if weights or picks do not fit the data, if a cap counts passes where
        there are none, or if `data` or `rate` is not that of the run.

    Warns
    -----
    ConvergenceWarning
        If the default cap stopped the run.

    Examples
    --------
    >>> record(pla(li_hang()))
    Trace(7 updates, converged, w=[-3.  1.  1.])
    >>> record(pla(li_hang()), passes=2)
    Trace(3 updates, not converged, w=[-1.  1.  1.])
    """
    if isinstance(steps, Primal):
        check_own(steps, data=data, rate=rate)
        data, rate = steps.data, steps.rate
    elif data is None:
        raise TypeError(
            f"steps is {kind_of(steps)}; expected pla(data), or the data that the steps "
            "are about: record(steps, data=data)"
        )
    rate = check_positive(1.0 if rate is None else rate, "rate")
    W: Any = []  # the parts of the arrays, and then the arrays
    picks: Any = []
    for some, chosen in _parts(steps, at_most, passes, check_dataset(data)):
        W.append(some.copy())
        picks.append(chosen.copy())
    W = frozen(np.concatenate(W))
    picks = np.concatenate(picks, dtype=np.intp)
    for k in np.flatnonzero(picks[:-1] < 0)[:1]:
        raise ValueError(f"step {k} picked None, but another step follows")
    pending = None if picks[-1] < 0 else int(picks[-1])
    return Trace(data, rate, W, frozen(picks[:-1].copy()), pending is None, pending)


def _parts(
    steps: Any, at_most: int | None, passes: int | None, data: Dataset
) -> Iterator[tuple[Array, npt.NDArray[Any]]]:
    """Yield the weights and the picks (−1 for none) of many steps at a time."""
    most = caps(at_most, passes)
    ahead = native.means.stretches(steps, *most) if isinstance(steps, Run) else None
    if ahead is None:
        made = up_to(protected(steps, data), *most)
        while some := list(islice(made, _TOGETHER)):
            end = some[-1]
            picks = [-1 if step.pick is None else step.pick for step in some]
            yield np.array([step.w for step in some]), np.array(picks)
    else:
        for stretch in ahead:
            yield stretch.W, stretch.picks
        end = Step(*stretch.end)
    if at_most is None and passes is None:
        warn(end, stacklevel=4)


def last(steps: Iterable[_S], at_most: int | None = None, *, passes: int | None = None) -> _S:
    """Run to the end, or to a cap, and return the last step without keeping the others.

    Parameters
    ----------
    steps : iterable of steps
        A run of any of the algorithms, such as ``pla(data)``, or steps of your own.
    at_most, passes : int, optional
        When to stop, as for `record`.

    Returns
    -------
    step
        Of the kind that the run makes. Its ``pick`` is ``None`` if the run ended by itself.

    Examples
    --------
    >>> last(pla(li_hang())).w
    array([-3.,  1.,  1.])
    """
    end = steps.end(*caps(at_most, passes)) if isinstance(steps, Recipe) else None
    if end is None:
        return deque(up_to(steps, at_most, passes), maxlen=1).pop()
    if at_most is None and passes is None:
        warn(end, stacklevel=3)
    return end


def criterion(w: npt.ArrayLike, data: Dataset) -> float:
    r"""Return the perceptron criterion of the weights ``w``.

    It is the sum of :math:`-y_n\,\mathbf{w}\cdot\mathbf{x}_n` over the mistakes: convex and
    piecewise linear in ``w``, never negative. PLA is a stochastic subgradient method for
    it. It is also 0 at ``w = 0``, where every sample is a mistake.

    Parameters
    ----------
    w, data
        As for `perceptron_notes.model.signed_scores`.

    Returns
    -------
    float
        In the units of the score.

    Examples
    --------
    >>> criterion([0, 1, 1], li_hang())
    2.0
    """
    return float(np.maximum(-signed_scores(w, data), 0).sum())
