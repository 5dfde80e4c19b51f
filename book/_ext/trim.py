"""A page loads what it shows and no more: one stylesheet, one script, small fonts.

The theme and the extensions bring eleven stylesheets, a dozen scripts, an icon font and sixty
translations, for all that a page might hold. What this book's pages do hold is known once they are
written, so the rest goes then (sizes compressed, as measured on chapter 3):

- eleven stylesheets become one, without the rules that no page uses: 99 kB to 22 kB;
- the scripts that every page needs become one, loaded without holding up the text; those for the
  search or for a figure stay by themselves, on the pages that have one. The search index alone is
  19 kB; `fontawesome.js`, which draws icons that the font draws already, was 542 kB;
- fonts keep the characters that occur: icons 178 kB to 2 kB, formulas 138 kB to 60 kB;
- files in `_static` that no page names any more leave the site.

One stylesheet for all pages rather than one for each: the next page then needs none.
A page that is written alone, after an edit, goes the same way: its tags still name all the files.
"""

from __future__ import annotations

import hashlib
import html
import os
import re
from base64 import b64encode
from collections import defaultdict
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
    "searchindex.js": 'id="search-results"',
    "_static/design-tabs.js": "sd-tab-set",
    "_static/explorer/explorer.js": 'class="pn-figure"',
}
# The theme asks for the reader's colours only once its script runs: a dark page would flash white.
MODE = re.compile(r"document\.documentElement\.dataset\.theme = [^;]*;")
MODE_AT_ONCE = (
    "(({ dataset }) => {\n"
    "      dataset.theme = /^(light|dark)$/.test(dataset.mode) ? dataset.mode\n"
    '        : matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";\n'
    "    })(document.documentElement);"
)
# Names, operators, brackets and spaces in code: half of its elements, coloured as the text is.
PLAIN = re.compile(r'<span class="(?:n|o|p|w)">([^<]*)</span>')
OURS = re.compile(r'(_static/)(site\.css|site\.js|fonts/[\w.-]+)(?:\?v=\w+)?"')
# Letters that most formulas need: were they to come after the text, they would move it.
EARLY = ("KaTeX_Main-Regular", "KaTeX_Math-Italic", "KaTeX_Main-Bold")


def trim(app: Sphinx, exception: Exception | None) -> None:
    """Join, purge and clear out, unless no page was written."""
    if exception or app.builder.format != "html":
        return
    site = Path(app.outdir).resolve()
    static = site / "_static"
    files = [file for file in sorted(site.rglob("*.html")) if static not in file.parents]
    before = {file: file.read_text("utf-8") for file in files}
    loads = [load for load in map(loads_of, before.values()) if load[0]]
    if not loads:
        return
    pages = {file: page_of(text) for file, text in before.items()}
    # Every page that was just written names the same files.
    sheets, scripts = loads[0]

    modules = installed(app)
    apart = [site / name for name in SOMEWHERE if (site / name).is_file()]
    joined = "\n;\n".join((site / name).read_text("utf-8") for name in scripts)
    sources = [joined, *(file.read_text("utf-8") for file in apart)]
    script, *_ = small = minify(modules, sources)
    for file, text in zip([static / "site.js", *apart], small, strict=True):
        file.write_text(text, "utf-8")
    words = vocabulary(pages.values(), sources)
    css = purge(modules, "\n".join(sheet(static, static / name) for name in sheets), words)
    css = small_fonts(css, static, "".join(pages.values()))
    (static / "site.css").write_text(css, "utf-8")

    versions = dict(re.findall(r"(fonts/[^?()]+)\?v=(\w+)", css))
    versions |= {"site.css": digest(css.encode()), "site.js": digest(script.encode())}
    for file, page in pages.items():
        page = OURS.sub(lambda m: f'{m[1]}{m[2]}?v={versions[m[2]]}"', page)
        if page != before[file]:
            file.write_text(page, "utf-8")
        pages[file] = page
    clear_out(static, "".join(pages.values()) + css.replace("url(", "url(_static/"))


# Pages ------------------------------------------------------------------------------------------


def loads_of(page: str) -> tuple[list[str], list[str]]:
    """The stylesheets and the scripts of a page that are to be joined, in their order."""
    sheets = [name for _, name in SHEET.findall(page) if name != "site.css"]
    alone = {*NOWHERE, *SOMEWHERE, "_static/site.js"}
    return sheets, [name for _, name in SCRIPT.findall(page) if name not in alone]


