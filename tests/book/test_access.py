"""The site's accessibility: by screen reader, without scripts, in the reader's colours."""

import re
from collections import Counter

import pytest
import web
from playwright.sync_api import expect
from visiting import (
    BEGIN,
    CHAPTER,
    CHAPTERS,
    DESKTOP,
    PAGES,
    TELEPHONE,
    come_to,
    contrast,
    some_of,
    unfold,
    visit,
)

from perceptron_notes._kit.palette import DARK, PALETTE

QUIZ = "details.quiz-option"

# By ear -----------------------------------------------------------------------------------------

#: What the accessibility tree must hold of a page: formulas, and paragraphs that are not the whole
#: of an item or of a cell, nor a small heading, of which Chromium reports only the words.
WRITTEN = """() => {
    const apart = 'details:not([open]), [aria-hidden], noscript, .pn-figure, dialog';
    const shown = (e) => !e.closest(apart) && e.checkVisibility();
    const count = (what) => [...document.querySelectorAll(`article ${what}`)].filter(shown).length;
    const part = '.rubric, :is(li, td, th) > p, summary p';
    return { paragraph: count(`p:not(${part})`), math: count('math') };
}"""


@pytest.fixture(scope="module")
def read_aloud(browser):
    """A page in a browser whose accessibility is on, as a screen reader has it."""
    flags = [*web.FLAGS, "--force-renderer-accessibility"]
    chromium = browser.browser_type.launch(executable_path=web.find(), args=flags)
    yield chromium.new_page()
    chromium.close()


@pytest.mark.parametrize("path", some_of(PAGES[:-1], CHAPTER))
def test_a_screen_reader_gets_every_paragraph_and_formula(path, origin, read_aloud):
    """Also of what is laid out late."""
    visit(read_aloud, f"{origin}/{path}")
    written = read_aloud.evaluate(WRITTEN)
    session = read_aloud.context.new_cdp_session(read_aloud)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    nodes = [one for one in nodes if not one["ignored"]]
    roles = [one["role"]["value"] for one in nodes]
    for role, count in written.items():
        heard = sum(one.lower() in (role, f"mathml{role}") for one in roles)
        assert heard >= count, f"{heard} of {count} {role}s"
    small = read_aloud.locator("article p.rubric").all_text_contents()
    words = Counter(one.get("name", {}).get("value", "").strip() for one in nodes)
    assert not Counter(map(str.strip, small)) - words


# By keys ----------------------------------------------------------------------------------------

#: What can be reached and shows nothing when it is; marks on samples and lines are the figures'.
UNMARKED = """() => {
    const style = (e, property) => getComputedStyle(e)[property];
    const ring = (e) => style(e, 'outlineStyle') !== 'none' || style(e, 'boxShadow') !== 'none';
    return [...document.querySelectorAll('a[href], button, summary, input, select, [tabindex="0"]')]
        .filter((e) => e.checkVisibility() && !e.closest('svg, .scrubber, .skip-link, .bd-search'))
        .filter((e) => {
            e.focus({ preventScroll: true });
            return e.matches(':focus-visible') && ![e, ...e.querySelectorAll('*')].some(ring);
        })
        .map((e) => e.outerHTML.slice(0, 100));
}"""


@pytest.mark.parametrize("path", some_of(PAGES, PAGES[0], CHAPTER))
def test_who_goes_by_keys_sees_where_she_is(path, origin, page):
    """WCAG 2.4.7."""
    visit(page, f"{origin}/{path}")
    page.keyboard.press("Tab")
    assert page.evaluate(UNMARKED) == []


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


def test_colours_need_no_script(origin, page, tab):
    plain = tab()  # what a browser does without them; the test needs its own
    plain.route("**/*.js*", lambda route: route.abort())
    plain.add_init_script(
        "new MutationObserver(() => { document.documentElement.dataset.theme = 'auto'; })"
        ".observe(document, { childList: true, subtree: true });"
    )
    visit(page, f"{origin}/book/formal.html")
    plain.goto(f"{origin}/book/formal.html")
    for scheme in ("light", "dark"):
        for one in (page, plain):
            one.emulate_media(color_scheme=scheme)
        expect(page.locator("html")).to_have_attribute("data-theme", scheme)
        colours = plain.evaluate(COLOURS)
        assert colours == page.evaluate(COLOURS)
        assert colours["header"] == colours["paper"]


