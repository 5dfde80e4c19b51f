// The interactive figure of the notes. First the algorithms, pure, and the same bit for bit as in
// Python; then the panels; then what a reader can do. All words come from words.csv via Python.

// ---------------------------------------------------------------------------- algorithms

/** The canonical score of sample i, ((w0 x0 + w1 x1) + w2 x2) + …; X holds a row a sample. */
export function score(w, X, i) {
  const m = w.length;
  let s = w[0] * X[i * m];
  for (let j = 1; j < m; j++) s = s + w[j] * X[i * m + j];
  return s;
}

/** PLA's state: weights, and all of their past in W, one row after the other. */
export function primal(X, y, { rate = 1, w0 = null } = {}) {
  const m = X.length / y.length;
  const w = w0 ? Float64Array.from(w0) : new Float64Array(m);
  const W = [...w];
  return {
    W,
    wrong: (i) => !(y[i] * score(w, X, i) > 0), // so is a score that is not a number
    correct(i) {
      for (let j = 0; j < m; j++) W.push((w[j] = w[j] + rate * y[i] * X[i * m + j]));
    },
  };
}

/** The dual state: a tally, and scores to which each update adds one row of the Gram matrix G. */
export function dual(G, y, { rate = 1 } = {}) {
  const n = y.length;
  const state = {
    alpha: new Float64Array(n),
    scores: new Float64Array(n),
    b: 0,
    wrong: (i) => !(y[i] * (state.scores[i] + state.b) > 0),
    correct(i) {
      state.alpha[i] += rate;
      state.b += rate * y[i];
      for (let j = 0; j < n; j++) state.scores[j] += rate * y[i] * G[i * n + j];
    },
  };
  return state;
}

/** k(a, b); a power is a repeated product, which is exact as long as its factors are. */
export function kernel(a, b, { name, degree, offset, gamma }) {
  if (name === "rbf") return Math.exp(-gamma * a.reduce((s, v, j) => s + (v - b[j]) ** 2, 0));
  const base = a.slice(1).reduce((s, v, j) => s + v * b[j + 1], a[0] * b[0]);
  if (name === "linear") return base;
  let power = base + offset;
  for (let k = 1; k < degree; k++) power *= base + offset;
  return power;
}

/** The Gram matrix of some points, row by row. */
export const gram = (points, k) => points.flatMap((a) => points.map((b) => kernel(a, b, k)));

/** Numbers in [0, 1) from a seed: G. Marsaglia's xorshift (2003), as in Python's `dice`. */
export function dice(seed) {
  let x = Math.imul(seed + 1, 0x9e3779b1) | 1;
  return () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) / 4294967296;
  };
}

/** 0 … n − 1 in a random order. */
export function shuffle(n, roll) {
  const order = Array.from({ length: n }, (_, i) => i);
  for (let k = n - 1; k > 0; k--) {
    const j = Math.floor(roll() * (k + 1));
    [order[k], order[j]] = [order[j], order[k]];
  }
  return order;
}

/** The first mistake from place `start` on, once round; null if there is none. */
function search(wrong, n, start = 0, order = null) {
  for (let k = 0; k < n; k++) {
    const place = start + k < n ? start + k : start + k - n;
    const i = order ? order[place] : place;
    if (wrong(i)) return i;
  }
  return null;
}

/** Makers of pick rules: from n samples and a seed to (wrong, previous) → next pick, or null. */
export const RULES = {
  in_turn: (n) => (wrong, last) => search(wrong, n, last === null ? 0 : last + 1),
  first: (n) => (wrong) => search(wrong, n),
  shuffled(n, seed) {
    const order = shuffle(n, dice(seed));
    const place = new Map(order.map((i, k) => [i, k]));
    return (wrong, last) => search(wrong, n, last === null ? 0 : place.get(last) + 1, order);
  },
  at_random(n, seed) {
    const roll = dice(seed);
    return (wrong) => {
      if (search(wrong, n) === null) return null;
      for (;;) {
        const i = Math.floor(roll() * n); // the first mistake among uniform draws is uniform
        if (wrong(i)) return i;
      }
    };
  },
};

const count = (n, wrong) => {
  let k = 0;
  for (let i = 0; i < n; i++) k += wrong(i);
  return k;
};

/** A run: its picks so far, the mistakes at each step, and the pick to come, null at its end. */
export function begin(state, n, rule) {
  const run = { state, n, rule, picks: [], errors: [count(n, state.wrong)] };
  run.next = rule(state.wrong, null);
  return run;
}

function take(run, i) {
  run.state.correct(i);
  run.picks.push(i);
  run.errors.push(count(run.n, run.state.wrong));
}

/** Carry a run on to `limit` updates, or to its end, or until the clock passes `deadline`. */
export function advance(run, limit, deadline = Infinity) {
  while (run.next !== null && run.picks.length < limit) {
    take(run, run.next);
    run.next = run.rule(run.state.wrong, run.next);
    if (run.picks.length % 16 === 0 && performance.now() > deadline) break;
  }
  return run;
}

/** A run whose picks are known already, as Python's are. */
export function replay(state, n, { picks, converged }) {
  const run = { state, n, picks: [], errors: [count(n, state.wrong)], next: converged ? null : -1 };
  for (const i of picks) take(run, i);
  return run;
}

/** For each step, the first step with the fewest mistakes so far: what lies in the pocket. */
export function pocket(errors) {
  let best = 0;
  return errors.map((k, t) => (best = k < errors[best] ? t : best));
}

/** New samples in a box, on a grid: beside a line ("line", some labels turned), or in "rings". */
export function draw(n, seed, [left, right, low, high], grid, { kind, noise }) {
  const roll = dice(seed);
  const [cx, cy] = [(left + right) / 2, (low + high) / 2];
  const size = Math.min(right - left, high - low) / 2;
  const turn = 2 * Math.PI * roll();
  const [a, b, shift] = [Math.cos(turn), Math.sin(turn), (roll() - 0.5) * 0.4 * size];
  const points = [];
  const labels = [];
  while (points.length < n) {
    const p = [left + roll() * (right - left), low + roll() * (high - low)];
    const place = p.map((v) => Math.round(v / grid) * grid);
    const [u, v] = [place[0] - cx, place[1] - cy];
    const radius = Math.hypot(u, v) / size;
    const s = kind === "rings" ? 0.52 - radius : (a * u + b * v - shift) / size;
    const outward = Math.max(Math.abs(u) / (right - left), Math.abs(v) / (high - low));
    if (Math.abs(s) < 0.1 || outward > 0.42) continue; // no sample in the gap or at the rim
    points.push(place);
    labels.push(s > 0 ? 1 : -1);
  }
  for (const i of shuffle(n, roll).slice(0, noise)) labels[i] *= -1;
  return { points, labels };
}

// ---------------------------------------------------------------------------- drawing tools

/** A new element. */
const make = (name, attributes = {}, ...children) =>
  fill(document.createElement(name), attributes, children);

/** A new part of a picture. */
const draws = (name, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

function fill(node, attributes, children) {
  set(node, attributes).append(...children);
  return node;
}

/** Set what differs; null takes an attribute away. */
function set(node, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null) node.removeAttribute(key);
    else if (node.getAttribute(key) !== String(value)) node.setAttribute(key, value);
  }
  return node;
}

