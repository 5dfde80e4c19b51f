"""The reader's comforts in a browser: paper, search."""

import json
import re

import pytest
from playwright.sync_api import expect
from visiting import CHAPTER, ROOT, Heard, come_to, settle, visit

# Paper ------------------------------------------------------------------------------------------


def test_a_printed_page_is_light_and_unfolded_and_without_its_frame(origin, page):
    page.emulate_media(color_scheme="dark")
    visit(page, f"{origin}/{CHAPTER}")
    figure = come_to(page.locator(".pn-figure").first)
    expect(figure).to_have_attribute("data-state", "live")
    seen = """() => {
        const style = (what) => getComputedStyle(document.querySelector(what));
        const paper = style('html').getPropertyValue('--pn-paper');
        const all = (what) => [...document.querySelectorAll(what)];
        const visible = (e) => e.checkVisibility();
        const shown = (what) => all(what).some(visible);
        return {
            theme: document.documentElement.dataset.theme,
            paper: paper.trim(),
            title: shown('article h1'),
            frame: shown('.bd-header, .bd-sidebar, .prev-next-footer, .headerlink, .copybtn'),
            controls: shown('.pn-figure :is(button, select, input)'),
            figures: shown('.pn-figure svg'),
            unfolded: all('details.folded > :not(summary)').every(visible),
            options: all('details.quiz-option[open]').length,
        };
    }"""
    before = page.evaluate(seen)
    assert before["theme"] == "dark"
    assert not before["unfolded"]
    assert before["frame"]
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(seen) == {
        "theme": "light",
        "paper": "#fff",
        "title": True,
        "frame": False,
        "controls": False,
        "figures": True,
        "unfolded": True,
        "options": 0,
    }
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(seen) == before


# Search -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("from_disk", [pytest.param(False, marks=pytest.mark.slow), True])
def test_the_page_of_results_shows_all_of_them(site, origin, page, from_disk):
    home = site.as_uri() if from_disk else origin
    heard = Heard(page, home)
    visit(page, f"{home}/search.html")
    assert page.evaluate("!window.TEXTS")  # they are loaded when something is looked for
    visit(page, f"{home}/search.html?q=halts")
    assert page.locator(".bd-search-container input").input_value() == "halts"
    found = page.locator(".bd-search-container .found a")
    assert found.count() > 3
    page.locator(".bd-search-container input").fill("margin")
    assert found.count() > 40  # more than the dialog shows
    assert "\\" not in " ".join(found.all_inner_texts())
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("q=margin"))
    settle(page)
    found.first.click()
    page.wait_for_url("**/book/*")
    heard.end()
    assert heard == []


def test_excerpts_show_what_a_reader_sees(site):
    """No label of the source: "Theorem 5.1" and "Cover 1965", as on the page."""
    texts = json.loads((site / "_static/texts.js").read_text("utf-8").partition("TEXTS=")[2])
    words = set(re.findall(r"[\w-]+", " ".join(text for *_, text, _bold in texts)))
    sources = [
        file.read_text("utf-8")
        for file in ROOT.glob("book/**/*")
        if file.is_file() and file.suffix in (".md", ".ipynb", ".bib")
    ]
    label = r"(?:^|[\s\"]):label: ([\w-]+)|\$\$ ?\(([\w-]+)\)|@\w+\{([\w-]+),|name: (fig-[\w-]+)"
    labels = {one for text in sources for found in re.findall(label, text) for one in found if one}
    assert {"thm-dual-gauss", "eq-dual-kernel", "cover1965geometrical"} <= labels
    assert not labels & words
    every = " ".join(text for *_, text, _bold in texts)
    assert "By Theorem 3." in every
    assert "Novikoff [1962]" in every
    assert "PLA halts if and only if the data are linearly separable." in every  # a theorem


def test_without_scripts_the_search_says_what_it_needs(origin, tab):
    page = tab(java_script_enabled=False)
    page.goto(f"{origin}/search.html")
    assert "needs JavaScript" in page.locator(".bd-search-container").inner_text()
