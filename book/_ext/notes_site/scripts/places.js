/** The last of those for which something holds, if it holds for none behind one for which it does not.
 * @template T
 * @param {T[]} all
 * @param {(one: T) => boolean} holds
 * @returns {T | undefined} */
export function lastOf(all, holds) {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(all[middle])) low = middle + 1;
    else high = middle;
  }
  return all[low - 1];
}
