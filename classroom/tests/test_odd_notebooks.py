"""Notebooks that no program writes: each is read within bounds or refused, graded, and shown."""

import json
import os
import random
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import attacks
import hypothesis.strategies as st
from hypothesis import HealthCheck, given, settings
from perceptron_classroom.grading import prose as answers
from perceptron_classroom.grading import report
from perceptron_classroom.grading.intake import CELLS, Unreadable, code_of, read_notebook
from perceptron_classroom.grading.submission import STATUSES, grade
from school import PROBLEMS, SECRET

#: How many notebooks `make fuzz` tries.
NOTEBOOKS = 2000 if os.environ.get("FUZZ") else 25
ROW = {"student": "ann", "total": "0", "out of": "67", "comment": "\ud800 $x$"}

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(["", "\ud800", "\0", "a" * 50_000, "python", "\u202e", "<script>", "$" * 99]),
    st.lists(st.none() | st.text(max_size=5), max_size=4),
    st.dictionaries(st.text(max_size=5), st.none() | st.integers(), max_size=3),
    st.integers(1, 990).map(lambda depth: json.loads("[" * depth + "]" * depth)),
)
#: What a cell may hold: magics, definitions, broken and endless Python, broken Markdown.
LINES = st.sampled_from(
    [
        *("%matplotlib inline", "%%bash\nrm x", "%%", "%%time\n%%time\nx = 1", "!ls", "x = !ls"),
        *("x?", "%time %time 1", "??", "!", "?" * 500, "%%writefile a\n\0", "%run " + "%" * 999),
        *("def predict(w, X):\n    return X", "pla = print", "augment = 5", "raise BaseException"),
        *("def pla(X, y):\n    return pla(X, y)", "mistakes = lambda *a: a", "x = " + "1+" * 3000),
        *("(" * 300, "-" * 5000 + "1", "[" * 90 + "]" * 90, "f'{" * 5, "9" * 5000, "if 1:", "\tx"),
        *("\0", "\ud800", "'\ud800'", "# coding: utf-7", "x\\", "é = 1", "\f\r\v\x1b[0m", "exit"),
        *("from __future__ import braces", "import nothing_here", "del __name__"),
        "class E(Exception):\n    __str__ = None\nraise E",
        *("$x$ ![](attachment:a.png)", "# Title\n" * 50, "[a]: attachment:inline-0", "*" * 999),
        *("![](data:image/png;base64,AAAA)", "| a |\n|---|\n" * 20, "<table>" * 50, "1.3"),
        *("Write your answer here", "```\n" * 9, "> " * 200, "- " * 200),
    ]
)
TEXTS = st.lists(LINES | st.text(max_size=30), max_size=5)
SOURCES = st.one_of(TEXTS.map("\n".join), TEXTS, ODD)
DATA = st.dictionaries(
    st.sampled_from(
        ["image/png", "image/jpeg", "image/svg+xml", "text/html", "text/latex", "text/plain", "x"]
    ),
    LINES
    | ODD
    | st.sampled_from(["iVBORw0KGgo=", "<svg>", "<svg/>", "<table><tr><td colspan=9e9>x"]),
    max_size=3,
)
OUTPUTS = st.fixed_dictionaries(
    {"output_type": st.sampled_from(["stream", "display_data", "error", "other"]) | ODD},
    optional={"text": SOURCES, "data": DATA | ODD, "ename": ODD, "evalue": ODD},
)
CELL = st.fixed_dictionaries(
    {"cell_type": st.sampled_from(["code", "code", "markdown", "raw"]) | ODD, "source": SOURCES},
    optional={
        "outputs": st.lists(OUTPUTS | ODD, max_size=3) | ODD,
        "attachments": st.dictionaries(st.sampled_from(["a.png", ""]), DATA | ODD) | ODD,
        "metadata": ODD,
        "id": ODD,
    },
)
NOTEBOOK = st.fixed_dictionaries(
    {"cells": st.lists(CELL | CELL | ODD, max_size=6) | ODD},
    optional={
        "nbformat": ODD,
        "metadata": ODD
        | st.fixed_dictionaries(
            {
                "language_info": st.fixed_dictionaries(
                    {"name": st.sampled_from(["python3", "R"]) | ODD}
                )
            }
        )
        | st.fixed_dictionaries({"kernelspec": ODD}),
    },
)


def mixed(notebook: object, chance: random.Random) -> str:
    """The notebook alone, in the midst of an honest one, many times over, or torn."""
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    kind = chance.choice(["alone", "alone", "inside", "inside", "crowd", "torn"])
    if kind in ("inside", "crowd") and isinstance(cells, list):
        whole = attacks.solved() if kind == "inside" else {"cells": []}
        many = cells if kind == "inside" else cells * chance.choice([30, 3000, 30_000])
        for each in many[:60_000]:
            whole["cells"].insert(chance.randrange(len(whole["cells"]) + 1), each)
        return json.dumps(whole)
    text = json.dumps(notebook, ensure_ascii=chance.random() < 0.5)
    if kind == "torn":
        start, stop = sorted(chance.choices(range(len(text) + 1), k=2))
        return text[:start] + text[stop:]
    return text


@settings(
    max_examples=NOTEBOOKS, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(NOTEBOOK | ODD, st.integers(0, 2**32))
def test_any_notebook_is_graded_and_shown(shelter, notebook, number):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "ann.ipynb"
        path.write_bytes(mixed(notebook, random.Random(number)).encode("utf-8", "surrogatepass"))
        with suppress(Unreadable):
            assert all(isinstance(cell["source"], str) for cell in read_notebook(path))
            assert len(code_of(path)) <= CELLS
        graded = grade(PROBLEMS, path, "ann", SECRET, shelter, 1)
        assert graded.status in STATUSES
        assert graded.status != "check failed", graded.remarks
        assert set(graded.questions) == {question.id for question in PROBLEMS.questions}
        for answer in answers.read_answers(PROBLEMS, path, None, graded.outputs).values():
            answers.fingerprint(answer)
        page = report.feedback_page(PROBLEMS, path, graded, ROW)
        assert len(page.encode()) < 20_000_000
        assert "<script" not in page.lower()
