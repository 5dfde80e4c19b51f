// The buttons that run cells, where the site has what they need (live.py). Nothing of it is fetched
// before one is pressed, unless its reader has changed a cell of this page before.
import { all, find } from "./page.js";

const { live, version, notebook, fromDisk } = find("#the-text")?.dataset ?? {};

/** @returns {Promise<typeof import("./live/page.js")>} */
const script = () => import(new URL(`${live}page.js?v=${version}`, location.href).href);

if (live) {
  addEventListener("click", async ({ target }) => {
    const button = target instanceof Element ? /** @type {HTMLButtonElement | null} */ (target.closest("button.run")) : null;
    if (!button) return;
    if (location.protocol === "file:") {
      for (const one of all(".from-disk")) one.remove();
      const said = Object.assign(document.createElement("p"), { className: "from-disk", role: "status", textContent: fromDisk });
      button.after(said);
    } else (await script()).press(button);
  });
  if (localStorage.getItem(`cells ${new URL(notebook, location.href).pathname}`)) script().then((page) => page.open());
}
