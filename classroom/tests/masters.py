"""The masters of the problem sets, and what in them is not for students."""

import json
from pathlib import Path

import pytest
from perceptron_classroom.problem_sets import BEGIN, END

ROOT = Path(__file__).parent.parent.parent
MASTERS = sorted(ROOT.glob("book/assignments/*.ipynb"))

each_master = pytest.mark.parametrize("path", MASTERS, ids=lambda path: path.stem)


def cells(text):
    return json.loads(text)["cells"]


def sources(text, kind):
    return ["".join(cell["source"]) for cell in cells(text) if cell["cell_type"] == kind]


def hidden(path):
    """Return a master's secrets: each solution, and each answer in words, as lists of lines."""
    found = []
    for cell in cells(path.read_text("utf-8")):
        lines = "".join(cell["source"]).split("\n")
        if cell["cell_type"] == "code":
            marks = [k for k, line in enumerate(lines) if line.strip() in (BEGIN, END)]
            found += [lines[a + 1 : b] for a, b in zip(marks[::2], marks[1::2], strict=True)]
        elif "question" in cell["metadata"]:
            found.append(lines)
            found.append([what for _, what in cell["metadata"]["question"]["rubric"]])
    return found
