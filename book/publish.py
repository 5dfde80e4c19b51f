"""Put together what is published: the site, and the book to take away.

    python book/publish.py _build/html _build/book.pdf _build/site

Into the new folder go the site, the PDF, and a zip of both, for reading without a network. The
first page of the book gets links to the two; a site that was only built has no such links, and the
site in the zip none to a zip. The same site gives the same zip, byte for byte.
"""

from __future__ import annotations

import argparse
import shutil
import zipfile
from pathlib import Path

NAME = "perceptron-notes"
FIRST = "book/index.html"
PLACE = "<!-- take it with you -->"
BUTTON = "<!-- the PDF -->"
MOMENT = (1980, 1, 1, 0, 0, 0)  # the first that a zip can tell

PDF = '<a href="../{name}.pdf">one PDF</a> ({size})'
ZIP = (
    '<a href="../{name}.zip">a zip of all these pages</a> ({size}), which need no network: unpack '
    "it and open <code>index.html</code>"
)
HERE = (
    "You are reading the copy to take away; the notebooks are in its folder "
    "<code>_sources/book</code>"
)


def publish(site: Path, pdf: Path, out: Path) -> None:
    """Make the folder `out` anew."""
    if not (site / FIRST).is_file():
        raise SystemExit(f"{site} has no {FIRST}; build the book first: make book")
    if not pdf.is_file():
        raise SystemExit(f"there is no {pdf}; make it first: make pdf")
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(site, out)
    shutil.copyfile(pdf, out / f"{NAME}.pdf")
    page, bare = out / FIRST, (site / FIRST).read_text("utf-8")
    if bare.count(PLACE) != 1:
        raise SystemExit(f"{site / FIRST} must have one {PLACE}, where the links go")
    as_pdf = PDF.format(name=NAME, size=size(pdf))

    page.write_text(offer(bare, f"{HERE}, and the book is here as {as_pdf}, too."), "utf-8")
    archive = out.with_suffix(".zip")
    pack(out, archive)
    shutil.move(archive, out / f"{NAME}.zip")
    as_zip = ZIP.format(name=NAME, size=size(out / f"{NAME}.zip"))
    page.write_text(offer(bare, f"Take the book with you: as {as_pdf}, or as {as_zip}."), "utf-8")
    print(f"{out}: the site, with {NAME}.pdf and {NAME}.zip")


def offer(page: str, sentence: str) -> str:
    """The first page with a sentence where its place is."""
    button = f'<a class="button" href="../{NAME}.pdf">PDF</a>'
    return page.replace(PLACE, f'<p class="take-away">{sentence}</p>').replace(BUTTON, button)


def size(file: Path) -> str:
    """How large a file is, for people: in HTML, so that it stays on one line."""
    return f"{file.stat().st_size / 1e6:.0f}&nbsp;MB"


def pack(folder: Path, archive: Path) -> None:
    """Zip a folder, with nothing of when or by whom."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                name = f"{NAME}/{file.relative_to(folder).as_posix()}"
                info = zipfile.ZipInfo(name, MOMENT)
                info.compress_type = zipfile.ZIP_DEFLATED
                info.external_attr = 0o644 << 16
                packed.writestr(info, file.read_bytes())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Put together what is published.")
    parser.add_argument("site", type=Path, help="the folder of the built site")
    parser.add_argument("pdf", type=Path, help="the book as a PDF")
    parser.add_argument("out", type=Path, help="the folder to make")
    arguments = parser.parse_args()
    publish(arguments.site, arguments.pdf, arguments.out)
