// The figure's controls: what there is to press, and where everything stands. What happens then is
// decided in explorer.js.

import { RULES } from "./algorithms.js";
import { ICONS, circle, icon, joined, make, mark, set, still } from "./draw.js";

const TOOLS = ["move", "add_positive", "add_negative", "flip", "delete"];

/** Make every control and put them, with the panels, into `el`. */
export function layOut(fig, el, panels, plane, track) {
  const { say, settings } = fig;
  const parts = createParts(fig);
  const { back, play, next, slider, words, keys, note, live } = parts;
  const row = (name, key, ...nodes) =>
    make("div", { class: name, role: "group", "aria-label": say(key) }, ...nodes);
  const tools = [...Object.values(parts.tools)];
  const edits = [parts.undo, parts.reset, ...(parts.share ? [parts.share] : [])];
  const others = panels.filter((panel) => panel !== plane).map((panel) => panel.node);
  const scrubber = track && make("div", { class: "track" }, track.node, slider);
  const bar = track ? [row("bar", "controls", back, play, next, parts.status, scrubber)] : [];
  // The text beside a stage says what happens; words of its own only fill what is left of the screen.
  const said = settings.stage ? [words].slice(others.length) : [words, ...parts.choices];
  const side = make("div", { class: "side" }, ...(track ? [] : [parts.status]), ...said, ...others);
  const toolbar = make(
    "div",
    { class: "toolbar" },
    ...(plane ? [row("tools", "tools", ...tools)] : []),
    row("tools", "edits", ...edits),
  );
  set(toolbar, { id: `${keys.id}-tools`, hidden: "" });
  set(parts.edit, { "aria-controls": toolbar.id });
  parts.toolbar = toolbar;
  const [left, right, low, high] = settings.box;
  const ratio = (right - left) / (high - low);
  const main = plane ? [make("div", { class: "main", style: `--x-ratio:${ratio}` }, plane.node)] : [];
  const head = settings.stage && !settings.goal ? [] : [make("div", { class: "head" }, parts.prompt)];
  const acts = make("div", { class: "acts" }, parts.fresh, parts.edit, parts.chip);
  if (plane) set(plane.samples, { "aria-describedby": keys.id });
  el.classList.add("pn-explorer");
  const algorithm = say(settings.algorithm);
  set(el, { role: "group", tabindex: -1, "aria-label": say("figure_label", { algorithm }) });
  const shape = plane ? "layout" : "layout flat";
  if (plane) parts.more.append(legend(fig));
  const all = settings.stage ? [parts.anew] : [acts, toolbar, parts.more];
  const foot = make("div", { class: "foot" }, ...all, keys, note, live);
  el.classList.toggle("pn-stage", settings.stage);
  el.replaceChildren(make("div", { class: shape }, ...head, ...main, ...bar, side, foot));
  return parts;
}

