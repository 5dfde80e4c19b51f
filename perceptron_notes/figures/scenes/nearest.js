// The shortest weights with given margins, in whole numbers: the widest street between two classes,
// and the largest ρ.

import { norm } from "../explorer/geometry.js";

/** A determinant, by its first column; of whole numbers below 2⁵³ it is exact. */
const det = (A) =>
  A.length
    ? A.reduce((sum, row, i) => {
        const rest = A.filter((_, k) => k !== i).map((others) => others.slice(1));
        return sum + (i % 2 ? -1 : 1) * row[0] * det(rest);
      }, 0)
    : 1;

/** Every set of one to three of the samples. */
function* few(n) {
  for (let i = 0; i < n; i++) {
    yield [i];
    for (let j = i + 1; j < n; j++) {
      yield [i, j];
      for (let k = j + 1; k < n; k++) yield [i, j, k];
    }
  }
}

/** The shortest w with all margins z·w ≥ 1, or ≥ 1 − y·b for a b that is free if there are labels
 *  y: {b, w, S, alpha}; null if there is none. With at most three support vectors, which are tried:
 *  those whose multipliers are positive, and which leave no other sample too near, prove it. */
export function shortest(Z, y) {
  const inner = (a, c) => a.reduce((s, v, j) => s + v * c[j], 0);
  for (const S of few(Z.length)) {
    const A = S.map((i) => [...S.map((j) => inner(Z[i], Z[j])), ...(y ? [y[i]] : [])]);
    if (y) A.push([...S.map((i) => y[i]), 0]);
    const D = det(A);
    const right = A.map((_, i) => (y && i === S.length ? 0 : 1));
    const N = right.map((_, j) => Math.sign(D) * det(A.map((row, i) => row.with(j, right[i]))));
    if (!D || !S.every((_, j) => N[j] > 0)) continue;
    const w = Z[0].map((_, c) => S.reduce((s, i, j) => s + N[j] * Z[i][c], 0));
    const b = y ? N[S.length] : 0;
    const total = Math.abs(D);
    if (Z.some((z, i) => inner(z, w) + (y ? y[i] * b : 0) < total)) continue;
    return { b, w, S, alpha: S.map((_, j) => N[j]), total };
  }
  return null;
}

/** Whole numbers from points of a grid. */
export const fine = (points, grid) => points.map((p) => p.map((v) => Math.round(v / grid)));

/** The largest margin ρ, with w₀ in the norm, of samples on a grid; null if no line separates. */
export function widest(points, y, grid) {
  const found = shortest(fine(points, grid).map(([u, v], i) => [y[i] / grid, y[i] * u, y[i] * v]));
  return found && grid / norm(found.w.map((a) => a / found.total));
}
