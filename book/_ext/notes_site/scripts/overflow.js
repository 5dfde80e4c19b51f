// What scrolls within itself can be reached by keys. Each box is asked when there is nothing else to do,
// and again when it has become larger or smaller: one at a time, as the answer of one that is far below
// (see notes.css) has it laid out, and all of them at once would hold up the page. One in a closed fold
// cannot be reached anyway.
import { all } from "./page.js";

const waiting = new Set(all("pre, .math-scroll, .cell_output > .output, .pst-scrollable-table-container"));
const sizes = new ResizeObserver((sized) => {
  for (const { target } of sized) waiting.add(/** @type {HTMLElement} */ (target));
  ask();
});
for (const box of waiting) sizes.observe(box);

const idle = window.requestIdleCallback ?? ((/** @type {() => void} */ next) => setTimeout(next, 100));
let asked = false;
function ask() {
  if (!asked) idle(look);
  asked = true;
}
function look() {
  asked = false;
  const [box] = waiting;
  if (!box) return;
  waiting.delete(box);
  box.tabIndex = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight ? 0 : -1;
  ask();
}
ask();
