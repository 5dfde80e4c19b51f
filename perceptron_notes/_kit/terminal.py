"""Command lines: their parser, and output that is safe on a terminal."""

import argparse
import codecs
import os
import re
import sys
import unicodedata
from textwrap import fill
from typing import Any, TextIO, TypeAlias


class Parser(argparse.ArgumentParser):
    """A parser whose messages repeat no control codes of the arguments that it was given."""

    def _print_message(self, message: str, file: Any = None) -> None:
        super()._print_message(printable(message), file)


#: Characters that are two columns wide, and those of them that do not begin a line.
_WIDE, _NOT_FIRST = re.compile("[\u2e80-\ufaff\uff01-\uff60]"), "，。；：？！、）》”"
#: The object to which a command adds its parser.
Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


def positive(text: str) -> int:
    """Return a positive whole number, read from the command line."""
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} was given; expected a whole number from 1 on")
    return int(text)


def printable(text: str) -> str:
    """Return a text with its control codes escaped, so that it cannot rewrite the terminal."""
    return "".join(
        c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs") else repr(c)[1:-1]
        for c in text
    )


def columns(text: str) -> int:
    """Return how wide a text is on a terminal, where a Chinese character takes two columns."""
    return len(text) + len(_WIDE.findall(text))


def filled(text: str, width: int) -> str:
    """Return a text in lines; between Chinese characters a line may end too."""
    if not _WIDE.search(text):
        return fill(text, width)
    # A second character stands for the second column; a line may end after \f, not after \0.
    wide = re.sub(
        f"{_WIDE.pattern}(?=[{_NOT_FIRST}])|[（《]", "\\g<0>\0", printable(text.replace("\n", " "))
    )
    wide = re.sub(rf"{_WIDE.pattern}(?!\0)", "\\g<0>\f", wide)
    # At the end of a line \f is dropped.
    lines = fill(wide, width - 1, expand_tabs=False, replace_whitespace=False)
    return re.sub("[\0\f]", "", lines)


def _plain(error: Any) -> tuple[str, int]:
    """Replace a character that an encoding lacks, such that no number loses its sign."""
    plain = {"−": "-", "–": "-", "─": "-", "∞": "inf"}
    return plain.get(error.object[error.start], "?"), error.start + 1


codecs.register_error("plain", _plain)


def say(text: str, file: TextIO | None = None) -> None:
    """Print a text at once, to stderr by default, even if the terminal lacks some character."""
    file = file or sys.stderr
    coding = file.encoding or "utf-8"
    print(printable(text).encode(coding, "plain").decode(coding), file=file, flush=True)


def reason(error: Exception) -> str:
    """Return the system's reason for refusing something, without the number of an OSError."""
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    why = error.strerror[:1].lower() + error.strerror[1:]
    name = error.filename2 or error.filename
    return f"{os.fsdecode(name)}: {why}" if isinstance(name, str | bytes) else why
