"""Fonts with only the characters that occur."""

from __future__ import annotations

import io
import logging
from collections.abc import Sequence
from pathlib import Path

from fontTools.subset import Options, Subsetter, load_font, save_font
from fontTools.varLib.instancer import instantiateVariableFont

logging.getLogger("fontTools").setLevel(logging.WARNING)  # it reports each table


#: Of a text face: what typography does by itself. (All features would keep all alternates.)
TEXT = ["calt", "ccmp", "kern", "liga", "locl", "mark", "mkmk", "tnum"]


def subset(
    file: Path,
    characters: set[str],
    features: Sequence[str] = ("*",),
    weights: int | tuple[int, int] = (400, 700),
) -> bytes:
    """The woff2 file of a font, without what these characters do not need.

    A variable one keeps these weights.
    """
    options = Options(
        flavor="woff2", layout_features=list(features), notdef_outline=True, hinting=False
    )
    font = load_font(str(file), options)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=map(ord, characters))
    subsetter.subset(font)
    if "fvar" in font:
        instantiateVariableFont(font, {"wght": weights}, inplace=True)
    out = io.BytesIO()
    save_font(font, out, options)
    return out.getvalue()
