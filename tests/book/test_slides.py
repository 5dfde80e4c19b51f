"""Decks of slides: what is on them, and what a lecturer does with them."""

import re

import pytest
import slides
import web
from bs4 import BeautifulSoup
from playwright.sync_api import expect
from pypdf import PdfReader
from visiting import Heard


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
        ("One.<!-- the PDF -->", []),
    ],
)
def test_a_mark_takes_the_sentence_before_it(html, sentences):
    assert slides.marked(paragraph(html)) == sentences


@pytest.fixture(scope="module")
def decks(site, tmp_path_factory):
    out = tmp_path_factory.mktemp("talk") / "slides"
    slides.make(site, out)
    return out


@pytest.fixture(scope="module")
def home(decks):
    with web.served(decks) as address:
        yield address


def test_every_statement_of_a_chapter_is_on_a_slide_and_its_text_is_said(decks, site):
    for name, *_ in slides.chapters(site):
        deck = BeautifulSoup((decks / f"{name}.html").read_text("utf-8"), "html.parser")
        page = BeautifulSoup((site / "book" / f"{name}.html").read_text("utf-8"), "html.parser")
        statements = "article .proof[id]:not(.proof-text)"
        there = [
            one["id"] for one in page.select(statements) if not one.find_parent(id="exercises")
        ]
        assert sorted(one["id"] for one in deck.select(".slides .proof[id]")) == sorted(there)
        assert len(deck.select(".notes p")) > 20
        assert not [
            one["href"] for one in deck.select("a[href]") if not one["href"].startswith("http")
        ]


def test_a_lecture_turns_slides_and_moves_a_figure(tab, home):
    page = tab(viewport={"width": 1600, "height": 900})
    heard = Heard(page, home)
    page.goto(f"{home}/2-pla.html")
    page.keyboard.press("ArrowRight")
    slide = page.locator("section.present")
    expect(slide.locator("h2")).to_contain_text("mistakes")
    step = slide.get_by_role("button", name="Step")
    time = slide.locator("output.at")
    expect(time).to_have_text(re.compile("^0 of"))
    step.press("Enter")
    expect(time).to_have_text(re.compile("^1 of"))
    step.press("ArrowRight")  # the figure's key now
    expect(slide.locator("h2")).to_contain_text("mistakes")
    page.locator("section.present h2").click()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowRight")
    expect(slide.locator(".proof")).to_be_visible()
    assert heard == []


def test_the_speakers_view_has_the_text(tab, home):
    page = tab()
    page.goto(f"{home}/2-pla.html#/2")
    with page.context.expect_page() as opened:
        page.keyboard.press("s")
    page.wait_for_timeout(1000)
    page.keyboard.press("ArrowRight")
    expect(opened.value.locator(".speaker-controls-notes")).to_contain_text("three scores")


def test_nothing_is_wider_or_higher_than_its_slide(tab, home, site):
    page = tab(viewport={"width": 1280, "height": 720})
    for name, *_ in list(slides.chapters(site))[1:3]:
        page.goto(f"{home}/{name}.html")
        for _ in page.locator(".slides > section").all():
            slide = page.locator("section.present > .bd-article")
            high = "(one) => one.scrollHeight <= 720 && one.scrollWidth <= 1280"
            page.wait_for_function(f"(one) => ({high})(one)", arg=slide.element_handle())
            page.keyboard.press("PageDown")


@pytest.mark.slow
def test_a_deck_is_printed_with_a_slide_on_each_page(tab, decks, home, tmp_path):
    page = tab()
    page.goto(f"{home}/2-pla.html")
    page.wait_for_load_state("networkidle")
    page.pdf(path=tmp_path / "deck.pdf", prefer_css_page_size=True, print_background=True)
    pages = PdfReader(tmp_path / "deck.pdf").pages
    assert len(pages) == (decks / "2-pla.html").read_text("utf-8").count("<section>")
    assert "The gain of an update" in " ".join(one.extract_text() for one in pages)


def test_a_deck_works_from_a_folder(tab, decks):
    page = tab()
    page.goto((decks / "2-pla.html").as_uri())
    page.keyboard.press("ArrowRight")
    expect(page.locator("section.present [data-state=live]")).to_be_visible()


def test_without_a_site_it_says_what_to_do(tmp_path):
    with pytest.raises(SystemExit, match="make book"):
        slides.make(tmp_path, tmp_path / "out")
