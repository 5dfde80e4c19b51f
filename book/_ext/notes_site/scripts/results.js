// What the search finds: as one types in its dialog the best, on its own page all. At equal distance from
// what was asked for, the parts of the book come in its own order. The build joins this with MiniSearch.
import MiniSearch from "minisearch";

import { distance, excerpt, pieces } from "./excerpts.js";
import { all, find } from "./page.js";

const dialog = /** @type {HTMLDialogElement} */ (find("#pst-search-dialog"));
const page = find(".bd-search-container");
const place = page ?? dialog;
const most = page ? Infinity : 12;
const field = place.querySelector("input");
const list = place.querySelector(".found");
const home = document.documentElement.dataset.content_root;

const said = /** @type {Record<string, string> | undefined} */ (/** @type {any} */ (window).SAID);
/** @param {string} text */
const say = (text) => said?.[text] ?? text;
/** The words of a Chinese text, which has no blanks between them.
 * @param {string} text */
const words = (text) => [...new Intl.Segmenter("zh", { granularity: "word" }).segment(text)]
  .filter((one) => one.isWordLike).map((one) => one.segment);

const index = new MiniSearch({
  ...(document.documentElement.lang.startsWith("zh") && { tokenize: words }),
  fields: ["title", "text", "page"],
  storeFields: ["address", "page", "title", "text", "part"],
  searchOptions: {
    boost: { title: 5, page: 2 },
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
  },
});
/** @type {[string, string, string, string, number][]} */
const texts = /** @type {any} */ (window).TEXTS;
index.addAll(texts.map(([address, page, title, text, part], id) => ({ id, address, page, title, text, part })));

/** An element with a text in which the words that were found are marked.
 * @param {string} tag
 * @param {string} text
 * @param {string[]} terms */
function marked(tag, text, terms) {
  const box = document.createElement(tag);
  box.append(...pieces(text, terms).map((part, at) =>
    at % 2 ? Object.assign(document.createElement("mark"), { textContent: part }) : part));
  return box;
}

function show() {
  const query = field.value.trim();
  const both = index.search(query, { combineWith: "AND" });
  const hits = /** @type {any[]} */ (both.length ? both : index.search(query));
  const far = new Map(hits.map((hit) => [hit, 10 * distance(hit, query) + hit.part]));
  hits.sort((a, b) => far.get(a) - far.get(b));
  list.replaceChildren(...hits.slice(0, most).map(({ address, page, title, text, terms }) => {
    const entry = document.createElement("li");
    const link = entry.appendChild(document.createElement("a"));
    link.href = home + address;
    link.append(marked("b", title, terms), marked("span", excerpt(text, terms), terms));
    if (page.replace(/^[\w.]+ /, "") !== title)
      link.prepend(Object.assign(document.createElement("small"), { textContent: page }));
    return entry;
  }));
  const count = hits.length > most ? "The first {k} of {n} sections" : hits.length > 1 ? "{n} sections" : hits.length ? "1 section" : "Nothing found.";
  place.querySelector(".found-count").textContent = query && say(count).replace("{k}", String(most)).replace("{n}", String(hits.length));
  if (hits.length <= most) return;
  const others = list.appendChild(document.createElement("li")).appendChild(document.createElement("a"));
  others.href = `${home}search.html?q=${encodeURIComponent(query)}`;
  others.append(Object.assign(document.createElement("b"), { textContent: say("Show all {n}").replace("{n}", String(hits.length)) }));
}

// ↓ and ↑ go through what was found; ⏎ in the dialog's field opens the first.
place.addEventListener("keydown", (event) => {
  const places = [field, ...all("a", list)];
  const at = places.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (way && at >= 0) {
    places[Math.min(Math.max(at + way, 0), places.length - 1)].focus();
    event.preventDefault();
  }
  if (event.key === "Enter" && at === 0 && places[1] && !page) {
    places[1].click();
    event.preventDefault();
  }
});
list.addEventListener("click", ({ target }) => {
  if (target instanceof Element && target.closest("a")) dialog.close();
});
field.addEventListener("input", show);
show();
