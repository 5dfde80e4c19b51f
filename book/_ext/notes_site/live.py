"""Make the cells of a built site run in the page: ship Python, and add a button to each cell.

    python -m notes_site.live _build/html _build/live

makes a copy of a site whose cells run without a server and without requests to other hosts; with
one folder only, that site itself is changed. The folder `live/` in it has Pyodide (pyodide.py), the
package with what it imports (`book.zip`), and our scripts. A page gets buttons, and the loader in
`site.js` fetches nothing before one is pressed. The page's script reads its cells and their
committed outputs from the notebook that the page offers as a download.
"""

import csv
import gzip
import io
import json
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from perceptron_classroom.problem_sets import CODE_BLANK, TEXT_BLANKS

from . import notices, npm, pyodide
from .drawings import fonts, palette, pictures
from .editions import speaker
from .folders import checksum, files_in
from .zips import pack

HERE = Path(__file__).parent / "scripts" / "live"
ROOT = Path(__file__).resolve().parents[3]
#: Where the repository's files are mounted: the notebooks run in /book/book.
PLACE = "/book"

#: Packages loaded at the first press, and those loaded when a cell imports them.
AT_ONCE = ["numpy", "matplotlib", "ipython"]
LATER = ["scikit-learn"]
#: Their requirements that no cell needs: completion, fonts in a PDF, time zones.
LEFT_OUT = {"jedi", "parso", "fonttools", "pytz", "matplotlib-pyodide"}
#: Pure Python packages, besides the two of this repository.
PURE = ["anywidget", "comm", "ipywidgets", "psygnal", "typing_extensions"]
#: Files of the repository that cells import or read.
SHIPPED = ["perceptron_notes", "classroom/perceptron_classroom", "benchmarks/results"]
SHIPPED_FILES = ["benchmarks/charts.py"]
NOT_SHIPPED = {".pyc", ".so", ".c", ".h", ".v", ".md", ".ipynb", ".pyi", ".svg", ".png"}
FOLDERS_NOT_SHIPPED = {"labextension", "nbextension", "tests"}

#: Packages of npm that are bundled into our script, besides those that the pages have.
IN_EDITOR = ["@codemirror/commands", "@codemirror/lang-python", "@lezer/highlight"]
#: Their requirements that are used only as commands.
OF_COMMANDS = {"argparse", "commander"}
LICENCE = re.compile(r"(?:^|/)(?:LICEN[CS]E|COPYING|NOTICE)[^/]*(?<!\.py)$", re.IGNORECASE)
#: Wheels without a licence, since they are a part of Python's library.
OF_PYTHON = {"sqlite3"}

CELL = re.compile(r'<div class="cell ((?:[\w-]+ )*)docutils container">')
CODE = re.compile(
    r'(<div class="cell_input docutils container">\n<div class="[^"]*notranslate">'
    r'<div class="highlight"><pre>.*?</pre>\s*</div>\s*</div>\s*)(?=</div>)',
    re.DOTALL,
)
ARTICLE = '<article class="bd-article" id="the-text"'
#: The tags of a cell that takes some seconds in a page, and of one that cannot run in a page, as
#: it needs other processes, for example.
SLOW, NOT_HERE = re.compile(r"slow-(\d+)"), "no-page"
#: An answer in words that is still to be written.
BLANK = "<p><em[^>]*>%s</em></p>"
#: The folder of a language's site within the English one, and the script with its texts.
PLACES = {"en": "", "zh_CN": "zh"}
SCRIPTS = {"en": "page.js", "zh_CN": "page.zh.js"}
HIDDEN = {"remove-cell", "remove_cell", "card"}


# ---------------------------------------------------------------------- the folder live/


