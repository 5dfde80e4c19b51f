"""Manners of the site in a browser: what opens fits, what is found reads well, links lead on."""

import json
import re
from pathlib import Path

import pytest
import web
from visiting import DESKTOP, TELEPHONE, come_to, visit

CHAPTER = "book/3-convergence.html"


# Previews ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Controls", "Dataset", "Trace", "Run"])
def test_a_tall_preview_stays_on_the_screen(origin, tab, name):
    page = tab(viewport=DESKTOP)
    visit(page, f"{origin}/book/api.html")
    link = page.locator("article a.internal[href*='#']", has_text=re.compile(f"^{name}$")).first
    come_to(link).hover()
    page.locator(".preview").wait_for()
    box, at = page.locator(".preview").bounding_box(), link.bounding_box()
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= DESKTOP["height"]
    assert box["height"] > 200
    assert box["y"] >= at["y"] + at["height"] or box["y"] + box["height"] <= at["y"]


def test_a_page_from_a_folder_does_not_ask_for_others(site, tab):
    page, heard = tab(viewport=DESKTOP), []
    page.on("console", lambda m: heard.append(m.text))
    visit(page, (site / CHAPTER).as_uri())
    come_to(page.locator("article a.internal[href*='bibliography.html#']").first).hover()
    page.wait_for_timeout(700)  # longer than a preview waits
    assert not heard
    come_to(page.locator("article a.internal[href^='#thm-']").first).hover()
    page.locator(".preview").wait_for()  # of its own page it shows them


# The search -------------------------------------------------------------------------------------


@pytest.fixture
def search(origin, tab):
    """A page with the search open, and a function that says what it finds."""
    page = tab(viewport=DESKTOP)
    visit(page, f"{origin}/{CHAPTER}")
    page.keyboard.press("Control+k")

    def ask(words):
        page.locator("#pst-search-dialog input").fill(words)
        page.locator(".found a").first.wait_for()
        page.wait_for_timeout(100)
        links = page.locator(".found a").all()
        return [one.get_attribute("href").rpartition("/")[2] for one in links]

    return page, ask


def test_one_section_is_one(search):
    page, ask = search
    assert len(ask("photocells")) == 1
    assert page.locator(".found-count").inner_text() == "1 section"
    ask("margin")
    assert page.locator(".found-count").inner_text().endswith(" sections")


def test_a_new_word_replaces_the_old(search):
    page, ask = search
    ask("margin")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.keyboard.type("xor")
    assert page.locator("#pst-search-dialog input").input_value() == "xor"


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("pocket", "4-pocket.html"),
        ("Convergence", "3-convergence.html"),
        ("problem set 2", "ps2.html"),
        ("margin", "glossary.html#term-margin"),
        ("kernel trick", "5-dual.html#an-inner-product-of-features"),
    ],
)
def test_a_chapter_on_a_word_is_found_first(search, words, place):
    _, ask = search
    assert ask(words)[0] == place


def test_sentences_that_are_found_do_not_stick_together(site):
    texts = json.loads((site / "_static/texts.js").read_text("utf-8").partition("=")[2])
    glued = {
        (address, sentence)
        for address, _page, _title, text in texts
        if "api" not in address  # where names of Python have dots
        for sentence in re.findall(r"\w+[a-z)]\.[A-Z]\w* \w+", text)
    }
    named = {"applicants.X", "data.X", "data).X"}
    assert not {one for one in glued if not one[1].startswith(tuple(named))}
    everything = " ".join(text for *_, text in texts)
    assert "link explorer" in everything  # a name and what it takes, in the reference


def test_the_page_of_results_reads_as_text_in_one_frame(origin, tab):
    for viewport in (DESKTOP, TELEPHONE):
        page = tab(viewport=viewport)
        visit(page, f"{origin}/book/glossary.html")
        left = page.locator("article h1").bounding_box()["x"]
        visit(page, f"{origin}/search.html?q=perceptron")
        page.locator("p.context").first.wait_for()
        found = " ".join(page.locator("p.context").all_inner_texts())
        assert len(found) > 200
        assert not re.search(r"\.ipynb|\.pdf|code cell|previous", found)
        form = page.locator(".bd-search-container form")
        assert page.locator(".bd-search-container h1").bounding_box()["x"] == left
        assert form.bounding_box()["x"] == left
        edges = "e => getComputedStyle(e).borderLeftWidth"
        assert form.evaluate(edges) == "1px"
        assert form.locator("input").evaluate(edges) == "0px"