const path = (name, d = "") => draws("path", { class: name, d });
const text = (x, y, what, anchor = "middle", name = "") =>
  draws("text", { x: two(x), y: two(y), "text-anchor": anchor, class: name }, what);
const canvas = (high, name = "") =>
  draws("svg", { viewBox: `0 0 ${WIDE} ${high}`, role: "img", class: name });
const caption = (what = "") => make("div", { class: "caption" }, what);
const icon = (d, box = "0 0 24 24", name = "") =>
  fill(draws("svg", { viewBox: box, class: `icon ${name}`, "aria-hidden": "true" }), {}, [path("", d)]);

const two = (v) => Math.round(v * 100) / 100;
const num = (v, digits = 4) =>
  String(Number.isInteger(v) && Math.abs(v) < 1e9 ? v : +v.toPrecision(digits)).replace("-", "−");
const short = (v) => (Math.abs(v) >= 1e4 ? v.toExponential(0).replace("e+", "e") : num(v, 3));
const signed = (v) => (v < 0 ? "−" : "+") + num(Math.abs(v));
const tuple = (v) => `(${Array.from(v, (a) => num(a)).join(", ")})`;
const dot = (a, b) => a.reduce((s, v, j) => s + v * b[j], 0);
const norm = (a) => Math.hypot(...a);

const chain = (points) => (points.length > 1 ? `M${points.map((p) => p.map(two)).join("L")}` : "");
const polygon = (points) => (points.length ? `${chain(points)}Z` : "");
const square = (x, y, side) => `M${two(x)} ${two(y)}h${two(side)}v${two(side)}h${two(-side)}Z`;

/** A line with a head at its second end. */
function arrowPath([x, y], [tx, ty]) {
  const turn = Math.atan2(ty - y, tx - x);
  const wing = (d) => [tx - 9 * Math.cos(turn + d), ty - 9 * Math.sin(turn + d)];
  return chain([[x, y], [tx, ty]]) + chain([wing(0.4), [tx, ty], wing(-0.4)]);
}

/** The mark of a label, of half-width r: a circle or a cross, so that no colour speaks alone. */
const mark = (label, r) =>
  label > 0
    ? `M${r} 0A${r} ${r} 0 1 1-${r} 0A${r} ${r} 0 1 1 ${r} 0Z`
    : `M-${r}-${r}L${r} ${r}M-${r} ${r}L${r}-${r}`;

/** About `most` round numbers between two limits. */
function ticks(low, high, most = 5) {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((k) => k * power >= rough);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++)
    found.push(k * step);
  return found;
}

/** Both sides of the line w·x = 0 in a box, as corners, and its two ends. */
export function cut(w, [left, right, low, high]) {
  const corners = [[left, low], [right, low], [right, high], [left, high]];
  const s = corners.map(([a, b]) => w[0] + w[1] * a + w[2] * b);
  const [plus, minus, ends] = [[], [], []];
  corners.forEach((a, k) => {
    const [b, r] = [corners[(k + 1) % 4], s[(k + 1) % 4]];
    if (s[k] >= 0) plus.push(a);
    if (s[k] <= 0) minus.push(a);
    if (s[k] === 0) ends.push(a);
    if (s[k] * r < 0) {
      const at = a.map((v, j) => v + ((b[j] - v) * s[k]) / (s[k] - r));
      for (const list of [plus, minus, ends]) list.push(at);
    }
  });
  return w.some((v) => v) ? { plus, minus, ends } : { plus: [], minus: [], ends: [] };
}

/** Marching squares: the part of a grid where s > 0 as one path, the curve s = 0 as another. */
export function region(s, side, place) {
  let [area, curve] = ["", ""];
  for (let r = 0; r + 1 < side; r++)
    for (let c = 0; c + 1 < side; c++) {
      const around = [[c, r], [c + 1, r], [c + 1, r + 1], [c, r + 1]];
      const v = around.map(([x, y]) => s[y * side + x]);
      if (!v.some((a) => a > 0)) continue;
      const [inside, ends] = [[], []];
      around.forEach((a, k) => {
        const [b, q] = [around[(k + 1) % 4], v[(k + 1) % 4]];
        if (v[k] > 0) inside.push(place(...a));
        if (v[k] > 0 === q > 0) return;
        const f = v[k] / (v[k] - q);
        ends.push(place(a[0] + f * (b[0] - a[0]), a[1] + f * (b[1] - a[1])));
        inside.push(ends.at(-1));
      });
      area += polygon(inside);
      for (let k = 0; k + 1 < ends.length; k += 2) curve += chain([ends[k], ends[k + 1]]);
    }
  return [area, curve];
}

// ---------------------------------------------------------------------------- panels
// A panel is {node, data(), step()}: what to draw when the samples change, and when the step does.

const [WIDE, LEFT, RIGHT, TOP] = [400, 40, 392, 8];