@pytest.fixture
def plain(origin, tab, path):
    """A page in a telephone's browser without scripts."""
    page = tab(java_script_enabled=False, viewport=TELEPHONE)
    page.goto(f"{origin}/{path}")
    return page


@pytest.mark.parametrize("path", some_of([PAGES[0], *CHAPTERS], PAGES[0], CHAPTER))
def test_without_scripts_there_are_no_empty_places_and_no_dead_buttons(plain):
    for figure in plain.locator(".pn-figure").all():
        figure.scroll_into_view_if_needed()  # what is far away is not laid out yet
        still = figure.locator("img, svg").first.bounding_box()
        assert figure.bounding_box()["height"] < still["height"] + 80
    assert plain.locator("#pst-primary-sidebar a").first.is_visible()
    for size in (TELEPHONE, DESKTOP):
        plain.set_viewport_size(size)
        assert plain.locator("button:visible").count() == 0


@pytest.mark.parametrize("path", some_of(CHAPTERS, CHAPTER))
def test_a_question_answers_by_keyboard_without_a_script(plain):
    quizzes = plain.locator(".quiz").all()
    assert quizzes
    for quiz in quizzes:
        options = quiz.locator("details").all()
        assert len(options) > 1
        for option in options:
            answer = option.locator(".quiz-answer")
            assert not answer.is_visible()
            option.locator("summary").press("Enter")
            assert answer.is_visible()
            assert option.locator("summary").bounding_box()["height"] >= 44
            assert option.locator("summary:not(:has(math)), .visually-hidden").count()  # by ear
        # The options of a question close one another.
        assert quiz.locator("details[open]").count() == 1


# In colours of the reader's own -----------------------------------------------------------------


def test_the_marks_of_a_self_check_are_there_in_forced_colours(origin, tab):
    page = tab(forced_colors="active")
    visit(page, f"{origin}/{CHAPTER}")
    for kind in ("wrong", "right"):
        option = come_to(page.locator(f"{QUIZ}.{kind}").first)
        for _ in ("closed", "open"):
            mark, paper = option.evaluate(
                """e => [getComputedStyle(e.querySelector('summary'), '::before').color,
                    getComputedStyle(document.body).backgroundColor]"""
            )
            assert mark != paper, kind
            option.locator("summary").click()


def test_edges_and_signs_stand_out(site):
    """Three to one, from what lies beneath them: WCAG 1.4.11."""
    css = (site.parent.parent / "book/_assets/notes.css").read_text("utf-8")
    tokens = re.findall(r"--pn-([a-z]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", css)
    light, dark = ({name: tones[k] for name, *tones in tokens} for k in (0, 1))
    for theme in (light | PALETTE, dark | DARK):
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


# By finger --------------------------------------------------------------------------------------


def test_what_is_to_be_hit_is_large_enough_for_a_finger(origin, tab):
    """For a mouse, see below."""
    page = tab(has_touch=True, is_mobile=True, viewport=TELEPHONE)
    visit(page, f"{origin}/{CHAPTER}")
    unfold(page)
    page.evaluate(BEGIN)  # begins the figures
    small = page.evaluate(
        """() => [...document.querySelectorAll('button:not(p button), summary, select, input')]
            .filter((e) => e.checkVisibility() && !e.closest('dialog'))
            .map((e) => [e.outerHTML.slice(0, 80), e.getBoundingClientRect()])
            .filter(([_, { width, height }]) => width && Math.min(width, height) < 43.5)"""
    )
    assert not small


@pytest.mark.parametrize(
    "viewport", [DESKTOP, {"width": 412, "height": 823}], ids=["wide", "narrow"]
)
@pytest.mark.parametrize("path", some_of(PAGES, PAGES[0]))
def test_what_is_pressed_lies_free_before_the_page_is_scrolled(path, origin, page, axe, viewport):
    page.set_viewport_size(viewport)
    visit(page, f"{origin}/{path}")
    page.evaluate(axe)
    found = page.evaluate("axe.run({ runOnly: { type: 'rule', values: ['target-size'] } })")
    assert not [one["nodes"][0]["html"][:200] for one in found["violations"]]
