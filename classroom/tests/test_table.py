"""The table: what a spreadsheet, a person and the grader write into it."""

import csv
import errno
import json

import attacks
import pytest
from perceptron_classroom.grading import command, table
from perceptron_classroom.grading.journal import Journal
from perceptron_classroom.grading.spelling import normal
from perceptron_classroom.grading.submission import Graded
from school import PROBLEMS, earn


def test_names_of_files_become_no_formulas(tmp_path):
    row = dict.fromkeys(table.columns(PROBLEMS), "") | {
        "student": "=1+1",
        "remark": "@x",
        "name": "＝1",
        "1.6": "-2",
    }
    table.write_table(tmp_path / "t.csv", [row], PROBLEMS)
    text = (tmp_path / "t.csv").read_text(encoding="utf-8-sig")
    assert "'=1+1" in text
    assert "'@x" in text
    assert "'＝1" in text
    assert ",-2," in text
    assert table.read_table(tmp_path / "t.csv", PROBLEMS) == [row]


@pytest.mark.parametrize("cell", ["nan", "inf", "Infinity", "6/6", "five", "1_0", "2,5,1"])
def test_a_cell_that_is_no_number_is_kept_and_named(quick_school, capsys, cell):
    earn(quick_school, "ann", **{"1.1": 2})
    assert quick_school.grade() == 0
    quick_school.enter("ann", **{"1.6": cell, "1.1": cell})
    pages = quick_school.folder / "pages"
    assert quick_school.grade("--feedback", pages) == 0
    row = quick_school.rows()["ann"]
    assert (row["1.1"], row["1.6"], row["total"]) == (cell, cell, "0")
    said = capsys.readouterr().err
    assert f"ann, 1.6: the cell holds {cell!r}; expected a number" in said
    assert f"ann, 1.1: the cell holds {cell!r}; expected a number" in said
    assert "nan" not in (pages / "ann.html").read_text(encoding="utf-8")
    quick_school.enter("ann", **{"1.6": "6", "1.1": ""})
    assert quick_school.grade() == 0
    assert quick_school.rows()["ann"]["total"] == "8"


def test_who_got_the_smaller_version_owes_no_words(quick_school, capsys):
    earn(quick_school, "ann", **{"1.1": 2, "1.8": 3})
    assert quick_school.grade("--auto") == 0
    row = quick_school.rows()["ann"]
    assert (row["total"], row["out of"], row["1.8"]) == ("5", "21", "3")
    assert not {"1.6", "1.7", "comment 1.6"} & set(row)
    analyse = ["analyse", str(attacks.MASTER), str(quick_school.table)]
    assert command.main([*analyse, "--auto"]) == 0
    assert command.main(analyse) == 1  # a table of the whole set has 1.6
    assert quick_school.grade() == 1
    assert capsys.readouterr().err.count("has no column '1.6'") == 2
    assert quick_school.rows()["ann"] == row


def test_more_points_than_a_question_is_worth_are_counted_and_named(quick_school, capsys):
    earn(quick_school, "ann")
    assert quick_school.grade() == 0
    quick_school.enter("ann", **{"1.6": "44"})
    assert quick_school.grade() == 0
    assert quick_school.rows()["ann"]["total"] == "44"
    assert "ann, 1.6: 44 points of 6" in capsys.readouterr().err


def test_a_lost_journal_freezes_no_old_points(quick_school):
    earn(quick_school, "ann", **{"1.1": 0, "1.2": 0})
    assert quick_school.grade() == 0
    quick_school.enter("ann", **{"1.2": "1"})
    (quick_school.folder / "grades.csv.journal").unlink()
    earn(quick_school, "ann", **{"1.1": 2, "1.2": 2})
    assert quick_school.grade() == 0
    row = quick_school.rows()["ann"]
    assert (row["1.1"], row["1.2"], row["total"]) == ("2", "1", "3")


