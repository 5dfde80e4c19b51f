r"""Chapter 6, mistakes against an adversary: samples come one at a time.

`play` is the protocol: a sample, an answer, a label. Without labels an adversary plays.
`deviations` says by how much given weights miss a signed score, and which bound follows;
`mistake_ledger` checks the proof on a run, exactly. `average` and `vote` watch a run, as
`pocket` does, and make one classifier of all its weights.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from math import factorial, inf
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from perceptron_notes import native
from perceptron_notes._kit.recipes import Recipe, up_to
from perceptron_notes._kit.validation import (
    check_augmented,
    check_count,
    check_kind,
    check_labels,
    check_number,
    check_pick,
    check_points,
    check_run,
    check_several,
    check_trace,
    kind_of,
    name_of,
)
from perceptron_notes._kit.values import Array, Labels, by_value, frozen
from perceptron_notes.convergence import Certificate, Proof, Separator, Sides, certify
from perceptron_notes.data import Dataset, check_dataset, check_fit
from perceptron_notes.exact.audit import audit
from perceptron_notes.exact.deviating import (
    Account,
    below_roots,
    exact_margins,
    floor_of_roots,
    propose,
)
from perceptron_notes.exact.numbers import (
    Vector,
    combination,
    fraction,
    fractions,
    largest_norm2,
    least_margin,
    norm2,
    positive_fraction,
    root,
    show,
    whole,
)
from perceptron_notes.learning import Run, Step, Trace, WatchedStep, last, pla, protected, record
from perceptron_notes.model import canonical_score, predict
from perceptron_notes.rules import PickRule, Tour, traversal

__all__ = [
    "Averaged",
    "AveragedStep",
    "Deviations",
    "Game",
    "LeftOut",
    "MistakeLedger",
    "MistakeRow",
    "RootSides",
    "Voted",
    "VotedStep",
    "average",
    "best_deviations",
    "deviations",
    "leave_one_out",
    "mistake_ledger",
    "no_bound_below",
    "pla_learner",
    "play",
    "survive",
    "vote",
]

_Steps = Iterable[Step] | Callable[[Dataset], Iterable[Step]]
#: ``learner(seen, x)`` answers for x, from the rounds so far; `seen` is None at first.
_Learner = Callable[[Dataset | None, Array], Any]

# ---------------------------------------------------------------------------- the protocol


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class Game:
    r"""A game of questions and answers.

    Attributes
    ----------
    data : Dataset
        The rounds in their order: the samples as they were shown, with no leading 1 added, and
        the labels that the learner heard.
    answers : ndarray of intp, shape (n,)
        What the learner answered: −1, +1, or 0 for undecided.
    adversary : bool
        Whether the labels were made up along the way, against the learner.

    Examples
    --------
    >>> game = play(pla_learner, [[1, 0], [0, 1]])
    >>> game.mistakes, game.certificate.bound
    (array([0, 1]), 2)
    """

    data: Dataset
    answers: Labels
    adversary: bool

    @property
    def mistakes(self) -> npt.NDArray[np.intp]:
        """The rounds in which the answer was not the label, counted from 0."""
        return np.flatnonzero(self.answers != self.data.y)

    @property
    def u(self) -> Vector:
        r"""The :math:`\mathbf{u} = \sum_n y_n\mathbf{x}_n` that the adversary shows at the end."""
        if not self.adversary:
            raise ValueError("the labels were given; only an adversary has a u to show")
        return combination(self.data, range(self.data.n), [Fraction(1)] * self.data.n)

    @property
    def certificate(self) -> Certificate:
        """The proof that `u` gets every round right, and the bound of Novikoff that follows."""
        u = self.u
        rho = root(least_margin(self.data, u)[1] ** 2 / norm2(u))
        return certify(self.data, Separator(np.array(u, dtype=np.float64), rho, u))

    def __repr__(self) -> str:
        return f"Game({len(self.mistakes)} mistakes in {self.data.n} rounds)"


def play(learner: _Learner, points: npt.ArrayLike, labels: npt.ArrayLike | None = None) -> Game:
    r"""Show samples one at a time: the learner answers, and then hears the label.

    Without `labels` an adversary chooses them: always the opposite of the answer, and +1 if the
    learner is undecided. Since the samples are orthogonal and equally long,
    :math:`\mathbf{u} = \sum_n y_n\mathbf{x}_n` gets all n rounds right in the end, with
    :math:`R^2/\rho^2 = n`: every learner makes as many mistakes as Novikoff's bound allows PLA.

    Parameters
    ----------
    learner : callable
        ``learner(seen, x)`` answers −1 or +1, or 0 for undecided, for the sample ``x``, an
        array of shape (d,). ``seen`` is a Dataset of the rounds so far, with their labels and
        without an intercept; ``None`` in the first round.
    points : array_like, shape (n, d)
        The samples, in the order of the rounds. They are used as they are: pass ``data.X``
        to include the leading 1.
    labels : array_like, shape (n,), optional
        Their labels; without them the adversary plays.

    Returns
    -------
    Game

    Raises
    ------
    ValueError
        If an answer is not −1, 0 or +1, or if the adversary has samples that are not
        orthogonal, or not equally long.

    References
    ----------
    Littlestone, N., "Learning quickly when irrelevant attributes abound: a new
    linear-threshold algorithm", *Machine Learning* 2, 1988.

    Examples
    --------
    >>> play(lambda seen, x: 1, np.eye(5))
    Game(5 mistakes in 5 rounds)
    """
    if not callable(learner):
        raise TypeError(f"learner is {learner!r}; expected a function of seen and x")
    points = check_points(points)
    y = None if labels is None else check_labels(labels, len(points))
    if y is None:
        _check_orthogonal(points)
    answers: list[int] = []
    said: list[int] = []
    for t, x in enumerate(points):
        seen = Dataset(points[:t], said, intercept=False) if said else None
        answers.append(_checked_answer(learner(seen, frozen(x.copy())), t))
        said.append(int(y[t]) if y is not None else (-answers[t] or 1))
    rounds = Dataset(points, said, intercept=False)
    return Game(rounds, frozen(np.array(answers, dtype=np.intp)), y is None)


def pla_learner(seen: Dataset | None, x: Array) -> int:
    """Answer by PLA in `play`: one pass over the rounds so far, then the sign of the score.

    Parameters
    ----------
    seen : Dataset or None
        The rounds so far.
    x : ndarray, shape (d,)
        The sample to answer for.

    Returns
    -------
    int
        +1, −1, or 0 where the score is 0.

    Examples
    --------
    >>> play(pla_learner, li_hang().X, li_hang().y).mistakes
    array([0, 2])
    """
    w = np.zeros(len(x)) if seen is None else last(pla(seen), passes=1).w
    return int(predict(w, x, intercept=False))


def _check_orthogonal(points: Array) -> None:
    """Raise ValueError unless the rows are orthogonal and of one length, exactly."""
    rows = whole(points)[0].astype(object)
    products = rows @ rows.T
    for i, j in np.argwhere((products != 0) != np.eye(len(rows), dtype=bool))[:1]:
        what = "is 0" if i == j else f"and points[{j}] are not orthogonal"
        raise ValueError(f"points[{i}] {what}; the adversary needs orthogonal samples")
    for i in np.flatnonzero(np.diag(products) != products[0, 0])[:1]:
        raise ValueError(f"points[{i}] is not as long as points[0]; expected equal lengths")


def _checked_answer(answer: Any, t: int) -> int:
    """Return an answer as −1, 0 or +1."""
    array = np.asarray(answer)
    if array.ndim or array.dtype.kind not in "iuf" or array not in (-1, 0, 1):
        raise ValueError(f"learner answered {answer!r} in round {t + 1}; expected -1, 0 or +1")
    return int(array)


# ------------------------------------------------------------------- when no line separates


class RootSides(NamedTuple):
    r"""An inequality :math:`\sqrt{a} \le \sqrt{b} + \sqrt{c}`, decided without taking a root.

    It says :math:`a - b - c \le 2\sqrt{bc}`. That is true if the left side is not positive;
    otherwise both sides may be squared.

    Attributes
    ----------
    a, b, c : Fraction
        Numbers that are not negative.

    Examples
    --------
    >>> from fractions import Fraction
    >>> RootSides(9, 4, 1).holds, RootSides(9 + Fraction(1, 10**30), 4, 1).holds
    (True, False)
    """

    a: Fraction
    b: Fraction
    c: Fraction

    @property
    def holds(self) -> bool:
        r"""Whether :math:`\sqrt{a} \le \sqrt{b} + \sqrt{c}`, exactly."""
        return below_roots(*map(Fraction, self))


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class Deviations:
    r"""The amounts by which weights **u** miss a signed score m, and the bound that follows.

    For :math:`d_n = \max(0, m - y_n\,\mathbf{u}\cdot\mathbf{x}_n)`, the hinge loss if m is 1, and
    :math:`H = \sum_n d_n`, the mistakes k of PLA from 0 while it sees each of the samples once, in
    any order, satisfy :math:`km - H \le \sqrt{k}\,R\lVert\mathbf{u}\rVert`.

    Attributes
    ----------
    data : Dataset
        The samples. For several passes, repeat them: ``data[[*range(data.n)] * passes]``.
    u : tuple of Fraction, length d + 1
        Any weights.
    m : Fraction
        The signed score asked of these weights, positive.
    d : tuple of Fraction, length n
        The deviations. They are not trusted, because they may be made by hand; see `failure`.
    """

    data: Dataset
    u: Vector
    m: Fraction
    d: Vector

    @cached_property
    def R2(self) -> Fraction:
        r""":math:`R^2 = \max_n\lVert\mathbf{x}_n\rVert^2`."""
        return largest_norm2(self.data)

    @cached_property
    def H(self) -> Fraction:
        r""":math:`H = \sum_n d_n`."""
        return sum(self.d, Fraction(0))

    @cached_property
    def D2(self) -> Fraction:
        r""":math:`D^2 = \sum_n d_n^2`."""
        return norm2(self.d)

    @property
    def bound(self) -> int:
        """The most mistakes of PLA in one pass, the largest k that the inequality allows."""
        return floor_of_roots(*self.roots)

    @property
    def roots(self) -> tuple[Fraction, Fraction]:
        """Return b = R²‖u‖²/4m² and c = b + H/m; the inequality says √k ≤ √b + √c."""
        b = self.R2 * norm2(self.u) / (2 * self.m) ** 2
        return b, b + self.H / self.m

    @property
    def bound_by_squares(self) -> int:
        """The bound of Freund and Schapire, the whole part of (R‖u‖ + D)²/m²."""
        return floor_of_roots(self.R2 * norm2(self.u) / self.m**2, self.D2 / self.m**2)

    @property
    def failure(self) -> str | None:
        """A sentence about the first deviation that is not what it is claimed to be, or None."""
        margins = exact_margins(self.data, self.u)
        if len(self.d) != len(margins):
            return f"d has {len(self.d)} entries for {len(margins)} samples"
        for n, (d, margin) in enumerate(zip(self.d, margins, strict=True)):
            if d != (right := max(Fraction(0), self.m - margin)):
                formula = f"max(0, {show(self.m)} − {show(margin)})"
                return f"d[{n}] is {show(d)}, but max(0, m − y u·x) is {formula} = {show(right)}"
        return None

    def __repr__(self) -> str:
        missed = sum(map(bool, self.d))
        return (
            f"Deviations(k ≤ {self.bound}: R²‖u‖²={show(self.R2 * norm2(self.u))}, "
            f"H={show(self.H)} from {missed} of {self.data.n} samples, m={show(self.m)})"
        )


def deviations(data: Dataset, u: Separator | npt.ArrayLike, m: float | Fraction = 1) -> Deviations:
    r"""Measure by how much **u** misses the signed score m on each sample, exactly.

    Parameters
    ----------
    data : Dataset
        n samples with d coordinates.
    u : Separator or array_like, shape (d + 1,)
        Any weights; Fractions and floats are taken exactly as they are.
    m : Fraction, int or float
        The signed score asked of **u**, positive.

    Returns
    -------
    Deviations

    References
    ----------
    Gentile, C. and Warmuth, M. K., "Linear hinge loss and average margin", *NIPS* 11, 1998.
    Freund, Y. and Schapire, R. E., "Large margin classification using the perceptron
    algorithm", *Machine Learning* 37, 1999, for `Deviations.bound_by_squares`.

    Examples
    --------
    >>> data = Dataset([[2], [1], [-1], [3]], [1, 1, -1, -1])  # the last label is wrong
    >>> deviations(data, [0, 1])
    Deviations(k ≤ 17: R²‖u‖²=10, H=4 from 1 of 4 samples, m=1)
    """
    exact, asked = _exact_weights(u, data), positive_fraction(m, "m")
    d = tuple(max(Fraction(0), asked - margin) for margin in exact_margins(data, exact))
    return Deviations(data, exact, asked, d)


def _exact_weights(u: Separator | npt.ArrayLike, data: Dataset) -> Vector:
    """Return weights as Fractions; Fractions and whole numbers are not rounded to floats first."""
    if isinstance(u, Separator):
        check_fit(u.w, data, "u")
        return u.exact
    rough = check_fit(u, data, "u")
    given: Any = list(u) if isinstance(u, Sequence | np.ndarray) else rough
    return fractions(given)


def best_deviations(data: Dataset) -> tuple[Deviations, Array]:
    """Find weights **u** with a nearly least bound, and sample weights that prove it so.

    Floats propose both; `Deviations.bound` holds whatever they propose, and
    ``no_bound_below(data, weights)`` says how near it is to the least bound of this form.

    Parameters
    ----------
    data : Dataset
        n samples with d coordinates.

    Returns
    -------
    tuple
        The Deviations, with m = 1, and weights from 0 to 1, an ndarray of shape (n,).

    Examples
    --------
    >>> data = Dataset([[3], [4], [-3], [-4], [2]], [1, 1, -1, -1, -1])
    >>> twenty = data[[0, 1, 2, 3, 4] * 20]  # twenty passes
    >>> best, weights = best_deviations(twenty)
    >>> best.bound, no_bound_below(twenty, weights)
    (42, 42)
    """
    u, weights = propose(check_dataset(data))
    return deviations(data, u), frozen(weights)


def no_bound_below(data: Dataset, weights: Sequence[Any] | npt.NDArray[Any]) -> int:
    r"""Limit `Deviations.bound` from below for all **u** and m, by any weights of the samples.

    If weights are scaled so that :math:`0 \le \mu_n \le 1` and
    :math:`\lVert\sum_n\mu_ny_n\mathbf{x}_n\rVert \le R\sqrt{\sum_n\mu_n}`, no bound is below
    :math:`\sum_n\mu_n`. The theorem itself is the case in which :math:`\mu_n` is 1 for the
    mistakes of a run and 0 elsewhere.

    Parameters
    ----------
    data : Dataset
        n samples.
    weights : sequence, length n
        Numbers :math:`\mu_n \ge 0`, not all 0; only their ratios matter.

    Returns
    -------
    int
        The whole part of the scaled sum.

    Examples
    --------
    >>> no_bound_below(tight(3), [1] * 8)
    8
    """
    n = check_dataset(data).n
    each = check_several(weights, "weights", "a number for each sample")
    if len(each) != n:
        raise ValueError(f"weights has {len(each)} entries; expected {n}, one for a sample")
    for k, v in enumerate(each):
        if check_number(v, f"weights[{k}]") < 0:
            raise ValueError(f"weights[{k}] is {v}; expected a number that is not negative")
    mu = list(map(fraction, each))
    if not any(mu):
        raise ValueError("weights are all 0; expected one that is not")
    total, length2 = sum(mu), norm2(combination(data, range(n), mu))
    # μ is divided by s with μ ≤ s and ‖Σ μ y x‖² ≤ s R² Σ μ.
    s = max(*mu, length2 / ((largest_norm2(data) or 1) * total))
    return int(total / s)


# ------------------------------------------------------------------- the proof, on a run


class MistakeRow(NamedTuple):
    r"""One mistake, and both sides of every inequality of the proof after it.

    Here **w** are the weights after mistake k, replayed without rounding, and the sums are over
    the mistakes so far, a sample counted as often as it was one.

    Attributes
    ----------
    k : int
        Which mistake, counted from 1.
    pick : int
        The sample of its round.
    d : Fraction
        By how much **u** misses the signed score m there.
    mistake : Sides
        :math:`y\,\mathbf{w}_{k-1}\cdot\mathbf{x} \le 0`.
    growth : Sides
        :math:`\lambda(km - \sum d) \le \mathbf{u}\cdot\mathbf{w}_k`.
    length : Sides
        :math:`\lVert\mathbf{w}_k\rVert^2 \le k\lambda^2R^2`.
    projection : Sides
        :math:`(\mathbf{u}\cdot\mathbf{w}_k)^2
        \le \lVert\mathbf{u}\rVert^2\lVert\mathbf{w}_k\rVert^2`.
    bound : RootSides
        What follows: :math:`\sqrt{k}\,m \le \sqrt{b} + \sqrt{b + m\sum d}` with
        :math:`b = R^2\lVert\mathbf{u}\rVert^2/4`.
    """

    k: int
    pick: int
    d: Fraction
    mistake: Sides
    growth: Sides
    length: Sides
    projection: Sides
    bound: RootSides


@by_value
class MistakeLedger(Proof[MistakeRow]):
    r"""The proof of the bound as a table: one `MistakeRow` for each mistake of a run.

    Attributes
    ----------
    deviations : Deviations
        The weights **u**, the signed score m, and by how much they miss it.
    trace : Trace
        The run, over as many passes as you like.
    failure : str or None
        A sentence about what is wrong first, with the deviations or with the run.
    holds, verdict, rounding
        As for `Ledger`.
    """

    __match_args__ = ("deviations", "trace")

    _replay: Account

    def __init__(self, deviations: Deviations, trace: Trace) -> None:
        self.deviations, self.trace = deviations, trace
        W, picks, rate = check_trace(trace)
        if W[0].any():
            raise ValueError("the run does not start from 0, as the bound asks; ledger takes it")
        self.failure, self.rounding = deviations.failure, None
        one, d = deviations, deviations.d
        d = d if len(d) == one.data.n else (Fraction(0),) * one.data.n
        self._replay = account = Account(one.data, rate, picks, one.u, one.m, d)
        if self.failure is None:
            self.failure, self.rounding = audit(account, one.data, W, picks, rate, trace.converged)

    def _row_of(self, k: int, pick: int, sides: dict[str, Sides]) -> MistakeRow:
        bound = RootSides(*self._replay.roots(k))
        return MistakeRow(k + 1, pick, self.deviations.d[pick], bound=bound, **sides)

    def _count(self) -> str:
        return f"{len(self)} mistakes"


def mistake_ledger(deviations: Deviations, trace: Trace) -> MistakeLedger:
    r"""Check the proof of the bound on a run: every inequality after every mistake, exactly.

    `MistakeRow` lists the inequalities: growth and length give the bound. Rounds without a
    mistake play no part in it, so it makes no difference how often a sample is shown.

    Parameters
    ----------
    deviations : Deviations
        From `deviations`, for the same data, or made by hand; it is not trusted.
    trace : Trace
        Any run from 0, from `record` or made by hand; it is not trusted either.

    Returns
    -------
    MistakeLedger

    Examples
    --------
    >>> mistake_ledger(deviations(xor(), [0, 1, 0]), record(pla(xor()), at_most=40))
    MistakeLedger(40 mistakes: every inequality holds)
    """
    check_kind(deviations, Deviations, "deviations", "some, from deviations(data, u)")
    check_kind(trace, Trace, "trace", "a Trace, as from record")
    if trace.data is not deviations.data and trace.data != deviations.data:
        raise ValueError("the trace and the deviations are about different data")
    return MistakeLedger(deviations, trace)


# ------------------------------------------------------------------------ averages and votes


def survive(
    steps: Iterable[Step], rule: PickRule, n: int, most: float
) -> Iterator[tuple[Step, int, int]]:
    r"""Yield each step with the first and the last of the rounds that end with its weights.

    A round shows one sample. It ends with new weights if they make a mistake, and with the
    old ones otherwise; so a round in which a mistake is made counts for the weights that it
    makes. What is shown between two mistakes, only the rule knows (`rules.Tour.shown`);
    ``at_random`` and rules of the caller's own show mistakes only: a round is an update.

    Rounds beyond `most` are not counted.
    """
    way, since, done, before = traversal(rule, n), 1, 0, n - 1
    for step in steps:
        i = step.pick
        if not isinstance(way, Tour):
            shown = int(i is not None)
        elif i is None:
            shown = way.rest(before)
        else:
            shown, before = way.shown(before, here := int(way.places(i))), here
        yield step, since, int(min(done + shown - (i is not None), most))
        since = done = done + shown


def _survive_together(
    ahead: Iterable[Any], rule: PickRule, n: int
) -> Iterator[tuple[Any, npt.NDArray[np.int64]]]:
    """Yield the same for stretches: each weights' first round, and one past the last."""
    way, since, done, before = traversal(rule, n), 1, 0, n - 1
    for stretch in ahead:
        halted = bool(stretch.picks[-1] < 0)
        made = stretch.picks[: len(stretch.picks) - halted]
        shown, rest = np.ones_like(made), 0
        if isinstance(way, Tour):
            here = np.append(before, way.places(made))
            shown, before = way.shown(here[:-1], here[1:]), int(here[-1])
            rest = way.rest(before)
        first = np.append(since, done + np.cumsum(np.append(shown, rest) if halted else shown))
        since = done = int(first[-1])
        first[-1] += halted
        yield stretch, first


