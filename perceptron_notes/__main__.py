"""The command ``perceptron-notes``: diagnose a table, or have a proof assistant check runs."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import perceptron_notes
from perceptron_notes._kit.terminal import Parser, positive, reason, say
from perceptron_notes.diagnosis import command
from perceptron_notes.formal import checker, claims, coq


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 if all went well, 1 if not, 130 if interrupted."""
    options = parser().parse_args(words)
    try:
        return options.run(options)
    except (ValueError, OSError) as error:
        say(f"perceptron-notes: {reason(error)}")
        return 1
    except KeyboardInterrupt:
        say("\nStopped.")
        return 130


def parser() -> Parser:
    """Return the parser of the command line."""
    top = Parser(
        prog="perceptron-notes",
        description="Diagnose a table of your own, and check what the package proved.",
    )
    top.add_argument(
        "--version", action="version", version=f"%(prog)s {perceptron_notes.__version__}"
    )
    commands = top.add_subparsers(dest="command", required=True)
    command.add(commands)
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
    parser.set_defaults(run=verify)
    return top


def verify(options: argparse.Namespace) -> int:
    """Report for each file what was proved."""
    told = [(path.name, claims.read_file(path)) for path in options.files]
    if lack := coq.missing():
        say(f"perceptron-notes: {lack}.")
        say("So nothing is proved. A plain checker in Python, which nobody has proved, says:")
        for name, claim in told:
            answer = checker.verdict(claim)
            said = f"Accepted: {claim}" if answer == "Accepted" else coq.refusal(answer)
            say(f"{name}: {said}", sys.stdout)
        return 1
    found = coq.check([claim for _, claim in told], not options.quick, options.timeout)
    good = True
    try:
        for (name, _), verdict in zip(told, found, strict=True):
            say(f"{name}: {verdict.sentence}", sys.stdout)
            good &= verdict.accepted
    except (RuntimeError, TimeoutError) as error:  # Coq itself, not a claim, is at fault
        say(f"perceptron-notes: {error}; nothing more is proved")
        return 1
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
