"""The run of a class: from a folder to a table, stopped, gone on with, completed by hand."""

import os
import re
import stat

import attacks
import pytest
from perceptron_classroom.grading import batch, command, files, journal, table
from perceptron_classroom.grading.intake import code_of
from perceptron_classroom.grading.submission import grade, seed
from school import PROBLEMS, earn, snapshot, spied_on


@pytest.fixture
def school(quick_school):
    """A class of three; their notebooks state the points, so none is run."""
    for name in ("ann", "bob", "cyd"):
        earn(quick_school, name, **{**attacks.FULL, "1.2": 0 if name == "bob" else 2})
    return quick_school


def test_a_class_from_start_to_table(graded_school, capsys):
    """Everything a teacher does with a class, in one test, as grading it takes time."""
    the_table_the_pages_and_the_folder(graded_school)
    the_analysis(graded_school, capsys)
    one_student_again(graded_school, capsys)


def the_table_the_pages_and_the_folder(school):
    rows = school.rows()
    assert {name: (row["status"], row["total"]) for name, row in rows.items()} == {
        "ann": ("ok", "21"),
        "bob": ("ok", "19"),
        "cyd": ("cell error", "21"),
        "dan": ("unreadable", ""),
        "eve": ("unreadable", ""),
        "fay": ("unreadable", ""),
        "gil": ("cell error", "0"),
    }
    assert list(rows["bob"]) == table.columns(PROBLEMS)
    assert [rows["bob"][f"1.{n}"] for n in range(1, 9)] == ["2", "0", "2", "8", "4", "", "", "3"]
    assert rows["bob"]["out of"] == "30"
    secret = school.folder / "grades.secret"
    for path in (secret, school.table, files.journal_of(school.table), *school.pages.iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    code = code_of(school.submissions / "bob.ipynb")
    number = seed(secret.read_bytes().strip(), "ps1", "1.2", "bob", code)
    assert rows["bob"]["seed 1.2"] == str(number)
    pages = {path.name for path in school.pages.iterdir()}
    assert pages == {f"{name}.html" for name in rows}
    assert f"seed={number}" in (school.pages / "bob.html").read_text(encoding="utf-8")
    assert snapshot(school.submissions) == school.handed_in
    assert "7 of 7" not in school.said  # three could not be graded at all
    assert "3 unreadable" in school.said


def the_analysis(school, capsys):
    assert command.main(["analyse", str(attacks.MASTER), str(school.table)]) == 0
    said = capsys.readouterr().out
    assert "1 × A score of 0 decides nothing" in said  # bob's predict
    assert re.search(r"× left blank \(.*gil", said)


def one_student_again(school, capsys):
    before = school.rows()
    assert school.grade("--only", "bob") == 0
    assert school.rows() == before
    said = capsys.readouterr().err
    assert "1.2: 0 of 2, seed " + before["bob"]["seed 1.2"] in said
    assert "predict: the prediction of X[" in said
    assert school.grade("--only", "zoe") == 1
    assert "no submission of the student 'zoe'" in capsys.readouterr().err


def test_a_stopped_run_goes_on(school, monkeypatch, capsys):
    grade_all = batch.grade_all

    def stopped(*arguments):
        for count, result in enumerate(grade_all(*arguments)):
            if count == 2:
                raise KeyboardInterrupt
            yield result

    monkeypatch.setattr(batch, "grade_all", stopped)
    assert school.grade() == 130
    assert not school.table.exists()
    journal = school.folder / "grades.csv.journal"
    with journal.open("a") as file:
        file.write('{"key": "cut of')
    monkeypatch.setattr(batch, "grade_all", grade_all)
    graded = spied_on(monkeypatch)
    assert school.grade() == 0
    assert len(graded) == 1
    assert {row["total"] for row in school.rows().values()} == {"18", "16"}
    assert "2 are done" in capsys.readouterr().err
    assert school.grade() == 0
    assert len(graded) == 1


def test_an_edited_submission_is_graded_again_and_only_that(school, monkeypatch):
    assert school.grade() == 0
    earn(school, "bob", **attacks.FULL)
    graded = spied_on(monkeypatch)
    assert school.grade() == 0
    assert graded == ["bob"]
    assert school.rows()["bob"]["total"] == "18"
    earn(school, "bob", **{**attacks.FULL, "1.2": 0})  # the earlier notebook comes back
    assert school.grade() == 0
    assert graded == ["bob"]
    last = journal.Journal(files.journal_of(school.table)).last
    assert last["bob"].questions["1.2"]["points"] == 0


def test_what_a_person_enters_is_never_lost(school, capsys):
    assert school.grade() == 0
    school.enter("ann", **{"1.6": "4,5", "comment": "Well argued.", "late": "1 day"})
    school.enter("bob", **{"1.2": "1", "1.7": "-1"})
    earn(school, "ann", **{**attacks.FULL, "1.2": 0})
    earn(school, "bob", **{**attacks.FULL, "1.4": 0})
    assert school.grade("--feedback", school.folder / "pages") == 0
    ann, bob = school.rows()["ann"], school.rows()["bob"]
    assert (ann["1.6"], ann["comment"], ann["late"]) == ("4,5", "Well argued.", "1 day")
    assert (ann["1.2"], ann["total"]) == ("0", "20.5")  # the grader's own points follow
    assert (bob["1.2"], bob["1.4"], bob["1.7"], bob["total"]) == ("1", "0", "-1", "8")
    assert "kept points that were entered by hand: bob, 1.2: 1" in capsys.readouterr().err
    page = (school.folder / "pages" / "ann.html").read_text(encoding="utf-8")
    assert "Well argued." in page
    assert "4.5 of 6" in page


def test_rows_of_students_who_are_gone_stay(school):
    assert school.grade() == 0
    (school.submissions / "bob.ipynb").unlink()
    assert school.grade() == 0
    assert school.rows()["bob"]["total"] == "16"


def test_a_roster_says_whose_a_submission_is(school):
    submissions = school.submissions
    (submissions / "ann.ipynb").rename(submissions / "Ann Smith_12345_ps1.ipynb")
    (submissions / "bob.ipynb").rename(submissions / "bobs-homework.ipynb")
    (submissions / "cyd.ipynb").rename(submissions / "dan_12345.ipynb")
    roster = school.folder / "roster.csv"
    roster.write_text("\ufeffstudent;file\r\n12345;\r\nbob;bobs-homework.ipynb\r\ndan;\r\nfay;\r\n")
    assert school.grade("--roster", roster) == 0
    rows = school.rows()
    assert {name: row["status"] for name, row in rows.items()} == {
        "12345": "ok",
        "bob": "ok",
        "dan": "ok",  # what stands first, for the student chose the end
        "fay": "missing",
    }
    assert rows["dan"]["total"] == "18"
    assert rows["fay"]["total"] == "0"


def test_of_a_file_and_a_folder_of_one_student_one_counts(school):
    other = school.submissions / "ann"
    (other / ".ipynb_checkpoints").mkdir(parents=True)
    attacks.Case("x", attacks.nothing).write(other / ".ipynb_checkpoints")
    attacks.Case("ps1", attacks.nothing).write(other)
    assert school.grade() == 0
    assert school.rows()["ann"]["status"] == "ok"
    assert "ps1.ipynb counts, not ann.ipynb" in school.rows()["ann"]["remark"]


def test_links_are_not_followed(tmp_path):
    (tmp_path / "grades.secret").write_text("0" * 64)
    (tmp_path / "lee.ipynb").symlink_to(tmp_path / "grades.secret")
    os.mkfifo(tmp_path / "kim.ipynb")
    for name in ("lee", "kim"):
        graded = grade(PROBLEMS, tmp_path / f"{name}.ipynb", name, b"secret" * 8, None, 1)
        assert graded.status == "unreadable"
        assert graded.remarks == [f"{name}.ipynb is no ordinary file; judge it by hand"]


@pytest.mark.parametrize(
    ("spoil", "words", "sentence"),
    [
        (lambda s: s.table.write_text("name,points\nann,3\n"), [], "expected one named `student`"),
        (lambda s: s.table.write_text("student,file,2.1\nann,x,3\n"), [], "no column '1.1'"),
        (lambda s: s.table.write_text("student\nann\nann\n"), [], "2 rows for the student 'ann'"),
        (lambda s: s.table.write_bytes("student\nÄ".encode("latin-1")), [], "in UTF-8"),
        (lambda s: (s.folder / "short").write_text("abc"), ["--secret-file", "short"], "16"),
        (lambda s: s.table.write_text("student,1.1,1.1\n"), [], "2 columns named '1.1'"),
        (lambda s: s.table.write_text("student,1.1\nann,2,3\n"), [], "needs quotes"),
        (lambda s: s.table.write_text("student\n" + "x" * 200_000), [], "field larger"),
        (lambda s: None, ["--roster", "nowhere"], ": nowhere: no such file or directory;"),
        (lambda s: None, ["--roster", "submissions"], ": submissions: is a directory;"),
        (lambda s: None, ["--feedback", "submissions/pages"], "among the submissions"),
        (lambda s: None, ["-o", "submissions/grades.csv"], "among the submissions"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_refusals_say_what_was_expected(school, monkeypatch, capsys, spoil, words, sentence):
    monkeypatch.chdir(school.folder)
    spoil(school)
    before = school.table.read_bytes() if school.table.exists() else None
    assert school.grade(*words) == 1
    assert sentence in capsys.readouterr().err
    assert (school.table.read_bytes() if school.table.exists() else None) == before
    assert not (school.submissions / "pages").exists()