/** The samples in their plane, and what the weights make of it: a line, or a kernel's region. */
function planePanel(fig, curved) {
  const node = draws("svg", { class: "plane", role: "group", "aria-label": fig.say("plane_label") });
  const layer = (name) => draws("g", { class: name });
  const [axes, samples, tally] = [layer("axes"), layer("samples"), layer("tally")];
  const names = ["minus", "plus", "line best", "line after", "line", "arrow"];
  const [minus, plus, best, after, line, arrow] = names.map((name) => path(name));
  const ring = draws("circle", { class: "ring", r: 13 });
  node.append(axes, minus, plus, best, after, line, arrow, ring, tally, samples);
  const side = 57; // of the grid on which a kernel's scores are computed
  const drawn = []; // what each mark shows, so that only what has changed is drawn anew
  let [box, scale, columns] = [null, 1, new Map()];
  const screen = ([x, y]) => [LEFT + (x - box[0]) * scale, TOP + (box[3] - y) * scale];
  const place = (x, y) => [box[0] + (x - LEFT) / scale, box[3] - (y - TOP) / scale];
  const onGrid = (c, r) =>
    [box[0] + (c / (side - 1)) * (box[1] - box[0]), box[2] + (r / (side - 1)) * (box[3] - box[2])];

  function frame() {
    box = fig.box;
    columns = new Map();
    scale = (RIGHT - LEFT) / (box[1] - box[0]);
    const bottom = TOP + (box[3] - box[2]) * scale;
    const [across, up] = fig.settings.names;
    set(node, { viewBox: `0 0 ${WIDE} ${two(bottom + 36)}` });
    axes.replaceChildren(
      path("", `M${LEFT} ${TOP}V${bottom}H${RIGHT}`),
      ...ticks(box[0], box[1]).map((v) => text(screen([v, 0])[0], bottom + 16, num(v))),
      ...ticks(box[2], box[3]).map((v) => text(LEFT - 6, screen([0, v])[1] + 4, num(v), "end")),
      text(RIGHT, bottom + 31, across, "end", "name"),
      text(LEFT + 6, TOP + 10, up, "start", "name"),
    );
  }
  /** What one sample's kernel adds everywhere; the bias adds 1 more. */
  function column(i) {
    const key = fig.points[i].join();
    if (!columns.has(key)) {
      const k = (_, at) =>
        1 + kernel(fig.points[i], onGrid(at % side, Math.floor(at / side)), fig.settings.kernel);
      columns.set(key, Float64Array.from({ length: side * side }, k));
    }
    return columns.get(key);
  }
  function drawRegion() {
    const s = new Float64Array(side * side);
    fig.alpha(fig.t).forEach((a, i) => {
      if (a) column(i).forEach((k, at) => (s[at] += a * fig.y[i] * k));
    });
    const [area, curve] = region(s, side, (c, r) => screen(onGrid(c, r)));
    const all = [[0, 0], [side - 1, 0], [side - 1, side - 1], [0, side - 1]];
    set(plus, { d: area });
    set(line, { d: curve });
    // All without that area, by the even-odd rule.
    set(minus, { d: fig.t ? polygon(all.map((p) => screen(onGrid(...p)))) + area : "" });
  }
  function drawLine() {
    const [w, pick] = [fig.w(), fig.pick()];
    const now = cut(w, box);
    const ends = now.ends.map(screen);
    const straight = (v) => chain(cut(v, box).ends.map(screen));
    set(plus, { d: polygon(now.plus.map(screen)) });
    set(minus, { d: polygon(now.minus.map(screen)) });
    set(line, { d: chain(ends) });
    set(after, { d: pick === null || fig.t === fig.T ? "" : straight(fig.w(fig.t + 1)) });
    set(best, { d: fig.best ? straight(fig.w(fig.best[fig.t])) : "" });
    if (ends.length < 2) return set(arrow, { d: "" });
    const middle = [0, 1].map((j) => (ends[0][j] + ends[1][j]) / 2);
    const length = Math.hypot(w[1], w[2]) / 46;
    return set(arrow, { d: arrowPath(middle, [middle[0] + w[1] / length, middle[1] - w[2] / length]) });
  }

  return {
    node,
    samples,
    screen,
    place,
    data() {
      if (box !== fig.box) frame();
      if (columns.size > 400) columns = new Map();
      const r = fig.n > 60 ? 4.5 : 6;
      const look = `${r} ${box}`;
      while (samples.childNodes.length > fig.n) samples.lastChild.remove();
      while (samples.childNodes.length < fig.n) samples.append(draws("path", { role: "button" }));
      fig.points.forEach((p, i) => {
        const [label, sample, was] = [fig.y[i], samples.childNodes[i], drawn[i]];
        set(sample, { tabindex: i === fig.chosen ? 0 : -1 });
        if (was?.p === p && was.label === label && was.look === look) return;
        drawn[i] = { p, label, look };
        set(sample, {
          d: mark(label, label > 0 ? r : r * 0.85),
          transform: `translate(${screen(p).map(two).join(" ")})`,
          "aria-label": fig.say("sample_label", { i, shape: fig.shape(i), x: tuple(p) }),
        });
      });
    },
    step() {
      samples.childNodes.forEach((sample, i) => set(sample, { class: fig.kind(i) }));
      const pick = fig.pick();
      const [cx, cy] = pick === null ? [0, 0] : screen(fig.points[pick]).map(two);
      set(ring, { cx, cy, visibility: pick === null ? "hidden" : "visible" });
      if (curved) drawRegion();
      else drawLine();
      if (fig.settings.algorithm !== "dual" || fig.n > 30) return;
      const counts = fig.alpha(fig.t).map((a, i) => {
        const [x, y] = screen(fig.points[i]);
        return a ? text(x + 9, y - 9, `α = ${num(a)}`, "start") : "";
      });
      tally.replaceChildren(...counts);
    },
  };
}

/** x, w before and w after, in the plane that they span: angles and lengths are true. */
function anglePanel(fig) {
  const high = 190;
  const picture = canvas(high);
  const title = caption();
  return {
    node: make("div", {}, title, picture),
    data() {},
    step() {
      const pick = fig.pick();
      title.textContent = angleSentence(fig);
      set(picture, { "aria-label": title.textContent });
      picture.replaceChildren();
      if (pick === null || fig.t === fig.T) return;
      const x = fig.x(pick);
      const flat = (v) => {
        const along = dot(v, x) / norm(x);
        return [along, Math.sqrt(Math.max(dot(v, v) - along * along, 0))];
      };
      const arrows = [
        ["x", fig.y[pick] > 0 ? "pos" : "neg", [norm(x), 0]],
        ["wₜ", "before", flat(fig.w())],
        ["wₜ₊₁", "after", flat(fig.w(fig.t + 1))], // on the same side of x
      ];
      const [xs, ys] = [0, 1].map((j) => [0, ...arrows.map(([, , v]) => v[j])]);
      const [low, upper, top] = [Math.min(...xs), Math.max(...xs), Math.max(...ys)];
      const scale = Math.min((WIDE - 90) / (upper - low || 1), (high - 56) / (top || 1));
      const origin = [(WIDE - (low + upper) * scale) / 2, (high + top * scale) / 2];
      const around = (r, turn) => [origin[0] + r * Math.cos(turn), origin[1] - r * Math.sin(turn)];
      arrows.forEach(([label, name, v], k) => {
        const [length, turn] = [norm(v) * scale, Math.atan2(v[1], v[0])];
        const [r, [lx, ly]] = [14 + 12 * k, around(length + 16, length ? turn : -Math.PI / 2)];
        const [from, to] = [around(r, 0), around(r, turn)].map((p) => p.map(two).join(" "));
        if (k && length) picture.append(path(`arc ${name}`, `M${from}A${r} ${r} 0 0 0 ${to}`));
        if (length > 1)
          picture.append(path(`arrow ${name}`, arrowPath(origin, around(length, turn))));
        picture.append(text(lx, ly + 5, label, "middle", "name"));
      });
      picture.append(draws("circle", { class: "origin", cx: origin[0], cy: origin[1], r: 3 }));
    },
  };
}

