"""Open a file handed in as a notebook, and keep only what is run or shown.

The outputs of a notebook can have any size, but they must not decide whether its
code is run. So outputs are cut before anything is counted. A large or packed file is opened
in a separate process, under limits: there this file is the whole program, and needs only
the standard library.
"""

from __future__ import annotations

import base64
import io
import json
import posixpath
import re
import struct
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote

__all__ = ["Unreadable", "attach", "members", "opened", "ranked", "text_of"]

#: Bytes of the largest notebook, packed or not; of the list of files in a zip.
NOTEBOOK, LIST = 100_000_000, 1_000_000
#: Cells of a notebook; outputs of a cell, and of all; characters of one text, and of all.
CELLS, OUTPUTS, ALL, TEXT, KEPT = 20_000, 100, 20_000, 100_000, 30_000_000
#: Bytes of memory and seconds for opening one.
MEMORY, SECONDS = 2**31, 30
#: What a page can show of an output, besides pictures; those of other kinds are named there.
SHOWN = ("text/markdown", "text/latex", "text/html", "text/plain")
#: How a zip begins.
ZIP = (b"PK\3\4", b"PK\5\6")
#: A picture in Markdown; its type, by its suffix; its maximum size in bytes.
POINTED = re.compile(
    r"""!\[[^\]]*\]\( *<?([^)>"\n]+?)>? *(?:"[^"\n]*")?\)|<img\b[^<>]*?src=["']([^"']+)"""
)
SUFFIXES = {f".{kind}": f"image/{kind}" for kind in ("png", "jpeg", "gif", "webp")}
SUFFIXES |= {".jpg": "image/jpeg", ".svg": "image/svg+xml"}
PICTURE = 4_000_000
#: What a file is instead of a notebook, by its first bytes.
BEGINNINGS = (
    (rb"<(!doctype|html|head|body|\?xml|!--)", "is a web page, perhaps one to log in"),
    (rb"%PDF", "is a PDF"),
    (rb"Rar!|7z\xbc\xaf|\x1f\x8b", "is an archive, but no zip"),
)


class Unreadable(ValueError):  # noqa: N818 (no error of the program)
    """A submission that is not a Python notebook; the text explains why."""


# ---------------------------------------------------------------------------- which notebook


def ranked(found: dict[str, tuple[int, float]], named: str) -> list[str]:
    """Order the notebooks of one student, the one that counts first.

    `found` holds, by path, how much it looks like a notebook and when it was changed. Files that
    do not look like one come last; names with that of the problem set go first, then the newest. If
    all were written at once, as by a download, the names decide: `ps1 (1)` is newer than `ps1`.
    """
    times = [when for _, when in found.values()]
    timed = max(times) - min(times) > 2 if times else False
    about = re.compile(rf"(?<![^\W_]){re.escape(named)}(?![^\W_])", flags=re.I)

    def key(name: str) -> tuple[Any, ...]:
        stem = name.rpartition("/")[2].lower()
        number = re.findall(r"\((\d{1,9})\)", stem)
        copies = len(re.findall("final|copy|new|latest", stem))
        looks, when = found[name]
        parts = [int(part) if part.isdecimal() else part for part in re.split(r"(\d{1,9})", name)]
        order = (when if timed else 0, copies, int(number[-1]) if number else 0, parts)
        return (looks, bool(about.search(stem)), "checkpoint" not in stem, *order)

    return sorted(found, key=key, reverse=True)


def members(file: IO[bytes], deep: bool = True) -> dict[str, zipfile.ZipInfo]:
    """Return the notebooks in a zip, by path; where there are none, the zips, if it may go deeper.

    `Unreadable` is raised if the zip is broken or suspicious.
    """
    end = file.seek(0, io.SEEK_END)
    file.seek(max(0, end - 2**16 - 22))
    tail = file.read()
    place = tail.rfind(b"PK\5\6")
    # A zip states the length of its list; a list of millions would fill the memory.
    if place < 0 or len(tail) < place + 16 or b"PK\6\7" in tail[:place][-20:]:
        raise Unreadable("is no complete zip")
    if struct.unpack("<I", tail[place + 12 : place + 16])[0] > LIST:
        raise Unreadable("is a zip of too many files")
    try:
        with zipfile.ZipFile(file) as archive:
            listed = [(inner(info.filename), info) for info in archive.infolist()]
    except Unreadable:
        raise
    except Exception as error:  # a broken list raises many kinds
        raise Unreadable(f"is a broken zip: {error}") from error
    hidden = re.compile(r"(^|/)(\.|__MACOSX)")
    for ending in (r"\.ipynb( ?\(\d+\))?(\.json|\.txt)?$", *[r"\.zip$"] * deep):
        found = [each for each in listed if re.search(ending, each[0], flags=re.I)]
        if kept := {name: info for name, info in found if not hidden.search(name)}:
            return kept
    return {}


