"""Claims about a run, or about data that nothing separates: as numbers, and as text for Coq.

The text has the numbers, and the theorem that follows once `Checker.v` has accepted them.
`read_claim` extracts the numbers from a text, and only from one that `text` would write, to the
letter: so nothing else in a file can reach Coq.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from pathlib import Path

import numpy as np

from perceptron_notes.convergence import Ledger, Obstruction
from perceptron_notes.data import Dataset
from perceptron_notes.exact.numbers import Vector, fractions, primitive, whole
from perceptron_notes.learning import Trace

_Numbers = list[int]


@dataclass(frozen=True)
class ClaimedRun:
    """A run of PLA, weights that separate its samples, and the bound that follows.

    Attributes
    ----------
    samples : list of lists of int
        The augmented samples, times a power of two that makes all of them whole.
    labels : list of int
        Each +1 or −1.
    rate : int
        The learning rate, in a unit in which the weights are whole too.
    start : list of int
        The weights before the first update.
    picks : list of int
        The sample of each update, from 0.
    weights : list of lists of int
        The weights after each update.
    ended : bool
        Whether it is claimed that the last weights make no mistake.
    separator : list of int
        Weights that separate.
    m, R2, limit : int
        A lower bound of their signed scores, an upper bound of the squared lengths of the
        samples, and the bound on the updates.
    """

    samples: list[_Numbers]
    labels: _Numbers
    rate: int
    start: _Numbers
    picks: _Numbers
    weights: list[_Numbers]
    ended: bool
    separator: _Numbers
    m: int
    R2: int
    limit: int

    def __str__(self) -> str:
        N, T = len(self.samples), len(self.picks)
        are = "is" if T == 1 else "are"
        end = ", and then no mistake is left" if self.ended else ""
        return (
            f"{_these(T, 'update').capitalize()} {are} a run of PLA on {_these(N, 'sample')}{end}. "
            f"No run with the same data, start and rate makes more than {self.limit} "
            f"update{'' if self.limit == 1 else 's'}, whatever mistakes it picks."
        )

    def text(self) -> str:
        """Return the text of the file for Coq."""
        rows = (f"Row {i} {_row(w)}" for i, w in zip(self.picks, self.weights, strict=True))
        end = "\n  separates data (last (weights this) w0) /\\" if self.ended else ""
        proof = "(conj (C eq_refl) D)" if self.ended else "D"
        return f"""{_opening(self)}
{_data(self.samples, self.labels)}

Definition rate : Z := {self.rate}.
Definition w0 : vector := {_row(self.start)}.

(* The sample that each update corrects, counted from 0, and the weights after it *)
Definition updates : list row := {_table(rows)}.

(* Weights that separate, a number that none of their signed scores is below, one that no squared
   length of a sample is above, and the bound *)
Definition wf : vector := {_row(self.separator)}.
Definition m : Z := {self.m}.
Definition R2 : Z := {self.R2}.
Definition bound : Z := {self.limit}.

Definition this := Claim data rate w0 updates {str(self.ended).lower()} wf m R2 bound.
Compute audit this.

Theorem checked : audit this = Accepted.
Proof. vm_compute. reflexivity. Qed.

Theorem proved :
  labelled data /\\
  separates data wf /\\
  (forall t w, nth_error (weights this) t = Some w -> run data rate w0 t w) /\\{end}
  (forall t w, run data rate w0 t w -> Z.of_nat t <= bound).
Proof.
  destruct (accepted this checked) as (L & A & B & C & D).
  exact (conj L (conj A (conj B {proof}))).
Qed.
Print Assumptions proved.
"""


@dataclass(frozen=True)
class ClaimedObstruction:
    """Samples that no weights separate, and the numbers with which they cancel.

    Attributes
    ----------
    samples : list of lists of int
        The augmented samples, times a power of two that makes all of them whole.
    labels : list of int
        Each +1 or −1.
    multipliers : list of int
        A whole number ≥ 0 for each sample, not all 0; the signed samples, each multiplied by its
        number, sum to 0.
    """

    samples: list[_Numbers]
    labels: _Numbers
    multipliers: _Numbers

    def __str__(self) -> str:
        return (
            f"No weights separate {_these(len(self.samples), 'sample')}, and on these data PLA "
            "never halts, whatever its start, its rate and its picks."
        )

    def text(self) -> str:
        """Return the text of the file for Coq."""
        return f"""{_opening(self)}
{_data(self.samples, self.labels)}

(* How often to take each sample *)
Definition mu : list Z := {_row(self.multipliers)}.

Compute audit_obstruction data mu.

Theorem checked : audit_obstruction data mu = Accepted.
Proof. vm_compute. reflexivity. Qed.

Theorem proved :
  labelled data /\\
  ~ separable data /\\
  (forall w, exists s, In s data /\\ mistake w s) /\\
  (forall rate w0 t, exists w, run data rate w0 t w).