/** Lines over the one time axis of the figure; a press on it goes to that step. */
function chart(fig, { title, high, lines, axis = true }) {
  const label = caption();
  const [axes, cursor] = [draws("g", { class: "axes" }), path("cursor")];
  const picture = canvas(high + TOP + (axis ? 34 : 8), "chart");
  const paths = lines.map(({ name }) => path(name));
  const dots = lines.map(({ name }) => draws("circle", { class: `dot ${name}`, r: 3.5 }));
  picture.append(axes, ...paths, cursor, ...dots);
  const base = TOP + high;
  let [low, upper, values] = [0, 1, []];
  const span = () => Math.max(fig.T, 1);
  const toX = (t) => two(LEFT + (t / span()) * (RIGHT - LEFT));
  const toY = (v) => two(TOP + ((upper - v) / (upper - low)) * high);
  const go = (event) => {
    const { left, width } = picture.getBoundingClientRect();
    const x = ((event.clientX - left) / width) * WIDE;
    fig.go(Math.round(((x - LEFT) / (RIGHT - LEFT)) * span()));
  };
  picture.addEventListener("pointerdown", (event) => {
    picture.setPointerCapture(event.pointerId);
    go(event);
  });
  picture.addEventListener("pointermove", (event) => {
    if (picture.hasPointerCapture(event.pointerId)) go(event);
  });

  /** Of a long run, each pixel gets the least and the greatest of its values. */
  function line(row, stairs) {
    const wide = Math.ceil(row.length / 400);
    let d = "";
    for (let t = 0; t < row.length; t += wide) {
      const some = wide > 1 ? row.slice(t, t + wide) : [row[t]];
      const [x, y] = [toX(t), toY(Math.min(...some))];
      d += !d ? `M${x} ${y}` : stairs ? `H${x}V${y}` : `L${x} ${y}`;
      if (wide > 1) d += `V${toY(Math.max(...some))}`;
    }
    return d;
  }
  return {
    node: make("div", {}, label, picture),
    data() {
      values = lines.map(({ of }) => of() ?? []);
      const reach = (row) => [0, ...row].reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [0, 0]);
      const limits = values.map(reach);
      low = Math.min(...limits.map(([a]) => a));
      upper = Math.max(...limits.map(([, b]) => b));
      if (upper === low) upper = low + 1;
      paths.forEach((one, k) => set(one, { d: line(values[k], lines[k].stairs) }));
      const steps = axis ? ticks(0, span()).filter(Number.isInteger) : [];
      axes.replaceChildren(
        path("", `M${LEFT} ${TOP}V${base}H${RIGHT}`),
        ...ticks(low, upper, 3).map((v) => text(LEFT - 6, toY(v) + 4, short(v), "end")),
        ...steps.map((t) => text(toX(t), base + 15, num(t))),
        axis ? text(RIGHT, base + 30, fig.say("time"), "end", "name") : "",
      );
      const keys = lines.filter(({ word }) => word);
      const spans = keys.map(({ name, word }) => make("span", { class: `key ${name}` }, fig.say(word)));
      label.replaceChildren(title(), ...spans);
      set(picture, { "aria-label": label.textContent });
    },
    step() {
      set(cursor, { d: `M${toX(fig.t)} ${TOP}V${base}` });
      dots.forEach((dot, k) => {
        const v = values[k][fig.t];
        const shown = v === undefined ? "hidden" : "visible";
        set(dot, { visibility: shown, cx: toX(fig.t), cy: toY(v ?? low) });
      });
    },
  };
}

/** Mistakes at each step, and the pocket's. */
function errorsPanel(fig) {
  const watched = fig.settings.algorithm === "pocket";
  const now = { name: "line", stairs: true, word: watched && "now", of: () => fig.run.errors };
  const best = () => fig.best.map((t) => fig.run.errors[t]);
  const kept = { name: "line best", stairs: true, word: "in_pocket", of: best };
  return chart(fig, {
    title: () => fig.say("errors_title", { n: fig.n }),
    high: fig.settings.panels.length > 2 ? 130 : 210,
    lines: watched ? [now, kept] : [now],
  });
}

/** Both sides of the proof's inequalities. Floats will do for a picture; `ledger` is exact. */
function sides(fig) {
  const f = fig.separator();
  if (!f) return null;
  const { rate } = fig.settings;
  const X = fig.points.map((_, i) => fig.x(i));
  const W = Array.from({ length: fig.T + 1 }, (_, t) => fig.w(t));
  const rho = Math.min(...X.map((x, i) => fig.y[i] * dot(f, x))) / norm(f);
  const R2 = Math.max(...X.map((x) => dot(x, x)));
  const [along, size] = [dot(f, W[0]) / norm(f), dot(W[0], W[0])];
  return {
    growth: W.map((w) => dot(f, w) / norm(f)),
    growthFloor: W.map((_, t) => along + t * rate * rho),
    size: W.map((w) => dot(w, w)),
    ceiling: W.map((_, t) => size + t * rate * rate * R2),
    cosine: W.map((w) => dot(f, w) / norm(f) / (norm(w) || 1)),
    cosineFloor: size ? null : W.map((_, t) => (Math.sqrt(t) * rho) / Math.sqrt(R2)),
  };
}

function ledgerPanel(fig) {
  const part = (name, limit, word, axis) =>
    chart(fig, {
      title: () => fig.say(name),
      high: 68,
      axis,
      lines: [
        { name: "line", of: () => fig.ledger?.[name] },
        { name: "limit", word, of: () => fig.ledger?.[limit] },
      ],
    });
  const parts = [
    part("growth", "growthFloor", "floor", false),
    part("size", "ceiling", "ceiling", false),
    part("cosine", "cosineFloor", "floor", true),
  ];
  return {
    node: make("div", { class: "stack" }, ...parts.map((p) => p.node)),
    data() {
      fig.ledger = sides(fig);
      parts.forEach((p) => p.data());
    },
    step: () => parts.forEach((p) => p.step()),
  };
}

/** The tally as bars, and the Gram matrix with the row that the update adds. */
function alphaPanel(fig) {
  const [bars, matrix] = [canvas(110), draws("svg", { class: "gram", role: "img" })];
  const below = make("div", {}, caption(fig.say("gram_title")), matrix);
  const row = draws("rect", { class: "ring", x: 0 });
  set(matrix, { "aria-label": fig.say("gram_title") });
  let cell = 1;
  return {
    node: make("div", { class: "stack" }, make("div", {}, caption(fig.say("alpha_title")), bars), below),
    data() {
      const n = fig.n;
      below.hidden = n > 60;
      if (n > 60) return;
      const G = fig.G();
      const most = Math.max(...G.map(Math.abs)) || 1;
      const levels = {};
      const numbers = [];
      cell = Math.min(30, 220 / n);
      G.forEach((g, k) => {
        // A negative entry is a smaller square, so that its sign does not hang on a colour.
        const level = `${g < 0 ? "neg" : "pos"} level${Math.ceil(4 * Math.sqrt(Math.abs(g) / most))}`;
        const inset = cell * (g < 0 ? 0.2 : 0.04);
        const [x, y] = [(k % n) * cell, Math.floor(k / n) * cell];
        levels[level] = (levels[level] ?? "") + square(x + inset, y + inset, cell - 2 * inset);
        if (n <= 8) numbers.push(text(x + cell / 2, y + cell / 2 + 4, short(g)));
      });
      const shades = Object.entries(levels).map(([name, d]) => path(name, d));
      const size = n * cell + 4;
      matrix.replaceChildren(...shades, ...numbers, row);
      set(matrix, { viewBox: `-2 -2 ${size} ${size}`, style: `max-width:${size}px` });
    },
    step() {
      const [alpha, pick, base, tall] = [fig.alpha(fig.t), fig.pick(), 90, 78];
      const most = Math.max(1, ...fig.alpha(fig.T));
      const wide = (RIGHT - LEFT) / fig.n;
      const parts = ticks(0, most, 3).map((v) =>
        text(LEFT - 6, base + 4 - (v / most) * tall, num(v), "end"));
      alpha.forEach((a, i) => {
        const [x, width, height] = [LEFT + (i + 0.15) * wide, 0.7 * wide, (a / most) * tall];
        const bar = { class: `bar ${fig.y[i] > 0 ? "pos" : "neg"}`, x, y: base - height, width, height };
        if (a) parts.push(draws("rect", bar));
        if (i === pick) parts.push(path("ring", `M${x} ${base + 3}h${width}`));
        if (fig.n <= 30) parts.push(text(x + width / 2, base + 16, i));
      });
      bars.replaceChildren(path("base", `M${LEFT} ${base}H${RIGHT}`), ...parts);
      set(bars, { "aria-label": `${fig.say("alpha_title")}: ${tuple(alpha.slice(0, 30))}` });
      const visibility = pick === null ? "hidden" : "visible";
      set(row, { visibility, y: (pick ?? 0) * cell, width: fig.n * cell, height: cell });
    },
  };
}

