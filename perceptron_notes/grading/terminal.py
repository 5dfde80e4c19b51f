"""What the command line says, and how the grader speaks."""

from __future__ import annotations

import argparse
import sys
from typing import TypeAlias

__all__ = ["Commands", "Progress", "positive", "say"]

#: Where a command adds its parser.
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def positive(text: str) -> int:
    """A whole number from 1 on."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} was given; expected a whole number from 1 on")
    return int(text)


def say(text: str) -> None:
    """Tell the teacher; the terminal may lack a character of a student's name."""
    coding = sys.stderr.encoding or "utf-8"
    print(text.encode(coding, "replace").decode(coding), file=sys.stderr, flush=True)


class Progress:
    """A bar on a terminal; elsewhere a line now and then."""

    def __init__(self, total: int) -> None:
        self.total, self.done = total, 0
        self.bar = sys.stderr.isatty()

    def step(self) -> None:
        """One more is done."""
        self.done += 1
        if self.bar:
            full = 30 * self.done // self.total
            end = "\n" if self.done == self.total else ""
            line = f"\r[{'#' * full}{' ' * (30 - full)}] {self.done}/{self.total}"
            print(line, end=end, file=sys.stderr, flush=True)
        elif self.done == self.total or self.done % max(1, self.total // 10) == 0:
            say(f"{self.done} of {self.total} graded")