def write(folder: Path, build: Path) -> None:
    """Write the files that run cells."""
    package = pyodide.fetch(build)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in pyodide.INTERPRETER:
        content = (package / name).read_bytes()
        if name.endswith(".wasm"):  # not every server compresses it
            folder.joinpath(f"{name}.packed").write_bytes(gzip.compress(content, 9, mtime=0))
        else:
            folder.joinpath(name).write_bytes(content)
    entries = chosen(pyodide.lock(package), [*AT_ONCE, *LATER])
    for entry in entries.values():
        shutil.copyfile(package / entry["file_name"], folder / entry["file_name"])
    whole = json.loads((package / pyodide.LOCK).read_text("utf-8"))
    (folder / "pyodide-lock.json").write_text(json.dumps(whole | {"packages": entries}), "utf-8")
    modules = npm.install(build / ".node")
    fontlist = fonts_of(folder / entries["matplotlib"]["file_name"])
    (folder / "book.zip").write_bytes(book(modules, fontlist))
    ask = npm.Tools(build / ".node")
    for language in editions(folder.parent):
        defined = {"WORDS": json.dumps(words(language)), "COLOURS": json.dumps(palette())}
        page = ask("bundle", script=str(HERE / "page.js"), define=defined)
        (folder / SCRIPTS[language]).write_text(page, "utf-8")
    ask.close()
    for name in ("worker.js", "live.css"):
        shutil.copyfile(HERE / name, folder / name)
    # The byte order mark tells a browser that this is UTF-8, without a server's header.
    (folder / "licenses.txt").write_text(licences(folder, modules), "utf-8-sig")
    at_once = [*pyodide.INTERPRETER, pyodide.LOCK, "book.zip"]
    at_once += [entry["file_name"] for entry in chosen(entries, AT_ONCE).values()]
    zipped = [name for name in at_once if (folder / f"{name}.packed").exists()]
    sizes = {
        file.name.removesuffix(".packed"): file.stat().st_size for file in sorted(folder.iterdir())
    }
    parts = {"base": at_once, "sizes": sizes, "zipped": zipped}
    (folder / "parts.json").write_text(json.dumps(parts), "utf-8")


