// Turns the slides of a deck (book/slides.py).
import Reveal from "reveal.js";
import Notes from "reveal.js/plugin/notes";
import { all } from "../page.js";
import "../told.js";

const [WIDTH, HEIGHT] = [1280, 720];

/** Make what stands below a slide's title as large as fits.
 * @param {Element} slide */
function fit(slide) {
  const [frame, parts] = [".bd-article", ".parts"].map((what) => /** @type {HTMLElement} */ (slide.querySelector(what)));
  if (!parts) return;
  const scrolling = [parts, ...all("pre, .math-scroll", parts)];
  for (let zoom = 1.8; zoom > 0.4; zoom -= 0.05) {
    parts.style.zoom = String(zoom);
    if (frame.scrollHeight < HEIGHT - 20 && scrolling.every((one) => one.scrollWidth <= one.clientWidth + 1)) return;
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
const now = () => fit(deck.getCurrentSlide());
deck.on("ready", now);
deck.on("slidechanged", now);
// A figure has its size when it has been drawn.
addEventListener("pn-live", () => requestAnimationFrame(() => requestAnimationFrame(now)));
document.fonts.ready.then(now);
addEventListener("beforeprint", () => deck.getSlides().forEach(fit));
deck.initialize();
