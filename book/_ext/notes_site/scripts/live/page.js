// Cells that run in the page. The first press asks, loads Python into a worker (worker.js), and makes
// the code one that can be changed. What a cell needs from above runs before it (notes_live).
import { edit } from "./editor.js";
import { filed, make, show } from "./outputs.js";
import { say, words } from "./words.js";

/** @typedef {{ id: string, cell_type: string, source: string | string[], outputs?: object[], metadata: object }} Saved */
/** @typedef {{ id: string, place: HTMLElement, committed: string, text: string, code: boolean,
 *   editor?: ReturnType<typeof edit>, before?: Node[], alt: string, outputs?: object[] }} Cell */

const article = /** @type {HTMLElement} */ (document.querySelector("#the-text"));
const here = (/** @type {string} */ way) => new URL(way, location.href).href;
const { notebook, live, megabytes } = article.dataset;
const address = here(notebook);
const PATIENCE = 20000; // ms
const kept = `cells ${new URL(address).pathname}`;

/** @type {{ cells: Saved[] }} */
let saved;
/** @type {Map<string, Cell>} */
let cells;
/** @type {Promise<void> | undefined} */
let loading;
const load = () => fetch(address, { signal: AbortSignal.timeout(PATIENCE) }).then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(`${answer.status}`)))).then((json) => {
  saved = json;
  const changed = JSON.parse(localStorage.getItem(kept) ?? "{}");
  const places = new Map([...article.querySelectorAll("[data-cell]")].map((place) => [/** @type {HTMLElement} */ (place).dataset.cell, place]));
  cells = new Map(saved.cells.filter((one) => one.cell_type === "code" || places.has(one.id)).map((one) => {
    const committed = [one.source].flat().join("");
    const place = /** @type {HTMLElement} */ (places.get(one.id));
    const alt = place?.querySelector("svg.figure")?.getAttribute("aria-label") ?? words.picture;
    return [one.id, { id: one.id, place, committed, text: changed[one.id] ?? committed, code: one.cell_type === "code", alt }];
  }));
});

/** The cell of an element.
 * @param {Element} inside */
const cellOf = (inside) => cells.get(/** @type {HTMLElement} */ (inside.closest("[data-cell]")).dataset.cell);

// ------------------------------------------------------------------------------- the worker

/** @type {Worker | undefined} */
let worker;
/** What hears the worker now; a run that is stopped hears that too.
 * @type {((message: Record<string, any>) => void) | undefined} */
let hear;
let busy = Promise.resolve();

/** Run a cell, after those that are running.
 * @param {Cell} cell */
function run(cell) {
  if (cell.place.dataset.running) return;
  delete cell.place.dataset.ran;
  cell.place.dataset.running = "waiting";
  tell(cell, words.waiting);
  label(cell, words.stop);
  busy = busy.then(() => start(cell));
}

/** Name the button of a cell, and keep what it was.
 * @param {Cell} cell
 * @param {string} [text] */
function label(cell, text) {
  const button = /** @type {HTMLButtonElement} */ (cell.place.querySelector("button.run"));
  button.dataset.label ??= button.textContent;
  button.textContent = text ?? button.dataset.label;
  if (!text) delete button.dataset.label;
  button.classList.toggle("stop", !!text);
}

/** @param {Cell} cell
 * @returns {Promise<void> | undefined} */
