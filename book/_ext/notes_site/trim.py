"""A page loads what it shows and no more: one stylesheet, one script, small fonts.

The theme and the extensions bring eleven stylesheets, a dozen scripts, an icon font and sixty
translations, for all that a page might hold. Our `layout.html` names one stylesheet and one script
instead, and asks for the script once the text is seen. What goes into those is known once the
pages are written:

- esbuild joins the stylesheets, without the rules that no page uses: `tools.mjs` leaves out
  those that no element meets, and PurgeCSS those with a name that no page has;
- fonts stand in it, with the characters that occur;
- esbuild joins the scripts that every page needs, and that run also when the page is long there.
  The theme's own stay out: what they do for this book is in `frame.js`. Scripts for
  the search or for a figure stay by themselves, on the pages that have one;
- files in `_static` that no page names leave the site.

One stylesheet for all pages rather than one for each: the next page then needs none.
"""

from __future__ import annotations

import hashlib
import html
import re
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterable
from html.parser import HTMLParser
from itertools import filterfalse, groupby
from pathlib import Path
from string import ascii_letters, digits
from typing import Any
from unicodedata import combining

from fontTools.ttLib import TTFont
from sphinx.application import Sphinx
from sphinx.config import Config

from .fonts import TEXT, subset
from .formulas import FAMILY

HERE = Path(__file__).parent

