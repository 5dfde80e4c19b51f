// The algorithms, with the picks of Python's: pure functions, which know neither the page nor the
// figure.

/** The canonical score of sample i, ((w0 x0 + w1 x1) + w2 x2) + …; X holds a row a sample. */
export function score(w, X, i) {
  const m = w.length;
  let s = w[0] * X[i * m];
  for (let j = 1; j < m; j++) s = s + w[j] * X[i * m + j];
  return s;
}

/** PLA's state: weights, and all of their past in W, one row after the other. A margin of up to
 *  beta, in chapter 7, is not enough. */
export function primal(X, y, { rate = 1, w0 = null, beta = 0 } = {}) {
  const m = X.length / y.length;
  const w = w0 ? Float64Array.from(w0) : new Float64Array(m);
  const W = [...w];
  return {
    W,
    wrong: (i) => !(y[i] * score(w, X, i) > beta), // so is a score that is not a number
    correct(i) {
      for (let j = 0; j < m; j++) W.push((w[j] = w[j] + rate * y[i] * X[i * m + j]));
    },
  };
}

/** The dual state: a tally, and scores to which each update adds one row of the Gram matrix G. */
export function dual(G, y, { rate = 1, intercept = true } = {}) {
  const n = y.length;
  const state = {
    alpha: new Float64Array(n),
    scores: new Float64Array(n),
    b: 0,
    wrong: (i) => !(y[i] * (state.scores[i] + state.b) > 0),
    correct(i) {
      state.alpha[i] += rate;
      if (intercept) state.b += rate * y[i];
      for (let j = 0; j < n; j++) state.scores[j] += rate * y[i] * G[i * n + j];
    },
  };
  return state;
}

/** k(a, b). */
export function kernel(a, b, { name, degree, offset, gamma }) {
  if (name === "rbf") return Math.exp(-gamma * a.reduce((s, v, j) => s + (v - b[j]) * (v - b[j]), 0));
  const base = a.slice(1).reduce((s, v, j) => s + v * b[j + 1], a[0] * b[0]);
  if (name === "linear") return base;
  return (base + offset) ** degree;
}

/** The Gram matrix of some points, row by row. */
export const gram = (points, k) => points.flatMap((a) => points.map((b) => kernel(a, b, k)));

const [WORD, LONG, WIDE] = [32n, 64n, 128n].map((n) => (1n << n) - 1n);

/** Eight words of 32 bits, as NumPy's SeedSequence mixes them from a seed below 2^128. */
function mixed(seed) {
  const hash = (constant, factor) => (word) => {
    word ^= constant;
    constant = Math.imul(constant, factor);
    word = Math.imul(word, constant);
    return word ^ (word >>> 16);
  };
  const stir = hash(0x43b0d7e5, 0x931e8875);
  const pool = [0, 1, 2, 3].map((k) => stir(Number((seed >> BigInt(32 * k)) & WORD)));
  for (const from of [0, 1, 2, 3]) {
    for (const to of [0, 1, 2, 3]) {
      if (from === to) continue;
      const word = Math.imul(0xca01f9dd, pool[to]) - Math.imul(0x4973f715, stir(pool[from]));
      pool[to] = word ^ (word >>> 16);
    }
  }
  const pour = hash(0x8b51f9dd, 0x58f38ded);
  return Array.from({ length: 8 }, (_, k) => BigInt(pour(pool[k % 4]) >>> 0));
}

/** NumPy's default_rng(seed), bit for bit: M. E. O'Neill's PCG64 (2014), and whole numbers from its
 *  halves by D. Lemire's method (2019). */
export function generator(seed) {
  const words = mixed(BigInt(seed));
  const [high, low, top, bottom] = [0, 2, 4, 6].map((k) => words[k] | (words[k + 1] << 32n));
  const step = (((top << 64n) | bottom) << 1n) | 1n;
  const advance = (state) => (state * 0x2360ed051fc65da44385df649fccf645n + step) & WIDE;
  let state = advance((step + ((high << 64n) | low)) & WIDE);
  const halves = []; // of the last 64 bits, which are still to be used
  function bits() {
    state = advance(state);
    const [word, turn] = [(state >> 64n) ^ (state & LONG), state >> 122n];
    return ((word >> turn) | (word << (64n - turn))) & LONG;
  }
  function word() {
    if (!halves.length) {
      const both = bits();
      halves.push(Number(both >> 32n), Number(both & WORD));
    }
    return halves.pop();
  }
  const rng = {
    bits,
    /** A number in [0, 1). */
    random: () => Number(bits() >> 11n) / 2 ** 53,
    /** One of 0 … n − 1. */
    below(n) {
      if (n === 1) return 0;
      for (;;) {
        const product = word() * n; // below 2^53, for n below 2^21
        if (product % 2 ** 32 >= 2 ** 32 % n) return Math.floor(product / 2 ** 32);
      }
    },
    /** 0 … n − 1 in a random order. */
    permutation(n) {
      const order = Array.from({ length: n }, (_, i) => i);
      for (let k = n - 1; k > 0; k--) {
        const mask = 2 ** (32 - Math.clz32(k)) - 1; // of the binary digits that k has
        let j = k + 1;
        while (j > k) j = (word() & mask) >>> 0;
        [order[k], order[j]] = [order[j], order[k]];
      }
      return order;
    },
  };
  return rng;
}

