// What the search finds: as one types in its dialog the best, on its own page all, and what is said of it.
import { excerpt, pieces } from "./excerpts.js";
import { all, find } from "./page.js";
import { Search } from "./ranking.js";

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
const { TEXTS, WORDS } = /** @type {any} */ (window);
const search = new Search(TEXTS, WORDS);

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
  const { told, hits, marked: terms } = search.answer(query);
  list.replaceChildren(...hits.slice(0, most).map(({ address, page, title, text }) => {
    const entry = document.createElement("li");
    const link = entry.appendChild(document.createElement("a"));
    link.href = home + address;
    if (address.startsWith("../")) link.hreflang = "en"; // not translated
    link.append(marked("b", title, terms), marked("span", excerpt(text, terms), terms));
    if (page.replace(/^[\w.]+ /, "") !== title)
      link.prepend(Object.assign(document.createElement("small"), { textContent: page }));
    return entry;
  }));
  const count = hits.length > most ? "The first {k} of {n} sections" : hits.length > 1 ? "{n} sections" : hits.length ? "1 section" : "Nothing found.";
  const sentences = told.map(([text, words]) => {
    const at = query.toLowerCase().indexOf(words.typed); // as it was typed
    const typed = at < 0 ? words.typed : query.slice(at, at + words.typed.length);
    return say(text).replace("{typed}", typed).replace("{ours}", words.ours);
  });
  const number = say(count).replace("{k}", String(most)).replace("{n}", String(hits.length));
  place.querySelector(".found-count").textContent = query && [...sentences, number].join(said ? "" : " ");
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
