"""The built site, in a browser and on disk."""

import gzip
import re
import unicodedata
from importlib import import_module
from urllib.parse import unquote, urldefrag

import nbformat
import notebooks
import pytest
from bs4 import NavigableString
from nbval.plugin import coalesce_streams
from notes_site.runs import Runs
from playwright.sync_api import expect
from visiting import (
    CHAPTER,
    CHAPTERS,
    MODULES,
    PAGES,
    ROOT,
    TELEPHONE,
    Heard,
    come_to,
    some_of,
    visit,
)

from perceptron_notes.figures.scenes import Scene


@pytest.fixture(scope="module")
def chapters(pages):
    """The pages that are made from notebooks."""
    found = {path: page for path, page in pages.items() if re.match(r"book/\d", path)}
    assert found
    return found


APART = {"pre", "code", "script", "style", "katex", "sig"}


def prose(element):
    """The text of a part of a page, without code and without what formulas are made of."""
    for child in element.children:
        if isinstance(child, NavigableString):
            yield child
        elif not {child.name, *child.get("class", ())} & APART:
            yield from prose(child)


def test_the_book_builds(complaint):
    """Without a warning. One worker does this while the others go on."""
    assert not complaint, complaint


def test_every_page_is_there_and_is_visited(pages):
    assert set(pages) == set(PAGES)  # by tests/book/test_visits.py


def printed(nb):
    """The outputs of each cell as they are committed, one for each stream."""
    cells = [cell for cell in notebooks.normalise(nb).cells if cell.cell_type == "code"]
    return [coalesce_streams(cell.outputs) for cell in cells]


@pytest.mark.parametrize("path", sorted(ROOT.glob("book/*.ipynb")), ids=lambda path: path.stem)
def test_the_build_computes_what_is_committed(site, path):
    """As nbval asks in `make test-all`, which runs each notebook once more."""
    runs = Runs(ROOT, site.parent / ".runs")
    record, reason = runs.valid(path)
    assert record, reason
    assert printed(runs.outputs(path)) == printed(nbformat.read(path, as_version=4))


# In a browser -----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["index.html", "search.html", CHAPTER])
def test_a_page_opens_from_a_folder(site, page, path):
    heard = Heard(page, site.as_uri())
    visit(page, (site / path).as_uri())
    page.locator("h1").first.wait_for()
    for figure in page.locator(".pn-figure").all():
        expect(come_to(figure)).to_have_attribute("data-state", "live")
    heard.end()
    assert heard == []


def test_the_first_address_leads_to_the_book(origin, page):
    heard = Heard(page, origin)
    visit(page, f"{origin}/")
    page.wait_for_url("**/book/index.html")
    heard.end()
    assert heard == []


@pytest.mark.parametrize("path", some_of(CHAPTERS, CHAPTER))
def test_a_link_into_a_chapter_arrives(pages, origin, page, path):
    """What is laid out late must not push away what a reader has jumped to."""
    page.set_viewport_size(TELEPHONE)
    anchor = pages[path].select("article section")[-1]["id"]
    visit(page, f"{origin}/{path}#{anchor}")
    page.wait_for_function(
        """id => {
            const { top } = document.getElementById(id).getBoundingClientRect();
            const { scrollHeight } = document.scrollingElement;
            return (0 <= top && top < 200) || scrollHeight - innerHeight - scrollY < 2;
        }""",
        arg=anchor,
    )


def test_figures_take_the_colours_of_the_theme(origin, page):
    visit(page, f"{origin}/{CHAPTER}")
    tones = """() => { const part = document.querySelector('svg.figure [style*="--pn-"]');
        const { fill, stroke } = getComputedStyle(part);
        return [fill + stroke, getComputedStyle(document.body).backgroundColor]; }"""
    seen = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        expect(page.locator("html")).to_have_attribute("data-theme", scheme)
        seen.append(page.evaluate(tones))
    (figure, paper), (by_night, dark_paper) = seen
    assert figure != by_night
    assert paper != dark_paper


# On disk ----------------------------------------------------------------------------------------


