"""The site for those who meet it otherwise: by ear, without scripts, in their own colours."""

import re
from collections import Counter

import pytest
import web
from test_site import OPEN_ALL, READ_ALL
from visiting import TELEPHONE, come_to, lay_out, visit

QUIZ = "details.quiz-option"


@pytest.fixture(scope="module")
def paths(site):
    """Every page but the redirect and the one for lost readers."""
    found = [file.relative_to(site).as_posix() for file in sorted(site.glob("book/**/*.html"))]
    return [*found, "search.html"]


def contrast(one, other):
    """The ratio of two colours' luminances, as WCAG defines it."""

    def luminance(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        light = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


# By ear -----------------------------------------------------------------------------------------

#: What the accessibility tree must hold of a page: formulas, and paragraphs that are not the whole
#: of an item or of a cell, nor a small heading, of which Chromium tells but the words.
WRITTEN = """() => {
    const apart = 'details:not([open]), [aria-hidden], noscript, .pn-figure, dialog';
    const shown = (e) => !e.closest(apart) && e.checkVisibility();
    const count = (what) => [...document.querySelectorAll(`article ${what}`)].filter(shown).length;
    const part = '.rubric, :is(li, td, th) > p, summary p';
    return { paragraph: count(`p:not(${part})`), math: count('math') };
}"""


def test_a_screen_reader_gets_every_paragraph_and_formula(paths, origin, browser):
    """Also of what is laid out late, with Chromium's accessibility on as a screen reader has it."""
    flags = [*web.FLAGS, "--force-renderer-accessibility"]
    chromium = browser.browser_type.launch(executable_path=web.find(), args=flags)
    page = chromium.new_page()
    session = page.context.new_cdp_session(page)
    for path in paths:
        visit(page, f"{origin}/{path}")
        written = page.evaluate(WRITTEN)
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
        nodes = [one for one in nodes if not one["ignored"]]
        roles = [one["role"]["value"] for one in nodes]
        for role, count in written.items():
            heard = sum(one.lower() in (role, f"mathml{role}") for one in roles)
            assert heard >= count, f"{path}: {heard} of {count} {role}s"
        small = page.locator("article p.rubric").all_text_contents()
        words = Counter(one.get("name", {}).get("value", "").strip() for one in nodes)
        assert not Counter(map(str.strip, small)) - words, path
    chromium.close()


# Without scripts --------------------------------------------------------------------------------

COLOURS = """() => {
    const style = (what) => getComputedStyle(document.querySelector(what));
    return {
        paper: style('body').backgroundColor,
        header: style('.bd-header-article').backgroundColor,
        text: style('article p').color,
        link: style('article a.internal').color,
        title: style('article h1').fontFamily,
        code: style('article .highlight').backgroundColor,
        keyword: style('article .highlight :is(.k, .kn, .nn, .c1)').color,
    };
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_need_no_script(origin, tab, scheme):
    seen = []
    for scripts in (True, False):
        page = tab(color_scheme=scheme)
        if not scripts:  # what a browser does without them; the test needs its own
            page.route("**/*.js*", lambda route: route.abort())
            page.add_init_script(
                "new MutationObserver(() => { document.documentElement.dataset.theme = 'auto'; })"
                ".observe(document, { childList: true, subtree: true });"
            )
        page.goto(f"{origin}/book/3-convergence.html")
        seen.append(page.evaluate(COLOURS))
    assert seen[0] == seen[1]
    assert seen[0]["header"] == seen[0]["paper"]


def test_without_scripts_there_are_no_empty_places_and_no_dead_buttons(paths, origin, tab):
    page = tab(java_script_enabled=False, viewport=TELEPHONE)
    for path in (one for one in paths if re.match(r"book/\d", one)):
        page.goto(f"{origin}/{path}")
        for figure in page.locator(".pn-figure").all():
            still = figure.locator("img, svg").first.bounding_box()
            assert figure.bounding_box()["height"] < still["height"] + 80, path
        for dead in (".sidebar-toggle", ".theme-switch-button", ".search-button"):
            assert not page.locator(dead).first.is_visible(), dead
        assert page.locator("#pst-primary-sidebar a").first.is_visible()


# In colours of the reader's own -----------------------------------------------------------------


def test_the_marks_of_a_self_check_are_there_in_forced_colours(origin, tab):
    page = tab(forced_colors="active")
    visit(page, f"{origin}/book/3-convergence.html")
    for kind in ("wrong", "right"):
        option = come_to(page.locator(f"{QUIZ}.{kind}").first)
        for _ in ("closed", "open"):
            mark, paper = option.evaluate(
                """e => [getComputedStyle(e.querySelector('summary'), '::before').backgroundColor,
                    getComputedStyle(document.body).backgroundColor]"""
            )
            assert mark != paper, kind
            option.locator("summary").click()


def test_edges_and_signs_stand_out(site):
    """Three to one, from what lies beneath them: WCAG 1.4.11."""
    css = (site.parent.parent / "book/_assets/notes.css").read_text("utf-8")
    tokens = re.findall(r"--pn-([a-z]+): (#[0-9a-f]{6});", css)
    names = [name for name, _ in tokens]
    half = names.index("ink", names.index("ink") + 1)
    for theme in (dict(tokens[:half]), dict(tokens[half:])):
        for sign in ("edge", "faint", "ink", "positive", "negative", "accent", "good", "warn"):
            assert contrast(theme[sign], theme["paper"]) >= 3, sign
        assert contrast(theme["edge"], theme["surface"]) >= 3
        for tint in ("positive", "negative"):
            sides = mixed(theme[tint], theme["paper"])
            assert contrast(theme["warn"], sides) >= 3, tint


def mixed(colour, paper):
    """A tenth of a colour on paper, as an explorer tints its sides."""
    pairs = [(int(colour[i : i + 2], 16), int(paper[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(0.1 * one + 0.9 * other):02x}" for one, other in pairs)


# By finger, and enlarged ------------------------------------------------------------------------


@pytest.mark.parametrize(("touch", "least"), [(False, 24), (True, 44)], ids=["mouse", "finger"])
def test_what_is_to_be_hit_is_large_enough(origin, tab, touch, least):
    page = tab(has_touch=touch, is_mobile=touch, viewport=TELEPHONE)
    visit(page, f"{origin}/book/3-convergence.html")
    page.evaluate(READ_ALL)
    small = page.evaluate(
        """(least) => [...document.querySelectorAll('button, summary, select, input')]
            .filter((e) => e.checkVisibility() && !e.closest('dialog'))
            .map((e) => [e.outerHTML.slice(0, 80), e.getBoundingClientRect()])
            .filter(([_, { width, height }]) => width && Math.min(width, height) < least - 0.5)""",
        least,
    )
    assert not small


def test_numbers_that_are_links_have_room_for_a_finger(origin, tab):
    page = tab(has_touch=True, is_mobile=True, viewport=TELEPHONE)
    visit(page, f"{origin}/book/sources.html")
    numbers = page.locator("article td a[href^='#erratum-']")
    boxes = numbers.evaluate_all("all => all.map((one) => one.getBoundingClientRect().toJSON())")
    assert len(boxes) > 20
    assert min(min(box["width"], box["height"]) for box in boxes) >= 23.9


def test_no_page_scrolls_sideways_where_it_is_narrowest(paths, origin, tab):
    """At 320 pixels: a telephone, or a page enlarged four times (WCAG 1.4.10)."""
    page = tab(viewport={"width": 320, "height": 640})
    for path in paths:
        visit(page, f"{origin}/{path}")
        page.evaluate(OPEN_ALL)
        lay_out(page)
        width = page.evaluate("document.scrollingElement.scrollWidth")
        assert width <= 320, f"{path}: {width}"
