"""The figures of part two: each shows one idea, and reacts to its reader.

A scene is smaller than the `Explorer`: it shows a state of plain JSON, and its
script computes the rest, with or without Python. `Scene` explains how to make one.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from perceptron_notes.figures.scenes.adversary import Adversary
    from perceptron_notes.figures.scenes.layers import Layers
    from perceptron_notes.figures.scenes.rivals import Rivals
    from perceptron_notes.figures.scenes.scene import Scene
    from perceptron_notes.figures.scenes.street import Street
    from perceptron_notes.figures.scenes.workers import Workers

__all__ = ["Adversary", "Layers", "Rivals", "Scene", "Street", "Workers"]


def __dir__() -> list[str]:
    return [*globals(), *__all__]


def __getattr__(name: str) -> Any:
    # Each has a module, and a page loads the chapter of the one that it shows.
    if name in __all__:
        return getattr(import_module(f"{__name__}.{name.lower()}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
