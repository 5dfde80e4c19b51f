// What a link within the book leads to, shown before one follows it: a theorem, a definition, an
// equation, a picture, an entry of the glossary or of the bibliography. On a page that was opened
// from a folder only for places of the same page, for it may not read its neighbours.
const SHOWN = ".proof, .exercise, .citation, div.math, figure, dt";
const pages = new Map([[location.pathname, Promise.resolve(document)]]);
let box, timer;

function pageOf({ pathname, href }) {
  if (!pages.has(pathname)) {
    const read = (text) => new DOMParser().parseFromString(text, "text/html");
    pages.set(pathname, fetch(href).then((answer) => answer.text()).then(read));
  }
  return pages.get(pathname);
}

/** A copy of what the link leads to, if it is of a kind that is understood by itself. */
async function copyOf(link) {
  if (location.protocol === "file:" && link.pathname !== location.pathname) return [];
  const page = await pageOf(link);
  const target = page.getElementById(decodeURIComponent(link.hash.slice(1)));
  const place = target?.closest(SHOWN) ?? target?.querySelector(":scope > div.math");
  if (!place || place.contains(link)) return [];
  const parts = place.matches("dt") ? [place, place.nextElementSibling] : [place];
  return parts.filter(Boolean).map((part) => {
    const copy = document.importNode(part, true);
    for (const one of copy.querySelectorAll(".headerlink, script, noscript, details")) one.remove();
    for (const one of [copy, ...copy.querySelectorAll("[id]")]) one.removeAttribute("id");
    for (const svg of copy.querySelectorAll("svg")) lend(svg, page);
    return copy;
  });
}

/** Give a copied figure the letters that it uses; on its page another figure may have them. */
function lend(svg, page) {
  for (const use of svg.querySelectorAll("use")) {
    const id = use.getAttribute("href").slice(1);
    const own = `preview-${id}`;
    if (!svg.querySelector(`[id="${own}"]`)) {
      const letter = document.importNode(page.getElementById(id), true);
      letter.id = own;
      svg.insertBefore(document.createElementNS(svg.namespaceURI, "defs"), svg.firstChild).append(letter);
    }
    use.setAttribute("href", `#${own}`);
  }
}

async function open(link) {
  const parts = await copyOf(link).catch(() => []);
  if (!parts.length || !link.matches(":hover, :focus-visible")) return;
  close();
  box = document.createElement("aside");
  box.className = "preview bd-article";
  box.append(...parts);
  document.body.append(box);
  place(link.getBoundingClientRect());
  box.addEventListener("pointerleave", later);
  box.addEventListener("pointerenter", () => clearTimeout(timer));
}
/** Below the link, or above if there is more room; what does not fit scrolls. */
function place({ left, top, bottom }) {
  const room = innerHeight - bottom - 14;
  const below = box.offsetHeight <= room || room >= top - 14;
  box.style.maxHeight = `min(60vh, ${below ? room : top - 14}px)`;
  box.style.left = `${Math.max(8, Math.min(left, innerWidth - box.offsetWidth - 8))}px`;
  box.style.top = `${below ? bottom + 6 : top - box.offsetHeight - 6}px`;
}
function close() {
  box?.remove();
  box = undefined;
}
function later() {
  clearTimeout(timer);
  timer = setTimeout(close, 250);
}

const linkOf = ({ target }) => target.closest?.("article a.internal[href*='#'], article .xref[href*='#']");
function come(event) {
  const link = linkOf(event);
  if (!link || event.pointerType === "touch") return;
  clearTimeout(timer);
  timer = setTimeout(() => open(link), event.type === "focusin" ? 600 : 250);
}
addEventListener("pointerover", come);
addEventListener("focusin", come);
addEventListener("pointerout", (event) => linkOf(event) && later());
addEventListener("focusout", later);
addEventListener("scroll", close, { passive: true });
addEventListener("keydown", ({ key }) => key === "Escape" && close());
