/** What the page says: words.csv, which the build puts here.
 * @type {Record<string, string>} */
export const words = WORDS;

/** A sentence with its numbers.
 * @param {string} key
 * @param {Record<string, string | number>} [values] */
export const say = (key, values = {}) => words[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
