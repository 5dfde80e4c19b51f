// Paper is light, and nobody can unfold it. (Self-checks stay closed, because a question is to be thought
// about first; code that only draws stays away.)
import { all } from "./page.js";

const { dataset } = document.documentElement;
let theme = dataset.theme;
/** @type {HTMLElement[]} */
let closed = [];
/** @param {boolean} open */
const fold = (open) => closed.forEach((one) => one.toggleAttribute("open", open));

addEventListener("beforeprint", () => {
  theme = dataset.theme;
  dataset.theme = "light";
  closed = all("details.folded:not([open])");
  fold(true);
});
addEventListener("afterprint", () => {
  dataset.theme = theme;
  fold(false);
});
