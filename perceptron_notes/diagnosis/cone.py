r"""The directions along which no score falls: which rows they raise, and which coefficients.

Notation. :math:`\mathbf{z}_n = y_n\mathbf{x}_n` is row n of Z, of n rows and m columns. Moving
along a vector **w** of the cone :math:`C = \{\mathbf{w} : Z\mathbf{w} \ge 0\}` never lowers the
likelihood of logistic regression, :math:`-\sum_n \log(1 + e^{-\mathbf{z}_n\cdot\mathbf{b}})`, and
raises it unless **w** lies in :math:`L = \{\mathbf{w} : Z\mathbf{w} = 0\}`. It has a maximum
exactly if C = L (Albert and Anderson 1984).

**The partition.** There is exactly one set A of rows (separated; B, the overlapping rows, are the
others) with

(a) a direction **w** with :math:`\mathbf{z}_n\cdot\mathbf{w} > 0` on A and 0 on B, and
(b) multipliers :math:`q_n > 0` on B with :math:`\sum_{n \in B} q_n\mathbf{z}_n = 0`.

(Goldman and Tucker 1956; if B is empty this is Gordan's theorem, if A is, Stiemke's.) The two
prove each other: each **w'** in C has :math:`0 = \sum q_n\mathbf{z}_n\cdot\mathbf{w}'` with all
terms ≥ 0, so it is 0 on B: no direction raises more rows than A. For (b) it is enough to have
multipliers on a few rows S of B that span all of B: any other row of B is a combination of them,
and its contribution is cancelled by a large enough multiple of the first sum.

**How it is found.** Let N be a basis of the directions along which S has the score 0; at first S is
empty. Rows with :math:`\mathbf{z}_nN = 0` are in B. Apply Gordan's theorem to the others: either
some **v** has :math:`\mathbf{z}_nN\mathbf{v} > 0` for all of them, so they are A and
:math:`\mathbf{w} = N\mathbf{v}`, and the search ends; or positive multipliers give a sum orthogonal
to N, so it lies in the span of S, and a multiple of the old multipliers cancels it. These rows
join S, and N loses a column or more: at most m rounds.

**The coefficients.** By (a), **w** + t**v** is in C for small t if **v** leaves B unmoved, so N
spans C. The likelihood of B alone has a maximum, as B overlaps. Hence coefficient j is

- finite if row j of N is 0: its value is that of the fit to B;
- +∞ if :math:`w_j \ge 0` on all of C but not always 0, which is proved by multipliers
  :math:`r \ge 0` on A with :math:`\sum r_n\mathbf{z}_n\cdot\mathbf{v} = v_j` for each **v** in N
  (Farkas); −∞ likewise;
- undetermined if it is positive for one vector of C and negative for another;
- not identified if :math:`v_j \ne 0` for some **v** in L: the columns are collinear.

All of this is decided in whole numbers. Floats propose, and exclude what cannot matter.

References
----------
Albert, A., and Anderson, J. A., "On the existence of maximum likelihood estimates in logistic
regression models", *Biometrika* 71, 1984. Goldman, A. J., and Tucker, A. W., "Theory of linear
programming", in *Linear Inequalities and Related Systems*, 1956.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from perceptron_notes._kit.values import Array
from perceptron_notes.exact.hull import Progress, nearest_exactly, nearest_in_floats
from perceptron_notes.exact.numbers import (
    Exact,
    Indices,
    Vector,
    Vectors,
    combination,
    direction,
    fractions,
    least_margin,
    objects,
    primitive,
    product,
    products,
    rounded,
    row_keys,
    small_margins,
    whole,
)
from perceptron_notes.exact.systems import multiply, solve

#: Ranks are computed modulo one of these; if it misleads, that is noticed, and the next is tried.
_PRIMES = (2**31 - 1, 2**31 - 19, 2**31 - 61)
#: Columns of a basis are made and multiplied in blocks: thousands at a time would fill the memory.
_BLOCK = 256


@dataclass(frozen=True, eq=False)
class Parts:
    """Which rows can be separated, and which overlap; vectors are whole numbers.

    Attributes
    ----------
    separated : ndarray of intp
        The rows of A.
    direction : tuple of int or None
        Row by row > 0 on A and 0 on all others; None if A is empty.
    samples, multipliers : tuple
        Some rows S of B that span all of B, and positive multipliers with which their sum is 0.
    still : ndarray of objects, shape (m, k)
        A basis N of the directions along which all of B scores 0, without those of `relations`.
    relations : ndarray of objects, shape (m, l)
        A basis of the directions along which every row scores 0: the collinear columns.
    """

    separated: Indices
    direction: tuple[int, ...] | None
    samples: tuple[int, ...]
    multipliers: Vector
    still: Exact
    relations: Exact
    _along: list[int] | None  # the direction, in coordinates of `still`


class Limit(NamedTuple):
    """The limit of a coefficient as the likelihood grows to its supremum.

    `state` is "finite", "+inf", "-inf", "undetermined" or "not identified". An infinite limit is
    proved by multipliers of rows, an undetermined one by two directions of the cone: along the
    first the coefficient grows, along the second it falls.
    """

    state: str
    multipliers: tuple[tuple[int, Fraction], ...] = ()
    directions: tuple[tuple[int, ...], ...] = ()


# ------------------------------------------------------------------------------ the partition


def partition(Z: Exact, report: Progress) -> Parts:
    """Divide the rows of Z into those that can be separated and those that overlap.

    `report` is called with a sentence that says how far the search is; it may raise to stop.
    """
    kept, relations = _relations(Z, report)
    short, m = Z[:, kept], Z.shape[1]
    rest = np.flatnonzero((short != 0).any(axis=1))
    N: Exact = np.diag(objects([1] * len(kept)))
    S: dict[int, Fraction] = {}
    v = None
    while len(rest):
        P = _seen(short[rest], N if S else None)[0]
        v, found = _gordan(P, report)
        if v is not None:
            break
        S = _joined(short, S, {int(rest[i]): q for i, q in found.items()}, report)
        report(f"{len(S)} rows that overlap")
        N = _null(_whole_rows(short, list(S)), report)[1]
        rest = np.delete(rest, _unmoved(short[rest], N))
    still = np.zeros((m, N.shape[1]), dtype=object)
    still[kept] = N
    w = None if v is None else tuple(primitive(fractions(still @ objects(v)))[0])
    return Parts(rest, w, tuple(S), tuple(S.values()), still, relations, v)


def divides(Z: Exact, report: Progress) -> bool:
    """Return whether some w has z·w > 0 for every row z."""
    return Z.shape[1] > 0 and _gordan(Z, report)[0] is not None


def independent(Z: Exact, report: Progress) -> bool:
    """Return whether the rows are provably independent: then any labels y can be separated.

    They are if they are so modulo a prime; the converse would need another proof. This is usual
    where there are more columns than rows, and quickly decided.
    """
    return len(Z) <= Z.shape[1] and len(
        _pivots(_whole_rows(Z, range(len(Z))), _PRIMES[0], report)[0]
    ) == len(Z)


def _relations(Z: Exact, report: Progress) -> tuple[list[int], Exact]:
    """Return linearly independent columns, the earliest ones, and a basis of {v : Zv = 0}."""
    m = Z.shape[1]
    some = np.unique(np.linspace(0, len(Z) - 1, min(len(Z), 2 * m)).astype(np.int64))
    while True:
        (rows, columns), N = _null(_whole_rows(Z, some), report)
        moved = np.setdiff1d(np.arange(len(Z)), _unmoved(Z, N))
        if len(moved) == 0:
            return columns, N
        some = np.append(some[rows], moved[:m])


def _joined(
    Z: Exact, old: dict[int, Fraction], new: dict[int, Fraction], report: Progress
) -> dict[int, Fraction]:
    """Return multipliers of S and the new rows together, positive and with the sum 0.

    The sum of the new rows lies in the span of the old.
    """
    total = combination(_unlabelled(Z[list(new)]), range(len(new)), tuple(new.values()))
    if any(total):
        S = list(old)
        M, unit = _whole_rows(Z, S), whole(Z[S])[1]
        rows, columns = _pivots(M, _PRIMES[0])
        b, factor = primitive([-total[j] for j in columns])
        u, c = _solution(M[np.ix_(rows, columns)].T, objects(b)[:, None], report)
        extra = {
            S[i]: Fraction(int(a), c[0]) * factor / unit for i, a in zip(rows, u[:, 0], strict=True)
        }
        K = max([0, *(ceil(-a / old[i]) for i, a in extra.items())]) + 1
        old = {i: K * q + extra.get(i, 0) for i, q in old.items()}
    return {i: old.get(i, Fraction(0)) + new.get(i, Fraction(0)) for i in sorted({*old, *new})}


def _gordan(P: Exact, report: Progress) -> tuple[list[int] | None, dict[int, Fraction]]:
    """Return a whole v with Pv > 0, or None and positive multipliers q with ΣqP = 0."""
    if opposed := _opposed(P):
        return None, opposed
    rough = rounded(P)
    S, weights, far = nearest_in_floats(_unlabelled(rough), report)
    v = _shortest(P, np.array(list(map(float, weights))) @ rough[S]) if far else None
    if v is not None:
        return v, {}
    S, weights, point = nearest_exactly(_unlabelled(P), S, weights, report)
    if any(point):
        return primitive(point)[0], {}
    return None, dict(zip(S.tolist(), weights, strict=True))


def _opposed(P: Exact) -> dict[int, Fraction]:
    """Return multipliers of pairs of opposite rows: equal numbers with different labels, say.

    The pairs are independent, so at most as many as there are columns; each row counts once.
    """
    here = row_keys(P)
    first = dict(zip(reversed(here), reversed(range(len(P))), strict=True))
    opposite = [first.get(row, -1) for row in row_keys(-P)]
    pairs = [(i, j) for i, j in enumerate(opposite) if i < j and first[here[i]] == i]
    if not pairs:
        return {}
    kept = _pivots(_whole_rows(P, [i for i, _ in pairs]), _PRIMES[0])[0]
    return {row: Fraction(1) for k in sorted(kept) for row in pairs[k]}


def _shortest(P: Exact, w: Array) -> list[int] | None:
    """Return the shortest whole numbers in the direction of w that still give Pv > 0, if any."""
    share, largest = np.abs(w) * np.abs(rounded(P)).max(axis=0), float(np.abs(w).max())
    tries = [[Fraction(a / largest).limit_denominator(k) for a in w.tolist()] for k in range(1, 9)]
    for digits in (1, 2, 3, 5, 8, 17):
        kept = np.where(share < share.max() * 0.1**digits, 0, w)
        tries.append([Fraction(f"{a:.{digits}g}") for a in kept.tolist()])
    for ratios in tries if len(w) <= 8 else tries[8:]:
        v = primitive(ratios)[0]
        if any(v) and least_margin(_unlabelled(P), fractions(v))[1] > 0:
            return v
    return None


# --------------------------------------------------------------------------- the coefficients


class Limits:
    """The limits of the coefficients of one partition, each computed on request.

    Directions found for one coefficient often decide the next.
    """

    def __init__(self, found: Parts, Z: Exact) -> None:
        self.found, self.seen = found, [] if found._along is None else [found._along]
        if self.seen:
            self.P, self.unit = _seen(Z[found.separated], found.still)

    def of(self, j: int, report: Progress) -> Limit:
        """Return the limit of coefficient j."""
        if self.found.relations[j].any():
            return Limit("not identified")
        e = self.found.still[j].tolist()  # the coefficient of N·v is e·v
        if not any(e):
            return Limit("finite")
        v = self.seen[0]
        value = _inner(e, v)
        if value == 0:
            return self._open(e, *self._both(e, v))
        s = 1 if value > 0 else -1
        other = next((u for u in self.seen if _inner(e, u) * s < 0), None)
        if other is None:
            other, proof = self._asked(e, s, report)
            if other is None:
                return Limit("+inf" if s > 0 else "-inf", proof)
        self.seen.append(other)
        return self._open(e, v, other)

    def _open(self, e: list[int], v: list[int], other: list[int]) -> Limit:
        """Return both directions in the coordinates of Z, as a Limit; e·v grows along the first."""
        up, down = (v, other) if _inner(e, v) > 0 else (other, v)
        N = self.found.still
        pair = [tuple(primitive(fractions(N @ objects(u)))[0]) for u in (up, down)]
        return Limit("undetermined", directions=tuple(pair))

    def _both(self, e: list[int], v: list[int]) -> tuple[list[int], list[int]]:
        """Return Kv + c and Kv − c, for a coordinate vector c with e·c ≠ 0 and a large K."""
        c = next(i for i, a in enumerate(e) if a)
        numbers = whole(self.P)[0]
        margins = product(numbers, v).tolist()
        K = 1 + max(abs(a) // b for a, b in zip(numbers[:, c].tolist(), margins, strict=True))
        up, down = ([K * a + s * (i == c) for i, a in enumerate(v)] for s in (1, -1))
        self.seen += [up, down]
        return up, down

    def _asked(
        self, e: list[int], s: int, report: Progress
    ) -> tuple[list[int] | None, tuple[tuple[int, Fraction], ...]]:
        """Apply Gordan's theorem to A and −s·e: return a direction of the other sign, or proof."""
        # −s·e is scaled to about the length of the other rows.
        sizes = zip(np.abs(self.P).max(axis=0).tolist(), e, strict=True)
        times = 1 << max(0, int(min(Fraction(a) / abs(b) for a, b in sizes if b)).bit_length() - 1)
        row, P, unit = [-s * times * a for a in e], self.P, Fraction(1)
        if P.dtype != object and max(map(abs, row)) >= 2**53:
            P, unit = whole(P)[0].astype(object), whole(P)[1]
        other, q = _gordan(np.vstack([P, np.array(row, dtype=P.dtype)]), report)
        if other is not None:
            return other, ()
        last = q.pop(len(P)) * times * unit * self.unit
        rows = self.found.separated.tolist()
        return None, tuple((rows[i], a * unit / last) for i, a in sorted(q.items()))


