r"""Chapter 6, one lemma for many learners: what each promises, and how far that is from its run.

Each learner adds multiples of the signed samples :math:`\mathbf{z}_t = y_t\mathbf{x}_t`: it makes
steps of size :math:`s_t \ge 0` against subgradients :math:`\mathbf{g}_t` of convex losses
:math:`\ell_t` of the signed score. The lemma says that from 0, for every **u**,

.. math:: \sum_ts_t\,\ell_t(\mathbf{w}_t) \le \sum_ts_t\,\ell_t(\mathbf{u})
          + \tfrac12\lVert\mathbf{u}\rVert^2 + \tfrac12\sum_ts_t^2\lVert\mathbf{g}_t\rVert^2 .

`descend` runs a learner, and `promise` evaluates the lemma, and the theorem that follows from it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.elementary import exp, log1p, sigmoid
from perceptron_notes._kit.validation import check_count, check_kind, check_one_of, check_positive
from perceptron_notes._kit.values import Array, by_value, frozen
from perceptron_notes.data import Dataset, check_dataset, check_fit
from perceptron_notes.model import canonical_score, signed_scores

__all__ = ["BothSides", "Descent", "descend", "promise"]

# ------------------------------------- losses of the signed score, their slopes times −1, and steps


def _hinge(m: Array) -> Array:
    return np.maximum(0.0, 1 - m)


def _hinge_slope(m: Array) -> Array:
    return np.where(m <= 1, 1.0, 0.0)


def _logistic(m: Array) -> Array:
    return np.maximum(-m, 0.0) + log1p(exp(-np.abs(m)))


def _same(m: Array, x2: Array, eta: float) -> Array:
    return np.full_like(m, eta)


# ------------- the most mistakes, from u's losses and ‖x‖² in all rounds, ‖u‖², and the rate η or C


def _perceptron(losses: Array, x2: Array, u2: float, eta: float) -> float:
    """The largest k with k − H ≤ √k R‖u‖, whatever η is: Gentile and Warmuth 1998."""
    b = x2.max() * u2 / 4
    return (sqrt(b) + sqrt(b + losses.sum())) ** 2


def _hinge_steps(losses: Array, x2: Array, u2: float, eta: float) -> float:
    """L(u) + ‖u‖²/2η + ηTR²/2, the lemma with ‖g‖ ≤ R: Zinkevich 2003."""
    return float(losses.sum()) + u2 / (2 * eta) + eta / 2 * len(x2) * x2.max()


def _logistic_steps(losses: Array, x2: Array, u2: float, eta: float) -> float:
    """The same for k ln 2, because a mistake pays at least ln 2."""
    return _hinge_steps(losses, x2, u2, eta) / log(2)


def _lms(losses: Array, x2: Array, u2: float, eta: float) -> float:
    """A mistake pays at least ½, and ‖g‖² ≤ 2R²ℓ: Cesa-Bianchi, Long and Warmuth 1996."""
    return 2 * (losses.sum() + u2 / (2 * eta)) / (1 - eta * x2.max())


def _pa(losses: Array, x2: Array, u2: float, C: float) -> float:
    """With E² = Σ ℓ(u)²/‖x‖²; without losses, this is theorem 2 of Crammer et al. 2006."""
    e2 = (losses**2 / x2).sum()
    return x2.max() * (sqrt(e2) + sqrt(e2 + u2)) ** 2


def _pa_1(losses: Array, x2: Array, u2: float, C: float) -> float:
    """Their theorem 4."""
    return max(1 / C, x2.max()) * (u2 + 2 * C * losses.sum())


def _pa_2(losses: Array, x2: Array, u2: float, C: float) -> float:
    """Their theorem 5."""
    return (x2.max() + 1 / (2 * C)) * (u2 + 2 * C * (losses**2).sum())


class _Learner(NamedTuple):
    """A loss, its slope times −1, the sizes of steps, and the most mistakes."""

    loss: Callable[[Array], Array]
    slope: Callable[[Array], Array]
    size: Callable[[Array, Array, float], Array]
    promised: Callable[[Array, Array, float, float], float]


def _on_hinge(size: Any, promised: Any) -> _Learner:
    return _Learner(_hinge, _hinge_slope, size, promised)


_LEARNERS = {
    "perceptron": _on_hinge(lambda m, _, eta: eta * (m <= 0), _perceptron),
    "hinge steps": _on_hinge(_same, _hinge_steps),
    "logistic": _Learner(_logistic, lambda m: sigmoid(-m), _same, _logistic_steps),
    "LMS": _Learner(lambda m: (1 - m) ** 2 / 2, lambda m: 1 - m, _same, _lms),
    "PA": _on_hinge(lambda m, x2, _: _hinge(m) / x2, _pa),
    "PA-I": _on_hinge(lambda m, x2, C: _hinge(m) / np.maximum(x2, _hinge(m) / C), _pa_1),
    "PA-II": _on_hinge(lambda m, x2, C: _hinge(m) / (x2 + 1 / (2 * C)), _pa_2),
}

# ------------------------------------------------------------------------------- both sides


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
    x2, size = _squares(check_dataset(data)), check_positive(rate, "rate")
    check_one_of(learner, "learner", _LEARNERS)
    if learner == "LMS" and size * x2.max() >= 1:
        raise ValueError(f"rate is {rate:g}; LMS needs less than 1/R² = {1 / x2.max():g}")
    if learner == "PA" and not x2.all():
        raise ValueError(f"X[{int(x2.argmin())}] is 0; PA divides by its length")
    T = data.n * check_count(passes, "passes", 1)
    rule, Z = _LEARNERS[learner], data.y[:, None] * data.X
    w, m, sizes, factors = np.zeros(Z.shape[1]), np.empty(T), np.empty(T), np.empty(T)
    for t in range(T):
        n = t % data.n
        m[t] = canonical_score(w, Z[n])
        sizes[t] = rule.size(m[t], x2[n], size)
        factors[t] = sizes[t] * rule.slope(m[t])
        w = w + factors[t] * Z[n]
    return Descent(data, learner, size, *map(frozen, (m, sizes, factors, w)))


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
    Networks* 7, 1996: LMS, as
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
    rule, u = _LEARNERS[run.learner], check_fit(u, run.data, "u")
    passes, u2 = len(run.m) // run.data.n, float(u @ u)
    losses = np.tile(rule.loss(signed_scores(u, run.data)), passes)
    x2 = np.tile(_squares(run.data), passes)
    return BothSides(
        run.mistakes,
        float(rule.promised(losses, x2, u2, run.rate)),
        float(run.sizes @ rule.loss(run.m)),
        float(run.sizes @ losses + u2 / 2 + run.factors**2 @ x2 / 2),
    )


def _squares(data: Dataset) -> Array:
    r"""Return :math:`\lVert\mathbf{x}_n\rVert^2` for each sample."""
    return (data.X**2).sum(axis=1)
