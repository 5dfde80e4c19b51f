"""Figures that follow the theme: matplotlib's SVG goes into the page, its colours become variables.

Three things happen while the site is built, and none of them touches a committed notebook:

- the kernels that execute the chapters draw SVG, the same bytes at every build;
- a drawn figure becomes an inline `<svg>`, in which the palette of `perceptron_notes.figures` is
  replaced by the CSS variables of `notes.css`, so that it reads on a light and on a dark page;
- a figure without alternative text is a warning, which fails our build.

Builders other than HTML keep the ordinary image.
"""

from __future__ import annotations

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

logger = logging.getLogger(__name__)

# Read by every kernel that the build starts: see IPYTHONDIR below.
KERNEL_CONFIG = """\
c.InlineBackend.figure_formats = {"svg"}
# The figure's own size (a tight box would give each figure another width), and nothing in the file
# that changes from build to build.
c.InlineBackend.print_figure_kwargs = {
    "bbox_inches": None,
    "metadata": {"Date": None, "Creator": None, "Format": None, "Type": None},
}
c.InlineBackend.rc = {"svg.hashsalt": "perceptron_notes"}
# Each kernel would warn that it talks to the build, on this machine, without encryption.
c.IPKernelApp.log_level = "ERROR"
# What a cell prints comes in one piece, at its end: where two pieces meet, MyST-NB breaks the line.
from ipykernel.iostream import OutStream
OutStream.flush_interval = 3600
"""


def configure_kernels(app: Sphinx, _config: Config) -> None:
    """Point the kernels at an IPython folder of the build's own."""
    folder = Path(app.outdir).parent / ".ipython"
    profile = folder / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.py").write_text(KERNEL_CONFIG, "utf-8")
    os.environ["IPYTHONDIR"] = str(folder.resolve())


@functools.cache
def palette() -> dict[str, str]:
    """Hex colour to CSS variable: the figures' palette, written down once, in the package."""
    from perceptron_notes.figures import PALETTE

    return {colour.lower(): f"var(--pn-{name}, {colour})" for name, colour in PALETTE.items()}


def inline(svg: str, alt: str, prefix: str) -> str:
    """Matplotlib's SVG file as an element of a page: themed, smaller, its ids its own."""
    svg = svg[svg.index("<svg") :]
    width, height = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups()
    body = svg[svg.index(">") + 1 :]
    body = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", body, flags=re.S)
    body = body.replace("xlink:href", "href")
    body = re.sub(r"#[0-9a-fA-F]{6}\b", lambda m: palette().get(m[0].lower(), m[0]), body)
    # Many of a figure's bytes are digits behind the second place, a hundredth of a point. Scales,
    # which multiply whole glyphs, keep theirs.
    body = re.sub(r' (?:d|x|y)="[^"]*"|translate\([^)]*\)', _shorter, body)
    body = re.sub(r"\s*\n\s*", "\n", body).replace("<defs>\n</defs>\n", "")

    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', body))
    body = re.sub(r' id="([^"]+)"', lambda m: f' id="{prefix}{m[1]}"' if m[1] in used else "", body)
    body = re.sub(r'(href="#|url\(#)', rf"\g<1>{prefix}", body)
    body = re.sub(r'(?<= d=")[^"]*', _straight, body)
    body = _bare_groups_gone(MARKERS.sub(_styled_once, body))
    return (
        f'<svg class="figure" role="img" aria-label="{escape(alt)}" '
        f'viewBox="0 0 {width} {height}" style="max-width: {width}pt">{body.rstrip()}'
    )


def _shorter(coordinates: re.Match) -> str:
    return re.sub(
        r"-?\d+\.\d{3,}", lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), coordinates[0]
    )


def _straight(path: re.Match) -> str:
    """A path without the points in the middle of a level or an upright stretch."""
    kept: list[list[str]] = []
    for line in path[0].strip().split("\n"):
        point = line.split()
        if len(kept) > 1 and point[0] == kept[-1][0] == "L" and len(kept[-2]) > 2:
            x, y = zip(*(map(float, p[-2:]) for p in (*kept[-2:], point)), strict=True)
            if (len(set(x)) == 1 and sorted(y) in (list(y), list(y[::-1]))) or (
                len(set(y)) == 1 and sorted(x) in (list(x), list(x[::-1]))
            ):
                kept.pop()
        kept.append(point)
    return "\n".join(map(" ".join, kept))


# Points, each with a style, in a group of their own.
MARKERS = re.compile(r'<g((?: clip-path="[^"]*")?)>\n((?:<use [^>]*/>\n)+)</g>')


def _styled_once(group: re.Match) -> str:
    styles = set(re.findall(r' style="[^"]*"', group[2]))
    if len(styles) != 1 or group[2].count(" style=") != group[2].count("<use "):
        return group[0]
    (style,) = styles
    return f"<g{group[1]}{style}>\n{group[2].replace(style, '')}</g>"


def _bare_groups_gone(body: str) -> str:
    """Groups that say nothing about their parts are no groups."""
    opened: list[bool] = []

    def keep(tag: re.Match) -> str:
        if tag[0] == "</g>\n":
            return "" if opened.pop() else tag[0]
        opened.append(tag[0] == "<g>\n")
        return "" if opened[-1] else tag[0]

    return re.sub(r"<g[ >][^\n]*\n|</g>\n", keep, body)


class InlineFigures(SphinxPostTransform):
    """Put the figures that the cells drew into the page."""

    default_priority = 500  # after MyST-NB has chosen between an output's formats
    formats = ("html",)

    def run(self, **_kwargs: Any) -> None:
        """Replace each image that a cell put out."""
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
                svg = inline(path.read_text("utf-8"), image.get("alt", ""), f"fig{count}-")
                image.replace_self(nodes.raw("", svg, format="html"))


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("config-inited", configure_kernels)
    app.add_post_transform(InlineFigures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
