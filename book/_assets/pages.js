// What every page does besides what the theme does; it joins the site's one script.

// The search fetches a summary of each page that it finds: no browser allows that from a folder.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

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
