// What every page does besides what the theme does; it joins the site's one script.

// What is laid out late (see notes.css) gets its height when a jump has already been aimed: aim again,
// and once more for what came into view by that.
const aim = (again = 2) => requestAnimationFrame(() => setTimeout(() => {
  document.querySelector(":target")?.scrollIntoView();
  if (again) aim(again - 1);
}));
addEventListener("load", () => {
  if (performance.getEntriesByType("navigation")[0]?.type === "navigate") aim();
});
addEventListener("click", ({ target }) => target.closest?.("a[href*='#']") && aim());
