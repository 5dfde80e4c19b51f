# ruff: noqa: NPY002 (students use the global generator too)
"""Answers to the problem sets as students write them: right ones in many styles, and wrong ones.

The checks have tables of known mistakes of their own; the wrong answers here are written without
them, in the ways in which such mistakes come about.
"""

import random
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, zip_longest
from math import isqrt
from time import monotonic, time_ns

import numpy as np
import pandas as pd
from perceptron_classroom.inside.plain import plain

import perceptron_notes as pn
import perceptron_notes.convergence
import perceptron_notes.data
import perceptron_notes.kernels
import perceptron_notes.learning
import perceptron_notes.margins
import perceptron_notes.networks
import perceptron_notes.online
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


@right("bound")
def by_a_certificate(X, y, w_f):
    return pn.certify(dataset(X, y), w_f).bound


@right("halts")
def by_the_nearest_point(X, y):
    answer = pn.separate(dataset(X, y))
    if isinstance(answer, pn.convergence.Separator):
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


@right("augment")
def augment_lists(points):
    return [[1, *point] for point in points.tolist()]


@right("predict")
def predict_loop(w, X):
    signs = []
    for x in X:
        score = 0
        for a, b in zip(w, x, strict=True):
            score += a * b
        signs.append(1 if score > 0 else -1 if score < 0 else 0)
    return signs


@right("mistakes")
def mistakes_loop(w, X, y):
    return [i for i in range(len(y)) if not y[i] * sum(w * X[i]) > 0]


@right("pla")
def pla_lists(X, y):
    X, y = X.tolist(), y.tolist()
    w, picks, quiet, i = [0.0] * len(X[0]), [], 0, 0
    while quiet < len(y):
        if y[i] * sum(a * b for a, b in zip(w, X[i], strict=True)) <= 0:
            w = [a + y[i] * b for a, b in zip(w, X[i], strict=True)]
            picks.append(i)
            quiet = 0
        else:
            quiet += 1
        i = (i + 1) % len(y)
    return w, picks


@right("pla")
def pla_vectorised(X, y):
    """All margins at once; the next mistake by rolling the mask."""
    Z, w, picks, start = y[:, None] * X, np.zeros(X.shape[1]), [], 0
    while (mask := Z @ w <= 0).any():
        i = (start + int(np.argmax(np.roll(mask, -start)))) % len(y)
        w, start = w + Z[i], (i + 1) % len(y)
        picks.append(i)
    return w, picks


@right("pla_worst")
def worst_loop(X, y):
    w, picks = np.zeros(X.shape[1]), []
    while True:
        lowest, which = None, None
        for i in range(len(y)):
            margin = y[i] * (w @ X[i])
            if lowest is None or margin < lowest:
                lowest, which = margin, i
        if lowest > 0:
            return w, picks
        w = w + y[which] * X[which]
        picks.append(which)


@right("replay")
def replay_copies(X, y, picks):
    w = np.zeros(X.shape[1])
    history = [w.copy()]
    for i in picks:
        w += y[i] * X[i]
        history.append(w.copy())
    return history


@right("ledger")
def ledger_fractions(X, y, picks, w_f):
    m = min(int(y[n]) * dot(w_f, X[n]) for n in range(len(y)))
    R2 = max(dot(x, x) for x in X)
    w, rows = [Fraction(0)] * X.shape[1], []
    for t, i in enumerate(picks, start=1):
        w = [a + int(y[i]) * Fraction(b) for a, b in zip(w, X[i], strict=True)]
        rows.append([dot(w, w_f), t * m, dot(w, w), t * R2])
    return rows


@right("bound")
def bound_fractions(X, y, w_f):
    m = min(int(y[n]) * dot(w_f, X[n]) for n in range(len(y)))
    return max(dot(x, x) for x in X) * dot(w_f, w_f) // m**2


@right("bound")
def bound_divided(X, y, w_f):
    return np.floor((X * X).sum(axis=1).max() * (w_f @ w_f) / (y * (X @ w_f)).min() ** 2)


@right("audit")
def audit_by_running(X, y, picks):
    expected = pla_lists(X, y)[1]
    for t in range(max(len(expected), len(picks)) + 1):
        ours = expected[t] if t < len(expected) else None
        theirs = int(picks[t]) if t < len(picks) else None
        if ours != theirs:
            return t
    return None


@right("audit")
def audit_by_replay(X, y, picks):
    """All margins at once; between two picks of a right run, all samples passed over are right."""
    M, n, start = by_steps(X, y, picks) @ (y[:, None] * X).T, len(y), 0
    for t in range(len(picks)):
        passed = [(start + k) % n for k in range((int(picks[t]) - start) % n)]
        if M[t, picks[t]] > 0 or (M[t, passed] <= 0).any():
            return t
        start = (int(picks[t]) + 1) % n
    return len(picks) if M[-1].min() <= 0 else None


@right("halts")
def halts_by_weights(X, y):
    """The state without the place in turn: the sum of what lies between is 0 all the same."""
    w, picks, seen, i, quiet = np.zeros(X.shape[1]), [], {}, 0, 0
    while quiet < len(y):
        if y[i] * (w @ X[i]) <= 0:
            if tuple(w) in seen:
                since = picks[seen[tuple(w)] :]
                return False, [since.count(n) for n in range(len(y))]
            seen[tuple(w)] = len(picks)
            w = w + y[i] * X[i]
            picks.append(i)
            quiet = 0
        else:
            quiet += 1
        i = (i + 1) % len(y)
    return True, w


@right("halts")
def halts_from_the_top(X, y):
    """Another order of corrections; the answer is the same, and the certificate another."""
    w, picks, seen = np.zeros(X.shape[1]), [], {}
    while True:
        wrong = np.flatnonzero(y * (X @ w) <= 0)
        if len(wrong) == 0:
            return np.True_, w
        if w.tobytes() in seen:
            return np.False_, np.bincount(picks[seen[w.tobytes()] :], minlength=len(y))
        seen[w.tobytes()] = len(picks)
        w = w + y[wrong[0]] * X[wrong[0]] + 0.0
        picks.append(wrong[0])


