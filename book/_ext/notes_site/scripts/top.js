// The header gets a shadow, and a way back to the top, once the page has been scrolled. (In the theme
// that hangs on a second sidebar, and on Bootstrap.)
import { find } from "./page.js";

const button = find("#pst-back-to-top");
button?.addEventListener("click", () => scrollTo(0, 0));
let before = 0;
addEventListener("scroll", () => {
  document.body.classList.toggle("scrolled", scrollY > 0);
  if (button) button.style.display = scrollY > 0 && scrollY < before ? "block" : "none";
  before = scrollY;
}, { passive: true });
