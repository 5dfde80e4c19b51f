"""What lateness costs: a deadline, a rule, extensions, and when each submission was handed in.

When it was handed in is never taken from what a student chose: only from the roster, from the
platform's part of a name, or from the times of the files, and the teacher says which.

The table keeps it: the column ``late`` says what is taken off, ``deduction`` how many points that
is, and the points of the questions stay as they are. What a person writes into ``late`` stands.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from perceptron_classroom.grading.collect import Roster, Submission
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.table import Row

__all__ = ["SOURCES", "Policy", "Rule", "moment", "rule"]

#: Where times may come from, besides the roster's column ``handed in``, which always counts.
SOURCES = ("files", "names", "roster")
#: How platforms write a time: Blackboard's names, Moodle's worksheet, and Gradescope's scores,
#: which are ISO's but for a blank before the zone.
FORMS = (
    "%Y-%m-%d-%H-%M-%S",
    *(f"%A, {day}, {time}" for day in ("%d %B %Y", "%B %d, %Y") for time in ("%I:%M %p", "%H:%M")),
)
#: What the column ``late`` says where a platform says that much and no more.
LATE = "late"
#: Times that lie so close together are those of a download.
AT_ONCE = timedelta(minutes=10)
UNITS = {"day": timedelta(days=1), "hour": timedelta(hours=1)}
RULE = re.compile(
    r"(?P<amount>\d+(?:[.,]\d+)?) ?(?P<of>%|points?) (?:an?|per) (?P<unit>day|hour)"
    r"(?:, at most (?P<most>\d+)(?: (?:day|hour)s?)?)?(?P<then>, then nothing)?"
)
PERIOD = re.compile(r"(\d+(?:[.,]\d+)?) ?(day|hour)s?")


@dataclass(frozen=True)
class Rule:
    """What is taken off for each day or hour that has begun."""

    #: So much for each.
    amount: float = 0
    #: Whether that is a share of the points earned; points otherwise.
    percent: bool = True
    #: ``day`` or ``hour``.
    unit: str = "day"
    #: For so many at most.
    most: float = math.inf
    #: Whether nothing counts that is later still.
    then: bool = False

    def cell(self, late: timedelta) -> str:
        """Return what the column ``late`` says."""
        if late <= timedelta(0):
            return ""
        begun = math.ceil(late / UNITS[self.unit])
        period = f"{begun} {self.unit}{'s' * (begun > 1)}"
        if self.then and begun > self.most:
            return f"{period}, all off"
        amount = self.amount * min(begun, self.most)
        if self.percent:
            return f"{period}, {min(amount, 100):g}% off"
        return f"{period}, {amount:g} point{'s' * (amount != 1)} off"


def rule(text: str) -> Rule:
    """Read a rule from the command line.

    Examples
    --------
    >>> rule("10% a day, at most 3, then nothing")
    Rule(amount=10.0, percent=True, unit='day', most=3.0, then=True)
    """
    found = RULE.fullmatch(text.strip())
    if found is None or (found["then"] and not found["most"]):
        raise ValueError(
            f"{text!r} is no rule for late work; expected one like '10% a day, at most 3', "
            "'2 points an hour' or '10% a day, at most 3, then nothing'"
        )
    amount = float(found["amount"].replace(",", "."))
    most = float(found["most"]) if found["most"] else math.inf
    return Rule(amount, found["of"] == "%", found["unit"], most, bool(found["then"]))


def moment(text: str) -> datetime:
    """Read a point in time; a day alone means its end."""
    text = text.strip()
    found = None
    for form in FORMS:
        with suppress(ValueError):
            found = datetime.strptime(text, form)
    try:
        plain = re.sub(r" ?(UTC|Z)$", "+00:00", re.sub(r" (?=[+-]\d\d:?\d\d$)", "", text))
        found = found or datetime.fromisoformat(plain)
    except ValueError:
        raise ValueError(f"{text!r} is no time; expected one like 2026-11-30 18:00") from None
    if len(text) <= len("2026-11-30"):
        found += timedelta(days=1, seconds=-1)
    return found.astimezone() if found.tzinfo is None else found


def time_of(path: Path) -> datetime:
    """Find when a file was written."""
    return datetime.fromtimestamp(path.lstat().st_mtime, UTC).astimezone()


@dataclass(frozen=True)
class Policy:
    """When work is due, and what lateness costs."""

    #: For all who have no extension.
    deadline: datetime
    #: What is taken off.
    rule: Rule
    #: Its column ``extension`` holds a time, or how much longer a student has: ``2 days``.
    roster: Roster | None

    #: One of `SOURCES`; empty for the files as long as their times can be true.
    times: str = ""

    def line(self, this: Submission) -> Row:
        """Return what the roster says of a student."""
        return self.roster.rows.get(this.student, {}) if self.roster else {}

    def cells(self, this: Submission) -> Row:
        """Return what the table says of a submission's time."""
        line = self.line(this)
        try:
            due, given = self.due(line), self.given(this, line)
        except ValueError as error:
            raise Refused(f"the roster, {this.student}: {error}") from error
        if given is not None:
            shown = given.isoformat(" ", "seconds")
            return {"handed in": shown, "late": self.rule.cell(given - due)}
        if not this.paths or self.times != "names" or not this.told or this.told.late is None:
            return {"handed in": "", "late": ""}
        late = this.told.late
        return {"handed in": "late" if late else "in time", "late": LATE if late else ""}

    def given(self, this: Submission, line: Row) -> datetime | None:
        """Find when a submission was handed in, if that is known to the second."""
        if this.by and self.roster:
            line = self.roster.rows[this.by]
        if said := line.get("handed in"):
            return moment(said)
        if not this.paths or self.times == "roster":
            return None
        if self.times != "names":
            return max(time_of(path) for path in this.paths)
        with suppress(ValueError):
            return moment(this.told.time) if this.told else None
        return None

    def check(self, submissions: Iterable[Submission]) -> None:
        """Refuse times of files that can only be those of a download."""
        if self.times == "roster" and self.roster is None:
            raise Refused("--times roster takes times from the roster; expected a --roster")
        if self.times:
            return
        mine = [this for this in submissions if this.paths]
        if self.roster is not None:
            mine = [this for this in mine if not self.line(this).get("handed in")]
        found = sorted(max(map(time_of, this.paths)) for this in mine)
        most = len(found) // 2  # so many later than the first of them, and it is more than half
        close = [
            first
            for first, last in zip(found, found[most:], strict=False)
            if first > self.deadline and last - first <= AT_ONCE
        ]
        if len(found) > 1 and close:
            told = any(
                this.told and (this.told.time or this.told.late is not None) for this in mine
            )
            names = "--times names, for the platform wrote it into their names; or " if told else ""
            raise Refused(
                f"most of the files were written within minutes, at {close[0]:%Y-%m-%d %H:%M}, "
                "after the deadline: that is when they were downloaded, not when they were handed "
                f"in. Give {names}--roster with a table that has a column `handed in`; or --times "
                "files, if these times are right all the same"
            )

    def unknown(self, rows: Iterable[Row]) -> Iterator[str]:
        """Say of whom it is not known when they handed in, or how late."""
        found: dict[str, list[str]] = {"late, but not by how much": [], "no time is known": []}
        for row in rows:
            if row.get("late") == LATE:
                found["late, but not by how much"].append(row["student"])
            elif row.get("file") and not row.get("handed in") and not row.get("late"):
                found["no time is known"].append(row["student"])
        for what, names in found.items():
            if names:
                yield (
                    f"{what}: {', '.join(names)}; nothing is taken off until the roster's column "
                    "`handed in` says when"
                )

    def due(self, line: Row) -> datetime:
        """Return the deadline of one student."""
        extension = line.get("extension", "").strip()
        if not extension:
            return self.deadline
        if longer := PERIOD.fullmatch(extension):
            return self.deadline + float(longer[1].replace(",", ".")) * UNITS[longer[2]]
        return moment(extension)
