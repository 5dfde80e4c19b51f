"""The book's typefaces: Source Serif 4, Source Sans 3 and Source Code Pro (SIL OFL), from npm.

The files are fontsource's. `trim.py` cuts them to the characters that occur. Until one is there,
the page is set in a face that every machine has, stretched to the same measures, so that nothing
moves when the letters change.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, NamedTuple

from sphinx.application import Sphinx
from sphinx.config import Config

from .npm import install

FOLDER = "@fontsource-variable"


class Measures(NamedTuple):
    """Of a family, in ems: what a line needs, and the mean width of a letter in each style."""

    ascent: float
    descent: float
    widths: dict[str, float]


#: By package: the family's name in CSS, its measures, its styles.
FAMILIES = {
    "source-serif-4": (
        "Source Serif 4",
        Measures(1.036, 0.335, {"": 0.4646, "Bold": 0.4880, "Italic": 0.4310}),
        ("normal", "italic"),
    ),
    "source-sans-3": (
        "Source Sans 3",
        Measures(1.024, 0.4, {"": 0.4065, "Bold": 0.4188}),
        ("normal",),
    ),
    "source-code-pro": ("Source Code Pro", Measures(0.984, 0.273, {"": 0.6}), ("normal",)),
}
#: What stands in: faces of equal measures, under the names that systems have for them, and the
#: mean widths of their letters. The first of a family that a machine has is taken. All widths are
#: a browser's, of this book's text, of what is bold in it, and of what is slanted.
STANDINS = {
    "Source Serif 4": {
        ("Georgia", "Gelasio"): {"": 0.4356, "Bold": 0.5197, "Italic": 0.4485},
        ("Times New Roman", "Liberation Serif", "Tinos"): {
            "": 0.3980,
            "Bold": 0.4362,
            "Italic": 0.4043,
        },
        ("Noto Serif",): {"": 0.4683, "Bold": 0.5105, "Italic": 0.4593},
        ("DejaVu Serif",): {"": 0.5070, "Bold": 0.5687, "Italic": 0.5106},
    },
    "Source Sans 3": {
        ("Arial", "Liberation Sans", "Arimo"): {"": 0.4392, "Bold": 0.4706},
        ("Roboto",): {"": 0.4371, "Bold": 0.4440},
        ("DejaVu Sans",): {"": 0.5000, "Bold": 0.5648},
    },
    "Source Code Pro": {
        ("Menlo", "DejaVu Sans Mono"): {"": 0.602},
        ("Consolas",): {"": 0.55},
        ("Liberation Mono", "Cousine", "Courier New"): {"": 0.6},
    },
}
#: How a rule says for which text a style is.
DESCRIPTORS = {"": "", "Bold": "font-weight: 600 900; ", "Italic": "font-style: italic; "}


def start(app: Sphinx, config: Config) -> None:
    """Put the files and one stylesheet where Sphinx copies static files from."""
    packages = install(app.tools.folder) / FOLDER
    static = Path(app.outdir).parent / ".typefaces"
    folder = static / "type"
    folder.mkdir(parents=True, exist_ok=True)
    rules = []
    for package, (family, measures, styles) in FAMILIES.items():
        for style in styles:
            sheet = packages / package / f"wght{'' if style == 'normal' else '-italic'}.css"
            css = sheet.read_text("utf-8").replace(f"{family} Variable", family)
            rules.append(css.replace("./files/", "./"))
            for file in (packages / package / "files").glob(f"*-wght-{style}.woff2"):
                shutil.copyfile(file, folder / file.name)
        rules += standins(family, measures)
    (folder / "type.css").write_text("\n".join(rules), "utf-8")
    config.html_static_path.append(str(static.resolve()))


def standins(family: str, face: Measures) -> list[str]:
    """The rules of the faces that may stand in, numbered: `Source Serif 4 1`, and so on."""
    rules = []
    for count, (names, widths) in enumerate(STANDINS[family].items(), 1):
        for style, width in widths.items():
            scale = face.widths[style] / width
            local = ", ".join(f'local("{f"{name} {style}".strip()}")' for name in names)
            rules.append(
                f'@font-face {{ font-family: "{family} {count}"; {DESCRIPTORS[style]}src: {local}; '
                f"size-adjust: {scale:.1%}; ascent-override: {face.ascent / scale:.1%}; "
                f"descent-override: {face.descent / scale:.1%}; line-gap-override: 0%; }}"
            )
    return rules


def setup(app: Sphinx) -> dict[str, Any]:
    app.setup_extension("notes_site.npm")
    app.connect("config-inited", start)
    app.add_css_file("type/type.css", priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
