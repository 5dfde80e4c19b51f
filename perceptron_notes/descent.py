r"""Chapter 6, one lemma for many learners: what each promises, and how far that is from its run.

Each learner adds multiples of the signed samples :math:`\mathbf{z}_t = y_t\mathbf{x}_t`: it makes
steps of size :math:`s_t \ge 0` against subgradients :math:`\mathbf{g}_t` of convex losses
:math:`\ell_t` of the signed score. The lemma says that from 0, for every **u**,

.. math:: \sum_ts_t\,\ell_t(\mathbf{w}_t) \le \sum_ts_t\,\ell_t(\mathbf{u})
          + \tfrac12\lVert\mathbf{u}\rVert^2 + \tfrac12\sum_ts_t^2\lVert\mathbf{g}_t\rVert^2 .

`descend` runs a learner, and `promise` evaluates the lemma, and the theorem that follows from it.
"""

from dataclasses import dataclass
from math import log, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.elementary import exp, log1p, sigmoid
from perceptron_notes._kit.validation import check_count, check_kind, check_one_of, check_positive
from perceptron_notes._kit.values import Array, by_value, frozen
from perceptron_notes.data import Dataset, check_dataset, check_fit
from perceptron_notes.model import canonical_score, signed_scores

__all__ = ["BothSides", "Descent", "descend", "promise"]

_LEARNERS = ("perceptron", "hinge steps", "logistic", "LMS", "PA", "PA-I", "PA-II")


def _loss(learner: str, m: Array) -> tuple[Array, Array]:
    """Return the losses of signed scores, and by how much each falls with its score."""
    if learner == "logistic":
        return np.maximum(-m, 0.0) + log1p(exp(-np.abs(m))), sigmoid(-m)
    if learner == "LMS":
        return (1 - m) ** 2 / 2, 1 - m
    return np.maximum(1 - m, 0.0), np.where(m <= 1, 1.0, 0.0)


def _size(learner: str, m: float, x2: float, rate: float) -> float:
    """Return the size of a step, from m and ‖x‖²."""
    loss = max(1 - m, 0.0)
    match learner:
        case "perceptron":
            return rate * (m <= 0)
        case "PA":
            return loss / x2
        case "PA-I":
            return loss / max(x2, loss / rate)
        case "PA-II":
            return loss / (x2 + 1 / (2 * rate))
    return rate


def _most(learner: str, rate: float, losses: Array, x2: Array, u2: float) -> float:
    """Return the most mistakes, from the losses of u and ‖x‖² in all rounds, and ‖u‖²."""
    L, R2 = losses.sum(), x2.max()
    before = L + u2 / (2 * rate)
    match learner:
        case "perceptron":  # the largest k with k − H ≤ √k R‖u‖
            return (sqrt(R2 * u2 / 4) + sqrt(R2 * u2 / 4 + L)) ** 2
        case "hinge steps":  # a mistake pays at least 1, and ‖g‖ ≤ R
            return before + rate / 2 * len(x2) * R2
        case "logistic":  # … at least ln 2
            return (before + rate / 2 * len(x2) * R2) / log(2)
        case "LMS":  # … at least ½, and ‖g‖² ≤ 2R²ℓ
            return 2 * before / (1 - rate * R2)
        case "PA":
            e2 = (losses**2 / x2).sum()
            return R2 * (sqrt(e2) + sqrt(e2 + u2)) ** 2
        case "PA-I":
            return max(1 / rate, R2) * (u2 + 2 * rate * L)
    return (R2 + 1 / (2 * rate)) * (u2 + 2 * rate * (losses**2).sum())


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class Descent:
    r"""A run of `descend`.

    Attributes
    ----------
    data : Dataset
        The n samples, shown in their order, pass after pass.
    learner : str
        The name of the learner.
    rate : float
        Its η or C.
    m : ndarray, shape (T,)
        The signed score of each round, before its step.
    sizes : ndarray, shape (T,)
        The sizes :math:`s_t` of the steps.
    factors : ndarray, shape (T,)
        The multiples of :math:`\mathbf{z}_t` that were added, :math:`-s_t\,\ell'(m_t)`.
    w : ndarray, shape (d + 1,)
        The last weights.
    """

    data: Dataset
    learner: str
    rate: float
    m: Array
    sizes: Array
    factors: Array
    w: Array

    @property
    def mistakes(self) -> int:
        """The number of rounds in which the signed score was not positive."""
        return int((self.m <= 0).sum())

    def __repr__(self) -> str:
        return f"Descent({self.learner}: {self.mistakes} mistakes in {len(self.m)} rounds)"


