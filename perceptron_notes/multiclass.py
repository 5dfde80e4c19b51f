r"""Chapter 8, many classes: the right answer must beat every rival.

A `Contest` is a set of samples, each with a right answer and its rivals; a joint feature map
:math:`\boldsymbol\varphi(\mathbf{x}, y)` says how weights score an answer. What PLA adds is the
difference of two feature vectors, the right answer's minus a rival's. So `multi_pla` is PLA,
step by step, on the vectors of `kesler`, and `unfold` hands its runs to the same proof.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice, starmap
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from perceptron_notes import native
from perceptron_notes._kit.recipes import Recipe, up_to
from perceptron_notes._kit.validation import (
    check_augmented,
    check_count,
    check_kind,
    check_names,
    check_pick,
    check_positive,
    check_samples,
    name_of,
    real_array,
)
from perceptron_notes._kit.values import Array, Labels, Samples, by_value, frozen
from perceptron_notes.data import Dataset
from perceptron_notes.learning import Trace, corrections
from perceptron_notes.model import canonical_score
from perceptron_notes.native.fallback import tolerance
from perceptron_notes.rules import Look, Order, PickRule, in_passes, in_turn, one_run_of

__all__ = [
    "Classes",
    "Contest",
    "Duel",
    "MultiRun",
    "MultiStep",
    "classify",
    "kesler",
    "leads",
    "multi_mistakes",
    "multi_pla",
    "scores",
    "unfold",
    "versus",
]

#: The largest number of vectors that are written out.
_MOST_VECTORS = 100_000
#: The number of rows of a search's first block and of its largest; each block is twice the last.
_LEAST_BLOCK, _LARGEST_BLOCK = 64, 1 << 14

# ------------------------------------------------------------------------- what is learned


class Duel(NamedTuple):
    """The right answer of a sample against one rival.

    Attributes
    ----------
    sample : int
        The index of the sample.
    rival : hashable
        A wrong answer: the number of a class, or a sequence of tags.

    Examples
    --------
    >>> list(Classes([[-1], [0], [1]], ["low", "mid", "top"]).duels())[:3]
    [Duel(sample=0, rival=1), Duel(sample=0, rival=2), Duel(sample=1, rival=0)]
    """

    sample: int
    rival: Any


class Contest(ABC):
    r"""Samples, each with a right answer that must strictly beat all of its rivals.

    A contest of your own has five things: the number of samples ``n``, the right answers ``y``,
    and the methods ``features``, ``rivals`` and ``strongest``. That is all `multi_pla` needs. The
    score of an answer is the inner product of the weights and its features, which may have any
    shape, as long as it is the same for all.

    Examples
    --------
    Three steps of a staircase, and the number of the step as the only feature:

    >>> class Stair(Contest):
    ...     n, y = 1, [2]
    ...     def features(self, i, answer):
    ...         return np.array([float(answer)])
    ...     def rivals(self, i):
    ...         return [0, 1]
    ...     def strongest(self, w, i):
    ...         return max(self.rivals(i), key=lambda answer: w[0] * answer)
    >>> last(multi_pla(Stair()))
    MultiStep(t=1, w=array([2.]), rival=None, pick=None, passes=2)
    """

    __slots__ = ()

    n: int
    y: Any

    @abstractmethod
    def features(self, i: int, answer: Any) -> Array:
        r"""Return the joint features :math:`\boldsymbol\varphi(\mathbf{x}_i, y)` of an answer y."""

    @abstractmethod
    def rivals(self, i: int) -> Iterable[Any]:
        """Return all wrong answers of sample i."""

    @abstractmethod
    def strongest(self, w: Array, i: int) -> Any:
        """Return the rival of sample i with the largest score; of equal ones the first."""

    def difference(self, i: int, rival: Any) -> Array:
        r"""Subtract the features of a rival from those of the right answer."""
        return self.features(i, self.y[i]) - self.features(i, rival)

    def lead(self, w: Array, i: int) -> float:
        """Return the score of the right answer of sample i minus that of its strongest rival."""
        difference = self.difference(i, self.strongest(w, i))
        return float(canonical_score(w.ravel(), difference.ravel()))

    def look(self, w: Array, start: int, stop: int, order: Order | None = None) -> int | None:
        """Return the search for the first mistake, as a `Look`."""
        some = range(start, min(stop, self.n)) if order is None else order[start:stop].tolist()
        return next((i for i in some if not self.lead(w, i) > 0), None)

    def duels(self) -> Iterator[Duel]:
        """Yield the right answer of each sample against each rival, sample by sample."""
        return (Duel(i, rival) for i in range(self.n) for rival in self.rivals(i))


@by_value
class Classes(Samples, Contest):
    r"""Samples with the names of their classes, checked once and read-only from then on.

    Weights are a matrix W with a row for each class; class k scores :math:`W_k\cdot\mathbf{x}`.
    As for a `Dataset`, a slice is of the same kind, with the same classes.

    Parameters
    ----------
    points : array_like, shape (n, d)
        The samples, one in each row, without the leading 1.
    labels : sequence, length n
        The name of each sample's class: strings, numbers, anything that can be hashed.
    names : sequence, optional
        The K ≥ 2 classes in the order of their numbers 0 … K − 1; those of the labels, sorted, if
        left out.
    intercept : bool
        Whether the samples get a leading 1.

    Attributes
    ----------
    X : ndarray of float64, shape (n, d + 1)
        The augmented samples.
    y : ndarray of intp, shape (n,)
        The number of each sample's class.
    names : tuple
        The names of the classes.
    intercept : bool
        Whether ``X`` has the leading 1.

    Examples
    --------
    >>> data = Classes([[3, 3], [4, 3], [1, 1], [0, 5]], ["oak", "oak", "elm", "ash"])
    >>> data
    Classes(n=4, d=2: 1 of 'ash', 1 of 'elm', 2 of 'oak')
    >>> data.y
    array([2, 2, 1, 0])
    """

    __slots__ = ("X", "intercept", "n", "names", "reach", "y")
    __match_args__ = ("points", "labels", "names", "intercept")

    X: Array
    y: Labels
    names: tuple[Any, ...]
    intercept: bool
    reach: float

    def __init__(
        self,
        points: npt.ArrayLike,
        labels: Iterable[Any],
        names: Iterable[Any] | None = None,
        intercept: bool = True,
    ) -> None:
        X, reach = check_samples(points, intercept=intercept)
        y, names = check_names(labels, len(X), names)
        fields = {"n": len(X), "names": names, "intercept": bool(intercept), "reach": reach}
        self._set(X=frozen(X), y=frozen(y), **fields)

    @property
    def labels(self) -> list[Any]:
        """The name of each sample's class."""
        return [self.names[k] for k in self.y]

    @property
    def K(self) -> int:
        """How many classes there are."""
        return len(self.names)

    def _some(self, k: Any) -> Classes:
        some = [self.names[number] for number in self.y[k]]
        return Classes(self.points[k], some, self.names, self.intercept)

    def __repr__(self) -> str:
        counts = np.bincount(self.y, minlength=self.K)
        each = ", ".join(f"{m} of {name!r}" for m, name in zip(counts, self.names, strict=True))
        origin = "" if self.intercept else ", through the origin"
        return f"Classes(n={self.n}, d={self.d}: {each}{origin})"

    def features(self, i: int, answer: Any) -> Array:
        """Return a matrix with the sample in the row of the answer, and zeros elsewhere."""
        phi = np.zeros((self.K, self.X.shape[1]))
        phi[answer] = self.X[i]
        return phi

    def rivals(self, i: int) -> Iterable[int]:
        """Return the numbers of the other classes."""
        return (k for k in range(self.K) if k != self.y[i])

    def strongest(self, w: Array, i: int) -> int:
        """Return the wrong class with the largest score; of equal ones the lowest number."""
        rivals = np.array(list(self.rivals(i)))
        return int(rivals[np.argmax(canonical_score(self.X[i], w[rivals]))])

    def lead(self, w: Array, i: int) -> float:
        """Return the score of the right class of sample i minus the largest of the others."""
        return float(_canonical_leads(w, self.X[i : i + 1], self.y[i : i + 1])[0])

    def look(self, w: Array, start: int, stop: int, order: Order | None = None) -> int | None:
        """Return a `Look` that searches for the first mistake block by block."""
        stop = min(stop, self.n if order is None else len(order))
        block = _LEAST_BLOCK
        while start < stop:
            end = min(start + block, stop)
            rows: Any = slice(start, end) if order is None else order[start:end]
            if (found := self.wrong(w, rows)).any():
                k = start + int(found.argmax())
                return k if order is None else int(order[k])
            start, block = end, min(2 * block, _LARGEST_BLOCK)
        return None

    def wrong(self, w: Array, rows: Any = slice(None)) -> npt.NDArray[np.bool_]:
        """Return which samples are mistakes, by the canonical score where rounding matters."""
        X, y = self.X[rows], self.y[rows]
        # A sum in another order errs by at most half of this, and so does the canonical one.
        size = 2 * self.reach * float(np.abs(w).sum(axis=1).max())
        near, lead = tolerance(size, w.shape[1] + 1), _leads_of(X @ w.T, y)
        wrong = ~(lead > near)
        unsure = np.flatnonzero(wrong & ~(lead < -near))
        if len(unsure):
            wrong[unsure] = ~(_canonical_leads(w, X[unsure], y[unsure]) > 0)
        return wrong


