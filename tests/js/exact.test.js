import assert from "node:assert/strict";
import { test } from "node:test";

import { hull } from "../../perceptron_notes/figures/explorer/exact.js";

test("a hull has its corners alone, to the left round it", () => {
  const square = [[0, 0], [2, 0], [1, 1], [2, 2], [0, 2], [1, 0]];
  assert.deepEqual(hull(square).map((k) => square[k]), [[0, 0], [2, 0], [2, 2], [0, 2]]);
});
