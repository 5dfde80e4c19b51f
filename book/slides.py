"""Make slides of each chapter from the built site, so that nothing is written twice.

    python book/slides.py _build/html _build/slides

A slide has what a lecturer shows under the title of a section: a statement, a moving figure, a
cell whose code the chapter shows, a self-check. Beside it stand sentences that a chapter marks:

    This is said. This is shown, too.<!-- slide --> This is said.

A mark before a displayed formula includes the formula. Words that move a figure (the role `at`)
stay in their sentence, which is shown while the figure shows what it describes. All text is for the
speaker, who sees it with the key S. The tag `slide` shows a cell's output, without its code, and
`no-slide` leaves a cell out. Side roads come last.

The folder has a page for each chapter and what these need. It works without a network, and opened
from a folder. reveal.js, from npm, turns the slides; a browser prints them, each on a page.
"""

import copy
import json
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from bs4 import BeautifulSoup, Comment, PageElement, Tag

HERE = Path(__file__).parent
sys.path += [str(HERE), str(HERE / "_ext")]

from notes_site import notices, npm  # noqa: E402
from notes_site.editions import speaker  # noqa: E402
from pages import (  # noqa: E402
    ROOT,
    SitePage,
    language_of,
    marks,
    page_file,
    read_yaml,
    sentence_of,
)

SETTINGS = read_yaml("_config.yml")
SCRIPTS = Path(npm.__file__).parent / "scripts" / "slides"
#: Files of the site that the decks use.
STATIC = ["site.css", "type", "explorer", "favicon.svg", "licenses.txt"]
#: Sections of which nothing is shown.
LEFT_OUT = {"exercises", "sources-and-further-reading"}

PAGE = """\
<!DOCTYPE html>
<html lang="{language}" data-theme="light">
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
<p class="keys">The arrow keys turn the slides, and lead through a run step by step. S opens the
speaker’s view, Escape shows all slides, F fills the screen, and ? lists all keys. A figure that was
clicked has the keys for itself. A browser prints a deck with a slide on each page.</p>"""

#: Nodes that are not text: pictures, and code.
SHOWN_ONLY = "svg, img, script, .pn-figure, .pn-still, .cell_input, details.hide, .highlight-python"


@dataclass
class Slide:
    """The elements shown together, under a title, and the speaker's text."""

    title: str
    before: list[str] = field(default_factory=list)
    shown: Tag | None = None
    after: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    notes: list[Tag] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.shown or self.before)

    def html(self) -> str:
        """Return the slide; text is beside a figure, but above and below anything else."""
        shown = str(self.shown or "")
        parts = [points(self.before), shown, points(self.after)]
        kind = ""
        if self.shown and (figure := self.shown.select_one(".pn-figure, svg.figure, img")):
            read = points(self.before + self.after) + stepwise(self.steps)
            parts, kind = [read, shown], "pair" if read else "whole"
            if read and figure.name == "svg" and is_flat(figure):
                kind = "flat"
        below = "".join(f"<div>{part}</div>" for part in parts if part)
        inside = f'<h2>{self.title}</h2><div class="parts">{below}</div>'
        return SLIDE.format(kind=kind, shown=inside, notes=spoken(self.notes))


def is_flat(figure: Tag) -> bool:
    """Return whether a picture is so wide that beside a text its letters would be too small."""
    *_, wide, high = map(float, figure["viewbox"].split())
    return wide > 1.7 * high


def points(sentences: list[str]) -> str:
    """Write sentences as a list."""
    listed = "".join(f"<li>{one}</li>" for one in sentences)
    return f'<ul class="points">{listed}</ul>' if listed else ""


def stepwise(steps: list[str]) -> str:
    """Return the sentences that move a figure: one is shown at a time, by the arrow keys."""
    told = "".join(f'<p class="{"fragment" if n else ""}">{one}</p>' for n, one in enumerate(steps))
    return f'<div class="steps">{told}</div>' if steps else ""


