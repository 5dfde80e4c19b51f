// A scene: a small figure of one idea. What is shown hangs on its state alone, which is plain JSON
// and which Python has too. A scene's own module ends with
//
//     export default sceneOf(build);
//
// where `build(scene)` makes its parts, puts them upon the stage with `scene.put`, and returns the
// function that draws them anew.

import { polygon, two } from "../explorer/geometry.js";
import {
  WIDE, closed, createFrame, draws, filled, icon, joined, make, mark, num, set, slides, still,
  unbroken,
} from "../explorer/draw.js";
import { hand } from "../explorer/hand.js";
import { createRow, createStage, worded } from "../stage.js";

const MOST_STATES = 100; // for undo

/** Four marks that differ in shape, of half-width r: no class is told by its colour alone. */
export const MARKS = [
  (r) => mark(1, r),
  (r) => mark(-1, r * 0.85),
  (r) => polygon([[0, -r * 1.15], [r, r * 0.75], [-r, r * 0.75]]),
  (r) => polygon([[-r * 0.88, -r * 0.88], [r * 0.88, -r * 0.88], [r * 0.88, r * 0.88], [-r * 0.88, r * 0.88]]),
];

/** The names of classes and areas in the stylesheet. */
export const CLASS = ["class0", "class1", "class2", "class3"];
export const AREA = ["area0", "area1", "area2", "area3"];

/** The widget that a function builds. */
export const sceneOf = (build) => ({ render: (view) => render(build, view) });

/** Build a scene in `el`, and keep it and the model in step. */
function render(build, { model, el }) {
  const words = model.get("words");
  const state = () => structuredClone(model.get("state"));
  const first = state();
  const [past, fits] = [[], []];
  let [frame, playing, ours] = [0, null, false];
  let [news, heard] = [[], []]; // what is still to be said, and the verdicts that were
  const say = (key, values = {}) => filled(words[key] ?? key, values);
  const stage = createStage(el, say, say(`${model.get("scene")}_label`));

  const scene = {
    el,
    state: state(),
    stage,
    /** A row of words.csv, with these values in it. */
    say,
    put: stage.put,
    mistakes: (k) => say(k ? "mistakes" : "no_mistake", { k }),
    /** Functions that give the sentences of a verdict.
     *  @type {(() => string[])[]} */
    verdicts: [],
    /** Say something short to who listens, and what is new in the verdicts. What is said at once is
     *  said once, when it is over: while a scene plays fast, nothing. */
    tell(...what) {
      if (what.length) news = what;
      stage.tell(() => {
        const now = scene.verdicts.flatMap((verdict) => verdict());
        const told = [...news, ...now.filter((one) => !heard.includes(one))];
        [news, heard] = [[], now];
        return told;
      });
    },
    /** Keep the present state for undo. */
    remember() {
      past.push(structuredClone(scene.state));
      if (past.length > MOST_STATES) past.shift();
    },
    /** Change some of the state: drawn in the next frame, and told to Python. */
    change(changes) {
      scene.state = { ...scene.state, ...changes };
      ours = true;
      model.set("state", scene.state);
      ours = false;
      model.save_changes();
      soon();
    },
    undo() {
      scene.stop();
      if (past.length) scene.change(past.pop());
      scene.tell(scene.say("undone"));
    },
    reset() {
      scene.remember();
      scene.stop();
      scene.change(structuredClone(first));
    },
    stop() {
      clearInterval(playing);
      playing = null;
    },
    /** Do this so many times a second, until it returns false or the scene is stopped. */
    play(beat, perSecond) {
      scene.stop();
      const step = () => {
        if (beat() !== false) return;
        scene.stop();
        soon();
      };
      playing = setInterval(step, 1000 / perSecond);
    },
    isPlaying: () => playing !== null,
    /** The word of what goes back to the beginning. */
    again: "reset",
    /** What keys do without Ctrl, beside those of a control; `build` may say so.
     *  @type {(event: KeyboardEvent) => void} */
    onKey: () => {},
    fits: (f) => fits.push(f),
    undoable: () => past.length > 0,
  };
  scene.button = (key, act, name = "") => {
    const button = worded(say, key, name);
    button.addEventListener("click", () => closed(button) || act());
    return button;
  };
  const draw = build(scene);
  const edits = [scene.button("undo", scene.undo), scene.button(scene.again, scene.reset, "anew")];
  stage.put("tools", ...edits);

  function show() {
    if (!scene.undoable() && edits.some((edit) => edit === document.activeElement)) el.focus();
    for (const edit of edits) edit.hidden = !scene.undoable(); // where nothing can be taken back
    draw();
  }
  function soon() {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(show);
  }
  const onState = () => {
    if (ours) return;
    scene.state = state();
    show();
  };
  const onKey = (event) => {
    const modified = event.ctrlKey || event.metaKey || event.altKey;
    const undoes = event.key === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey;
    // JupyterLab, which listens further out, would cut the cell at x and go to the next at an arrow.
    if (undoes || !modified) event.stopPropagation();
    if (!modified) scene.onKey(event);
    if (!undoes || event.target.matches("input[type=number]")) return;
    event.preventDefault();
    scene.undo();
  };
  /** What a text asks to see: at once if a reader asks for it, else if nothing is hers yet. */
  const onMessage = ({ at, asked }) => {
    if (!at || (scene.undoable() && !asked)) return;
    if (asked) scene.remember();
    scene.stop();
    scene.change(at);
  };
  el.addEventListener("keydown", onKey);
  model.on("change:state", onState);
  model.on("msg:custom", onMessage);
  const fit = () => {
    for (const one of fits) one();
    show();
  };
  const unfollow = stage.follow(fit);
  fit();
  stage.quiet(); // nobody has done anything yet
  return () => {
    scene.stop();
    unfollow();
    cancelAnimationFrame(frame);
    stage.quiet();
    el.removeEventListener("keydown", onKey);
    model.off("change:state", onState);
    model.off("msg:custom", onMessage);
  };
}

