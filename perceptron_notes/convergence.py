r"""Chapter 3, convergence: will PLA halt, how soon, and every inequality of the proof.

`separate` decides before any run whether PLA halts, `certify` turns weights that separate
into the bound :math:`T \le R^2/\rho^2`, and `ledger` checks the proof on a run, one row for
each update. All three decide in whole numbers; floats only propose.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isclose
from typing import Any, ClassVar, Literal, NamedTuple, NoReturn, TypeVar, overload

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.validation import check_count, check_kind, check_trace
from perceptron_notes._kit.values import Array, by_value, frozen
from perceptron_notes.data import Dataset, check_dataset, check_fit
from perceptron_notes.exact.aligned import table
from perceptron_notes.exact.audit import audit
from perceptron_notes.exact.hull import Progress
from perceptron_notes.exact.numbers import (
    Vector,
    combination,
    fractions,
    largest_norm2,
    least_margin,
    norm2,
    root,
    show,
)
from perceptron_notes.exact.replay import Replay
from perceptron_notes.exact.separation import Apart, decide, positive_margin
from perceptron_notes.learning import Trace

__all__ = [
    "Certificate",
    "Ledger",
    "LedgerRow",
    "Obstruction",
    "Separator",
    "Sides",
    "certify",
    "ledger",
    "separate",
]

_Row = TypeVar("_Row", bound=tuple[Any, ...])

# ------------------------------------------------------------------------- will it halt?


class Answer:
    """The answer of `separate`: whether the data are separable (``separable``), with the proof."""

    def __bool__(self) -> NoReturn:
        """Raise TypeError, since `if separate(data)` would be true whatever the answer is."""
        raise TypeError(
            f"{type(self).__name__} has no truth value; ask its attribute separable, "
            "as in separate(data).separable"
        )


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class Separator(Answer):
    r"""Weights that separate with the largest margin, to 8 digits: PLA halts, rounding apart.

    Attributes
    ----------
    separable : bool
        True.
    w : ndarray of float64, shape (d + 1,)
        The weights, read-only; only their direction matters.
    rho : float
        The largest margin, the maximum over **w** of
        :math:`\min_n y_n\,\mathbf{w}\cdot\mathbf{x}_n/\lVert\mathbf{w}\rVert`, to 8 digits, in
        the units of ``X``. It is the margin of `exact`.
    exact : tuple of Fraction, length d + 1
        The weights without rounding. They equal `w`, except where the margin is too thin
        for float64: there `w` only lies near their direction, and may not even separate.

    Examples
    --------
    >>> separator = separate(li_hang())
    >>> separator.exact, separator.verify(li_hang())
    ((Fraction(-4, 1), Fraction(1, 1), Fraction(1, 1)), True)
    """

    separable: ClassVar[Literal[True]] = True

    w: Array
    rho: float
    exact: Vector

    def verify(self, data: Dataset) -> bool:
        r"""Check :math:`y_n\,\mathbf{w}\cdot\mathbf{x}_n > 0` for all n, in whole numbers.

        What is checked are the unrounded weights `exact`, not `w`, and that `rho` is their margin.
        """
        if len(self.exact) != check_dataset(data).X.shape[1]:
            return False
        least = least_margin(data, self.exact)[1]
        return least > 0 and isclose(root(least**2 / norm2(self.exact)), self.rho)

    def __repr__(self) -> str:
        same = all(Fraction(a) == b for a, b in zip(self.w.tolist(), self.exact, strict=True))
        return f"Separator(w{'=' if same else ' ≈ '}{self.w}, rho={self.rho:.8g})"


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class Obstruction(Answer):
    r"""Samples whose weighted sum is 0: no weights separate, and PLA never halts, rounding apart.

    If :math:`\sum_n \lambda_n y_n \mathbf{x}_n = 0` then
    :math:`\sum_n \lambda_n\,y_n\,\mathbf{w}\cdot\mathbf{x}_n = 0` for every **w**, so not all
    of these signed scores are positive: the convex hulls of the two classes meet.

    Attributes
    ----------
    separable : bool
        False.
    samples : tuple of int
        At most d + 2 samples, in increasing order.
    weights : tuple of Fraction
        Their weights :math:`\lambda_n > 0`, with sum 1.
    """

    separable: ClassVar[Literal[False]] = False

    samples: tuple[int, ...]
    weights: Vector

    def verify(self, data: Dataset) -> bool:
        """Check that the weights are positive, sum to 1, and cancel the samples exactly."""
        S, n = self.samples, check_dataset(data).n
        return (
            0 < len(S) == len(set(S)) == len(self.weights) <= data.X.shape[1] + 1
            and all(0 <= i < n for i in S)
            and min(self.weights) > 0
            and sum(self.weights) == 1
            and not any(combination(data, S, self.weights))
        )

    def __repr__(self) -> str:
        if len(self.samples) > 6 or max(f.denominator for f in self.weights) > 10**6:
            return f"Obstruction({len(self.samples)} samples: {self.samples})"
        terms = [f"{f} of X[{i}]" for i, f in zip(self.samples, self.weights, strict=True)]
        return f"Obstruction({' + '.join(terms)} is 0)"


def separate(data: Dataset, progress: Progress | None = None) -> Separator | Obstruction:
    r"""Decide whether the data are linearly separable, with a proof either way.

    Both answers come from one point: the point **p** of the convex hull of the vectors
    :math:`y_n\mathbf{x}_n` that is nearest to 0. If **p** is 0, its weights are an
    `Obstruction`; if not, **p** separates, and no margin is larger than
    :math:`\lVert\mathbf{p}\rVert`. Floats propose **p**. What is returned has been verified in
    whole numbers: that it separates, and that no margin is larger by more than one part in
    10⁸; where the floats fail, the same search goes on without rounding.

    Parameters
    ----------
    data : Dataset
        n samples with d coordinates. With a few hundred coordinates it takes seconds where no
        weights separate, and with twice as many about eight times as long: the whole numbers of
        an obstruction then have thousands of digits.
    progress : callable, optional
        Called now and then with a sentence that says how far the search has come. An exception
        that it raises stops the search. So ``progress=print`` shows the progress, and a function
        that looks at the clock can limit the time.

    Returns
    -------
    Separator or Obstruction
        It has been verified.

    References
    ----------
    Wolfe, P., "Finding the nearest point in a polytope", *Mathematical Programming* 11, 1976.

    Examples
    --------
    >>> separate(li_hang())
    Separator(w=[-4.  1.  1.], rho=0.47140452)
    >>> separate(xor()).separable
    False
    >>> separate(xor())
    Obstruction(1/4 of X[0] + 1/4 of X[1] + 1/4 of X[2] + 1/4 of X[3] is 0)
    """
    found = decide(check_dataset(data), progress)
    return Separator(*found) if isinstance(found, Apart) else Obstruction(*found)


# --------------------------------------------------------------------------- how soon?


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class Certificate:
    r"""Weights that separate the data, and the bound on PLA's updates that follows.

    Attributes
    ----------
    data : Dataset
        The samples.
    w_f : ndarray of float64, shape (d + 1,)
        The weights that separate, read-only.
    exact : tuple of Fraction, length d + 1
        The same weights without rounding; see `Separator`.
    m : Fraction
        The least signed score, :math:`m = \min_n y_n\,\mathbf{w}_f\cdot\mathbf{x}_n > 0`.
    R2 : Fraction
        :math:`R^2 = \max_n \lVert\mathbf{x}_n\rVert^2`, over the augmented samples.
    rho2 : Fraction
        :math:`\rho^2 = m^2/\lVert\mathbf{w}_f\rVert^2`.
    bound : int
        :math:`\lfloor R^2/\rho^2 \rfloor`: the most updates that PLA can make, starting from 0.
    """

    data: Dataset
    w_f: Array
    exact: Vector
    m: Fraction
    R2: Fraction
    rho2: Fraction
    bound: int

    def __repr__(self) -> str:
        R2, rho2 = show(self.R2), show(self.rho2)
        return f"Certificate(T ≤ {show(Fraction(self.bound))}: R²={R2}, ρ²={rho2}, w_f={self.w_f})"


def certify(data: Dataset, w_f: Separator | Obstruction | npt.ArrayLike) -> Certificate:
    """Turn weights that separate into a bound on the number of updates of PLA from 0.

    Parameters
    ----------
    data : Dataset
        n samples with d coordinates.
    w_f : Separator or array_like, shape (d + 1,)
        Any weights that separate; otherwise ValueError says where they do not. The larger their
        margin ρ, the smaller the bound; the best ones come from `separate`.

    Returns
    -------
    Certificate

    Raises
    ------
    ValueError
        If `w_f` does not fit the data, or does not separate them.

    References
    ----------
    Novikoff, A. B. J., "On convergence proofs on perceptrons", *Symposium on the
    Mathematical Theory of Automata* 12, 1962.

    Examples
    --------
    >>> certify(li_hang(), [-3, 1, 1])
    Certificate(T ≤ 286: R²=26, ρ²=0.0909091, w_f=[-3.  1.  1.])
    """
    if isinstance(w_f, Trace):
        raise TypeError("w_f is a Trace; certify(data, trace.w) takes its last weights")
    if isinstance(w_f, Obstruction):
        raise TypeError("w_f is an Obstruction; no weights separate these data")
    w = check_fit(w_f.w if isinstance(w_f, Separator) else w_f, data, "w_f", exact=True)
    exact = w_f.exact if isinstance(w_f, Separator) else fractions(w)
    m = positive_margin(data, exact, "w_f")
    R2, rho2 = largest_norm2(data), m**2 / norm2(exact)
    return Certificate(data, frozen(w), exact, m, R2, rho2, R2 // rho2)


# --------------------------------------------------------------------- the proof, on a run


class Sides(NamedTuple):
    """Both sides of one inequality, ``less ≤ more``, exactly.

    Attributes
    ----------
    less, more : Fraction
        The side that must not be larger, and the other.

    Examples
    --------
    >>> from fractions import Fraction
    >>> sides = Sides(less=Fraction(1, 3), more=Fraction(1, 2))
    >>> sides.holds, sides.slack
    (True, Fraction(1, 6))
    """

    less: Fraction
    more: Fraction

    @property
    def slack(self) -> Fraction:
        """The difference ``more − less``; negative if the inequality is violated."""
        return self.more - self.less

    @property
    def holds(self) -> bool:
        """Whether less ≤ more."""
        return self.less <= self.more


class LedgerRow(NamedTuple):
    r"""One update, and both sides of every inequality of the proof after it.

    Here :math:`\mathbf{w}_t` are the weights after update t, replayed without rounding, and
    :math:`\mathbf{g} = \lambda R^2\mathbf{w}_f/m`, which is
    :math:`c\,\mathbf{w}_f/\lVert\mathbf{w}_f\rVert` with :math:`c = \lambda R^2/\rho`.

    Attributes
    ----------
    t : int
        Which update, counted from 1.
    pick : int
        The sample that it corrected.
    mistake : Sides
        :math:`y\,\mathbf{w}_{t-1}\cdot\mathbf{x} \le 0`: the sample was a mistake.
    growth : Sides
        :math:`\mathbf{w}_f\cdot\mathbf{w}_0 + t\lambda m \le \mathbf{w}_f\cdot\mathbf{w}_t`.
    length : Sides
        :math:`\lVert\mathbf{w}_t\rVert^2 \le \lVert\mathbf{w}_0\rVert^2 + t\lambda^2R^2`.
    cosine : Sides or None
        :math:`t\rho^2/R^2 \le \cos^2`, with the cosine of the angle between
        :math:`\mathbf{w}_t` and :math:`\mathbf{w}_f`; None unless :math:`\mathbf{w}_0 = 0`.
    bound : Sides
        :math:`t \le \lVert\mathbf{w}_0-\mathbf{g}\rVert^2/(\lambda R)^2`, which is
        :math:`t \le R^2/\rho^2` for :math:`\mathbf{w}_0 = 0`.
    distance : Sides
        The second proof, :math:`\lVert\mathbf{w}_t-\mathbf{g}\rVert^2 \le
        \lVert\mathbf{w}_{t-1}-\mathbf{g}\rVert^2 - \lambda^2R^2`.

    Examples
    --------
    >>> row = ledger(certify(li_hang(), [-3, 1, 1]), record(pla(li_hang())))[0]
    >>> row.pick, row.length.less, row.length.more
    (0, Fraction(19, 1), Fraction(26, 1))
    """

    t: int
    pick: int
    mistake: Sides
    growth: Sides
    length: Sides
    cosine: Sides | None
    bound: Sides
    distance: Sides


class Proof(Sequence[_Row]):
    """The checked proof of a bound as a table: a row for each update, and the first failure."""

    trace: Trace
    failure: str | None
    rounding: str | None
    _replay: Replay

    @property
    def holds(self) -> bool:
        """Whether the run is legal and every inequality holds at every update."""
        return self.failure is None

    def __len__(self) -> int:
        return self._replay.T

    @overload
    def __getitem__(self, k: int) -> _Row: ...
    @overload
    def __getitem__(self, k: slice) -> list[_Row]: ...
    def __getitem__(self, k: int | slice) -> _Row | list[_Row]:
        if isinstance(k, slice):
            return [self[j] for j in range(len(self))[k]]
        k = range(len(self))[k]
        sides = {name: Sides(*column.at(k)) for name, column in self._replay.columns.items()}
        return self._row_of(k, int(self.trace.picks[k]), sides)

    def _row_of(self, k: int, pick: int, sides: dict[str, Sides]) -> _Row:
        """Return row k, made of both sides of its inequalities."""
        raise NotImplementedError

    @property
    def verdict(self) -> str:
        """One line that says that everything holds, or what fails first."""
        return self.failure or f"{self._count()}: every inequality holds"

    def _count(self) -> str:
        """Return how many rows there are, in words."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.verdict})"


