"""What a cell prints, shows and draws, kept in the form in which a notebook keeps it.

Runs in the student's process: what it keeps is bounded, and only ever looked at.
"""

from __future__ import annotations

import base64
import io
import sys
from contextlib import suppress
from typing import Any

__all__ = ["Sheet"]

#: Characters that are kept of what a cell prints, and of its pictures; outputs of a cell.
PRINTED, DRAWN, OUTPUTS = 100_000, 2_500_000, 40
#: Pixels of a picture that is drawn.
PIXELS = 10_000_000
#: How an object shows itself, by kind.
KINDS = {
    "image/png": "_repr_png_",
    "image/svg+xml": "_repr_svg_",
    "text/markdown": "_repr_markdown_",
    "text/latex": "_repr_latex_",
    "text/html": "_repr_html_",
}


class Sheet(io.TextIOBase):
    """Takes what a cell puts out, as ``sys.stdout`` and in the place of ``display``."""

    def __init__(self) -> None:
        self.outputs: list[dict[str, Any]] = []
        self.kept, self.room = False, {"text": 0, "image": 0}

    def begin(self, kept: bool) -> None:
        """Begin with a new cell, whose outputs are `kept` or not."""
        self.outputs, self.kept = [], kept
        self.room = {"text": PRINTED, "image": DRAWN}
        for name, place, own in (
            ("matplotlib.pyplot", "show", self.drawings),
            ("IPython.display", "display", self.display),
        ):
            if name in sys.modules:
                setattr(sys.modules[name], place, own)

    def writable(self) -> bool:
        """Tell that it can be written to."""
        return True

    def write(self, text: str) -> int:
        """Take what is printed."""
        if self.kept and (taken := self.fitting("text", text, cut=True)):
            if not self.outputs or "text" not in self.outputs[-1]:
                self.put({"output_type": "stream", "text": []})
            self.outputs[-1].get("text", []).append(taken)
        return len(text)

    def display(self, *values: Any, **_: Any) -> None:
        """Take what is shown."""
        for value in values if self.kept else ():
            if hasattr(value, "savefig"):
                self.draw(value)
                continue
            data = {"text/plain": repr(value)}
            for kind, name in KINDS.items():
                with suppress(Exception):
                    made = getattr(value, name)()
                    data[kind] = base64.b64encode(made).decode() if type(made) is bytes else made
            self.give(data)

    def give(self, data: dict[str, Any]) -> None:
        """Take the forms of an output that fit."""
        fits = {kind: self.fitting(kind.partition("/")[0], text) for kind, text in data.items()}
        self.put({"output_type": "display_data", "data": {k: v for k, v in fits.items() if v}})

    def put(self, output: dict[str, Any]) -> None:
        """Take an output, if there are not too many."""
        if len(self.outputs) < OUTPUTS:
            self.outputs.append(output)

    def fitting(self, what: str, text: Any, cut: bool = False) -> str:
        """Return a text if there is room for it, or what of it fits."""
        room = self.room.get(what, 0)
        if not isinstance(text, str) or (len(text) > room and not cut):
            return ""
        self.room[what] = room - len(text[:room])
        return text[:room]

    def drawings(self, *_: Any, **__: Any) -> None:
        """Take the figures that are open, and close them, as notebooks do."""
        plots: Any = sys.modules.get("matplotlib.pyplot")
        for number in plots.get_fignums() if plots and self.kept else ():
            self.draw(plots.figure(number))
        if plots:
            plots.close("all")

    def draw(self, figure: Any) -> None:
        """Take a picture of a figure; what is wrong with it stands in its place."""
        file = io.BytesIO()
        try:
            if figure.bbox.width * figure.bbox.height > PIXELS:
                raise ValueError("the figure is too large")
            figure.savefig(file, format="png", bbox_inches="tight")
        except Exception as error:
            text = str(error)[:500]
            self.put({"output_type": "error", "ename": type(error).__name__, "evalue": text})
            return
        self.give({"image/png": base64.b64encode(file.getvalue()).decode()})
        sys.modules["matplotlib.pyplot"].close(figure)
