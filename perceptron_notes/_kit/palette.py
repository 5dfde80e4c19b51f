"""The colours of the notes, by what they mean: defined here and nowhere else.

Pictures, pages and stylesheets take them from here. A stand-alone file, such as a picture
in git, names the colour beside its tone, ``#2f7fc1 /* positive */``, and a test compares them.
"""

from collections.abc import Mapping

#: Middle tones, so that one picture can be read on white and on dark paper.
PALETTE = {
    "ink": "#5b6470",
    "faint": "#87919c",
    "positive": "#2f7fc1",
    "negative": "#d1603d",
    "accent": "#8a63c9",
    "good": "#2e9a6b",
    "warn": "#b27e00",
}
#: The tones on a dark page.
DARK = {
    "ink": "#aab3bd",
    "faint": "#77818c",
    "positive": "#5fa9e6",
    "negative": "#ee8a66",
    "accent": "#b394ea",
    "good": "#52c191",
    "warn": "#e0b040",
}


def declared(prefix: str, tones: Mapping[str, str] = PALETTE) -> str:
    """Return tones as declarations of CSS properties, ``--prefix-ink: #5b6470;`` and so on."""
    return " ".join(f"--{prefix}-{name}: {tone};" for name, tone in tones.items())
