"""What a class found hard."""

import attacks
from bs4 import BeautifulSoup
from perceptron_classroom.grading import analysis, command, report
from perceptron_classroom.grading.submission import Graded
from school import PROBLEMS


def graded(*slips, sentence="predict: the prediction of sample 3 is wrong"):
    wrong = {"points": 0, "sentence": sentence, "report": sentence, "slips": list(slips)}
    return Graded(questions={"1.2": wrong}, seconds=2.0)


def row(student, status="ok", **cells):
    empty = dict.fromkeys((question.id for question in PROBLEMS.questions), "")
    return {"student": student, "status": status, "remark": "", "total": "", **empty, **cells}


def check(name):
    return next(question for question in PROBLEMS.questions if question.id == name).check


def test_mistakes_are_counted_by_their_names():
    first, second = check("1.2").slips[:2]
    last = {
        "ann": graded(first.name),
        "bob": graded(first.name, second.name),
        "cyd": graded(),
        "dan": Graded(questions={"1.2": {"points": 2}}),
    }
    rows = [row(name, **{"1.2": p}) for name, p in zip(last, "0002", strict=True)]
    rows.append(row("eve", "missing", **{"1.2": "0"}))
    found = {each.question.id: each for each in analysis.analyse(PROBLEMS, rows, last)}["1.2"]
    assert (found.full, found.part, found.none, found.unread, found.mean) == (1, 0, 3, 0, 0.5)
    assert found.mistakes == [
        (first.name, first.hint, ["ann", "bob"]),
        (second.name, second.hint, ["bob"]),
        (analysis.UNKNOWN, "predict: the prediction of sample 3 is wrong", ["cyd"]),
    ]


def test_the_distribution_counts_everybody_once_and_nobody_who_is_absent():
    points = ["0", "2.9", "3", "29", "30", "31", "-1", ""]
    rows = [row(f"s{i}", total=total) for i, total in enumerate(points)]
    rows.append(row("eve", "missing", total="0"))
    spread = analysis.spread(PROBLEMS, rows)
    assert [(low, high) for low, high, _ in spread] == [(3 * k, 3 * k + 3) for k in range(10)]
    assert [count for *_, count in spread] == [3, 1, 0, 0, 0, 0, 0, 0, 0, 3]


def test_who_may_need_help_is_not_who_waits_to_be_read():
    rows = [
        row("ann", **{"1.4": "8", "1.5": "4"}),
        row("bob", **{"1.4": "8", "1.5": "4", "1.6": "6"}),
        row("cyd", **{"1.4": "4"}),  # half of all that was judged: not less than half
        row("dan", **{"1.4": "3", "1.6": "0"}),
        row("eve", "missing", **{"1.4": "0"}),
        row("fay", "unreadable", remark="is a PDF"),
    ]
    assert analysis.in_need(PROBLEMS, rows) == {
        "nothing": [("eve", "")],
        "unread": [("fay", "is a PDF")],
        "below": [("dan", "3 of 14")],
    }
    assert analysis.in_need(PROBLEMS, []) == {"nothing": [], "unread": [], "below": []}


def test_the_page_says_it_all_and_trusts_no_name(tmp_path):
    bad = "<script>x</script>"
    slip = check("1.2").slips[0]
    last = {bad: graded(slip.name), "bob": graded(sentence="raised TypeError: <b>no</b>")}
    rows = [row(bad, total="3", **{"1.2": "0", "1.6": "3"}), row("bob", total="2")]
    soup = BeautifulSoup(analysis.page(PROBLEMS, rows, last), "html.parser")
    assert not soup.find(["script", "b"])
    policy = soup.find("meta", {"http-equiv": "Content-Security-Policy"})["content"]
    assert report.digest(soup.style.string) in policy
    assert "2 of 2 students handed in; the mean is 2.5" in " ".join(soup.header.text.split())
    part = " ".join(soup.find(id="q2").find_parent("section").text.split())
    assert f"1 × {slip.name}" in part
    assert slip.hint[:20] in part
    assert bad in part
    assert soup.find(id="need").find_parent("section").find("li").text.startswith("bob")
    blank = analysis.page(PROBLEMS, [row("eve", "missing", total="0")], {})
    assert "0 of 1 students handed in" in BeautifulSoup(blank, "html.parser").header.text.replace(
        "\n", " "
    )


def test_a_table_without_students_is_refused(tmp_path, capsys):
    words = ["analyse", str(attacks.MASTER), str(tmp_path / "grades.csv")]
    assert command.main(words) == 1
    assert "holds no students" in capsys.readouterr().err
