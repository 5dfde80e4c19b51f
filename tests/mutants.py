"""Answers to the problem sets as students write them: right ones in many styles, and wrong ones.

The checks have tables of known mistakes of their own; the wrong answers here are written without
them, in the ways in which such mistakes come about.
"""

from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np

import perceptron_notes as pn
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

right("augment")(pn.augment)
right("predict")(pn.predict)
right("mistakes")(lambda w, X, y: pn.mistakes(w, dataset(X, y)))
right("polynomial")(lambda A, B, degree, offset: polynomial_kernel(degree, offset)(A, B))
right("gram")(lambda points: pn.gram(pn.Dataset(points, np.ones(len(points)))))


@right("pla")
def by_the_package(X, y):
    trace = pn.record(pn.pla(dataset(X, y)))
    return trace.w, trace.picks


@right("replay")
def by_steps(X, y, picks):
    return np.vstack([np.zeros(X.shape[1]), np.cumsum((y[:, None] * X)[picks], axis=0)])


@right("ledger")
def by_the_ledger(X, y, picks, w_f):
    data = dataset(X, y)
    W = np.array(by_steps(X, y, picks))
    trace = pn.Trace(data, 1.0, W, np.asarray(picks), bool((y * (X @ W[-1]) > 0).all()))
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
    if isinstance(answer, pn.Separator):
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
def pla_whole_numbers(X, y):
    """Quarters, as whole numbers."""
    Z = [[int(4 * v) for v in row] for row in X]
    w, picks, clean = [0] * len(Z[0]), [], False
    while not clean:
        clean = True
        for i, z in enumerate(Z):
            if int(y[i]) * sum(map(int.__mul__, w, z)) <= 0:
                w = [a + int(y[i]) * b for a, b in zip(w, z, strict=True)]
                picks.append(i)
                clean = False
    return [Fraction(v, 4) for v in w], picks


@right("pla")
def pla_in_place(X, y):
    """Changes everything that it is given."""
    w, picks, done = np.zeros(X.shape[1]), [], False
    X *= y[:, None]
    y[:] = 0
    while not done:
        done = True
        for i, z in enumerate(X):
            if z @ w <= 0:
                w += z
                picks.append(np.int64(i))
                done = False
    return tuple(w), np.array(picks)


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


@right("pla_worst")
def worst_sorted(X, y):
    Z = (y[:, None] * X).tolist()
    w, picks = [0.0] * len(Z[0]), []
    while True:
        value, i = min((sum(map(float.__mul__, w, z)), i) for i, z in enumerate(Z))
        if value > 0:
            return w, picks
        w = [a + b for a, b in zip(w, Z[i], strict=True)]
        picks.append(i)


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
    places = list(range(len(y)))
    rng.shuffle(places)
    for i in places[:k]:
        y[i] *= -1
    return y.tolist()


@right("flip_labels")
def flip_by_sorting(y, k, rng):
    noisy = [float(label) for label in y]
    for i in sorted(range(len(y)), key=list(rng.random(len(y))).__getitem__)[:k]:
        noisy[i] = -noisy[i]
    return noisy


@right("split")
def split_by_choice(n, k, rng):
    test = rng.choice(n, size=k, replace=False)
    return np.setdiff1d(np.arange(n), test), np.sort(test)


@right("split")
def split_by_rejection(n, k, rng):
    test = set()
    while len(test) < k:
        test.add(int(rng.integers(n)))
    return [i for i in range(n) if i not in test], sorted(test)


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


@right("pocket")
def pocket_in_place(X, y, draws):
    w = np.zeros(X.shape[1])
    best, errors = w.copy(), int(np.sum(y * (X @ w) <= 0))
    for i in draws:
        if not y[i] * np.dot(X[i], w) > 0:
            w += y[i] * X[i]
            made = int(np.count_nonzero(y * (X @ w) <= 0))
            if made < errors:
                best[:] = w
                errors = made
    return best, errors


@right("best_line")
def line_of_fractions(x, y):
    """A threshold just beside each sample, on either side, and far out."""
    values = sorted(map(Fraction, x.tolist()))
    tiny = Fraction(1, 1000)
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


# Wrong: as one writes them -----------------------------------------------------------------------


@wrong("augment")
def augment_transposed(points):
    return np.vstack([np.ones(len(points)), points.T])


@wrong("augment")
def augment_first_point(points):
    X = np.hstack([np.zeros((len(points), 1)), points])
    X[0, 0] = 1
    return X


@wrong("predict")
def predict_rounded(w, X):
    return np.sign(np.round(X @ w))


@wrong("predict")
def predict_normalised(w, X):
    return np.round(X @ w / (np.abs(X @ w).max() or 1))


