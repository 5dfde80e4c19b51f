"""Figures that a text moves: the role `{at}`, and figures that stay in view beside their text."""

import json

import pytest
from building import soup_of
from playwright.sync_api import expect
from visiting import DESKTOP, SMALL, comes, small_screens, visit

TOLD = "section:has(> .cell.tag_told)"
PHONE = SMALL["telephone"]


def test_words_know_what_to_show(build):
    text = "{at}`Row 3 <4>` and {at}`another <w=[-20, 2, 3]>`, {at}`a slider <threshold=3>`."
    page, warnings = build(f"# Told\n\n{text}\n", "told")
    assert warnings == ""
    buttons = soup_of(page).select("[data-at]")
    assert [one.text for one in buttons] == ["Row 3", "another", "a slider"]
    shown = [json.loads(one["data-at"]) for one in buttons]
    assert shown == [{"step": 4}, {"w": [-20, 2, 3]}, {"threshold": 3}]


@pytest.mark.parametrize("text", ["no step", "<3>", "words <w=2,3>", "words <three>"])
def test_a_slip_in_the_role_is_named(build, text):
    _, warnings = build(f"# Told\n\n{{at}}`{text}`\n", "told")
    assert f"at is '{text}'; expected words" in warnings


@pytest.fixture(params=[DESKTOP, PHONE], ids=["desktop", "phone"])
def by_hand(origin, tab, request):
    """The section of chapter 2 that follows a run by hand, on a page of its own."""
    page = tab(viewport=request.param, has_touch=request.param is PHONE)
    visit(page, f"{origin}/book/2-pla.html")
    section = page.locator(TOLD).first
    section.scroll_into_view_if_needed()
    section.locator("[data-state=live]").wait_for()
    return section


def read(words):
    """Scroll as a reader does who has just come to these words, and not yet to the next.

    She reads in the upper half of what the figure leaves of the screen, and keeps to her words
    while the figure, or what stands above, moves them.
    """
    words.evaluate(
        """async (w) => {
          const figure = w.closest("section:has(> .cell.tag_told)").querySelector(".cell.tag_told");
          for (let still = 0, k = 0; still < 3 && k < 100; k++) {
            const top = innerWidth < 1240 ? Math.max(0, figure.getBoundingClientRect().bottom) : 0;
            const off = w.getBoundingClientRect().top - (top + 0.38 * (innerHeight - top));
            still = Math.abs(off) < 1 ? still + 1 : 0;
            if (!still) scrollBy({ top: off, behavior: "instant" });
            await new Promise(requestAnimationFrame);
          }
        }"""
    )


def covered(words):
    """Whether something lies over words."""
    return words.evaluate(
        "w => { const { x, y } = w.getClientRects()[0];"
        " return !w.contains(document.elementFromPoint(x + 4, y + 8)); }"
    )


def test_words_that_are_reached_by_keys_are_not_behind_the_figure(by_hand):
    """Going back, too: WCAG 2.4.11."""
    words = by_hand.locator(".at[role]").all()
    for one in [*words, *reversed(words)]:
        one.focus()
        assert not covered(one)


def test_the_paragraph_that_is_read_moves_the_figure_beside_it(by_hand):
    for words in by_hand.locator(".at[role]").all():
        read(words)
        comes(by_hand, f"{json.loads(words.get_attribute('data-at'))['step']} of 8")
        expect(by_hand.locator("svg.plane")).to_be_in_viewport(ratio=0.95)
        expect(words).to_be_in_viewport()
        assert not covered(words)  # by the figure


def test_pressed_words_move_the_figure_and_stay_where_they_are(by_hand):
    first, *_, last = by_hand.locator(".at[role]").all()
    read(last)
    comes(by_hand, "8 of 8")
    words = by_hand.locator(".at[role]").nth(-2)
    words.focus()
    before = words.bounding_box()
    words.press("Enter")
    comes(by_hand, "7 of 8")
    assert abs(words.bounding_box()["y"] - before["y"]) < 2
    read(first)
    comes(by_hand, "0 of 8")


def test_samples_that_a_reader_has_moved_are_hers_until_she_puts_them_back(by_hand):
    read(by_hand.locator(".at[role]").first)
    comes(by_hand, "0 of 8")
    by_hand.get_by_role("option").first.focus()
    by_hand.page.keyboard.press("f")
    back = by_hand.get_by_role("button", name="Put back")
    expect(back).to_be_visible()
    read(by_hand.locator(".at[role]").nth(2))
    comes(by_hand, "0 of 4")  # the text speaks of other samples
    back.press("Enter")
    expect(back).to_be_hidden(timeout=3000)
    by_hand.locator(".at[role]").nth(1).press("Enter")
    comes(by_hand, "1 of 8")


@small_screens
def test_the_curves_of_a_told_proof_leave_room_for_its_text(origin, tab, size):
    page = tab(viewport=size, has_touch=size is PHONE)
    visit(page, f"{origin}/book/3-convergence.html")
    section = page.locator(TOLD).first
    section.scroll_into_view_if_needed()
    section.locator("[data-state=live]").wait_for()
    words = section.locator(".at[role]", has_text="t = 3")
    words.press("Enter")
    comes(section, "3 of 24")
    read(words)
    for curves in section.locator("svg.chart:visible").all():
        expect(curves).to_be_in_viewport(ratio=0.95)
    expect(section.locator("button.play")).to_be_in_viewport()
    expect(words).to_be_in_viewport()
