// What a cell puts out, as the book shows it: text, tables, pictures in the page's colours, figures
// that live, errors.
import katex from "katex";
import MarkdownIt from "markdown-it";
import { words } from "./words.js";

/** @typedef {{ name?: string, text?: string, error?: string, clear?: boolean, data?: Record<string, any> }} Output */

/** @type {Record<string, string>} */
const colours = COLOURS;
/** The width of the text in points: what is wider reaches into the margin. */
const COLUMN = 38 * 16 * 0.75;
let pictures = 0;

/** An element.
 * @param {string} kind
 * @param {string} className
 * @param {(string | Node)[]} inside
 * @returns {HTMLElement} */
export function make(kind, className, ...inside) {
  const made = Object.assign(document.createElement(kind), { className });
  made.append(...inside);
  return made;
}

/** @param {string} html */
function parsed(html) {
  const place = document.createElement("template");
  place.innerHTML = html;
  return place.content;
}

// Quotation marks as Sphinx sets them, and nothing else.
const markdown = new MarkdownIt({ typographer: true }).disable("replacements");
// A formula is taken before Markdown reads its underscores and backslashes.
markdown.inline.ruler.before("escape", "formula", (state, silent) => {
  const found = /^\$([^$]+)\$/.exec(state.src.slice(state.pos));
  if (!found) return false;
  if (!silent) state.push("formula", "", 0).content = found[1].replaceAll("\\|", "|");
  state.pos += found[0].length;
  return true;
});
// As the build sets one: without the TeX beside it (tools.mjs), a norm's bars not read as "parallel to".
markdown.renderer.rules.formula = (tokens, k) =>
  katex
    .renderToString(tokens[k].content, { throwOnError: false })
    .replace(/<annotation.*?<\/annotation>|<\/?semantics>/gs, "")
    .replace(/∥(?=<\/m)/g, "‖");

// The lines of a difference as Pygments marks them.
markdown.renderer.rules.fence = (tokens, k) => {
  /** @type {Record<string, string>} */
  const kinds = { "-": "gd", "+": "gi", "@": "gu" };
  const lines = tokens[k].content.trimEnd().split("\n").map((line) => (tokens[k].info === "diff" && kinds[line[0]] ? make("span", kinds[line[0]], line).outerHTML : markdown.utils.escapeHtml(line)));
  return `<div class="highlight-${markdown.utils.escapeHtml(tokens[k].info)} notranslate"><div class="highlight"><pre>${lines.join("\n")}\n</pre></div></div>`;
};

/** A table in Markdown, with the book's classes.
 * @param {string} text */
function table(text) {
  const shown = parsed(markdown.render(text));
  for (const one of shown.querySelectorAll("table")) {
    one.className = "table";
    const box = make("div", "pst-scrollable-table-container");
    one.replaceWith(box);
    box.append(one);
  }
  for (const cell of shown.querySelectorAll("th, td")) {
    cell.className = `${cell.tagName === "TH" ? "head " : ""}text-${/** @type {HTMLElement} */ (cell).style.textAlign || "left"}`;
    cell.removeAttribute("style");
    cell.replaceChildren(make("p", "", ...cell.childNodes));
  }
  return shown;
}

/** A picture of matplotlib's: its colours are the page's, its ids its own.
 * @param {string} svg
 * @param {string} alt */
export function picture(svg, alt) {
  const prefix = `live${++pictures}-`;
  const text = svg.slice(svg.indexOf("<svg"))
    .replace(/#[0-9a-f]{6}\b/gi, (colour) => colours[colour.toLowerCase()] ?? colour)
    .replace(/ id="/g, ` id="${prefix}`).replace(/href="#/g, `href="#${prefix}`).replace(/url\(#/g, `url(#${prefix}`);
  const drawn = /** @type {SVGElement} */ (parsed(text).firstElementChild);
  for (const one of drawn.querySelectorAll("metadata, style")) one.remove();
  const width = drawn.getAttribute("viewBox")?.split(" ")[2];
  for (const name of ["width", "height"]) drawn.removeAttribute(name);
  drawn.setAttribute("class", Number(width) > COLUMN ? "figure wide" : "figure");
  drawn.setAttribute("role", "img");
  drawn.setAttribute("aria-label", alt);
  drawn.style.maxWidth = `${width}pt`;
  return drawn;
}

/** The place of a figure that lives without Python. Its script looks for such places when it runs.
 * @param {Record<string, any>} state
 * @param {string} root where the site begins */
function figure(state, root) {
  const kind = state.scene ?? "explorer";
  const kept = Object.assign(document.createElement("script"), { type: "application/json", textContent: JSON.stringify(state) });
  const place = make("div", "pn-figure", kept);
  place.setAttribute("aria-live", "off"); // it speaks for itself
  place.dataset.kind = kind;
  queueMicrotask(() => document.head.append(Object.assign(document.createElement("script"), { src: `${root}_static/explorer/${kind}.js` })));
  return place;
}

/** @param {string} text
 * @param {string} kind */
const block = (text, kind) => make("div", `output ${kind} highlight-myst-ansi notranslate`, make("div", "highlight", make("pre", "", text)));

/** An output as a notebook keeps it; a figure that lives is no part of one.
 * @param {Output} output */
export function filed({ name, text, error, data = {} }) {
  if (text !== undefined) return { output_type: "stream", name, text };
  if (error !== undefined) return { output_type: "error", ename: "Error", evalue: error, traceback: [error] };
  const { figure: _, still: __, ...kinds } = data;
  return { output_type: "display_data", data: kinds, metadata: {} };
}

/** Put an output where a cell's outputs are.
 * @param {HTMLElement} place
 * @param {Output} output
 * @param {{ alt: string, root: string }} about */
export function show(place, output, { alt, root }) {
  const { name, text, error, clear, data = {} } = output;
  if (clear) return place.replaceChildren();
  const last = /** @type {HTMLElement | null} */ (place.lastElementChild);
  if (text !== undefined) {
    if (last?.dataset.stream === name) last.querySelector("pre").append(text);
    else {
      const made = block(text, "stream");
      made.dataset.stream = name;
      place.append(made);
    }
  } else if (error !== undefined) {
    const hint = words[error.match(/^(\w+): /m)?.[1] ?? ""]; // by the error's class
    place.append(block(error, "error"), ...(hint ? [make("p", "", hint)] : []));
  } else if (data.figure) place.append(figure(data.figure, root));
  else if (data.still) {
    const [svg, caption] = data.still;
    const still = make("div", "pn-still", ...(svg ? [picture(svg, caption ?? alt)] : []), make("p", "", caption ?? ""), make("p", "", words.controls));
    place.append(still);
  } else if (data["image/svg+xml"]) place.append(picture(data["image/svg+xml"], alt));
  else if (data["image/png"]) place.append(Object.assign(new Image(), { src: `data:image/png;base64,${data["image/png"]}`, alt }));
  else if (data["text/markdown"]) place.append(table(data["text/markdown"]));
  else if (data["text/html"]) {
    const box = make("div", "output text_html");
    box.append(parsed(data["text/html"]));
    place.append(box);
  } else if (data["text/latex"]) place.append(parsed(katex.renderToString(data["text/latex"].replace(/^\$+\s*(\\displaystyle)?|\$+\s*$/g, ""), { throwOnError: false, displayMode: true })));
  else if (data["text/plain"]) place.append(block(data["text/plain"], "text_plain"));
}
