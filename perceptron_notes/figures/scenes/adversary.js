// A game against the adversary, who says of each pattern the opposite of what is answered. The
// patterns are orthogonal, so that one u gets all rounds right in the end, whatever was answered.

import { primal, score } from "../explorer/algorithms.js";
import { dot, two } from "../explorer/geometry.js";
import { close, closed, draws, make, num, set, text } from "../explorer/draw.js";
import { createText, sceneOf } from "./scene.js";

const SIDE = 4; // the samples are pictures of 4 × 4 squares, of ±1 each
const CELL = 25;
const BOX = `0 0 ${SIDE * CELL} ${SIDE * CELL}`;
const [HOLD, PACE] = [900, 1]; // ms for which a reply stays; rounds a second that PLA plays
const KEYS = { "+": 1, "=": 1, "-": -1, "−": -1 }; // on many keyboards + is = with Shift

/** The samples: the rows of the Sylvester–Hadamard matrix, in which +1 comes first. */
export const SAMPLES = Array.from({ length: SIDE ** 2 }, (_, i) =>
  Array.from({ length: SIDE ** 2 }, (_, j) => {
    let bits = i & j;
    let sign = 1;
    for (; bits; bits >>= 1) if (bits & 1) sign = -sign;
    return sign;
  }),
);

/** What the adversary says: the opposite of each answer; of 0, which is undecided, +1. */
export const labels = (answers) => answers.map((answer) => -answer || 1);

/** u = Σ y x over the rounds, its signed scores, and the numbers of Novikoff's bound. */
export function reveal(answers) {
  const y = labels(answers);
  const u = SAMPLES[0].map((_, j) => y.reduce((sum, label, t) => sum + label * SAMPLES[t][j], 0));
  const scores = y.map((label, t) => label * dot(SAMPLES[t], u));
  const [m, u2, R2] = [Math.min(...scores), dot(u, u), SIDE ** 2];
  return { u, scores, m, u2, R2, bound: y.length ? (R2 * u2) / (m * m) : 0 };
}

/** What PLA answers in the next round: after one pass over what it has heard, the score's sign. */
export function plaAnswers(answers) {
  const y = labels(answers);
  const t = y.length;
  const run = primal(SAMPLES.flat(), [...y, ...Array(SAMPLES.length - t).fill(1)]);
  for (let i = 0; i < t; i++) if (run.wrong(i)) run.correct(i);
  return Math.sign(score(run.W.slice(-(SIDE ** 2)), SAMPLES.flat(), t));
}

const sign = (v) => (v > 0 ? "+" : v < 0 ? "−" : "0");
const tone = (v) => (v > 0 ? "yes" : "no"); // the class of a label's colour

/** The rows of a picture in words, for who cannot see it. */
const rows = (values) => Array.from({ length: SIDE }, (_, r) => values.slice(r * SIDE, (r + 1) * SIDE).map((v) => (Math.abs(v) > 1 ? num(v) : sign(v))).join(" ")).join(", ");

/** A picture of 4 × 4 squares: filled ones are +1; with numbers, a rule, in the labels' colours. */
function createPicture(name = "") {
  const at = (j) => [(j % SIDE) * CELL, Math.floor(j / SIDE) * CELL];
  const cells = SAMPLES.map((_, j) => {
    const [x, y] = at(j);
    return draws("rect", { x: x + 1.5, y: y + 1.5, width: CELL - 3, height: CELL - 3, rx: 4 });
  });
  const numbers = SAMPLES.map((_, j) => text(at(j)[0] + CELL / 2, at(j)[1] + CELL / 2 + 3, ""));
  const node = draws("svg", { viewBox: BOX, class: name, role: "img" }, ...cells, ...numbers);
  const show = (values, says, numbered = false) => {
    const most = Math.max(...values.map(Math.abs));
    values.forEach((v, j) => {
      const named = numbered ? (v > 0 ? "yes" : v < 0 ? "no" : "off") : v > 0 ? "on" : "off";
      set(cells[j], { class: named, "fill-opacity": numbered ? two((0.5 * Math.abs(v)) / most) : null });
      numbers[j].textContent = numbered ? num(v) : "";
    });
    set(node, { "aria-label": says });
  };
  return { node, show };
}

