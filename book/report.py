"""Print how heavy each page of the built book is, and how much there is to read.

    python book/report.py _build/html

In kB: the page with its stylesheet and its scripts, compressed as a server does. Pictures do not
count, nor what is asked for later: the search, and files of rare letters. In words: the prose
before the exercises, with self-checks, where a formula is one word. A page that is over a budget,
that of words if it is a chapter, says so, and that is all: the writer decides.
"""

from __future__ import annotations

import argparse
import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bs4 import BeautifulSoup, Tag

KILOBYTES, WORDS = 300, 5000
PICTURE = re.compile(r'<svg class="figure[ "].*?</svg>', re.DOTALL)
#: What is not prose: code and its output, pictures, what acts.
APART = "pre, script, style, svg, noscript, button, .cell_output, .headerlink"


class Line(NamedTuple):
    """What the report says of a page."""

    page: str
    kilobytes: float
    words: int

    def __str__(self) -> str:
        over = []
        if self.kilobytes > KILOBYTES:
            over.append(f"over {KILOBYTES} kB")
        if self.words > WORDS and Path(self.page).name[0].isdecimal():  # the reference is long
            over.append(f"over {WORDS:,} words")
        line = f"{self.page:36}{self.kilobytes:5.0f}{self.words:8,}  {', '.join(over)}"
        return line.rstrip()


def report(site: Path) -> Iterator[Line]:
    """A line for each page that has a text."""
    for file in sorted(site.rglob("*.html"), key=in_order):
        text = file.read_text("utf-8")
        page = BeautifulSoup(text, "html.parser")
        if page.article is not None:
            name = file.relative_to(site).with_suffix("").as_posix()
            yield Line(name, kilobytes(file, text, page), words(page.article))


def in_order(file: Path) -> list[str | int]:
    """A key that puts chapter 10 after chapter 9."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", str(file))]


def kilobytes(file: Path, text: str, page: BeautifulSoup) -> float:
    """What the page loads, compressed, without its pictures."""
    names = [link["href"] for link in page.select("link[rel=stylesheet]")]
    names += [script["src"] for script in page.select("script[src]")]
    parts = [(file.parent / name.partition("?")[0]).read_bytes() for name in names]
    return sum(len(gzip.compress(part)) for part in [PICTURE.sub("", text).encode(), *parts]) / 1000


def words(article: Tag) -> int:
    """The words of a page's prose, up to its exercises."""
    exercises = article.select_one("section#exercises")
    for one in [*exercises.find_next_siblings(), exercises] if exercises else []:
        one.decompose()
    for one in article.select(APART):
        one.decompose()
    for formula in article.select(".katex"):
        formula.replace_with("formula")
    return sum(any(map(str.isalnum, word)) for word in article.get_text(" ").split())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Print how heavy and how long each page is.")
    parser.add_argument("site", type=Path, help="the folder of the built site, _build/html")
    arguments = parser.parse_args()
    print(f"{'page':36}{'kB':>5}{'words':>8}  (budgets: {KILOBYTES} kB, {WORDS:,} words)")
    for line in report(arguments.site):
        print(line)
