"""`diagnose`: decide one question about a table after another."""

from collections.abc import Callable, Sequence
from itertools import combinations
from numbers import Number
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from perceptron_notes._kit.validation import (
    check_flag,
    check_kind,
    check_one_of,
    check_positive,
    check_several,
)
from perceptron_notes.data import Dataset
from perceptron_notes.diagnosis import leaks
from perceptron_notes.diagnosis.clock import Clock
from perceptron_notes.diagnosis.coefficients import coefficients
from perceptron_notes.diagnosis.cone import independent
from perceptron_notes.diagnosis.files import load_table
from perceptron_notes.diagnosis.findings import Diagnosis
from perceptron_notes.diagnosis.in_html import fragment
from perceptron_notes.diagnosis.in_words import text
from perceptron_notes.diagnosis.languages import LANGUAGES, say
from perceptron_notes.diagnosis.logistic import Scale
from perceptron_notes.diagnosis.perceptron import best_plane, span, speed
from perceptron_notes.diagnosis.separability import COMPLETE, Separability, augmented
from perceptron_notes.diagnosis.table import constant, read_table, repeats

#: Where any labels would do, and the columns have more relations than this, nothing else is
#: decided: the answers would be long, and say nothing about these labels.
_MOST_RELATIONS = 500

Diagnosis.__repr__ = text  # type: ignore[method-assign,assignment]
Diagnosis._repr_html_ = fragment  # type: ignore[attr-defined]


def diagnose(
    X: Any,
    y: Any = None,
    *,
    weights: Any = None,
    category: str | Sequence[str] = (),
    leave_out: str | Sequence[str] = (),
    missing: Any = (),
    interaction: str | Sequence[str] = (),
    intercept: bool = True,
    seconds: float = 60.0,
    progress: Callable[[str], object] | None = None,
    language: str = "en",
) -> Diagnosis:
    """Decide whether a plane separates the classes; explain why not, and what to do about it.

    The verdict and all statements about rows and signs are proved without rounding, for the numbers
    that were typed: for a float the shortest decimal; Fractions and Decimals as they are. Estimates
    and shares of right answers are floats.

    Parameters
    ----------
    X : DataFrame, table, dict of columns, array_like, sparse matrix, Dataset, or path
        A row for each sample, shape (n, d); or a file: CSV with a line of names, or what pandas
        reads. Text and pandas' categories become a column of 0 and 1 for each level but the first.
        Unusable columns are left out, and so are rows with gaps, as the report says.
    y : array_like, shape (n,), or str
        The classes, two or more; or the name of the column of X that holds them. A `Dataset` has
        its own.
    weights : array_like of int, shape (n,), or str, optional
        How often each row counts, as in a table of counts; or the name of that column of X.
        Rows with weight 0 are left out. Weights change no verdict otherwise, but all counts and
        estimates.
    category : str or sequence of str
        Columns of X whose numbers are names, such as years or wards: they have levels, like text.
    leave_out : str or sequence of str
        Columns of X not to use, such as an identifier.
    missing : number, str, or sequence of these
        Values that stand for a missing one, such as −999, besides NaN, None and empty cells.
    interaction : str or sequence of str
        Products of two columns, or of every two of their levels, as ``"age:dose"``.
    intercept : bool
        Without it every plane goes through the origin.
    seconds : float
        Roughly the processor time for estimates and what follows, and separately for the limits
        of the coefficients; `Diagnosis.unfinished` names the parts that it was not enough
        for. The verdict has no limit.
    progress : callable, optional
        Called now and then with a sentence about the progress, as ``progress=print``;
        it may raise to stop.
    language : {"en", "zh"}
        The language of the report; errors are in English.

    Returns
    -------
    Diagnosis

    References
    ----------
    Albert, A. and Anderson, J. A., "On the existence of maximum likelihood estimates in logistic
    regression models", *Biometrika* 71, 1984.

    Examples
    --------
    >>> found = diagnose([[1], [2], [3], [4]], ["no", "no", "yes", "yes"])
    >>> found.verdict
    Separability(complete separation: 4 of 4 rows separated)
    >>> {name: int(a) for name, a in found.verdict.direction.items()}
    {'(Intercept)': -5, 'column 0': 2}
    >>> diagnose(xor().points, xor().y).mistakes
    (1,)
    """
    if progress is not None:
        check_kind(progress, Callable, "progress", "a function of a sentence, such as print")
    check_one_of(language, "language", LANGUAGES)
    clock = Clock(check_positive(seconds, "seconds"), progress)
    gaps, intercept = _each(missing, "missing"), check_flag(intercept, "intercept")
    if isinstance(X, Dataset):
        X, y, intercept = X.points, X.y if y is None else y, intercept and X.intercept
    if y is None:
        raise TypeError("y is missing; expected labels, or the name of the column that holds them")
    if isinstance(X, str | PathLike):
        X = load_table(Path(X), missing=gaps)
    levels, aside = _each(category, "category"), _each(leave_out, "leave_out")
    pairs = _each(interaction, "interaction")
    table = read_table(X, y, weights, levels, intercept, aside, gaps, pairs)
    found = Diagnosis(
        table, constant(table), *repeats(table), seconds=clock.seconds, language=language
    )
    found.units, found.unfinished = span(table.points, table.names), clock.unfinished
    with clock.apart(say("any_labels_part")):
        found.any_labels = independent(augmented(table), clock.report)
    if len(table.classes) == 2:
        _two(found, clock)
    else:
        _several(found, clock)
    return found


def _each(values: Any, name: str) -> list[Any]:
    """Return one value, or several, as a list."""
    if isinstance(values, str | Number):
        return [values]
    return check_several(values, name, "names of columns, or values")


def _several(found: Diagnosis, clock: Clock) -> None:
    """Decide about each pair of classes, and about each class against the rest."""
    table = found.table
    for a, b in combinations(range(len(table.classes)), 2):
        x, y = table.classes[a], table.classes[b]
        with clock.apart(say("pair_part", a=x, b=y)):
            used = (table.y == a) | (table.y == b)
            found.pairs[x, y] = Separability(table, table.y == b, clock.report, used)
    for a, x in enumerate(table.classes):
        with clock.apart(say("rest_part", a=x)):
            found.rest[x] = Separability(table, table.y == a, clock.report)


def _two(found: Diagnosis, clock: Clock) -> None:
    """Fill in all findings about two classes."""
    table, positive = found.table, found.table.y == 1
    points, intercept = table.points, table.intercept
    found.leaks = leaks.alone(table)
    if found.any_labels and len(table.names) - len(table.y) > _MOST_RELATIONS:
        return
    with clock.apart(say("separation_part")):
        s = found.verdict = Separability(table, positive, clock.report)
    found.coefficients = coefficients(s, points, positive, clock)
    if s.kind == COMPLETE:
        with clock.part(say("bound_part"), 0.2):
            if raw := speed(points, positive, intercept, clock):
                found.raw, found.scores = raw
        with clock.part(say("bound_standard_part"), 0.2):
            scaled = Scale.of(points, intercept).apply(points)
            if standard := speed(scaled, positive, intercept, clock):
                found.standard, found.scores = standard
        with clock.part(say("enough_part")):
            found.enough = leaks.sufficient_columns(points, s, clock)
        if not found.any_labels:
            found.shuffled = leaks.shuffled(positive, s, clock)
    else:
        with clock.part(say("mistakes_part"), 0.3):
            weights, found.scores = best_plane(points, positive, intercept, clock)
            wrong = np.flatnonzero(~s.right(weights)).tolist()
            found.mistakes = tuple(table.rows[i] for i in wrong)
