// Samples that lie with several workers. Each epoch every worker makes one pass over its own shard,
// from the same weights, and the results are mixed. All of it in whole numbers.

import { chain, cut, norm, polygon, two } from "../explorer/geometry.js";
import {
  arrowPath, canvas, createFrame, draws, icon, make, mark, num, path, set, text, tuple,
} from "../explorer/draw.js";
import { widest } from "./nearest.js";
import {
  CLASS, createLegend, createMenu, createPlane, createSlider, createText, createTime, sceneOf,
} from "./scene.js";

const [PLACE, GRID, END] = [[-4, 4, -3, 3], 0.25, 1e6]; // where; how fine; the last step
const [EPOCHS, PASSES] = [60, 200]; // at most; of a worker that runs to its end

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

function build(scene) {
  const { say } = scene;
  const now = () => scene.state;
  let [made, best, known] = [[], null, ""];
  const last = () => 2 * made.length;
  const at = () => Math.min(now().t, last());
  const settle = (t) => scene.change({ t: t >= last() ? END : t });

  /** The weights that are shown: before the epoch, of every worker in it, and mixed. */
  function shown() {
    const e = Math.ceil(at() / 2); // the epoch, counted from 1
    const before = e > 1 ? made[e - 2].mixed : { W: [0n, 0n, 0n], D: 1n };
    const epoch = made[e - 1];
    const mixed = at() % 2 === 0;
    const own = epoch ? epoch.own.map((W) => plain(W, epoch.D)) : [];
    const end = epoch && mixed ? plain(epoch.mixed.W, epoch.mixed.D) : null;
    const exact = mixed ? (epoch ? epoch.mixed.W : before.W) : null; // the weights of all workers
    return { e, epoch, mixed, own, start: plain(before.W, before.D), end, exact };
  }
  const handles = () => {
    const { epoch, exact } = shown();
    return now().points.map((p, i) => {
      const [s, y] = [now().shard[i], now().labels[i]];
      const bad = wrong(exact ?? epoch.own[s], p, y);
      const says = say("workers_sample", { y: y > 0 ? "+1" : "−1", s: s + 1, p: tuple(p) });
      return { p, d: mark(y, 7), name: `${CLASS[s]}${bad ? " wrong" : ""}`, says };
    });
  };
  const move = (i, p) => scene.change({ points: now().points.map((q, j) => (j === i ? p : q)) });
  const press = (i) => {
    if (i === null) return;
    const { shard, S } = now();
    if (shard.filter((s) => s === shard[i]).length === 1) return scene.tell(say("workers_keeps"));
    scene.remember();
    scene.change({ shard: shard.map((s, j) => (j === i ? (s + 1) % S : s)) });
    scene.tell(say("workers_given", { s: now().shard[i] + 1 }));
  };
  const plane = createPlane(scene, { box: PLACE, names: ["x₁", "x₂"], grid: GRID, handles, move, press, pressing: "workers_keys" });
  const lines = plane.layer("lines");
  const numbers = plane.layer("numbers");
  const own = [0, 1, 2].map((s) => path(`own ${CLASS[s]}`));
  const line = path("line");
  lines.append(...own, line);
  createLegend(
    scene,
    [icon("M-8 0H-2M2 0H8", "-8 -8 16 16", "glyph"), "workers_own"],
    [icon("M-8 0H8", "-8 -8 16 16", "glyph class3"), "workers_mixed"],
  );

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
  scene.put("head", by.node, count.node);

  const told = createText(scene, "status", "bar", false);
  const wide = 300;
  const picture = canvas("weights");
  const frame = createFrame(picture);
  const [hull, arrows, dots] = [path("hull"), draws("g"), draws("g")];
  picture.append(hull, arrows, dots);
  const rows = make("tbody");
  const heads = ["workers_worker", "workers_k", "workers_mu", "workers_w"].map((key) => make("th", { scope: "col" }, say(key)));
  const sheet = make("table", { class: "ledger" }, make("thead", {}, make("tr", {}, ...heads)), rows);
  scene.put("side", picture, sheet);
  const words = createText(scene, "words", "side");
  const time = createTime(scene, { last, get: at, put: settle, perSecond: 1.5 });

  function think() {
    const { points, labels, shard, S, by: way } = now();
    const key = JSON.stringify([points, labels, shard, S, way]);
    if (key === known) return;
    known = key;
    made = epochs(points, labels, shard, S, way);
    const found = widest(points, labels, GRID);
    best = found && { rho2: found ** 2, R2: Math.max(...points.map(([a, b]) => 1 + a * a + b * b)) };
  }
  /** The number of worker s on its line, a little further along it for each.
   *  @type {(ends: number[][], s: number) => Node | string} */
  const onLine = ([a, b], s) => {
    const f = 0.07 + 0.05 * s;
    return b ? text(a[0] + f * (b[0] - a[0]), a[1] + f * (b[1] - a[1]) + 4, s + 1, "middle", "name") : "";
  };
  const drawn = (w) => {
    const { ends } = cut(w, PLACE);
    return ends.length > 1 ? chain(ends.map(plane.screen)) : "";
  };

  /** The plane of w₁ and w₂: from where all start, where each worker ends, and the mix between. */
  function weigh({ epoch, mixed, own: ends, start, end }) {
    const all = [[0, 0], ...[start, ...ends, ...(end ? [end] : [])].map((w) => [w[1], w[2]])];
    const [low, high] = [0, 1].map((c) => [Math.min(...all.map((p) => p[c])), Math.max(...all.map((p) => p[c]))]);
    const size = Math.max(low[1] - low[0], 1.6 * (high[1] - high[0]), 1) * 0.65;
    const [a, b] = [low, high].map(([least, most]) => (least + most) / 2);
    frame.draw([a - size, a + size, b - size / 1.6, b + size / 1.6], wide, ["w₁", "w₂"]);
    const place = (w) => frame.screen([w[1], w[2]]);
    const corners = ends.map(place);
    set(hull, { d: polygon(corners) });
    const arrow = (w, s) => path(`own ${CLASS[s]}`, norm(w.map((v, j) => v - start[j]).slice(1)) ? arrowPath(place(start), place(w)) : "");
    arrows.replaceChildren(...ends.map(arrow));
    const spot = (w, name, r) => draws("circle", { class: name, cx: two(place(w)[0]), cy: two(place(w)[1]), r });
    const number = (w, s) => text(place(w)[0] + 8, place(w)[1] - 6 + 14 * s, s + 1, "start");
    dots.replaceChildren(spot(start, "base", 4), ...ends.map((w, s) => spot(w, CLASS[s], 4)), ...(end ? [spot(end, "dot", 6)] : []), ...ends.map(number));
    set(picture, { "aria-label": say(epoch ? (mixed ? "workers_centre" : "workers_apart") : "workers_start") });
  }

  function fillSheet({ epoch, mixed, own: ends, start, end }) {
    const total = epoch ? Number(sum(epoch.mu)) : 1;
    const cells = (name, ...rest) => make("tr", {}, make("th", { scope: "row", class: name }, rest[0]), ...rest.slice(1).map((what) => make("td", {}, what)));
    const digits = (w) => tuple(w.map((v) => +v.toPrecision(3)));
    const share = (s) => {
      const mu = Number(epoch.mu[s]);
      return mu && mu < total ? `${mu}/${total}` : num(mu / total);
    };
    // Before the first epoch all workers have the start's weights.
    const all = epoch ? ends : Array(now().S).fill(start);
    rows.replaceChildren(
      ...all.map((w, s) => cells(CLASS[s], `${s + 1}`, num(epoch?.k[s] ?? 0), epoch && mixed ? share(s) : "–", digits(w))),
      cells("mixed", say("workers_mix"), "", "", mixed ? digits(end ?? start) : "–"),
    );
  }

  function speak({ e, epoch, mixed, exact }) {
    const once = now().by === "once";
    const errors = mixed ? now().points.filter((p, i) => wrong(exact, p, now().labels[i])).length : 0;
    if (!epoch) told(say("workers_begin"));
    else if (!mixed) told(say(once ? (epoch.ended ? "workers_ran" : "workers_runs_on") : "workers_passed", { e }));
    else told(say(once ? "workers_averaged" : "workers_mixes", { e }), say("workers_wrong", { n: errors }));
    const left = weighed(made.slice(0, Math.ceil(at() / 2)));
    const bound = best && say("workers_bound", { left: num(left, 3), right: num(best.R2 / best.rho2, 4) });
    words(...(once ? [say("workers_no_bound")] : [bound || say("workers_no_line")]), say("workers_hint"));
  }

  return () => {
    think();
    const view = shown();
    for (const part of [plane, time, by, count]) part.draw();
    own.forEach((node, s) => set(node, { d: view.epoch && s < now().S ? drawn(view.own[s]) : "", class: `own ${CLASS[s]}${view.mixed ? " past" : ""}` }));
    set(line, { d: view.mixed ? drawn(view.end ?? view.start) : "" });
    numbers.replaceChildren(
      ...now().points.map((p, i) => {
        const [[x, y], right] = [plane.screen(p), p[0] > PLACE[1] - 0.5]; // where there is room
        return text(x + (right ? -10 : 10), y + (p[1] > PLACE[3] - 0.5 ? 16 : -7), now().shard[i] + 1, right ? "end" : "start");
      }),
      ...(view.epoch ? view.own.map((w, s) => onLine(cut(w, PLACE).ends.map(plane.screen), s)) : []),
    );
    weigh(view);
    fillSheet(view);
    speak(view);
  };
}

export default sceneOf(build);