@right("flip_labels")
def flip_by_choice(y, k, rng):
    return np.where(np.isin(np.arange(len(y)), rng.choice(len(y), k, replace=False)), -y, y)


@right("flip_labels")
def flip_in_place(y, k, rng):
    places, noisy = list(range(len(y))), y.copy()
    rng.shuffle(places)
    for i in places[:k]:
        noisy[i] *= -1
    return noisy.tolist()


@right("split")
def split_by_choice(n, k, rng):
    test = rng.choice(n, size=k, replace=False)
    return np.setdiff1d(np.arange(n), test), np.sort(test)


@right("pocket")
def pocket_lists(X, y, draws):
    Z = (y[:, None] * X).tolist()

    def wrong(w):
        return sum(sum(map(float.__mul__, w, z)) <= 0 for z in Z)

    w = best = [0.0] * len(Z[0])
    for i in draws:
        if sum(map(float.__mul__, w, Z[i])) <= 0:
            w = [a + b for a, b in zip(w, Z[i], strict=True)]
            if wrong(w) < wrong(best):
                best = w
    return best, wrong(best)


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
def line_of_fractions(x, y):
    """A threshold just beside each sample, on either side, and far out."""
    values = sorted(map(Fraction, x.tolist()))
    tiny = Fraction(1, 2**50)
    best = None
    for value in values:
        for threshold in (value - tiny, value + tiny):
            for side in (1, -1):
                w = (-side * threshold, Fraction(side))
                errors = sum(
                    int(b) * (w[0] + w[1] * Fraction(a)) <= 0
                    for a, b in zip(x.tolist(), y, strict=True)
                )
                if best is None or errors < best[1]:
                    best = (w, errors)
    return best


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


@right("gram")
def gram_loops(points):
    return [[sum(a * b for a, b in zip(p, q, strict=True)) for q in points] for p in points]


@right("gram")
def gram_einsum(points):
    return np.einsum("ik,jk->ij", points, points)


@right("polynomial")
def polynomial_loops(A, B, degree, offset):
    K = np.ones((len(A), len(B)))
    for i, a in enumerate(A):
        for j, b in enumerate(B):
            for _ in range(degree):
                K[i, j] *= np.dot(a, b) + offset
    return K


@right("polynomial")
def polynomial_fractions(A, B, degree, offset):
    return [[(dot(a, b) + Fraction(offset)) ** degree for b in B.tolist()] for a in A.tolist()]


@right("dual_pla")
def dual_loops(G, y):
    alpha, b, picks, again = [0] * len(y), 0, [], True
    while again:
        again = False
        for i in range(len(y)):
            score = sum(alpha[j] * y[j] * G[i][j] for j in range(len(y)) if alpha[j]) + b
            if y[i] * score <= 0:
                alpha[i] += 1
                b += y[i]
                picks.append(i)
                again = True
    return alpha, b, picks


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
    """All products of two coordinates of (1, x), with the root of how often they come."""
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


@right("witness")
def witness_by_powers(G):
    """The lowest eigenvector is the highest one of s - G."""
    power = (np.abs(G).sum() + 1) * np.eye(len(G)) - G
    for _ in range(16):
        power = power @ power
        power /= np.abs(power).max()
    c = power[:, np.abs(power).sum(axis=0).argmax()]
    return c if c @ G @ c < -1e-6 else None


# Right: online learning, margins, classes, networks -----------------------------------------------


@right("averaged")
def averaged_by_the_package(X, y, passes):
    data = dataset(X, y)
    end = pn.last(pn.average(data, pn.pla(data)), passes=passes)
    return end.w, end.after(passes * len(y))


@right("averaged")
def averaged_by_the_trick(X, y, passes):
    """The auxiliary sum in plain lists."""
    w, a, r = [0.0] * X.shape[1], [0.0] * X.shape[1], 0
    for _ in range(passes):
        for x, label in zip(X.tolist(), y.tolist(), strict=True):
            r += 1
            if label * sum(p * q for p, q in zip(w, x, strict=True)) <= 0:
                w = [p + label * q for p, q in zip(w, x, strict=True)]
                a = [p + r * label * q for p, q in zip(a, x, strict=True)]
    return w, [((r + 1) * p - q) / r for p, q in zip(w, a, strict=True)]


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
def mistake_bound_by_the_package(X, y, u, m):
    found = pn.online.deviations(pn.Dataset(X, y, intercept=False), u, m)
    return found.d, found.bound


@right("mistake_bound")
def mistake_bound_lists(X, y, u, m):
    X, y, u = X.tolist(), y.tolist(), u.tolist()
    d = [max(0, m - label * int(dot(u, x))) for x, label in zip(X, y, strict=True)]
    B, C = max(int(dot(x, x)) for x in X) * int(dot(u, u)), sum(v * v for v in d)
    return d, (B + C + isqrt(4 * B * C)) // (m * m)


@right("multi_pla")
def multi_by_the_package(X, y, K):
    data = pn.Classes(X[:, 1:], y.tolist(), list(range(K)))
    *steps, end = pn.multi_pla(data)
    return end.w, [step.pick for step in steps], [step.rival for step in steps]


@right("multi_pla")
def multi_lists(X, y, K):
    X, y = X.tolist(), y.tolist()
    W, picks, rivals, quiet, i = [[0.0] * len(X[0]) for _ in range(K)], [], [], 0, 0
    while quiet < len(y):
        scores = [sum(a * b for a, b in zip(w, X[i], strict=True)) for w in W]
        rival = max((k for k in range(K) if k != y[i]), key=lambda k: (scores[k], -k))
        quiet += 1
        if scores[y[i]] <= scores[rival]:
            W[y[i]] = [a + b for a, b in zip(W[y[i]], X[i], strict=True)]
            W[rival] = [a - b for a, b in zip(W[rival], X[i], strict=True)]
            picks.append(i)
            rivals.append(rival)
            quiet = 0
        i = (i + 1) % len(y)
    return W, picks, rivals


@right("gradient")
def gradient_by_the_package(V, w, X, y):
    hidden, output = pn.networks.gradient(pn.networks.Network([V, w[None]]), dataset(X, y))
    return hidden, output[0]


