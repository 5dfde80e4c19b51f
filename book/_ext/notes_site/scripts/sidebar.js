// The theme's button lays the book's contents over the page. On a wide screen, where they stand beside
// it, it hides them (the theme's way to that needs a second sidebar); and over the page they must not
// cover the place on it to which one of their links leads.
import { find } from "./page.js";

find(".primary-toggle")?.addEventListener("click", (event) => {
  if (!matchMedia("(min-width: 960px)").matches) return;
  event.stopImmediatePropagation();
  find("#pst-primary-sidebar").classList.toggle("pst-sidebar-hidden");
}, true);

const drawer = /** @type {HTMLDialogElement} */ (find("#pst-primary-sidebar-modal"));
drawer?.addEventListener("click", ({ target }) => {
  if (target instanceof Element && target.closest("a[href^='#']")) drawer.close();
});
