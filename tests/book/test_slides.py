"""Decks of slides: what is on them, and what a lecturer does with them."""

import json
import re
from pathlib import Path

import pytest
import slides
import web
from bs4 import BeautifulSoup
from playwright.sync_api import expect
from pypdf import PdfReader
from visiting import CHAPTER, CHAPTERS, Heard, comes, some_of

BOOK = Path(slides.__file__).parent


def paragraph(html):
    return BeautifulSoup(f"<p>{html}</p>", "html.parser").p


@pytest.mark.parametrize(
    ("html", "sentences"),
    [
        ("One two.<!-- slide --> Three.", ["One two."]),
        ("Zero. One <b>two</b>.<!-- slide --> Three.", ["One <b>two</b>."]),
        (
            "In Fig. <i>2</i>. One <i>x</i> two <i>y.</i><!-- slide -->",
            ["One <i>x</i> two <i>y.</i>"],
        ),
        ("One? <i>Two.</i> Three.<!-- slide --> Four.<!-- slide -->", ["Three.", "Four."]),
        ("One (two). Three.<!-- slide --> Four.<!-- slide -->", ["Three.", "Four."]),
        ("一。二，<b>三</b>。<!-- slide -->四？<!-- slide -->", ["二，<b>三</b>。", "四？"]),
        ("One, <code>?</code> two.<!-- slide -->", ["One, <code>?</code> two."]),
        ("One.<!-- the PDF -->", []),
    ],
)
def test_a_mark_takes_the_sentence_before_it(html, sentences):
    assert slides.marked(paragraph(html)) == sentences


def test_a_mark_before_a_formula_takes_the_formula():
    text = "<section><p>One. Two is<!-- slide --></p><div class='math' id='a'>2</div></section>"
    section = BeautifulSoup(text, "html.parser").section
    assert slides.marked(section.p) == ['Two is<div class="math">2</div>']


def test_words_that_move_a_figure_stand_in_their_sentence():
    text = """Why. <span class="at" data-at="0">At 0</span> it is 1, and
    <span class="at" data-at="1">at 1</span> it is 2.<!-- slide --> So."""
    steps = slides.steps_of(paragraph(text))
    assert [BeautifulSoup(one, "html.parser").b.text for one in steps] == ["At 0", "at 1"]
    for one in steps:
        told = " ".join(BeautifulSoup(one, "html.parser").text.split())
        assert told == "At 0 it is 1, and at 1 it is 2."


def test_a_slide_shows_a_table_that_the_page_folds():
    fold = "<details><summary>The table</summary><p class='cell_output'>1</p></details>"
    cell = BeautifulSoup(f"<div class='cell tag_slide'>{fold}</div>", "html.parser").div
    assert slides.on_slide(cell).text == "1"


def test_side_roads_come_last_and_the_text_of_all_is_said():
    article = BeautifulSoup(
        """<article><section><h1>Title</h1><p>Why.</p><p>Try.</p>
        <section><h2>Road</h2><p>Shown.<!-- slide --></p>
          <section><h3>Side</h3><p class="curious">Skip.</p><p>Aside.<!-- slide --></p></section>
        </section>
        <section><h2>Silent</h2><p>Said.</p></section>
        <section><h2>End</h2><div class="proof">Claim.</div><p>So what.<!-- slide --></p>
          <div class="quiz">Which?</div></section>
        </section></article>""",
        "html.parser",
    )
    road, side = slides.deck(article.article, "Question?")
    shown = [BeautifulSoup(one, "html.parser") for one in road]
    assert [one.find(["h1", "h2"]).text for one in shown] == ["Title", "Road", "End", "End"]
    assert [one.aside.get_text(" ", strip=True) for one in shown][:2] == ["Why.", "Shown. Said."]
    assert shown[2].select_one(".points").text == "So what."
    assert ["Aside." in one for one in side] == [True]


@pytest.fixture(scope="module")
def decks(once, site):
    def make():
        folder = BOOK.parent / "_build" / "slides-tested"
        slides.make_slides(site, folder)
        return str(folder)

    return Path(once("slides", make))


@pytest.fixture(scope="module")
def home(decks):
    with web.served(decks) as address:
        yield address


def test_every_statement_of_a_chapter_is_on_a_slide_and_its_text_is_said(decks, site):
    for name, *_ in slides.chapters(site):
        deck = BeautifulSoup((decks / f"{name}.html").read_text("utf-8"), "html.parser")
        page = (site / "book" / f"{name}.html").read_text("utf-8").partition(' id="exercises"')[0]
        there = re.findall(r'class="proof (?!proof)[^"]*" id="([^"]*)"', page)
        assert sorted(one["id"] for one in deck.select(".slides .proof[id]")) == sorted(there)
        assert not deck.select("section section")  # a slide below a slide
        assert len(deck.select(".notes p")) > 20
        assert not deck.select(".notes :is(details, .cell_input, .at)")
        assert not [
            one["href"] for one in deck.select("a[href]") if not one["href"].startswith("http")
        ]