function createParts(fig) {
  const { say, settings, byHand, model } = fig;
  const labelled = (key, node) =>
    make("label", { class: "choice" }, say(key), set(node, { "aria-label": say(key) }));
  const button = (key) =>
    make("button", { type: "button", title: say(key), "aria-label": say(key) }, icon(ICONS[key]));
  /** A button that shows its word, beside its sign if it has one. */
  const worded = (key, name, sign = key) =>
    make("button", { type: "button", class: name }, ...(ICONS[sign] ? [icon(ICONS[sign])] : []), make("span", {}, say(key)));
  const select = (options) =>
    make("select", {}, ...options.map(([value, text]) => make("option", { value }, text)));
  const number = (range) => make("input", { type: "number", inputmode: "decimal", ...range });
  const whole = { min: 0, max: 9999, step: 1, inputmode: "numeric" };
  const dual = settings.algorithm === "dual";
  const parts = {
    back: worded("back", "back"),
    play: worded("play", "play"),
    next: worded("step", "next"),
    slider: make("input", { type: "range", min: 0, "aria-label": say("scrubber") }),
    prompt: make("p", { class: "prompt", "aria-live": "polite" }),
    chip: make("button", { type: "button", class: "chip" }),
    status: make("p", { class: "status" }),
    at: make("span", { class: "t" }),
    words: make("p", { class: "words" }),
    note: make("p", { class: "note", "aria-live": "polite" }),
    live: make("p", { class: "unseen live", "aria-live": "polite" }), // Orca would name a role even where it is empty
    tools: Object.fromEntries(TOOLS.map((key) => [key, set(button(key), { "data-tool": key })])),
    undo: button("undo"),
    fresh: worded("random", "fresh"),
    edit: set(worded("edit", "edit", ""), { "aria-expanded": false }),
    reset: button("reset"),
    anew: set(worded("as_it_was", "anew", "reset"), { hidden: "" }), // a stage's own, once it has changed
    share: model.share && button("share"),
    rule: select(Object.keys(RULES).map((rule) => [rule, say(rule)])),
    order: number(whole),
    seed: number(whole),
    speed: select([1, 2, 5, 25].map((v) => [v, say("a_second", { v })])),
    rate: number({ min: 0, step: "any" }),
    start: settings.w0.map(() => number({ step: "any" })),
    kernel: select(["linear", "polynomial", "rbf"].map((name) => [name, say(`kernel_${name}`)])),
    degree: number({ min: 1, max: 9, step: 1, inputmode: "numeric" }),
    offset: number({ min: 0, step: "any" }),
    gamma: number({ min: 0, step: "any" }),
  };
  const { rule, order, speed, seed, rate, start, kernel, degree, offset, gamma } = parts;
  parts.start.forEach((node, j) => set(node, { "aria-label": `${say("start")} ${"w"}${"₀₁₂"[j + 1 - fig.bias]}` }));
  const named = { degree: labelled("degree", degree), offset: labelled("offset", offset) };
  parts.choice = { ...named, gamma: labelled("gamma", gamma), order: labelled("order_seed", order) };
  const kernels = [labelled("kernel", kernel), named.degree, named.offset, parts.choice.gamma];
  const row = (...nodes) => make("div", { class: "choices" }, ...nodes);
  parts.choices = dual ? [row(...kernels)] : [];
  const from = make("span", { class: "choice" }, say("start"), ...start);
  const run = [labelled("order", rule), parts.choice.order, labelled("speed", speed), labelled("rate", rate)];
  const more = [...(byHand() ? [] : [...run, ...(dual ? [] : [from])]), labelled("seed", seed)];
  parts.more = make("details", { class: "more" }, make("summary", {}, say("more")), row(...more));
  const id = `keys${Math.random().toString(36).slice(2)}`;
  parts.keys = make("p", { class: "keys", id, "aria-hidden": true }, joined(say("keys"), !byHand() && say("keys_play")));
  speed.value = settings.autoplay ? 2 : still() ? 1 : 5;
  return parts;
}

/** What the marks and lines of the plane mean. */
function legend(fig) {
  const { say, settings } = fig;
  const sign = (node, ...what) => make("span", { class: "sign" }, node, say(...what));
  const sample = (label, name) => icon(mark(label, 5), "-8 -8 16 16", `glyph ${name}`);
  const dash = (name) => make("span", { class: `key ${name}` });
  const line = (name) => set(sign(dash(name), `line_${name}`), { class: "sign linear" });
  const ring = icon(circle([0, 0], 6), "-8 -8 16 16", "glyph ring");
  const bold = sample(-1, "neg wrong");
  const lines = { pla: ["after"], pocket: ["after", "best"], dual: ["after"], model: [] }[settings.algorithm];
  return make(
    "p",
    { class: "legend" },
    sign(sample(1, "pos"), "label_plus"),
    sign(sample(-1, "neg"), "label_minus"),
    sign(bold, "bold"),
    sign(ring, fig.byHand() ? "ring_chosen" : "ring"),
    ...lines.map(line),
  );
}
