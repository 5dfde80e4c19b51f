// Turns the slides of a deck (book/slides.py).
import Reveal from "reveal.js";
import Notes from "reveal.js/plugin/notes";
import { all } from "../page.js";
import "../told.js";

const [WIDTH, HEIGHT] = [1280, 720];
const FOOT = 40; // the number of the slide and the arrows
const LARGEST = 1.8;

/** Make what stands below a slide's title as large as fits.
 * @param {Element} slide
 * @param {boolean} [less] only smaller, where what is drawn anew at each size could go on for ever */
function fit(slide, less) {
  const [frame, parts] = [".bd-article", ".parts"].map((what) => /** @type {HTMLElement} */ (slide.querySelector(what)));
  if (!parts) return;
  const scrolling = [...all("pre, .math-scroll", parts)];
  for (let zoom = less ? Number(parts.style.zoom) || LARGEST : LARGEST; zoom > 0.4; zoom -= 0.05) {
    parts.style.zoom = String(zoom);
    parts.style.setProperty("--zoom", String(zoom));
    if (frame.scrollHeight <= HEIGHT - FOOT && frame.scrollWidth <= WIDTH && scrolling.every((one) => one.scrollWidth <= one.clientWidth + 1)) return;
  }
}

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
const fitAll = () => deck.isReady() && deck.getSlides().forEach((slide) => fit(slide));
/** @param {EventTarget | null} part
 * @param {boolean} [less] */
const fitAround = (part, less) => {
  const slide = part instanceof Element && part.closest(".slides > section");
  if (slide && deck.isReady()) fit(slide, less);
};
deck.on("ready", fitAll);
document.fonts.addEventListener("loadingdone", fitAll);
addEventListener("toggle", ({ target }) => fitAround(target), true); // an answer to a self-check
// A figure has its size when it has been drawn, and another when it says more.
addEventListener("pn-live", ({ target }) => requestAnimationFrame(() => requestAnimationFrame(() => fitAround(target))));
const sizes = new ResizeObserver((changes) => requestAnimationFrame(() => changes.forEach(({ target }) => fitAround(target, true))));
for (const figure of all(".pn-figure")) sizes.observe(figure);
addEventListener("beforeprint", () => document.documentElement.classList.add("printed"));
addEventListener("afterprint", () => document.documentElement.classList.remove("printed"));
deck.initialize();
