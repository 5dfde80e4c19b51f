// Pointer, finger and keyboard change the samples. `act` says how, and whether they may. Only what
// `act` has can be done; `act.press` is what a click does in a scene.

import { set } from "./draw.js";

const TREMOR = 4; // pixels that a press may move and still be a press

export function hand(fig, plane, act) {
  const picture = plane.node;
  const nodes = plane.samples.childNodes;
  const index = (node) => [...nodes].indexOf(node);
  let [dragged, moved, held] = [null, false, false];
  let [pressed, turn] = [[0, 0], null]; // what a drag of the line makes of a place: weights
  const where = ({ clientX, clientY }) => {
    const frame = picture.getBoundingClientRect();
    const k = picture.viewBox.baseVal.width / frame.width;
    const [x, y] = [(clientX - frame.left) * k, (clientY - frame.top) * k];
    let [near, least] = [null, 22 * k]; // a target of 44 px
    fig.points.forEach((p, i) => {
      const [a, b] = plane.screen(p);
      const d = Math.hypot(a - x, b - y);
      if (d < least) [near, least] = [i, d];
    });
    return { near, far: least / k, p: plane.place(x, y) };
  };
  /** How the weights follow a pointer that took the line, or its arrow, at p. */
  function grasp(what, p) {
    const w = act.weights();
    const bias = w.length - 2;
    const [u, v] = w.slice(bias);
    if (what === "line") return bias ? (q) => [w[0] + u * (p[0] - q[0]) + v * (p[1] - q[1]), u, v] : null;
    const [a, b] = bias ? plane.foot() : [0, 0];
    return ([x, y]) => {
      const k = Math.hypot(u, v) / (Math.hypot(x - a, y - b) || 1);
      const [s, t] = [k * (x - a), k * (y - b)];
      return bias ? [-(s * a + t * b), s, t] : [s, t];
    };
  }
  const gripped = (event) => act.turns?.() && act.tool() === "move" && plane.grip?.(event.target);
  /** Make a sample the one in hand; the pointer leaves the focus alone, the keyboard takes it along. */
  const choose = (i, focus = false) => {
    if (held) hands(false, "put_down");
    set(nodes[fig.chosen], { tabindex: -1, "aria-selected": false });
    fig.chosen = i;
    set(nodes[i], { tabindex: 0, "aria-selected": true });
    if (focus) nodes[i].focus({ preventScroll: true });
    fig.showStep();
  };
  /** Do to sample i, or at the place p, what the chosen tool says. */
  const use = (i, p) => {
    const tool = act.tool();
    if (!act.may()) return;
    if (tool === "add_positive") act.add(p, 1);
    else if (tool === "add_negative") act.add(p, -1);
    else if (i === null) act.press?.(i);
    else if (tool === "flip") act.flip(i);
    else if (tool === "delete") act.remove(i);
    else {
      choose(i);
      act.press?.(i);
    }
  };

  // ------------------------------------------------------------------ pointer and finger
  // In a drag Escape puts the sample back, and an undo has to wait: the drag would go on without one.
  const inDrag = (event) => {
    const back = event.key === "Escape";
    if (!back && !(event.key === "z" && (event.ctrlKey || event.metaKey))) return;
    event.preventDefault();
    event.stopPropagation();
    if (!back) return;
    drop();
    if (moved) act.undo();
    moved = true; // what is left of the press is no click
  };
  // Chromium would pan the page and cancel the drag, whatever `touch-action` says.
  const hold = (event) => {
    const wanted = act.may() && act.tool() === "move" && event.touches.length === 1;
    if (wanted && (gripped(event) || where(event.touches[0]).near !== null)) event.preventDefault();
  };
  picture.addEventListener("touchstart", hold, { passive: false });
  picture.addEventListener("pointerdown", (event) => {
    [moved, pressed] = [false, [event.clientX, event.clientY]];
    if (event.button || !act.may() || act.tool() !== "move") return;
    const { near, far, p } = where(event);
    // On the line a sample is meant only if it is nearer than a finger is wide.
    turn = gripped(event) && (near === null || far > 10) ? grasp(gripped(event), p) : null;
    if (near === null && !turn) return;
    dragged = turn ? null : near;
    picture.setPointerCapture(event.pointerId);
    set(picture, { "data-dragging": "" });
    addEventListener("keydown", inDrag, true);
    if (dragged !== null) choose(dragged);
  });
  picture.addEventListener("pointermove", (event) => {
    if (dragged === null && !turn) return;
    const far = Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]);
    if (!moved && far < TREMOR) return;
    if (!moved && !turn) act.remember();
    if (turn) act.weigh(turn(where(event).p), moved);
    else act.move(dragged, where(event).p);
    moved = true;
  });
  const drop = () => {
    if (dragged === null && !turn) return;
    if (moved && !turn) act.tell();
    [dragged, turn] = [null, null];
    removeEventListener("keydown", inDrag, true);
    set(picture, { "data-dragging": null });
  };
  picture.addEventListener("pointerup", drop);
  picture.addEventListener("pointercancel", drop);
  // The end of a drag is a click too, to a browser. A screen reader's has no place.
  picture.addEventListener("click", (event) => {
    if (moved && event.detail) return;
    const i = index(event.target);
    if (!event.detail && i >= 0) return enter(i);
    const { near, p } = where(event);
    if (plane.inside(p)) use(near, p);
  });

  // ------------------------------------------------------------------ keyboard
  const beside = (i) => [fig.points[i][0] + 16 * fig.settings.grid, fig.points[i][1]];
  const hands = (now, key) => {
    held = now;
    set(plane.samples, { "data-held": now ? "" : null });
    act.tell(key);
  };
  function enter(i) {
    if (act.tool() !== "move") return use(i, beside(i));
    if (!act.may()) return;
    if (!held) act.remember();
    hands(!held, held ? "put_down" : "picked_up");
  }
  function arrow(i, key, by) {
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] }[key];
    const [x, y] = fig.points[i];
    if (held) return act.move(i, [x + dx * by, y + dy * by]);
    choose((i + (dx - dy > 0 ? 1 : fig.n - 1)) % fig.n, true);
  }
  /** Shift the line by an arrow key, or turn it about its arrow's foot. */
  function steer(what, key, small) {
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] }[key];
    const w = act.weights();
    const [a, b] = plane.foot();
    const by = fig.settings.grid * (small ? 1 : 4);
    if (what === "line") return grasp(what, [a, b])?.([a + dx * by, b + dy * by]);
    const [u, v] = w.slice(-2);
    const turn = Math.atan2(v, u) - (dx + dy) * (small ? 0.01 : 0.06);
    return grasp(what, [a, b])([a + Math.cos(turn), b + Math.sin(turn)]);
  }
  picture.addEventListener("keydown", (event) => {
    const what = act.turns?.() && plane.grip?.(event.target);
    if (what && event.key.startsWith("Arrow")) {
      const w = steer(what, event.key, event.shiftKey);
      event.preventDefault();
      event.stopPropagation();
      if (w) act.weigh(w, false);
      return;
    }
    const i = index(document.activeElement);
    const modified = event.ctrlKey || event.metaKey || event.altKey;
    const back = held && (event.key === "Escape" || (modified && event.key === "z"));
    if (i < 0 || (modified && !back)) return;
    const by = fig.settings.grid * (event.shiftKey ? 1 : 4);
    const go = () => arrow(i, event.key, by);
    const free = {
      ArrowLeft: go, ArrowRight: go, ArrowDown: go, ArrowUp: go,
      Home: () => choose(0, true),
      End: () => choose(fig.n - 1, true),
      n: () => choose((i + 1) % fig.n, true),
      p: () => choose((i + fig.n - 1) % fig.n, true),
    };
    const edits = {
      Enter: () => enter(i),
      " ": () => enter(i),
      f: () => act.flip?.(i),
      "+": () => act.add?.(beside(i), 1),
      "-": () => act.add?.(beside(i), -1),
      Delete: () => act.remove?.(i),
      Backspace: () => act.remove?.(i),
    };
    const key = event.key.length > 1 ? event.key : event.key.toLowerCase();
    const does = back ? () => (hands(false, "put_back"), act.undo()) : free[key] ?? (act.may() ? edits[key] : null);
    if (!does) return;
    event.preventDefault();
    event.stopPropagation();
    does();
    // The sample in hand may be a new one, which is drawn in the next frame.
    requestAnimationFrame(() => nodes[fig.chosen].focus({ preventScroll: true }));
  });
  set(plane.samples, { tabindex: -1 }); // Chromium would stop at it for its listeners
  plane.samples.addEventListener("focusin", ({ target }) => {
    const i = index(target);
    if (i >= 0 && i !== fig.chosen) choose(i);
  });
  plane.samples.addEventListener("focusout", ({ relatedTarget }) => {
    if (held && index(relatedTarget) < 0) hands(false, "put_down");
  });
}
