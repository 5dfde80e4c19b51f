"""Make a deck of slides of each chapter, from the built site: nothing is written twice.

    python book/slides.py _build/html _build/slides

A slide has what a lecturer shows under the title of a section: a statement, a figure that lives, a
cell whose code the chapter shows, a self-check. Beside it stand sentences that a chapter marks:

    This is said. This is shown, too.<!-- slide --> This is said.

All text is for the speaker, who sees it with the key S. A cell that would be no slide becomes one
with the tag `slide`, and `no-slide` leaves one out. Side roads come last.

The folder has a page for each chapter and what these need. It works without a network, and opened
from a folder. reveal.js, from npm, turns the slides; a browser prints them, each on a page.
"""

from __future__ import annotations

import argparse
import copy
import json
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from bs4 import BeautifulSoup, Comment, NavigableString, Tag

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "book" / "_ext"))

from notes_site import notices, npm  # noqa: E402

SCRIPTS = Path(npm.__file__).parent / "scripts" / "slides"
#: What of the site the decks use.
STATIC = ["site.css", "type", "explorer", "favicon.svg", "licenses.txt"]
#: Sections of which nothing is shown.
LEFT_OUT = {"what-you-will-be-able-to-do", "exercises", "sources-and-further-reading"}

PAGE = """\
<!DOCTYPE html>
<html lang="{lang}" data-theme="light">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="_static/favicon.svg">
<link rel="stylesheet" href="_static/site.css">
<link rel="stylesheet" href="_static/slides.css">
<script defer src="_static/slides.js"></script>
{figures}</head>
<body>
<div class="reveal"><div class="slides">
{slides}
</div></div>
</body>
</html>
"""
FIGURES = '<script defer src="_static/explorer/{kind}.js"></script>\n'
SLIDE = """\
<section><div class="bd-article {kind}">{shown}</div>
<aside class="notes">{notes}</aside></section>"""
TITLE = '<h1>{title}</h1><p class="lead">{question}</p>'
CONTENTS = """\
<h1>{book}</h1><ol class="decks">{decks}</ol>
<p class="keys">The arrow keys turn the slides, S opens the speaker’s view, Escape shows all slides,
F fills the screen, and ? lists all keys. A figure that was clicked has the keys for itself. A
browser prints a deck with a slide on each page.</p>"""

#: Where a sentence ends, and another begins.
END = re.compile(r"[.?!]\s+")


@dataclass
class Slide:
    """What is shown at once, under a title, and what is said of it."""

    title: str
    shown: list[Tag] = field(default_factory=list)
    points: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    notes: list[Tag] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.shown or self.points)

    def html(self) -> str:
        """Write it; what is read stands beside a figure, and above all else."""
        read = "".join(f"<li>{point}</li>" for point in self.points)
        read = f"<ul>{read}</ul>" if read else ""
        if self.steps:
            read += f'<p class="steps">{" ".join(self.steps)}</p>'
        figure = any(one.select_one(".pn-figure, svg.figure, img") for one in self.shown)
        kind = "pair" if read and figure else "whole" if figure else ""
        shown = "".join(map(str, self.shown))
        parts = "".join(f"<div>{part}</div>" for part in (read, shown) if part)
        inside = f'<h2>{self.title}</h2><div class="parts">{parts}</div>'
        return SLIDE.format(kind=kind, shown=inside, notes=spoken(self.notes))


def deck(article: Tag, question: str) -> str:
    """Choose the slides of a chapter, those of its side roads last."""
    (chapter,) = article.find_all("section", recursive=False)
    title = words(chapter.h1)
    sections = [one.extract() for one in chapter.find_all("section", recursive=False)]
    opening = slides_of(chapter, escape(question))
    head = TITLE.format(title=title, question=escape(question))
    first = SLIDE.format(kind="first", shown=head, notes=spoken(opening[0].notes))
    opening[0].notes = []
    road, side = opening, list[Slide]()
    for section in sections:
        if section["id"] not in LEFT_OUT:
            curious = section.select_one(":scope > p.curious")
            (side if curious else road).extend(slides_of(section, words(section.h2)))
    return "\n".join([first, *(one.html() for one in [*road, *side] if one)])


def slides_of(section: Tag, title: str) -> list[Slide]:
    """Choose the slides of a section and of those in it, in their order.

    Marked words stand with what is shown before them, or just after.
    """
    slides = [Slide(title)]
    parts = section.find_all(True, recursive=False)
    for part, after in zip(parts, [*parts[1:], None], strict=True):
        if part.name == "section":
            slides += slides_of(part, words(part.h3 or part.h4))
        elif part.name in ("h1", "h2", "h3", "h4") or "curious" in part.get("class", ()):
            pass
        elif (shown := on_slide(part)) is not None:
            if slides[-1].shown:
                slides.append(Slide(title))
            slides[-1].shown.append(shown)
        else:
            points = marked(part)
            if points and slides[-1].shown and after and on_slide(after):
                slides.append(Slide(title))
            now = slides[-1]
            now.points += points
            now.steps += [str(one) for one in part.select("span.at")]
            now.notes.append(part)
    return slides


def on_slide(part: Tag) -> Tag | None:
    """Give what a slide shows of a part of a chapter, or nothing if it is for the speaker."""
    kinds = {*part.get("class", ())}
    if "tag_no-slide" in kinds or "proof-text" in kinds:
        return None
    if kinds & {"proof", "quiz", "slide"} or (part.name == "ul" and part.parent["id"] == "summary"):
        return part
    if "cell" not in kinds:
        return None
    figure = part.select_one("figure")
    code = part.select_one(":scope > .cell_input")
    if not (figure or code or "tag_slide" in kinds):
        return None
    for folded in part.select(":scope > details"):
        folded.decompose()
    return part


