"""How much a reader is asked to read: words of prose and visible lines of code."""

from pathlib import Path

import nbformat
import pytest

from perceptron_notes import scenes

BOOK = Path(__file__).parent.parent.parent / "book"

#: Story, self-checks, proofs and exercises, all together.
WORDS = dict.fromkeys(["1-model", "2-pla", "3-convergence", "4-pocket", "5-dual"], 5000)
WORDS |= {
    "6-online": 4500,
    "7-margins": 4500,
    "8-classes": 4500,
    "9-networks": 4500,
    "10-scale": 4500,
    "museum": 3000,
    "sources": 3500,
    "museum-two": 1500,
}
#: A chapter's code that is not folded; what only formats or draws is.
LINES = 120
FOLDED = {"hide-input", "hide-cell", "remove-input", "remove-cell"}


def cells(name, kind):
    nb = nbformat.read(BOOK / f"{name}.ipynb", as_version=4)
    return [cell for cell in nb.cells if cell.cell_type == kind]


@pytest.mark.parametrize("name", WORDS)
def test_a_page_is_no_longer_than_promised(name):
    words = sum(len(cell.source.split()) for cell in cells(name, "markdown"))
    assert words <= WORDS[name]


@pytest.mark.parametrize("name", [name for name in WORDS if name[0].isdigit()])
def test_the_code_that_a_chapter_shows_is_worth_reading_and_little(name):
    shown = [
        line
        for cell in cells(name, "code")
        if not FOLDED & set(cell.metadata.get("tags", []))
        for line in cell.source.splitlines()
        if line.strip()
    ]
    assert len(shown) <= LINES


@pytest.mark.parametrize("name", [name for name in WORDS if name[0].isdigit()])
def test_a_chapter_opens_with_a_figure_to_play_with(name):
    """Behind the question, in a folded cell, before the outcomes."""
    nb = nbformat.read(BOOK / f"{name}.ipynb", as_version=4)
    title, first, prompt = nb.cells[:3]
    assert "?" in title.source
    assert any(f"{name}(" in first.source for name in ("Explorer", *scenes.__all__))
    assert FOLDED & set(first.metadata.get("tags", []))
    assert prompt.cell_type == "markdown"
    assert not prompt.source.startswith("#")
