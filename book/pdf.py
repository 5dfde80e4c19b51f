"""Make one PDF of the built book, with Chromium.

    python book/pdf.py _build/html _build/book.pdf

The site's pages are joined into one document: a cover, the contents, the chapters,
moving figures as stills. It is printed twice, the second time with the page numbers in the contents
that the first has shown. Chromium is what the site is tested with, and
it sets formulas, figures and Chinese as the site does, so there is no second path through TeX,
which would have to handle each of them again.

It is tagged: a screen reader finds headings, lists and tables, and a text for each figure and
formula. The reference of the package is on the site only, where its pages link to one another.
"""

import html
import re
import sys
import tempfile
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote

import pikepdf
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Page, sync_playwright

HERE = Path(__file__).parent
sys.path += [str(HERE), str(HERE / "_ext")]

import web  # noqa: E402
from notes_site.editions import speaker  # noqa: E402
from notes_site.formulas import words  # noqa: E402
from notes_site.npm import install  # noqa: E402
from pages import ROOT, Parts, SitePage, contents, front, language_of, order, read_yaml  # noqa: E402

#: The last lines of the book.
COLOPHON = """\
<p class="colophon">The letters of this book are those of Source Serif 4, Source Sans 3 and Source
Code Pro (© Adobe), of STIX Two Math (© The STIX Fonts Project Authors) and of KaTeX (© Design
Science, Khan Academy), under the SIL Open Font License 1.1. Its text, and the licences of all that
the book’s site carries of others, are in the site’s file <code>_static/licenses.txt</code>.</p>"""
COMPUTED = "When and with what the pages were computed:"
#: The typefaces. From a variable font, as the site has, Chromium makes a program for each letter
#: (Type 3), which is unhinted on a screen and refused by some printers.
FACES = [
    *(
        "source-serif-4/400",
        "source-serif-4/400-italic",
        "source-serif-4/600",
        "source-serif-4/700",
    ),
    *("source-sans-3/400", "source-sans-3/600", "source-sans-3/700", "source-code-pro/400"),
]
#: The typeface of formulas in text, for signs that those lack.
MATHS = "stix-two-math/files/stix-two-math-latin-400-normal.woff2"
#: A formula's MathML, which would duplicate its text in the PDF.
MATHML = re.compile(
    r'class="katex([^"]*)"><span class="katex-mathml">(<math.*?</math>)</span>'
    r'<span class="katex-html" aria-hidden="true">',
    re.DOTALL,
)


# The pages --------------------------------------------------------------------------------------


def picture(formula: re.Match) -> str:
    """Return a formula as screen readers need it: a picture with words."""
    kind, label = formula[1], html.escape(words(formula[2]))
    return f'class="katex{kind}" role="img" aria-label="{label}"><span class="katex-html">'


class Chapter(SitePage):
    """A page of the site on its way into the PDF."""

    def amended(self, text: str) -> str:
        """Return the page's HTML, with formulas as pictures."""
        return MATHML.sub(picture, text)

    def place(self, page: str, name: str) -> str:
        """Return the link to an id of a page."""
        return f"#{page}--{name}" if name else f"#{page}"

    def prepare(self, pages: set[str], published: str = "") -> None:
        """Make the article what the PDF has of it: all unfolded, with ids of its own."""
        super().prepare(pages, published)
        for head in self.article.select("summary"):
            head["role"] = "paragraph"  # no button in print
        self.own_ids()
        for image in self.article.select("img[src]"):
            image["src"] = (self.file.parent / unquote(image["src"])).resolve().as_uri()

    def places(self) -> list[tuple[str, str]]:
        """Return the places that bookmarks lead to: the chapter, its sections; and their titles."""
        sections = [(f"{self.key}--{name}", title) for name, title in self.sections]
        return [(self.key, self.title), *sections]

    def section(self) -> str:
        """Return the chapter's part of the PDF's page."""
        return (
            f'<section class="chapter" id="{self.key}" style="page: p-{self.key}">'
            f'<article class="bd-article">{self.article.decode_contents()}</article></section>'
        )

    def own_ids(self) -> None:
        """Make the ids of this page unique in the book, and update the references to them."""
        for element in self.article.find_all(True):
            if element.get("id"):
                element["id"] = f"{self.key}--{element['id']}"
            for name, value in element.attrs.items():
                if isinstance(value, str) and "url(#" in value:
                    element[name] = value.replace("url(#", f"url(#{self.key}--")
            if element.name == "use":
                element["href"] = self.place(self.key, element["href"][1:])