def marked(part: Tag) -> list[str]:
    """Give the sentences of a part that end with a mark."""
    found = []
    for mark in part.find_all(string=lambda text: isinstance(text, Comment)):
        if mark.strip() == "slide":
            sentence: list[str] = []
            for before in mark.previous_siblings:
                if isinstance(before, Comment):
                    continue
                ends = [*END.finditer(str(before))] if isinstance(before, NavigableString) else []
                if ends and (ends[-1].end() < len(before) or sentence):
                    sentence.append(before[ends[-1].end() :])
                    break
                if sentence and END.search(f"{before.get_text()} "):
                    break  # a formula with a full stop
                sentence.append(str(before))
            found.append("".join(reversed(sentence)).strip())
    return found


def spoken(parts: list[Tag]) -> str:
    """Write what the speaker reads: there formulas are MathML, which needs no stylesheet."""
    texts = []
    for part in map(copy.copy, parts):
        for formula in part.select(".katex"):
            formula.replace_with(formula.math)
        for drawing in part.select("svg, img, script, .pn-figure"):
            drawing.decompose()
        texts.append(part.decode_contents() if part.name == "div" else str(part))
    return "".join(texts)


def words(heading: Tag) -> str:
    """Give a heading's content without its number and its link."""
    bare = copy.copy(heading)
    for one in bare.select(".section-number, .headerlink"):
        one.decompose()
    return bare.decode_contents().strip()


def article_of(page: Path) -> Tag:
    """Read the text of a page, whose links lead nowhere on a slide."""
    soup = BeautifulSoup(page.read_text("utf-8"), "html.parser")
    article = soup.select_one("article")
    assert article is not None
    for link in article.select("a.headerlink"):
        link.decompose()
    for link in article.select("a.internal"):
        link.unwrap()
    give_words(article)
    return article


def give_words(article: Tag) -> None:
    """Give each figure the words of its kind, which the first one on a page has for all."""
    known: dict[str, dict[str, str]] = {}
    for state in article.select(".pn-figure > script"):
        told = json.loads(state.string or "")
        told["words"] = known.setdefault(state.parent["data-kind"], told["words"])
        state.string = json.dumps(told, ensure_ascii=False).replace("<", "\\u003c")


def page_of(title: str, slides: str) -> str:
    """Write the page of a deck."""
    soup = BeautifulSoup(slides, "html.parser")
    kinds = dict.fromkeys(one["data-kind"] for one in soup.select(".pn-figure"))
    figures = "".join(FIGURES.format(kind=kind) for kind in kinds)
    return PAGE.format(lang="en", title=title, figures=figures, slides=slides)


def chapters(site: Path) -> Iterator[tuple[str, str, str]]:
    """List the chapters, as the first page shows them: name, title, question."""
    first = BeautifulSoup((site / "book/index.html").read_text("utf-8"), "html.parser")
    for card in first.select(".chapter-cards a"):
        title, question = (card.select_one(f".card-{one}").text for one in ("title", "question"))
        yield card["href"].removesuffix(".html"), title, question


def make(site: Path, out: Path) -> None:
    """Make the folder `out` anew."""
    if not (site / "book/index.html").is_file():
        raise SystemExit(f"{site} has no book/index.html; build the book first: make book")
    shutil.rmtree(out, ignore_errors=True)
    static = out / "_static"
    static.mkdir(parents=True)
    for name in STATIC:
        copied = shutil.copytree if (site / "_static" / name).is_dir() else shutil.copyfile
        copied(site / "_static" / name, static / name)
    ask = npm.Tools(site.parent / ".node")
    script = ask("bundle", script=str(SCRIPTS / "slides.js"), minify=True)
    # A classic script: a page that was opened from a folder may load no module.
    (static / "slides.js").write_text(f"(() => {{{script}}})();", "utf-8")
    ask.close()
    modules = npm.install(site.parent / ".node")
    style = [modules / "reveal.js/dist/reveal.css", SCRIPTS / "slides.css"]
    (static / "slides.css").write_text("\n".join(one.read_text("utf-8") for one in style), "utf-8")
    of_reveal = notices.told([notices.npm_package(modules, "reveal.js")])
    with (static / "licenses.txt").open("a", encoding="utf-8") as licences:
        licences.write(of_reveal.removeprefix(notices.HEAD))
    decks = []
    for name, title, question in chapters(site):
        slides = deck(article_of(site / "book" / f"{name}.html"), question)
        (out / f"{name}.html").write_text(page_of(title, slides), "utf-8")
        decks.append(f'<li><a href="{name}.html">{title.partition(". ")[2]}</a></li>')
        print(f"{name:15} {slides.count('<section>'):3} slides")
    book = "The Perceptron, Executable"
    shown = CONTENTS.format(book=book, decks="".join(decks))
    (out / "index.html").write_text(
        page_of(book, SLIDE.format(kind="first", shown=shown, notes="")), "utf-8"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Make a deck of slides of each chapter.")
    parser.add_argument("site", type=Path, help="the folder of the built site")
    parser.add_argument("out", type=Path, help="the folder to make")
    arguments = parser.parse_args()
    make(arguments.site, arguments.out)
