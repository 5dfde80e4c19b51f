"""A page of the built site on its way into a book without scripts: a PDF or an EPUB."""

import html
import re
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, urldefrag, urljoin

import yaml
from bs4 import BeautifulSoup, Comment, NavigableString, PageElement, Tag

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "book" / "_ext"))

from notes_site.card import draw_front  # noqa: E402
from notes_site.editions import short, speaker  # noqa: E402
from notes_site.links import pages_address  # noqa: E402

PREFACE = "Before you begin"
ANSWERS = "Answers to the self-checks"
#: Sections that every chapter has, which the contents do not name.
USUAL = {
    "check-yourself",
    "summary",
    "exercises",
    "sources-and-further-reading",
    "answers",
}
#: The alternative text of the cover.
COVER = (
    "{title}. Circles and crosses in the plane, the lines that the perceptron tries, and the last "
    "one, which separates them"
)
#: The reference of the package: its pages link to one another, and are read beside an editor.
ON_THE_SITE = ("book/api",)
#: Selectors of elements for the site only.
NOT_READ = (
    "script, style, .headerlink, button, link, p:has(> .button:first-child), .problem-set-card"
)
Parts = list[tuple[str, list[str]]]
#: The end of a sentence, where another may begin.
END = re.compile(r"[.?!][)”’]*(?:\s+|$)|[。！？][）”’]*")


def read_yaml(name: str) -> Any:
    """Return the content of one of the project's YAML files."""
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def order(site: Path | None = None) -> Parts:
    """Return the parts of the book and their pages, as in `_toc.yml`; the first has no name.

    The sections of a page (the package's modules, what teachers look up) are on the site only. For
    a site without all pages, such as one in another language, the parts have only its pages.
    """
    contents = read_yaml("_toc.yml")
    parts = [("", [contents["root"]])]
    for part in contents["parts"]:
        files = [chapter["file"] for chapter in part["chapters"]]
        files = [name for name in files if name not in ON_THE_SITE]
        parts.append(
            (part["caption"], [one for one in files if not site or page_file(site, one).is_file()])
        )
    return [(caption, files) for caption, files in parts if files]


def page_file(site: Path, name: str) -> Path:
    """Return the file of a page."""
    return site / f"{name}.html"


def language_of(site: Path) -> str:
    """Return the language of a site, as declared on its first page."""
    found = re.search(r'<html lang="([\w-]+)"', (site / "book/index.html").read_text("utf-8"))
    return found[1] if found else "en"


def front(language: str, kind: str) -> tuple[bytes, str]:
    """Return the cover of the book, a PNG or an SVG, and its alternative text."""
    settings, say = read_yaml("_config.yml"), speaker(language)
    title, author = say(settings["title"]), say(settings["author"])
    cover = draw_front(title, say("By {author}").format(author=author), kind)
    return cover, say(COVER).format(title=title)


def address(language: str) -> str:
    """Return the address of the published site in a language, or ""."""
    settings = read_yaml("_config.yml")
    found = settings["html"]["baseurl"] or pages_address(settings["repository"]["url"])
    folder = "" if language == "en" else f"{short(language)}/"
    return f"{found.rstrip('/')}/{folder}" if found else ""


def marks(part: Tag, name: str) -> list[Comment]:
    """Return the comments `<!-- name -->` of a text: each marks the sentence before it."""
    return part.find_all(string=lambda text: isinstance(text, Comment) and text.strip() == name)


def sentences(paragraph: Tag) -> list[list[PageElement]]:
    """Split the contents of a paragraph into sentences, each with the marks that follow it."""
    found: list[list[PageElement]] = [[]]
    for node in list(paragraph.children):
        if isinstance(node, Comment) or not str(node).strip():
            (found[-1] or found[-2:][0]).append(node)
            continue
        text, pieces = "" if node.name == "code" else node.get_text(), [node]
        ends = [one.end() for one in END.finditer(text)]
        if ends and isinstance(node, NavigableString):
            pieces = [
                NavigableString(text[i:j]) for i, j in pairwise(sorted({0, *ends, len(text)}))
            ]
            node.replace_with(*pieces)
        for piece in pieces:
            found[-1].append(piece)
            if ends and (piece is not pieces[-1] or ends[-1] == len(text)):
                found.append([])
    return found


def sentence_of(node: PageElement) -> list[PageElement]:
    """Return the nodes, without marks, of the sentence with a node, or before a mark."""
    (found,) = (one for one in sentences(node.parent) if any(part is node for part in one))
    return [part for part in found if not isinstance(part, Comment)]


def contents(book: Sequence[tuple[str, Sequence["SitePage"]]], language: str) -> str:
    """Return the contents of a book as a nested list: parts, pages, sections."""
    rows = ""
    for caption, pages in book:
        inside = "".join(page.row(within=bool(caption)) for page in pages)
        part = f"<li><span>{html.escape(caption)}</span><ol>{inside}</ol></li>"
        rows += part if caption else inside
    return f"<h1>{speaker(language)('Contents')}</h1><ol>{rows}</ol>"


