"""What a class found hard, and which notebooks are alike."""

import json
import random
import re

import attacks
import pytest
from bs4 import BeautifulSoup
from perceptron_classroom.grading import analysis, command, report
from perceptron_classroom.grading.commands import similar
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
