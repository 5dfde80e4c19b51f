"""Make one PDF of the built book, with Chromium.

    python book/pdf.py _build/html _build/book.pdf

The site's pages are joined into one document: a cover, the contents, the chapters,
moving figures as stills. It is printed repeatedly until the page numbers in it are right: those of
the contents, and those beside links that lead away. Chromium is what the site is tested with, and
it sets formulas, figures and Chinese as the site does, so there is no second path through TeX,
which would have to handle each of them again.

It is tagged: a screen reader finds headings, lists and tables, and a text for each figure and
formula. The reference of the package is on the site only, where its pages link to one another.
"""

import html
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from string import printable
from urllib.parse import unquote, urldefrag

import pikepdf
from bs4 import BeautifulSoup, Tag
from fontTools.ttLib import TTFont
from playwright.sync_api import Browser, Page, sync_playwright

HERE = Path(__file__).parent
sys.path += [str(HERE), str(HERE / "_ext")]

import web  # noqa: E402
from notes_site.card import draw_cover, need_han  # noqa: E402
from notes_site.contents import ENDING  # noqa: E402
from notes_site.editions import speaker  # noqa: E402
from notes_site.fonts import TEXT, subset  # noqa: E402
from notes_site.formulas import words  # noqa: E402
from notes_site.letters import FACE, covers  # noqa: E402
from notes_site.npm import install  # noqa: E402
from notes_site.statements import OUTCOMES  # noqa: E402
from pages import (  # noqa: E402
    ANSWERS,
    PREFACE,
    ROOT,
    Parts,
    SitePage,
    asked,
    language_of,
    order,
    read_yaml,
)

#: Pages of entries in order that link to each other, and are found by a name or a year.
ALPHABETIC = ("bibliography", "glossary")
#: Sections that every chapter has: they have bookmarks, but are not in the contents.
USUAL = {OUTCOMES, *ENDING, "answers"}
#: The alternative text of the cover's picture.
COVER = (
    "Circles and crosses in the plane, the lines that the perceptron tries, and the last one, "
    "which separates them"
)
#: The last lines of the book.
COLOPHON = """\
<p class="colophon">The letters of this book are those of Source Serif 4, Source Sans 3 and Source
Code Pro (© Adobe), of STIX Two Math (© The STIX Fonts Project Authors) and of KaTeX (© Design
Science, Khan Academy), under the SIL Open Font License 1.1. Its text, and the licences of all that
the book’s site carries of others, are in the site’s file <code>_static/licenses.txt</code>.</p>"""
COMPUTED = "When and with what the pages were computed:"
#: Stylesheets of the typefaces' packages, and the names of the families here.
SHEETS = {
    "@fontsource-variable/source-serif-4/wght.css": "Notes Serif",
    "@fontsource-variable/source-serif-4/wght-italic.css": "Notes Serif",
    "@fontsource-variable/source-sans-3/wght.css": "Notes Sans",
    "@fontsource-variable/source-code-pro/wght.css": "Notes Code",
    "@fontsource/stix-two-math/400.css": "Notes Maths",
}
#: The fonts of the pages. From a variable font, Chromium makes a program for each letter
#: (Type 3), which is unhinted on a screen and refused by some printers.
WEIGHTS = (400, 600, 700)
VARIABLE = re.compile(r"@font-face\{[^}]*font-weight:200 900[^}]*\}")
#: A formula's MathML, which would duplicate its text in the PDF.
MATHML = re.compile(
    r'class="katex([^"]*)"><span class="katex-mathml">(<math.*?</math>)</span>'
    r'<span class="katex-html" aria-hidden="true">',
    re.DOTALL,
)


@dataclass
class Entry:
    """A bookmark: its target, and its depth (a part 0, a chapter 1, a section 2)."""

    title: str
    anchor: str
    depth: int

    @property
    def listed(self) -> bool:
        """Whether it is in the contents too."""
        return self.anchor.partition("--")[2] not in USUAL


# The pages --------------------------------------------------------------------------------------


def picture(formula: re.Match) -> str:
    """Return a formula as screen readers need it: a picture with words."""
    kind, label = formula[1], html.escape(words(formula[2]))
    return f'class="katex{kind}" role="img" aria-label="{label}"><span class="katex-html">'


