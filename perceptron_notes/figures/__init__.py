"""Pictures of runs: stills, controls, tables, and figures that a reader moves.

Everything can be imported from here: the stills of `plots` draw on Matplotlib's axes, `controls`
puts sliders around them, `tables` typesets rows of values, the `Explorer` steps through a run, and
the scenes of part two show one idea each.
"""

from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from perceptron_notes._kit.palette import PALETTE

if TYPE_CHECKING:
    from perceptron_notes.figures.controls import *
    from perceptron_notes.figures.explorer import *
    from perceptron_notes.figures.plots import *
    from perceptron_notes.figures.scenes import *
    from perceptron_notes.figures.tables import *

__all__ = [
    "PALETTE",
    "Adversary",
    "Controls",
    "Explorer",
    "Layers",
    "Rivals",
    "Scene",
    "Street",
    "Workers",
    "choose_kernel",
    "choose_threshold",
    "draw_boundary",
    "draw_claims",
    "draw_classes",
    "draw_data",
    "draw_errors",
    "draw_pixels",
    "draw_region",
    "draw_step",
    "draw_street",
    "draw_zones",
    "miss_margin",
    "move_weights",
    "table",
    "watch_classes",
    "watch_mixing",
    "watch_pocket",
    "watch_proof",
    "watch_steps",
    "watch_training",
]


with suppress(ModuleNotFoundError):  # a table needs no Matplotlib
    from matplotlib.colors import get_named_colors_mapping

    # The names that notes.mplstyle uses.
    get_named_colors_mapping().update({f"notes:{name}": tone for name, tone in PALETTE.items()})

#: Modules are searched for a name in this order, so that a still needs Matplotlib, but no widgets.
_ROOMS = ("tables", "plots", "controls", "explorer", "scenes")


def __getattr__(name: str) -> Any:
    for room in _ROOMS if name in __all__ else ():
        try:
            module = import_module(f"{__name__}.{room}")
        except ModuleNotFoundError as error:
            raise ImportError(
                f"{name} needs {error.name}, which is missing; install it: pip install {error.name}"
            ) from error
        if name in module.__all__:
            return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
