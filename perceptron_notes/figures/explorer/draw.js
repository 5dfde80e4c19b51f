// Tools to draw with, for every figure: elements, numbers in words, marks, the frame of a plane.

import { chain, two } from "./geometry.js";

/** A new element. */
export const make = (name, attributes = {}, ...children) =>
  fill(document.createElement(name), attributes, children);

/** A new part of a picture. */
export const draws = (name, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

function fill(node, attributes, children) {
  set(node, attributes).append(...children);
  return node;
}

/** Set what differs; null takes an attribute away. */
export function set(node, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null) node.removeAttribute(key);
    else if (node.getAttribute(key) !== String(value)) node.setAttribute(key, value);
  }
  return node;
}

/** Show whether a button does nothing now; were it disabled, it would lose the focus. */
export const close = (button, closed) => set(button, { "aria-disabled": closed });
export const closed = (button) => button.getAttribute("aria-disabled") === "true";

/** A slider; `put(value, goesOn)` hears whether a drag goes on, since all of a drag is one change. */
export function slides(attributes, put) {
  const input = make("input", { type: "range", ...attributes });
  let goesOn = false;
  input.addEventListener("pointerdown", () => (goesOn = false));
  input.addEventListener("input", () => {
    put(+input.value, goesOn);
    goesOn = true;
  });
  input.addEventListener("change", () => (goesOn = false));
  return input;
}

export const path = (name, d = "") => draws("path", { class: name, d });
/** Letters in a picture are for the eye: who listens hears its label. */
export const text = (x, y, what, anchor = "middle", name = "") =>
  draws("text", { x: two(x), y: two(y), "text-anchor": anchor, class: name, "aria-hidden": true }, what);
/** Give a picture its size in pixels, which are its units: on paper, too, where nothing stretches it.
 *  @type {(node: Element, wide: number, high: number) => Element} */
export const sized = (node, wide, high) => set(node, { viewBox: `0 0 ${two(wide)} ${two(high)}`, width: two(wide), height: two(high) });
/** A word that stands beside a line, where it is farthest from what is there, which it joins; no
 *  word where none fits into the frame.
 *  @type {(ends: number[][], word: string, name: string, taken: number[][], frame: number[]) => Node | ""} */
export function along([a, b], word, name, taken, [left, right, top, bottom]) {
  if (!b) return ""; // the line is not in the frame
  const [half, long] = [3.6 * word.length, Math.hypot(b[0] - a[0], b[1] - a[1]) || 1];
  const [u, v] = [(b[1] - a[1]) / long, (a[0] - b[0]) / long]; // across the line
  const off = half * Math.abs(u) + 8 * Math.abs(v) + 4;
  let [least, found] = [4, null];
  for (let k = 1; k < 20; k++)
    for (const side of [off, -off]) {
      const [x, y] = [a[0] + (k / 20) * (b[0] - a[0]) + side * u, a[1] + (k / 20) * (b[1] - a[1]) + side * v];
      if (x - half < left || x + half > right || y - 8 < top || y + 8 > bottom) continue;
      const room = Math.min(99, ...taken.map(([p, q]) => Math.hypot(Math.max(0, Math.abs(p - x) - half), Math.max(0, Math.abs(q - y) - 6))));
      if (room > least) [least, found] = [room, [x, y]];
    }
  if (!found) return "";
  const [x, y] = found;
  taken.push([x - half, y], [x - half / 2, y], [x, y], [x + half / 2, y], [x + half, y]);
  return text(x, y + 4, word, "middle", `word ${name}`);
}
export const canvas = (name = "") => draws("svg", { role: "img", class: name });
export const caption = (what = "") => make("div", { class: "caption" }, what);
/** The head of a picture whose label begins with the same words. */
export const heading = (what = "") => set(caption(what), { "aria-hidden": true });
export const icon = (d, box = "0 0 24 24", name = "") =>
  fill(draws("svg", { viewBox: box, class: `icon ${name}`, "aria-hidden": "true" }), {}, [path("", d)]);

export const num = (v, digits = 4) =>
  String(Number.isInteger(v) && Math.abs(v) < 1e9 ? v : +v.toPrecision(digits)).replace("-", "−");
export const short = (v) => (Math.abs(v) >= 1e4 ? v.toExponential(0).replace("e+", "e") : num(v, 3));
export const signed = (v) => (v < 0 ? "−" : "+") + num(Math.abs(v));
/** A text with these values in it; of {n|one|more}, the word that fits n. */
export const filled = (what, values) =>
  what.replace(/\{(\w+)(\|(.*?)\|(.*?))?\}/g, (_, name, several, one, more) =>
    several ? (values[name] === 1 ? one : more) : values[name]);
/** A sentence in which no line ends inside a tuple, after an equals sign, or inside "w =". */
export const unbroken = (what) =>
  what.replace(/([^\s\d().] )?[=≈≤] |\(−?[\d.]+(, −?[\d.]+)+\)/g, (found) => found.replaceAll(" ", "\u00a0"));
