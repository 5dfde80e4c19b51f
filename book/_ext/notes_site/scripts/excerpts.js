/** A text in parts, of which every other one, from the second on, is a word that was found.
 * @param {string} text
 * @param {string[]} terms
 * @returns {string[]} */
export function pieces(text, terms) {
  const found = terms.map((term) => term.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return text.split(new RegExp(`((?<![\\p{L}])(?:${found.join("|")}))`, "iu"));
}

/** Some twenty words around the first that was found.
 * @param {string} text
 * @param {string[]} terms
 * @returns {string} */
export function excerpt(text, terms) {
  const places = terms.map((term) => text.toLowerCase().indexOf(term)).filter((at) => at >= 0);
  const at = Math.min(...places);
  const start = at < 60 || at === Infinity ? 0 : text.indexOf(" ", at - 60) + 1;
  const end = text.length > start + 170 ? text.lastIndexOf(" ", start + 170) : text.length;
  return (start ? "… " : "") + text.slice(start, end) + (end < text.length ? " …" : "");
}

/** Whether a page, not a place on it, has a title that begins with these words. A chapter on what is
 * asked for is better than a line about it, however often that has the word.
 * @param {{ address: string, title: string }} place
 * @param {string} words
 * @returns {boolean} */
export function isOn({ address, title }, words) {
  const start = title.toLowerCase().startsWith(words.toLowerCase());
  return start && !address.includes("#") && !/[\p{L}\p{N}]/u.test(title.charAt(words.length));
}
