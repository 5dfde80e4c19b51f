"""Every page of the site, visited once on a wide screen and once on a telephone."""

from types import SimpleNamespace

import pytest
from visiting import (
    BEGIN,
    CHAPTER,
    CHAPTERS,
    DESKTOP,
    PAGES,
    TELEPHONE,
    Heard,
    some_of,
    strange,
    unfold,
    violations,
    visit,
)

#: For `make test`, one of each kind.
KINDS = [
    *("book/index.html", CHAPTER, "book/10-scale.html", "book/assignments/ps2.html"),
    *("book/speed.html", "book/glossary.html", "book/api/learning.html", "book/bibliography.html"),
    *("search.html", "404.html"),
]


@pytest.fixture(scope="module", params=some_of(PAGES, *KINDS), ids=str)
def path(request):
    return request.param


@pytest.fixture(scope="module")
def wide(browser, origin, path):
    """The page on a wide screen, unfolded and read to its end."""
    page = browser.new_page(viewport=DESKTOP)
    heard = Heard(page, origin)
    visit(page, f"{origin}/{path}")
    unfold(page)
    page.evaluate(BEGIN)
    page.wait_for_load_state("networkidle")
    yield SimpleNamespace(page=page, heard=heard)
    page.close()


@pytest.fixture(scope="module")
def narrow(browser, origin, path):
    """The page on a telephone; `hasty` are figures that began far below the screen."""
    page = browser.new_page(viewport=TELEPHONE)
    visit(page, f"{origin}/{path}")
    hasty = page.evaluate(
        """() => [...document.querySelectorAll('.pn-figure')]
            .filter((e) => e.dataset.state && e.getBoundingClientRect().top > 3 * innerHeight)
            .length"""
    )
    page.evaluate(BEGIN)
    unfold(page)
    yield SimpleNamespace(page=page, hasty=hasty)
    page.close()


# On a wide screen --------------------------------------------------------------------------------


def test_the_browser_complains_of_nothing_and_asks_no_other_host(wide):
    assert wide.heard == []


def test_axe_finds_nothing(wide, axe):
    assert violations(wide.page, axe) == []


@pytest.mark.slow
def test_axe_finds_nothing_in_colours_of_the_readers_own(wide, axe):
    wide.page.emulate_media(color_scheme="dark", forced_colors="active")
    assert violations(wide.page, axe) == []
    wide.page.emulate_media(color_scheme="light", forced_colors="none")


def test_formulas_have_all_their_letters(wide):
    wide.page.evaluate("document.fonts.ready")
    assert strange(wide.page, "article .katex-html", "NotesMath") == []


# On a telephone ----------------------------------------------------------------------------------


def test_a_figure_far_below_the_screen_waits_and_begins_in_time(narrow):
    assert not narrow.hasty
    waiting = narrow.page.locator(".pn-figure:not([data-state=live])")
    assert waiting.count() == 0


def widest(page, *widths):
    """By how much a page is too wide, at the worst of some widths of a screen."""
    page.wait_for_load_state("networkidle")
    over = []
    for width in widths:
        page.set_viewport_size({**TELEPHONE, "width": width})
        over.append(page.evaluate("document.scrollingElement.scrollWidth") - width)
    page.set_viewport_size(TELEPHONE)
    return max(over)


def test_no_page_scrolls_sideways(narrow):
    """At 390 pixels, and at 320: a page enlarged four times (WCAG 1.4.10)."""
    assert widest(narrow.page, 320, 390) <= 0


@pytest.mark.slow
def test_no_page_scrolls_sideways_whatever_the_width_and_the_letters(narrow):
    assert widest(narrow.page, 360, 372, 396, 412, 430) <= 0
    session = narrow.page.context.new_cdp_session(narrow.page)
    for size in (20, 16):
        session.send(
            "Page.setFontSizes", {"fontSizes": {"standard": size, "fixed": size * 13 // 16}}
        )
        root = "getComputedStyle(document.documentElement).fontSize"
        assert narrow.page.evaluate(root) == f"{size}px"
        if size > 16:
            assert widest(narrow.page, 360, 372, 390, 396, 412, 430) <= 0


def test_wide_things_scroll_within_themselves(narrow):
    lost = """() => [...document.querySelectorAll('article :is(pre, table, .katex-display, svg)')]
        .filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
        .filter((e) => !e.closest('pre, .math-scroll, .pst-scrollable-table-container, .pn-scroll'))
        .map((e) => e.outerHTML.slice(0, 80))"""
    assert narrow.page.evaluate(lost) == []


def test_what_scrolls_by_itself_can_be_reached_by_keys(narrow, path):
    boxes = "[...document.querySelectorAll('article :is(pre, .output)')]"
    wide = f"{boxes}.filter((e) => e.scrollWidth > e.clientWidth)"
    assert narrow.page.evaluate(f"{wide}.length > 0") or path not in CHAPTERS
    narrow.page.wait_for_function(f"{wide}.every((e) => e.tabIndex === 0)")


@pytest.mark.slow
def test_axe_finds_nothing_on_a_telephone_by_night(narrow, axe):
    narrow.page.emulate_media(color_scheme="dark")
    assert violations(narrow.page, axe) == []
