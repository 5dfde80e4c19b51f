"""What every check has in common: it tries a function on data sets, and reports the first failure.

A check draws its data sets from a seed, from small to large. It hands copies to the function,
and only plain values: arrays, numbers, strings and generators. So it never matters whether the
function lives in this process or in another one.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import islice
from textwrap import indent
from typing import Any

import numpy as np

from perceptron_notes.checks.answers import Misfit, plain, same

__all__ = ["Abandoned", "Check", "Finding", "Slip", "Wrong"]

#: What a function is called with, by name and in order.
Arguments = dict[str, Any]

# Data sets with more rows are not printed: a line says how to get them.
MOST_ROWS = 16


class Wrong(AssertionError):  # noqa: N818 (the student reads the name)
    """A function failed its check; the text is the report."""


class Abandoned(BaseException):
    """A function could not be asked to the end: its process died, say, or took too long.

    Whoever asks it from outside derives exceptions from this one. A check lets them pass, and
    notes on them which data set it was.
    """


@dataclass(frozen=True)
class Seeded:
    """A generator among the arguments, named by its seed, so that each call gets a fresh one."""

    seed: int

    def __repr__(self) -> str:
        return f"np.random.default_rng({self.seed})"


@dataclass(frozen=True)
class Slip:
    """A known mistake.

    Attributes
    ----------
    name : str
        A few words, for tables and tests.
    program : callable
        The function with this mistake in it. It always ends.
    hint : str
        What to say to somebody whose function answers like `program`.
    """

    name: str
    program: Callable[..., Any]
    hint: str


@dataclass(frozen=True)
class Finding:
    """What a check found wrong.

    Attributes
    ----------
    case : int
        How many data sets the function got right before.
    sentence : str
        What is wrong, in one line.
    report : str
        All of it: the data, what was expected, the hint, and how to replay it.
    hint : str
        What kind of mistake it looks like, a line for each that gives the same answer; empty if
        none that is known does.
    error : Exception or None
        What the function raised, if it did.
    """

    case: int
    sentence: str
    report: str
    hint: str = ""
    error: Exception | None = field(default=None, compare=False)


@dataclass(frozen=True, repr=False)
class Check:
    """Feedback on one function of a student.

    Attributes
    ----------
    name : str
        The name of the check, and of the function.
    signature : str
        How the function is called, such as ``pla(X, y) -> (w, picks)``.
    draw : callable
        ``draw(rng)`` yields the arguments of each call, as a dict, from small to large.
    judge : callable
        ``judge(answer, **arguments)`` says in words what is wrong with an answer: its first line
        is a sentence. ``None`` if nothing is.
    slips : tuple of Slip
        Known mistakes, the commonest first.
    """

    name: str
    signature: str
    draw: Callable[[np.random.Generator], Iterator[Arguments]]
    judge: Callable[..., str | None]
    slips: tuple[Slip, ...] = ()

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
                f"without brackets behind it: checks.{self.name}({self.name})"
            )
        finding = self.examine(function, secrets.randbits(32) if seed is None else seed)
        if finding:
            raise Wrong(finding.report) from finding.error
        count = sum(1 for _ in self.draw(np.random.default_rng(0)))
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
            What the function raises of this kind, with a note about the data set.
        """
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise TypeError(f"seed is {seed!r}; expected a whole number")
        if seed < 0:
            raise ValueError(f"seed is {seed}; expected a whole number from 0 on")
        for case, arguments in enumerate(self.draw(np.random.default_rng(seed))):
            finding = self._try(function, arguments, case, seed)
            if finding:
                return finding
        return None

    def data(self, seed: int, case: int) -> tuple[Any, ...]:
        """The arguments of one call, as the function gets them.

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
        arguments = next(islice(self.draw(np.random.default_rng(seed)), case, None), None)
        if arguments is None:
            raise ValueError(f"case is {case}; checks.{self.name} has not so many data sets")
        return fresh(arguments)

    def _try(
        self, function: Callable[..., Any], arguments: Arguments, case: int, seed: int
    ) -> Finding | None:
        """Call the function once and judge what comes back."""
        raised: Exception | None = None
        try:
            got = function(*fresh(arguments))
        except (Abandoned, KeyboardInterrupt) as stop:
            given = self._given(arguments, case, seed)
            stop.add_note(f"{self.name} had not answered on data set {case + 1}:\n\n{given}")
            raise
        except Exception as error:
            wrong = f"your function raised {type(error).__name__}: {error}"
            hint, raised = advice(error), error
        else:
            verdict = self._verdict(got, arguments)
            if verdict is None:
                return None
            wrong, hint = verdict, self._hint(plain(got), case, seed)
        sentence, _, details = wrong.strip().partition("\n")
        report = [
            f"{self.name}: {sentence}",
            f"Data set {case + 1}" + (f", after {case} right answers:" if case else ":"),
            self._given(arguments, case, seed),
            details.strip("\n"),
            hinted(hint),
            f"The same data again: checks.{self.name}({self.name}, seed={seed})",
        ]
        return Finding(case, sentence, "\n\n".join(filter(None, report)), hint, raised)

    def _verdict(self, got: Any, arguments: Arguments) -> str | None:
        try:
            return self.judge(plain(got), **arguments)
        except Misfit as misfit:
            return str(misfit)

    def _hint(self, got: Any, case: int, seed: int) -> str:
        """The slips that give this very answer, and were right on all data sets before."""
        *before, now = islice(self.draw(np.random.default_rng(seed)), case + 1)

        def fits(slip: Slip) -> bool:
            return same(got, outcome(slip, now)) and all(
                self._verdict(outcome(slip, old), old) is None for old in before
            )

        hints = list(dict.fromkeys(slip.hint for slip in self.slips if fits(slip)))
        if not hints:
            return "A function without a `return` gives None." * (got is None)
        return "\n".join(hints[:3])

    def _given(self, arguments: Arguments, case: int, seed: int) -> str:
        """The arguments as lines that can be pasted into a cell."""
        rows = max((len(v) for v in arguments.values() if isinstance(v, np.ndarray)), default=0)
        if rows > MOST_ROWS:
            names = ", ".join(arguments) + "," * (len(arguments) == 1)
            return f"    {names} = checks.{self.name}.data(seed={seed}, case={case})  # {rows} rows"
        return indent(
            "\n".join(f"{k} = {literal(v, len(k) + 3)}" for k, v in arguments.items()), "    "
        )


def outcome(slip: Slip, arguments: Arguments) -> Any:
    """What a slip returns; the slip itself, which equals no answer, if it raises instead."""
    try:
        return plain(slip.program(*fresh(arguments)))
    except Exception:
        return slip


def fresh(arguments: Arguments) -> tuple[Any, ...]:
    """Copies for one call, with generators made from their seeds."""
    return tuple(
        np.random.default_rng(value.seed) if isinstance(value, Seeded) else deepcopy(value)
        for value in arguments.values()
    )


def literal(value: Any, column: int) -> str:
    """A value as Python writes it, with the later lines of an array under its first."""
    if not isinstance(value, np.ndarray):
        return repr(value)
    if value.size == 0:
        return f"np.zeros({value.shape}, dtype={value.dtype.type.__name__.rstrip('0123456789')})"
    with np.printoptions(threshold=sys.maxsize, linewidth=88, floatmode="unique"):
        return "np." + repr(value).replace("\n", "\n" + " " * (column + 3))


def hinted(hint: str) -> str:
    """The hint as it stands in the report; of several, each in a line."""
    if "\n" in hint:
        return "Known mistakes with exactly this answer:\n- " + hint.replace("\n", "\n- ")
    return hint and f"Hint. {hint}"


def advice(error: Exception) -> str:
    """What to say about common exceptions."""
    if isinstance(error, NotImplementedError):
        return "Replace the line `raise NotImplementedError(…)` by your answer."
    if isinstance(error, TypeError) and "positional argument" in str(error):
        return "The arguments are those of the signature, in this order."
    if isinstance(error, IndexError):
        return "Python counts from 0: the last of n samples is sample n - 1."
    return ""
