"""Pictures that students hand in, of the kinds that all browsers show, as ``data:`` addresses.

Opening a page of feedback decodes its pictures. So a picture is shown only if its header
states a reasonable size, a film only if it is short, and an SVG only if it draws with the elements
that plots are made of. It is shown in an ``<img>``, where a browser runs and loads nothing.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree.ElementTree import Element, ParseError
from xml.etree.ElementTree import fromstring as parse_xml

__all__ = ["KINDS", "Picture", "Unshown", "read_picture"]

#: Characters of base64 in the largest picture.
LARGEST = 6_000_000
#: Pixels of a side, and of the whole.
SIDE, PIXELS = 12_000, 40_000_000
#: Scans of a JPEG; each makes the decoder go over the whole picture again.
SCANS = 40
#: Pixels of a film.
FILM = 400_000_000
#: Limits of an SVG: bytes; elements drawn, where reused elements count each time.
SVG, DRAWN = 3_000_000, 60_000
#: What an SVG may hold; drawings of matplotlib, Graphviz and Inkscape need no more.
PARTS = frozenset(
    """
    svg g defs symbol use path rect circle ellipse line polyline polygon text tspan image style
    clipPath linearGradient radialGradient stop title desc metadata
    """.split()  # noqa: SIM905
)


class Unshown(ValueError):  # noqa: N818 (no error of the program)
    """A picture that is not shown; the text explains why."""


class Picture(NamedTuple):
    """A picture that a page can show."""

    #: A ``data:`` address.
    address: str
    #: In pixels; 0 for an SVG, which can be drawn at any size.
    width: int
    height: int


def read_picture(kind: str, text: str) -> Picture:
    """Read a picture out of a notebook."""
    if kind not in KINDS:
        raise Unshown(f"it is of the kind {kind[:40]}; expected PNG, JPEG, SVG, GIF or WebP")
    if not text:
        raise Unshown("it is empty, or too large for a notebook")
    if len(text) > LARGEST:
        raise Unshown(f"it is larger than {LARGEST // 1_000_000} MB")
    if kind == "image/svg+xml" and "<" in text:
        data = text.encode(errors="replace")
    else:
        try:
            data = base64.b64decode(re.sub(r"\s", "", text), validate=True)
        except (binascii.Error, ValueError):
            raise Unshown("it is damaged") from None
    try:
        width, height = KINDS[kind](data)
    except (struct.error, IndexError):
        raise Unshown("it is damaged") from None
    if width > SIDE or height > SIDE or width * height > PIXELS:
        raise Unshown(f"it has {width} × {height} pixels, too many for a page")
    return Picture(f"data:{kind};base64,{base64.b64encode(data).decode()}", width, height)


def png(data: bytes) -> tuple[int, int]:
    """Return the size of a PNG, from its header."""
    if not data.startswith(b"\x89PNG\r\n\x1a\n") or data[12:16] != b"IHDR":
        raise Unshown("it is no PNG")
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def jpeg(data: bytes) -> tuple[int, int]:
    """Return the size of a JPEG, from its frame header."""
    if not data.startswith(b"\xff\xd8\xff"):
        raise Unshown("it is no JPEG")
    if data.count(b"\xff\xda") > SCANS:
        raise Unshown("it would take long to decode")
    place = 2
    while data[place] == 0xFF:
        mark, length = data[place + 1], struct.unpack(">H", data[place + 2 : place + 4])[0]
        if 0xC0 <= mark <= 0xCF and mark not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[place + 5 : place + 9])
            return width, height
        place += 2 + length
    raise Unshown("it is damaged")


def gif(data: bytes) -> tuple[int, int]:
    """Return the size of a GIF: that of its largest frame."""
    if data[:6] not in (b"GIF87a", b"GIF89a"):
        raise Unshown("it is no GIF")
    width, height = struct.unpack("<HH", data[6:10])
    place, frames = 13 + colours(data[10]), 0
    while data[place] != 0x3B:
        if data[place] == 0x2C:
            left, top, wide, high = struct.unpack("<HHHH", data[place + 1 : place + 9])
            width, height, frames = max(width, left + wide), max(height, top + high), frames + 1
            place += 11 + colours(data[place + 9])
        elif data[place] == 0x21:
            place += 2
        else:
            raise Unshown("it is damaged")
        while data[place]:  # blocks, each with its length before it
            place += 1 + data[place]
        place += 1
    if frames > 1 and frames * width * height > FILM:
        raise Unshown(f"it is a film of {frames} pictures of {width} × {height} pixels, too many")
    return width, height


def colours(flags: int) -> int:
    """Return the bytes of a GIF's table of colours."""
    return int(3 << ((flags & 7) + 1)) if flags & 0x80 else 0


def webp(data: bytes) -> tuple[int, int]:
    """Return the size of a WebP that does not move; decoders refuse parts of another size."""
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        raise Unshown("it is no WebP")
    if data[12:16] == b"VP8 ":
        width, height = struct.unpack("<HH", data[26:30])
        return width & 0x3FFF, height & 0x3FFF
    if data[12:16] == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if data[12:16] != b"VP8X" or data[20] & 2:
        raise Unshown("it is a film, or damaged; expected one picture")
    sides = (int.from_bytes(data[at : at + 3], "little") + 1 for at in (24, 27))
    return next(sides), next(sides)


def svg(data: bytes) -> tuple[int, int]:
    """Return (0, 0) for an SVG that only draws; raise `Unshown` for scripts, documents, bombs."""
    if len(data) > SVG:
        raise Unshown(f"it is larger than {SVG // 1_000_000} MB")
    if b"<!ENTITY" in data or b"\0" in data[:200]:
        raise Unshown("it defines entities")
    try:
        root = parse_xml(data)
    except (ParseError, ValueError, LookupError, RecursionError):
        raise Unshown("it is damaged") from None
    if local(root) != "svg":
        raise Unshown("it is no SVG")
    for element in root.iter():
        # Metadata are in other namespaces, and draw nothing.
        if element.tag.startswith("{http://www.w3.org/2000/svg}") and local(element) not in PARTS:
            raise Unshown(f"it holds {local(element)[:40]!r}, which is more than a drawing needs")
        if local(element) == "image":
            inner = re.match(r"data:(image/(?:png|jpeg));base64,", address(element))
            if inner is None:
                raise Unshown("it shows another file")
            read_picture(inner[1], address(element)[inner.end() :])
    if sum(drawn_elements(root)) > DRAWN:
        raise Unshown("it would take long to draw")
    return 0, 0


def local(element: Element) -> str:
    """Return the name of an element, without its namespace."""
    return str(element.tag).rpartition("}")[2]


def address(element: Element) -> str:
    """Return the address that an element refers to."""
    return element.get("href") or element.get("{http://www.w3.org/1999/xlink}href") or ""


def drawn_elements(root: Element) -> Iterator[int]:
    """Yield once for each element drawn, including reuses, until there are too many."""
    named = {element.get("id"): element for element in root.iter() if element.get("id")}
    waiting, total = [root], 0
    while waiting and total <= DRAWN:
        element = waiting.pop()
        total += 1
        yield 1
        waiting.extend(element)
        if local(element) == "use" and address(element)[1:] in named:
            waiting.append(named[address(element)[1:]])


#: In the order in which one of several formats is chosen.
KINDS = {"image/png": png, "image/jpeg": jpeg, "image/jpg": jpeg, "image/svg+xml": svg}
KINDS |= {"image/gif": gif, "image/webp": webp}
