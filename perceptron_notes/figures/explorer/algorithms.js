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

/** Numbers in [0, 1) from a seed: G. Marsaglia's xorshift (2003), as in Python's `dice`. */
export function dice(seed) {
  let x = Math.imul(seed + 1, 0x9e3779b1) | 1;
  return () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) / 4294967296;
  };
}

/** 0 … n − 1 in a random order. */
export function shuffle(n, roll) {
  const order = Array.from({ length: n }, (_, i) => i);
  for (let k = n - 1; k > 0; k--) {
    const j = Math.floor(roll() * (k + 1));
    [order[k], order[j]] = [order[j], order[k]];
  }
  return order;
}

/** The first mistake from place `start` on, once round; null if there is none. */
function search(wrong, n, start = 0, order = null) {
  for (let k = 0; k < n; k++) {
    const place = start + k < n ? start + k : start + k - n;
    const i = order ? order[place] : place;
    if (wrong(i)) return i;
  }
  return null;
}

/** Makers of pick rules: from n samples and a seed to (wrong, previous) → next pick, or null. */
export const RULES = {
  in_turn: (n) => (wrong, last) => search(wrong, n, last === null ? 0 : last + 1),
  lowest: (n) => (wrong) => search(wrong, n),
  shuffled(n, seed) {
    const order = shuffle(n, dice(seed));
    const place = new Map(order.map((i, k) => [i, k]));
    return (wrong, last) => search(wrong, n, last === null ? 0 : place.get(last) + 1, order);
  },
  at_random(n, seed) {
    const roll = dice(seed);
    return (wrong) => {
      if (search(wrong, n) === null) return null;
      for (;;) {
        const i = Math.floor(roll() * n); // the first mistake among uniform draws is uniform
        if (wrong(i)) return i;
      }
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
  const roll = dice(seed);
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
  for (const i of shuffle(n, roll).slice(0, noise)) labels[i] *= -1;
  return { points, labels };
}