function build(scene) {
  const { say } = scene;
  const n = SAMPLES.length;
  let [replied, timer] = [0, 0]; // after which round the reply is still there
  const names = ["you", "adversary"].map((name) => make("span", { class: name }));
  const counts = ["you", "adversary"].map((name) => make("b", { class: name }));
  scene.put("plane", make("p", { class: "score" }, names[0], counts[0], make("span", {}, ":"), counts[1], names[1]));
  const prompt = createText(scene, "prompt", "plane");

  function answer(a) {
    scene.change({ answers: [...scene.state.answers, a], shown: false });
    const t = scene.state.answers.length;
    replied = t;
    clearTimeout(timer);
    timer = setTimeout(() => {
      replied = 0;
      draw();
    }, HOLD);
    scene.tell(say("adversary_says", { t, a: sign(a), y: sign(-a || 1) }), t === n && say("adversary_found"));
    return t < n;
  }
  const mine = (a) => {
    scene.stop();
    scene.remember();
    answer(a);
  };
  const key = (a, name) => {
    const button = scene.button(a > 0 ? "adversary_plus" : "adversary_minus", () => mine(a), name);
    set(button, { "aria-label": button.textContent }).replaceChildren(sign(a));
    return button;
  };
  const [minus, plus] = [key(-1, "sign no"), key(1, "sign yes")];
  const asked = createPicture("asked");
  const stamp = make("div", { class: "stamp", "aria-hidden": "true" });
  scene.put("plane", make("div", { class: "arena" }, minus, make("div", { class: "board" }, asked.node, stamp), plus));
  scene.onKey = (event) => {
    const a = KEYS[event.key];
    if (!a || closed(plus) || event.repeat) return;
    event.preventDefault();
    mine(a);
  };

  const spots = SAMPLES.map((x, i) => {
    const [small, label] = [createPicture(), make("span")];
    small.show(x, say("adversary_sample", { t: i + 1, rows: rows(x) }));
    return { node: make("li", {}, small.node, label), label };
  });
  scene.put("side", make("ol", { class: "rounds", "aria-label": say("adversary_rounds") }, ...spots.map(({ node }) => node)));

  const reveals = scene.button("adversary_show", () => {
    scene.stop();
    scene.remember();
    scene.change({ shown: !scene.state.shown });
  }, "reveals");
  const its = () => answer(plaAnswers(scene.state.answers));
  const pla = scene.button("adversary_answer", () => {
    if (scene.isPlaying()) {
      scene.stop();
      return draw();
    }
    scene.remember();
    if (its()) scene.play(its, PACE);
  });
  scene.put("row", make("div", { class: "st-buttons" }, reveals, pla));
  scene.again = "adversary_again";
  const hint = make("p", { class: "aside hint" }, say("adversary_keys"));
  scene.put("say", hint);
  const aside = createText(scene, "aside", "say");

  function draw() {
    const { answers, shown } = scene.state;
    const [y, t, found] = [labels(answers), answers.length, reveal(answers)];
    const reply = replied === t && t > 0; // and not after an undo
    const open = t > 0 && !reply && (shown || t === n);
    const i = reply ? t - 1 : t;
    const byPla = answers.filter((a) => !a).length; // its score is 0 in every round
    names[0].textContent = say(!byPla ? "adversary_you" : byPla === t ? "adversary_pla" : "adversary_both");
    names[1].textContent = say("adversary_it");
    [counts[0].textContent, counts[1].textContent] = ["0", `${t}`];
    prompt(open ? say("adversary_found") : t ? say("adversary_ask", { t: i + 1, n }) : say("adversary_first"));
    if (open) asked.show(found.u, say("adversary_u", { rows: rows(found.u) }), true);
    else asked.show(SAMPLES[i], say("adversary_sample", { t: i + 1, rows: rows(SAMPLES[i]) }));
    set(stamp, { class: `stamp ${reply ? tone(y.at(-1)) : ""}`, hidden: reply ? null : "", "data-round": t });
    if (reply && stamp.dataset.of !== `${t}`) stamp.replaceChildren(make("span", {}, say("adversary_stamp", { y: sign(y.at(-1)) })));
    stamp.dataset.of = reply ? `${t}` : "";
    const zero = answers.at(-1) === 0 && say("adversary_zero");
    aside(...(open ? [say("adversary_sum", { k: t }), say("adversary_met", { k: found.bound })] : [zero]));
    set(hint, { hidden: open || zero ? "" : null });
    spots.forEach(({ node, label }, j) => {
      const played = j < t;
      set(node, { class: played ? (open ? "played met" : "played") : j === i && !open ? "now" : "", "aria-hidden": played ? null : "true" });
      const says = played ? (open ? say("adversary_score", { s: num(y[j] * found.scores[j]) }) : sign(y[j])) : "";
      set(label, { class: played ? `said ${tone(y[j])}` : "" });
      if (label.textContent !== says) label.textContent = says;
    });
    for (const button of [minus, plus, pla]) close(button, t >= n || open);
    close(reveals, !t || t === n);
    reveals.textContent = say(open && t < n ? "adversary_hide" : "adversary_show");
    set(pla, { "aria-pressed": scene.isPlaying() });
  }
  return draw;
}

export default sceneOf(build);
