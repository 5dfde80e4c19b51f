/** A text in parts, of which every other one, from the second on, is a word that was found.
 * @param {string} text
 * @param {string[]} terms
 * @returns {string[]} */
export function pieces(text, terms) {
  // A word begins where no letter stands before it; a Chinese one may begin anywhere.
  const begin = (/** @type {string} */ term) => (/^\p{Script=Han}/u.test(term) ? "" : "(?<!\\p{L})");
  const found = terms.map((term) => begin(term) + term.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return text.split(new RegExp(`(${found.join("|")})`, "iu"));
}

/** Some twenty words around the first that was found.
 * @param {string} text
 * @param {string[]} terms
 * @returns {string} */
export function excerpt(text, terms) {
  const places = terms.map((term) => text.toLowerCase().indexOf(term)).filter((at) => at >= 0);
  const at = Math.min(...places);
  const blank = text.indexOf(" ", at - 60) + 1;
  const start = at < 60 || at === Infinity ? 0 : blank && blank <= at ? blank : at - 20;
  const end = text.length > start + 170 ? Math.max(text.lastIndexOf(" ", start + 170), start + 100) : text.length;
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
