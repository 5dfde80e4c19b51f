import assert from "node:assert/strict";
import { test } from "node:test";

import { chain, cut, polygon, region } from "../../perceptron_notes/figures/explorer/geometry.js";

const area = (corners) =>
  corners.reduce((s, [x, y], k) => {
    const [u, v] = corners[(k + 1) % corners.length];
    return s + (x * v - y * u) / 2;
  }, 0);

test("the two sides of a line fill the box, and its ends lie on it", () => {
  for (const w of [[0, 1, 1], [1, -2, 0.5], [-0.5, 0, 3], [5, 1, 0]]) {
    const { plus, minus, ends } = cut(w, [-2, 2, -1, 1]);
    assert.ok(Math.abs(area(plus) + area(minus) - 8) < 1e-12);
    for (const [x, y] of ends) assert.ok(Math.abs(w[0] + w[1] * x + w[2] * y) < 1e-12);
  }
  assert.deepEqual(cut([0, 0, 0], [-2, 2, -1, 1]), { plus: [], minus: [], ends: [] });
});

test("a region is drawn where the numbers are positive, a row in one piece", () => {
  const [all, none] = region([...Array(25).fill(1)], 5, (c, r) => [c, r]);
  assert.deepEqual([all.split("Z").length - 1, none], [4, ""]);
  const half = Array.from({ length: 25 }, (_, k) => (k % 5) - 1.5);
  const [, curve] = region(half, 5, (c, r) => [c, r]);
  assert.ok(curve.split("M").slice(1).every((piece) => /^1\.5,\d+L1\.5,\d+$/.test(piece)));
});

test("a path has its points in hundredths, and none for a single point", () => {
  assert.equal(chain([[0, 1], [0.123, 2]]), "M0,1L0.12,2");
  assert.equal(polygon([[0, 0], [1, 0], [0, 1]]), "M0,0L1,0L0,1Z");
  assert.equal(polygon([[1, 1]]), "");
});
