// Chapter 8: classes that compete for a plane, all together or each against the rest.

import { RULES, advance, begin, primal } from "../explorer/algorithms.js";
import { decide, whole } from "../explorer/exact.js";
import { chain, clip, corners, cut, norm, polygon, two } from "../explorer/geometry.js";
import { circle, draws, num, path, set, text, tuple } from "../explorer/draw.js";
import {
  AREA, CLASS, MARKS, createLegend, createMenu, createPlane, createText, createTime, glyph,
  sceneOf,
} from "./scene.js";

const [MOST, RINGS] = [400, 12]; // updates of a run; px around the samples that prove something

const block = (w, k) => w.subarray(3 * k, 3 * k + 3);
/** The canonical score of (1, a, b) for the class in a row of weights. */
const scored = ([u, v, w], [a, b]) => u * 1 + v * a + w * b;

/** The strongest rival of a sample of class c: of several, the one with the lowest number. */
function strongest(s, c) {
  let best = null;
  s.forEach((value, k) => {
    if (k !== c && (best === null || value > s[best])) best = k;
  });
  return best;
}

/** The multi-class perceptron, mistakes in turn: all weights, the picks and their rivals. */
export function compete(points, labels, K, most = MOST) {
  const run = { W: [new Float64Array(3 * K)], picks: [], rivals: [], halted: false };
  let [i, right] = [0, 0];
  while (right < points.length) {
    const [w, c] = [run.W.at(-1), labels[i]];
    const s = Array.from({ length: K }, (_, k) => scored(block(w, k), points[i]));
    const r = strongest(s, c);
    right += 1;
    if (!(s[c] - s[r] > 0)) {
      if (run.picks.length === most) return run;
      const next = w.slice();
      [1, ...points[i]].forEach((x, j) => {
        next[3 * c + j] += x;
        next[3 * r + j] -= x;
      });
      run.W.push(next);
      run.picks.push(i);
      run.rivals.push(r);
      right = 0;
    }
    i = (i + 1) % points.length;
  }
  run.halted = true;
  return run;
}

/** One perceptron for each class, against the rest: the weights of each after 0, 1, … updates. */
export function apart(points, labels, K, most = MOST) {
  const X = points.flatMap(([a, b]) => [1, a, b]);
  return Array.from({ length: K }, (_, k) => {
    const y = labels.map((c) => (c === k ? 1 : -1));
    const state = primal(X, y);
    const run = advance(begin(state, y.length, RULES.in_turn(y.length)), most);
    return { W: Float64Array.from(state.W), T: run.picks.length, halted: run.next === null };
  });
}

/**
 * Kesler's vectors as whole numbers, with the place of the last class left out: adding the same to
 * all rows of W changes nothing, so its row may be 0.
 */
function vectors(P, one, labels, K) {
  const duels = [];
  labels.forEach((c, i) => {
    for (let r = 0; r < K; r++) {
      if (r === c) continue;
      const z = Array(3 * (K - 1)).fill(0n);
      [one, ...P[i]].forEach((x, j) => {
        if (c < K - 1) z[3 * c + j] = x;
        if (r < K - 1) z[3 * r + j] = -x;
      });
      duels.push({ i, r, z });
    }
  });
  return duels;
}

/**
 * Numbers ≥ 0, not all 0, with which vectors sum to 0, as pairs of an index and a whole number; null
 * if there are none. The first phase of the simplex method in whole numbers, with R. G. Bland's
 * rule (1977), which never goes round in circles.
 * @param {bigint[][]} Z
 * @returns {[number, bigint][] | null}
 */
function cancelling(Z) {
  const n = Z.length;
  // One row for each coordinate and one for the sum of the numbers, which is 1; the last is their sum.
  const T = [...Z[0].map((_, j) => [...Z.map((z) => z[j]), 0n]), [...Z.map(() => 1n), 1n]];
  const m = T.length;
  const basis = T.map((_, i) => n + i);
  T.push(T[0].map((_, j) => T.reduce((s, row) => s + row[j], 0n)));
  for (let last = 1n; T[m][n] > 0n; ) {
    const j = T[m].findIndex((v, k) => k < n && v > 0n);
    if (j < 0) return null;
    let r = -1;
    for (let i = 0; i < m; i++) {
      if (T[i][j] <= 0n) continue;
      const less = r < 0 ? -1n : T[i][n] * T[r][j] - T[r][n] * T[i][j];
      if (less < 0n || (less === 0n && basis[i] < basis[r])) r = i;
    }
    const pivot = T[r][j];
    T.forEach((row, i) => {
      if (i !== r) T[i] = row.map((v, k) => (v * pivot - row[j] * T[r][k]) / last);
    });
    basis[r] = j;
    last = pivot;
  }
  return basis.flatMap((k, i) => (k < n && T[i][n] ? [[k, T[i][n]]] : []));
}