// ---------------------------------------------------------------------------- a plane with handles

/**
 * What can be taken in hand: its place, its mark, its class and its words.
 * @typedef {{ p: number[], d: string, name: string, says: string }} Handle
 */

/**
 * A plane in which handles are moved: with the pointer, with a finger, with the keyboard. Parts of
 * the picture below the handles are made with `layer(name)`.
 * @param {any} scene
 * @param {object} options
 * @param {number[]} options.box its limits
 * @param {string[]} options.names what the axes measure
 * @param {number} options.grid the step in which handles move
 * @param {() => Handle[]} options.handles
 * @param {(i: number, p: number[]) => void} options.move
 * @param {(i: number | null) => void} [options.press] for a click, and F on the keyboard
 * @param {string} [options.pressing] the key of its words
 */
export function createPlane(scene, { box, names, grid, handles, move, press, pressing }) {
  const { say } = scene;
  const node = draws("svg", { class: "plane", role: "group", "aria-label": `${say("plane_label")}: ${names.join(", ")}`, "data-does": "move" });
  const frame = createFrame(node);
  const id = `keys${Math.random().toString(36).slice(2)}`;
  const keys = make("p", { class: "keys", id, "aria-hidden": true }, joined(say("handle_keys"), pressing && say(pressing)));
  const samples = set(draws("g", { class: "samples" }), { role: "listbox", "aria-label": say("handles_label"), "aria-describedby": id });
  const ring = draws("circle", { class: "ring keyed", r: 14 });
  node.append(ring, samples);
  let [wide, list] = [WIDE, handles()];
  const snap = (v, least, most) =>
    grid * Math.max(Math.ceil(least / grid), Math.min(Math.floor(most / grid), Math.round(v / grid)));
  const within = ([x, y]) => [snap(x, box[0], box[1]), snap(y, box[2], box[3])];
  // As much of the explorer's `fig` and `act` as hand.js asks for.
  const fig = {
    chosen: 0,
    settings: { grid },
    get points() {
      return list.map(({ p }) => p);
    },
    get n() {
      return list.length;
    },
    showStep: () => plane.draw(),
  };
  const act = {
    tool: () => "move",
    may: () => list.length > 0,
    remember: scene.remember,
    undo: scene.undo,
    tell: (key) => scene.tell(key && say(key), key === "picked_up" ? "" : list[fig.chosen]?.says),
    move(i, p) {
      move(i, within(p));
      list = handles();
      scene.tell(list[i].says);
    },
    press,
    flip: press,
  };
  const plane = {
    node,
    keys,
    samples,
    ...frame,
    box,
    /** A part of the picture, below the handles. */
    layer(name) {
      const made = draws("g", { class: name });
      node.insertBefore(made, ring);
      return made;
    },
    chosen: () => fig.chosen,
    /** Draw the handles as they are now. */
    draw() {
      list = handles();
      fig.chosen = Math.max(0, Math.min(fig.chosen, list.length - 1));
      while (samples.childNodes.length > list.length) samples.lastChild.remove();
      while (samples.childNodes.length < list.length) samples.append(draws("path", { role: "option" }));
      list.forEach(({ p, d, name, says }, i) => {
        const [x, y] = frame.screen(p).map(two);
        const chosen = i === fig.chosen;
        const where = { d, class: name, transform: `translate(${x} ${y})` };
        set(samples.childNodes[i], { ...where, tabindex: chosen ? 0 : -1, "aria-selected": chosen, "aria-label": says });
      });
      const [cx, cy] = list.length ? frame.screen(list[fig.chosen].p).map(two) : [-99, 0];
      set(ring, { cx, cy }); // the stylesheet shows it to the keyboard alone
    },
  };
  frame.draw(box, wide, names);
  scene.fits(() => {
    wide = node.parentElement?.clientWidth || wide;
    frame.draw(box, wide, names);
  });
  scene.put("plane", node);
  scene.stage.shape((box[1] - box[0]) / (box[3] - box[2]));
  scene.put("foot", keys);
  hand(fig, plane, act);
  return plane;
}

