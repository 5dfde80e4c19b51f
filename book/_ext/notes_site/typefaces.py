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
    """Of a face, in ems: the mean width of a letter of this book's text, and what a line needs."""

    width: float
    ascent: float
    descent: float


#: By package: the family's name in CSS, its measures, its styles.
FAMILIES = {
    "source-serif-4": ("Source Serif 4", Measures(0.479, 1.036, 0.335), ("normal", "italic")),
    "source-sans-3": ("Source Sans 3", Measures(0.419, 1.024, 0.4), ("normal",)),
    "source-code-pro": ("Source Code Pro", Measures(0.6, 0.984, 0.273), ("normal",)),
}
#: What stands in: faces of equal measures, under the names that systems have for them, and their
#: mean width. The first of a family that a machine has is taken.
STANDINS = {
    "Source Serif 4": {
        ("Georgia", "Gelasio"): 0.443,
        ("Times New Roman", "Liberation Serif", "Tinos"): 0.404,
        ("DejaVu Serif",): 0.516,
    },
    "Source Sans 3": {
        ("Arial", "Liberation Sans", "Arimo", "Roboto"): 0.446,
        ("DejaVu Sans",): 0.510,
    },
    "Source Code Pro": {
        ("Courier New", "Liberation Mono", "Cousine", "Menlo", "DejaVu Sans Mono"): 0.6,
    },
}


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
    """A rule for each face that may stand in, numbered: `Source Serif 4 1`, and so on."""
    rules = []
    for count, (names, width) in enumerate(STANDINS[family].items(), 1):
        scale = face.width / width
        local = ", ".join(f'local("{name}")' for name in names)
        rules.append(
            f'@font-face {{ font-family: "{family} {count}"; src: {local}; '
            f"size-adjust: {scale:.1%}; ascent-override: {face.ascent / scale:.1%}; "
            f"descent-override: {face.descent / scale:.1%}; line-gap-override: 0%; }}"
        )
    return rules


def setup(app: Sphinx) -> dict[str, Any]:
    app.setup_extension("notes_site.npm")
    app.connect("config-inited", start)
    app.add_css_file("type/type.css", priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
