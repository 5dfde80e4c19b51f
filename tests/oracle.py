"""Which rows can be separated, and what becomes of the coefficients, by a program of its own.

It shares no code with the package: a simplex method in Python's whole numbers. Floats only say
which column comes in next, and the lexicographic rule, which says what goes out, lets no basis come
again. For large tables HiGHS proposes first. Each answer is multiplied out before it is returned.
"""

from fractions import Fraction
from math import gcd, lcm

import numpy as np
from scipy.optimize import linprog


def whole(rows):
    """Rows of ints, Fractions or floats (what they are, not what was typed), as whole numbers."""
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
    """Return v with Pv > 0 in every row, or None; and else multipliers of rows whose sum is 0."""
    names = list({tuple(p): i for i, p in reversed(list(enumerate(P.tolist())))}.values())
    if len(names) > 200:
        v, some = proposal(P[names])
        if v is not None and (P @ v > 0).all():
            return v, None
        if len(some) and (q := simplex(P, [names[i] for i in some])[1]):
            return None, q
    v, q = simplex(P, names)
    assert q is not None or (P @ v > 0).all()
    return v, q


def proposal(P):
    """Return what HiGHS takes for v, rounded, or None; and for the rows of the multipliers.

    It maximises the least score of a v whose terms are at most 1.
    """
    tops = [int(max(map(abs, column))) or 1 for column in P.T]
    rough = np.array([[a / t for a, t in zip(p, tops, strict=True)] for p in P.tolist()])
    rough /= np.abs(rough).max(axis=1, keepdims=True)
    n, k = rough.shape
    A, bounds = np.hstack([-rough, np.ones((n, 1))]), [(-1, 1)] * k + [(0, 1)]
    best = linprog([0] * k + [-1], A, np.zeros(n), bounds=bounds)
    if best.x is None:
        return None, []
    parts = [Fraction(round(a * 2**40), 2**40 * t) for a, t in zip(best.x, tops, strict=False)]
    v = whole([parts])[0] if best.x[-1] > 0 else None
    return v, np.flatnonzero(best.ineqlin.marginals < -1e-9)


def simplex(P, names):
    """Decide for some rows of P, all different: v and None, or None and multipliers.

    Sought are λ ≥ 0 with Σλ = 1 and λP = 0: at first each equation has an artificial variable,
    whose sum is to be 0. The inverse of the basis is A/d; its first column has the basis' values.
    """
    columns = np.hstack([np.full((len(names), 1), 1, dtype=object), P[names]])
    tops = [max(map(abs, column)) or 1 for column in columns.T.tolist()]
    rough = np.array([[a / t for a, t in zip(c, tops, strict=True)] for c in columns.tolist()])
    sizes = np.linalg.norm(rough, axis=1)
    k = columns.shape[1]
    A, d, basis = np.diag(np.full(k, 1, dtype=object)), 1, [None] * k
    while True:
        y = sum((A[i] for i in range(k) if basis[i] is None), np.full(k, 0, dtype=object))
        if not y[0]:
            q = {names[n]: A[i, 0] for i, n in enumerate(basis) if n is not None and A[i, 0]}
            assert min(q.values()) > 0
            assert not sum(a * P[n] for n, a in q.items()).any()
            return None, q
        most = max(abs(a * t) for a, t in zip(y, tops, strict=True))
        n = np.argmax(rough @ [a * t / most for a, t in zip(y, tops, strict=True)] / sizes)
        if columns[n] @ y <= 0:  # floats see no more
            prices = columns @ y
            n = np.argmax(prices > 0)
            if prices[n] <= 0:
                return -y[1:] // (gcd(*y[1:]) or 1), None
        u = A @ columns[n]
        rows = [i for i in range(k) if u[i] > 0]
        for c in range(k):  # ratios A[i, c] / u[i], of which the least remain
            if len(rows) == 1:
                break
            ratios = [Fraction(A[i, c], u[i]) for i in rows]
            least = min(ratios)
            rows = [i for i, ratio in zip(rows, ratios, strict=True) if ratio == least]
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
            assert not (Z @ w < 0).any()
            return separated, w, N
        support = rest[list(q)]


def separable(rows):
    """Whether some w has row·w > 0 for every row."""
    return bool(partition(whole(rows))[0].all())


def limits(Z, found):
    """Return the limit of each coefficient of logistic regression."""
    separated, w, N = found
    relations, states, cone = still(Z), [], [w]
    P = np.array(list(set(map(tuple, (Z[separated] @ N).tolist()))), dtype=object)
    for j in range(Z.shape[1]):
        if relations[j].any():
            states.append("not identified")
        elif not N[j].any():
            states.append("finite")
        else:
            # w + tv is in the cone for any v of N and small t; so ask for the other sign alone.
            s = (w[j] > 0) - (w[j] < 0)
            if s and not any(v[j] * s < 0 for v in cone):
                v, _ = gordan(np.vstack([P, -s * N[j]]))
                cone += [] if v is None else [N @ v]
            both = not s or any(v[j] * s < 0 for v in cone)
            states.append("undetermined" if both else "+inf" if s > 0 else "-inf")
    return states
