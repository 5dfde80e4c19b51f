// What the figure consists of: tools to draw with, then its panels, each of which draws one view of
// the run. They ask the `fig` of explorer.js, and compute with algorithms.js.

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
  /** What one sample's kernel adds everywhere, and the bias with it. */
  function column(i) {
    const key = fig.points[i].join();
    if (!columns.has(key)) {
      const at = (k) => onGrid(k % side, Math.floor(k / side));
      const k = (_, p) => fig.bias + kernel(fig.points[i], at(p), fig.settings.kernel);
      columns.set(key, Float64Array.from({ length: side * side }, k));
    }
    return columns.get(key);
  }
  function drawRegion() {
    const s = new Float64Array(side * side);
    fig.tally().alpha.forEach((a, i) => {
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
    const [w, pick] = [fig.line(), fig.pick()];
    const now = cut(w, box);
    const ends = now.ends.map(screen);
    const straight = (v) => chain(cut(v, box).ends.map(screen));
    set(plus, { d: polygon(now.plus.map(screen)) });
    set(minus, { d: polygon(now.minus.map(screen)) });
    set(line, { d: chain(ends) });
    set(after, { d: pick === null || fig.t === fig.T ? "" : straight(fig.line(fig.t + 1)) });
    set(best, { d: fig.best ? straight(fig.line(fig.best[fig.t])) : "" });
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
      const size = `${r} ${box}`;
      while (samples.childNodes.length > fig.n) samples.lastChild.remove();
      while (samples.childNodes.length < fig.n) samples.append(draws("path", { role: "button" }));
      fig.points.forEach((p, i) => {
        const [label, sample, was] = [fig.y[i], samples.childNodes[i], drawn[i]];
        set(sample, { tabindex: i === fig.chosen ? 0 : -1 });
        if (was?.p === p && was.label === label && was.size === size) return;
        drawn[i] = { p, label, size };
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
      const { alpha } = fig.tally();
      const counts = fig.points.map((p, i) => {
        const [x, y] = screen(p);
        return alpha[i] ? text(x + 9, y - 9, `α = ${num(alpha[i])}`, "start") : "";
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

const LEVELS = ["level0", "level1", "level2", "level3", "level4"]; // in full, as in the stylesheet

/** The tally as bars, and the Gram matrix with the row that the update adds. */
function alphaPanel(fig) {
  const [bars, matrix] = [canvas(110), draws("svg", { class: "gram", role: "img" })];
  const below = make("div", {}, caption(fig.say("gram_title")), matrix);
  const row = draws("rect", { class: "ring", x: 0 });
  set(matrix, { "aria-label": fig.say("gram_title") });
  let [cell, most] = [1, 1];
  return {
    node: make("div", { class: "stack" }, make("div", {}, caption(fig.say("alpha_title")), bars), below),
    data() {
      const n = fig.n;
      most = Math.max(1, ...fig.run.state.alpha);
      below.hidden = n > 60;
      if (n > 60) return;
      const G = fig.G();
      const largest = Math.max(...G.map(Math.abs)) || 1;
      const levels = {};
      const numbers = [];
      cell = Math.min(30, 220 / n);
      G.forEach((g, k) => {
        // A negative entry is a smaller square, so that its sign does not hang on a colour.
        const level = `${g < 0 ? "neg" : "pos"} ${LEVELS[Math.ceil(4 * Math.sqrt(Math.abs(g) / largest))]}`;
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
      const [{ alpha }, pick, base, tall] = [fig.tally(), fig.pick(), 90, 78];
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
  // The threshold is minus w₀; 0 − w makes no −0 of a 0.
  const turned = (name, value) => (name === "threshold" ? 0 - value : value);
  const sliders = ["threshold", "w1", "w2"].slice(3 - fig.m).map((name, j) => {
    const input = make("input", { type: "range", step: "any" });
    const output = make("output");
    const weigh = (value) =>
      fig.weigh(fig.settings.w.map((old, k) => (k === j ? turned(name, value) : old)));
    input.addEventListener("input", () => weigh(+(+input.value).toPrecision(3)));
    input.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const value = +input.value + (by * (input.max - input.min)) / 40;
      weigh(Math.max(input.min, Math.min(input.max, +value.toPrecision(3))));
    });
    return { name, input, output, node: make("label", { class: "slider" }, fig.say(name), input, output) };
  });
  const scores = make("div", {}, caption(fig.say("scores_title")), strip);
  return {
    node: make("div", { class: "stack" }, ...sliders.map((one) => one.node), equation, scores),
    data() {
      const [w0, ...w] = fig.padded(fig.initial.settings.w).map(Math.abs);
      const turn = 2 * Math.max(1, ...w);
      const shift = Math.max((turn / 2) * Math.max(...fig.box.map(Math.abs)), 2 * w0);
      for (const { name, input } of sliders) {
        const most = name === "threshold" ? shift : turn;
        set(input, { min: -most, max: most });
      }
    },
    step() {
      const w = fig.w();
      sliders.forEach(({ name, input, output }, j) => {
        input.value = turned(name, w[j]);
        output.textContent = num(turned(name, w[j]));
      });
      const [w0, w1, w2] = fig.line();
      const values = { w0: num(w0), w1: signed(w1), w2: signed(w2), threshold: num(0 - w0) };
      equation.textContent = fig.bias
        ? fig.say("equation", values)
        : fig.say("equation_through_origin", { ...values, w1: num(w1) });
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
