"""Feedback on a student's own functions, on fresh random data.

Each check is bound here under its name, and stands in `ALL`.

>>> from perceptron_notes import checks
>>> checks.predict(lambda w, X: np.sign(X @ w))
predict: 53 data sets, all right.
>>> checks.predict.examine(lambda w, X: np.where(X @ w >= 0, 1, -1), seed=1).hint
'A score of 0 decides nothing: its sign is 0, not +1.'
"""

from perceptron_notes.checks import ps1, ps2, ps3, ps4
from perceptron_notes.checks.check import Abandoned, Check, Finding, Slip, Wrong

__all__ = ["ALL", "Abandoned", "Check", "Finding", "Slip", "Wrong"]

#: Every check by its name.
ALL: dict[str, Check] = {
    check.name: check for check in (*ps1.CHECKS, *ps2.CHECKS, *ps3.CHECKS, *ps4.CHECKS)
}

globals().update(ALL)
