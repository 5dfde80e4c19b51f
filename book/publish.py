"""Assemble everything that is published: the site, and the book for download.

    python book/publish.py _build/html _build/book.pdf _build/book.epub _build/slides _build/site

Into the new folder go the site, the PDF, the EPUB, the slides of the chapters, and a zip of all but
these, for reading without a network.
The first page of the book gets links to them; a site that was only built has no such links, nor has
the site in the zip, beside which its PDF and EPUB are. The same site gives the same zip, byte for
byte.

A site in another language goes into a folder of the published one, `_build/site/zh`, when that is
there. It has no zip of its own, since some of its links lead to pages in English. Pages that exist
in both languages link to each other, in their headers and for search engines.
"""

import os
import re
import shutil
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "_ext"))

from notes_site.editions import short, speaker
from notes_site.folders import files_in
from notes_site.zips import pack
from pages import language_of

NAME = "perceptron-notes"
FIRST = "book/index.html"
PLACE = "<!-- take it with you -->"
BUTTONS = "<!-- the PDF and the EPUB -->"

TAKEN = (
    'Take the book with you: as <a href="../{name}.pdf">one PDF</a> ({pdf}), for paper, as '
    '<a href="../{name}.epub">an e-book</a> (EPUB, {epub}), for a reading program{zip}. '
    'Teachers find <a href="../slides/index.html">slides of each chapter</a>.'
)
ZIP = (
    ', or as <a href="../{name}.zip">a zip of all these pages</a> ({size}), which need no network: '
    "unpack it and open <code>index.html</code>"
)
#: In the header of a page and in its head: the same page in the other language.
HEADER = '<div class="article-header-buttons">'
SWITCH = '<a class="btn edition" href="{way}" hreflang="{code}" lang="{code}">{name}</a>'
CANONICAL = re.compile(r'<link rel="canonical" href="([^"]*)"')
ALTERNATE = '<link rel="alternate" hreflang="{code}" href="{way}">'
#: The name of each language in itself.
NAMES = {"en": "English", "zh-CN": "中文"}


def publish(site: Path, pdf: Path, epub: Path, slides: Path, out: Path) -> None:
    """Create the folder `out` afresh."""
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(site, out, ignore=shutil.ignore_patterns(*map(short, NAMES)))
    shutil.copyfile(pdf, out / f"{NAME}.pdf")
    shutil.copyfile(epub, out / f"{NAME}.epub")
    page, language = out / FIRST, language_of(site)
    bare = page.read_text("utf-8")
    as_zip = zipped(out) if language == "en" else ""
    shutil.copytree(slides, out / "slides")
    taken = speaker(language)(TAKEN).format(name=NAME, pdf=size(pdf), epub=size(epub), zip=as_zip)
    page.write_text(offer(bare, taken), "utf-8")
    if language != "en":
        join(out.parent, out, language)
    print(f"{out}: the site in {NAMES[language]}, with what can be taken away")


def zipped(out: Path) -> str:
    """Write a zip of what is published so far; return a text that offers it."""
    files = {f"{NAME}/{one.relative_to(out).as_posix()}": one.read_bytes() for one in files_in(out)}
    pack(files, out / f"{NAME}.zip")
    return ZIP.format(name=NAME, size=size(out / f"{NAME}.zip"))


def join(site: Path, other: Path, language: str) -> None:
    """Link the pages that exist in both languages to each other."""
    for file in sorted(other.rglob("*.html")):
        pages = {"en": site / file.relative_to(other), language: file}
        texts = {code: page.read_text("utf-8") for code, page in pages.items() if page.is_file()}
        if sum(HEADER in text for text in texts.values()) < len(pages):
            continue
        for (code, page), to in zip(pages.items(), (language, "en"), strict=True):
            ways = {one: os.path.relpath(pages[one], page.parent) for one in pages}
            # A site with a known address uses absolute links.
            full = {one: "".join(CANONICAL.findall(texts[one])) or ways[one] for one in pages}
            told = {**full, "x-default": full["en"]}.items()
            head = "".join(ALTERNATE.format(code=one, way=way) for one, way in told)
            lead = SWITCH.format(way=ways[to], code=to, name=NAMES[to])
            text = texts[code].replace("</head>", f"{head}</head>", 1)
            page.write_text(text.replace(HEADER, HEADER + lead, 1), "utf-8")


def offer(page: str, sentence: str) -> str:
    """Return the first page with a sentence inserted in its place."""
    buttons = " ".join(
        f'<a class="button" href="../{NAME}.{kind.lower()}">{kind}</a>' for kind in ("PDF", "EPUB")
    )
    return page.replace(PLACE, f'<p class="take-away">{sentence}</p>').replace(BUTTONS, buttons)


def size(file: Path) -> str:
    """Return the size of a file for readers, as HTML that stays on one line."""
    return f"{file.stat().st_size / 1e6:.0f}&nbsp;MB"


if __name__ == "__main__":
    publish(*map(Path, sys.argv[1:]))
