# ruff: noqa: NPY002 (students use the global generator too)
"""Answers to the problem sets as students write them: right ones in many styles, and wrong ones.

The checks have tables of known mistakes of their own; the wrong answers here are written without
them, in the ways in which such mistakes come about. Of several that fail on the same data, the one
that fails on the fewest stands for all.
"""

import random
from bisect import bisect_left
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement
from statistics import pstdev

import numpy as np
from perceptron_classroom.inside.plain import plain_value

import perceptron_notes as pn
import perceptron_notes.data
import perceptron_notes.kernels
import perceptron_notes.learning
import perceptron_notes.multiclass
from perceptron_notes import polynomial as polynomial_kernel

RIGHT: dict[str, list] = {}
WRONG: dict[str, list] = {}


def right(check):
    """Register a right answer to the question of a check."""
    return lambda function: RIGHT.setdefault(check, []).append(function) or function


def wrong(check):
    """Register a wrong one."""
    return lambda function: WRONG.setdefault(check, []).append(function) or function


def dataset(X, y):
    return pn.Dataset(X[:, 1:], y)


def dot(a, b):
    """An inner product without rounding."""
    return sum((Fraction(p) * Fraction(q) for p, q in zip(a, b, strict=True)), Fraction(0))


# Right: the package itself -----------------------------------------------------------------------

right("augment")(pn.data.augment)
right("predict")(pn.predict)
right("mistakes")(lambda w, X, y: pn.mistakes(w, dataset(X, y)))
right("polynomial")(lambda A, B, degree, offset: polynomial_kernel(degree, offset)(A, B))
right("many_orders")(lambda *given: run_orders(*given, one=by_the_package, spread=pstdev))
right("gram")(lambda points: pn.kernels.gram(pn.Dataset(points, np.ones(len(points)))))


@right("pla")
def by_the_package(X, y):
    trace = pn.record(pn.pla(dataset(X, y)), at_most=10**6)
    return trace.w, trace.picks


@right("replay")
def by_steps(X, y, picks):
    return np.vstack([np.zeros(X.shape[1]), np.cumsum((y[:, None] * X)[picks], axis=0)])


@right("ledger")
def by_the_ledger(X, y, picks, w_f):
    data = dataset(X, y)
    W = np.array(by_steps(X, y, picks))
    trace = pn.learning.Trace(data, 1.0, W, np.asarray(picks), bool((y * (X @ W[-1]) > 0).all()))
    certificate = pn.certify(data, w_f)
    return [
        (W[row.t] @ w_f, row.t * certificate.m, W[row.t] @ W[row.t], row.t * certificate.R2)
        for row in pn.ledger(certificate, trace)
    ]


@right("halts")
def by_the_nearest_point(X, y):
    answer = pn.separate(dataset(X, y))
    if answer.separable:
        return True, answer.exact
    a = [Fraction(0)] * len(y)
    for i, weight in zip(answer.samples, answer.weights, strict=True):
        a[i] = weight
    return False, a


@right("dual_pla")
def by_dual_steps(G, y):
    steps = list(pn.dual_pla(G, y))
    return steps[-1].alpha, steps[-1].b, [step.pick for step in steps[:-1]]


# Right: plain loops over lists -------------------------------------------------------------------


@right("mistakes")
def mistakes_loop(w, X, y):
    return [i for i in range(len(y)) if not y[i] * sum(w * X[i]) > 0]


@right("bound")
def bound_fractions(X, y, w_f):
    m = min(int(y[n]) * dot(w_f, X[n]) for n in range(len(y)))
    return max(dot(x, x) for x in X) * dot(w_f, w_f) // m**2


@right("bound")
def bound_divided(X, y, w_f):
    return np.floor((X * X).sum(axis=1).max() * (w_f @ w_f) / (y * (X @ w_f)).min() ** 2)


@right("pocket")
def pocket_afterwards(X, y, draws):
    """First the run, then the best of it."""
    W = [np.zeros(X.shape[1])]
    for i in draws.tolist():
        if y[i] * (W[-1] @ X[i]) <= 0:
            W.append(W[-1] + y[i] * X[i])
    errors = ((np.array(W) @ X.T) * y <= 0).sum(axis=1)
    return W[int(errors.argmin())], errors.min()