def deck(article: Tag, question: str) -> tuple[list[str], list[str]]:
    """Return the slides of a chapter: those of its main path, and those of its side roads."""
    (chapter,) = article.find_all("section", recursive=False)
    title = title_of(chapter.h1)
    for one in LEFT_OUT:
        if section := chapter.find(id=one):
            section.decompose()
    beside = [one.extract() for one in chapter.select("section:has(> p.curious)")]
    road = slides_of(chapter, escape(question))
    head = TITLE.format(title=title, question=escape(question))
    first = SLIDE.format(kind="first", shown=head, notes=spoken(road[0].notes[:1]))
    del road[0].notes[:1]
    side = [
        slide
        for section in beside
        for slide in slides_of(section, title_of(section.h2 or section.h3))
    ]
    return [first, *written(road)], written(side)


def written(slides: list[Slide]) -> list[str]:
    """Return slides as HTML; text without anything to show goes to the slide before."""
    kept = slides[:1]
    for slide in slides[1:]:
        if slide:
            kept.append(slide)
        else:
            kept[-1].notes += slide.notes
    return [slide.html() for slide in kept if slide]


def slides_of(section: Tag, title: str) -> list[Slide]:
    """Return the slides of a section and its subsections, in order.

    Marked sentences are on the slide of the element before them, or just after.
    """
    slides = [Slide(title)]
    parts = section.find_all(True, recursive=False)
    for part, after in zip(parts, [*parts[1:], None], strict=True):
        if part.name == "section":
            slides += slides_of(part, title_of(part.h2 or part.h3 or part.h4))
        elif part.name in ("h1", "h2", "h3", "h4") or "curious" in part.get("class", ()):
            pass
        elif (shown := on_slide(part)) is not None:
            if slides[-1].shown or (is_quiz(part) and slides[-1].before):
                slides.append(Slide(title))
            slides[-1].shown = shown
        else:
            found = marked(part)
            if found and slides[-1].shown and after and on_slide(after) and not is_quiz(after):
                slides.append(Slide(title))
            now = slides[-1]
            (now.after if now.shown else now.before).extend(found)
            now.steps += steps_of(part)
            now.notes.append(part)
    return slides


def is_quiz(part: Tag) -> bool:
    """Return whether a part of a chapter is a self-check, which stands alone."""
    return "quiz" in part.get("class", ())


def on_slide(part: Tag) -> Tag | None:
    """Return the element of a part that a slide shows, or None if it is for the speaker."""
    kinds = {*part.get("class", ())}
    if "tag_no-slide" in kinds or "proof-text" in kinds:
        return None
    if kinds & {"proof", "quiz", "slide"} or (part.name == "ul" and part.parent["id"] == "summary"):
        return part
    if "cell" not in kinds:
        return None
    figure = part.select_one("figure")
    code = part.select_one(":scope > .cell_input")
    if "tag_slide" in kinds and code:
        code.decompose()
    elif not (figure or code or "tag_slide" in kinds):
        return None
    for folded in part.select(":scope > details"):
        if made := "tag_slide" in kinds and folded.select_one(".cell_output"):
            part.append(made)
        folded.decompose()
    return part


def marked(part: Tag) -> list[str]:
    """Return the sentences of a part that end with a mark."""
    return [markup(sentence_of(mark)) + formula_after(mark) for mark in marks(part, "slide")]


def steps_of(part: Tag) -> list[str]:
    """Return the sentence of each role `at` in a part, with its words marked."""
    found = []
    for words in part.select("span.at"):
        sentence = sentence_of(words)
        words.name = "b"
        found.append(markup(sentence))
        words.name = "span"
    return found


def markup(nodes: list[PageElement]) -> str:
    """Return the nodes of a sentence as HTML."""
    return "".join(
        str(one) if isinstance(one, Tag) else escape(one, quote=False) for one in nodes
    ).strip()


def formula_after(mark: Comment) -> str:
    """Return the displayed formula after a mark at the end of its paragraph, or ""."""
    formula = mark.parent.find_next_sibling()
    if any(str(rest).strip() for rest in mark.next_siblings) or not formula:
        return ""
    if "math" not in formula.get("class", ()):
        return ""
    formula = copy.copy(formula)
    formula.attrs.pop("id", None)
    return str(formula)


def spoken(parts: list[Tag]) -> str:
    """Return the speaker's text, with formulas as MathML, which needs no stylesheet."""
    texts = []
    for part in map(copy.copy, parts):
        for formula in part.select(".katex"):
            formula.replace_with(formula.math)
        for other in part.select(SHOWN_ONLY):
            other.decompose()
        for step in part.select("span.at"):
            step.unwrap()
        for folded in part.select("summary"):
            folded.name = "p"
        texts.append(part.decode_contents() if part.name in ("div", "details") else str(part))
    return "".join(texts)