class Chapter(SitePage):
    """A page of the site on its way into the PDF."""

    def __init__(self, site: Path, name: str) -> None:
        super().__init__(site, name)
        self.sees: list[str] = []
        self.styles = [link["href"] for link in self.soup.select("head link[rel=stylesheet]")]
        self.inline_styles = [str(style) for style in self.soup.select("head > style")]

    def amended(self, text: str) -> str:
        """Return the page's HTML, with formulas as pictures."""
        return MATHML.sub(picture, text)

    def entries(self) -> Iterator[Entry]:
        """Yield the chapter and its sections, in plain text, for the contents and the bookmarks."""
        yield Entry(self.title, self.key, 1)
        for name, title in self.sections():
            yield Entry(title, self.anchor(name), 2)
        if self.article.select(".quiz"):
            yield Entry(self.say(ANSWERS), self.anchor("answers"), 2)

    def anchor(self, name: str) -> str:
        """Return the id in the book of an id of the page."""
        return f"{self.key}--{name}"

    def prepare(self, pages: set[str]) -> str:
        """Return the page's text for the book."""
        self.unfold_code()
        self.rest_figures()
        self.answer_quizzes()
        self.mark_leads()
        drop = "script, style, .headerlink, button, link"
        for one in self.article.select(drop):
            one.decompose()
        for fold in self.article.select("details"):
            fold["open"] = ""
        for head in self.article.select("summary"):
            head["role"] = "paragraph"  # no button in print
        self.own_ids()
        self.lead_links(pages)
        for image in self.article.select("img[src]"):
            image["src"] = (self.file.parent / unquote(image["src"])).resolve().as_uri()
        return (
            f'<section class="chapter" id="{self.key}" style="page: p-{self.key}">'
            f'<article class="bd-article">{self.article.decode_contents()}</article></section>'
        )

    def mark_leads(self) -> None:
        """Mark lines to keep with the next one: those ending in a colon, a question's points."""
        for line in self.article("p"):
            above = line.find_previous_sibling()
            points = above and above.name == "h2" and line.select_one(":scope > em:only-child")
            if line.get_text().rstrip().endswith((":", "：")) or points:
                line["class"] = [*line.get("class", []), "leads"]

    def own_ids(self) -> None:
        """Make the ids of this page unique in the book, and update the references to them."""
        for element in self.article.find_all(True):
            if element.get("id"):
                element["id"] = self.anchor(element["id"])
            for name, value in element.attrs.items():
                if isinstance(value, str) and "url(#" in value:
                    element[name] = value.replace("url(#", f"url(#{self.key}--")
            if element.name == "use":
                element["href"] = f"#{self.anchor(element['href'][1:])}"

    def lead_links(self, pages: set[str]) -> None:
        """Point links to pages of the site at their place in the book; drop those to its files."""
        for link in self.article.select("a[href]"):
            target, name = urldefrag(unquote(link["href"]))
            if re.match(r"[a-z]+:|//", target):
                continue
            page = self.name if not target else self.page_at(target)
            if page not in pages:
                del link["href"]
                if not link.find(class_="card-title"):  # whose frame stays
                    link.unwrap()
                continue
            key = Path(page).name
            place = f"{key}--{name}" if name else key
            link["href"] = f"#{place}"
            # In its own chapter a number is easily found; "below" is not.
            says = key == self.key and re.search(r"\d", link.get_text())
            if not (says or key in ALPHABETIC or link.svg or "button" in link.get("class", [])):
                self.add_page(link, place)

    def add_page(self, link: Tag, place: str) -> None:
        """Add room after a link for its target's page number, without nested brackets."""
        before = "".join(one.get_text() for one in link.previous_siblings)
        after = "".join(one.get_text() for one in link.next_siblings)
        if re.match(r"[A-Za-z0-9’-]", after):
            return
        text = self.say(" (p. 000)")
        opened = len(re.findall("[(（]", before)) - len(re.findall("[)）]", before))
        if opened > 0 or link.get_text().endswith(")"):
            text = self.say(", p. 000," if re.match(r"\s*\w", after) else ", p. 000")
        name = self.anchor(f"see-{len(self.sees)}")
        see = self.soup.new_tag("span", attrs={"class": "see", "id": name, "data-at": place})
        see.string = text.replace(" ", "\u00a0")
        link.insert_after(see)
        self.sees.append(name)


# The book ---------------------------------------------------------------------------------------