/** The samples that prove that no weights are right on all; [] if some are. */
export function obstruction(points, labels, K) {
  const { P, shift } = whole(points);
  const duels = vectors(P, 1n << BigInt(shift), labels, K);
  const found = cancelling(duels.map(({ z }) => z));
  return found ? [...new Set(found.map(([k]) => duels[k].i))].sort((a, b) => a - b) : [];
}

/** The part of a convex polygon where w·x ≥ 0; nothing if w·x > 0 nowhere on it. */
function beyond(zone, w) {
  const s = (p) => scored(w, p);
  return zone.some((p) => s(p) > 0) ? clip(zone, s) : [];
}

/** For each class the part of a box where it beats all others. */
export function zones(w, K, box) {
  return Array.from({ length: K }, (_, k) => {
    let zone = corners(box);
    for (let r = 0; r < K; r++)
      if (r !== k && zone.length) zone = beyond(zone, block(w, k).map((v, j) => v - w[3 * r + j]));
    return zone;
  });
}

/** The parts into which lines cut a box, each with the classes that claim it. */
export function claims(w, K, box) {
  let parts = [{ zone: corners(box), who: [] }];
  for (let k = 0; k < K; k++) {
    const u = block(w, k);
    parts = parts.flatMap(({ zone, who }) => {
      const yes = { zone: beyond(zone, u), who: [...who, k] };
      const no = { zone: u.some((v) => v) ? beyond(zone, u.map((v) => -v)) : zone, who };
      return [yes, no].filter((part) => part.zone.length);
    });
  }
  return parts;
}

