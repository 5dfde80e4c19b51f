"""The search for mistakes and the runs that use it, as fast as this machine allows.

Only this module knows which code does the work. Whichever it is, the answers are those of
`model.canonical_score` and of the generators in the chapters, bit for bit. The code is compiled
when the package is installed, if there is a compiler; otherwise NumPy does the work. Set the
environment variable ``PERCEPTRON_NOTES_ENGINE`` to "numpy" to use NumPy in any case.

Attributes
----------
engine : str
    Which is in use: "compiled" or "numpy".
"""

import os
from typing import Any

from perceptron_notes.data import Dataset
from perceptron_notes.native import fallback
from perceptron_notes.native.fallback import first_mistake
from perceptron_notes.native.sparse import SparseSamples, sparse_scores

__all__ = [
    "Scan",
    "SparseSamples",
    "count_errors",
    "engine",
    "finish",
    "finish_dual",
    "finish_pocket",
    "first_mistake",
    "sparse_scores",
    "steps_ahead",
]

engine = "numpy"
_means: Any = fallback
_wanted = os.environ.get("PERCEPTRON_NOTES_ENGINE", "")
if _wanted not in ("", "numpy"):
    raise ValueError(f'PERCEPTRON_NOTES_ENGINE is "{_wanted}"; expected "numpy", or nothing')
if not _wanted:
    try:
        from perceptron_notes.native import compiled as _means
    except ImportError:
        pass  # nothing could be compiled here
    else:
        engine = "compiled"

count_errors, steps_ahead = _means.count_errors, _means.steps_ahead
finish, finish_dual, finish_pocket = _means.finish, _means.finish_dual, _means.finish_pocket


def Scan(data: Any) -> Any:
    """Make the search for mistakes among samples: ``Scan(data)(w)`` is a `Look`.

    Parameters
    ----------
    data : Dataset, or samples with a search of their own
        What is searched; ``data.scan()`` makes the search of others, such as `SparseSamples`.

    Returns
    -------
    callable
    """
    return _means.Scan(data) if isinstance(data, Dataset) else data.scan()