def inner(name: str) -> str:
    """Return a path in a zip in one spelling: without the ``./`` that some programs begin with."""
    path = posixpath.normpath(name.replace("\\", "/"))
    if path.startswith(("../", "/")) or path == "..":
        raise Unreadable("is a zip that names a place outside of itself")
    return path


def unpacked(file: IO[bytes], named: str, deep: bool = True) -> dict[str, Any]:
    """Return the content of a notebook in a zip, with the pictures beside it."""
    inside = members(file, deep)
    if not inside:
        raise Unreadable("is a zip without a notebook")
    # As a number that grows with the time: 20261130180000.
    times = {
        name: (1, float("".join(f"{part:02}" for part in info.date_time)))
        for name, info in inside.items()
    }
    first, *others = ranked(times, named)
    if inside[first].flag_bits & 1:
        raise Unreadable("is a zip with a password")

    def member(info: zipfile.ZipInfo, most: int) -> bytes:
        with archive.open(info) as opened:
            return opened.read(most)

    def picture(name: str) -> bytes | None:
        place = posixpath.normpath(posixpath.join(posixpath.dirname(first), name))
        if place not in beside:
            return None
        return member(beside[place], PICTURE) if beside[place].file_size <= PICTURE else b""

    file.seek(0)
    try:
        with zipfile.ZipFile(file) as archive:
            beside = {inner(info.filename): info for info in archive.infolist()}
            data = member(inside[first], NOTEBOOK + 1)
            if deep and data.startswith(ZIP):
                return unpacked(io.BytesIO(data), named, deep=False)
            found = held(data)
            cells = list(attach(found["cells"], picture))
    except Unreadable:
        raise
    except Exception as error:  # a broken member raises many kinds
        raise Unreadable(f"is a broken zip: {error}") from error
    return found | {"cells": cells, "remarks": [chose(first, others)] if others else []}


def chose(first: str, others: list[str]) -> str:
    """Return a remark on which of several notebooks counts."""
    left = ", ".join(others[:5]) + (f" and {len(others) - 5} more" if len(others) > 5 else "")
    return f"{first} counts, not {left}"


# ------------------------------------------------------------------------------ what it holds


def opened(path: Path, named: str = "") -> dict[str, Any]:
    """Return the cells of a notebook, its language, and remarks."""
    with path.open("rb") as file:
        if file.read(4).startswith(ZIP):
            return unpacked(file, named)
        file.seek(0)
        return held(file.read(NOTEBOOK + 1))


def held(data: bytes) -> dict[str, Any]:
    """Return the content of a notebook from its bytes."""
    if len(data) > NOTEBOOK:
        raise Unreadable(f"is larger than {NOTEBOOK // 10**6} MB")
    return kept(parsed(data)) | {"remarks": list[str]()}


def parsed(data: bytes) -> dict[str, Any]:
    """Read a notebook's JSON, in any encoding that programs use."""
    if not data.strip():
        raise Unreadable("is empty")
    try:
        text = data.decode(json.detect_encoding(data), "surrogatepass")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    try:
        notebook = json.loads(text)
    except RecursionError:
        raise Unreadable("cannot be read as JSON: it is nested too deep") from None
    except ValueError as error:
        start = data[:9000].removeprefix(b"\xef\xbb\xbf").lstrip()
        for beginning, what in BEGINNINGS:
            if re.match(beginning, start, flags=re.I):
                raise Unreadable(what) from None
        raise Unreadable(f"cannot be read as JSON: {error}") from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise Unreadable("has no cells; expected a notebook of format 4")
    if len(notebook["cells"]) > CELLS:
        raise Unreadable(f"has {len(notebook['cells'])} cells; expected at most {CELLS}")
    return notebook


def text_of(value: Any) -> str:
    """Return a text of a notebook, which may be a list of lines; "" if it is no text."""
    if isinstance(value, list):
        return "".join(each for each in value if isinstance(each, str))
    return value if isinstance(value, str) else ""