class SitePage:
    """A page of the site; `article` is the part that goes into a book."""

    def __init__(self, site: Path, name: str) -> None:
        self.site, self.name = site, name
        self.key = Path(name).name
        self.file = page_file(site, name)
        text = self.file.read_text("utf-8")
        self.soup = soup = BeautifulSoup(self.amended(text), "html.parser")
        self.article = soup.select_one("article")
        self.title = soup.title.get_text().partition(" — ")[0]
        self.language = soup.html.get("lang", "en")
        self.say = speaker(self.language)
        self.record = ""
        self.sections: list[tuple[str, str]] = []

    @classmethod
    def book(cls, site: Path, parts: Parts) -> list[tuple[str, list[Self]]]:
        """Return the parts of a book with their pages, prepared."""
        names = {name for _, files in parts for name in files}
        published = address(language_of(site))
        say = speaker(language_of(site))
        found = [
            (say(part) if part else "", [cls(site, name) for name in files])
            for part, files in parts
        ]
        for caption, pages in found:
            for page in pages:
                if not caption:  # the site's first page
                    page.title = page.article.h1.string = say(PREFACE)
                page.prepare(names, published)
        return found

    def amended(self, text: str) -> str:
        """Return the page's HTML, for parsing."""
        return text

    def page_at(self, target: str) -> str:
        """Return the page to which a link of this one leads; "" if it leaves the site."""
        file, site = (self.file.parent / target).resolve(), self.site.resolve()
        return file.relative_to(site).with_suffix("").as_posix() if site in file.parents else ""

    def place(self, page: str, name: str) -> str:
        """Return the address in the book of an id of a page; of the page, if there is no id."""
        raise NotImplementedError

    def prepare(self, pages: set[str], published: str = "") -> None:
        """Make the article what a book has of it.

        `pages` are those of the book; `published` is the address of the others, if any.
        """
        self.record = self.take_record()
        self.unfold_code()
        self.rest_figures()
        self.answer_quizzes()
        for one in self.article.select(NOT_READ):
            one.decompose()
        self.lead_links(pages, published)
        for title in self.article.select("section[id] > h2"):
            self.sections.append((title.parent["id"], " ".join(title.get_text().split())))

    def row(self, within: bool) -> str:
        """Return the row of the page in the contents, with its own sections if `within`."""

        def link(name: str, title: str) -> str:
            return f'<li><a href="{self.place(self.key, name)}">{html.escape(title)}</a>'

        own = [link(*one) + "</li>" for one in self.sections if within and one[0] not in USUAL]
        inside = f"<ol>{''.join(own)}</ol>" if own else ""
        return f"{link('', self.title)}{inside}</li>"

    def lead_links(self, pages: set[str], published: str) -> None:
        """Point links to pages of the book at their place in it, all others at the site, if any."""
        for link in self.article.select("a[href]"):
            target, name = urldefrag(unquote(link["href"]))
            if re.match(r"[a-z]+:|//", target):
                continue
            page = self.page_at(target) if target else self.name
            if page in pages:
                link["href"] = self.place(Path(page).name, name)
            elif published:
                link["href"] = urljoin(urljoin(published, f"{self.name}.html"), link["href"])
                del link["download"]
            elif link.find(class_="card-title"):  # whose frame stays
                del link["href"]
            else:
                link.unwrap()

    def unfold_code(self) -> None:
        """Unfold code that readers use: stubs, and controls that the next cell moves."""
        for fold in self.article.select("details.hide"):
            cell = fold.parent
            if "/assignments/" in self.name or cell.select_one(".pn-still"):
                fold.summary.decompose()
                fold.unwrap()
            else:
                fold.decompose()
                if not cell.find():
                    cell.decompose()

    def take_record(self) -> str:
        """Remove the fold that says how the page was computed; return its first rows as a line."""
        fold = self.article.select_one("details.computed")
        if fold is None:
            return ""
        texts = [one.decode_contents() for one in fold.extract().select("dd")]
        return "; ".join(texts[:2])

    def leave_on_site(self) -> None:
        """Remove the sentences that are marked as true on the site only."""
        for mark in marks(self.article, "site"):
            for one in sentence_of(mark):
                one.extract()
            paragraph = mark.parent
            mark.extract()
            if not (paragraph.get_text(strip=True) or paragraph.find()):
                paragraph.decompose()

    def rest_figures(self) -> None:
        """Replace moving figures by their stills, and remove what to try, which is for the site."""
        self.leave_on_site()
        for figure in self.article.select(".pn-figure"):
            picture = figure.select_one("noscript")
            if picture is None:
                raise SystemExit(f"{self.file}: an interactive figure has no still")
            picture.name = "div"
            figure.replace_with(picture)
        # Controls for a running notebook repeat another figure if they have no number of their own.
        for still in self.article.select(".pn-still"):
            numbered = still.find_parent("figure")
            (still("p")[-1] if numbered else still.find_parent(class_="cell_output")).decompose()
        for strong in self.article("strong", string=self.say("Try it.")):
            strong.string = self.say("On the site, try it.")

    def answer_quizzes(self) -> None:
        """Move the answers to self-checks to the chapter's end, with links there and back."""
        answers = []
        for number, quiz in enumerate(self.article.select(".quiz"), 1):
            options, reasons = "", ""
            for option in quiz.select(".quiz-option"):
                right = " right" * ("right" in option["class"])
                text, reason = option.select_one(".quiz-text"), option.select_one(".quiz-answer")
                options += f"<li>{text.decode_contents()}</li>"
                reasons += f'<li class="answer{right}">{reason.decode_contents()}</li>'
                option.decompose()
            quiz.append(BeautifulSoup(f"<ol type='A'>{options}</ol>", "html.parser"))
            title = quiz.select_one(".quiz-title")
            back = f"<a href='#quiz-{number}'>{title.get_text()}</a>"
            answers.append(f"<p class='quiz-title' id='answer-{number}'>{back}</p>")
            answers.append(f"<ol type='A'>{reasons}</ol>")
            title["id"] = f"quiz-{number}"
            title.string.wrap(self.soup.new_tag("a", href=f"#answer-{number}"))
        if answers:
            columns = f"<div class='answers'>{''.join(answers)}</div>"
            fragment = f"<section id='answers'><h2>{self.say(ANSWERS)}</h2>{columns}</section>"
            self.article.append(BeautifulSoup(fragment, "html.parser"))
