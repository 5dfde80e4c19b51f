"""The search for mistakes and the runs that use it, as fast as this machine allows.

This is the one place that knows by what means. Whatever these are, their answers are those of
`model.canonical_score` and of the generators in the chapters, bit for bit.

Attributes
----------
engine : str
    What is in use: "numpy".
"""

from perceptron_notes.native.fallback import Scan, count_errors, finish, first_mistake

__all__ = ["Scan", "count_errors", "engine", "finish", "first_mistake"]

engine: str = "numpy"
