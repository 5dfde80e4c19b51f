"""The textbook's loops as one would write them for numba, which compiles them: float64, in order.

They pick what our runs pick. What numba has compiled it keeps in a file, so that a fresh process
need only load it.
"""

import numpy as np
from numba import njit


@njit(cache=True)
def score(w, x):
    """The canonical score, summed from the left."""
    s = 0.0
    for j in range(len(w)):
        s += w[j] * x[j]
    return s


@njit(cache=True)
def pla(X, y, passes):
    """The weights after the first pass without a mistake, or after so many passes."""
    w = np.zeros(X.shape[1])
    for _ in range(passes):
        mistakes = 0
        for i in range(len(y)):
            if y[i] * score(w, X[i]) <= 0:
                for j in range(len(w)):
                    w[j] += y[i] * X[i, j]
                mistakes += 1
        if mistakes == 0:
            break
    return w


@njit(cache=True)
def average(X, y, passes):
    """The mean of the weights after each visit: an update counts for all visits from it on."""
    w, late = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    visits = 0
    for _ in range(passes):
        for i in range(len(y)):
            if y[i] * score(w, X[i]) <= 0:
                for j in range(len(w)):
                    w[j] += y[i] * X[i, j]
                    late[j] += visits * y[i] * X[i, j]
            visits += 1
    return w - late / visits


@njit(cache=True)
def pocket(X, y, updates):
    """The weights with the fewest mistakes; to have made as many is to have lost."""
    w, best, fewest, i = np.zeros(X.shape[1]), np.zeros(X.shape[1]), len(y), -1
    for _ in range(updates):
        for _ in range(len(y)):
            i = (i + 1) % len(y)
            if y[i] * score(w, X[i]) <= 0:
                break
        else:
            break
        for j in range(len(w)):
            w[j] += y[i] * X[i, j]
        errors = 0
        for k in range(len(y)):
            errors += y[k] * score(w, X[k]) <= 0
            if errors >= fewest:
                break
        else:
            best, fewest = w.copy(), errors
    return best


@njit(cache=True)
def classes(X, y, K, passes):
    """A row of weights for each class: the own class must beat the strongest of the others."""
    W, scores = np.zeros((K, X.shape[1])), np.zeros(K)
    for _ in range(passes):
        mistakes = 0
        for i in range(len(y)):
            own, rival = y[i], -1
            for k in range(K):
                scores[k] = score(W[k], X[i])
                if k != own and (rival < 0 or scores[k] > scores[rival]):
                    rival = k
            if scores[own] <= scores[rival]:
                for j in range(X.shape[1]):
                    W[own, j] += X[i, j]
                    W[rival, j] -= X[i, j]
                mistakes += 1
        if mistakes == 0:
            break
    return W


@njit(cache=True)
def dual(G, y, updates):
    """How often each sample was corrected; an update adds its row of G to all scores."""
    alpha, scores, b, i = np.zeros(len(y)), np.zeros(len(y)), 0.0, -1
    for _ in range(updates):
        for _ in range(len(y)):
            i = (i + 1) % len(y)
            if y[i] * (scores[i] + b) <= 0:
                break
        else:
            break
        alpha[i] += 1
        b += y[i]
        for k in range(len(y)):
            scores[k] += y[i] * G[i, k]
    return alpha