Book = list[tuple[str, list[Chapter]]]

# The book ---------------------------------------------------------------------------------------


def compose(site: Path, parts: Parts) -> tuple[str, Book]:
    """Return the whole book as one HTML page, and its chapters."""
    say = speaker(language := language_of(site))
    book = Chapter.book(site, parts)
    chapters = [chapter for _, part in book for chapter in part]
    chapters[-1].article.append(BeautifulSoup(colophon(chapters, say), "html.parser"))
    running = "".join(running_head(chapter.key, chapter.title) for chapter in chapters)
    settings = read_yaml("_config.yml")
    # Chromium reports the places only of elements that something links to.
    asked = [place for chapter in chapters for place, _ in chapter.places()]
    asking = "".join(f'<a href="#{place}"></a>' for place in asked)
    page = (
        f'<!DOCTYPE html><html lang="{language}" data-theme="light"><meta charset="utf-8">'
        f"<title>{html.escape(say(settings['title']))}</title>{styles(site)}"
        f"<style>{running}</style><body>{cover(language)}"
        f'<nav class="book-contents">{contents(book, language)}</nav>'
        f"{''.join(chapter.section() for chapter in chapters)}<div hidden>{asking}</div></body>"
    )
    return page, book


def colophon(chapters: list[Chapter], say: Callable[[str], str]) -> str:
    """Return the last lines of the book: whose letters it has, and when it was computed."""
    ran = "".join(f"<br>{one.title}: {one.record}." for one in chapters if one.record)
    return say(COLOPHON) + f'<p class="colophon">{say(COMPUTED)}{ran}</p>'


def styles(site: Path) -> str:
    """Return links to the typefaces, to the site's styles and to those of the PDF."""
    faces = install(ROOT / "_build/.node") / "@fontsource"
    sheets = [faces / f"{face}.css" for face in FACES]
    sheets += [site.resolve() / "_static/site.css"]
    sheets += [HERE / name for name in ("_assets/print.css", "pdf.css")]
    links = "".join(f'<link rel="stylesheet" href="{sheet.as_uri()}">' for sheet in sheets)
    signs = f'@font-face {{ font-family: "Notes Maths"; src: url({(faces / MATHS).as_uri()}) }}'
    return f"{links}<style>{signs}</style>"


def running_head(key: str, title: str) -> str:
    """Return the line at the top of a chapter's pages."""
    text = title.replace("\\", "\\\\").replace('"', '\\"')
    return f'@page p-{key} {{ @top-right {{ content: "{text}" }} }}\n'


def cover(language: str) -> str:
    """Return the first page: the cover, the version and the licence."""
    say, (picture, alt) = speaker(language), front(language, "svg")
    version = say("Version {number}.").format(number=read_yaml("CITATION.cff")["version"])
    rights = html.escape(say(read_yaml("_config.yml")["copyright"]))
    source = f"data:image/svg+xml;base64,{b64encode(picture).decode()}"
    return (
        f'<section class="cover"><img alt="{html.escape(alt)}" src="{source}">'
        f"<p>{version} © {rights}.</p></section>"
    )


# Printing ---------------------------------------------------------------------------------------

# Elements wider than the text are set smaller; those still wider by a letter are reported.
FIT = """() => {
    const chapter = (e) => e.closest('.chapter').getBoundingClientRect();
    const left = (e) => e.getBoundingClientRect().left;
    const inside = (e) => left(e) + (e.scrollWidth ?? 0) * (e.currentCSSZoom ?? 1);
    const right = (e) => Math.max(e.getBoundingClientRect().right, inside(e));
    for (const e of document.querySelectorAll('.chapter :is(.math-scroll, table)')) {
        const has = Math.min(e.clientWidth, chapter(e).right - left(e));
        const needs = Math.max(...[e, ...e.querySelectorAll('.base')].map(right)) - left(e);
        if (needs > has + 1) e.style.zoom = Math.floor((98 * has) / needs) / 100;
    }
    const seen = 'pre, table, .base, svg.figure, img, p, li, dt, dd, h1, h2, h3';
    return [...document.querySelectorAll(`.chapter :is(${seen})`)]
        .filter((e) => right(e) > chapter(e).right + 6)
        .map((e) => `${e.closest('.chapter').id}: ${e.textContent.trim().slice(0, 60)}`);
}"""

