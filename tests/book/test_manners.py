"""Manners of the site in a browser: what opens fits, what is found reads well, links lead on."""

import json
import re

import pytest
from visiting import CHAPTER, DESKTOP, come_to, visit

# Previews ---------------------------------------------------------------------------------------


def test_a_page_from_a_folder_does_not_ask_for_others(site, tab):
    page, heard = tab(viewport=DESKTOP), []
    page.on("console", lambda m: m.type == "error" and heard.append(m.text))
    page.clock.install()
    visit(page, (site / "book/3-convergence.html").as_uri())
    come_to(page.locator("article a.internal[href*='bibliography.html#']").first).hover()
    page.clock.run_for(5000)
    assert not heard
    come_to(page.locator("article a.internal[href^='#thm-']").first).hover()
    page.clock.run_for(5000)
    page.locator(".preview").wait_for()  # of its own page it shows them


# The search -------------------------------------------------------------------------------------


@pytest.fixture
def search(origin, page):
    """A page with the search open, and a function that returns its results."""
    visit(page, f"{origin}/book/glossary.html")
    page.keyboard.press("Control+k")

    def ask(words):
        page.locator("#pst-search-dialog input").fill(words)
        page.locator(".found a").first.wait_for()
        links = page.locator(".found a").all()
        return [one.get_attribute("href").rpartition("/")[2] for one in links]

    return ask


@pytest.mark.parametrize("from_disk", [pytest.param(False, marks=pytest.mark.slow), True])
def test_the_search_answers_as_one_types(site, origin, page, from_disk):
    """To the section; nothing of it is loaded before it is opened."""
    asked = []
    listen = lambda one: asked.append(one.url.rpartition("/")[2].partition("?")[0])  # noqa: E731
    page.on("request", listen)
    visit(page, f"{site.as_uri() if from_disk else origin}/{CHAPTER}")
    page.keyboard.press("Control+k")
    page.locator("#pst-search-dialog input").wait_for()
    assert not {"results.js", "texts.js"} & set(asked)
    page.keyboard.type("margi")
    found = page.locator(".found a")
    found.first.wait_for()
    assert {"results.js", "texts.js"} <= set(asked)
    page.remove_listener("request", listen)
    places = [one.get_attribute("href").rpartition("/")[2] for one in found.all()]
    assert "glossary.html#term-margin" in places
    assert any(place.startswith("7-margins.html") for place in places)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{places[0]}")


def test_one_section_is_one_and_a_new_word_replaces_the_old(search, page):
    count, found = page.locator(".found-count"), page.locator(".found a")
    # A word with signs in it, as it stands in a formula, is found and marked too.
    search("margin=1")
    assert page.locator(".found mark").first.inner_text().lower().startswith("margin")
    assert len(search("photocells")) == 1
    assert count.inner_text() == "1 section"
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.keyboard.type("xor")
    assert page.locator("#pst-search-dialog input").input_value() == "xor"
    search("margin")
    shown, there = map(int, re.findall(r"\d+", count.inner_text()))
    assert shown == found.count() - 1 < there
    found.last.click()  # "Show all"
    page.wait_for_url("**/search.html?q=margin")
    page.get_by_text(f"{there} sections", exact=True).wait_for()
    assert found.count() == there


def test_sentences_that_are_found_do_not_stick_together(site):
    texts = json.loads((site / "_static/texts.js").read_text("utf-8").partition("TEXTS=")[2])
    glued = {
        (address, sentence)
        for address, *_, text, _bold in texts
        if "api" not in address  # where names of Python have dots
        for sentence in re.findall(r"\w+[a-z)]\.[A-Z]\w* \w+", text)
    }
    named = {"applicants.X", "data.X", "data).X"}
    assert not {one for one in glued if not one[1].startswith(tuple(named))}
    everything = " ".join(text for *_, text, _bold in texts)
    assert "link figure" in everything  # a name and what it takes, in the reference


# On a telephone ---------------------------------------------------------------------------------
