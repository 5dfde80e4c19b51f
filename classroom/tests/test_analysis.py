"""What a class found hard."""

import attacks
from perceptron_classroom.grading import analysis, command
from perceptron_classroom.grading.submission import Graded
from school import PROBLEMS


def graded(hint="", sentence="predict: the prediction of sample 3 is wrong"):
    wrong = {"points": 0, "sentence": sentence, "report": sentence, "hint": hint}
    return Graded(questions={"1.2": wrong}, seconds=2.0)


def row(student, status="ok", **cells):
    empty = dict.fromkeys((question.id for question in PROBLEMS.questions), "")
    return {"student": student, "status": status, "remark": "", "total": "", **empty, **cells}


def question(name):
    return next(each for each in PROBLEMS.questions if each.id == name)


def test_mistakes_are_counted_by_their_hints():
    first, second = question("1.2").check.slips[:2]
    last = {
        "ann": graded(first.hint),
        "bob": graded(first.hint),
        "eve": graded(second.hint),
        "cyd": graded(),
        "dan": Graded(questions={"1.2": {"points": 2}}),
    }
    rows = [row(name, **{"1.2": p}) for name, p in zip(last, "00002", strict=True)]
    assert analysis.mistakes(question("1.2"), rows, last) == [
        (first.hint, "", ["ann", "bob"]),
        (second.hint, "", ["eve"]),
        (analysis.UNKNOWN, "predict: the prediction of sample 3 is wrong", ["cyd"]),
    ]


def test_the_class_is_told_with_its_names():
    slip = question("1.2").check.slips[0]
    last = {"ann": graded(slip.hint), "bob": graded(sentence="raised TypeError: no")}
    rows = [row("ann", total="3", **{"1.2": "0", "1.6": "3"}), row("bob", total="2")]
    said = [*analysis.told(PROBLEMS, rows, last)]
    expected = "2 of 2 students handed in; the mean is 2.5, the median 2.5, of 30"
    assert said[0] == f"{expected}, with answers still to be read"
    full = row("ann", total="30") | {each.id: str(each.points) for each in PROBLEMS.questions}
    assert next(analysis.told(PROBLEMS, [full], {})).endswith("of 30")
    at = said.index("\n1.2 Decisions: 1 none, 1 to be read, 0.0 of 2 on average")
    assert said[at + 1] == f"  1 × {slip.hint} (ann)"
    assert said[at + 2 : at + 4] == ["  1 × an exception (bob)", "      raised TypeError: no"]
    blank = analysis.told(PROBLEMS, [row("eve", "missing", total="0")], {})
    assert next(blank) == "0 of 1 students handed in"


def test_a_table_without_students_is_refused(tmp_path, capsys):
    words = ["analyse", str(attacks.MASTER), str(tmp_path / "grades.csv")]
    assert command.main(words) == 1
    assert "holds no students" in capsys.readouterr().err
