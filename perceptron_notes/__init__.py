"""The perceptron, executable: the small package that the lecture notes import.

The flow runs one way: a `Dataset` goes into `pla`, which yields each `Step`; `record` makes
a `Trace` of them; `certify` and `ledger` prove things about it; `figures` draws it.
Importing the package loads numpy and nothing heavier.
"""

from perceptron_notes.convergence import (
    Certificate,
    Ledger,
    LedgerRow,
    Obstruction,
    Separator,
    Sides,
    certify,
    ledger,
    separate,
)
from perceptron_notes.data import Dataset, augment
from perceptron_notes.datasets import (
    credit,
    flip_labels,
    halfspaces,
    iris,
    li_hang,
    rings,
    tight,
    xor,
)
from perceptron_notes.dual import (
    DualRun,
    DualStep,
    dual_pla,
    dual_score,
    weights,
)
from perceptron_notes.gram_rows import GramRows
from perceptron_notes.kernels import (
    gram,
    linear,
    polynomial,
    rbf,
)
from perceptron_notes.learning import (
    Run,
    Step,
    Trace,
    criterion,
    last,
    pla,
    record,
)
from perceptron_notes.model import (
    angle,
    distance,
    error_count,
    margin,
    mistakes,
    predict,
    score,
)
from perceptron_notes.networks import (
    Network,
    Training,
    TrainStep,
    boolean_network,
    gradient,
    hidden,
    loss,
    monomials,
    numerical_gradient,
    parity,
    polygon_network,
    random_network,
    train,
)
from perceptron_notes.pocketing import (
    Pocket,
    PocketStep,
    pocket,
)
from perceptron_notes.recipes import ConvergenceWarning
from perceptron_notes.rules import (
    at_random,
    in_turn,
    lowest,
    shuffled,
)

__version__ = "0.1.0"

__all__ = [
    "Certificate",
    "ConvergenceWarning",
    "Dataset",
    "DualRun",
    "DualStep",
    "GramRows",
    "Ledger",
    "LedgerRow",
    "Network",
    "Obstruction",
    "Pocket",
    "PocketStep",
    "Run",
    "Separator",
    "Sides",
    "Step",
    "Trace",
    "TrainStep",
    "Training",
    "angle",
    "at_random",
    "augment",
    "boolean_network",
    "certify",
    "credit",
    "criterion",
    "distance",
    "dual_pla",
    "dual_score",
    "error_count",
    "flip_labels",
    "gradient",
    "gram",
    "halfspaces",
    "hidden",
    "in_turn",
    "iris",
    "last",
    "ledger",
    "li_hang",
    "linear",
    "loss",
    "lowest",
    "margin",
    "mistakes",
    "monomials",
    "numerical_gradient",
    "parity",
    "pla",
    "pocket",
    "polygon_network",
    "polynomial",
    "predict",
    "random_network",
    "rbf",
    "record",
    "rings",
    "score",
    "separate",
    "shuffled",
    "tight",
    "train",
    "weights",
    "xor",
]