def chosen(lock: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Return these packages of the lock with their requirements, except unneeded ones."""
    found: dict[str, Any] = {}

    def add(name: str) -> None:
        name = name.replace("_", "-")
        if name not in found:
            entry = lock[name]
            needs = [one for one in entry["depends"] if one not in LEFT_OUT]
            found[name] = entry | {"depends": needs}
            for one in needs:
                add(one)

    for name in names:
        add(name)
    return found


def fonts_of(wheel: Path) -> bytes:
    """Return matplotlib's list of its own fonts, so that it need not search for any.

    The list in the wheel is of another version, and has the fonts of another machine.
    """
    with zipfile.ZipFile(wheel) as archive:
        known = json.loads(archive.read("matplotlib/fontlist.json"))
        code = archive.read("matplotlib/font_manager.py").decode("utf-8")
    version = re.search(r"^    __version__ = (\d+)", code, re.MULTILINE)
    assert version is not None
    known["_version"] = int(version[1])
    for kind in ("afmlist", "ttflist"):
        known[kind] = [one for one in known[kind] if one["fname"].startswith("fonts/")]
    return json.dumps(known).encode()


def book(modules: Path, fontlist: bytes) -> bytes:
    """Zip what cells import and read: the two packages, their requirements, fonts, our session."""
    with tempfile.TemporaryDirectory() as place:
        pyodide.copy_pure(PURE, Path(place, "pure"))
        files = dict(shipped(Path(place, "pure"), "pure"))
        for font in fonts(modules, Path(place)):
            files[f"live/{font.name}"] = font.read_bytes()
            font.unlink()
    for name in SHIPPED:
        files |= shipped(ROOT / name, name.removeprefix("classroom/"))
    files |= {name: (ROOT / name).read_bytes() for name in SHIPPED_FILES}
    drawn = [f"{PLACE}/{name}" for name in files if name.endswith(".ttf")]
    files["live/pictures.py"] = pictures(drawn).encode()
    files |= shipped(ROOT / "book/_ext/notes_live", "live/notes_live")
    packed_as = {f"{PLACE[1:]}/{name}": content for name, content in files.items()}
    packed_as["lib/python3.12/site-packages/matplotlib/fontlist.json"] = fontlist
    stream = io.BytesIO()
    pack(dict(sorted(packed_as.items())), stream)
    return stream.getvalue()


def shipped(folder: Path, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a folder to include, with their content."""
    for file in files_in(folder):
        way = file.relative_to(folder)
        if file.suffix not in NOT_SHIPPED and not FOLDERS_NOT_SHIPPED & {*way.parts}:
            yield f"{name}/{way.as_posix()}", file.read_bytes()


# --------------------------------------------------------------------------- the licences

WHOSE = """\
What cells need that run in the page, and under which licences

Pyodide {version} (pyodide.asm.*, pyodide.mjs): Mozilla Public License 2.0, which is at
https://mozilla.org/MPL/2.0/; its source is at https://github.com/pyodide/pyodide. It
holds CPython and its library (python_stdlib.zip, sqlite3), whose licence stands below
with that of typing_extensions, which is the same; what CPython has of others is told
at https://docs.python.org/3/license.html. Linked with it, under the MIT licence, whose
words stand below for markdown-it:

Emscripten, copyright (c) 2010-2014 Emscripten authors
musl, copyright (c) 2005-2020 Rich Felker, et al.
libffi, copyright (c) Anthony Green, Red Hat, Inc and others

OpenBLAS (openblas-*.zip), copyright (c) 2011-2014, The OpenBLAS Project, has the BSD
licence of three clauses, whose words stand below for scikit-learn.

The typefaces in book.zip are among those of the pages (_static/licenses.txt). What the
scripts and the packages bring of others follows, each with its licence."""


def licences(folder: Path, modules: Path) -> str:
    """Return the licences of the npm packages in our script, and of each wheel."""
    found = needed_in(modules, ["markdown-it", "katex", *IN_EDITOR])
    lock = json.loads((folder / pyodide.LOCK).read_text("utf-8"))
    parts = [WHOSE.format(version=lock["info"]["version"])]
    packages = [notices.npm_package(modules, name) for name in found]
    packages += [notices.python_package(name) for name in PURE]
    parts.append(notices.licence_text(packages).removeprefix(notices.HEAD).strip())
    for wheel in sorted(folder.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            about = next(name for name in names if name.endswith(".dist-info/METADATA"))
            said = archive.read(about).decode("utf-8").partition("\n\n")[0].splitlines()
            kinds = ("Name:", "Version:", "License:", "License-Expression:", "Classifier: License")
            files = [archive.read(name) for name in names if LICENCE.search(name)]
        texts = dict.fromkeys(file.decode("utf-8", "replace").strip() for file in files)
        if not texts and wheel.name.partition("-")[0] not in OF_PYTHON:
            raise SystemExit(f"{wheel.name} has no file with its licence, which must go with it")
        parts.append(notices.RULE)
        parts.append("\n".join(line for line in said if line.startswith(kinds)))
        parts += texts
    return "\n\n".join(parts) + "\n"


def needed_in(modules: Path, names: list[str]) -> list[str]:
    """Return packages of npm with all their dependencies."""
    found: list[str] = []
    while names:
        name = names.pop(0)
        if name not in found:
            found.append(name)
            manifest = json.loads((modules / name / "package.json").read_text("utf-8"))
            names += [one for one in manifest.get("dependencies", {}) if one not in OF_COMMANDS]
    return sorted(found)


def words(language: str = "en") -> dict[str, str]:
    """Return the texts of the page's script, by key."""
    say = speaker(language, "live")
    with (HERE / "words.csv").open(encoding="utf-8", newline="") as table:
        return {row["key"]: say(row["en"]) for row in csv.DictReader(table)}


def editions(site: Path) -> dict[str, Path]:
    """Return the site of each language: others are folders of the English one."""
    return {one: site / way for one, way in PLACES.items() if (site / way / "_sources").is_dir()}


# ------------------------------------------------------------------------------ the pages


def add(site: Path, build: Path) -> int:
    """Make the cells of a site run; return how many do."""
    write(site / "live", build)
    sizes = json.loads((site / "live" / "parts.json").read_text("utf-8"))
    megabytes = round(sum(sizes["sizes"][name] for name in sizes["base"]) / 1e6)
    return sum(
        add_buttons(place, language, megabytes) for language, place in editions(site).items()
    )


def add_buttons(site: Path, language: str, megabytes: int) -> int:
    """Put buttons on the pages of a site in one language; return how many."""
    up, count = "../" if PLACES[language] else "", 0
    script = (site / up / "live" / SCRIPTS[language]).read_bytes()
    said = words(language)
    for notebook in sorted((site / "_sources").rglob("*.ipynb")):
        name = notebook.relative_to(site / "_sources").with_suffix(".html")
        page = site / name
        if page.is_file():
            way = "../" * (len(name.parts) - 1)
            told = {
                "notebook": f"{way}_sources/{name.with_suffix('.ipynb').as_posix()}",
                "from-disk": said["from_disk"],
                "not-come": said["not_come"],
                "live": f"{way}{up}live/",
                "script": SCRIPTS[language],
                "version": checksum(script)[:8],
                "megabytes": str(megabytes),
            }
            text, cells = with_buttons(page.read_text("utf-8"), notebook, told, said)
            page.write_text(text, "utf-8")
            count += cells
    return count


def with_buttons(
    page: str, notebook: Path, told: dict[str, str], said: dict[str, str]
) -> tuple[str, int]:
    """Return a page with a button on each cell and a link to its notebook, and their number."""
    saved = json.loads(notebook.read_text("utf-8"))["cells"]
    cells = [
        cell
        for cell in saved
        if cell["cell_type"] == "code" and not HIDDEN & {*cell["metadata"].get("tags", [])}
    ]
    count = 0
    for cell in saved:
        if (text := "".join(cell["source"])) in TEXT_BLANKS:
            button = f'<button type="button" class="run write pst-js-only">{said["write"]}</button>'
            shown = f'<p data-cell="{cell["id"]}"><em>{said["blank"]}</em> {button}</p>'
            page = re.sub(BLANK % re.escape(text.strip("*")), shown, page, count=1)
    before, *rest = CELL.split(page)
    kinds, texts = rest[::2], rest[1::2]
    if len(kinds) != len(cells):
        raise SystemExit(f"{notebook} has {len(cells)} cells, and its page {len(kinds)}")
    data = "".join(f' data-{name}="{escape(value)}"' for name, value in told.items())
    parts = [before.replace(ARTICLE, ARTICLE + data)]
    for cell, kind, text in zip(cells, kinds, texts, strict=True):
        source = "".join(cell["source"])
        blank, check = CODE_BLANK in source, source.startswith("checks.")
        if blank:  # the reader writes here
            text = text.replace('<details class="hide">', '<details class="hide" open>')
        label = said["write" if blank else "check" if check else "run"]
        kinds_of = "run write" if blank else "run"
        button = f'<button type="button" class="{kinds_of} pst-js-only">{escape(label)}</button>\n'
        tags = cell["metadata"].get("tags", [])
        not_here, slow = NOT_HERE in tags, [*filter(None, map(SLOW.fullmatch, tags))]
        if slow or not_here:
            told_so = said["not_here"] if not_here else said["long"].format(seconds=slow[0][1])
            status = f'<span class="live-status" role="status">{escape(told_so)}</span>'
            inside = status if not_here else f"{status}{button}"
            button = f'<div class="live-bar d-print-none pst-js-only">{inside}</div>\n'
        text, done = CODE.subn(rf"\1{button}", text, count=1)
        parts.append(f'<div class="cell {kind}docutils container" data-cell="{cell["id"]}">{text}')
        count += done and not not_here
    return "".join(parts), count


if __name__ == "__main__":
    site, *copies = map(Path, sys.argv[1:])
    for copy in copies:
        shutil.rmtree(copy, ignore_errors=True)
        site = shutil.copytree(site, copy)
    print(f"{site}: {add(site, ROOT / '_build')} cells run in the page")
