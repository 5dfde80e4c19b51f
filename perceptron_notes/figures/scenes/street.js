// The widest street between two classes, and a perceptron that walks beside it.

import { RULES, advance, begin, primal } from "../explorer/algorithms.js";
import { hull } from "../explorer/exact.js";
import { chain, clip, corners, cut, norm, polygon } from "../explorer/geometry.js";
import { along, circle, draws, mark, num, path, set, tuple } from "../explorer/draw.js";
import { fine, shortest } from "./nearest.js";
import { AREA, CLASS, createPlane, createSlider, createText, createTime, sceneOf } from "./scene.js";

const [PLACE, GRID, END, MOST] = [[-4, 4, -3, 3], 0.125, 1e6, 2000]; // where; how fine; the last step; updates

/** The widest street: weights with least margin 1, the margin, the support vectors, and the nearest
 *  points of the hulls; null where the hulls meet or one is empty. */
export function street(points, y) {
  const P = fine(points, GRID);
  const best = shortest(P.map((p, i) => p.map((v) => y[i] * v)), y);
  if (!best || Math.abs(y.reduce((s, v) => s + v)) === y.length) return null;
  const { b, w, S, alpha, total } = best;
  const foot = (side) => {
    const mine = S.map((i, j) => [i, alpha[j]]).filter(([i]) => y[i] === side);
    const all = mine.reduce((s, [, a]) => s + a, 0);
    return [0, 1].map((c) => mine.reduce((s, [i, a]) => s + a * points[i][c], 0) / all);
  };
  const v = w.map((a) => a / GRID / total);
  return {
    w: [b / total, ...v],
    margin: 1 / norm(v),
    support: S,
    feet: [foot(1), foot(-1)],
  };
}

/** A run of PLA that corrects up to margins of beta: its weights, a row each, and its picks. */
export function walk(points, y, beta) {
  const state = primal(points.flatMap((p) => [1, ...p]), y, { beta });
  const run = advance(begin(state, y.length, RULES.in_turn(y.length)), MOST);
  const W = Array.from({ length: run.picks.length + 1 }, (_, t) => state.W.slice(3 * t, 3 * t + 3));
  return { W, picks: run.picks, ended: run.next === null };
}

/** The least margin of weights, divided by the norm of some of them. */
const least = (w, norm, points, y) =>
  Math.min(...points.map(([u, v], i) => y[i] * (w[0] + w[1] * u + w[2] * v))) / norm;

function build(scene) {
  const { say } = scene;
  const [labels, points] = [() => scene.state.labels, () => scene.state.points];
  let [best, run, made] = [null, null, ""];
  const beta = (k) => (k ? 2 ** (k - 1) : 0);
  const updates = () => run.picks.length;
  const at = () => Math.min(scene.state.t, updates());
  const handles = () =>
    points().map((p, i) => {
      const kind = labels()[i] > 0 ? 0 : 1;
      const says = say("sample", { name: say(`class_${kind}`), at: tuple(p) });
      return { p, d: mark(labels()[i], 7), name: CLASS[kind], says };
    });
  const move = (i, p) => scene.change({ points: points().map((q, k) => (k === i ? p : q)) });
  const press = (i) => {
    if (i === null) return;
    scene.remember();
    scene.change({ labels: labels().map((y, k) => (k === i ? -y : y)) });
    scene.tell(say("flipped"));
  };
  const plane = createPlane(scene, { box: PLACE, names: ["x₁", "x₂"], grid: GRID, handles, move, press, pressing: "street_keys" });
  const below = plane.layer("street");
  const hulls = AREA.slice(0, 2).map((name) => path(name));
  const [band, edges] = [path("band"), [1, -1].map(() => path("after"))];
  const [middle, walks, gap] = [path("line"), path("walk"), path("gap")];
  const [rings, names] = [path("why"), draws("g")];
  below.append(band, ...hulls, ...edges, middle, walks, gap, rings, names);
  const threshold = createSlider(scene, "threshold", {
    min: 0,
    max: 9,
    get: () => scene.state.threshold,
    put: (k) => scene.change({ threshold: k, t: END }),
    told: (k) => say("beta", { beta: beta(k) }),
  });
  scene.put("slide", threshold.node);
  const told = createText(scene, "words", "say", false);
  const time = createTime(scene, {
    last: updates,
    get: at,
    put: (t) => scene.change({ t: t >= updates() ? END : t }),
  });

  function think() {
    const now = JSON.stringify([points(), labels(), scene.state.threshold]);
    if (now === made) return;
    made = now;
    best = street(points(), labels());
    run = walk(points(), labels(), beta(scene.state.threshold));
  }
  const line = (w) => {
    const { ends } = cut(w, PLACE);
    return ends.length > 1 ? chain(ends.map(plane.screen)) : "";
  };
  function words(w) {
    if (!best) return [say("no_street")];
    const mine = least(w, norm(w.slice(1)), points(), labels());
    const values = { mine: num(mine, 3), margin: num(best.margin, 3) };
    return [say(mine > 0 ? "margins" : "wrong", values), say("supports", { n: best.support.length })];
  }
  /** The part of the plane between the edges of the street. */
  function between({ w: [w0, u, v] }) {
    const from = (side, zone) => clip(zone, ([a, b]) => 1 + side * (w0 + u * a + v * b));
    return polygon(from(-1, from(1, corners(PLACE))).map(plane.screen));
  }
  /** Each line is named where it has most room. */
  function nameLines(w) {
    const taken = points().map(plane.screen);
    const named = (key, name, ends, values = {}) =>
      plane.frame()[1] < 280 ? "" : along(ends.map(plane.screen), say(key, values), name, taken, plane.frame());
    const width = best && { width: num(2 * best.margin, 3) };
    const lines = best ? [named("widest", "class3", cut(best.w, PLACE).ends), named("width", "class2", best.feet, width)] : [];
    names.replaceChildren(named("walker", "", cut(w, PLACE).ends), ...lines);
  }
  return () => {
    think();
    const w = run.W[at()];
    [1, -1].forEach((side, k) => {
      const mine = points().filter((_, i) => labels()[i] === side);
      set(hulls[k], { d: polygon(hull(mine).map((i) => plane.screen(mine[i]))) });
      set(edges[k], { d: best ? line([best.w[0] - side, best.w[1], best.w[2]]) : "" });
    });
    set(middle, { d: best ? line(best.w) : "" });
    set(gap, { d: best ? chain(best.feet.map(plane.screen)) : "" });
    set(band, { d: best ? between(best) : "" });
    set(walks, { d: line(w) });
    nameLines(w);
    set(rings, { d: best ? best.support.map((i) => circle(plane.screen(points()[i]), 12)).join("") : "" });
    told(...words(w));
    for (const part of [plane, threshold]) part.draw();
    time.draw(scene.mistakes(points().filter(([u, v], i) => !(labels()[i] * (w[0] + w[1] * u + w[2] * v) > 0)).length));
  };
}

export default sceneOf(build);