def compose(site: Path, folder: Path, parts: Parts) -> tuple[str, list[Entry]]:
    """Return the whole book as one HTML page, and its contents."""
    say = speaker(language := language_of(site))
    if language != "en":
        need_han()
    names = {name for _, files in parts for name in files}
    chapters, rows, entries = [], [], []
    for caption, files in parts:
        if caption:
            rows.append(f"<h2>{html.escape(say(caption))}</h2>")
            entries.append(Entry(say(caption), Path(files[0]).name, 0))
        for name in files:
            chapter = Chapter(site, name)
            if not caption:  # the site's first page
                chapter.call(say(PREFACE))
            found = list(chapter.entries())
            entries += found
            listed = [entry for entry in found if entry.listed] if caption else found[:1]
            rows.append(f"<div>{''.join(map(row, listed))}</div>")
            chapters.append(chapter)
    sheets = dict.fromkeys(
        (chapter.file.parent / href.partition("?")[0]).resolve()
        for chapter in chapters
        for href in chapter.styles
    )
    inline = dict.fromkeys(style for chapter in chapters for style in chapter.inline_styles)
    css = [VARIABLE.sub("", sheet.read_text("utf-8")) for sheet in sheets]
    css += [(HERE / name).read_text("utf-8") for name in ("_assets/print.css", "pdf.css")]
    running = "".join(running_head(chapter.key, chapter.title) for chapter in chapters)
    ran = {chapter.title: chapter.take_record() for chapter in chapters}
    made = "".join(f"<br>{title}: {line}." for title, line in ran.items() if line)
    colophon = say(COLOPHON) + f'<p class="colophon">{say(COMPUTED)}{made}</p>'
    chapters[-1].article.append(BeautifulSoup(colophon, "html.parser"))
    body = "".join(chapter.prepare(names) for chapter in chapters)
    settings = read_yaml("_config.yml")
    title = html.escape(say(settings["title"]))
    # Chromium reports the places only of elements that something links to.
    asked = [entry.anchor for entry in entries] + [see for one in chapters for see in one.sees]
    asking = "".join(f'<a href="#{place}"></a>' for place in asked)
    text = (
        f"<body>{cover(settings, folder, say)}"
        f'<nav class="book-contents"><h1>{say("Contents")}</h1>{"".join(rows)}</nav>{body}'
        f"<div hidden>{asking}</div></body>"
    )
    page = (
        f'<!DOCTYPE html><html lang="{language}" '
        f'data-theme="light"><meta charset="utf-8"><title>{title}</title>'
        f"<style>{faces(text, folder)}{''.join(css)}</style>{''.join(inline)}"
        f"<style>{running}</style>{text}"
    )
    return page, entries


def faces(text: str, folder: Path) -> str:
    """Return the text's font rules, and write the fonts, one for each weight, to the folder."""
    (folder / "fonts").mkdir(exist_ok=True)
    signs, rules = {*html.unescape(text), *printable}, ""
    for name, family in SHEETS.items():
        sheet = install(ROOT / "_build/.node") / name
        for rule in FACE.findall(sheet.read_text("utf-8")):
            file = sheet.parent / re.search(r"url\((\S+\.woff2)\)", rule)[1]
            maths = family == "Notes Maths"  # its package has the range of a text face
            known = TTFont(file).getBestCmap()
            kept = {one for one in signs if ord(one) in known and (maths or covers(rule, ord(one)))}
            if not kept:
                continue
            rule = re.sub("font-family: [^;]*", f'font-family: "{family}"', rule)
            rule = re.sub("unicode-range: [^;]*;", "", rule) if maths else rule
            for weight in WEIGHTS if "wght-normal" in file.name else [400]:
                font = f"fonts/{weight}-{file.name}"
                features = ["*"] if maths else TEXT
                (folder / font).write_bytes(subset(file, kept, family, features, weight))
                own = re.sub("src: [^;]*", f"src: url({font})", rule)
                if "wght-normal" in file.name:
                    own = re.sub("font-weight: [^;]*", f"font-weight: {weight}", own)
                rules += own
    return rules


def row(entry: Entry) -> str:
    """Return a line of the contents, with room for a page number."""
    return (
        f'<p class="line depth-{entry.depth}"><a href="#{entry.anchor}">'
        f"<span>{html.escape(entry.title)}</span></a>"
        f'<span class="dots"></span><span class="on-page" data-at="{entry.anchor}"></span></p>'
    )


def running_head(key: str, title: str) -> str:
    """Return the line at the top of a chapter's pages."""
    text = title.replace("\\", "\\\\").replace('"', '\\"')
    return f'@page p-{key} {{ @top-right {{ content: "{text}" }} }}\n'


