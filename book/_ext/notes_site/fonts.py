"""Fonts with only the characters that occur."""

from __future__ import annotations

import io
import logging
from pathlib import Path

from fontTools.subset import Options, Subsetter, load_font, save_font

logging.getLogger("fontTools").setLevel(logging.WARNING)  # it reports each table


def subset(file: Path, characters: set[str]) -> bytes:
    """The woff2 file of a font, without what these characters do not need."""
    options = Options(flavor="woff2", layout_features=["*"], notdef_outline=True, hinting=False)
    font = load_font(str(file), options)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=map(ord, characters))
    subsetter.subset(font)
    out = io.BytesIO()
    save_font(font, out, options)
    return out.getvalue()
