// A page that was opened from a folder may not read its neighbours: then there are titles alone.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

// Sphinx makes the previews of what it finds from the pages' text, in which a formula would stand
// three times, once as TeX. The page's header is no text, its title stands above the preview, and
// what unfolds code says nothing of it. (`Search` may come after this script.)
addEventListener("DOMContentLoaded", () => {
  const textOf = Search.htmlToText;
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    const drop = "nav, .bd-header-article, h1, footer, details.hide > summary, pre, .katex-html, "
      + "annotation, script, svg, .pn-figure";
    for (const one of page.querySelectorAll(drop)) one.remove();
    for (const power of page.querySelectorAll("msup")) power.lastElementChild.before("^");
    return textOf(page.documentElement.outerHTML, anchor).replace(/\s+/g, " ");
  };
});
