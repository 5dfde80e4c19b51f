r"""Typeset the formulas when the site is built, so that a page needs no script for them.

Each formula goes to KaTeX (in the Node process of npm.py) and comes back as
HTML for the eye and MathML for a screen reader. Sphinx numbers and links the equations as it always
does. TeX that KaTeX refuses is a warning with file and line, which fails our build.

The chapters use plain LaTeX and no macros of their own: JupyterLab shows the same notebooks with
MathJax, which would not know them.

Where a page can show no formula (its `<title>`, tooltips, the contents, the search results), it
gets the plain text that `plain` makes: `$R^2/\rho^2$` reads R²/ρ² there.
"""

import functools
import re
import shutil
import unicodedata
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.domains.std import StandardDomain
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

from .npm import Tools, install, tools

logger = logging.getLogger(__name__)

#: Punctuation that must not begin a line.
CLOSING = r",.;:!?)\]’”，。；：！？、）》…"


@functools.cache
def katex(ask: Tools, tex: str, display: bool, output: str = "htmlAndMathml") -> str:
    """Return a formula as HTML; raise `ValueError` if its TeX is invalid."""
    html = str(ask("katex", tex=tex, display=display, output=output))
    return re.sub("∥(?=</m)", "‖", html)  # a norm's bars, which would be read out as "parallel to"


# Plain text -------------------------------------------------------------------------------------