# --------------------------------------------------------------------------------- the proofs


def proves(found: Parts, Z: Exact) -> bool:
    """Return whether a partition is right, in whole numbers; nothing of the search is trusted."""
    (n, m), A = Z.shape, found.separated
    S, q = list(found.samples), found.multipliers
    B = np.setdiff1d(np.arange(n), A)
    basis = np.hstack([found.still, found.relations])
    rank = len(_pivots(_whole_rows(Z, S), _PRIMES[0])[0]) if S else 0  # a lower bound
    good = set(S) <= set(B.tolist()) and len(set(S)) == len(S) == len(q) and min(q, default=1) > 0
    good = good and not (S and any(combination(_unlabelled(Z[S]), range(len(S)), q)))
    # S spans B: the directions with score 0 on S have dimension m − rank, and score 0 on all of B.
    good = good and rank + len(_pivots(basis, _PRIMES[0])[0]) == m == rank + basis.shape[1]
    good = good and len(_unmoved(Z[B], basis)) == len(B) and len(_unmoved(Z, found.relations)) == n
    if found.direction is None:
        return bool(good and len(A) == 0)
    w = objects(found.direction)
    good = good and len(A) > 0 and len(_unmoved(Z[B], w[:, None])) == len(B)
    return bool(good and least_margin(_unlabelled(Z[A]), fractions(w))[1] > 0)


