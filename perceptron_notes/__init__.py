"""The perceptron, executable: the small package that the lecture notes import.

The flow runs one way: a `Dataset` goes into `pla`, a generator of `Step`; `record` makes
a `Trace` of them; `certify` and `ledger` prove things about it; `figures` draws it.
Importing the package loads numpy and nothing heavier.
"""

from perceptron_notes.convergence import *
from perceptron_notes.data import *
from perceptron_notes.dual import *
from perceptron_notes.model import *
from perceptron_notes.pla import *
from perceptron_notes.pocket import *

__version__ = "0.1.0"
