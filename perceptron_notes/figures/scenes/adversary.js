// A game against the adversary, who says of each sample the opposite of what is answered. The
// samples are orthogonal, so that one u gets all rounds right in the end, whatever was answered.

import { primal, score } from "../explorer/algorithms.js";
import { dot, two } from "../explorer/geometry.js";
import { caption, draws, make, num, set, still, text } from "../explorer/draw.js";
import { createMenu, createText, sceneOf } from "./scene.js";

const SIDE = 4; // the samples are pictures of 4 × 4 squares, of ±1 each
const CELL = 25;
const EMPTY = Array(SIDE ** 2).fill(0);

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

/** u = Σ y x over the rounds, its margins, and the numbers of Novikoff's bound. */
export function reveal(answers) {
  const y = labels(answers);
  const u = SAMPLES[0].map((_, j) => y.reduce((sum, label, t) => sum + label * SAMPLES[t][j], 0));
  const margins = y.map((label, t) => label * dot(SAMPLES[t], u));
  const [m, u2, R2] = [Math.min(...margins), dot(u, u), SIDE ** 2];
  return { u, margins, m, u2, R2, bound: y.length ? (R2 * u2) / (m * m) : 0 };
}

/** Learners: what each answers in the next round, from the answers so far. */
export const LEARNERS = {
  /** One pass of PLA over what it has heard, and the sign of the score. */
  pla(answers) {
    const y = labels(answers);
    const t = y.length;
    const run = primal(SAMPLES.flat(), [...y, ...Array(SAMPLES.length - t).fill(1)]);
    for (let i = 0; i < t; i++) if (run.wrong(i)) run.correct(i);
    return Math.sign(score(run.W.slice(-(SIDE ** 2)), SAMPLES.flat(), t));
  },
  /** The label that was said more often; + if both were as often. */
  commonest: (answers) => (labels(answers).reduce((sum, label) => sum + label, 0) < 0 ? -1 : 1),
  /** The label of the round before; + in the first round. */
  before: (answers) => labels(answers).at(-1) ?? 1,
};

const sign = (v) => (v > 0 ? "+" : v < 0 ? "−" : "0");

/** A picture of 4 × 4 values: filled squares are positive; with numbers if they are asked for. */
function picture(values, numbers = false) {
  const most = Math.max(1, ...values.map(Math.abs));
  const at = (j) => [(j % SIDE) * CELL, Math.floor(j / SIDE) * CELL];
  const cells = values.map((v, j) => {
    const [x, y] = at(j);
    const name = v > 0 ? "on" : "off";
    return draws("rect", { class: name, x: x + 2, y: y + 2, width: CELL - 4, height: CELL - 4, rx: 3, "fill-opacity": v > 0 && numbers ? two((0.35 * v) / most) : null });
  });
  const told = numbers ? values.map((v, j) => text(at(j)[0] + CELL / 2, at(j)[1] + CELL / 2 + 4, num(v))) : [];
  return [...cells, ...told];
}

/** Show a picture, or faintly where one will be. */
const place = (node, made) => set(node, { opacity: made ? 1 : 0.5 }).replaceChildren(...(made || picture(EMPTY)));

/** The rows of a picture in words, for who cannot see it. */
const rows = (values) => Array.from({ length: SIDE }, (_, r) => values.slice(r * SIDE, (r + 1) * SIDE).map((v) => (Math.abs(v) > 1 ? num(v) : sign(v))).join(" ")).join(", ");

function build(scene) {
  const { say } = scene;
  const n = SAMPLES.length;
  const box = `0 0 ${SIDE * CELL} ${SIDE * CELL}`;
  const asked = draws("svg", { viewBox: box, class: "asked", role: "img" });
  const shown = draws("svg", { viewBox: box, class: "asked", role: "img" });
  const [askedText, shownText] = [caption(), caption()];
  const rounds = make("ol", { class: "rounds", "aria-label": say("adversary_rounds") });
  const prompt = createText(scene, "prompt", "head");
  let who = "pla";

  const answer = (a) => {
    scene.change({ answers: [...scene.state.answers, a] });
    scene.tell(say("adversary_says", { t: scene.state.answers.length, a: sign(a), y: sign(-a || 1) }));
    return scene.state.answers.length < n;
  };
  const mine = (a) => () => {
    scene.stop();
    scene.remember();
    answer(a);
  };
  const its = () => answer(LEARNERS[who](scene.state.answers));
  const one = [scene.button("adversary_plus", mine(1)), scene.button("adversary_minus", mine(-1))];
  const let_it = scene.button("adversary_answer", () => {
    scene.stop();
    scene.remember();
    its();
  });
  const all = scene.button("adversary_all", () => {
    scene.remember();
    scene.play(its, still() ? 2 : 4);
  });
  const reveals = scene.button("adversary_show", () => {
    scene.remember();
    scene.change({ shown: !scene.state.shown });
  });
  const options = Object.keys(LEARNERS).map((key) => [key, `learner_${key}`]);
  const learner = createMenu(scene, "adversary_learner", options, { get: () => who, put: (key) => (who = key) });

  const pair = make("div", { class: "pair" },
    make("div", { class: "stack" }, asked, askedText),
    make("div", { class: "stack" }, shown, shownText),
  );
  const row = (...nodes) => make("div", { class: "choices" }, ...nodes);
  scene.put("main", pair, row(...one, reveals));
  scene.put("foot", rounds);
  scene.put("side", row(learner.node, let_it, all));
  const status = createText(scene, "status", "bar", false);
  const told = createText(scene, "words", "side");

  return () => {
    const { answers, shown: open } = scene.state;
    const [y, t, found] = [labels(answers), answers.length, reveal(answers)];
    prompt(t < n ? say("adversary_ask", { t: t + 1, n }) : say("adversary_over", { n }));
    status(say("adversary_tally", { k: t }), t > 0 && say("adversary_bound", { k: found.bound }));
    place(asked, t < n && picture(SAMPLES[t]));
    set(asked, { "aria-label": t < n ? say("adversary_sample", { t: t + 1, rows: rows(SAMPLES[t]) }) : say("adversary_over", { n }) });
    askedText.textContent = t < n ? say("adversary_asked", { t: t + 1 }) : say("adversary_none");
    place(shown, open && t && picture(found.u, true));
    set(shown, { "aria-label": open && t ? say("adversary_u", { rows: rows(found.u) }) : say("adversary_hidden") });
    shownText.textContent = open && t ? say("adversary_sum") : say("adversary_hidden");
    told(...(open && t ? [say("adversary_margins", found), say("adversary_sizes", found), say("adversary_met", { k: found.bound })] : [say("adversary_promise")]));
    rounds.replaceChildren(
      ...SAMPLES.map((x, i) => {
        const [a, small] = [answers[i], draws("svg", { viewBox: box })];
        place(small, i < t && picture(x));
        if (i >= t) return make("li", { "aria-hidden": true }, small);
        set(small, { role: "img", "aria-label": say("adversary_sample", { t: i + 1, rows: rows(x) }) });
        const says = [say("adversary_answered", { a: sign(a) }), say("adversary_said", { y: sign(y[i]) })];
        return make("li", {}, small, ...says.map((one) => make("span", {}, one)), ...(open ? [make("span", { class: "met" }, say("adversary_margin", { m: found.margins[i] }))] : []));
      }),
    );
    for (const button of [...one, let_it, all]) button.disabled = t >= n;
    reveals.disabled = !t;
    reveals.textContent = say(open ? "adversary_hide" : "adversary_show");
    learner.draw();
  };
}

export default sceneOf(build);