# --------------------------------------------------------------------- algebra of whole numbers


def _pivots(M: Exact, p: int, report: Progress | None = None) -> tuple[list[int], list[int]]:
    """Return rows and columns of a minor that is not 0 modulo p: the rank is at least its size."""
    A, order = (M % p).astype(np.int64), np.arange(len(M))
    rows: list[int] = []
    columns: list[int] = []
    for j in range(M.shape[1]):
        k = len(rows)
        if report is not None and j % 16 == 0:
            report(f"{k} independent columns")
        if k == len(M):
            break
        hit = np.flatnonzero(A[k:, j])
        if len(hit) == 0:
            continue
        swap = [k, k + int(hit[0])]
        A[swap], order[swap] = A[swap[::-1]], order[swap[::-1]]
        scaled = A[k] * pow(int(A[k, j]), -1, p) % p
        A[k + 1 :] = (A[k + 1 :] - A[k + 1 :, j : j + 1] * scaled % p) % p
        rows.append(int(order[k]))
        columns.append(j)
    return rows, columns


def _solution(A: Exact, B: Exact, report: Progress) -> tuple[Exact, Exact]:
    """Return whole U and c > 0 with AU = B·diag(c), for a nonsingular matrix A."""
    U = solve(A, B, lambda done, of: report(f"exactly: {done} of {of}, {len(A)} equations"))
    if U is None:
        raise ArithmeticError("a minor is 0 modulo three primes; expected one that is not 0")
    c = objects([1] * B.shape[1])
    for k, b in enumerate(B.T):
        if b.any():
            i = int(np.flatnonzero(b)[0])
            c[k] = int(A[i] @ U[:, k]) // int(b[i])
    return U, c


