// Whether a line separates the samples, decided in whole numbers: floats are dyadic, so times a
// power of two they are integers. Either answer is a proof: a line, or samples whose weighted
// means coincide.

/** Pairs of floats as pairs of whole numbers, times 2 ** shift; null if that is out of reach. */
export function whole(pairs) {
  let [v, shift] = [pairs.flat(), 0];
  for (; !v.every(Number.isInteger); shift++) {
    if (!v.every(Number.isFinite)) return null; // far too unlike in size for that
    v = v.map((a) => 2 * a);
  }
  return { shift, P: pairs.map((_, i) => [BigInt(v[2 * i]), BigInt(v[2 * i + 1])]) };
}

/** @type {(a: bigint[], b: bigint[]) => bigint[]} */
const minus = ([a, b], [c, d]) => [a - c, b - d];
/** @type {(a: bigint[], b: bigint[]) => bigint} */
const inner = ([a, b], [c, d]) => a * c + b * d;
export const size = (a) => (a < 0n ? -a : a);
/** Twice the signed area of a triangle: positive if it goes round to the left. */
const turn = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);

/** The corners of a convex hull, to the left round it: A. M. Andrew's chain (1979). */
export function hull(P) {
  const sign = (a) => (a > 0n ? 1 : a < 0n ? -1 : 0);
  const order = P.map((_, i) => i).sort((i, j) => sign(P[i][0] - P[j][0] || P[i][1] - P[j][1]));
  const half = (list) => {
    const chain = [];
    for (const i of list) {
      while (chain.length > 1 && turn(P[chain.at(-2)], P[chain.at(-1)], P[i]) <= 0n) chain.pop();
      chain.push(i);
    }
    return chain.slice(0, -1);
  };
  const distinct = order.filter((i, k) => !k || minus(P[i], P[order[k - 1]]).some((a) => a));
  return distinct.length > 1 ? [...half(distinct), ...half(distinct.reverse())] : distinct;
}

/** @type {(H: bigint[][]) => bigint[][][]} */
const edges = (H) => (H.length > 1 ? H.map((a, k) => [a, H[(k + 1) % H.length]]) : []);

/** Whole weights (w₀, w₁, w₂), positive on A and negative on B, with the widest gap of those that
 *  an edge suggests; two hulls that are apart always have such an edge.
 *  @param {bigint[][]} A
 *  @param {bigint[][]} B */
function gap(A, B) {
  const along = [...edges(A), ...edges(B), [A[0], B[0]]].map(([a, b]) => minus(b, a));
  let [found, widest] = [null, -1];
  for (const u of along.flatMap(([x, y]) => [[-y, x], [y, -x], [x, y], [-x, -y]])) {
    const least = A.map((a) => inner(u, a)).reduce((s, v) => (v < s ? v : s));
    const most = B.map((b) => inner(u, b)).reduce((s, v) => (v > s ? v : s));
    const wide = Number(least - most) / Math.sqrt(Number(inner(u, u)));
    if (least > most && (!found || wide > widest))
      [found, widest] = [[-least - most, 2n * u[0], 2n * u[1]], wide];
  }
  return found;
}

/** Whole weights of a hull's corners whose weighted sum is their total times q; null outside. */
function within(q, H) {
  if (H.length === 1) return minus(q, H[0]).some((a) => a) ? null : [[0, 1n]];
  if (H.length === 2) {
    const [u, v] = [minus(H[1], H[0]), minus(q, H[0])];
    const [at, end] = [inner(u, v), inner(u, u)];
    return turn(H[0], H[1], q) || at < 0n || at > end ? null : [[0, end - at], [1, at]];
  }
  for (let k = 1; k + 1 < H.length; k++) {
    const [a, b, c] = [H[0], H[k], H[k + 1]];
    const areas = [turn(q, b, c), turn(a, q, c), turn(a, b, q)];
    if (areas.every((s) => s >= 0n)) return [0, k, k + 1].map((corner, j) => [corner, areas[j]]);
  }
  return null;
}

/** Whole weights on the corners of A and on those of B that have the same weighted sum. */
function common(A, B) {
  const total = (weights) => weights.reduce((s, [, v]) => s + v, 0n);
  for (const [k, b] of B.entries()) {
    const found = within(b, A);
    if (found) return [found, [[k, total(found)]]];
  }
  for (const [k, a] of A.entries()) {
    const found = within(a, B);
    if (found) return [[[k, total(found)]], found];
  }
  for (const [i] of A.entries())
    for (const [j] of B.entries()) {
      const [i2, j2] = [(i + 1) % A.length, (j + 1) % B.length];
      const [a, a2, b, b2] = [A[i], A[i2], B[j], B[j2]];
      const [p, p2, q, q2] = [turn(b, b2, a), turn(b, b2, a2), turn(a, a2, b), turn(a, a2, b2)];
      if (p * p2 >= 0n || q * q2 >= 0n) continue;
      const [P, P2, Q, Q2] = [p, p2, q, q2].map(size);
      return [[[i, P2 * (Q + Q2)], [i2, P * (Q + Q2)]], [[j, Q2 * (P + P2)], [j2, Q * (P + P2)]]];
    }
  return null;
}

/** The proof that a line separates, {w}, or that none can, {samples, weights}; null if it is out of
 *  reach. `w` is for the samples times 2 ** shift. Through the origin (bias = 0) the samples times
 *  their labels have to lie on one side of it. */
export function decide(points, y, bias = 1) {
  const numbers = whole(points);
  if (!numbers) return null;
  const { P, shift } = numbers;
  const every = P.map((_, i) => i);
  const signed = P.map((p, i) => (bias || y[i] > 0 ? p : [-p[0], -p[1]]));
  const one = every.filter((i) => !bias || y[i] > 0);
  const other = every.filter((i) => bias && y[i] < 0);
  if (bias && !(one.length && other.length)) return { shift, w: [BigInt(y[0]), 0n, 0n] };
  const corners = (some) => {
    const chosen = some.map((i) => signed[i]);
    return hull(chosen).map((k) => [some[k], chosen[k]]);
  };
  const [A, B] = [corners(one), bias ? corners(other) : [[null, [0n, 0n]]]];
  const [a, b] = [A, B].map((side) => side.map(([, p]) => p));
  const w = gap(a, b);
  if (w) return { shift, w: bias ? w : w.slice(1) };
  const [left, right] = common(a, b);
  const name = (side) => ([k, weight]) => [side[k][0], weight];
  const kept = [...left.map(name(A)), ...right.map(name(B))].filter(([i, v]) => i !== null && v);
  return { shift, samples: kept.map(([i]) => i), weights: kept.map(([, v]) => v) };
}
