"""The committed chapters: their form, their outputs, and that outputs are really compared."""

import ast
import re
from pathlib import Path

import nbformat
import notebooks
import pytest

from perceptron_notes.figures import scenes

ROOT = Path(__file__).parent.parent.parent
CHAPTERS = sorted(
    ROOT.glob("book/[0-9]*-*.ipynb"), key=lambda path: int(path.stem.partition("-")[0])
)
NOTEBOOKS = sorted(ROOT.glob("book/*.ipynb")) + sorted(ROOT.glob("book/assignments/*.ipynb"))


def read(path):
    return nbformat.read(path, as_version=4)


def code(nb):
    return [cell for cell in nb.cells if cell.cell_type == "code"]


def prose(nb):
    return "\n\n".join(cell.source for cell in nb.cells if cell.cell_type == "markdown")


def draws(cell):
    return any(
        "<Figure size" in output.get("data", {}).get("text/plain", "") for output in cell.outputs
    )


def each(paths):
    return pytest.mark.parametrize("path", paths, ids=lambda path: path.stem)


@each(NOTEBOOKS)
def test_what_is_committed_is_normalised(path):
    committed = path.read_text(encoding="utf-8")
    assert notebooks.text(notebooks.normalise(read(path))) == committed, "run `make notebooks`"


@each(NOTEBOOKS)
def test_cells_ran_once_from_top_to_bottom(path):
    counts = [cell.execution_count for cell in code(read(path))]
    assert counts == list(range(1, len(counts) + 1)), "run `make notebooks`"


@each(NOTEBOOKS)
def test_a_cell_prints_or_draws_but_not_both(path):
    for cell in code(read(path)):
        kinds = {output.output_type for output in cell.outputs}
        assert kinds <= {"stream", "execute_result", "display_data"}, cell.source
        if draws(cell):
            assert len(cell.outputs) == 1, cell.source


def unseeded(source):
    """Return the calls in a cell that draw random numbers without a seed."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] + [getattr(node, "module", None)]
            yield from (name for name in names if name in ("random", "secrets", "uuid", "time"))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("np.random", "random"):
            yield from {node.attr} - {"default_rng", "Generator", "SeedSequence"}
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("default_rng"):
            yield from [] if node.args else [ast.unparse(node)]


@each(NOTEBOOKS)
def test_chance_has_a_seed(path):
    for cell in code(read(path)):
        assert not list(unseeded(cell.source)), cell.source


@each(CHAPTERS)
def test_a_chapter_opens_with_a_figure_to_play_with(path):
    """Behind the question, in a folded cell."""
    title, first = read(path).cells[:2]
    assert "?" in title.source
    assert any(f"{name}(" in first.source for name in ("Explorer", *scenes.__all__))
    assert {"hide-input", "hide-cell", "remove-input"} & set(first.metadata.get("tags", []))


@each(CHAPTERS)
def test_a_chapter_has_its_parts_in_order(path):
    headings = re.findall(r"^#{1,2} (.+)$", prose(read(path)), flags=re.M)
    parts = ["Check yourself", "Summary", "Exercises", "Sources and further reading"]
    assert headings[-4:] == parts


@each(CHAPTERS)
def test_each_exercise_has_a_solution_that_is_folded(path):
    text = prose(read(path))
    exercises = re.findall(r"^:+\{exercise\}.*\n:label: (\S+)", text, flags=re.M)
    solutions = re.findall(r"^:+\{solution(?:-start)?\} (\S+)\n:class: dropdown", text, flags=re.M)
    assert sorted(exercises) == sorted(solutions)


def test_the_tests_of_the_notebooks_are_strict():
    """Neither a lax mode nor a file that excuses differences."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "--nbval " in makefile
    assert "nbval-lax" not in makefile
    assert "sanitize-with" not in makefile
    for path in NOTEBOOKS:
        for cell in code(read(path)):
            assert "NBVAL" not in cell.source
            assert not {"nbval-ignore-output", "nbval-skip"} & set(cell.metadata.get("tags", []))
