// The geometry under the pictures: vectors, lines and regions of a plane, paths of SVG.

export const two = (v) => Math.round(v * 100) / 100;
export const dot = (a, b) => a.reduce((s, v, j) => s + v * b[j], 0);
export const norm = (a) => Math.hypot(...a);
/** @type {(points: number[][]) => string} */
export const chain = (points) => (points.length > 1 ? `M${points.map((p) => p.map(two)).join("L")}` : "");
export const polygon = (points) => (points.length > 1 ? `${chain(points)}Z` : "");

/** Both sides of the line w·x = 0 in a box, as corners, and its two ends.
 *  @param {number[] | Float64Array} w
 *  @param {number[]} box left, right, low, high */
export function cut(w, [left, right, low, high]) {
  const corners = [[left, low], [right, low], [right, high], [left, high]];
  const s = corners.map(([a, b]) => w[0] + w[1] * a + w[2] * b);
  const [plus, minus, ends] = [[], [], []];
  corners.forEach((a, k) => {
    const [b, r] = [corners[(k + 1) % 4], s[(k + 1) % 4]];
    if (s[k] >= 0) plus.push(a);
    if (s[k] <= 0) minus.push(a);
    if (s[k] === 0) ends.push(a);
    if (s[k] * r < 0) {
      const at = a.map((v, j) => v + ((b[j] - v) * s[k]) / (s[k] - r));
      for (const list of [plus, minus, ends]) list.push(at);
    }
  });
  return w.some((v) => v) ? { plus, minus, ends } : { plus: [], minus: [], ends: [] };
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
