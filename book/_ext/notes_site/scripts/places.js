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

/** Where a box stands beside a link: below it, or above if there is more room; what does not fit scrolls.
 * @param {{ left: number, top: number, bottom: number }} link
 * @param {{ width: number, height: number }} box
 * @param {{ width: number, height: number }} screen
 * @returns {{ left: number, top: number, room: number }} */
export function beside(link, box, screen) {
  const below = screen.height - link.bottom - 14;
  const above = link.top - 14;
  const left = Math.max(8, Math.min(link.left, screen.width - box.width - 8));
  if (box.height <= below || below >= above) return { left, top: link.bottom + 6, room: below };
  return { left, top: link.top - Math.min(box.height, above) - 6, room: above };
}
