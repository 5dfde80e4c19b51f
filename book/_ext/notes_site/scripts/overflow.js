// What scrolls within itself can be reached by keys. The theme looks once, when the page has come; what
// unfolds later, or is laid out far below, tells here.
import { all } from "./page.js";

const boxes = new ResizeObserver((sized) => {
  for (const { target } of sized) {
    const scrolls = target.scrollWidth > target.clientWidth || target.scrollHeight > target.clientHeight;
    /** @type {HTMLElement} */ (target).tabIndex = scrolls ? 0 : -1;
  }
});
for (const box of all("pre, .math-scroll, .cell_output > .output, .pst-scrollable-table-container")) boxes.observe(box);
