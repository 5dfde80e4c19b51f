"""The scene of chapter 8: its runs, zones and proofs are Python's, and its reader moves it."""

import numpy as np
import pytest
from asked import asking
from strategies import some
from visiting import drawn, press, rest, said, sample

from perceptron_notes import pla, separate
from perceptron_notes._kit.recipes import up_to
from perceptron_notes.convergence import Obstruction
from perceptron_notes.figures.scenes import Rivals
from perceptron_notes.multiclass import Classes, kesler, multi_pla, versus

ANSWERS = """{
  run: ({ points, labels, K, most }) => {
    const { W, picks, rivals, halted } = js.compete(points, labels, K, most);
    return { W: W.map((w) => [...w]), picks, rivals, halted };
  },
  apart: ({ points, labels, K, most }) =>
    js.apart(points, labels, K, most)
      .map(({ W, T, halted }) => ({ w: [...W.slice(-3)], T, halted })),
  why: ({ points, labels, K }) => js.obstruction(points, labels, K),
  zones: ({ w, K, box }) => js.zones(Float64Array.from(w), K, box),
  claims: ({ w, K, box }) => js.claims(Float64Array.from(w), K, box),
}"""

ask = asking(ANSWERS, "scenes/rivals.js")


def classes(seed, size=6, step=1.0):
    rng = np.random.default_rng(seed)
    n, K = int(rng.integers(2, 11)), int(rng.integers(2, 5))
    return Classes(rng.integers(-size, size + 1, (n, 2)) * step, rng.integers(K, size=n), range(K))


def as_json(data):
    return {"points": data.points.tolist(), "labels": data.y.tolist(), "K": data.K}


@pytest.mark.parametrize("step", [1.0, 0.25, 0.1])
def test_the_runs_are_pythons_on_thousands_of_states(ask, step):
    for seed in range(some(700)):
        data = classes(seed, step=step)
        told = ask("run", **as_json(data), most=40)
        steps = list(up_to(multi_pla(data), 40))
        assert told["W"] == [s.w.ravel().tolist() for s in steps]
        assert told["picks"] == [s.pick for s in steps][: len(told["picks"])]
        assert told["rivals"] == [s.rival for s in steps][: len(told["rivals"])]
        assert told["halted"] == (steps[-1].pick is None)
    for seed in range(some(200)):
        data = classes(seed, step=step)
        for k, one in enumerate(ask("apart", **as_json(data), most=40)):
            end = list(up_to(pla(versus(data, k)), 40))[-1]
            assert (one["w"], one["T"]) == (end.w.tolist(), end.t)
            assert one["halted"] == (end.pick is None)


@pytest.mark.parametrize("step", [1.0, 0.25])
def test_it_decides_separability_as_python_does(ask, step):
    found = 0
    for seed in range(some(300)):
        data = classes(seed, size=3 + seed % 3, step=step)
        why = ask("why", **as_json(data))
        answer = separate(kesler(data))
        assert bool(why) == isinstance(answer, Obstruction)
        if why:
            found += 1
            assert isinstance(separate(kesler(data[why])), Obstruction)  # these alone prove it
    assert some(300) > found > some(50)


def inside(corners, p):
    """Whether a point lies within a convex polygon that is more than a line."""
    corners = np.array(corners)
    x, y = corners.T
    if abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) < 1e-9:
        return False
    around = np.roll(corners, -1, axis=0) - corners
    to = p - corners
    turns = around[:, 0] * to[:, 1] - around[:, 1] * to[:, 0]
    return (turns >= -1e-9).all() or (turns <= 1e-9).all()


def test_zones_and_claims_hold_the_places_that_they_should(ask):
    box = [-5, 5, -4, 4]
    for seed in range(some(150)):
        rng = np.random.default_rng(seed)
        K = int(rng.integers(2, 5))
        W = rng.integers(-4, 5, (K, 3)).astype(float)
        zones = ask("zones", w=W.ravel().tolist(), K=K, box=box)
        claims = ask("claims", w=W.ravel().tolist(), K=K, box=box)
        for p in rng.uniform((-5, -4), (5, 4), (20, 2)):
            s = W @ [1, *p]
            order = np.sort(s)
            if order[-1] - order[-2] > 1e-6:
                held = [bool(zone) and inside(zone, p) for zone in zones]
                assert held == [k == s.argmax() for k in range(K)]
            if (abs(s) > 1e-6).all():
                here = [one["who"] for one in claims if inside(one["zone"], p)]
                assert here == [[k for k in range(K) if s[k] > 0]]


# ---------------------------------------------------------------------------- in a page


@pytest.fixture
def page(opened):
    return opened(Rivals())


def test_a_run_is_stepped_through_and_a_sample_dragged(page):
    assert said(page, ".numbers") == "Sample 1, of class A, is a mistake."
    assert "added to the row of A, and taken from that of B" in said(page)
    page.locator(".st-time input").fill("12")
    assert said(page, ".numbers") == "No mistake is left after 12 updates."
    assert (rest(page), said(page, "p.chip")) == ("no mistakes", "Linearly separable")
    press(page, "Enter", *["ArrowRight"] * 5, "ArrowUp", "Enter", on=4)
    assert said(page, "p.chip").startswith("Not linearly separable")
    assert "(4, 2)" in sample(page, 4).get_attribute("aria-label")
    page.keyboard.press("Control+z")
    assert said(page, "p.chip") == "Linearly separable"


def test_each_against_the_rest(page):
    page.locator("select").select_option("rest")
    assert "claimed by their own class alone" in said(page, ".numbers")
    assert "A against the rest: right on all after" in said(page)
    assert "B against the rest: not separable, so PLA never halts" in said(page)
    page.locator(".st-time input").fill("50")
    drawn(page)
    assert page.locator(".areas path").count() > 6


def test_no_class_is_told_by_its_colour_alone(opened):
    page = opened(Rivals(t=4))
    drawn(page)
    assert page.locator(".areas text").all_text_contents() == ["A", "B", "C"]
    legend = page.locator(".legend").inner_text()
    assert "bold: a mistake" in legend
    assert "to be corrected" in legend
    page.locator("select").select_option("rest")
    page.locator(".st-time input").fill("6")
    drawn(page)
    assert "A" in page.locator(".areas text").all_text_contents()


# ---------------------------------------------------------------------------- in Python


def test_what_it_cannot_show_is_refused():
    with pytest.raises(ValueError, match="expected d = 2"):
        Rivals(Classes([[1], [2]], "ab"))
    with pytest.raises(TypeError, match="expected a contest"):
        Rivals(versus(Classes([[1, 1], [2, 2]], "ab"), 0))
