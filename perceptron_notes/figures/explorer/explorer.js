// The interactive figure: what a reader can do, what Python does, and how the two keep in step.

import { RULES, advance, begin, draw } from "./algorithms.js";
import { close, joined, set, still, tuple, unbroken } from "./draw.js";
import { hand } from "./hand.js";
import {
  MOST_NUMBER, MOST_SAMPLES, SHARED, createFigure, numbers, prompt, proofSentence, reached,
  sentence, shared, summary,
} from "./figure.js";
import { PANELS, trackPanel } from "./panels.js";
import { layOut } from "./controls.js";

const MOST_UPDATES = 100000;
const [SHARE, PATIENCE] = [8, 4000]; // ms: of computing in a frame, for Python
const MOST_UNDONE = 100;
const BEATS = 400; // ms for the three beats of an update

/** Build the figure in `el`, and keep it and the model in step. */
function render({ model, el }) {
  const fig = createFigure(model);
  fig.load();
  const { say, byHand } = fig;
  const first = structuredClone(fig.settings);
  const panels = first.panels.filter((name) => PANELS[name]).map((name) => PANELS[name](fig));
  const plane = panels.find((panel) => panel.samples);
  const parts = layOut(fig, el, panels, plane, byHand() ? null : trackPanel(fig));
  const { stage, shown, back, play, next, slider, words, note, speed, rule } = parts;
  const tools = Object.entries(parts.tools);
  const past = []; // for undo
  let [tool, limit, work, playing] = ["move", first.at_most, null, null];
  let [turning, leading, unasked] = [0, false, false]; // a frame; whether a text makes the steps, or nobody
  let beats = 0; // of the next step, which a reader has seen
  let [kernelAnswers, frame, waiting, due, writing] = [false, 0, 0, false, false];

  // ------------------------------------------------------------------ showing
  const more = () => fig.run.next !== null && fig.T < MOST_UPDATES;
  /** Say something short to who listens; what is said at once is said once, when it is over. */
  const tell = (...what) => stage.tell(() => what);

  fig.showStep = () => {
    for (const panel of shown) panel.step();
    const ended = fig.t === fig.T && fig.run.next === null;
    el.dispatchEvent(new CustomEvent("pn-shows", { bubbles: true, detail: { ended, pace: fig.pace ?? 0 } }));
    const T = fig.T + (fig.run.next === null ? "" : "…");
    parts.show({ t: fig.t, T, last: fig.t === fig.T && !more(), more: fig.mistakes(fig.errors()) });
    parts.numbers.textContent = unbroken(numbers(fig).join(" · "));
    words.textContent = unbroken(joined(...sentence(fig), proofSentence(fig)));
    showPrompt();
  };
  function showPrompt() {
    parts.anew.hidden = !fig.touched;
    el.toggleAttribute("data-own", Boolean(fig.touched)); // for the text that tells another run
    fig.done = Boolean(fig.settings.goal && fig.touched && reached(fig)); // until it is no more
    const asked = joined(prompt(fig), fig.done && say("goal_done"));
    if (parts.prompt.textContent === asked) return; // a screen reader would say it again
    set(parts.prompt, { class: fig.done ? "prompt done" : "prompt" });
    parts.prompt.textContent = asked;
  }
  function showProof() {
    const proof = fig.curved() ? null : fig.proof(); // nobody asks a curve for a line
    const asked = proof && !fig.showsWhy; // a reader may want to try first
    const key = !proof ? "chip_unknown" : asked ? "chip_ask" : proof.w ? "chip_yes" : "chip_no";
    const name = say(fig.bias || !proof ? key : `${key}_origin`);
    set(parts.chip, { "aria-pressed": fig.showsWhy, class: "chip" });
    parts.chip.textContent = name;
    parts.chip.disabled = !proof;
    parts.chip.hidden = fig.curved();
  }
  function show() {
    for (const panel of shown) panel.data();
    showProof();
    const { settings } = fig;
    const { kernel } = settings;
    const values = { rule: settings.rule, seed: settings.seed, order: settings.order, rate: settings.rate, kernel: kernel.name, degree: kernel.degree, offset: kernel.offset, gamma: kernel.gamma };
    for (const [name, value] of Object.entries(values)) parts[name].value = value;
    parts.start.forEach((node, j) => (node.value = settings.w0[j]));
    for (const name of ["degree", "offset"]) parts.choice[name].hidden = kernel.name !== "polynomial";
    parts.choice.gamma.hidden = kernel.name !== "rbf";
    parts.choice.order.hidden = !["shuffled", "at_random"].includes(settings.rule);
    for (const node of el.querySelectorAll(".linear")) node.hidden = fig.curved();
    close(parts.undo, !past.length);
    fig.showStep();
  }
  /** Show the tools, or put them away, and Move back into the hand. */
  function unfold(open) {
    parts.toolbar.hidden = !open;
    set(parts.edit, { "aria-expanded": open });
    if (!open) take("move");
  }
  function take(name) {
    tool = name;
    for (const [key, node] of tools) set(node, { "aria-pressed": key === name });
    if (!plane) return;
    const turns = act.turns() && name === "move";
    set(plane.node, { "data-does": name, "data-turns": turns ? "" : null });
    plane.turning(turns);
  }
  /** Draw anew what has another width now. */
  function fit() {
    for (const panel of shown) {
      const { parentElement } = panel.node;
      if (parentElement.clientWidth) panel.fit(parentElement.clientWidth, stage.given(parentElement));
    }
    show();
  }

  // ------------------------------------------------------------------ time
  /** What a text asks to see: a step, which is reached in motion from close by, or weights. */
  function lead({ step, w }, asked) {
    if (fig.touched && !asked) return; // the reader's own samples are not the text's
    if (fig.touched) startAnew();
    stop();
    if (w) return turn(w);
    if (step - fig.t < 1 || step - fig.t > 4 || still()) return fig.go(step);
    [leading, unasked] = [true, false];
    const once = () => (fig.t < step && fig.t < fig.T ? forward() : stop());
    playing = setInterval(once, 1.4 * BEATS);
    once();
  }
  /** Turn the weights that a reader moves by hand into these. */
  function turn(w) {
    const [from, begin] = [fig.w(), performance.now()];
    cancelAnimationFrame(turning);
    const frame = (now) => {
      const p = still() ? 1 : Math.min(1, Math.max(0, now - begin) / BEATS);
      write({ settings: { ...fig.settings, w: p < 1 ? from.map((v, j) => v + p * (w[j] - v)) : w } });
      onSettings();
      if (p < 1) turning = requestAnimationFrame(frame);
    };
    turning = requestAnimationFrame(frame);
  }
  fig.go = (t) => {
    t = Math.max(0, Math.min(t, fig.T));
    const seen = beats;
    beats = 0;
    if (t === fig.t && !seen) return;
    fig.t = t;
    fig.showStep();
    write({ step: t });
  };
  function forward() {
    if (fig.t === fig.T && more()) extend();
    const between = playing ? 1000 / speed.value : BEATS / 0.8;
    fig.pace = still() || between < 150 ? 0 : Math.min(BEATS, 0.8 * between); // ms that it may move
    fig.go(fig.t + 1);
    fig.pace = 0;
  }
  /** A single beat of the next step, forward or back; the third one is the step. */
  function beat(by) {
    if (!plane || byHand() || fig.curved() || fig.t === fig.T) return;
    beats = Math.max(0, beats + by);
    if (beats > 2) fig.go(fig.t + 1);
    else if (beats) plane.moment(fig.t, beats / 3);
    else fig.showStep();
  }
  const tellStep = () => tell(say("at_step", { what: fig.mistakes(fig.errors()), t: fig.t }), fig.t === fig.T && summary(fig));
  function stop() {
    clearInterval(playing);
    if (playing && !unasked) tellStep();
    [playing, leading] = [null, false];
    parts.look("play");
  }
  function start(byItself = false) {
    clearInterval(playing);
    [leading, unasked] = [false, byItself];
    if (fig.t === fig.T && !more()) fig.go(0);
    parts.look("pause");
    const beat = () => (fig.t === fig.T && !more() ? stop() : forward());
    playing = setInterval(beat, 1000 / speed.value);
  }
  /** Play once the figure is well in view, until a reader takes it in hand. */
  function playByItself() {
    const view = new IntersectionObserver(([{ isIntersecting }]) => {
      if (!isIntersecting) return;
      view.disconnect();
      start(true);
    }, { threshold: 0.6 });
    const handOver = () => {
      view.disconnect();
      if (playing) stop();
    };
    view.observe(plane?.node ?? el.firstChild);
    const once = { capture: true, once: true };
    const others = ({ target }) => play.contains(target) || handOver(); // play itself pauses
    el.addEventListener("pointerdown", others, once);
    el.addEventListener("keydown", others, once);
    return handOver;
  }

  // ------------------------------------------------------------------ computing
  function begun() {
    return (work = begin(fig.state(), fig.n, RULES[fig.settings.rule](fig.n, fig.settings.order)));
  }
  /** One frame's share of the run; the rest follows in the next ones, so that nothing freezes. */
  function compute(wanted = fig.t) {
    cancelAnimationFrame(frame);
    advance(work, limit, performance.now() + SHARE);
    fig.t = wanted;
    fig.adopt(work);
    const { t, T } = fig;
    show();
    // A reader who has stepped on meanwhile stays there.
    const goesOn = () => compute(fig.t === t ? wanted : fig.t);
    if (work.next !== null && T < limit) frame = requestAnimationFrame(goesOn);
  }
  /** Go on with a run that was cut, by as many updates as it had at most. */
  function extend() {
    limit = Math.min(fig.T + first.at_most, MOST_UPDATES);
    fig.settings.at_most = limit;
    if (work !== fig.run) advance(begun(), fig.T); // the run was Python's
    publish();
    compute();
  }
  /** Change the model, and hear none of it: the figure shows it when all of it is computed. */
  function write(changes) {
    writing = true;
    model.set(changes);
    writing = false;
    model.save_changes();
  }
  /** Tell the model everything. ipywidgets keeps one message on its way, and of those that wait the latest. */
  function publish() {
    fig.touch();
    fig.rev = model.get("rev") + 1;
    const { points, y: labels, t: step, rev } = fig;
    write({ points, labels, step, rev, settings: { ...fig.settings } });
    clearTimeout(waiting);
    if (kernelAnswers) waiting = setTimeout(() => hear(false), PATIENCE);
  }
  /** After an edit: the page's own run at once, and Python's as soon as it answers. */
  function changed(known = null) {
    note.textContent = "";
    fig.touched = true;
    if (leading) stop();
    publish();
    if (known) fig.replay(known);
    if (known || byHand()) return show();
    begun();
    compute();
  }

  // ------------------------------------------------------------------ what a reader does
  const snapshot = () =>
    ({ points: fig.points, labels: fig.y, settings: { ...fig.settings }, t: fig.t, chosen: fig.chosen });
  function remember() {
    past.push(snapshot());
    if (past.length > MOST_UNDONE) past.shift();
    close(parts.undo, false);
  }
  function restore({ points, labels, settings, t, chosen = 0 }, known) {
    fig.adjust(settings);
    Object.assign(fig, { t, chosen });
    limit = settings.at_most;
    fig.samples(points, labels);
    changed(known);
  }
  const ending = () => (byHand() ? fig.mistakes(fig.errors()) : summary(fig));
  const tellLine = () => tell(ending(), say("weights_are", { w: tuple(fig.w()) }));
  function undo() {
    if (!past.length) return;
    restore(past.pop());
    tell(say("undone"), ending());
  }
  /** Another setting of the run. */
  function choose(settings) {
    remember();
    Object.assign(fig.settings, settings);
    changed();
    tell(summary(fig));
  }
  function edit(points, labels, chosen) {
    fig.chosen = chosen;
    fig.samples(points, labels);
    if (due) return;
    due = true; // at most once a frame
    requestAnimationFrame(() => {
      due = false;
      changed();
      tell(fig.sample(fig.chosen), ending());
    });
  }
  const snap = (p) => {
    const { grid } = fig.settings;
    const within = (v, least, most) =>
      grid * Math.max(Math.ceil(least / grid), Math.min(Math.floor(most / grid), Math.round(v / grid)));
    const [left, right, low, high] = fig.box;
    return [within(p[0], left, right), within(p[1], low, high)];
  };
  const act = {
    tool: () => tool,
    may: () => true,
    remember,
    undo,
    tell: (key) => tell(key && say(key), key === "picked_up" ? "" : fig.sample(fig.chosen)),
    move: (i, p) => edit(fig.points.map((q, k) => (k === i ? snap(p) : q)), fig.y, i),
    flip(i) {
      remember();
      edit(fig.points, fig.y.map((v, k) => (k === i ? -v : v)), i);
    },
    add(p, label) {
      if (fig.n >= MOST_SAMPLES) return (note.textContent = say("too_many", { most: MOST_SAMPLES }));
      remember();
      edit([...fig.points, snap(p)], [...fig.y, label], fig.n);
    },
    /** Whether the line may be taken in hand: weights set by hand, or those that a run begins with. */
    turns: () => byHand() || (!fig.curved() && first.algorithm !== "dual"),
    weights: () => [...fig.w()],
    weigh(w, goesOn) {
      w = w.map((v) => +v.toPrecision(3));
      if (byHand()) return fig.weigh(w, goesOn);
      stop();
      if (!goesOn) remember();
      fig.settings.w0 = w;
      fig.t = 0;
      changed();
      tellLine();
    },
    remove(i) {
      if (fig.n === 1) return (note.textContent = say("one_stays"));
      remember();
      const but = (list) => list.filter((_, k) => k !== i);
      edit(but(fig.points), but(fig.y), Math.min(i, fig.n - 2));
    },
  };
  function randomData(number) {
    remember();
    const { grid, noise, intercept } = fig.settings;
    fig.settings.seed = number;
    fig.t = 0;
    const kind = fig.curved() ? "rings" : "line";
    const { points, labels } = draw(Math.max(fig.n, 2), number, fig.box, grid, { kind, noise, intercept });
    edit(points, labels, 0);
  }
  /** Back to what the figure showed when the page was opened. */
  function startAnew() {
    stop();
    remember();
    const { run, step, ...rest } = structuredClone(fig.initial);
    restore({ ...rest, t: step }, run);
    fig.touched = false;
    showPrompt();
    model.forget?.();
  }
  fig.weigh = (w, goesOn) => {
    if (!goesOn) remember();
    fig.touched = true;
    write({ settings: { ...fig.settings, w } });
    onSettings();
    tellLine();
  };
  async function share() {
    const { points, y, t } = fig;
    const kept = SHARED.map((name) => [name, fig.settings[name]]);
    const address = model.share({ points, labels: y, t, ...Object.fromEntries(kept) });
    const copied = await navigator.clipboard?.writeText(address).then(() => true, () => false);
    note.textContent = say(copied ? "shared_copied" : "shared");
  }
  const onKey = (event) => {
    const modified = event.ctrlKey || event.metaKey || event.altKey;
    const typing = event.target.matches("input[type=number]");
    const undoes = event.key === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !typing;
    // JupyterLab, which listens further out, would cut the cell at x and go to the next at an arrow.
    if (undoes || !modified) event.stopPropagation();
    // Space plays, except where it already means something.
    const busy = event.target.closest("button, select, summary, [role=option], input:not([type=range])");
    const plays = event.key === " " && !byHand() && !busy;
    const beats = !modified && !typing && { ".": 1, ",": -1 }[event.key];
    if (!undoes && !plays && !beats) return;
    event.preventDefault();
    if (undoes) undo();
    else if (beats) beat(beats);
    else play.click();
  };
  /** A field for a number from 0 to 9999; what is none leaves the old one. */
  const counted = (name, does) => [parts[name], "change", ({ target }) => {
    if (target.value === "") target.value = fig.settings[name];
    else does(Math.min(Math.max(0, Math.floor(target.value)), 9999));
  }];
  /** What stands in a field, if floats can add and multiply it without end; else what was before. */
  const number = (node, old) =>
    node.value !== "" && Math.abs(node.value) <= MOST_NUMBER ? +node.value : old;
  const positive = (node, old) => (number(node, old) > 0 ? number(node, old) : old);
  const kernelChosen = () => {
    const { degree, offset, gamma } = fig.settings.kernel;
    choose({
      kernel: {
        name: parts.kernel.value,
        degree: Math.max(1, Math.min(9, Math.floor(+parts.degree.value) || degree)),
        offset: Math.max(0, number(parts.offset, offset)),
        gamma: positive(parts.gamma, gamma),
      },
    });
  };
  const pairs = [
    [back, "click", () => (fig.go(fig.t - 1), tellStep())],
    [play, "click", () => (playing ? stop() : start())],
    [next, "click", () => (forward(), tellStep())],
    [slider, "input", () => fig.go(+slider.value)],
    [speed, "change", () => playing && start()],
    [parts.fresh, "click", () => randomData((fig.settings.seed + 1) % 10000)],
    counted("seed", randomData),
    counted("order", (order) => choose({ order })),
    [rule, "change", () => choose({ rule: rule.value })],
    [parts.rate, "change", () => choose({ rate: positive(parts.rate, fig.settings.rate) })],
    ...parts.start.map((node) => [node, "change", () => choose({ w0: parts.start.map((one, j) => number(one, fig.settings.w0[j])) })]),
    ...["kernel", "degree", "offset", "gamma"].map((name) => [parts[name], "change", kernelChosen]),
    [parts.edit, "click", () => unfold(parts.toolbar.hidden)],
    [parts.undo, "click", undo],
    [parts.reset, "click", startAnew],
    [parts.anew, "click", startAnew],
    [parts.chip, "click", () => ((fig.showsWhy = !fig.showsWhy), show(), tell(proofSentence(fig)))],
    [el, "keydown", onKey],
    ...(parts.share ? [[parts.share, "click", share]] : []),
    ...tools.map(([name, node]) => [node, "click", () => take(name)]),
  ];
  for (const [node, event, f] of pairs) node.addEventListener(event, f);
  if (plane) hand(fig, plane, act);

  // ------------------------------------------------------------------ what Python does
  /** Only an answer proves that there is a kernel; silence for a while, that there is none. */
  function hear(answer) {
    clearTimeout(waiting);
    if (kernelAnswers === answer) return;
    kernelAnswers = answer;
    note.textContent = answer ? "" : say("python_silent");
  }
  function onMessage({ at, asked, error = "" }) {
    if (at) return lead(at, asked);
    hear(true);
    if (error) note.textContent = error;
  }
  function onRun() {
    const run = model.get("run");
    if (run.rev !== fig.rev) return; // about samples that have changed since
    hear(true);
    fig.replay(run);
    show();
  }
  function onRev() {
    if (model.get("rev") === fig.rev) return; // our own edit
    const given = fig.load();
    limit = fig.settings.at_most;
    note.textContent = "";
    if (given.run.rev === fig.rev) {
      fig.initial = structuredClone(given); // Python's, to which a reset leads back
      fig.replay(given.run);
    } else fig.adopt(advance(begun(), limit)); // an edit in another view
    onStep(show);
  }
  function onStep(draws = fig.showStep) {
    fig.t = Math.max(0, Math.min(model.get("step"), fig.T));
    draws();
  }
  function onSettings() {
    if (!byHand()) return;
    fig.settings = { ...model.get("settings") };
    fig.touch();
    fig.showStep();
  }
  const events = {
    "msg:custom": onMessage,
    "change:run": onRun,
    "change:rev": onRev,
    "change:step": () => writing || onStep(),
    "change:settings": () => writing || onSettings(),
  };
  for (const [name, f] of Object.entries(events)) model.on(name, f);

  // Where a figure without tools asks for other labels, a tap gives them; nothing else is to be done there.
  take(!first.tools && first.goal && "separable" in first.goal ? "flip" : "move");
  fig.replay(model.get("run"));
  onStep(el.clientWidth ? fit : show); // nobody sees it yet where it has no width
  const told = model.shared && shared(fig, model.shared);
  if (told) restore(told);
  if (model.shared) note.textContent = say(told ? "shared_shown" : "shared_unreadable");
  model.send({ hello: true });
  const unfollow = stage.follow(fit);
  const handOver = first.autoplay && !told && !byHand() && !still() ? playByItself() : stop;
  return () => {
    handOver();
    stop();
    unfollow();
    cancelAnimationFrame(frame);
    clearTimeout(waiting);
    stage.quiet();
    el.removeEventListener("keydown", onKey);
    for (const [name, f] of Object.entries(events)) model.off(name, f);
  };
}

export default { render };
