"""Put matplotlib's SVG into the page, with variables for its colours, so that it follows the theme.

Three things happen while the site is built, and none of them touches a committed notebook:

- the kernels that execute the chapters draw SVG, the same bytes at every build, in the letters of
  the pages' captions;
- a drawn figure becomes an inline `<svg>`, made small by SVGO, in which the palette of
  `perceptron_notes.figures` is replaced by the CSS variables of `notes.css`, so that it reads on a
  light and on a dark page;
- a figure without alternative text is a warning, which fails our build.

Builders other than HTML keep the ordinary image.
"""

import functools
import os
import re
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

from . import typefaces
from .fonts import as_drawn
from .npm import Tools, install, tools

#: The text's width in points (`--pn-measure` of notes.css): wider figures extend into the margin.
COLUMN = 38 * 16 * 0.75
#: The face of captions, and its file: variable, for the letters of western languages.
SANS, LATIN = "source-sans-3", "latin-wght-normal"
FAMILY = typefaces.FAMILIES[SANS][0]

logger = logging.getLogger(__name__)

# How cells draw, both in the kernels that the build starts and in a page (live.py).
PICTURES = """\
c.InlineBackend.figure_formats = {"svg"}
# The figure's own size (a tight box would give each figure another width), and nothing in the file
# that changes from build to build.
c.InlineBackend.print_figure_kwargs = {
    "bbox_inches": None,
    "metadata": {"Date": None, "Creator": None, "Format": None, "Type": None},
}
import os
os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"  # which a kernel says later
from matplotlib import font_manager, rcParams
for font in FONTS:
    font_manager.fontManager.addfont(font)
rcParams["svg.hashsalt"] = "perceptron_notes"
# What the first does not have is in the second, which comes with matplotlib.
rcParams["font.family"] = [FAMILY, "DejaVu Sans"]
"""


def fonts(node_modules: Path, folder: Path) -> list[Path]:
    """Write the captions' fonts in a format that matplotlib reads; return the files."""
    latin = node_modules / typefaces.FOLDER / SANS / f"files/{SANS}-{LATIN}.woff2"
    files = {folder / f"{weight}.ttf": weight for weight in (400, 700)}
    for file, weight in files.items():
        file.write_bytes(as_drawn(latin, FAMILY, weight))
    return [*files]


def pictures(fonts: list[str]) -> str:
    """Return IPython's configuration for drawing with these font files."""
    return f"FAMILY, FONTS = {FAMILY!r}, {fonts!r}\n{PICTURES}"


def configure_kernels(app: Sphinx, _config: Config) -> None:
    """Point the kernels at an IPython folder of the build's own."""
    folder = Path(app.outdir).parent / ".ipython"
    profile = folder / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    files = fonts(install(tools(app).folder), folder.resolve())
    (profile / "ipython_kernel_config.py").write_text(pictures([*map(str, files)]), "utf-8")
    os.environ["IPYTHONDIR"] = str(folder.resolve())


@functools.cache
def palette() -> dict[str, str]:
    """Map each colour of the figures' palette, which is the package's, to its CSS variable."""
    from perceptron_notes.figures.plots import PALETTE

    return {colour.lower(): f"var(--pn-{name}, {colour})" for name, colour in PALETTE.items()}


def inline(ask: Tools, svg: str, alt: str, prefix: str) -> str:
    """Turn matplotlib's SVG file into an element of a page: themed, smaller, with unique ids."""
    (width,) = re.findall(r'viewBox="0 0 ([\d.]+) ', svg)[:1]
    kind = "figure wide" if float(width) > COLUMN else "figure"
    svg = re.sub(r"#[0-9a-fA-F]{6}\b", lambda m: palette().get(m[0].lower(), m[0]), svg)
    small = ask("svgo", svg=svg[svg.index("<svg") :], prefix=prefix)
    return small.replace(
        "<svg",
        f'<svg class="{kind}" role="img" aria-label="{escape(alt)}" style="max-width: {width}pt"',
        1,
    )


class InlineFigures(SphinxPostTransform):
    """Inserts the cells' figures in the page as SVG elements."""

    default_priority = 500  # after MyST-NB has chosen between an output's formats
    formats = ("html",)

    def run(self, **_kwargs: Any) -> None:
        """Replace each image among the outputs of cells."""
        count = 0
        for image in list(self.document.findall(nodes.image)):
            path = Path(self.env.srcdir, image["uri"])
            if path.parent.name != "jupyter_execute":  # an image of the author's, not of a cell
                continue
            if not image.get("alt"):
                logger.warning(
                    "%s: a figure has no alternative text; say in the cell's metadata "
                    "(mystnb.image.alt) what it shows",
                    self.env.docname,
                    location=image,
                )
            if path.suffix == ".svg":
                count += 1
                drawn, alt = path.read_text("utf-8"), image.get("alt", "")
                svg = inline(tools(self.app), drawn, alt, f"fig{count}")
                image.replace_self(nodes.raw("", svg, format="html"))


def setup(app: Sphinx) -> None:
    """Configure the kernels, and the handling of their SVG."""
    app.setup_extension("notes_site.npm")
    app.connect("config-inited", configure_kernels)
    app.add_post_transform(InlineFigures)
