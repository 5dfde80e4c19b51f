"""Normalise students' names from files, rosters, tables and the command line."""

from __future__ import annotations

import unicodedata

__all__ = ["fold", "normal", "turned"]


def normal(text: str) -> str:
    """Return a name in the grader's spelling, whatever file system or spreadsheet it is from.

    Composed letters (NFC), single spaces, no controls, nothing that UTF-8 cannot write.
    """
    try:
        text.encode()
    except UnicodeEncodeError:  # a file name that is not UTF-8: Latin-1 from old systems
        text = text.encode("utf-8", "surrogatepass" if lone(text) else "surrogateescape").decode(
            "utf-8" if lone(text) else "latin-1", "replace"
        )
    # Control and direction characters could rewrite a terminal's line; a semicolon splits a cell.
    text = "".join(map(harmless, unicodedata.normalize("NFC", text)))
    return " ".join(text.split()) or "(no name)"


def lone(text: str) -> bool:
    """Return whether a text contains lone surrogates that stand for no byte."""
    return any("\ud800" <= c <= "\udfff" and not "\udc80" <= c <= "\udcff" for c in text)


def harmless(character: str) -> str:
    """Return the replacement of a character in a name."""
    if character == ";":
        return ","
    kind = unicodedata.category(character)
    return " " if kind in ("Cc", "Zl", "Zp", "Zs") else "" if kind in ("Cf", "Cs") else character


def turned(name: str) -> str:
    """Return a name as one says it.

    Examples
    --------
    >>> turned("Smith, Ann"), turned("Ann Smith")
    ('Ann Smith', 'Ann Smith')
    """
    last, comma, first = name.partition(", ")
    return f"{first} {last}" if comma and first and "," not in first else name


def fold(text: str) -> str:
    """Return a name for comparison regardless of case."""
    return normal(normal(text).casefold())
