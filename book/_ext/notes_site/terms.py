"""Know this book's words, and what readers of other books say instead.

`book/terms.csv` has the English ones, `terms.csv` of an edition those of its language; what their
columns are, CONTRIBUTING.md says. The search knows them, each entry of the glossary, and so its
preview, names three, and an edition's glossary is ordered by `pinyin`.
"""

import csv
import itertools
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from notes_sheets import LOCALE
from sphinx import addnodes
from sphinx.application import Sphinx

from .editions import short, speaker

ENGLISH = Path(__file__).parents[2] / "terms.csv"


def rows(language: str) -> list[dict[str, str]]:
    """Read a language's table."""
    file = ENGLISH if language == "en" else LOCALE / language / "terms.csv"
    with file.open(encoding="utf-8", newline="") as table:
        return [{"ours": row["english"], "pinyin": "", **row} for row in csv.DictReader(table)]


def names(row: dict[str, str]) -> list[str]:
    """Return a term's English names, without what tells it apart."""
    return re.split(r",\s| / ", re.sub(r"\s*\(.*?\)", "", row["english"]))


def also(row: dict[str, str], near: bool = False) -> list[str]:
    """Return what else is said for a word; or what is near."""
    words = [one for one in row["also"].split("|") if one]
    return [one.lstrip("+~") for one in words if one.startswith("~") == near]


def for_search(language: str) -> dict[str, list[Any]]:
    """Return the table as the search in a page needs it.

    A term is ours, the words that mean it, those that are near, those for which nothing has to be
    said, and its home. An edition knows the English words, too. The other lists are of rows in
    brackets: words that ask, and the like.
    """
    english = {name: row for row in rows("en") for name in names(row)}
    found: dict[str, list[Any]] = {"terms": []}
    for row in rows(language):
        if row["english"].startswith("("):
            found[row["english"][1:-1]] = also(row)
        elif language == "en":
            found["terms"].append([row["ours"], also(row), also(row, near=True), [], row["home"]])
        elif row["pinyin"]:
            both = [row, *(english[name] for name in names(row) if name in english)]
            same, near = ([word for one in both for word in also(one, n)] for n in (False, True))
            quiet = [*names(row), row["pinyin"], row["pinyin"].replace(" ", "")]
            home = next((one["home"] for one in both if one["home"]), "")
            found["terms"].append([row["ours"], same, near, quiet, home])
    return found


def arrange(app: Sphinx, doctree: nodes.document, _page: str) -> None:
    """Name in each entry of a glossary what else is said; order an edition's by pinyin."""
    language, say = app.config.language, speaker(app.config.language)
    known = {
        re.sub(r"\W+", "-", name).strip("-"): row
        for row in reversed(rows(language))
        for name in (row["english"], *names(row))
    }
    for glossary in doctree.findall(addnodes.glossary):
        order = {}
        for item in glossary[0]:
            english = item.next_node(nodes.term)["ids"][0].removeprefix("term-")
            row = known.get(english, {"also": "", "pinyin": ""})
            order[item] = (row["pinyin"] or english).lower().split()
            if others := also(row)[:3]:
                listed = ("、" if short(language) == "zh" else ", ").join(others)
                told = say("Also: {names}.").format(names=listed)
                item[-1] += nodes.paragraph("", told, classes=["also"])
        if language != "en":
            glossary[:] = by_letter(glossary[0], order)


def by_letter(entries: nodes.Element, order: dict[nodes.Node, list[str]]) -> list[nodes.Element]:
    """Return a list in order and in parts, each with a letter above it."""
    found = []
    ordered = sorted(entries, key=order.__getitem__)
    for letter, items in itertools.groupby(ordered, lambda item: order[item][0][0]):
        part = entries.copy()
        part += list(items)
        found += [nodes.rubric("", letter.upper()), part]
    return found


def setup(app: Sphinx) -> None:
    """Arrange glossaries when their pages are written."""
    app.connect("doctree-resolved", arrange, priority=600)  # after the search has read them
