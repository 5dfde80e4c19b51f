// Texts that move the figure of their section. A press on marked words (the role `{at}`) moves it;
// where the figure stays in view beside its text, so does the paragraph that is being read.
import { all } from "./page.js";

/** The figure that these words are about: the one of the nearest section that has one.
 * @param {Element} words
 * @returns {HTMLElement | null} */
function figureOf(words) {
  for (let section = words.closest("section"); section; section = section.parentElement?.closest("section") ?? null) {
    const figure = /** @type {HTMLElement | null} */ (section.querySelector(".pn-figure"));
    if (figure) return figure;
  }
  return null;
}

/** Ask the figure for what these words show.
 * @param {HTMLElement} words
 * @param {boolean} asked whether a reader pressed them */
function show(words, asked) {
  const at = JSON.parse(words.dataset.at ?? "{}");
  figureOf(words)?.dispatchEvent(new CustomEvent("pn-at", { detail: { at, asked } }));
}

/** Mark the words that the figure shows.
 * @param {HTMLElement[]} steps
 * @param {HTMLElement | null} now */
const mark = (steps, now) => steps.forEach((step) => step.classList.toggle("now", step === now));

/** Make words a button: where no script runs they are words.
 * @param {HTMLElement} plain
 * @returns {HTMLElement} */
function pressed(plain) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "at" });
  button.dataset.at = plain.dataset.at;
  button.append(...plain.childNodes);
  plain.replaceWith(button);
  return button;
}

const words = all("span.at").map(pressed);
for (const one of words)
  one.addEventListener("click", () => {
    show(one, true);
    mark(words.filter((other) => figureOf(other) === figureOf(one)), one);
    const figure = figureOf(one);
    const { top, bottom } = figure?.getBoundingClientRect() ?? { top: 0, bottom: 0 };
    if (bottom < 100 || top > innerHeight - 100) figure?.scrollIntoView({ block: "center" });
  });

// The line at which a paragraph counts as read: below the figure where that stands on top.
const wide = matchMedia("(min-width: 1240px)");
const told = all(".cell.tag_told").map((cell) => ({
  cell,
  steps: all("button.at", cell.parentElement ?? document),
  last: /** @type {HTMLElement | null} */ (null),
}));
let waiting = false;

function follow() {
  waiting = false;
  for (const one of told) {
    const frame = one.cell.parentElement?.getBoundingClientRect();
    if (!frame || frame.bottom < 0 || frame.top > innerHeight) continue;
    const { bottom } = one.cell.getBoundingClientRect();
    const top = wide.matches ? 0 : Math.max(0, bottom);
    const middle = top + 0.4 * (innerHeight - top);
    // The last words count as read before the end of their section takes the figure away.
    const near = wide.matches ? Math.max(0, 1 - (frame.bottom - bottom) / 300) * (frame.bottom - middle) : innerHeight - frame.bottom;
    const line = middle + Math.max(0, near);
    const read = one.steps.filter((step) => step.getBoundingClientRect().top < line).at(-1) ?? null;
    const figure = one.cell.querySelector(".pn-figure[data-state]");
    if (read === one.last || !figure || figure.querySelector("[data-own]")) continue; // the reader's own samples
    one.last = read;
    mark(one.steps, read);
    if (read) show(read, false);
  }
}

function soon() {
  if (!waiting) requestAnimationFrame(follow);
  waiting = true;
}
if (told.length) {
  addEventListener("scroll", soon, { passive: true });
  addEventListener("pn-live", soon);
}
