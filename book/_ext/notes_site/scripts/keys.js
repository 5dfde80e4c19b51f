// Keys that a reader of a book on the screen expects.
import { find } from "./page.js";

const KEYS = [
  ["←", "the page before"],
  ["→", "the next page"],
  ["/", "search; Ctrl K does the same"],
  ["?", "this list"],
  ["Esc", "close what is open"],
];
// Who speaks to the computer sets off single keys by accident, so they can be switched off.
let on = localStorage.getItem("keys") !== "off";

function list() {
  const rows = KEYS.map(([key, does]) => `<dt><kbd>${key}</kbd></dt><dd>${does}</dd>`).join("");
  const dialog = document.createElement("dialog");
  dialog.className = "keys";
  dialog.ariaLabel = "Keys";
  dialog.innerHTML = `<dl>${rows}</dl>
    <label><input type="checkbox"> use these keys</label>
    <form method="dialog"><button>Close</button></form>`;
  const box = dialog.querySelector("input");
  box.checked = on;
  box.onchange = () => localStorage.setItem("keys", (on = box.checked) ? "on" : "off");
  dialog.onclose = () => dialog.remove();
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {string} way */
function turn(way) {
  const link = /** @type {HTMLLinkElement | null} */ (find(`link[rel=${way}]`));
  if (link) location.assign(link.href);
}

/** @type {Record<string, () => void>} */
const does = {
  ArrowLeft: () => turn("prev"),
  ArrowRight: () => turn("next"),
  "/": () => find(".search-button__button")?.click(),
  "?": list,
};
addEventListener("keydown", (event) => {
  // Not where a key already means something: in a field, a figure, or what scrolls sideways.
  const target = /** @type {Element} */ (event.target);
  const free = target.matches("body, main, a, summary") && !target.closest("dialog");
  const other = event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented;
  const wide = document.scrollingElement.scrollWidth > innerWidth && /Arrow/.test(event.key);
  if (!does[event.key] || !free || other || wide || !(on || event.key === "?")) return;
  event.preventDefault();
  does[event.key]();
});
