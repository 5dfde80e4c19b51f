"""A page loads what it shows and no more: one stylesheet, one script, small fonts.

The theme and the extensions bring eleven stylesheets, a dozen scripts, an icon font and sixty
translations, for all that a page might hold. What this book's pages do hold is known once they are
written, so the rest goes then (sizes compressed):

- eleven stylesheets become one, without the rules that no page uses: 99 kB to 25 kB;
- fonts stand in it with the characters that occur: 27 kB, of 156 kB for the icons and 11 to 28 kB
  for each of the faces that formulas use;
- the scripts that every page needs become one, which does not hold up the text: 38 kB to 35 kB in
  one request for eight. Those for the search or for a figure stay by themselves, on the pages that
  have one: the search index alone is 24 kB. `fontawesome.js`, which draws icons that the font
  draws already, was 542 kB;
- files in `_static` that no page names any more leave the site.

One stylesheet for all pages rather than one for each: the next page then needs none.
A page that is written alone, after an edit, goes the same way: its tags still name all the files.
"""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fonts import subset
from npm import installed, run
from sphinx.application import Sphinx

HERE = Path(__file__).parent

SHEET = re.compile(r'\s*<link\b[^>]*?href="([^"]*?)_static/([^"?]+\.css)[^"]*"[^>]*>')
SCRIPT = re.compile(
    r'\s*<script\b[^>]*?src="([^"]*?)((?:_static/|searchindex)[^"?]*)[^"]*"[^>]*></script>'
)
# What tells the browser to fetch the theme's scripts early, and two settings that nothing reads.
NEEDLESS = re.compile(
    r'\s*<link\b[^>]*rel="preload"[^>]*as="script"[^>]*>'
    r"|\s*<script>DOCUMENTATION_OPTIONS\.(?:pagename|search_as_you_type) = [^<]*</script>"
)
NOWHERE = {"_static/scripts/fontawesome.js"}
# Scripts that stay by themselves, and what a page must hold to need them.
SOMEWHERE = {
    "_static/searchtools.js": 'id="search-results"',
    "_static/language_data.js": 'id="search-results"',
    "_static/search.js": 'id="search-results"',
    "_static/design-tabs.js": "sd-tab-set",
    "_static/explorer/explorer.js": 'class="pn-figure"',
    "searchindex.js": 'id="search-results"',  # the last: it is data, and stays as it is
}
# The theme asks for the reader's colours only once its script runs: a dark page would flash white.
MODE = re.compile(r"document\.documentElement\.dataset\.theme = [^;]*;")
MODE_AT_ONCE = (
    "(({ dataset }) => {\n"
    "      dataset.theme = /^(light|dark)$/.test(dataset.mode) ? dataset.mode\n"
    '        : matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";\n'
    "    })(document.documentElement);"
)
# Words that come into a page while it is read: the theme's state, and what is unfolded.
LATER = ["data-theme", "data-mode", "light", "dark", "auto", "open"]
# Names and roles that say to a screen reader what is not so.
AMENDED = {
    'search-button-field search-button__button pst-js-only" title="Search" aria-label="Search"': (
        'search-button-field search-button__button pst-js-only"'
    ),
    '<summary aria-label="Toggle hidden content">': "<summary>",
    '<div role="list" class="citation-list">': '<div class="citation-list">',
    ' role="doc-biblioentry"': "",
}


def ask_when_near(asks: re.Match, _seen: set[str]) -> str:
    """Let each box be asked when it has come into sight and is laid out, some frames later."""
    box, ask = asks.groups()
    then = f"near.disconnect(); setTimeout(() => {{ {ask}; }}, 100);"
    watch = f"new IntersectionObserver(([one], near) => {{ if (one.isIntersecting) {{ {then} }} }})"
    return f".forEach({box} => {watch}.observe({box}))"


def only_seen(names: re.Match, seen: set[str]) -> str:
    """Keep the names that stand in some page, and one at least."""
    listed = re.findall(r"[\w-]+", names[0])
    plain = {word.removeprefix("tag_").replace("_", "-") for word in seen}
    return json.dumps([name for name in listed if name in plain] or listed[:1])