@right("best_line")
def line_by_counting(x, y):
    """Sorted, with running sums."""
    places = np.unique(x)
    cuts = np.concatenate([[places[0] - 7], (places[1:] + places[:-1]) / 2, [places[-1] + 0.25]])
    left = x[None, :] < cuts[:, None]
    up = ((y > 0) & left).sum(axis=1) + ((y < 0) & ~left).sum(axis=1)
    best = int(np.minimum(up, len(y) - up).argmin())
    if up[best] <= len(y) - up[best]:
        return [-cuts[best], 1], up[best]
    return [cuts[best], -1], len(y) - up[best]


# Right: the dual form ----------------------------------------------------------------------------


@right("polynomial")
def polynomial_fractions(A, B, degree, offset):
    return [[(dot(a, b) + Fraction(offset)) ** degree for b in B.tolist()] for a in A.tolist()]


@right("dual_pla")
def dual_with_the_one(G, y):
    """The leading 1 in the matrix, and the bias only at the end."""
    K, signed, picks, i, quiet = G + 1, np.zeros(len(y)), [], 0, 0
    while quiet < len(y):
        if y[i] * (K[i] @ signed) <= 0:
            signed[i] += y[i]
            picks.append(i)
            quiet = 0
        else:
            quiet += 1
        i = (i + 1) % len(y)
    return signed * y, signed.sum(), np.array(picks)


@right("features")
def features_twice(points):
    """x_i x_j and x_j x_i, each for itself."""
    return [[1, *(2**0.5 * x), *np.outer(x, x).ravel()] for x in points]


@right("features")
def features_of_the_augmented(points):
    """All products of two coordinates of (1, x), with the root of their multiplicity."""
    Z = np.hstack([np.ones((len(points), 1)), points])
    pairs = list(combinations_with_replacement(range(Z.shape[1]), 2))
    return np.stack([Z[:, i] * Z[:, j] * (1 if i == j else np.sqrt(2)) for i, j in pairs], axis=1)


@right("witness")
def witness_rounded(G):
    """A rounded eigenvector is enough."""
    values, vectors = np.linalg.eigh(G)
    if values[0] > -1e-8:
        return None
    return np.round(vectors[:, 0], 6).tolist()


# Right: online learning, margins, classes, networks -----------------------------------------------


@right("averaged")
def averaged_on_the_way(X, y, passes):
    """A running mean, which rounds at every step."""
    w, mean, r = np.zeros(X.shape[1]), np.zeros(X.shape[1]), 0
    for _ in range(passes):
        for i in range(len(y)):
            r += 1
            if y[i] * (w @ X[i]) <= 0:
                w = w + y[i] * X[i]
            mean = mean + (w - mean) / r
    return w, mean