@dataclass(frozen=True, eq=False)
class _Survivor(WatchedStep):
    """A step whose weights ended some rounds: the common base of `AveragedStep` and `VotedStep`."""

    since: int
    rounds: int

    @property
    def count(self) -> int:
        """The survival count: the number of rounds that ended with these weights."""
        return self.rounds - self.since + 1


@by_value
@dataclass(frozen=True, eq=False)
class AveragedStep(_Survivor):
    r"""A step of PLA and the average of all weights up to it.

    Attributes
    ----------
    step : Step
        The step of the run that is watched; its ``t``, ``w``, ``pick`` and ``passes`` are
        attributes of this one too.
    since : int
        The first round that ended with these weights; 1 for the starting weights.
    rounds : int
        The last such round: the one before their mistake, or the last of all.
    aux : ndarray, shape (d + 1,)
        :math:`\mathbf{w}_0 + \sum_j r_j(\mathbf{w}_j - \mathbf{w}_{j-1})`, where :math:`r_j` is the
        round of the j-th mistake.
    count : int
        The survival count: how many rounds ended with these weights.
    """

    aux: Array

    @property
    def average(self) -> Array:
        """The average after the last of these rounds."""
        return self.after(self.rounds)

    def after(self, rounds: int) -> Array:
        r"""Return the average of the weights with which rounds 1 … r ended.

        It is :math:`((r + 1)\mathbf{w} - \mathbf{a})/r` with the auxiliary sum **a**: the update of
        round :math:`r_j` is in :math:`r - r_j + 1` of the r weights. Round r must have ended with
        these weights; when a run has halted, all further rounds end with its last ones. For r = 0
        the average is the weights themselves.
        """
        r = check_count(rounds, "rounds")
        if r < self.since - 1 or (self.pick is not None and r > self.rounds):
            ended = f"{self.since} … {self.rounds if self.pick is not None else ''}".rstrip()
            raise ValueError(f"rounds is {r}; these weights ended the rounds {ended}")
        return frozen(((r + 1) * self.w - self.aux) / r) if r else self.w


