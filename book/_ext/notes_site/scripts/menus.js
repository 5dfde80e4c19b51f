// The menus of the header. Bootstrap, of which the theme's menus are, would be 24 kB for them.
import { all } from "./page.js";

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
    const places = [button, ...all("a, button", menu)];
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") {
      set(false);
      button.focus();
    } else if (way) {
      set(true);
      places.at((places.indexOf(/** @type {HTMLElement} */ (document.activeElement)) + way) % places.length).focus();
      event.preventDefault();
    }
  });
}
