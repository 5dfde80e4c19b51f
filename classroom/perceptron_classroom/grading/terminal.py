"""What the commands take, print and say of errors, beside what both packages share.

Control characters in students' names and file names are escaped.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TypeVar

from perceptron_notes._kit.terminal import Commands, Parser, positive, printable, reason, say

__all__ = [
    "Commands",
    "Parser",
    "argument",
    "cause",
    "positive",
    "printable",
    "reason",
    "say",
]

T = TypeVar("T")


def argument(read: Callable[[str], T]) -> Callable[[str], T]:
    """Return a reader for argparse, whose message is that of the `ValueError`."""

    def given(text: str) -> T:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return given


def cause(error: OSError) -> str:
    """Return the reason of an error without the file name, which may be that of a temporary one."""
    said = error.strerror or str(error)
    return said[:1].lower() + said[1:]