@by_value
@dataclass(frozen=True, eq=False)
class VotedStep(_Survivor):
    """A step of PLA and the votes of all weights up to it.

    Attributes
    ----------
    step, since, rounds
        As for `AveragedStep`.
    weights : ndarray, shape (t + 1, d + 1)
        All weights that vote: those of the steps up to this one.
    counts : ndarray of intp, shape (t + 1,)
        The number of votes of each: its survival count.
    count : int
        The last of these counts.
    """

    weights: Array
    counts: Labels

    def tally(self, X: npt.ArrayLike | Dataset, *, intercept: bool = True) -> Labels:
        """Count votes for +1 minus votes for −1, shape (n,); weights with the score 0 abstain.

        X and `intercept` are as for `score`.
        """
        if isinstance(X, Dataset):
            check_fit(self.w, X)
            X = X.X
        else:
            X = check_augmented(self.w, X, intercept)[1]
        signs = np.sign(canonical_score(self.weights.T[..., None], X))
        return np.asarray(self.counts @ np.nan_to_num(signs), dtype=np.intp)

    def predict(self, X: npt.ArrayLike | Dataset, *, intercept: bool = True) -> Labels:
        """Return the answer of the majority for each sample: +1, −1, or 0 for a tie."""
        return np.sign(self.tally(X, intercept=intercept))