#: The theme's stylesheets, which its layout would name itself.
SHEETS = ["styles/theme.css", "styles/pydata-sphinx-theme.css"]
#: The theme's scripts, in whose stead there is `frame.js`.
THEME = {"_static/scripts/sphinx-book-theme.js"}
#: Scripts for some pages only; those of figures are in a folder of their own.
APART = {"_static/design-tabs.js", "_static/search.js"}
FIGURES = "_static/explorer/"
#: Scripts of Sphinx's that our `search.html` names.
SEARCH = ["_static/searchtools.js", "_static/language_data.js"]
#: Words that come into a page while it is read: its state, and what is unfolded.
LATER = ["data-theme", "data-mode", "light", "dark", "auto", "open", "show"]
#: What is not so, but said to a screen reader.
AMENDED = {
    '<summary aria-label="Toggle hidden content">': "<summary>",
    '<div role="list" class="citation-list">': '<div class="citation-list">',
    ' role="doc-biblioentry"': "",
}
#: Words of code and of links, and the colons of a reference, which no rule of ours asks for.
WORDS = re.compile(r'<span class="(?:pre|colon|std std-\w+)">([^<]*)</span>')
#: MyST-NB's fold, in the clothes of a note, with two words of which one is hidden.
FOLD = re.compile(
    r'<details class="admonition hide above-input">\s*<summary>\s*<p[^>]*>(.*?)</p>.*?</summary>',
    re.DOTALL,
)
#: Code in a sentence that does not fit on the line of a telephone, so that it may be broken.
LONG = re.compile(r'(?<=<code class="docutils literal notranslate)(?=">[^<]{25})')
#: Classes of a table's rows, of links and of boxes that no rule of ours names.
NAMELESS = re.compile(
    r' class="row-(?:odd|even)"|(?<= class=")reference (?=internal)'
    r'|(?: tag_[\w-]+)* docutils container(?=")| title="Link[\w ]*"(?=>#</a>)'
    r'|(?<=class=")((?:[\w-]+ )*highlight-[\w-]+) notranslate(?=">)|(?<=<pre>)<span></span>'
)
#: Names, operators, brackets, prefixes and spaces in code: half of its elements, coloured as the
#: text is.
PLAIN = re.compile(r'<span class="(?:n|nn|o|p|sa|si|w)">([^<]*)</span>')
#: What is set in letters of its own; and in italics, but for signatures, which are code.
CODE = re.compile(r"<(pre|code|kbd|svg|math|script|style)\b.*?</\1>", re.DOTALL)
EMPHASIS = re.compile(r"<(?:em|i|cite|dfn|var)\b(?! class=.(?:sig|prop))[^>]*>([^<]*)")
TAG = re.compile(r"<[^>]*>")
ASCII = set(map(chr, range(128)))
#: What a reader may type: the signs of a keyboard, and the letters of Western Europe.
TYPED = set(map(chr, [*range(0x20, 0x7F), *range(0xA1, 0x100)])) | set("‘’“”–—…")
FONT = re.compile(r"type/[\w-]+\.woff2")
#: The families of the theme's icons, whose name is reserved to the whole fonts.
ICONS = re.compile(r'"?Font Awesome\\? \d+ (Free|Brands)"?')
#: A face with the letters that every page has.
FIRST = "-latin-wght-"
#: Elements without an end.
VOID = {"br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
OURS = re.compile(r'(_static/)(site\.css|site\.js|find\.js|texts\.js)(?:\?v=\w+)?(?=[" ])')


def find_templates(_app: Sphinx, config: Config) -> None:
    """Let our templates stand before the theme's."""
    config.templates_path = [str(HERE / "templates"), *config.templates_path]


def lighten(
    app: Sphinx, _pagename: str, _template: str, context: dict[str, Any], _doctree: Any
) -> None:
    """Leave to a page the scripts that are its own; note what is to be joined for all."""
    body = context.get("body", "")
    for wrong, right in AMENDED.items():
        body = body.replace(wrong, right)
    body = PLAIN.sub(r"\1", WORDS.sub(r"\1", NAMELESS.sub(lambda found: found[1] or "", body)))
    body = FOLD.sub(r'<details class="hide"><summary>\1</summary>', body)
    context["body"] = LONG.sub(" long", body)
    names = [one.filename for one in context["script_files"] if one.filename]
    app.joined = (
        SHEETS + [str(one.filename).removeprefix("_static/") for one in context["css_files"]],
        [name for name in names if name not in THEME and not apart(name)],
    )
    if "sd-tab-set" not in body:
        names = [name for name in names if name != "_static/design-tabs.js"]
    context["later"] = ["_static/site.js", *(name for name in names if name.startswith(FIGURES))]
    context["apart"] = [name for name in names if name in APART]


def apart(name: str) -> bool:
    """Whether a script is for some pages only."""
    return name in APART or name.startswith(FIGURES)


def trim(app: Sphinx, exception: Exception | None) -> None:
    """Join, purge and clear out."""
    if exception or app.builder.format != "html":
        return
    site = Path(app.outdir).resolve()
    static = site / "_static"
    files = [file for file in sorted(site.rglob("*.html")) if static not in file.parents]
    pages = {file: file.read_text("utf-8") for file in files}
    if hasattr(app, "joined"):  # else no page was written
        versions = join(app, site, "".join(pages.values()), *app.joined)
        for file, page in pages.items():
            pages[file] = OURS.sub(lambda m: f"{m[1]}{m[2]}?v={versions.get(m[2], '')}", page)
            if pages[file] != page:
                file.write_text(pages[file], "utf-8")
    sheets = (file.read_text("utf-8") for file in static.glob("site.css"))
    named = re.findall(r"_static/([^\"'?#)\s]+)", "".join(pages.values()))
    named += re.findall(r'url\("\./([^")]+)"\)', "".join(sheets))
    clear_out(static, set(named))


def join(
    app: Sphinx, site: Path, pages: str, sheets: list[str], scripts: list[str]
) -> dict[str, str]:
    """Write the one stylesheet and the one script; return a checksum for each."""
    static = site / "_static"
    for file in filter(Path.is_file, (site / name for name in [*APART, *SEARCH])):
        file.write_text(app.tools("minify", script=file.read_text("utf-8")), "utf-8")
    script = app.tools(
        "join",
        scripts=[(site / name).read_text("utf-8") for name in scripts],
        modules=[str(HERE / "frame.js")],
        folder=str(site),
    )
    others = [
        file.read_text("utf-8")
        for pattern in ("explorer/*.js", "find.js")
        for file in static.glob(pattern)
    ]
    css = app.tools(
        "style",
        sheets=sheets,
        folder=str(static),
        words=[*vocabulary(pages, [script, *others]), *LATER],
        kinds=kinds(pages),
        made=[*made(pages, [script, *others]), *LATER],
    )
    css = ICONS.sub(r"NotesIcons_\1", css)
    css = text_fonts(small_fonts(css, static, pages), static, pages, set().union(*others))
    texts = {"site.css": css, "site.js": script}
    for name, text in texts.items():
        (static / name).write_text(text, "utf-8")
    later = [static / name for name in ("find.js", "texts.js") if (static / name).is_file()]
    return {name: checksum(text.encode()) for name, text in texts.items()} | {
        file.name: checksum(file.read_bytes()) for file in later
    }


def checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:8]


def vocabulary(pages: str, scripts: Iterable[str]) -> list[str]:
    """Every word that can be an element, a class, an id, an attribute or its value.

    That is what stands in the pages' tags, and anywhere in the scripts.
    """
    tags = set(re.findall(r"<[a-zA-Z][^>]*>", pages))
    return sorted({word for text in tags.union(scripts) for word in re.findall(r"[\w-]+", text)})


