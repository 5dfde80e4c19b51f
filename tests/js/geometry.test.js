import assert from "node:assert/strict";
import { test } from "node:test";

import { chain, polygon, region } from "../../perceptron_notes/figures/explorer/geometry.js";

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
