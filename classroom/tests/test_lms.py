"""Canvas and Moodle get back what they exported, with points in it and nothing else changed."""

import csv
import zipfile

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
Participant 501,Ann Lee,ann@x.example,Submitted for grading,,30.00,Yes,"Monday, 1 June",-,
Participant 502,Bob_de Roe,bob@x.example,Submitted for grading,,30.00,Yes,-,-,old
Participant 503,Ann Lee,other@x.example,,,30.00,Yes,-,-,
"""


def table_of(school, *names):
    for name in names:
        earn(school, name, **{"1.4": 8})
    assert school.grade() == 0
    return school.table


def read(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def test_canvas_gets_the_column_and_its_ids(quick_school, capsys):
    table_of(quick_school, "ann", "102", "x_103_7_ps1", "zoe")
    quick_school.enter("ann", **{"1.6": "1,5"})
    assert quick_school.grade() == 0
    sheet, out = quick_school.folder / "gradebook.csv", quick_school.folder / "import.csv"
    sheet.write_text(CANVAS)
    words = ["export", "canvas", str(quick_school.table), str(sheet), "-o", str(out)]
    assert command.main([*words, "--column", "Problem set 1"]) == 1  # zoe's points are nowhere
    assert read(out) == [
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
    assert f"{out}: 3 students" in said


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
def test_a_column_that_does_not_fit_is_refused(quick_school, capsys, column, sentence):
    table_of(quick_school, "ann")
    sheet, out = quick_school.folder / "gradebook.csv", quick_school.folder / "import.csv"
    sheet.write_text(CANVAS)
    words = ["export", "canvas", str(quick_school.table), str(sheet), "-o", str(out)]
    assert command.main([*words, *column]) == 1
    assert sentence in capsys.readouterr().err
    assert not out.exists()


def test_points_are_converted_only_when_asked(quick_school):
    table_of(quick_school, "ann")
    sheet, out = quick_school.folder / "gradebook.csv", quick_school.folder / "import.csv"
    sheet.write_text(CANVAS)
    words = ["export", "canvas", str(quick_school.table), str(sheet), "-o", str(out)]
    assert command.main([*words, "--column", "Essay", "--scale"]) == 0
    assert read(out)[2][-1] == "2.666666667"
    assert read(out)[3][-1] == "8"  # bob has no row: what was there stays


def test_moodle_gets_its_worksheet_and_a_zip_of_pages(quick_school, capsys):
    pages = quick_school.folder / "pages"
    table_of(quick_school, "502", "ann@x.example", "Ann Lee", "y_503_assignsubmission_file_")
    quick_school.enter("502", comment="Well done.", **{"comment 1.6": "Why?"})
    assert quick_school.grade("--feedback", pages) == 0
    sheet, out = quick_school.folder / "worksheet.csv", quick_school.folder / "import.csv"
    sheet.write_text(MOODLE)
    archive = quick_school.folder / "pages.zip"
    words = ["export", "moodle", str(quick_school.table), str(sheet), "-o", str(out)]
    assert command.main([*words, "--zip", str(archive), "--feedback", str(pages)]) == 1
    before, after = read(sheet), read(out)
    changed = [
        (line[0], new)
        for old, line in zip(before, after, strict=True)
        for was, new in zip(old, line, strict=True)
        if was != new
    ]
    assert changed == [
        ("Participant 501", "8"),
        ("Participant 502", "8"),
        ("Participant 502", "Well done.\n1.6: Why?"),
        ("Participant 503", "8"),
    ]
    assert "more than one line for: Ann Lee" in capsys.readouterr().err
    with zipfile.ZipFile(archive) as file:
        names = sorted(file.namelist())
        assert "Well done." in file.read(names[2]).decode()
    assert names == [
        "Ann Lee_501_assignfeedback_file_feedback.html",
        "Ann Lee_503_assignfeedback_file_feedback.html",
        "Bob de Roe_502_assignfeedback_file_feedback.html",
    ]
    # As Moodle reads them: who, number, kind, plugin, file.
    assert [name.split("_", 4)[1:4] for name in names] == [
        [number, "assignfeedback", "file"] for number in ("501", "503", "502")
    ]


def test_canvas_gets_pages_named_as_the_files_that_it_gave_out(quick_school):
    pages, archive = quick_school.folder / "pages", quick_school.folder / "pages.zip"
    table_of(quick_school, "leeann_101_7001_ps1", "doecyd_LATE_103_7003_my_work")
    assert quick_school.grade("--feedback", pages) == 0
    sheet, out = quick_school.folder / "gradebook.csv", quick_school.folder / "import.csv"
    sheet.write_text(CANVAS)
    words = ["export", "canvas", str(quick_school.table), str(sheet), "-o", str(out)]
    words += ["--column", "Problem set 1", "--zip", str(archive), "--feedback", str(pages)]
    assert command.main(words) == 0
    with zipfile.ZipFile(archive) as file:
        assert sorted(file.namelist()) == [
            "doecyd_103_7003_feedback.html",
            "leeann_101_7001_feedback.html",
        ]


@pytest.mark.parametrize("heading", ["Maximum Grade", "Maximum grade"])
def test_moodles_maximum_is_read_however_it_is_written(quick_school, capsys, heading):
    table_of(quick_school, "502")
    sheet, out = quick_school.folder / "worksheet.csv", quick_school.folder / "import.csv"
    sheet.write_text(MOODLE.replace("Maximum Grade", heading).replace("30.00", "100.00"))
    words = ["export", "moodle", str(quick_school.table), str(sheet), "-o", str(out)]
    assert command.main(words) == 1
    assert "gives 100 points for this assignment, the table 30" in capsys.readouterr().err


def test_nobody_takes_the_line_of_another(quick_school):
    table_of(quick_school, "102", "102_ps1", "bob_x", "x_102_102")
    sheet = quick_school.folder / "gradebook.csv"
    sheet.write_text(CANVAS)
    rows = [{**row, "total": row["student"]} for row in quick_school.rows().values()]
    rows[0]["total"] = "1"
    made, _, nowhere, unclear = lms.canvas(lms.read_sheet(sheet), rows, "Problem set 1")
    assert made.lines[2][-1] == "1"
    assert (nowhere, unclear) == (["bob_x"], ["102_ps1", "x_102_102"])


def test_what_is_no_worksheet_is_refused(tmp_path):
    for text in ("", "a,b\n", "Name,Grade\nAnn,3\n"):
        (tmp_path / "sheet.csv").write_text(text)
        with pytest.raises(Refused, match="expected"):
            lms.moodle(lms.read_sheet(tmp_path / "sheet.csv"), [])


def test_nothing_that_is_read_is_overwritten(quick_school, capsys):
    table_of(quick_school, "ann")
    table = str(quick_school.table)
    assert command.main(["export", "moodle", table, table, "-o", table]) == 1
    assert "expected another one with -o" in capsys.readouterr().err