# Two places where the theme takes a tenth of a second on a telephone. It asks each box whether it
# scrolls, so that keys can reach it, and all of the page is laid out for that; and it looks for
# what stands in the margin by 28 names, at each of 20 000 elements.
AMENDED_SCRIPTS = {
    "_static/scripts/pydata-sphinx-theme.js": (
        re.compile(r"\.forEach\((\w)=>\{(\1\.tabIndex=\1\.scrollWidth[^}]*)\}\)"),
        ask_when_near,
    ),
    "_static/scripts/sphinx-book-theme.js": (
        re.compile(r'\["marginnote",[^\]]*\]'),
        only_seen,
    ),
}
# Names, operators, brackets and spaces in code: half of its elements, coloured as the text is.
PLAIN = re.compile(r'<span class="(?:n|o|p|w)">([^<]*)</span>')
OURS = re.compile(r'(_static/)(site\.css|site\.js)(?:\?v=\w+)?"')


def trim(app: Sphinx, exception: Exception | None) -> None:
    """Join, purge and clear out."""
    if exception or app.builder.format != "html":
        return
    site = Path(app.outdir).resolve()
    static = site / "_static"
    files = [file for file in sorted(site.rglob("*.html")) if static not in file.parents]
    pages = {file: file.read_text("utf-8") for file in files}
    loads = [load for load in map(loads_of, pages.values()) if load[0]]
    if loads:  # else no page was written; those that were all name the same files
        pages = {file: page_of(text) for file, text in pages.items()}
        texts = join(site, installed(app), list(pages.values()), *loads[0])
        versions = {name: hashlib.sha256(text.encode()).hexdigest()[:8] for name, text in texts}
        for file, page in pages.items():
            pages[file] = OURS.sub(lambda m: f'{m[1]}{m[2]}?v={versions[m[2]]}"', page)
            if pages[file] != file.read_text("utf-8"):
                file.write_text(pages[file], "utf-8")
    sheets = (file.read_text("utf-8") for file in static.glob("site.css"))
    clear_out(static, "".join(pages.values()) + "".join(sheets).replace("url(", "url(_static/"))


def join(
    site: Path, modules: Path, pages: list[str], sheets: list[str], scripts: list[str]
) -> list[tuple[str, str]]:
    """Write the one stylesheet and the one script; return their names and texts."""
    static = site / "_static"
    apart = [site / name for name in [*SOMEWHERE][:-1] if (site / name).is_file()]
    seen = set(vocabulary(pages, []))
    joined = "\n;\n".join(part(name, (site / name).read_text("utf-8"), seen) for name in scripts)
    short = minify(modules, [joined, *(file.read_text("utf-8") for file in apart)])
    script, *others = short["codes"]
    for file, code in zip(apart, others, strict=True):
        file.write_text(code, "utf-8")
    words = vocabulary(pages, [*short["strings"], *LATER])
    css = purge(modules, "\n".join(sheet(static, static / name) for name in sheets), words)
    texts = [("site.css", small_fonts(css, static, "".join(pages))), ("site.js", script)]
    for name, text in texts:
        (static / name).write_text(text, "utf-8")
    return texts


# Pages ------------------------------------------------------------------------------------------


def loads_of(page: str) -> tuple[list[str], list[str]]:
    """The stylesheets and the scripts of a page that are to be joined, in their order."""
    sheets = [name for _, name in SHEET.findall(page) if name != "site.css"]
    alone = {*NOWHERE, *SOMEWHERE, "_static/site.js"}
    return sheets, [name for _, name in SCRIPT.findall(page) if name not in alone]


def page_of(page: str) -> str:
    """A page that names what it needs; one that does so already stays as it is."""
    page = PLAIN.sub(r"\1", page)
    for wrong, right in AMENDED.items():
        page = page.replace(wrong, right)
    found = SHEET.search(page)
    if found is None or found[2] == "site.css":
        return page
    root = found[1]
    ours = (
        f'\n  <link rel="stylesheet" href="{root}_static/site.css">'
        # The fonts are in the stylesheet, but a browser unpacks one when a letter asks for it.
        "\n  <script>for (const font of document.fonts) font.load();</script>"
        f'\n  <script defer src="{root}_static/site.js"></script>'
    )

    def apart(tag: re.Match) -> str:
        if tag[2] not in SOMEWHERE or SOMEWHERE[tag[2]] not in page:
            return ""
        return tag[0] if " defer" in tag[0] else tag[0].replace("<script", "<script defer")

    trimmed = MODE.sub(MODE_AT_ONCE, NEEDLESS.sub("", SCRIPT.sub(apart, page)))
    # Ours comes where the first one was.
    return SHEET.sub(lambda m: ours if m[0] == found[0] else "", trimmed)