def test_what_is_typed_is_in_the_books_face(origin, tab):
    """Pages without such letters do not load them."""
    page, asked = tab(viewport=DESKTOP), []
    page.on("request", lambda one: asked.append(one.url))
    visit(page, f"{origin}/{CHAPTER}")
    assert not [one for one in asked if "rest-" in one]
    page.keyboard.press("Control+k")
    page.locator(".found-count").evaluate("e => e.textContent = 'a|b @ ~ ` ³ naïve Rätsch ê Å'")
    page.wait_for_load_state("networkidle")
    page.evaluate("document.fonts.ready")
    session = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        session.send(f"{domain}.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    what = {"nodeId": root, "selector": ".found-count"}
    node = session.send("DOM.querySelector", what)["nodeId"]
    fonts = session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    assert all(one["isCustomFont"] for one in fonts), fonts


# A lost reader ----------------------------------------------------------------------------------


class Lost(web.Quiet):
    """A server that shows `404.html` at addresses without a page, as GitHub Pages does."""

    def send_error(self, code, *args, **kwargs):
        if code != 404 or self.command == "HEAD":
            super().send_error(code, *args, **kwargs)
            return
        page = Path(self.directory, "notes/404.html").read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(page)


@pytest.mark.parametrize("place", ["nowhere.html", "book/a/b/c/nowhere.html"])
def test_a_lost_reader_finds_home_from_any_depth(site, tmp_path, tab, place):
    """Also where the site lies in a folder that it is not told of."""
    (tmp_path / "notes").symlink_to(site)
    page = tab()
    with web.served(tmp_path, Lost) as home:
        for name, way in (("The Perceptron, Executable", "book/index"), ("Search", "search")):
            visit(page, f"{home}/notes/{place}")
            page.get_by_role("link", name=name).first.click()
            page.wait_for_url(f"{home}/notes/{way}.html")


# Without scripts, and on a telephone -------------------------------------------------------------


@pytest.mark.parametrize("path", ["book/index.html", CHAPTER])
def test_without_scripts_no_button_does_nothing(origin, tab, path):
    page = tab(viewport=DESKTOP, java_script_enabled=False)
    page.goto(f"{origin}/{path}")
    assert not [one for one in page.locator("button").all() if one.is_visible()]


def test_the_way_back_to_the_top_covers_no_word_of_the_footer(origin, tab):
    page = tab(viewport=TELEPHONE)
    visit(page, f"{origin}/{CHAPTER}")
    right = page.locator("footer.bd-footer-content").evaluate(
        """e => { const range = document.createRange(); range.selectNodeContents(e);
            return Math.max(...[...range.getClientRects()].filter((r) => r.height < 40 && r.width)
                .map((r) => r.right)); }"""
    )
    button = page.locator("#pst-back-to-top")
    button.evaluate("e => { e.style.display = 'block'; }")
    assert right <= button.bounding_box()["x"]


def test_the_ways_on_stand_one_below_the_other_on_a_telephone(origin, tab):
    page = tab(viewport=TELEPHONE)
    visit(page, f"{origin}/book/assignments/ps2.html")
    before, after = (page.locator(f".{one}").bounding_box() for one in ("left-prev", "right-next"))
    assert before["y"] + before["height"] <= after["y"]
    for box in (before, after):
        assert box["height"] < 90  # what it is, and a line or two


def test_the_title_of_a_problem_set_keeps_its_number(origin, tab):
    page = tab(viewport=TELEPHONE)
    visit(page, f"{origin}/book/assignments/ps2.html")
    lines = page.locator("article h1").evaluate(
        """e => { const text = e.firstChild, at = text.data.search(/\\d/);
            const top = (i) => { const range = document.createRange();
                range.setStart(text, i); range.setEnd(text, i + 1);
                return range.getBoundingClientRect().top; };
            return [top(at - 2), top(at)]; }"""
    )
    assert lines[0] == lines[1]
