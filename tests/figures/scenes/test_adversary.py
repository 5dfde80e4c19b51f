"""The game against the adversary: its script computes what the chapter's module computes."""

import numpy as np
from asked import asking
from strategies import some
from visiting import posed

from perceptron_notes.figures.scenes import Adversary
from perceptron_notes.figures.scenes.adversary import _SAMPLES, _game
from perceptron_notes.online import pla_learner, play

ANSWERS = """{
  samples: () => js.SAMPLES,
  reveal: ({ answers }) => ({ ...js.reveal(answers), labels: js.labels(answers) }),
  pla: ({ answers }) => js.plaAnswers(answers),
}"""

asked = asking(ANSWERS, "scenes/adversary.js")


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
        assert found["scores"] == (played.data.y * (played.data.X @ np.array(found["u"]))).tolist()
        assert (found["m"], found["R2"]) == (certificate.m, certificate.R2)
        assert found["bound"] == certificate.bound == len(answers) == len(played.mistakes)


def test_pla_answers_as_in_python(asked):
    rng = np.random.default_rng(6)
    for _ in range(some(500)):
        answers = rng.choice([-1, 0, 1], rng.integers(0, 16), p=[0.45, 0.1, 0.45]).tolist()
        seen = _game(answers).data if answers else None
        assert asked("pla", answers=answers) == pla_learner(seen, _SAMPLES[len(answers)])


# ---------------------------------------------------------------------------- in a page


def wait_for(page, rounds):
    """Wait until this many rounds are shown as played."""
    page.wait_for_function(f"document.querySelectorAll('.rounds .played').length === {rounds}")


def wait_for_the_rule(page):
    """Wait until the rule is shown, beside the labels that it gives; and read them."""
    page.wait_for_selector(".rounds .met")
    return page.locator(".rounds .met span").all_inner_texts()


def labels(page):
    return page.locator(".rounds .played span").all_inner_texts()


def counts(page):
    return page.locator(".score b").all_inner_texts()


def key(page, name):
    return page.get_by_role("button", name=f"It is {name}", exact=True)


def test_a_game_by_mouse_ends_with_a_rule_that_agrees_with_all_labels(opened):
    page = opened(Adversary())
    answers = [1, -1, -1, 1, 1, -1, 1, -1, -1, -1, 1, 1, -1, 1, -1, 1]
    for t, answer in enumerate(answers, start=1):
        key(page, "+" if answer > 0 else "−").click()
        wait_for(page, t)
        assert counts(page) == ["0", f"{t}"]
    game = _game(answers)
    scores = [f"{s} ✓".replace("-", "−") for s in (game.data.y * 16).tolist()]
    assert wait_for_the_rule(page) == scores
    rule = [f"{int(v)}".replace("-", "−") for v in game.u]
    assert page.locator(".asked text").all_text_contents() == rule
    assert key(page, "+").is_disabled()
    page.get_by_role("button", name="Play again").click()
    wait_for(page, 0)
    assert key(page, "+").is_enabled()
    page.get_by_role("button", name="Undo").click()
    assert wait_for_the_rule(page) == scores


def test_a_game_by_keyboard_alone(opened):
    page = opened(Adversary())
    page.keyboard.press("+")  # a page's keys are not the figure's
    page.keyboard.press("Tab")
    wait_for(page, 0)
    for t in range(16):
        page.keyboard.press("-" if t % 3 else "+")
    wait_for(page, 16)
    assert len(wait_for_the_rule(page)) == 16
    assert page.evaluate("document.activeElement.closest('.pn-stage') !== null")
    page.keyboard.press("Control+z")
    wait_for(page, 15)
    page.keyboard.press("Control+-")  # which is the browser's
    page.keyboard.press("+")
    wait_for(page, 16)


def test_the_rule_is_shown_on_the_way_and_the_game_goes_on(opened):
    page = opened(Adversary())
    assert page.get_by_role("button", name="Show the rule").is_disabled()
    for name in "+−−":
        key(page, name).click()
    wait_for(page, 3)
    assert labels(page) == ["−", "+", "+"]
    page.get_by_role("button", name="Show the rule").click()
    assert wait_for_the_rule(page) == ["−16 ✓", "16 ✓", "16 ✓"]
    assert key(page, "+").is_disabled()
    page.get_by_role("button", name="Play on").click()
    key(page, "+").click()
    wait_for(page, 4)
    assert page.locator(".met").count() == 0


def test_pla_plays_the_rest_and_can_be_stopped(opened):
    page = opened(posed(Adversary(), answers=[1, 1]), clock=True)
    pla = page.get_by_role("button", name="Let PLA answer")
    pla.click()
    page.clock.run_for(2500)
    pla.click()
    page.clock.run_for(200)
    played = page.locator(".rounds .played").count()
    assert 2 < played < 16
    page.clock.run_for(5000)
    assert page.locator(".rounds .played").count() == played
    pla.click()
    page.clock.run_for(20_000)
    game = play(pla_learner, _SAMPLES[2:])
    scores = ["−16 ✓"] * 2 + [f"{s} ✓" for s in (game.data.y * 16).tolist()]
    assert page.locator(".rounds .met span").all_inner_texts() == scores


def test_nothing_moves_for_who_wants_it_still(opened):
    page = opened(Adversary(), reduced_motion="reduce")
    key(page, "+").click()
    page.wait_for_selector(".stamp:not([hidden])")
    assert page.evaluate("document.getAnimations().length") == 0
