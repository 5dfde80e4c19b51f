// Samples that lie with several workers. Each epoch every worker makes one pass over its own shard,
// from the same weights, and the results are mixed. All of it in whole numbers.

import { chain, cut, polygon, two } from "../explorer/geometry.js";
import {
  canvas, caption, draws, make, mark, num, path, set, still, tuple, unbroken,
} from "../explorer/draw.js";
import { widest } from "./nearest.js";
import { createMenu, createPlane, createSlider, createText, createTime, sceneOf } from "./scene.js";

const [PLACE, GRID, END] = [[-4, 4, -3, 3], 0.25, 1e6]; // where; how fine; the last step
const [EPOCHS, PASSES] = [60, 200]; // at most; of a worker that runs to its end
const [WIDTH, ACROSS] = [160, 560]; // of a small plane; from where on they stand beside the large one
const TRAVEL = 0.45; // the part of a mix in which weights travel

/** A sample (1, a, b) in whole numbers, in the units of the grid. */
const sample = (p) => [1, ...p].map((v) => BigInt(Math.round(v / GRID)));

/** @type {(numbers: bigint[]) => bigint} */
const sum = (numbers) => numbers.reduce((s, v) => s + v);
/** @type {(a: bigint, b: bigint) => bigint} */
const gcd = (a, b) => (b ? gcd(b, a % b) : a < 0n ? -a : a);

/** Weights as whole numbers over a common one, in lowest terms: {W, D} stands for W / D.
 *  @param {bigint[]} W
 *  @param {bigint} D */
function lowest(W, D) {
  const common = W.reduce(gcd, D);
  return { W: W.map((v) => v / common), D: D / common };
}

/** One pass over some of the samples from the weights W / D: {W, k}, after k corrections. */
function pass(X, y, mine, { W, D }) {
  let [w, k] = [W, 0];
  for (const i of mine) {
    if (BigInt(y[i]) * sum(w.map((v, j) => v * X[i][j])) > 0n) continue;
    w = w.map((v, j) => v + D * BigInt(y[i]) * X[i][j]);
    k += 1;
  }
  return { W: w, k };
}

/** Passes over some of the samples until one of them finds no mistake. */
function toTheEnd(X, y, mine, start) {
  let [w, k] = [start.W, 0];
  for (let p = 0; p < PASSES; p++) {
    const made = pass(X, y, mine, { W: w, D: start.D });
    if (!made.k) return { W: w, k, ended: true };
    [w, k] = [made.W, k + made.k];
  }
  return { W: w, k, ended: false };
}

/** How much each worker's weights count: whole numbers, of which each is divided by their sum.
 *  @type {(by: string, k: number[]) => bigint[]} */
const shares = (by, k) => (by === "mistakes" && k.some((v) => v) ? k.map(BigInt) : k.map(() => 1n));

/**
 * The epochs of mixing, up to the first without a mistake: in each the corrections `k` of every
 * worker, its weights `own[s]` over the common number D, the shares, and the mixed weights. With
 * by = "once" every worker runs to its end first, and all is mixed once. In the units of the grid.
 */
export function epochs(points, y, shard, S, by, most = EPOCHS) {
  const X = points.map(sample);
  const mine = Array.from({ length: S }, (_, s) => shard.flatMap((t, i) => (t === s ? [i] : [])));
  const made = [];
  let mixed = { W: [0n, 0n, 0n], D: 1n };
  while (made.length < (by === "once" ? 1 : most)) {
    const run = by === "once" ? toTheEnd : pass;
    const ends = mine.map((some) => run(X, y, some, mixed));
    const k = ends.map((end) => end.k);
    const mu = shares(by, k);
    const D = mixed.D;
    const W = ends[0].W.map((_, j) => sum(ends.map((end, s) => mu[s] * end.W[j])));
    mixed = lowest(W, D * sum(mu));
    made.push({ k, mu, own: ends.map((end) => end.W), D, mixed, ended: ends.every((end) => end.ended ?? true) });
    if (!k.some((v) => v)) break;
  }
  return made;
}

/** Σ μ k over some epochs, the left side of the theorem. */
const weighed = (some) => some.reduce((s, { k, mu }) => s + Number(sum(k.map((v, i) => mu[i] * BigInt(v)))) / Number(sum(mu)), 0);

/** Whether weights get a sample wrong; what they are divided by does not matter. */
const wrong = (W, p, y) => BigInt(y) * sum(sample(p).map((v, j) => v * W[j])) <= 0n;