def kept(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return what is run and what can be shown: no widgets, no other metadata."""
    code, room, cells = Room(), Room(), []
    for cell in notebook["cells"]:
        if not isinstance(cell, dict):
            continue
        source = code.take(text_of(cell.get("source")).replace("\r\n", "\n"), KEPT)
        if source is None:
            raise Unreadable(f"holds more than {KEPT} characters")
        new: dict[str, Any] = {"cell_type": text_of(cell.get("cell_type")), "source": source}
        if isinstance(outputs := cell.get("outputs"), list):
            new["outputs"] = room.several(outputs)
        if isinstance(attached := cell.get("attachments"), dict):
            new["attachments"] = {
                name: room.data(kinds, ())
                for name, kinds in list(attached.items())[:OUTPUTS]
                if isinstance(kinds, dict)
            }
        cells.append(new)
    return {"cells": cells, "language": language_of(notebook)}


def attach(cells: list[dict[str, Any]], read: Callable[[str], bytes | None]) -> Iterator[Any]:
    """Yield the cells, with the pictures beside the notebook, which `read` returns by name."""
    for cell in cells:
        found: dict[str, dict[str, str]] = {}
        for names in POINTED.findall(cell["source"]) if cell["cell_type"] == "markdown" else ():
            name = unquote("".join(names))
            kind = SUFFIXES.get(posixpath.splitext(name)[1].lower())
            if kind and len(found) < OUTPUTS and (data := read(name)) is not None:
                found[name] = {kind: base64.b64encode(data).decode()}
        yield cell | ({"attachments": found | cell.get("attachments", {})} if found else {})


def language_of(notebook: dict[str, Any]) -> str:
    """Return the language in the metadata, if any, without version: ``python``."""
    match notebook.get("metadata"):
        case {"language_info": {"name": str(name)}} | {"kernelspec": {"language": str(name)}}:
            return name.lower().rstrip("0123456789.")[:40]
    return ""


class Room:
    """The characters and outputs that may still be kept."""

    def __init__(self, left: int = KEPT) -> None:
        self.left, self.outputs = left, ALL

    def take(self, text: str, most: int) -> str | None:
        """Return a text if there is room for it."""
        if len(text) > min(most, self.left):
            return None
        self.left -= len(text)
        return text

    def data(self, kinds: dict[str, Any], wanted: tuple[str, ...]) -> dict[str, str]:
        """Return the formats of an output that fit; of a picture that does not, an empty one."""
        pictures = [kind for kind in list(kinds)[:OUTPUTS] if kind.startswith("image/")]
        found = {kind: self.take(text_of(kinds[kind]), KEPT) or "" for kind in pictures}
        texts = {kind: self.take(text_of(kinds[kind]), TEXT) for kind in wanted if kind in kinds}
        return found | {kind: text for kind, text in texts.items() if text is not None}

    def several(self, outputs: list[Any]) -> list[dict[str, Any]]:
        """Return the first outputs of a cell, each cut to what a page can show."""
        some = [each for each in outputs[: min(OUTPUTS, self.outputs)] if isinstance(each, dict)]
        self.outputs -= len(some)
        return [self.output(each) for each in some]

    def output(self, output: dict[str, Any]) -> dict[str, Any]:
        """Return an error, a text, or the formats of a displayed object."""
        if "ename" in output:
            error = {name: text_of(output.get(name))[:TEXT] for name in ("ename", "evalue")}
            return {"output_type": "error", **error}
        if isinstance(output.get("data"), dict):
            data = self.data(output["data"], SHOWN)
            if data or not output["data"]:
                return {"output_type": "display_data", "data": data}
            kinds = ", ".join(map(str, output["data"]))[:200]
            return {"output_type": "stream", "text": f"(An output is left out: {kinds})\n"}
        text = text_of(output.get("text"))[: min(TEXT, self.left)]
        self.left -= len(text)
        return {"output_type": "stream", "text": text}


def main(path: str, named: str) -> None:
    """Open a notebook under limits, and write its content as JSON."""
    with suppress(ImportError):  # Windows, where only trusted notebooks are graded
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    try:
        found = opened(Path(path), named)
    except (Unreadable, OSError) as error:
        found = {"unreadable": str(error)}
    except MemoryError:
        found = {"unreadable": f"takes more than {MEMORY // 2**30} GB to read"}
    sys.stdout.buffer.write(json.dumps(found).encode("utf-8"))


if __name__ == "__main__":
    main(*sys.argv[1:])
