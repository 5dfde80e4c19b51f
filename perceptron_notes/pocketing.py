"""Chapter 4, Pocket: keep the best weights that PLA has come across.

Pocket never influences the run; it watches the steps and remembers.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from perceptron_notes import native
from perceptron_notes._kit.recipes import Recipe, up_to
from perceptron_notes._kit.validation import check_run, name_of
from perceptron_notes._kit.values import Array, by_value
from perceptron_notes.data import Dataset, check_dataset
from perceptron_notes.learning import Run, Step, WatchedStep, protected
from perceptron_notes.model import error_count

__all__ = ["Pocket", "PocketStep", "pocket", "watch"]

Steps = Iterable[Step]
Count = Callable[[Array, Dataset], int]

#: The mistakes of many weights, from 256 to 4096, are counted together, for at most 2²² scores.
_LEAST, _MOST, _SCORES = 256, 4096, 1 << 22


@by_value
@dataclass(frozen=True, eq=False)
class PocketStep(WatchedStep):
    """A step of PLA and what lies in the pocket at that moment.

    Attributes
    ----------
    step : Step
        The step of the run that is watched; its ``t``, ``w``, ``pick`` and ``passes`` are
        attributes of this one too.
    errors : int
        How many mistakes ``step.w`` makes on the data.
    best : ndarray, shape (d + 1,)
        The first weights of the run that make ``best_errors`` mistakes.
    best_errors : int
        The fewest mistakes so far.
    """

    errors: int
    best: Array
    best_errors: int


@by_value
@dataclass(frozen=True, eq=False, repr=False)
class Pocket(Recipe[PocketStep]):
    """A run that is watched, as a recipe: iterating it always gives the same steps.

    Its attributes are the arguments of `pocket`: ``data`` and ``run``.
    """

    data: Dataset
    run: Iterable[Step] | Callable[[Dataset], Iterable[Step]]

    def __iter__(self) -> Iterator[PocketStep]:
        return watch(self.data, protected(self.run, self.data))

    def end(self, updates: int, passes: int | None) -> PocketStep:
        """Find the step at which a cap stops; the mistakes of many weights are counted together."""
        if isinstance(self.run, Run):
            found = native.means.finish_pocket(self.data, self.run, updates, passes)
            if found is not None:
                step, errors, best, best_errors = found
                return PocketStep(Step(*step), errors, best, best_errors)
        counts: deque[int] = deque()
        steps = _counting(self.data, up_to(protected(self.run, self.data), updates, passes), counts)
        return deque(watch(self.data, steps, lambda w, data: counts.popleft()), maxlen=1).pop()

    def __repr__(self) -> str:
        return f"pocket({self.data!r}, {name_of(self.run)})"


def pocket(data: Dataset, run: Iterable[Step] | Callable[[Dataset], Iterable[Step]]) -> Pocket:
    r"""Watch a run and keep the weights with the fewest mistakes so far.

    New weights replace the old only when they make strictly fewer mistakes on all of the
    data (the *ratchet*), so the number of mistakes in the pocket never grows. The starting
    weights and the last weights are compared too.

    Parameters
    ----------
    data : Dataset
        The samples on which mistakes are counted.
    run : Run, Trace, or steps of your own
        A run such as ``pla(data, at_random(rng))``, or what `record` kept of one; or any
        iterable of `Step`, or a function that makes one from the data. Weights of your own
        are copied.

    Returns
    -------
    Pocket
        A recipe with one `PocketStep` for each step, made lazily; as long as the run.

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
    return Pocket(check_dataset(data), check_run(run))


def watch(data: Dataset, steps: Steps, count: Count = error_count) -> Iterator[PocketStep]:
    """The algorithm itself: compare, and keep what is strictly better."""
    best_errors = data.n + 1
    for step in steps:
        errors = count(step.w, data)
        if errors < best_errors:
            best, best_errors = step.w, errors
        yield PocketStep(step, errors, best, best_errors)


def _counting(data: Dataset, steps: Iterator[Step], counts: deque[int]) -> Iterator[Step]:
    """Yield the same steps, with the mistakes of each, found for many at once, put into `counts`.

    Counting stops early for weights that cannot be best, except for the last ones.
    """
    fewest, many = data.n + 1, max(_LEAST, min(_MOST, _SCORES // data.n))
    while batch := list(islice(steps, many)):
        found = native.means.count_errors(
            data, np.array([step.w for step in batch]), fewest
        ).tolist()
        counts.extend(found)
        fewest = min(fewest, *found)
        yield from batch
