/* The page for marking. All that counts lies on the server: a key changes the mark there, and the
   page shows what came back. */
"use strict";
const $ = (id) => document.getElementById(id);
let state = null; // the question, its rubric and its students, as the server gave them
let at = 0; // the key of the answer in hand
let shown = ""; // the address of the answer on the page
const word = document.body.dataset.word; // which says that it is this page that asks
// So that loading the page again does not ask whether to send a form again.
sessionStorage.setItem("word", word);
history.replaceState(null, "", "/");
let waiting = Promise.resolve(); // one change after another

function make(tag, text = "", kind = "") {
  const element = document.createElement(tag);
  element.textContent = text;
  element.className = kind;
  return element;
}

function say(text, bad = false) {
  $("note").textContent = text;
  $("note").classList.toggle("bad", bad);
}

async function ask(path, body) {
  const how = { headers: { "X-Word": word } };
  if (body) Object.assign(how, { method: "POST", body: JSON.stringify(body) });
  let answer;
  try {
    answer = await fetch(path, how);
  } catch {
    throw new Error("Not saved: the program has ended. Start it again, and open its new page.");
  }
  const found = await answer.json();
  if (!answer.ok) throw new Error(`Not saved: ${found.error}`);
  return found;
}

/* What is shown ----------------------------------------------------------------------------- */

const current = () => state.students[at];
const isOpen = (one) => one.points === null && one.table === "";

/* What a person entered in the table counts, whatever the mark. */
const points = (one) => `${one.table || one.points} of ${state.points}`;

function drawProgress() {
  const done = state.students.filter((one) => !isOpen(one)).length;
  $("meter").max = state.students.length;
  $("meter").value = done;
  $("count").textContent = `${done} of ${state.students.length} marked`;
}

function drawPanel() {
  const one = current();
  $("panel").hidden = !one;
  if (!one) return;
  $("who").textContent = one.name;
  $("state").textContent = `${at + 1} of ${state.students.length}`;
  $("points").textContent = isOpen(one) ? "○ to be marked" : points(one);
  $("changed").hidden = !one.changed;
  $("held").hidden = one.table === "";
  $("adjust").value = one.adjust;
  if (document.activeElement !== $("comment")) $("comment").value = one.comment;
  $("rubric").replaceChildren(...state.rubric.map(([worth, what], i) => {
    const got = one.earned ? one.earned[i] : null;
    const button = make("button");
    button.type = "button";
    button.setAttribute("aria-pressed", got === worth ? "true" : got ? "mixed" : "false");
    button.append(make("kbd", i < 9 ? `${i + 1}` : ""),
      make("span", `${got ?? "–"} of ${worth}`, "got"), make("span", what));
    button.addEventListener("click", () => press(i));
    const item = make("li");
    item.append(button);
    return item;
  }));
}

/* Where answers come late, the last one that was asked for stays. */
async function load() {
  const place = new URLSearchParams({ q: state.id, k: at }).toString();
  if (place === shown) return;
  shown = place;
  $("answer").replaceChildren();
  document.querySelector("main").scrollTop = 0;
  try {
    const { html } = await ask(`answer?${place}`);
    if (place === shown) $("answer").innerHTML = html;
  } catch (error) {
    shown = "";
    say(error.message, true);
  }
}

function show() {
  if (current()) load();
  drawPanel();
}

function go(key) {
  saveComment();
  at = key;
  show();
}

function step(by) {
  if (state.students[at + by]) go(at + by);
  else say(by > 0 ? "This is the last one." : "This is the first one.");
}

function nextOpen() {
  const { students } = state;
  for (let k = 1; k <= students.length; k += 1) {
    const one = students[(at + k) % students.length];
    if (isOpen(one) || one.changed) return go(one.key);
  }
  return say("Every answer is marked.");
}

/* What is changed --------------------------------------------------------------------------- */

function change(path, body) {
  const question = state.id;
  waiting = waiting.then(async () => {
    try {
      const done = await ask(path, body());
      if (state.id !== question) return;
      state.students[done.entry.key] = done.entry;
      drawProgress();
      show();
      say(done.note || "Saved.");
    } catch (error) {
      say(error.message, true);
    }
  });
  return waiting;
}

/* `alter` makes the new mark from the one that is there when its turn has come. */
function mark(alter) {
  const key = at;
  return change("mark", () => {
    const { earned, adjust, comment, version } = state.students[key];
    const kept = { earned: earned && [...earned], adjust, comment };
    return { q: state.id, k: key, version, mark: { ...kept, ...alter(kept) } };
  });
}

const worth = () => state.rubric.map(([points]) => points);

function press(i) {
  if (i >= state.rubric.length) return;
  mark(({ earned }) => {
    const given = earned ?? worth().map(() => 0);
    given[i] = given[i] > 0 ? Math.max(0, given[i] - 1) : worth()[i];
    return { earned: given };
  });
}

function saveComment() {
  const one = current();
  const text = $("comment").value.trim();
  if (one && text !== one.comment) {
    one.comment = text;
    mark(() => ({ comment: text }));
  }
}

const DO = {
  none: () => mark(() => ({ earned: worth().map(() => 0), adjust: 0 })),
  all: () => mark(() => ({ earned: worth(), adjust: 0 })),
  clear: () => mark(() => ({ earned: null, adjust: 0 })),
  seen: () => {
    const body = { q: state.id, k: at };
    if (current().changed) change("seen", () => body);
  },
  next: () => step(1),
  back: () => step(-1),
};

/* Hands ------------------------------------------------------------------------------------- */

const KEYS = {
  j: DO.next, ArrowRight: DO.next, k: DO.back, ArrowLeft: DO.back, s: DO.seen,
  f: DO.all, x: DO.clear, 0: DO.none, Enter: nextOpen,
  c: () => $("comment").focus(),
  a: () => { $("adjust").focus(); $("adjust").select(); },
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !state || !current()) return;
  const inField = event.target.matches("input[type=number], textarea, select");
  if (inField) {
    if (event.key === "Escape") { event.target.blur(); event.preventDefault(); }
    return;
  }
  const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code);
  if (digit) press(digit[1] - 1);
  else if (event.key === "Enter" && event.target.matches("button, summary, a")) return;
  else if (Object.hasOwn(KEYS, event.key)) KEYS[event.key]();
  else return;
  event.preventDefault();
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-do]");
  if (button) DO[button.dataset.do]();
});
$("comment").addEventListener("change", saveComment);
let typing = 0;
$("comment").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(saveComment, 700);
});
$("adjust").addEventListener("change", () => {
  const by = Number($("adjust").value) || 0;
  mark(({ earned }) => ({ adjust: by, earned: earned ?? worth().map(() => 0) }));
});
$("question").addEventListener("change", () => open($("question").value));

async function open(question) {
  try {
    state = await ask(`state?${new URLSearchParams({ q: question })}`);
  } catch (error) {
    say(error.message, true);
    return;
  }
  [at, shown] = [0, ""];
  $("prompt").innerHTML = state.prompt;
  drawProgress();
  show();
}

open($("question").value);