@wrong("mistakes")
def mistakes_by_product_of_signs(w, X, y):
    return [i for i in range(len(y)) if np.sign(X[i] @ w) == -y[i]]


@wrong("mistakes")
def mistakes_until_the_first(w, X, y):
    for i in range(len(y)):
        if y[i] * (w @ X[i]) <= 0:
            return [i]
    return []


@wrong("pla")
def pla_one_pass_too_few(X, y):
    """Stops after the first pass with fewer mistakes than the pass before."""
    w, picks, before = np.zeros(X.shape[1]), [], np.inf
    for _ in range(1000):
        now = 0
        for i in range(len(y)):
            if y[i] * (w @ X[i]) <= 0:
                w, now = w + y[i] * X[i], now + 1
                picks.append(i)
        if now >= before or now == 0:
            break
        before = now
    return w, picks


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


@wrong("pla")
def pla_shuffled_order(X, y):
    order = np.random.default_rng(0).permutation(len(y))
    w, picks, found = np.zeros(X.shape[1]), [], True
    while found:
        found = False
        for i in order:
            if y[i] * (w @ X[i]) <= 0:
                w, found = w + y[i] * X[i], True
                picks.append(int(i))
    return w, picks


@wrong("pla")
def pla_normalised(X, y):
    """Samples of length 1."""
    Z = X / np.linalg.norm(X, axis=1)[:, None]
    w, picks, found = np.zeros(X.shape[1]), [], True
    while found and len(picks) < 5000:
        found = False
        for i in range(len(y)):
            if y[i] * (w @ Z[i]) <= 0:
                w, found = w + y[i] * Z[i], True
                picks.append(i)
    return w, picks


@wrong("pla")
def pla_tolerant(X, y):
    """Content with few mistakes."""
    w, picks, i = np.zeros(X.shape[1]), [], 0
    while (y * (X @ w) <= 0).mean() > 0.05:
        if y[i] * (w @ X[i]) <= 0:
            w = w + y[i] * X[i]
            picks.append(i)
        i = (i + 1) % len(y)
    return w, picks


@wrong("pla")
def pla_delta_rule(X, y):
    """The step is half of label minus prediction; at a score of 0 it is half a step."""
    w, picks, found = np.zeros(X.shape[1]), [], True
    while found and len(picks) < 5000:
        found = False
        for i in range(len(y)):
            step = (y[i] - np.sign(w @ X[i])) / 2
            if step:
                w, found = w + step * X[i], True
                picks.append(i)
    return w, picks


@wrong("pla")
def pla_restarts_each_pass(X, y):
    """The weights are set up inside the loop."""
    picks = []
    for _ in range(50):
        w = np.zeros(X.shape[1])
        found = False
        for i in range(len(y)):
            if y[i] * (w @ X[i]) <= 0:
                w, found = w + y[i] * X[i], True
                picks.append(i)
        if not found:
            break
    return w, picks


@wrong("pla")
def pla_picks_once(X, y):
    """The picks are a set."""
    w, picks = by_the_package(X, y)
    return w, list(dict.fromkeys(picks.tolist()))


@wrong("pla")
def pla_exchanged(X, y):
    return by_the_package(X, y)[::-1]


@wrong("pla")
def pla_weights_only(X, y):
    return by_the_package(X, y)[0]


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


@wrong("replay")
def replay_columns(X, y, picks):
    return np.array(by_steps(X, y, picks)).T


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


@wrong("audit")
def audit_first_rule(X, y, picks):
    w = np.zeros(X.shape[1])
    for t, i in enumerate(picks):
        wrong_now = np.flatnonzero(y * (X @ w) <= 0)
        if i not in wrong_now[:1]:
            return t
        w = w + y[i] * X[i]
    return len(picks) if (y * (X @ w) <= 0).any() else None


@wrong("halts")
def halts_by_cap(X, y):
    w, picks = np.zeros(X.shape[1]), []
    for i in list(range(len(y))) * 500:
        if y[i] * (w @ X[i]) <= 0:
            w = w + y[i] * X[i]
            picks.append(i)
    if (y * (X @ w) > 0).all():
        return True, w
    return False, np.bincount(picks, minlength=len(y))


@wrong("halts")
def halts_in_floats(X, y):
    """A null vector from a singular value decomposition."""
    separator = pn.separate(dataset(X, y))
    if isinstance(separator, pn.Separator):
        return True, separator.w
    return False, np.abs(np.linalg.svd((y[:, None] * X).T)[2][-1])


@wrong("flip_labels")
def flip_until_enough(y, k, rng):
    """Counts draws, not changes."""
    noisy = y.copy()
    for _ in range(k):
        noisy[rng.integers(len(y))] *= -1
    return noisy


