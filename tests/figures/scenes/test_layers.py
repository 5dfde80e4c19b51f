"""Chapter 9's figure: the page computes what Python does, and its reader can reach the goal."""

import numpy as np
import pytest
from asked import area, asking
from playwright.sync_api import expect
from strategies import some
from visiting import posed, press, rest, said

from perceptron_notes import error_count, separate
from perceptron_notes.convergence import Separator
from perceptron_notes.figures.scenes import Layers
from perceptron_notes.figures.scenes.layers import _line, _samples, _shown
from perceptron_notes.networks import hidden

ANSWERS = """{
  shown({ states }) {
    return states.map((state) => {
      const { hidden, output, scores, updates = null, halts = null, wrong } = js.shown(state);
      return [hidden.flat(), output, scores, updates, halts, wrong];
    });
  },
  pieces: ({ hidden, box }) => js.pieces(hidden, box),
}"""

script = asking(ANSWERS, "scenes/layers.js")


def random_state(rng):
    """Lines on the grid or anywhere, a few samples or a set of the figure, and some steps."""
    k, n = int(rng.integers(1, 5)), int(rng.integers(2, 9))
    state = posed(Layers(), chosen=str(rng.choice(["xor", "island", "moons"]))).state
    if rng.random() < 0.7:
        points = np.round(64 * rng.uniform(-0.6, 1.6, size=(n, 2))) / 64
        labels = rng.choice([-1, 1], size=n).tolist()
        state = {**state, "chosen": "own", "samples": {"own": {"points": points.tolist()}}}
        state["samples"]["own"]["labels"] = labels
    ends = np.round(64 * rng.uniform(-0.6, 1.6, size=(k, 2, 2))) / 64
    lines = [_line(*pair) for pair in ends.tolist()]
    if rng.random() < 0.5:
        lines = rng.normal(0, 3, size=(k, 3)).tolist()
    steps = int(rng.integers(0, 12))
    output, units = rng.choice(["learned", "and", "or"]), rng.choice(["sign", "tanh"])
    return {**state, "hidden": lines, "output": str(output), "units": str(units), "t": steps}


def close(found, wanted):
    np.testing.assert_allclose(found, np.ravel(wanted), rtol=1e-9, atol=1e-9)


def test_the_page_shows_what_python_computes(script):
    rng = np.random.default_rng(7)
    states = [random_state(rng) for _ in range(some(2000))]
    told = [
        answer
        for k in range(0, len(states), 250)
        for answer in script("shown", states=states[k:][:250])
    ]
    for state, (lines, output, scores, updates, halts, wrong) in zip(states, told, strict=True):
        now, y = _shown(state), _samples(state).y
        close(lines, now.network.layers[0])
        close(output, now.network.layers[1])
        close(scores, y * now.signed_scores)
        assert (updates, halts) == (now.updates, now.halts)
        sure = (np.abs(now.signed_scores) > 1e-9) | (state["units"] == "sign")
        assert (np.array(wrong) == ~(now.signed_scores > 0))[sure].all()


def test_the_pieces_fill_the_box_and_their_middles_have_their_codes(script):
    rng = np.random.default_rng(3)
    for _ in range(some(100)):
        lines = random_state(rng)["hidden"]
        found = script("pieces", hidden=lines, box=[-0.6, 1.6, -0.5, 1.5])
        assert sum(area(piece["around"]) for piece in found) == pytest.approx(2.2 * 2)
        for piece in found:
            if area(piece["around"]) > 1e-9:
                middle = np.mean(piece["around"], axis=0)
                signs = np.sign(np.array(lines) @ [1, *middle])
                assert signs.tolist() == piece["code"]
        assert len(found) <= 1 + len(lines) + len(lines) * (len(lines) - 1) // 2


def test_pla_has_updates_enough_to_be_sure():
    """On codes without 0 that a line separates, the bound is below the cap."""
    rng = np.random.default_rng(5)
    for _ in range(some(200)):
        state = {**random_state(rng), "units": "sign", "output": "learned"}
        now, data = _shown(state), _samples(state)
        codes = hidden(now.network, data)
        if codes.points.all():
            assert now.halts == isinstance(separate(codes), Separator)
        assert (now.halts is True) == (error_count(now.network.layers[1][0], codes) == 0)


# ------------------------------------------------------------------------------ in the page


def test_the_keyboard_reaches_the_goal(opened):
    page = opened(Layers())
    assert rest(page) == "1 of 4 wrong"
    assert Layers().alt.endswith("1 sample is wrong.")
    assert "Reached" not in said(page, ".prompt")
    # Both arrows are turned to the north-east: the lines x₁ + x₂ = 3/2 and 1/2.
    for i, key in ((1, "ArrowUp"), (3, "ArrowRight")):
        press(page, "Enter", *[key] * 4, "Enter", on=i)
    assert said(page, ".prompt").endswith("Reached: all 4 are right.")
    assert rest(page) == "0 of 4 wrong"
    page.keyboard.press("Control+z")
    assert "Reached" not in said(page, ".prompt")
    assert rest(page) == "1 of 4 wrong"


@pytest.mark.slow
def test_training_moves_the_lines_and_counts_its_steps(opened):
    begun = Layers()
    begun = posed(begun, units="tanh", **{k: v[:3] for k, v in begun.state["spare"].items()})
    page = opened(begun)
    before = said(page)
    page.locator(".st-time input").fill("200")
    assert "200 steps" in said(page) != before
    wanted = _shown({**begun.state, "t": 200})
    errors = int((~(wanted.signed_scores > 0)).sum())
    assert rest(page) == f"{errors} of 4 wrong"
    page.locator("select").nth(2).select_option("sign")
    expect(page.locator(".st-time input")).to_be_hidden()
