"""The search for mistakes and the runs that use it, as fast as this machine allows.

Only this module knows which code does the work. The results are always those of
`model.canonical_score` and of the generators in the chapters, bit for bit. The code is compiled
when the package is installed, if there is a compiler; otherwise NumPy does the work. There are
compiled loops for each kind of processor, and the fastest that this one can run are used. Set the
environment variable ``PERCEPTRON_NOTES_ENGINE`` to "numpy", "plain", "baseline", "avx2" or "avx512"
to use another engine.

Attributes
----------
engine : str
    The engine in use: "compiled" or "numpy".
means : module
    The module that does the work: `compiled`, or else `fallback`. Both have `searching`,
    `steps_ahead`, `stretches`, `finish_pocket`, `finish_dual` and `count_errors`; those of the
    latter for whole runs return None, and the run is made step by step.
loops : str
    The compiled loops in use: "avx512", "avx2", "baseline" (what every processor of this family
    has), "plain" (C without vectors); or "none".
"""

import os
from collections.abc import Callable
from functools import partial
from typing import Any

from perceptron_notes._kit.values import Array
from perceptron_notes.data import Dataset
from perceptron_notes.model import signed_scores
from perceptron_notes.native import fallback
from perceptron_notes.native.fallback import first_mistake
from perceptron_notes.rules import Look

__all__ = ["engine", "known", "loops", "means", "searching"]

engine, loops = "numpy", "none"
means: Any = fallback
_wanted = os.environ.get("PERCEPTRON_NOTES_ENGINE", "")
try:
    from perceptron_notes.native import _loops, compiled
except ImportError:  # nothing was compiled on this machine
    _kinds: tuple[str, ...] = ()
else:
    _kinds = _loops.kinds()
if _wanted not in ("", "numpy", *_kinds):
    raise ValueError(
        f'PERCEPTRON_NOTES_ENGINE is "{_wanted}"; expected one of {("numpy", *_kinds)}, or nothing'
    )
if _kinds and _wanted != "numpy":
    engine, loops, means = "compiled", _wanted or _kinds[0], compiled
    _loops.use(loops)


def searching(data: Any) -> Callable[[Array], Look]:
    """Return the search for mistakes among samples: ``searching(data)(w)`` is a `Look`.

    Parameters
    ----------
    data : Dataset, or samples with a search of their own
        What is searched; ``data.scan()`` returns the search of others.

    Returns
    -------
    callable
    """
    if not isinstance(data, Dataset):
        return data.scan()
    search = means.searching(data)
    return lambda w: Look(search(w), partial(signed_scores, w, data))


def known(scores: Array) -> Look:
    """Return the search for a mistake among signed scores that are already known.

    A score that is not positive is a mistake; so is NaN, because then nothing
    was decided.

    Parameters
    ----------
    scores : ndarray, shape (n,)
        The label of each sample times its score.

    Returns
    -------
    Look
    """
    return Look(partial(first_mistake, scores), scores.copy)
