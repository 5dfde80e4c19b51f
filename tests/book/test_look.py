"""The look of the site: its typefaces, its first page."""

import pytest
from playwright.sync_api import expect
from visiting import CHAPTER, CHAPTERS, DESKTOP, come_to, strange, visit

FIRST = "book/index.html"


@pytest.fixture(scope="module")
def chapter(browser, origin):
    """A chapter on a wide screen, as it is opened."""
    page = browser.new_page(viewport=DESKTOP)
    visit(page, f"{origin}/{CHAPTER}")
    yield page
    page.close()


# Typefaces --------------------------------------------------------------------------------------

FACES = {
    "article section > p:not(:has(code), .curious)": "Notes Serif",
    "article h1": "Notes Serif",
    "article figcaption p": "Notes Sans",
    "#pst-primary-sidebar .page-toc a": "Notes Sans",
    "article .cell_input pre": "Notes Code",
}


def test_each_part_is_set_in_its_typeface(chapter):
    """Each letter of it: the files hold only the characters that occur."""
    for part, family in FACES.items():
        assert strange(chapter, part, family, "NotesMath") == [], part


# The first page ---------------------------------------------------------------------------------


def test_the_first_screen_plays_a_run(origin, page):
    visit(page, f"{origin}/{FIRST}")
    for part in ("svg.plane", ".play"):
        expect(page.locator(f".pn-figure {part}")).to_be_in_viewport(ratio=1)
    step = "Number(document.querySelector('.pn-figure .st-time input').value)"
    before = page.evaluate(step)
    page.wait_for_function(f"{step} > {before}")


def test_the_first_page_leads_on(origin, page):
    visit(page, f"{origin}/{FIRST}")
    assert not page.locator("#pst-primary-sidebar").is_visible()
    cards = page.locator(".chapter-cards a")
    assert cards.count() == len(CHAPTERS)
    for card in cards.all():
        assert "?" in card.inner_text()
    page.get_by_role("link", name="Start reading").click()
    page.wait_for_url("**/twenty-minutes.html")


# Previews ---------------------------------------------------------------------------------------


def test_a_link_shows_what_it_leads_to(origin, page):
    visit(page, f"{origin}/book/3-convergence.html")
    link = page.locator("article a.internal[href^='#thm-']").first
    name = link.inner_text()
    come_to(link).hover()
    preview = page.locator(".preview")
    preview.wait_for()
    assert name.split() == preview.inner_text().split()[:2]  # in the text, an unbroken space
    page.keyboard.press("Escape")
    expect(preview).to_have_count(0)
    come_to(page.locator("article a.internal[href*='bibliography.html#']").first).hover()
    preview.wait_for()  # which stands on another page
    assert preview.locator(".citation").count() == 1
    assert not preview.locator("[id]").count()


def test_a_figure_of_another_page_brings_its_letters(origin, page):
    visit(page, f"{origin}/book/sources.html")
    come_to(page.locator("article a[href*='#fig-dual-margins']").first).hover()
    page.locator(".preview svg.figure").wait_for()
    sizes = page.evaluate(
        """() => [...document.querySelectorAll('.preview use')]
            .map((use) => use.getBoundingClientRect()).map(({ width, height }) => width + height)"""
    )
    assert len(sizes) > 20
    assert all(sizes)
