// Turns the slides of a deck (book/slides.py).
import Reveal from "reveal.js";
import Notes from "reveal.js/plugin/notes";
import { all } from "../page.js";
import "../told.js";

const [WIDTH, HEIGHT] = [1280, 720];
const FOOT = 40; // the number of the slide and the arrows

/** Make what stands below a slide's title as large as fits.
 * @param {Element} slide */
function fit(slide) {
  const [frame, parts] = [".bd-article", ".parts"].map((what) => /** @type {HTMLElement} */ (slide.querySelector(what)));
  if (!parts) return;
  const scrolling = [...all("pre, .math-scroll", parts)];
  for (let zoom = 1.8; zoom > 0.4; zoom -= 0.05) {
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
  // A figure has the keys while it has the focus.
  keyboardCondition: ({ target }) => !(target instanceof Element && target.closest(".pn-figure")),
  plugins: [Notes],
});
const now = () => deck.isReady() && fit(deck.getCurrentSlide());
deck.on("ready", now);
deck.on("slidechanged", now);
// A figure has its size when it has been drawn, and another when it says more.
const sizes = new ResizeObserver(() => requestAnimationFrame(now));
for (const figure of all(".pn-figure")) sizes.observe(figure);
document.fonts.addEventListener("loadingdone", now);
addEventListener("toggle", now, true); // an answer to a self-check
addEventListener("beforeprint", () => {
  document.documentElement.classList.add("printed");
  deck.getSlides().forEach(fit);
});
addEventListener("afterprint", () => {
  document.documentElement.classList.remove("printed");
  now();
});
deck.initialize();