Proof. exact (accepted_obstruction data mu checked). Qed.
Print Assumptions proved.
"""


Claim = ClaimedRun | ClaimedObstruction

# --------------------------------------------------------------------- from exact arithmetic


def of_ledger(ledger: Ledger) -> ClaimedRun:
    """Return the claim of a ledger as it stands; the checker decides whether it is true."""
    c, trace = ledger.certificate, ledger.trace
    for t in np.flatnonzero(~np.isfinite(trace.W).all(axis=1))[:1]:
        raise ValueError(
            f"W[{t}] is {trace.W[t]}; Coq is given whole numbers, so all must be finite"
        )
    X, unit = whole(c.data.X)
    wf, factor = primitive(c.exact)
    # Where floats were rounded, the run of the proof is the one replayed without rounding.
    exact = ledger.rounding and not ledger.failure
    W = _replayed(trace) if exact else [fractions(w) for w in np.asarray(trace.W, np.float64)]
    step = Fraction(trace.rate) * unit
    grid = primitive([step, *(a for w in W for a in w)])[1]
    start, *weights = [[int(a / grid) for a in w] for w in W]
    return ClaimedRun(
        samples=X.tolist(),
        labels=c.data.y.tolist(),
        rate=int(step / grid),
        start=start,
        picks=trace.picks.tolist(),
        weights=weights,
        ended=bool(trace.converged),
        separator=wf,
        m=floor(c.m / (factor * unit)),
        R2=ceil(c.R2 / unit**2),
        limit=ledger.bound,
    )


def _replayed(trace: Trace) -> list[Vector]:
    """Return the weights after 0, 1, 2, … updates, without rounding."""
    W, rate = [fractions(trace.W[0])], Fraction(trace.rate)
    for i in trace.picks:
        z = fractions(trace.data.y[i] * trace.data.X[i])
        W.append(tuple(a + rate * b for a, b in zip(W[-1], z, strict=True)))
    return W


def of_obstruction(obstruction: Obstruction, data: Dataset) -> ClaimedObstruction:
    """Return the claim of an obstruction."""
    if (last := max(obstruction.samples)) >= data.n:
        raise ValueError(f"proof is about X[{last}]; data has {data.n}, so it is other data")
    multipliers = [0] * data.n
    for i, k in zip(obstruction.samples, primitive(obstruction.weights)[0], strict=True):
        multipliers[i] = k
    return ClaimedObstruction(whole(data.X)[0].tolist(), data.y.tolist(), multipliers)


# ------------------------------------------------------------------------------- as text


def _opening(claim: Claim) -> str:
    """Return the comment at the head of a file: what is proved, in words."""
    return f"""(* {claim}

   The theorem at the end is about the whole numbers below. Where floats are exported, positive
   factors make them whole, which changes neither a mistake nor a bound. What the words of the
   theorem mean is defined in Vectors.v, Convergence.v and Checker.v; that the checker is right is
   proved in Checker.v. *)

From Perceptron Require Import Checker.
"""


def _these(k: int, thing: str) -> str:
    """Return "this thing", or "these k things"."""
    return f"this {thing}" if k == 1 else f"these {k} {thing}s"


def _row(numbers: Iterable[int]) -> str:
    """Return a vector as Coq writes it."""
    return f"[{'; '.join(map(str, numbers))}]"


def _table(rows: Iterable[str]) -> str:
    """Return a list as Coq writes it, with a line for each entry."""
    return "[" + ";".join(f"\n  {line}" for line in rows) + "]"


def _data(samples: list[_Numbers], labels: _Numbers) -> str:
    """Return the definition of the samples."""
    signed = zip(samples, labels, strict=True)
    lines = (f"Sample {_row(x)} {y if y >= 0 else f'({y})'}" for x, y in signed)
    return f"Definition data : list sample := {_table(lines)}."


def read_file(path: Path) -> Claim:
    """Return the claim in a file, which errors name."""
    return read_claim(path.read_text("utf-8", errors="replace"), path.name)


def read_claim(text: str, name: str = "the file") -> Claim:
    """Return the claim in a text; raise ValueError unless `text` would write it to the letter."""
    parts = dict(re.findall(r"^Definition (\w+)[^:=]*(?::[^=:]*)?:= ([^.]*)\.$", text, flags=re.M))
    try:
        claim = _obstruction_from(parts) if "mu" in parts else _run_from(parts, text)
        written = claim.text()
    except (KeyError, ValueError):
        raise ValueError(f"{name} is no file that export has written") from None
    if written != text:
        lines = zip(written.splitlines(), text.splitlines(), strict=False)
        k = next((k for k, (a, b) in enumerate(lines, 1) if a != b), "the last")
        raise ValueError(f"{name} is not as export writes it: see line {k}")
    return claim


def _run_from(parts: dict[str, str], text: str) -> ClaimedRun:
    """Return the run that the definitions of a text describe."""
    samples, labels = _signed_samples(parts["data"])
    rows = re.findall(r"Row (\d+) (\[[^]]*\])", parts["updates"])
    return ClaimedRun(
        samples=samples,
        labels=labels,
        rate=int(parts["rate"]),
        start=_vector(parts["w0"]),
        picks=[int(i) for i, _ in rows],
        weights=[_vector(w) for _, w in rows],
        ended=" true wf " in parts["this"],
        separator=_vector(parts["wf"]),
        m=int(parts["m"]),
        R2=int(parts["R2"]),
        limit=int(parts["bound"]),
    )


def _obstruction_from(parts: dict[str, str]) -> ClaimedObstruction:
    """Return the obstruction that the definitions of a text describe."""
    return ClaimedObstruction(*_signed_samples(parts["data"]), _vector(parts["mu"]))


def _signed_samples(text: str) -> tuple[list[_Numbers], _Numbers]:
    """Return samples and labels, read from text."""
    found = re.findall(r"Sample (\[[^]]*\]) \(?(-?\d+)\)?", text)
    return [_vector(x) for x, _ in found], [int(y) for _, y in found]


def _vector(text: str) -> _Numbers:
    """Return a list of whole numbers, read from text."""
    return [int(number) for number in re.findall(r"-?\d+", text)]
