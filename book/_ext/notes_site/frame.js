// What the theme's scripts do for the frame of a page, as far as this book uses it. They are 30 kB,
// compressed, and lay out the whole page to find what scrolls; this is a tenth of it, and asks the
// browser to tell.
import "./preview.js";

const root = document.documentElement;
const find = (what) => document.querySelector(what);
const all = (what) => [...document.querySelectorAll(what)];
const recall = (area, ...entry) => {
  try {
    return entry.length > 1 ? area().setItem(...entry) : area().getItem(...entry);
  } catch {
    return null; // storage is refused
  }
};

// Light, dark, or as the machine has it.
const dark = matchMedia("(prefers-color-scheme: dark)");
function show(mode) {
  root.dataset.mode = mode;
  root.dataset.theme = mode === "auto" ? (dark.matches ? "dark" : "light") : mode;
  for (const menu of all(".dropdown-menu"))
    menu.classList.toggle("dropdown-menu-dark", root.dataset.theme === "dark");
}
show(root.dataset.mode);
dark.addEventListener("change", () => show(root.dataset.mode));
for (const button of all(".theme-switch-button"))
  button.addEventListener("click", () => {
    const modes = dark.matches ? ["auto", "light", "dark"] : ["auto", "dark", "light"];
    show(modes[(modes.indexOf(root.dataset.mode) + 1) % 3]);
    recall(() => localStorage, "mode", root.dataset.mode);
  });

// The menus of the header.
for (const button of all("[data-bs-toggle=dropdown]")) {
  const menu = button.parentElement.querySelector(".dropdown-menu");
  const set = (shown) => {
    menu.classList.toggle("show", shown);
    button.ariaExpanded = shown;
  };
  button.addEventListener("click", () => set(!menu.classList.contains("show")));
  addEventListener("click", ({ target }) => target.closest(".dropdown") === button.parentElement || set(false));
  button.parentElement.addEventListener("keydown", (event) => {
    const places = [button, ...menu.querySelectorAll("a, button")];
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") {
      set(false);
      button.focus();
    } else if (way) {
      set(true);
      places.at((places.indexOf(document.activeElement) + way) % places.length).focus();
      event.preventDefault();
    }
  });
}

// A click beside an open dialog closes it, and so does Escape, which Sphinx takes for itself.
for (const dialog of all("dialog")) {
  dialog.addEventListener("click", ({ clientX: x, clientY: y }) => {
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    if (dialog.open && (x < left || x > right || y < top || y > bottom)) dialog.close();
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    dialog.close();
  });
}

// The search: a field in the page, or else one that pops up.
const mac = /^(Mac|iPhone)/.test(navigator.platform);
function search() {
  const dialog = find("#pst-search-dialog");
  const field = find(":not(#pst-search-dialog) > form.bd-search input");
  if (field) field.select();
  else if (dialog.open) dialog.close();
  else {
    dialog.showModal();
    dialog.querySelector("input").select(); // what one types replaces what was looked for before
  }
}
// What answers as one types is loaded at the first letter: the texts, then what looks through them.
find("#pst-search-dialog")?.addEventListener("input", ({ currentTarget: { dataset } }) => {
  const { texts, find } = dataset;
  delete dataset.find;
  if (find) load(texts).then(() => load(find));
});
function load(address) {
  return new Promise((done) => {
    document.head.append(Object.assign(document.createElement("script"), { src: address, onload: done }));
  });
}
for (const button of all(".search-button__button")) button.addEventListener("click", search);
if (mac) for (const key of all("kbd.kbd-shortcut__modifier:first-child")) key.textContent = "⌘";
addEventListener("keydown", (event) => {
  const { key, ctrlKey, metaKey, shiftKey, altKey } = event;
  if (key.toLowerCase() !== "k" || shiftKey || altKey) return;
  if (mac ? !metaKey || ctrlKey : !ctrlKey || metaKey) return;
  event.preventDefault();
  search();
}, true);