// ---------------------------------------------------------------------------- controls

/** A slider with its word and its value: `get()` and `set(v)` are between it and the state. */
export function createSlider(scene, key, { min, max, step = 1, get, put, told = num }) {
  const shown = make("span", { class: "echo", "aria-hidden": true }); // the slider says it
  const input = slides({ min, max, step, "aria-label": scene.say(key) }, (value, goesOn) => {
    if (!goesOn) scene.remember();
    put(value);
  });
  return {
    node: make("label", { class: "slider" }, scene.say(key), input, shown),
    input,
    draw() {
      input.value = get();
      shown.textContent = told(get());
      set(input, { "aria-valuetext": told(get()) });
    },
  };
}

/** A menu: `options` are values, each with its key in words.csv. */
export function createMenu(scene, key, options, { get, put }) {
  const made = options.map(([value, word]) => make("option", { value }, scene.say(word)));
  const select = make("select", { "aria-label": scene.say(key) }, ...made);
  select.addEventListener("change", () => {
    scene.remember();
    put(select.value);
  });
  const node = make("label", { class: "choice" }, scene.say(key), select);
  return { node, select, draw: () => (select.value = get()) };
}

/** Time: the stage's row over the steps 0 to `last()`. */
export function createTime(scene, { last, get, put, perSecond = 3 }) {
  const row = createRow(scene.stage, scene.say);
  let counted = "";
  scene.verdicts.push(() => (counted ? [counted] : []));
  const go = (t) => put(Math.max(0, Math.min(t, last())));
  const forward = () => {
    if (get() >= last()) return false;
    go(get() + 1);
    return get() < last();
  };
  const toggle = () => {
    if (scene.isPlaying()) scene.stop();
    else {
      if (get() >= last()) go(0);
      scene.play(forward, still() ? 1 : perSecond);
    }
    look();
  };
  const presses = [[row.back, () => go(get() - 1)], [row.play, toggle], [row.next, forward]];
  for (const [button, act] of presses) button.addEventListener("click", () => closed(button) || act());
  row.slider.addEventListener("input", () => go(+row.slider.value));
  const look = () => row.look(scene.isPlaying() ? "pause" : "play");
  scene.put("time", row.slider);
  return {
    row,
    /** Draw it, with what stands behind the counter. */
    draw(more = "") {
      row.show({ t: get(), T: last(), last: get() >= last(), more });
      if (more !== counted) scene.tell();
      counted = more;
      look();
    },
  };
}

/** Lines of text, which are a verdict if `quiet` is false. */
export function createText(scene, name, place, quiet = true) {
  const node = make("p", { class: name });
  let told = [];
  scene.put(place, node);
  if (!quiet) scene.verdicts.push(() => told);
  return (...what) => {
    const now = what.filter(Boolean);
    if (now.join("|") === told.join("|")) return;
    told = now;
    node.replaceChildren(...told.flatMap((one) => [make("span", {}, unbroken(one)), " "]));
    if (!quiet) scene.tell();
  };
}

/** Signs of the picture with their words: pairs of a mark and a key. */
export function createLegend(scene, ...signs) {
  const sign = ([glyph, key]) => make("span", { class: "sign" }, glyph, scene.say(key));
  scene.put("say", make("p", { class: "legend" }, ...signs.map(sign)));
}

/** A mark for a legend. */
export const glyph = (d, name) => icon(d, "-8 -8 16 16", `glyph ${name}`);