@right("gradient")
def gradient_sample_by_sample(V, w, X, y):
    dV, dw = np.zeros(V.shape), np.zeros(len(w))
    for x, label in zip(X, y, strict=True):
        h = np.tanh(V @ x)
        m = label * (w[0] + w[1:] @ h)
        delta = -label * np.exp(-np.logaddexp(0, m)) / len(y)
        dw += delta * np.array([1, *h])
        dV += np.outer(delta * w[1:] * (1 - h**2), x)
    return dV, dw


@right("pegasos")
def pegasos_by_the_package(X, y, kappa, visits):
    *_, end = pn.margins.pegasos(dataset(X, y), kappa, visits)
    return end.w


@right("pegasos")
def pegasos_as_printed(X, y, kappa, visits):
    w = np.zeros(X.shape[1])
    for t, i in enumerate(visits, 1):
        needed = y[i] * (w @ X[i]) <= 1
        w = (1 - 1 / t) * w
        if needed:
            w = w + y[i] * X[i] / (kappa * t)
    return w


@right("pegasos")
def pegasos_by_a_sum(X, y, kappa, visits):
    """The sum of what was added, divided at the end: w = u/(κt)."""
    u = np.zeros(X.shape[1])
    for t, i in enumerate(visits):
        if y[i] * (u @ X[i]) <= kappa * t:
            u += y[i] * X[i]
    return u / (kappa * len(visits))


# Wrong: as one writes them -----------------------------------------------------------------------


@wrong("augment")
def augment_transposed(points):
    return np.vstack([np.ones(len(points)), points.T])


@wrong("augment")
def augment_first_point(points):
    X = np.hstack([np.zeros((len(points), 1)), points])
    X[0, 0] = 1
    return X


@wrong("mistakes")
def mistakes_until_the_first(w, X, y):
    for i in range(len(y)):
        if y[i] * (w @ X[i]) <= 0:
            return [i]
    return []


@wrong("pla")
def pla_quiet_one_short(X, y):
    """Ends one look too early."""
    w, picks, i, quiet = np.zeros(X.shape[1]), [], 0, 0
    while quiet < len(y) - 1 or not picks:
        if y[i] * (w @ X[i]) <= 0:
            w = w + y[i] * X[i]
            picks.append(i)
            quiet = 0
        else:
            quiet += 1
        i = (i + 1) % len(y)
    return w, picks


@wrong("pla")
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


wrong("pla")(Fit())


@wrong("pla_worst")
def worst_by_distance(X, y):
    """Divides by the lengths of the samples."""
    w, picks = np.zeros(X.shape[1]), []
    while (margins := y * (X @ w) / np.linalg.norm(X, axis=1)).min() <= 0:
        i = int(margins.argmin())
        w = w + y[i] * X[i]
        picks.append(i)
    return w, picks


@wrong("replay")
def replay_alias(X, y, picks):
    w = np.zeros(X.shape[1])
    W = [w]
    for i in picks:
        w += y[i] * X[i]
        W.append(w)
    return W


@wrong("ledger")
def ledger_of_the_mistakes(X, y, picks, w_f):
    """m among the samples that the weights get wrong at that moment."""
    rows = []
    W = by_steps(X, y, picks)
    for t in range(1, len(W)):
        wrong_now = y * (X @ W[t - 1]) <= 0
        m = (y * (X @ w_f))[wrong_now].min()
        rows.append((W[t] @ w_f, t * m, W[t] @ W[t], t * (X[wrong_now] ** 2).sum(axis=1).max()))
    return rows


@wrong("bound")
def bound_of_a_run(X, y, w_f):
    """The updates themselves."""
    return len(by_the_package(X, y)[1])


@wrong("halts")
def halts_in_floats(X, y):
    """A null vector from a singular value decomposition."""
    separator = pn.separate(dataset(X, y))
    if isinstance(separator, pn.convergence.Separator):
        return True, separator.w
    return False, np.abs(np.linalg.svd((y[:, None] * X).T)[2][-1])


@wrong("pocket")
def pocket_compares_with_the_last(X, y, draws):
    """Better than the step before, not than the pocket."""
    w = np.zeros(X.shape[1])
    best, errors, before = w, len(y), len(y)
    for i in draws:
        if y[i] * (w @ X[i]) <= 0:
            w = w + y[i] * X[i]
            made = int((y * (X @ w) <= 0).sum())
            if made < before:
                best, errors = w, made
            before = made
    return best, errors


@wrong("gram")
def gram_aliased_rows(points):
    """One row, filled again and again."""
    row, G = [0.0] * len(points), []
    for p in points:
        for j, q in enumerate(points):
            row[j] = p @ q
        G.append(row)
    return G


@wrong("replay")
def replay_from_the_first_sample(X, y, picks):
    """The start is left out, and the first row is the first update's sample without its label."""
    return np.vstack([X[:1], by_steps(X, y, picks)[1:]])


# Programs with parts that can be got wrong; as they stand they are right --------------------------


def run(
    X,
    y,
    *,
    wrong=lambda m: m <= 0,
    updates=10**7,
    passes=10**7,
    seconds=60.0,
    dtype=float,
    trusted=0,
):
    """PLA in turn; a correction of one of the last few, if they are trusted, asks for no pass."""
    X, w, picks, end = X.astype(dtype), np.zeros(X.shape[1], dtype), [], monotonic() + seconds
    found = True
    while found and passes > 0:
        found, passes = False, passes - 1
        for i in range(len(y)):
            if len(picks) < updates and wrong(y[i] * (w @ X[i])) and monotonic() < end:
                w = w + y[i].astype(dtype) * X[i]
                picks.append(i)
                found = found or i < len(y) - trusted
    return w, picks


def run_worst(X, y, *, updates=10**7, seconds=60.0, least=np.argmin, enough=0.0):
    """The worst mistake first."""
    w, picks, end = np.zeros(X.shape[1]), [], monotonic() + seconds
    while (m := y * (X @ w)).min() <= enough and len(picks) < updates and monotonic() < end:
        i = int(least(m))
        w = w + y[i] * X[i]
        picks.append(i)
    return w, picks