def descend(data: Dataset, learner: str, *, rate: float = 1.0, passes: int = 1) -> Descent:
    r"""Run a learner from 0 over the samples, in their order.

    Parameters
    ----------
    data : Dataset
        n samples with d coordinates.
    learner : str
        ``"perceptron"`` steps by η at a mistake. ``"hinge steps"``, ``"logistic"`` and ``"LMS"`` go
        down the slope of :math:`\max(0, 1 - m)`, :math:`\ln(1 + e^{-m})` and
        :math:`\frac12(1 - m)^2` at the rate η. ``"PA"`` makes the least step
        after which the hinge loss ℓ is 0, of size :math:`\ell/\lVert\mathbf{x}\rVert^2`;
        ``"PA-I"`` at most C of it; ``"PA-II"`` steps by
        :math:`\ell/(\lVert\mathbf{x}\rVert^2 + 1/2C)`.
    rate : float
        η > 0, or C > 0 for PA-I and PA-II. PA has no use for it.
    passes : int
        How often the samples are shown, at least once.

    Returns
    -------
    Descent

    Raises
    ------
    ValueError
        If the learner promises nothing: LMS where η is not below 1/R², PA for a sample of 0s.

    Examples
    --------
    >>> descend(li_hang(), "perceptron", passes=6)
    Descent(perceptron: 7 mistakes in 18 rounds)
    """
    x2, rate = _squares(check_dataset(data)), check_positive(rate, "rate")
    check_one_of(learner, "learner", _LEARNERS)
    if learner == "LMS" and rate * x2.max() >= 1:
        raise ValueError(f"rate is {rate:g}; LMS needs less than 1/R² = {1 / x2.max():g}")
    if learner == "PA" and not x2.all():
        raise ValueError(f"X[{int(x2.argmin())}] is 0; PA divides by its length")
    T = data.n * check_count(passes, "passes", 1)
    Z, w = data.y[:, None] * data.X, np.zeros(data.X.shape[1])
    m, sizes, factors = np.empty((3, T))
    for t in range(T):
        z, square = Z[t % data.n], x2[t % data.n]
        m[t] = canonical_score(w, z)
        sizes[t] = _size(learner, m[t], square, rate)
        factors[t] = sizes[t] * _loss(learner, m[t])[1]
        w = w + factors[t] * z
    return Descent(data, learner, rate, *map(frozen, (m, sizes, factors, w)))


class BothSides(NamedTuple):
    r"""Both sides of a learner's promise, and of the lemma behind it, for one run and one **u**.

    Attributes
    ----------
    mistakes : int
        How many the run made; at most …
    promised : float
        … what the learner's theorem allows. This is known before the run.
    paid : float
        What the run paid, :math:`\sum_ts_t\,\ell_t(\mathbf{w}_t)`; at most …
    allowed : float
        … the right side of the lemma, with the steps of this run.
    """

    mistakes: int
    promised: float
    paid: float
    allowed: float


def promise(run: Descent, u: npt.ArrayLike) -> BothSides:
    r"""Evaluate what a learner promised, and what the lemma allowed its run.

    Every **u** gives a bound. R is the length of the longest sample, H the sum of the hinge losses
    of **u** in all T rounds, and :math:`L(\mathbf{u})` that of the learner's own.

    Parameters
    ----------
    run : Descent
        From `descend`.
    u : array_like, shape (d + 1,)
        Any weights.

    Returns
    -------
    BothSides
        In floats, so each side is right up to rounding.

    References
    ----------
    Gentile, C. and Warmuth, M. K., "Linear hinge loss and average margin", *NIPS* 11, 1998:
    perceptron, :math:`k - H \le \sqrt k\,R\lVert\mathbf{u}\rVert`, whatever η is.
    Zinkevich, M., "Online convex programming and generalized infinitesimal gradient ascent",
    *ICML* 20, 2003: hinge steps,
    :math:`k \le H + \lVert\mathbf{u}\rVert^2/2\eta + \frac\eta2TR^2`, and the same for
    :math:`k\ln2` with the logistic losses :math:`L(\mathbf{u})`.
    Cesa-Bianchi, N., Long, P. M. and Warmuth, M. K., "Worst-case quadratic loss bounds for
    prediction using linear functions and gradient descent", *IEEE Transactions on Neural
    Networks* 7, 1996: the losses of LMS, of which a mistake has at least ½, so that
    :math:`k \le 2(L(\mathbf{u}) + \lVert\mathbf{u}\rVert^2/2\eta)/(1 - \eta R^2)`.
    Crammer, K. et al., "Online passive-aggressive algorithms", *Journal of Machine Learning
    Research* 7, 2006: PA, :math:`k \le R^2(E + \sqrt{E^2 + \lVert\mathbf{u}\rVert^2})^2` with
    :math:`E^2 = \sum_t\ell_t(\mathbf{u})^2/\lVert\mathbf{x}_t\rVert^2`; PA-I,
    :math:`k \le \max(\frac1C, R^2)(\lVert\mathbf{u}\rVert^2 + 2CH)`; PA-II,
    :math:`k \le (R^2 + \frac1{2C})(\lVert\mathbf{u}\rVert^2 + 2C\sum_t\ell_t(\mathbf{u})^2)`.

    Examples
    --------
    >>> promise(descend(li_hang(), "perceptron", passes=6), [-3, 1, 1])
    BothSides(mistakes=7, promised=286.0, paid=28.0, allowed=32.0)
    """
    check_kind(run, Descent, "run", "a run, from descend(data, learner)")
    u, passes = check_fit(u, run.data, "u"), len(run.m) // run.data.n
    losses = np.tile(_loss(run.learner, signed_scores(u, run.data))[0], passes)
    x2, u2 = np.tile(_squares(run.data), passes), float(u @ u)
    return BothSides(
        run.mistakes,
        float(_most(run.learner, run.rate, losses, x2, u2)),
        float(run.sizes @ _loss(run.learner, run.m)[0]),
        float(run.sizes @ losses + u2 / 2 + run.factors**2 @ x2 / 2),
    )


def _squares(data: Dataset) -> Array:
    r"""Return :math:`\lVert\mathbf{x}_n\rVert^2` for each sample."""
    return (data.X**2).sum(axis=1)
