"""The command line: its parser, its messages, and the progress of grading.

Control characters in students' names and file names are escaped.
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
    """A parser whose messages escape the control characters of their arguments."""

    def _print_message(self, message: str, file: Any = None) -> None:
        super()._print_message(printable(message), file)


#: The collection to which a command adds its parser.
Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


def argument(read: Callable[[str], T]) -> Callable[[str], T]:
    """Return a reader for argparse, whose message is that of the `ValueError`."""

    def given(text: str) -> T:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return given


@argument
def positive(text: str) -> int:
    """Parse a whole number, at least 1, from the command line."""
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise ValueError(f"{text!r} was given; expected a whole number from 1 on")
    return int(text)


def install(*requirements: str) -> str:
    """Return the command that installs requirements for the running Python."""
    return shlex.join([sys.executable, "-m", "pip", "install", *requirements])


def printable(text: str) -> str:
    """Escape the control characters of a text for the terminal."""
    return "".join(
        c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs") else repr(c)[1:-1]
        for c in text
    )


def say(text: str) -> None:
    """Print to stderr at once, even characters that the terminal lacks."""
    coding = sys.stderr.encoding or "utf-8"
    line = printable(text).encode(coding, "replace").decode(coding)
    print(line, file=sys.stderr, flush=True)


def reason(error: Exception) -> str:
    """Return the reason of an error, without the number of an OSError."""
    if not isinstance(error, OSError):
        return str(error)
    name = error.filename2 or error.filename
    why = cause(error)
    return f"{os.fsdecode(name)}: {why}" if isinstance(name, str | bytes) else why


def cause(error: OSError) -> str:
    """Return the same without the file name, which may be that of a temporary file."""
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
