"""Convert the site's formulas to MathML that e-book readers display well.

KaTeX writes MathML 3 for screen readers. Visible formulas need MathML Core, which is what
browsers know: bold letters are Unicode's, the columns of a table have styles, a sign that belongs
to a number is marked. And no line may break within a formula: so a long one becomes
several.
"""

import re
import unicodedata
from copy import copy
from itertools import cycle

from bs4 import Tag
from notes_site.formulas import words

#: The kinds of letters that browsers support in MathML only as Unicode characters.
LETTERS = {
    "bold": "BOLD",
    "bold-italic": "BOLD ITALIC",
    "double-struck": "DOUBLE-STRUCK",
    "script": "SCRIPT",
    "sans-serif": "SANS-SERIF",
}
#: Where a line may end within a formula; what precedes a binary sign; what stands
#: around a length.
RELATIONS = set("=<>≤≥≠≈∈←→↦⟺")
CLOSING = set(")]}⌋!′∗…⋯")
BARS = {"∥", "∣"}


def set_formula(formula: Tag) -> None:
    """Reduce a formula to MathML that all browsers support, and its text in words."""
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
            sign["form"] = "prefix"  # a number's sign, not an operator
    # Browsers read the settings of a table's columns from style sheets only.
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
        whole.extend(list(whole.next_siblings))  # a sign stays on the line of the preceding term
        del beside["class"]
    for part in parts[1:]:
        part.mo["lspace"] = "0"
    for part in parts[:-1]:
        part.insert_after(" ")


def opens(before: Tag) -> bool:
    """Return whether a sign after this is unary: after a bracket, a bar, another sign."""
    text = before.get_text()
    if text in BARS:  # the first, third, …
        return sum(one.get_text() in BARS for one in before.find_previous_siblings()) % 2 == 0
    return before.name == "mo" and text not in CLOSING


def broken(mathml: Tag) -> list[Tag]:
    """Return a formula in parts, so that a line may end before a relation; browsers break none."""
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
    """Return a letter of another kind: for BOLD, w becomes 𝐰; other signs are unchanged."""
    name = re.sub("LATIN |GREEK |LETTER ", "", unicodedata.name(sign, ""))
    for full in (f"MATHEMATICAL {kind} {name}", f"{kind} {name}"):
        try:
            return unicodedata.lookup(full)
        except KeyError:
            pass
    return sign
