"""Tell the licences of what the site carries, in one file, to which the foot of every page leads.

Nothing of others is committed, but a built site holds much of theirs: rules in its stylesheet,
scripts, fonts. Their licences ask that they go along. So the file is made from those that the
packages themselves bring, and a static file that no package of the list answers for, or a package
without a licence, ends the build.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from importlib.metadata import distribution
from pathlib import Path
from typing import NamedTuple

from fontTools.ttLib import TTFont
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from .npm import install, tools

FILE = "licenses.txt"
THEME = "styles/pydata-sphinx-theme.css"

#: Packages from npm, and what of `_static` is theirs before trim.py joins it. (Bootstrap, Font
#: Awesome and clipboard.js come inside of Python's packages, but without their licences.)
FROM_NPM = {
    "@fontsource-variable/source-serif-4": ["type/source-serif-4-*", "type/type.css"],
    "@fontsource-variable/source-sans-3": ["type/source-sans-3-*", "type/type.css"],
    "@fontsource-variable/source-code-pro": ["type/source-code-pro-*", "type/type.css"],
    "katex": ["katex/*"],
    "@fortawesome/fontawesome-free": ["vendor/fontawesome/*", "scripts/fontawesome.js*", THEME],
    "bootstrap": [THEME, "scripts/bootstrap.js*"],
    "clipboard": ["clipboard.min.js"],
    "tiny-emitter": ["clipboard.min.js"],
    "minisearch": ["results.js"],
}
#: The same of Python's.
FROM_PYTHON = {
    "Sphinx": [
        *("basic.css", "doctools.js", "documentation_options.js", "sphinx_highlight.js"),
        *("searchtools.js", "language_data.js", "file.png", "minus.png", "plus.png"),
    ],
    "Pygments": ["pygments.css"],
    "accessible-pygments": ["pygments.css"],
    "pydata-sphinx-theme": ["styles/*", "scripts/*", "images/*"],
    "sphinx-book-theme": ["styles/*", "scripts/*", "images/*", "locales/*", "sbt-*", "webpack*"],
    "sphinx-copybutton": ["copybutton*", "check-solid.svg", "copy-button.svg"],
    "sphinx-design": ["sphinx-design.*", "design-tabs.js"],
    "myst-nb": ["mystnb*.css"],
    "sphinx-proof": ["proof.css", "minimal/*"],
    "sphinx-exercise": ["exercise.css"],
}
#: What a package has of others and does not say.
BESIDES = {
    "sphinx-copybutton": ["Of its icons: Tabler Icons, copyright (c) 2020 Paweł Kuna, MIT"],
    "pydata-sphinx-theme": [
        "Of its script: compare-versions, copyright (c) 2015-2021 Ole Michelsen, MIT"
    ],
    "reveal.js": [
        "Of its speaker's view: marked, copyright (c) 2018+, MarkedJS, and (c) 2011-2018, "
        "Christopher Jeffrey, MIT"
    ],
}
#: A licence, and the words by which it is known. (What packages say of it elsewhere is not always
#: what their licence says.)
LICENCES = {
    "CC BY 4.0": r"Creative Commons Attribution 4\.0",
    "SIL OFL 1.1": r"SIL OPEN FONT LICENSE",
    "PSF 2": r"PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2",
    "MIT": r"to deal in the Software without restriction",
    "BSD, 3 clauses": r"Redistributions in binary form .* Neither the name",
    "BSD, 2 clauses": r"Redistributions in binary form (?!.* Neither the name)",
}
#: What the book itself brings, or makes.
OURS = [
    *("notes.css", "print.css", "favicon.svg"),
    *("explorer/*", "cards/*", "texts.js", "site.css", "site.js", FILE),
]

HEAD = """\
What this site carries of others, and under which licences

