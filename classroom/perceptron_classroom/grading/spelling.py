"""A student's name, written one way: as a file, on a roster, in a table, on a command line."""

from __future__ import annotations

import unicodedata

__all__ = ["fold", "normal"]


def normal(text: str) -> str:
    r"""A name as the grader writes it, whatever file system or spreadsheet it comes from.

    Parameters
    ----------
    text : str
        The name of a file, or what a cell holds.

    Returns
    -------
    str
        Composed letters (NFC), single spaces, no controls, nothing that UTF-8 cannot write. A
        second time changes nothing.

    Examples
    --------
    >>> normal("  Zoe\u0308\u00a0Lee\r")
    'Zoë Lee'
    """
    try:
        text.encode()
    except UnicodeEncodeError:  # bytes of a file's name that are no UTF-8: old systems' Latin-1
        text = text.encode("utf-8", "surrogatepass" if lone(text) else "surrogateescape").decode(
            "utf-8" if lone(text) else "latin-1", "replace"
        )
    # Controls and directions could rewrite a terminal's line; a semicolon splits a table's cell.
    text = "".join(map(harmless, unicodedata.normalize("NFC", text)))
    return " ".join(text.split()) or "(no name)"


def lone(text: str) -> bool:
    """Whether it holds halves of characters that stand for no byte."""
    return any("\ud800" <= c <= "\udfff" and not "\udc80" <= c <= "\udcff" for c in text)


def harmless(character: str) -> str:
    """What stands for a character in a name."""
    if character == ";":
        return ","
    kind = unicodedata.category(character)
    return " " if kind in ("Cc", "Zl", "Zp", "Zs") else "" if kind in ("Cf", "Cs") else character


def fold(text: str) -> str:
    """A name without the difference between capitals and small letters.

    Parameters
    ----------
    text : str
        A name.

    Returns
    -------
    str
    """
    return normal(normal(text).casefold())
