"""Keep the translations of the book in step with its sentences.

    python book/words.py book/6-online   # after make book; `make words` does both

writes the sentences of these pages, of those that have a file already, and of those in `pages.txt`
into `book/locale/zh_CN/LC_MESSAGES/`, and so for each language: in the page's order, without
line numbers and dates, so that a diff shows what has changed. A sentence that is new gets the
translation of the one that it resembles, marked as fuzzy, until somebody has looked: the site shows
it in English. `tests/translations.py` checks what is translated.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po
from docutils import nodes
from sphinx.util.nodes import extract_messages

sys.path.append(str(Path(__file__).parent / "_ext"))

from notes_site.editions import LOCALE, ROOT, asks, file_of, listed, read


def messages(page: str) -> dict[str, str]:
    """Give what there is to translate on a page, in its order, each with its kind.

    They are what Sphinx asks for when it reads the page, from the page as `make book` has kept it.
    """
    file = ROOT / "_build/.doctrees" / f"{page}.doctree"
    if not file.is_file():
        raise SystemExit(f"{page} is no page that was built; build the book first: make book")
    found: dict[str, str] = {}
    for node, text in extract_messages(pickle.loads(file.read_bytes())):
        if asks(node, text):
            kind = "" if isinstance(node, nodes.paragraph) else node.tagname
            found.setdefault(text.strip(), kind)
    return found


def update(page: str, language: str) -> str:
    """Bring a page's file up to date; say how it stands."""
    file, known, asked = file_of(page, language), read(page, language), Catalog()
    for text, kind in messages(page).items():
        asked.add(text, auto_comments=[kind] if kind else [])
    known.update(asked, update_header_comment=False)
    known.obsolete.clear()
    for one in known:
        one.flags.discard("python-brace-format")  # which Babel guesses
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as stream:
        write_po(stream, known, width=0, omit_header=True)
    strings = [one for one in known if one.id]
    new = sum(not one.string for one in strings)
    fuzzy = sum(one.fuzzy for one in strings)
    return f"{page}: {len(strings)} strings, {new} without a translation, {fuzzy} to look at again"


def missing(page: str, language: str) -> list[str]:
    """Name the sentences of a page that its file does not have: they are new, or others now."""
    known = read(page, language)
    return [text for text in messages(page) if text not in known]


def begun(language: str) -> list[str]:
    """List the pages that have a file."""
    folder = LOCALE / language / "LC_MESSAGES"
    return [
        one.relative_to(folder).with_suffix("").as_posix() for one in sorted(folder.rglob("*.po"))
    ]


if __name__ == "__main__":
    for language in sorted(folder.name for folder in LOCALE.iterdir()):
        for page in dict.fromkeys([*sys.argv[1:], *begun(language), *listed(language)]):
            print(f"{language}: {update(page, language)}")
