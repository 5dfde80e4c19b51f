"""The base of every scene: a widget whose state is plain JSON, and a still picture of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import traitlets

from perceptron_notes.figures._living import Living, figure_words, module, style

__all__ = ["Scene", "script"]

_HERE = Path(__file__).parent


def script(name: str) -> str:
    """Return the whole script of a scene."""
    return module(_HERE / name)


class Scene(Living):
    """A small interactive figure, from which a chapter's figures are derived.

    A scene is a script beside this module, ``NAME.js``, with a function ``build(scene)``, as
    ``scene.js`` explains; rows of ``words.csv``; and a class with ``name = "NAME"`` and
    ``_esm = script("NAME.js")``, which makes the first state in ``__init__``, without arguments
    too, and the still picture in `draw`. Whatever the script computes from the state, the chapter's
    module computes too, and the tests compare the two.

    Parameters
    ----------
    state : mapping
        The state shown first: plain JSON.
    alt : str
        What the still picture shows, in a sentence.

    Attributes
    ----------
    state : dict
        The state shown now. Setting it changes the picture.
    """

    name: ClassVar[str] = ""
    _css = style(_HERE / "arena.css")

    scene = traitlets.Unicode().tag(sync=True)
    state = traitlets.Dict().tag(sync=True)
    alt = traitlets.Unicode().tag(sync=True)

    def __init__(self, state: Mapping[str, Any], alt: str) -> None:
        told = figure_words(_HERE / "words.csv", self.name)
        super().__init__(scene=self.name, state=dict(state), words=told, alt=alt)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.alt})"
