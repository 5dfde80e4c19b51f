"""``perceptron-classroom sum``: the points of several problem sets in one table."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from perceptron_classroom.grading import lms, table
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.terminal import Commands, say

__all__ = ["add", "summed"]

#: The columns beside those of the sets.
HEAD, TAIL = ("student", "file", "remark"), ("total", "out of")


def add(commands: Commands) -> None:
    """Describe the command."""
    parser = commands.add_parser("sum", help="add up the points of several problem sets")
    parser.add_argument("tables", type=Path, nargs="+", help="the tables that `grade` made")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the table of the sums")
    weights = "what each set counts, in the order of the tables (default: its own points)"
    parser.add_argument("--weights", type=weight, nargs="+", help=weights)
    parser.set_defaults(run=run)


def weight(text: str) -> float:
    """Read what a set counts."""
    value = table.number(text)
    if value is None or value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} was given; expected a number above 0")
    return value


def run(options: argparse.Namespace) -> int:
    """Write the table of the sums."""
    names = [path.stem for path in options.tables]
    twice = [name for name, count in Counter([*HEAD, *names, *TAIL]).items() if count > 1]
    if twice:
        raise Refused(f"two columns would be named {twice[0]!r}, after the tables; rename one")
    if options.output.resolve() in [path.resolve() for path in options.tables]:
        raise Refused(f"{options.output} is a table that is read; expected another one with -o")
    sets = {path.stem: table.read_csv(path) for path in options.tables}
    for name, rows in sets.items():
        if unread := lms.unread(rows):
            say(f"{name}: not all answers have been read yet: {unread}")
    worth = {name: lms.out_of(rows) for name, rows in sets.items()}
    weights = options.weights or list(worth.values())
    if len(weights) != len(names):
        raise Refused(f"{len(weights)} weights for {len(names)} tables; expected one for each")
    factors = {name: each / worth[name] for name, each in zip(names, weights, strict=True)}
    rows, out_of = summed(sets, factors), sum(weights)
    filled = [{**row, "out of": f"{out_of:g}"} for row in rows]
    table.write_csv(options.output, [*HEAD, *names, *TAIL], filled)
    for row in rows:
        if row["remark"]:
            say(f"{row['student']}: {row['remark']}")
    say(f"{options.output}: {len(rows)} students, out of {out_of:g}")
    return 0


def summed(sets: dict[str, list[table.Row]], factors: dict[str, float]) -> list[table.Row]:
    """Return a row for each student: the points of each set as they are, and the total.

    Who handed in nothing has 0 there. Where nothing could be judged, there is no total: it would be
    too low.
    """
    here = {name: {row["student"]: row for row in rows} for name, rows in sets.items()}
    made = []
    for student in sorted({student for rows in here.values() for student in rows}):
        lines = {name: rows[student] for name, rows in here.items() if student in rows}
        points = {name: table.number(row.get("total", "")) for name, row in lines.items()}
        total = sum(factors[name] * (each or 0) for name, each in points.items())
        remarks = [f"{name}: no row" for name in sets if name not in lines]
        remarks += [f"{name}: nothing judged yet" for name in lines if points[name] is None]
        row = {name: "" if each is None else f"{each:g}" for name, each in points.items()}
        row["total"] = "" if None in points.values() else f"{total:.10g}"
        row["file"] = next((line["file"] for line in lines.values() if line.get("file")), "")
        made.append({"student": student, "remark": "; ".join(remarks), **row})
    return made
