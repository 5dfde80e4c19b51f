// The arrows turn the pages, where they mean nothing else: not in a field, a figure, or what scrolls sideways.
import { find } from "./page.js";

addEventListener("keydown", (event) => {
  const way = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  const link = way && /** @type {HTMLLinkElement | null} */ (find(`link[rel=${way}]`));
  const target = /** @type {Element} */ (event.target);
  const free = target.matches("body, main, a, summary") && !target.closest("dialog");
  const other = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.defaultPrevented;
  if (!link || !free || other || document.scrollingElement.scrollWidth > innerWidth) return;
  event.preventDefault();
  location.assign(link.href);
});

// What copies a text takes the focus along to it.
addEventListener("click", ({ target }) => {
  const button = /** @type {Element} */ (target).closest("button");
  if (button?.matches(".copybtn")) button.focus();
});
