"""``perceptron-notes verify``: have a proof assistant check runs."""

from __future__ import annotations

import argparse
from pathlib import Path

from perceptron_notes.formal import claims, coq, plain
from perceptron_notes.grading.terminal import Commands, positive, printable, say

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Describe the command.

    Parameters
    ----------
    commands : Commands
        Those of the program.
    """
    parser = commands.add_parser("verify", help="have Coq check exported runs")
    parser.add_argument("files", type=Path, nargs="+", help="from perceptron_notes.formal.export")
    parser.add_argument(
        "--quick", action="store_true", help="leave out coqchk, which checks all proofs once more"
    )
    parser.add_argument(
        "--timeout",
        type=positive,
        default=coq.TIMEOUT,
        help="seconds for each run of coqc or coqchk; a file that takes longer is left undecided "
        f"(default: {coq.TIMEOUT})",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Say of each file what was proved."""
    told = [(path.name, claims.read_file(path)) for path in options.files]
    if lack := coq.missing():
        say(f"perceptron-notes: {lack}.")
        say("So nothing is proved. A plain checker in Python, which nobody has proved, says:")
        for name, claim in told:
            answer = plain.verdict(claim)
            said = f"Accepted: {claim}" if answer == "Accepted" else coq.refusal(answer)
            print(printable(f"{name}: {said}"))
        return 1
    found = coq.check([claim for _, claim in told], not options.quick, options.timeout)
    good = True
    try:
        for (name, _), verdict in zip(told, found, strict=True):
            print(printable(f"{name}: {verdict.sentence}"), flush=True)
            good &= verdict.accepted
    except (RuntimeError, TimeoutError) as error:  # Coq itself, not a claim, is at fault
        say(f"perceptron-notes: {error}; nothing more is proved")
        return 1
    return 0 if good else 1
