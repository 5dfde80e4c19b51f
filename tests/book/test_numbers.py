"""Numbers in captions, also Chinese ones, alternative texts, comments and labels of the chapters.

Each occurs in what a cell of its chapter prints, or in its own cell's code, or in `SEEN`.
"""

import ast
import io
import re
import tokenize

from notes_sheets import translated
from test_notebooks import CHAPTERS, ROOT, code, each, read

#: Of a chapter's cell: numbers that are right, though nothing prints them, and why.
SEEN = {
    ("4-pocket", "6e6ad3ed"): ("2.3", "a version of NumPy"),
    ("5-dual", "969d207a"): ("40", "the samples are made in the cell before"),
    ("7-margins", "circle"): ("3800", "read from the axis"),
    ("9-networks", "net-rings"): ("27", "the title of the panel, which the cell writes"),
    ("twenty-minutes", "20floor"): ("31", "2⁵ − 1"),
}
NAMES = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"""
WORDS = dict(zip(NAMES.split(), [*range(20), *range(20, 100, 10)], strict=True))
#: Links, roles, commands, what stands above or below a line, and names with digits.
APART = re.compile(r"\{[\w:]+\}`[^`]*`|\]\([^)]*\)|[_^]\{?\w+\}?|\\[a-z]+|[^\W\d][\w.]*-?\d\w*")


def numbers(text):
    """Yield the numbers of a text, in digits or in words, without their signs."""
    text = re.sub(r"(?<=\d),(?=\d{3})", "", APART.sub(" ", text))
    yield from map(float, re.findall(r"\d+(?:\.\d+)?", text))
    for word in re.findall(r"[a-z]+(?:-[a-z]+)?", text.lower()):
        if WORDS.keys() >= set(parts := word.split("-")):
            yield float(sum(WORDS[part] for part in parts))


def texts(cell, strings, chinese):
    """Yield what a reader sees of a cell beside its outputs, and what it is called."""
    for kind, part in ("figure", "caption"), ("image", "alt"):
        text = cell.metadata.get("mystnb", {}).get(kind, {}).get(part, "")
        yield from [(part, text), (f"Chinese {part}", chinese.get(" ".join(text.split()), ""))]
    tokens = tokenize.generate_tokens(io.StringIO(cell.source).readline)
    yield from (("comment", token.string) for token in tokens if token.type == tokenize.COMMENT)
    yield from (("label", string) for string in strings)


@each([*CHAPTERS, ROOT / "book/twenty-minutes.ipynb"])
def test_numbers_beside_the_outputs_are_those_of_the_chapter(path):
    cells, chinese = code(read(path)), translated(f"book/{path.stem}", "zh_CN")
    outputs = [one.get("text") or one.data["text/plain"] for cell in cells for one in cell.outputs]
    known = {n for text in outputs for n in numbers(text)} | {0, 1, 2}
    known, unknown = known | {round(n, k) for n in known if n % 1 for k in (1, 2)}, {}
    for cell in cells:
        tree = [*ast.walk(ast.parse(cell.source))]
        specs = [one.format_spec for one in tree if getattr(one, "format_spec", None)]
        decimals = {part for spec in specs for part in ast.walk(spec)}
        own = [one.value for one in tree if isinstance(one, ast.Constant) and one not in decimals]
        right = known | {abs(one) for one in own if type(one) in (int, float)}
        for what, text in texts(cell, (one for one in own if isinstance(one, str)), chinese):
            for n in set(numbers(text)) - right:
                unknown.setdefault((cell.id, n), []).append(what)
    mine = [(cell, n) for (stem, cell), (n, _) in SEEN.items() if stem == path.stem]
    seen = {(cell, float(n)) for cell, some in mine for n in some.split()}
    wrong = [f"cell {c}: {n:g} in its {', '.join(unknown[c, n])}" for c, n in unknown.keys() - seen]
    assert not wrong, f"{path.name} has numbers that it does not print:\n" + "\n".join(wrong)
    assert seen <= unknown.keys(), "an exception is needed no more"
