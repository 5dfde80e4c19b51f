export const escaped = (/** @type {string} */ text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** Finds words as they stand in a text: one begins where no letter stands before it, a Chinese one anywhere.
 * @param {string[]} terms */
function finder(terms) {
  const found = [...terms].sort((a, b) => b.length - a.length).map((term) =>
    (/^\p{Script=Latin}/u.test(term) ? "(?<!\\p{Script=Latin})" : "") + escaped(term)
      .replace(/(?<=\w)(?=\p{Script=Han})|(?<=\p{Script=Han})(?=\w)/gu, " ?") // VC 维
      .replace(/ (?!\?)/g, "[\\s‑-]").replace(/'/g, "['’]").replace(/is(?=[ei]|ation|$)/g, "i[sz]").replace(/(?<=[a-z])$/, "e?"));
  return new RegExp(`(${found.join("|")})`, "iu");
}

/** A text in parts, of which every other one, from the second on, is a word that was found.
 * @param {string} text
 * @param {string[]} terms
 * @returns {string[]} */
export function pieces(text, terms) {
  return text.split(finder(terms));
}

/** Some twenty words around the first that was found.
 * @param {string} text
 * @param {string[]} terms
 * @returns {string} */
export function excerpt(text, terms) {
  const at = text.search(finder(terms));
  const blank = text.indexOf(" ", at - 60) + 1;
  const start = at < 60 ? 0 : blank && blank <= at ? blank : at - 20;
  const end = text.length > start + 170 ? Math.max(text.lastIndexOf(" ", start + 170), start + 100) : text.length;
  return (start ? "… " : "") + text.slice(start, end) + (end < text.length ? " …" : "");
}
