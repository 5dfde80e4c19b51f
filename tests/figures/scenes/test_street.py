"""The street that is dragged: its script computes what chapter 7's module computes, to the bit."""

from math import isclose

import numpy as np
from asked import asking
from strategies import some
from visiting import at, press, rest, said

from perceptron_notes import Dataset, record
from perceptron_notes.figures.scenes import Street
from perceptron_notes.margins import LargestMargin, largest_margin, margin_pla

ANSWERS = """{
  street: ({ points, y }) => js.street(points, y),
  walk: ({ points, y, beta }) => js.walk(points, y, beta),
}"""

js = asking(ANSWERS, "scenes/street.js")


def states(count, seed):
    """Samples on the grid, crowded enough that they coincide, lie on lines, and often meet."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n, size = rng.integers(2, 9), rng.choice([4, 12, 24])
        points = rng.integers(-size, size + 1, size=(n, 2)) / 8
        labels = rng.choice([-1, 1], n)
        if rng.random() < 0.6:
            sides = points @ rng.integers(-2, 3, 2) + rng.integers(-4, 5) / 8
            labels = np.where(sides > 0, 1, -1)
        yield points, labels


def test_the_street_is_that_of_python_to_the_bit(js):
    met = apart = 0
    for points, labels in states(some(2000), seed=1):
        found = js("street", points=points.tolist(), y=labels.tolist())
        if abs(labels.sum()) == len(labels):
            assert found is None
            continue
        data = Dataset(points, labels)
        best = largest_margin(data)
        if not isinstance(best, LargestMargin):
            assert found is None
            met += 1
            continue
        apart += 1
        assert found["w"] == best.w.tolist()
        assert isclose(found["margin"], best.margin, rel_tol=1e-14)
        feet = np.array(found["feet"])
        assert isclose(np.linalg.norm(feet[0] - feet[1]), 2 * best.margin, rel_tol=1e-12)
        assert len(found["support"]) <= 3
    assert min(met, apart) > some(200)


def test_the_perceptron_walks_as_in_python(js):
    for k, (points, labels) in enumerate(states(some(600), seed=2)):
        beta = [0, 1, 2, 16, 64][k % 5]
        walked = js("walk", points=points.tolist(), y=labels.tolist(), beta=beta)
        trace = record(margin_pla(Dataset(points, labels), beta), at_most=2000)
        assert walked["picks"] == trace.picks.tolist()
        assert walked["ended"] == trace.converged
        assert walked["W"] == trace.W.tolist()


# ------------------------------------------------------------------------------- in a page


def test_dragging_turning_and_asking_for_more_change_what_is_said(opened):
    page = opened(Street())
    first = said(page)
    assert (
        "keeps 0.322 away from its nearest sample; the middle of the widest street, 1.04." in first
    )
    page.get_by_role("button", name="Back").click()
    assert said(page).startswith("The perceptron’s line is not yet right on all samples.")
    assert (at(page), rest(page)) == ("1 of 2", "2 mistakes")
    page.locator(".st-slide input").fill("4")
    assert "keeps 1.03 away" in said(page)
    assert (at(page), rest(page)) == ("8 of 8", "no mistakes")
    page.locator(".st-slide input").fill("0")
    assert said(page) == first
    press(page, "Enter", "ArrowLeft", "Enter", on=0)
    assert said(page) != first
    press(page, "ArrowRight", "ArrowRight", "f")
    assert said(page).startswith("The hulls meet")
    page.get_by_role("button", name="Undo").click()
    assert "the widest street" in said(page)