/** The draws of a rule: Python takes the rule's own seed, of 63 bits, from default_rng(seed). */
const seeded = (seed) => generator(generator(seed).bits() >> 1n);

/** The first mistake from place `start` on, once round; null if there is none. */
function search(wrong, n, start = 0, order = null) {
  for (let k = 0; k < n; k++) {
    const place = start + k < n ? start + k : start + k - n;
    const i = order ? order[place] : place;
    if (wrong(i)) return i;
  }
  return null;
}

/** Makers of pick rules: from n samples and a seed to (wrong, previous) → next pick, or null. They
 *  pick what those of rules.py do, made with default_rng(seed). */
export const RULES = {
  in_turn: (n) => (wrong, last) => search(wrong, n, last === null ? 0 : last + 1),
  lowest: (n) => (wrong) => search(wrong, n),
  shuffled(n, seed) {
    const order = seeded(seed).permutation(n);
    const place = new Map(order.map((i, k) => [i, k]));
    return (wrong, last) => search(wrong, n, last === null ? 0 : place.get(last) + 1, order);
  },
  at_random(n, seed) {
    const rng = seeded(seed);
    return (wrong) => {
      for (let draws = 32; draws < n; draws *= 8) {
        const drawn = Array.from({ length: draws }, () => rng.below(n)); // all, even if the first is wrong
        const i = drawn.find(wrong);
        if (i !== undefined) return i;
      }
      return search(wrong, n, 0, rng.permutation(n));
    };
  },
};

export const count = (n, wrong) => {
  let k = 0;
  for (let i = 0; i < n; i++) k += wrong(i);
  return k;
};

/** A run: its picks so far, the mistakes at each step, and the pick to come, null at its end. */
export function begin(state, n, rule) {
  const run = { state, n, rule, picks: [], errors: [count(n, state.wrong)] };
  run.next = rule(state.wrong, null);
  return run;
}

function take(run, i) {
  run.state.correct(i);
  run.picks.push(i);
  run.errors.push(count(run.n, run.state.wrong));
}

/** Carry a run on to `limit` updates, or to its end, or until the clock passes `deadline`. */
export function advance(run, limit, deadline = Infinity) {
  while (run.next !== null && run.picks.length < limit) {
    take(run, run.next);
    run.next = run.rule(run.state.wrong, run.next);
    if (run.picks.length % 16 === 0 && performance.now() > deadline) break;
  }
  return run;
}

/** A run whose picks are known already, as Python's are. */
export function replay(state, n, { picks, converged }) {
  const run = { state, n, picks: [], errors: [count(n, state.wrong)], next: converged ? null : -1 };
  for (const i of picks) take(run, i);
  return run;
}

/** For each step, the first step with the fewest mistakes so far: what lies in the pocket. */
export function pocket(errors) {
  let best = 0;
  return errors.map((k, t) => (best = k < errors[best] ? t : best));
}

/** New samples in a box, on a grid: beside a line ("line", some labels turned), or in "rings". */
export function draw(n, seed, [left, right, low, high], grid, { kind, noise, intercept = true }) {
  const rng = generator(seed);
  const roll = rng.random;
  const [cx, cy] = intercept ? [(left + right) / 2, (low + high) / 2] : [0, 0];
  const size = Math.min(right - left, high - low) / 2;
  const turn = 2 * Math.PI * roll();
  const [a, b, shift] = [Math.cos(turn), Math.sin(turn), (roll() - 0.5) * 0.4 * size];
  const points = [];
  const labels = [];
  while (points.length < n) {
    const p = [left + roll() * (right - left), low + roll() * (high - low)];
    const place = p.map((v) => Math.round(v / grid) * grid);
    const [u, v] = [place[0] - cx, place[1] - cy];
    const radius = Math.hypot(u, v) / size;
    const s = kind === "rings" ? 0.52 - radius : (a * u + b * v - (intercept ? shift : 0)) / size;
    const [x, y] = [place[0] - (left + right) / 2, place[1] - (low + high) / 2];
    const outward = Math.max(Math.abs(x) / (right - left), Math.abs(y) / (high - low));
    if (Math.abs(s) < 0.1 || outward > 0.42) continue; // no sample in the gap or at the rim
    points.push(place);
    labels.push(s > 0 ? 1 : -1);
  }
  for (const i of rng.permutation(n).slice(0, noise)) labels[i] *= -1;
  return { points, labels };
}
