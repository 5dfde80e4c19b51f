// Chapter 9: hidden lines are dragged, and the region changes. Beside the plane stands what the
// output unit sees: a corner of the cube for each code, or with smooth units a point between them.

import { RULES, advance, begin, pocket, primal } from "../explorer/algorithms.js";
import { chain, clip, corners, cut, polygon, region, two } from "../explorer/geometry.js";
import {
  arrowPath, caption, circle, draws, joined, make, mark, path, set, text, tuple,
} from "../explorer/draw.js";
import {
  MARKS, createLegend, createMenu, createPlane, createSlider, createText, createTime, glyph,
  sceneOf,
} from "./scene.js";

const [SIDE, CAP, STEPS, STEEP] = [49, 200, 300, 8]; // of the grid; updates; steps; slope of an arrow

// ---------------------------------------------------------------------------- the network

const sigmoid = (s) => 1 / (1 + Math.exp(-s));
const UNITS = { sign: Math.sign, tanh: Math.tanh };

const scoreOf = (w, x) => x.reduce((s, v, j) => s + v * w[j + 1], w[0]);
const codeOf = (hidden, units, x) => hidden.map((w) => UNITS[units](scoreOf(w, x)));

/** Output units by hand: + if all lines say so, or if any does. */
const OUTPUTS = {
  and: (k) => [1 - k, ...Array(k).fill(1)],
  or: (k) => [k - 1, ...Array(k).fill(1)],
};

/** PLA on the codes, capped; its weights, or the best that lay in the pocket, and its updates. */
export function learned(codes, labels) {
  const X = Float64Array.from(codes.flatMap((code) => [1, ...code]));
  const run = advance(begin(primal(X, labels), labels.length, RULES.in_turn(labels.length)), CAP);
  const [m, t] = [X.length / labels.length, pocket(run.errors).at(-1)];
  return { w: run.state.W.slice(t * m, (t + 1) * m), updates: run.picks.length, halts: run.next === null };
}

/** One step downhill on the mean logistic loss, in all weights at once, at the rate 1. */
export function descend({ hidden, output }, points, labels) {
  const slopes = [...hidden, output].map((w) => w.map(() => null));
  const add = (G, x, d) => [1, ...x].forEach((v, j) => (G[j] = G[j] === null ? d * v : G[j] + d * v));
  points.forEach((x, i) => {
    const code = codeOf(hidden, "tanh", x);
    const delta = -(labels[i] * sigmoid(-(labels[i] * scoreOf(output, code)))) / labels.length;
    hidden.forEach((_, k) => add(slopes[k], x, delta * output[k + 1] * (1 - code[k] * code[k])));
    add(slopes.at(-1), code, delta);
  });
  const moved = (w, k) => w.map((v, j) => v - slopes.at(k)[j]);
  return { hidden: hidden.map(moved), output: moved(output, -1) };
}

/** What a state shows: the network, each sample's code and score, and what PLA did. */
export function shown(state) {
  const { points, labels } = state.samples[state.chosen];
  const codes = points.map((x) => codeOf(state.hidden, "sign", x));
  const told = state.output === "learned" ? learned(codes, labels) : { w: OUTPUTS[state.output](state.hidden.length) };
  let network = { hidden: state.hidden, output: told.w };
  if (state.units === "tanh") for (let t = 0; t < state.t; t++) network = descend(network, points, labels);
  const seen = points.map((x) => codeOf(network.hidden, state.units, x));
  const scores = seen.map((code) => scoreOf(network.output, code));
  return { ...told, ...network, codes: seen, scores, wrong: scores.map((s, i) => !(labels[i] * s > 0)) };
}

// ---------------------------------------------------------------------------- geometry

/** The convex pieces into which lines cut a box, each with its code. */
export function pieces(hidden, box) {
  let all = [{ code: [], around: corners(box) }];
  for (const w of hidden)
    all = all.flatMap(({ code, around }) =>
      [1, -1].map((side) => ({ code: [...code, side], around: clip(around, (p) => side * scoreOf(w, p)) })),
    ).filter(({ around }) => around.length > 2);
  return all;
}

/** Where a line's handle stands: as near to where it was as the line and the box allow. */
function foot(w, a, box) {
  const square = w[1] * w[1] + w[2] * w[2];
  const far = square ? scoreOf(w, a) / square : 0;
  const p = [a[0] - far * w[1], a[1] - far * w[2]];
  if (p[0] > box[0] && p[0] < box[1] && p[1] > box[2] && p[1] < box[3]) return p;
  const { ends } = cut(w, box);
  return ends.length === 2 ? [0, 1].map((j) => (ends[0][j] + ends[1][j]) / 2) : a;
}

/** The tip of a line's arrow, kept inside of the box. */
const tip = (w, a, box) =>
  [0, 1].map((j) => Math.max(box[2 * j] + 0.04, Math.min(box[2 * j + 1] - 0.04, a[j] + w[j + 1] / STEEP)));

