"""The sums over problem sets: nobody gets less than is due, and Canvas takes the table."""

import csv

import pytest
from perceptron_classroom.grading import command, table

HEAD = "student,file,status,1,total,out of,comment 1\n"
SETS = {
    "ps1": "ann,a_101_7_x,ok,8,8,10,\nbob,,ok,5,5,10,\ncyd,,missing,,0,10,\n",
    "ps2": 'ann,a_101_9_x,ok,3,3,5,\nbob,,unreadable,,,5,\ncyd,,ok,"2,5","2,5",5,\n',
    "ps3": "ann,,ok,20,20,20,\nbob,,ok,10,10,20,\n",
}


@pytest.fixture
def add(tmp_path):
    """The command for these sets; the table that it has written."""
    for name, rows in SETS.items():
        (tmp_path / f"{name}.csv").write_text(HEAD + rows)

    def add(*words, names=tuple(SETS), good=True):
        tables = [str(tmp_path / f"{name}.csv") for name in names]
        out = tmp_path / "course.csv"
        assert command.main(["sum", *tables, "-o", str(out), *words]) == (0 if good else 1)
        return {row["student"]: row for row in table.read_csv(out)} if good else {}

    return add


def test_points_are_added_and_what_is_not_judged_makes_no_total(add, capsys):
    rows = add()
    assert [rows["ann"][name] for name in (*SETS, "total", "out of")] == [
        "8",
        "3",
        "20",
        "31",
        "35",
    ]
    assert [rows["cyd"][name] for name in (*SETS, "total")] == ["0", "2.5", "", "2.5"]
    assert (rows["bob"]["ps2"], rows["bob"]["total"]) == ("", "")
    said = capsys.readouterr().err
    assert "bob: ps2: nothing judged yet" in said
    assert "cyd: ps3: no row" in said
    assert "ps2: not all answers have been read yet: 1 students, bob first" in said


def test_weights_count_shares(add):
    weighted = add("--weights", "20", "30", "50")["ann"]
    assert (weighted["total"], weighted["out of"]) == ("84", "100")  # 16 + 18 + 50
    assert weighted["ps2"] == "3"  # as it was given


@pytest.mark.parametrize(
    ("words", "names", "sentence"),
    [
        (["--weights", "1"], SETS, "1 weights for 3 tables"),
        ([], ["ps1", "ps1"], "two columns would be named 'ps1'"),
        ([], ["ps4"], "expected a table"),
        ([], ["course"], "expected another one with -o"),
    ],
)
def test_what_has_no_meaning_is_refused(add, capsys, words, names, sentence):
    assert add(*words, names=names, good=False) == {}
    assert sentence in capsys.readouterr().err


def test_the_sums_go_to_canvas(add, tmp_path):
    add()
    sheet, out = tmp_path / "gradebook.csv", tmp_path / "import.csv"
    sheet.write_text(
        "Student,ID,SIS Login ID,Section,Homework (7)\nPoints Possible,,,,35\n"
        "Lee,101,lee,,\nRoe,102,bob,,\nDoe,103,cyd,,\n"
    )
    words = ["export", "canvas", str(tmp_path / "course.csv"), str(sheet)]
    assert command.main([*words, "-o", str(out), "--column", "Homework"]) == 0
    with out.open(newline="") as file:
        assert [line[-1] for line in csv.reader(file)][2:] == ["31", "", "2.5"]
