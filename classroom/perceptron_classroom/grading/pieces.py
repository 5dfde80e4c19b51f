"""Split an answer into pieces for a page: text, code, printed output, tables and pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote

from markupsafe import Markup

from perceptron_classroom.grading import markup
from perceptron_classroom.grading.opening import text_of
from perceptron_classroom.grading.pictures import KINDS, Picture, Unshown, read_picture
from perceptron_classroom.grading.prose import Answer, Cell, is_words, outputs_of
from perceptron_classroom.inside.calls import clean

__all__ = ["Allowance", "Piece", "pieces"]

#: Cells of an answer, and outputs of a cell.
CELLS, OUTPUTS = 60, 40
#: Characters of a cell or an output that are shown.
CHARACTERS = 20_000
#: What is folded.
ELSEWHERE = "New elsewhere in the notebook"
SHARED = "Not on the known sheets, but word for word the same in more than half of the class"


@dataclass
class Allowance:
    """The room left on a page, which bounds its size whatever a notebook holds."""

    #: Of text.
    characters: int = 200_000
    #: Characters of base64.
    pictures: int = 12_000_000
    #: Why something was not shown.
    missing: list[str] = field(default_factory=list)

    def miss(self, reason: str) -> Piece:
        """Return what stands in the place of something that is not shown."""
        self.missing.append(reason)
        return Piece("missing", f"{reason[:1].upper()}{reason[1:]}.")


@dataclass(frozen=True)
class Piece:
    """A part of an answer, ready for a page."""

    #: ``words``, ``code``, ``printed``, ``error``, ``table``, ``picture``, ``missing``, ``folded``.
    kind: str
    #: HTML where it is `Markup`; the reason for what is ``missing``, what is ``folded``.
    text: str = ""
    #: Of a ``picture``.
    picture: Picture | None = field(default=None, repr=False)
    #: What is ``folded``, and whether it is open at first.
    inside: tuple[Piece, ...] = ()
    open: bool = False


def pieces(answer: Answer, allowance: Allowance) -> Iterator[Piece]:
    """Yield the pieces of an answer."""
    yield from cell_pieces(answer.own, allowance)
    if answer.elsewhere:
        inside, first = tuple(cell_pieces(answer.elsewhere, allowance)), not answer.own
        yield Piece("folded", ELSEWHERE, inside=inside, open=first or answer.named)
    if answer.shared:
        yield Piece("folded", SHARED, inside=tuple(cell_pieces(answer.shared, allowance)))


def cell_pieces(cells: list[Cell], allowance: Allowance) -> Iterator[Piece]:
    """Yield the pieces of some cells."""
    for cell in cells[:CELLS]:
        if allowance.characters <= 0:
            break
        if is_words(cell):
            yield from markdown_pieces(cell, allowance)
        else:
            yield Piece("code", markup.code(some(cell["source"], allowance)))
            yield from both_outputs(cell, allowance)
    if len(cells) > CELLS or allowance.characters <= 0:
        yield allowance.miss("the answer is too long for this page; the notebook has all of it")


def some(text: str, allowance: Allowance) -> str:
    """Return as much of a text as there is room for."""
    shown = markup.legible(text, max(0, min(CHARACTERS, allowance.characters)))
    allowance.characters -= len(shown)
    return shown


def both_outputs(cell: Cell, allowance: Allowance) -> Iterator[Piece]:
    """Yield a cell's outputs when it was graded, and those handed in if they differ."""
    ran, stored = outputs_of(cell, "ran"), outputs_of(cell)
    yield from output_pieces(ran, allowance)
    if stored and signs(stored) != signs(ran):
        inside = tuple(output_pieces(stored, allowance))
        yield Piece("folded", "Its output as it was handed in", inside=inside, open=not ran)


def signs(outputs: list[dict[str, Any]]) -> list[str]:
    """Return outputs in a comparable form: pictures, and texts without memory addresses."""
    found = [output["data"] for output in outputs if isinstance(output.get("data"), dict)]
    pictures = [text_of(data[kind]) for data in found for kind in KINDS if kind in data]
    said = [data.get("text/plain", [*data.values()]) for data in found if not KINDS.keys() & data]
    texts = [text_of(text) for text in (*(output.get("text") for output in outputs), *said)]
    return [re.sub(r"0x[0-9a-f]+|\s", "", "".join(texts)), *pictures]


def output_pieces(outputs: list[dict[str, Any]], allowance: Allowance) -> Iterator[Piece]:
    """Yield the pieces of a cell's outputs."""
    printed = ""
    for output in outputs[:OUTPUTS]:
        if output.get("output_type", "stream") == "stream" and "data" not in output:
            printed += text_of(output.get("text"))  # pieces of what one cell printed
            continue
        if printed:
            yield Piece("printed", some(printed, allowance))
            printed = ""
        yield from output_piece(output, allowance)
    if printed:
        yield Piece("printed", some(printed, allowance))
    if len(outputs) > OUTPUTS:
        yield allowance.miss(f"{len(outputs) - OUTPUTS} more outputs of a cell are left out")


