"""How a page of paper is filled, and what is published."""

import io
import re
import time
import zipfile

import pdf
import publish
import pytest
from bs4 import BeautifulSoup
from notes_site.folders import files_in
from notes_site.zips import pack
from pypdf import PdfReader
from visiting import ROOT, some_of

# A page of paper --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "fits"),
    [
        ("<p>Words and words.</p>", True),
        ("<table><tr><td style='white-space: nowrap'>" + "wide " * 40 + "</table>", True),
        ("<p style='white-space: nowrap'>" + "wide " * 40 + "</p>", False),
        ("<pre>" + "wide " * 40 + "</pre>", False),
    ],
)
def test_what_is_wider_than_a_page_shrinks_or_is_refused(browser, content, fits):
    page = browser.new_page(viewport={"width": 643, "height": 900})
    page.set_content(f"<body style='margin: 0'><section class='chapter' id='c'>{content}</section>")
    too_wide = page.evaluate(pdf.FIT)
    page.close()
    assert [one[:7] for one in too_wide[:1]] == ([] if fits else ["c: wide"])


ROW, ITEM = "<tr><td>part {}</td></tr>", "<li><p>part {}</p></li>"


BREAKS = {
    "a short table": ("<table class='table'><tbody>", ROW, "</tbody></table>", 10, 10),
    "a long table": ("<table class='table'><tbody>", ROW, "</tbody></table>", 30, 3),
    "a list": ("<ul>", ITEM, "</ul>", 12, 2),
    "a paragraph": ("<p style='width: 5em'>", "part {}<br>", "</p>", 12, 2),
    "a cell": (
        "<div class='cell'><div class='cell_input'>part 1</div><div class='cell_output'>"
        "<div class='output stream'>",
        "<pre style='break-inside: avoid'>part {}</pre>",
        "</div></div></div>",
        1,
        2,
    ),
}


@pytest.mark.parametrize("what", some_of(BREAKS, "a long table"))
def test_pages_break_where_they_may(browser, what):
    before, part, after, count, least = BREAKS[what]
    page = browser.new_page(viewport={"width": 643, "height": 964})
    parts = before + "".join(part.format(number) for number in range(count)) + after
    page.set_content(f"<article class='bd-article'><div></div>{parts}</article>")
    page.add_style_tag(path=ROOT / "book/_assets/print.css")
    for height in range(720, 964, 11):
        page.evaluate(f"document.querySelector('div').style.height = '{height}px'")
        printed = PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True)))
        counts = [len(re.findall(r"part \d", one.extract_text())) for one in printed.pages]
        assert all(not found or found >= least for found in counts), height
    page.close()


# What is published ------------------------------------------------------------------------------


def test_what_is_published_can_be_taken_away(site, tmp_path):
    book, ebook = tmp_path / "book.pdf", tmp_path / "book.epub"
    book.write_bytes(b"%PDF-1.7")
    ebook.write_bytes(b"PK")
    (tmp_path / "decks").mkdir()
    (tmp_path / "decks/index.html").write_text("<title>Decks</title>")
    publish.publish(site, book, ebook, tmp_path / "decks", tmp_path / "one")
    first = BeautifulSoup((tmp_path / "one/book/index.html").read_text("utf-8"), "html.parser")
    offered = [link["href"] for link in first.select(".take-away a")]
    files = [f"../perceptron-notes.{kind}" for kind in ("pdf", "epub", "zip")]
    assert offered == [*files, "../slides/index.html"]
    for link in offered:
        assert (tmp_path / "one/book" / link).resolve().is_file()
    assert "take-away" not in (site / "book/index.html").read_text("utf-8")

    with zipfile.ZipFile(tmp_path / "one/perceptron-notes.zip") as packed:
        assert packed.testzip() is None
        inside = {name.removeprefix("perceptron-notes/") for name in packed.namelist()}
        page = BeautifulSoup(packed.read("perceptron-notes/book/index.html"), "html.parser")
    built = {file.relative_to(site).as_posix() for file in files_in(site)}
    assert inside == built | {"perceptron-notes.pdf", "perceptron-notes.epub"}
    assert not page.select(".take-away")


def test_the_same_files_give_the_same_zip(tmp_path, monkeypatch):
    for name in ("one", "two"):
        pack({"b.html": "b", "a/c.html": b"c"}, tmp_path / f"{name}.zip")
        monkeypatch.setattr(time, "time", lambda: 2e9)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