def _leads_of(S: Array, y: Labels) -> Array:
    """Return the score of the right class minus the largest of the others."""
    n = np.arange(len(y))
    right = S[n, y]
    S[n, y] = -np.inf
    return right - S.max(axis=1)


def _canonical_scores(W: Array, X: Array) -> Array:
    """Return the canonical score of each sample for each class, shape (n, K)."""
    return canonical_score(W.T, X[..., None, :])


def _canonical_leads(W: Array, X: Array, y: Labels) -> Array:
    """Return by how much the right class leads, from canonical scores."""
    return _leads_of(_canonical_scores(W, X), y)


# ------------------------------------------------------------------------ scores and mistakes


def scores(W: npt.ArrayLike, X: npt.ArrayLike | Classes, *, intercept: bool = True) -> Array:
    r"""Return the score :math:`W_k\cdot\mathbf{x}` of each augmented sample for each class k.

    Parameters
    ----------
    W : array_like, shape (K, d + 1)
        The weights, a row for each class.
    X : Classes, or array_like of shape (n, d + 1)
        Augmented samples.
    intercept : bool
        Whether the samples begin with the leading 1; `Classes` have their own setting, which
        counts instead.

    Returns
    -------
    ndarray of float64, shape (n, K)
        Each score is the canonical one, summed from left to right.

    Examples
    --------
    >>> from perceptron_notes.data import augment
    >>> scores([[0, -1], [1, 0], [0, 1]], augment([[-2], [0], [2]]))
    array([[ 2.,  1., -2.],
           [ 0.,  1.,  0.],
           [-2.,  1.,  2.]])
    """
    if isinstance(X, Classes):
        return _canonical_scores(check_shape(W, X, "W"), X.X)
    W = real_array(W, "W")
    if W.ndim != 2 or 0 in W.shape:
        raise ValueError(f"W has shape {W.shape}; expected (K, d + 1), a row for each class")
    return _canonical_scores(W, check_augmented(W[0], X, intercept)[1])


