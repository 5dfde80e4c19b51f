"""Record what a cell prints, displays and draws, in a notebook's format.

Runs in the student's process: the outputs are bounded, and only ever displayed.
"""

from __future__ import annotations

import base64
import io
import json
import sys
from contextlib import suppress
from typing import Any

__all__ = ["Sheet"]

#: Limits: characters of a cell's outputs; number of outputs; pixels of a picture.
ROOM, OUTPUTS, PIXELS = 3_000_000, 40, 10_000_000
#: The methods by which an object represents itself, by format.
KINDS = {
    "image/png": "_repr_png_",
    "image/jpeg": "_repr_jpeg_",
    "image/svg+xml": "_repr_svg_",
    "text/markdown": "_repr_markdown_",
    "text/latex": "_repr_latex_",
    "text/html": "_repr_html_",
}


class Sheet(io.TextIOBase):
    """Records a cell's outputs, as ``sys.stdout`` and in place of ``display``."""

    def __init__(self) -> None:
        self.outputs: list[dict[str, Any]] = []
        self.kept, self.room = False, 0

    def begin(self, kept: bool) -> None:
        """Start a new cell, whose outputs are `kept` or not."""
        self.outputs, self.kept, self.room = [], kept, ROOM
        for name, place, own in (
            ("matplotlib.pyplot", "show", self.drawings),
            ("IPython.display", "display", self.display),
        ):
            if name in sys.modules:
                setattr(sys.modules[name], place, own)

    def take(self, kind: str, **output: Any) -> None:
        """Keep an output, if there is room."""
        size = len(json.dumps(output))
        if self.kept and size <= self.room and len(self.outputs) < OUTPUTS:
            self.room -= size
            self.outputs.append({"output_type": kind, **output})

    def writable(self) -> bool:
        """Return True, as a stream open for writing must."""
        return True

    def write(self, text: str) -> int:
        """Record printed text."""
        size, last = len(json.dumps(text)), self.outputs[-1] if self.outputs else {}
        if "text" not in last:
            self.take("stream", text=[text])
        elif size <= self.room:
            self.room -= size
            last["text"].append(text)
        return len(text)

    def display(self, *values: Any, **_: Any) -> None:
        """Record displayed objects."""
        for value in values if self.kept else ():
            if hasattr(value, "savefig"):
                self.draw(value)
                continue
            data = {"text/plain": repr(value)}
            for kind, name in KINDS.items():
                with suppress(Exception):
                    made = getattr(value, name)()
                    data[kind] = base64.b64encode(made).decode() if type(made) is bytes else made
            self.take("display_data", data=data)

    def drawings(self, *_: Any, **__: Any) -> None:
        """Record the open figures, and close them, as notebooks do."""
        plots: Any = sys.modules.get("matplotlib.pyplot")
        for number in plots.get_fignums() if plots and self.kept else ():
            self.draw(plots.figure(number))
        if plots:
            plots.close("all")

    def draw(self, figure: Any) -> None:
        """Record a picture of a figure, or the error that drawing it raised."""
        file = io.BytesIO()
        try:
            if figure.bbox.width * figure.bbox.height > PIXELS:
                raise ValueError("the figure is too large")
            figure.savefig(file, format="png", bbox_inches="tight")
        except Exception as error:
            self.take("error", ename=type(error).__name__, evalue=str(error)[:500])
            return
        self.take("display_data", data={"image/png": base64.b64encode(file.getvalue()).decode()})
        sys.modules["matplotlib.pyplot"].close(figure)