def test_points_by_hand_stay_a_persons_when_the_grader_once_agrees(quick_school):
    earn(quick_school, "ann", **{"1.1": 0})
    assert quick_school.grade() == 0
    quick_school.enter("ann", **{"1.1": "2"})
    for points in (2, 0, 1):
        earn(quick_school, "ann", **{"1.1": points})
        assert quick_school.grade() == 0
        assert quick_school.rows()["ann"]["1.1"] == "2"
    quick_school.enter("ann", **{"1.1": ""})  # undone
    assert quick_school.grade() == 0
    assert quick_school.rows()["ann"]["1.1"] == "1"


def test_what_was_marked_by_hand_is_flagged_when_it_is_handed_in_again(quick_school, capsys):
    earn(quick_school, "ann", "My proof.", **{"1.1": 0, "1.2": 0})
    earn(quick_school, "bob", "His proof.", **{"1.1": 0})
    assert quick_school.grade() == 0
    quick_school.enter("ann", **{"1.6": "4", "1.2": "1"})
    assert quick_school.grade() == 0
    assert quick_school.rows()["ann"]["look again"] == ""
    # Another function: only what was judged from it is to be looked at.
    earn(quick_school, "ann", "My proof.", **{"1.1": 2, "1.2": 0})
    notebook = json.loads((quick_school.submissions / "ann.ipynb").read_text(encoding="utf-8"))
    notebook["cells"][-1]["source"] += "\n# once more"
    (quick_school.submissions / "ann.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    assert quick_school.grade() == 0
    row = quick_school.rows()["ann"]
    assert (row["1.1"], row["1.2"], row["1.6"], row["look again"]) == ("2", "1", "4", "1.2")
    earn(quick_school, "ann", "My better proof.", **{"1.1": 2})
    capsys.readouterr()
    for _ in range(2):  # it stays until a person has looked
        assert quick_school.grade() == 0
        assert quick_school.rows()["ann"]["look again"] == "1.2 1.6"
    said = capsys.readouterr().err
    assert said.count("handed in again after a person had marked it: ann (1.2 1.6)") == 1
    assert quick_school.rows()["bob"]["look again"] == ""
    quick_school.enter("ann", **{"look again": ""})
    assert quick_school.grade() == 0
    assert quick_school.rows()["ann"]["look again"] == ""


def test_a_comment_stays_and_is_flagged_as_points_are(quick_school):
    earn(quick_school, "ann", "My proof.")
    assert quick_school.grade() == 0
    assert {"comment", "comment 1.6", "comment 1.7"} <= set(quick_school.rows()["ann"])
    quick_school.enter("ann", **{"comment 1.6": "Why?"})
    earn(quick_school, "ann", "My better proof.")
    assert quick_school.grade() == 0
    row = quick_school.rows()["ann"]
    assert (row["comment 1.6"], row["look again"]) == ("Why?", "1.6")


def test_a_spreadsheet_that_makes_numbers_of_names_loses_nothing(quick_school):
    earn(quick_school, "007", **{"1.1": 2})
    assert quick_school.grade() == 0
    text = quick_school.table.read_text(encoding="utf-8-sig")
    quick_school.table.write_text(text.replace("\n007,", "\n7,").replace(",,2", ",5,2", 1))
    quick_school.enter("7", **{"1.6": "5"})
    assert quick_school.grade() == 0
    assert list(quick_school.rows()) == ["007"]
    assert quick_school.rows()["007"]["1.6"] == "5"


def test_a_table_stays_separated_as_the_spreadsheet_saved_it(quick_school):
    earn(quick_school, "ann", **{"1.4": 4.5})
    assert quick_school.grade() == 0
    text = quick_school.table.read_text(encoding="utf-8-sig").replace(",", ";")
    quick_school.table.write_text(text, encoding="utf-8-sig")
    assert quick_school.grade() == 0
    assert quick_school.grade() == 0
    text = quick_school.table.read_text(encoding="utf-8-sig")
    assert text.startswith("student;file;")
    assert ";0;0;0;4,5;0;;;0;4,5;30;" in text  # as such a spreadsheet writes numbers


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "'=1+1",
        "''@x",
        "+1 for the idea",
        "-2",
        "a;=1+cmd",
        "\t=1",
        "'tis",
        "x\n=1",
        "＝1",
        "－1＋2",
    ],
)
def test_cells_come_back_as_they_were(tmp_path, text):
    rows = [{"student": "ann", "comment": text}]
    table.write_csv(tmp_path / "t.csv", ["student", "comment"], rows)
    [back] = table.read_csv(tmp_path / "t.csv")
    assert back["comment"].strip() == text.strip()


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_what_students_write_is_a_formula_nowhere(tmp_path, separator):
    evil = 'x;=1+cmd|"; @SUM(1)\t+1;＝1;－1'
    rows = [{"student": normal(evil), "remark": evil, "file": normal(evil)}]
    table.write_csv(tmp_path / "t.csv", ["student", "remark", "file"], rows)
    text = (tmp_path / "t.csv").read_text(encoding="utf-8-sig")
    # As a spreadsheet would cut it that knows quotes, and one that does not.
    cells = [cell for row in csv.reader(text.splitlines(), delimiter=separator) for cell in row]
    if separator != ",":
        cells += text.replace("\n", separator).split(separator)
    assert not [cell for cell in cells if cell.strip(' "').startswith(tuple("=@+＝－"))]


