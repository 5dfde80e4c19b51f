"""The common base of the Explorer and the scenes: scripts, words, and still pictures."""

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import anywidget
import matplotlib.pyplot as plt
import traitlets
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from perceptron_notes._kit.palette import DARK, declared

__all__ = ["Living", "figure_words", "module", "still_picture", "style"]

_T = TypeVar("_T")
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "(.+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const) (\w+|\[.*?\]))", re.MULTILINE)


def module(script: Path) -> str:
    """Return a script and all that it imports as the single module that anywidget takes.

    The scripts import by name and rename nothing. So each import can become a function, called
    at once, that returns what the script exports; all other names stay private to it.
    """
    parts: dict[Path, str] = {}

    def scope(file: Path) -> str:
        return f"{file.parent.name}_{file.stem}"

    def add(file: Path) -> None:
        def known(found: re.Match[str]) -> str:
            other = (file.parent / found[2]).resolve()
            if other not in parts:
                add(other)
            return f"const {found[1]} = {scope(other)};"

        body = _IMPORT.sub(known, file.read_text("utf-8"))
        if file != script:
            names = re.findall(r"\w+", " ".join(_EXPORT.findall(body)))
            end = f"return {{ {', '.join(names)} }};\n}})();\n"
            body = f"const {scope(file)} = (() => {{\n{_EXPORT.sub('', body)}{end}"
        parts[file] = body

    add(script)
    return "\n".join(parts.values())


def style(*more: Path) -> str:
    """Return the stylesheets of a figure as one, with declarations of the tones that they use."""
    dark = f'body[data-jp-theme-light="false"] .pn-stage {{ {declared("tone", DARK)} }}'
    tones = f".pn-stage {{ {declared('tone')} }}\n{dark}\n"
    sheets = [Path(__file__).with_name(f"{name}.css") for name in ("stage", "picture")]
    return tones + "".join(sheet.read_text("utf-8") for sheet in [*sheets, *more])


def figure_words(table: Path, scene: str | None = None) -> dict[str, str]:
    """Return the words of a figure; for a scene, those of all scenes and its own."""
    rows = csv.DictReader(io.StringIO(table.read_text("utf-8")))
    return {row["key"]: row["en"] for row in rows if row.get("scene") in (None, "all", scene)}


def still_picture(draw: Callable[[Figure], _T], size: Any, kind: str = "png") -> tuple[bytes, _T]:
    """Draw in the notes' style; return a file of this kind, and the result of `draw`."""
    with plt.style.context("perceptron_notes.figures.notes"):
        figure = Figure(figsize=size)
        FigureCanvasAgg(figure)
        told = draw(figure)
        stream = io.BytesIO()
        undated = {"Date" if kind == "svg" else "Software": None}
        figure.savefig(stream, format=kind, dpi=160, metadata=undated)
    return stream.getvalue(), told


class Living(anywidget.AnyWidget):
    """An interactive figure that has a still picture for paper.

    Attributes
    ----------
    words : dict
        The texts of its page, by key.
    alt : str
        What the still picture shows, in a sentence.
    """

    #: The width and height of the still picture, in inches.
    size: Any = (5.2, 4.2)
    alt: Any = ""
    words = traitlets.Dict().tag(sync=True)

    def draw(self, figure: Figure) -> None:
        """Draw the present state for paper, with Matplotlib."""
        raise NotImplementedError(f"{type(self).__name__} draws no still picture")

    def still(self) -> bytes:
        """Return the present state as a PNG with a transparent background."""
        return still_picture(self.draw, self.size)[0]

    def _repr_mimebundle_(self, **_kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the figure, and for paper a still picture of it."""
        bundle, metadata = super()._repr_mimebundle_() or ({}, {})
        shown = {**bundle, "text/plain": repr(self), "image/png": self.still()}
        return shown, {**metadata, "image/png": {"alt": self.alt}}
