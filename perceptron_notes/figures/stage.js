// The stage: where the parts of a figure stand, and the one row of controls that moves its time.
// The explorer and the scenes put their parts on it by name; stage.css lays them out, in four sizes.

import { ICONS, close, icon, make, set, spoken } from "./explorer/draw.js";

// In the order in which they are read. A part without content takes no room.
const PLACES = ["ask", "plane", "row", "time", "slide", "side", "say", "tools", "foot"];
const QUIET = 500; // ms before the stage speaks

/**
 * A stage in `el`, with a name for who listens.
 * @param {HTMLElement} el
 * @param {(key: string, values?: object) => string} say a row of words.csv, with values in it
 * @param {string} label
 */
export function createStage(el, say, label) {
  const places = Object.fromEntries(PLACES.map((name) => [name, make("div", { class: `st-${name}` })]));
  const live = make("p", { class: "unseen live", "aria-live": "polite" }); // Orca would name a role even where it is empty
  let speaking = 0;
  el.classList.add("pn-stage");
  set(el, { role: "group", tabindex: -1, "aria-label": label });
  places.foot.append(live);
  el.replaceChildren(make("div", { class: "st" }, ...PLACES.map((name) => places[name])));
  return {
    places,
    /** Put nodes into a part of the stage. */
    put: (name, ...nodes) => places[name].append(...nodes),
    /** The plane is as wide as leaves room for what stands below it: that hangs on its shape. */
    shape: (ratio) => places.plane.style.setProperty("--ratio", ratio),
    /** The height that the page gives to a part beside its text, or 0 where parts take what they need. */
    given: (node) => (getComputedStyle(el).containerType === "size" ? node.closest(".st > div").clientHeight : 0),
    /** Say something short to who listens, once it is quiet. */
    tell(what) {
      clearTimeout(speaking);
      speaking = setTimeout(() => (live.textContent = spoken(what(), say("stop"))), QUIET);
    },
    quiet: () => clearTimeout(speaking),
    /** Fit the figure whenever its width changes, and for paper; the function that ends this. */
    follow(fit) {
      let width = el.clientWidth; // 0 where nobody sees it yet
      const sizes = new ResizeObserver(() => {
        if (el.clientWidth === width) return;
        width = el.clientWidth;
        fit();
      });
      sizes.observe(el);
      const prints = ["beforeprint", "afterprint"];
      for (const event of prints) addEventListener(event, fit);
      return () => {
        sizes.disconnect();
        for (const event of prints) removeEventListener(event, fit);
      };
    },
  };
}

/** A button that shows its word, beside its sign if it has one. */
export const worded = (say, key, name, sign = key) =>
  make("button", { type: "button", class: name }, ...(ICONS[sign] ? [icon(ICONS[sign])] : []), make("span", {}, say(key)));

/** Back, Play, Step and the counter, and the slider that goes to any step. */
export function createRow(stage, say) {
  const [back, play, next] = [worded(say, "back", "back"), worded(say, "play", "play"), worded(say, "step", "next")];
  const slider = make("input", { type: "range", min: 0, "aria-label": say("scrubber") });
  const [step, rest] = ["step", "rest"].map((name) => make("span", { "data-count": name }));
  const controls = make("div", { class: "st-buttons", role: "group", "aria-label": say("controls") }, back, play, next);
  stage.put("row", controls, make("p", { class: "st-count" }, step, " ", rest));
  return {
    back, play, next, slider, controls,
    /** Show where the time is: `T` is the last step, or "9…" of a run that goes on. */
    show({ t, T, last, more = "" }) {
      const of = say("step_of", { t, T });
      step.textContent = controls.hidden ? "" : of;
      rest.textContent = more;
      set(slider, { max: parseInt(T, 10), "aria-valuetext": more ? `${of}: ${more}` : of });
      slider.value = t;
      close(back, t <= 0);
      close(next, last);
    },
    /** Show what a press on Play does now. */
    look(key) {
      if (play.dataset.key === key) return;
      play.dataset.key = key;
      play.replaceChildren(icon(ICONS[key]), make("span", {}, say(key)));
    },
  };
}

/** The curve of a run, with the slider upon it: the curve takes the pointer, the slider the keys. */
export const scrubber = (curve, slider) => make("div", { class: "scrubber" }, curve, slider);