# Styles -----------------------------------------------------------------------------------------


def sheet(static: Path, file: Path) -> str:
    """A stylesheet with what it imports, and with addresses as they are in `_static` itself."""
    folder = Path(os.path.relpath(file.parent, static))

    def move(address: re.Match) -> str:
        return f"url({Path(os.path.normpath(folder / address[1])).as_posix()})"

    css = re.sub(r"@charset[^;]*;", "", file.read_text("utf-8"))
    css = re.sub(r"""url\(["']?(?!data:|#)([^)"']+)["']?\)""", move, css)
    return re.sub(r'@import "([^"]+)";', lambda m: sheet(static, file.parent / m[1]), css)


def vocabulary(pages: Iterable[str], strings: list[str]) -> list[str]:
    """Every word that can be an element, a class, an id, an attribute or its value.

    That is what stands in the pages' tags, and in the scripts' strings.
    """
    tags = {tag for page in pages for tag in re.findall(r"<[a-zA-Z][^>]*>", page)}
    return sorted({word for text in tags.union(strings) for word in re.findall(r"[\w-]+", text)})


def purge(modules: Path, css: str, words: list[str]) -> str:
    """The rules that can apply where only these words occur."""
    css = run(HERE / "purge.mjs", modules, {"css": css, "words": words})
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.S)
    return re.sub(r"\s*\n\s*", "\n", css).strip() + "\n"


# Scripts ----------------------------------------------------------------------------------------


def part(name: str, code: str, seen: set[str]) -> str:
    """A script among the joined ones.

    The theme's each start a task of their own, in their order, so that none holds up the reader
    for long: they measure the page, which is then laid out. They are closed in themselves.
    """
    if name in AMENDED_SCRIPTS:
        pattern, better = AMENDED_SCRIPTS[name]
        code, found = pattern.subn(lambda m: better(m, seen), code)
        if found != 1:
            raise ValueError(f"{name} has {found} places like {pattern.pattern}; expected one")
    return f"setTimeout(() => {{\n{code}\n}});" if name.startswith("_static/scripts/") else code


def minify(modules: Path, sources: list[str], module: bool = False) -> dict[str, list[str]]:
    """Scripts without comments and spaces, with short names inside, and the strings in them."""
    return run(HERE / "minify.mjs", modules, {"sources": sources, "module": module})


# Fonts ------------------------------------------------------------------------------------------


def small_fonts(css: str, static: Path, text: str) -> str:
    """Put the fonts into the stylesheet, with the characters that occur and no others.

    There they are at once: a formula that got its letters late would move the text around it.
    """
    icons = {chr(int(code, 16)) for code in re.findall(r'"\\([0-9a-f]{4})"', css)}
    letters = letters_by_class(text)
    faces = classes_by_face(css)

    def shrink(rule: re.Match) -> str:
        face = face_of(rule[0])
        path = re.search(r"url\(([^)]*\.woff2)\)", rule[0])[1]
        kind = Path(path).name.rpartition("-")[0]  # fa-solid, fa-brands, KaTeX_Main, …
        if face in faces:
            kept = set().union(*(letters[name] for name in faces[face] or ["katex"]))
        elif re.search(rf'class="[^"]*\b(?:{kind}|{kind.replace("-", "")[:3]})\b', text):
            kept = icons
        else:
            return ""
        data = b64encode(subset(static / path, kept)).decode()
        source = f'src:url(data:font/woff2;base64,{data}) format("woff2")'
        return re.sub(r"src:[^;}]*", lambda _: source, rule[0])

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
    return given.get("font-family", "KaTeX_Main"), weight, given.get("font-style", "normal")


# Files ------------------------------------------------------------------------------------------


def clear_out(static: Path, text: str) -> None:
    """Take out of `_static` what is not named."""
    named = set(re.findall(r"_static/([^\"'?#)\s]+)", text))
    for file in sorted(static.rglob("*"), reverse=True):
        if file.is_dir():
            if not any(file.iterdir()):
                file.rmdir()
        elif file.relative_to(static).as_posix() not in named:
            file.unlink()


def setup(app: Sphinx) -> dict[str, Any]:
    app.setup_extension("npm")
    app.connect("build-finished", trim, priority=950)  # when the pages are as they shall be
    return {"parallel_read_safe": True, "parallel_write_safe": True}
