// The page's contents mark the section that is being read. (The theme waits for a heading to come by:
// after a jump into a section it would mark the one before.)
import { all, find } from "./page.js";

/** @type {Map<Element, HTMLAnchorElement>} */
const links = new Map();
for (const link of all("#page-toc a")) {
  const { hash } = /** @type {HTMLAnchorElement} */ (link);
  const section = document.getElementById(decodeURIComponent(hash.slice(1)));
  if (section) links.set(section.querySelector("h1, h2, h3, h4, h5, h6") ?? section, /** @type {HTMLAnchorElement} */ (link));
}
const headings = [...links.keys()];

/** @type {HTMLAnchorElement | undefined} */
let marked;
/** @param {HTMLAnchorElement | undefined} here */
function mark(here) {
  if (here === marked) return;
  marked = here;
  for (const link of links.values()) {
    link.classList.toggle("active", link === here);
    link.ariaCurrent = link === here ? "true" : null;
  }
  for (const entry of all("#page-toc .toc-entry")) entry.classList.toggle("active", entry.contains(here));
}

let chosen = -1000; // when a link was followed: what passes by on the way is not being read
let asked = false;
function read() {
  asked = false;
  if (performance.now() < chosen + 1000) return;
  // The first that is below says it: to ask all where they are would have the whole page laid out.
  const next = headings.findIndex((one) => one.getBoundingClientRect().top >= innerHeight * 0.3);
  mark(links.get(headings[(next < 0 ? headings.length : next) - 1]));
}
function ask() {
  if (!asked) requestAnimationFrame(read);
  asked = true;
}
function follow() {
  const link = [...links.values()].find(({ hash }) => hash && hash === location.hash);
  if (!link) return;
  chosen = performance.now();
  mark(link);
}

ask();
follow();
addEventListener("hashchange", follow);
addEventListener("scroll", ask, { passive: true });
// What is laid out as one comes near pushes on what follows it, without a scroll.
const article = find("article");
if (article) new ResizeObserver(ask).observe(article);
