// The menus of the header. Bootstrap, of which the theme's menus are, would be 24 kB for them.
import { all, find } from "./page.js";

for (const button of all("[data-bs-toggle=dropdown]")) {
  const box = button.parentElement;
  const [menu] = all(".dropdown-menu", box);
  /** @param {boolean} shown */
  const set = (shown) => {
    menu.classList.toggle("show", shown);
    button.ariaExpanded = String(shown);
  };
  button.addEventListener("click", () => set(!menu.classList.contains("show")));
  addEventListener("click", ({ target }) => box.contains(/** @type {Node} */ (target)) || set(false));
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    set(false);
    button.focus();
  });
}

// The book's contents, laid over the page, must not cover the place to which one of their links leads.
const drawer = /** @type {HTMLDialogElement} */ (find("#pst-primary-sidebar-modal"));
drawer?.addEventListener("click", ({ target }) => {
  if (target instanceof Element && target.closest("a[href^='#']")) drawer.close();
});
