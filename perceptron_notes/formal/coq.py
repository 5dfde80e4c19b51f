"""Put claims to Coq: the library beside this file is compiled, then each claim in its turn."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from perceptron_notes.formal.claims import Claim

__all__ = ["LIBRARY", "Verdict", "check", "missing"]

#: The files of the proof, each after those that it needs.
LIBRARY = ("Vectors", "Convergence", "Alternative", "Checker")

INSTALL = "on Debian and Ubuntu: apt-get install coq; elsewhere see https://coq.inria.fr/download"

#: What the checker answers, in words; {} is the number that comes with it.
REASONS = {
    "Refused_rate": "the learning rate is not positive",
    "Refused_label": "sample {} has a label other than +1 and -1",
    "Refused_separator": "sample {} has a margin below the least one that is claimed",
    "Refused_length": "sample {} is longer than the longest that is claimed",
    "Refused_limit": "the bound does not follow from the separator",
    "Refused_pick": "update {} corrects what is no mistake",
    "Refused_weights": "update {} leads to other weights",
    "Refused_end": "after the last update sample {} is still a mistake",
    "Refused_multiplier": "sample {} is taken a negative number of times",
    "Refused_sum": "the samples do not cancel",
}


class Verdict(NamedTuple):
    """What Coq says about a claim.

    Attributes
    ----------
    accepted : bool
        Whether the claim is proved.
    answer : str
        The checker's own word, such as ``Accepted`` or ``Refused_pick 5``.
    sentence : str
        The same as a sentence: what was proved, or what is wrong first.
    """

    accepted: bool
    answer: str
    sentence: str


def missing(program: str = "coqc") -> str | None:
    """A sentence that says how to get a program of Coq's, if it is not here."""
    return None if shutil.which(program) else f"{program} is not installed ({INSTALL})"


def check(claims: Iterable[Claim], recheck: bool = False) -> Iterator[Verdict]:
    """What Coq says of each claim.

    Parameters
    ----------
    claims : iterable of ClaimedRun or ClaimedObstruction
    recheck : bool
        Whether ``coqchk``, a second and smaller program, is to read all compiled proofs again,
        Coq's own library included, and to list the axioms; it takes about a minute a claim.

    Yields
    ------
    Verdict

    Raises
    ------
    FileNotFoundError
        If Coq is not installed.
    RuntimeError
        If Coq answers in a way that it should not.
    """
    with library() as folder:
        for claim in claims:
            yield verdict(claim, folder, recheck)


@contextmanager
def library() -> Iterator[Path]:
    """A folder with the compiled library, for a while."""
    with TemporaryDirectory(prefix="perceptron-") as name:
        folder = Path(name)
        for part in LIBRARY:
            text = files("perceptron_notes.formal").joinpath(f"{part}.v").read_bytes()
            (folder / f"{part}.v").write_bytes(text)
            done = coq("coqc", f"{part}.v", folder=folder)
            if done.returncode:
                raise RuntimeError(f"coqc does not accept {part}.v: {done.stderr.strip()}")
        yield folder


def verdict(claim: Claim, folder: Path, recheck: bool) -> Verdict:
    """What Coq says of one claim, beside the compiled library."""
    (folder / "Run.v").write_text(claim.text(), encoding="utf-8")
    done = coq("coqc", "Run.v", folder=folder)
    answer = answers(done.stdout)[:1]
    if not answer:
        raise RuntimeError(f"coqc gave no answer: {(done.stderr or done.stdout).strip()}")
    if answer != ["Accepted"]:
        reason, _, number = answer[0].partition(" ")
        return Verdict(False, answer[0], f"Refused: {REASONS[reason].format(number)}.")
    if done.returncode or "Closed under the global context" not in done.stdout:
        raise RuntimeError(f"coqc proved nothing: {(done.stderr or done.stdout).strip()}")
    if recheck:
        again = coq("coqchk", "-silent", "-o", "Perceptron.Run", folder=folder)
        summary = again.stdout + again.stderr
        if again.returncode or "* Axioms: <none>" not in summary:
            raise RuntimeError(f"coqchk objects: {summary.strip()}")
    return Verdict(True, "Accepted", f"Proved: {claim}")


def answers(output: str) -> list[str]:
    """The verdicts that Coq printed."""
    return [" ".join(found.split()) for found in re.findall(r"= ([^:]*?)\s+: verdict", output)]


def coq(program: str, *words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run one of Coq's programs in a folder."""
    if lack := missing(program):
        raise FileNotFoundError(lack)
    command = [program, "-Q", ".", "Perceptron", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
