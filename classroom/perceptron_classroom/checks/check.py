"""What every check has in common: it tries a function on data sets, and reports the first failure.

A check draws its data sets from a seed, in groups, each from small to large. It hands copies to
the function, and only plain values: arrays, numbers, strings and generators. So it never matters
whether the function lives in this process or in another one.

A function must leave its arguments alone, answer rightly when it is called again, and take chance
from the generator that it is given, and from nowhere else.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from textwrap import indent
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from perceptron_classroom.checks.rounding import ANYTHING, WIDE, alike
from perceptron_classroom.inside.plain import Misfit, ask, kept_global_generators, same

__all__ = ["ANYTHING", "Abandoned", "Check", "Finding", "Seeded", "Slip", "Wrong"]

Array: TypeAlias = npt.NDArray[np.float64]
Labels: TypeAlias = npt.NDArray[np.intp]
#: What a function is called with, by name and in order.
Arguments = dict[str, Any]
#: Draws the data sets of a group.
Draw = Callable[[np.random.Generator], Iterator[Arguments]]

# Data sets with more rows are not printed: a line says how to get them.
MOST_ROWS = 16
# How many data sets of a group with a generator are tried a second time.
AGAIN = 40
#: How many data sets decide between known mistakes: at most, and at least with those before.
MOST, LEAST = 40, 10
#: How long the function may take for that: in lines of Python here, which are as many on a busy
#: machine and in a browser, and in seconds of processor time in a sandbox.
LINES, SECONDS = 1_000_000, 4
#: How often a function that may remember earlier calls is called again.
REPEATED = 8


class Wrong(AssertionError):  # noqa: N818 (the student reads the name)
    """A function failed its check; the text is the report."""


class Abandoned(BaseException):
    """A function could not be tried to the end: its process died, for instance, or took too long.

    Code that calls it in another process raises subclasses of this. A check lets them pass, and
    adds a note naming the data set.
    """


@dataclass(frozen=True)
class Seeded:
    """A generator among the arguments, named by its seed, so that each call gets a fresh one.

    Attributes
    ----------
    seed : int
        Two calls with the same seed must give the same answer.
    """

    seed: int

    def __repr__(self) -> str:
        return f"np.random.default_rng({self.seed})"


@dataclass(frozen=True)
class Slip:
    """A known mistake.

    Attributes
    ----------
    program : callable
        The function with this mistake in it. It always ends.
    hint : str
        What to say to somebody whose function answers like `program`.
    like : callable, optional
        For a mistake that can be made in many ways: ``like(answer, **arguments)`` gets a wrong
        answer, and returns the program to compare with in place of `program`, or None. That one
        may answer with a set, of what shows the mistake, or with `ANYTHING`.
    """

    program: Callable[..., Any]
    hint: str
    like: Callable[..., Callable[..., Any] | None] | None = None


@dataclass(frozen=True)
class Finding:
    """What a check found wrong.

    Attributes
    ----------
    case : int
        Which data set it was, counted from 0 over all groups.
    sentence : str
        What is wrong, in one line.
    shown : str
        The data, and what was expected.
    replay : str
        How to have the same data again.
    hint : str
        What kind of mistake it looks like; empty if that is not known.
    slips : tuple of Slip
        The known mistakes that give this very answer.
    error : Exception or None
        What the function raised, if it did.
    """

    case: int
    sentence: str
    shown: str
    replay: str
    hint: str = ""
    slips: tuple[Slip, ...] = ()
    error: Exception | None = field(default=None, compare=False)

    @property
    def report(self) -> str:
        """The whole report."""
        hint = self.hint and f"Hint. {self.hint}"
        return "\n\n".join(filter(None, [self.shown, hint, self.replay]))


@dataclass(frozen=True, repr=False)
class Check:
    """Feedback on one function of a student.

    Attributes
    ----------
    name : str
        The name of the check, and of the function.
    signature : str
        How the function is called, such as ``pla(X, y) -> (w, picks)``.
    groups : mapping of str to callable
        The data sets by what they are about. ``draw(rng)`` yields the arguments of each call, as a
        dict, from small to large. A question can give points for each group.
    judge : callable
        ``judge(answer, **arguments)`` says in words what is wrong with an answer: its first line
        is a sentence. ``None`` if nothing is. The answer is as `plain_value` returns it; what is
        read by the functions of `answers` needs no further care.
    slips : tuple of Slip
        Known mistakes, the commonest first.
    across : callable, optional
        ``across(calls)`` does the same for all answers of a group together, which must be right one
        by one: a list of pairs ``(arguments, answer)``. This is for chance, and for answers that
        must fit each other.
    alike : callable
        ``alike(known, answer, **arguments)`` says whether two wrong answers show the same mistake.
    """

    name: str
    signature: str
    groups: Mapping[str, Draw]
    judge: Callable[..., str | None]
    slips: tuple[Slip, ...] = ()
    across: Callable[[list[tuple[Arguments, Any]]], str | None] | None = None
    alike: Callable[..., bool] = lambda known, answer, **_: alike(known, answer, WIDE)

    @property
    def function(self) -> str:
        """The name that the function must have."""
        return self.name

    def __repr__(self) -> str:
        return f"<check of {self.signature}>"

    def __call__(self, function: Callable[..., Any], seed: int | None = None) -> None:
        """Try `function` on fresh data sets, or on those of a seed.

        Parameters
        ----------
        function : callable
            The function itself: ``checks.pla(pla)``, not a call of it.
        seed : int, optional
            Replays the data sets of a report.

        Raises
        ------
        TypeError
            If `function` cannot be called, or the seed is no whole number.
        Wrong
            If an answer is wrong. The text is the report.
        """
        if not callable(function):
            raise TypeError(
                f"checks.{self.name} got {type(function).__name__}; expected the function itself, "
                f"without brackets after it: checks.{self.name}({self.name})"
            )
        seed = secrets.randbits(32) if seed is None else seed
        finding = self.examine(function, seed)
        if finding:
            raise Wrong(finding.report) from finding.error
        count = sum(len(cases) for cases in self.cases(seed).values())
        print(f"{self.name}: {count} data sets, all right.")

    def examine(self, function: Callable[..., Any], seed: int) -> Finding | None:
        """Try `function` on the data sets of a seed, quietly.

        Parameters
        ----------
        function : callable
            The function.
        seed : int
            From 0 on, of any size.

        Returns
        -------
        Finding or None
            The first thing that is wrong.

        Raises
        ------
        TypeError, ValueError
            If the seed is no whole number, or negative.
        Abandoned
            If the function raises one; a note names the data set.
        """
        with kept_global_generators():
            found = next((found for _, found in self.results(function, seed) if found), None)
            return found and self.told(found, paced(function), seed)

    def told(
        self,
        found: Finding,
        function: Callable[..., Any],
        seed: int,
        patience: AbstractContextManager[Any] | None = None,
    ) -> Finding:
        """Add the kind of mistake to a finding, if it is certain.

        Many mistakes give the same answer on a small data set. So the known ones are compared
        on further data sets, for as long as the function and `patience` last; one is named only
        if it answers like the function on all of them, and rightly on those before.
        """
        slips, seen = list(found.slips), found.case
        drawn = (call for _, cases in self._drawn(seed) for call in cases.items())
        with suppress(Abandoned), patience or nullcontext():
            if memory := self.memory(function, next(drawn)[1], found.case > 0):
                return replace(found, hint=memory, slips=())
            for case, arguments in drawn if slips else ():
                if case < found.case:  # where the function was right
                    slips = [
                        slip
                        for slip in slips
                        if slip.like or self.fine(outcome(slip.program, arguments), arguments)
                    ]
                if case <= found.case:
                    continue
                answer, seen = outcome(function, arguments), seen + 1
                fine = self.fine(answer, arguments)
                slips = [slip for slip in slips if self.shows(slip, answer, fine, arguments)]
                if len({slip.hint for slip in slips}) < 2 and seen - found.case >= MOST:
                    break
        if len({slip.hint for slip in slips}) != 1 or seen < LEAST:
            return replace(found, slips=())
        return replace(found, hint=slips[0].hint, slips=tuple(slips))

    def memory(self, function: Callable[..., Any], first: Arguments, was_right: bool) -> str:
        """Return a hint if the answer on the first data set depends on earlier calls."""
        answers = [outcome(function, first) for _ in range(REPEATED)]
        again = "called again with the first data set"
        kept = "(by a list outside of it, or a default such as picks=[])"
        if was_right and not any(self.fine(answer, first) for answer in answers):
            return f"Your function remembers earlier calls {kept}: {again}, it is no longer right."
        if not was_right and not any(map(same, answers, answers[1:])):
            return (
                f"Your function remembers earlier calls {kept}, or it draws by chance: {again}, it "
                "gives another answer each time."
            )
        return ""

    def fine(self, answer: Any, arguments: Arguments) -> bool:
        """Return whether an outcome is a right answer."""
        with suppress(Misfit):
            return not isinstance(answer, type) and self.judge(answer, **arguments) is None
        return False

    def shows(self, slip: Slip, answer: Any, fine: bool, arguments: Arguments) -> bool:
        """Return whether a known mistake gives such an answer, or both answers are right."""
        known = outcome(slip.program, arguments)
        if alike(known, answer):
            return True
        if self.fine(known, arguments):
            return fine
        with suppress(Misfit, TypeError):  # of another shape
            return not fine and self.alike(known, answer, **arguments)
        return False

    def results(
        self, function: Callable[..., Any], seed: int
    ) -> Iterator[tuple[str, Finding | None]]:
        """Try `function` on each group of a seed, quietly, and yield the first fault of each."""
        for group, cases in self._drawn(seed):
            yield group, Trial(self, function, seed, cases).run()

    def cases(self, seed: int) -> dict[str, dict[int, Arguments]]:
        """Return the data sets of a seed, by group, each with its number."""
        return dict(self._drawn(seed))

    def _drawn(self, seed: int) -> Iterator[tuple[str, dict[int, Arguments]]]:
        """Yield the data sets group by group, each drawn when it is needed."""
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise TypeError(f"seed is {seed!r}; expected a whole number")
        if seed < 0:
            raise ValueError(f"seed is {seed}; expected a whole number from 0 on")
        number = 0
        for place, (group, draw) in enumerate(self.groups.items()):
            # A stream for each group: the draws of one group do not affect the others.
            cases = dict(enumerate(draw(np.random.default_rng([place, seed])), start=number))
            yield group, cases
            number += len(cases)

    def data(self, seed: int, case: int) -> tuple[Any, ...]:
        """Return the arguments of one call, as the function gets them.

        Parameters
        ----------
        seed, case : int
            As a report names them.

        Returns
        -------
        tuple

        Raises
        ------
        ValueError
            If there are not so many data sets.
        """
        for cases in self.cases(seed).values():
            if case in cases:
                return fresh(cases[case])
        raise ValueError(f"case is {case}; checks.{self.name} does not have so many data sets")


class Trial:
    """A function on the data sets of one group."""

    def __init__(
        self, check: Check, function: Callable[..., Any], seed: int, cases: Mapping[int, Arguments]
    ) -> None:
        self.check, self.function, self.seed, self.cases = check, function, seed, cases
        self.answers: dict[int, Any] = {}

    def run(self) -> Finding | None:
        """Return the first thing that is wrong."""
        for case, arguments in self.cases.items():
            found = self.call(case)
            seeded = any(isinstance(value, Seeded) for value in arguments.values())
            if found is None and seeded and len(self.answers) <= AGAIN:
                found = self.call(case, again=True)
            if found:
                return found
        across = self.check.across
        if across and (wrong := across([(self.cases[k], got) for k, got in self.answers.items()])):
            return self.finding(max(self.cases), wrong, self.slips(across=True))
        return self.call(min(self.cases), again=True)

    def call(self, case: int, again: bool = False) -> Finding | None:
        """Call the function once, and judge its answer."""
        arguments = self.cases[case]
        try:
            got = ask(self.function, fresh(arguments))
        except (Abandoned, KeyboardInterrupt) as stop:
            stop.add_note(
                f"{self.check.name} had not answered on data set {case + 1}:\n\n{self.given(case)}"
            )
            raise
        except Misfit as misfit:
            return self.finding(case, str(misfit))
        except Exception as error:
            raised = f"your function raised {type(error).__name__}: {error}"
            return self.finding(case, raised, error=error, hint=advice(error))
        hint = ""
        try:
            wrong = self.check.judge(got, **arguments)
        except Misfit as misfit:  # of no kind that the check asks for
            wrong, hint = str(misfit), MISSING * (got is None)
        if again:
            return self.repeated(case, got, wrong)
        self.answers[case] = got
        return self.finding(case, wrong, self.slips(), hint=hint) if wrong else None

    def repeated(self, case: int, got: Any, wrong: str | None) -> Finding | None:
        """Judge the answer of a second call with the same data."""
        seeded = any(isinstance(value, Seeded) for value in self.cases[case].values())
        if seeded and not same(got, self.answers[case]):
            wrong = (
                "two calls with the same generator, in the same state, give different answers.\n"
                "Chance must come from rng, and from nowhere else."
            )
        elif wrong:
            wrong = (
                "called a second time with the same data, your function gives a different answer.\n"
                f"The first answer was right. The second time: {wrong}"
            )
        return self.finding(case, wrong) if wrong else None

    def slips(self, across: bool = False) -> list[Slip]:
        """Return the slips that fit all answers; with `across`, only by identical answers."""
        # From small data to large: most slips drop out before a long run is made.
        calls = [(answer, self.cases[k]) for k, answer in self.answers.items()]

        def fits(slip: Slip, number: int, answer: Any, arguments: Arguments) -> bool:
            if across:
                return same(answer, outcome(slip.program, arguments))
            return self.check.shows(slip, answer, number + 1 < len(calls), arguments)

        return [
            slip
            for slip in map(self.fitted, self.check.slips)
            if slip and all(fits(slip, number, *call) for number, call in enumerate(calls))
        ]

    def fitted(self, slip: Slip) -> Slip | None:
        """Return a slip with the program that is compared with the latest answer."""
        if slip.like is None:
            return slip
        case, answer = list(self.answers.items())[-1]
        with suppress(Misfit, ArithmeticError, ValueError):
            program = slip.like(answer, **self.cases[case])
            return program and replace(slip, program=program)
        return None

    def finding(
        self,
        case: int,
        wrong: str,
        slips: list[Slip] | None = None,
        error: Exception | None = None,
        hint: str = "",
    ) -> Finding:
        """Return a finding that describes what is wrong."""
        name, right = self.check.name, len(self.answers) - (case in self.answers)
        sentence, _, details = wrong.strip().partition("\n")
        shown = [
            f"{name}: {sentence}",
            f"Data set {case + 1}"
            + (f", after {right} right answer{'s' * (right > 1)}:" if right else ":"),
            self.given(case),
            details.strip("\n"),
        ]
        replay = f"The same data again: checks.{name}({name}, seed={self.seed})"
        text = "\n\n".join(filter(None, shown))
        return Finding(case, sentence, text, replay, hint, tuple(slips or ()), error)

    def given(self, case: int) -> str:
        """Write the arguments as lines that can be pasted into a cell."""
        arguments, name = self.cases[case], self.check.name
        if (many := rows(arguments)) > MOST_ROWS:
            names = ", ".join(arguments) + "," * (len(arguments) == 1)
            return f"    {names} = checks.{name}.data(seed={self.seed}, case={case})  # {many} rows"
        return indent(
            "\n".join(f"{k} = {literal(v, len(k) + 3)}" for k, v in arguments.items()), "    "
        )


def outcome(function: Callable[..., Any], arguments: Arguments) -> Any:
    """Return a function's answer, or the type of its exception, which equals no answer."""
    try:
        return ask(function, fresh(arguments))
    except Exception as error:
        return type(error)


