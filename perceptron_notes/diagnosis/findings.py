"""The findings of a diagnosis: the value that `diagnose` fills in, and the reports are made of."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from math import inf, isfinite
from typing import Any

from perceptron_notes._kit.values import Array
from perceptron_notes.diagnosis import leaks
from perceptron_notes.diagnosis.coefficients import Coefficient
from perceptron_notes.diagnosis.perceptron import Speed, Units
from perceptron_notes.diagnosis.separability import COMPLETE, Separability
from perceptron_notes.diagnosis.table import INTERCEPT, Table


@dataclass(eq=False, repr=False)
class Diagnosis:
    """The findings of `diagnose`. Printed, they are a report; a notebook shows them as a page.

    What the budget was not enough for is None, and is named in `unfinished`.

    Attributes
    ----------
    table : Table
        The data as read: ``names``, ``rows``, ``classes``, ``counts``, and ``notes`` about what
        was left out.
    constant : list of str
        Columns with a single value.
    duplicated : int
        How many rows repeat an earlier one, label included.
    contradictory : list of tuple
        Groups of rows with the same numbers and different labels.
    least_mistakes : int
        The number of mistakes that every plane makes at least, because of contradictory rows alone.
    any_labels : bool
        Whether the rows are affinely independent, as they often are if there are more columns than
        rows: then planes separate them whatever the labels are.
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
        that was found. That plane has all other rows on the right side, checked without rounding.
    leaks : list of Cut
        The columns that separate by themselves.
    enough : tuple of str or None
        For complete separation: columns that separate without the others, found by leaving out
        one after another, so there may be fewer.
    shuffled : tuple of int or None
        For complete separation: how many of the tables with these labels shuffled among the rows
        are separable too, and how many were tried (20, or as many as the budget allowed).
    units : Units or None
        How unevenly the columns vary.
    raw, standard : Speed or None
        For complete separation: the perceptron's bound and updates, in the units as they are and
        standardised.
    scores : ndarray, shape (n,), or None
        For two classes: the scores of the plane with the widest margin, or of the one with the
        fewest mistakes that was found; columns standardised.
    seconds : float
        The budget.
    unfinished : list of str
        The parts that it was not enough for.
    language : str
        The language of the report.
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
    language: str = "en"

    @property
    def separable(self) -> bool:
        """Whether planes separate the classes, each pair of them if there are several."""
        found = [self.verdict] if self.verdict else self.pairs.values()
        return self.any_labels or all(s.kind == COMPLETE for s in found)

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns without which, for complete separation, the others do not separate.

        They are those with an infinite coefficient: in no separating plane is it 0.
        """
        if self.verdict is None or self.verdict.kind != COMPLETE:
            return ()
        infinite = [c.name for c in self.coefficients or () if c.limit in ("+inf", "-inf")]
        return tuple(name for name in infinite if name != INTERCEPT)

    def to_dict(self) -> dict[str, Any]:
        """Return all findings as numbers, text and lists, as for JSON; exact numbers as text."""
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
            found["pairs"] = [{"negative": a, "positive": b} | _as_dict(s) for (a, b), s in pairs]
            found["rest"] = [{"positive": a} | _as_dict(s) for a, s in rest]
        else:
            found["verdict"] = None if self.verdict is None else _as_dict(self.verdict)
            asked += ["coefficients", "mistakes", "leaks", "needed", "enough", "shuffled"]
            asked += ["raw", "standard"]
        return _plain(found | {name: getattr(self, name) for name in asked})


def _plain(value: Any) -> Any:
    """Return a value as JSON can represent it: NaN as None, and unknown types as text."""
    if is_dataclass(value):
        value = {f.name: getattr(value, f.name) for f in fields(value)}
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_plain, value))
    if isinstance(value, str | int | None) or (isinstance(value, float) and isfinite(value)):
        return value
    return None if value != value else str(value)


def _as_dict(s: Separability) -> dict[str, Any]:
    return {
        "kind": s.kind,
        "separated": s.separated,
        "direction": s.direction,
        "obstruction": list(s.obstruction.items()),
    }