def output_piece(output: dict[str, Any], allowance: Allowance) -> Iterator[Piece]:
    """Yield the best format of an output that a page can show."""
    if "ename" in output:
        error = f"{text_of(output['ename'])}: {text_of(output.get('evalue'))}"
        yield Piece("error", some(error[:CHARACTERS], allowance))
        return
    data = output.get("data")
    if not isinstance(data, dict) or allowance.characters <= 0:
        return
    for kind in (*KINDS, *data):
        if kind in data and kind.startswith("image/"):
            yield picture_piece(kind, text_of(data[kind]), "", allowance)
            return
    for kind in ("text/markdown", "text/latex"):
        if kind in data:
            yield from markdown_pieces({"source": text_of(data[kind])}, allowance)
            return
    html = text_of(data.get("text/html"))
    table = markup.table_html(html) if len(html) <= allowance.characters else None
    if table is not None:
        allowance.characters -= len(table)
        yield Piece("table", table)
    elif "text/plain" in data:
        yield Piece("printed", some(text_of(data["text/plain"]), allowance))
    elif html:
        yield Piece("printed", some(INLINE.sub("(a picture)", html), allowance))
    yield from html_pictures(html, allowance)


def html_pictures(html: str, allowance: Allowance) -> Iterator[Piece]:
    """Yield the pictures in an output in HTML, of which a page shows no more than a table."""
    for found in INLINE.finditer(html):
        yield picture_piece(found[1], inline(found), "", allowance)
    if re.search(r"<(svg|canvas|video|iframe)\b", html):
        yield allowance.miss("a drawing is not shown: it is a part of an output in HTML")


def picture_piece(kind: str, text: str, said: str, allowance: Allowance) -> Piece:
    """Return a picture, or why it is not shown."""
    try:
        shown = read_picture(kind, text)
        if len(shown.address) > allowance.pictures:
            raise Unshown("the pictures of this page are large enough")
    except Unshown as reason:
        return allowance.miss(f"a picture is not shown: {reason}")
    allowance.pictures -= len(shown.address)
    return Piece("picture", said, shown)


# A picture in the text itself, as Colab embeds it: in place of an address, or in a definition.
IMAGE = re.compile(r"""<img\b[^<>]*?\bsrc=["']([^"'<>\n]+)["'][^<>]*>""")
INLINE = re.compile(r"""<?data:(image/[\w.+-]{1,40})((?:;[\w=-]{1,40}){0,9}),([^\s"'<>)]+)>?""")
DEFINED = re.compile(r"^\[([^\]\n]{1,100})\]:\s*attachment:(inline-\d+)\s*$", flags=re.M)


def inline(found: re.Match[str]) -> str:
    """Return the content of a picture in a text."""
    return found[3] if found[2].endswith(";base64") else unquote(found[3])


def markdown_pieces(cell: Cell, allowance: Allowance) -> Iterator[Piece]:
    """Yield the text of a Markdown cell, with its pictures."""
    pictures: dict[str, tuple[str, str]] = {}
    attachments = cell.get("attachments")
    for name, kinds in attachments.items() if isinstance(attachments, dict) else ():
        for kind, text in kinds.items() if isinstance(kinds, dict) else ():
            if name not in pictures or kind in KINDS:
                pictures[name] = kind, text_of(text)

    def take(found: re.Match[str]) -> str:
        name = f"inline-{len(pictures)}"
        pictures[name] = found[1], inline(found)
        return f"attachment:{name}"

    source = INLINE.sub(take, IMAGE.sub(r"![](<\1>)", cell["source"]))
    for name, place in DEFINED.findall(source)[:CELLS]:
        source = source.replace(f"][{name}]", f"](attachment:{place})")
    source = DEFINED.sub("", source)
    template, asked = Markup('<img alt="{}" src="{}">'), set[str]()
    missing = Markup('<span class="missing">{}</span>')

    def show(address: str, said: str) -> Markup:
        name = address.removeprefix("attachment:")
        name = name if name in pictures else unquote(name)
        asked.add(name)
        if name not in pictures:
            where = clean(said or address, 60)
            return missing.format(allowance.miss(f"a picture is not in the notebook: {where}").text)
        piece = picture_piece(*pictures[name], said, allowance)
        if piece.picture is None:
            return missing.format(piece.text)
        return template.format(said or "A picture in the answer", piece.picture.address)

    yield Piece("words", markup.markdown_html(some(source, allowance), show))
    for name in pictures:  # what is in a table, for instance
        if name not in asked and (name in source or quote(name) in source):
            yield picture_piece(*pictures[name], "", allowance)
