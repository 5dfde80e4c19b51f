// A scene that is made for the tests: a triangle whose corners can be moved, a slider that blows it
// up, and time that counts to 5.

import { num, path, set, tuple } from "../../../perceptron_notes/figures/explorer/draw.js";
import { polygon } from "../../../perceptron_notes/figures/explorer/geometry.js";
import {
  MARKS, createLegend, createMenu, createPlane, createSlider, createText, createTime, glyph,
  sceneOf,
} from "../../../perceptron_notes/figures/scenes/scene.js";

/** The doubled area; a script that this one imports has another `cut`. */
const cut = ([[a, b], [c, d], [e, f]]) => (c - a) * (f - b) - (e - a) * (d - b);

function build(scene) {
  const moved = (i, p) => scene.state.points.map((q, k) => (k === i ? p : q));
  const move = (i, p) => scene.change({ points: moved(i, p) });
  const handles = () => scene.state.points.map((p, i) =>
    ({ p, d: MARKS[i](7), name: `class${i}`, says: `corner ${i} at ${tuple(p)}` }));
  const plane = createPlane(scene,
    { box: [-4, 4, -3, 3], names: ["x₁", "x₂"], grid: 0.125, handles, move });
  const sides = path("line");
  plane.layer("sides").append(sides);
  createLegend(scene, [glyph(MARKS[0](5), "class0"), "picked_up"]);
  const told = createText(scene, "words", "say", false);
  const put = (k) => scene.change({ k });
  const slider = createSlider(scene, "scrubber", { min: 1, max: 9, get: () => scene.state.k, put });
  const menu = createMenu(scene, "edits", [["a", "undo"], ["b", "reset"]],
    { get: () => scene.state.chosen, put: (chosen) => scene.change({ chosen }) });
  scene.put("side", slider.node, menu.node);
  const time = createTime(scene,
    { last: () => 5, get: () => scene.state.t, put: (t) => scene.change({ t }) });
  return () => {
    set(sides, { d: polygon(scene.state.points.map(plane.screen)) });
    const { k, points } = scene.state;
    told(`area ${num((k * cut(points)) / 2)}`);
    for (const part of [plane, slider, menu, time]) part.draw();
  };
}

export default sceneOf(build);
