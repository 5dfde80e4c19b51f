// The geometry under the pictures: vectors, lines and regions of a plane, paths of SVG.

export const two = (v) => Math.round(v * 100) / 100;
export const dot = (a, b) => a.reduce((s, v, j) => s + v * b[j], 0);
export const norm = (a) => Math.hypot(...a);
/** @type {(points: number[][]) => string} */
export const chain = (points) => (points.length > 1 ? `M${points.map((p) => p.map(two)).join("L")}` : "");
export const polygon = (points) => (points.length > 1 ? `${chain(points)}Z` : "");

/** The corners of a box (left, right, low, high).
 *  @type {(box: number[]) => number[][]} */
export const corners = ([left, right, low, high]) =>
  [[left, low], [right, low], [right, high], [left, high]];

/** The part of a convex polygon where s ≥ 0, for a function s of its points.
 *  @param {number[][]} around
 *  @param {(p: number[]) => number} s */
export function clip(around, s) {
  return around.flatMap((a, k) => {
    const b = around[(k + 1) % around.length];
    const [u, v] = [s(a), s(b)];
    const between = a.map((x, j) => x + ((b[j] - x) * u) / (u - v));
    return [...(u >= 0 ? [a] : []), ...(u * v < 0 ? [between] : [])];
  });
}

/** Both sides of the line w·x = 0 in a box, as corners, and its two ends.
 *  @param {number[] | Float64Array} w
 *  @param {number[]} box */
export function cut(w, box) {
  if (!w.some((v) => v)) return { plus: [], minus: [], ends: [] };
  const s = (p) => w[0] + w[1] * p[0] + w[2] * p[1];
  const plus = clip(corners(box), s);
  const minus = clip(corners(box), (p) => -s(p));
  const ends = plus.filter(([a, b]) => minus.some(([c, d]) => a === c && b === d));
  return { plus, minus, ends };
}

/** Marching squares: the part of a grid where s > 0 as one path, the curve s = 0 as another. */
export function region(s, side, place) {
  let [area, curve] = ["", ""];
  const both = (c, r) => s[r * side + c] > 0 && s[(r + 1) * side + c] > 0;
  const corners = (from, to, r) => [[from, r], [to, r], [to, r + 1], [from, r + 1]];
  for (let r = 0; r + 1 < side; r++)
    for (let c = 0; c + 1 < side; c++) {
      const from = c;
      while (c + 1 < side && both(c, r) && both(c + 1, r)) c++; // whole squares, in one piece
      if (c > from) area += polygon(corners(from, c, r).map((corner) => place(...corner)));
      if (c + 1 === side) break;
      const around = corners(c, c + 1, r);
      const v = around.map(([x, y]) => s[y * side + x]);
      if (!v.some((a) => a > 0)) continue;
      const [inside, ends] = [[], []];
      around.forEach((a, k) => {
        const [b, q] = [around[(k + 1) % 4], v[(k + 1) % 4]];
        if (v[k] > 0) inside.push(place(...a));
        if (v[k] > 0 === q > 0) return;
        const f = v[k] / (v[k] - q);
        ends.push(place(a[0] + f * (b[0] - a[0]), a[1] + f * (b[1] - a[1])));
        inside.push(ends.at(-1));
      });
      area += polygon(inside);
      for (let k = 0; k + 1 < ends.length; k += 2) curve += chain([ends[k], ends[k + 1]]);
    }
  return [area, curve];
}
