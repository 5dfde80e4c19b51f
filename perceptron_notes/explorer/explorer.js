// The interactive figure: what the panels can ask, what it says, and what a reader can do. All words
// come from words.csv via Python.

const [MOST_SAMPLES, MOST_UPDATES] = [1000, 100000];
const [SHARE, PATIENCE] = [8, 4000]; // ms: of computing in a frame, of waiting for Python

const ICONS = {
  back: "M15 5v14l-9-7zM5 5v14",
  play: "M8 5v14l11-7z",
  pause: "M8 5v14M16 5v14",
  step: "M9 5v14l9-7zM19 5v14",
};

/** What the panels ask: the samples, the run, and everything about step t. */
function createFigure(model) {
  const words = model.get("words");
  const fig = { t: 0, chosen: 0, ledger: null, best: null, initial: null };
  let [gramNow, tallyNow, scoresNow] = [null, null, null];
  const is = (algorithm) => fig.settings.algorithm === algorithm;

  fig.say = (key, values = {}) =>
    (words[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name]);
  fig.mistakes = (k) => fig.say(["no_mistake", "one_mistake"][k] ?? "mistakes", { k });
  fig.updates = (k) => fig.say(["no_update", "one_update"][k] ?? "updates", { k });
  fig.shape = (i) => fig.say(fig.y[i] > 0 ? "circle" : "cross");
  fig.kind = (i) => (fig.y[i] > 0 ? "pos" : "neg") + (fig.wrong(i) ? " wrong" : "");
  /** Sample i as the weights meet it: with the leading 1, or through the origin without. */
  fig.x = (i) => [...(fig.bias ? [1] : []), ...fig.points[i]];
  fig.w = (t = fig.t) => (is("model") ? fig.settings.w : fig.W.slice(fig.m * t, fig.m * (t + 1)));
  /** Weights as (w₀, w₁, w₂), where w₀ = 0 if the line goes through the origin. */
  fig.padded = (w) => (fig.bias ? w : [0, ...w]);
  fig.line = (t = fig.t) => fig.padded(fig.w(t));
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
  /** Weights that separate the samples: Python's if they still do, or the last of the run. */
  fig.separator = () => {
    const separates = (w) => fig.y.every((label, i) => label * score(w, fig.X, i) > 0);
    return [fig.run.w_f, fig.w(fig.T)].find((w) => w && separates(w)) ?? null;
  };

  fig.load = () => {
    const names = ["points", "labels", "settings", "run"];
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
    fig.touch();
  };
  fig.touch = () => (gramNow = tallyNow = scoresNow = null);
  fig.adopt = (run) => {
    Object.assign(fig, { run, T: run.picks.length, W: run.W ?? run.state.W });
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
  /** Python's run, replayed. If it is none of PLA's, it comes with its weights. */
  fig.replay = (given) => {
    const { w_f, separable } = given;
    const now = fig.run;
    const same = now?.X === fig.X && !given.W && !now.foreign && now.rate === fig.settings.rate &&
      (now.next === null) === given.converged && now.picks.join() === given.picks.join();
    const run = same ? now : replay(fig.state(), fig.n, given);
    if (given.W) {
      const wrong = (w) => (i) => !(fig.y[i] * score(w, fig.X, i) > 0);
      const errors = given.W.map((w) => count(fig.n, wrong(w)));
      Object.assign(run, { W: given.W.flat(), errors, foreign: true });
    }
    Object.assign(run, { w_f, separable });
    if (!same) fig.adopt(run);
  };
  return fig;
}

/** The sentences under the figure: what this step does, in words and numbers. */
function sentence(fig) {
  const { say, t, T, run } = fig;
  const { algorithm, rate } = fig.settings;
  const [byHand, tallied] = [algorithm === "model", algorithm === "dual"];
  const w = fig.w();
  const exact = (v) => v.every((a) => num(a) === num(a, 17));
  /** w₀ + w₁·x₁ + w₂·x₂ = s, or ≈ if a number was rounded to show it. */
  const sum = (x, s) => {
    const factor = (v) => (v < 0 ? `(${num(v)})` : num(v));
    const term = (j) => {
      const sign = j ? (w[j] < 0 ? "− " : "+ ") : w[j] < 0 ? "−" : "";
      return sign + num(Math.abs(w[j])) + (j || !fig.bias ? `·${factor(x[j])}` : "");
    };
    return `${w.map((_, j) => term(j)).join(" ")} ${exact([...w, ...x, s]) ? "=" : "≈"} ${num(s)}`;
  };
  const about = (i) => {
    const s = fig.score(i);
    const values = { i, shape: fig.shape(i), x: tuple(fig.points[i]), label: signed(fig.y[i]) };
    const verdict = s === 0 ? "zero" : fig.wrong(i) ? "wrong" : "right";
    return [say("scores", { ...values, s: tallied ? num(s) : sum(fig.x(i), s) }), say(verdict, values)];
  };
  if (byHand) {
    const mistakes = fig.mistakes(count(fig.n, fig.wrong));
    return [say("weights_are", { w: tuple(w), mistakes }), ...about(fig.chosen)];
  }
  const mistakes = fig.mistakes(run.errors[t]);
  const said = [say(tallied ? "tally_is" : "step_is", { t, w: tuple(w), mistakes })];
  if (fig.best)
    said.push(say("best_is", { mistakes: fig.mistakes(run.errors[fig.best[t]]), t: fig.best[t] }));
  const i = fig.pick();
  if (i !== null) said.push(...about(i));
  if (t === T) {
    const never = fig.bias ? "never" : "never_through_origin";
    const end = run.next === null ? "ends" : run.separable === false ? never : "cut";
    said.push(say(end, { updates: fig.updates(T), mistakes }));
    if (run.next !== null && !fig.settings.own) said.push(say("goes_on"));
    return said;
  }
  const values = { i, x: tuple(fig.x(i)), rate: num(rate) };
  if (tallied) {
    const a = fig.tally().alpha[i];
    const what = say(rate === 1 ? "row" : "row_scaled", values);
    const risen = { a: num(a), a2: num(a + rate), what };
    said.push(say(fig.y[i] > 0 ? "tally_adds" : "tally_subtracts", risen));
  } else {
    const what = say(rate === 1 ? "vector" : "vector_scaled", values);
    said.push(say(fig.y[i] > 0 ? "adds" : "subtracts", { what, w: tuple(fig.w(t + 1)) }));
  }
  if (fig.ledger && t) {
    const row = Object.entries(fig.ledger).map(([name, side]) => [name, side && num(side[t])]);
    said.push(say("ledger_is", Object.fromEntries(row)));
    if (fig.ledger.cosineFloor) said.push(say("cosine_floor", Object.fromEntries(row)));
  }
  return said;
}

/** The caption of the angle: which kind of mistake, and what the update does to the angle. */
function angleSentence(fig) {
  const i = fig.pick();
  if (i === null || fig.t === fig.T) return fig.say("no_angle");
  const x = fig.x(i);
  const degrees = (u) => {
    const cosine = Math.max(-1, Math.min(1, dot(u, x) / norm(u) / norm(x)));
    return ((Math.acos(cosine) * 180) / Math.PI).toFixed(0);
  };
  if (!norm(fig.w())) return fig.say("angle_from_zero");
  const [a, b] = [degrees(fig.w()), degrees(fig.w(fig.t + 1))];
  return fig.say(fig.y[i] > 0 ? "angle_shrinks" : "angle_grows", { a, b });
}

/** Whether the reader wants things to stand still. */
const still = () => window.matchMedia?.("(prefers-reduced-motion: reduce)").matches;

/** Put the panels and the controls into `el`; what happens on a press is not decided here. */
function layOut(fig, el, panels, plane) {
  const { say, settings } = fig;
  const named = (name, key, attributes, ...children) =>
    make(name, { "aria-label": say(key), ...attributes }, ...children);
  const button = (key, ...content) =>
    content.length
      ? named("button", key, { type: "button", title: say(key) }, ...content)
      : make("button", { type: "button" }, say(key));
  const select = (options) =>
    make("select", {}, ...options.map(([value, text]) => make("option", { value }, text)));
  const labelled = (key, node) => make("label", { class: "choice" }, say(key), node);
  const glyph = (label) => icon(mark(label, 5), "-8 -8 16 16", "glyph");
  const parts = {
    back: button("back", icon(ICONS.back)),
    play: button("play", icon(ICONS.play)),
    next: button("step", icon(ICONS.step)),
    slider: named("input", "scrubber", { type: "range", min: 0 }),
    at: make("output", { class: "at" }),
    words: make("p", { class: "words", "aria-live": "polite" }),
    note: make("p", { class: "note", role: "status" }),
    tools: {
      move: button("move"),
      add_positive: button("add_positive", say("add"), glyph(1)),
      add_negative: button("add_negative", say("add"), glyph(-1)),
      flip: button("flip"),
      delete: button("delete"),
    },
    rule: select(settings.rules.map((rule) => [rule, say(rule)])),
    speed: select([1, 2, 5, 25].map((v) => [v, say("a_second", { v })])),
    fresh: button("random"),
    seed: make("input", { type: "number", min: 0, max: 9999, inputmode: "numeric" }),
    reset: button("reset"),
  };
  const { back, play, next, slider, at, words, note, rule, speed, fresh, seed, reset } = parts;
  for (const [name, node] of Object.entries(parts.tools)) node.dataset.tool = name;
  speed.value = settings.autoplay ? 2 : still() ? 1 : 5;

  const byHand = settings.algorithm === "model";
  const id = `keys${Math.random().toString(36).slice(2)}`;
  const keys = make("p", { class: "keys", id }, [say("keys"), ...(byHand ? [] : [say("keys_play")])].join(" "));
  const group = (name, key, nodes) => named("div", key, { class: name, role: "group" }, ...nodes);
  const tools = group("tools", "tools", Object.values(parts.tools));
  const bar = group("bar", "controls", [back, play, next, slider, at]);
  const run = [labelled("order", rule), labelled("speed", speed)];
  const data = make("span", {}, fresh, labelled("seed", seed));
  const choices = make("div", { class: "choices" }, ...(byHand ? [] : run), data, reset);
  const main = make("div", { class: "main" }, ...(plane ? [plane.node, tools] : []));
  const others = panels.filter((panel) => panel !== plane).map((panel) => panel.node);
  const side = make("div", { class: "side" }, ...others);
  if (plane) set(plane.node, { "aria-describedby": id });
  const shape = "layout" + (others.length ? " wide" : "") + (plane ? "" : " flat");
  el.classList.add("pn-explorer");
  set(el, {
    role: "group",
    "aria-label": say("figure_label", { algorithm: say(settings.own ? "own" : settings.algorithm) }),
  });
  const rest = [...(byHand ? [] : [bar]), words, choices, keys, note];
  el.replaceChildren(make("div", { class: shape }, main, side, ...rest));
  return parts;
}

/** Let pointer, finger and keyboard change the samples. `act` says how, and whether they may. */
function hand(fig, plane, act) {
  const picture = plane.node;
  const nodes = plane.samples.childNodes;
  let dragged = null;
  const where = (event) => {
    const frame = picture.getBoundingClientRect();
    const k = WIDE / frame.width;
    const [x, y] = [(event.clientX - frame.left) * k, (event.clientY - frame.top) * k];
    let [near, least] = [null, 22 * k]; // a target of 44 px
    fig.points.forEach((p, i) => {
      const [a, b] = plane.screen(p);
      const d = Math.hypot(a - x, b - y);
      if (d < least) [near, least] = [i, d];
    });
    return { near, p: plane.place(x, y) };
  };
  const choose = (i) => {
    set(nodes[fig.chosen], { tabindex: -1 });
    fig.chosen = i;
    set(nodes[i], { tabindex: 0 }).focus({ preventScroll: true });
    fig.showStep();
  };

  // Chromium would pan the page and cancel the drag, whatever `touch-action` says.
  const hold = (event) => {
    const wanted = act.tool() !== "move" || where(event.touches[0]).near !== null;
    if (act.may() && event.touches.length === 1 && wanted) event.preventDefault();
  };
  picture.addEventListener("touchstart", hold, { passive: false });
  picture.addEventListener("pointerdown", (event) => {
    if (event.button || !act.may()) return;
    const { near, p } = where(event);
    const tool = act.tool();
    if (tool === "add_positive") act.add(p, 1);
    else if (tool === "add_negative") act.add(p, -1);
    else if (near === null) return;
    else if (tool === "flip") act.flip(near);
    else if (tool === "delete") act.remove(near);
    else {
      event.preventDefault();
      dragged = near;
      picture.setPointerCapture(event.pointerId);
      set(picture, { "data-dragging": "" });
      choose(near);
    }
  });
  picture.addEventListener("pointermove", (event) => {
    if (dragged !== null) act.move(dragged, where(event).p);
  });
  const drop = () => {
    dragged = null;
    set(picture, { "data-dragging": null });
  };
  picture.addEventListener("pointerup", drop);
  picture.addEventListener("pointercancel", drop);

  picture.addEventListener("keydown", (event) => {
    const i = [...nodes].indexOf(document.activeElement);
    if (i < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = fig.settings.grid * (event.shiftKey ? 1 : 4);
    const [x, y] = fig.points[i];
    const goes = { n: () => choose((i + 1) % fig.n), p: () => choose((i + fig.n - 1) % fig.n) };
    const edits = {
      ArrowLeft: () => act.move(i, [x - by, y]),
      ArrowRight: () => act.move(i, [x + by, y]),
      ArrowDown: () => act.move(i, [x, y - by]),
      ArrowUp: () => act.move(i, [x, y + by]),
      f: () => act.flip(i),
      "+": () => act.add([x + 4 * by, y], 1),
      "-": () => act.add([x + 4 * by, y], -1),
      Delete: () => act.remove(i),
      Backspace: () => act.remove(i),
    };
    const key = event.key.length > 1 ? event.key : event.key.toLowerCase();
    const does = goes[key] ?? (act.may() ? edits[key] : null);
    if (!does) return;
    event.preventDefault();
    does();
    // The sample in hand may be a new one, which is drawn in the next frame.
    const follow = () => nodes[fig.chosen].focus({ preventScroll: true });
    if (edits[key]) requestAnimationFrame(follow);
  });
}

/** Build the figure in `el`, and keep it and the model in step. */
function render({ model, el }) {
  const fig = createFigure(model);
  fig.load();
  const { say } = fig;
  const first = structuredClone(fig.settings);
  const byHand = first.algorithm === "model";
  const panels = first.panels.map((name) => PANELS[name](fig));
  const plane = panels.find((panel) => panel.samples);
  const parts = layOut(fig, el, panels, plane);
  const { back, play, next, slider, at, words, note, rule, speed, fresh, seed, reset } = parts;
  const tools = Object.entries(parts.tools);
  let [tool, limit, work, playing] = ["move", first.at_most, null, null];
  let [kernelAnswers, frame, waiting, due] = [false, 0, 0, false];

  // ------------------------------------------------------------------ showing
  const pageKnows = () => !fig.settings.own && fig.settings.rule in RULES;
  const more = () => fig.run.next !== null && fig.T < MOST_UPDATES && pageKnows();
  const may = () => !fig.settings.own || (fig.settings.own === "python" && kernelAnswers);

  fig.showStep = () => {
    for (const panel of panels) panel.step();
    set(slider, { max: fig.T, "aria-valuetext": say("of", fig) });
    slider.value = fig.t;
    at.textContent = say("of", { t: fig.t, T: fig.T + (fig.run.next === null ? "" : "…") });
    back.disabled = fig.t === 0;
    next.disabled = fig.t === fig.T && !more();
    words.textContent = sentence(fig).join(" ");
  };
  function show() {
    for (const panel of panels) panel.data();
    rule.value = fig.settings.rule;
    seed.value = fig.settings.seed;
    for (const node of [...Object.values(parts.tools), rule, seed, fresh]) node.disabled = !may();
    const why = fig.settings.own === "look" ? "look_only" : "own_needs_python";
    if (!may()) note.textContent = say(why);
    fig.showStep();
  }
  function take(name) {
    tool = name;
    for (const [key, node] of tools) set(node, { "aria-pressed": key === name });
  }

  // ------------------------------------------------------------------ time
  fig.go = (t) => {
    t = Math.max(0, Math.min(t, fig.T));
    if (t === fig.t) return;
    fig.t = t;
    fig.showStep();
    model.set("step", t);
    model.save_changes();
  };
  function forward() {
    if (fig.t === fig.T && more()) extend();
    fig.go(fig.t + 1);
  }
  function announce(key, live) {
    set(words, { "aria-live": live });
    set(play, { "aria-label": say(key), title: say(key) }).replaceChildren(icon(ICONS[key]));
  }
  function stop() {
    clearInterval(playing);
    playing = null;
    announce("play", "polite");
  }
  function start() {
    clearInterval(playing);
    if (fig.t === fig.T && !more()) fig.go(0);
    announce("pause", "off");
    const beat = () => (fig.t === fig.T && !more() ? stop() : forward());
    playing = setInterval(beat, 1000 / speed.value);
  }

  /** Play once the figure is well in view, until a reader takes it in hand. */
  function playByItself() {
    const view = new IntersectionObserver(([{ isIntersecting }]) => {
      if (!isIntersecting) return;
      view.disconnect();
      start();
    }, { threshold: 0.6 });
    const handOver = () => {
      view.disconnect();
      if (playing) stop();
    };
    view.observe(el.firstChild);
    const once = { capture: true, once: true };
    const others = ({ target }) => play.contains(target) || handOver(); // play itself pauses
    el.addEventListener("pointerdown", others, once);
    el.addEventListener("keydown", others, once);
    return handOver;
  }

  // ------------------------------------------------------------------ computing
  function begun() {
    return (work = begin(fig.state(), fig.n, RULES[fig.settings.rule](fig.n, fig.settings.seed)));
  }
  /** One frame's share of the run; the rest follows in the next ones, so that nothing freezes. */
  function compute() {
    cancelAnimationFrame(frame);
    advance(work, limit, performance.now() + SHARE);
    fig.adopt(work);
    show();
    if (work.next !== null && fig.T < limit) frame = requestAnimationFrame(compute);
  }
  /** Go on with a run that was cut, by as many updates as it had at most. */
  function extend() {
    limit = Math.min(fig.T + first.at_most, MOST_UPDATES);
    fig.settings.at_most = limit;
    if (work !== fig.run) advance(begun(), fig.T); // the run was Python's
    publish();
    compute();
  }
  /** Tell the model. ipywidgets keeps one message on its way, and of those that wait the latest. */
  function publish() {
    fig.touch();
    fig.rev = model.get("rev") + 1;
    const { points, y: labels, t: step, rev } = fig;
    model.set({ points, labels, step, rev, settings: { ...fig.settings } });
    model.save_changes();
    clearTimeout(waiting);
    if (kernelAnswers) waiting = setTimeout(() => hear(false), PATIENCE);
  }
  /** After an edit: the page's own run at once, and Python's as soon as it answers. */
  function changed(known = null) {
    note.textContent = "";
    if (!known && !kernelAnswers && !(fig.settings.rule in RULES)) {
      fig.settings.rule = "in_turn";
      note.textContent = say("rule_needs_python");
    }
    publish();
    if (known) fig.replay(known);
    if (known || byHand) return show();
    if (!pageKnows()) return; // Python does
    begun();
    compute();
  }
  function edit(points, labels, chosen) {
    fig.chosen = chosen;
    fig.samples(points, labels);
    if (due) return;
    due = true; // at most once a frame
    requestAnimationFrame(() => {
      due = false;
      changed();
    });
  }

  // ------------------------------------------------------------------ what a reader does
  const snap = (p) => {
    const { grid } = fig.settings;
    const within = (v, least, most) =>
      grid * Math.max(Math.ceil(least / grid), Math.min(Math.floor(most / grid), Math.round(v / grid)));
    const [left, right, low, high] = fig.box;
    return [within(p[0], left, right), within(p[1], low, high)];
  };
  const act = {
    tool: () => tool,
    may,
    move: (i, p) => edit(fig.points.map((q, k) => (k === i ? snap(p) : q)), fig.y, i),
    flip: (i) => edit(fig.points, fig.y.map((v, k) => (k === i ? -v : v)), i),
    add(p, label) {
      if (fig.n < MOST_SAMPLES) edit([...fig.points, snap(p)], [...fig.y, label], fig.n);
      else note.textContent = say("too_many", { most: MOST_SAMPLES });
    },
    remove(i) {
      const but = (list) => list.filter((_, k) => k !== i);
      if (fig.n > 1) edit(but(fig.points), but(fig.y), Math.min(i, fig.n - 2));
      else note.textContent = say("one_stays");
    },
  };
  function randomData(number) {
    const { grid, random, intercept } = fig.settings;
    fig.settings.seed = number;
    fig.t = 0;
    const { points, labels } = draw(Math.max(fig.n, 2), number, fig.box, grid, { ...random, intercept });
    edit(points, labels, 0);
  }
  function startAnew() {
    if (fig.settings.own === "look") return fig.go(0);
    const { points, labels, settings, run } = structuredClone(fig.initial);
    fig.adjust(settings);
    fig.t = 0;
    limit = settings.at_most;
    fig.samples(points, labels);
    return changed(run);
  }
  fig.weigh = (w) => {
    model.set("settings", { ...fig.settings, w });
    onSettings();
    model.save_changes();
  };
  const onKey = (event) => {
    // JupyterLab, which listens further out, would cut the cell at x and go to the next at an arrow.
    if (!(event.ctrlKey || event.metaKey || event.altKey)) event.stopPropagation();
    // Space plays, except where it already means something.
    const busy = event.target.closest("button, select, input:not([type=range])");
    if (event.key !== " " || byHand || busy) return;
    event.preventDefault();
    play.click();
  };
  const pairs = [
    [back, "click", () => fig.go(fig.t - 1)],
    [play, "click", () => (playing ? stop() : start())],
    [next, "click", forward],
    [slider, "input", () => fig.go(+slider.value)],
    [speed, "change", () => playing && start()],
    [fresh, "click", () => randomData(fig.settings.seed + 1)],
    [seed, "change", () => randomData(Math.max(0, Math.floor(+seed.value) || 0))],
    [reset, "click", startAnew],
    [el, "keydown", onKey],
    ...tools.map(([name, node]) => [node, "click", () => take(name)]),
  ];
  for (const [node, event, f] of pairs) node.addEventListener(event, f);
  rule.addEventListener("change", () => {
    fig.settings.rule = rule.value;
    changed();
  });
  if (plane) hand(fig, plane, act);

  // ------------------------------------------------------------------ what Python does
  /** Only an answer proves that there is a kernel; silence for a while, that there is none. */
  function hear(answer) {
    clearTimeout(waiting);
    if (kernelAnswers === answer) return;
    kernelAnswers = answer;
    if (!answer && !fig.settings.own && !pageKnows()) changed(); // nobody else will
    note.textContent = answer ? "" : say("python_silent");
    if (fig.settings.own) show();
  }
  function onMessage({ error = "" }) {
    hear(true);
    if (error) note.textContent = error;
  }
  function onRun() {
    const run = model.get("run");
    if (run.rev !== fig.rev) return; // about samples that have changed since
    hear(true);
    fig.settings.rate = model.get("settings").rate; // a function of Python's may choose its own
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
    } else if (pageKnows()) fig.adopt(advance(begun(), limit)); // an edit in another view
    onStep(show);
  }
  function onStep(draws = fig.showStep) {
    fig.t = Math.max(0, Math.min(model.get("step"), fig.T));
    draws();
  }
  function onSettings() {
    if (!byHand) return;
    fig.settings = { ...model.get("settings") };
    fig.touch();
    fig.showStep();
  }
  const events = {
    "msg:custom": onMessage,
    "change:run": onRun,
    "change:rev": onRev,
    "change:step": () => onStep(),
    "change:settings": onSettings,
  };
  for (const [name, f] of Object.entries(events)) model.on(name, f);

  take("move");
  fig.replay(model.get("run"));
  onStep(show);
  model.send({ hello: true });
  const handOver = first.autoplay && !byHand && !still() ? playByItself() : stop;
  return () => {
    handOver();
    stop();
    cancelAnimationFrame(frame);
    clearTimeout(waiting);
    el.removeEventListener("keydown", onKey);
    for (const [name, f] of Object.entries(events)) model.off(name, f);
  };
}

export default { render };
