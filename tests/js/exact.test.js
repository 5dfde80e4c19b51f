import assert from "node:assert/strict";
import { test } from "node:test";

import { generator } from "../../perceptron_notes/figures/explorer/algorithms.js";
import { decide, hull } from "../../perceptron_notes/figures/explorer/exact.js";

/** A sample times its label, in whole numbers, with the leading 1 if there is a bias. */
const signed = ([a, b], label, bias) =>
  [...(bias ? [1] : []), a, b].map((v) => BigInt(label) * BigInt(v));

test("either proof holds, whatever the samples", () => {
  const roll = generator(1).random;
  const [met, apart] = [[], []];
  for (let round = 0; round < 2000; round++) {
    const [n, bias] = [2 + Math.floor(roll() * 6), Math.round(roll())];
    const points = Array.from({ length: n }, () => [0, 0].map(() => Math.floor(roll() * 7) - 3));
    const labels = points.map(() => (roll() < 0.5 ? 1 : -1));
    const Z = points.map((p, i) => signed(p, labels[i], bias));
    const { w, samples, weights } = decide(points, labels, bias);
    if (w) {
      apart.push(round);
      assert.ok(Z.every((z) => z.reduce((s, v, j) => s + v * w[j], 0n) > 0n));
    } else {
      met.push(round);
      assert.ok(weights.every((v) => v > 0n) && weights.length > 0);
      const sum = Z[0].map((_, j) => weights.reduce((s, v, k) => s + v * Z[samples[k]][j], 0n));
      assert.ok(sum.every((v) => v === 0n));
    }
  }
  assert.ok(Math.min(met.length, apart.length) > 200);
});

test("fractions are decided too, but not numbers that are too unlike in size", () => {
  assert.ok(decide([[0.1, 0.2], [0.3, 0.1]], [1, -1]).w);
  assert.equal(decide([[1e300, 5e-324], [1, 2]], [1, -1]), null);
});

test("a hull has its corners alone, to the left round it", () => {
  const square = [[0, 0], [2, 0], [1, 1], [2, 2], [0, 2], [1, 0]];
  assert.deepEqual(hull(square).map((k) => square[k]), [[0, 0], [2, 0], [2, 2], [0, 2]]);
});
