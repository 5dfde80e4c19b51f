"""Problem sets: the masters are sound, and nothing of a solution leaves them."""

import ast
import copy
import json
import re

import nbformat
import numpy as np
import pytest
from masters import MASTERS, each_master, hidden, sources
from perceptron_classroom.checks import ALL
from perceptron_classroom.grading.commands.student import solved_version
from perceptron_classroom.problem_sets import BEGIN, END, ProblemSet, read_master, student_version

# The masters -------------------------------------------------------------------------------------


@each_master
def test_a_master_has_questions_for_programs_and_for_readers(path):
    found = read_master(path)
    assert isinstance(found, ProblemSet)
    assert found.name == path.stem
    number = path.stem.removeprefix("ps")
    assert found.title.startswith(f"Problem set {number}: ")
    assert 5 <= len(found.questions) <= 8
    assert [q.id for q in found.questions] == [
        f"{number}.{k}" for k in range(1, len(found.questions) + 1)
    ]
    assert any(q.rubric for q in found.questions)
    assert all((q.check is None) == bool(q.rubric) for q in found.questions)
    assert all(q.outcome[-1].isalnum() and q.outcome[0].islower() for q in found.questions)
    assert sum(q.points for q in found.questions) == 30


def test_sets_in_plain_numpy_refuse_the_package():
    refusing = [path.stem for path in MASTERS if read_master(path).refuses]
    assert refusing == ["ps1", "ps4", "ps5"]
    for path in MASTERS:  # what it says to students, too
        assert ("plain NumPy" in path.read_text("utf-8")) <= (path.stem in refusing)


def test_every_check_belongs_to_one_question():
    used = [q.check.name for path in MASTERS for q in read_master(path).questions if q.check]
    assert sorted(used) == sorted(ALL)


@each_master
def test_as_many_samples_are_drawn_as_students_are_told(path):
    for question in read_master(path).questions:
        for part in question.criteria:
            if promised := re.search(r"up to (\d+) (samples|points)", part.what):
                draws = [
                    question.check.groups[part.group](np.random.default_rng(k)) for k in range(3)
                ]
                given = [next(iter(arguments.values())) for draw in draws for arguments in draw]
                assert max(map(len, given)) == int(promised[1]), question.id


# The students' version ---------------------------------------------------------------------------


@each_master
def test_the_students_version_is_a_valid_notebook_and_always_the_same(path):
    text = student_version(path)
    assert text == student_version(str(path))
    nb = nbformat.reads(text, as_version=4)
    nbformat.validate(nb)
    assert set(nb.metadata) == {"kernelspec", "language_info"}
    assert "html_meta" in path.read_text("utf-8")
    for cell in nb.cells:
        assert cell.metadata == {}
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


@each_master
def test_no_line_of_a_solution_is_in_it(path):
    text = student_version(path)
    assert "SOLUTION" not in text
    kept = "\n".join(sources(text, "code") + sources(text, "markdown"))
    for lines in hidden(path):
        for line in filter(lambda line: len(line.strip()) > 12, lines):
            assert line.strip() not in kept, line


@each_master
def test_the_functions_are_there_with_a_blank(path):
    code = "\n".join(sources(student_version(path), "code"))
    blanks = {
        node.name: ast.unparse(node.body[-1])
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.FunctionDef)
    }
    for question in filter(lambda q: q.check, read_master(path).questions):
        name = question.check.function
        assert blanks[name] == "raise NotImplementedError('Write your answer here')"
        assert f"\nchecks.{name}({name})" in code
        signature = re.search(rf"^def ({name}\(.*\)):$", code, flags=re.M)[1]
        assert question.check.signature.startswith(f"{signature} -> ")


@each_master
def test_words_have_a_blank_and_questions_say_what_they_are_worth(path):
    prose = sources(student_version(path), "markdown")
    found = read_master(path)
    assert prose.count("*Write your answer here.*") == sum(bool(q.rubric) for q in found.questions)
    for q in found.questions:
        head = f"## {q.id} {q.title}\n\n*{q.points} points, about {q.minutes} minutes*\n\n"
        assert sum(text.startswith(head) for text in prose) == 1
        row = next(
            line for line in prose[1].split("\n") if line.startswith(f"| {q.id} | **{q.title}")
        )
        assert row.endswith(f"** {q.outcome} | {q.points} | {q.minutes} |")
    assert "| | **all** | **30** |" in prose[1]


@each_master
def test_the_smaller_version_has_the_questions_that_checks_judge_and_no_others(path):
    whole, found = read_master(path), read_master(path, auto=True)
    text = student_version(path, auto=True)
    prose = sources(text, "markdown")
    assert found.questions == tuple(q for q in whole.questions if q.check) != whole.questions
    heads = re.findall(r"^## (.+)", "\n".join(prose), flags=re.M)
    assert heads == [f"{q.id} {q.title}" for q in found.questions]
    points, minutes = (sum(getattr(q, k) for q in found.questions) for k in ("points", "minutes"))
    assert prose[1].endswith(f"| | **all** | **{points}** | **{minutes}** |")
    assert "*Write your answer here.*" not in prose
    whole_sheet = sources(student_version(path), "code")
    assert set(sources(text, "code")) < set(whole_sheet)
    solved = solved_version(path, auto=True)
    assert re.findall(r"^## (.+)", "\n".join(sources(solved, "markdown")), flags=re.M) == heads


