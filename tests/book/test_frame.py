"""The frame of a page: sidebars, menus, contents, light and dark."""

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


def test_a_skip_link_leads_to_the_text_at_once(origin, page):
    visit(page, f"{origin}/{CHAPTER}")
    link = page.locator(".skip-link a")
    assert link.bounding_box()["y"] < 0
    page.keyboard.press("Tab")
    expect(link).to_be_focused()
    page.wait_for_function(
        "link => link.getBoundingClientRect().top >= 0", arg=link.element_handle()
    )
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('article').contains(document.activeElement)")


def test_the_name_of_the_book_and_the_search_never_leave(origin, page):
    sidebar = page.locator("#pst-primary-sidebar")
    for path in (GLOSSARY, "book/2-pla.html"):
        visit(page, f"{origin}/{path}")
        expect(sidebar.get_by_text("The Perceptron, Executable")).to_be_in_viewport()
        expect(sidebar.get_by_text("Search", exact=True)).to_be_in_viewport()
    visit(page, f"{origin}/book/2-pla.html#exercises")
    exercises = page.locator("#page-toc a[href='#exercises']")
    expect(exercises).to_have_attribute("aria-current", "true")


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
