"""Chapter 2, the pick rules: which mistake is corrected next.

A rule is any function ``pick(look, n, previous)``. It sees neither samples nor weights, only a
`Look`, so the primal and the dual form share it, and it costs what it looks at. A rule of your
own can also ask the look for the signed scores. Rules are values: they can be compared, printed
and pickled, and one rule serves any number of runs.
"""

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.draws import Draws
from perceptron_notes._kit.validation import check_rng, checked
from perceptron_notes._kit.values import Array, frozen

__all__ = ["Look", "Order", "PickRule", "at_random", "in_turn", "lowest", "shuffled"]

#: The indices of samples, in the order in which they are looked at.
Order = npt.NDArray[np.integer[Any]]

#: How many samples `at_random` draws at first; then it draws eight times as many.
FIRST_DRAWS = 32


class Look:
    """The queries open to a pick rule, for the current weights.

    Examples
    --------
    The worst mistake first, for the primal and the dual form alike:

    >>> def worst(look, n, previous):
    ...     scores = look.scores()
    ...     i = int(scores.argmin())
    ...     return i if scores[i] <= 0 else None
    >>> [step.pick for step in pla(li_hang(), worst)]
    [0, 2, 2, 2, 0, 2, 2, None]
    """

    def __init__(self, find: Callable[..., int | None], scores: Callable[[], Array]) -> None:
        self.find, self._scores = find, scores

    def __call__(self, start: int, stop: int, order: Order | None = None, /) -> int | None:
        """Find the first mistake among samples start … stop − 1, or among ``order[start:stop]``.

        ``None`` if all of them are right.
        """
        return self.find(start, stop, order)

    def scores(self) -> Array:
        """Return the signed score of each sample, its label times its score: shape (n,).

        That of a mistake is not positive. It costs a look at all samples.
        """
        return self._scores()


#: ``pick(look, n, previous)``: the index of the mistake to correct, ``None`` if none is left.
PickRule = Callable[[Look, int, int | None], int | None]


def in_turn(look: Look, n: int, previous: int | None) -> int | None:
    """Pick the next mistake after the one just corrected, going round and round: cyclic PLA.

    Parameters
    ----------
    look : callable
        ``look(start, stop, order=None)`` finds the first mistake among the samples
        ``start`` … ``stop - 1``, or among ``order[start:stop]``.
    n : int
        The number of samples.
    previous : int or None
        The sample corrected last.

    Returns
    -------
    int or None

    Examples
    --------
    >>> [step.pick for step in pla(li_hang(), in_turn)]
    [0, 2, 2, 2, 0, 2, 2, None]
    """
    start = 0 if previous is None else previous + 1
    i = look(start, n)
    return look(0, start) if i is None else i


def lowest(look: Look, n: int, previous: int | None) -> int | None:
    """Pick the mistake with the lowest index, starting from sample 0 each time.

    Parameters
    ----------
    look, n, previous
        As for `in_turn`.

    Returns
    -------
    int or None

    Examples
    --------
    >>> [step.pick for step in pla(li_hang(), lowest)]
    [0, 2, 2, 2, 0, 2, 2, None]
    """
    return look(0, n)


@dataclass(frozen=True, init=False)
class _Seeded:
    """A rule that draws a seed from a generator once, so that each of its runs is the same."""

    seed: int

    def __init__(self, rng: np.random.Generator) -> None:
        object.__setattr__(self, "seed", int(check_rng(rng).integers(2**63)))


class shuffled(_Seeded):  # noqa: N801  # called like a function, as `range` is
    """The rule that goes round like `in_turn`, but in a random order that stays the same.

    Parameters
    ----------
    rng : numpy.random.Generator
        Gives the rule its seed, once, when the rule is made.

    Attributes
    ----------
    seed : int
        Determines the order, for any number of samples.

    Examples
    --------
    >>> rule = shuffled(np.random.default_rng(1))
    >>> [step.pick for step in pla(li_hang(), rule)]
    [1, 2, 2, 2, None]
    """

    def __call__(self, look: Look, n: int, previous: int | None) -> int | None:
        """Pick the next mistake of the tour."""
        order, place = tour(self.seed, n)
        start = 0 if previous is None else int(place[previous]) + 1
        i = look(start, n, order)
        return look(0, start, order) if i is None else i