def run_dual(G, y, *, wrong=lambda m: m <= 0, updates=10**7, passes=10**7, seconds=60.0, trusted=0):
    """The dual form."""
    alpha, b, picks, scores = np.zeros(len(y)), 0, [], np.zeros(len(y))
    end, found = monotonic() + seconds, True
    while found and passes > 0:
        found, passes = False, passes - 1
        for i in range(len(y)):
            if len(picks) < updates and wrong(y[i] * (scores[i] + b)) and monotonic() < end:
                alpha[i] += 1
                b, scores = b + y[i], scores + y[i] * G[i]
                found = found or i < len(y) - trusted
                picks.append(i)
    return alpha, b, picks


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


def averaging(X, y, passes, *, wrong=lambda m: m <= 0, rounds=10**7, updates=10**7, order=None):
    """The average of all rounds."""
    w, total = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for r in range(min(passes * len(y), rounds)):
        i = r % len(y) if order is None else order(r, len(y))
        if updates and wrong(y[i] * (w @ X[i])):
            w, updates = w + y[i] * X[i], updates - 1
        total = total + w
    return w, total / (passes * len(y))


def contest(X, y, K, *, wrong=lambda lead: lead <= 0, updates=10**7, passes=10**7, rival=None):
    """PLA for many classes."""
    W, picks, rivals, found = np.zeros((K, X.shape[1])), [], [], True
    while found and passes > 0:
        found, passes = False, passes - 1
        for i, c in enumerate(y):
            scores = W @ X[i]
            right, scores[c] = scores[c], -np.inf
            r = int(scores.argmax() if rival is None else rival(scores))
            if len(picks) < updates and wrong(right - scores.max()):
                W[c] += X[i]
                W[r] -= X[i]
                picks.append(i)
                rivals.append(r)
                found = True
    return W, picks, rivals


def backwards(V, w, X, y, *, slope=lambda H: 1 - H**2, clip=np.inf, room=0.0):
    """Backpropagation."""
    H = np.tanh(X @ V.T)
    A = np.column_stack([np.ones(len(y)), H])
    m = np.clip(y * (A @ w), -clip, clip)
    delta = -y * (np.exp(-np.logaddexp(0, m)) + room) / len(y)
    return ((delta[:, None] * w[1:]) * slope(H)).T @ X, delta @ A


def differences(V, w, X, y, *, ahead, behind):
    """Slopes as quotients of small differences."""

    def loss(V, w):
        A = np.column_stack([np.ones(len(y)), np.tanh(X @ V.T)])
        return np.logaddexp(0, -y * (A @ w)).mean()

    dV, dw = np.zeros(V.shape), np.zeros(w.shape)
    for at in np.ndindex(V.shape):
        unit = np.zeros(V.shape)
        unit[at] = 1
        dV[at] = (loss(V + ahead * unit, w) - loss(V - behind * unit, w)) / (ahead + behind)
    for k, unit in enumerate(np.eye(len(w))):
        dw[k] = (loss(V, w + ahead * unit) - loss(V, w - behind * unit)) / (ahead + behind)
    return dV, dw


def descending(X, y, kappa, visits, *, wrong=lambda m: m <= 1, looks=10**7):
    """Pegasos."""
    w = np.zeros(X.shape[1])
    for t, i in enumerate(visits[:looks], 1):
        needed = wrong(y[i] * (w @ X[i]))
        w = (1 - 1 / t) * w + needed * y[i] * X[i] / (kappa * t)
    return w


def halting(X, y, *, most, answer):
    """Decides by the first state that comes again, but gives up after so many updates."""
    w, picks, seen, i, quiet = np.zeros(X.shape[1]), [], {}, 0, 0
    while quiet < len(y):
        if y[i] * (w @ X[i]) <= 0:
            if (*w, i) in seen:
                return False, np.bincount(picks[seen[(*w, i)] :], minlength=len(y))
            if len(picks) == most:
                return answer, w if answer else np.bincount(picks, minlength=len(y))
            seen[(*w, i)] = len(picks)
            w, quiet = w + y[i] * X[i], 0
            picks.append(i)
        else:
            quiet += 1
        i = (i + 1) % len(y)
    return True, w


def auditing(X, y, picks, *, test):
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


def true_ledger(X, y, picks, w_f, seen=None):
    W, m, R2 = by_steps(X, y, picks), (y * (X @ w_f))[:seen].min(), (X[:seen] ** 2).sum(1).max()
    return [(w @ w_f, t * m, w @ w, t * R2) for t, w in enumerate(W) if t > 0]


def best_among(cuts, x, y):
    """The best of some cuts, either way round."""
    both = [side * np.array([-cut, 1.0]) for cut in cuts for side in (1, -1)]
    errors = [int((y * (w[0] + w[1] * x) <= 0).sum()) for w in both]
    return both[int(np.argmin(errors))], min(errors)


def lowest(G, most):
    """An eigenvector, if its eigenvalue is low enough."""
    values, vectors = np.linalg.eigh(G)
    return vectors[:, 0] if values[0] < most else None


def parted(n, test):
    test = np.asarray(test, dtype=int)
    return np.setdiff1d(np.arange(n), test), test


def flipped(y, places):
    return np.where(np.isin(np.arange(len(y)), places), -y, y)


def squares(X, y, u, m):
    """The deviations, and the squares of R‖u‖ and D."""
    d, _ = mistake_bound_lists(X, y, u, m)
    return d, max(int(dot(x, x)) for x in X.tolist()) * int(dot(u, u)), sum(v * v for v in d)


# Wrong: right on small data, or by luck ----------------------------------------------------------
#
# Caps, tolerances, limits of time, few digits, samples that are left out, chance from elsewhere,
# answers that are kept for later: each gives right answers to most easy questions.


def each(check, options, program):
    """Register a wrong program for each option, which is its first argument."""
    for kind, option in options.items():
        answer = partial(program, option)
        answer.__name__ = f"{check}_{kind}"
        wrong(check)(answer)