def classify(W: npt.ArrayLike, X: npt.ArrayLike | Classes, *, intercept: bool = True) -> Labels:
    """Return the class with the largest score, or −1 where several share it, which is a tie.

    Parameters
    ----------
    W, X, intercept
        As for `scores`.

    Returns
    -------
    ndarray of intp, shape (n,)
        Numbers of classes, from 0; −1 is undecided.

    Examples
    --------
    >>> from perceptron_notes.data import augment
    >>> classify([[0, -1], [1, 0], [0, 1]], augment([[-2], [-1], [0], [2]]))
    array([ 0, -1,  1,  2])
    """
    S = scores(W, X, intercept=intercept)
    best = S.max(axis=-1, keepdims=True)
    return np.where((best == S).sum(axis=-1) == 1, S.argmax(axis=-1), -1)


def leads(w: npt.ArrayLike, data: Contest) -> Array:
    """Return by how much the right answer of each sample beats its strongest rival.

    It plays the part of the signed score: positive means right.

    Parameters
    ----------
    w : array_like
        Weights of the shape that the features have: (K, d + 1) for `Classes`.
    data : Contest
        n samples with right answers.

    Returns
    -------
    ndarray of float64, shape (n,)

    Examples
    --------
    >>> data = Classes([[-2], [0], [2]], ["low", "mid", "top"])
    >>> leads([[0, -1], [1, 0], [0, 1]], data)
    array([1., 1., 1.])
    """
    w = check_shape(w, data)
    if isinstance(data, Classes):
        return _canonical_leads(w, data.X, data.y)
    return np.array([data.lead(w, i) for i in range(data.n)])


