"""The base of all algorithms' runs: each iteration starts afresh, and a cap may stop it."""

import sys
import warnings
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar

from perceptron_notes._kit.validation import check_count, check_step

__all__ = ["ConvergenceWarning"]

#: The number of updates after which `record` and `last` stop by default.
AT_MOST = 10_000

S = TypeVar("S")


class ConvergenceWarning(UserWarning):
    """A run was stopped by the default cap while it still had mistakes.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", ConvergenceWarning)
    ...     last(pla(xor())).t
    10000
    """


class Recipe(Iterable[S], Generic[S]):
    """An iterable that always yields the same steps."""

    @abstractmethod
    def __iter__(self) -> Iterator[S]: ...

    def end(self, updates: int, passes: int | None) -> S | None:
        """Return the step at which a cap stops, or None if it takes going step by step."""
        return None


class Primal(Recipe[S], Generic[S]):
    """A recipe for steps with weights that knows its samples and its learning rate λ."""

    data: Any
    rate: float


def up_to(steps: Iterable[S], at_most: int | None = None, passes: int | None = None) -> Iterator[S]:
    """Yield steps up to a cap; warn if it is the default cap that cuts the run short."""
    cap, passes = caps(at_most, passes)
    if not isinstance(steps, Iterable):
        raise TypeError(
            f"steps is {steps!r}; expected a run, such as pla(data), or a list of steps"
        )
    step: Any = None
    for k, step in enumerate(steps):
        check_step(step)
        if passes is not None and getattr(step, "passes", None) is None:
            raise ValueError(
                "passes caps a rule that makes no passes, or a Trace, which does not count them; "
                "at_most counts updates"
            )
        yield step
        if max(k, step.t) >= cap or (passes is not None and step.passes > passes):
            break
    if step is None:
        raise ValueError("steps is empty; expected at least the starting weights")
    if at_most is None and passes is None:
        warn(step, stacklevel=4)


def caps(at_most: int | None, passes: int | None) -> tuple[int, int | None]:
    """Return the most updates and passes; without either, the default is 10,000 updates."""
    if passes is not None:
        passes = check_count(passes, "passes")
    if at_most is None:
        return AT_MOST if passes is None else sys.maxsize, passes
    return min(check_count(at_most, "at_most"), sys.maxsize), passes


def warn(step: Any, stacklevel: int) -> None:
    """Warn if the default cap has stopped a run that still had mistakes."""
    if step.pick is not None and step.t >= AT_MOST:
        warnings.warn(
            f"still mistakes after {step.t} updates, the default cap; the data may not be "
            "linearly separable (separate(data) decides), or at_most must be larger",
            ConvergenceWarning,
            stacklevel=stacklevel,
        )
