"""What a diagnosis finds: the value that `diagnose` fills in, told in words and in HTML."""

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
