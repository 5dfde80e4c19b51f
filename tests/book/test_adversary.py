"""The game against the adversary: its script computes what the chapter's module computes."""

import numpy as np
import pytest
from asked import Script
from strategies import some
from visiting import some_of

from perceptron_notes.figures.scenes import Adversary
from perceptron_notes.figures.scenes.adversary import _SAMPLES, _game
from perceptron_notes.online import pla_learner, play

ANSWERS = """{
  samples: () => js.SAMPLES,
  reveal: ({ answers }) => ({ ...js.reveal(answers), labels: js.labels(answers) }),
  next: ({ answers, who }) => js.LEARNERS[who](answers),
}"""


def commonest(seen, x):
    return -1 if seen is not None and seen.y.sum() < 0 else 1


def before(seen, x):
    return 1 if seen is None else seen.y[-1]


def wait_for(page, rounds):
    """Wait until so many rounds are shown as played."""
    count = "document.querySelectorAll('.rounds li:not([aria-hidden])').length"
    page.wait_for_function(f"{count} === {rounds}")


LEARNERS = {"pla": pla_learner, "commonest": commonest, "before": before}


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    script = Script(tmp_path_factory.mktemp("adversary"), ["scenes/adversary.js"], ANSWERS)
    yield script
    script.close()


def test_the_samples_are_the_rows_of_tight(asked):
    assert asked("samples") == _SAMPLES.astype(int).tolist()


def test_thousands_of_games_come_out_as_in_python(asked):
    rng = np.random.default_rng(6)
    for _ in range(some(2000)):
        answers = rng.choice([-1, 0, 1], rng.integers(1, 17), p=[0.45, 0.1, 0.45]).tolist()
        found, played = asked("reveal", answers=answers), _game(answers)
        certificate = played.certificate
        assert found["labels"] == played.data.y.tolist()
        assert found["u"] == [int(v) for v in played.u]
        assert found["margins"] == (played.data.y * (played.data.X @ np.array(found["u"]))).tolist()
        assert (found["m"], found["R2"]) == (certificate.m, certificate.R2)
        assert found["bound"] == certificate.bound == len(answers) == len(played.mistakes)


@pytest.mark.parametrize("who", LEARNERS)
def test_learners_answer_as_in_python(asked, who):
    rng = np.random.default_rng(6)
    for _ in range(some(200)):
        answers = rng.choice([-1, 0, 1], rng.integers(0, 16), p=[0.45, 0.1, 0.45]).tolist()
        learner = LEARNERS[who]
        seen = _game(answers).data if answers else None
        assert asked("next", answers=answers, who=who) == learner(seen, _SAMPLES[len(answers)])


@pytest.mark.parametrize("who", some_of(LEARNERS, "pla"))
def test_a_learner_that_plays_alone_plays_the_game_of_python(opened, who):
    page = opened(Adversary())
    page.locator("select").select_option(who)
    for _ in range(16):
        page.get_by_role("button", name="Its answer", exact=True).click()
    wait_for(page, 16)
    lines = page.locator(".rounds li span").all_inner_texts()
    played = play(LEARNERS[who], _SAMPLES)
    signs = {1: "+", -1: "−", 0: "0"}
    pairs = zip(played.answers.tolist(), played.data.y.tolist(), strict=True)
    said = (f"answer {signs[a]} label {signs[y]}" for a, y in pairs)
    assert " ".join(lines) == " ".join(said)
    assert page.locator(".prompt").inner_text() == "All 16 rounds are played."
    assert page.get_by_role("button", name="It is +").is_disabled()


def test_the_reader_plays_is_wrong_and_sees_why(opened):
    page = opened(Adversary())
    for name in ("It is +", "It is −", "It is −"):
        page.get_by_role("button", name=name).click()
    told = "Mistakes: 3 in 3 rounds\nNovikoff’s bound for these rounds: 3"
    wait_for(page, 3)
    assert page.locator(".status").inner_text().split("\n") == told.split("\n")
    assert page.locator(".rounds li span").all_inner_texts()[:4] == [
        "answer +",
        "label −",
        "answer −",
        "label +",
    ]
    page.get_by_role("button", name="Show u").click()
    page.wait_for_selector(".met")
    assert page.locator(".met").all_inner_texts() == ["y u·x = 16"] * 3
    assert (
        "R²\u00a0=\u00a016, ‖u‖²\u00a0=\u00a048, ρ²\u00a0=\u00a016²/48."
        in page.locator(".words").inner_text()
    )
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    wait_for(page, 2)
    assert page.locator(".met").count() == 0


def test_the_focus_goes_on_when_all_rounds_are_played(opened):
    page = opened(Adversary())
    page.get_by_role("button", name="It is +").focus()
    for _ in range(16):
        page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.textContent === 'Show u'")
    page.keyboard.press("Control+z")
    wait_for(page, 15)


def test_the_still_picture_and_the_words_are_about_the_game():
    assert Adversary().alt == "No round was played yet."
    assert Adversary([1]).alt == "1 round, 1 mistake; R²/ρ² = 1."
    assert Adversary([1, 0, -1]).alt == "3 rounds, 3 mistakes; R²/ρ² = 3."
    assert Adversary([1, 0, -1]).still().startswith(b"\x89PNG")