@wrong("split")
def split_sorted_blocks(n, k, rng):
    start = int(rng.integers(n - k + 1))
    test = np.arange(start, start + k)
    return np.setdiff1d(np.arange(n), test)[::-1][1:], test


@wrong("pocket")
def pocket_alias(X, y, draws):
    w = np.zeros(X.shape[1])
    best, errors = w, len(y)
    for i in draws:
        if y[i] * (w @ X[i]) <= 0:
            w += y[i] * X[i]
            made = int((y * (X @ w) <= 0).sum())
            if made < errors:
                best, errors = w, made
    return best, errors


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


@wrong("pocket")
def pocket_old_count(X, y, draws):
    """The count belongs to the weights before the update."""
    w = np.zeros(X.shape[1])
    best, errors = w, len(y)
    for i in draws:
        if y[i] * (w @ X[i]) <= 0:
            made = int((y * (X @ w) <= 0).sum())
            w = w + y[i] * X[i]
            if made < errors:
                best, errors = w, made
    return best, errors


@wrong("best_line")
def line_by_pla(x, y):
    X = np.column_stack([np.ones(len(x)), x])
    w = np.zeros(2)
    for i in list(range(len(y))) * 20:
        if y[i] * (w @ X[i]) <= 0:
            w = w + y[i] * X[i]
    return w, int((y * (X @ w) <= 0).sum())


@wrong("dual_pla")
def dual_stale(G, y):
    """All scores of a pass at once."""
    alpha, b, picks = np.zeros(len(y)), 0, []
    for _ in range(200):
        wrong_now = np.flatnonzero(y * (G @ (alpha * y) + b) <= 0)
        for i in wrong_now:
            alpha[i] += 1
            b += y[i]
            picks.append(int(i))
        if len(wrong_now) == 0:
            break
    return alpha, b, picks


@wrong("features")
def features_cubed(points):
    return np.hstack([features_of_the_augmented(points), points**3])


@wrong("witness")
def witness_unit(G):
    """One sample, or the difference of two."""
    n = len(G)
    for c in [*np.eye(n), *(np.eye(n)[i] - np.eye(n)[j] for i in range(n) for j in range(i))]:
        if c @ G @ c < 0:
            return c
    return None


@wrong("gram")
def gram_aliased_rows(points):
    """One row, filled again and again."""
    row, G = [0.0] * len(points), []
    for p in points:
        for j, q in enumerate(points):
            row[j] = p @ q
        G.append(row)
    return G


@wrong("gram")
def gram_of_the_first(points):
    return np.outer(points[:, 0], points[:, 0])


@wrong("polynomial")
def polynomial_as_loop_from_degree_one(A, B, degree, offset):
    """One factor too few for a degree above 1."""
    K = A @ B.T + offset
    for _ in range(degree - 2):
        K = K * (A @ B.T + offset)
    return K


@wrong("polynomial")
def polynomial_whole(A, B, degree, offset):
    """A whole-number offset."""
    return (A @ B.T + int(offset)) ** degree


@wrong("replay")
def replay_from_the_first_sample(X, y, picks):
    """The start is left out, and the first row is the first update's sample without its label."""
    return np.vstack([X[:1], by_steps(X, y, picks)[1:]])


# The bug museum: its exhibits as answers to the questions -----------------------------------------


def museum(space):
    """For each exhibit a wrong answer: the check, and the exhibit in the form that it asks for.

    A name in place of a function is that of a known mistake in the table of the check: where an
    exhibit returns no picks, or answers no question.
    """

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
        "strict": ("pla", ended(space["pla_strict"])),
        "sign": ("pla", ended(space["pla_sign"])),
        "every": ("pla", ended(space["pla_every"])),
        "stale": ("pla", ended(space["pla_stale"])),
        "alias": ("replay", replay_alias),
        "view": ("pla", "starts at a sample"),
        "integer": ("pla", lambda X, y: ended(space["pla_integer"], 1)(X.astype(int), y)),
        "bias": ("pla", ended(space["pla_bias"])),
        "labels": ("pla", "labels 0 and 1"),
        "leading": ("augment", "no leading 1"),
        "shuffle": ("pla", pla_shuffled_samples),
        "cap": ("pla", ended(space["pla_cap"])),
        "twice": ("pla", Fit()),
        "passes": ("mistakes", mistakes_until_the_first),
        "picture": ("replay", filmed),
        "missed": ("pocket", "misses the last weights"),
        "test": ("split", "all for training"),
        "radius": ("bound", lambda X, y, w_f: int(space["bound_short"](X[:, 1:], y, w_f))),
    }