# The page numbers of the contents, for which there is room already.
FILL = """(numbers) => {
    for (const e of document.querySelectorAll('.book-contents a'))
        e.dataset.page = numbers[e.getAttribute('href').slice(1)];
}"""


def printed(page: Page, file: Path) -> Path:
    """Print the page in its current state."""
    page.pdf(path=file, prefer_css_page_size=True, print_background=True, tagged=True)
    return file


def places(book: pikepdf.Pdf) -> dict[str, tuple[int, float]]:
    """Return the page, from 0, and the height on it of each target of a link."""
    numbers = {page.obj.objgen: number for number, page in enumerate(book.pages)}
    return {
        name.lstrip("/"): (numbers[target[0].objgen], float(target[3]))
        for name, target in book.Root.Dests.items()
    }


def paginated(page: Page, draft: Path) -> Path:
    """Print the page with the page numbers in its contents."""
    with pikepdf.open(printed(page, draft)) as book:
        page.evaluate(FILL, {name: number + 1 for name, (number, _) in places(book).items()})
    return printed(page, draft)


def laid_out(browser: Browser, source: Path) -> Page:
    """Return the book on pages as wide as the text on A4; raise if anything is still wider."""
    page = browser.new_page(viewport={"width": 643, "height": 950})
    page.set_default_timeout(0)  # 330 pages take what a busy machine needs for them
    page.emulate_media(media="print")
    page.goto(source.as_uri())
    page.evaluate("document.fonts.ready")
    if too_wide := page.evaluate(FIT):
        raise SystemExit("Wider than the page:\n  " + "\n  ".join(too_wide))
    return page


def make_pdf(site: Path, out: Path, parts: Parts) -> None:
    """Print the book; give it bookmarks and a title."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        text, book = compose(site, parts)
        source, draft = Path(folder, "book.html"), Path(folder, "draft.pdf")
        source.write_text(text, "utf-8")
        browser = playwright.chromium.launch(executable_path=web.needed(), args=web.FLAGS)
        paginated(laid_out(browser, source), draft)
        write_pdf(draft, book, out, language_of(site))
        browser.close()


def bookmarks(book: Book, where: dict[str, tuple[int, float]]) -> Iterator[pikepdf.OutlineItem]:
    """Yield the bookmarks of the parts, with those of their chapters and sections below them."""

    def mark(place: str, title: str) -> pikepdf.OutlineItem:
        number, top = where[place]
        return pikepdf.OutlineItem(title, number, "XYZ", left=0, top=top)

    for caption, chapters in book:
        found = []
        for chapter in chapters:
            found.append(mark(chapter.key, chapter.title))
            found[-1].is_closed = True
            found[-1].children.extend(mark(*place) for place in chapter.places()[1:])
        if caption:
            part = mark(chapters[0].key, caption)
            part.children.extend(found)
            found = [part]
        yield from found


def write_pdf(draft: Path, chapters: Book, out: Path, language: str = "en") -> None:
    """Write the PDF with its bookmarks and metadata, and its many tags compressed."""
    settings, citation, say = read_yaml("_config.yml"), read_yaml("CITATION.cff"), speaker(language)
    out.parent.mkdir(parents=True, exist_ok=True)
    with pikepdf.open(draft) as book:
        with book.open_outline() as outline:
            outline.root.extend(bookmarks(chapters, places(book)))
        with book.open_metadata(set_pikepdf_as_editor=False) as about:
            about.load_from_docinfo(book.docinfo)
            about["dc:title"] = say(settings["title"])
            about["dc:creator"] = [say(settings["author"])]
            about["dc:language"] = [language]
            about["dc:description"] = say(citation["abstract"])
            about["dc:subject"] = citation["keywords"]
            about["pdf:Keywords"] = ", ".join(citation["keywords"])
        book.Root.PageMode = pikepdf.Name.UseOutlines
        book.Root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
        pages = len(book.pages)
        book.save(out, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    print(f"{out}: {pages} pages, {out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    site, out = map(Path, sys.argv[1:])
    make_pdf(site, out, order(site))
