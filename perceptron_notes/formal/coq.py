"""Check claims with Coq: compile the library beside this file, then each claim in turn."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from perceptron_notes.formal.claims import Claim

#: The files that a claim is checked with, each after those that it depends on.
LIBRARY = ("Vectors", "Convergence", "Alternative", "Checker")

#: Seconds for each run of one of Coq's programs. Most take less than ten, ``coqchk`` about 60.
TIMEOUT = 600

_INSTALL = "on Debian and Ubuntu: apt-get install coq; elsewhere see https://coq.inria.fr/download"

#: The checker's answers, in words; {} is the number that comes with one.
_REASONS = {
    "Refused_sign": "not positive: the rate, the least signed score or the largest squared length",
    "Refused_size": "not all samples and weights have the same number of coordinates",
    "Refused_label": "X[{}] has a label other than +1 and -1",
    "Refused_separator": "X[{}] has a signed score below the least one that is claimed",
    "Refused_length": "X[{}] is longer than the longest that is claimed",
    "Refused_limit": "the bound does not follow from the separator",
    "Refused_pick": "update {} corrects what is no mistake",
    "Refused_weights": "update {} leads to other weights",
    "Refused_end": "after the last update X[{}] is still a mistake",
    "Refused_count": "there is not one multiplier for each sample",
    "Refused_multiplier": "X[{}] is taken a negative number of times",
    "Refused_sum": "no sample is taken, or those taken do not cancel",
}


class Verdict(NamedTuple):
    """Coq's answer to a claim.

    Attributes
    ----------
    accepted : bool
        Whether the claim is proved.
    answer : str
        The checker's own answer, such as ``Accepted`` or ``Refused_pick 5``; ``Undecided`` if Coq
        took too long.
    sentence : str
        The same as a sentence: what was proved, or what is wrong first.
    """

    accepted: bool
    answer: str
    sentence: str


def missing(program: str = "coqc") -> str | None:
    """Return how to install one of Coq's programs if it is missing, else None."""
    return None if shutil.which(program) else f"{program} is not installed ({_INSTALL})"


def check(
    claims: Iterable[Claim], recheck: bool = False, timeout: float = TIMEOUT
) -> Iterator[Verdict]:
    """Yield Coq's verdict on each claim.

    If `recheck`, ``coqchk``, a second and smaller program, reads all compiled proofs again, Coq's
    own library included, and lists the axioms; it takes about a minute a claim. A program of Coq's
    is stopped after `timeout` seconds, and the claim is left undecided.
    """
    with _library(timeout) as folder:
        for claim in claims:
            try:
                yield _verdict(claim, folder, recheck, timeout)
            except TimeoutError as error:
                yield Verdict(False, "Undecided", f"Undecided: {error}.")


@contextmanager
def _library(timeout: float = TIMEOUT) -> Iterator[Path]:
    """Compile the library in a temporary folder, and yield that."""
    with TemporaryDirectory(prefix="perceptron-") as name:
        folder = Path(name)
        for part in LIBRARY:
            text = files("perceptron_notes.formal").joinpath(f"{part}.v").read_bytes()
            (folder / f"{part}.v").write_bytes(text)
            done = _coq("coqc", f"{part}.v", folder=folder, timeout=timeout)
            if done.returncode:
                raise RuntimeError(f"coqc does not accept {part}.v: {done.stderr.strip()}")
        yield folder


def _verdict(claim: Claim, folder: Path, recheck: bool, timeout: float) -> Verdict:
    """Return Coq's verdict on one claim, checked beside the compiled library."""
    (folder / "Run.v").write_text(claim.text(), encoding="utf-8")
    done = _coq("coqc", "Run.v", folder=folder, timeout=timeout)
    answer = _answers(done.stdout)[:1]
    if not answer:
        raise RuntimeError(f"coqc gave no answer: {(done.stderr or done.stdout).strip()}")
    if answer != ["Accepted"]:
        return Verdict(False, answer[0], refusal(answer[0]))
    if done.returncode or "Closed under the global context" not in done.stdout:
        raise RuntimeError(f"coqc proved nothing: {(done.stderr or done.stdout).strip()}")
    if recheck:
        again = _coq("coqchk", "-silent", "-o", "Perceptron.Run", folder=folder, timeout=timeout)
        summary = again.stdout + again.stderr
        if again.returncode or "* Axioms: <none>" not in summary:
            raise RuntimeError(f"coqchk objects: {summary.strip()}")
    return Verdict(True, "Accepted", f"Proved: {claim}")


def refusal(answer: str) -> str:
    """Return a checker's refusal as a sentence."""
    reason, _, number = answer.partition(" ")
    return f"Refused: {_REASONS[reason].format(number)}."


def _answers(output: str) -> list[str]:
    """Return the verdicts that Coq printed."""
    return [" ".join(found.split()) for found in re.findall(r"= ([^:]*?)\s+: verdict", output)]


def _coq(
    program: str, *words: str, folder: Path, timeout: float = TIMEOUT
) -> subprocess.CompletedProcess[str]:
    """Run one of Coq's programs in a folder, for at most `timeout` seconds."""
    if lack := missing(program):
        raise FileNotFoundError(lack)
    command = [program, "-Q", ".", "Perceptron", *words]
    with subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # so that its children can be killed with it
    ) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            late = f"{program} had not finished after {timeout:g} s and was stopped"
            raise TimeoutError(late) from None
        finally:
            if process.returncode is None:  # timed out, or interrupted by Ctrl-C
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
    return subprocess.CompletedProcess(command, process.returncode, out, err)
