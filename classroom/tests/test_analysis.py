"""What a class found hard."""

import attacks
from bs4 import BeautifulSoup
from perceptron_classroom.grading import analysis, command, report
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
    found = analysis.figures(question("1.2"), rows, last)
    assert (found.full, found.part, found.none, found.unread, found.mean) == (1, 0, 4, 0, 0.4)
    assert found.mistakes == [
        (first.hint, "", ["ann", "bob"]),
        (second.hint, "", ["eve"]),
        (analysis.UNKNOWN, "predict: the prediction of sample 3 is wrong", ["cyd"]),
    ]


def test_the_page_says_it_all_and_trusts_no_name(tmp_path):
    bad = "<script>x</script>"
    slip = question("1.2").check.slips[0]
    last = {bad: graded(slip.hint), "bob": graded(sentence="raised TypeError: <b>no</b>")}
    rows = [row(bad, total="3", **{"1.2": "0", "1.6": "3"}), row("bob", total="2")]
    soup = BeautifulSoup(analysis.class_page(PROBLEMS, rows, last), "html.parser")
    assert not soup.find(["script", "b"])
    policy = soup.find("meta", {"http-equiv": "Content-Security-Policy"})["content"]
    assert report.digest(soup.style.string) in policy
    assert "2 of 2 students handed in; the mean is 2.5" in " ".join(soup.header.text.split())
    part = " ".join(soup.find(id="q2").find_parent("section").text.split())
    assert f"1 × {slip.hint}" in part
    assert bad in part
    blank = analysis.class_page(PROBLEMS, [row("eve", "missing", total="0")], {})
    assert "<strong>0</strong> of 1 students handed in</p>" in blank


def test_a_table_without_students_is_refused(tmp_path, capsys):
    words = ["analyse", str(attacks.MASTER), str(tmp_path / "grades.csv")]
    assert command.main(words) == 1
    assert "holds no students" in capsys.readouterr().err
