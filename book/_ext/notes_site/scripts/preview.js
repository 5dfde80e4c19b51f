// What a link within the book leads to, shown before one follows it: a theorem, a definition, an
// equation, a picture, an entry of the glossary or of the bibliography. On a page that was opened
// from a folder only for places of the same page, for it may not read its neighbours.
import { all } from "./page.js";

const SHOWN = ".proof, .exercise, .citation, div.math, figure, dt";
/** @type {Map<string, Promise<Document>>} */
const pages = new Map([[location.pathname, Promise.resolve(document)]]);
/** @type {HTMLElement | undefined} */
let box;
/** @type {number | undefined} */
let timer;

/** @param {HTMLAnchorElement} link */
function pageOf({ pathname, href }) {
  if (!pages.has(pathname)) {
    /** @param {string} text */
    const read = (text) => new DOMParser().parseFromString(text, "text/html");
    pages.set(pathname, fetch(href).then((answer) => answer.text()).then(read));
  }
  return pages.get(pathname);
}

/** A copy of what the link leads to, if it is of a kind that is understood by itself.
 * @param {HTMLAnchorElement} link */
async function copyOf(link) {
  if (location.protocol === "file:" && link.pathname !== location.pathname) return [];
  const page = await pageOf(link);
  const target = page.getElementById(decodeURIComponent(link.hash.slice(1)));
  const place = target?.closest(SHOWN) ?? target?.querySelector(":scope > div.math");
  if (!place || place.contains(link)) return [];
  const parts = place.matches("dt") ? [place, place.nextElementSibling] : [place];
  return parts.filter(Boolean).map((part) => {
    const copy = document.importNode(part, true);
    for (const one of all(".headerlink, script, noscript, details", copy)) one.remove();
    // A picture's letters go by their ids, which are the same letters' on every page.
    for (const one of [copy, ...all("[id]", copy)]) if (!one.closest("svg")) one.removeAttribute("id");
    return copy;
  });
}

/** @param {HTMLAnchorElement} link */
async function open(link) {
  const parts = await copyOf(link).catch(() => []);
  if (!parts.length || !link.matches(":hover, :focus-visible")) return;
  close();
  box = document.createElement("aside");
  box.className = "preview bd-article";
  box.append(...parts);
  document.body.append(box);
  const { left, top, bottom } = link.getBoundingClientRect();
  box.style.left = `${Math.max(8, Math.min(left, innerWidth - box.offsetWidth - 8))}px`;
  // On the side of the link where there is more room; what does not fit scrolls.
  if (top + bottom < innerHeight) box.style.top = `${bottom + 6}px`;
  else box.style.bottom = `${innerHeight - top + 6}px`;
  box.addEventListener("pointerleave", later);
  box.addEventListener("pointerenter", () => clearTimeout(timer));
}
function close() {
  box?.remove();
  box = undefined;
}
function later() {
  clearTimeout(timer);
  timer = setTimeout(close, 250);
}

/** @param {Event} event
 * @returns {HTMLAnchorElement | null} */
const linkOf = ({ target }) =>
  target instanceof Element ? target.closest("article a.internal[href*='#'], article .xref[href*='#']") : null;
/** @param {PointerEvent | FocusEvent} event */
function come(event) {
  const link = linkOf(event);
  if (!link || (event instanceof PointerEvent && event.pointerType === "touch")) return;
  clearTimeout(timer);
  timer = setTimeout(() => open(link), event.type === "focusin" ? 600 : 250);
}
addEventListener("pointerover", come);
addEventListener("focusin", come);
addEventListener("pointerout", (event) => linkOf(event) && later());
addEventListener("focusout", later);
addEventListener("scroll", close, { passive: true });
addEventListener("keydown", ({ key }) => key === "Escape" && close());
