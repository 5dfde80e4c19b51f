"""Runs that a proof assistant has checked.

The convergence theorem, and a checker for runs of your own, are proved once and for all in
the Coq files beside this one: `Vectors.v`, `Convergence.v` (the theorem), `Alternative.v`
(obstructions) and `Checker.v`; `Slow.v` is about samples on which every order is slow. `export`
writes a file that submits a run to the checker, and `verify` has Coq check it. Only `verify` needs
Coq itself.
"""

from os import PathLike
from pathlib import Path

from perceptron_notes._kit.validation import check_kind, check_positive
from perceptron_notes.convergence import Ledger, Obstruction
from perceptron_notes.data import Dataset, check_dataset
from perceptron_notes.formal.claims import (
    Claim,
    ClaimedObstruction,
    ClaimedRun,
    of_ledger,
    of_obstruction,
    read_file,
)
from perceptron_notes.formal.coq import TIMEOUT, Verdict, check

__all__ = ["ClaimedObstruction", "ClaimedRun", "Verdict", "claim", "export", "verify"]


def claim(proof: Ledger | Obstruction, data: Dataset | None = None) -> Claim:
    """Return the claim about a run, or about an obstruction, that Coq is to check.

    Floats become whole numbers without rounding. Nothing is judged here: the claim about a wrong
    run is false, and Coq refuses it. Where the floats of a run were rounded (``ledger.rounding``),
    the claim has the weights of the exact replay.

    Parameters
    ----------
    proof : Ledger or Obstruction
        From `ledger` or `separate`.
    data : Dataset, optional
        The samples of an obstruction; a ledger has its own.

    Returns
    -------
    ClaimedRun or ClaimedObstruction
        The numbers of the claim; printed, it is the sentence to be proved.

    Examples
    --------
    >>> claim(separate(xor()), xor()).multipliers
    [1, 1, 1, 1]
    """
    if isinstance(proof, Ledger):
        return of_ledger(proof)
    check_kind(proof, Obstruction, "proof", "a Ledger or an Obstruction")
    if data is None:
        raise TypeError("an Obstruction needs its data beside it")
    return of_obstruction(proof, check_dataset(data))


def export(
    proof: Ledger | Obstruction, path: str | PathLike[str], data: Dataset | None = None
) -> None:
    """Write a `claim` to a file for Coq.

    Parameters
    ----------
    proof : Ledger or Obstruction
        As for `claim`.
    path : str or path
        Where to write; the name should end in ``.v``.
    data : Dataset, optional
        The samples of an obstruction.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "xor.v")
    ...     export(separate(xor()), file, xor())
    ...     print(file.read_text("utf-8")[:41])
    (* No weights separate these 4 samples, a
    """
    Path(path).write_text(claim(proof, data).text(), encoding="utf-8")


def verify(path: str | PathLike[str], recheck: bool = False, timeout: float = TIMEOUT) -> Verdict:
    """Check a file that `export` wrote with Coq.

    Only the numbers are read, and the file that Coq gets is written afresh from them. So no other
    command, axiom or definition in the file can pass for a proof.

    Parameters
    ----------
    path : str or path
        The file.
    recheck : bool
        Whether ``coqchk`` is to read the compiled proofs again, which takes about a minute.
    timeout : float
        Seconds after which a program of Coq's is stopped; the verdict is then ``Undecided``.

    Returns
    -------
    Verdict
        ``.accepted``, and ``.sentence``, which says what was proved or what is wrong first.
        Where the floats of the run were rounded, that is about its exact replay (see `claim`).

    Raises
    ------
    ValueError
        If the file is not, to the letter, one that `export` writes, or `timeout` is not positive.
    FileNotFoundError
        If there is no such file, or if Coq is not installed.
    TimeoutError
        If Coq does not finish the proofs that come with the package.
    RuntimeError
        If Coq gives an answer that it should not.
    """
    timeout = check_positive(timeout, "timeout")
    return next(check([read_file(Path(path))], recheck, timeout))
