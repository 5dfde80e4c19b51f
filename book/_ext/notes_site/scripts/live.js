// The buttons that run cells, where the site has what they need (live.py). Nothing of it is fetched
// before one is pressed, unless its reader has changed a cell of this page before.
import { all, find } from "./page.js";

const { live, script: file, version, notebook, fromDisk, notCome } = find("#the-text")?.dataset ?? {};

/** @returns {Promise<typeof import("./live/page.js")>} */
const script = () => Promise.race([
  import(new URL(`${live}${file}?v=${version}`, location.href).href),
  new Promise((_, late) => setTimeout(late, 20000)),
]);

if (live) {
  addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? /** @type {HTMLButtonElement | null} */ (target.closest("button.run")) : null;
    if (!button) return;
    for (const one of all(".from-disk")) one.remove();
    const say = (/** @type {string} */ textContent) => {
      const said = Object.assign(document.createElement("p"), { className: "from-disk", role: "status", textContent });
      (button.closest(".cell_input, p") ?? button).after(said);
    };
    if (location.protocol === "file:") say(fromDisk);
    else script().then((page) => page.press(button)).catch(() => say(notCome));
  });
  if (localStorage.getItem(`cells ${new URL(notebook, location.href).pathname}`)) script().then((page) => page.open());
}
