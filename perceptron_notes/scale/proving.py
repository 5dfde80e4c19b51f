r"""The theorem of parameter mixing, checked on a run: every inequality after every epoch, exactly.

It is the proof of chapter 3 with one step more: a mix is nowhere worse than its parts are on
average, because an inner product is linear and a squared length is convex.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from perceptron_notes._kit.validation import check_kind
from perceptron_notes._kit.values import equal
from perceptron_notes.convergence import Certificate, Proof, Sides
from perceptron_notes.data import Dataset
from perceptron_notes.exact.epochs import Mixed, MixedReplay
from perceptron_notes.exact.numbers import fractions, least_margin, show
from perceptron_notes.learning import pla, record
from perceptron_notes.model import error_count
from perceptron_notes.scale.mixing import Epoch, Mixing, mix, shares
from perceptron_notes.scale.shards import in_one

__all__ = ["MixingLedger", "MixingRow", "mixing_ledger"]

#: The inequalities of each shard, and those of the whole epoch.
_EACH = ("shard_growth", "shard_length")
_WHOLE = ("convexity", "growth", "length", "distance", "bound")


class MixingRow(NamedTuple):
    r"""One epoch, and both sides of every inequality of the proof after it.

    Below, :math:`\mathbf{w}_{n-1}` are the weights before the epoch, :math:`\mathbf{w}_{i,n}` those
    of shard i after its passes with :math:`k_i` mistakes, :math:`\mathbf{w}_n` their mix with the
    shares :math:`\mu_i`, all without rounding, and :math:`K = \sum\mu k` up to here.

    Attributes
    ----------
    n : int
        Which epoch, counted from 1.
    mistakes : tuple of int
        The mistakes of each shard.
    mixture : tuple of Fraction
        The share of each shard.
    mistake : Sides
        :math:`y\,\mathbf{w}\cdot\mathbf{x} \le 0`, for the correction where it is largest.
    shard_growth : tuple of Sides
        :math:`\mathbf{w}_f\cdot\mathbf{w}_{n-1} + k_im \le \mathbf{w}_f\cdot\mathbf{w}_{i,n}`,
        for each shard.
    shard_length : tuple of Sides
        :math:`\lVert\mathbf{w}_{i,n}\rVert^2 \le \lVert\mathbf{w}_{n-1}\rVert^2 + k_iR^2`.
    convexity : Sides
        :math:`\lVert\mathbf{w}_n\rVert^2 \le \sum_i\mu_i\lVert\mathbf{w}_{i,n}\rVert^2`.
    growth : Sides
        :math:`\mathbf{w}_f\cdot\mathbf{w}_0 + Km \le \mathbf{w}_f\cdot\mathbf{w}_n`.
    length : Sides
        :math:`\lVert\mathbf{w}_n\rVert^2 \le \lVert\mathbf{w}_0\rVert^2 + KR^2`.
    distance : Sides
        The second proof, with :math:`\mathbf{g} = R^2\mathbf{w}_f/m`:
        :math:`\lVert\mathbf{w}_n-\mathbf{g}\rVert^2 \le \lVert\mathbf{w}_{n-1}-\mathbf{g}\rVert^2
        - R^2\sum_i\mu_ik_i`.
    bound : Sides
        :math:`K \le \lVert\mathbf{w}_0-\mathbf{g}\rVert^2/R^2`, which is
        :math:`K \le R^2/\rho^2` for :math:`\mathbf{w}_0 = 0`.

    Examples
    --------
    >>> from perceptron_notes.scale import Shards, mixing, mixing_ledger
    >>> run = mixing(Shards.split(li_hang(), 2))
    >>> row = mixing_ledger(certify(li_hang(), [-3, 1, 1]), run)[0]
    >>> row.mistakes, row.convexity.holds, row.bound.more
    ((1, 2), True, Fraction(286, 1))
    """

    n: int
    mistakes: tuple[int, ...]
    mixture: tuple[Fraction, ...]
    mistake: Sides
    shard_growth: tuple[Sides, ...]
    shard_length: tuple[Sides, ...]
    convexity: Sides
    growth: Sides
    length: Sides
    distance: Sides
    bound: Sides


class MixingLedger(Proof[MixingRow]):
    r"""The theorem of parameter mixing as a table: one `MixingRow` for each epoch.

    Attributes
    ----------
    certificate : Certificate
        The weights that separate.
    run : Mixing
        The recipe of the run.
    epochs : tuple of Epoch
        The run.
    holds : bool
        Whether the run is legal and every inequality holds at every epoch.
    failure : str or None
        A sentence about the first epoch that fails. It starts with "rounding" if the run follows
        the rules in floats, but corrects a sample that is no mistake in exact arithmetic.
    rounding : str or None
        A sentence about the first weights that differ from the exact ones by rounding.
    total : Fraction
        :math:`\sum_n\sum_i\mu_{i,n}k_{i,n}`.
    bound : Fraction
        An upper bound on `total`; :math:`R^2/\rho^2` from 0.
    mistakes : int
        The number of all mistakes, :math:`\sum_n\sum_ik_{i,n}`; with either way of mixing at most S
        times the bound.
    busy : int
        The number of epochs with a mistake; if mixed by mistakes, at most the bound.

    Examples
    --------
    >>> from perceptron_notes.scale import Shards, mixing, mixing_ledger
    >>> run = mixing(Shards.split(li_hang(), 2), by="mistakes")
    >>> mixing_ledger(certify(li_hang(), [-3, 1, 1]), run)
    MixingLedger(4 epochs, Σμk = 3.66667 ≤ 286: every inequality holds)
    """

    def __init__(self, certificate: Certificate, run: Mixing, epochs: Iterable[Epoch]) -> None:
        self.certificate, self.run, self.epochs = certificate, run, tuple(epochs)
        c, parts = certificate, [in_one([shard]) for shard in run.shards]
        start = fractions(run.start.w)
        self._mixed = replay = MixedReplay(parts, start, c.exact, c.m, c.R2)
        self._rows: list[MixingRow] = []
        self.rounding: str | None = None
        self.bound, self.failure = replay.bound, self._follow(parts)
        self.total = replay.total
        self.mistakes = sum(sum(row.mistakes) for row in self._rows)
        self.busy = sum(any(row.mistakes) for row in self._rows)

    def _follow(self, parts: Sequence[Dataset]) -> str | None:
        """Replay the epochs until one fails, and return the failure as a sentence."""
        before, replay, by = self.run.start, self._mixed, self.run.by
        for epoch in self.epochs:
            traces = [record(pla(part, w0=before.w), passes=self.run.passes) for part in parts]
            counts = tuple(trace.updates for trace in traces)
            W = [trace.w for trace in traces]
            t = before.t + sum(counts)
            due = Epoch(before.n + 1, mix(W, counts, by), counts, shares(counts, by), t)
            failure = _wrong(epoch, due)
            if failure:
                return failure
            found = replay.epoch([trace.picks for trace in traces], epoch.mixture)
            self._rows.append(_row_of(epoch, found))
            failure = _violated(self._rows[-1], found)
            if failure:
                return failure
            if self.rounding is None and fractions(epoch.w) != replay.w:
                self.rounding = (
                    f"rounding: the weights are not the exact ones after epoch {epoch.n}"
                )
            before = epoch
        return self._judge(before)

    def _judge(self, end: Epoch) -> str | None:
        """Return why the last epoch must not claim that no mistake is left, or None."""
        if end.n == self.run.start.n or end.pick is not None:
            return None
        i, least = least_margin(self.certificate.data, self._mixed.w)
        if least > 0:
            return None
        if error_count(end.w, self.certificate.data):
            return f"epoch {end.n} has no mistake, but X[{i}] is one"
        self.rounding = f"rounding: X[{i}] is a mistake in exact arithmetic only"
        return None

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, k: Any) -> Any:
        return self._rows[k]

    def _count(self) -> str:
        return f"{len(self)} epochs, Σμk = {show(self.total)} ≤ {show(self.bound)}"


def mixing_ledger(
    certificate: Certificate, run: Mixing, epochs: Iterable[Epoch] | None = None
) -> MixingLedger:
    r"""Check the theorem of parameter mixing on a run: every inequality after every epoch, exactly.

    For each shard :math:`\mathbf{w}_f\cdot\mathbf{w}` grows by m and
    :math:`\lVert\mathbf{w}\rVert^2` by at most :math:`R^2` with each of its mistakes, as in
    chapter 3. The mix takes the mean of the first, and at most the mean of the second. So for a run
    from 0, and with K, the sum of :math:`\mu_{i,n}k_{i,n}`,

    .. math:: Km \le \mathbf{w}_f\cdot\mathbf{w}_n \le \lVert\mathbf{w}_f\rVert\sqrt{K}R.

    Parameters
    ----------
    certificate : Certificate
        From `certify`, for all samples in the order of the shards: ``run.shards.dataset()``.
    run : Mixing
        From `mixing`, on data that fit into memory.
    epochs : iterable of Epoch, optional
        The run, up to wherever you like; it is not trusted. All of it if left out.

    Returns
    -------
    MixingLedger

    Raises
    ------
    ValueError
        If the certificate is about other data.

    References
    ----------
    McDonald, R., Hall, K. and Mann, G., "Distributed training strategies for the structured
    perceptron", *NAACL HLT* 2010, theorem 3.

    Examples
    --------
    >>> from perceptron_notes.scale import Shards, mixing, mixing_ledger
    >>> run = mixing(Shards.split(li_hang(), 2))
    >>> mixing_ledger(certify(li_hang(), [-3, 1, 1]), run)
    MixingLedger(12 epochs, Σμk = 7.5 ≤ 286: every inequality holds)
    """
    check_kind(certificate, Certificate, "certificate", "one, from certify(data, w_f)")
    check_kind(run, Mixing, "run", "one, from mixing(shards)")
    if certificate.data != run.shards.dataset():
        raise ValueError("the run and the certificate are about different data")
    return MixingLedger(certificate, run, run if epochs is None else epochs)


def _row_of(epoch: Epoch, found: Mixed) -> MixingRow:
    """Return the row of an epoch."""
    sides: dict[str, Any] = {name: Sides(*getattr(found, name)) for name in ("mistake", *_WHOLE)}
    for name in _EACH:
        sides[name] = tuple(Sides(*pair) for pair in getattr(found, name))
    return MixingRow(epoch.n, epoch.mistakes, epoch.mixture, **sides)


def _wrong(epoch: Epoch, due: Epoch) -> str | None:
    """Return the first false claim of an epoch."""
    for name, said, right in zip(Epoch._fields, epoch, due, strict=True):
        if not equal(said, right):
            if name == "mixture":
                said, right = (f"({', '.join(map(str, one.mixture))})" for one in (epoch, due))
            return f"epoch {due.n} has {name} = {said}; expected {right}"
    return None


def _violated(row: MixingRow, found: Mixed) -> str | None:
    """Return the first inequality that fails, as a sentence."""
    if not row.mistake.holds:
        shard, sample = found.worst
        return (
            f"rounding: in epoch {row.n} shard {shard} corrects its sample {sample}, a mistake in "
            f"floats only: y w·x is {show(row.mistake.less)} exactly"
        )
    named = [
        (f"{name} of shard {i}", s) for name in _EACH for i, s in enumerate(getattr(row, name))
    ]
    named += [(name, getattr(row, name)) for name in _WHOLE]
    for name, sides in named:
        if not sides.holds:
            less, more = show(sides.less), show(sides.more)
            return f"epoch {row.n} violates {name}: {less} ≤ {more} is false"
    return None