@by_value
class Ledger(Proof[LedgerRow]):
    r"""The convergence proof as a table: one `LedgerRow` for each update of a run.

    ``ledger[k]`` is about update k + 1. Printed, the ledger is a table.

    Attributes
    ----------
    certificate : Certificate
        The weights that separate, and the bound.
    trace : Trace
        The run.
    holds : bool
        Whether the run is legal and every inequality holds at every update.
    verdict : str
        One line that says that everything holds, or what fails first.
    failure : str or None
        A sentence about the first update that fails. It starts with "rounding" if the run
        follows the rules in floats, but corrects a sample that is no mistake in exact arithmetic.
    rounding : str or None
        A sentence about the first weights of the trace that differ, by rounding, from the
        exact replay; the rows are about the exact weights, so the proof may hold all the same.
    start : str or None
        For a start other than 0, a sentence that says why :math:`R^2/\rho^2` is not the bound.
    bound : int
        The most updates that a run from this start can make;
        :math:`\lfloor R^2/\rho^2 \rfloor` from 0.
    """

    __match_args__ = ("certificate", "trace")

    def __init__(self, certificate: Certificate, trace: Trace) -> None:
        check_kind(certificate, Certificate, "certificate", "one, from certify(data, w_f)")
        check_kind(trace, Trace, "trace", "a Trace, as from record")
        if trace.data is not certificate.data and trace.data != certificate.data:
            raise ValueError("the trace and the certificate are about different data")
        self.certificate, self.trace, c = certificate, trace, certificate
        W, picks, rate = check_trace(trace)
        self._replay = run = Replay(c.data, rate, W[0], picks, c.exact, c.m, c.R2)
        self.bound, self.start = run.bound, None
        if any(W[0]):
            self.start = (
                "w₀ is not 0, so w_f·w and ‖w‖² do not grow from 0 and R²/ρ² does not bound T; "
                f"‖w₀ − λR²w_f/m‖²/(λR)² does: T ≤ {show(Fraction(self.bound))}"
            )
        self.failure, self.rounding = audit(run, c.data, W, picks, rate, trace.converged)

    def _row_of(self, k: int, pick: int, sides: dict[str, Sides]) -> LedgerRow:
        cosine = sides.pop("cosine", None)
        return LedgerRow(k + 1, pick, cosine=cosine, **sides)

    def _count(self) -> str:
        return f"{len(self)} updates ≤ {show(Fraction(self.bound))}"

    @property
    def columns(self) -> dict[str, Array]:
        """The ledger as float arrays of length T, for drawing.

        The keys are ``t``, ``pick``, and the names of the inequalities in `LedgerRow` with
        ``_less`` and ``_more`` appended.
        """
        columns = {"t": np.arange(1.0, len(self) + 1), "pick": np.array(self.trace.picks, float)}
        for name, column in self._replay.columns.items():
            columns[name + "_less"], columns[name + "_more"] = column.floats()
        return columns

    def table(self, rows: int = 20) -> str:
        """Return the ledger as aligned text, a long one cut to so many rows (at least 2)."""
        return table(self, check_count(rows, "rows", least=2), self.start is not None)

    def __str__(self) -> str:
        notes = [note for note in (self.start, self.rounding) if note]
        return "\n".join([self.table(), *notes, self.verdict])


def ledger(certificate: Certificate, trace: Trace) -> Ledger:
    r"""Check the convergence proof on a run: every inequality after every update, exactly.

    The picks are replayed in whole numbers from the trace's data, rate and start. `LedgerRow` lists
    the inequalities: growth, length and cosine make the first proof of the bound. The distance to
    **g** proves it once more, and from any start: its square falls by :math:`\lambda^2R^2` or more
    and is never negative, so :math:`T\lambda^2R^2 \le \lVert\mathbf{w}_0-\mathbf{g}\rVert^2`.

    Parameters
    ----------
    certificate : Certificate
        From `certify`, for the same data.
    trace : Trace
        Any run, from `record` or made by hand; it is not trusted.

    Returns
    -------
    Ledger
        ``.holds`` tells whether all is well, ``.failure`` what is not: a wrong update, a
        skipped step, a pick that was no mistake or that only rounding made one, a false
        claim to have converged, or a violated inequality.

    Examples
    --------
    >>> data = li_hang()
    >>> ledger(certify(data, [-3, 1, 1]), record(pla(data)))
    Ledger(7 updates ≤ 286: every inequality holds)
    """
    return Ledger(certificate, trace)
