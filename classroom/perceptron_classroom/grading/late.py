"""Compute deductions for lateness: deadline, rule, extensions, and time of each submission.

A submission's time is never taken from anything a student chose: only from the roster, or else from
the times of the files.

The table records it: the column ``late`` says what is deducted, ``deduction`` how many points that
is, and the points of the questions are unchanged. An entry by hand in ``late`` is kept.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from perceptron_classroom.grading.collect import Roster, Submission
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.table import Row

__all__ = ["Policy", "Rule", "moment", "rule", "time_in_roster", "time_of"]

#: Beginnings of the months in Moodle's English, German, French, Spanish and Italian.
MONTHS = (
    *(("jan", "jän", "ene", "gen"), ("feb", "fév"), ("mar", "mär"), ("apr", "avr", "abr")),
    *(("may", "mai", "mag"), ("jun", "juin", "giu"), ("jul", "juil", "lug"), ("aug", "aoû", "ago")),
    *(("sep", "set"), ("oct", "okt", "ott"), ("nov",), ("dec", "dez", "déc", "dic")),
)
#: File times this close together are those of a download.
AT_ONCE = timedelta(minutes=10)
DAY = timedelta(days=1)
RULE = re.compile(r"(\d+(?:[.,]\d+)?) ?% a day(?:, at most (\d+)(?: days?)?)?")


@dataclass(frozen=True)
class Rule:
    """The deduction for each day begun."""

    #: Percentage of the points earned.
    percent: float = 0
    #: Number of days that count at most.
    most: float = math.inf

    def cell(self, late: timedelta) -> str:
        """Return the text of the column ``late``."""
        if late <= timedelta(0):
            return ""
        days = math.ceil(late / DAY)
        percent = min(self.percent * min(days, self.most), 100)
        return f"{days} day{'s' * (days > 1)}, {percent:g}% off"


def rule(text: str) -> Rule:
    """Parse a rule from the command line.

    Examples
    --------
    >>> rule("10% a day, at most 3")
    Rule(percent=10.0, most=3.0)
    """
    found = RULE.fullmatch(text.strip())
    if found is None:
        raise ValueError(
            f"{text!r} is no rule for late work; expected one like '10% a day, at most 3'"
        )
    return Rule(float(found[1].replace(",", ".")), float(found[2] or math.inf))


def moment(text: str) -> datetime:
    """Parse a point in time; a day alone means its end."""
    text, found = text.strip(), None
    for read in (datetime.fromisoformat, moodles):
        with suppress(ValueError):
            found = found or read(text)
    if found is None:
        raise ValueError(f"{text!r} is no time; expected one like 2026-11-30 18:00")
    if len(text) <= len("2026-11-30"):
        found += DAY - timedelta(seconds=1)
    return found.astimezone() if found.tzinfo is None else found


def moodles(text: str) -> datetime:
    """Parse a time as Moodle writes it: the hour has a colon, the year four digits.

    Examples
    --------
    >>> for text in ("Wednesday, 10 June 2026, 2:14 PM", "mardi 9 juin 2026, 14:14"):
    ...     print(moodles(text))
    2026-06-10 14:14:00
    2026-06-09 14:14:00
    """
    clock = re.search(r"(\d{1,2}):(\d\d)(?: *([ap])\.?m\b)?", text.casefold())
    rest = text.casefold().replace(clock[0], "") if clock else ""
    numbers = list(map(int, re.findall(r"\d+", rest)))
    words = re.findall(r"[^\W\d_]+", rest)
    # The day of the week comes before the month, and may begin like one: mardi, mars.
    months = [k for w in words for k, begin in enumerate(MONTHS, 1) if w.startswith(begin)]
    if clock is None or len(numbers) != (2 if months else 3):
        raise ValueError(f"{text!r} is no time of Moodle's")
    if months:
        numbers = [max(numbers), months[-1], min(numbers)]
    hour = int(clock[1]) % 12 + 12 * (clock[3] == "p") if clock[3] else int(clock[1])
    year, month, day = numbers
    return datetime(year, month, day, hour, int(clock[2]))


def time_of(this: Submission) -> datetime:
    """Return when the newest file of a submission was written."""
    return datetime.fromtimestamp(max(p.lstat().st_mtime for p in this.paths), UTC).astimezone()


def said(roster: Roster | None, student: str, column: str) -> str:
    """Return a student's entry in a column of the roster, or ""."""
    return roster.rows.get(student, {}).get(column, "") if roster else ""


def time_in_roster(roster: Roster | None, student: str, column: str) -> datetime | None:
    """Return a student's time in a column of the roster, or None."""
    text = said(roster, student, column)
    try:
        return moment(text) if text else None
    except ValueError as error:
        raise Refused(f"the roster, {student}: {error}") from error


@dataclass(frozen=True)
class Policy:
    """When work is due, and what lateness costs."""

    #: The deadline of all students without an extension.
    deadline: datetime
    #: The deduction.
    rule: Rule
    #: Its column ``extension`` holds a new deadline, or an extra time such as ``2 days``.
    roster: Roster | None

    def cells(self, this: Submission) -> Row:
        """Return the table's columns on a submission's lateness."""
        if not this.paths:
            return {"handed in": "", "late": ""}
        given = time_in_roster(self.roster, this.by or this.student, "handed in") or time_of(this)
        late = self.rule.cell(given - self.due(this.student))
        return {"handed in": given.isoformat(" ", "seconds"), "late": late}

    def due(self, student: str) -> datetime:
        """Return the deadline of one student."""
        if longer := re.fullmatch(r"(\d+) days?", said(self.roster, student, "extension")):
            return self.deadline + int(longer[1]) * DAY
        return time_in_roster(self.roster, student, "extension") or self.deadline

    def check(self, submissions: Iterable[Submission]) -> None:
        """Raise `Refused` if the files' times can only be those of a download."""
        here = [this for this in submissions if this.paths]
        silent = [each.student for each in here if not said(self.roster, each.student, "handed in")]
        times = sorted(map(time_of, here))
        half = len(times) // 2  # this many later makes more than half
        for first, last in zip(times, times[half:], strict=False):
            if silent and len(times) > 1 and first > self.deadline and last - first <= AT_ONCE:
                raise Refused(
                    f"most of the files were written within minutes, at {first:%Y-%m-%d %H:%M}, "
                    "after the deadline: that is when they were downloaded, not when they were "
                    "handed in. Give a --roster with a column `handed in` that says when, for "
                    f"{', '.join(silent)}"
                )