def title_of(heading: Tag) -> str:
    """Return a heading's content without its number and its link."""
    bare = copy.copy(heading)
    for one in bare.select(".section-number, .headerlink"):
        one.decompose()
    return bare.decode_contents().strip()


def article_of(site: Path, name: str) -> Tag:
    """Return the article of a page, without links, which lead nowhere on a slide."""
    article: Tag = SitePage(site, name).article
    for link in article.select("a.headerlink, details.computed"):
        link.decompose()
    for link in article.select("a.internal"):
        link.unwrap()
    for inner in article.select(".proof section"):
        inner.name = "div"  # nested sections would be vertical slides
    give_words(article)
    return article


def give_words(article: Tag) -> None:
    """Copy the texts of each kind of figure from the first one on a page to all."""
    known: dict[str, dict[str, str]] = {}
    for state in article.select(".pn-figure > script"):
        told = json.loads(state.string or "")
        told["words"] = known.setdefault(state.parent["data-kind"], told["words"])
        state.string = json.dumps(told, ensure_ascii=False).replace("<", "\\u003c")


def page_of(title: str, slides: str, language: str) -> str:
    """Return the page of a deck."""
    soup = BeautifulSoup(slides, "html.parser")
    kinds = dict.fromkeys(one["data-kind"] for one in soup.select(".pn-figure"))
    figures = "".join(FIGURES.format(kind=kind) for kind in kinds)
    return PAGE.format(language=language, title=title, figures=figures, slides=slides)


def shown_alike(style: Path) -> str:
    """Return a stylesheet without its print rules, so that slides are printed as shown."""
    text = re.sub(r"@media (only )?print\b", "@media not all", style.read_text("utf-8"))
    return text.replace("@media screen", "@media all")


def chapters(site: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the chapters, as the first page shows them: name, title, question."""
    first = BeautifulSoup((site / "book/index.html").read_text("utf-8"), "html.parser")
    for card in first.select(".chapter-cards a"):
        title, question = (card.select_one(f".card-{one}").text for one in ("title", "question"))
        yield card["href"].removesuffix(".html"), title, question


def make_slides(site: Path, out: Path) -> None:
    """Create the folder `out` afresh."""
    shutil.rmtree(out, ignore_errors=True)
    static = out / "_static"
    static.mkdir(parents=True)
    for name in STATIC:
        copied = shutil.copytree if (site / "_static" / name).is_dir() else shutil.copyfile
        copied(site / "_static" / name, static / name)
    ask = npm.Tools(ROOT / "_build/.node")
    script = ask("bundle", script=str(SCRIPTS / "slides.js"))
    # A classic script, as a page opened from a folder cannot load modules.
    (static / "slides.js").write_text(f"(() => {{{script}}})();", "utf-8")
    ask.close()
    modules = npm.install(ROOT / "_build/.node")
    styles = [modules / "reveal.js/dist/reveal.css", SCRIPTS / "slides.css"]
    (static / "slides.css").write_text("\n".join(map(shown_alike, styles)), "utf-8")
    (static / "site.css").write_text(shown_alike(static / "site.css"), "utf-8")
    of_reveal = notices.licence_text([notices.npm_package(modules, "reveal.js")])
    with (static / "licenses.txt").open("a", encoding="utf-8") as licences:
        licences.write(of_reveal.removeprefix(notices.HEAD))
    decks, say = [], speaker(language := language_of(site))
    for name, title, question in chapters(site):
        if not page_file(site, f"book/{name}").is_file():
            continue  # not translated yet
        road, side = deck(article_of(site, f"book/{name}"), question)
        (out / f"{name}.html").write_text(page_of(title, "\n".join(road + side), language), "utf-8")
        decks.append(f'<li><a href="{name}.html">{title.partition(". ")[2]}</a></li>')
        print(f"{name:15} {len(road):3} slides, and {len(side):2} of side roads")
    book = say(SETTINGS["title"])
    shown = say(CONTENTS).format(book=book, decks="".join(decks))
    (out / "index.html").write_text(
        page_of(book, SLIDE.format(kind="first", shown=shown, notes=""), language), "utf-8"
    )


if __name__ == "__main__":
    make_slides(*map(Path, sys.argv[1:]))
