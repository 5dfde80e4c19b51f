// The search's dialog, which the theme opens, and the page of all results: what one types in the dialog
// replaces what was looked for before; what answers is loaded at the first letter, first the texts.
import { find } from "./page.js";

/** @param {string} address */
const load = (address) => new Promise((onload) => {
  document.head.append(Object.assign(document.createElement("script"), { src: address, onload }));
});
const dialog = find("#pst-search-dialog");
const { texts, results } = dialog.dataset;
const page = find(".bd-search-container");
const field = (page ?? dialog).querySelector("input");
field.addEventListener("focus", () => field.select());
field.addEventListener("input", () => load(texts).then(() => load(results)), { once: true });
if (page) {
  field.value = new URLSearchParams(location.search).get("q") ?? "";
  if (field.value) field.dispatchEvent(new Event("input"));
  field.select();
}
