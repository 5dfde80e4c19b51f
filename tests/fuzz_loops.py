"""Call the compiled loops with odd arguments, as long as one likes; nothing may break.

    make sanitize MINUTES=30

Arrays have other types, shapes and strides than expected, are read-only, share their memory or hold
what is no number; ranges, orders and rules lie outside. A call may refuse them, with a sentence.
Under the compiler's sanitizers every access outside of an array, and all that C leaves undefined,
ends the program.
"""

import argparse
import time

import numpy as np

from perceptron_notes.native import _loops

REFUSALS = (TypeError, ValueError, IndexError, OverflowError, MemoryError, NotImplementedError)
NUMBERS = [0, 1, -1, 2, 3, 7, 12, 13, 64, 2**31, 2**62, -(2**63), 2**63 - 1]
FLOATS = [0.0, -0.0, 1.0, -1.5, 1e-310, 1e-160, 1e150, 1e308, np.inf, -np.inf, np.nan]


class Fuzz:
    """A source of odd arguments."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def one_of(self, *things):
        return things[self.rng.integers(len(things))]

    def whole(self):
        return self.one_of(*NUMBERS, int(self.rng.integers(-5, 70)))

    def number(self):
        return self.one_of(*FLOATS, self.rng.standard_normal())

    def array(self, shape, kind):
        """Mostly what is expected."""
        if kind == "d":
            made = self.rng.standard_normal(shape) * self.one_of(1, 1, 1, 1e-160, 1e149)
            if made.size and self.rng.random() < 0.2:
                made.flat[self.rng.integers(made.size)] = self.number()
        else:
            made = self.rng.integers(-3, 12, shape)
            if made.size and self.rng.random() < 0.1:
                made.flat[self.rng.integers(made.size)] = self.one_of(2**31, -(2**62))
            made = made.astype(np.int64)
        odd = self.rng.random()
        if odd < 0.02:
            return self.one_of(
                None, made.tolist(), made[..., None], made.T, b"12345678", memoryview(made)
            )
        if odd < 0.04:
            return made.astype(self.one_of("f4", "i2", ">f8", "O", "?"))
        if odd < 0.05 and made.ndim:
            return made[::2]
        if odd < 0.07:
            made.flags.writeable = False
        return made

    def labels(self, n):
        y = self.rng.choice([-1, 1], n).astype(np.int64)
        return y if self.rng.random() < 0.9 else self.array(n, "q")

    def rule(self, n):
        draws = self.array(self.rng.integers(90), "q")
        order = self.one_of(None, None, self.rng.permutation(n), draws)
        small = [int(self.rng.integers(0, 3)), order, 0, 1, 1, 2**60]
        if self.rng.random() < 0.2:
            small[self.one_of(0, 2, 3, 4, 5)] = self.whole()
        return tuple(small)

    def sizes(self):
        """Numbers of samples and weights; some are worth a copy in whole numbers."""
        if self.rng.random() < 0.05:
            return 700, 60
        return int(self.rng.integers(0, 90)), int(self.rng.integers(1, 40))

    def dense(self):
        n, m = self.sizes()
        X = self.array((n, m), "d")
        reach = 1.0
        if isinstance(X, np.ndarray) and X.dtype == float:
            largest = float(np.abs(np.nan_to_num(X)).max(initial=0))
            reach = self.one_of(self.number(), *4 * [largest])
        search = _loops.Search(X, self.labels(n), reach)
        yield
        K = self.one_of(2, 3, 8, 9, self.whole())
        contest = _loops.Search(X, self.rng.integers(max(1, min(K, 99)), size=n), reach, K)
        yield
        w = self.array(m, "d")
        for _ in range(3):
            yield
            search.look(w, self.whole(), self.whole(), self.one_of(None, self.array(n, "q")))
            T = int(self.rng.integers(0, 60))
            yield
            W = self.array((T + 1, m), "d")
            search.run(W, self.array(T, "q"), self.number(), self.rule(n))
            yield
            _loops.add_changes(self.array(m, "d"), W, self.array(T, "q"))
            yield
            duels = self.array((T + 1, min(K, 99), m), "d"), self.array((T, 2), "q")
            contest.run(*duels, self.number(), self.rule(n))
            yield
            k, falling = int(self.rng.integers(0, 40)), self.one_of(0, 1)
            search.count(self.array((k, m), "d"), self.array(k, "q"), self.whole(), falling)
            yield

    def dual(self):
        n = int(self.rng.integers(1, 30))
        G = self.array((n, n), "d")
        alpha, scores = self.array(n, "d"), self.array(n, "d")
        b, intercept, rate = self.number(), self.one_of(0, 1), self.number()
        caps = self.one_of(5, 60), self.one_of(0, 50, self.whole())
        _loops.run_dual(G, self.labels(n), alpha, scores, b, intercept, rate, *caps, self.rule(n))
        yield


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    # To find the place again, should it break.
    print(f"{_loops.__file__} --seed {options.seed}", flush=True)
    np.seterr(all="ignore")
    end, seed, done, refused = time.monotonic() + 60 * options.minutes, options.seed, 0, 0
    while time.monotonic() < end:
        fuzz = Fuzz(seed)
        _loops.use(fuzz.one_of(*_loops.kinds()))
        try:
            for _ in fuzz.one_of(fuzz.dense, fuzz.dual)():
                done += 1
        except REFUSALS:
            refused += 1
        seed += 1
    print(f"{done} calls answered, {refused} refused, by the loops {', '.join(_loops.kinds())}")


if __name__ == "__main__":
    main()
