// What the panels ask, the samples, the run and everything about one of its steps; and what the
// figure says about it. All words come from words.csv via Python.

import { RULES, count, dual, gram, pocket, primal, replay, score } from "./algorithms.js";
import { decide, size } from "./exact.js";
import { dot, norm } from "./geometry.js";
import { filled, joined, num, signed, tuple } from "./draw.js";

/** What the panels ask: the samples, the run, and everything about step t.
 *  @returns {any} */
export function createFigure(model) {
  const words = model.get("words");
  /** @type {any} */
  const fig = { model, t: 0, chosen: 0, ledger: null, best: null, initial: null, showsWhy: false };
  let [gramNow, tallyNow, scoresNow, proofNow] = [null, null, null, undefined];
  const is = (algorithm) => fig.settings.algorithm === algorithm;

  fig.say = (key, values = {}) => filled(words[key] ?? key, values);
  fig.mistakes = (k) => fig.say(k ? "mistakes" : "no_mistake", { k });
  fig.updates = (k) => fig.say(k ? "updates" : "no_update", { k });
  fig.shape = (i) => fig.say(fig.y[i] > 0 ? "circle" : "cross");
  fig.kind = (i) => (fig.y[i] > 0 ? "pos" : "neg") + (fig.wrong(i) ? " wrong" : "");
  /** A sample in words, with what it is at this step. */
  fig.sample = (i) => {
    const what = { i: i + 1, shape: fig.shape(i), x: tuple(fig.points[i]) };
    const now = i === fig.pick() ? "is_corrected" : fig.wrong(i) ? "is_wrong" : "is_right";
    return fig.say("sample_label", { ...what, now: fig.say(now) });
  };
  /** Sample i as the weights meet it: with the leading 1, or through the origin without. */
  fig.x = (i) => [...(fig.bias ? [1] : []), ...fig.points[i]];
  fig.w = (t = fig.t) => (is("model") ? fig.settings.w : fig.W.slice(fig.m * t, fig.m * (t + 1)));
  /** Weights as (w₀, w₁, w₂), where w₀ = 0 if the line goes through the origin. */
  fig.padded = (w) => (fig.bias ? w : [0, ...w]);
  fig.line = (t = fig.t) => fig.padded(fig.w(t));
  fig.curved = () => is("dual") && fig.settings.kernel.name !== "linear";
  fig.byHand = () => is("model");
  fig.errors = (t = fig.t) => (is("model") ? count(fig.n, fig.wrong) : fig.run.errors[t]);
  fig.G = () => (gramNow ??= gram(fig.points, fig.settings.kernel));
  fig.state = () =>
    is("dual") ? dual(fig.G(), fig.y, fig.settings) : primal(fig.X, fig.y, fig.settings);
  /** The sample that corrects; of a run that was cut, the one that would. */
  fig.pick = () => fig.run.picks[fig.t] ?? (fig.run.next >= 0 ? fig.run.next : null);
  /** The dual state at this step: its tally, its bias and its scores. */
  fig.tally = () => {
    if (tallyNow?.t !== fig.t) {
      tallyNow = Object.assign(fig.state(), { t: fig.t });
      fig.run.picks.slice(0, fig.t).forEach(tallyNow.correct);
    }
    return tallyNow;
  };
  fig.score = (i) => {
    if (scoresNow?.t !== fig.t) {
      if (is("dual")) {
        const { scores, b } = fig.tally();
        scoresNow = Array.from(scores, (s) => s + b);
      } else {
        const w = fig.w();
        scoresNow = fig.points.map((_, k) => score(w, fig.X, k));
      }
      scoresNow.t = fig.t;
    }
    return scoresNow[i];
  };
  fig.wrong = (i) => !(fig.y[i] * fig.score(i) > 0);
  /** The proof that a line separates the samples, or that none can; null if nobody knows. */
  fig.proof = () => (proofNow === undefined ? (proofNow = decide(fig.points, fig.y, fig.bias)) : proofNow);
  /** What is drawn of it: as long as a reader wants, and where a line is meant at all. */
  fig.shownProof = () => (fig.showsWhy && !fig.curved() && fig.proof()) || null;
  /** Its line in floats, for pictures. */
  fig.provenLine = () => {
    const { w, shift } = fig.proof();
    const bits = Math.max(...w.map((a) => size(a).toString(2).length));
    const v = w.map((a) => Number(a >> BigInt(Math.max(bits - 900, 0))));
    return fig.padded(fig.bias ? [v[0] * 2 ** -shift, v[1], v[2]] : v);
  };
  /** Weights that separate the samples: Python's if they still do, the proof's, or the run's last. */
  fig.separator = () => {
    if (!fig.proof()?.w) return null;
    const separates = (w) => fig.y.every((label, i) => label * score(w, fig.X, i) > 0);
    const proven = fig.provenLine().slice(1 - fig.bias);
    return [fig.run.w_f, proven, fig.w(fig.T)].find((w) => w && separates(w)) ?? null;
  };

  fig.load = () => {
    const names = ["points", "labels", "settings", "run", "step"];
    const state = structuredClone(Object.fromEntries(names.map((name) => [name, model.get(name)])));
    fig.initial ??= structuredClone(state);
    fig.adjust(state.settings);
    fig.rev = model.get("rev");
    fig.samples(state.points, state.labels);
    return state;
  };
  fig.adjust = (settings) => {
    const bias = settings.intercept ? 1 : 0;
    Object.assign(fig, { settings, box: settings.box, bias, m: 2 + bias });
  };
  fig.samples = (points, y) => {
    Object.assign(fig, { points, y, n: y.length });
    fig.X = points.flatMap((_, i) => fig.x(i));
    fig.chosen = Math.min(fig.chosen, fig.n - 1);
    proofNow = undefined;
    fig.touch();
  };
  fig.touch = () => (gramNow = tallyNow = scoresNow = null);
  fig.adopt = (run) => {
    Object.assign(fig, { run, T: run.picks.length, W: run.state.W });
    if (!fig.W) {
      const line = primal(fig.X, fig.y, fig.settings);
      run.picks.forEach(line.correct);
      fig.W = line.W;
    }
    if (is("pocket")) fig.best = pocket(run.errors);
    fig.t = Math.max(0, Math.min(fig.t, fig.T));
    Object.assign(run, { X: fig.X, rate: fig.settings.rate }); // what it is about
    tallyNow = scoresNow = null;
  };
  /** Python's run, replayed. */
  fig.replay = (given) => {
    const { w_f } = given;
    const now = fig.run;
    const same = now?.X === fig.X && now.rate === fig.settings.rate &&
      (now.next === null) === given.converged && now.picks.join() === given.picks.join();
    const run = same ? now : replay(fig.state(), fig.n, given);
    run.w_f = w_f;
    if (!same) fig.adopt(run);
  };
  return fig;
}

