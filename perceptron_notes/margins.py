r"""Chapter 7, margins: from PLA to the support vector machine.

`largest_margin` finds the widest street between two classes without rounding. `margin_pla` is
PLA that demands more than being right, and `pegasos` is the same with a threshold that rises
with every look. `kkt` judges any soft-margin solution in exact numbers. `dichotomies`, for the
appendix on new samples, counts the labellings that hyperplanes can make.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from operator import mul
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.recipes import Primal, Recipe
from perceptron_notes._kit.validation import (
    LARGEST,
    check_count,
    check_kind,
    check_number,
    check_pick,
    check_positive,
    check_tally,
    check_threshold,
    check_visits,
    name_of,
)
from perceptron_notes._kit.values import Array, by_value, frozen
from perceptron_notes.convergence import Answer, Certificate, Obstruction
from perceptron_notes.data import Dataset, check_dataset, check_fit
from perceptron_notes.exact.deviating import exact_margins
from perceptron_notes.exact.numbers import (
    Vector,
    combination,
    fraction,
    fractions,
    largest_norm2,
    least_margin,
    norm2,
    positive_fraction,
    quotient,
    root,
    show,
    whole,
)
from perceptron_notes.exact.widest import between_classes, from_origin
from perceptron_notes.learning import Step, corrections
from perceptron_notes.model import signed_scores
from perceptron_notes.native import searching
from perceptron_notes.rules import Look, PickRule, in_passes, in_turn, one_run_of

__all__ = [
    "KKT",
    "Demanding",
    "LargestMargin",
    "MarginRun",
    "Pegasos",
    "Promise",
    "Regret",
    "Visit",
    "dichotomies",
    "feasible",
    "kkt",
    "largest_margin",
    "looks",
    "margin_pla",
    "margin_promise",
    "pegasos",
    "regret",
    "soft_margin",
]

_ZERO = Fraction(0)

# ------------------------------------------------------------------------- the widest street


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class LargestMargin(Answer):
    r"""The boundary with the largest Euclidean margin, and the proof that no margin is larger.

    Attributes
    ----------
    separable : bool
        True.
    w : ndarray of float64, shape (d + 1,)
        The weights, read-only, scaled so that the least signed score is 1. An entry beyond
        the range of float64 is infinite.
    exact : tuple of Fraction, length d + 1
        The weights :math:`(w_0, \mathbf{v})` without rounding.
    support : tuple of int
        Support vectors that are enough for the proof: samples with signed score 1, at most as many
        as there are weights, in increasing order.
    alpha : tuple of Fraction
        Their weights :math:`\alpha_n > 0`, with
        :math:`\mathbf{v} = \sum_n\alpha_ny_n\mathbf{x}_n` and :math:`\sum_n\alpha_ny_n = 0`
        (the latter only if there is a :math:`w_0`).
    """

    separable: ClassVar[Literal[True]] = True

    w: Array
    exact: Vector
    support: tuple[int, ...]
    alpha: Vector

    @property
    def margin2(self) -> Fraction:
        r"""The square of the margin, :math:`1/\lVert\mathbf{v}\rVert^2 = 1/\sum_n\alpha_n`."""
        return 1 / sum(self.alpha, _ZERO)

    @property
    def margin(self) -> float:
        """The distance of the nearest samples, which is half the width of the street."""
        return root(self.margin2)

    def feet(self, data: Dataset) -> tuple[Array, Array]:
        """Return the nearest points of the hulls of the positive and of the negative samples.

        Each has the shape (d,). The data are those of this boundary, with an intercept.
        """
        S, share = np.array(self.support), 2 * self.margin2
        if S.max() >= check_dataset(data).n:
            raise ValueError(f"data has {data.n} samples; expected those of this boundary")
        mu = np.array([float(a * share) for a in self.alpha])
        points, y = data.points[S], data.y[S]
        return mu[y > 0] @ points[y > 0], mu[y < 0] @ points[y < 0]

    def verify(self, data: Dataset) -> bool:
        """Check that the least signed score is 1, and that `support` proves the margin largest."""
        S, bias = self.support, check_dataset(data).intercept
        slope = (_ZERO, *self.exact[1:]) if bias else self.exact
        return (
            len(self.exact) == data.X.shape[1]
            and 0 < len(S) == len(set(S)) == len(self.alpha)
            and all(0 <= i < data.n for i in S)
            and min(self.alpha) > 0
            and combination(data, S, self.alpha) == slope
            and sum(self.alpha) == norm2(slope)
            and least_margin(data, self.exact)[1] == 1
        )

    def __repr__(self) -> str:
        return f"LargestMargin(w={self.w}, margin={self.margin:.8g}, support={self.support})"


def largest_margin(data: Dataset) -> LargestMargin | Obstruction:
    r"""Find the widest street between the classes, exactly, or prove that there is none.

    Let :math:`\mathbf{q}_+` and :math:`\mathbf{q}_-` be those points of the convex hulls of the two
    classes that are nearest to each other. The boundary halfway between them, orthogonal to
    their difference, has the largest margin :math:`\min_n y_n\,\mathbf{w}\cdot\mathbf{x}_n /
    \lVert\mathbf{v}\rVert`, which is half their distance. This norm leaves :math:`w_0` out;
    that of `separate` includes it. Floats propose the support vectors, and the answer is found
    without rounding.

    Parameters
    ----------
    data : Dataset
        n samples with d coordinates, some of each class. Without an intercept the boundary goes
        through the origin, and one class is enough.

    Returns
    -------
    LargestMargin or Obstruction
        An obstruction where the hulls meet.

    Raises
    ------
    ValueError
        If the data have an intercept but only one class, so that the street has no other side.

    References
    ----------
    Boser, B. E., Guyon, I. M. and Vapnik, V. N., "A training algorithm for optimal margin
    classifiers", *Proceedings of the Fifth Annual Workshop on Computational Learning Theory*, 1992.

    Examples
    --------
    >>> largest_margin(li_hang())
    LargestMargin(w=[-2.   0.5  0.5], margin=1.4142136, support=(0, 2))
    >>> largest_margin(xor())
    Obstruction(1/4 of X[0] + 1/4 of X[1] + 1/4 of X[2] + 1/4 of X[3] is 0)
    """
    bias = check_dataset(data).intercept
    if bias and abs(data.y.sum()) == data.n:
        raise ValueError(f"all labels are {data.y[0]:+d}; expected samples of both classes")
    S, mu, point = between_classes(data) if bias else from_origin(data)
    square = norm2(point[bias:])
    if square == 0:
        return Obstruction(S, mu)
    exact = tuple(a / square for a in point)
    w = np.array([quotient(a.numerator, a.denominator) for a in exact])
    return LargestMargin(frozen(w), exact, S, tuple(a / square for a in mu))


# ------------------------------------------------------------- a perceptron with a threshold


class Demanding:
    """Samples that count as right only where y w·x exceeds a threshold.

    For PLA these are samples with a search of their own. It looks for mistakes among samples
    with one more coordinate, −βy, whose weight is always 1: their signed score is y w·x − β.

    Parameters
    ----------
    data : Dataset
        n samples.
    beta : float, or ndarray of shape (n,)
        The threshold β, or one for each sample.
    """

    def __init__(self, data: Dataset, beta: float | Array) -> None:
        self.X, self.y = data.X, data.y
        self.longer = Dataset(np.column_stack([data.X, -beta * data.y]), data.y, intercept=False)

    def scan(self) -> Callable[[Array], Look]:
        """The search; called with weights, it gives a `Look`."""
        scan = searching(self.longer)
        return lambda w: scan(np.append(w, 1.0))


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class MarginRun(Primal[Step]):
    """A run of `margin_pla`, as a recipe: iterating it always gives the same steps.

    Its attributes are the arguments of `margin_pla`: ``data``, ``beta`` and ``pick``.
    """

    data: Dataset
    beta: float
    pick: PickRule
    rate = 1.0

    def __iter__(self) -> Iterator[Step]:
        samples: Any = Demanding(self.data, self.beta)
        zeros = np.zeros(self.data.X.shape[1])
        steps = corrections(samples, zeros, one_run_of(self.pick, self.data.n), self.rate)
        return in_passes(steps, self.pick, self.data.n)

    def __repr__(self) -> str:
        return f"margin_pla({self.data!r}, {self.beta:g}, {name_of(self.pick)})"


def margin_pla(data: Dataset, beta: float, pick: PickRule = in_turn) -> MarginRun:
    r"""Run PLA until every sample has a signed score of more than β.

    This is PLA from 0, with the same update and the same rules, except that it corrects every
    sample with :math:`y_n\,\mathbf{w}\cdot\mathbf{x}_n \le \beta`, right or wrong.

    Parameters
    ----------
    data : Dataset
        n samples with d coordinates.
    beta : float
        The threshold β ≥ 0, in the units of the score; 0 is PLA.
    pick : pick rule
        Which of these samples to correct, as for `pla`.

    Returns
    -------
    MarginRun
        Iterate over it for its steps, or pass it to `record` or `last`. If the data are not
        separable, it never ends.

    References
    ----------
    Krauth, W. and Mézard, M., "Learning algorithms with optimal stability in neural networks",
    *Journal of Physics A* 20, 1987.

    Examples
    --------
    >>> last(margin_pla(li_hang(), beta=0)) == last(pla(li_hang()))
    True
    """
    return MarginRun(check_dataset(data), check_threshold(beta, "beta"), check_pick(pick))


class Promise(NamedTuple):
    r"""The bounds that are proved about a run of `margin_pla`.

    Attributes
    ----------
    updates : int
        :math:`\lfloor (R^2 + 2\beta)/\rho^2 \rfloor`: the run makes no more updates than this.
    rho2 : Fraction
        :math:`(\beta\rho/(R^2 + 2\beta))^2`: the square of its final margin is larger than this.
    """

    updates: int
    rho2: Fraction


def margin_promise(certificate: Certificate, beta: float) -> Promise:
    r"""Bound the updates of `margin_pla` from above, and the margin that it reaches from below.

    If the data have the margin ρ and the radius R, the run makes at most
    :math:`(R^2 + 2\beta)/\rho^2` updates, and ends with a margin of more than
    :math:`\beta\rho/(R^2 + 2\beta)`, which tends to ρ/2 as β grows.

    Parameters
    ----------
    certificate : Certificate
        From `certify`, for the data of the run.
    beta : float
        The threshold β ≥ 0 of the run.

    Returns
    -------
    Promise

    Examples
    --------
    >>> margin_promise(certify(li_hang(), separate(li_hang())), beta=13)
    Promise(updates=234, rho2=Fraction(1, 72))
    """
    check_kind(certificate, Certificate, "certificate", "one, from certify(data, w_f)")
    threshold = Fraction(check_threshold(beta, "beta"))
    most = certificate.R2 + 2 * threshold
    return Promise(most // certificate.rho2, certificate.rho2 * (threshold / most) ** 2)


# ------------------------------------------------------------- the soft margin, and Pegasos


def soft_margin(w: npt.ArrayLike, data: Dataset, kappa: float) -> float:
    r"""Return the price of weights: the price of their length plus the mean hinge loss.

    .. math:: \frac{\kappa}{2}\lVert\mathbf{w}\rVert^2
              + \frac1N\sum_n\max(0,\ 1 - y_n\,\mathbf{w}\cdot\mathbf{x}_n)

    Parameters
    ----------
    w : array_like, shape (d + 1,)
        The weights. The norm includes :math:`w_0`, if there is one.
    data : Dataset
        n samples with d coordinates.
    kappa : float
        κ > 0, the price of length.

    Returns
    -------
    float

    Examples
    --------
    >>> soft_margin([0, 0, 0], li_hang(), kappa=0.5), soft_margin([-3, 1, 1], li_hang(), 0.5)
    (1.0, 2.75)
    """
    w = check_fit(w, data)
    hinge = np.maximum(1 - signed_scores(w, data), 0).mean()
    return float(check_positive(kappa, "kappa") / 2 * (w @ w) + hinge)


@by_value
class Visit(NamedTuple):
    """One look of Pegasos at a sample.

    Attributes
    ----------
    t : int
        How many looks there were before.
    w : ndarray, shape (d + 1,)
        The weights before the look, read-only.
    sample : int or None
        The sample looked at; ``None`` after the last look.
    corrects : bool
        Whether the sample's signed score is at most 1, so that it is added.
    """

    t: int
    w: Array
    sample: int | None
    corrects: bool


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class Pegasos(Recipe[Visit]):
    """A run of `pegasos`, as a recipe: iterating it always gives the same looks.

    Its attributes are the arguments of `pegasos`: ``data``, ``kappa`` and ``visits``.
    """

    data: Dataset
    kappa: float
    visits: npt.NDArray[np.intp]

    def __iter__(self) -> Iterator[Visit]:
        return looks(self.data, self.kappa, self.visits)

    def __repr__(self) -> str:
        return f"pegasos({self.data!r}, kappa={self.kappa:g}, {len(self.visits)} visits)"


def pegasos(data: Dataset, kappa: float, visits: npt.ArrayLike) -> Pegasos:
    r"""Descend the price `soft_margin` one sample at a time: PLA with weights that shrink.

    At look t = 1, 2, …, T a sample is visited. All weights are multiplied by
    :math:`1 - 1/t`, and if its signed score was at most 1 before,
    :math:`y_n\mathbf{x}_n/(\kappa t)` is added: a step against the subgradient of `soft_margin` for
    this sample alone, with the learning rate :math:`1/(\kappa t)`.

    Parameters
    ----------
    data : Dataset
        n samples with d coordinates.
    kappa : float
        κ > 0, the price of length; λ in the paper.
    visits : array_like of int, shape (T,)
        The samples to look at, such as ``rng.integers(data.n, size=1000)``.

    Returns
    -------
    Pegasos
        Iterate over it for its T looks and the weights at the end.

    References
    ----------
    Shalev-Shwartz, S., Singer, Y., Srebro, N. and Cotter, A., "Pegasos: primal estimated
    sub-gradient solver for SVM", *Mathematical Programming* 127, 2011.

    Examples
    --------
    >>> for visit in pegasos(li_hang(), 0.5, [0, 2, 0]):
    ...     print(visit.t, visit.w, visit.sample, visit.corrects)
    0 [0. 0. 0.] 0 True
    1 [2. 6. 6.] 2 True
    2 [0. 2. 2.] 0 False
    3 [0.         1.33333333 1.33333333] None False
    """
    kappa, order = check_positive(kappa, "kappa"), check_visits(visits, check_dataset(data).n)
    if kappa * len(order) > LARGEST:
        most = LARGEST / len(order)
        raise ValueError(f"kappa is {kappa:g}; expected at most {most:g} for {len(order)} visits")
    return Pegasos(data, kappa, frozen(order))


def looks(data: Dataset, kappa: float, visits: npt.NDArray[np.intp]) -> Iterator[Visit]:
    """The algorithm itself: PLA makes one pass over the visits, whose thresholds rise by κ.

    PLA's weights u grow as always, and w = u/(κt): dividing by more and more is what shrinks.
    A score y w·x of at most 1 is a score y u·x of at most κt.
    """
    visited, T = data[visits], len(visits)
    thresholds: Array = np.float64(kappa) * np.arange(T + 1)
    samples: Any = Demanding(visited, thresholds[:T])
    t = 0
    for _, u, pick, _ in corrections(samples, np.zeros(data.X.shape[1]), onwards, 1.0):
        while t <= (T if pick is None else pick):
            sample = int(visits[t]) if t < T else None
            yield Visit(t, frozen(u / (thresholds[t] or 1.0)), sample, t == pick)
            t += 1


def onwards(look: Look, n: int, previous: int | None) -> int | None:
    """Pick the next mistake of a single pass."""
    return look(0 if previous is None else previous + 1, n)


class Regret(NamedTuple):
    r"""Both sides of the theorem about Pegasos, and the sum between them, all exact.

    Attributes
    ----------
    regret : Fraction
        :math:`\sum_t f_t(\mathbf{w}_t) - f_t(\mathbf{u})`: how much more the run paid at its
        looks than fixed weights **u** would have.
    steps : Fraction
        :math:`\sum_t \lVert\mathbf{g}_t\rVert^2/(2\kappa t)`, with the run's own subgradients.
    bound : Fraction
        :math:`\frac{2R^2}{\kappa}(1 + \frac12 + \dots + \frac1T)`.
    """

    regret: Fraction
    steps: Fraction
    bound: Fraction

    @property
    def holds(self) -> bool:
        """Whether regret ≤ steps ≤ bound."""
        return self.regret <= self.steps <= self.bound


def regret(run: Pegasos, u: npt.ArrayLike) -> Regret:
    """Check the theorem about Pegasos on a run, replayed without rounding.

    Parameters
    ----------
    run : Pegasos
        A run of at most about two thousand visits, because the numbers grow long.
    u : array_like, shape (d + 1,)
        Any weights to compare with.

    Returns
    -------
    Regret

    Examples
    --------
    >>> regret(pegasos(li_hang(), 0.5, [0, 2, 0, 1]), [-2, 0.5, 0.5]).holds
    True
    """
    check_kind(run, Pegasos, "run", "a run of pegasos")
    data, kappa = run.data, Fraction(run.kappa)
    fixed = fractions(check_fit(u, data, "u", exact=True))
    numbers, unit = whole(data.y[:, None] * data.X)
    Z = numbers.astype(object)
    length = kappa / 2 * norm2(fixed)
    prices = [length + max(_ZERO, 1 - sum(map(mul, fixed, z)) * unit) for z in Z]
    U, differences, steps, harmonic = Z[0] * 0, [], [], []
    for t, i in enumerate(run.visits.tolist()):
        z, scale = Z[i], unit / (kappa * t) if t else _ZERO
        score, square = (U @ z) * unit * scale, (U @ U) * scale**2
        differences.append(kappa / 2 * square + max(_ZERO, 1 - score) - prices[i])
        g2 = kappa**2 * square
        if score <= 1:
            g2 += (z @ z) * unit**2 - 2 * kappa * score
            U = U + z
        steps.append(g2 / (2 * kappa * (t + 1)))
        harmonic.append(Fraction(1, t + 1))
    bound = 2 * largest_norm2(data) / kappa * _added(harmonic)
    return Regret(_added(differences), _added(steps), bound)


def _added(terms: list[Fraction]) -> Fraction:
    """Return the sum, adding neighbours first, so that most of the numbers are short."""
    while len(terms) > 1:
        terms = [sum(terms[k : k + 2], _ZERO) for k in range(0, len(terms), 2)]
    return terms[0]


# ----------------------------------------------------------- judging a soft-margin solution


class KKT(NamedTuple):
    r"""The distance of a soft-margin solution from the conditions for the best one, exactly.

    The first four numbers are all 0 exactly if the solution is best. If `box` and `balance` are 0,
    then `dual` is at most the least price that any weights have, so `gap` is the most that could
    be saved.

    Attributes
    ----------
    box : Fraction
        The most by which an :math:`\alpha_n` lies outside :math:`0 \le \alpha_n \le C`.
    balance : Fraction
        :math:`\lvert\sum_n\alpha_ny_n\rvert`; 0 for data without an intercept.
    slackness : Fraction
        The largest absolute value of :math:`(C - \alpha_n)\,\xi_n` and
        :math:`\alpha_n\max(0, m_n - 1)`, where :math:`m_n` is the signed score and
        :math:`\xi_n = \max(0, 1 - m_n)`.
    spread : Fraction
        The same without b: by how much two samples demand different values of b. With an
        intercept, this is what LIBSVM compares with its tolerance.
    primal : Fraction
        The price :math:`\frac12\lVert\mathbf{v}\rVert^2 + C\sum_n\xi_n`, where
        :math:`\mathbf{v} = \sum_n\alpha_ny_n\mathbf{x}_n`.
    dual : Fraction
        :math:`\sum_n\alpha_n - \frac12\lVert\mathbf{v}\rVert^2`.
    """

    box: Fraction
    balance: Fraction
    slackness: Fraction
    spread: Fraction
    primal: Fraction
    dual: Fraction

    @property
    def gap(self) -> Fraction:
        """The price minus the dual value."""
        return self.primal - self.dual

    @property
    def holds(self) -> bool:
        """Whether every condition holds exactly."""
        return not any(self[:4])

    def __repr__(self) -> str:
        if self.holds:
            return f"KKT(every condition holds, price {show(self.primal)})"
        parts = ", ".join(f"{name} {show(self[k])}" for k, name in enumerate(self._fields[:4]))
        most = f", at most {show(self.gap)} too much" if not self.box + self.balance else ""
        return f"KKT({parts}; price {show(self.primal)}{most})"


def kkt(alpha: npt.ArrayLike | Sequence[Fraction], b: float, data: Dataset, C: float) -> KKT:
    r"""Judge a soft-margin solution by the Karush–Kuhn–Tucker conditions, without rounding.

    Parameters
    ----------
    alpha : array_like or sequence of Fraction, length n
        The multiplier of each sample. Floats are taken exactly as they are.
    b : float or Fraction
        The bias :math:`w_0`; 0 for data without an intercept.
    data : Dataset
        n samples.
    C : float or Fraction
        The price of violations, C > 0.

    Returns
    -------
    KKT

    References
    ----------
    Chang, C.-C. and Lin, C.-J., "LIBSVM: a library for support vector machines", *ACM
    Transactions on Intelligent Systems and Technology* 2, 2011.

    Examples
    --------
    >>> kkt([0.25, 0, 0.25], -2, li_hang(), C=1)
    KKT(every condition holds, price 0.25)
    >>> kkt([0.25, 0, 0.25], -1.5, li_hang(), C=1)
    KKT(box 0, balance 0, slackness 0.375, spread 0; price 0.75, at most 0.5 too much)
    """
    a, price = _exact_multipliers(alpha, data, C)
    check_number(b, "b")
    if b != 0 and not data.intercept:
        raise ValueError(f"b is {b}; expected 0, because the data have no intercept")
    bias, y = data.intercept, data.y.tolist()
    total = combination(data, range(data.n), a)
    v, balance = total[bias:], abs(total[0]) if bias else _ZERO
    margins = exact_margins(data, (_ZERO, *v) if bias else v)
    m = [g + k * fraction(b) for k, g in zip(y, margins, strict=True)]
    xi = [max(_ZERO, 1 - k) for k in m]
    slack = [
        max(abs((price - a_n) * x), abs(a_n * max(_ZERO, k - 1)))
        for a_n, x, k in zip(a, xi, m, strict=True)
    ]
    # If the conditions hold, each sample bounds b from one side or from both.
    wants = [(k * (1 - g) if bias else 1 - g) for k, g in zip(y, margins, strict=True)]
    low = [g for g, a_n, k in zip(wants, a, y, strict=True) if _rises(a_n, k, price, bias)]
    high = [g for g, a_n, k in zip(wants, a, y, strict=True) if _falls(a_n, k, price, bias)]
    if not bias:
        low, high = [*low, _ZERO], [*high, _ZERO]
    spread = max(_ZERO, max(low) - min(high)) if low and high else _ZERO
    half = norm2(v) / 2
    outside = max(max(-a_n, a_n - price, _ZERO) for a_n in a)
    return KKT(outside, balance, max(slack), spread, half + price * sum(xi), sum(a) - half)


def _rises(alpha: Fraction, y: int, C: Fraction, bias: bool) -> bool:
    """Return whether the box lets αy (without an intercept, α) increase."""
    return alpha < C if y > 0 or not bias else alpha > 0


def _falls(alpha: Fraction, y: int, C: Fraction, bias: bool) -> bool:
    """Return whether the box lets αy (without an intercept, α) decrease."""
    return alpha > 0 if y > 0 or not bias else alpha < C


def _exact_multipliers(
    alpha: npt.ArrayLike | Sequence[Fraction], data: Dataset, C: float
) -> tuple[Vector, Fraction]:
    """Return multipliers and their upper limit as Fractions, without rounding."""
    check_tally(alpha, check_dataset(data).n)  # type: ignore[arg-type]
    values: Any = alpha
    return fractions(values), positive_fraction(C, "C")


def feasible(alpha: npt.ArrayLike | Sequence[Fraction], data: Dataset, C: float) -> Vector:
    r"""Return multipliers near the given ones for which `kkt` has box and balance exactly 0.

    They are clipped to :math:`0 \le \alpha_n \le C`. Rounding also leaves :math:`\sum_n\alpha_ny_n`
    slightly off 0; the class with too much gives up the excess, samples below C first. With
    both exact, the gap of `kkt` is a proven bound.

    Parameters
    ----------
    alpha, data, C
        As for `kkt`.

    Returns
    -------
    tuple of Fraction

    Examples
    --------
    >>> feasible([0.25, -0.5, 0.5], li_hang(), C=1)
    (Fraction(1, 4), Fraction(0, 1), Fraction(1, 4))
    """
    a, price = _exact_multipliers(alpha, data, C)
    kept = [min(max(a_n, _ZERO), price) for a_n in a]
    if data.intercept:
        signed = sum((a_n * k for a_n, k in zip(kept, data.y.tolist(), strict=True)), _ZERO)
        rest, side = abs(signed), 1 if signed > 0 else -1
        for i in sorted(
            np.flatnonzero(data.y == side).tolist(), key=lambda i: kept[i] % price == 0
        ):
            gives = min(rest, kept[i])
            kept[i], rest = kept[i] - gives, rest - gives
    return tuple(kept)


# ------------------------------------------------------------------------------- capacity


def dichotomies(n: int, d: int) -> int:
    r"""Count the labellings of n points in general position that hyperplanes can make.

    This is Cover's count, :math:`C(n, d) = 2\sum_{k=0}^{d}\binom{n-1}{k}`. General position means
    that any d + 1 of the points, or all if they are fewer, are linearly independent once they have
    their leading 1. Of other points hyperplanes make no more labellings than this.

    Parameters
    ----------
    n : int
        The number of points, at least 1.
    d : int
        Their dimension, at least 0.

    Returns
    -------
    int

    References
    ----------
    Cover, T. M., "Geometrical and statistical properties of systems of linear inequalities with
    applications in pattern recognition", *IEEE Transactions on Electronic Computers* 14, 1965.

    Examples
    --------
    >>> dichotomies(4, 2), dichotomies(6, 2) / 2**6
    (14, 0.5)
    """
    n, d = check_count(n, "n", least=1), check_count(d, "d")
    return 2 * sum(comb(n - 1, k) for k in range(d + 1))
