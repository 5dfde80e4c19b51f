// The search's answers as one types. The build joins this with MiniSearch; frame.js loads it, and the
// texts, at the first letter.
import MiniSearch from "minisearch";

const MOST = 12;
const dialog = document.querySelector("#pst-search-dialog");
const field = dialog.querySelector("input");
const list = dialog.querySelector(".found");
const count = dialog.querySelector(".found-count");
const home = document.documentElement.dataset.content_root;

const index = new MiniSearch({
  fields: ["title", "text", "page"],
  storeFields: ["address", "page", "title", "text"],
  searchOptions: {
    boost: { title: 5, page: 2 },
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
  },
});
index.addAll(window.TEXTS.map(([address, page, title, text], id) => ({ id, address, page, title, text })));

/** A text with the words that were found in it marked. */
function marked(tag, text, terms) {
  const box = document.createElement(tag);
  const found = terms.map((term) => term.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  const parts = text.split(new RegExp(`((?<![\\p{L}])(?:${found.join("|")}))`, "iu"));
  parts.forEach((part, at) => {
    if (at % 2) box.append(Object.assign(document.createElement("mark"), { textContent: part }));
    else box.append(part);
  });
  return box;
}

/** Some twenty words around the first that was found. */
function excerpt(text, terms) {
  const at = Math.min(...terms.map((term) => text.toLowerCase().indexOf(term)).map((i) => (i < 0 ? 1e9 : i)));
  const start = at < 60 || at === 1e9 ? 0 : text.indexOf(" ", at - 60) + 1;
  const end = text.length > start + 170 ? text.lastIndexOf(" ", start + 170) : text.length;
  return (start ? "… " : "") + text.slice(start, end) + (end < text.length ? " …" : "");
}

/** Whether a page, not a place on it, has a title that begins with these words. */
function begins({ address, title }, words) {
  const start = title.toLowerCase().startsWith(words.toLowerCase());
  return start && !address.includes("#") && !/[\p{L}\p{N}]/u.test(title.charAt(words.length));
}

function show() {
  const query = field.value.trim();
  const all = index.search(query, { combineWith: "AND" });
  const hits = all.length ? all : index.search(query);
  // A chapter on what is asked for is better than a line about it, however often that has the word.
  const found = hits.sort((a, b) => begins(b, query) - begins(a, query)).slice(0, MOST);
  list.replaceChildren(...found.map(({ address, page, title, text, terms }) => {
    const entry = document.createElement("li");
    const link = entry.appendChild(document.createElement("a"));
    link.href = home + address;
    link.append(marked("b", title, terms), marked("span", excerpt(text, terms), terms));
    if (page.replace(/^[\w.]+ /, "") !== title)
      link.prepend(Object.assign(document.createElement("small"), { textContent: page }));
    return entry;
  }));
  const sections = found.length === 1 ? "1 section" : `${found.length} sections`;
  count.textContent = !query ? "" : found.length ? sections : "Nothing found.";
}

// ↓ and ↑ go through what was found; ⏎ in the field opens the first.
dialog.addEventListener("keydown", (event) => {
  const places = [field, ...list.querySelectorAll("a")];
  const at = places.indexOf(document.activeElement);
  const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (way && at >= 0) {
    places[Math.min(Math.max(at + way, 0), places.length - 1)].focus();
    event.preventDefault();
  }
  if (event.key === "Enter" && at === 0 && places[1]) {
    places[1].click();
    event.preventDefault();
  }
});
list.addEventListener("click", ({ target }) => target.closest("a") && dialog.close());
field.addEventListener("input", show);
show();
