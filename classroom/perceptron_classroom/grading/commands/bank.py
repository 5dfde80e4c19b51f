r"""``perceptron-classroom bank``: make a question bank of the self-checks of chapters.

A self-check is a ``{quiz}`` as the site's directive reads it: a question, then a list of options,
each with its feedback; ``✓`` begins a right one. Moodle gets its own XML, with the fields that
``question/format/xml/format.php`` reads, and formulas between ``\(`` and ``\)``, which its filter
``mathjaxloader`` looks for. Canvas gets QTI from text2qti, once that is told the address at which
your Canvas draws formulas; so what is written here is the text that text2qti reads.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from string import ascii_lowercase
from textwrap import dedent, indent

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from perceptron_classroom.grading.files import write_whole
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.terminal import Commands, say
from perceptron_classroom.problem_sets import naming, notebook

__all__ = ["add"]

QUIZ = re.compile(r"^(:{3,}) *\{quiz\}[ \t]*\n(.*?)^\1[ \t]*$", flags=re.M | re.S)
RIGHT = "✓ "
#: What a reference becomes where its target is missing, by the role in the chapter.
REFERENCES = {"eq": "equation", "numref": "figure", "ref": "exercise", "prf:ref": "theorem"}
#: Each option of a self-check: its text, its feedback, and whether it is right.
Options = list[tuple[str, str, bool]]


def add(commands: Commands) -> None:
    """Describe the command."""
    parser = commands.add_parser("bank", help="make a question bank of the chapters' self-checks")
    parser.add_argument("chapters", type=Path, nargs="+", help="the chapters' notebooks")
    default = Path("bank")
    parser.add_argument("-o", "--output", type=Path, default=default, help="a folder for the files")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the bank for Moodle, and a text for Canvas for each chapter."""
    bank = {path.stem: found for path in options.chapters if (found := list(self_checks(path)))}
    if not bank:
        raise Refused("no self-check in these notebooks; expected some with a {quiz}")
    options.output.mkdir(parents=True, exist_ok=True)
    parts = ['<?xml version="1.0" encoding="UTF-8"?>', "<quiz>"]
    for chapter, found in bank.items():
        category = tag("category", f"$course$/{chapter}")
        parts += [f'<question type="category">{category}</question>', *(moodle(*q) for q in found)]
        text = f"Quiz title: Self-checks, {chapter}\n{''.join(canvas(*q) for q in found)}"
        write_whole(options.output / f"{chapter}.txt", text.encode(), 0o644)
    write_whole(options.output / "moodle.xml", "\n".join([*parts, "</quiz>\n"]).encode(), 0o644)
    say(f"{options.output}: {sum(map(len, bank.values()))} questions of {len(bank)} chapters")
    return 0


def self_checks(path: Path) -> Iterator[tuple[str, str, Options]]:
    """Yield the name, the question and the options of each self-check of a chapter."""
    with naming(path.name):
        cells = notebook(path)["cells"]
    text = "\n".join(cell["source"] for cell in cells if cell["cell_type"] == "markdown")
    for number, found in enumerate(QUIZ.finditer(text), start=1):
        name = f"{path.stem}, self-check {number}"
        question, *items = re.split(r"^[*-] ", alone(found[2]), flags=re.M)
        parts = [item.partition("\n\n") for item in items]
        options = [(s.removeprefix(RIGHT), dedent(why), s.startswith(RIGHT)) for s, _, why in parts]
        if not any(right for *_, right in options) or not all(why.strip() for _, why, _ in options):
            raise Refused(f"{name} has no option that begins with {RIGHT}, or one without feedback")
        yield name, question, options


def alone(text: str) -> str:
    """Return Markdown that reads without its chapter: references say what they are about."""
    named = re.sub(
        r"\{([\w:]+)\}`([^`<]*?)(?: *<[^`]*>)?`",
        lambda m: f"the chapter's {REFERENCES[m[1]]}" if m[1] in REFERENCES else m[2],
        text,
    )
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", named)


def moodle(name: str, question: str, options: Options) -> str:
    """Return a self-check as Moodle's XML."""
    rights = sum(right for *_, right in options)
    parts = [tag("name", name), tag("questiontext", html(question), ' format="html"')]
    for text, why, right in options:
        # Where several are right, a wrong one costs as much as a right one gives.
        share = (100 if right else -100 if rights > 1 else 0) / rights
        feedback = tag("feedback", html(why), ' format="html"')
        parts.append(tag("answer", html(text), f' fraction="{share:.7g}" format="html"', feedback))
    single = f"<single>{str(rights == 1).lower()}</single>"
    return "\n".join(['<question type="multichoice">', *parts, single, "</question>"])


def tag(name: str, text: str, attributes: str = "", more: str = "") -> str:
    """Return an element of Moodle's XML that holds a text."""
    return f"<{name}{attributes}><text>{escape(text, quote=False)}</text>{more}</{name}>"


def html(text: str) -> str:
    """Return Markdown as HTML, with formulas as they were typed."""
    reader = MarkdownIt("commonmark").use(dollarmath_plugin)
    for kind, marks in (("math_inline", r"\({}\)"), ("math_block", r"\[{}\]")):
        reader.add_render_rule(
            kind, lambda _, tokens, k, *__, marks=marks: marks.format(escape(tokens[k].content))
        )
    return str(reader.render(text)).strip()


def canvas(name: str, question: str, options: Options) -> str:
    """Return a self-check as text2qti reads it: all lines behind a mark are indented alike."""
    single, marked = sum(right for *_, right in options) == 1, [("1.", question)]
    for letter, (text, why, right) in zip(ascii_lowercase, options, strict=False):
        mark = f"{'*' * right}{letter})" if single else f"[{'*' if right else ' '}]"
        marked += [(mark, text), ("...", why)]
    lines = [f"{mark:4}{indent(text.strip(), '    ').lstrip()}" for mark, text in marked]
    return "\n".join(["", f"Title: {name}", *lines, ""])
