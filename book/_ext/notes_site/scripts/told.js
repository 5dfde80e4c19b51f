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

const words = all(".at");
// Where no script runs they are words. (A `<button>` would be one box: no line could end within it.)
for (const one of words) {
  one.setAttribute("role", "button");
  one.tabIndex = 0;
  one.addEventListener("keydown", (event) => {
    if (!["Enter", " "].includes(event.key)) return;
    event.preventDefault();
    one.click();
  });
}
// The line at which a paragraph counts as read: below the figure where that stands on top.
/** @param {Element} cell */
const beside = (cell) => getComputedStyle(cell).float !== "none";
const told = all(".cell.tag_told").map((cell) => ({
  cell,
  steps: all(".at", cell.parentElement ?? document),
  last: /** @type {HTMLElement | null} */ (null),
}));
let waiting = false;
let held = false; // pressed words stay shown until the reader scrolls

/** The words that a reader has come to, of this figure's.
 * @param {typeof told[number]} one
 * @param {DOMRect} frame of the section */
function reached({ cell, steps }, frame) {
  const { bottom } = cell.getBoundingClientRect();
  const wide = beside(cell);
  const top = wide ? 0 : Math.max(0, bottom);
  const middle = top + 0.4 * (innerHeight - top);
  // The last words count as read before the end of their section takes the figure away.
  const near = wide ? Math.max(0, 1 - (frame.bottom - bottom) / 150) * (frame.bottom - middle) : innerHeight - frame.bottom;
  const line = middle + Math.max(0, near);
  return steps.filter((step) => step.getBoundingClientRect().top < line).at(-1) ?? null;
}

function follow() {
  waiting = false;
  for (const one of told) {
    const frame = one.cell.parentElement?.getBoundingClientRect();
    if (!frame || frame.bottom < 0 || frame.top > innerHeight) continue;
    const read = reached(one, frame);
    const figure = one.cell.querySelector(".pn-figure[data-state]");
    if (read === one.last || !figure || figure.querySelector("[data-own]")) continue; // the reader's own samples
    one.last = read;
    mark(one.steps, read);
    if (read) show(read, false);
  }
}

function soon() {
  held = false;
  if (!waiting) requestAnimationFrame(follow);
  waiting = true;
}
for (const one of words)
  one.addEventListener("click", () => {
    show(one, true);
    held = true;
    const figure = figureOf(one);
    mark(words.filter((other) => figureOf(other) === figure), one);
    const { top, bottom } = figure?.getBoundingClientRect() ?? { top: 0, bottom: 0 };
    if (bottom < 100 || top > innerHeight - 100) figure?.scrollIntoView({ block: "center" });
    // The scrolling that brought the reader to these words is over: the next that counts is hers.
    for (const other of told) {
      const frame = other.cell.parentElement?.getBoundingClientRect();
      if (frame && other.steps.includes(one)) other.last = reached(other, frame);
    }
  });

if (told.length) {
  addEventListener("scroll", soon, { passive: true });
  // What is laid out late moves the text under a reader who has stopped.
  const sizes = new ResizeObserver(() => held || soon());
  for (const { cell } of told) [cell, cell.parentElement].forEach((box) => box && sizes.observe(box));
  addEventListener("pn-live", soon);
}
