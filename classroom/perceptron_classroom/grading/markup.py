"""Render what students write as harmless HTML: Markdown, formulas, code, tables.

Of raw HTML only tables are kept, and those through an allow-list. Everything is
bounded: what is too long or too deep is shown as it was typed.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any
from xml.etree.ElementTree import Element, tostring

import nh3
from latex2mathml.converter import convert_to_element
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape
from mdit_py_plugins.amsmath import amsmath_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

__all__ = ["code", "formula", "legible", "markdown_html", "report", "table_html"]

#: How deep Markdown may nest.
NESTING = 20
#: Bound on the bars in a line times the lines, which could become cells of tables.
PIPES = 10_000
#: Characters of a formula, and how deep it may nest.
FORMULA, DEPTH = 2_000, 60
#: How many formulas and environments a text may have; the parser's time is quadratic in these.
FORMULAS, BEGINS = 500, 100
#: Characters, cells and columns of a table that is shown as one.
TABLE, TABLE_CELLS = 60_000, 1_500

#: Shows the picture of a Markdown cell: by address and description, HTML.
Show = Callable[[str, str], Markup]

# Invisible characters, and those that change the direction of writing, are shown by name.
# (C0 and C1 controls but tab and newline; embeddings, overrides and isolates; lone surrogates.)
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
# A terminal's colours and cursor; the rest of a line that was overwritten by a progress bar.
ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?")


def legible(text: str, most: int) -> str:
    """Make hidden characters of a text visible, and cut it to a length."""
    # Cut before searching, which takes time for each character.
    cut = ESCAPES.sub("", text[: 2 * most].replace("\r\n", "\n"))
    cut = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in cut.split("\n"))
    left_out = max(0, len(text) - 2 * most) + max(0, len(cut) - most)
    cut = UNSEEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", cut[:most])
    return cut + (f"\n… ({left_out} more characters)" if left_out else "")


# ------------------------------------------------------------------------------- formulas

#: The elements of a formula, and their attributes.
ELEMENTS = frozenset(
    """
    math mrow mi mo mn mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover
    mtable mtr mtd mstyle mpadded mphantom menclose mmultiscripts mprescripts none
    """.split()  # noqa: SIM905
)
ATTRIBUTES = frozenset(
    """
    accent accentunder columnalign columnlines columnspacing display displaystyle fence form
    height depth largeop linethickness lspace mathvariant maxsize minsize movablelimits notation
    rowlines rowspacing rspace scriptlevel separator stretchy symmetric voffset width
    """.split()  # noqa: SIM905
)
VALUE = re.compile(r"[a-zA-Z0-9.+ -]{1,24}")
#: How many columns or rows a cell of a table may span.
SPAN = re.compile(r"[12]?[0-9]")
#: Names in TeX, and the names that the converter uses for them.
ENVIRONMENTS = {
    "aligned": "align*",
    "align": "align*",
    "eqnarray": "align*",
    "equation": "split",
    "equation*": "split",
}
#: Commands unknown to it: bars, and an optional line break, which is allowed anywhere.
SPELLED = {r"\lVert": r"\|", r"\rVert": r"\|", r"\lvert": r"\vert ", r"\rvert": r"\vert "}
SPELLED |= {r"\allowbreak": ""}


def formula(tex: str, display: bool = False) -> Markup:
    """Render a formula as MathML; as it was typed, if it is not valid."""
    typed = tex.strip()
    try:
        if len(typed) > FORMULA:
            raise ValueError("too long")
        for name, known in ENVIRONMENTS.items():
            typed = typed.replace(f"{{{name}}}", f"{{{known}}}")
        for name, known in SPELLED.items():
            typed = typed.replace(name, known)
        found = convert_to_element(typed, display="block" if display else "inline")
        safe = copied(found, DEPTH)
        if safe is None:
            raise ValueError("no formula")
    except Exception:  # the converter raises many kinds: KeyError, IndexError, its own
        mark = "$$" if display else "$"
        shown = Markup('<code class="formula">{}{}{}</code>').format(mark, tex, mark)
        return Markup("<p>{}</p>").format(shown) if display else shown
    return Markup(tostring(safe, encoding="unicode"))


def copied(element: Element, deep: int) -> Element | None:
    """Copy an element with its allowed attributes and children, and nothing else.

    The converter passes on addresses, styles, and text with entities in it, which would become
    HTML; so the formula is rebuilt from scratch.
    """
    if deep == 0:
        raise ValueError("too deep")
    if element.tag not in ELEMENTS:
        return None
    new = Element(element.tag)
    for name, value in element.attrib.items():
        if name in ATTRIBUTES and VALUE.fullmatch(value):
            new.set(name, value)
    new.text = html.unescape(element.text or "")
    if re.fullmatch(r"\\[a-zA-Z]+", new.text):
        raise ValueError(f"{new.text} is unknown")
    new.extend([child for each in element if (child := copied(each, deep - 1)) is not None])
    return new


# ------------------------------------------------------------------------------- Markdown


def markdown_html(text: str, show: Show) -> Markup:
    """Render Markdown as HTML, with raw HTML shown as text."""
    lines = text.split("\n")
    if (
        max(line.count("|") for line in lines) * len(lines) > PIPES  # rows are filled up with cells
        or text.count("$") > 2 * FORMULAS
        or text.count(r"\begin") > BEGINS
    ):
        return typed(text)
    return Markup(markdown().render(text, {"show": show}))


def typed(text: str) -> Markup:
    """Return a text as it was typed."""
    return Markup('<p class="typed">{}</p>').format(text)


@cache
def markdown() -> MarkdownIt:
    """Return the parser."""
    parser = MarkdownIt("commonmark", {"maxNesting": NESTING, "html": False}, renderer_cls=Renderer)
    parser.enable(["table", "strikethrough"])
    # Raw HTML is text here; the parser's time for link definitions is quadratic.
    parser.disable(["html_block", "html_inline", "reference"])
    parser.use(dollarmath_plugin, allow_labels=False, double_inline=True).use(amsmath_plugin)
    for name in ("math_inline", "math_inline_double", "math_block", "amsmath"):
        parser.add_render_rule(name, getattr(Renderer, name))
    return parser


class Renderer(RendererHTML):
    """HTML with formulas, highlighted code, headings in order, and links as plain addresses."""

    def heading_open(self, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        """Open a heading, at most one level below the one before it."""
        level = env["level"] = min(int(tokens[i].tag[1]) + 3, env.get("level", 3) + 1, 6)
        return f"<h{level}>"

    def heading_close(self, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        """Close a heading."""
        return f"</h{env['level']}>\n"

    def fence(self, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        """Render a block of code as Python, which most are; others still read well."""
        plain = tokens[i].info.strip() not in ("", "python", "py", "python3")
        inside = escape(tokens[i].content) if plain else code(tokens[i].content)
        return f'<pre class="code" tabindex="0">{inside}</pre>\n'

    code_block: Any = fence  # indented code

    def table_open(self, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        """Open a table, which may be wider than the page."""
        return '<div class="wide" tabindex="0"><table>\n'

    def table_close(self, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        """Close a table."""
        return "</table></div>\n"

    def th_open(self, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        """Open a cell of a table; the alignment comes as a style, which the page forbids."""
        aligned = str(tokens[i].attrGet("style") or "").rpartition(":")[2]
        kind = f' class="{aligned}"' if aligned in ("center", "right") else ""
        return f"<{tokens[i].tag}{kind}>"

    td_open = th_open

    def link_open(self, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        """Begin a link, which is shown as its text and address."""
        env.setdefault("links", []).append(str(tokens[i].attrGet("href") or ""))
        return '<span class="link">'

    def link_close(self, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        """Write the address after the link, unless it is its text already."""
        address = env["links"].pop()
        named = tokens[i - 1].content == address
        return "</span>" if named else f'</span> <span class="address">({escape(address)})</span>'

    def image(self, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        """Show a picture."""
        said = self.renderInlineAsText(tokens[i].children, options, env)
        return str(env["show"](str(tokens[i].attrGet("src") or ""), said))

    def math_inline(self, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        """Render a formula in a line."""
        return str(formula(tokens[i].content))

    def math_block(self, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        """Render a displayed formula."""
        return f'<div class="wide" tabindex="0">{formula(tokens[i].content, display=True)}</div>\n'

    amsmath = math_block

    def math_inline_double(self, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        """Render a displayed formula within a paragraph."""
        return str(formula(tokens[i].content, display=True))


@cache
def plainer() -> MarkdownIt:
    """Return a parser for reports of checks: paragraphs, lists and indented code."""
    parser = MarkdownIt("zero", {"maxNesting": NESTING}, renderer_cls=Renderer)
    return parser.enable(["code", "list"])


def report(text: str) -> Markup:
    """Render the report of a check as HTML: paragraphs, lists, data as code."""
    return Markup(plainer().render(text))


# ------------------------------------------------------------------------ code and tables


def code(text: str) -> Markup:
    """Render Python with syntax highlighting."""
    lexer, formatter = PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)
    return Markup(highlight(text, lexer, formatter).rstrip("\n"))


def table_html(text: str) -> Markup | None:
    """Return an HTML table such as pandas makes, cleaned; ``None`` if it is anything else."""
    lower = text.lower() if len(text) <= TABLE else ""
    if lower.count("<table") != 1 or len(re.findall("<t[hdr]", lower)) > TABLE_CELLS:
        return None
    safe = nh3.clean(
        text,
        tags={"table", "thead", "tbody", "tfoot", "tr", "th", "td", "caption"},
        attributes={"td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan"}},
        attribute_filter=lambda _tag, _name, value: value if SPAN.fullmatch(value) else None,
        clean_content_tags={"script", "style", "title", "template"},
        strip_comments=True,
    )
    # Drop what surrounds the table: pandas adds a line with its size.
    inside = re.search(r"<table>.*</table>", safe, flags=re.S)
    return Markup(inside[0]) if inside else None