def markdown(source, **metadata):
    return {"cell_type": "markdown", "id": "m", "metadata": metadata, "source": source}


def code(source, **metadata):
    return {
        "cell_type": "code",
        "id": "c",
        "metadata": metadata,
        "source": source,
        "execution_count": 3,
        "outputs": [],
    }


QUESTION = {
    "id": "9.1",
    "title": "Signs",
    "points": 2,
    "minutes": 5,
    "outcome": "decide",
    "check": "predict",
}
WORDS = {
    "id": "9.2",
    "title": "Why",
    "points": 3,
    "minutes": 5,
    "outcome": "explain",
    "rubric": [[2, "The reason."], [1, "An example."]],
}
ANSWER = """\
def predict(w, X):
    # BEGIN SOLUTION
    if True:
        return np.sign(X @ w)
    # END SOLUTION
    # A line that stays."""


@pytest.fixture
def master(tmp_path):
    """A function that writes a small master, with something changed, and gives its path."""

    def write(change=lambda cells: None, text=None):
        nb = {
            "cells": [
                markdown("# Small\n\nWords."),
                markdown("## 9.1 Signs\n\nWrite it."),
                code(ANSWER, question=copy.deepcopy(QUESTION)),
                code("secret = 1", tags=["teacher"]),
                markdown("## 9.2 Why\n\nSay it."),
                markdown("Because.", question=copy.deepcopy(WORDS), tags=["x"]),
            ],
            "metadata": {"kernelspec": {"name": "python3"}, "title": "gone"},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        change(nb["cells"])
        path = tmp_path / "ps9.ipynb"
        path.write_text(json.dumps(nb) if text is None else text, "utf-8")
        return path

    return write


def test_a_small_master_is_blanked(master):
    path = master()
    words = read_master(path).questions[1]
    assert words.check is None
    assert words.rubric == ((2, "The reason."), (1, "An example."))
    text = student_version(path)
    assert sources(text, "code") == [
        "def predict(w, X):\n"
        '    raise NotImplementedError("Write your answer here")\n'
        "    # A line that stays."
    ]
    assert sources(text, "markdown")[-1] == "*Write your answer here.*"
    assert json.loads(text)["metadata"] == {"kernelspec": {"name": "python3"}}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda c: c[2]["metadata"]["question"].update(check="pla2"), "9.1 has the check 'pla2'"),
        (lambda c: c[2]["metadata"]["question"].update(points=0), "9.1 has no points"),
        (lambda c: c[2]["metadata"]["question"].pop("outcome"), "9.1 has outcome: None"),
        (lambda c: c[2]["metadata"]["question"].update(minutes="5"), "9.1 has minutes: '5'"),
        (lambda c: c[2]["metadata"]["question"].update(rubric=[]), "9.1 has ['check', 'rubric']"),
        (lambda c: c[2]["metadata"].update(question="1.3"), "the metadata `question` is '1.3'"),
        (lambda c: c[2].update(cell_type="markdown"), "9.1 has a check, but its answer is no code"),
        (lambda c: c[2].update(source="def predict(w, X): ..."), "9.1 has no line `# BEGIN"),
        (lambda c: c[2].update(source=ANSWER.replace("predict", "p")), "9.1 does not define pred"),
        (lambda c: c[2].update(source=ANSWER.replace(END, "#")), "`# BEGIN SOLUTION` has no"),
        (lambda c: c[3].update(source="# END SOLUTION"), "`# END SOLUTION` has no `# BEGIN"),
        (lambda c: c[3].update(source="x  # BEGIN SOLUTION"), "is no marker"),
        (lambda c: c[2].update(source=ANSWER.replace("if True:", BEGIN)), "follows another"),
        (lambda c: c[5]["metadata"]["question"].update(points=4), "9.2 is worth 4 points"),
        (lambda c: c[5]["metadata"]["question"].update(rubric=[["2", "x"]]), "9.2 has a rubric"),
        (lambda c: c[5].update(code("x", **c[5]["metadata"])), "its answer is no Markdown cell"),
        (lambda c: c.append(copy.deepcopy(c[5])), "question 9.2 comes twice"),
        (lambda c: c[1].update(source="Write it."), "no line `## 9.1 Signs` stands above"),
        (lambda c: c[0].update(source="Small"), "no cell has a heading `# …`"),
        (lambda c: c.__delitem__(slice(2, None)), "no cell has the metadata `question`"),
    ],
)
def test_a_broken_master_is_refused_in_a_sentence(master, change, sentence):
    path = master(change)
    for function in (read_master, student_version):
        with pytest.raises(ValueError, match=re.escape(sentence)) as caught:
            function(path)
        assert str(caught.value).startswith("ps9.ipynb: ")


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"nbformat": 3, "cells": []}', "\0"])
def test_what_is_no_notebook_is_refused(master, text):
    with pytest.raises(ValueError, match=r"ps9.ipynb: not a notebook"):
        read_master(master(text=text))
