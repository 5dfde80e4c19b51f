"""`diagnose`: put a table to all questions, one after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from itertools import combinations
from math import inf, isfinite
from numbers import Number
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from perceptron_notes._kit.validation import check_flag, check_kind, check_positive, check_several
from perceptron_notes._kit.values import Array
from perceptron_notes.data import Dataset
from perceptron_notes.diagnosis import leaks
from perceptron_notes.diagnosis.clock import Clock
from perceptron_notes.diagnosis.coefficients import Coefficient, coefficients
from perceptron_notes.diagnosis.files import load
from perceptron_notes.diagnosis.in_html import fragment
from perceptron_notes.diagnosis.in_words import text
from perceptron_notes.diagnosis.logistic import Scale
from perceptron_notes.diagnosis.perceptron import Speed, Units, best_plane, span, speed
from perceptron_notes.diagnosis.separability import COMPLETE, Separability, any_labels
from perceptron_notes.diagnosis.table import INTERCEPT, Table, constant, read, repeats

#: Where any labels would do, and columns have more relations than this, no more is asked: the
#: answers would be long, and say nothing of these labels.
_MOST_RELATIONS = 500


@dataclass(eq=False)
class Diagnosis:
    """What `diagnose` found. Printed it is a report; a notebook shows it as a page.

    What the budget did not suffice for is None, and named in `unfinished`.

    Attributes
    ----------
    table : Table
        What was read: ``names``, ``rows``, ``classes``, ``counts``, and ``notes`` about what was
        left out.
    constant : list of str
        Columns with one value only.
    duplicated : int
        How many rows repeat an earlier one, label included.
    contradictory : list of tuple
        Groups of rows with the same numbers and different labels.
    least_mistakes : int
        On so many rows every plane errs, because of contradictory rows alone.
    any_labels : bool
        Whether the rows are affinely independent, as they often are if there are more columns than
        rows: then planes divide them whatever the labels are.
    verdict : Separability or None
        The verdict for two classes. For more, `pairs` and `rest` hold one for each pair, and for
        each class against the rest. None if any labels would do and there are far more columns than
        rows.
    pairs, rest : dict
        ``pairs[a, b]`` has b as the positive class, ``rest[a]`` has a.
    coefficients : list of Coefficient or None
        For two classes.
    mistakes : tuple or None
        Unless the separation is complete: the labels of the rows on which the best plane errs
        that was found. That plane has all other rows on their sides, checked without rounding.
    leaks : list of Cut
        The columns that separate alone.
    enough : tuple of str or None
        For complete separation: columns that separate without the others, found by leaving out
        one after another, so there may be fewer.
    shuffled : tuple of int or None
        For complete separation: how many of the tables with these labels shuffled among the rows
        are separable too, and how many were tried (20, or what the budget sufficed for).
    units : Units or None
        How unevenly the columns vary.
    raw, standard : Speed or None
        For complete separation: the perceptron's bound and updates, in the units as they are and
        standardised.
    scores : ndarray, shape (n,), or None
        For two classes: the scores of the plane with the widest margin, or with the fewest
        mistakes that was found; columns standardised.
    seconds : float
        The budget.
    unfinished : list of str
        What it did not suffice for.
    """

    table: Table
    constant: list[str]
    duplicated: int
    contradictory: list[tuple[Any, ...]]
    least_mistakes: int
    any_labels: bool = False
    verdict: Separability | None = None
    pairs: dict[tuple[Any, Any], Separability] = field(default_factory=dict)
    rest: dict[Any, Separability] = field(default_factory=dict)
    coefficients: list[Coefficient] | None = None
    mistakes: tuple[Any, ...] | None = None
    leaks: list[leaks.Cut] = field(default_factory=list)
    enough: tuple[str, ...] | None = None
    shuffled: tuple[int, int] | None = None
    units: Units | None = None
    raw: Speed | None = None
    standard: Speed | None = None
    scores: Array | None = None
    seconds: float = inf
    unfinished: list[str] = field(default_factory=list)

    @property
    def separable(self) -> bool:
        """Whether planes divide the classes, each pair of them if there are several."""
        found = [self.verdict] if self.verdict else self.pairs.values()
        return self.any_labels or all(s.kind == COMPLETE for s in found)

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns without which, for complete separation, the others do not separate.

        They are those with an infinite coefficient: it is 0 for no separating plane.
        """
        if self.verdict is None or self.verdict.kind != COMPLETE:
            return ()
        infinite = [c.name for c in self.coefficients or () if c.limit in ("+inf", "-inf")]
        return tuple(name for name in infinite if name != INTERCEPT)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as numbers, words and lists, as for JSON; exact numbers as text."""
        table, several = self.table, len(self.table.classes) > 2
        asked = ["constant", "duplicated", "contradictory", "least_mistakes", "any_labels"]
        asked += ["units", "unfinished"]
        found: dict[str, Any] = {
            "separable": self.separable,
            "rows": len(table.rows),
            "columns": table.names,
            "label": table.target,
            "classes": dict(zip(table.called, table.counts, strict=True)),
            "notes": table.notes,
            "without": table.without,
        }
        if several:
            pairs, rest = self.pairs.items(), self.rest.items()
            found["pairs"] = [{"negative": a, "positive": b} | _verdict(s) for (a, b), s in pairs]
            found["rest"] = [{"positive": a} | _verdict(s) for a, s in rest]
        else:
            found["verdict"] = None if self.verdict is None else _verdict(self.verdict)
            asked += ["coefficients", "mistakes", "leaks", "needed", "enough", "shuffled"]
            asked += ["raw", "standard"]
        return _plain(found | {name: getattr(self, name) for name in asked})

    def __repr__(self) -> str:
        return text(self)

    def _repr_html_(self) -> str:
        return fragment(self)


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
) -> Diagnosis:
    """Decide whether a plane divides the classes, and say why not, and what to do about it.

    The verdict and everything about rows and signs is proved without rounding, on the numbers that
    were typed: of a float the shortest decimal, Fractions and Decimals as they are. Estimates and
    shares of right answers are floats.

    Parameters
    ----------
    X : DataFrame, table, dict of columns, array_like, sparse matrix, Dataset, or path
        A row for each sample, shape (n, d); or a file: CSV with a line of names, or what pandas
        reads. Text and pandas' categories become a column of 0 and 1 for each level but the first.
        What cannot be used is left out, and so are rows with gaps: the report says so.
    y : array_like, shape (n,), or str
        The classes, two or more; or the name of the column of X that holds them. A `Dataset` has
        its own.
    weights : array_like of int, shape (n,), or str, optional
        How often each row counts, as in a table of counts; or the name of that column of X.
        Rows with weight 0 are left out. Otherwise it changes no verdict, but all counts and
        estimates.
    category : str or sequence of str
        Columns of X whose numbers are names, such as years or wards: they have levels, as text.
    leave_out : str or sequence of str
        Columns of X that are not to be used, such as an identity.
    missing : number, str, or sequence of these
        What stands for a missing value, such as −999, beside NaN, None and empty cells.
    interaction : str or sequence of str
        Products of two columns, or of each two of their levels, as ``"age:dose"``.
    intercept : bool
        Without it every plane goes through the origin.
    seconds : float
        The processor time that estimates and what follows them may take, roughly, and the limits
        of the coefficients by themselves; `Diagnosis.unfinished` names what it did not suffice
        for. The verdict has no limit.
    progress : callable, optional
        Called now and then with a sentence that says what is being done, as ``progress=print``;
        it may raise to stop.

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
    clock = Clock(check_positive(seconds, "seconds"), progress)
    gaps, intercept = _each(missing, "missing"), check_flag(intercept, "intercept")
    if isinstance(X, Dataset):
        X, y, intercept = X.points, X.y if y is None else y, intercept and X.intercept
    if y is None:
        raise TypeError("y is missing; expected labels, or the name of the column that holds them")
    if isinstance(X, str | PathLike):
        X = load(Path(X), missing=gaps)
    levels, aside = _each(category, "category"), _each(leave_out, "leave_out")
    pairs = _each(interaction, "interaction")
    table = read(X, y, weights, levels, intercept, aside, gaps, pairs)
    found = Diagnosis(table, constant(table), *repeats(table), seconds=clock.seconds)
    found.units, found.unfinished = span(table.points, table.names), clock.unfinished
    with clock.apart("whether any labels would do"):
        found.any_labels = any_labels(table, clock.report)
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
    """Decide each pair of classes, and each class against the rest."""
    table = found.table
    for a, b in combinations(range(len(table.classes)), 2):
        x, y = table.classes[a], table.classes[b]
        with clock.apart(f"{x} and {y}"):
            used = (table.y == a) | (table.y == b)
            found.pairs[x, y] = Separability(table, table.y == b, clock.report, used)
    for a, x in enumerate(table.classes):
        with clock.apart(f"{x} and the rest"):
            found.rest[x] = Separability(table, table.y == a, clock.report)


