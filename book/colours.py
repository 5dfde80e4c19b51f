"""Write the palette into standalone files that name their colours.

    python book/colours.py

The colour before ``/* positive */`` becomes what `PALETTE` has under that name, and the one before
``/* positive, dark */`` what `DARK` has. All else takes its colours from the palette itself.
"""

import re
from pathlib import Path

from perceptron_notes._kit.palette import DARK, PALETTE

ROOT = Path(__file__).parent.parent
FILES = [
    *(ROOT / "book" / name for name in ("cover.svg", "_assets/favicon.svg", "epub.css")),
    ROOT / "classroom/perceptron_classroom/grading/templates/page.css",
]


def coloured(text: str) -> str:
    """Return a text in which each named colour has its value from the palette."""

    def tone(found: re.Match[str]) -> str:
        return (DARK if found[3] else PALETTE)[found[2]] + found[1]

    return re.sub(r"#[0-9a-f]{6}(;? /\* (\w+)(, dark)? \*/)", tone, text)


if __name__ == "__main__":
    for file in FILES:
        file.write_text(coloured(file.read_text("utf-8")), "utf-8")
