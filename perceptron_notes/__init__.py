"""The perceptron, executable: the small package that the lecture notes import.

The flow runs one way: a `Dataset` goes into `pla`, which yields each step; `record` makes a trace
of the steps; `certify` and `ledger` prove things about it; `perceptron_notes.figures` draws it, and
`diagnose` takes a table of your own. All else is imported from its chapter's module, such as
`largest_margin` from `perceptron_notes.margins`. Importing the package loads NumPy and nothing
heavier.

The examples in the docstrings of a module are run after ``import numpy as np``, and after all
names are imported from `perceptron_notes`, from `perceptron_notes.datasets`, and from that module.

An argument of the wrong kind raises TypeError, one whose value or shape is not as its docstring
says raises ValueError; the sentence names the argument, its value, and what was expected. A section
"Raises" lists only what one may not expect.
"""

from typing import TYPE_CHECKING, Any

from perceptron_notes._kit.recipes import ConvergenceWarning
from perceptron_notes.convergence import Obstruction, Separator, certify, ledger, separate
from perceptron_notes.data import Dataset
from perceptron_notes.dual import dual_pla
from perceptron_notes.kernels import linear, polynomial, rbf
from perceptron_notes.learning import Trace, last, pla, record
from perceptron_notes.model import error_count, mistakes, predict
from perceptron_notes.online import average
from perceptron_notes.pocketing import pocket
from perceptron_notes.rules import at_random, in_turn, lowest, shuffled

if TYPE_CHECKING:
    from perceptron_notes.diagnosis import diagnose

__version__ = "0.2.0.dev0"

__all__ = [
    "ConvergenceWarning",
    "Dataset",
    "Obstruction",
    "Separator",
    "Trace",
    "at_random",
    "average",
    "certify",
    "diagnose",
    "dual_pla",
    "error_count",
    "in_turn",
    "last",
    "ledger",
    "linear",
    "lowest",
    "mistakes",
    "pla",
    "pocket",
    "polynomial",
    "predict",
    "rbf",
    "record",
    "separate",
    "shuffled",
]


def __getattr__(name: str) -> Any:
    """Load `diagnose` on first use: the lecture does without it."""
    if name == "diagnose":
        from perceptron_notes.diagnosis import diagnose

        return diagnose
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List `diagnose` too, so that tab completion finds it."""
    return sorted({*globals(), *__all__})
