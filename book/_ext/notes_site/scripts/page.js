/** The first element of the page that a selector finds.
 * @param {string} what
 * @returns {HTMLElement | null} */
export const find = (what) => document.querySelector(what);

/** All of them.
 * @param {string} what
 * @param {ParentNode} [where]
 * @returns {HTMLElement[]} */
export const all = (what, where = document) => [...where.querySelectorAll(what)].map((one) => /** @type {HTMLElement} */ (one));
