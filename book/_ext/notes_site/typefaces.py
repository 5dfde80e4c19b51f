"""The book's typefaces: Source Serif 4, Source Sans 3 and Source Code Pro (SIL OFL), from npm.

The files are fontsource's. `trim.py` cuts them to the characters that occur, and puts those that
every page is set in into the stylesheet.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

from .npm import install

FOLDER = "@fontsource-variable"


#: By package: the family's name in CSS, and its styles.
FAMILIES = {
    "source-serif-4": ("Source Serif 4", ("normal", "italic")),
    "source-sans-3": ("Source Sans 3", ("normal",)),
    "source-code-pro": ("Source Code Pro", ("normal",)),
}


def start(app: Sphinx, config: Config) -> None:
    """Put the files and one stylesheet where Sphinx copies static files from."""
    packages = install(app.tools.folder) / FOLDER
    static = Path(app.outdir).parent / ".typefaces"
    folder = static / "type"
    folder.mkdir(parents=True, exist_ok=True)
    rules = []
    for package, (family, styles) in FAMILIES.items():
        for style in styles:
            sheet = packages / package / f"wght{'' if style == 'normal' else '-italic'}.css"
            css = sheet.read_text("utf-8").replace(f"{family} Variable", family)
            rules.append(css.replace("./files/", "./"))
            for file in (packages / package / "files").glob(f"*-wght-{style}.woff2"):
                shutil.copyfile(file, folder / file.name)
    (folder / "type.css").write_text("\n".join(rules), "utf-8")
    config.html_static_path.append(str(static.resolve()))


def setup(app: Sphinx) -> dict[str, Any]:
    app.setup_extension("notes_site.npm")
    app.connect("config-inited", start)
    app.add_css_file("type/type.css", priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
