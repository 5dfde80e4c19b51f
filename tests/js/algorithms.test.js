import assert from "node:assert/strict";
import { test } from "node:test";

import {
  RULES, advance, begin, draw, dual, generator, gram, pocket, primal, replay, score,
} from "../../perceptron_notes/figures/explorer/algorithms.js";

// Li Hang's example 2.1, and XOR, which no line separates.
const POINTS = [[3, 3], [4, 3], [1, 1]];
const LABELS = [1, 1, -1];
const X = POINTS.flatMap((p) => [1, ...p]);
const XOR = [[0, 0], [1, 1], [0, 1], [1, 0]];
const SIGNS = [-1, -1, 1, 1];
const [LINEAR, SQUARE] = ["linear", "polynomial"].map((name) => ({ name, degree: 2, offset: 1, gamma: 1 }));

const run = (state, n, rule = "in_turn", limit = 100) =>
  advance(begin(state, n, RULES[rule](n, 3)), limit);

test("PLA in turn ends on example 2.1 with the book's weights", () => {
  const state = primal(X, LABELS);
  const made = run(state, 3);
  assert.deepEqual(made.picks, [0, 2, 2, 2, 0, 2, 2]);
  assert.deepEqual(state.W.slice(-3), [-3, 1, 1]);
  assert.equal(made.next, null);
  assert.equal(made.errors.at(-1), 0);
});

test("a score of 0 is a mistake, and a sum begins with the threshold", () => {
  assert.ok(primal(X, LABELS).wrong(0));
  assert.equal(score([0.1, 0.2, 0.3], [1, 1, 1], 0), 0.1 + 0.2 + 0.3);
  assert.notEqual(score([0.1, 0.2, 0.3], [1, 1, 1], 0), 0.1 + (0.2 + 0.3));
});

test("every rule picks mistakes only, and ends where there is none", () => {
  for (const rule of Object.keys(RULES)) {
    const made = run(primal(X, LABELS), 3, rule, 1000);
    const again = primal(X, LABELS);
    for (const i of made.picks) {
      assert.ok(again.wrong(i), rule);
      again.correct(i);
    }
    assert.equal(made.next, null, rule);
    assert.ok([0, 1, 2].every((i) => !again.wrong(i)), rule);
  }
});

test("the dual picks what PLA picks", () => {
  for (const rule of Object.keys(RULES)) {
    const made = run(dual(gram(POINTS, LINEAR), LABELS), 3, rule);
    assert.deepEqual(made.picks, run(primal(X, LABELS), 3, rule).picks);
  }
});

test("a square separates XOR, which a line does not", () => {
  assert.equal(run(dual(gram(XOR, SQUARE), SIGNS), 4).next, null);
  const cut = run(primal(XOR.flatMap((p) => [1, ...p]), SIGNS), 4, "in_turn", 50);
  assert.equal(cut.picks.length, 50);
  assert.ok(Math.min(...cut.errors) > 0);
});

test("a run that is replayed is the same", () => {
  const made = run(primal(X, LABELS), 3);
  const state = primal(X, LABELS);
  const again = replay(state, 3, { picks: made.picks, converged: true });
  assert.deepEqual(again.errors, made.errors);
  assert.deepEqual(state.W.slice(-3), [-3, 1, 1]);
});

test("the pocket keeps the first of the best", () => {
  assert.deepEqual(pocket([3, 2, 2, 4, 1, 1]), [0, 1, 1, 1, 4, 4]);
});

test("draws and orders depend on their seed alone", () => {
  const [one, other] = [generator(7).random, generator(7).random];
  const rolls = Array.from({ length: 100 }, one);
  assert.deepEqual(rolls, Array.from({ length: 100 }, other));
  assert.ok(rolls.every((v) => v >= 0 && v < 1));
  assert.deepEqual(generator(1).permutation(9).sort(), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
});

test("new data stand on the grid in their box, and as many labels as asked for are turned", () => {
  const [box, options] = [[-2, 2, -1, 1], { kind: "line", noise: 0 }];
  const clean = draw(30, 5, box, 1 / 16, options);
  assert.ok(clean.points.flat().every((v) => Number.isInteger(16 * v) && Math.abs(v) <= 2));
  const noisy = draw(30, 5, box, 1 / 16, { ...options, noise: 4 });
  assert.equal(clean.labels.filter((label, i) => label !== noisy.labels[i]).length, 4);
});
