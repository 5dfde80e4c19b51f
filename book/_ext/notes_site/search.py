"""Write the data of the search: the text of every section and every entry of the glossary.

`scripts/ranking.js` searches them in the page, with the table of `terms.py`, during typing and on
the page of all results. It and `texts.js` are scripts, so that a page opened from a folder can
search too. There is no other index: in Sphinx's, "mathbf" would find every page with a bold letter.
"""

import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.util.logging import getLogger

from .editions import speaker
from .formulas import plain
from .npm import tools
from .terms import for_search

#: Nodes without searchable text: code and its output, pictures, raw HTML.
SKIPPED = (nodes.literal_block, nodes.raw, nodes.image, nodes.comment, nodes.Invisible)
#: Nodes after which a space is inserted, to separate words.
BLOCKS = (
    *(nodes.paragraph, nodes.math_block, nodes.title, nodes.list_item, nodes.term, nodes.entry),
    *(nodes.caption, nodes.doctest_block, nodes.field_name),
    *(addnodes.desc_name, addnodes.desc_parameter),
)

Entry = tuple[str, str, str, list[str]]  # anchor, title, text, words in bold
#: The messages of results.js and ranking.js.
SAID = (
    *("Nothing found.", "1 section", "{n} sections"),
    *("The first {k} of {n} sections", "Show all {n}"),
    *("“{typed}” is called “{ours}” here.", "Near “{typed}”, this book has “{ours}”."),
    *("“{ours}” was looked for, too.", "Nothing has “{typed}” as it stands; these have {ours}."),
)
#: The texts of all pages, beside the environment, which is pickled before pages are written.
KEPT = "sections.json"


def add_page(_app: Sphinx, config: Config) -> None:
    """Add the page of all results."""
    config.html_additional_pages = {**config.html_additional_pages, "search": "search.html"}


def without_index(app: Sphinx) -> None:
    """Turn off Sphinx's index, as Sphinx does for formats with their own search."""
    if isinstance(app.builder, StandaloneHTMLBuilder):
        app.builder.search = False


@functools.cache
def texts(app: Sphinx) -> dict[str, list[Entry]]:
    """Return the texts of the pages that earlier builds have written."""
    kept = Path(app.doctreedir, KEPT)
    return json.loads(kept.read_text("utf-8")) if kept.is_file() else {}


def name_sections(_app: Sphinx, doctree: nodes.document) -> None:
    """Use a section's id made of words in its address, not a module's name."""
    for section in doctree.findall(nodes.section):
        section["ids"].sort(key=lambda name: "." in name)


