"""Keep the translations of the book up to date with its sentences.

    python -m notes_site.words book/6-online   # make words
    python -m notes_site.words --tell          # make check: write nothing
    python -m notes_site.words --release       # make release: fail if anything is in English

The first writes the sentences of these pages, of those that have a file already, of those in
`pages.txt`, of the figures and of the site into `book/locale/zh_CN/LC_MESSAGES/`, and so for each
language: in page order, without line numbers and dates, so that a diff shows what has changed.
A new sentence gets the translation of the most similar one, marked as fuzzy, until
somebody has checked it: the site shows it in English. `tests/translations.py` checks the files.
All of them list the sentences that an edition shows in English.

Sentences come from the sources, read as Sphinx reads them; nothing is built, and no notebook runs.
"""

import csv
import io
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

import yaml  # type: ignore[import-untyped]
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po
from docutils import nodes
from notes_sheets import LOCALE, file_of, read, translated
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace
from sphinx.util.nodes import extract_messages

from .editions import ROOT, asks, listed
from .folders import files_in

#: Texts of the figures, and of the cells that run in a page, with a row for each text.
TABLES = {
    "explorer": ROOT / "perceptron_notes/figures/explorer/words.csv",
    "scenes": ROOT / "perceptron_notes/figures/scenes/words.csv",
    "live": ROOT / "book/_ext/notes_site/scripts/live/words.csv",
}
#: Catalogues that are not pages.
OWN = [*TABLES, "site"]
#: Directives in a page's Markdown that contain sentences, besides MyST's own.
EXTENSIONS = ["myst_parser", "sphinx_proof", "sphinx_exercise"]
EXTENSIONS += [f"notes_site.{room}" for room in ("chapters", "quiz", "assignments", "editions")]
#: A picture in Markdown, whose caption and alternative text are sentences too.
FIGURE = """\
::::::{{figure}} none.svg
:alt: {alt}

{caption}
::::::
"""
#: Arguments of `say`, as strings or names of constants, and Python's joined strings.
SAID = re.compile(r'\b(?:say|speaker\([^()]*\))\((?:"([^"]+)"|([A-Z]+)\))')
CONSTANT = r'\b%s = \(? ?("""|["\'])(.+?)\1'
#: The first heading of a page, in Markdown or in a notebook.
TITLE = re.compile(r'^ *"?# (.+?)(?:\\n)?"?,?$', re.MULTILINE)
JOINED = re.compile(r"""["']\s*\n\s*["']|\\\n""")

# ------------------------------------------------------------------------------ what is said


def messages(pages: list[str]) -> dict[str, dict[str, str]]:
    """Return the sentences to translate of each page, in order, with their kinds."""
    settings = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    kept = {name: one for name, one in settings["sphinx"]["config"].items() if name[:4] == "myst"}
    with tempfile.TemporaryDirectory() as folder, docutils_namespace():
        app = Sphinx(
            ROOT,
            None,
            folder,
            folder,
            "dummy",
            status=None,
            warning=io.StringIO(),  # targets on other pages are missing
            confoverrides={
                **kept,
                "extensions": EXTENSIONS,
                "source_suffix": {".md": "markdown", ".ipynb": "markdown"},
                "exclude_patterns": settings["exclude_patterns"],
                "myst_enable_extensions": settings["parse"]["myst_enable_extensions"],
            },
        )
        app.connect("source-read", as_markdown, priority=600)  # after the students' versions
        return {page: messages_of(app, page) for page in pages}


def messages_of(app: Sphinx, page: str) -> dict[str, str]:
    """Return the sentences of a page as Sphinx finds them, with their kinds."""
    if page not in app.env.found_docs:
        raise SystemExit(f"{page} is no page of the book; expected one such as book/6-online")
    app.builder.read_doc(page)
    found: dict[str, str] = {}
    for node, text in extract_messages(app.env.get_doctree(page)):
        if asks(node, text):
            kind = "" if isinstance(node, nodes.paragraph) else node.tagname
            found.setdefault(text.strip(), kind)
    return found


def as_markdown(app: Sphinx, page: str, content: list[str]) -> None:
    """Turn a notebook into Markdown with all translatable text of its page."""
    if app.env.doc2path(page).endswith(".ipynb"):
        notebook = json.loads(content[0])
        head = json.dumps({"myst": notebook["metadata"].get("myst", {})})
        cells = [text for cell in notebook["cells"] for text in texts_of(cell)]
        content[0] = "\n\n".join([f"---\n{head}\n---", *cells])


