"""Put together what is published: the site, and the book to take away.

    python book/publish.py _build/html _build/book.pdf _build/book.epub _build/slides _build/site

Into the new folder go the site, the PDF, the EPUB, the slides of the chapters, and a zip of all but
these, for reading without a network.
The first page of the book gets links to them; a site that was only built has no such links, and the
site in the zip none to a zip. The same site gives the same zip, byte for byte.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "_ext"))

from notes_site.zips import pack

NAME = "perceptron-notes"
FIRST = "book/index.html"
PLACE = "<!-- take it with you -->"
BUTTONS = "<!-- the PDF and the EPUB -->"

BOOKS = (
    '<a href="../{name}.pdf">one PDF</a> ({pdf}), for paper, {joint} '
    '<a href="../{name}.epub">an e-book</a> (EPUB, {epub}), for a reading program'
)
ZIP = (
    '<a href="../{name}.zip">a zip of all these pages</a> ({size}), which need no network: unpack '
    "it and open <code>index.html</code>"
)
SLIDES = 'Teachers find <a href="../slides/index.html">slides of each chapter</a>.'
HERE = (
    "You are reading the copy to take away; the notebooks are in its folder "
    "<code>_sources/book</code>"
)


def publish(site: Path, pdf: Path, epub: Path, slides: Path, out: Path) -> None:
    """Make the folder `out` anew."""
    if not (site / FIRST).is_file():
        raise SystemExit(f"{site} has no {FIRST}; build the book first: make book")
    for book, command in ((pdf, "make pdf"), (epub, "make epub"), (slides, "make slides")):
        if not book.exists():
            raise SystemExit(f"there is no {book}; make it first: {command}")
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(site, out)
    shutil.copyfile(pdf, out / f"{NAME}.pdf")
    shutil.copyfile(epub, out / f"{NAME}.epub")
    page, bare = out / FIRST, (site / FIRST).read_text("utf-8")
    if bare.count(PLACE) != 1:
        raise SystemExit(f"{site / FIRST} must have one {PLACE}, where the links go")
    sizes = {"name": NAME, "pdf": size(pdf), "epub": size(epub)}

    books = BOOKS.format(joint="and as", **sizes)
    page.write_text(offer(bare, f"{HERE}, and the book is here as {books}, too."), "utf-8")
    files = [file for file in sorted(out.rglob("*")) if file.is_file()]
    named = {f"{NAME}/{one.relative_to(out).as_posix()}": one.read_bytes() for one in files}
    pack(named, out / f"{NAME}.zip")
    as_zip = ZIP.format(name=NAME, size=size(out / f"{NAME}.zip"))
    books = BOOKS.format(joint="as", **sizes)
    shutil.copytree(slides, out / "slides")
    taken = f"Take the book with you: as {books}, or as {as_zip}. {SLIDES}"
    page.write_text(offer(bare, taken), "utf-8")
    print(f"{out}: the site, with {NAME}.pdf, {NAME}.epub, {NAME}.zip and slides")


def offer(page: str, sentence: str) -> str:
    """The first page with a sentence where its place is."""
    buttons = " ".join(
        f'<a class="button" href="../{NAME}.{kind.lower()}">{kind}</a>' for kind in ("PDF", "EPUB")
    )
    return page.replace(PLACE, f'<p class="take-away">{sentence}</p>').replace(BUTTONS, buttons)


def size(file: Path) -> str:
    """How large a file is, for people: in HTML, so that it stays on one line."""
    return f"{file.stat().st_size / 1e6:.0f}&nbsp;MB"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Put together what is published.")
    parser.add_argument("site", type=Path, help="the folder of the built site")
    parser.add_argument("pdf", type=Path, help="the book as a PDF")
    parser.add_argument("epub", type=Path, help="the book as an EPUB")
    parser.add_argument("slides", type=Path, help="the folder of the decks of slides")
    parser.add_argument("out", type=Path, help="the folder to make")
    arguments = parser.parse_args()
    publish(arguments.site, arguments.pdf, arguments.epub, arguments.slides, arguments.out)
