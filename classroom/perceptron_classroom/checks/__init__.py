"""Feedback on a student's own functions, on fresh random data.

Each check is bound here under its name, and is listed in `ALL`.

>>> from perceptron_classroom import checks
>>> checks.predict(lambda w, X: np.sign(X @ w))
predict: 67 data sets, all right.
>>> checks.predict.examine(lambda w, X: np.where(X @ w >= 0, 1, -1), seed=1).hint
'A score of 0 decides nothing: its sign is 0, not +1.'
"""

from perceptron_classroom.checks import (
    classes,
    kernels,
    learning,
    margins,
    model,
    networks,
    noise,
    online,
    proof,
)
from perceptron_classroom.checks.check import Abandoned, Check, Finding, Seeded, Slip, Wrong
from perceptron_classroom.checks.own import load

augment, predict, mistakes = model.AUGMENT, model.PREDICT, model.MISTAKES
pla, pla_worst, many_orders = learning.PLA, learning.PLA_WORST, learning.MANY_ORDERS
replay, ledger, bound = proof.REPLAY, proof.LEDGER, proof.BOUND
audit, halts = proof.AUDIT, proof.HALTS
flip_labels, split = noise.FLIP_LABELS, noise.SPLIT
pocket, best_line = noise.POCKET, noise.BEST_LINE
gram, dual_pla, polynomial = kernels.GRAM, kernels.DUAL_PLA, kernels.POLYNOMIAL
features, witness = kernels.FEATURES, kernels.WITNESS
averaged, mistake_bound = online.AVERAGED, online.MISTAKE_BOUND
multi_pla, pegasos, gradient = classes.MULTI_PLA, margins.PEGASOS, networks.GRADIENT

#: The checks of each problem set.
SETS: dict[str, tuple[Check, ...]] = {
    "ps1": (augment, predict, mistakes, pla, pla_worst, many_orders),
    "ps2": (replay, ledger, bound, audit, halts),
    "ps3": (flip_labels, split, pocket, best_line),
    "ps4": (gram, dual_pla, polynomial, features, witness),
    "ps5": (averaged, mistake_bound, pegasos, multi_pla, gradient),
}
#: Every check by its name.
ALL: dict[str, Check] = {check.name: check for those in SETS.values() for check in those}

__all__ = ["ALL", "SETS", "Abandoned", "Check", "Finding", "Seeded", "Slip", "Wrong", "load"]