#: The kind of step that `Averaged` and `Voted` yield.
_Kept = TypeVar("_Kept", bound=WatchedStep)


class _Watched(Recipe[_Kept], Generic[_Kept]):
    """The base of `Averaged` and `Voted`: the run they watch, and where a cap stops it."""

    data: Dataset
    run: _Steps
    rule: PickRule

    def follow(self, steps: Iterable[Step], most: float = inf) -> Iterator[_Kept]:
        """Yield a watched step for each step; rounds beyond `most` do not count."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[_Kept]:
        return self.follow(protected(self.run, self.data))

    def sum_up(self, parts: Iterable[Any], most: float) -> _Kept:
        """Return the last step, from the stretches of `_survive_together`."""
        raise NotImplementedError

    def end(self, updates: int, passes: int | None) -> _Kept:
        """Return the step at which a cap stops; a cap on passes counts their rounds only."""
        most = inf if passes is None else passes * self.data.n
        ahead = (
            native.means.stretches(self.run, updates, passes) if isinstance(self.run, Run) else None
        )
        if ahead is not None:
            return self.sum_up(_survive_together(ahead, self.rule, self.data.n), most)
        steps = up_to(protected(self.run, self.data), updates, passes)
        return deque(self.follow(steps, most), maxlen=1).pop()

    def __repr__(self) -> str:
        name = {"Averaged": "average", "Voted": "vote"}[type(self).__name__]
        return f"{name}({self.data!r}, {name_of(self.run)})"


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class Averaged(_Watched[AveragedStep]):
    """A run whose weights are averaged, as a recipe: iterating it always gives the same steps.

    Its attributes are the arguments of `average`: ``data``, ``run``, and ``rule``, the pick rule.
    """

    data: Dataset
    run: _Steps
    rule: PickRule

    def follow(self, steps: Iterable[Step], most: float = inf) -> Iterator[AveragedStep]:
        """Add each change of the weights to the auxiliary sum, times its round."""
        w = aux = np.zeros(self.data.X.shape[1])
        for step, since, rounds in survive(steps, self.rule, self.data.n, most):
            aux = frozen(aux + since * (step.w - w))
            w = step.w
            yield AveragedStep(step, since, rounds, aux)

    def sum_up(self, parts: Iterable[Any], most: float) -> AveragedStep:
        """Add the changes of each stretch, in the same order."""
        w, aux = np.zeros((2, self.data.X.shape[1]))
        for stretch, first in parts:
            stretch.add_changes(aux, w, first[:-1])
            w = stretch.W[-1].copy()
        since, rounds = int(first[-2]), int(min(first[-1] - 1, most))
        return AveragedStep(Step(*stretch.end), since, rounds, frozen(aux))


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class Voted(_Watched[VotedStep]):
    """A run whose weights vote, as a recipe: iterating it always gives the same steps.

    Its attributes are the arguments of `vote`: ``data``, ``run``, and ``rule``, the pick rule.
    """

    data: Dataset
    run: _Steps
    rule: PickRule

    def follow(self, steps: Iterable[Step], most: float = inf) -> Iterator[VotedStep]:
        """Yield the steps with all weights and counts, in arrays that double when they are full."""
        W, c = np.empty((1, self.data.X.shape[1])), np.empty(1, dtype=np.intp)
        for t, (step, since, rounds) in enumerate(survive(steps, self.rule, self.data.n, most)):
            if t == len(c):
                W, c = np.concatenate([W, W]), np.concatenate([c, c])
            W[t], c[t] = step.w, rounds - since + 1
            yield VotedStep(step, since, rounds, frozen(W[: t + 1]), frozen(c[: t + 1]))

    def sum_up(self, parts: Iterable[Any], most: float) -> VotedStep:
        """Collect the weights of each stretch, and count at the end."""
        W, c = [], []
        for stretch, first in parts:
            W.append(stretch.W.copy())
            c.append(np.diff(first))
        since, rounds = int(first[-2]), int(min(first[-1] - 1, most))
        c[-1][-1] = rounds - since + 1
        counts = frozen(np.concatenate(c, dtype=np.intp))
        return VotedStep(Step(*stretch.end), since, rounds, frozen(np.concatenate(W)), counts)


def average(data: Dataset, run: _Steps, *, pick: PickRule | None = None) -> Averaged:
    r"""Watch a run and average its weights over the rounds.

    A round shows one sample and ends with weights: the old ones if they were right, the
    corrected ones if not. The average :math:`\bar{\mathbf{w}}` is the mean of the weights with
    which rounds 1, 2, … ended. In other words, the weights :math:`\mathbf{w}_t` count
    :math:`c_t` times, where the survival count :math:`c_t` is the number of rounds that ended
    with them. The round of the mistake that makes :math:`\mathbf{w}_t` counts for them; the round
    of the mistake that replaces them does not.

    Parameters
    ----------
    data : Dataset
        The samples that the run is on.
    run : Run, Trace, or steps of your own
        As for `pocket`.
    pick : pick rule, optional
        The rule that made the steps, for a Trace and for steps of your own; a `Run` knows
        its rule. With `in_turn` and ``shuffled(rng)`` a round is a sample of the tour. With
        `lowest` the samples are shown from the first one after each mistake. ``at_random(rng)``
        and rules of your own show mistakes only: every update is a round.

    Returns
    -------
    Averaged
        A recipe with one `AveragedStep` for each step, made lazily. ``last(…, passes=P)`` has
        the textbook's average over P passes, if the run has not halted before; see
        `AveragedStep.after`. It is exact where the weights, times the rounds, are exact.

    References
    ----------
    Freund, Y. and Schapire, R. E., "Large margin classification using the perceptron
    algorithm", *Machine Learning* 37, 1999. Collins, M., "Discriminative training methods
    for hidden Markov models", *EMNLP* 2002.

    Examples
    --------
    >>> last(average(xor(), pla(xor())), passes=2).average
    array([0.  , 0.25, 0.5 ])
    """
    return Averaged(*_watched(data, run, pick))


def vote(data: Dataset, run: _Steps, *, pick: PickRule | None = None) -> Voted:
    r"""Watch a run and let all its weights vote, each with its survival count.

    The answer is the sign of
    :math:`\sum_tc_t\operatorname{sign}(\mathbf{w}_t\cdot\mathbf{x})`.
    All weights are kept: the price is memory, and a score for each of them.

    Parameters
    ----------
    data, run, pick
        As for `average`.

    Returns
    -------
    Voted
        A recipe with one `VotedStep` for each step; each of them can `predict`.

    References
    ----------
    Freund, Y. and Schapire, R. E., "Large margin classification using the perceptron
    algorithm", *Machine Learning* 37, 1999.

    Examples
    --------
    >>> data = Dataset([[1], [2], [-1]], [1, 1, -1])
    >>> last(vote(data, pla(data)), passes=1).predict([[1, 0.5], [1, -3]])
    array([ 1, -1])
    """
    return Voted(*_watched(data, run, pick))


def _watched(data: Dataset, run: _Steps, pick: PickRule | None) -> tuple[Dataset, _Steps, PickRule]:
    """Return the run that is watched, and the rule that made it."""
    check_dataset(data)
    check_run(run)
    if isinstance(run, Run | Trace) and run.data is not data and run.data != data:
        raise ValueError("the run is on other data")
    if isinstance(run, Run):
        if pick is not None and pick != run.pick:
            raise ValueError(f"pick is {name_of(pick)}, but the run has {name_of(run.pick)}")
        return data, run, run.pick
    if pick is None:
        raise TypeError(
            f"run is {name_of(run) if callable(run) else kind_of(run)}, which does "
            "not say how samples were shown; pick=in_turn does, if it was in turn"
        )
    return data, run, check_pick(pick)


# ------------------------------------------------------------------------ one is left out


class LeftOut(NamedTuple):
    """The probabilities that a sample left out is a mistake, over all orders of the samples.

    Attributes
    ----------
    stopped : Fraction
        For the weights after a random round of one pass over the others.
    voted : Fraction
        For the vote of all these weights.
    mistakes : Fraction
        The mean number of mistakes in one pass over all samples, divided by their number.
    """

    stopped: Fraction
    voted: Fraction
    mistakes: Fraction


def leave_one_out(data: Dataset) -> LeftOut:
    r"""Leave out each sample in turn, for all orders of the others, and count exactly.

    Of n samples in random order the last is left out. PLA makes one pass over the others;
    a round :math:`r = 0, \dots, n-1` is drawn, and the weights after r rounds answer for the
    last sample; a score of 0 is a mistake. The chance of a mistake *equals* the mean number
    of mistakes in one pass over all n, divided by n. If all n weights vote, the chance is at
    most twice that.

    Parameters
    ----------
    data : Dataset
        From 2 to 7 samples: all n! orders are tried.

    Returns
    -------
    LeftOut

    References
    ----------
    Helmbold, D. P. and Warmuth, M. K., "On weak learning", *Journal of Computer and System
    Sciences* 50, 1995.

    Examples
    --------
    >>> leave_one_out(li_hang())
    LeftOut(stopped=Fraction(2, 3), voted=Fraction(2, 3), mistakes=Fraction(2, 3))
    """
    n = check_dataset(data).n
    if not 2 <= n <= 7:
        raise ValueError(f"data has {n} samples; expected 2 to 7, for all orders are tried")
    stopped = voted = made = 0
    for order in permutations(range(n)):
        trace = record(pla(data[list(order)]), passes=1)
        x, y = data[order[-1]]
        # The weights after 0, 1, …, n − 1 rounds.
        W = trace.W[np.searchsorted(trace.picks, np.arange(n))]
        right = y * canonical_score(W.T, x)
        stopped += int((~(right > 0)).sum())
        voted += int(not np.sign(right).sum() > 0)
        made += trace.updates
    orders = factorial(n)
    return LeftOut(
        Fraction(stopped, n * orders), Fraction(voted, orders), Fraction(made, n * orders)
    )
