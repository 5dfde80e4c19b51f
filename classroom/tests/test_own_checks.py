"""A teacher's own checks: from the page's example to points; nothing in the package changes."""

import json
import re
from pathlib import Path

import pytest
from perceptron_classroom import checks, problem_sets
from perceptron_classroom.grading import command
from perceptron_classroom.grading.submission import earned

PAGE = (Path(__file__).parents[2] / "book/teaching/questions.md").read_text("utf-8")
TEMPLATE = re.search(r'```python\n("""Checks of our own.*?)```', PAGE, re.S)[1]
#: What the template says of the master.
TOLD = "\n".join(line[6:] for line in TEMPLATE.splitlines() if line.startswith("#     "))
QUESTION = json.loads(re.search(r'"question": (\{.*?\]\})$', TOLD, re.M | re.S)[1])
ANSWER = TOLD[TOLD.index("def lowered") :]


@pytest.fixture
def master(tmp_path):
    """A function that writes a master with a question of its own, beside the template's check."""

    def write(answer=ANSWER):
        (tmp_path / "checks.py").write_text(TEMPLATE, "utf-8")
        cells = [
            {"cell_type": "markdown", "metadata": {}, "source": "# Ours\n\n## 1.1 From the bottom"},
            {"cell_type": "code", "metadata": {"question": QUESTION}, "source": answer},
            {
                "cell_type": "code",
                "metadata": {"tags": ["teacher"]},
                "source": 'import perceptron_classroom.checks as c\nc.load("checks.py").lowered',
            },
        ]
        path = tmp_path / "week7.ipynb"
        notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        path.write_text(json.dumps(notebook), "utf-8")
        return path

    return write


def test_the_template_is_a_check_that_works(master, capsys, monkeypatch):
    path = master()
    monkeypatch.chdir(path.parent.parent)
    assert command.main(["try", f"{path.parent.name}/{path.name}", "--seeds", "2"]) == 0
    assert "the solution is right, 3 known mistakes are caught" in capsys.readouterr().err


def test_a_wrong_solution_and_a_mistake_that_is_not_caught_are_named(master, capsys):
    path = master(ANSWER.replace("x.min()", "x.max()"))
    assert command.main(["try", str(path), "--seeds", "2"]) == 1
    assert "1.1 lowered: the solution is refused:\nlowered: entry 0 is" in capsys.readouterr().err

    path.with_name("checks.py").unlink()
    path = master()
    own = path.with_name("checks.py")
    own.write_text(own.read_text().replace('"many": many', '"many": few'))
    assert command.main(["try", str(path), "--seeds", "2"]) == 1
    said = capsys.readouterr().err
    assert "the mistake 'Look at all entries.' is not caught with 2 of 2 seeds: 0, 1" in said


def test_without_a_number_of_seeds_a_quick_check_is_tried_often(master, capsys):
    """Ten would not show what one student in ten gets away with."""
    path = master()
    own = path.with_name("checks.py")
    source = own.read_text()
    own.write_text(source.replace("1000, 1000, 1000, 1000", "1000"))
    assert command.main(["try", str(path)]) == 1
    assert re.search(
        r"'Look at all entries.' is not caught with \d+ of \d+ seeds: [\d, ]+…",
        capsys.readouterr().err,
    )
    own.write_text(source)
    assert command.main(["try", str(path)]) == 0


def test_students_get_neither_the_check_nor_the_cell_that_calls_it(master):
    text = problem_sets.student_version(master())
    assert "checks.load" not in text
    assert "- 2 of 3: a few numbers" in text


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("1 / 0", "own.py: ZeroDivisionError: division by zero"),
        ("def f(:", "own.py: SyntaxError"),
        ("x = 1", "own.py makes no Check"),
        (
            "from perceptron_classroom.checks import Check\n"
            "one = Check('f', 'f(x) -> y', {}, None)\ntwo = Check('f', 'f(x) -> y', {}, None)",
            "own.py makes two checks with the name f",
        ),
    ],
)
def test_a_broken_file_is_refused_in_a_sentence(tmp_path, source, sentence):
    path = tmp_path / "own.py"
    path.write_text(source)
    with pytest.raises(ValueError, match=sentence):
        checks.load(path)


# Parts of the points -----------------------------------------------------------------------------


def test_points_are_those_of_the_groups_that_hold(master):
    (question,) = problem_sets.read_master(master()).questions
    assert earned(question, ["few"]) == {
        "points": 2,
        "criteria": [
            {"what": "a few numbers", "points": 2, "earned": 2},
            {"what": "many numbers", "points": 1, "earned": 0},
        ],
    }
    found = dict(question.check.results(lambda x: x - x[:100].min(), 1))
    assert found["few"] is None
    assert [slip.hint for slip in found["many"].slips] == ["Look at all entries."]


@pytest.mark.parametrize(
    ("criteria", "sentence"),
    [
        ([[3, "few"]], "criteria that is no list"),
        ([[3, "few", "x"]], "has criteria for few; expected one for each of few, many"),
        ([[1, "few", "x"], [1, "many", "y"]], r"worth 3 points, but its criteria 1 \+ 1"),
        ([[3, "few", "x"], [0, "many", "y"]], r"worth 3 points, but its criteria 3 \+ 0"),
    ],
)
def test_criteria_that_do_not_fit_are_refused(master, monkeypatch, criteria, sentence):
    monkeypatch.setitem(QUESTION, "criteria", criteria)
    path = master()
    with pytest.raises(ValueError, match=sentence):
        problem_sets.read_master(path)
