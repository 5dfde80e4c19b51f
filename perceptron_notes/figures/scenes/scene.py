"""What every scene is: a widget whose state is plain JSON, and a still picture of it."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, ClassVar

import anywidget
import numpy as np
import traitlets
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from perceptron_notes.data import Dataset, _check_dataset
from perceptron_notes.figures.explorer.page import read as read_of_explorer

__all__ = ["Scene", "check_on_grid", "read", "script", "style"]

_HERE = files("perceptron_notes.figures.scenes")
#: The explorer's tools under all scenes: they compute, draw, and take in hand.
_TOOLS = ("algorithms.js", "exact.js", "draw.js", "hand.js")


def read(name: str) -> str:
    """The text of one of the files beside this one."""
    return _HERE.joinpath(name).read_text("utf-8")


def _words(scene: str, language: str = "en") -> dict[str, str]:
    """The words of one scene: those of all scenes, and those that begin with its name."""
    rows = list(csv.DictReader(io.StringIO(read("words.csv"))))
    if language not in rows[0] or language in ("key", "scene"):
        known = ", ".join(column for column in rows[0] if column not in ("key", "scene"))
        raise ValueError(f"language is {language!r}; words.csv has {known}")
    return {row["key"]: row[language] for row in rows if row["scene"] in ("all", scene)}


def check_on_grid(data: Dataset, parts: int, word: str) -> None:
    """Raise ValueError unless a reader could have put the samples where they are."""
    if _check_dataset(data).n > 20 or data.d != 2 or not data.intercept:
        raise ValueError(f"data is {data!r}; expected at most 20 samples of the plane")
    steps = data.points * parts
    if (steps != np.round(steps)).any() or (np.abs(data.points) > [4, 3]).any():
        raise ValueError(f"data is off the grid; expected {word} from -4 to 4 and -3 to 3")


def style() -> str:
    """The stylesheet of a scene, which is the explorer's and a little more."""
    return read_of_explorer("explorer.css") + read("scene.css")


def script(own: str) -> str:
    """A scene's whole script: the tools, what all scenes do, and its own `build`."""
    return "\n".join([*map(read_of_explorer, _TOOLS), read("scene.js"), own])


class Scene(anywidget.AnyWidget):
    """A small interactive figure; a chapter's own ones derive from it.

    A scene is a script beside this module, ``NAME.js``, with a function ``build(scene)``, as
    ``scene.js`` explains; rows of ``words.csv``; and a class with ``name = "NAME"`` and
    ``_esm = script(read("NAME.js"))``, which makes the first state in ``__init__``, without
    arguments too, and the still picture in `draw`. Whatever the script computes from the state, the
    chapter's module computes too, and the tests compare the two.

    Parameters
    ----------
    state : mapping
        What the scene shows first: plain JSON.
    alt : str
        What the still picture shows, in a sentence.
    language : str
        A column of ``words.csv``.

    Attributes
    ----------
    state : dict
        What it shows now. Setting it changes the picture.
    """

    name: ClassVar[str] = ""
    _css = style()

    scene = traitlets.Unicode().tag(sync=True)
    state = traitlets.Dict().tag(sync=True)
    words = traitlets.Dict().tag(sync=True)
    alt = traitlets.Unicode().tag(sync=True)

    def __init__(self, state: Mapping[str, Any], alt: str, language: str = "en") -> None:
        told = _words(self.name, language)
        super().__init__(scene=self.name, state=dict(state), words=told, alt=alt)

    def draw(self, figure: Figure) -> None:
        """Draw the present state for paper, with Matplotlib."""
        raise NotImplementedError(f"{type(self).__name__} draws no still picture")

    def still(self) -> bytes:
        """The present state as a PNG with a transparent background."""
        import matplotlib.pyplot as plt

        with plt.style.context("perceptron_notes.figures.notes"):
            figure = Figure(figsize=(5.2, 4.2))
            FigureCanvasAgg(figure)
            self.draw(figure)
            stream = io.BytesIO()
            figure.savefig(stream, format="png", dpi=160, metadata={"Software": None})
        return stream.getvalue()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.alt})"

    def _repr_mimebundle_(self, **_kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The scene, and for paper a still picture of it."""
        bundle, metadata = super()._repr_mimebundle_() or ({}, {})
        shown = {**bundle, "text/plain": repr(self), "image/png": self.still()}
        return shown, {**metadata, "image/png": {"alt": self.alt}}