def made(pages: str, scripts: Iterable[str]) -> list[str]:
    """The words that stand in scripts, or in data for them, as a class that is given does.

    A single letter is none of ours, but a colour of code.
    """
    inline = re.findall(r"<script[^>]*>(.*?)</script>", pages, re.DOTALL)
    name = re.compile(r"(?<=[\s\"'`\\])[\w-]{2,}(?=[\s\"'`\\])")
    return sorted({word for text in [*inline, *scripts] for word in name.findall(text)})


def kinds(pages: str) -> list[tuple[list[str], list[str]]]:
    """The kinds of elements: tag and classes of each, and those of all elements around it."""
    parser = Kinds()
    parser.feed(pages)
    return [(sorted(own), sorted(around)) for own, around in parser.found.items()]


class Kinds(HTMLParser):
    """Goes through pages, one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[frozenset[str], set[str]] = defaultdict(set)
        self.open: list[tuple[str, frozenset[str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the element, and that it is open."""
        if tag == "html":
            self.open = []
        own = frozenset([tag, *(f".{name}" for name in (dict(attrs).get("class") or "").split())])
        around = self.open[-1][1] if self.open else frozenset()
        self.found[own] |= around
        if tag not in VOID:
            self.open.append((tag, own | around))

    def handle_endtag(self, tag: str) -> None:
        """Close the element, and what was left open in it."""
        tags = [one for one, _ in self.open]
        if tag in tags:
            del self.open[len(tags) - 1 - tags[::-1].index(tag) :]


# Fonts ------------------------------------------------------------------------------------------


def text_fonts(css: str, static: Path, pages: str, scripted: set[str]) -> str:
    """Cut the faces of typefaces.py to letters; return the stylesheet.

    What every page is set in stands in it: a page is laid out once, in its own letters, and asks
    the system for no others. (A face that came later would have it laid out anew, which takes a
    slow telephone longer than to wait for it.) The rest are files, with a checksum in their names,
    which a browser asks for when it meets such a letter: Greek, signs in italics, and what may be
    typed or found in the search besides.
    """
    coded = "".join(m[0] for m in CODE.finditer(pages) if m[1] in ("pre", "code", "kbd"))
    words = "".join(TAG.split(CODE.sub("", pages)))
    plain = set(ascii_letters + digits + " .,;:!?-()’").union(*EMPHASIS.findall(pages))
    letters = {
        "code": scripted.union(html.unescape(coded)),
        "italic": plain,
        # What a script writes into the page is words too; its signs are mostly the script's own.
        "normal": plain.union(
            html.unescape(words), filter(str.isalnum, scripted), scripted - ASCII
        ),
    }

    index = static / "texts.js"
    typed = TYPED.union(index.read_text("utf-8") if index.is_file() else "")
    typed = set(filterfalse(combining, typed))  # which need the letter below them in the same file

    def shrink(rule: re.Match) -> str:
        path = FONT.search(rule[0])
        if not path:
            return rule[0]
        face = re.search(r"code|italic|normal", path[0])[0]
        known = TTFont(static / path[0]).getBestCmap()
        has = {
            one for one in letters[face] | typed if ord(one) in known and covers(rule[0], ord(one))
        }
        kept = has & letters[face]
        rest = has - kept if re.search("sans|italic", path[0]) else set()
        return cut(rule[0], path[0], kept) + cut(rest_of(rule[0], rest), path[0], rest, "rest-")

    def cut(rule: str, path: str, kept: set[str], part: str = "") -> str:
        if not kept:
            return ""
        # Italics and code are bold nowhere, and Greek hardly ever. The rule keeps its range of
        # weights: a face of another range would hide those beside it.
        plain = re.search(r"italic|code|greek", path)
        (family, *_), weights = face_of(rule), 400 if plain else (400, 700)
        data = subset(static / path, kept, family, TEXT, weights)
        if FIRST in path and not part:
            return embedded(rule, data)
        name = path.replace("wght-", f"{part}wght-").replace(".woff2", f".{checksum(data)}.woff2")
        (static / name).write_bytes(data)
        return rule.replace(path, name)

    return FACE.sub(shrink, css)


def embedded(rule: str, data: bytes) -> str:
    """A `@font-face` that holds its font. `block` says that no other face need stand in for it."""
    source = f'src:url(data:font/woff2;base64,{b64encode(data).decode()}) format("woff2")'
    rule = re.sub(r"src:[^;}]*", lambda _: source, rule)
    return re.sub(r"font-display:\w+", "font-display:block", rule)


