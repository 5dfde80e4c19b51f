"""The book as a PDF: a short one is printed, and the whole is laid out."""

import re
import unicodedata
from itertools import pairwise, takewhile

import pdf
import pytest
from bs4 import BeautifulSoup
from notes_site import formulas
from notes_site.notices import FILE
from pages import ANSWERS, PREFACE, order
from pypdf import PdfReader

#: Sections of every chapter, which the contents need not name.
USUAL = {"Check yourself", "Summary", "Exercises", ANSWERS}
USUAL |= {"Sources and further reading"}

pytestmark = pytest.mark.slow  # printing takes a minute

SHORT = [
    ("", ["book/index"]),
    ("Chapters", ["book/1-model"]),
    ("Problem sets", ["book/assignments/ps1"]),
    ("Reference", ["book/notation", "book/glossary", "book/bibliography"]),
]


@pytest.fixture(scope="module")
def book(site, browser, tmp_path_factory):
    """A short book: some of the pages, printed as `make pdf` prints all."""
    folder = tmp_path_factory.mktemp("pdf")
    text, chapters = pdf.compose(site, SHORT)
    source, draft, out = folder / "book.html", folder / "draft.pdf", folder / "book.pdf"
    source.write_text(text, "utf-8")
    page = pdf.laid_out(browser, source)
    pdf.write_pdf(pdf.paginated(page, draft), chapters, out)
    page.close()
    return out


@pytest.fixture(scope="module")
def reader(book):
    return PdfReader(book)


@pytest.fixture(scope="module")
def texts(reader):
    """The text of each page, with single spaces."""
    return [" ".join(page.extract_text().split()) for page in reader.pages]


@pytest.fixture(scope="module")
def articles(site):
    """The site's articles, of the pages that the short book is made of."""
    names = [name for _, files in SHORT for name in files]
    return {
        name: BeautifulSoup((site / f"{name}.html").read_text("utf-8"), "html.parser").article
        for name in names
    }


def bookmarks(reader, items=None, depth=0):
    """Depth, title and page of each bookmark, in order."""
    for item in reader.outline if items is None else items:
        if isinstance(item, list):
            yield from bookmarks(reader, item, depth + 1)
        else:
            yield depth, item.title, reader.get_destination_page_number(item)


def squeezed(text):
    """A text without its spaces and ligatures, which a PDF sets as it likes."""
    return re.sub(r"\s", "", unicodedata.normalize("NFKC", text))


@pytest.fixture(scope="module")
def tags(reader):
    """Return the text for screen readers, in order: each tag and, of a picture, its words."""

    def under(node):
        node = node.get_object()
        if isinstance(node, list):
            for one in node:
                yield from under(one)
        elif isinstance(node, dict):
            if "/S" in node:
                yield node["/S"].lstrip("/"), str(node.get("/Alt", ""))
            if "/K" in node:
                yield from under(node["/K"])

    return list(under(reader.trailer["/Root"]["/StructTreeRoot"]))


def test_it_has_a_title_and_a_cover(reader, texts, tags):
    assert reader.metadata.title == "The Perceptron, Executable"
    assert reader.metadata.author
    assert next(alt for _, alt in tags if alt).startswith("The Perceptron, Executable.")
    assert "CC BY 4.0" in texts[0]


def test_it_says_what_it_is_about_in_which_language_and_whose_letters_it_has(reader, texts):
    about = reader.xmp_metadata
    assert about.dc_title["x-default"] == reader.metadata.title
    assert about.dc_creator == [reader.metadata.author]
    assert about.dc_language == ["en"]
    assert about.dc_subject == reader.metadata.keywords.split(", ") != []
    assert about.dc_description["x-default"] == reader.metadata.subject != ""
    assert f"_static/{FILE}" in texts[-1]


def test_bookmarks_lead_to_parts_chapters_and_sections(reader, texts):
    marks = list(bookmarks(reader))
    parts = [title for title, _ in SHORT if title]
    assert [title for depth, title, _ in marks if not depth] == [PREFACE, *parts]
    for part, files in SHORT[1:]:
        first = next(i for i, (_, title, _) in enumerate(marks) if title == part)
        inside = takewhile(lambda mark: mark[0], marks[first + 1 :])
        assert len([depth for depth, *_ in inside if depth == 1]) == len(files)
        assert marks[first][2] == marks[first + 1][2]
    assert len(marks) > 20
    for _, title, page in marks:
        assert title in parts or squeezed(title) in squeezed(texts[page]), title


def test_the_contents_name_the_page_that_a_chapter_is_on(reader, texts):
    contents = squeezed(texts[1])
    part = None
    for depth, title, page in bookmarks(reader):
        part = part if depth else title
        usual = title.rpartition(". ")[2] in USUAL
        listed = title == PREFACE or (depth and part != PREFACE and not usual)
        assert (f"{squeezed(title)}{page + 1}" in contents) == bool(listed), title
    for usual in USUAL:
        assert squeezed(usual) not in contents


