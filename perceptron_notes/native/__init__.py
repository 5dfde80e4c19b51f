"""The search for mistakes and the runs that use it, as fast as this machine allows.

Only this module knows which code does the work. Whichever it is, the answers are those of
`model.canonical_score` and of the generators in the chapters, bit for bit. The code is compiled
when the package is installed, if there is a compiler; otherwise NumPy does the work. There are
compiled loops for each kind of processor, and the fastest that this one can run are used. Set the
environment variable ``PERCEPTRON_NOTES_ENGINE`` to "numpy", "plain", "baseline", "avx2" or "avx512"
to use another engine than that.

Attributes
----------
engine : str
    Which is in use: "compiled" or "numpy".
loops : str
    Which compiled loops are: "avx512", "avx2", "baseline" (what every processor of this family
    has), "plain" (C without vectors); or "none".
"""

import os
from typing import Any

from perceptron_notes.data import Dataset
from perceptron_notes.native import fallback
from perceptron_notes.native.fallback import first_mistake

__all__ = [
    "Scan",
    "count_errors",
    "engine",
    "finish",
    "finish_dual",
    "finish_pocket",
    "first_mistake",
    "loops",
    "steps_ahead",
]

engine, loops = "numpy", "none"
_means: Any = fallback
_wanted = os.environ.get("PERCEPTRON_NOTES_ENGINE", "")
try:
    from perceptron_notes.native import _loops, compiled
except ImportError:  # nothing could be compiled here
    _known: tuple[str, ...] = ()
else:
    _known = _loops.kinds()
if _wanted not in ("", "numpy", *_known):
    raise ValueError(
        f'PERCEPTRON_NOTES_ENGINE is "{_wanted}"; expected one of {("numpy", *_known)}, or nothing'
    )
if _known and _wanted != "numpy":
    engine, loops, _means = "compiled", _wanted or _known[0], compiled
    _loops.use(loops)

count_errors, steps_ahead = _means.count_errors, _means.steps_ahead
finish, finish_dual, finish_pocket = _means.finish, _means.finish_dual, _means.finish_pocket


def Scan(data: Any) -> Any:
    """Make the search for mistakes among samples: ``Scan(data)(w)`` is a `Look`.

    Parameters
    ----------
    data : Dataset, or samples with a search of their own
        What is searched; ``data.scan()`` makes the search of others.

    Returns
    -------
    callable
    """
    return _means.Scan(data) if isinstance(data, Dataset) else data.scan()