function start(cell) {
  if (cell.place.dataset.running !== "waiting") return; // it was pressed again
  const above = [...cells.values()].filter((one) => one.code);
  const upTo = above.slice(0, above.indexOf(cell) + 1).map(({ id, text }) => ({ id, source: text }));
  cell.place.dataset.running = "now";
  cell.place.setAttribute("aria-busy", "true");
  outputBox(cell).setAttribute("aria-live", "polite"); // before anything stands in it
  const output = fresh(cell);
  cell.outputs = [];
  tell(cell, words.running);
  return new Promise((done) => {
    /** @param {string} sentence */
    function end(sentence) {
      tell(cell, sentence);
      output(); // what was there before is no more
      label(cell);
      delete cell.place.dataset.running;
      cell.place.removeAttribute("aria-busy");
      hear = undefined;
      offer(cell);
      done();
    }
    let total = 0;
    let failedAbove = false;
    const silent = setTimeout(() => hear?.({ missing: "worker.js" }), PATIENCE);
    hear = (message) => {
      clearTimeout(silent);
      if (message.total) total = message.total;
      if (message.loaded !== undefined) tell(cell, say("loading", { loaded: Math.round(message.loaded / 1e6), size: Math.round(Math.max(total, message.loaded) / 1e6) }));
      if (message.starting) tell(cell, words.starting);
      if (message.above !== undefined) tell(cell, message.above ? words.above : words.running);
      if (message.output) {
        if ("above" in message.output) {
          failedAbove = true;
          const above = cells.get(message.output.above);
          if (above.place) tell(above, words.failed);
        }
        cell.outputs = message.output.clear ? [] : [...(cell.outputs ?? []), filed(message.output)];
        show(output(), message.output, { alt: cell.text === cell.committed ? cell.alt : words.picture, root: here(`${live}../`) });
      }
      if (message.done !== undefined) {
        Object.assign(cell.place.dataset, { ran: message.done ? "yes" : "no", seconds: message.all.toFixed(2) });
        document.documentElement.dataset.memory = message.memory; // for the tests
        end(message.done ? say("ran", { seconds: message.seconds.toFixed(1) }) : failedAbove ? words.failed_above : cell.committed.startsWith("checks.") ? words.not_right : words.failed);
      }
      const gone = ["stopped", "missing", "refused", "broken"].find((key) => key in message);
      if (gone) {
        worker?.terminate();
        worker = undefined;
        cell.place.dataset.ran = "no";
        end(say(gone, { reason: message[gone] }));
      }
    };
    if (!worker) {
      worker = new Worker(here(`${live}worker.js`), { type: "module" });
      worker.onmessage = ({ data }) => hear?.(data);
      worker.onerror = ({ message }) => hear?.(message ? { refused: message } : { missing: "worker.js" });
    }
    worker.postMessage({ cells: upTo });
  });
}

// ---------------------------------------------------------------------------- what is shown

/** A function that gives the place for a cell's outputs; those of before stay until the first.
 * @param {Cell} cell
 * @returns {() => HTMLElement} */
function fresh(cell) {
  /** @type {HTMLElement | undefined} */
  let place;
  return () => {
    if (!place) {
      const box = outputBox(cell);
      const frame = /** @type {HTMLElement} */ (box.querySelector(":scope > figure") ?? box);
      cell.before ??= [...frame.childNodes];
      place = make("div", "live-output");
      for (const one of [...frame.childNodes]) if (!(one instanceof Element && one.matches("figcaption"))) one.remove();
      frame.prepend(place);
    }
    return place;
  };
}

/** Where the outputs of a cell stand.
 * @param {Cell} cell */
function outputBox(cell) {
  const found = /** @type {HTMLElement | null} */ (cell.place.querySelector(".cell_output"));
  if (found) return found;
  const made = make("div", "cell_output docutils container");
  (cell.place.querySelector(":scope > .cell_input, :scope > details") ?? cell.place).after(made);
  return made;
}

/** The line below a cell's code: what goes on, and what can be done.
 * @param {Cell} cell */
function bar(cell) {
  const found = /** @type {HTMLElement | null} */ (cell.place.querySelector(".live-bar"));
  if (found) return found;
  const button = cell.place.querySelector("button.run");
  const status = make("span", "live-status");
  status.setAttribute("role", "status");
  const made = make("div", "live-bar d-print-none");
  button.replaceWith(made);
  made.append(status, button);
  return made;
}

/** @param {Cell} cell
 * @param {string} sentence */
function tell(cell, sentence) {
  bar(cell).querySelector(".live-status").textContent = sentence;
}

// ------------------------------------------------------------------------------- the texts

/** Make a cell's text one that can be changed.
 * @param {Cell} cell */
function open1(cell) {
  if (cell.editor || !cell.place) return;
  const does = { label: cell.code ? words.editor : words.answer, change: (/** @type {string} */ text) => change(cell, text), run: () => run(cell) };
  cell.editor = cell.code ? edit(cell.place.querySelector(".cell_input pre"), cell.text, does) : write(cell, does);
  offer(cell);
}

/** A field for an answer in words.
 * @param {Cell} cell
 * @param {{ label: string, change: (text: string) => void }} does
 * @returns {Cell["editor"]} */
function write(cell, { label, change }) {
  const area = Object.assign(document.createElement("textarea"), { ariaLabel: label, rows: 5 });
  const set = (/** @type {string} */ text) => (area.value = text === cell.committed ? "" : text);
  set(cell.text);
  area.addEventListener("input", () => change(area.value || cell.committed));
  cell.place.querySelector("em").replaceWith(area);
  /** @type {HTMLElement} */ (cell.place.querySelector("button.run")).hidden = true;
  return { set, focus: () => area.focus() };
}

/** @param {Cell} cell
 * @param {string} text */
