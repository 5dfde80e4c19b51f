"""What lateness costs: a deadline, a rule, extensions, and when each submission was handed in.

The table keeps it: the column ``late`` says what is taken off, ``deduction`` how many points that
is, and the points of the questions stay as they are. What a person writes into ``late`` stands.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from perceptron_classroom.grading.collect import Roster, Submission
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.table import Row

__all__ = ["Policy", "Rule", "handed_in", "moment", "rule"]

#: A time in the name of a file, as Blackboard writes it.
IN_A_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})-(\d{2})-(\d{2})-(\d{2})")
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
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is no time; expected one like 2026-11-30 18:00") from None
    if len(text) <= len("2026-11-30"):
        found += timedelta(days=1, seconds=-1)
    return found.astimezone() if found.tzinfo is None else found


def handed_in(this: Submission, line: Row) -> datetime | None:
    """Find when a submission was handed in."""
    if said := line.get("handed in"):
        return moment(said)
    if not this.paths:
        return None
    if name := IN_A_NAME.search(this.name):
        return moment(f"{name[1]}T{name[2]}:{name[3]}:{name[4]}")
    return max(time_of(path) for path in this.paths)


def time_of(path: Path) -> datetime:
    """Find when a file was handed in."""
    stamp = path.parent / "timestamp.txt"
    if stamp.is_file() and not stamp.is_symlink():
        text = re.sub(r" (UTC|Z)$", "+00:00", stamp.read_text(errors="replace")[:100].strip())
        try:
            return datetime.fromisoformat(text).astimezone()
        except ValueError:
            pass
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

    def cells(self, this: Submission) -> Row:
        """Return what the table says of a submission's time."""
        line = self.roster.rows.get(this.student, {}) if self.roster else {}
        try:
            due, given = self.due(line), handed_in(this, line)
        except ValueError as error:
            raise Refused(f"the roster, {this.student}: {error}") from error
        if given is None:
            return {"handed in": "", "late": ""}
        shown = given.isoformat(" ", "seconds")
        return {"handed in": shown, "late": self.rule.cell(given - due)}

    def due(self, line: Row) -> datetime:
        """Return the deadline of one student."""
        extension = line.get("extension", "").strip()
        if not extension:
            return self.deadline
        if longer := PERIOD.fullmatch(extension):
            return self.deadline + float(longer[1].replace(",", ".")) * UNITS[longer[2]]
        return moment(extension)
