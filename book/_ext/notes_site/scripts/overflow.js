// What scrolls within itself can be reached by keys. A box is asked when it has been laid out, which for
// one that is far below is later (see notes.css), and again when it has become larger or smaller.
import { all } from "./page.js";

const sizes = new ResizeObserver((sized) => {
  for (const { target: box } of sized)
    /** @type {HTMLElement} */ (box).tabIndex = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight ? 0 : -1;
});
for (const box of all("pre, .math-scroll, .cell_output > .output, .pst-scrollable-table-container")) sizes.observe(box);