/** Chapter 1: threshold and weights by hand, and the score of every sample on one line. */
function modelPanel(fig) {
  const [high, middle] = [104, WIDE / 2];
  const strip = set(canvas(high + 22), { "aria-label": fig.say("scores_title") });
  const equation = make("p", { class: "equation" });
  const sliders = ["threshold", "w1", "w2"].map((name, j) => {
    const input = make("input", { type: "range", step: "any" });
    const output = make("output");
    const weigh = (value) => {
      const w = [...fig.settings.w];
      w[j] = j ? value : 0 - value; // the threshold is minus w₀
      fig.weigh(w);
    };
    input.addEventListener("input", () => weigh(+(+input.value).toPrecision(3)));
    input.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const value = +input.value + (by * (input.max - input.min)) / 40;
      weigh(Math.max(input.min, Math.min(input.max, +value.toPrecision(3))));
    });
    return { input, output, node: make("label", { class: "slider" }, fig.say(name), input, output) };
  });
  const scores = make("div", {}, caption(fig.say("scores_title")), strip);
  return {
    node: make("div", { class: "stack" }, ...sliders.map((one) => one.node), equation, scores),
    data() {
      const [w0, ...w] = fig.initial.settings.w.map(Math.abs);
      const turn = 2 * Math.max(1, ...w);
      const shift = Math.max((turn / 2) * Math.max(...fig.box.map(Math.abs)), 2 * w0);
      sliders.forEach(({ input }, j) => set(input, { min: j ? -turn : -shift, max: j ? turn : shift }));
    },
    step() {
      const w = fig.w();
      const shown = [0 - w[0], w[1], w[2]];
      sliders.forEach(({ input, output }, j) => {
        input.value = shown[j];
        output.textContent = num(shown[j]);
      });
      const [w0, w1, w2] = [num(w[0]), signed(w[1]), signed(w[2])];
      equation.textContent = fig.say("equation", { w0, w1, w2, threshold: num(shown[0]) });
      const s = fig.points.map((_, i) => fig.score(i));
      const most = Math.max(...s.map(Math.abs)) || 1;
      const toX = (v) => two(middle + (v / most) * (middle - 24));
      const half = { y: 4, width: middle - 8, height: high - 8 };
      const marks = s.map((v, i) => {
        const y = high / 2 - 22 * fig.y[i] + ((i * 7) % 5) * 6 - 12; // spread, so that few overlap
        const name = fig.kind(i) + (i === fig.chosen ? " chosen" : "");
        return set(path(name, mark(fig.y[i], 4)), { transform: `translate(${toX(v)} ${y})` });
      });
      strip.replaceChildren(
        draws("rect", { class: "plus", x: middle, ...half }),
        draws("rect", { class: "minus", x: 8, ...half }),
        path("line", `M${middle} 4V${high - 4}`),
        ...[-most, 0, most].map((v) => text(toX(v), high + 12, num(v, 3))),
        ...marks,
      );
    },
  };
}

const PANELS = {
  plane: (fig) => planePanel(fig, false),
  region: (fig) => planePanel(fig, true),
  angle: anglePanel,
  errors: errorsPanel,
  ledger: ledgerPanel,
  alpha: alphaPanel,
  model: modelPanel,
};

// ---------------------------------------------------------------------------- the figure

const [MOST_SAMPLES, MOST_UPDATES] = [1000, 100000];
const [SHARE, PATIENCE] = [8, 4000]; // ms: of computing in a frame, of waiting for Python

const ICONS = {
  back: "M15 5v14l-9-7zM5 5v14",
  play: "M8 5v14l11-7z",
  pause: "M8 5v14M16 5v14",
  step: "M9 5v14l9-7zM19 5v14",
};

/** What the panels ask: the samples, the run, and everything about step t. */
function createFigure(model) {
  const words = model.get("words");
  const fig = { t: 0, chosen: 0, ledger: null, best: null, initial: null };
  let [gramNow, scoresNow] = [null, null];
  const is = (algorithm) => fig.settings.algorithm === algorithm;

  fig.say = (key, values = {}) =>
    (words[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name]);
  fig.mistakes = (k) => fig.say(["no_mistake", "one_mistake"][k] ?? "mistakes", { k });
  fig.shape = (i) => fig.say(fig.y[i] > 0 ? "circle" : "cross");
  fig.kind = (i) => (fig.y[i] > 0 ? "pos" : "neg") + (fig.wrong(i) ? " wrong" : "");
  fig.x = (i) => [1, ...fig.points[i]];
  fig.w = (t = fig.t) => (is("model") ? fig.settings.w : fig.W.slice(3 * t, 3 * t + 3));
  fig.G = () => (gramNow ??= gram(fig.points, fig.settings.kernel));
  fig.state = () =>
    is("dual") ? dual(fig.G(), fig.y, fig.settings) : primal(fig.X, fig.y, fig.settings);
  /** The sample that corrects; of a run that was cut, the one that would. */
  fig.pick = () => fig.run.picks[fig.t] ?? (fig.run.next >= 0 ? fig.run.next : null);
  fig.alpha = (t) => {
    const alpha = new Array(fig.n).fill(0);
    for (let k = 0; k < t; k++) alpha[fig.run.picks[k]] += fig.settings.rate;
    return alpha;
  };
  fig.score = (i) => {
    if (scoresNow?.t !== fig.t) {
      if (is("dual")) {
        const state = fig.state();
        fig.run.picks.slice(0, fig.t).forEach(state.correct);
        scoresNow = Array.from(state.scores, (s) => s + state.b);
      } else {
        const w = fig.w();
        scoresNow = fig.points.map((_, k) => score(w, fig.X, k));
      }
      scoresNow.t = fig.t;
    }
    return scoresNow[i];
  };
  fig.wrong = (i) => !(fig.y[i] * fig.score(i) > 0);
  /** Weights that separate the samples: Python's if they still do, or the last of the run. */
  fig.separator = () => {
    const separates = (w) => fig.y.every((label, i) => label * score(w, fig.X, i) > 0);
    return [fig.run.w_f, fig.w(fig.T)].find((w) => w && separates(w)) ?? null;
  };

  fig.load = () => {
    const names = ["points", "labels", "settings", "run"];
    const state = structuredClone(Object.fromEntries(names.map((name) => [name, model.get(name)])));
    fig.initial ??= structuredClone(state);
    Object.assign(fig, { settings: state.settings, box: state.settings.box, rev: model.get("rev") });
    fig.samples(state.points, state.labels);
  };
  fig.samples = (points, y) => {
    Object.assign(fig, { points, y, n: y.length, X: points.flatMap((p) => [1, ...p]) });
    fig.chosen = Math.min(fig.chosen, fig.n - 1);
    fig.touch();
  };
  fig.touch = () => (gramNow = scoresNow = null);
  fig.adopt = (run) => {
    Object.assign(fig, { run, T: run.picks.length, W: run.W ?? run.state.W });
    if (!fig.W) {
      const line = primal(fig.X, fig.y, fig.settings);
      run.picks.forEach(line.correct);
      fig.W = line.W;
    }
    if (is("pocket")) fig.best = pocket(run.errors);
    fig.t = Math.max(0, Math.min(fig.t, fig.T));
    run.X = fig.X; // which samples it is about
    scoresNow = null;
  };
  /** Python's run, replayed. If it is none of PLA's, it comes with its weights. */
  fig.replay = (given) => {
    const { w_f, separable } = given;
    const now = fig.run;
    const same = now?.X === fig.X && !given.W && !now.foreign &&
      (now.next === null) === given.converged && now.picks.join() === given.picks.join();
    const run = same ? now : replay(fig.state(), fig.n, given);
    if (given.W) {
      const wrong = (w) => (i) => !(fig.y[i] * score(w, fig.X, i) > 0);
      const errors = given.W.map((w) => count(fig.n, wrong(w)));
      Object.assign(run, { W: given.W.flat(), errors, foreign: true });
    }
    Object.assign(run, { w_f, separable });
    if (!same) fig.adopt(run);
  };
  return fig;
}

