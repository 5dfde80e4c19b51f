"""A page with one of each construct that formulas stand in: built as the book is, and looked at."""

import unicodedata
from pathlib import Path

import pytest
from building import MATHS, builder_of, soup_of
from visiting import TELEPHONE, Heard, strange, visit

BOOK = Path(__file__).parent.parent.parent / "book"


@pytest.fixture(scope="module")
def maths_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("maths")


@pytest.fixture(scope="module")
def maths(maths_folder, node_modules):
    """The page that has one of each construct, built as the book is."""
    page, warnings = builder_of(maths_folder, node_modules)(
        MATHS,
        *["myst_nb", "formulas", "sphinx_proof", "statements", "sphinx_book_theme", "trim"],
        html_theme="sphinx_book_theme",
        html_static_path=[str(BOOK / "_assets")],
        html_css_files=["notes.css"],
        html_context={"default_mode": "auto"},
        myst_dmath_double_inline=True,
        nb_execution_mode="force",
        nb_merge_streams=True,
        nb_render_markdown_format="myst",
    )
    assert warnings == ""
    return page


def test_every_construct_is_set_and_says_the_same_in_mathml(maths):
    """What is seen and what is heard hold the same letters and digits."""
    formulas = soup_of(maths).select("article .katex")
    assert len(formulas) > 40
    for formula in formulas:
        heard, seen = formula.select_one("math"), formula.select_one(".katex-html")
        assert letters(heard) == letters(seen), heard
        assert letters(heard) or "⏟" in heard.get_text(), heard


def letters(element):
    text = unicodedata.normalize("NFKD", element.get_text())
    return sorted(c for c in text if c.isalnum())


def test_every_construct_stands_where_it_belongs(maths):
    soup = soup_of(maths)
    assert not soup.select(".katex-error")
    assert "mathjax" not in maths.lower()
    for place in (
        "h1",
        "h2",
        ".theorem > .admonition-title",
        ".proof-text",
        "td",
        "caption",
        "aside.margin",
        "li",
    ):
        assert soup.select(f"article {place} .katex"), place
    assert len(soup.select(".cell_output .katex")) == 2
    numbers = [number.get_text().rstrip("#¶") for number in soup.select(".eqno")]
    assert numbers == ["(1)", "(2)", "(3)"]
    assert soup.select_one("p a[href='#equation-the-bound']").get_text() == "(1)"
    assert soup.title.get_text().startswith("Every construct: wₜ₊₁")


def test_a_browser_shows_every_construct(maths, maths_folder, page):
    page.set_viewport_size(TELEPHONE)
    heard = Heard(page, maths_folder.as_uri())
    visit(page, (maths_folder / "_build/html/index.html").as_uri())
    heard.end()
    assert heard == []
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 390
    assert strange(page, ".katex-html", "KaTeX") == []
