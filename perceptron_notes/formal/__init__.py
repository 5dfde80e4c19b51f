"""Runs that a proof assistant has checked.

The convergence theorem, and a checker for runs of your own, are proved once and for all in
the four files of Coq beside this one: `Vectors.v`, `Convergence.v` (the theorem),
`Alternative.v` (obstructions), `Checker.v`. `export` writes the file that puts a run to that
checker, and `verify` asks Coq. Coq itself is needed for `verify` alone.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from perceptron_notes.convergence import Ledger, Obstruction
from perceptron_notes.data import Dataset, check_dataset
from perceptron_notes.formal.claims import (
    Claim,
    ClaimedObstruction,
    ClaimedRun,
    of_ledger,
    of_obstruction,
    read,
)
from perceptron_notes.formal.coq import Verdict, check
from perceptron_notes.validation import check_kind

__all__ = ["ClaimedObstruction", "ClaimedRun", "Verdict", "claim", "export", "verify"]


def claim(proof: Ledger | Obstruction, data: Dataset | None = None) -> Claim:
    """What Coq can be asked to check of a run, or of an obstruction.

    Floats become whole numbers without rounding. Nothing is judged: of a wrong run the claim is
    false, and Coq refuses it. Where the floats of a run were rounded (``ledger.rounding``), the
    claim has the weights of the exact replay.

    Parameters
    ----------
    proof : Ledger or Obstruction
        From `ledger` or `separate`.
    data : Dataset, optional
        The samples of an obstruction; a ledger has its own.

    Returns
    -------
    ClaimedRun or ClaimedObstruction
        Its numbers; printed, it is the sentence that is to be proved.

    Raises
    ------
    TypeError
        If `proof` is of another kind, or an obstruction comes without its data.
    ValueError
        If a weight of the run is not finite, or the data lack a sample of the obstruction.

    Examples
    --------
    >>> from perceptron_notes import separate, xor
    >>> from perceptron_notes.formal import claim
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
    """Write a `claim` into a file for Coq.

    Parameters
    ----------
    proof : Ledger or Obstruction
        As for `claim`.
    path : str or path
        Where to write; the name should end in ``.v``.
    data : Dataset, optional
        The samples of an obstruction.

    Raises
    ------
    TypeError
        If there can be no claim.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from perceptron_notes import separate, xor
    >>> from perceptron_notes.formal import export
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "xor.v")
    ...     export(separate(xor()), file, xor())
    ...     print(file.read_text("utf-8")[:41])
    (* No weights separate these 4 samples, a
    """
    Path(path).write_text(claim(proof, data).text(), encoding="utf-8")


def verify(path: str | PathLike[str], recheck: bool = False) -> Verdict:
    """Let Coq check a file that `export` wrote.

    The numbers are read, and the file that Coq gets is written anew from them, so that no other
    command, axiom or definition in it can pass for a proof.

    Parameters
    ----------
    path : str or path
        The file.
    recheck : bool
        Whether ``coqchk`` is to read the compiled proofs again, which takes about a minute.

    Returns
    -------
    Verdict
        ``.accepted``, and ``.sentence``, which says what was proved or what is wrong first.

    Raises
    ------
    ValueError
        If the file is not, to the letter, one that `export` writes.
    FileNotFoundError
        If Coq is not installed.
    """
    return next(check([read(Path(path).read_text("utf-8"), Path(path).name)], recheck))
