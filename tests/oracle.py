"""Which rows can be separated, and what becomes of the coefficients, by a program of its own.

It shares no code with the package: a simplex method in Python's whole numbers. Floats only say which
column comes in next; the lexicographic rule, which says what goes out, lets no basis come again. Each
answer is multiplied out before it is returned.
"""

from fractions import Fraction
from math import gcd, lcm

import numpy as np


def whole(rows):
    """Rows of ints, floats (what they are, not what was typed) or Fractions times positive numbers."""
    made = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        row = [a if isinstance(a, int) else Fraction(a) for a in row]
        factor = lcm(*(a.denominator for a in row))
        row = [int(a * factor) for a in row]
        common = gcd(*row) or 1
        made[i] = [a // common for a in row]
    return made


def null_space(M):
    """A basis of {v : Mv = 0} as columns of whole numbers, by elimination without fractions."""
    M, m, d, pivots = M.copy(), M.shape[1], 1, []
    for j in range(m):
        k = len(pivots)
        i = next((i for i in range(k, len(M)) if M[i, j]), None)
        if i is None:
            continue
        M[[k, i]] = M[[i, k]]
        others, a = np.arange(len(M)) != k, M[k, j]
        M[others] = (a * M[others] - np.outer(M[others, j], M[k])) // d
        d = a
        pivots.append(j)
    free = [j for j in range(m) if j not in pivots]
    N = np.zeros((m, len(free)), dtype=object)
    for c, j in enumerate(free):
        N[j, c] = d
        N[pivots, c] = -M[: len(pivots), j]
        N[:, c] //= gcd(*N[:, c])
    return N


def still(Z):
    """A basis of {v : Zv = 0}."""
    N = np.diag(np.full(Z.shape[1], 1, dtype=object))
    while len(moved := np.flatnonzero((Z @ N != 0).any(axis=1))):
        N = N @ null_space((Z @ N)[moved[: Z.shape[1]]])
    return N


def gordan(P):
    """Return v with Pv > 0 in every row, and None; or None, and multipliers of rows whose sum is 0.

    Sought are λ ≥ 0 with Σλ = 1 and λP = 0: at first each equation has an artificial variable, whose
    sum is to be 0. The inverse of the basis is A/d; its first column has the basis' values.
    """
    first = {tuple(p): i for i, p in reversed(list(enumerate(P.tolist())))}
    names = list(first.values())
    columns = np.hstack([np.full((len(names), 1), 1, dtype=object), P[names]])
    sizes = [max(map(abs, a)) for a in columns.tolist()]
    rough = np.array([[b / s for b in a] for a, s in zip(columns.tolist(), sizes, strict=True)])
    k = columns.shape[1]
    A, d, basis = np.diag(np.full(k, 1, dtype=object)), 1, [None] * k
    while True:
        y = (
            A[[n is None for n in basis]].sum(axis=0)
            if None in basis
            else np.zeros(k, dtype=object)
        )
        if not y[0]:
            q = {names[n]: A[i, 0] for i, n in enumerate(basis) if n is not None and A[i, 0]}
            assert min(q.values()) > 0
            assert not sum(a * P[n] for n, a in q.items()).any()
            return None, q
        n = int(np.argmax(rough @ [a / max(map(abs, y)) for a in y]))
        if columns[n] @ y <= 0:  # floats see no more
            prices = columns @ y
            n = int(np.argmax(prices > 0))
            if prices[n] <= 0:
                v = -y[1:]
                assert (P @ v > 0).all()
                return v // (gcd(*v) or 1), None
        u = A @ columns[n]
        rows = [i for i in range(k) if u[i] > 0]
        for c in range(k):
            ratios = [Fraction(A[i, c], u[i]) for i in rows] if len(rows) > 1 else [0]
            rows = [i for i, r in zip(rows, ratios, strict=True) if r == min(ratios)]
        (r,) = rows
        others = np.arange(k) != r
        A[others] = (u[r] * A[others] - np.outer(u[others], A[r])) // d
        d, basis[r] = u[r], n


def partition(Z):
    """Return which rows can be separated, a direction that does it, and a basis of those that may.

    Along a direction of the cone no z·w is below 0. Multipliers whose sum is 0 make it 0 on their
    rows; so it lies in the span N of what they leave unmoved, and the same is asked there.
    """
    there, N = set(map(tuple, Z.tolist())), np.diag(np.full(Z.shape[1], 1, dtype=object))
    support = [i for i, z in enumerate(Z.tolist()) if tuple(-a for a in z) in there]
    P = Z
    while True:
        if len(support):
            N = N @ null_space(P[support])
            P = Z @ N
        rest = np.flatnonzero((P != 0).any(axis=1))
        separated = np.zeros(len(Z), dtype=bool)
        if not len(rest):
            return separated, None, N
        v, q = gordan(P[rest])
        if v is not None:
            separated[rest] = True
            w = N @ v
            assert ((Z @ w > 0) == separated).all()
            assert ((Z @ w < 0) == False).all()  # noqa: E712
            return separated, w, N
        support = rest[list(q)]


def limits(Z, found):
    """What becomes of each coefficient of logistic regression."""
    separated, w, N = found
    relations, states = still(Z), []
    for j in range(Z.shape[1]):
        if relations[j].any():
            states.append("not identified")
        elif not N[j].any():
            states.append("finite")
        else:
            # w + tv is in the cone for any v of N and small t; so ask for the other sign alone.
            s = (w[j] > 0) - (w[j] < 0)
            P = np.vstack([Z[separated] @ N, -s * N[j]])
            both = s == 0 or gordan(P)[0] is not None
            states.append("undetermined" if both else "+inf" if s > 0 else "-inf")
    return states
