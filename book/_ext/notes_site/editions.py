"""Build the book in another language: the same notebooks, cache and outputs, translated text.

    python -m notes_site.in_language zh_CN

reads all pages, so that numbers and links are those of the book, and writes the pages that
`book/locale/zh_CN/pages.txt` lists. Their sentences are in `LC_MESSAGES/`, and so are those of
the site itself and of the figures (words.py makes these files). What has no translation
stands there in English, a link to a page without one leads to the English page; both are marked,
and the first page counts the former.
"""

import functools
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from docutils import nodes
from notes_sheets import LOCALE, in_language, translated
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.transforms import SphinxTransform
from sphinx_exercise.nodes import exercise_subtitle, exercise_title, solution_title

ROOT = Path(__file__).parents[3]
#: Parts of a sentence that are the same in all languages: formulas, code, targets, comments.
SAME = re.compile(
    r"\$\$.+?\$\$|\$[^$]+\$|`[^`]+`|\{[\w:]+\}|<!--.*?-->|\]\([^)]*\)|<[^>]*>", re.DOTALL
)
#: Nodes that Sphinx would translate too, but that extensions write.
LEFT = (addnodes.toctree, exercise_title, solution_title)
#: Words in a formula, and a term whose name is the text of its link.
WORDS, NAME = re.compile(r"\\text\{([^}]*)\}"), re.compile(r"\{term\}`([^`<]*)`")
#: The beginning of an explorer's alternative text, which is translated in its parts.
STILL = "A still picture of an interactive figure"
#: The mark of a sentence at the end of a displayed formula.
END = re.compile(r"(?:\\[,;: ]|\s)*[.,;]((?:\s|\\end\{\w+\*?\})*)$")
#: A sign of a formula or of code, and how many in a row, which do not break, tear a justified line.
SIGN, LONG = re.compile(r"\\[a-zA-Z]+(?=\{)|\\?\w|[^\s{}^_\\]"), 12
#: The suffix of an English text that cannot be marked otherwise: in names, titles and figures.
MARK = " (EN)"
#: Settings whose text a reader sees.
SHOWN = ("html_title", "author", "copyright")
#: The notice on the first page if something is not translated.
COUNT = "Passages of this edition that are still in English: {number}. Each is marked EN."
#: Names that the theme and Sphinx have only in English.
THEIRS = ["Color mode", "Main", "Link", "Link to this heading", "Link to this image"]
THEIRS += ["Link to this term", "Light", "Dark", "System Settings", "Toggle primary sidebar"]
NAMED = re.compile(rf'((?:title|aria-label)=)"({"|".join(THEIRS)})"')
#: Corrections where extensions punctuate Chinese as if it were English: brackets after the
#: number of a statement, exercise or solution; a page's last line; a space; authors; no italics.
BRACKETS = r'(class="(?:admonition-title|solution fol).*?[\d.]+) ?(</span>)? ?[(（](.*)[)）](?=</)'
TIDY = {
    BRACKETS: r"\1\2（\3）",
    r"© Copyright (.+)\.\n": r"© \1。\n",
    r"(?<=：) (?=\w)": "",
    r"([A-Z][\w-]+) and (?=[A-Z][\w-]+(?: \[<a|, \d{4}</a>))": r"\1 和 ",
    r"<em>(?=[^<\u3400-\u9fff]+</em>)": '<em class="latin">',
}
LINK = re.compile(r'<a (?![^>]*hreflang)([^>]*href="((?:\.\./)+)(?!_static)[^"]*\.html)')


def short(language: str) -> str:
    """Return the folder name of a language: zh for zh_CN and zh-CN."""
    return re.split("[-_]", language)[0]


def listed(language: str) -> list[str]:
    """List the pages that are complete in a language."""
    return (LOCALE / language / "pages.txt").read_text("utf-8").split()


@functools.cache
def said(language: str, catalogue: str = "site") -> dict[str, str]:
    """Return the texts of the site, or of its figures, in English, with their translations."""
    known = translated(catalogue, language.replace("-", "_"))
    return {" ".join(en.split()): other for en, other in known.items()}


def speaker(language: str, catalogue: str = "site") -> Callable[[str], str]:
    """Return a function that translates English text into this language.

    Text without a translation stays English, and is marked. White space makes no difference.
    """

    def say(text: str) -> str:
        return said(language, catalogue).get(" ".join(text.split())) or text + MARK

    return str if short(language) == "en" else say


def notebook_in(language: str, page: str, notebook: str) -> str:
    """Translate the Markdown of a page's notebook."""
    known, proof = translated(page, language), speaker(language)("Proof.")
    return in_language(notebook, known, proof, short(language))


def choose(app: Sphinx, page: str, content: list[str]) -> None:
    """Choose the cells of a page in another language."""
    if app.config.language != "en" and app.env.doc2path(page).endswith(".ipynb"):
        content[0] = in_language(content[0], {}, language=short(app.config.language))


def asks(node: nodes.Node, message: str) -> bool:
    """Return whether a string of a page has words to translate, not formulas and numbers alone."""
    formula = isinstance(node, nodes.math_block)
    bare = "".join(WORDS.findall(message)) if formula else SAME.sub("", NAME.sub(r"\1", message))
    words = re.search(r"[A-Za-z]{2}", bare) and not message.startswith(STILL)
    return bool(words) and not isinstance(node, LEFT)