def rows(arguments: Arguments) -> int:
    """Return how many rows the largest array of a data set has."""
    return max((len(v) for v in arguments.values() if isinstance(v, np.ndarray)), default=0)


def paced(function: Callable[..., Any], lines: int = LINES) -> Callable[..., Any]:
    """Return the function, abandoned after so many lines of Python in all of its calls together."""
    left = lines

    def look(*_: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise Abandoned
        return look

    def call(*arguments: Any) -> Any:
        before = sys.gettrace()
        sys.settrace(look)
        try:
            return function(*arguments)
        finally:
            sys.settrace(before)

    return call


def fresh(arguments: Arguments) -> tuple[Any, ...]:
    """Copy the arguments for one call, with generators made from their seeds."""
    return tuple(
        np.random.default_rng(value.seed) if isinstance(value, Seeded) else deepcopy(value)
        for value in arguments.values()
    )


def literal(value: Any, column: int) -> str:
    """Write a value as Python does, with the later lines of an array under its first."""
    if not isinstance(value, np.ndarray):
        return repr(value)
    if value.size == 0:
        return f"np.zeros({value.shape}, dtype={value.dtype.type.__name__.rstrip('0123456789')})"
    with np.printoptions(threshold=sys.maxsize, linewidth=88, floatmode="unique"):
        text = repr(value).replace("dtype=", "dtype=np.")  # for integers that are not int64
        return "np." + text.replace("\n", "\n" + " " * (column + 3))


#: A fact, whether the function has a `return` or not.
MISSING = (
    "A function that ends without a `return` gives None; so do methods that change a list, such as "
    "append and sort."
)


def advice(error: Exception) -> str:
    """Return a hint about an exception, if its text says what happened."""
    if isinstance(error, NotImplementedError) and str(error).startswith("Write your answer here"):
        return "Replace the line `raise NotImplementedError(…)` with your answer."
    return ""