def rest_of(rule: str, letters: set[str]) -> str:
    """The same `@font-face` for these letters alone; it goes before one that stands above it."""
    runs = groupby(enumerate(sorted(map(ord, letters))), lambda pair: pair[1] - pair[0])
    spans = [[code for _, code in run] for _, run in runs]
    ranges = ",".join(f"U+{span[0]:X}-{span[-1]:X}" for span in spans)
    return re.sub(r"unicode-range:[^;}]*", f"unicode-range:{ranges}", rule)


def covers(rule: str, code: int) -> bool:
    """Whether a `@font-face` is for this character."""
    ranges = re.search(r"unicode-range:([^;}]*)", rule)[1].replace("U+", "").split(",")
    bounds = [part.strip().replace("?", "0").partition("-") for part in ranges]
    return any(int(low, 16) <= code <= int(high or low, 16) for low, _, high in bounds)


def small_fonts(css: str, static: Path, text: str) -> str:
    """Put those of formulas and icons into the stylesheet, with the characters that occur."""
    icons = {chr(int(code, 16)) for code in re.findall(r'"\\([0-9a-f]{4})"', css)}
    letters = letters_by_class(text)
    faces = classes_by_face(css)

    def shrink(rule: re.Match) -> str:
        if FONT.search(rule[0]):
            return rule[0]
        face = face_of(rule[0])
        path = re.search(r'url\("?([^")]*\.woff2)', rule[0])[1]
        kind = Path(path).name.rpartition("-")[0]  # fa-solid, fa-brands, KaTeX_Main, …
        if face in faces:
            kept = set().union(*(letters[name] for name in faces[face] or ["katex"]))
        elif re.search(rf'class="[^"]*\b(?:{kind}|{kind.replace("-", "")[:3]})\b', text):
            kept = icons
        else:
            return ""
        return embedded(rule[0], subset(static / path, kept, face[0]))

    return FACE.sub(shrink, css)


FACE = re.compile(r"@font-face\s*\{[^}]*\}")
LEAF = re.compile(r'<span(?: class="([^"]*)")?[^>]*>([^<]+)')


def letters_by_class(text: str) -> dict[str, set[str]]:
    """The characters of the formulas, by the classes of the element that holds them.

    Under `katex` stand those of all formulas.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for formula in re.findall(r'<span class="katex-html".*', text):
        for classes, letters in set(
            re.findall(r"<span(?: class=\"([^\"]*)\")?[^>]*>([^<]+)", formula)
        ):
            for name in ["katex", *classes.split()]:
                found[name].update(html.unescape(letters))
    return found


def classes_by_face(css: str) -> dict[tuple[str, ...], list[str]]:
    """The faces that formulas are set in, each with the classes that ask for it.

    No class stands for any: so it is with the upright face, which needs none, and with those for
    large signs, which hang on more than one.
    """
    found = defaultdict(list)
    rules = re.findall(r"([^{}]*\.katex [^{}]*)\{([^{}]*font-(?:family|weight|style)[^{}]*)\}", css)
    for selectors, body in rules:
        found[face_of(body)] += re.findall(r"\.katex \.([a-z]+)\s*(?:,|$)", selectors)
    return {**found, face_of(""): []}


def face_of(rule: str) -> tuple[str, ...]:
    """The family, weight and style that a rule names."""
    given = dict(re.findall(r"(font-[a-z]+):\s*\"?([^;\"}]+)", rule))
    weight = {"700": "bold"}.get(given.get("font-weight", ""), "normal")
    return given.get("font-family", f"{FAMILY}Main"), weight, given.get("font-style", "normal")


# Files ------------------------------------------------------------------------------------------


def clear_out(static: Path, named: set[str]) -> None:
    """Take out of `_static` what no page names."""
    for file in sorted(static.rglob("*"), reverse=True):
        if file.is_dir():
            if not any(file.iterdir()):
                file.rmdir()
        elif file.relative_to(static).as_posix() not in named:
            file.unlink()


def setup(app: Sphinx) -> dict[str, Any]:
    app.setup_extension("notes_site.npm")
    app.connect("config-inited", find_templates)
    app.connect("html-page-context", lighten, priority=1000)  # when all else has had its say
    app.connect("build-finished", trim, priority=950)  # when the pages are as they shall be
    return {"parallel_read_safe": True, "parallel_write_safe": False}