def switch(app: Sphinx, config: Config) -> None:
    """Translate the settings that a reader sees."""
    if config.language == "en":
        return
    say = speaker(config.language)
    options = config.html_theme_options
    for place, name in [*((config, name) for name in SHOWN), (options, "search_bar_text")]:
        if name in place:
            place[name] = say(place[name])
    config.html_css_files = [*config.html_css_files, "han.css"]
    if config.html_baseurl:
        config.html_baseurl += f"{short(config.language)}/"


class HelpSphinx(SphinxTransform):
    """Makes titles of exercises and displayed formulas translatable, before Sphinx translates.

    In Chinese such a formula ends without a mark, as the sentence around it has 。 and ，.
    Pages in English get a title in the edition's language, for the contents.
    """

    default_priority = 10

    def apply(self, **_kwargs: Any) -> None:
        """Process titles and displayed formulas."""
        for title in self.document.findall(exercise_subtitle):
            title.rawsource = "".join(map(source, title.children))
            title.source = self.document["source"]
        known = translated(self.env.docname, self.config.language)
        for formula in self.document.findall(nodes.math_block):
            if formula.rawsource.strip() in known:
                formula.rawsource = known[formula.rawsource.strip()]
                formula[:] = [nodes.Text(formula.rawsource)]
            if short(self.config.language) == "zh":
                formula[:] = [nodes.Text(END.sub(r"\1", formula.astext()))]
        title = self.document.next_node(nodes.title)
        if title and title.astext() in said(self.config.language):
            title[:] = [nodes.Text(said(self.config.language)[title.astext()])]


def source(node: nodes.Node) -> str:
    """Return the Markdown source of an inline node."""
    mark = {nodes.math: "$", nodes.literal: "`", nodes.emphasis: "*"}.get(type(node), "")
    return f"{mark}{node.astext()}{mark}"


class MarkEnglish(SphinxTransform):
    """Marks text that is still in English, and translates the captions of the book's parts."""

    default_priority = 950  # after translations and the table of contents

    def apply(self, **_kwargs: Any) -> None:
        """Add a class to untranslated text, from which docutils makes `lang="en"`."""
        if self.config.language == "en":
            return
        for tree in self.document.findall(addnodes.toctree):
            tree["caption"] = tree.get("caption") and speaker(self.config.language)(tree["caption"])
        for node in self.document.findall(nodes.TextElement):
            if node.get("translated") is False and asks(node, node.rawsource):
                node["classes"].append("language-en")
            whole = (one for kind in (nodes.math, nodes.literal) for one in node.findall(kind))
            if any(len(SIGN.findall(one.astext())) > LONG for one in whole):
                node["classes"].append("ragged")
        # sphinx-exercise takes the titles of solutions from a copy.
        registry: dict[str, Any] = getattr(self.env, "sphinx_exercise_registry", {})
        for node in self.document.findall(nodes.Admonition):
            if kept := registry.get(node.get("label")):
                kept["node"] = node.deepcopy()


def count(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Write below the title of the first page how much is still in English."""
    number = app.config.still_english
    if number and page == app.config.root_doc:
        text = speaker(app.config.language)(COUNT).format(number=number)
        title = next(iter(doctree.findall(nodes.title)))
        note = nodes.paragraph("", text, classes=["still-english"])
        title.parent.insert(title.parent.index(title) + 1, note)


def restrict(app: Sphinx) -> None:
    """Write the listed pages only; links to others lead to the English ones, a folder above."""
    if app.config.language == "en":
        return
    kept, builder = listed(app.config.language), app.builder
    address, write = builder.get_target_uri, builder._write_serial

    def target(docname: str, typ: str | None = None) -> str:
        away = docname in app.env.found_docs and docname not in kept
        return "../" * away + address(docname, typ)

    builder.get_target_uri = target  # type: ignore[method-assign]  # Sphinx has no event for these

    def write_kept(docnames: Sequence[str]) -> None:
        write([name for name in docnames if name in kept])

    builder._write_serial = write_kept  # type: ignore[method-assign]


def finish(app: Sphinx, exception: Exception | None) -> None:
    """Mark links to English pages, and translate the theme's English text."""
    if exception or app.config.language == "en":
        return
    say = speaker(app.config.language)
    for page in listed(app.config.language):
        notebook = Path(app.outdir, "_sources", f"{page}.ipynb")
        if notebook.is_file():
            text = notebook_in(app.config.language, page, notebook.read_text("utf-8"))
            notebook.write_text(text, "utf-8")
    for file in Path(app.outdir).rglob("*.html"):
        above = len(file.relative_to(app.outdir).parts)

        def told(link: re.Match[str], above: int = above) -> str:
            out = link[2].count("../") == above
            return f'<a hreflang="en" {link[1]}' if out else link[0]

        page = LINK.sub(told, file.read_text("utf-8"))
        for wrong, right in TIDY.items():
            page = re.sub(wrong, right, page)
        file.write_text(NAMED.sub(lambda name: f'{name[1]}"{say(name[2])}"', page), "utf-8")


def setup(app: Sphinx) -> None:
    """Add the transforms, and restrict what is written."""
    app.add_config_value("still_english", 0, "")
    # The first page is rewritten, since a change in any page may affect its count.
    app.connect("env-updated", lambda app, _: [app.config.root_doc] * (app.config.language != "en"))
    app.connect("source-read", choose)
    app.connect("doctree-resolved", count)
    app.connect("config-inited", switch, priority=150)  # after links.py has found the address
    app.add_transform(HelpSphinx)
    app.add_transform(MarkEnglish)
    app.connect("builder-inited", restrict)
    app.connect("build-finished", finish, priority=935)