/** The sentences under the figure: what this step does, in words and numbers. */
export function sentence(fig) {
  const { say, t, T, run } = fig;
  const { algorithm, rate } = fig.settings;
  const [byHand, tallied] = [fig.byHand(), algorithm === "dual"];
  const w = fig.w();
  const exact = (v) => v.every((a) => num(a) === num(a, 17));
  /** w₀ + w₁·x₁ + w₂·x₂ = s, or ≈ if a number was rounded to show it. */
  const sum = (x, s) => {
    const factor = (v) => (v < 0 ? `(${num(v)})` : num(v));
    const term = (j) => {
      const sign = j ? (w[j] < 0 ? "− " : "+ ") : w[j] < 0 ? "−" : "";
      return sign + num(Math.abs(w[j])) + (j || !fig.bias ? `·${factor(x[j])}` : "");
    };
    return `${w.map((_, j) => term(j)).join(" ")} ${exact([...w, ...x.filter((_, j) => w[j]), s]) ? "=" : "≈"} ${num(s)}`;
  };
  const about = (i) => {
    const s = fig.score(i);
    const values = { i: i + 1, shape: fig.shape(i), x: tuple(fig.points[i]), label: signed(fig.y[i]) };
    const verdict = s === 0 ? "zero" : fig.wrong(i) ? "wrong" : "right";
    return [say("scores", { ...values, s: tallied ? num(s) : sum(fig.x(i), s) }), say(verdict, values)];
  };
  const i = byHand ? fig.chosen : fig.pick();
  const said = i === null ? [] : about(i);
  if (byHand) return said;
  if (t === T) {
    const never = fig.bias ? "never" : "never_through_origin";
    const proof = fig.curved() ? null : fig.proof();
    const end = run.next === null ? "ends" : proof?.samples ? never : "cut";
    const mistakes = fig.mistakes(run.errors[t]);
    said.push(say(end, { updates: fig.updates(T), mistakes }));
    if (run.next !== null) said.push(say("goes_on"));
    return said;
  }
  const values = { i: i + 1, x: tuple(fig.x(i)), rate: num(rate) };
  if (tallied) {
    const a = fig.tally().alpha[i];
    const row = say(rate === 1 ? "row" : "row_scaled", values);
    const what = fig.bias ? say("row_and_bias", { row, ...values }) : row;
    const risen = { a: num(a), a2: num(a + rate), what };
    said.push(say(fig.y[i] > 0 ? "tally_adds" : "tally_subtracts", risen));
  } else {
    const what = say(rate === 1 ? "vector" : "vector_scaled", values);
    said.push(say(fig.y[i] > 0 ? "adds" : "subtracts", { what, w: tuple(fig.w(t + 1)) }));
  }
  return said;
}