function build(scene) {
  const { say } = scene;
  const { names, box } = scene.state;
  /** @type {any} */
  const run = {};
  const K = names.length;
  const kind = (i) => scene.state.labels[i];
  const together = () => scene.state.mode === "all";
  function last() {
    const { all, rest } = runs();
    return together() ? all.picks.length : Math.max(...rest.map(({ T }) => T));
  }
  function at() {
    return Math.min(scene.state.t, last());
  }
  /** The weights of all classes at the present step. */
  function weights() {
    const { all, rest } = runs();
    if (together()) return all.W[at()];
    return Float64Array.from(rest.flatMap(({ W, T }) => [...block(W, Math.min(at(), T))]));
  }
  /** Whether a sample is a mistake; of separate perceptrons, whether it is one for any of them. */
  function wrong(i) {
    const s = names.map((_, k) => scored(block(weights(), k), scene.state.points[i]));
    if (together()) return !(s[kind(i)] - s[strongest(s, kind(i))] > 0);
    return s.some((v, k) => !(v * (kind(i) === k ? 1 : -1) > 0));
  }
  const handles = () =>
    scene.state.points.map((p, i) => ({
      p,
      d: MARKS[kind(i)](6.5),
      name: `${CLASS[kind(i)]}${wrong(i) ? " wrong" : ""}`,
      says: say("rivals_sample", { i: i + 1, name: names[kind(i)], p: tuple(p) }),
    }));
  const move = (i, p) => scene.change({ points: scene.state.points.map((q, k) => (k === i ? p : q)) });
  const press = (i) => {
    if (i === null) return;
    scene.remember();
    scene.change({ labels: scene.state.labels.map((c, k) => (k === i ? (c + 1) % K : c)) });
    scene.tell(handles()[i].says);
  };
  const menu = createMenu(scene, "rivals_mode", [["all", "rivals_all"], ["rest", "rivals_rest"]], {
    get: () => scene.state.mode,
    put: (mode) => scene.change({ mode, t: 0 }),
  });
  scene.put("slide", menu.node);
  const plane = createPlane(scene, { box, names: ["x₁", "x₂"], grid: 0.25, handles, move, press, pressing: "rivals_keys" });
  const [areas, why] = [plane.layer("areas"), plane.layer("reason")];
  const about = draws("circle", { class: "ring", r: 15 });
  const reason = path("why");
  why.append(reason, about);
  const id = `hatch${Math.random().toString(36).slice(2)}`;
  const hatch = (name, d) =>
    draws("pattern", { id: `${id}${name}`, width: 9, height: 9, patternUnits: "userSpaceOnUse" }, path(name, d));
  plane.node.prepend(draws("defs", {}, hatch("nobody", "M4 4.5h1.5"), hatch("several", "M0 9L9 0M-1 1L1-1M8 10L10 8")));
  createLegend(
    scene,
    ...names.map((name, k) => [glyph(MARKS[k](5), CLASS[k]), name]),
    [glyph(MARKS[0](5), "wrong"), "bold"],
    [glyph(circle([0, 0], 6), "ring"), "rivals_ring"],
  );
  const chip = createText(scene, "chip", "say", false);
  const now = createText(scene, "numbers", "say", false);
  const words = createText(scene, "words", "say");

  /** The runs on the samples as they are: made anew only if these have changed. */
  function runs() {
    const { points, labels } = scene.state;
    const key = JSON.stringify([points, labels]);
    if (run.key === key) return run;
    run.key = key;
    run.all = compete(points, labels, K);
    run.rest = apart(points, labels, K);
    run.proof = run.all.halted ? [] : obstruction(points, labels, K);
    run.lone = names.map((_, k) => run.rest[k].halted || Boolean(decide(points, labels.map((c) => (c === k ? 1 : -1))).w));
    return run;
  }
  const time = createTime(scene, { last, get: at, put: (t) => scene.change({ t }) });
  const area = (zone, attributes) => draws("path", { d: polygon(zone.map(plane.screen)), ...attributes });

  /** The name of class k in its zone, if that is large enough: where no sample stands. */
  function named(zone, k) {
    const around = zone.map(plane.screen);
    const middle = (points) => [0, 1].map((j) => points.reduce((s, p) => s + p[j], 0) / points.length);
    const twice = around.reduce((s, [x, y], i) => s + x * around.at(i - 1)[1] - y * around.at(i - 1)[0], 0);
    if (Math.abs(twice) < 2500) return "";
    const free = (q) => scene.state.points.every((p) => norm(plane.screen(p).map((v, j) => v - q[j])) > 24);
    const c = middle(around);
    const [x, y] = [c, ...around.map((p) => middle([p, c]))].find(free) ?? c;
    return text(x, y + 7, names[k], "middle", `word region ${CLASS[k]}`);
  }

  function drawTogether({ all, proof }) {
    const t = at();
    const [w, i, r] = [all.W[t], all.picks[t], all.rivals[t]];
    const shown = zones(w, K, box);
    areas.replaceChildren(...shown.map((zone, k) => area(zone, { class: `${AREA[k]} edge` })), ...shown.map(named));
    chip(say(proof.length ? "rivals_never" : "rivals_can"));
    if (i === undefined) {
      now(say(all.halted ? "rivals_halted" : "rivals_cut", { t }));
      return words();
    }
    const [p, c] = [scene.state.points[i], kind(i)];
    const s = names.map((name, k) => say("rivals_score", { name, s: num(scored(block(w, k), p)) }));
    now(say("rivals_mistake", { i: i + 1, right: names[c] }));
    words(s.join(say("comma")), say("rivals_update", { right: names[c], rival: names[r] }));
    return p;
  }

  function drawApart({ rest, lone }, n) {
    const w = weights();
    const parts = claims(w, K, box).map(({ zone, who }) => {
      if (who.length === 1) return area(zone, { class: AREA[who[0]] });
      return area(zone, { class: "hatched", style: `fill: url(#${id}${who.length ? "several" : "nobody"})` });
    });
    const lines = names.map((_, k) => path(`border ${CLASS[k]}`, chain(cut(block(w, k), box).ends.map(plane.screen))));
    const alone = claims(w, K, box).filter(({ who }) => who.length === 1);
    areas.replaceChildren(...parts, ...lines, ...alone.map(({ zone, who }) => named(zone, who[0])));
    now(say("rivals_wrong", { n }));
    chip(say("rivals_hatches"));
    words(...names.map((name, k) => say(lone[k] ? "rivals_alone" : "rivals_not_alone", { name, T: rest[k].T })));
  }

  return () => {
    for (const part of [plane, menu]) part.draw();
    const n = scene.state.points.filter((_, i) => wrong(i)).length;
    time.draw(scene.mistakes(n));
    const made = runs();
    const p = together() ? drawTogether(made) : drawApart(made, n);
    const [cx, cy] = p ? plane.screen(p).map(two) : [0, 0];
    set(about, { cx, cy, visibility: p ? "visible" : "hidden" });
    const proof = together() ? made.proof : [];
    set(reason, { d: proof.map((i) => circle(plane.screen(scene.state.points[i]), RINGS)).join("") });
  };
}

export default sceneOf(build);
