"""Canvas and Moodle get back what they exported, with points in it and nothing else changed."""

import csv

import pytest
from perceptron_classroom.grading import command, lms
from perceptron_classroom.grading.sandbox import Refused
from school import earn

CANVAS = """\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Essay (7),Problem set 1 (42),\
Problem set 10 (43),Final
Points Possible,,,,,10,30,30,(read only)
"Lee, Ann",101,s-1,ann,Week 1,9,,,90
"Roe, Bob",102,s-2,bob@x.example,Week 1,8,3,,80
"Doe, Cyd",103,s-3,cyd,Week 2,,,,
"Student, Test",999,,,Week 2,,,,
"""
MOODLE = """\ufeffIdentifier,Full name,Email address,Status,Grade,Maximum Grade,\
Grade can be changed,Last modified (submission),Last modified (grade),Feedback comments
Participant 501,Ann Lee,ann@x.example,Submitted for grading,,30.00,Yes,"1 June 2026, 14:14",-,
Participant 502,Bob_de Roe,bob@x.example,Submitted for grading,,30.00,Yes,-,-,old
Participant 503,Ann Lee,other@x.example,,,30.00,Yes,-,-,
"""


@pytest.fixture
def export(quick_school, monkeypatch):
    """A function that grades a class, and exports its points into a table."""
    monkeypatch.chdir(quick_school.folder)

    def run(sheet, *words, names=()):
        for name in names:
            earn(quick_school, name, **{"1.4": 8})
        assert quick_school.grade() == 0
        (quick_school.folder / "sheet.csv").write_text(sheet)
        return command.main(
            ["export", *words, "grades.csv", "sheet.csv", "-o", "import.csv", "--partial"]
        )

    return run


def read(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def test_a_class_goes_out_when_it_is_read(quick_school, export, capsys):
    sheet, words = CANVAS.split('"Roe')[0], ("canvas", "--column", "Problem set 1")
    assert export(sheet, *words, names=["ann"]) == 0
    last = ["export", *words, "grades.csv", "sheet.csv", "-o", "last.csv"]
    assert command.main(last) == 1
    assert "read yet: 1 students, ann first; mark them" in capsys.readouterr().err
    quick_school.enter("ann", **{"1.6": "1", "1.7": "2"})
    assert quick_school.grade() == 0
    assert command.main(last) == 0
    assert read(quick_school.folder / "last.csv")[-1][-1] == "11"
    assert "read yet" not in capsys.readouterr().err


def test_canvas_gets_the_column_and_its_ids(quick_school, export, capsys):
    words = ("canvas", "--column", "Problem set 1")
    assert export(CANVAS, *words, names=["ann", "102", "x_103_7_ps1"]) == 0
    quick_school.enter("ann", **{"1.6": "1,5"})
    assert export(CANVAS, *words, names=["zoe"]) == 1  # whose points are nowhere
    assert read(quick_school.folder / "import.csv") == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Problem set 1 (42)"],
        ["Points Possible", "", "", "", "", "30"],
        ["Lee, Ann", "101", "s-1", "ann", "Week 1", "9.5"],
        ["Roe, Bob", "102", "s-2", "bob@x.example", "Week 1", "8"],
        ["Doe, Cyd", "103", "s-3", "cyd", "Week 2", "8"],
        ["Student, Test", "999", "", "", "Week 2", ""],
    ]
    said = capsys.readouterr().err
    assert "has no line for: zoe" in said
    assert "not all answers have been read yet: 4 students" in said
    assert "import.csv: 3 students" in said


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        ([], "expected the assignment's name"),
        (["--column", "none"], "no column is named like 'none'; name one with --column: 'Student'"),
        (["--column", "s"], "are named like 's'; name one with --column"),
        (["--column", "Section"], "is no assignment"),
        (["--column", "Essay"], "the LMS gives 10 points for this assignment, the table 30"),
    ],
)
def test_a_column_that_does_not_fit_is_refused(quick_school, export, capsys, column, sentence):
    assert export(CANVAS, "canvas", *column, names=["ann"]) == 1
    assert sentence in capsys.readouterr().err
    assert not (quick_school.folder / "import.csv").exists()


def test_moodle_knows_students_by_number_address_and_name(quick_school, export, capsys):
    names = ["502", "ann@x.example", "Ann Lee", "y_503_assignsubmission_file_"]
    assert export(MOODLE, "moodle", names=names) == 1
    assert "more than one line for: Ann Lee" in capsys.readouterr().err
    assert [line[4] for line in read(quick_school.folder / "import.csv")[1:]] == ["8"] * 3


def test_nobody_takes_the_line_of_another(quick_school, export):
    names = ["102", "102_ps1", "bob_x", "x_102_102"]
    export(CANVAS, "canvas", "--column", "Problem set 1", names=names)
    rows = [{**row, "total": row["student"]} for row in quick_school.rows().values()]
    rows[0]["total"] = "1"
    sheet = lms.read_sheet(quick_school.folder / "sheet.csv")
    made, nowhere, unclear = lms.canvas(sheet, rows, "Problem set 1")
    assert made.lines[2][-1] == "1"
    assert (nowhere, unclear) == (["bob_x"], ["102_ps1", "x_102_102"])


def test_what_is_no_worksheet_is_refused(tmp_path):
    for text in ("", "a,b\n", "Name,Grade\nAnn,3\n", "ID,Grade,Max\nUser 1,,30.00\n"):
        (tmp_path / "sheet.csv").write_text(text)
        with pytest.raises(Refused, match="expected"):
            lms.moodle(lms.read_sheet(tmp_path / "sheet.csv"), [])


def test_nothing_that_is_read_is_overwritten(quick_school, capsys):
    table = str(quick_school.table)
    assert command.main(["export", "moodle", table, table, "-o", table]) == 1
    assert "expected another one with -o" in capsys.readouterr().err
