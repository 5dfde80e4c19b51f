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

__all__ = ["ClaimedObstruction", "ClaimedRun", "Verdict", "export", "verify"]


def export(
    proof: Ledger | Obstruction, path: str | PathLike[str], data: Dataset | None = None
) -> Claim:
    """Write a file with which Coq can check a run, or an obstruction.

    Floats become whole numbers without rounding. Nothing is judged: a wrong run is written as
    it stands, and Coq refuses it. Where the floats of a run were rounded (``ledger.rounding``),
    the file has the weights of the exact replay.

    Parameters
    ----------
    proof : Ledger or Obstruction
        From `ledger` or `separate`.
    path : str or path
        Where to write; the name should end in ``.v``.
    data : Dataset, optional
        The samples of an obstruction; a ledger has its own.

    Returns
    -------
    ClaimedRun or ClaimedObstruction
        What is claimed; printed, it is the sentence that will be proved.

    Raises
    ------
    TypeError
        If `proof` is of another kind, or an obstruction comes without its data.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from perceptron_notes import certify, ledger, li_hang, pla, record, separate
    >>> from perceptron_notes.formal import export
    >>> book = ledger(certify(li_hang(), separate(li_hang())), record(pla(li_hang())))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     claim = export(book, pathlib.Path(folder, "run.v"))
    >>> claim.picks, claim.limit
    ([0, 2, 2, 2, 0, 2, 2], 117)
    """
    if isinstance(proof, Ledger):
        claim: Claim = of_ledger(proof)
    elif not isinstance(proof, Obstruction):
        kind = type(proof).__name__
        raise TypeError(f"proof is a {kind}; expected a Ledger or an Obstruction")
    elif data is None:
        raise TypeError("an Obstruction needs its data: export(obstruction, path, data)")
    else:
        claim = of_obstruction(proof, check_dataset(data))
    Path(path).write_text(claim.text(), encoding="utf-8")
    return claim


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
