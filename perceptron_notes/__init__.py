"""The perceptron, executable: the small package that the lecture notes import.

The flow runs one way: a `Dataset` goes into `pla`, which yields each step; `record` makes a trace
of the steps; `certify` and `ledger` prove things about it; `perceptron_notes.figures` draws it, and
`perceptron_notes.diagnosis` takes a table of your own. All else is imported from its chapter's
module, such as `perceptron_notes.margins`. Importing the package loads numpy and nothing heavier.

The examples in the docstrings of a module are run after ``import numpy as np``, and after all
names are imported from `perceptron_notes`, from `perceptron_notes.datasets`, and from that module.

An argument of the wrong kind raises TypeError, one whose value or shape is not as its docstring
says raises ValueError; the sentence names the argument, its value, and what was expected. A section
"Raises" holds only what one may not expect.
"""

from perceptron_notes._kit.recipes import ConvergenceWarning
from perceptron_notes.convergence import certify, ledger, separate
from perceptron_notes.data import Dataset
from perceptron_notes.dual import dual_pla
from perceptron_notes.kernels import linear, polynomial, rbf
from perceptron_notes.learning import last, pla, record
from perceptron_notes.margins import largest_margin
from perceptron_notes.model import error_count, mistakes, predict
from perceptron_notes.multiclass import Classes, multi_pla
from perceptron_notes.online import average, vote
from perceptron_notes.pocketing import pocket
from perceptron_notes.rules import at_random, in_turn, lowest, shuffled

__version__ = "0.2.0.dev0"

__all__ = [
    "Classes",
    "ConvergenceWarning",
    "Dataset",
    "at_random",
    "average",
    "certify",
    "dual_pla",
    "error_count",
    "in_turn",
    "largest_margin",
    "last",
    "ledger",
    "linear",
    "lowest",
    "mistakes",
    "multi_pla",
    "pla",
    "pocket",
    "polynomial",
    "predict",
    "rbf",
    "record",
    "separate",
    "shuffled",
    "vote",
]