The text, the pictures and the code of the book have licences of their own, which
its first page names. Its pages also hold work of others, from the packages that
are named here. That work is changed: stylesheets and scripts are joined, without
what no page needs, and fonts hold only the letters that occur, under new names.
A text that is the same for several packages stands once, below their names; the
SIL Open Font License is that of all fonts. Where cells run in the page, the site has
a folder live/ too, and the file licenses.txt in it tells the same of what they need."""
RULE = "=" * 80


class Package(NamedTuple):
    """A package that the site has something of."""

    name: str
    version: str
    text: str
    notices: list[str]

    @property
    def licence(self) -> str:
        """Name its licence."""
        text = " ".join(self.text.split())
        names = [name for name, words in LICENCES.items() if re.search(words, text)]
        if not names:
            raise ExtensionError(
                f"The licence of the package {self.name} is none of {', '.join(LICENCES)}; read "
                "whether the site may carry it, and add it to book/_ext/notes_site/notices.py"
            )
        return ", ".join(names)


def npm_package(modules: Path, name: str) -> Package:
    """Describe a package below `node_modules`, with what its fonts say of themselves."""
    folder = modules / name
    version = json.loads((folder / "package.json").read_text("utf-8"))["version"]
    fonts = [*folder.rglob("*-latin-wght-*.woff2"), *folder.rglob("*fonts/*.woff2")]
    notices = dict.fromkeys(f"Of its fonts: {notice(file)}" for file in sorted(fonts))
    return Package(
        name, version, licence(name, folder.iterdir()), [*notices, *BESIDES.get(name, [])]
    )


def python_package(name: str) -> Package:
    """Describe a distribution that is installed here."""
    found = distribution(name)
    files = (Path(str(found.locate_file(file))) for file in found.files or [])
    return Package(name, found.version, licence(name, files), BESIDES.get(name, []))


def licence(name: str, files: Iterable[Path]) -> str:
    """Read the text of a package's licence."""
    texts = [
        file.read_text("utf-8").strip()
        for file in sorted(files)
        if re.fullmatch(r"(licen[cs]e|copying)(-mit)?(\.(txt|md|rst))?", file.name, re.IGNORECASE)
    ]
    if not texts:
        raise ExtensionError(
            f"The package {name} has no file with its licence, which must go with what the site "
            "carries of it; see book/_ext/notes_site/notices.py"
        )
    return "\n\n".join(dict.fromkeys(texts))


def notice(font: Path) -> str:
    """Read whose a font is, and under which licence, as it says itself."""
    names = TTFont(font)["name"]
    return (names.getDebugName(13) or names.getDebugName(0)).strip()


def packages(modules: Path) -> Iterator[Package]:
    """List all packages that the site has something of."""
    yield from (npm_package(modules, name) for name in FROM_NPM)
    yield from (python_package(name) for name in FROM_PYTHON)


def told(found: Iterable[Package]) -> str:
    """Write what the file says: each package, and its licence."""
    same = defaultdict(list)
    for one in found:
        same[one.text].append(one)
    parts = [HEAD]
    for text, these in same.items():
        parts.append(RULE)
        for one in these:
            parts.append(f"{one.name} {one.version}: {one.licence}")
            parts += one.notices
        parts.append(text)
    return "\n\n".join(parts) + "\n"


def owners(file: str) -> list[str]:
    """Name the packages whose a file of `_static` is, or "" for the book's own."""
    table = {**FROM_NPM, **FROM_PYTHON, "": OURS}
    return [name for name, kinds in table.items() if any(fnmatch(file, kind) for kind in kinds)]


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the file; refuse a site with a file that nobody answers for."""
    if exception or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    names = [one.relative_to(static).as_posix() for one in static.rglob("*") if one.is_file()]
    for name in sorted(names):
        if not owners(name):
            raise ExtensionError(
                f"The site carries _static/{name}, and no package in "
                "book/_ext/notes_site/notices.py answers for it; name its package there"
            )
    text = told(packages(install(tools(app).folder)))
    # The mark at its beginning tells a browser that this is UTF-8; no server need say it.
    (static / FILE).write_text(text, "utf-8-sig")


def setup(app: Sphinx) -> None:
    """Write the file when all is there, but not joined."""
    app.setup_extension("notes_site.npm")
    app.connect("build-finished", write, priority=945)  # when all is there, but not joined
