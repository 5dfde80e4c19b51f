"""Students who hand in together: one submission counts for all, and is graded once.

The teacher's roster or the platform defines the groups, never anything a student wrote.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from perceptron_classroom.grading.collect import Roster, Submission, looks
from perceptron_classroom.grading.journal import content
from perceptron_classroom.grading.late import time_in_roster, time_of

__all__ = ["member_names", "share"]

#: Files that were written within this time came with one download.
AT_ONCE = timedelta(seconds=2)


def share(found: list[Submission], roster: Roster | None) -> list[Submission]:
    """Return the submissions with the newest of each group for all its members, with a remark."""
    if roster is None:
        return found
    here = {this.student: this for this in found}
    for group in {tuple(names) for names in roster.groups.values() if len(names) > 1}:
        if given := [here[name] for name in group if here[name].paths]:
            notebooks = [this for this in given if any(map(looks, this.paths))]
            chosen = newest(notebooks or given, roster)
            here |= {name: shared(here[name], chosen, given, roster) for name in group}
    return [here[this.student] for this in found]


def shared(
    mine: Submission, chosen: Submission | None, given: list[Submission], roster: Roster
) -> Submission:
    """Return the submission that counts for one member of a group."""
    group = tuple(roster.groups[mine.student])
    names = member_names(group)
    if chosen is None:
        files = ", ".join(f"{this.name} of {this.student}" for this in given)
        note = f"{names} hand in together, and no time says what is newest: {files}"
        paths = tuple(path for this in given for path in this.paths)
        return replace(mine, paths=paths, name=mine.name or given[0].name, notes=(note,))
    reasons = [f"handed in by {chosen.student} for {names}"]
    if others := [f"{this.name} of {this.student}" for this in given if this is not chosen]:
        reasons.append(f"{chosen.name} counts, not {', '.join(others)}")
    shared = replace(chosen, group=group, by=chosen.student, reasons=tuple(reasons))
    # A platform must not match these points to another's file.
    return replace(shared, student=mine.student, name=mine.name)


def newest(given: list[Submission], roster: Roster) -> Submission | None:
    """Return the latest submission by the roster's times, or else by those of the files.

    The platform may have stored identical copies for all members: then any will do.
    """
    if len({tuple(map(content, this.paths)) for this in given}) == 1:
        return given[0]
    said = [time_in_roster(roster, this.student, "handed in") for this in given]
    for times, least in ((said, timedelta(0)), ([time_of(this) for this in given], AT_ONCE)):
        known = sorted(filter(None, times))
        if len(known) == len(given) and known[-1] - known[-2] > least:
            return given[times.index(known[-1])]
    return None


def member_names(group: tuple[str, ...]) -> str:
    """Return the names of a group in words.

    Examples
    --------
    >>> member_names(("ann", "bob", "cyd"))
    'ann, bob and cyd'
    """
    return " and ".join(filter(None, (", ".join(group[:-1]), group[-1])))
