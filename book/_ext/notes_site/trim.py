"""Bundle one stylesheet, one script and small fonts for all pages, with only what they use.

The theme and the extensions bring eleven stylesheets, a dozen scripts, an icon font and sixty
translations. Our `layout.html` names `site.css` and `site.js` instead, which are made here once the
pages are written:

- esbuild joins the stylesheets, without the rules for unused classes: most of them, as the
  theme's includes all of Bootstrap and Font Awesome;
- fonts are embedded in it, with the characters that occur (letters.py);
- esbuild joins the third-party scripts that the book needs with ours, which are in `scripts/`;
- files in `_static` that no page names are deleted, which keeps the zip of the site small.

One stylesheet for all pages rather than one for each: the next page then needs none.
"""

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.config import Config

from .editions import speaker
from .folders import checksum
from .letters import small_fonts, text_fonts
from .npm import tools

HERE = Path(__file__).parent

#: The theme's stylesheets, which its layout would load itself.
SHEETS = ["styles/theme.css", "styles/pydata-sphinx-theme.css"]
#: Stylesheets for classes whose names scripts compose: no page has them in full.
WHOLE = r"/(notes|print|han|explorer)\.css$"
#: Third-party scripts, in order. Bootstrap's (24 kB) and that of sphinx-book-theme, which needs
#: another sidebar, stay out: see menus.js.
SCRIPTS = [
    *("documentation_options.js", "clipboard.min.js", "copybutton.js"),
    "scripts/pydata-sphinx-theme.js",
]
#: Where the theme's script checks all boxes at once for scrolling, and again after every change
#: of a figure, which lays out the whole chapter. overflow.js replaces this.
BOXES = re.compile(r'\["pre",[^]]*"\.pst-scrollable-table-container"\]\.join\(", "\)')
#: A figure's script is on the pages that have such a figure.
FIGURES = "_static/explorer/"
#: Wrong attributes for screen readers, and their corrections.
AMENDED = {
    '<div role="list" class="citation-list">': '<div class="citation-list">',
    ' role="doc-biblioentry"': "",
}
OURS = re.compile(r'(_static/)(site\.css|site\.js|results\.js|texts\.js)(?:\?v=\w+)?(?=[" ])')


def find_templates(_app: Sphinx, config: Config) -> None:
    """Make our templates override the theme's."""
    config.templates_path = [str(HERE / "templates"), *config.templates_path]


def lighten(
    app: Sphinx, _pagename: str, _template: str, context: dict[str, Any], _doctree: Any
) -> None:
    """Pass a page's own scripts to its template, and correct docutils' attributes in its body."""
    context["say"] = speaker(app.config.language)
    names = [str(one.filename) for one in context["script_files"]]
    context["figures"] = [name for name in names if name.startswith(FIGURES)]
    for wrong, right in AMENDED.items():
        if "body" in context:
            context["body"] = context["body"].replace(wrong, right)


def trim(app: Sphinx, exception: Exception | None) -> None:
    """Bundle the files that pages load, add versions to their addresses, and delete the rest."""
    if exception or not isinstance(app.builder, StandaloneHTMLBuilder):
        return
    site = Path(app.outdir).resolve()
    static = site / "_static"
    files = [file for file in sorted(site.rglob("*.html")) if static not in file.parents]
    pages = {file: file.read_text("utf-8") for file in files}
    sheets = [str(sheet.filename) for sheet in app.builder._css_files]
    join(app, static, "".join(pages.values()), sheets)
    versions = {file.name: checksum(file.read_bytes())[:8] for file in static.glob("*.*s")}
    for file, page in pages.items():
        stamped = OURS.sub(lambda m: f"{m[1]}{m[2]}?v={versions.get(m[2], '')}", page)
        if stamped != page:
            file.write_text(stamped, "utf-8")
    everything = "".join(pages.values()) + (static / "site.css").read_text("utf-8")
    clear_out(static, set(re.findall(r"(?:_static/|url\(\"\./)([^\"'?#)\s]+)", everything)))


def join(app: Sphinx, static: Path, pages: str, sheets: list[str]) -> None:
    """Write the one stylesheet and the one script."""
    ask = tools(app)
    scripts = [(static / name).read_text("utf-8") for name in SCRIPTS if (static / name).is_file()]
    scripts = [BOXES.sub('"nothing"', script) for script in scripts]
    script = ask("join", scripts=scripts, module=str(HERE / "scripts/site.js"))
    (static / "site.js").write_text(script, "utf-8")
    others = [file.read_text("utf-8") for file in static.glob("explorer/*.js")]
    if (static / "results.js").is_file():
        others.append((static / "results.js").read_text("utf-8"))
    tags = set(re.findall(r"<[a-z][^>]*>", pages))
    css = ask(
        "style",
        sheets=SHEETS + [name.removeprefix("_static/") for name in sheets],
        folder=str(static),
        whole=WHOLE,
        names=sorted(set(re.findall(r"[\w-]+", "".join([*tags, script, *others])))),
    )
    texts = static / "texts.js"  # what the search may show
    scripted = set("".join(others) + (texts.read_text("utf-8") if texts.is_file() else ""))
    css = text_fonts(small_fonts(css, static, pages), static, pages, scripted)
    (static / "site.css").write_text(css, "utf-8")


def clear_out(static: Path, named: set[str]) -> None:
    """Delete the files in `_static` that no page names."""
    for file in sorted(static.rglob("*"), reverse=True):
        if file.is_dir():
            if not any(file.iterdir()):
                file.rmdir()
        elif file.relative_to(static).as_posix() not in named:
            file.unlink()


def setup(app: Sphinx) -> None:
    """Connect these functions to the build."""
    app.setup_extension("notes_site.npm")
    app.connect("config-inited", find_templates)
    app.connect("html-page-context", lighten, priority=1000)  # after all other handlers
    app.connect("build-finished", trim, priority=950)  # when the pages are final