def test_every_mark_of_a_chapter_is_a_short_sentence_on_a_slide(decks, site):
    for name, *_ in slides.chapters(site):
        cells = json.loads((BOOK / f"{name}.ipynb").read_text("utf-8"))["cells"]
        marks = sum("".join(cell["source"]).count("<!-- slide -->") for cell in cells)
        deck = BeautifulSoup((decks / f"{name}.html").read_text("utf-8"), "html.parser")
        sentences = deck.select(".points > li")
        assert len(sentences) == marks >= 10
        for sentence in sentences:
            for formula in sentence.select(".katex, .math"):
                formula.replace_with("x")
            assert 0 < len(sentence.text.split()) < 40


def test_a_lecture_turns_slides_and_moves_a_figure(tab, home):
    page = tab(viewport={"width": 1600, "height": 900})
    heard = Heard(page, home)
    page.goto(f"{home}/2-pla.html")
    page.keyboard.press("ArrowRight")
    slide = page.locator("section.present")
    expect(slide.locator("h2")).to_contain_text("mistakes")
    step = slide.get_by_role("button", name="Step")
    comes(slide, 3)
    step.press("Enter")
    comes(slide, 4)
    step.press("ArrowRight")  # the figure's key now
    expect(slide.locator("h2")).to_contain_text("mistakes")
    page.locator("section.present h2").click()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowRight")
    expect(slide.locator(".proof")).to_be_visible()
    assert heard == []


def test_the_arrows_lead_through_a_told_run_sentence_by_sentence(tab, home):
    page = tab(viewport={"width": 1280, "height": 720})
    page.goto(f"{home}/2-pla.html#/3")
    slide = page.locator("section.present")
    told = slide.locator(".steps > p:visible")
    expect(told).to_have_text(re.compile("^At t = 0 all scores are 0"))
    for step in (1, 2):
        page.keyboard.press("ArrowRight")
        expect(told).to_have_text(re.compile(f"^At t = {step} "))
        comes(slide, step)
    page.keyboard.press("ArrowLeft")
    expect(told).to_have_text(re.compile("^At t = 1 "))
    comes(slide, 1)


def test_a_deck_is_dark_where_the_reader_likes_it(tab, home):
    page = tab(color_scheme="dark")
    page.goto(f"{home}/2-pla.html")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.emulate_media(color_scheme="light")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")


def test_the_speakers_view_has_the_text(tab, home):
    page = tab()
    page.goto(f"{home}/2-pla.html#/2")
    with page.context.expect_page() as opened:
        page.keyboard.press("s")
    notes = opened.value.locator(".speaker-controls-notes")
    expect(notes).to_contain_text("Three things")
    page.keyboard.press("ArrowRight")
    expect(notes).to_contain_text("bicycle shop")


@pytest.mark.parametrize("path", some_of(CHAPTERS, CHAPTER))
def test_a_slide_holds_what_is_on_it(tab, home, path):
    page = tab(viewport={"width": 1280, "height": 720})
    page.goto(f"{home}/{Path(path).name}")
    fits = "(one) => one.scrollHeight <= 720 && one.scrollWidth <= 1280"
    for number, slide in enumerate(page.locator(".slides > section").all()):
        page.evaluate(f"location.hash = '#/{number}'")
        expect(slide).to_have_class(re.compile("present"))
        page.wait_for_function(fits, arg=slide.locator("> .bd-article").element_handle())
        if slide.locator(".pn-figure").count():
            expect(slide.locator("[data-state=live]")).to_be_visible()


def test_an_answer_to_a_self_check_fits_on_its_slide(tab, home):
    page = tab(viewport={"width": 1280, "height": 720})
    page.goto(f"{home}/2-pla.html")
    while not page.locator("section.present .quiz").count():
        page.keyboard.press("PageDown")
    answers = page.locator("section.present .quiz-option")
    for answer in answers.all():
        answer.locator("summary").click()
    slide = page.locator("section.present > .bd-article").element_handle()
    page.wait_for_function("(one) => one.scrollHeight <= 720", arg=slide)
    expect(answers.last.locator(".quiz-answer")).to_be_in_viewport(ratio=1)


@pytest.mark.slow
def test_a_deck_is_printed_with_a_slide_on_each_page(tab, decks, home, tmp_path):
    page = tab(color_scheme="dark")
    page.goto(f"{home}/2-pla.html")
    read = "[...document.querySelectorAll('.pair .parts')].every((one) => one.style.zoom > 0.7)"
    page.wait_for_function(read)  # what stands beside a figure
    page.pdf(path=tmp_path / "deck.pdf", prefer_css_page_size=True, print_background=True)
    deck = BeautifulSoup((decks / "2-pla.html").read_text("utf-8"), "html.parser")
    titles = [one.text for one in deck.select(".slides :is(h1, h2)")]
    pages = [one.extract_text().split() for one in PdfReader(tmp_path / "deck.pdf").pages]
    assert [page[: len(title.split())] for page, title in zip(pages, titles, strict=True)] == [
        title.split() for title in titles
    ]


def test_a_deck_works_from_a_folder(tab, decks):
    page = tab()
    page.goto((decks / "2-pla.html").as_uri())
    page.keyboard.press("ArrowRight")
    expect(page.locator("section.present [data-state=live]")).to_be_visible()