def read(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Store the texts of a page as a reader sees it, with references resolved."""
    if app.builder.format == "html":
        texts(app)[docname] = list(entries(app, doctree))


def entries(app: Sphinx, doctree: nodes.document) -> Iterator[Entry]:
    """Yield the sections, each without its subsections, and the terms of a glossary."""
    for section in doctree.findall(nodes.section):
        title = section.next_node(nodes.title)
        if title is not None:
            first = section.parent is doctree
            text = words(app, section)
            yield "" if first else section["ids"][0], words(app, title), text, bold(section)
    for item in doctree.findall(nodes.definition_list_item):
        term = item.next_node(nodes.term)
        if term is not None and term["ids"]:
            yield term["ids"][0], words(app, term), words(app, item[-1]), []


def bold(section: nodes.section) -> list[str]:
    """Return the words in bold of a section, without its subsections: it may introduce them.

    What ends with a mark is the beginning of a paragraph.
    """
    parts = (part for part in section.children if not of_section(part))
    found = (one.astext() for part in parts for one in part.findall(nodes.strong))
    return [one for one in found if one[-1:].isalnum() and len(one) < 40]


def words(app: Sphinx, node: nodes.Node) -> str:
    """Return the text of a node, with formulas as plain text and without titled subsections."""
    if isinstance(node, nodes.Text):
        return str(node)
    if isinstance(node, SKIPPED):
        return " "
    if isinstance(node, nodes.math | nodes.math_block):
        try:
            return plain(tools(app), node.astext()) + " " * isinstance(node, nodes.math_block)
        except ValueError:  # reported by the page itself
            return ""
    text = "".join(words(app, child) for child in node.children if not of_section(child))
    return " ".join(text.split()) + " " if isinstance(node, BLOCKS) else text


def of_section(node: nodes.Node) -> bool:
    """Return whether a node is a titled section, or its title; what a theorem says is neither."""
    titled = node.parent if isinstance(node, nodes.title) else node
    return isinstance(titled, nodes.section) and titled.next_node(nodes.title) in titled.children


def in_order(env: BuildEnvironment) -> list[str]:
    """Return the pages, the numbered first: where a word is first in bold, it is introduced."""
    trees = env.tocs[env.config.root_doc].findall(addnodes.toctree)
    parts = sorted(trees, key=lambda tree: not tree.get("numbered"))
    listed = [page for tree in parts for _, page in tree["entries"]]
    below = [one for page in listed for one in (page, *env.toctree_includes.get(page, ()))]
    return [*dict.fromkeys([*below, *sorted(env.all_docs)])]


def address(app: Sphinx, place: str) -> str:
    """Return the address of a page, or of a place on it, given as page#anchor."""
    page, _, anchor = place.partition("#")
    return app.builder.get_target_uri(page) + (f"#{anchor}" if anchor else "")


def section(app: Sphinx, page: str, entry: Entry) -> list[Any]:
    """Return a section as the search in a page has it."""
    anchor, title, text, bold = entry
    number = ".".join(map(str, app.env.toc_secnumbers.get(page, {}).get("", ())))
    name = " ".join(f"{number}. {app.env.titles[page].astext()}".removeprefix(". ").split())
    return [address(app, f"{page}#{anchor}"), name, title.strip(), " ".join(text.split()), bold]


def in_english(app: Sphinx, home: str) -> list[Any]:
    """Return a section that explains a word, of a page that this edition does not have."""
    page, _, anchor = home.partition("#")
    links = app.env.tocs[page].findall(nodes.reference)
    titles = {link["anchorname"].strip("#"): link.astext() for link in links}
    return section(app, page, (anchor, titles.get(anchor, home), "", []))


def data(app: Sphinx) -> dict[str, Any]:
    """Return what the search needs: texts, words and, but in English, what is said of them."""
    language, words = app.config.language, for_search(app.config.language)
    pages = {page: texts(app).get(page, ()) for page in in_order(app.env)}
    found = [section(app, page, entry) for page, kept in pages.items() for entry in kept]
    known = {one[0] for one in found}
    for term in words["terms"]:
        home = term[-1] if term[-1].partition("#")[0] in app.env.all_docs else ""
        term[-1] = home and address(app, home)
        if term[-1].startswith("../") and term[-1] not in known:
            found.append(in_english(app, home))
        elif term[-1] and term[-1] not in known:
            getLogger(__name__).warning("“%s”, the home of “%s”, is no section", home, term[0])
        known.add(term[-1])
    told = {} if language == "en" else {"SAID": {one: speaker(language)(one) for one in SAID}}
    return {**told, "WORDS": words, "TEXTS": found}


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the two scripts."""
    if exception or app.builder.format != "html":
        return
    pages = {name: kept for name, kept in texts(app).items() if name in app.env.all_docs}
    Path(app.doctreedir, KEPT).write_text(json.dumps(pages), "utf-8")
    write_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    lines = [f"window.{name}={write_json(one)}" for name, one in data(app).items()]
    static = Path(app.outdir, "_static")
    (static / "texts.js").write_text(";".join(lines), "utf-8")
    module = Path(__file__).parent / "scripts/results.js"
    script = tools(app)("join", scripts=[], module=str(module))
    (static / "results.js").write_text(script, "utf-8")


def setup(app: Sphinx) -> None:
    """Read the pages, and write at the end."""
    app.setup_extension("notes_site.formulas")  # which tells how a formula reads
    app.connect("config-inited", add_page)
    app.connect("builder-inited", without_index)
    app.connect("doctree-read", name_sections)
    app.connect("doctree-resolved", read)
    app.connect("build-finished", write, priority=940)  # before trim.py
