"""Write the problem sets' sheets in other languages into book/assignments/sheets.

    python book/_ext/notes_sheets.py

Grading compares them with what is handed in. `make grader` makes them too, without Sphinx.
"""

import json
import re
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po
from perceptron_classroom.problem_sets import student_version

LOCALE, ASSIGNMENTS = (Path(__file__).parents[1] / name for name in ("locale", "assignments"))
#: What surrounds a whole text in Markdown: the mark of a heading, list, title or cell, and an end.
BEFORE = r"((?:^[ \t]*(?:(?:#+|[-*:]|[\w-]+:|\d+\.|:{3,}\{[^}]*\}) +)?|\|) *)"
AFTER = r"(?=[ \t]*(?:\||$))"


def file_of(page: str, language: str) -> Path:
    """Return the file with the translations of a page, or of a catalogue of the site's own."""
    return LOCALE / language / "LC_MESSAGES" / f"{page}.po"


def read(page: str, language: str) -> Catalog:
    """Read the translations of a page; there may be none yet."""
    file = file_of(page, language)
    if not file.is_file():
        return Catalog(language)
    with file.open("rb") as stream:
        return read_po(stream, language, abort_invalid=True)


def translated(page: str, language: str) -> dict[str, str]:
    """Return the translated sentences of a page: from English to a language."""
    known = (one for one in read(page, language) if one.id and one.string and not one.fuzzy)
    return {str(one.id): str(one.string) for one in known}


def in_language(
    notebook: str, known: dict[str, str], proof: str = "Proof.", language: str = "en"
) -> str:
    """Translate a notebook's Markdown by known sentences; its code, which is graded, stays.

    Cells tagged with the language, hidden in English, are shown in place of those tagged `en`.
    """
    # The site puts brackets around the title of a statement, and a word before its proof.
    known = known | {en[1:-1]: other[1:-1] for en, other in known.items() if en.startswith("(")}
    known |= {en.removeprefix("Proof. "): zh.removeprefix(proof) for en, zh in known.items()}
    known = {" ".join(en.split()): other for en, other in known.items()}
    texts = [r"\s+".join(map(re.escape, en.split())) for en in sorted(known, key=len, reverse=True)]
    whole = re.compile(f"{BEFORE}({'|'.join(texts) or '(?!)'}){AFTER}", re.MULTILINE)
    content = json.loads(notebook)
    for cell in content["cells"][:]:
        tags = cell["metadata"].get("tags", [])
        if cell["cell_type"] == "markdown":
            text = "".join(cell["source"])
            cell["source"] = whole.sub(lambda one: one[1] + known[" ".join(one[2].split())], text)
        elif language in tags:
            cell["metadata"] = {}
        elif "en" in tags:
            content["cells"].remove(cell)
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def main() -> None:
    """Write a sheet for each problem set and language."""
    for file in sorted(LOCALE.glob("*/LC_MESSAGES/book/assignments/*.po")):
        language, master = file.relative_to(LOCALE).parts[0], f"{file.stem}.ipynb"
        sheet = ASSIGNMENTS / "sheets" / language / master
        sheet.parent.mkdir(parents=True, exist_ok=True)
        known = translated(f"book/assignments/{file.stem}", language)
        sheet.write_text(in_language(student_version(ASSIGNMENTS / master), known), "utf-8")


if __name__ == "__main__":
    main()