_SCRIPTS = {
    "msup": ("^", str.maketrans("0123456789+−=()nit⊤T′", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵗᵀᵀ′")),
    "msub": ("_", str.maketrans("0123456789+−=()ijnt", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ᵢⱼₙₜ")),
}
_ACCENTS = {"^": "\u0302", "ˉ": "\u0304", "~": "\u0303", "⃗": "\u20d7"}
_BRACES = "⏟⎵"


def plain(ask: Tools, tex: str) -> str:
    """Return a formula as one line of plain text, from its MathML."""
    (mathml,) = re.findall(r"<math.*</math>", katex(ask, tex, False, "mathml"), re.DOTALL)
    return words(mathml)


def words(mathml: str) -> str:
    """Return MathML as one line of plain text."""
    text = unicodedata.normalize("NFC", _text(ElementTree.fromstring(mathml)))
    text = " ".join(text.split())
    return re.sub(r"(?<=\w) (?=\()| (?=[,.;:)\]|/])", "", text)  # sign(s), not sign (s)


def _text(element: ElementTree.Element) -> str:
    tag = element.tag.rpartition("}")[2]
    parts = [_text(child) for child in element]
    if tag in _SCRIPTS:
        return parts[0].rstrip() + _script(tag, parts[1])
    if tag == "msubsup":
        return parts[0] + _script("msub", parts[1]) + _script("msup", parts[2])
    if tag == "munderover":
        return parts[0] + _script("msub", parts[1]) + _script("msup", parts[2]) + " "
    if tag == "munder":
        under = "" if parts[1] in _BRACES else _script("msub", parts[1]) + " "
        return parts[0].rstrip() + under
    if tag == "mover":
        return parts[0] + _ACCENTS.get(parts[1], "")
    if tag == "mfrac":
        return "/".join(map(_group, parts))
    if tag == "msqrt":
        return f"√({''.join(parts)})"
    if tag == "mtable":
        return "; ".join(parts)
    if tag == "mtr":
        return " ".join(parts)
    text = (element.text or "") + "".join(parts)
    # Invisible operators (as after \operatorname) become a space; ≤ and its like get two.
    text = "".join(" " if unicodedata.category(c) == "Cf" else c for c in text)
    return f" {text} " if tag == "mo" and text in "=<>≤≥≠∈→←⇒⇔≈" else text


def _script(tag: str, text: str) -> str:
    mark, table = _SCRIPTS[tag]
    text = text.replace(" ", "")
    known = all(ord(c) in table for c in text)
    return text.translate(table) if known else f"{mark}{_group(text)} "


def _group(text: str) -> str:
    """Return a text, in brackets if its neighbours could be read as part of it."""
    return f"({text})" if re.search(r"[-+−·⋅=<>≤≥/, ]", text.strip()) else text


# Visitors ---------------------------------------------------------------------------------------


def visit_math(self: Any, node: nodes.math) -> None:
    """Write an inline formula."""
    html = _html(self, node, display=False)
    if not breakable(node):
        html = html.replace('class="katex"', 'class="katex whole"', 1)
    self.body.append(html)
    raise nodes.SkipNode


def breakable(node: nodes.math) -> bool:
    """Return whether a formula may break across lines, as KaTeX allows even in N(N − 1).

    A formula of up to about 20 signs fits on the line of a telephone, so it can stay whole.
    """
    return len(letters(node.astext())) > 16


def letters(tex: str) -> str:
    """Strip a formula of commands, braces and spaces; the length is about that of the output."""
    return re.sub(r"\\[a-zA-Z]+|[\\{}_^\s]", "", tex)


def visit_math_block(self: Any, node: nodes.math_block) -> None:
    """Write a displayed formula, and its number."""
    self.body.append(self.starttag(node, "div", CLASS="math"))
    # The formula scrolls when it is wider than the page; its number stays in sight beside it.
    self.body.append(f'<div class="math-scroll">{_html(self, node, display=True)}</div>')
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link")
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode


def _html(self: Any, node: nodes.math | nodes.math_block, display: bool) -> str:
    tex = node.astext().strip()
    try:
        return katex(tools(self.builder.app), tex, display)
    except ValueError as error:
        logger.warning("KaTeX: %s in the formula %s", error, tex, location=node)
        return f'<code class="katex-error">{self.encode(tex)}</code>'


class KeepPunctuation(SphinxPostTransform):
    """Keeps a formula and the comma or full stop after it on one line.

    To a browser a formula is a box, after which it may break the line.
    """

    default_priority = 500
    formats = ("html",)

    def run(self, **_kwargs: Any) -> None:
        """Put each formula and the punctuation after it into an unbreakable span."""
        for math in list(self.document.findall(nodes.math)):
            parent, here = math.parent, math.parent.index(math)
            after = parent[here + 1] if here + 1 < len(parent) else None
            mark = isinstance(after, nodes.Text) and re.match(rf"(-\w+)?[{CLOSING}]*", after)
            if after is not None and mark and mark[0]:
                sign = nodes.Text(mark[0])
                if breakable(math):
                    sign = nodes.inline("", "", sign, classes=["after"])
                parent[here : here + 2] = [
                    nodes.inline("", "", math, sign, classes=["nobreak"]),
                    nodes.Text(after[mark.end() :]),
                ]


# Set-up -----------------------------------------------------------------------------------------


def start(app: Sphinx, config: Config) -> None:
    """Install KaTeX below `_build/`, and add its stylesheet and fonts to the static files."""
    package = install(tools(app).folder) / "katex/dist"
    static = Path(app.outdir).parent / ".katex"
    shutil.copytree(package / "fonts", static / "katex/fonts", dirs_exist_ok=True)
    shutil.copyfile(package / "katex.min.css", static / "katex/katex.css")
    config.html_static_path.append(str(static.resolve()))


def plain_titles(app: Sphinx, doctree: nodes.document) -> None:
    """Replace formulas by plain text in titles, contents and the texts of references.

    Sphinx has just collected them, so this works on its copies; the page's own headings keep their
    formulas.
    """
    env = app.env
    for copies in (env.titles, env.longtitles, env.tocs):
        _make_plain(tools(app), copies[env.docname])
    labels = cast(StandardDomain, env.get_domain("std")).labels
    for title in doctree.findall(nodes.title):
        if not any(title.findall(nodes.math)):
            continue
        text = _make_plain(tools(app), title.deepcopy()).astext()
        for name, (docname, labelid, _) in labels.items():
            if docname == env.docname and labelid in title.parent["ids"]:
                labels[name] = docname, labelid, text


def _make_plain(ask: Tools, tree: nodes.Element) -> nodes.Element:
    for math in list(tree.findall(nodes.math)):
        try:
            text = plain(ask, math.astext())
        except ValueError:  # reported where the formula is typeset
            text = math.astext()
        math.replace_self(nodes.Text(text))
    return tree


def setup(app: Sphinx) -> None:
    """Make KaTeX the renderer of formulas."""
    app.setup_extension("notes_site.npm")
    app.add_html_math_renderer(
        "katex", inline_renderers=(visit_math, None), block_renderers=(visit_math_block, None)
    )
    app.add_css_file("katex/katex.css", priority=300)
    app.add_post_transform(KeepPunctuation)
    app.connect("config-inited", start)
    app.connect("doctree-read", plain_titles, priority=900)  # after Sphinx's collectors
