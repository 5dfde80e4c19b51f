"""Chapter 4, Pocket: keep the best weights that PLA has come across.

Pocket never influences the run; it watches the steps and remembers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from perceptron_notes.data import Array, Dataset, check_dataset
from perceptron_notes.model import error_count
from perceptron_notes.pla import Step
from perceptron_notes.strides import Batches

__all__ = ["PocketStep", "pocket"]


class PocketStep(NamedTuple):
    """A step of PLA and what lies in the pocket at that moment.

    Attributes
    ----------
    step : Step
        The step of the run that is watched.
    errors : int
        How many mistakes ``step.w`` makes on the data.
    best : ndarray, shape (d + 1,)
        The first weights of the run, up to here, that make ``best_errors`` mistakes.
    best_errors : int
        The fewest mistakes up to here.
    """

    step: Step
    errors: int
    best: Array
    best_errors: int

    @property
    def pick(self) -> int | None:
        """The pick of the step, so that `last` can tell whether the run ended."""
        return self.step.pick


def pocket(data: Dataset, steps: Iterable[Step]) -> Iterator[PocketStep]:
    r"""Watch a run and keep the weights with the fewest mistakes so far.

    New weights replace the old only when they make strictly fewer mistakes on all of the
    data (the *ratchet*), so the number of mistakes in the pocket never grows. The starting
    weights and the last ones are looked at too.

    Parameters
    ----------
    data : Dataset
        The samples on which mistakes are counted.
    steps : iterable of Step
        A run, such as ``pla(data, at_random(rng))``.

    Returns
    -------
    iterator of PocketStep
        One for each step, made lazily; as long as the run.

    Raises
    ------
    TypeError
        If `data` is not a Dataset.
    ValueError
        If the weights of a step do not fit the data.

    References
    ----------
    Gallant, S. I., "Perceptron-based learning algorithms", *IEEE Transactions on Neural
    Networks* 1, 1990.

    Examples
    --------
    >>> end = last(pocket(xor(), pla(xor())), at_most=20)
    >>> end.best, end.best_errors
    (array([-1.,  0.,  0.]), 2)
    """
    return Batches(watch, PocketStep, check_dataset(data), steps)


def watch(data: Dataset, steps: Iterable[Step]) -> Iterator[PocketStep]:
    """The algorithm itself: compare, and keep what is strictly better."""
    best_errors = data.n + 1
    for step in steps:
        errors = error_count(step.w, data)
        if errors < best_errors:
            best, best_errors = step.w, errors
        yield PocketStep(step, errors, best, best_errors)
