"""A student's name, written one way: as a file, on a roster, in a table, on a command line."""

from __future__ import annotations

import unicodedata

__all__ = ["fold", "normal"]


def normal(text: str) -> str:
    """Spell a name as the grader does, whatever file system or spreadsheet it comes from.

    Composed letters (NFC), single spaces, no controls, nothing that UTF-8 cannot write.
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
    """Tell whether a text holds halves of characters that stand for no byte."""
    return any("\ud800" <= c <= "\udfff" and not "\udc80" <= c <= "\udcff" for c in text)


def harmless(character: str) -> str:
    """Return what stands for a character in a name."""
    if character == ";":
        return ","
    kind = unicodedata.category(character)
    return " " if kind in ("Cc", "Zl", "Zp", "Zs") else "" if kind in ("Cf", "Cs") else character


def fold(text: str) -> str:
    """Return a name without the difference between capitals and small letters."""
    return normal(normal(text).casefold())