@pytest.mark.parametrize("fails", ["os.replace", "os.fsync"])
def test_a_table_that_cannot_be_written_stays_as_it_was(quick_school, monkeypatch, capsys, fails):
    earn(quick_school, "ann")
    assert quick_school.grade() == 0
    before = quick_school.table.read_bytes()
    earn(quick_school, "bob")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(fails, full)
    assert quick_school.grade() == 1
    assert "cannot be written: no space left on device\n" in capsys.readouterr().err
    assert quick_school.table.read_bytes() == before
    assert not list(quick_school.folder.glob(".new-*"))


def test_a_full_disk_costs_the_journal_but_not_the_class(quick_school, monkeypatch, capsys):
    for name in ("ann", "bob"):
        earn(quick_school, name, **{"1.1": 2})

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Journal, "finish", full)
    assert quick_school.grade() == 0
    assert [row["total"] for row in quick_school.rows().values()] == ["2", "2"]
    assert capsys.readouterr().err.count("a stopped run would start anew") == 1


@pytest.mark.parametrize(
    "line",
    [
        b"5",
        b"null",
        b"[]",
        b'{"key":"a"}',
        b'{"key":"a","student":"ann","graded":{"status":"ok","unknown":1}}',
        b'{"key":"a","student":"ann","graded":[]}',
        b'{"given": {"ann": {"1.1": "0"}}}',
        b'{"key": "cut of',
        b"\xff\xfe\x00",
        b"[" * 100_000,
    ],
)
def test_a_line_of_the_journal_that_says_nothing_is_passed_over(tmp_path, line):
    path = tmp_path / "journal"
    journal = Journal(path)
    journal.finish("before", "ann", Graded())
    with path.open("ab") as file:
        file.write(line)
    Journal(path).finish("after", "bob", Graded(remarks=["x"]))
    assert Journal(path).done == {"before": Graded(), "after": Graded(remarks=["x"])}
    assert Journal(path).last == {"ann": Graded(), "bob": Graded(remarks=["x"])}


def test_a_page_that_cannot_be_written_costs_no_other(quick_school, capsys):
    earn(quick_school, "ann", **{"1.1": 2})
    earn(quick_school, "bob", **{"1.1": 2})
    pages = quick_school.folder / "pages"
    (pages / "ann.html").mkdir(parents=True)
    assert quick_school.grade("--feedback", pages) == 1
    assert "no page for ann: IsADirectoryError" in capsys.readouterr().err
    assert (pages / "bob.html").exists()
    assert [row["total"] for row in quick_school.rows().values()] == ["2", "2"]
