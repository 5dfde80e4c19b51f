"""What a command line says, and how a command speaks."""

from __future__ import annotations

import argparse
import os
import sys
import unicodedata
from typing import Any, TypeAlias

__all__: list[str] = []


class Parser(argparse.ArgumentParser):
    """A parser that repeats what it was given without the codes that steer a terminal."""

    def _print_message(self, message: str, file: Any = None) -> None:
        super()._print_message(printable(message), file)


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


def reason(error: Exception) -> str:
    """Why the system refused something, without its number.

    Parameters
    ----------
    error : Exception
        An OSError, or another one, which speaks for itself.

    Returns
    -------
    str

    Examples
    --------
    >>> reason(FileNotFoundError(2, "No such file or directory", "ps1.ipynb"))
    'ps1.ipynb: no such file or directory'
    """
    if not isinstance(error, OSError):
        return str(error)
    name = error.filename2 or error.filename
    why = cause(error)
    return f"{os.fsdecode(name)}: {why}" if isinstance(name, str | bytes) else why


def cause(error: OSError) -> str:
    """The same without the name of the file, which may be that of a draft.

    Parameters
    ----------
    error : OSError
        What went wrong.

    Returns
    -------
    str
    """
    if not error.strerror:
        return str(error)
    return error.strerror[:1].lower() + error.strerror[1:]
