r"""A search that answers as one types, to the section, and speaks plainly.

`find.js` asks MiniSearch, in the page. It and `texts.js`, the text of every section and of every
entry of the glossary, are loaded at the first letter, as scripts, so that a page which was
opened from a folder can search too.

Sphinx's own search remains as the page of all results. To Sphinx a formula is its source, so that
`\mathbf{w}` would make every page a find for "mathbf". Of a formula its index keeps the Greek
letters by name, which one may well look for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from .formulas import plain

GREEK = re.compile(r"\\(alpha|eta|gamma|lambda|mu|rho|sigma|theta|xi)\b")


def index_plainly(app: Sphinx) -> None:
    """Let the builder index a copy of each page without formulas."""
    builder = app.builder
    if not hasattr(builder, "index_page"):
        return
    index_page = builder.index_page

    def index_copy(pagename: str, doctree: nodes.document, title: str) -> None:
        copy = doctree.deepcopy()
        for math in [*copy.findall(nodes.math), *copy.findall(nodes.math_block)]:
            words = nodes.Text(" ".join(GREEK.findall(math.astext())))
            math.parent.replace(math, words)
        for head in copy.findall(nodes.title):  # a theorem's is " (Halting)", without its number
            if head.astext().startswith(" ("):
                head[:] = [nodes.Text(head.astext().strip(" ()"))]
        index_page(pagename, copy, title)

    builder.index_page = index_copy


# As one types -----------------------------------------------------------------------------------

#: What is not read as text: code and its output, pictures, what is folded into a page as HTML.
SKIPPED = (nodes.literal_block, nodes.raw, nodes.image, nodes.comment, nodes.Invisible)
#: What is set apart from what follows it, so that its last word ends there.
BLOCKS = (
    *(nodes.paragraph, nodes.math_block, nodes.title, nodes.list_item, nodes.term, nodes.entry),
    *(nodes.caption, nodes.doctest_block, nodes.field_name),
    *(addnodes.desc_name, addnodes.desc_parameter),
)

Entry = tuple[str, str, str]  # anchor, title, text


def read(app: Sphinx, doctree: nodes.document) -> None:
    """Keep the texts of a page, with its title, as it is read."""
    for section in doctree.findall(nodes.section):  # Sphinx's search stumbles over a dot in a name
        section["ids"].sort(key=lambda name: "." in name)
    env = app.env
    if not hasattr(env, "found_texts"):
        env.found_texts = {}
    if app.builder.format == "html" and hasattr(app, "katex"):
        env.found_texts[env.docname] = list(entries(app, doctree))


def forget(_app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    """Forget a page that is gone or read anew."""
    getattr(env, "found_texts", {}).pop(docname, None)


def entries(app: Sphinx, doctree: nodes.document) -> Iterator[Entry]:
    """Sections, without those within them, and the terms of a glossary."""
    for section in doctree.findall(nodes.section):
        title = section.next_node(nodes.title)
        if title is not None:
            first = section.parent is doctree
            text = words(app, section, skip=(nodes.section, nodes.title))
            yield "" if first else section["ids"][0], words(app, title), text
    for item in doctree.findall(nodes.definition_list_item):
        term = item.next_node(nodes.term)
        if term is not None and term["ids"]:
            yield term["ids"][0], words(app, term), words(app, item[-1])


def words(app: Sphinx, node: nodes.Node, skip: tuple[type, ...] = ()) -> str:
    """The text of a node, with formulas as plain text."""
    if isinstance(node, nodes.Text):
        return str(node)
    if isinstance(node, SKIPPED):
        return ""
    if isinstance(node, nodes.math | nodes.math_block):
        try:
            return plain(app.katex, node.astext()) + " " * isinstance(node, nodes.math_block)
        except ValueError:  # which the page itself complains of
            return ""
    parts = [words(app, child, skip) for child in node.children if not isinstance(child, skip)]
    text = "".join(parts)
    return " ".join(text.split()) + " " if isinstance(node, BLOCKS) else text


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the two scripts."""
    if exception or app.builder.format != "html" or not hasattr(app.env, "found_texts"):
        return
    found = []
    for page in sorted(app.env.found_texts):
        number = ".".join(map(str, app.env.toc_secnumbers.get(page, {}).get("", ())))
        name = " ".join(f"{number}. {app.env.titles[page].astext()}".removeprefix(". ").split())
        for anchor, title, text in app.env.found_texts[page]:
            address = app.builder.get_target_uri(page) + (f"#{anchor}" if anchor else "")
            found.append([address, name, title.strip(), " ".join(text.split())])
    static = Path(app.outdir, "_static")
    static.mkdir(exist_ok=True)
    texts = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    (static / "texts.js").write_text(f"window.TEXTS={texts}", "utf-8")
    here = Path(__file__).parent
    script = app.tools("join", scripts=[], modules=[str(here / "find.js")], folder=str(here))
    (static / "find.js").write_text(script, "utf-8")


# The page of all results ------------------------------------------------------------------------


def add_script(app: Sphinx, pagename: str, *_rest: Any) -> None:
    """Mend the previews, on the page that shows them."""
    if pagename == "search":
        app.add_js_file("search.js", loading_method="defer")


def setup(app: Sphinx) -> dict[str, Any]:
    if "notes_site.formulas" in app.extensions:  # which tells how a formula reads
        app.connect("doctree-read", read)
        app.connect("env-purge-doc", forget)
        app.connect("build-finished", write, priority=940)  # before trim.py
    app.connect("builder-inited", index_plainly)
    app.connect("html-page-context", add_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
