"""What is known of each coefficient of logistic regression without a penalty."""

from dataclasses import dataclass
from math import inf, nan

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.values import Array
from perceptron_notes.diagnosis.clock import Clock
from perceptron_notes.diagnosis.languages import say
from perceptron_notes.diagnosis.logistic import Fit, fit, profile_limit
from perceptron_notes.diagnosis.separability import OVERLAP, Separability

#: The name of the slow part, as the report shows it.
FIT = say("fit_part")
_INFINITE = {"+inf": inf, "-inf": -inf}


@dataclass(frozen=True)
class Coefficient:
    """What is known of one coefficient of logistic regression without a penalty.

    Attributes
    ----------
    name : str
        The column, or "(Intercept)".
    limit : {"finite", "+inf", "-inf", "undetermined", "not identified"} or None
        Its limit as the likelihood grows to its supremum; proved. None if time ran out.
    value, error : float
        The estimate and its standard error: ±inf and NaN where no estimate exists.
    bound : float or None
        For ±inf under quasi-complete separation: the value that it exceeds, or lies below, by
        profile likelihood at 95 %. It is approximate, and too narrow if few rows are separated.
    firth, firth_error : float
        Firth's estimate, which always exists where the coefficient is identified. It and `value`
        are NaN where columns are too nearly collinear for floats.
    """

    name: str
    limit: str | None
    value: float
    error: float
    bound: float | None
    firth: float
    firth_error: float


def coefficients(
    verdict: Separability, points: Array, positive: npt.NDArray[np.bool_], clock: Clock
) -> list[Coefficient]:
    """Decide which coefficients exist, and estimate those, as far as the budget allows."""
    names, first = verdict.names, verdict.intercept
    t, overlap = positive.astype(np.float64), ~verdict.is_separated
    limits: list[str | None] = [None] * len(names)
    # The proof of overlap decides about all coefficients at once.
    seconds = inf if verdict.kind == OVERLAP else clock.seconds
    with clock.apart(say("limits_part"), seconds):
        for j, name in enumerate(names):
            clock.report(name)
            limits[j] = verdict.limits.of(j, clock.report).state
    likelihood, firth = None, None
    with clock.part(say("firth_part"), 0.3):
        firth = fit(points, t, clock.report, firth=True, intercept=first)
    with clock.part(FIT, 0.3):
        if overlap.any():
            likelihood = fit(points[overlap], t[overlap], clock.report, intercept=first)
    bounds: dict[int, float | None] = {}
    with clock.part(say("profile_part"), 0.3):
        for j, limit in enumerate(limits):
            if likelihood is None or limit not in _INFINITE or j < first:
                continue
            # Separated rows add nothing to the supremum of the log-likelihood.
            sign, supremum = 1 if limit == "+inf" else -1, likelihood.likelihood
            bounds[j] = profile_limit(points, t, j - first, sign, supremum, first, clock.report)
    found = []
    for j, (name, limit) in enumerate(zip(names, limits, strict=True)):
        estimate = _INFINITE.get(limit or "", nan), nan
        if limit == "finite":
            estimate = _estimate(likelihood, j)
        found.append(Coefficient(name, limit, *estimate, bounds.get(j), *_estimate(firth, j)))
    return found


def _estimate(fitted: Fit | None, j: int) -> tuple[float, float]:
    """Return coefficient j and its standard error; NaN where it does not exist."""
    if fitted is None or fitted.vague[j]:
        return nan, nan
    return float(fitted.coefficients[j]), float(fitted.errors[j])
