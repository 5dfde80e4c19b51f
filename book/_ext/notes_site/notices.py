"""Collect the licences of third-party work in one file, to which every page's footer links.

No third-party files are committed, but a built site contains many: rules in its stylesheet,
scripts, fonts. Their licences must be included. So the file is made from those that the
packages themselves contain; a package without one fails the build.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib.metadata import distribution
from pathlib import Path
from typing import NamedTuple

from fontTools.ttLib import TTFont
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from .npm import install, tools

FILE = "licenses.txt"

#: Packages from npm of which a page uses parts. (Bootstrap, Font Awesome and clipboard.js come
#: within Python packages, but without their licences.)
FROM_NPM = [
    *(f"@fontsource-variable/{name}" for name in ("source-serif-4", "source-sans-3")),
    *("@fontsource-variable/source-code-pro", "@fortawesome/fontawesome-free", "bootstrap"),
    *("clipboard", "katex", "tiny-emitter"),
]
#: The same for Python packages.
FROM_PYTHON = [
    *("Sphinx", "Pygments", "accessible-pygments", "pydata-sphinx-theme", "sphinx-book-theme"),
    *("sphinx-copybutton", "myst-nb", "sphinx-proof", "sphinx-exercise"),
]
#: Unstated third-party parts of packages.
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
    """A package of which the site uses parts."""

    name: str
    version: str
    text: str
    notices: list[str]


def npm_package(modules: Path, name: str) -> Package:
    """Describe a package below `node_modules`, with the notices in its fonts."""
    folder = modules / name
    version = json.loads((folder / "package.json").read_text("utf-8"))["version"]
    fonts = [*folder.rglob("*-latin-wght-*.woff2"), *folder.rglob("*fonts/*.woff2")]
    notices = dict.fromkeys(f"Of its fonts: {notice(file)}" for file in sorted(fonts))
    return Package(
        name, version, licence(name, folder.iterdir()), [*notices, *BESIDES.get(name, [])]
    )


def python_package(name: str) -> Package:
    """Describe an installed distribution."""
    found = distribution(name)
    files = (Path(str(found.locate_file(file))) for file in found.files or [])
    return Package(name, found.version, licence(name, files), BESIDES.get(name, []))


def licence(name: str, files: Iterable[Path]) -> str:
    """Return the text of a package's licence; raise if there is none."""
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
    """Return the copyright and licence that a font states."""
    names = TTFont(font)["name"]
    return (names.getDebugName(13) or names.getDebugName(0)).strip()


def packages(modules: Path) -> Iterator[Package]:
    """Yield all packages of which the site uses parts."""
    yield from (npm_package(modules, name) for name in FROM_NPM)
    yield from (python_package(name) for name in FROM_PYTHON)


def licence_text(found: Iterable[Package]) -> str:
    """Return the text of the licence file."""
    same = defaultdict(list)
    for one in found:
        same[one.text].append(one)
    parts = [HEAD]
    for text, these in same.items():
        parts.append(RULE)
        for one in these:
            parts.append(f"{one.name} {one.version}")
            parts += one.notices
        parts.append(text)
    return "\n\n".join(parts) + "\n"


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the file."""
    if exception or app.builder.format != "html":
        return
    text = licence_text(packages(install(tools(app).folder)))
    # The byte order mark tells a browser that this is UTF-8, without a server's header.
    Path(app.outdir, "_static", FILE).write_text(text, "utf-8-sig")


def setup(app: Sphinx) -> None:
    """Write the file when all parts are present, but not yet joined."""
    app.setup_extension("notes_site.npm")
    app.connect("build-finished", write, priority=945)  # before trim.py joins them