def _null(M: Exact, report: Progress) -> tuple[tuple[list[int], list[int]], Exact]:
    """Return independent rows and columns, and a basis N of {v : Mv = 0}, proved by MN = 0."""
    m = M.shape[1]
    for p in _PRIMES:
        rows, columns = _pivots(M, p, report)
        free = sorted({*range(m)} - {*columns})
        N = np.zeros((m, len(free)), dtype=object)
        for k in range(0, len(free), _BLOCK):
            report(f"{k} of {len(free)} relations")
            some = free[k : k + _BLOCK]
            block, c = N[:, k : k + _BLOCK], objects([1] * len(some))
            if columns:
                A, B = M[np.ix_(rows, columns)], -M[np.ix_(rows, some)]
                block[columns], c = _solution(A, B, report)
            block[some, range(len(some))] = c
            block //= np.gcd.reduce(block, axis=0)
            if multiply(M, block).any():
                break
        else:
            return (rows, columns), N
    raise ArithmeticError("three primes divide a minor each; expected one that does not")


def _whole_rows(Z: Exact, S: Sequence[int] | Indices) -> Exact:
    """Return some rows as Python's whole numbers, in one unit."""
    return whole(Z[np.asarray(S, dtype=np.int64)])[0].astype(object)


def _unmoved(Z: Exact, N: Exact) -> Indices:
    """Return the rows z with zN = 0; floats exclude those that certainly are not."""
    kept = np.arange(len(Z))
    for k in range(0, N.shape[1], _BLOCK):
        block = N[:, k : k + _BLOCK]
        used = (block != 0).any(axis=1)
        V = np.stack([direction(v) for v in block[used].T.tolist()], axis=1)
        Y = rounded(Z[np.ix_(kept, used)])
        error = np.abs(Y) @ np.abs(V) * (len(V) + 4) * 2.0**-51 + 1e-290
        kept = kept[(np.abs(Y @ V) <= error).all(axis=1)]
        if len(kept) == 0:
            break
        moved = products(whole(Z[np.ix_(kept, used)])[0], block[used]).any(axis=1)
        kept = kept[~moved.astype(bool)]
    return kept


def raised(Z: Exact, w: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Return which rows have z·w > 0, exactly; not all of them may have that."""
    rows, margins, _ = small_margins(_unlabelled(Z), fractions(w), mistakes=True)
    above = np.ones(len(Z), dtype=bool)
    above[rows[(margins <= 0).astype(bool)]] = False
    return above


def _seen(Z: Exact, N: Exact | None) -> tuple[Exact, Fraction]:
    """Return P and a unit with unit·P = ZN: floats if these are exact, else whole numbers."""
    if N is None:
        return Z, Fraction(1)
    used = (N != 0).any(axis=1)
    numbers, unit = whole(Z[:, used])
    P = products(numbers, N[used])
    common = int(np.gcd.reduce(np.abs(P), axis=None)) or 1
    P //= common
    return (P.astype(np.float64) if np.abs(P).max() < 2**53 else P.astype(object)), unit * common


def _unlabelled(P: Exact) -> Vectors:
    """Return the rows as samples without labels."""
    return Vectors(P, np.ones(len(P), dtype=np.intp))


def _inner(a: Sequence[int], b: Sequence[int]) -> int:
    """Return the inner product of whole numbers."""
    return sum(x * y for x, y in zip(a, b, strict=True))
