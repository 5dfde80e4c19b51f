"""`check`: what a student hears before handing in, and what a program makes of it."""

import json
import re
from xml.etree import ElementTree

import attacks
import pytest
from masters import each_master
from perceptron_classroom import checks, problem_sets
from perceptron_classroom.grading import command

BLANK = problem_sets.student_version(attacks.MASTER)


def answered(*extra, **functions):
    """The sheet of set 1 with these functions, and cells behind all others."""
    notebook = json.loads(BLANK)
    for cell in notebook["cells"]:
        name = re.match(r"def (\w+)", cell["source"])
        cell["source"] = functions.get(name[1] if name else "", cell["source"])
    notebook["cells"] += map(attacks.cell, extra)
    return json.dumps(notebook)


def check(tmp_path, capsys, text, *words, sheet="ps1"):
    """The exit code, what is said, and what is printed."""
    path = tmp_path / "ann.ipynb"
    path.write_text(text, encoding="utf-8")
    code = command.main(["check", sheet, str(path), *words])
    done = capsys.readouterr()
    return code, done.err, done.out


@each_master
@pytest.mark.parametrize("solved", [True, False])
def test_a_solved_set_passes_and_a_blank_one_is_named(solved, path, tmp_path, capsys):
    questions = problem_sets.read_master(path).questions
    blank, sheet = problem_sets.student_version(path), tmp_path / "sheet.ipynb"
    sheet.write_text(blank, "utf-8")
    text, named = (path.read_text("utf-8"), str(sheet)) if solved else (blank, path.stem)
    code, _, out = check(tmp_path, capsys, text, "--json", sheet=named)
    fine = {True: "passed", False: "not judged"}
    assert [
        tuple(each[key] for key in ("question", "points", "status")) for each in json.loads(out)
    ] == [(q.id, q.points, fine[bool(q.check)] if solved else "not written") for q in questions]
    assert code == (0 if solved else 1)


WRONG = {
    "augment": "def augment(points): return np.c_[np.ones(len(points)), points]",
    "predict": attacks.ZERO,
    "mistakes": "def mistakes(w, X, y): raise SystemExit(0)",
    "pla": "pla = 3",
    "pla_worst": "def pla_worst(X, y):\n    while True: pass",
}


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    monkeypatch.setattr("perceptron_classroom.grading.commands.check.SECONDS", 5)


def test_each_question_has_its_sentence_and_its_hint(tmp_path, capsys):
    code, said, out = check(tmp_path, capsys, answered("print(1)\n1 / 0", **WRONG), "--json")
    found = {each["function"]: each for each in json.loads(out)}
    assert code == 1
    assert found["augment"]["status"] == "passed"
    assert found["predict"]["hint"] == checks.predict.slips[0].hint
    assert found["predict"]["hint"] in said
    assert "SystemExit" in found["mistakes"]["sentence"]
    assert "no function pla" in found["pla"]["sentence"]
    assert "ZeroDivisionError" in found["pla"]["report"]
    assert found["pla_worst"]["sentence"] == "it took more than 5 seconds"


def test_programs_get_the_same_results(tmp_path, capsys):
    text = answered(**{**WRONG, "pla": "def pla(X, y): raise ValueError('\\x1b\\x00<&')"})
    code, _, out = check(tmp_path, capsys, text, "--results", "gradescope")
    assert code == 1
    tests = {each["name"]: each for each in json.loads(out)["tests"]}
    questions = problem_sets.read_master(attacks.MASTER).questions
    assert list(tests) == [f"{each.id} {each.check.name}" for each in questions if each.check]
    assert (tests["1.1 augment"]["score"], tests["1.1 augment"]["max_score"]) == (2, 2)
    assert (tests["1.2 predict"]["score"], tests["1.2 predict"]["max_score"]) == (0, 2)
    suite = ElementTree.fromstring(check(tmp_path, capsys, text, "--results", "junit")[2])
    assert len(suite) == len(questions)
    unmet = {case.get("name") for case in suite if len(case)}
    assert unmet == {*list(tests)[1:], "1.6", "1.7"}


def test_a_sheet_of_the_teachers_own_has_its_own_checks(tmp_path, capsys):
    own = tmp_path / "sheet"
    own.mkdir()
    judge = """from perceptron_classroom.checks import Check
median = Check("median", "median(v)", {"few": lambda rng: [{"v": 1}]}, lambda got, v: "no")
"""
    (own / "checks.py").write_text(judge)
    cells = [attacks.cell("def median(v): pass"), attacks.cell("own.median(median)")]
    words = {"cell_type": "markdown", "metadata": {}, "source": "## 7.1 Median\n\n*3 points*"}
    sheet = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [words, *cells]}
    (own / "week7.ipynb").write_text(json.dumps(sheet), "utf-8")
    code, _, out = check(
        tmp_path, capsys, json.dumps(sheet), "--json", sheet=str(own / "week7.ipynb")
    )
    [found] = json.loads(out)
    assert (code, found["question"], found["points"], found["status"]) == (1, "7.1", 3, "failed")
    (own / "week7.ipynb").write_text(json.dumps({**sheet, "cells": cells[:1]}), "utf-8")
    code, said, _ = check(tmp_path, capsys, json.dumps(sheet), sheet=str(own / "week7.ipynb"))
    assert (code, "week7.ipynb calls a check" in said) == (2, True)


@pytest.mark.parametrize(
    ("sheet", "text", "sentence"),
    [
        ("ps9", BLANK, "no set or sheet is called ps9"),
        ("ps2", BLANK, "defines none of: replay"),
        ("ps1", "{", "cannot be read as JSON"),
        ("ps1", "", "is empty"),
        ("ps1", "[1]", "has no cells"),
    ],
)
def test_what_cannot_be_checked_is_another_exit_code(sheet, text, sentence, tmp_path, capsys):
    code, said, out = check(tmp_path, capsys, text, "--results", "gradescope", sheet=sheet)
    assert code == 2
    assert sentence in said
    assert sentence in json.loads(out)["output"]