def texts_of(cell: dict[str, Any]) -> Iterator[str]:
    """Yield the texts of a cell on a page: its Markdown, its tables, the words of its picture."""
    if cell["cell_type"] == "markdown":
        yield "".join(cell["source"])
    if cell["cell_type"] != "code" or "card" in cell["metadata"].get("tags", ()):
        return
    told = cell["metadata"].get("mystnb", {})
    alt = told.get("image", {}).get("alt", "")
    for output in cell["outputs"]:
        data = {kind: "".join(text) for kind, text in output.get("data", {}).items()}
        yield data.get("text/markdown", "")
        printed = re.match(r"(\w+)\((.+)\)$", data.get("text/plain", ""), re.DOTALL)
        if printed and TABLES["scenes"].with_name(f"{printed[1].lower()}.js").is_file():
            alt = printed[2]  # a scene prints its alternative text
    caption = told.get("figure", {}).get("caption", "")
    if alt or caption:
        yield FIGURE.format(alt=alt, caption=caption)


def of_site(language: str) -> dict[str, str]:
    """Return the texts that the site translates by `say`, and what else its catalogue has.

    That is titles of pages in English, captions, and names in lists: the last two are in no call of
    `say`, nor in a constant that it names.
    """
    files = [*files_in(ROOT / "book/_ext/notes_site"), *ROOT.glob("book/[!.]*.py")]
    files = [file for file in files if file.suffix in (".py", ".html")]
    plain = " ".join(JOINED.sub("", file.read_text("utf-8")) for file in files)
    plain = " ".join(plain.split())
    found = {str(one.id): "" for one in read("site", language) if one.id}
    for text, name in SAID.findall(plain):
        constants = re.findall(CONSTANT % name, plain) if name else [("", text)]
        found |= {one.strip(): "" for _, one in constants}
    return found | dict.fromkeys(titles(language), "")


def titles(language: str) -> Iterator[str]:
    """Yield the titles of the pages that an edition has in English, but for those of modules."""
    for page in re.findall(r"file: (book/(?!api/).+)", (ROOT / "_toc.yml").read_text("utf-8")):
        if page not in listed(language):
            (file,) = ROOT.glob(f"{page}.[im]*")  # a notebook, or Markdown
            yield TITLE.findall(file.read_text("utf-8"))[0]


# ------------------------------------------------------------------------------ what is translated


def begun(language: str) -> list[str]:
    """Return the pages that have a file, and the site's own catalogues."""
    folder = LOCALE / language / "LC_MESSAGES"
    return [
        one.relative_to(folder).with_suffix("").as_posix() for one in sorted(folder.rglob("*.po"))
    ]


def texts(pages: list[str], language: str) -> dict[str, dict[str, str]]:
    """Return the texts to translate of each catalogue, with their kinds or keys."""
    found = messages(pages)
    for name, table in TABLES.items():
        with table.open(encoding="utf-8", newline="") as lines:
            found[name] = {row["en"]: row["key"] for row in csv.DictReader(lines)}
    return {**found, "site": of_site(language)}


def left(asked: dict[str, dict[str, str]], language: str) -> dict[str, list[str]]:
    """Return the texts that readers of an edition see in English, by catalogue."""
    found = {}
    for name, kinds in asked.items():
        known = translated(name, language)
        found[name] = [text for text in kinds if text not in known]
    return {name: shown for name, shown in found.items() if shown}


def update(name: str, language: str, asked: dict[str, str]) -> None:
    """Update the file of a catalogue."""
    file, known, template = file_of(name, language), read(name, language), Catalog()
    for text, kind in asked.items():
        template.add(text, auto_comments=[kind] if kind else [])
    known.update(template, update_header_comment=False)
    known.obsolete.clear()
    for one in known:
        one.flags.discard("python-brace-format")  # a guess of Babel's
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as stream:
        write_po(stream, known, width=0, omit_header=True)


def main(*options: str) -> int:
    """Update the files unless an option says otherwise; print what is in English.

    Return the exit status: with `--release`, 1 if anything is in English.
    """
    total, tell = 0, {*options} & {"--tell", "--release"}
    for language in sorted(folder.name for folder in LOCALE.iterdir()):
        pages = listed(language) if tell else [*options, *begun(language), *listed(language)]
        pages = [page for page in dict.fromkeys(pages) if page not in OWN]
        asked = texts(pages, language)
        for name in () if tell else asked:
            update(name, language, asked[name])
        for name, shown in left(asked, language).items():
            total += len(shown)
            print(f"{language}: {name} has {len(shown)} in English: “{shown[0][:60]}” …")
    return min(total, 1) if "--release" in options else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
