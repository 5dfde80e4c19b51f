"""What a class found hard, and which notebooks are alike."""

import json
import random
import re

import attacks
import pytest
from perceptron_classroom.grading import analysis, command
from perceptron_classroom.grading.commands import similar
from perceptron_classroom.grading.submission import Graded
from school import PROBLEMS


def graded(**reports):
    questions = {
        name: {"points": 0, "sentence": text.split("\n")[0], "report": text}
        for name, text in reports.items()
    }
    return Graded(questions=questions, seconds=2.0)


def check(name):
    return next(question for question in PROBLEMS.questions if question.id == name).check


def test_mistakes_are_counted_by_their_names():
    first, second = check("1.2").slips[:2]
    hints = (
        "predict: x\n\nKnown mistakes that give exactly this answer:\n"
        f"- {first.hint}\n- {second.hint}"
    )
    last = {
        "ann": graded(**{"1.2": f"predict: x\n\nHint. {first.hint}"}),
        "bob": graded(**{"1.2": f"predict: x\n\n{hints}"}),
        "cyd": graded(**{"1.2": "predict: the prediction of sample 3 is wrong"}),
        "dan": Graded(questions={"1.2": {"points": 2}}),
    }
    table = [
        {"student": name, "status": "ok", "1.2": p} for name, p in zip(last, "0002", strict=True)
    ]
    table.append({"student": "eve", "status": "missing", "1.2": "0"})
    found = {each.question.id: each for each in analysis.analyse(PROBLEMS, table, last)}["1.2"]
    assert (found.full, found.part, found.none, found.unread, found.mean) == (1, 0, 3, 0, 0.5)
    assert next(iter(found.mistakes.items())) == (first.name, ["ann", "bob"])
    assert found.mistakes[second.name] == ["bob"]
    assert list(found.mistakes)[-1] == analysis.UNKNOWN


def test_a_table_without_students_is_refused(tmp_path, capsys):
    words = ["analyse", str(attacks.MASTER), str(tmp_path / "grades.csv")]
    assert command.main(words) == 1
    assert "holds no students" in capsys.readouterr().err


# ------------------------------------------------------------------------------- likeness


PROGRAM = """
def pla(X, y, w):
    # go through the samples until none is wrong
    count = 0
    while count < 10000:
        wrong = [n for n in range(len(X)) if y[n] * (X[n] @ w) <= 0]
        if not wrong:
            return w
        w = w + y[wrong[0]] * X[wrong[0]]
        count += 1
    return None
"""


def renamed(source):
    source = re.sub("#.*", "# mine", source)
    for old, new in (("count", "k"), ("wrong", "bad"), ("n", "i"), ("w", "v"), ("pla", "run")):
        source = re.sub(rf"\b{old}\b", new, source)
    return source


def test_a_copy_with_other_names_is_found_by_its_structure():
    [pair] = similar.pairs({"ann": [PROGRAM], "bob": ["x = 1", renamed(PROGRAM)]}, [], 0.7)
    assert (pair.one, pair.other) == ("ann", "bob")
    assert pair.structure > 0.95 > 0.5 > pair.words
    [pair] = similar.pairs({"ann": [PROGRAM], "bob": [PROGRAM]}, [], 0.7)
    assert pair.structure == pair.words == pytest.approx(1)


def test_what_was_handed_out_does_not_count():
    assert similar.pairs({"ann": [PROGRAM], "bob": [PROGRAM]}, [PROGRAM], 0.1) == []


def test_what_all_have_counts_little():
    rng = random.Random(1)

    def own():
        words = ["x", "(", ")", "+", "if", "1", "[", "]", "-", "for", "*", ":"]
        return " ".join(rng.choice(words) for _ in range(200))

    everyone = {f"s{i:02}": [PROGRAM, own()] for i in range(20)}
    everyone["s01"] = everyone["s00"]
    assert [(pair.one, pair.other) for pair in similar.pairs(everyone, [], 0.6)] == [("s00", "s01")]


@pytest.mark.parametrize(
    "cell", ["", "def (", "'''", "%magic ! ?", "\x00", "x" * 10_000, "(" * 10**6, "\"'" * 10**5]
)
def test_code_that_is_none_is_read_as_far_as_it_goes(cell):
    assert isinstance(similar.prints([cell]), set)


def test_pairs_of_a_class(empty_school, capsys):
    school = empty_school
    school.hand_in("ann")
    school.hand_in("cyd", attacks.with_cells("1 / 0"))
    school.hand_in(
        "dan", attacks.with_cells("from perceptron_classroom.checks import runs\nimport os")
    )
    words = ["similar", str(attacks.MASTER), str(school.submissions)]
    (school.submissions / "bad.ipynb").write_text(json.dumps({"cells": 3}))
    assert command.main(words) == 0
    said = capsys.readouterr().out
    assert "hints to look, no verdict" in said
    assert "ann and cyd" in said
