// The five lines of the first page: the one that the figure beside them has come to is lit.
import { find } from "./page.js";

const [SEARCH, UPDATE, PRINT] = [2, 3, 4]; // lines, counted from 0

const code = find(".landing .five pre");
if (code) {
  let resting = 0;
  const light = (/** @type {number} */ line) => code.style.setProperty("--line", String(line));
  addEventListener("pn-shows", (event) => {
    const { ended, pace } = /** @type {CustomEvent<{ ended: boolean, pace: number }>} */ (event).detail;
    clearTimeout(resting);
    light(pace ? UPDATE : ended ? PRINT : SEARCH);
    if (pace) resting = setTimeout(() => light(ended ? PRINT : SEARCH), pace);
  });
}
