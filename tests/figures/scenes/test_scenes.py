"""Features of all scenes, tested on one made for the purpose; and requirements on each."""

import csv
import json
from pathlib import Path

import pytest
from notes_site import explorers
from playwright.sync_api import expect
from visiting import comes, drawn, middle, posed, press, pull, said, sample

from perceptron_notes.datasets import li_hang
from perceptron_notes.figures import scenes
from perceptron_notes.figures._living import module
from perceptron_notes.figures.explorer import Explorer
from perceptron_notes.figures.scenes import Adversary, Rivals, Street, Workers
from perceptron_notes.figures.scenes.scene import Scene


class Toy(Scene):
    """A triangle."""

    name = "toy"
    _esm = module(Path(__file__).with_name("toy.js"))

    def __init__(self, k=1):
        state = {"points": [[0, 0], [2, 0], [0, 2]], "k": k, "chosen": "a", "t": 0}
        super().__init__(state, "A triangle.")

    def draw(self, figure):
        figure.subplots().plot([0, 1], [0, 1])


@pytest.fixture(scope="module")
def figures_folder(figures_folder):
    """A folder with what runs figures in a page, the toy among them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(explorers, "kinds", lambda: {"toy": Toy})
        (figures_folder / "toy.js").write_text(explorers.runtime()["toy.js"], "utf-8")
    return figures_folder


@pytest.fixture
def page(opened):
    return opened(Toy())


def test_a_handle_is_dragged_and_undone(page):
    assert said(page) == "area 2"
    unit = sample(page, 1).evaluate("(e) => e.ownerSVGElement.getBoundingClientRect().width") / 10
    pull(page, middle(sample(page, 1)), unit, 0, steps=4)
    assert float(said(page).removeprefix("area ")) > 2
    page.get_by_role("button", name="Undo").click()
    assert said(page) == "area 2"


def test_the_keyboard_moves_a_handle_and_puts_it_back(page):
    press(page, "ArrowRight", on=0)
    assert sample(page, 1).evaluate("(e) => e === document.activeElement")
    press(page, "Enter", "ArrowRight")
    assert said(page) == "area 2.5"
    press(page, "Escape")
    assert said(page) == "area 2"
    press(page, "Enter", "Shift+ArrowUp", "Enter")
    assert "(2, 0.125)" in sample(page, 1).get_attribute("aria-label")
    press(page, "Control+z")
    assert "(2, 0)" in sample(page, 1).get_attribute("aria-label")


def test_sliders_menus_and_time_change_the_state(page):
    page.locator(".st-side input[type=range]").fill("3")
    assert said(page) == "area 6"
    page.locator("select").select_option("b")
    page.get_by_role("button", name="Step").click()
    comes(page, "1 of 5")
    page.get_by_role("button", name="Play").click()
    comes(page, "5 of 5")
    expect(page.locator(".play")).to_have_text("Play")
    assert page.get_by_role("button", name="Step").is_disabled()
    page.get_by_role("button", name="Reset").click()
    assert said(page) == "area 2"
    comes(page, "0 of 5")
    assert page.locator("select").input_value() == "a"


def test_an_explorer_and_a_scene_share_a_page(opened):
    page = opened(Explorer(li_hang()), Toy(k=4))
    toy = page.locator("[data-kind=toy]")
    toy.locator(".words span").wait_for()
    assert said(toy) == "area 8"
    comes(page.locator("[data-kind=explorer]"), "0 of 7")


def test_python_may_change_the_state():
    toy = Toy()
    toy.state = {**toy.state, "k": 2}
    assert toy.get_state()["state"]["k"] == 2
    assert repr(toy) == "Toy(A triangle.)"


# ------------------------------------------------------------------- the scenes of the book


def read(name):
    return Path(scenes.__file__).with_name(name).read_text("utf-8")


MADE = [getattr(scenes, name) for name in scenes.__all__ if name != "Scene"]
ALL = [Toy, *MADE]


#: Each scene as it begins, and moments at which it shows what it does not show then.
MOMENTS = {scene.name: scene for scene in ALL} | {
    "before the first pass": lambda: posed(Workers(), t=0),
    "averaged once": lambda: posed(Workers(), by="once", t=2),
    "some rounds": lambda: posed(Adversary(), answers=[1, 0, -1]),
    "a rule": lambda: posed(Adversary(), answers=[1, -1, 1, 1, -1, -1], shown=True),
    "all rounds": lambda: posed(Adversary(), answers=[1] * 16),
}


@pytest.mark.parametrize("make", MOMENTS.values(), ids=MOMENTS)
def test_a_scene_has_a_picture_for_paper_and_says_what_it_shows(make):
    made = make()
    assert made.alt.endswith(".")
    assert made.still().startswith(b"\x89PNG")
    assert json.loads(json.dumps(made.state)) == made.state


def test_every_word_is_in_the_table_and_every_row_is_used():
    rows = list(csv.DictReader(read("words.csv").splitlines()))
    assert all(all(row.values()) for row in rows)
    keys = [(row["scene"], row["key"]) for row in rows]
    assert len(keys) == len(set(keys))
    known = {"all": " ".join(kind._esm for kind in ALL)}
    known |= {kind.name: kind._esm for kind in MADE}
    for row in rows:
        assert row["scene"] in known, row
        named = row["key"] == f"{row['scene']}_label" or row["key"] in known[row["scene"]]
        assert named or row["key"].rpartition("_")[0] + "_${" in known[row["scene"]], row


# ------------------------------------------------------------- what a press changes, and a drag

PRESSED = [(Street, "F flips"), (Rivals, "F gives"), (Workers, "F gives")]


@pytest.fixture(params=PRESSED, ids=lambda one: one[0].name)
def pressed(request, opened):
    """A page with a scene in which a press changes a sample."""
    return opened(request.param[0]()), request.param[1]


def first(page):
    """Return the class of the first sample, and its position."""
    drawn(page)
    return sample(page, 0).get_attribute("aria-label").rsplit(" at ", 1)


def test_a_drag_only_moves_and_a_press_only_changes(pressed):
    page, _ = pressed
    kind, place = first(page)
    pull(page, middle(sample(page, 0)), 30, 20, steps=5)
    assert first(page)[0] == kind
    assert first(page)[1] != place
    undo = page.get_by_role("button", name="Undo")
    undo.click()
    assert first(page) == [kind, place]
    expect(undo).to_be_hidden()
    sample(page, 0).click()
    assert first(page)[0] != kind
    assert first(page)[1] == place


def test_tab_reaches_a_sample_and_the_help_names_every_key(pressed):
    page, sentence = pressed
    before = page.locator(".st-ask :is(select, input)")
    if before.count():
        before.last.focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "option"
    assert sentence in page.locator(".keys").inner_text()
    assert page.locator(".plane > .ring").is_visible()


def test_a_focus_stays_on_a_button_that_does_nothing_now(page):
    page.locator(".st-side input[type=range]").fill("3")
    drawn(page)  # until then there is nothing to undo
    page.get_by_role("button", name="Undo").press("Enter")
    drawn(page)
    assert page.evaluate("document.activeElement.className") == "pn-stage"