/** The sentences under the figure: what this step does, in words and numbers. */
function sentence(fig) {
  const { say, t, T, run } = fig;
  const { algorithm, rate } = fig.settings;
  const [byHand, tallied] = [algorithm === "model", algorithm === "dual"];
  const w = fig.w();
  const exact = (v) => v.every((a) => num(a) === num(a, 17));
  /** w₀ + w₁·x₁ + w₂·x₂ = s, or ≈ if a number was rounded to show it. */
  const sum = (x, s) => {
    const product = (j) =>
      `${w[j] < 0 ? "−" : "+"} ${num(Math.abs(w[j]))}·${x[j] < 0 ? `(${num(x[j])})` : num(x[j])}`;
    return `${num(w[0])} ${product(1)} ${product(2)} ${exact([...w, ...x, s]) ? "=" : "≈"} ${num(s)}`;
  };
  const about = (i) => {
    const s = fig.score(i);
    const values = { i, shape: fig.shape(i), x: tuple(fig.points[i]), label: signed(fig.y[i]) };
    const verdict = s === 0 ? "zero" : fig.wrong(i) ? "wrong" : "right";
    return [say("scores", { ...values, s: tallied ? num(s) : sum(fig.x(i), s) }), say(verdict, values)];
  };
  if (byHand) {
    const mistakes = fig.mistakes(count(fig.n, fig.wrong));
    return [say("weights_are", { w: tuple(w), mistakes }), ...about(fig.chosen)];
  }
  const mistakes = fig.mistakes(run.errors[t]);
  const said = [say(tallied ? "tally_is" : "step_is", { t, w: tuple(w), mistakes })];
  if (fig.best)
    said.push(say("best_is", { mistakes: fig.mistakes(run.errors[fig.best[t]]), t: fig.best[t] }));
  const i = fig.pick();
  if (i !== null) said.push(...about(i));
  if (t === T) {
    const left = say(run.separable === false ? "never" : "cut", { T, mistakes });
    return [...said, run.next === null ? say("ends", { T }) : left];
  }
  if (tallied) {
    const a = fig.alpha(t)[i];
    said.push(say("counts", { i, a: num(a), a2: num(a + rate) }));
  } else said.push(say(fig.y[i] > 0 ? "adds" : "subtracts", { w: tuple(fig.w(t + 1)) }));
  if (fig.ledger && t) {
    const row = Object.entries(fig.ledger).map(([name, side]) => [name, side ? num(side[t]) : "–"]);
    said.push(say("ledger_is", Object.fromEntries(row)));
  }
  return said;
}

/** The caption of the angle: which kind of mistake, and what the update does to the angle. */
function angleSentence(fig) {
  const i = fig.pick();
  if (i === null || fig.t === fig.T) return fig.say("no_angle");
  const x = fig.x(i);
  const degrees = (u) => {
    const cosine = Math.max(-1, Math.min(1, dot(u, x) / norm(u) / norm(x)));
    return ((Math.acos(cosine) * 180) / Math.PI).toFixed(0);
  };
  if (!norm(fig.w())) return fig.say("angle_from_zero");
  const [a, b] = [degrees(fig.w()), degrees(fig.w(fig.t + 1))];
  return fig.say(fig.y[i] > 0 ? "angle_shrinks" : "angle_grows", { a, b });
}

/** Put the panels and the controls into `el`; what happens on a press is not decided here. */
function layOut(fig, el, panels, plane) {
  const { say, settings } = fig;
  const named = (name, key, attributes, ...children) =>
    make(name, { "aria-label": say(key), ...attributes }, ...children);
  const button = (key, ...content) =>
    content.length
      ? named("button", key, { type: "button", title: say(key) }, ...content)
      : make("button", { type: "button" }, say(key));
  const select = (options) =>
    make("select", {}, ...options.map(([value, text]) => make("option", { value }, text)));
  const labelled = (key, node) => make("label", { class: "choice" }, say(key), node);
  const glyph = (label) => icon(mark(label, 5), "-8 -8 16 16", "glyph");
  const parts = {
    back: button("back", icon(ICONS.back)),
    play: button("play", icon(ICONS.play)),
    next: button("step", icon(ICONS.step)),
    slider: named("input", "scrubber", { type: "range", min: 0 }),
    at: make("output", { class: "at" }),
    words: make("p", { class: "words", "aria-live": "polite" }),
    note: make("p", { class: "note", role: "status" }),
    tools: {
      move: button("move"),
      add_positive: button("add_positive", say("add"), glyph(1)),
      add_negative: button("add_negative", say("add"), glyph(-1)),
      flip: button("flip"),
      delete: button("delete"),
    },
    rule: select(settings.rules.map((rule) => [rule, say(rule)])),
    speed: select([1, 5, 25].map((v) => [v, say("a_second", { v })])),
    fresh: button("random"),
    seed: make("input", { type: "number", min: 0, max: 9999, inputmode: "numeric" }),
    reset: button("reset"),
  };
  const { back, play, next, slider, at, words, note, rule, speed, fresh, seed, reset } = parts;
  for (const [name, node] of Object.entries(parts.tools)) node.dataset.tool = name;
  speed.value = window.matchMedia?.("(prefers-reduced-motion: reduce)").matches ? 1 : 5;

  const byHand = settings.algorithm === "model";
  const id = `keys${Math.random().toString(36).slice(2)}`;
  const keys = make("p", { class: "keys", id }, say("keys"));
  const group = (name, key, nodes) => named("div", key, { class: name, role: "group" }, ...nodes);
  const tools = group("tools", "tools", Object.values(parts.tools));
  const bar = group("bar", "controls", [back, play, next, slider, at]);
  const run = [labelled("order", rule), labelled("speed", speed)];
  const data = make("span", {}, fresh, labelled("seed", seed));
  const choices = make("div", { class: "choices" }, ...(byHand ? [] : run), data, reset);
  const main = make("div", { class: "main" }, ...(plane ? [plane.node, tools] : []));
  const others = panels.filter((panel) => panel !== plane).map((panel) => panel.node);
  const side = make("div", { class: "side" }, ...others);
  if (plane) set(plane.node, { "aria-describedby": id });
  const shape = "layout" + (others.length ? " wide" : "") + (plane ? "" : " flat");
  el.classList.add("pn-explorer");
  set(el, {
    role: "group",
    "aria-label": say("figure_label", { algorithm: say(settings.algorithm) }),
    "data-lm-suppress-shortcuts": "true", // or JupyterLab would take f or an arrow for its own
  });
  const rest = [...(byHand ? [] : [bar]), words, choices, keys, note];
  el.replaceChildren(make("div", { class: shape }, main, side, ...rest));
  return parts;
}