class at_random(_Seeded):  # noqa: N801
    """The rule that picks every mistake with the same probability.

    It draws samples until one is a mistake: the first mistake among independent uniform
    draws is uniform among the mistakes, so they need not be counted. When many draws in a
    row find no mistake, it goes through all samples in a random order.

    Parameters
    ----------
    rng : numpy.random.Generator
        Gives the rule its seed, once, when the rule is made.

    Attributes
    ----------
    seed : int
        The seed of the draws of each run; so every run on the same data is the same.

    Examples
    --------
    >>> run = pla(li_hang(), at_random(np.random.default_rng(1)))
    >>> record(run) == record(run)
    True
    """

    def __call__(self, look: Look, n: int, previous: int | None) -> int | None:
        """Pick the first mistake among the next draws."""
        if previous is None or "chance" not in vars(self):
            vars(self)["chance"] = Draws(self.seed)
        chance, draws = vars(self)["chance"], FIRST_DRAWS
        while draws < n:
            i = look(0, draws, chance.take(draws, n))
            if i is not None:
                return i
            draws *= 8
        return look(0, n, chance.permutation(n))


@lru_cache(maxsize=8)
def tour(seed: int, n: int) -> tuple[Order, Order]:
    """Draw a random order of n samples; return it, and the position of each sample in it."""
    order = np.random.default_rng(seed).permutation(n)
    return frozen(order), frozen(np.argsort(order))


class Tour(NamedTuple):
    """How a rule without randomness goes through n samples.

    Attributes
    ----------
    n : int
        The number of samples.
    order, place : ndarray of int or None
        The samples in the order in which they are looked at, and the position of each in it; None
        where they are looked at in the order of their indices.
    cyclic : bool
        Whether it goes on after the sample corrected last, round and round, which makes passes; or
        starts again from the first after each correction.
    """

    n: int
    order: Order | None
    place: Order | None
    cyclic: bool

    def places(self, picks: Any) -> Any:
        """Return the positions of some samples, or of one."""
        return picks if self.place is None else self.place[picks]

    def shown(self, before: Any, here: Any) -> Any:
        """Return how many samples are looked at until the one at a position is picked.

        Before it the sample at another position was picked; at first that is n − 1.
        """
        return (here - before - 1) % self.n + 1 if self.cyclic else here + 1

    def rest(self, before: int) -> int:
        """Return how many samples are looked at after the last pick, to the end of the run.

        A run that goes round ends with the first pass without a mistake.
        """
        return 2 * self.n - 1 - before if self.cyclic else self.n


class Chance(NamedTuple):
    """How `at_random` goes through samples: by random draws, so only its picks count as shown."""

    seed: int


def traversal(pick: PickRule, n: int) -> Tour | Chance | None:
    """Return how one of this module's rules goes through n samples, or None for any other rule.

    All questions about a rule are answered by this: which passes it makes, how many samples it
    shows between two mistakes, and whether compiled code can make its picks. Only these exact rules
    are known, not classes derived from them, whose picks may differ.
    """
    if pick is in_turn or pick is lowest:
        return Tour(n, None, None, cyclic=pick is in_turn)
    if type(pick) is shuffled:
        return Tour(n, *tour(pick.seed, n), cyclic=True)
    return Chance(pick.seed) if type(pick) is at_random else None


#: The rules that estimators and figures choose by name; the random ones take a generator.
NAMED: dict[str, Any] = {rule.__name__: rule for rule in (in_turn, lowest, shuffled, at_random)}
#: The same names, for type checkers.
RuleName = Literal["in_turn", "lowest", "shuffled", "at_random"]


def named(name: str, rng: Callable[[], np.random.Generator]) -> PickRule:
    """Return the rule of a name; a generator is requested only for a random rule."""
    rule = NAMED[name]
    return rule(rng()) if isinstance(rule, type) else rule


def in_passes(steps: Iterator[Any], pick: PickRule, n: int) -> Iterator[Any]:
    """Yield each step with the number of its pass, if the rule makes passes."""
    way, passes, before = traversal(pick, n), 1, -2
    if not isinstance(way, Tour) or not way.cyclic:
        yield from steps
        return
    for step in steps:
        *fields, i, _ = step
        here = -1 if i is None else int(way.places(i))
        passes += before >= here
        before = here
        yield tuple.__new__(type(step), (*fields, i, passes))


def one_run_of(pick: PickRule, n: int) -> PickRule:
    """Return the rule for one run, with its own draws; picks of an unknown rule are checked."""
    way = traversal(pick, n)
    if isinstance(way, Chance):
        return copy(pick)  # runs side by side must not share their draws
    return checked(pick) if way is None else pick