def cover(settings: dict, folder: Path, say: Callable[[str], str]) -> str:
    """Return the first page: a run of the algorithm, the title, the author and the licence."""
    picture = folder / "cover.svg"
    version = say("Version {number}.").format(number=read_yaml("CITATION.cff")["version"])
    draw_cover(picture)
    return (
        f'<section class="cover"><img alt="{say(COVER)}" src="{picture.as_uri()}">'
        f'<p class="title">{html.escape(say(settings["title"]))}</p>'
        f"<p>{say('By {author}').format(author=html.escape(say(settings['author'])))}</p>"
        f'<p class="small">{version} '
        f"© {html.escape(say(settings['copyright']))}.</p></section>"
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

# Paragraphs of up to three lines are whole: of three, Chromium would leave one alone.
WHOLE = """() => {
    for (const e of document.querySelectorAll('.chapter p')) {
        const lines = e.clientHeight / parseFloat(getComputedStyle(e).lineHeight);
        if (lines < 3.8) e.style.breakInside = 'avoid';
    }
}"""

# The page numbers of the contents, and of the targets of links that are not in sight. (What is
# in sight once has no number any more, so that this comes to an end.) Tells whether any is new.
FILL = """(numbers) => {
    let changed = false;
    const write = (e, text) => {
        if (e.textContent === text) return;
        e.textContent = text;
        changed = true;
    };
    for (const e of document.querySelectorAll('.on-page')) write(e, `${numbers[e.dataset.at]}`);
    for (const e of document.querySelectorAll('.see')) {
        const to = numbers[e.dataset.at];
        const far = Math.abs(to - numbers[e.id]) > 1;
        write(e, far ? e.textContent.replace(/\\d+/, to) : '');
    }
    return changed;
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


def page_numbers(file: Path) -> dict[str, int]:
    """Return the page, counted from 1, of each target of a link."""
    with pikepdf.open(file) as book:
        return {name: number + 1 for name, (number, _) in places(book).items()}


def paginated(page: Page, draft: Path) -> Path:
    """Print the page until its page numbers are right, as they take room and so shift the text."""
    for _ in range(12):
        printed(page, draft)
        if not page.evaluate(FILL, page_numbers(draft)):
            return draft
    raise SystemExit("The page numbers do not come to rest")


def fit(page: Page) -> None:
    """Shrink elements wider than the text; raise if one still sticks out by a letter."""
    too_wide = page.evaluate(FIT)
    if too_wide:
        raise SystemExit("Wider than the page:\n  " + "\n  ".join(too_wide))


def laid_out(browser: Browser, source: Path) -> Page:
    """Return the book on pages as wide as the text on A4."""
    page = browser.new_page(viewport={"width": 643, "height": 950})
    page.set_default_timeout(0)  # 330 pages take what a busy machine needs for them
    page.emulate_media(media="print")
    page.goto(source.as_uri())
    page.evaluate("document.fonts.ready")
    fit(page)
    page.evaluate(WHOLE)
    return page


def make_pdf(site: Path, out: Path, parts: Parts) -> None:
    """Print the book; give it bookmarks and a title."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        text, entries = compose(site, Path(folder), parts)
        source, draft = Path(folder, "book.html"), Path(folder, "draft.pdf")
        source.write_text(text, "utf-8")
        browser = playwright.chromium.launch(executable_path=web.needed(), args=web.FLAGS)
        paginated(laid_out(browser, source), draft)
        write_pdf(draft, entries, out, language_of(site))
        browser.close()


def write_pdf(draft: Path, entries: list[Entry], out: Path, language: str = "en") -> None:
    """Write the PDF with its bookmarks and metadata, and its many tags compressed."""
    settings, citation, say = read_yaml("_config.yml"), read_yaml("CITATION.cff"), speaker(language)
    out.parent.mkdir(parents=True, exist_ok=True)
    with pikepdf.open(draft) as book:
        where = places(book)
        with book.open_outline() as outline:
            above = [(-1, outline.root)]
            for entry in entries:
                number, top = where[entry.anchor]
                item = pikepdf.OutlineItem(entry.title, number, "XYZ", left=0, top=top)
                item.is_closed = entry.depth > 0
                while above[-1][0] >= entry.depth:
                    above.pop()
                above[-1][1].append(item)
                above.append((entry.depth, item.children))
        with book.open_metadata(set_pikepdf_as_editor=False) as about:
            about.load_from_docinfo(book.docinfo)
            about["dc:title"] = say(settings["title"])
            about["dc:creator"] = [say(settings["author"])]
            about["dc:language"] = [language]
            about["dc:description"] = say(citation["abstract"])
            about["dc:subject"] = citation["keywords"]
            about["pdf:Keywords"] = ", ".join(citation["keywords"])
        # The cover has no number; what follows has its own at the foot.
        numbered = pikepdf.Dictionary(S=pikepdf.Name.D, St=2)
        labels = [0, pikepdf.Dictionary(P=say("Cover")), 1, numbered]
        book.Root.PageLabels = pikepdf.Dictionary(Nums=labels)
        book.Root.PageMode = pikepdf.Name.UseOutlines
        book.Root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
        pages = len(book.pages)
        book.save(out, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    print(f"{out}: {pages} pages, {out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    paths = {"site": "the folder of the built site, _build/html", "out": "the PDF"}
    site, out = asked("Make one PDF of the built book.", **paths)
    make_pdf(site, out, order(site))
