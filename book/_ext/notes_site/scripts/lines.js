// Code beside a figure that runs it: the line that the figure has come to is lit. The class `lit-3-4-5`
// says in which line it searches, which one corrects, and which ends.
import { find } from "./page.js";

const block = find("[class*=lit-]");
if (block) {
  const [search, update, end] = block.className.match(/lit-(\d+)-(\d+)-(\d+)/).slice(1).map(Number);
  const code = /** @type {HTMLElement} */ (block.querySelector("pre"));
  let resting = 0;
  const light = (/** @type {number} */ line) => code.style.setProperty("--line", String(line - 1));
  addEventListener("pn-shows", (event) => {
    const { ended, pace } = /** @type {CustomEvent<{ ended: boolean, pace: number }>} */ (event).detail;
    clearTimeout(resting);
    light(pace ? update : ended ? end : search);
    if (pace) resting = setTimeout(() => light(ended ? end : search), pace);
  });
}