// The cube of codes, drawn flat: where its k axes go.
const CUBES = [
  [[70, 0]],
  [[70, 0], [0, -70]],
  [[56, 0], [0, -56], [26, -22]],
  [[39, 0], [0, -39], [22, -15], [-14, -25]],
];

// Where the number of a line stands, beside the edge along which its answer changes: of 4 lines,
// the fourth goes left of the second.
const BESIDE = [[0, 20], [-14, 5], [13, 13], [-10, 14]];
const BESIDE_FOUR = BESIDE.with(1, [12, 5]);

// What the picture of the codes is, for 1 to 4 lines.
const SEEN = ["layers_segment", "layers_square", "layers_cube", "layers_four"];

// ---------------------------------------------------------------------------- the scene

function build(scene) {
  const { say } = scene;
  const box = scene.state.box;
  let [now, feet, key] = [null, [], ""];
  const look = () => {
    const told = JSON.stringify({ ...scene.state, anchors: null });
    if (told === key) return now;
    [key, now] = [told, shown(scene.state)];
    return now;
  };
  const place = () => (feet = look().hidden.map((w, k) => foot(w, scene.state.anchors[k], box)));
  const number = (k) => say("layers_line", { k: k + 1 });

  // Two handles for each line: its foot shifts it, the tip of its arrow turns it.
  const handles = () => {
    place();
    return now.hidden.flatMap((w, k) => [
      { p: feet[k], d: MARKS[3](5.5), name: "class3", says: say("layers_foot", { line: number(k), p: tuple(feet[k].map(two)) }) },
      { p: tip(w, feet[k], box), d: MARKS[2](6), name: "class3", says: say("layers_tip", { line: number(k), p: tuple(tip(w, feet[k], box).map(two)) }) },
    ]);
  };
  const move = (i, p) => {
    const [k, turns] = [i >> 1, i % 2];
    const anchors = feet.map((a, j) => (j === k && !turns ? p : a));
    const v = turns ? p.map((x, j) => STEEP * (x - anchors[k][j])) : now.hidden[k].slice(1);
    if (!v[0] && !v[1]) return;
    const w = [-(v[0] * anchors[k][0] + v[1] * anchors[k][1]), ...v];
    scene.change({ hidden: now.hidden.map((old, j) => (j === k ? w : old)), anchors, t: 0 });
  };
  const names = ["x₁", "x₂"];
  const plane = createPlane(scene, { box, names, grid: 1 / 64, handles, move });
  const parts = ["minus", "plus"].map((name) => path(name));
  const lines = draws("g");
  const points = draws("g");
  plane.layer("region").append(...parts, lines, points);

  // The codes, as corners of a cube.
  const cube = set(draws("svg", { viewBox: "-115 -100 230 200", class: "cube" }), { role: "img" });
  const [edges, spots, border, seen] = [path("base"), draws("g"), path("line"), draws("g")];
  const axes = draws("g");
  cube.append(edges, spots, border, axes, seen);
  const under = caption();
  const flat = (code) =>
    code.reduce(([x, y], h, j) => [x + h * CUBES[code.length - 1][j][0], y + h * CUBES[code.length - 1][j][1]], [0, 0]);

  const put = (name) => (value) => scene.change({ [name]: value, t: 0 });
  const menu = (name, options) =>
    createMenu(scene, `layers_${name}`, options.map((one) => [one, `layers_${one}`]), { get: () => scene.state[name], put: put(name) });
  const controls = [
    menu("chosen", Object.keys(scene.state.samples)),
    createSlider(scene, "layers_count", {
      min: 1,
      max: 4,
      get: () => scene.state.hidden.length,
      put(k) {
        const kept = (now, spare) => [...now, ...spare.slice(now.length)].slice(0, k);
        scene.change({
          hidden: kept(look().hidden, scene.state.spare.hidden),
          anchors: kept(feet, scene.state.spare.anchors),
          t: 0,
        });
      },
    }),
    menu("output", ["learned", "and", "or"]),
    menu("units", ["sign", "tanh"]),
  ];
  const choices = make("div", { class: "choices" }, ...controls.map(({ node }) => node));
  scene.put("side", cube, under);
  scene.put("tools", choices);
  createLegend(
    scene,
    [glyph(mark(1, 5), "pos"), "layers_positive"],
    [glyph(mark(-1, 5), "neg"), "layers_negative"],
    [glyph(MARKS[3](4.5), "class3"), "layers_shifts"],
    [glyph(MARKS[2](5), "class3"), "layers_turns"],
    [glyph(MARKS[0](5), "wrong"), "bold"],
  );
  const goal = createText(scene, "prompt", "ask", false);
  const status = createText(scene, "words", "say", false);
  const time = createTime(scene, {
    last: () => STEPS,
    get: () => scene.state.t,
    put: (t) => scene.change({ t }),
    perSecond: 24,
  });

  const marksAt = (places, r) =>
    places.map(([x, y], i) => {
      const label = scene.state.samples[scene.state.chosen].labels[i];
      const kind = `${label > 0 ? "pos" : "neg"}${now.wrong[i] ? " wrong" : ""}`;
      return set(path(kind, mark(label, r)), { transform: `translate(${two(x)} ${two(y)})` });
    });

  function drawPlane() {
    let [plus, minus] = ["", ""];
    if (scene.state.units === "sign") {
      for (const { code, around } of pieces(now.hidden, box)) {
        const s = scoreOf(now.output, code);
        if (s > 0) plus += polygon(around.map(plane.screen));
        if (s < 0) minus += polygon(around.map(plane.screen));
      }
    } else {
      const on = (c, r) => [box[0] + (c / (SIDE - 1)) * (box[1] - box[0]), box[2] + (r / (SIDE - 1)) * (box[3] - box[2])];
      const s = Float64Array.from({ length: SIDE * SIDE }, (_, k) =>
        scoreOf(now.output, codeOf(now.hidden, "tanh", on(k % SIDE, Math.floor(k / SIDE)))));
      const screen = (c, r) => plane.screen(on(c, r));
      [plus] = region(s, SIDE, screen);
      [minus] = region(s.map((v) => -v), SIDE, screen);
    }
    set(parts[0], { d: minus });
    set(parts[1], { d: plus });
    lines.replaceChildren(
      ...now.hidden.flatMap((w, k) => {
        const [from, to] = [plane.screen(feet[k]), plane.screen(tip(w, feet[k], box))];
        return [
          path("line", chain(cut(w, box).ends.map(plane.screen))),
          path("arrow", arrowPath(from, to)),
          text(from[0] - 12, from[1] - 8, k + 1, "middle", "name"),
        ];
      }),
    );
    points.replaceChildren(...marksAt(scene.state.samples[scene.state.chosen].points.map(plane.screen), 6.5));
  }

  function drawCodes() {
    const k = now.hidden.length;
    const all = Array.from({ length: 2 ** k }, (_, c) => now.hidden.map((_, j) => ((c >> j) & 1 ? 1 : -1)));
    const dot = (code) => {
      const s = scoreOf(now.output, code);
      return path(s > 0 ? "area0" : "area1", s ? circle(flat(code), 17) : "");
    };
    spots.replaceChildren(...all.map(dot));
    const along = all.flatMap((code) => code.flatMap((h, j) => (h < 0 ? [[code, code.with(j, 1)]] : [])));
    const label = (_, j) => {
      const [x, y] = flat(now.hidden.map((_, i) => (i === j ? 0 : -1))); // the middle of an edge
      const [dx, dy] = (k < 4 ? BESIDE : BESIDE_FOUR)[j];
      return text(x + dx, y + dy, j + 1, "middle", "name");
    };
    axes.replaceChildren(...now.hidden.map(label));
    set(edges, { d: along.map((edge) => chain(edge.map(flat))).join("") });
    const ends = k === 2 ? cut(now.output, [-1.4, 1.4, -1.4, 1.4]).ends : [];
    set(border, { d: chain(ends.map(flat)) });
    const met = new Map(); // so that samples with the same code stand side by side
    const spread = now.codes.map((code) => {
      const [x, y] = flat(code);
      const nth = met.get(`${code}`) ?? 0;
      met.set(`${code}`, nth + 1);
      const turn = 2.4 * nth; // the angle at which sunflowers set their seeds
      const r = scene.state.units === "sign" ? 4.2 * Math.sqrt(nth) : 0;
      return [x + r * Math.cos(turn), y + r * Math.sin(turn)];
    });
    seen.replaceChildren(...marksAt(spread, 4));
    const blank = scene.state.units === "sign" && all.some((code) => scoreOf(now.output, code) === 0);
    under.textContent = joined(say(SEEN[k - 1], { k }), blank && say("layers_blank"));
    set(cube, { "aria-label": say("layers_codes", { codes: new Set(now.codes.map(String)).size, n: now.codes.length }) });
  }

  return () => {
    look();
    place();
    const { units, output, t, chosen } = scene.state;
    const [n, errors] = [now.wrong.length, now.wrong.filter(Boolean).length];
    drawPlane();
    drawCodes();
    for (const part of [plane, ...controls]) part.draw();
    for (const node of [time.row.controls, time.row.slider]) node.hidden = units === "sign";
    time.draw(say("layers_errors", { errors, n }));
    goal(say("layers_goal", { samples: say(`layers_${chosen}`) }), !errors && say("layers_done", { n }));
    scene.el.querySelector(".prompt").classList.toggle("done", !errors);
    const trained = units === "tanh" && t > 0;
    const how = output === "learned" ? (now.halts ? "layers_halts" : "layers_fails") : "layers_by_hand";
    status(
      trained ? say("layers_trained", { t }) : say(how, { T: now.updates, cap: CAP }),
    );
  };
}

export default sceneOf(build);
