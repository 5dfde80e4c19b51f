// The widest street between two classes, and a perceptron that walks beside it.

import { RULES, advance, begin, primal } from "../explorer/algorithms.js";
import { hull } from "../explorer/exact.js";
import { chain, cut, norm, polygon } from "../explorer/geometry.js";
import { circle, icon, mark, num, path, set, tuple } from "../explorer/draw.js";
import { fine, shortest, widest } from "./nearest.js";
import {
  createLegend, createPlane, createSlider, createText, createTime, glyph, sceneOf,
} from "./scene.js";

const [PLACE, GRID, END, MOST] = [[-4, 4, -3, 3], 0.125, 1e6, 2000]; // where; how fine; the last step; updates

// Of the stylesheet: by their whole names, because the site drops rules that no script names.
const [CLASSES, AREAS] = [["class0", "class1"], ["area0", "area1"]];

/** The widest street: weights with least margin 1, the margin, the support vectors, and the nearest
 *  points of the hulls; null where the hulls meet or one is empty. And ρ, with w₀ in the norm. */
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
    rho: widest(points, y, GRID),
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
      return { p, d: mark(labels()[i], 7), name: CLASSES[kind], says };
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
  const hulls = AREAS.map((name) => path(name));
  const edges = [1, -1].map(() => path("after"));
  const [middle, walks, gap] = [path("line"), path("walk"), path("gap")];
  const rings = path("why");
  below.append(...hulls, ...edges, middle, walks, gap, rings);
  createLegend(
    scene,
    [icon("M-8 0H8", "-8 -8 16 16", "glyph class3"), "widest"],
    [icon("M-8 0H-2M2 0H8", "-8 -8 16 16", "glyph"), "walker"],
    [icon("M-8 0H8", "-8 -8 16 16", "glyph class2"), "nearest"],
    [glyph(circle([0, 0], 6), "ring"), "supports"],
  );
  const threshold = createSlider(scene, "threshold", {
    min: 0,
    max: 9,
    get: () => scene.state.threshold,
    put: (k) => scene.change({ threshold: k, t: END }),
    told: (k) => say("beta", { beta: beta(k) }),
  });
  scene.put("side", threshold.node);
  const told = createText(scene, "words", "side", false);
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
    const walked = say(run.ended ? "walked" : "walks_on", { t: at(), T: updates() });
    if (!best) return [say("no_street"), walked];
    const mine = least(w, norm(w.slice(1)), points(), labels());
    const right = mine > 0 ? say("mine", { margin: num(mine, 3) }) : say("wrong");
    const { rho, margin } = best;
    const reached = say("reached", {
      rho: num(rho, 3),
      half: num(rho / 2, 3),
      mine: num(Math.max(0, least(w, norm(w), points(), labels()) || 0), 3),
    });
    return [say("street", { margin: num(margin, 3), n: best.support.length }), `${walked} ${right}`, reached];
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
    set(walks, { d: line(w) });
    set(rings, { d: best ? best.support.map((i) => circle(plane.screen(points()[i]), 12)).join("") : "" });
    told(...words(w));
    for (const part of [plane, threshold, time]) part.draw();
  };
}

export default sceneOf(build);
