"""The frame of a page: sidebars, menus, contents, light and dark."""

import pytest
from playwright.sync_api import expect
from visiting import CHAPTER, DESKTOP, TELEPHONE, visit

GLOSSARY = "book/glossary.html"


def test_a_telephone_shows_the_contents_over_the_page(origin, page):
    page.set_viewport_size(TELEPHONE)
    visit(page, f"{origin}/{CHAPTER}")
    button, links = page.locator(".primary-toggle"), page.locator("#pst-primary-sidebar a")
    dialog, count = page.locator("#pst-primary-sidebar-modal"), links.count()
    assert count > 10
    button.click()
    expect(dialog).to_be_visible()
    assert dialog.locator("a").count() == count
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(button).to_be_focused()
    assert links.count() == count
    button.click()
    page.mouse.click(380, 400)  # beside it
    expect(dialog).to_be_hidden()
    button.click()
    dialog.locator(".page-toc .toc-h2 > a").nth(2).click()  # a place on this page
    expect(dialog).to_be_hidden()


def test_a_wide_screen_hides_the_contents_of_the_book(origin, page):
    visit(page, f"{origin}/{GLOSSARY}")
    for visible in (False, True):
        page.locator(".primary-toggle").click()
        expect(page.locator("#pst-primary-sidebar")).to_be_visible(visible=visible)


def test_the_mode_is_kept_from_page_to_page(origin, page):
    visit(page, f"{origin}/{GLOSSARY}")
    root = page.locator("html")
    for mode, theme in (("dark", "dark"), ("light", "light"), ("auto", "light"), ("dark", "dark")):
        page.locator(".theme-switch-button").click()
        expect(root).to_have_attribute("data-mode", mode)
        expect(root).to_have_attribute("data-theme", theme)
    visit(page, f"{origin}/book/bibliography.html")
    expect(root).to_have_attribute("data-theme", "dark")


def test_the_contents_mark_what_is_read_after_jumps_in_both_directions(origin, page):
    visit(page, f"{origin}/{CHAPTER}")
    right = """() => {
        const above = [...document.querySelectorAll("article section :is(h2, h3)")]
            .filter((one) => one.getBoundingClientRect().top < innerHeight * 0.3).at(-1);
        const marked = document.querySelector("#page-toc a.active");
        return marked?.hash === (above && `#${above.closest("section").id}`);
    }"""
    page.mouse.move(700, 500)
    for turn in [5000] * 3 + [-3400] * 2:
        before = page.evaluate("scrollY")
        page.mouse.wheel(0, turn)
        page.wait_for_function("(before) => scrollY !== before", arg=before)
        page.wait_for_function(right)
    link = page.locator("#page-toc .toc-h2 > a").nth(3)
    link.click()
    expect(link).to_have_attribute("aria-current", "true")
    expect(page.locator("#page-toc a.active")).to_have_count(1)


#: Where the focus is: in the text, in the contents of the book, or before both.
FOCUS = """() => {
    const inside = (place) => document.querySelector(place).contains(document.activeElement);
    return inside("article") ? "text" : inside("#pst-primary-sidebar nav") ? "contents" : "";
}"""


@pytest.mark.parametrize("screen", [DESKTOP, TELEPHONE], ids=["wide", "narrow"])
def test_by_keys_the_text_is_near(origin, page, screen):
    page.set_viewport_size(screen)
    visit(page, f"{origin}/{CHAPTER}")
    stops = 0
    while page.evaluate(FOCUS) != "text":
        page.keyboard.press("Tab")
        stops += 1
        assert stops <= 12


@pytest.mark.parametrize("place", ["text", "contents"])
def test_a_skip_link_leads_there_at_once(origin, page, place):
    visit(page, f"{origin}/{CHAPTER}")
    link = page.locator(".skip-link a", has_text=place)
    assert link.bounding_box()["y"] < 0
    page.keyboard.press("Tab")
    if place == "contents":
        page.keyboard.press("Tab")
    expect(link).to_be_focused()
    page.wait_for_function(
        "link => link.getBoundingClientRect().top >= 0", arg=link.element_handle()
    )
    page.keyboard.press("Enter")
    for _ in range(3):  # the book's name and the search stand above its contents
        page.keyboard.press("Tab")
    assert page.evaluate(FOCUS) == place


def test_the_next_chapter_is_near_in_the_contents(origin, page):
    """Sections common to all chapters are folded; the book's name and the search never leave."""
    sidebar = page.locator("#pst-primary-sidebar")
    for path in (GLOSSARY, "book/2-pla.html"):
        visit(page, f"{origin}/{path}")
        expect(sidebar.get_by_text("The Perceptron, Executable")).to_be_in_viewport()
        expect(sidebar.get_by_text("Search", exact=True)).to_be_in_viewport()
    following = sidebar.get_by_role("link", name="3. Convergence").bounding_box()
    assert following["y"] < DESKTOP["height"] - 200
    ending = page.locator("#page-toc a[href='#exercises']")
    expect(ending).to_be_hidden()
    visit(page, f"{origin}/book/2-pla.html#exercises")
    expect(ending).to_be_visible()
    expect(ending).to_have_attribute("aria-current", "true")


def test_a_menu_opens_and_closes(origin, page):
    visit(page, f"{origin}/{CHAPTER}")
    menu = page.locator(".dropdown-download-buttons .dropdown-menu")
    button = page.locator(".dropdown-download-buttons > button")
    for screen in (DESKTOP, TELEPHONE):
        page.set_viewport_size(screen)
        button.click()
        expect(menu).to_be_visible()
        assert page.locator(".dropdown-download-buttons a[href$='4-pocket.ipynb']").is_visible()
        assert menu.bounding_box()["x"] >= 0
        names = menu.locator(".btn__text-container").all_inner_texts()
        assert names  # in words: a bare suffix is obscure to some
        assert not [name for name in names if name.startswith(".")]
        page.mouse.click(8, 200)  # beside it
        expect(menu).to_be_hidden()


def test_a_page_works_where_storage_is_refused(origin, tab):
    page, heard = tab(), []
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.set_content(
        f'<iframe sandbox="allow-scripts" width=800 height=600 src="{origin}/{CHAPTER}"></iframe>'
    )
    frame = page.frame_locator("iframe")
    frame.locator(".search-button__button:visible").first.click()
    expect(frame.locator("#pst-search-dialog")).to_be_visible()
    page.keyboard.press("Escape")
    for theme in ("dark", "light"):  # the choice lasts as long as the page
        frame.locator(".theme-switch-button").click()
        expect(frame.locator("html")).to_have_attribute("data-theme", theme)
    assert not heard