def test_no_rule_for_a_figure_is_lost(site):
    """The figures' script puts some of its classes together, so that no page names them in full."""
    css = (site / "_static/site.css").read_text("utf-8")
    rules = re.sub(r"/\*.*?\*/|\{[^{}]*\}", "", Scene._css, flags=re.S)
    script = (site / "_static/explorer/explorer.js").read_text("utf-8")
    names = set(re.findall(r"\.(-?[a-z_][\w-]*)", rules))
    names = {name for name in names if name.rstrip("0123456789") in script}
    assert "level4" in names
    assert not [name for name in names if not re.search(rf"\.{name}\b", css)]


def test_no_property_has_a_sentence_for_its_type(pages):
    """What stands before a colon in its docstring would be taken for that."""
    for path in MODULES:
        assert not pages[path].select("dl.py.property > dd > dl.field-list"), path


def test_appendices_have_letters_and_count_their_figures(pages):
    letters = {}
    for path, page in pages.items():
        number = page.select_one("article h1 .section-number")
        first = page.select_one("article figcaption .caption-number")
        if number and first:
            letters[number.get_text(strip=True)] = first.get_text(strip=True)
        assert number or not first or first.get_text(strip=True) == "Fig. 1", f"{path}: {first}"
    assert "1." in letters
    assert any(number[0].isalpha() for number in letters)
    for number, first in letters.items():
        assert first == f"Fig. {number}1", number


def test_a_page_has_one_viewport_and_the_books_title_once(pages):
    for path, page in pages.items():
        assert len(page.select("meta[name=viewport]")) == 1, path
        assert page.title.get_text().count("The Perceptron, Executable") == 1, path


def test_every_internal_link_resolves(site, pages):
    ids = {path: {e["id"] for e in page.select("[id]")} for path, page in pages.items()}
    for path, page in pages.items():
        for link in page.select("a[href]"):
            target, anchor = urldefrag(unquote(link["href"]))
            if re.match(r"[a-z]+:|//", target):
                continue
            file = (site / path).parent.joinpath(target).resolve() if target else site / path
            assert file.is_file(), f"{path} links to {link['href']}"
            name = file.relative_to(site.resolve()).as_posix() if target else path
            if anchor and name in ids:
                assert anchor in ids[name], f"{path} links to {link['href']}"


def test_every_figure_has_its_letters_and_edges(pages):
    """Also without scripts, and where another figure of the page has them."""
    for path, page in pages.items():
        used = {use["href"].removeprefix("#") for use in page.select("use")}
        used |= {one["clip-path"][5:-1] for one in page.select("svg.figure [clip-path]")}
        assert used <= {element["id"] for element in page.select("[id]")}, path


def test_ids_are_unique(pages):
    for path, page in pages.items():
        ids = [element["id"] for element in page.select("article [id]")]
        assert len(ids) == len(set(ids)), (path, {i for i in ids if ids.count(i) > 1})


def test_the_reference_begins_with_all_names_and_what_each_is_for(pages):
    rows = pages["book/api.html"].select("article table.names tr:not(:has([colspan]))")
    entries = [
        f"{path.removeprefix('book/')}#{entry['id']}"
        for path in MODULES
        for entry in pages[path].select("article dl.py:not(dl.py dl.py) > dt")
    ]
    assert [row.a["href"] for row in rows] == entries
    silent = [row.a.get_text() for row in rows if not row.select("td")[1].get_text(strip=True)]
    assert silent == []


def test_every_public_name_is_in_the_reference(pages):
    rows = pages["book/api.html"].select("article table.names tr:not(:has([colspan]))")
    listed = {row.a.get_text() for row in rows}
    package = ROOT / "perceptron_notes"
    modules = [file.stem for file in package.glob("[a-z]*.py")]
    modules += ["diagnosis", "estimators", "figures", "formal", "scale"]
    for name in ("perceptron_notes", *(f"perceptron_notes.{one}" for one in modules)):
        assert {*import_module(name).__all__} <= listed, name