/** Sentences behind one another; a Chinese one, which ends with a full-width stop, needs no blank. */
export const joined = (...said) => said.filter(Boolean).join(" ").replace(/(?<=[。！？；]) /g, "");
/** What is said to who listens, in sentences that end with this stop. */
export const spoken = (said, stop) =>
  joined(...said.filter(Boolean).map((one) => one[0].toUpperCase() + one.slice(1).replace(/[.。]?$/, stop)));
export const tuple = (v) => `(${Array.from(v, (a) => num(a)).join(", ")})`;

/** @type {(middle: number[], r: number) => string} */
export const circle = ([x, y], r) => `M${two(x - r)} ${two(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
export const square = (x, y, side) => `M${two(x)} ${two(y)}h${two(side)}v${two(side)}h${two(-side)}Z`;

/** A line with a head at its second end.
 *  @type {(from: number[], to: number[]) => string} */
export function arrowPath([x, y], [tx, ty]) {
  const turn = Math.atan2(ty - y, tx - x);
  const wing = (d) => [tx - 9 * Math.cos(turn + d), ty - 9 * Math.sin(turn + d)];
  return chain([[x, y], [tx, ty]]) + chain([wing(0.4), [tx, ty], wing(-0.4)]);
}

/** The mark of a label, of half-width r: a circle or a cross, so that no colour speaks alone. */
export const mark = (label, r) =>
  label > 0
    ? `M${r} 0A${r} ${r} 0 1 1-${r} 0A${r} ${r} 0 1 1 ${r} 0Z`
    : `M-${r}-${r}L${r} ${r}M-${r} ${r}L${r}-${r}`;

/** About `most` round numbers between two limits. */
export function ticks(low, high, most = 5) {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((k) => k * power >= rough);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++)
    found.push(k * step);
  return found;
}

export const ICONS = {
  back: "M15 5v14l-9-7zM5 5v14",
  play: "M8 5v14l11-7z",
  pause: "M8 5v14M16 5v14",
  step: "M9 5v14l9-7zM19 5v14",
  move: "M12 3v18M3 12h18M9 6l3-3 3 3M9 18l3 3 3-3M6 9l-3 3 3 3M18 9l3 3-3 3",
  add_positive: "M15 15m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0M6 3v7M2.5 6.5h7",
  add_negative: "M10.5 10.5l9 9M19.5 10.5l-9 9M6 3v7M2.5 6.5h7",
  flip: "M4 8a4 4 0 1 0 8 0a4 4 0 1 0-8 0M13 13l7 7M20 13l-7 7M16 4h4v4M20 4l-4 4",
  delete: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5",
  undo: "M8 5L4 9l4 4M4 9h10a5 5 0 0 1 0 10H9",
  random: "M5 5h14v14H5zM9 9v.01M15 9v.01M12 12v.01M9 15v.01M15 15v.01",
  reset: "M5 12a7 7 0 1 1 2 5M5 20v-4h4",
  share: "M9 15l6-6M11 6l2-2a4 4 0 0 1 6 6l-2 2M13 18l-2 2a4 4 0 0 1-6-6l2-2",
};

/** Whether the reader wants things to stand still. */
export const still = () => window.matchMedia?.("(prefers-reduced-motion: reduce)").matches;

// ---------------------------------------------------------------------------- a plane

export const [WIDE, LEFT, TOP] = [400, 40, 10]; // until its place is known; room for numbers; for a line

/**
 * The frame of a plane in the picture `node`: its axes, and where things stand in it, in pixels.
 * @returns {{
 *   screen: (p: number[]) => number[], place: (x: number, y: number) => number[],
 *   inside: (p: number[]) => boolean, frame: () => number[],
 *   draw: (box: number[], wide: number, names: string[]) => void,
 * }}
 */
export function createFrame(node) {
  const axes = draws("g", { class: "axes" });
  let [box, scale, right, bottom] = [null, 1, 0, 0];
  node.append(axes);
  return {
    /** Its sides in pixels: left, right, top, bottom. */
    frame: () => [LEFT, right, TOP, bottom],
    screen: ([x, y]) => [LEFT + (x - box[0]) * scale, TOP + (box[3] - y) * scale],
    place: (x, y) => [box[0] + (x - LEFT) / scale, box[3] - (y - TOP) / scale],
    inside: ([x, y]) => x >= box[0] && x <= box[1] && y >= box[2] && y <= box[3],
    /** Draw it for these limits, so many pixels wide. */
    draw(limits, wide, [across, up]) {
      right = wide - 8;
      box = limits;
      scale = (right - LEFT) / (box[1] - box[0]);
      bottom = TOP + (box[3] - box[2]) * scale;
      sized(node, wide, bottom + 38);
      axes.replaceChildren(
        path("", `M${LEFT} ${TOP}V${bottom}H${right}`),
        ...ticks(box[0], box[1]).map((v) => text(this.screen([v, 0])[0], bottom + 17, num(v))),
        ...ticks(box[2], box[3]).map((v) => text(LEFT - 7, this.screen([0, v])[1] + 4, num(v), "end")),
        text(right, bottom + 34, across, "end", "axis"),
        text(LEFT + 7, TOP + 12, up, "start", "axis"),
      );
    },
  };
}
