"""Subset fonts to the characters that occur, and convert them for matplotlib."""

import io
import logging
from collections.abc import Sequence
from pathlib import Path

from fontTools.subset import Options, Subsetter, load_font, save_font
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

logging.getLogger("fontTools").setLevel(logging.WARNING)  # it reports each table

#: Features of a text face that are on by default. (All features would keep all alternates; and no
#: page has an accent that is a letter of its own, to be set above another.)
TEXT = ["calt", "kern", "liga", "tnum"]


def subset(
    file: Path,
    characters: set[str],
    family: str,
    features: Sequence[str] = ("*",),
    weights: int | tuple[int, int] = (400, 700),
) -> bytes:
    """Return a woff2 file of a font with only these characters.

    A variable font keeps these weights. It is renamed, as the licence of most (SIL OFL) lets
    only the complete font keep its name. It still states its copyright and licence.
    """
    options = Options(
        flavor="woff2",
        layout_features=list(features),
        name_IDs=[0, 13, 14],  # copyright, licence, and address of the licence
        notdef_outline=True,
        hinting=False,
    )
    options.drop_tables += ["BASE", "STAT", "gasp"]  # for lines, menus and hints
    font = load_font(str(file), options)
    if "fvar" in font:
        font["fvar"].instances = []  # named instances, for menus
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=map(ord, characters))
    subsetter.subset(font)
    if "fvar" in font:
        instantiateVariableFont(font, {"wght": weights}, inplace=True)
    for place, name in {1: family, 4: family, 6: family.replace(" ", "")}.items():
        font["name"].setName(name, place, 3, 1, 0x409)
    out = io.BytesIO()
    save_font(font, out, options)
    return out.getvalue()


def as_drawn(file: Path, family: str, weight: int) -> bytes:
    """Return a TrueType file of a variable woff2 font in one weight, named `family`.

    Lines are only as high as the letters need, as they label axes. And at any size
    lower-case letters are as tall as those of DejaVu Sans, for which the figures are laid out.
    """
    font = TTFont(file, recalcTimestamp=False)  # the same bytes at each build
    instantiateVariableFont(font, {"wght": weight}, inplace=True)
    font["name"].setName(family, 1, 3, 1, 0x409)
    box, os2 = font["head"], font["OS/2"]
    high, low = (round(em * box.unitsPerEm) for em in (0.76, -0.24))
    font["hhea"].ascent = os2.sTypoAscender = os2.usWinAscent = high
    font["hhea"].descent = os2.sTypoDescender = low
    os2.usWinDescent, font["hhea"].lineGap, os2.sTypoLineGap = -low, 0, 0
    box.unitsPerEm = round(os2.sxHeight / 0.547)
    font.flavor = None
    out = io.BytesIO()
    font.save(out)
    return out.getvalue()
