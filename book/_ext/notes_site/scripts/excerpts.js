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

/** How far a place is from what was asked for: 0, a page with a title that begins with it (a chapter is
 * better than a line about it, however often that has the word); 1, a title that is it; 2, one that has
 * all its words; 3, a text that has them; 4, words like these.
 * @param {{ address: string, title: string, match: Record<string, string[]>, queryTerms: string[] }} place
 * @param {string} asked
 * @returns {number} */
export function distance({ address, title, match, queryTerms }, asked) {
  const stem = (/** @type {string} */ word) => word.toLowerCase().replace(/s$/, "");
  const [name, start] = [title.toLowerCase().replace(/^the /, ""), stem(asked)];
  const rest = name.startsWith(start) ? name.slice(start.length).replace(/^s\b/, "") : "more";
  if (!address.includes("#") && !/^[\p{L}\p{N}_]/u.test(rest)) return 0;
  const has = (/** @type {string[]} */ terms) => queryTerms.every((word) => terms.some((term) => term.startsWith(stem(word))));
  const terms = Object.keys(match);
  return !rest ? 1 : has(terms.filter((term) => match[term].includes("title"))) ? 2 : has(terms) ? 3 : 4;
}
