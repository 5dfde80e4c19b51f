"""Write the problem sets' sheets in other languages into book/assignments/sheets.

    python book/_ext/notes_sheets.py

Grading compares them with what is handed in. `make grader` makes them too, where neither Sphinx nor
Babel is installed.
"""

import ast
import json
import re
from pathlib import Path

from perceptron_classroom.problem_sets import student_version

BOOK = Path(__file__).parents[1]
#: What surrounds a whole text in Markdown: the mark of a heading, list, title or cell, and an end.
BEFORE = r"((?:^[ \t]*(?:(?:#+|[-*:]|[\w-]+:|\d+\.|:{3,}\{[^}]*\}) +)?|\|) *)"
AFTER = r"(?=[ \t]*(?:\||$))"
#: A sentence and its translation, as Babel writes them: texts in quotes on one line or more.
ENTRY = re.compile(r'((?:^#.*\n)*)^msgid ((?:".*"\n)+)msgstr ((?:".*"\n?)+)', re.MULTILINE)


def in_language(notebook: str, known: dict[str, str], proof: str = "Proof.") -> str:
    """Translate a notebook's Markdown by known sentences; its code, which is graded, stays."""
    # The site puts brackets around the title of a statement, and a word before its proof.
    known = known | {en[1:-1]: other[1:-1] for en, other in known.items() if en.startswith("(")}
    known |= {en.removeprefix("Proof. "): zh.removeprefix(proof) for en, zh in known.items()}
    known = {" ".join(en.split()): other for en, other in known.items()}
    texts = [r"\s+".join(map(re.escape, en.split())) for en in sorted(known, key=len, reverse=True)]
    whole = re.compile(f"{BEFORE}({'|'.join(texts) or '(?!)'}){AFTER}", re.MULTILINE)
    content = json.loads(notebook)
    for cell in content["cells"]:
        if cell["cell_type"] == "markdown":
            text = "".join(cell["source"])
            cell["source"] = whole.sub(lambda one: one[1] + known[" ".join(one[2].split())], text)
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def sentences(file: Path) -> dict[str, str]:
    """Return the translated sentences of a file."""
    found = (
        [ast.literal_eval(f"({text})") for text in entry.groups()[1:]]
        for entry in ENTRY.finditer(file.read_text("utf-8"))
        if "#, fuzzy" not in entry[1]
    )
    return {english: other for english, other in found if english and other}


def main() -> None:
    """Write a sheet for each problem set and language."""
    for file in sorted(BOOK.glob("locale/*/LC_MESSAGES/book/assignments/*.po")):
        master, sheets = BOOK / "assignments" / f"{file.stem}.ipynb", BOOK / "assignments/sheets"
        sheet = sheets / file.relative_to(BOOK / "locale").parts[0] / master.name
        sheet.parent.mkdir(parents=True, exist_ok=True)
        sheet.write_text(in_language(student_version(master), sentences(file)), "utf-8")


if __name__ == "__main__":
    main()