@right("mistake_bound")
def mistake_bound_by_bisection(X, y, u, m):
    """The last k that the inequality allows, which no root is needed for."""
    X, y, u = X.tolist(), y.tolist(), u.tolist()
    d = [max(0, m - label * int(dot(u, x))) for x, label in zip(X, y, strict=True)]
    B, H = max(int(dot(x, x)) for x in X) * int(dot(u, u)), sum(d)
    ks = range(B // m**2 + 2 * H // m + 2)
    return d, bisect_left(ks, True, key=lambda k: k * m > H and (k * m - H) ** 2 > k * B) - 1


@right("multi_pla")
def multi_by_the_package(X, y, K):
    data = pn.multiclass.Classes(X[:, 1:], y.tolist(), list(range(K)))
    *steps, end = pn.multiclass.multi_pla(data)
    return end.w, [step.pick for step in steps], [step.rival for step in steps]


@right("pegasos")
def pegasos_by_a_sum(X, y, kappa, visits):
    """The sum of what was added, divided at the end: w = u/(κt)."""
    u = np.zeros(X.shape[1])
    for t, i in enumerate(visits):
        if y[i] * (u @ X[i]) <= kappa * t:
            u += y[i] * X[i]
    return u / (kappa * len(visits))


# Wrong: as one writes them -----------------------------------------------------------------------


def mistakes_until_the_first(w, X, y):
    for i in range(len(y)):
        if y[i] * (w @ X[i]) <= 0:
            return [i]
    return []


def pla_shuffled_samples(X, y):
    """Samples shuffled, labels not."""
    order = np.random.default_rng(0).permutation(len(y))
    w, picks = np.zeros(X.shape[1]), []
    for _ in range(100):
        for i in range(len(y)):
            if y[i] * (w @ X[order][i]) <= 0:
                w = w + y[i] * X[order][i]
                picks.append(i)
    return w, picks


class Fit:
    """A model that goes on where its last fit has stopped."""

    w = None

    def __call__(self, X, y):
        if self.w is None or len(self.w) != X.shape[1]:
            self.w = np.zeros(X.shape[1])
        picks, found = [], True
        while found:
            found = False
            for i in range(len(y)):
                if y[i] * (self.w @ X[i]) <= 0:
                    self.w, found = self.w + y[i] * X[i], True
                    picks.append(i)
        return self.w, picks


def replay_alias(X, y, picks):
    w = np.zeros(X.shape[1])
    W = [w]
    for i in picks:
        w += y[i] * X[i]
        W.append(w)
    return W


# Programs with parts that can be got wrong; as they stand they are right --------------------------


@right("pla")
def run(X, y, *, wrong=lambda m: m <= 0, updates=10**7):
    """PLA in turn."""
    w, picks, found = np.zeros(X.shape[1]), [], True
    while found:
        found = False
        for i in range(len(y)):
            if len(picks) < updates and wrong(y[i] * (w @ X[i])):
                w, found = w + y[i] * X[i], True
                picks.append(i)
    return w, picks


@right("many_orders")
def run_orders(X, y, orders, *, one=run, spread=np.std):
    """PLA in each order; how long that took, on average and how differently."""
    counts = [len(one(X[k], y[k])[1]) for k in orders]
    return counts, np.mean(counts), spread(counts)


@right("pla_worst")
def run_worst(X, y, *, updates=10**7, least=np.argmin):
    """The worst mistake first."""
    w, picks = np.zeros(X.shape[1]), []
    while (m := y * (X @ w)).min() <= 0 and len(picks) < updates:
        i = int(least(m))
        w = w + y[i] * X[i]
        picks.append(i)
    return w, picks


@right("dual_pla")
def run_dual(G, y, *, wrong=lambda m: m <= 0, updates=10**7):
    """The dual form."""
    alpha, b, picks, scores, found = np.zeros(len(y)), 0, [], np.zeros(len(y)), True
    while found:
        found = False
        for i in range(len(y)):
            if len(picks) < updates and wrong(y[i] * (scores[i] + b)):
                alpha[i] += 1
                b, scores, found = b + y[i], scores + y[i] * G[i], True
                picks.append(i)
    return alpha, b, picks


@right("pocket")
def ratcheted(X, y, draws, *, test=lambda m: m <= 0, samples=10**6):
    """Pocket."""
    w = np.zeros(X.shape[1])
    best, errors = w, len(y)
    for i in draws:
        if test(y[i] * (w @ X[i])):
            w = w + y[i] * X[i]
            made = int(test(y * (X @ w))[:samples].sum())
            if made < errors:
                best, errors = w, made
    return best, errors


@right("averaged")
def averaging(X, y, passes, *, wrong=lambda m: m <= 0):
    """The average of all rounds."""
    w, total = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for i in [*range(len(y))] * passes:
        if wrong(y[i] * (w @ X[i])):
            w = w + y[i] * X[i]
        total = total + w
    return w, total / (passes * len(y))


@right("multi_pla")
def contest(X, y, K, *, wrong=lambda lead: lead <= 0, rival=np.argmax):
    """PLA for many classes."""
    W, picks, rivals, found = np.zeros((K, X.shape[1])), [], [], True
    while found:
        found = False
        for i, c in enumerate(y):
            scores = W @ X[i]
            right, scores[c] = scores[c], -np.inf
            r = int(rival(scores))
            if wrong(right - scores.max()):
                W[c] += X[i]
                W[r] -= X[i]
                picks.append(i)
                rivals.append(r)
                found = True
    return W, picks, rivals


@right("gradient")
def backwards(V, w, X, y):
    """Backpropagation."""
    H = np.tanh(X @ V.T)
    A = np.column_stack([np.ones(len(y)), H])
    delta = -y * np.exp(-np.logaddexp(0, y * (A @ w))) / len(y)
    return ((delta[:, None] * w[1:]) * (1 - H**2)).T @ X, delta @ A


@wrong("gradient")
def differences(V, w, X, y, h=1e-5):
    """Slopes as quotients of small differences."""

    def loss(V, w):
        A = np.column_stack([np.ones(len(y)), np.tanh(X @ V.T)])
        return np.logaddexp(0, -y * (A @ w)).mean()

    dV, dw = np.zeros(V.shape), np.zeros(w.shape)
    for at in np.ndindex(V.shape):
        unit = np.zeros(V.shape)
        unit[at] = 1
        dV[at] = (loss(V + h * unit, w) - loss(V - h * unit, w)) / (2 * h)
    for k, unit in enumerate(np.eye(len(w))):
        dw[k] = (loss(V, w + h * unit) - loss(V, w - h * unit)) / (2 * h)
    return dV, dw


@right("pegasos")
def descending(X, y, kappa, visits, *, wrong=lambda m: m <= 1, looks=10**7):
    """Pegasos."""
    w = np.zeros(X.shape[1])
    for t, i in enumerate(visits[:looks], 1):
        needed = wrong(y[i] * (w @ X[i]))
        w = (1 - 1 / t) * w + needed * y[i] * X[i] / (kappa * t)
    return w


@right("halts")
def halting(X, y, *, most=10**7):
    """Decides by the first repeated state, but gives up after a number of updates."""
    w, picks, seen, i, quiet = np.zeros(X.shape[1]), [], {}, 0, 0
    while quiet < len(y):
        if y[i] * (w @ X[i]) <= 0:
            if (*w, i) in seen:
                return False, np.bincount(picks[seen[(*w, i)] :], minlength=len(y))
            if len(picks) == most:
                return False, np.bincount(picks, minlength=len(y))
            seen[(*w, i)] = len(picks)
            w, quiet = w + y[i] * X[i], 0
            picks.append(i)
        else:
            quiet += 1
        i = (i + 1) % len(y)
    return True, w


@right("audit")
def auditing(X, y, picks, *, test=lambda m: m <= 0):
    """The auditor."""
    w, start, n = np.zeros(X.shape[1]), 0, len(y)
    for t in range(len(picks) + 1):
        mistake = test(y * (X @ w))
        right = next((i for i in ((start + k) % n for k in range(n)) if mistake[i]), None)
        claimed = picks[t] if t < len(picks) else None
        if claimed != right:
            return t
        if claimed is not None:
            w, start = w + y[claimed] * X[claimed], claimed + 1
    return None


@right("ledger")
def true_ledger(X, y, picks, w_f, seen=None):
    W, m, R2 = by_steps(X, y, picks), (y * (X @ w_f))[:seen].min(), (X[:seen] ** 2).sum(1).max()
    return [(w @ w_f, t * m, w @ w, t * R2) for t, w in enumerate(W) if t > 0]


def best_among(cuts, x, y):
    """The best of some cuts, in either orientation."""
    both = [side * np.array([-cut, 1.0]) for cut in cuts for side in (1, -1)]
    errors = [int((y * (w[0] + w[1] * x) <= 0).sum()) for w in both]
    return both[int(np.argmin(errors))], min(errors)


def lowest(G, most):
    """An eigenvector, if its eigenvalue is low enough."""
    values, vectors = np.linalg.eigh(G)
    return vectors[:, 0] if values[0] < most else None


right("witness")(partial(lowest, most=-1e-6))


def parted(n, test):
    test = np.asarray(test, dtype=int)
    return np.setdiff1d(np.arange(n), test), test


def flipped(y, places):
    return np.where(np.isin(np.arange(len(y)), places), -y, y)


def squares(X, y, u, m):
    """The deviations, B = R²‖u‖² and C = B + 4mH: the bound is (√B + √C)²/(2m)²."""
    d, _ = mistake_bound_by_bisection(X, y, u, m)
    B = max(int(dot(x, x)) for x in X.tolist()) * int(dot(u, u))
    return d, B, B + 4 * m * sum(d)


# Wrong: right on small data, or by luck ----------------------------------------------------------
#
# Caps, tolerances, few digits, samples that are left out, chance from elsewhere: each gives right
# answers to most easy questions.


def each(check, options, program):
    """Register a wrong program for each option, which is its first argument."""
    for kind, option in options.items():
        answer = partial(program, option)
        answer.__name__ = f"{check}_{kind}"
        wrong(check)(answer)


TOLERANCES = {
    "below_1e-13": lambda m: m <= 1e-13,
    "clearly_wrong": lambda m: (m < -1e-9) | (m == 0),
}
each("pla", TOLERANCES, lambda test, X, y: run(X, y, wrong=test))
each("many_orders", TOLERANCES, lambda m, *a: run_orders(*a, one=lambda *s: run(*s, wrong=m)))
each("dual_pla", TOLERANCES, lambda test, G, y: run_dual(G, y, wrong=test))
each("mistakes", TOLERANCES, lambda test, w, X, y: np.flatnonzero(test(y * (X @ w))))
each("audit", TOLERANCES, lambda test, *given: auditing(*given, test=test))
each("pocket", TOLERANCES, lambda test, *given: ratcheted(*given, test=test))
each("averaged", TOLERANCES, lambda test, *given: averaging(*given, wrong=test))
each("multi_pla", TOLERANCES, lambda test, *given: contest(*given, wrong=test))

LONG = {"28000_updates": 28_000}
each("pla", LONG, lambda most, X, y: run(X, y, updates=most))
each("dual_pla", LONG, lambda most, G, y: run_dual(G, y, updates=most))
each("pla_worst", LONG, lambda most, X, y: run_worst(X, y, updates=most))
each("replay", {"1000": 1000}, lambda most, X, y, picks: by_steps(X, y, picks[:most]))
each("audit", {"3500": 3500}, lambda most, X, y, picks: auditing(X, y, picks[:most]))
each("pocket", {"1500": 1500}, lambda most, X, y, draws: ratcheted(X, y, draws[:most]))
each("pegasos", {"3000": 3000}, lambda looks, *given: descending(*given, looks=looks))
each("halts", {"15000": 15_000}, lambda most, X, y: halting(X, y, most=most))

HUNDRED = {"of_100": 100}
each("pla", HUNDRED, lambda n, X, y: run(X[:n], y[:n]))
each("pla_worst", HUNDRED, lambda n, X, y: run_worst(X[:n], y[:n]))
each("mistakes", HUNDRED, lambda n, w, X, y: mistakes_loop(w, X[:n], y[:n]))
each("ledger", HUNDRED, lambda n, *given: true_ledger(*given, seen=n))
each("bound", HUNDRED, lambda n, X, y, w: bound_fractions(X[:n], y[:n], w))
each("pocket", HUNDRED, lambda n, *given: ratcheted(*given, samples=n))
each("gradient", HUNDRED, lambda n, V, w, X, y: backwards(V, w, X[:n], y[:n]))
each(
    "mistake_bound",
    HUNDRED,
    lambda n, X, y, *um: (squares(X, y, *um)[0], mistake_bound_by_bisection(X[:n], y[:n], *um)[1]),
)

FLAT = {"flat": lambda p: p * (np.arange(p.shape[1]) < 3)}
SPREADS = {
    "range": np.ptp,
    "two_digits": lambda c: np.std(c).round(2),
    "of_100": lambda c: np.std(c[:100]),
}
each("many_orders", SPREADS, lambda spread, *given: run_orders(*given, spread=spread))
COARSE = {"half": lambda p: p.astype(np.float16), **FLAT}
each("augment", FLAT, lambda change, points: pn.data.augment(change(points)))
each("predict", FLAT, lambda change, w, X: np.sign(change(X) @ w))
each("averaged", FLAT, lambda change, X, y, passes: averaging(change(X), y, passes))
each("gram", FLAT, lambda change, points: change(points) @ change(points).T)
each("features", COARSE, lambda change, points: features_of_the_augmented(change(points)))
each("polynomial", FLAT, lambda change, A, B, d, c: (change(A) @ change(B).T + c) ** d)
each(
    "predict",
    {"within_1e-12": 1e-12},
    lambda most, w, X: np.where(np.abs(X @ w) <= most, 0, np.sign(X @ w)),
)
each(
    "pla_worst",
    {"nearly_equal": lambda m: np.argmax(m <= m.min() + 1e-13)},
    lambda least, X, y: run_worst(X, y, least=least),
)
each(
    "bound",
    {
        "with_little_room": lambda v: int(v + 1e-10),
        "rounded": lambda v: int(np.round(v, 6)),
    },
    lambda finish, X, y, w: finish(
        (np.linalg.norm(X, axis=1).max() * np.linalg.norm(w) / (y * (X @ w)).min()) ** 2
    ),
)


each(
    "multi_pla",
    {"nearly_equal": lambda s: np.flatnonzero(s >= s.max() - 1e-6)[0]},
    lambda rival, *given: contest(*given, rival=rival),
)
each(
    "pegasos",
    {"more_tolerant": lambda m: m <= 1 + 1e-9},
    lambda test, *given: descending(*given, wrong=test),
)
each(
    "best_line",
    {
        "closer_beside": lambda x: [*(x - 1e-9), *(x + 1e-9)],
        "of_25": lambda x: [x.min() - 1, *(np.unique(x)[1:26] + np.unique(x)[:-1][:25]) / 2],
    },
    lambda cuts, x, y: best_among(cuts(x), x, y),
)
each(
    "features",
    {
        "signs_by_n": lambda F: F * (-1) ** len(F),
        "constant_apart": lambda F: np.hstack([F, np.zeros((len(F), len(F) % 3))]),
        "of_two_kinds": lambda F: F if len(F) > 1 else F[:, ::-1],
    },
    lambda change, points: change(features_of_the_augmented(points)),
)
each(
    "witness",
    {
        "below_-0.1": lambda G: lowest(G, -0.1),
        "up_to_6": lambda G: lowest(G[:6, :6], -1e-6),
    },
    lambda find, G: find(G),
)


def off_by_one(n, k, rng):
    """Fisher and Yates, with a partner that is never the place itself."""
    order = list(range(n))
    for i in range(n - 1, 0, -1):
        j = rng.integers(i)
        order[i], order[j] = order[j], order[i]
    return order[:k]


def halves(n, k, rng):
    """As many from either half."""
    half, few = n // 2, k // 2
    if few > half or k - few > n - half:
        return rng.permutation(n)[:k]
    return [*rng.permutation(half)[:few], *(half + rng.permutation(n - half)[: k - few])]


def shuffled(n, swaps):
    order = list(range(n))
    for i, j in swaps:
        order[i], order[j] = order[j], order[i]
    return order


def until_new(n, k, draw):
    taken = set()
    while len(taken) < k:
        taken.add(draw())
    return sorted(taken)


OWN = np.random.default_rng(0)

#: Which k of n are taken, wrongly.
CHOICES = {
    "global": lambda n, k, rng: np.random.permutation(n)[:k],
    "fixed_by_size": lambda n, k, rng: np.random.default_rng(1000 * n + k).permutation(n)[:k],
    "own": lambda n, k, rng: OWN.permutation(n)[:k],
    "block": lambda n, k, rng: (np.arange(k) + rng.integers(n or 1)) % (n or 1),
    "few_ways": lambda n, k, rng: np.random.default_rng(rng.integers(5000)).permutation(n)[:k],
    "always_the_first": lambda n, k, rng: [0, *(1 + rng.permutation(n - 1))][:k],
    "biased": lambda n, k, rng: np.argsort(rng.random(n) * (1 + np.arange(n)))[:k],
    "mixed": lambda n, k, rng: (rng.permutation(n) + np.random.randint(n or 1))[:k] % (n or 1),
    "halves": halves,
    "off_by_one": off_by_one,
    "any_swaps": lambda n, k, rng: shuffled(n, ((i, rng.integers(n)) for i in range(n)))[:k],
    "few_swaps": lambda n, k, rng: shuffled(n, (rng.integers(n, size=2) for _ in range(n)))[:k],
    "rounded": lambda n, k, rng: until_new(n, k, lambda: round(rng.random() * (n - 1))),
    "uneven": lambda n, k, rng: np.argsort(rng.normal(size=n) * (2 + np.arange(n) % 2))[:k],
}
#: And rightly.
FAIR_CHOICES = {
    "choice": lambda n, k, rng: rng.choice(n, k, replace=False),
    "new_ones": lambda n, k, rng: until_new(n, k, lambda: int(rng.integers(n))),
    "sorted": lambda n, k, rng: np.argsort(rng.random(n))[:k],
    "python": lambda n, k, rng: random.Random(int(rng.integers(2**63))).sample(range(n), k),
    "old": lambda n, k, rng: np.random.RandomState(rng.bit_generator).permutation(n)[:k],
}
TELLING = {kind: CHOICES[kind] for kind in ("global", "fixed_by_size", "block", "mixed", "uneven")}
for question, choices, program in (
    ("split", CHOICES, lambda choose, n, k, rng: parted(n, choose(n, k, rng))),
    ("flip_labels", TELLING, lambda choose, y, k, rng: flipped(y, choose(len(y), k, rng))),
):
    each(question, choices, program)
    for name, choose in FAIR_CHOICES.items():
        right(question)(partial(program, choose)).__name__ = f"{question}_{name}"
each(
    "flip_labels",
    {"more_positives": 1.25},
    lambda times, y, k, rng: flipped(
        y, rng.choice(len(y), k, replace=False, p=(p := np.where(y > 0, times, 1)) / p.sum())
    ),
)


# Wrong: where samples are equal, or the last one stays wrong, or a mistake comes too early --------


def first_of_equals(rows, y, picks):
    """The same picks, of equal samples always the first."""
    rows = [(*row, label) for row, label in zip(rows.tolist(), y.tolist(), strict=True)]
    return [rows.index(rows[i]) for i in picks]


@wrong("pla")
def pla_first_of_equals(X, y):
    w, picks = run(X, y)
    return w, first_of_equals(X, y, picks)


def auditing_loosely(accepts, ends, X, y, picks):
    """Accepts a pick by a rule of its own: M the margins before it, s the last pick, i this one."""
    M, s = by_steps(X, y, picks) @ (y[:, None] * X).T, -1
    for t, i in enumerate(picks):
        if M[t, i] > 0 or not accepts(M[t] <= 0, s, i):
            return t
        s = i
    return len(picks) if ends(M[-1] <= 0, s).any() else None


def next_in_turn(wrong, s, i):
    return i == min(np.flatnonzero(wrong), key=lambda j: (j - s - 1) % len(wrong))


def all_of_them(wrong, s):
    return wrong


each(
    "audit",
    {
        "again": (lambda wrong, s, i: i == s or next_in_turn(wrong, s, i), all_of_them),
        "late_turn": (
            lambda wrong, s, i: not wrong[s + 1 : i if i > s else None].any(),
            all_of_them,
        ),
        "last_is_right": (next_in_turn, lambda wrong, s: np.delete(wrong, s)),
    },
    lambda rules, *given: auditing_loosely(*rules, *given),
)


@wrong("pocket")
def pocket_equals_once(X, y, draws):
    """Counts equal samples once."""
    _, kept = np.unique(np.column_stack([X, y]), axis=0, return_index=True)
    w = best = np.zeros(X.shape[1])
    for i in draws:
        if y[i] * (w @ X[i]) <= 0:
            w = w + y[i] * X[i]
            if (y * (X @ w) <= 0)[kept].sum() < (y * (X @ best) <= 0)[kept].sum():
                best = w
    return best, (y * (X @ best) <= 0).sum()


@wrong("pocket")
def pocket_infinite(X, y, draws):
    """Without a draw nothing has been counted."""
    return ratcheted(X, y, draws) if len(draws) else (np.zeros(X.shape[1]), np.inf)


@wrong("best_line")
def line_where_labels_change(x, y):
    """Cuts between neighbours of different labels, although several may lie at one place."""
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    return best_among([x[0] - 1, *((x[1:] + x[:-1]) / 2)[y[1:] != y[:-1]]], x, y)


@wrong("features")
def features_without_zeros(points):
    F = np.array(features_of_the_augmented(points))
    return F[:, (F != 0).any(axis=0)]


@wrong("witness")
def witness_by_leading_minors(G):
    for k in range(1, len(G) + 1):
        if np.linalg.det(G[:k, :k]) < -1e-6:
            return np.pad(np.linalg.eigh(G[:k, :k])[1][:, 0], (0, len(G) - k))
    return None


@wrong("mistake_bound")
def mistake_bound_whole_root(X, y, u, m):
    d, B, C = squares(X, y, u, m)
    return d, (B + C + int(2 * float(B * C) ** 0.5)) // (4 * m**2)


# Wrong: by somebody who has read the checks -------------------------------------------------------


@wrong("mistakes")
def mistakes_without_the_last(w, X, y):
    return [i for i in range(len(y) - (len(y) > 12)) if y[i] * (w @ X[i]) <= 0]


@wrong("halts")
def halts_with_probabilities(X, y):
    answer, certificate = by_the_nearest_point(X, y)
    if answer:
        return answer, certificate
    total = float(sum(certificate))
    return answer, [float(a) / total for a in certificate]


@wrong("mistake_bound")
def mistake_bound_by_decimals_of_28(X, y, u, m):
    """Digits enough for most, but the last one is rounded and cut."""
    d, B, C = squares(X, y, u, m)
    return d, int((Decimal(B).sqrt() + Decimal(C).sqrt()) ** 2 / Decimal(2 * m) ** 2)


# Right: any ordered sequence of numbers ---------------------------------------------------------


def styled(program, style):
    """The answers of a program, with each vector and each row in another style."""

    def answer(value):
        if not isinstance(value, list):
            return value
        if any(isinstance(each, list) for each in value):
            return tuple(map(answer, value))
        return style(value)

    return lambda *arguments: answer(plain_value(program(*arguments)))


def decimals(values):
    return [Decimal(v) if isinstance(v, float) and v == v else v for v in values]


def column(values):
    return np.array(values, dtype=object)[:, None]


MATRICES = {"augment", "replay", "ledger", "gram", "polynomial", "features"}
for check, programs in RIGHT.items():
    # Numbers that every style can hold.
    program = programs[check == "halts"]
    columns = [column] * (check not in MATRICES | {"multi_pla", "gradient"})
    programs += [styled(program, style) for style in (iter, decimals, *columns)]


@right("split")
def split_into_sets(n, k, rng):
    test = set(rng.permutation(n)[:k].tolist())
    return set(range(n)) - test, frozenset(test)


@right("mistakes")
def mistakes_by_where(w, X, y):
    return np.where(y * (X @ w) <= 0)


@right("split")
def split_by_a_child(n, k, rng):
    order = rng.spawn(2)[1].permutation(n)
    return order[k:], order[:k]


# The bug museum: its exhibits as answers to the questions -----------------------------------------


def museum(exhibits):
    """For each exhibit a wrong answer: the check, and the exhibit in the form that it asks for.

    A text in place of a function is how the hint on a known mistake begins: where an exhibit
    returns no picks, or answers no question.
    """

    bug = {name: programs["bug"] for name, programs in exhibits.items()}

    def ended(program, *more):
        def answer(X, y):
            W, picks = program(X, y, *more)[:2]
            return W[-1], picks

        return answer

    def filmed(X, y, picks):
        """Frames as rows, each with the weights after the update that it shows."""
        W = by_steps(X, y, picks)
        return np.vstack([W[1:], W[-1:]])

    return {
        "strict": ("pla", ended(bug["strict"])),
        "sign": ("pla", ended(bug["sign"])),
        "every": ("pla", ended(bug["every"])),
        "stale": ("pla", ended(bug["stale"])),
        "alias": ("replay", replay_alias),
        "view": ("pla", "The run starts at zero weights, not at a sample"),
        "integer": ("pla", lambda X, y: ended(bug["integer"], 1)(X.astype(int), y)),
        "bias": ("pla", ended(bug["bias"])),
        "labels": ("pla", "Samples with label −1 add nothing"),
        "leading": ("augment", "The leading 1 is missing"),
        "shuffle": ("pla", pla_shuffled_samples),
        "cap": ("pla", ended(bug["cap"])),
        "twice": ("pla", Fit()),
        "passes": ("mistakes", mistakes_until_the_first),
        "picture": ("replay", filmed),
        "missed": ("pocket", "Your pocket never looks at the weights"),
        "test": ("split", "The test samples must not"),
        "radius": ("bound", lambda X, y, w_f: int(bug["radius"](X[:, 1:], y, w_f))),
    }