def test_every_formula_is_set(html, pages, chapters):
    for path, page in pages.items():
        assert "mathjax" not in html[path].lower(), path
        assert "katex-error" not in html[path], path
        text = "".join(prose(page.article)) if page.article else ""
        raw = re.search(r"\$[^$\n]+\$|\\[a-zA-Z]+|\\[(\[]", text)
        assert not raw, f"{path}: {raw[0]}"
    for path, page in chapters.items():
        formulas = page.select("article .katex")
        assert formulas, path
        for formula in formulas:  # what is seen and what is heard say the same
            heard, seen = formula.select_one("math"), formula.select_one(".katex-html")
            assert letters(heard) == letters(seen), f"{path}: {heard}"


def letters(element):
    text = unicodedata.normalize("NFKD", element.get_text())
    return sorted(c for c in text if c.isalnum())


def test_an_equation_is_numbered_if_it_has_a_label_and_links_say_its_number(pages):
    numbers = {
        one["id"]: one.select_one(".eqno").get_text().rstrip("#")
        for page in pages.values()
        for one in page.select("article div.math[id]")
    }
    assert len({*numbers.values()}) == len(numbers) > 50
    for path, page in pages.items():
        assert len(page.select("article .eqno")) == len(page.select("article div.math[id]")), path
        for link in page.select("a.reference[href*='#equation-']"):
            assert link.get_text() == numbers[urldefrag(link["href"])[1]], path


def test_titles_and_contents_are_plain_text(pages):
    for path, page in pages.items():
        places = page.select("title, nav a, .prev-next-title")
        text = " ".join(place.get_text() for place in places)
        assert not re.search(r"\\[a-zA-Z]|\$", text), f"{path}: {text}"
        assert not [place for place in places if place.select(".katex")], path


def test_every_figure_says_what_it_shows(pages, chapters):
    for path, page in pages.items():
        for figure in page.select("article svg.figure:not([aria-hidden=true])"):
            assert len(figure["aria-label"].split()) > 3, path
        for image in page.select("article img"):
            alt = image.get("alt", "")
            assert len(alt.split()) > 3, f"{path}: {alt}"
            assert not alt.endswith((".svg", ".png")), f"{path}: {alt}"
    undrawn = [path for path, page in chapters.items() if not page.select("article svg.figure")]
    assert undrawn == []  # a chapter has a drawn figure besides its card


def test_a_page_loads_what_it_shows(pages):
    for path, page in pages.items():
        if path == "404.html":  # it is shown at any address, so it carries all that it needs
            assert not page.select("[rel=stylesheet], script[src]")
            continue
        depth = "../" * path.count("/")
        sheets = [
            urldefrag(one["href"])[0].split("?")[0] for one in page.select("[rel=stylesheet]")
        ]
        assert sheets == [f"{depth}_static/site.css"], path
        named = [script["src"] for script in page.select("script[src]")]
        scripts = {name.split("?")[0].removeprefix(depth) for name in named}
        kinds = {figure["data-kind"] for figure in page.select(".pn-figure")}
        figures = {f"_static/explorer/{kind}.js" for kind in kinds}
        assert scripts == {"_static/site.js", *figures}, path


def test_a_page_weighs_no_more_than_its_budget_with_what_it_loads(site, pages):
    for path in [*CHAPTERS, "book/index.html", "book/museum.html"]:
        loaded = pages[path].select("[rel=stylesheet], [rel=preload], script[src]")
        names = [(one.get("href") or one["src"]).partition("?")[0] for one in loaded]
        files = [site / path, *((site / path).parent / name for name in names)]
        assert sum(len(gzip.compress(file.read_bytes())) for file in files) <= 300_000, path


def test_every_variable_of_a_style_attribute_is_defined(site, html):
    """The figures name colours that no rule of the stylesheet may name."""
    css = (site / "_static/site.css").read_text("utf-8")
    used = {name for text in html.values() for name in re.findall(r"var\((--[\w-]+)", text)}
    assert used
    assert not [name for name in used if not re.search(rf"{name}\s*:", css)]
