"""``perceptron-classroom try``: check a master with its solutions and known mistakes."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from perceptron_classroom.checks import Check
from perceptron_classroom.grading.commands.check import here, run_here
from perceptron_classroom.grading.terminal import Commands, positive, say
from perceptron_classroom.problem_sets import read_master

__all__ = ["add"]

#: Without `--seeds`: the least and largest number of seeds, and seconds per check between these.
LEAST, MOST, SECONDS = 10, 300, 5
SHOWN = 8


def add(commands: Commands) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "try", help="run a master's checks on its solutions and on all known mistakes"
    )
    parser.add_argument("master", type=Path, help="the master notebook; its code is run here")
    parser.add_argument(
        "--seeds",
        type=positive,
        help=f"how often, each time with new data (default: at least {LEAST} times, and up to "
        f"{MOST} times in {SECONDS} seconds for each check)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print for each check whether it accepts the solution, and catches the known mistakes."""
    problems = read_master(options.master)
    space = solved(options.master.resolve())  # which is run in its own folder
    fine = True
    for question in problems.questions:
        if question.check is not None:
            wrong = tried(question.check, space, options.seeds)
            fine = fine and not wrong
            known = len(question.check.slips)
            for line in wrong or [f"the solution is right, {known} known mistakes are caught"]:
                say(f"{question.id} {question.check.name}: {line}")
    return 0 if fine else 1


def solved(master: Path) -> dict[str, Any]:
    """Return what the master's code defines, run in its own folder without a screen."""
    with here(master.parent):
        space, errors = run_here(master)
    for error in errors:
        say(error)
    return space


def enough(seeds: int | None) -> Iterator[int]:
    """Yield as many seeds as requested, or else as many as time allows."""
    end = time.monotonic() + SECONDS
    for seed in range(seeds or MOST):
        if not seeds and seed >= LEAST and time.monotonic() > end:
            return
        yield seed


def tried(check: Check, space: dict[str, Any], seeds: int | None) -> list[str]:
    """Return what is wrong with the solution, or with the check."""
    function = space.get(check.function)
    if not callable(function):
        return [f"the master defines no function {check.function}"]
    quick = replace(check, slips=())  # without the search for hints
    missed: dict[str, list[int]] = {slip.hint: [] for slip in check.slips}
    for seed in enough(seeds):
        if finding := check.examine(function, seed):
            return [f"the solution is refused:\n{finding.report}"]
        for slip in check.slips:
            if not quick.examine(slip.program, seed):
                missed[slip.hint].append(seed)
        count = seed + 1
    return [
        f"the mistake {hint!r} is not caught with {len(those)} of {count} seeds: "
        + ", ".join(map(str, those[:SHOWN]))
        + (", …" if len(those) > SHOWN else "")
        for hint, those in missed.items()
        if those
    ]
