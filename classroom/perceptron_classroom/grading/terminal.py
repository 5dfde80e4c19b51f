"""What the command line says, and how the grader speaks."""

from __future__ import annotations

import argparse
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
    "install",
    "positive",
    "printable",
    "say",
]


class Parser(argparse.ArgumentParser):
    """A parser that repeats what it was given without the codes that steer a terminal."""

    def _print_message(self, message: str, file: Any = None) -> None:
        super()._print_message(printable(message), file)


T = TypeVar("T")

#: Where a command adds its parser.
Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


def positive(text: str) -> int:
    """A whole number from 1 on, from the command line.

    Parameters
    ----------
    text : str
        What was given.

    Returns
    -------
    int

    Raises
    ------
    argparse.ArgumentTypeError
        If `text` is not such a number.
    """
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} was given; expected a whole number from 1 on")
    return int(text)


def argument(read: Callable[[str], T]) -> Callable[[str], T]:
    """Have the command line read a value; a `ValueError` becomes its complaint.

    Parameters
    ----------
    read : callable
        What makes the value from a text.

    Returns
    -------
    callable
    """

    def given(text: str) -> T:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return given


def install(*requirements: str) -> str:
    """How to install something for the Python that runs this, whatever else is called Python.

    Parameters
    ----------
    *requirements : str
        Such as ``scipy>=1.11``.

    Returns
    -------
    str
        A command line.
    """
    return shlex.join([sys.executable, "-m", "pip", "install", *requirements])


def printable(text: str) -> str:
    r"""A text whose controls are written out, so that it can rewrite nothing on a terminal.

    Parameters
    ----------
    text : str
        Perhaps a student's.

    Returns
    -------
    str
        Lines and tabs stay.

    Examples
    --------
    >>> printable("\x1b[2J")
    '\\x1b[2J'
    """
    return "".join(
        c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs") else repr(c)[1:-1]
        for c in text
    )


def say(text: str) -> None:
    """Tell the teacher; the terminal may lack a character of a student's name.

    Parameters
    ----------
    text : str
        One sentence, or several lines.
    """
    coding = sys.stderr.encoding or "utf-8"
    text = printable(text)
    print(text.encode(coding, "replace").decode(coding), file=sys.stderr, flush=True)


class Progress:
    """A bar on a terminal; elsewhere a line now and then.

    Parameters
    ----------
    total : int
        How many steps there are.
    """

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