def _two(found: Diagnosis, clock: Clock) -> None:
    """Answer what can be asked about two classes."""
    table, positive = found.table, found.table.y == 1
    points, intercept = table.points, table.intercept
    found.leaks = leaks.alone(table)
    if found.any_labels and len(table.names) - len(table.y) > _MOST_RELATIONS:
        return
    with clock.apart("separation"):
        s = found.verdict = Separability(table, positive, clock.report)
    found.coefficients = coefficients(s, points, positive, clock)
    if s.kind == COMPLETE:
        with clock.part("the perceptron's bound in these units", 0.2):
            if raw := speed(points, positive, intercept, clock):
                found.raw, found.scores = raw
        with clock.part("the perceptron's bound, standardised", 0.2):
            scaled = Scale.of(points, intercept).apply(points)
            if standard := speed(scaled, positive, intercept, clock):
                found.standard, found.scores = standard
    else:
        with clock.part("the fewest mistakes", 0.3):
            weights, found.scores = best_plane(points, positive, intercept, clock)
            wrong = np.flatnonzero(~s.right(weights)).tolist()
            found.mistakes = tuple(table.rows[i] for i in wrong)
    with clock.part("which columns are enough"):
        found.enough = leaks.enough(points, s, clock)
    if s.kind == COMPLETE and not found.any_labels:
        found.shuffled = leaks.shuffled(positive, s, clock)


def _plain(value: Any) -> Any:
    """Return something as JSON can have it: NaN as None, and what else it lacks as text."""
    if is_dataclass(value):
        value = {f.name: getattr(value, f.name) for f in fields(value)}
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_plain, value))
    if isinstance(value, str | int | None) or (isinstance(value, float) and isfinite(value)):
        return value
    return None if value != value else str(value)


def _verdict(s: Separability) -> dict[str, Any]:
    return {
        "kind": s.kind,
        "separated": s.separated,
        "direction": s.direction,
        "obstruction": list(s.obstruction.items()),
    }
