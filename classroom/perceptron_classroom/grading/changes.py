"""What has changed in an answer since somebody marked it."""

from __future__ import annotations

import hashlib
import json
import re
from difflib import SequenceMatcher
from pathlib import Path

from markupsafe import Markup

from perceptron_classroom.grading import markup
from perceptron_classroom.grading.opening import text_of
from perceptron_classroom.grading.pieces import CELLS, INLINE, OUTPUTS
from perceptron_classroom.grading.prose import Cell, fingerprint, outputs_of

__all__ = ["Former", "difference", "plain_text"]

#: Characters of an answer that are kept, and words of two that are compared.
TEXT, WORDS = 20_000, 3_000
#: Characters that stay on either side of a change.
AROUND = 200


class Former:
    """The answers as they were when they were marked, beside the table.

    Lines are only ever added to the file; one that says nothing is passed over.
    """

    def __init__(self, table: Path) -> None:
        self.path = table.with_suffix(".answers.jsonl")
        self.texts: dict[str, str] = {}

    def text(self, answer: str) -> str | None:
        """Return the text of an answer."""
        if answer not in self.texts:  # another process may have added to the file
            for line in self.path.read_bytes().splitlines() if self.path.exists() else ():
                try:
                    known, text = json.loads(line)
                    self.texts[str(known)] = str(text)
                except (ValueError, TypeError, RecursionError):
                    continue
        return self.texts.get(answer)

    def keep(self, cells: list[Cell]) -> str:
        """Keep the text of an answer."""
        answer = fingerprint(cells)
        if self.text(answer) is None:
            text = plain_text(cells)
            with self.path.open("ab") as file:  # all at once, whoever else is marking
                file.write(b"\n" + json.dumps([answer, text]).encode() + b"\n")
            self.texts[answer] = text
        return answer


def plain_text(cells: list[Cell]) -> str:
    """Return an answer as text, with a number in the place of each picture."""
    parts = []
    for cell in cells[:CELLS]:
        parts.append(INLINE.sub(lambda found: pictured(found[2]), cell["source"]))
        attachments = cell.get("attachments")
        if isinstance(attachments, dict):
            parts += [pictured(repr(each)) for each in attachments.values()]
        parts += map(output_text, outputs_of(cell)[:OUTPUTS])
    return "\n\n".join(filter(None, (part.strip() for part in parts)))[:TEXT]


def output_text(output: Cell) -> str:
    """Return what a cell had printed, or drawn."""
    data = output.get("data")
    data = data if isinstance(data, dict) else {}
    picture = next((each for kind, each in data.items() if kind.startswith("image/")), None)
    if picture is not None:
        return pictured(text_of(picture))
    said = (output.get("text"), output.get("evalue"), data.get("text/plain"))
    return "".join(map(text_of, said))


def pictured(content: str) -> str:
    """Return what stands for a picture: another one, another number."""
    return f"[picture {hashlib.sha256(content.encode(errors='replace')).hexdigest()[:6]}]"


def difference(old: str, new: str) -> Markup:
    """Show what was taken out of a text and put in, word by word; by lines, if it is long."""
    words = re.compile(r"\S+\s*")
    one, other = words.findall(old), words.findall(new)
    if len(one) + len(other) > WORDS:
        one, other = old.splitlines(keepends=True), new.splitlines(keepends=True)
    if len(one) + len(other) > WORDS:
        one, other = [old], [new]
    compared = SequenceMatcher(None, [w.strip() for w in one], [w.strip() for w in other])
    shown = Markup("")
    for kind, i, j, k, m in compared.get_opcodes():
        out, put = (markup.legible("".join(part), TEXT) for part in (one[i:j], other[k:m]))
        if kind == "equal":
            shown += around(put, first=not i, last=j == len(one))
            continue
        if out:
            shown += Markup("<del>{}</del> ").format(out.rstrip())
        if put:
            end = put[len(put.rstrip()) :]
            shown += Markup("<ins>{}</ins>{}").format(put.rstrip(), end)
    return shown


def around(text: str, *, first: bool, last: bool) -> str:
    """Return what stays of a text that is the same, next to the changes before and behind it."""
    if len(text) <= 2 * AROUND:
        return text
    before, behind = "" if first else text[:AROUND], "" if last else text[-AROUND:]
    return f"{before} … {behind}"
