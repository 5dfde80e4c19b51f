"""Ship the book's typefaces: Source Serif 4, Source Sans 3, Source Code Pro (SIL OFL), from npm.

The files are fontsource's. `trim.py` subsets them to the characters in use, and embeds those that
every page uses in the stylesheet. Here they have other names, because their licence reserves
the name "Source" for the complete fonts.
"""

import re
import shutil
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

from .npm import install, tools

FOLDER = "@fontsource-variable"
#: By package: the name of the family here, and its styles.
FAMILIES = {
    "source-serif-4": ("Notes Serif", ("normal", "italic")),
    "source-sans-3": ("Notes Sans", ("normal",)),
    "source-code-pro": ("Notes Code", ("normal",)),
}


def start(app: Sphinx, config: Config) -> None:
    """Write the fonts and one stylesheet to a folder of static files."""
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
    """Connect the typefaces to the build."""
    app.setup_extension("notes_site.npm")
    app.connect("config-inited", start)
    app.add_css_file("type/type.css", priority=100)