def multi_mistakes(w: npt.ArrayLike, data: Contest) -> npt.NDArray[np.intp]:
    """Find the samples whose right answer does not strictly beat every rival.

    Parameters
    ----------
    w, data
        As for `leads`.

    Returns
    -------
    ndarray of intp, shape (number of mistakes,)
        In increasing order, counted from 0.

    Examples
    --------
    >>> data = Classes([[-2], [0], [2]], ["low", "mid", "top"])
    >>> multi_mistakes([[0, 0], [0, 0], [0, 1]], data)
    array([0, 1])
    """
    w = check_shape(w, data)
    if isinstance(data, Classes):
        return np.flatnonzero(data.wrong(w))
    return np.flatnonzero(~(leads(w, data) > 0))


# -------------------------------------------------------------------------------- the run


@by_value
class MultiStep(NamedTuple):
    """One state of the run.

    Attributes
    ----------
    t : int
        How many updates have been made before.
    w : ndarray
        The weights *before* the update, read-only; shape (K, d + 1) for `Classes`.
    rival : hashable
        The wrong answer that the update punishes; ``None`` if `pick` is.
    pick : int or None
        The sample whose right answer the update rewards; ``None`` exactly when no mistake is
        left.
    passes : int or None
        Which pass over the samples this is, as for `Step`.
    """

    t: int
    w: Array
    rival: Any
    pick: int | None
    passes: int | None = None


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class MultiRun(Recipe[MultiStep]):
    """A run of `multi_pla`, as a recipe: iterating it always gives the same steps.

    Its attributes are the arguments of `multi_pla`: ``data``, ``pick``, ``w0`` and ``rate``.
    """

    data: Contest
    pick: PickRule
    w0: Array
    rate: float

    def __iter__(self) -> Iterator[MultiStep]:
        ahead = native.means.steps_ahead(self) if type(self.data) is Classes else None
        if ahead is not None:  # compiled code has already found some of the next mistakes
            return starmap(_told, ahead)
        vectors: Any = _Vectors(self.data)
        rule = _punishing(one_run_of(self.pick, self.data.n), self.data)
        steps = corrections(vectors, self.w0.copy(), rule, np.float64(self.rate))
        return in_passes(starmap(_told, steps), self.pick, self.data.n)

    def end(self, updates: int, passes: int | None) -> MultiStep | None:
        """Return the step at which a cap stops, if compiled code can make the run; else None."""
        ahead = (
            native.means.stretches(self, updates, passes) if type(self.data) is Classes else None
        )
        return None if ahead is None else _told(*deque(ahead, maxlen=1).pop().end)

    def __repr__(self) -> str:
        rate = f", rate={self.rate:g}" if self.rate != 1 else ""
        start = f", w0={self.w0.tolist()}" if self.w0.any() else ""
        return f"multi_pla({self.data!r}, {name_of(self.pick)}{start}{rate})"


def multi_pla(
    data: Contest,
    pick: PickRule = in_turn,
    *,
    w0: npt.ArrayLike | None = None,
    rate: float = 1.0,
) -> MultiRun:
    r"""Run the perceptron learning algorithm on answers that compete, one step at a time.

    Find a sample whose right answer y does not strictly beat its strongest rival r, correct it
    by :math:`\mathbf{w}_{t+1} = \mathbf{w}_t + \lambda\,(\boldsymbol\varphi(\mathbf{x}, y) -
    \boldsymbol\varphi(\mathbf{x}, r))`, and go on until no such sample is left. For `Classes`
    this adds :math:`\lambda\mathbf{x}` to the row of the right class and subtracts it from that of
    the rival.

    Parameters
    ----------
    data : Contest
        `Classes`, `Sentences`, or a contest of your own.
    pick : pick rule
        Which mistake to correct, as for `pla`. The rival punished is always the strongest one,
        and of equally strong ones the first.
    w0 : array_like, optional
        The weights to start from; zeros if left out.
    rate : float
        The learning rate λ > 0.

    Returns
    -------
    MultiRun
        Iterate over it for its steps, as often as you like; `last` and `unfold` stop at a cap. It
        never ends if no weights let every right answer win.

    References
    ----------
    Nilsson, N. J., *Learning Machines*, 1965, §5.
    Collins, M., "Discriminative training methods for hidden Markov models: theory and
    experiments with perceptron algorithms", *EMNLP*, 2002.

    Examples
    --------
    >>> end = last(multi_pla(Classes([[-2], [0], [2]], ["low", "mid", "top"])))
    >>> end.t, end.w.tolist(), end.pick
    (5, [[-1.0, -2.0], [1.0, 0.0], [0.0, 2.0]], None)
    """
    start = np.zeros(_shape(data)) if w0 is None else check_shape(w0, data, "w0")
    return MultiRun(data, check_pick(pick), frozen(start), check_positive(rate, "rate"))


