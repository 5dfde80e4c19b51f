"""A still picture of the figure, for paper and for pages that run no script."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from perceptron_notes.dual import dual_score
from perceptron_notes.figures.plots import (
    draw_boundary,
    draw_data,
    draw_errors,
    draw_region,
    draw_step,
)
from perceptron_notes.model import error_count

if TYPE_CHECKING:
    from perceptron_notes.figures.explorer import Explorer


def still(explorer: Explorer) -> bytes:
    """The present step as a PNG: the plane, and beside it the mistakes of the run.

    Parameters
    ----------
    explorer : Explorer
        The figure.

    Returns
    -------
    bytes
        Of a PNG with a transparent background.
    """
    now = explorer.settings
    plane: dict[str, Any] = {"names": now["names"], "box": now["box"]}
    with plt.style.context("perceptron_notes.figures.notes"):
        kernelised = now["algorithm"] == "dual" and now["kernel"]["name"] != "linear"
        single = now["algorithm"] == "model" or kernelised
        figure = Figure(figsize=(4.4, 4) if single else (8.2, 4))
        FigureCanvasAgg(figure)
        axes = figure.subplots(1, 1 if single else 2, squeeze=False)[0]
        if single:
            draw_data(axes[0], explorer.data, classes=(), **plane)
            if kernelised:
                alpha, b = explorer.tally
                kernel, data = explorer.kernel, explorer.data
                if alpha.any():
                    draw_region(axes[0], lambda P: dual_score(alpha, b, data, P, kernel))
            else:
                draw_boundary(axes[0], explorer.w)
        else:
            trace = explorer.trace
            draw_step(axes[0], trace, explorer.step, **plane)
            errors = [error_count(w, trace.data) for w in trace.W]
            best = np.minimum.accumulate(errors)
            draw_errors(axes[1], errors, best if now["algorithm"] == "pocket" else None)
            axes[1].axvline(explorer.step, lw=0.8, ls=":")
        stream = io.BytesIO()
        figure.savefig(stream, format="png", dpi=160, metadata={"Software": None})
    return stream.getvalue()
