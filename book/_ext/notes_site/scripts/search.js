// The search's dialog, which the theme opens: what one types there replaces what was looked for
// before; and what answers is loaded at the first letter, the texts, then what looks through them.
import { find } from "./page.js";

/** @param {string} address */
const load = (address) => new Promise((onload) => {
  document.head.append(Object.assign(document.createElement("script"), { src: address, onload }));
});
const { texts, results } = find("#pst-search-dialog").dataset;
/** @type {HTMLInputElement} */
const field = document.querySelector("#pst-search-dialog input");
field.addEventListener("focus", () => field.select());
field.addEventListener("input", () => load(texts).then(() => load(results)), { once: true });