class _Vectors:
    """The differences of a contest, indexed like samples by `corrections`; each label is +1."""

    def __init__(self, contest: Contest) -> None:
        self.contest, self.X, self.y = contest, self, _Ones(contest.n)

    def __getitem__(self, duel: Duel) -> Array:
        return self.contest.difference(*duel)

    def scan(self) -> Callable[[Array], Look]:
        """Return the search for mistakes; called with weights, it returns a `Look`."""
        contest = self.contest
        return lambda w: Look(partial(contest.look, w), partial(leads, w, contest))


class _Ones:
    """A vector of n ones that ignores its index."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, duel: Duel) -> int:
        return 1


def _punishing(pick: PickRule, contest: Contest) -> Any:
    """Return a rule for duels: the sample that `pick` picks, against its strongest rival."""

    def rule(look: Any, n: int, previous: Duel | None) -> Duel | None:
        i = pick(look, n, None if previous is None else previous.sample)
        return None if i is None else Duel(i, contest.strongest(look.find.args[0], i))

    return rule


def _told(t: int, w: Array, duel: Any, passes: int | None) -> MultiStep:
    """Split a step's (sample, rival) pick into two fields."""
    i, rival = (None, None) if duel is None else duel
    return MultiStep(t, w, rival, i, passes)


# -------------------------------------------------------------------- the same run, as PLA's


def kesler(data: Contest, duels: Iterable[Duel] | None = None) -> Dataset:
    r"""Return the differences of a contest as a data set of one class: Kesler's construction.

    Each duel gives one vector, :math:`\boldsymbol\varphi(\mathbf{x}, y) -
    \boldsymbol\varphi(\mathbf{x}, r)` with the label +1, written as a row. Weights let every
    right answer win exactly when they separate these vectors through the origin, so `separate`
    decides whether there are any.

    Parameters
    ----------
    data : Contest
        `Classes`, `Sentences`, or a contest of your own.
    duels : iterable of Duel, optional
        Which vectors to write, at most 100,000; all of ``data.duels()`` if left out.

    Returns
    -------
    Dataset
        Without an intercept. For `Classes`, n(K − 1) vectors with K(d + 1) coordinates: row
        ``i * (K - 1) + j`` belongs to rival j of sample i, all counted from 0.

    Raises
    ------
    ValueError
        If there are more than 100,000 vectors, or none.

    References
    ----------
    Nilsson, N. J., *Learning Machines*, 1965, §5; Duda, R. O. and Hart, P. E., *Pattern
    Classification and Scene Analysis*, 1973, §5.12.

    Examples
    --------
    >>> data = Classes([[-1], [0], [1]], ["low", "mid", "top"])
    >>> kesler(data)
    Dataset(n=6, d=6: 6 positive, 0 negative, through the origin)
    >>> kesler(data).X[0]
    array([ 1., -1., -1.,  1.,  0.,  0.])
    """
    wanted = check_contest(data).duels() if duels is None else duels
    some = _listed(wanted)
    if not some:
        raise ValueError("duels is empty; expected at least one")
    rows = np.array([data.difference(i, rival).ravel() for i, rival in some])
    return Dataset(rows, np.ones(len(rows), dtype=np.intp), intercept=False)


