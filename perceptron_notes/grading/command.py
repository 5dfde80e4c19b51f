"""The command ``perceptron-notes``: hand out problem sets, grade what comes back."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from perceptron_notes.grading import commands
from perceptron_notes.grading.sandbox import Refused
from perceptron_notes.grading.terminal import say

__all__ = ["main", "parser"]


def parser() -> argparse.ArgumentParser:
    """What the command line may say.

    Returns
    -------
    argparse.ArgumentParser
    """
    top = argparse.ArgumentParser(
        prog="perceptron-notes", description="Hand out problem sets and grade what comes back."
    )
    below = top.add_subparsers(dest="command", required=True)
    for command in commands.ALL:
        command.add(below)
    return top


def main(words: Sequence[str] | None = None) -> int:
    """Do what the command line says.

    Parameters
    ----------
    words : sequence of str, optional
        The command line without the program's name; that of the process if left out.

    Returns
    -------
    int
        0 if all went well, 1 if not, 130 if it was stopped.
    """
    options = parser().parse_args(words)
    try:
        done: int = options.run(options)
        return done
    except (Refused, ValueError, OSError) as error:
        say(f"perceptron-notes: {error}")
        return 1
    except KeyboardInterrupt:
        say("\nStopped. The same command goes on from here.")
        return 130
