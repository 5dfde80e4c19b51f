"""The command ``perceptron-classroom``: hand out problem sets, grade what comes back."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from importlib import metadata

from perceptron_classroom.grading import commands
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.terminal import Parser, reason, say

__all__ = ["main", "parser"]


def parser() -> Parser:
    """Return the parser of the command line."""
    top = Parser(
        prog="perceptron-classroom", description="Hand out problem sets and grade what comes back."
    )
    version = f"%(prog)s {metadata.version('perceptron_classroom')}"
    top.add_argument("--version", action="version", version=version)
    below = top.add_subparsers(dest="command", required=True)
    for command in commands.ALL:
        command.add(below)
    return top


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line, and return its exit code."""
    options = parser().parse_args(words)
    try:
        done: int = options.run(options)
        return done
    except (Refused, ValueError, OSError) as error:
        say(f"perceptron-classroom: {reason(error)}")
        return 1
    except KeyboardInterrupt:
        say("\nStopped. The same command goes on from here.")
        return 128 + signal.SIGINT