def _listed(duels: Iterable[Duel]) -> list[Duel]:
    """Return the duels as a list, if they are few enough to be written out."""
    some = list(islice(duels, _MOST_VECTORS + 1))
    if len(some) > _MOST_VECTORS:
        raise ValueError(
            f"data has more than {_MOST_VECTORS} duels; kesler(data, duels) and "
            "unfold(run, every=False) write some of them"
        )
    return some


def unfold(
    run: MultiRun, at_most: int | None = None, *, passes: int | None = None, every: bool = True
) -> Trace:
    """Return a run of `multi_pla` as what it is: a run of `pla` on the vectors of `kesler`.

    Parameters
    ----------
    run : MultiRun
        What `multi_pla` returns.
    at_most, passes : int, optional
        Where to stop, as for `record`.
    every : bool
        Whether the trace is about ``kesler(data)``, with all duels; if not, it is about those
        that the run met, in the order in which it first met them. Sequences have so many
        rivals that only the latter can be written out.

    Returns
    -------
    Trace
        It is ready for `certify` and `ledger`; ``W[t]`` are the weights in one row.

    Examples
    --------
    >>> trace = unfold(multi_pla(Classes([[-1], [0], [1]], ["low", "mid", "top"])))
    >>> ledger(certify(trace.data, separate(trace.data)), trace)
    Ledger(13 updates ≤ 34: every inequality holds)
    """
    check_kind(run, MultiRun, "run", "multi_pla(data)")
    steps = list(up_to(run, at_most, passes))
    met = [None if step.pick is None else Duel(step.pick, step.rival) for step in steps]
    some: list[Duel] = _listed(run.data.duels()) if every else [*filter(None, dict.fromkeys(met))]
    if not some:  # nothing was wrong, and any one vector will do
        some = [Duel(0, run.data.strongest(steps[0].w, 0))]
    row = {duel: k for k, duel in enumerate(some)}
    W = frozen(np.array([step.w.ravel() for step in steps]))
    *made, pending = (None if duel is None else row[duel] for duel in met)
    picks = frozen(np.array(made, dtype=np.intp))
    return Trace(kesler(run.data, some), run.rate, W, picks, pending is None, pending)


def versus(data: Classes, k: int, rival: int | None = None) -> Dataset:
    """Return a question with two answers: one class against the rest, or against one other.

    Parameters
    ----------
    data : Classes
        Samples of K classes.
    k : int
        The number of the class with the label +1.
    rival : int, optional
        The number of the class with the label −1; all others if left out.

    Returns
    -------
    Dataset
        All samples, or those of the two classes, in their order.

    Examples
    --------
    >>> data = Classes([[-1], [0], [1], [2]], ["low", "mid", "top", "top"])
    >>> versus(data, 2)
    Dataset(n=4, d=1: 2 positive, 2 negative)
    >>> versus(data, 2, 0).y
    array([-1,  1,  1])
    """
    check_kind(data, Classes, "data", "Classes(points, labels)")
    for name, number in (("k", k), ("rival", 0 if rival is None else rival)):
        if check_count(number, name) >= data.K:
            raise ValueError(f"{name} is {number}; expected a class, 0 … {data.K - 1}")
    if k == rival:
        raise ValueError(f"k and rival are both {k}; expected two classes")
    some = np.flatnonzero((data.y == k) | (rival is None) | (data.y == rival))
    if not len(some):
        raise ValueError(f"classes {k} and {rival} have no samples")
    return Dataset(data.points[some], np.where(data.y[some] == k, 1, -1), data.intercept)


# ------------------------------------------------------------------------------- checks


def check_contest(data: Contest) -> Contest:
    """Return `data` itself, if it is a Contest."""
    check_kind(data, Contest, "data", "a contest: Classes(points, labels)")
    return data


def _shape(data: Contest) -> tuple[int, ...]:
    """Return the shape of the features of a contest, and so of its weights."""
    return check_contest(data).features(0, data.y[0]).shape


def check_shape(w: npt.ArrayLike, data: Contest, name: str = "w") -> Array:
    """Return `w` as fresh float64 weights of the shape that the features have."""
    w, expected = real_array(w, name), _shape(data)
    if w.shape != expected:
        rows = ", a row for each class" if isinstance(data, Classes) else ""
        raise ValueError(f"{name} has shape {w.shape}; expected {expected}{rows}")
    return w
