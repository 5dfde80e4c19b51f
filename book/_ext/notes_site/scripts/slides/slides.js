// Turns the slides of a deck (book/slides.py).
import Reveal from "reveal.js";
import Notes from "reveal.js/plugin/notes";
import { all } from "../page.js";

const [WIDTH, HEIGHT] = [1280, 720];
const FOOT = 40; // the number of the slide and the arrows
const LARGEST = 1.8;
const STEPS = 20; // to 1

/** Make what stands below a slide's title as large as fits. A figure has its size: the style says it.
 * @param {Element} slide */
function fit(slide) {
  const [frame, parts] = [".bd-article", ".parts"].map((what) => /** @type {HTMLElement} */ (slide.querySelector(what)));
  if (!parts) return;
  const scrolling = [...all("pre, .math-scroll", parts)];
  const fits = () => frame.scrollHeight <= HEIGHT - FOOT && frame.scrollWidth <= WIDTH && scrolling.every((one) => one.scrollWidth <= one.clientWidth + 1);
  /** @param {number} step */
  const set = (step) => {
    parts.style.zoom = String(step / STEPS);
    parts.style.setProperty("--zoom", String(step / STEPS));
  };
  let [fitting, above] = [0.45 * STEPS, LARGEST * STEPS + 1];
  while (above - fitting > 1) {
    const middle = (fitting + above) >> 1;
    set(middle);
    if (fits()) fitting = middle;
    else above = middle;
  }
  set(fitting);
}

/** Show the sentence of a told run that is due, and in the figure what it tells.
 * @param {Element} slide
 * @param {boolean} asked whether the lecturer came to it just now */
function tell(slide, asked) {
  const steps = all(".steps > p", slide);
  const now = steps.filter((one) => !one.matches(".fragment:not(.visible)")).at(-1);
  for (const one of steps) one.classList.toggle("told", one === now);
  const at = /** @type {HTMLElement | null | undefined} */ (now?.querySelector("b[data-at]"))?.dataset.at;
  if (at) slide.querySelector(".pn-figure")?.dispatchEvent(new CustomEvent("pn-at", { detail: { at: JSON.parse(at), asked } }));
}

/** Paper is light, a screen as its owner likes it.
 * @param {boolean} printed */
function dress(printed) {
  const page = document.documentElement;
  page.classList.toggle("printed", printed);
  page.dataset.theme = dark.matches && !printed ? "dark" : "light";
}

const dark = matchMedia("(prefers-color-scheme: dark)");
const wear = () => dress(false);
wear();
dark.addEventListener("change", wear);

const deck = new Reveal({
  width: WIDTH,
  height: HEIGHT,
  margin: 0,
  center: false,
  hash: true,
  slideNumber: "c/t",
  controlsTutorial: false,
  transition: "none",
  // All slides are laid out from the start, so that figures have their size, also for a printer.
  viewDistance: Infinity,
  mobileViewDistance: Infinity,
  // A figure has the keys while it has the focus.
  keyboardCondition: ({ target }) => !(target instanceof Element && target.closest(".pn-figure")),
  plugins: [Notes],
});
/** @param {EventTarget | null} part
 * @returns {Element | null} */
const slideOf = (part) => (part instanceof Element ? part.closest(".slides > section") : null);
const fitAll = () => deck.isReady() && deck.getSlides().forEach(fit);
/** @param {EventTarget | null} part */
const fitAround = (part) => {
  const slide = slideOf(part);
  if (slide && deck.isReady()) fit(slide);
};
deck.on("ready", () => {
  fitAll();
  for (const slide of deck.getSlides()) tell(slide, false);
});
for (const event of ["fragmentshown", "fragmenthidden"]) deck.on(event, () => tell(deck.getCurrentSlide(), true));
document.fonts.addEventListener("loadingdone", fitAll);
addEventListener("toggle", ({ target }) => fitAround(target), true); // an answer to a self-check
// A figure has its size when it has been drawn, and another when it says more.
addEventListener("pn-live", ({ target }) => {
  const slide = slideOf(target);
  if (slide && deck.isReady()) tell(slide, false);
  requestAnimationFrame(() => requestAnimationFrame(() => fitAround(target)));
});
const sizes = new ResizeObserver((changes) => requestAnimationFrame(() => changes.forEach(({ target }) => fitAround(target))));
for (const figure of all(".pn-figure")) sizes.observe(figure);
addEventListener("beforeprint", () => dress(true));
addEventListener("afterprint", wear);
deck.initialize();