/** The numbers of this step beside its mistakes. */
export function numbers(fig) {
  const { say, run } = fig;
  const said = [];
  if (fig.best) said.push(say("best_is", { mistakes: fig.mistakes(run.errors[fig.best[fig.t]]), t: fig.best[fig.t] }));
  if (!fig.curved()) said.push(say("weights_are", { w: tuple(fig.w()) }));
  return said;
}

/** The whole run in a few words. */
export const summary = ({ say, updates, mistakes, run, T }) =>
  say(run.next === null ? "summary_ends" : "summary_cut", { updates: updates(T), mistakes: mistakes(run.errors[T]) });

/** What a figure asks its reader to bring about; every part of it must be certain. */
const GOALS = {
  updates: (fig, k) => fig.run.next === null && fig.T >= k,
  mistakes: (fig, k) => fig.errors() <= k,
  separable: (fig, wanted) => Boolean(fig.proof()) && Boolean(fig.proof().w) === wanted,
};
export const reached = (fig) => Object.entries(fig.settings.goal).every(([name, k]) => GOALS[name](fig, k));

export function prompt({ say, settings, mistakes }) {
  if (!settings.goal) return say({ model: "invite_model", dual: "invite_dual" }[settings.algorithm] ?? "invite");
  const asked = Object.entries(settings.goal).map(([name, k]) =>
    say(k === false ? "goal_inseparable" : `goal_${name}`, { k, mistakes: mistakes(k) }));
  return joined(...asked);
}

/** The caption of the angle: which kind of mistake, and what the update does to the angle. */
export function angleSentence(fig) {
  const i = fig.pick();
  if (i === null || fig.t === fig.T) return fig.say("no_angle");
  const x = fig.x(i);
  const degrees = (u) => {
    const cosine = Math.max(-1, Math.min(1, dot(u, x) / norm(u) / norm(x)));
    return ((Math.acos(cosine) * 180) / Math.PI).toFixed(0);
  };
  if (!norm(fig.w())) return fig.say("angle_from_zero");
  if (!norm(fig.w(fig.t + 1))) return fig.say("angle_to_zero");
  const [a, b] = [degrees(fig.w()), degrees(fig.w(fig.t + 1))];
  if (a === b) return fig.say("angle_stays", { a, shape: fig.shape(i) });
  return fig.say(fig.y[i] > 0 ? "angle_shrinks" : "angle_grows", { a, b });
}

/** What the drawing of the proof proves. */
export function proofSentence(fig) {
  const proof = fig.shownProof();
  if (!proof) return "";
  if (proof.samples) return fig.say(fig.bias ? "why_no" : "why_no_origin");
  return fig.say(proof.w.slice(-2).some(Boolean) ? "why_yes" : "why_alone"); // 0, 0 is no line
}

export const [MOST_SAMPLES, MOST_NUMBER] = [1000, 1e9]; // as in page.py; of a weight

/** What of a figure's settings an address keeps. */
export const SHARED = ["rule", "seed", "order", "kernel", "rate", "w0", "w"];

/** What an address tells, if it makes sense for this figure; null otherwise. */
export function shared(fig, { points, labels, t, ...told }) {
  const numbers = (list, length) => list.length === length && list.every(Number.isFinite);
  const settings = { ...fig.settings };
  for (const name of SHARED) settings[name] = told[name];
  const { rule, seed, order, kernel: k, rate, w0, w } = settings;
  const [left, right, low, high] = fig.box;
  try {
    const sound =
      points.length > 0 && points.length <= MOST_SAMPLES &&
      points.every((p) => numbers(p, 2) && p[0] >= left && p[0] <= right && p[1] >= low && p[1] <= high) &&
      labels.length === points.length && labels.every((label) => label === 1 || label === -1) &&
      Object.hasOwn(RULES, rule) && ["linear", "polynomial", "rbf"].includes(k.name) &&
      Number.isInteger(k.degree) && k.degree >= 1 && k.degree <= 9 && k.offset >= 0 &&
      [seed, order, t].every((v) => Number.isInteger(v) && v >= 0) && rate > 0 && k.gamma > 0 &&
      numbers([rate, k.offset, k.gamma], 3) && numbers(w0, fig.m) && numbers(w, fig.m) &&
      [rate, k.offset, k.gamma, ...w0, ...w].every((v) => Math.abs(v) <= MOST_NUMBER);
    return sound ? { points, labels, settings, t } : null;
  } catch {
    return null; // something is missing
  }
}