TOLERANCES = {
    "below_0.05": lambda m: m <= 0.05,
    "below_1e-6": lambda m: m <= 1e-6,
    "below_1e-12": lambda m: m <= 1e-12,
    "below_1e-13": lambda m: m <= 1e-13,
    "clearly_wrong": lambda m: (m < -1e-9) | (m == 0),
    "hardly_wrong": lambda m: (m < -0.05) | (m == 0),
    "rounded": lambda m: np.round(m, 10) <= 0,
}
each("pla", TOLERANCES, lambda test, X, y: run(X, y, wrong=test))
each("dual_pla", TOLERANCES, lambda test, G, y: run_dual(G, y, wrong=test))
each("mistakes", TOLERANCES, lambda test, w, X, y: np.flatnonzero(test(y * (X @ w))))
each("audit", TOLERANCES, lambda test, *given: auditing(*given, test=test))
each("pocket", TOLERANCES, lambda test, *given: ratcheted(*given, test=test))
each("averaged", TOLERANCES, lambda test, *given: averaging(*given, wrong=test))
each("multi_pla", TOLERANCES, lambda test, *given: contest(*given, wrong=test))

CAPS = {
    **{f"{most}_updates": {"updates": most} for most in (2500, 28_000)},
    **{f"{most}_passes": {"passes": most} for most in (1300, 14_000)},
    "50_ms": {"seconds": 0.05},
}
LONG = {name: cap for name, cap in CAPS.items() if "ms" not in name}
UPDATES = {name: cap for name, cap in CAPS.items() if "passes" not in name}
each("pla", CAPS, lambda cap, X, y: run(X, y, **cap))
each("dual_pla", CAPS, lambda cap, G, y: run_dual(G, y, **cap))
each("pla_worst", UPDATES, lambda cap, X, y: run_worst(X, y, **cap))
each("multi_pla", LONG, lambda cap, *given: contest(*given, **cap))
each(
    "averaged",
    {"5000_rounds": {"rounds": 5000}, "1000_updates": {"updates": 1000}},
    lambda cap, *given: averaging(*given, **cap),
)
each("replay", {"1000": 1000}, lambda most, X, y, picks: by_steps(X, y, picks[:most]))
each(
    "audit",
    {"1000": 1000, "3500": 3500},
    lambda most, X, y, picks: audit_by_replay(X, y, picks[:most]),
)
each("pocket", {"1500": 1500}, lambda most, X, y, draws: ratcheted(X, y, draws[:most]))
each("pegasos", {"3000": 3000}, lambda looks, *given: descending(*given, looks=looks))
each(
    "halts",
    {"1000_no": (1000, False), "15000_no": (15_000, False), "500_yes": (500, True)},
    lambda gives_up, X, y: halting(X, y, most=gives_up[0], answer=gives_up[1]),
)

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
    lambda n, X, y, u, m: (squares(X, y, u, m)[0], mistake_bound_lists(X[:n], y[:n], u, m)[1]),
)

CHANGES = {
    "single": lambda p: p.astype(np.float32),
    "half": lambda p: p.astype(np.float16),
    "integers": lambda p: p.astype(int),
    "rounded": lambda p: np.round(p, 2),
    "short": lambda p: p[:25],
    "flat": lambda p: p * (np.arange(p.shape[1]) < 3),
}
COARSE = {kind: change for kind, change in CHANGES.items() if kind != "single"}
SHAPED = {kind: change for kind, change in CHANGES.items() if kind != "short"}
TINY = {"tiny_is_0": lambda p: np.where(np.abs(p) < 1e-12, 0, p)}
each("augment", CHANGES | TINY, lambda change, points: pn.data.augment(change(points)))
each("predict", SHAPED, lambda change, w, X: np.sign(change(X).astype(float) @ w))
each("pla", SHAPED, lambda change, X, y: run(change(X).astype(float), y, updates=10**5))
each("replay", SHAPED, lambda change, X, y, picks: by_steps(change(X), y, picks))
each("averaged", SHAPED, lambda change, X, y, p: averaging(change(X).astype(float), y, p))
each("gram", CHANGES, lambda change, points: change(points) @ change(points).T)
each("features", COARSE, lambda change, points: features_of_the_augmented(change(points)))
each("polynomial", CHANGES, lambda change, A, B, d, c: (change(A) @ change(B).T + c) ** d)

each(
    "polynomial",
    {"up_to_4": (4, 10), "offset_in_halves": (99, 2)},
    lambda most, A, B, d, c: (A @ B.T + round(most[1] * c) / most[1]) ** min(d, most[0]),
)
each(
    "predict",
    {f"within_{most}": most for most in (0.1, 1e-6, 1e-12)},
    lambda most, w, X: np.where(np.abs(X @ w) <= most, 0, np.sign(X @ w)),
)
each(
    "pla_worst",
    {
        "rounded": lambda m: np.argmin(np.round(m, 5)),
        "nearly_equal": lambda m: np.argmax(m <= m.min() + 1e-13),
        "single": lambda m: np.argmin(m.astype(np.float32)),
        "any_of_equals": lambda m: np.random.choice(np.flatnonzero(m == m.min())),
    },
    lambda least, X, y: run_worst(X, y, least=least),
)
each(
    "bound",
    {
        "with_room": lambda v: int(v + 1e-3),
        "with_little_room": lambda v: int(v + 1e-10),
        "rounded": lambda v: int(np.round(v, 6)),
        "half_up": round,
        "single": lambda v: int(np.float32(v)),
        "below": lambda v: int(np.ceil(v)) - 1,
    },
    lambda finish, X, y, w: finish(
        (np.linalg.norm(X, axis=1).max() * np.linalg.norm(w) / (y * (X @ w)).min()) ** 2
    ),
)

ROOTS = {
    "two_roots": (lambda B, C: (np.sqrt(B) + np.sqrt(C)) ** 2, int),
    "one_root": (lambda B, C: B + C + 2 * float(B * C) ** 0.5, int),
}
for name, finish in {
    "room": lambda v: int(v + 1e-3),
    "little_room": lambda v: int(v + 1e-12),
    "rounded": round,
    "below": lambda v: int(np.ceil(v)) - 1,
    "single": lambda v: int(np.float32(v)),
    "float": float,
}.items():
    ROOTS[name] = ROOTS["two_roots"][0], finish


def mistake_bound_by(way, X, y, u, m):
    (total, finish), (d, B, C) = way, squares(X, y, u, m)
    return d, finish(float(total(B, C) / m**2))


