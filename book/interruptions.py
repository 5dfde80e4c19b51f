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
from collections.abc import Iterator
from pathlib import Path
from statistics import median

BOOK = Path(__file__).parent
STOP = re.compile(
    r"^(?P<fence>:{3,}|`{3,})\{(?P<box>[\w:-]+)\}.*?^(?P=fence) *$"
    r"|^ *(?P<formula>\$\$).*?\$\$[^\n]*$|(?P<table>(?:^\|[^\n]*\n?)+)|^(?P<heading>#+ [^\n]*)$",
    re.M | re.S,
)
#: What is no text, but the brackets of roles and attributes; and where a link leads.
MARKUP = re.compile(r"<!--.*?-->|^:\w+:[^\n]*|^\(\S+\)=|^:::+[^\n]*|\$\$.*?\$\$", re.M | re.S)
TARGET = re.compile(r"(`[^`<]+)<[^`<>]*>`|\]\([^)]*\)")
ONE_WORD = re.compile(r"\$[^$]+\$|(\{[\w:]+\})?`[^`]+`")


def words(text: str) -> int:
    """Count the words of some Markdown; a formula, a piece of code and a reference are one each."""
    text = TARGET.sub(lambda link: f"{link[1] or ''} ".replace("`", " "), MARKUP.sub("", text))
    return len(re.findall(r"\w\S*", re.sub(r"\{[^}]*\}", " ", ONE_WORD.sub(" x ", text))))


def pieces(notebook: Path) -> Iterator[tuple[str, str]]:
    """Cut a page, up to its exercises, into running text and what stops it, each with its kind."""
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        source, tags = "".join(cell["source"]), cell["metadata"].get("tags", ())
        if cell["cell_type"] == "markdown":
            start = 0
            for found in STOP.finditer(source):
                yield "text", source[start : found.start()]
                if "Exercises" in (found["heading"] or ""):
                    return
                kind = found.lastgroup or ""
                yield ("quiz" if found["box"] == "quiz" else kind), found[0]
                start = found.end()
            yield "text", source[start:]
        elif not {"remove-cell", "card"} & set(tags):
            yield ("folded" if "hide-input" in tags else "shown"), ""
            printed = str(cell["outputs"])
            if "Explorer(" in printed or "<Figure" in printed:
                yield "figure", ""
            elif "text/markdown" in printed:
                yield "table", ""


def measure(notebook: Path) -> tuple[Counter[str], list[int]]:
    """Count the words and the stops of a page, and the words of each stretch."""
    count, stretches = Counter[str](), [0]
    level = curious = 0  # of the present heading, and of the one whose section is for the curious
    for kind, text in pieces(notebook):
        if kind == "heading":
            level = text.index(" ")
            curious = curious if level > curious else 0
        curious = level if "{.curious}" in text else curious
        n = 0 if kind in ("formula", "table") else words(text)
        if kind == "text":
            stretches[-1] += n
        else:
            count[kind] += 1
            stretches.append(0)
        count["quizzes" if kind == "quiz" else "words"] += n
        count["short"] += 0 if curious or kind == "quiz" else n
    return count, [stretch for stretch in stretches if stretch]


if __name__ == "__main__":
    chapters = sorted(BOOK.glob("[0-9]*.ipynb"), key=lambda path: int(path.stem.split("-")[0]))
    kinds = "words", "short", "quizzes", "heading", "shown", "folded", "figure", "table", "box"
    print(f"{'':16}", *(f"{kind:>8}" for kind in kinds), "  median  stretches ≥ 150")
    for page in [*map(Path, sys.argv[1:])] or [BOOK / "twenty-minutes.ipynb", *chapters]:
        count, stretches = measure(page)
        long = f"{sum(n >= 150 for n in stretches)} of {len(stretches)}"
        print(f"{page.stem:16}", *(f"{count[kind]:8,}" for kind in kinds), end=" ")
        print(f"{median(stretches):8g}  {long:>15}")
