"""Count how much of each chapter can be read before something stops the reader.

    python book/interruptions.py [NOTEBOOK …]        without names: page 1 and all chapters

What stops the reader is a heading, a cell that shows code or an output, a displayed formula, a box,
a table or a figure; the words between two of these are a stretch, and a formula in the text is one
word. Only what stands before the exercises counts, without captions. The words of headings and
boxes belong to the page, but to no stretch; what is for the curious is not on the short path; the
words of the self-checks are counted apart. For comparison: in chapter 4 of Daumé's *A Course in
Machine Learning*, 4,950 words, the median stretch has 118 words, and 14 of 34 have 150 or more.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path
from statistics import median

BOOK = Path(__file__).parent
KINDS = "heading", "shown", "folded", "figure", "table", "box"
STOP = re.compile(
    r"^(?P<fence>:{3,}|`{3,})\{(?P<box>[\w:-]+)\}.*?^(?P=fence) *$|^@(?P<cell>\w+)$"
    r"|^ *(?P<formula>\$\$).*?\$\$[^\n]*$|(?P<table>(?:^\|[^\n]*\n?)+)|^(?P<heading>#+ [^\n]*)$",
    re.M | re.S,
)
QUIZ = re.compile(r"^:::\{quiz\}.*?^:::$", re.M | re.S)
CURIOUS = re.compile(r"^(##+) [^\n]*\n\s*\{\.curious\}.*?(?=^\1 |^## |\Z)", re.M | re.S)
#: What is no word: comments, options, targets, fences, cells, tables, displayed formulas; and where
#: a link leads.
MARKUP = re.compile(
    r"<!--.*?-->|^:\w+:[^\n]*|^\(\S+\)=|^:::+[^\n]*|^[@|][^\n]*|\$\$.*?\$\$", re.M | re.S
)
TARGET = re.compile(r"(`[^`<]+)<[^`<>]*>`|\]\([^)]*\)")
ONE_WORD = re.compile(r"\$[^$]+\$|(\{[\w:]+\})?`[^`]+`")


def words(text: str) -> int:
    """Count the words of some Markdown; a formula, a piece of code and a reference are one each."""
    text = TARGET.sub(lambda link: f"{link[1] or ''} ".replace("`", " "), MARKUP.sub("", text))
    return len(re.findall(r"\w\S*", re.sub(r"\{[^}]*\}", " ", ONE_WORD.sub(" x ", text))))


def page(notebook: Path) -> str:
    """Read a page up to its exercises, with a line such as `@shown` for what a cell shows."""
    parts = []
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        tags, printed = cell["metadata"].get("tags", ()), str(cell.get("outputs"))
        if cell["cell_type"] == "markdown":
            parts.append("".join(cell["source"]))
        elif not {"remove-cell", "card"} & set(tags):
            parts.append("@folded" if "hide-input" in tags else "@shown")
            drawn = "Explorer(" in printed or "<Figure" in printed
            parts += ["@figure"] if drawn else ["@table"] * ("text/markdown" in printed)
    return "\n\n".join(parts).partition("\n## Exercises")[0]


if __name__ == "__main__":
    chapters = sorted(BOOK.glob("[0-9]*.ipynb"), key=lambda path: int(path.stem.split("-")[0]))
    heads = "words", "short", "quizzes", *KINDS
    print(f"{'':16}", *(f"{head:>8}" for head in heads), "  median  stretches ≥ 150")
    for path in [*map(Path, sys.argv[1:])] or [BOOK / "twenty-minutes.ipynb", *chapters]:
        text = page(path)
        told = QUIZ.sub(":::\n", text)
        stops = Counter(found["cell"] or found.lastgroup for found in STOP.finditer(told))
        counts = [words(told), words(CURIOUS.sub("", told)), words(text) - words(told)]
        stretches = [n for n in map(words, STOP.sub("\0", text).split("\0")) if n]
        counts += [stops[kind] for kind in KINDS]
        long = f"{sum(n >= 150 for n in stretches)} of {len(stretches)}"
        print(
            f"{path.stem:16}", *(f"{n:8,}" for n in counts), f"{median(stretches):8g}  {long:>15}"
        )
