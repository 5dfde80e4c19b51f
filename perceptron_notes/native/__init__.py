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
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy.typing as npt

from perceptron_notes._kit.values import Array
from perceptron_notes.data import Dataset
from perceptron_notes.model import signed_scores
from perceptron_notes.native import fallback
from perceptron_notes.native.fallback import first_mistake
from perceptron_notes.rules import Look

__all__ = [
    "Scan",
    "count_errors",
    "engine",
    "finish_dual",
    "finish_pocket",
    "known",
    "loops",
    "steps_ahead",
    "stretches",
]

#: The fields of a `Step`.
_End = tuple[int, Array, int | None, int | None]

engine, loops = "numpy", "none"
_means: Any = fallback
_wanted = os.environ.get("PERCEPTRON_NOTES_ENGINE", "")
try:
    from perceptron_notes.native import _loops, compiled
except ImportError:  # nothing could be compiled here
    _kinds: tuple[str, ...] = ()
else:
    _kinds = _loops.kinds()
if _wanted not in ("", "numpy", *_kinds):
    raise ValueError(
        f'PERCEPTRON_NOTES_ENGINE is "{_wanted}"; expected one of {("numpy", *_kinds)}, or nothing'
    )
if _kinds and _wanted != "numpy":
    engine, loops, _means = "compiled", _wanted or _kinds[0], compiled
    _loops.use(loops)


def Scan(data: Any) -> Callable[[Array], Look]:
    """Make the search for mistakes among samples: ``Scan(data)(w)`` is a `Look`.

    Parameters
    ----------
    data : Dataset, or samples with a search of their own
        What is searched; ``data.scan()`` makes the search of others.

    Returns
    -------
    callable
    """
    if not isinstance(data, Dataset):
        return data.scan()
    search = _means.Scan(data)
    return lambda w: Look(search(w), partial(signed_scores, w, data))


def known(scores: Array) -> Look:
    """Make the search for a mistake among signed scores that are known already.

    One that is not positive is a mistake; so is one that is not a number, because then nothing
    was decided.

    Parameters
    ----------
    scores : ndarray, shape (n,)
        A label times a score each.

    Returns
    -------
    Look
    """
    return Look(partial(first_mistake, scores), scores.copy)


def steps_ahead(run: Any) -> Iterator[_End] | None:
    """Make the steps of a run, some of them ahead of who asks for them.

    Parameters
    ----------
    run : Run or MultiRun
        What `pla` or `multi_pla` returns.

    Returns
    -------
    iterator
        Of t, w, pick and passes, the fields of a `Step`; or None, if the run has to be made step by
        step: for a rule that is not exactly of a known type, or by NumPy.
    """
    return _means.steps_ahead(run)


def stretches(run: Any, updates: int, passes: int | None) -> Iterator[Any] | None:
    """Make the steps of a run up to a cap, many at a time.

    Parameters
    ----------
    run : Run or MultiRun
        What `pla` or `multi_pla` returns.
    updates : int
        The number of updates after which to stop.
    passes : int or None
        The number of passes after which to stop.

    Returns
    -------
    iterator of Stretch
        Or None, as for `steps_ahead`.
    """
    return _means.stretches(run, updates, passes)


def finish_pocket(
    data: Dataset, run: Any, updates: int, passes: int | None
) -> tuple[_End, int, Array, int] | None:
    """Find the state at the end of a run that Pocket watches.

    Parameters
    ----------
    data : Dataset
        The samples on which mistakes are counted.
    run, updates, passes
        As for `stretches`.

    Returns
    -------
    step, errors, best, best_errors
        The fields of a `PocketStep`, and of the `Step` in it; or None, as for `steps_ahead`.
    """
    return _means.finish_pocket(data, run, updates, passes)


def finish_dual(
    run: Any, updates: int, passes: int | None
) -> tuple[int, Array, float, int | None, int | None] | None:
    """Find the state at the end of a dual run.

    Parameters
    ----------
    run : DualRun
        What `dual_pla` returns.
    updates, passes
        As for `stretches`.

    Returns
    -------
    t, alpha, b, pick, passes
        The fields of a `DualStep`; or None, as for `steps_ahead`.
    """
    return _means.finish_dual(run, updates, passes)


def count_errors(data: Dataset, W: Array, below: int) -> npt.NDArray[Any]:
    """Count the mistakes of each of many weight vectors.

    Parameters
    ----------
    data : Dataset
        n samples.
    W : ndarray, shape (k, number of weights)
        The weights, one vector in each row.
    below : int
        What is not below this may be counted in part. The last row is always counted to the end.

    Returns
    -------
    ndarray of int, shape (k,)

    Raises
    ------
    ValueError
        If the weights do not fit the data, or are not finite.
    """
    return _means.count_errors(data, W, below)
