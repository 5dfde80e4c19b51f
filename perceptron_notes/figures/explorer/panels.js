// What the figure consists of: its panels, each of which draws one view of the run. They ask the
// `fig` of figure.js, and compute with algorithms.js.
//
// A panel is {node, data(), step(), fit(wide)}: what to draw when the samples change, when the step
// does, and how wide it is in pixels, which are the units of its pictures.

import { kernel } from "./algorithms.js";
import { chain, corners, cut, dot, norm, polygon, region, two } from "./geometry.js";
import {
  LEFT, TOP, WIDE, along, arrowPath, canvas, caption, circle, createFrame, draws, heading, make, mark,
  num, path, set, short, signed, sized, slides, square, text, ticks, tuple, unbroken,
} from "./draw.js";
import { angleSentence, summary } from "./figure.js";

const [ARROW, BELOW] = [46, 22]; // px: how long the arrow of w is; room for the numbers below a curve

/** The samples in their plane, and what the weights make of it: a line, or a kernel's region. */
function planePanel(fig) {
  const { say } = fig;
  const node = draws("svg", { class: "plane", role: "group", "aria-label": `${say("plane_label")}: ${fig.settings.names.join(", ")}` });
  const [samples, tally, lines] = ["samples", "tally", "words"].map((name) => draws("g", { class: name }));
  const names = ["minus", "plus", "line best", "line after", "line", "arrow", "why", "sent"];
  const [minus, plus, best, after, line, arrow, why, sent] = names.map((name) => path(name));
  // What a pointer takes hold of: wider than the line and the arrow that are seen.
  const [gripLine, gripArrow] = [path("grip"), path("grip")];
  const ring = draws("circle", { class: "ring" });
  set(samples, { role: "listbox", "aria-label": say("samples_label") });
  const frame = createFrame(node);
  const { screen, place, inside } = frame;
  node.append(minus, plus, best, after, line, arrow, gripLine, gripArrow, why, ring, sent, lines, tally, samples);
  const side = 57; // of the grid on which a kernel's scores are computed
  let drawn = []; // what each mark shows, so that only what has changed is drawn anew
  let [box, wide, grid, columns, known] = [null, WIDE, [], new Map(), null];
  let [foot, ticking, shown] = [null, 0, { t: -1, run: null }]; // of the arrow; a frame; what was drawn
  let turns = false; // whether the line may be taken in hand
  const onGrid = (c, r) =>
    [box[0] + (c / (side - 1)) * (box[1] - box[0]), box[2] + (r / (side - 1)) * (box[3] - box[2])];

  /** What one sample's kernel adds everywhere, and the bias with it. */
  function column(i) {
    const key = fig.points[i].join();
    if (!columns.has(key)) {
      if (!grid.length) for (let k = 0; k < side * side; k++) grid.push(onGrid(k % side, Math.floor(k / side)));
      columns.set(key, new Float64Array(grid.map((p) => fig.bias + kernel(fig.points[i], p, fig.settings.kernel))));
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
    for (const none of [after, best, arrow]) set(none, { d: "" });
    lines.replaceChildren();
  }
  const straight = (w) => chain(cut(w, box).ends.map(screen));
  function drawLine() {
    const next = fig.pick() === null || fig.t === fig.T ? null : fig.line(fig.t + 1);
    const kept = fig.best ? fig.line(fig.best[fig.t]) : null;
    drawSides(fig.line());
    set(after, { d: next ? straight(next) : "" });
    set(best, { d: kept ? straight(kept) : "" });
    set(sent, { d: "" });
    const taken = [...fig.points.map(screen), ...(foot ?? [])];
    const named = (w, key) =>
      w && wide > 280 ? along(cut(w, box).ends.map(screen), say(key), "", taken, frame.frame()) : "";
    const [[x, y], [p, q]] = foot ?? [[0, 0], [0, 0]];
    const w = text(p + 0.26 * (p - x), q + 0.26 * (q - y) + 4, "w", "middle", "word class3");
    lines.replaceChildren(foot ? w : "", ...sides(), named(next, "line_after"), fig.best?.[fig.t] === fig.t ? "" : named(kept, "line_best"));
  }
  /** What the two sides are called, each in the corner that lies deepest in it. */
  function sides() {
    const [u, v, w] = fig.line();
    const scored = corners(box).map((p) => ({ p, s: u + v * p[0] + w * p[1] }));
    return (fig.settings.sides ?? []).map((word, side) => {
      const { p, s } = scored.reduce((a, b) => ((side ? b.s > a.s : b.s < a.s) ? b : a));
      if (side ? s <= 0 : s >= 0) return "";
      const [x, y] = screen(p);
      const [end, low] = [p[0] === box[1], p[1] === box[2]];
      return text(x + (end ? -6 : 7), y + (low ? -8 : end ? 14 : 31), word, end ? "end" : "start", `word class${1 - side}`);
    });
  }
  /** The line of these weights, its two sides, and its arrow. */
  function drawSides(w) {
    const now = cut(w, box);
    set(plus, { d: polygon(now.plus.map(screen)) });
    set(minus, { d: polygon(now.minus.map(screen)) });
    set(line, { d: straight(w) });
    const found = now.ends.length < 2 ? null : normal(w, now.ends.map(screen));
    foot = found;
    set(arrow, { d: found ? arrowPath(...found) : "" });
    reach();
    set(gripLine, { d: straight(w) });
    set(gripArrow, { d: found ? chain(found) : "" });
  }
  /** Let the keyboard come to the line and its arrow while they are there to be moved. */
  function reach() {
    const may = turns && foot;
    const w = may ? tuple(fig.w()) : null;
    for (const [grip, key] of [[gripLine, "grip_line"], [gripArrow, "grip_arrow"]]) {
      const said = { role: "slider", "aria-label": say(key), "aria-valuenow": 0, "aria-valuetext": w };
      const none = { role: null, "aria-label": null, "aria-valuenow": null, "aria-valuetext": null };
      set(grip, { tabindex: may ? 0 : null, ...(may ? said : none) });
    }
  }
  /** An arrow from the line to its positive side, where on the line it has room in the frame.
   *  @type {(w: number[], ends: number[][]) => [number[], number[]] | null} */
  function normal(w, [a, b]) {
    const length = Math.hypot(w[1], w[2]) / ARROW;
    /** @type {[number[], number[]][]} */
    const arrows = [0.5, 0.35, 0.65, 0.2, 0.8].map((f) => {
      const foot = [0, 1].map((j) => a[j] + f * (b[j] - a[j]));
      return [foot, [foot[0] + w[1] / length, foot[1] - w[2] / length]];
    });
    return arrows.find(([, [x, y]]) => inside(place(x, y))) ?? null;
  }
  /** Step t becomes step t + 1, seen when p of it is over, in three beats: what is added grows out of
   *  the sample; it goes to the tip of w; the line turns with w, and samples change as it passes. */
  function drawMoment(t, p) {
    const [w, next, i] = [fig.line(t), fig.line(t + 1), fig.run.picks[t]];
    const added = next.map((v, j) => v - w[j]);
    const turned = Math.max(0, 3 * p - 2);
    const now = w.map((v, j) => v + turned * added[j]);
    drawSides(now);
    for (const none of [after, why]) set(none, { d: "" });
    lines.replaceChildren();
    samples.childNodes.forEach((sample, k) => {
      const s = now[0] + now[1] * fig.points[k][0] + now[2] * fig.points[k][1];
      set(sample, { class: (fig.y[k] > 0 ? "pos" : "neg") + (fig.y[k] * s > 0 ? "" : " wrong") });
    });
    const from = screen(fig.points[i]);
    set(ring, { cx: two(from[0]), cy: two(from[1]), visibility: "visible" });
    const long = Math.hypot(added[1], added[2]);
    const unit = Math.min(ARROW / (Math.hypot(w[1], w[2]) || long), 120 / long); // both in one scale
    const [dx, dy] = [added[1] * unit, -added[2] * unit];
    const goal = foot && turned === 0 ? foot[1] : from;
    const [grown, gone] = [Math.min(1, 3 * p), Math.min(1, Math.max(0, 3 * p - 1))];
    const base = from.map((v, j) => v + gone * (goal[j] - v));
    const tip = [base[0] + grown * dx, base[1] + grown * dy];
    const d = long && turned === 0 ? arrowPath(base, tip) : "";
    set(sent, { d, class: `sent ${fig.y[i] > 0 ? "pos" : "neg"}` });
  }
  /** Move from step t to the next, in so many milliseconds. */
  function move(t, ms) {
    const begin = performance.now();
    const right = fig.points.map((_, i) => !samples.childNodes[i].classList.contains("wrong"));
    const tick = (now) => {
      const p = (now - begin) / ms;
      if (p < 1) {
        drawMoment(t, Math.max(0, p));
        ticking = requestAnimationFrame(tick);
        return;
      }
      panel.step();
      samples.childNodes.forEach((sample, i) => right[i] && fig.wrong(i) && sample.classList.add("broken"));
    };
    drawMoment(t, 0);
    ticking = requestAnimationFrame(tick);
  }
  /** The proof: a line between the classes, or where their hulls meet. */
  function drawProof() {
    const proof = fig.shownProof();
    set(why, { class: `why ${proof?.w ? "good" : ""}` });
    if (!proof) return set(why, { d: "" });
    if (proof.w) return set(why, { d: straight(fig.provenLine()) });
    const mirrored = (i) => (fig.bias || fig.y[i] > 0 ? fig.points[i] : fig.points[i].map((v) => -v));
    const hulls = [1, -1].map((label) => proof.samples.filter((i) => !fig.bias || fig.y[i] === label));
    const shapes = hulls.slice(0, 1 + fig.bias).map((some) => polygon(some.map((i) => screen(mirrored(i)))));
    const rings = proof.samples.map((i) => circle(screen(fig.points[i]), 11));
    return set(why, { d: [...shapes, ...rings].join("") });
  }

  const panel = {
    node,
    samples,
    screen,
    place,
    inside,
    /** What of the line a pointer is on: it shifts the line, or turns it about the arrow's foot. */
    grip: (target) => (target === gripLine ? "line" : target === gripArrow ? "arrow" : null),
    foot: () => place(foot[0][0], foot[0][1]),
    /** Let the keyboard come to the line and its arrow, or not. */
    turning(may) {
      turns = may;
      reach();
    },
    moment: drawMoment,
    fit(width) {
      wide = width;
      box = null;
    },
    data() {
      if (box !== fig.box) {
        [box, drawn, grid, columns] = [fig.box, [], [], new Map()];
        frame.draw(box, wide, fig.settings.names);
      }
      const k = JSON.stringify(fig.settings.kernel);
      if (columns.size > 400 || k !== known) [columns, known] = [new Map(), k];
      const r = (fig.n > 60 ? 5 : 7) * Math.min(1, wide / 450 + 0.15);
      const focused = samples.contains(document.activeElement);
      while (samples.childNodes.length > fig.n) samples.lastChild.remove();
      while (samples.childNodes.length < fig.n) samples.append(draws("path", { role: "option" }));
      fig.points.forEach((p, i) => {
        const [label, sample, was] = [fig.y[i], samples.childNodes[i], drawn[i]];
        const chosen = i === fig.chosen;
        set(sample, { tabindex: chosen ? 0 : -1, "aria-selected": chosen });
        if (was?.p === p && was.label === label) return;
        drawn[i] = { p, label };
        const [x, y] = screen(p).map(two);
        set(sample, { d: mark(label, two(label > 0 ? r : r * 0.85)), transform: `translate(${x} ${y})` });
      });
      // An undo may have taken the sample in focus away, or another one in hand.
      if (focused) samples.childNodes[fig.chosen].focus({ preventScroll: true });
    },
    step() {
      cancelAnimationFrame(ticking);
      const before = shown;
      shown = { t: fig.t, run: fig.run };
      // Names change at once, whoever listens.
      samples.childNodes.forEach((sample, i) => set(sample, { "aria-label": fig.sample(i) }));
      if (fig.pace && !fig.curved() && before.run === fig.run && before.t === fig.t - 1)
        return move(before.t, fig.pace);
      samples.childNodes.forEach((sample, i) => set(sample, { class: fig.kind(i) }));
      const about = fig.byHand() ? fig.chosen : fig.pick();
      const [cx, cy] = about === null ? [0, 0] : screen(fig.points[about]).map(two);
      set(ring, { cx, cy, r: 14, visibility: about === null ? "hidden" : "visible" });
      if (fig.curved()) drawRegion();
      else drawLine();
      drawProof();
      if (fig.settings.algorithm !== "dual" || fig.n > 30) return;
      const { alpha } = fig.tally();
      const taken = fig.points.map(screen);
      const counts = fig.points.map((p, i) => (alpha[i] ? near(screen(p), `α = ${num(alpha[i])}`, taken, frame.frame()) : ""));
      tally.replaceChildren(...counts);
    },
  };
  return panel;
}

/** A word at a sample: at the first of eight places around it that is free, else at the first.
 *  @type {(sample: number[], word: string, taken: number[][], frame: number[]) => Element} */
function near([x, y], word, taken, [left, right, top]) {
  const half = 3.4 * word.length;
  const places = [[1, -1], [-1, -1], [1, 1], [-1, 1], [0, -1], [0, 1], [1, 0], [-1, 0]].map(([u, v]) =>
    [x + u * (half + (v ? 6 : 16)), y + v * (u ? 13 : 23)]);
  const free = ([a, b]) => a - half > left && a + half < right && b > top &&
    taken.every(([p, q]) => Math.abs(p - a) > half + 8 || Math.abs(q - b) > 13);
  const place = places.find(free) ?? places[0];
  taken.push(place);
  return text(place[0], place[1] + 4, word, "middle", "word");
}

/** Where to write something: as near as it can be, but not upon what is written already.
 *  @type {(place: number[], taken: number[][], wide: number) => number[]} */
function clear([x, y], taken, wide) {
  while (taken.some(([a, b]) => Math.abs(a - x) < wide && Math.abs(b - y) < 16)) y += 17;
  taken.push([x, y]);
  return [x, y];
}

/** x, w before and w after, in the plane that they span: angles and lengths are true. */
function anglePanel(fig) {
  const high = 180;
  let wide = WIDE;
  const picture = canvas();
  const title = heading();
  return {
    node: make("div", { class: "linear" }, title, picture),
    fit: (width) => (wide = width),
    data() {},
    step() {
      const pick = fig.pick();
      title.textContent = unbroken(angleSentence(fig));
      set(sized(picture, wide, high), { "aria-label": title.textContent });
      picture.replaceChildren();
      if (pick === null || fig.t === fig.T) return;
      const x = fig.x(pick);
      const flat = (v) => {
        const along = dot(v, x) / norm(x);
        return [along, Math.sqrt(Math.max(dot(v, v) - along * along, 0))];
      };
      /** @type {[string, string, number[]][]} */
      const arrows = [
        ["x", fig.y[pick] > 0 ? "pos" : "neg", [norm(x), 0]],
        ["wₜ", "before", flat(fig.w())],
        ["wₜ₊₁", "after", flat(fig.w(fig.t + 1))], // on the same side of x
      ];
      const [xs, ys] = [0, 1].map((j) => [0, ...arrows.map(([, , v]) => v[j])]);
      const [low, upper, top] = [Math.min(...xs), Math.max(...xs), Math.max(...ys)];
      const scale = Math.min((wide - 90) / (upper - low || 1), (high - 56) / (top || 1));
      const origin = [(wide - (low + upper) * scale) / 2, (high + top * scale) / 2];
      const around = (r, turn) => [origin[0] + r * Math.cos(turn), origin[1] - r * Math.sin(turn)];
      const taken = [];
      arrows.forEach(([label, name, v], k) => {
        const [length, turn] = [norm(v) * scale, Math.atan2(v[1], v[0])];
        const r = 14 + 12 * k;
        const [lx, ly] = clear(around(length + 18, length ? turn : -Math.PI / 2), taken, 26);
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

/** Lines over the time of the run; a press on it goes to that step. `told` says what step t shows. */
function chart(fig, { title, high, lines, told, span = () => Math.max(fig.T, 1) }) {
  const label = heading();
  const [axes, cursor] = [draws("g", { class: "axes" }), path("cursor")];
  const picture = canvas("chart");
  const paths = lines.map(({ name }) => path(name));
  const dots = lines.map(({ name }) => draws("circle", { class: `dot ${name}`, r: 5 }));
  picture.append(axes, ...paths, cursor, ...dots);
  let [wide, tall, low, upper, values] = [WIDE, high, 0, 1, []];
  const base = () => TOP + tall;
  const right = () => wide - 14;
  const toX = (t) => two(LEFT + (t / span()) * (right() - LEFT));
  const toY = (v) => two(TOP + ((upper - v) / (upper - low)) * tall);
  const go = (event) => {
    const { left, width } = picture.getBoundingClientRect();
    const x = ((event.clientX - left) / width) * wide;
    fig.go(Math.round(((x - LEFT) / (right() - LEFT)) * span()));
  };
  picture.addEventListener("pointerdown", (event) => {
    picture.setPointerCapture(event.pointerId);
    go(event);
  });
  picture.addEventListener("pointermove", (event) => {
    if (picture.hasPointerCapture(event.pointerId)) go(event);
  });

  /** A cross at each value, while they stand apart. */
  const crosses = (row) => (toX(1) - toX(0) < 7 ? "" : row.map((v, t) => `M${toX(t) - 3} ${toY(v) - 3}l6 6m0-6l-6 6`).join(""));
  /** Of a long run, each pixel gets the least and the greatest of its values. */
  function line(row, stairs) {
    const every = Math.ceil(row.length / wide);
    let d = "";
    for (let t = 0; t < row.length; t += every) {
      const some = every > 1 ? row.slice(t, t + every) : [row[t]];
      const [x, y] = [toX(t), toY(Math.min(...some))];
      d += !d ? `M${x} ${y}` : stairs ? `H${x}V${y}` : `L${x} ${y}`;
      if (every > 1) d += `V${toY(Math.max(...some))}`;
    }
    return d;
  }
  return {
    node: make("div", {}, label, picture),
    picture,
    fit(width, height) {
      wide = width;
      tall = height ? Math.max(24, height - label.offsetHeight - BELOW - TOP) : high;
    },
    data() {
      values = lines.map(({ of }) => of() ?? []);
      const reach = (row) => row.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [0, 0]);
      const limits = values.map(reach);
      low = Math.min(...limits.map(([a]) => a));
      upper = Math.max(...limits.map(([, b]) => b));
      if (upper === low) upper = low + 1;
      sized(picture, wide, base() + BELOW);
      paths.forEach((one, k) => set(one, { d: line(values[k], lines[k].stairs) + (lines[k].name === "reach" ? crosses(values[k]) : "") }));
      const steps = ticks(0, span(), wide / 70).filter(Number.isInteger);
      const names = lines.map(({ word, at = 0 }, k) => {
        const t = Math.round(Math.abs(at) * (values[k].length - 1));
        return at && text(toX(t), toY(values[k][t]) + (at < 0 ? 17 : -8), fig.say(word), at < 0 ? "start" : "end", "word");
      });
      const time = fig.say("time");
      const name = [...time].reduce((sum, sign) => sum + (sign > "\u2e80" ? 15 : 8), 0);
      const room = right() - name - 8; // the name of the axis is at its end
      axes.replaceChildren(
        path("", `M${LEFT} ${TOP}V${base()}H${right()}`),
        ...ticks(low, upper, tall / 24).map((v) => text(LEFT - 7, toY(v) + 4, short(v), "end")),
        ...steps.filter((t) => toX(t) < room).map((t) => text(toX(t), base() + 16, num(t))),
        text(right(), base() + 16, time, "end", "name"),
        ...names.filter(Boolean),
      );
    },
    step() {
      set(cursor, { d: `M${toX(fig.t)} ${TOP}V${base()}` });
      dots.forEach((dot, k) => {
        const v = values[k][fig.t];
        const shown = v === undefined ? "hidden" : "visible";
        set(dot, { visibility: shown, cx: toX(fig.t), cy: toY(v ?? low) });
      });
      const keys = lines.map(({ name, word }, k) => {
        const v = values[k][fig.t];
        const shown = word && v !== undefined;
        return shown ? make("span", { class: `key ${name}` }, `${fig.say(word)} ${num(v)}`) : "";
      });
      label.replaceChildren(title(), ...keys);
      set(picture, { "aria-label": told() });
    },
  };
}

/** Mistakes at each step, and the pocket's: the track of the scrubber. */
export function trackPanel(fig) {
  const watched = fig.settings.algorithm === "pocket";
  const now = { name: "line", stairs: true, word: watched && "now", of: () => fig.run.errors };
  const best = () => fig.best.map((t) => fig.run.errors[t]);
  const kept = { name: "line best", stairs: true, word: "in_pocket", of: best };
  const title = () => fig.say("errors_title", { n: fig.n });
  return chart(fig, {
    title,
    told: () => `${title()}: ${fig.say("at_step", { what: fig.errors(), t: fig.t })}; ${summary(fig)}`,
    high: 40,
    lines: watched ? [now, kept] : [now],
  });
}

/** What the proof compares, at each step. Floats will do for a picture; `ledger` is exact. */
function squeeze(fig) {
  const f = fig.separator();
  if (!f) return null;
  const { rate } = fig.settings;
  const X = fig.points.map((_, i) => fig.x(i));
  const W = Array.from({ length: fig.T + 1 }, (_, t) => fig.w(t));
  const rho = Math.min(...X.map((x, i) => fig.y[i] * dot(f, x))) / norm(f);
  const R = Math.max(...X.map(norm));
  const reach = W.map((w) => dot(f, w) / norm(f));
  const length = W.map(norm);
  // From 0, floor and ceiling meet at (R / rho) ** 2: they are drawn up to there, unless that is far.
  const meet = Math.ceil((R / rho) ** 2);
  const end = length[0] || meet > 3 * fig.T ? fig.T : Math.max(fig.T, meet);
  const times = Array.from({ length: end + 1 }, (_, t) => t);
  const floor = times.map((t) => reach[0] + t * rate * rho);
  const ceiling = times.map((t) => Math.hypot(length[0], Math.sqrt(t) * rate * R));
  return { ceiling, length, reach, floor };
}

function ledgerPanel(fig) {
  // Each has the style that it has in the stills. Which is which is said at the line: above it
  // (at > 0) or below, after so much of its time.
  const styles = { ceiling: ["limit", 0.35], length: ["line", 0.75], reach: ["reach", -0.6], floor: ["line best", -0.8] };
  const lines = Object.entries(styles).map(([word, [name, at]]) => ({ name, word, at, of: () => fig.ledger[word] }));
  const now = () => lines.map(({ word }) => `${fig.say(word)} ${num(fig.ledger[word][fig.t])}`).join(", ");
  const curves = chart(fig, {
    title: () => fig.say("ledger_title"),
    told: () => `${fig.say("ledger_title")}: ${fig.say("at_step", { what: now(), t: fig.t })}`,
    high: 150,
    span: () => Math.max(fig.ledger.floor.length - 1, 1),
    lines,
  });
  const none = caption();
  return {
    node: make("div", { class: "linear" }, none, curves.node),
    timed: true,
    fit: curves.fit,
    data() {
      fig.ledger = squeeze(fig);
      none.hidden = Boolean(fig.ledger);
      curves.node.hidden = !fig.ledger;
      none.textContent = fig.say(fig.proof()?.samples ? "no_ledger" : "ledger_unknown");
      if (fig.ledger) curves.data();
    },
    step: () => fig.ledger && curves.step(),
  };
}

const LEVELS = ["level0", "level1", "level2", "level3", "level4"]; // in full, as in the stylesheet

/** The tally as bars, and the Gram matrix with the row that the update adds. */
function alphaPanel(fig) {
  const [bars, matrix] = [canvas(), canvas("gram")];
  const below = make("div", {}, heading(fig.say("gram_title")), matrix);
  const row = draws("rect", { class: "ring", x: 0 });
  set(matrix, { "aria-label": fig.say("gram_title") });
  let [cell, most, wide] = [1, 1, WIDE];
  return {
    node: make("div", { class: "stack matrix" }, make("div", { class: "bars" }, heading(fig.say("alpha_title")), bars), below),
    fit: (width) => (wide = bars.parentElement?.clientWidth || width),
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
      set(matrix, { viewBox: `-2 -2 ${size} ${size}`, width: size, height: size });
    },
    step() {
      const [{ alpha }, pick, base, tall] = [fig.tally(), fig.pick(), 90, 78];
      const [right, each] = [wide - 8, (wide - 8 - LEFT) / fig.n];
      const parts = ticks(0, most, 3).map((v) =>
        text(LEFT - 6, base + 4 - (v / most) * tall, num(v), "end"));
      alpha.forEach((a, i) => {
        const [x, width, height] = [LEFT + (i + 0.15) * each, 0.7 * each, (a / most) * tall];
        const bar = { class: `bar ${fig.y[i] > 0 ? "pos" : "neg"}`, x, y: base - height, width, height };
        if (a) parts.push(draws("rect", bar));
        if (i === pick) parts.push(path("ring", `M${x} ${base + 3}h${width}`));
        if (each > 17) parts.push(text(x + width / 2, base + 18, i + 1));
      });
      bars.replaceChildren(path("base", `M${LEFT} ${base}H${right}`), ...parts);
      const told = `${fig.say("alpha_title")}: ${tuple(alpha.slice(0, 30))}`;
      set(sized(bars, wide, 112), { "aria-label": told });
      const visibility = pick === null ? "hidden" : "visible";
      set(row, { visibility, y: (pick ?? 0) * cell, width: fig.n * cell, height: cell });
    },
  };
}

/** The largest of 1, 2, 5, 10, … that is at most v. */
const round = (v) => {
  const power = 10 ** Math.floor(Math.log10(v));
  return power * [5, 2, 1].find((k) => k * power <= v * (1 + 1e-9));
};

/** Chapter 1: threshold and weights by hand, and the score of every sample on one line. */
function modelPanel(fig) {
  const high = 104;
  let wide = WIDE;
  const strip = set(canvas(), { "aria-label": fig.say("scores_title") });
  const equation = make("p", { class: "equation" });
  // The threshold is minus w₀; 0 − w makes no −0 of a 0.
  const turned = (name, value) => (name === "threshold" ? 0 - value : value);
  const sliders = ["threshold", "w1", "w2"].slice(1 - fig.bias).map((name, j) => {
    const shown = make("span", { class: "echo", "aria-hidden": true }); // the slider says it
    const input = slides({ "aria-label": fig.say(name) }, (v, goesOn) => {
      const value = turned(name, +v.toPrecision(6));
      fig.weigh(fig.settings.w.map((old, k) => (k === j ? value : old)), goesOn);
    });
    return { name, input, shown, node: make("label", { class: "slider" }, fig.say(name), input, shown) };
  });
  const scores = make("div", {}, heading(fig.say("scores_title")), strip);
  return {
    node: make("div", { class: "stack" }, ...sliders.map((one) => one.node), equation, scores),
    fit: (width) => (wide = width),
    data() {
      const [w0, ...w] = fig.padded(fig.initial.settings.w).map(Math.abs);
      const most = 2 * Math.max(1, ...w);
      const shift = Math.max((most / 2) * Math.max(...fig.box.map(Math.abs)), 2 * w0);
      for (const { name, input } of sliders) {
        const limit = name === "threshold" ? shift : most;
        const step = round(limit / 40);
        const end = +(step * Math.ceil(limit / step)).toPrecision(6);
        set(input, { min: -end, max: end, step });
      }
    },
    step() {
      const w = fig.w();
      sliders.forEach(({ name, input, shown }, j) => {
        input.value = turned(name, w[j]);
        shown.textContent = num(turned(name, w[j]));
      });
      const [w0, w1, w2] = fig.line();
      const added = (w) => signed(w).replace(/./, "$& ");
      const values = { w0: num(w0), w1: added(w1), w2: added(w2), threshold: num(0 - w0) };
      const score = fig.bias
        ? fig.say("equation", values)
        : fig.say("equation_through_origin", { ...values, w1: num(w1) });
      equation.textContent = unbroken(score);
      const s = fig.points.map((_, i) => fig.score(i));
      const most = Math.max(...s.map(Math.abs)) || 1;
      const middle = wide / 2;
      const toX = (v) => two(middle + (v / most) * (middle - 24));
      const half = { y: 4, width: middle - 8, height: high - 8 };
      const marks = s.map((v, i) => {
        const y = high / 2 - 22 * fig.y[i] + ((i * 7) % 5) * 6 - 12; // spread, so that few overlap
        const name = fig.kind(i) + (i === fig.chosen ? " chosen" : "");
        return set(path(name, mark(fig.y[i], 4)), { transform: `translate(${toX(v)} ${y})` });
      });
      sized(strip, wide, high + 22);
      strip.replaceChildren(
        draws("rect", { class: "plus", x: middle, ...half }),
        draws("rect", { class: "minus", x: 8, ...half }),
        path("line", `M${middle} 4V${high - 4}`),
        ...[-most, 0, most].map((v) => text(toX(v), high + 13, num(v, 3))),
        ...marks,
      );
    },
  };
}

export const PANELS = {
  plane: planePanel,
  angle: anglePanel,
  ledger: ledgerPanel,
  alpha: alphaPanel,
  model: modelPanel,
};