// The contents: on a narrow screen a button shows them in a dialog, on a wide one it hides them.
function carry(from, to) {
  to.append(...from.childNodes);
  to.classList.add(...from.classList);
  from.className = "";
}
const bar = find("#pst-primary-sidebar");
const drawer = find("#pst-primary-sidebar-modal");
const opener = find(".primary-toggle");
opener?.addEventListener("click", () => {
  if (matchMedia("(min-width: 960px)").matches) {
    bar.classList.toggle("pst-sidebar-hidden");
    return;
  }
  carry(bar, drawer);
  drawer.showModal();
});
drawer?.addEventListener("close", () => {
  carry(drawer, bar);
  opener.focus();
});
// A link to a place on this page leads there; the drawer must not cover it.
drawer?.addEventListener("click", ({ target }) => target.closest("a[href^='#']") && drawer.close());

// The book's contents stay where they were scrolled to, from page to page.
const contents = find("div.bd-sidebar-primary");
if (contents) {
  const place = recall(() => sessionStorage, "sidebar-scroll-top");
  if (+place) contents.scrollTop = place; // to ask or to set it has the whole page laid out
  addEventListener("pagehide", () => {
    recall(() => sessionStorage, "sidebar-scroll-top", contents.scrollTop);
  });
}

// The page's contents mark the section that is being read.
const links = new Map();
for (const link of all("#pst-page-toc-nav a")) {
  const section = document.getElementById(decodeURIComponent(link.hash.slice(1)));
  if (section) links.set(section.querySelector("h1, h2, h3, h4, h5, h6") ?? section, link);
}
let marked;
function mark(here) {
  if (here === marked) return;
  marked = here;
  for (const link of links.values()) {
    link.classList.toggle("active", link === here);
    if (link === here) link.ariaCurrent = "true";
    else link.removeAttribute("aria-current");
  }
  for (const entry of all("#pst-page-toc-nav .toc-entry"))
    entry.classList.toggle("active", entry.contains(here));
}
let chosen = -1000; // when a link was followed: what passes by on the way is not being read
let asked = false;
// The last heading above the upper third, however far a scroll has jumped and in which direction.
// They stand in order, and to ask all of them would have the whole page laid out.
const places = [...links.keys()];
function read() {
  asked = false;
  if (performance.now() < chosen + 1000) return;
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle].getBoundingClientRect().top < innerHeight * 0.3) low = middle + 1;
    else high = middle;
  }
  mark(links.get(places[low - 1]));
}
function ask() {
  if (!asked) requestAnimationFrame(read);
  asked = true;
}
addEventListener("scroll", ask, { passive: true });
// What is laid out as one comes near pushes on what follows it, without a scroll.
const article = find("article");
if (article) new ResizeObserver(ask).observe(article);
function follow() {
  const link = [...links.values()].find(({ hash }) => hash && hash === location.hash);
  if (!link) return;
  chosen = performance.now();
  mark(link);
}
requestAnimationFrame(read);
follow();
addEventListener("hashchange", follow);

// The header gets a shadow, and a way back to the top, once the page has been scrolled.
const top = find("#pst-back-to-top");
top?.addEventListener("click", () => scrollTo(0, 0));
let before = 0;
addEventListener("scroll", () => {
  document.body.classList.toggle("scrolled", scrollY > 0);
  if (top) top.style.display = scrollY > 0 && scrollY < before ? "block" : "none";
  before = scrollY;
}, { passive: true });

// What scrolls within itself can be reached by keys; a box far below tells when it is laid out.
const boxes = new ResizeObserver((sized) => {
  for (const { target } of sized)
    target.tabIndex = target.scrollWidth > target.clientWidth || target.scrollHeight > target.clientHeight ? 0 : -1;
});
for (const box of all("pre, .math-scroll, .cell_output > .output, .pst-scrollable-table-container")) boxes.observe(box);