function change(cell, text) {
  cell.text = text;
  const all = JSON.parse(localStorage.getItem(kept) ?? "{}"); // another tab may have changed other cells
  if (text === cell.committed) delete all[cell.id];
  else all[cell.id] = text;
  if (Object.keys(all).length) localStorage.setItem(kept, JSON.stringify(all));
  else localStorage.removeItem(kept);
  offer(cell);
}

/** Offer what can be done with a cell that is not as it was.
 * @param {Cell} cell */
function offer(cell) {
  const buttons = bar(cell).querySelectorAll(".live-more");
  const changed = cell.text !== cell.committed || cell.place.dataset.ran === "no"; // which took its output
  if (changed === buttons.length > 0) return;
  for (const one of buttons) one.remove();
  if (!changed) return;
  const [reset, download] = ["reset", "download"].map((key) => Object.assign(make("button", "live-more", words[key]), { type: "button" }));
  reset.addEventListener("click", () => restore(cell));
  download.addEventListener("click", save);
  bar(cell).querySelector(".live-status").after(download, reset);
}

/** @param {Cell} cell */
function restore(cell) {
  delete cell.place.dataset.ran;
  cell.editor.set(cell.committed);
  if (cell.before) {
    const box = outputBox(cell);
    (box.querySelector(":scope > figure") ?? box).replaceChildren(...cell.before);
    cell.before = undefined;
  }
  offer(cell);
  tell(cell, words.restored);
  cell.editor.focus();
}

/** Give the notebook to the reader, with all that was changed. */
function save() {
  const now = saved.cells.map((one) => {
    const text = cells.get(one.id)?.text;
    if (text === undefined || text === cells.get(one.id).committed) return one;
    return { ...one, source: text, ...(one.outputs ? { outputs: cells.get(one.id).outputs ?? [] } : {}) };
  });
  const file = new Blob([`${JSON.stringify({ ...saved, cells: now }, null, 1)}\n`], { type: "application/x-ipynb+json" });
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: address.split("/").at(-1) });
  link.click();
  URL.revokeObjectURL(link.href);
}

// ------------------------------------------------------------------------------- the presses

let styled = false;

/** Be ready to change cells: those that were changed before are open. */
export async function open() {
  await (loading ??= load().catch((error) => {
    loading = undefined; // the next press tries again
    throw error;
  }));
  if (styled) return;
  styled = true;
  const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href: here(`${live}live.css`) });
  await new Promise((done) => (sheet.onload = sheet.onerror = done, document.head.append(sheet)));
  for (const cell of cells.values()) if (cell.text !== cell.committed) open1(cell);
  // From now on a click into any code, too, opens it.
  article.addEventListener("click", ({ target }) => {
    if (!(target instanceof Element) || !getSelection().isCollapsed || !target.closest("[data-cell] .cell_input pre")) return;
    open1(cellOf(target));
    cellOf(target).editor.focus();
  });
}

/** A button of a cell was pressed.
 * @param {HTMLButtonElement} button */
export async function press(button) {
  await open();
  const cell = cellOf(button);
  if (cell.place.dataset.running) {
    if (cell.place.dataset.running === "now") hear?.({ stopped: true });
    else {
      delete cell.place.dataset.running;
      label(cell);
      tell(cell, "");
    }
    return;
  }
  open1(cell);
  if (button.matches(".write")) {
    button.classList.remove("write");
    button.textContent = words.run;
    return cell.editor.focus();
  }
  if (!localStorage.getItem("python") && !(await agreed(cell))) return;
  run(cell);
}

/** Say how much is to be loaded, and ask.
 * @param {Cell} cell
 * @returns {Promise<boolean>} */
function agreed(cell) {
  if (cell.place.querySelector(".live-ask")) return Promise.resolve(false);
  const [yes, no] = ["agree", "decline"].map((key) => Object.assign(make("button", "button", words[key]), { type: "button" }));
  yes.classList.add("first");
  const question = Object.assign(make("p", "", say("ask", { size: megabytes })), { id: `ask-${cell.id}` });
  const box = make("div", "live-ask d-print-none", question, make("p", "", yes, no));
  yes.setAttribute("aria-describedby", question.id); // for who comes to it at once
  bar(cell).parentElement.after(box);
  yes.focus();
  return new Promise((done) => {
    /** @param {boolean} answer */
    const close = (answer) => {
      box.remove();
      if (answer) localStorage.setItem("python", "yes");
      /** @type {HTMLElement} */ (cell.place.querySelector("button.run")).focus();
      done(answer);
    };
    yes.addEventListener("click", () => close(true));
    no.addEventListener("click", () => close(false));
  });
}
