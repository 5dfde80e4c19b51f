"""The command line: its parser, what it says, and how far the grader is.

Students' names and file names are written out so that they can steer no terminal.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import unicodedata
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

__all__ = [
    "Commands",
    "Parser",
    "Progress",
    "argument",
    "cause",
    "install",
    "positive",
    "printable",
    "reason",
    "say",
]


T = TypeVar("T")


class Parser(argparse.ArgumentParser):
    """A parser that repeats what it was given without the codes that steer a terminal."""

    def _print_message(self, message: str, file: Any = None) -> None:
        super()._print_message(printable(message), file)


#: Where a command adds its parser.
Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


def argument(read: Callable[[str], T]) -> Callable[[str], T]:
    """Have the command line read a value; a `ValueError` becomes its complaint."""

    def given(text: str) -> T:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return given


@argument
def positive(text: str) -> int:
    """Read a whole number from 1 on, from the command line."""
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise ValueError(f"{text!r} was given; expected a whole number from 1 on")
    return int(text)


def install(*requirements: str) -> str:
    """Say how to install something for the Python that runs this."""
    return shlex.join([sys.executable, "-m", "pip", "install", *requirements])


def printable(text: str) -> str:
    """Write out the controls in a text, so that it can rewrite nothing on a terminal."""
    return "".join(
        c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs") else repr(c)[1:-1]
        for c in text
    )


def say(text: str) -> None:
    """Print at once, to stderr; the terminal may lack a character of a student's name."""
    coding = sys.stderr.encoding or "utf-8"
    line = printable(text).encode(coding, "replace").decode(coding)
    print(line, file=sys.stderr, flush=True)


def reason(error: Exception) -> str:
    """Say why the system refused something, without the number of an OSError."""
    if not isinstance(error, OSError):
        return str(error)
    name = error.filename2 or error.filename
    why = cause(error)
    return f"{os.fsdecode(name)}: {why}" if isinstance(name, str | bytes) else why


def cause(error: OSError) -> str:
    """Say the same without the name of the file, which may be that of a draft."""
    said = error.strerror or str(error)
    return said[:1].lower() + said[1:]


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