def page_of(page: str) -> str:
    """A page that names what it needs; one that does so already stays as it is."""
    page = PLAIN.sub(r"\1", page)
    found = SHEET.search(page)
    if found is None or found[2] == "site.css":
        return page
    root = found[1]
    ours = (
        f'\n  <link rel="stylesheet" href="{root}_static/site.css">'
        f'\n  <script defer src="{root}_static/site.js"></script>'
    )
    if 'class="katex-html"' in page:
        ours += "".join(
            f'\n  <link rel="preload" href="{root}_static/fonts/{name}.woff2" as="font" '
            f'type="font/woff2" crossorigin>'
            for name in EARLY
        )

    def apart(tag: re.Match) -> str:
        if tag[2] not in SOMEWHERE or SOMEWHERE[tag[2]] not in page:
            return ""
        return tag[0] if " defer" in tag[0] else tag[0].replace("<script", "<script defer")

    trimmed = MODE.sub(MODE_AT_ONCE, NEEDLESS.sub("", SCRIPT.sub(apart, page)))
    # Ours comes where the first one was.
    return SHEET.sub(lambda m: ours if m[0] == found[0] else "", trimmed)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:8]


# Styles -----------------------------------------------------------------------------------------


def sheet(static: Path, file: Path) -> str:
    """A stylesheet with what it imports, and with addresses as they are in `_static` itself."""
    css = re.sub(r"@charset[^;]*;", "", file.read_text("utf-8"))
    css = re.sub(
        r'@import "([^"]+)";', lambda m: sheet(static, (file.parent / m[1]).resolve()), css
    )
    folder = os.path.relpath(file.parent, static)

    def move(address: re.Match) -> str:
        return f"url({Path(os.path.normpath(Path(folder, address[1]))).as_posix()})"

    return re.sub(r"""url\(["']?(?!data:|#)([^)"']+)["']?\)""", move, css)


def vocabulary(pages: Any, scripts: list[str]) -> list[str]:
    """Every word that can be an element, a class, an id, an attribute or its value.

    That is what stands in the pages' tags, and in the scripts' strings.
    """
    tags = {tag for page in pages for tag in re.findall(r"<[a-zA-Z][^>]*>", page)}
    strings = {
        string for text in scripts for string in re.findall(r'"[^"\n]*"|\'[^\'\n]*\'|`[^`]*`', text)
    }
    return sorted({word for text in tags | strings for word in re.findall(r"[\w-]+", text)})


def purge(modules: Path, css: str, words: list[str]) -> str:
    """The rules that can apply where only these words occur."""
    purgecss = modules / "purgecss/lib/purgecss.esm.js"
    css = run(HERE / "purge.mjs", purgecss, {"css": css, "words": words})
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.S)
    return re.sub(r"\s*\n\s*", "\n", css).strip() + "\n"


# Scripts ----------------------------------------------------------------------------------------


def minify(modules: Path, sources: list[str], module: bool = False) -> list[str]:
    """Scripts without comments and spaces, with short names inside; they compute the same."""
    terser = modules / "terser/main.js"
    return run(HERE / "minify.mjs", terser, {"sources": sources, "module": module})


# Fonts ------------------------------------------------------------------------------------------


def small_fonts(css: str, static: Path, text: str) -> str:
    """Write the fonts that the styles name with the characters that occur alone, as woff2."""
    css = re.sub(r",\s*url\([^)]*\)\s*format\(.(?:woff|truetype).\)", "", css)
    icons = {chr(int(code, 16)) for code in re.findall(r'"\\([0-9a-f]{4})"', css)}
    letters = letters_by_class(text)
    faces = classes_by_face(css)
    (static / "fonts").mkdir(exist_ok=True)

    def shrink(rule: re.Match) -> str:
        path = re.search(r"url\(([^)]*)\)", rule[0])[1]
        classes = faces.get(face_of(rule[0]), ["katex"])
        kept = set().union(*(letters.get(name, set()) for name in classes))
        data = subset(static / path, icons if "fontawesome" in path else kept)
        if "fa-solid" in path:  # every page's: were they to come late, they would move the buttons
            return rule[0].replace(path, f"data:font/woff2;base64,{b64encode(data).decode()}")
        name = f"fonts/{Path(path).name}"
        (static / name).write_bytes(data)
        return rule[0].replace(path, f"{name}?v={digest(data)}")

    return re.sub(r"@font-face\s*\{[^}]*\}", shrink, css)


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
    """Which classes KaTeX sets in which face.

    The upright face, which formulas have without a class, and those for large signs are left out.
    """
    found = defaultdict(list)
    for selectors, body in re.findall(
        r"([^{}]+)\{([^{}]*font-(?:family|weight|style)[^{}]*)\}", css
    ):
        found[face_of(body)] += re.findall(r"\.katex \.([a-z]+)\s*(?:,|$)", selectors)
    return {face: names for face, names in found.items() if names and face != face_of("")}


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