def links(page):
    """Return the targets of a page's links: places in the book, and addresses beyond it."""
    within, beyond = [], []
    for link in page.get("/Annots") or []:
        link = link.get_object()
        if link["/Subtype"] == "/Link":
            action = link.get("/A", {})
            if "/URI" in action:
                beyond.append(action["/URI"])
            else:
                within.append(str(link.get("/Dest") or action.get("/D")).lstrip("/"))
    return within, beyond


def test_links_within_the_book_arrive(reader):
    places = {name.lstrip("/") for name in reader.named_destinations}
    within = [place for page in reader.pages for place in links(page)[0]]
    beyond = [address for page in reader.pages for address in links(page)[1]]
    assert len(within) > 50
    assert not [name for name in within if name not in places]
    assert any(name.startswith("bibliography--") for name in within)  # citations
    assert any(name.startswith("glossary--") for name in within)
    assert beyond
    assert not [address for address in beyond if not address.startswith("http")]


NOT_PRINTED = """script, style, button, link, .headerlink, .katex, .visually-hidden, svg, .quiz,
.pn-figure, .pn-still, details.hide, p:has(> .button), .problem-set-card"""


def stands(words, pages, whole):
    """Return whether a text is in a book, on a page or from one to the next."""
    pairs = ((words[:cut], words[cut:]) for cut in range(1, len(words)))
    return "".join(words) in whole or any(
        "".join(begin) in page and "".join(end) in after
        for begin, end in pairs
        for page, after in pairwise(pages)
    )


def lost(site, parts, texts):
    """The texts of the site's articles, between formulas, that are not in those of these pages."""
    texts = [squeezed(text).replace("-", "") for text in texts]
    whole = "".join(texts)
    for name in [name for _, files in parts for name in files]:
        page = pdf.Chapter(site, name)
        page.leave_on_site()
        page.take_record()  # of which the last page has a part
        for one in page.article.select(NOT_PRINTED):
            one.decompose()
        for strong in page.article("strong", string="Try it."):
            strong.string = "On the site, try it."
        for paragraph in page.article(["p", "li", "dd", "dt", "td", "h2", "h3", "figcaption"]):
            for text in [] if paragraph.find(["p", "li"]) else paragraph.strings:
                words = re.split(r"\s+|(?<=-)", text)
                if not stands([squeezed(one).replace("-", "") for one in words], texts, whole):
                    yield name, text


def test_its_letters_are_those_of_the_book_in_a_form_that_is_hinted(reader):
    fonts = {
        (font["/Subtype"], str(font.get("/BaseFont", "")).partition("+")[2])
        for page in reader.pages
        for font in (one.get_object() for one in page["/Resources"].get("/Font", {}).values())
    }
    assert {kind for kind, _ in fonts} == {"/Type0"}  # no program for each letter
    assert all(
        name.startswith(("Notes", "Source", "STIX")) for _, name in fonts
    )  # and none of the machine's


def test_no_page_ends_with_a_heading(reader, texts):
    ends = tuple(squeezed(title) for _, title, _ in bookmarks(reader))
    pages = map(squeezed, texts[2:])  # after the contents
    assert not [page[-40:] for page in pages if page.endswith(ends)]


def test_a_screen_reader_finds_its_way(reader, tags, articles):
    assert reader.trailer["/Root"]["/Lang"] == "en"
    names = [name for name, _ in tags]
    assert names.count("H1") == len(articles) + 1  # and the contents
    assert {"H2", "L", "LI", "Table", "TH", "TD", "Link", "Code", "Caption"} <= set(names)


def test_formulas_and_pictures_are_tagged_with_their_words(tags, articles):
    words = {alt for name, alt in tags if name == "Figure"}
    for article in articles.values():
        for formula in article.select(".katex math"):
            if not formula.find_parent("details", "hide"):
                assert formulas.words(str(formula)) in words
    stills = [alt for _, alt in tags if alt.startswith("A still picture of")]
    assert len(stills) == sum(len(article.select(".pn-figure")) for article in articles.values())


def test_the_whole_book_fits_its_pages(site, browser, tmp_path):
    text, _ = pdf.compose(site, order())
    source = tmp_path / "book.html"
    source.write_text(text, "utf-8")
    page = pdf.laid_out(browser, source)  # which refuses what is too wide
    dangling = """() => {
        const ids = new Set([...document.querySelectorAll('[id]')].map((e) => e.id));
        return [...document.querySelectorAll('a[href^="#"], use')]
            .filter((e) => !ids.has(decodeURIComponent(e.getAttribute('href').slice(1))))
            .map((e) => e.outerHTML.slice(0, 200));
    }"""
    assert page.evaluate(dangling) == []
    broken = "() => [...document.images].filter((i) => !i.naturalWidth).map((i) => i.src)"
    assert page.evaluate(broken) == []
    assert page.evaluate("document.querySelectorAll('.pn-figure, script, button').length") == 0
    assert page.evaluate("document.querySelectorAll('svg.figure').length") > 50
    file = pdf.printed(page, tmp_path / "book.pdf")
    page.close()
    printed = [one.extract_text() for one in PdfReader(file).pages]
    assert list(lost(site, order(), printed)) == []
