"""Formulas of the site as MathML that reading programs show well.

KaTeX writes MathML 3 for screen readers. What is to be seen must be of MathML Core, which is what
browsers know: bold letters are Unicode's, the columns of a table have styles, a sign that belongs
to a number says so. And a formula is one thing, which no line may end in: so a long one becomes
several.
"""

from __future__ import annotations

import re
import unicodedata
from copy import copy
from itertools import cycle

from bs4 import Tag
from notes_site.formulas import words

#: The kinds of letters that browsers know in MathML only as letters of Unicode's.
LETTERS = {
    "bold": "BOLD",
    "bold-italic": "BOLD ITALIC",
    "double-struck": "DOUBLE-STRUCK",
    "script": "SCRIPT",
    "sans-serif": "SANS-SERIF",
}
#: Where a line may end within a formula; after what a sign stands between two numbers; what stands
#: around a length.
RELATIONS = set("=<>≤≥≠≈∈←→↦⟺")
CLOSING = set(")]}⌋!′∗…⋯")
BARS = {"∥", "∣"}


def set_formula(formula: Tag) -> None:
    """Leave of a formula its MathML, as all browsers read it, and the same in words."""
    mathml = formula.math
    for letter in mathml.select("[mathvariant]"):
        kind = LETTERS.get(letter["mathvariant"])
        if kind:
            del letter["mathvariant"]
            letter.string = "".join(styled(kind, sign) for sign in letter.get_text())
    for sign in mathml("mo"):
        text, before = sign.get_text(), sign.find_previous_sibling()
        if text in BARS and sign.get("stretchy") == "false":
            sign.name, sign.attrs = "mi", {"mathvariant": "normal"}  # not "parallel to", "divides"
        elif text in "…⋯" or not (before or sign.find_next_sibling()):
            sign["lspace"] = sign["rspace"] = "0"
        elif text in "+−±" and before and opens(before):
            sign["form"] = "prefix"  # of a number, not between two
    # Of a table's columns, browsers take the settings from style sheets only.
    for table in mathml.select("mtable[columnalign]"):
        sides = table["columnalign"].split()
        gaps = ["0em", *table.get("columnspacing", "0.8em").split()]
        for row in table("mtr"):
            for cell, side, gap in zip(row("mtd"), cycle(sides), cycle(gaps), strict=False):
                cell["style"] = f"text-align: {side}; padding-left: {gap}; padding-right: 0"
    parts = [mathml]
    if mathml.get("display") != "block" and "whole" not in formula["class"]:
        parts = broken(mathml)
    for part in parts:
        part["alttext"] = words(str(part))
    last, beside = parts[-1], formula.parent
    formula.replace_with(*parts)
    if len(parts) > 1 and "nobreak" in beside.get("class", []):
        whole = last.wrap(beside.copy_self())
        whole.extend(list(whole.next_siblings))  # a sign stays on the line of what is before it
        del beside["class"]
    for part in parts[1:]:
        part.mo["lspace"] = "0"
    for part in parts[:-1]:
        part.insert_after(" ")


def opens(before: Tag) -> bool:
    """Whether a sign after this begins something: after a bracket, a bar, another sign."""
    text = before.get_text()
    if text in BARS:  # the first, third, …
        return sum(one.get_text() in BARS for one in before.find_previous_siblings()) % 2 == 0
    return before.name == "mo" and text not in CLOSING


def broken(mathml: Tag) -> list[Tag]:
    """A formula in parts, so that a line may end before a relation: browsers break none."""
    parts: list[list] = [[]]
    for one in list(mathml.mrow.contents):
        if one.name == "mo" and one.get_text() in RELATIONS and parts[-1]:
            parts.append([])
        parts[-1].append(one)
    made = []
    for contents in parts:
        part = copy(mathml)
        part.mrow.clear()
        part.mrow.extend(contents)
        made.append(part)
    return made


def styled(kind: str, sign: str) -> str:
    """A letter of another kind: for BOLD, w becomes 𝐰; a sign that has none stays."""
    name = re.sub("LATIN |GREEK |LETTER ", "", unicodedata.name(sign, ""))
    for full in (f"MATHEMATICAL {kind} {name}", f"{kind} {name}"):
        try:
            return unicodedata.lookup(full)
        except KeyError:
            pass
    return sign
