// The figure's controls: what there is to press, and where everything stands. What happens then is
// decided in explorer.js.

import { RULES } from "./algorithms.js";
import { ICONS, circle, icon, joined, make, mark, set, still } from "./draw.js";
import { createRow, createStage, scrubber, worded } from "../stage.js";

const TOOLS = ["move", "add_positive", "add_negative", "flip", "delete"];

/** Make every control and put them, with the panels, upon the stage in `el`. */
export function layOut(fig, el, panels, plane, track) {
  const { say, settings } = fig;
  const stage = createStage(el, say, say("figure_label", { algorithm: say(settings.algorithm) }));
  /** @type {any} */
  const parts = { stage, ...createRow(stage, say), ...createParts(fig) };
  const { controls, slider, keys, note } = parts;
  const others = panels.filter((panel) => panel !== plane);
  const bare = !settings.tools; // a text beside it says what happens: one panel is enough
  const curve = bare ? others.find((panel) => panel.timed) ?? (others.length ? null : track) : track;
  controls.hidden = !track;
  if (plane) {
    stage.put("plane", plane.node);
    const [left, right, low, high] = settings.box;
    stage.shape((right - left) / (high - low));
    set(plane.samples, { "aria-describedby": keys.id });
  }
  if (!bare || settings.goal) stage.put("ask", parts.prompt);
  if (track) stage.put("time", curve ? scrubber(curve.node, slider) : slider);
  stage.put("side", ...others.filter((panel) => panel !== curve).map((panel) => panel.node));
  stage.put("say", parts.numbers, parts.words);
  stage.put("tools", ...(bare ? [parts.anew] : toolsOf(fig, plane, parts)));
  stage.put("foot", keys, note);
  parts.shown = [...panels, ...(curve === track && track ? [track] : [])];
  return parts;
}

/** What a laboratory has besides: samples to be drawn, edited and proved, and the settings of the run. */
function toolsOf(fig, plane, parts) {
  const { say } = fig;
  const row = (key, ...nodes) => make("div", { class: "tools", role: "group", "aria-label": say(key) }, ...nodes);
  const edits = [parts.undo, parts.reset, ...(parts.share ? [parts.share] : [])];
  const drawing = plane ? [row("tools", ...Object.values(parts.tools))] : [];
  const toolbar = make("div", { class: "toolbar", id: `${parts.keys.id}-tools`, hidden: "" }, ...drawing, row("edits", ...edits));
  set(parts.edit, { "aria-controls": toolbar.id });
  parts.toolbar = toolbar;
  if (plane) parts.more.append(legend(fig));
  return [...parts.choices, make("div", { class: "acts" }, parts.fresh, parts.edit, parts.chip), toolbar, parts.more];
}

function createParts(fig) {
  const { say, settings, byHand, model } = fig;
  const labelled = (key, node) =>
    make("label", { class: "choice" }, say(key), set(node, { "aria-label": say(key) }));
  const button = (key) =>
    make("button", { type: "button", title: say(key), "aria-label": say(key) }, icon(ICONS[key]));
  const select = (options) =>
    make("select", {}, ...options.map(([value, text]) => make("option", { value }, text)));
  const number = (range) => make("input", { type: "number", inputmode: "decimal", ...range });
  const whole = { min: 0, max: 9999, step: 1, inputmode: "numeric" };
  const dual = settings.algorithm === "dual";
  const parts = {
    prompt: make("p", { class: "prompt", "aria-live": "polite" }),
    chip: make("button", { type: "button", class: "chip" }),
    numbers: make("p", { class: "numbers" }),
    words: make("p", { class: "words" }),
    note: make("p", { class: "note", "aria-live": "polite" }),
    tools: Object.fromEntries(TOOLS.map((key) => [key, set(button(key), { "data-tool": key })])),
    undo: button("undo"),
    fresh: worded(say, "random", "fresh"),
    edit: set(worded(say, "edit", "edit", ""), { "aria-expanded": false }),
    reset: button("reset"),
    anew: set(worded(say, "as_it_was", "anew", "reset"), { hidden: "" }), // without tools, once it has changed
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