/** Let pointer, finger and keyboard change the samples. `act` says how, and whether they may. */
function hand(fig, plane, act) {
  const picture = plane.node;
  const nodes = plane.samples.childNodes;
  let dragged = null;
  const where = (event) => {
    const frame = picture.getBoundingClientRect();
    const k = WIDE / frame.width;
    const [x, y] = [(event.clientX - frame.left) * k, (event.clientY - frame.top) * k];
    let [near, least] = [null, 22 * k]; // a target of 44 px
    fig.points.forEach((p, i) => {
      const [a, b] = plane.screen(p);
      const d = Math.hypot(a - x, b - y);
      if (d < least) [near, least] = [i, d];
    });
    return { near, p: plane.place(x, y) };
  };
  const choose = (i) => {
    set(nodes[fig.chosen], { tabindex: -1 });
    fig.chosen = i;
    set(nodes[i], { tabindex: 0 }).focus({ preventScroll: true });
    fig.showStep();
  };

  // Chromium would pan the page and cancel the drag, whatever `touch-action` says.
  const hold = (event) => {
    const wanted = act.tool() !== "move" || where(event.touches[0]).near !== null;
    if (act.may() && event.touches.length === 1 && wanted) event.preventDefault();
  };
  picture.addEventListener("touchstart", hold, { passive: false });
  picture.addEventListener("pointerdown", (event) => {
    if (event.button || !act.may()) return;
    const { near, p } = where(event);
    const tool = act.tool();
    if (tool === "add_positive") act.add(p, 1);
    else if (tool === "add_negative") act.add(p, -1);
    else if (near === null) return;
    else if (tool === "flip") act.flip(near);
    else if (tool === "delete") act.remove(near);
    else {
      event.preventDefault();
      dragged = near;
      picture.setPointerCapture(event.pointerId);
      set(picture, { "data-dragging": "" });
      choose(near);
    }
  });
  picture.addEventListener("pointermove", (event) => {
    if (dragged !== null) act.move(dragged, where(event).p);
  });
  const drop = () => {
    dragged = null;
    set(picture, { "data-dragging": null });
  };
  picture.addEventListener("pointerup", drop);
  picture.addEventListener("pointercancel", drop);

  picture.addEventListener("keydown", (event) => {
    const i = [...nodes].indexOf(document.activeElement);
    if (i < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = fig.settings.grid * (event.shiftKey ? 1 : 4);
    const [x, y] = fig.points[i];
    const goes = { n: () => choose((i + 1) % fig.n), p: () => choose((i + fig.n - 1) % fig.n) };
    const edits = {
      ArrowLeft: () => act.move(i, [x - by, y]),
      ArrowRight: () => act.move(i, [x + by, y]),
      ArrowDown: () => act.move(i, [x, y - by]),
      ArrowUp: () => act.move(i, [x, y + by]),
      f: () => act.flip(i),
      "+": () => act.add([x + 4 * by, y], 1),
      "-": () => act.add([x + 4 * by, y], -1),
      Delete: () => act.remove(i),
      Backspace: () => act.remove(i),
    };
    const does = goes[event.key] ?? (act.may() ? edits[event.key] : null);
    if (!does) return;
    event.preventDefault();
    does();
    // The sample in hand may be a new one, which is drawn in the next frame.
    const follow = () => nodes[fig.chosen].focus({ preventScroll: true });
    if (edits[event.key]) requestAnimationFrame(follow);
  });
}

/** Build the figure in `el`, and keep it and the model in step. */
function render({ model, el }) {
  const fig = createFigure(model);
  fig.load();
  const { say } = fig;
  const first = structuredClone(fig.settings);
  const byHand = first.algorithm === "model";
  const panels = first.panels.map((name) => PANELS[name](fig));
  const plane = panels.find((panel) => panel.samples);
  const parts = layOut(fig, el, panels, plane);
  const { back, play, next, slider, at, words, note, rule, speed, fresh, seed, reset } = parts;
  const tools = Object.entries(parts.tools);
  let [tool, limit, work, playing] = ["move", first.at_most, null, null];
  let [kernelAnswers, frame, waiting, due] = [false, 0, 0, false];

  // ------------------------------------------------------------------ showing
  const pageKnows = () => !fig.settings.own && fig.settings.rule in RULES;
  const more = () => fig.run.next !== null && fig.T < MOST_UPDATES && pageKnows();
  const may = () => !fig.settings.own || (fig.settings.own === "python" && kernelAnswers);

  fig.showStep = () => {
    for (const panel of panels) panel.step();
    set(slider, { max: fig.T, "aria-valuetext": say("of", fig) });
    slider.value = fig.t;
    at.textContent = say("of", { t: fig.t, T: fig.T + (fig.run.next === null ? "" : "…") });
    back.disabled = fig.t === 0;
    next.disabled = fig.t === fig.T && !more();
    words.textContent = sentence(fig).join(" ");
  };
  function show() {
    for (const panel of panels) panel.data();
    rule.value = fig.settings.rule;
    seed.value = fig.settings.seed;
    for (const node of [...Object.values(parts.tools), rule, seed, fresh]) node.disabled = !may();
    const why = fig.settings.own === "look" ? "look_only" : "own_needs_python";
    if (!may()) note.textContent = say(why);
    fig.showStep();
  }
  function take(name) {
    tool = name;
    for (const [key, node] of tools) set(node, { "aria-pressed": key === name });
  }

  // ------------------------------------------------------------------ time
  fig.go = (t) => {
    t = Math.max(0, Math.min(t, fig.T));
    if (t === fig.t) return;
    fig.t = t;
    fig.showStep();
    model.set("step", t);
    model.save_changes();
  };
  function forward() {
    if (fig.t === fig.T && more()) extend();
    fig.go(fig.t + 1);
  }
  function announce(key, live) {
    set(words, { "aria-live": live });
    set(play, { "aria-label": say(key), title: say(key) }).replaceChildren(icon(ICONS[key]));
  }
  function stop() {
    clearInterval(playing);
    playing = null;
    announce("play", "polite");
  }
  function start() {
    clearInterval(playing);
    if (fig.t === fig.T && !more()) fig.go(0);
    announce("pause", "off");
    const beat = () => (fig.t === fig.T && !more() ? stop() : forward());
    playing = setInterval(beat, 1000 / speed.value);
  }

  // ------------------------------------------------------------------ computing
  function begun() {
    return (work = begin(fig.state(), fig.n, RULES[fig.settings.rule](fig.n, fig.settings.seed)));
  }
  /** One frame's share of the run; the rest follows in the next ones, so that nothing freezes. */
  function compute() {
    cancelAnimationFrame(frame);
    advance(work, limit, performance.now() + SHARE);
    fig.adopt(work);
    show();
    if (work.next !== null && fig.T < limit) frame = requestAnimationFrame(compute);
  }
  /** Go on with a run that was cut, by as many updates as it had at most. */
  function extend() {
    limit = Math.min(fig.T + first.at_most, MOST_UPDATES);
    fig.settings.at_most = limit;
    if (work !== fig.run) advance(begun(), fig.T); // the run was Python's
    publish();
    compute();
  }
  /** Tell the model. ipywidgets keeps one message on its way, and of those that wait the latest. */
  function publish() {
    fig.touch();
    fig.rev = model.get("rev") + 1;
    const { points, y: labels, t: step, rev } = fig;
    model.set({ points, labels, step, rev, settings: { ...fig.settings } });
    model.save_changes();
    clearTimeout(waiting);
    if (kernelAnswers) waiting = setTimeout(() => hear(false), PATIENCE);
  }
  /** After an edit: the page's own run at once, and Python's as soon as it answers. */
  function changed(known = null) {
    note.textContent = "";
    if (!known && !kernelAnswers && !(fig.settings.rule in RULES)) {
      fig.settings.rule = "in_turn";
      note.textContent = say("rule_needs_python");
    }
    publish();
    if (known) fig.replay(known);
    if (known || byHand) return show();
    if (!pageKnows()) return; // Python does
    begun();
    compute();
  }
  function edit(points, labels, chosen) {
    fig.chosen = chosen;
    fig.samples(points, labels);
    if (due) return;
    due = true; // at most once a frame
    requestAnimationFrame(() => {
      due = false;
      changed();
    });
  }

  // ------------------------------------------------------------------ what a reader does
  const snap = (p) => {
    const { grid } = fig.settings;
    const within = (v, least, most) =>
      grid * Math.max(Math.ceil(least / grid), Math.min(Math.floor(most / grid), Math.round(v / grid)));
    const [left, right, low, high] = fig.box;
    return [within(p[0], left, right), within(p[1], low, high)];
  };
  const act = {
    tool: () => tool,
    may,
    move: (i, p) => edit(fig.points.map((q, k) => (k === i ? snap(p) : q)), fig.y, i),
    flip: (i) => edit(fig.points, fig.y.map((v, k) => (k === i ? -v : v)), i),
    add(p, label) {
      if (fig.n < MOST_SAMPLES) edit([...fig.points, snap(p)], [...fig.y, label], fig.n);
      else note.textContent = say("too_many", { most: MOST_SAMPLES });
    },
    remove(i) {
      const but = (list) => list.filter((_, k) => k !== i);
      if (fig.n > 1) edit(but(fig.points), but(fig.y), Math.min(i, fig.n - 2));
      else note.textContent = say("one_stays");
    },
  };
  function randomData(number) {
    const { grid, random } = fig.settings;
    fig.settings.seed = number;
    fig.t = 0;
    const { points, labels } = draw(Math.max(fig.n, 2), number, fig.box, grid, random);
    edit(points, labels, 0);
  }
  function startAnew() {
    if (fig.settings.own === "look") return fig.go(0);
    const { points, labels, settings, run } = structuredClone(fig.initial);
    Object.assign(fig, { settings, box: settings.box, t: 0 });
    limit = settings.at_most;
    fig.samples(points, labels);
    return changed(run);
  }
  fig.weigh = (w) => {
    model.set("settings", { ...fig.settings, w });
    onSettings();
    model.save_changes();
  };
  const onKey = (event) => {
    // Space plays, except where it already means something.
    const busy = event.target.closest("button, select, input:not([type=range])");
    if (event.key !== " " || byHand || busy) return;
    event.preventDefault();
    play.click();
  };
  const pairs = [
    [back, "click", () => fig.go(fig.t - 1)],
    [play, "click", () => (playing ? stop() : start())],
    [next, "click", forward],
    [slider, "input", () => fig.go(+slider.value)],
    [speed, "change", () => playing && start()],
    [fresh, "click", () => randomData(fig.settings.seed + 1)],
    [seed, "change", () => randomData(Math.max(0, Math.floor(+seed.value) || 0))],
    [reset, "click", startAnew],
    [el, "keydown", onKey],
    ...tools.map(([name, node]) => [node, "click", () => take(name)]),
  ];
  for (const [node, event, f] of pairs) node.addEventListener(event, f);
  rule.addEventListener("change", () => {
    fig.settings.rule = rule.value;
    changed();
  });
  if (plane) hand(fig, plane, act);

  // ------------------------------------------------------------------ what Python does
  /** Only an answer proves that there is a kernel; silence for a while, that there is none. */
  function hear(answer) {
    clearTimeout(waiting);
    if (kernelAnswers === answer) return;
    kernelAnswers = answer;
    if (fig.settings.own) show();
    else if (!answer && !pageKnows()) changed(); // nobody else will
    note.textContent = answer ? "" : say("python_silent");
  }
  function onRun() {
    const run = model.get("run");
    if (run.rev !== fig.rev) return; // about samples that have changed since
    hear(true);
    fig.replay(run);
    show();
  }
  function onRev() {
    if (model.get("rev") === fig.rev) return; // our own edit
    fig.load();
    limit = fig.settings.at_most;
    if (model.get("run").rev === fig.rev) fig.replay(model.get("run"));
    else if (pageKnows()) fig.adopt(advance(begun(), limit)); // an edit in another view
    onStep(show);
  }
  function onStep(draws = fig.showStep) {
    fig.t = Math.max(0, Math.min(model.get("step"), fig.T));
    draws();
  }
  function onSettings() {
    if (!byHand) return;
    fig.settings = { ...model.get("settings") };
    fig.touch();
    fig.showStep();
  }
  const events = {
    "msg:custom": () => hear(true),
    "change:run": onRun,
    "change:rev": onRev,
    "change:step": () => onStep(),
    "change:settings": onSettings,
  };
  for (const [name, f] of Object.entries(events)) model.on(name, f);

  take("move");
  fig.replay(model.get("run"));
  onStep(show);
  model.send({ hello: true });
  return () => {
    stop();
    cancelAnimationFrame(frame);
    clearTimeout(waiting);
    el.removeEventListener("keydown", onKey);
    for (const [name, f] of Object.entries(events)) model.off(name, f);
  };
}

export default { render };