/** A vector of whole numbers over a whole number, as numbers in the units of the picture. */
const plain = (W, D) => W.map((v) => Number((v * 1000000000n) / D) * 1e-9 * GRID);

/** @type {(f: number) => number} */
const smooth = (f) => f * f * (3 - 2 * f);

/** A curve that leaves one place and reaches another in the direction of an axis: four points.
 *  @type {(from: number[], to: number[], axis: number) => number[][]} */
function bend(from, to, axis) {
  const along = (p, f) => p.map((v, j) => (j === axis ? from[j] + f * (to[j] - from[j]) : v));
  return [from, along(from, 0.7), along(to, 0.2), to];
}

/** The place on such a curve after the part f of it. */
const onCurve = (c, f) => [0, 1].map((j) => (1 - f) ** 3 * c[0][j] + 3 * f * (1 - f) ** 2 * c[1][j] + 3 * f * f * (1 - f) * c[2][j] + f ** 3 * c[3][j]);

/** The head of an arrow that points to the right, or down. */
const head = ([x, y], across) =>
  chain(across ? [[x - 8, y - 5], [x, y], [x - 8, y + 5]] : [[x - 5, y - 8], [x, y], [x + 5, y - 8]]);

/** Both sides of a line and up to three lines, in a picture or a layer of one. */
function createParts(node) {
  const sides = [path("plus"), path("minus")];
  const lines = [0, 1, 2].map(() => path("line"));
  node.append(...sides, ...lines);
  return {
    node,
    /** @type {(all: number[][], place: (p: number[]) => number[], tinted: boolean) => void} */
    draw(all, place, tinted) {
      const cuts = all.map((w) => cut(w, PLACE));
      lines.forEach((line, s) => set(line, { d: chain(cuts[s]?.ends.map(place) ?? []), class: tinted ? "line" : "line own" }));
      const shape = (corners) => (tinted && corners ? polygon(corners.map(place)) : "");
      set(sides[0], { d: shape(cuts[0]?.plus) });
      set(sides[1], { d: shape(cuts[0]?.minus) });
    },
  };
}

