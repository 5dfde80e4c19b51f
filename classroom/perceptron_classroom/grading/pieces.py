"""Split an answer into pieces for a page: text, code, printed output, tables and pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from markupsafe import Markup

from perceptron_classroom.grading import markup
from perceptron_classroom.grading.opening import text_of
from perceptron_classroom.grading.pictures import KINDS, Picture, Unshown, read_picture
from perceptron_classroom.grading.prose import Answer, Cell, is_words, outputs_of

__all__ = ["Allowance", "Piece", "pieces"]

#: Cells of an answer, and outputs of a cell.
CELLS, OUTPUTS = 60, 40
#: Characters of a cell or an output that are shown.
CHARACTERS = 20_000


@dataclass
class Allowance:
    """The room left on a page, which bounds its size whatever a notebook holds."""

    #: Of text.
    characters: int = 200_000
    #: Characters of base64.
    pictures: int = 12_000_000


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
        inside = tuple(cell_pieces(answer.elsewhere, allowance))
        yield Piece("folded", "New elsewhere in the notebook", inside=inside, open=not answer.own)


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
        yield Piece("missing", "The answer is too long for this page; the notebook has all of it.")


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
    said = [data.get("text/plain") for data in found if not KINDS.keys() & data]
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
        yield Piece("missing", f"{len(outputs) - OUTPUTS} more outputs of this cell are left out.")


def output_piece(output: dict[str, Any], allowance: Allowance) -> Iterator[Piece]:
    """Yield the best format of an output that a page can show."""
    if "ename" in output:
        error = f"{text_of(output['ename'])}: {text_of(output.get('evalue'))}"
        yield Piece("error", some(error[:CHARACTERS], allowance))
        return
    data = output.get("data")
    if not isinstance(data, dict) or allowance.characters <= 0:
        return
    for kind in ("image/png", "image/jpeg", "image/svg+xml"):
        if kind in data:
            yield picture_piece(kind, text_of(data[kind]), "", allowance)
            return
    for kind in ("text/markdown", "text/latex"):
        if kind in data:
            said = some(text_of(data[kind]), allowance)
            yield Piece("words", markup.markdown_html(said, lambda *_: Markup("")))
            return
    html = text_of(data.get("text/html"))
    table = markup.table_html(html) if len(html) <= allowance.characters else None
    if table is not None:
        allowance.characters -= len(table)
        yield Piece("table", table)
    elif "text/plain" in data:
        yield Piece("printed", some(text_of(data["text/plain"]), allowance))
    elif html:
        yield Piece("printed", some(html, allowance))


def picture_piece(kind: str, text: str, said: str, allowance: Allowance) -> Piece:
    """Return a picture, or why it is not shown."""
    try:
        shown = read_picture(kind, text)
        if len(shown.address) > allowance.pictures:
            raise Unshown("the pictures of this page are large enough")
    except Unshown as reason:
        return Piece("missing", f"A picture is not shown: {reason}.")
    allowance.pictures -= len(shown.address)
    return Piece("picture", said, shown)


# A picture in the text itself, as Colab embeds it: in place of an address, or in a definition.
IMAGE = re.compile(r"""<img\b[^<>]*?\bsrc=["']([^"'<>\n]+)["'][^<>]*>""")
INLINE = re.compile(r"<?data:(image/[a-z+]{1,20});base64,([A-Za-z0-9+/=]+)>?")
DEFINED = re.compile(r"^\[([^\]\n]{1,100})\]:\s*attachment:(inline-\d+)\s*$", flags=re.M)


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
        pictures[name] = found[1], found[2]
        return f"attachment:{name}"

    source = INLINE.sub(take, IMAGE.sub(r"![](<\1>)", cell["source"]))
    for name, place in DEFINED.findall(source)[:CELLS]:
        source = source.replace(f"][{name}]", f"](attachment:{place})")
    source = DEFINED.sub("", source)
    template = Markup('<img alt="{}" src="{}">')

    def show(address: str, said: str) -> Markup:
        name = address.removeprefix("attachment:")
        name = name if name in pictures else unquote(name)
        if name not in pictures:
            return Markup(
                '<span class="missing">A picture that is not in the notebook: {}</span>'
            ).format(said or address)
        piece = picture_piece(*pictures[name], said, allowance)
        if piece.picture is None:
            return Markup('<span class="missing">{}</span>').format(piece.text)
        return template.format(said or "A picture in the answer", piece.picture.address)

    yield Piece("words", markup.markdown_html(some(source, allowance), show))