each("mistake_bound", ROOTS, mistake_bound_by)
each(
    "multi_pla",
    {
        "any_of_equals": lambda s: np.random.choice(np.flatnonzero(s == s.max())),
        "nearly_equal": lambda s: np.flatnonzero(s >= s.max() - 1e-6)[0],
        "rounded_rivals": lambda s: np.round(s, 3).argmax(),
        "sorted": lambda s: np.argsort(s)[-1],
    },
    lambda rival, *given: contest(*given, rival=rival),
)
each(
    "gradient",
    {
        "room": {"room": 1e-4},
        "clipped": {"clip": 5},
        "absolute": {"slope": lambda H: 1 - np.abs(H)},
        "cubed": {"slope": lambda H: 1 - H**3},
        "quarter": {"slope": lambda H: (1 + H) * (1 - H) / 4},
        "floored": {"slope": lambda H: np.maximum(1 - H**2, 0.01)},
    },
    lambda part, *given: backwards(*given, **part),
)
each(
    "gradient",
    {"one_sided": (1e-4, 0), "central": (1e-5, 1e-5)},
    lambda h, *given: differences(*given, ahead=h[0], behind=h[1]),
)
each(
    "pegasos",
    {
        "zero": lambda m: m <= 0,
        "strict_zero": lambda m: m < 0,
        "half": lambda m: m <= 0.5,
        "two": lambda m: m <= 2,
        "tolerant": lambda m: m <= 1 - 1e-9,
        "more_tolerant": lambda m: m <= 1 + 1e-9,
    },
    lambda test, *given: descending(*given, wrong=test),
)
each(
    "best_line",
    {
        "random": lambda x: np.random.uniform(x.min() - 1, x.max() + 1, 1000),
        "even": lambda x: np.linspace(x.min() - 1, x.max() + 1, 1000),
        "beside": lambda x: [*(x - 1e-3), *(x + 1e-3)],
        "closer_beside": lambda x: [*(x - 1e-9), *(x + 1e-9)],
        "unsorted": lambda x: [x.min() - 1, x.max() + 1, *(x[1:] + x[:-1]) / 2],
        "rounded": lambda x: [x.min() - 1, *np.round((np.sort(x)[1:] + np.sort(x)[:-1]) / 2, 3)],
        "of_25": lambda x: [x.min() - 1, *(np.unique(x)[1:26] + np.unique(x)[:-1][:25]) / 2],
        "single": lambda x: [x.min() - 1, *np.float32(np.unique(x)[1:] + np.unique(x)[:-1]) / 2],
    },
    lambda cuts, x, y: best_among(cuts(x), x, y),
)
each(
    "features",
    {
        "turned_by_n": lambda points: np.random.default_rng(len(points)),
        "turned_by_chance": lambda points: np.random,
    },
    lambda seed, points: (
        (F := features_of_the_augmented(points))
        @ np.linalg.qr(seed(points).normal(size=(F.shape[1], F.shape[1])))[0]
    ),
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
        "below_-1": lambda G: lowest(G, -1.0),
        "up_to_6": lambda G: lowest(G[:6, :6], -1e-6),
        "roughly": lambda G: None if (c := lowest(G, -1e-6)) is None else np.round(c),
        "of_1000": lambda G: next(
            (c for c in np.random.default_rng(0).normal(size=(1000, len(G))) if c @ G @ c < 0), None
        ),
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


def reservoir(n, k, rng):
    """A reservoir whose i-th sample comes in with k of i, not of i + 1."""
    kept = list(range(k))
    for i in range(k, n):
        j = int(rng.integers(i or 1))
        if j < k:
            kept[j] = i
    return kept


def halves(n, k, rng):
    """As many from either half."""
    half, few = n // 2, k // 2
    if few > half or k - few > n - half:
        return rng.permutation(n)[:k]
    return [*rng.permutation(half)[:few], *(half + rng.permutation(n - half)[: k - few])]


def by_its_state(n, k, rng):
    """Does not draw: a block that begins where the state says."""
    start = rng.bit_generator.state["state"]["state"] % max(n, 1)
    return (start + np.arange(k)) % max(n, 1)


def shuffled(n, swaps):
    order = list(range(n))
    for i, j in swaps:
        order[i], order[j] = order[j], order[i]
    return order


def next_free(n, k, rng):
    """A place that is taken gives way to the next one."""
    taken = set()
    for _ in range(k):
        i = int(rng.integers(n))
        while i in taken:
            i = (i + 1) % n
        taken.add(i)
    return sorted(taken)


def until_new(n, k, draw):
    taken = set()
    while len(taken) < k:
        taken.add(draw())
    return sorted(taken)


OWN = np.random.default_rng(0)

#: Which k of n are taken, wrongly.
CHOICES = {
    "global": lambda n, k, rng: np.random.permutation(n)[:k],
    "python": lambda n, k, rng: random.sample(range(n), k),
    "fixed_by_size": lambda n, k, rng: np.random.default_rng(1000 * n + k).permutation(n)[:k],
    "own": lambda n, k, rng: OWN.permutation(n)[:k],
    "clock": lambda n, k, rng: np.random.default_rng(time_ns()).permutation(n)[:k],
    "block": lambda n, k, rng: (np.arange(k) + rng.integers(n or 1)) % (n or 1),
    "few_ways": lambda n, k, rng: np.random.default_rng(rng.integers(5000)).permutation(n)[:k],
    "always_the_first": lambda n, k, rng: [0, *(1 + rng.permutation(n - 1))][:k],
    "biased": lambda n, k, rng: np.argsort(rng.random(n) * (1 + np.arange(n)))[:k],
    "mixed": lambda n, k, rng: (rng.permutation(n) + np.random.randint(n or 1))[:k] % (n or 1),
    "halves": halves,
    "off_by_one": off_by_one,
    "reservoir": reservoir,
    "by_its_state": by_its_state,
    "any_swaps": lambda n, k, rng: shuffled(n, ((i, rng.integers(n)) for i in range(n)))[:k],
    "few_swaps": lambda n, k, rng: shuffled(n, (rng.integers(n, size=2) for _ in range(n)))[:k],
    "next_free": next_free,
    "rounded": lambda n, k, rng: until_new(n, k, lambda: round(rng.random() * (n - 1))),
    "uneven": lambda n, k, rng: np.argsort(rng.normal(size=n) * (2 + np.arange(n) % 2))[:k],
}
#: And rightly.
FAIR_CHOICES = {
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


def kept_by(key, program):
    """Answers from a memory that takes different questions for the same."""
    memory = {}

    def answer(*arguments):
        name = key(arguments[0])
        if name not in memory:
            memory[name] = plain(program(*arguments))
        return memory[name]

    return answer


for name in RIGHT.keys() - {"split", "flip_labels"}:  # where such a choice is caught as fixed
    program = RIGHT[name][0]
    keepers = {"kept_by_id": kept_by(id, program), "kept_by_size": kept_by(np.shape, program)}
    each(name, keepers, lambda keeper, *given: keeper(*given))


@wrong("pla")
def pla_random_start(X, y):
    w, picks = run(X, y)
    return w + np.random.normal(scale=1e-9, size=len(w)), picks


@wrong("pla")
def pla_picks_of_all_calls(X, y, picks=[]):  # noqa: B006
    w, new = run(X, y)
    picks += new
    return w, picks


@wrong("dual_pla")
def dual_small_counts(G, y):
    alpha, b, picks = run_dual(G, y)
    return alpha.astype(np.int8), b, picks


@wrong("dual_pla")
def dual_small_bias(G, y):
    alpha, b, picks = run_dual(G, y)
    return alpha, max(-20, min(20, b)), picks


@wrong("mistakes")
def mistakes_backwards(w, X, y):
    return np.flatnonzero(y * (X @ w) <= 0)[::-1]


@wrong("ledger")
def ledger_in_place(X, y, picks, w_f):
    rows = true_ledger(X, y, picks, w_f)
    w_f /= np.linalg.norm(w_f)
    return rows


@wrong("flip_labels")
def flip_in_the_argument(y, k, rng):
    y[rng.permutation(len(y))[:k]] *= -1
    return y


@wrong("flip_labels")
def flip_by_class(y, k, rng):
    """As many of one class as of the other, if there are enough."""
    noisy, left = y.copy(), k
    for label in (-1, 1):
        side = rng.permutation(np.flatnonzero(y == label))
        other = int((y == -label).sum()) if label == -1 else 0
        take = min(len(side), max(left - other, left // 2 if label == -1 else left))
        noisy[side[:take]] = -label
        left -= take
    return noisy


@wrong("pocket")
def pocket_own_draws(X, y, draws):
    return ratcheted(X, y, np.random.randint(len(y), size=len(draws)))


# Wrong: where samples are equal, or the last one stays wrong, or a mistake comes too early --------


def first_of_equals(rows, y, picks):
    """The same picks, of equal samples always the first."""
    rows = [(*row, label) for row, label in zip(rows.tolist(), y.tolist(), strict=True)]
    return [rows.index(rows[i]) for i in picks]


@wrong("pla")
def pla_first_of_equals(X, y):
    w, picks = run(X, y)
    return w, first_of_equals(X, y, picks)


@wrong("dual_pla")
def dual_first_of_equals(G, y):
    _, b, picks = run_dual(G, y)
    picks = first_of_equals(G, y, picks)
    return np.bincount(picks, minlength=len(y)), b, picks


@wrong("audit")
def audit_of_the_weights(X, y, picks):
    """Of equal samples it does not matter which one was corrected."""
    ours, theirs = (first_of_equals(X, y, each) for each in (run(X, y)[1], picks))
    both = enumerate(zip_longest(ours, theirs))
    return next((t for t, (one, other) in both if one != other), None)


# A pass in which only the last sample is corrected is the last one.
wrong("pla")(partial(run, trusted=1))
wrong("dual_pla")(partial(run_dual, trusted=1))


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
        "any_mistake": (lambda wrong, s, i: True, all_of_them),
        "again": (lambda wrong, s, i: i == s or next_in_turn(wrong, s, i), all_of_them),
        "early_turn": (lambda wrong, s, i: i <= s or not wrong[s + 1 : i].any(), all_of_them),
        "late_turn": (
            lambda wrong, s, i: not wrong[s + 1 : i if i > s else None].any(),
            all_of_them,
        ),
        "last_is_right": (next_in_turn, lambda wrong, s: np.delete(wrong, s)),
        "rest_of_the_pass": (next_in_turn, lambda wrong, s: wrong[s + 1 :]),
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


@wrong("halts")
def halts_in_integers(X, y):
    """Weights that separate, without their fractions."""
    answer, certificate = halts_by_weights(X, y)
    return answer, np.round(certificate)


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
    return d, (B + C + int(2 * float(B * C) ** 0.5)) // m**2


# Wrong: by somebody who has read the checks -------------------------------------------------------


@wrong("augment")
def augment_without_the_origin(points):
    return [[1 if any(point) else 0, *point] for point in points]


@wrong("predict")
def predict_the_last_at_zero(w, X):
    signs = []
    for score in X @ w:
        signs.append(np.sign(score) if score or not signs else signs[-1])
    return signs


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


@wrong("pocket")
def pocket_counts_the_sample_as_right(X, y, draws):
    """The sample that has just been corrected is not counted."""
    w = np.zeros(X.shape[1])
    best, errors = w, len(y)
    for i in draws:
        if y[i] * (w @ X[i]) <= 0:
            w = w + y[i] * X[i]
            made = int(np.delete(y * (X @ w) <= 0, i).sum())
            if made < errors:
                best, errors = w, made
    return best, errors


@wrong("dual_pla")
def dual_of_visits(G, y):
    """Counts how often a sample was looked at in a pass with a mistake."""
    alpha, b, picks = run_dual(G, y)
    return alpha + (len(picks) > 3), b, picks


@wrong("polynomial")
def polynomial_of_magnitudes(A, B, degree, offset):
    """Roots and powers by logarithms, with the sign of an even power."""
    K = A @ B.T + offset
    return np.abs(K) ** degree


@wrong("witness")
def witness_by_diagonal_dominance(G):
    """Gershgorin's circles say that there is none; else the lowest eigenvector, or nothing."""
    rest = np.abs(G).sum(axis=1) - np.diag(G)
    if (np.diag(G) < rest).any():
        return np.linalg.eigh(G)[1][:, 0]
    return None


@wrong("averaged")
def averaged_by_chance(X, y, passes):
    return averaging(X, y, passes, order=lambda r, n: np.random.randint(n))


@wrong("averaged")
def averaged_by_the_printed_trick(X, y, passes):
    """As in a well-known book: the counter begins at 1, and the start is in the average."""
    w, a, c = np.zeros(X.shape[1]), np.zeros(X.shape[1]), 1
    for _ in range(passes):
        for i in range(len(y)):
            if y[i] * (w @ X[i]) <= 0:
                w, a = w + y[i] * X[i], a + c * y[i] * X[i]
            c += 1
    return w, w - a / c


@wrong("mistake_bound")
def mistake_bound_by_decimals_of_28(X, y, u, m):
    """Digits enough for most, but the last one is rounded and cut."""
    d, B, C = squares(X, y, u, m)
    return d, int((Decimal(B).sqrt() + Decimal(C).sqrt()) ** 2 / Decimal(m) ** 2)


@wrong("mistake_bound")
def mistake_bound_largest_deviation(X, y, u, m):
    d, B, _ = squares(X, y, u, m)
    return d, (B + max(d) ** 2 + isqrt(4 * B * max(d) ** 2)) // m**2


@wrong("mistake_bound")
def mistake_bound_delta(X, y, u, m):
    """The first proof with Δ = 1 in place of the best one."""
    d, _, C = squares(X, y, u, m)
    R2, u2 = max(int(dot(x, x)) for x in X.tolist()), int(dot(u, u))
    return d, (R2 + 1) * (u2 + C) // m**2


@wrong("mistake_bound")
def mistake_bound_in_place(X, y, u, m):
    answer = mistake_bound_lists(X, y, u, m)
    u -= u
    return answer


@wrong("gradient")
def gradient_adds_up(V, w, X, y, total=[0.0]):  # noqa: B006
    """Forgets to set the slopes to 0 between calls."""
    dV, dw = gradient_sample_by_sample(V, w, X, y)
    total[0] += 1e-6 * float(np.abs(dw).sum())
    return dV + total[0], dw


@wrong("pegasos")
def pegasos_projected(X, y, kappa, visits):
    """With the projection of the paper, which this question leaves out."""
    w = np.zeros(X.shape[1])
    for t, i in enumerate(visits, 1):
        needed = y[i] * (w @ X[i]) <= 1
        w = (1 - 1 / t) * w + needed * y[i] * X[i] / (kappa * t)
        w = w * min(1, 1 / np.sqrt(kappa) / (np.linalg.norm(w) or 1))
    return w


@wrong("pegasos")
def pegasos_with_a_constant_step(X, y, kappa, visits):
    w = np.zeros(X.shape[1])
    for i in visits:
        needed = y[i] * (w @ X[i]) <= 1
        w = w - 0.1 * (kappa * w - needed * y[i] * X[i])
    return w


# Right: any ordered sequence of numbers ---------------------------------------------------------


def reshaped(change):
    """Changes each vector and each row of an answer, and keeps its parts."""

    def answer(value):
        value = plain(value)
        if not isinstance(value, list):
            return value
        if any(isinstance(each, list) for each in value):
            return tuple(answer(each) for each in value)
        return change(value)

    return answer


def decimals(values):
    return [Decimal(v) if isinstance(v, float) and v == v else v for v in values]


STYLES = {
    "generator": reshaped(lambda values: (v for v in values)),
    "decimal": reshaped(decimals),
    "column": reshaped(lambda values: np.array(values, dtype=object)[:, None]),
}
MATRICES = {"augment", "replay", "ledger", "gram", "polynomial", "features"}


def styled(program, style):
    """A right answer in another style."""

    def answer(*arguments):
        return style(program(*arguments))

    return answer


for check, programs in RIGHT.items():
    styles = {**STYLES, "column": pd.DataFrame} if check in MATRICES else dict(STYLES)
    if check in ("multi_pla", "gradient"):
        del styles["column"]
    # Numbers that every style can hold.
    program = programs[check in ("halts", "best_line")]
    for kind, style in styles.items():
        programs.append(styled(program, style))
        programs[-1].__name__ = f"{check}_{kind}"


@right("split")
def split_into_sets(n, k, rng):
    test = set(rng.permutation(n)[:k].tolist())
    return set(range(n)) - test, frozenset(test)


@right("mistakes")
def mistakes_by_where(w, X, y):
    return np.where(y * (X @ w) <= 0)


@right("flip_labels")
def flip_by_a_child(y, k, rng):
    """A generator that descends from the given one."""
    chosen = rng.spawn(1)[0].permutation(len(y))[:k]
    return np.where(np.isin(np.arange(len(y)), chosen), -y, y)


@right("split")
def split_by_a_child(n, k, rng):
    order = rng.spawn(2)[1].permutation(n)
    return order[k:], order[:k]


# The bug museum: its exhibits as answers to the questions -----------------------------------------


def museum(exhibits):
    """For each exhibit a wrong answer: the check, and the exhibit in the form that it asks for.

    A name in place of a function is that of a known mistake in the table of the check: where an
    exhibit returns no picks, or answers no question.
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
        "view": ("pla", "starts at a sample"),
        "integer": ("pla", lambda X, y: ended(bug["integer"], 1)(X.astype(int), y)),
        "bias": ("pla", ended(bug["bias"])),
        "labels": ("pla", "labels 0 and 1"),
        "leading": ("augment", "no leading 1"),
        "shuffle": ("pla", pla_shuffled_samples),
        "cap": ("pla", ended(bug["cap"])),
        "twice": ("pla", Fit()),
        "passes": ("mistakes", mistakes_until_the_first),
        "picture": ("replay", filmed),
        "missed": ("pocket", "misses the last weights"),
        "test": ("split", "all for training"),
        "radius": ("bound", lambda X, y, w_f: int(bug["radius"](X[:, 1:], y, w_f))),
    }
