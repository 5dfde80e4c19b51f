"""What the command line says, and how far the grader is."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable
from typing import TypeVar

from perceptron_notes._kit.terminal import say

__all__ = ["Progress", "argument", "install"]


T = TypeVar("T")


def argument(read: Callable[[str], T]) -> Callable[[str], T]:
    """Have the command line read a value; a `ValueError` becomes its complaint."""

    def given(text: str) -> T:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return given


def install(*requirements: str) -> str:
    """Say how to install something for the Python that runs this."""
    return shlex.join([sys.executable, "-m", "pip", "install", *requirements])


class Progress:
    """Shows on the terminal how many of `total` steps are done."""

    def __init__(self, total: int) -> None:
        self.total, self.done = total, 0
        self.bar = sys.stderr.isatty()

    def step(self) -> None:
        """Count one more as done."""
        self.done += 1
        if self.bar:
            full = 30 * self.done // self.total
            end = "\n" if self.done == self.total else ""
            line = f"\r[{'#' * full}{' ' * (30 - full)}] {self.done}/{self.total}"
            print(line, end=end, file=sys.stderr, flush=True)
        elif self.done == self.total or self.done % max(1, self.total // 10) == 0:
            say(f"{self.done} of {self.total} graded")
