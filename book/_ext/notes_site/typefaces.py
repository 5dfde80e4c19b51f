"""Ship the book's typefaces: Source Serif 4, Source Sans 3, Source Code Pro (SIL OFL), from npm.

The files are fontsource's. `trim.py` cuts them to the characters that occur, and puts those that
every page is set in into the stylesheet. Here they have other names, because their licence reserves
the name "Source" to the whole fonts.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

from .npm import install, tools

FOLDER = "@fontsource-variable"
#: By package: the family's name here, and its styles.
FAMILIES = {
    "source-serif-4": ("Notes Serif", ("normal", "italic")),
    "source-sans-3": ("Notes Sans", ("normal",)),
    "source-code-pro": ("Notes Code", ("normal",)),
}


def start(app: Sphinx, config: Config) -> None:
    """Put the files and one stylesheet where Sphinx copies static files from."""
    packages = install(tools(app).folder) / FOLDER
    static = Path(app.outdir).parent / ".typefaces"
    folder = static / "type"
    folder.mkdir(parents=True, exist_ok=True)
    rules = []
    for package, (family, styles) in FAMILIES.items():
        for style in styles:
            sheet = packages / package / f"wght{'' if style == 'normal' else '-italic'}.css"
            css = re.sub(
                "font-family: '[^']*'", f"font-family: '{family}'", sheet.read_text("utf-8")
            )
            rules.append(css.replace("./files/", "./"))
            for file in (packages / package / "files").glob(f"*-wght-{style}.woff2"):
                shutil.copyfile(file, folder / file.name)
    (folder / "type.css").write_text("\n".join(rules), "utf-8")
    config.html_static_path.append(str(static.resolve()))


def setup(app: Sphinx) -> None:
    """Ship them."""
    app.setup_extension("notes_site.npm")
    app.connect("config-inited", start)
    app.add_css_file("type/type.css", priority=100)