function build(scene) {
  const { say } = scene;
  const now = () => scene.state;
  let [made, best, known] = [[], null, ""];
  const last = () => 2 * made.length;
  const at = () => Math.min(now().t, last());
  const settle = (t) => scene.change({ t: t >= last() ? END : t });
  let [target, place, frame, touched] = [-1, 0, 0, -1]; // the step that is shown, and on the way to it

  /** The exact weights of every worker at step t, whose denominators do not matter. */
  function exact(t) {
    const e = Math.ceil(t / 2); // the epoch, counted from 1
    if (t % 2) return made[e - 1].own;
    return Array(now().S).fill(e ? made[e - 1].mixed.W : [0n, 0n, 0n]);
  }
  /** The same in numbers, and what is on the way from one step to the next. */
  function weights(t) {
    const [from, gone] = [Math.floor(t), t % 1];
    if (gone) {
      // In a mix the weights travel first; then the lines turn into their mean.
      const part = smooth(from % 2 ? Math.max(0, (gone - TRAVEL) / (1 - TRAVEL)) : gone);
      const [a, b] = [weights(from), weights(from + 1)];
      return a.map((w, s) => w.map((v, j) => v + part * (b[s][j] - v)));
    }
    const epoch = made[Math.ceil(t / 2) - 1];
    const over = !epoch ? 1n : t % 2 ? epoch.D : epoch.mixed.D;
    return exact(t).map((W) => plain(W, over));
  }

  const bad = (i) => wrong(exact(at())[now().shard[i]], now().points[i], now().labels[i]);
  // While lines are on their way nobody has made a mistake yet.
  const kind = (i, shows) => `${now().labels[i] > 0 ? "pos" : "neg"}${shows && place === at() && bad(i) ? " wrong" : ""}`;
  const handles = () =>
    now().points.map((p, i) => {
      const [s, y] = [now().shard[i], now().labels[i]];
      const says = say("workers_sample", { y: y > 0 ? "+1" : "−1", s: s + 1, p: tuple(p) });
      return { p, d: mark(y, 7), name: kind(i, at() % 2 === 0), says };
    });
  const move = (i, p) => {
    touched = i;
    scene.change({ points: now().points.map((q, j) => (j === i ? p : q)) });
  };
  const press = (i) => {
    if (i === null) return;
    const { shard, S } = now();
    touched = i;
    if (shard.filter((s) => s === shard[i]).length === 1) return scene.tell(say("workers_keeps"));
    scene.remember();
    scene.change({ shard: shard.map((s, j) => (j === i ? (s + 1) % S : s)) });
    scene.tell(say("workers_given", { s: now().shard[i] + 1 }));
  };

  // A small plane for each worker, which flow into a large one.
  const small = [0, 1, 2].map((s) => {
    const picture = set(canvas("sheet"), { viewBox: `0 0 ${WIDTH} ${WIDTH * 0.75}`, "aria-label": say("workers_small", { s: s + 1 }) });
    const [parts, marks, ring] = [createParts(picture), draws("g"), draws("circle", { class: "touched", r: 12 })];
    picture.append(marks, ring);
    return { node: make("div", { class: "stack" }, picture, caption(say("workers_name", { s: s + 1 }))), parts, marks, ring };
  });
  const flow = draws("svg", { class: "flow", "aria-hidden": "true" });
  const [ways, dots] = [small.map(() => path("way")), small.map(() => draws("circle", { class: "dot", r: 6 }))];
  flow.append(...ways, ...dots);
  const shop = make("div", { class: "shop" });
  // Before the plane measures its place.
  scene.fits(() => {
    const across = scene.el.clientWidth >= ACROSS;
    set(shop, { class: across ? "shop across" : "shop" });
    scene.stage.shape(across ? 1.9 : 0.95);
  });
  const plane = createPlane(scene, { box: PLACE, names: ["x₁", "x₂"], grid: GRID, handles, move, press, pressing: "workers_keys" });
  const large = createParts(plane.layer("lines"));
  shop.append(make("div", { class: "few" }, ...small.map(({ node }) => node)), flow, make("div", {}, plane.node));
  scene.put("plane", shop);
  let curves = [];
  const inSmall = ([x, y]) => [((x - PLACE[0]) * WIDTH) / 8, ((PLACE[3] - y) * WIDTH) / 8];

  /** The ways from the small planes to the large one, which meet in its middle. */
  function layWays() {
    const [frameOf, S] = [flow.getBoundingClientRect(), now().S];
    const [w, h] = [frameOf.width, frameOf.height];
    const across = shop.classList.contains("across");
    set(flow, { viewBox: `0 0 ${two(w)} ${two(h)}` });
    curves = small.slice(0, S).map(({ parts }) => {
      const box = parts.node.getBoundingClientRect();
      return across
        ? bend([4, box.y + box.height / 2 - frameOf.y], [w - 6, h / 2], 0)
        : bend([box.x + box.width / 2 - frameOf.x, 2], [w / 2, h - 4], 1);
    });
    ways.forEach((way, s) => {
      const c = curves[s]?.map((p) => p.map(two).join(" "));
      set(way, { d: c ? `M${c[0]}C${c.slice(1).join(" ")}${s ? "" : head(curves[0].at(-1), across)}` : "" });
    });
  }

  const by = createMenu(scene, "workers_by", [["uniform", "workers_uniform"], ["mistakes", "workers_mistakes"], ["once", "workers_once"]], {
    get: () => now().by,
    put: (way) => scene.change({ by: way, t: END }),
  });
  const count = createSlider(scene, "workers_count", {
    min: 1,
    max: 3,
    get: () => now().S,
    put: (S) => scene.change({ S, shard: now().points.map((_, i) => Math.floor((i * S) / now().points.length)), t: END }),
  });
  scene.put("slide", by.node, count.node);
  const told = createText(scene, "words", "say", false);
  const time = createTime(scene, { last, get: at, put: settle, perSecond: 1 });

  const rows = make("tbody");
  const heads = ["workers_worker", "workers_k", "workers_mu", "workers_w"].map((key) => make("th", { scope: "col" }, say(key)));
  const sheet = make("table", { class: "ledger" }, make("thead", {}, make("tr", {}, ...heads)), rows);
  const words = make("p");
  scene.put("tools", make("details", { class: "more" }, make("summary", {}, say("workers_numbers")), sheet, words));

  function think() {
    const { points, labels, shard, S, by: way } = now();
    const key = JSON.stringify([points, labels, shard, S, way]);
    if (key === known) return false;
    known = key;
    made = epochs(points, labels, shard, S, way);
    const found = widest(points, labels, GRID);
    best = found && { rho2: found ** 2, R2: Math.max(...points.map(([a, b]) => 1 + a * a + b * b)) };
    return true;
  }

  /** Draw the lines at step t, which may be on the way from one to the next. */
  function paint(t) {
    const [all, same] = [weights(t), t % 2 === 0];
    small.forEach(({ parts }, s) => parts.draw(all[s] ? [all[s]] : [], inSmall, true));
    large.draw(same ? all.slice(0, 1) : all, plane.screen, same);
    const gone = t % 2 > 1 ? (t % 1) / TRAVEL : 0;
    set(flow, { class: gone ? "flow on" : "flow" });
    dots.forEach((dot, s) => {
      const on = gone > 0 && gone < 1 && curves[s];
      const [cx, cy] = on ? onCurve(curves[s], smooth(gone)).map(two) : [0, 0];
      set(dot, { cx, cy, hidden: on ? null : "" });
    });
  }
  /** Go to step t, and show the way if it is the next one. */
  function travel(t, jump) {
    const from = target;
    target = t;
    if (jump || still() || (t !== from && t !== from + 1)) {
      cancelAnimationFrame(frame);
      place = t;
    }
    if (t === from || place === t) return paint(place);
    cancelAnimationFrame(frame);
    const begin = performance.now();
    const tick = (time) => {
      place = Math.min(t, from + Math.max(0, time - begin) / (t % 2 ? 500 : 900));
      paint(place);
      if (place === t) drawSamples();
      else if (scene.el.isConnected) frame = requestAnimationFrame(tick);
    };
    frame = requestAnimationFrame(tick);
  }

  function fillSheet() {
    const t = at();
    const epoch = made[Math.ceil(t / 2) - 1];
    const mixed = t % 2 === 0;
    const total = epoch ? Number(sum(epoch.mu)) : 1;
    const cells = (...all) => make("tr", {}, make("th", { scope: "row" }, all[0]), ...all.slice(1).map((what) => make("td", {}, what)));
    const digits = (w) => tuple(w.map((v) => +v.toPrecision(3)));
    const share = (s) => {
      const mu = Number(epoch.mu[s]);
      return mu && mu < total ? `${mu}/${total}` : num(mu / total);
    };
    const own = weights(epoch && mixed ? t - 1 : t);
    rows.replaceChildren(
      ...own.map((w, s) => cells(`${s + 1}`, num(epoch?.k[s] ?? 0), epoch && mixed ? share(s) : "–", digits(w))),
      cells(say("workers_mix"), "", "", mixed ? digits(weights(t)[0]) : "–"),
    );
    const left = weighed(made.slice(0, Math.ceil(t / 2)));
    const bound = best && say("workers_bound", { left: num(left, 3), right: num(best.R2 / best.rho2, 4) });
    words.textContent = unbroken(now().by === "once" ? say("workers_no_bound") : bound || say("workers_no_line"));
  }

  function speak() {
    const [t, once] = [at(), now().by === "once"];
    const [e, epoch] = [Math.ceil(t / 2), made[Math.ceil(t / 2) - 1]];
    if (!epoch) told(say("workers_begin"));
    else if (t % 2) told(say(once ? (epoch.ended ? "workers_ran" : "workers_runs_on") : "workers_passed", { e }));
    else told(say(once ? "workers_averaged" : "workers_mixes", { e }));
  }

  function drawSamples() {
    plane.draw();
    const { points, labels, shard, S } = now();
    small.forEach(({ node, marks, ring }, s) => {
      set(node, { hidden: s < S ? null : "" });
      const mine = points.flatMap((p, i) => (shard[i] === s ? [{ i, at: inSmall(p).map(two).join(" ") }] : []));
      marks.replaceChildren(...mine.map(({ i, at: spot }) => set(path(kind(i, true), mark(labels[i], 6)), { transform: `translate(${spot})` })));
      const one = mine.find(({ i }) => i === touched);
      set(ring, { transform: one ? `translate(${one.at})` : null, hidden: one ? null : "" });
    });
  }

  return () => {
    const jump = think() || target < 0;
    for (const part of [by, count]) part.draw();
    time.draw(at() % 2 ? "" : scene.mistakes(now().points.filter((_, i) => bad(i)).length));
    layWays();
    travel(at(), jump);
    drawSamples();
    fillSheet();
    speak();
  };
}

export default sceneOf(build);
