"""Pairs who hand in together: one notebook, one judgement, and a row for each of them."""

import csv
import os

import pytest
from perceptron_classroom.grading import collect, command, groups
from perceptron_classroom.grading.marking import Desk
from school import PROBLEMS, earn, spied_on

ROSTER = "student,group\nann,A\nbob,A\ncyd,\ndan,\n"


def roster_of(school, text=ROSTER):
    path = school.folder / "roster.csv"
    path.write_text(text)
    return path


def stamp(school, name, seconds):
    os.utime(school.submissions / f"{name}.ipynb", (seconds, seconds))


def shared(school, roster=ROSTER):
    """Return the submission that counts for each student."""
    known = collect.read_roster(roster_of(school, roster))
    found, _ = collect.find(school.submissions, known, PROBLEMS.name)
    return {this.student: this for this in groups.share(found, known)}


def test_both_get_the_marks_once_and_the_remark_says_who_handed_in(quick_school, monkeypatch):
    earn(quick_school, "bob", **{"1.4": 8})
    earn(quick_school, "cyd", **{"1.4": 2})
    graded = spied_on(monkeypatch)
    for _ in range(2):
        assert quick_school.grade("--roster", roster_of(quick_school)) == 0
        rows = quick_school.rows()
        assert {name: rows[name]["total"] for name in rows} == {
            **{"ann": "8", "bob": "8", "cyd": "2", "dan": "0"},
        }
        assert rows["ann"]["status"] == rows["bob"]["status"] == "ok"
        assert rows["dan"]["status"] == "missing"
        for name in ("ann", "bob"):
            assert rows[name]["remark"] == "handed in by bob for ann and bob"
        assert rows["cyd"]["remark"] == ""
    assert len(graded) == 2  # for three who get points, and never again


def test_what_a_student_writes_makes_no_pair(quick_school):
    earn(quick_school, "ann_and_cyd", "With cyd.", **{"1.4": 8})
    here = shared(quick_school)
    assert len(here["ann"].paths) == len(here["bob"].paths) == 1  # as the roster says
    assert not here["cyd"].paths


@pytest.mark.parametrize(
    ("roster", "names", "times", "newest"),
    [
        # The roster's time counts before that of the files.
        ("student,group,handed in\nann,A,2026-11-02\nbob,A,2026-11-03", "ann bob", (9, 0), "bob"),
        ("student,group\nann,A\nbob,A", "ann bob", (9, 0), "ann"),
    ],
)
def test_of_two_submissions_the_newest_counts(quick_school, roster, names, times, newest):
    for name, points, when in zip(names.split(), (1, 2), times, strict=True):
        earn(quick_school, name, **{"1.4": points})
        stamp(quick_school, name, 1_790_000_000 + when)
    here = shared(quick_school, roster + "\n")
    assert {this.by for this in here.values()} == {newest}
    assert len({this.paths for this in here.values()}) == 1
    other = next(name for name in here if name != newest)
    assert all(
        f"{here[newest].name} counts, not {here[other].name} of {other}" in this.reasons
        for this in here.values()
    )


def test_a_report_beside_the_notebook_does_not_take_its_place(quick_school):
    earn(quick_school, "ann", **{"1.4": 8})
    stamp(quick_school, "ann", 1_790_000_000)
    (quick_school.submissions / "bob.pdf").write_bytes(b"%PDF-1.4")
    assert quick_school.grade("--roster", roster_of(quick_school)) == 0
    bob = quick_school.rows()["bob"]
    assert (bob["total"], bob["file"]) == ("8", "bob.pdf")
    assert "ann.ipynb counts, not bob.pdf of bob" in bob["remark"]


def test_where_no_time_tells_a_person_decides(quick_school):
    for name, points in (("ann", 1), ("bob", 2)):
        earn(quick_school, name, **{"1.4": points})
        stamp(quick_school, name, 1_790_000_000)
    words = ["--roster", roster_of(quick_school)]
    assert quick_school.grade(*words) == 0
    for row in (quick_school.rows()[name] for name in ("ann", "bob")):
        assert (row["status"], row["total"]) == ("unreadable", "")
        assert "no time says what is newest: ann.ipynb of ann, bob.ipynb of bob" in row["remark"]
    # Copies of the same are what Moodle gives out for a group.
    earn(quick_school, "ann", **{"1.4": 2})
    stamp(quick_school, "ann", 1_790_000_000)
    assert quick_school.grade(*words) == 0
    assert {quick_school.rows()[name]["total"] for name in ("ann", "bob")} == {"2"}


def test_moodles_groups_are_groups(quick_school):
    moodle = (
        "Identifier,Full name,Status,Group,Grade,Maximum Grade,Changes,Last modified (submission)\n"
        "Participant 5,Ann,,Team 1,,30.00,,-\nParticipant 6,Bob,,Team 1,,30.00,,-\n"
        "Participant 7,Cyd,,Default group,,30.00,,-\nParticipant 8,Dan,,Default group,,30.00,,-\n"
    )
    found = collect.read_roster(roster_of(quick_school, moodle)).groups
    assert found == {"5": ["5", "6"], "6": ["5", "6"], "7": ["7"], "8": ["8"]}


def test_a_tutorial_group_is_no_pair(quick_school, capsys):
    rows = "".join(f"s{n},Tuesday\n" for n in range(7))
    words = ["--roster", roster_of(quick_school, "student,group\n" + rows)]
    assert quick_school.grade(*words) == 1
    said = capsys.readouterr().err
    assert "7 students have the group 'tuesday'; expected at most 6 who hand in together" in said


def test_lateness_is_that_of_the_file_and_an_extension_ones_own(quick_school):
    earn(quick_school, "bob", **{"1.4": 8})
    roster = roster_of(
        quick_school,
        "student,group,handed in,extension\nann,A,2026-11-01,\nbob,A,2026-11-21 12:00,1 day\n",
    )
    words = ["--roster", roster, "--deadline", "2026-11-20 18:00", "--late", "10% a day"]
    assert quick_school.grade(*words) == 0
    rows = quick_school.rows()
    assert (rows["ann"]["late"], rows["bob"]["late"]) == ("1 day, 10% off", "")
    assert rows["ann"]["handed in"] == rows["bob"]["handed in"]


def test_a_pairs_answer_is_marked_once(quick_school):
    earn(quick_school, "bob", "Because of the bound.", **{"1.4": 8})
    earn(quick_school, "cyd", "No idea.")
    words = ["--roster", roster_of(quick_school)]
    assert quick_school.grade(*words) == 0
    here = list(shared(quick_school).values())
    desk = Desk(PROBLEMS, here, quick_school.table)
    assert [each["name"] for each in desk.state("1.6")["students"]] == ["ann and bob", "cyd"]
    given = {"earned": [1, 1, 2, 1], "adjust": 0, "comment": "Which bound?"}
    assert not desk.mark("1.6", 0, given, 0)["note"]
    for _ in range(2):
        rows = quick_school.rows()
        for name in ("ann", "bob"):
            assert (rows[name]["1.6"], rows[name]["total"]) == ("5", "13")
        assert rows["cyd"]["1.6"] == ""
        assert quick_school.grade(*words, "--feedback", quick_school.pages) == 0
    for name in ("ann", "bob"):
        page = (quick_school.pages / f"{name}.html").read_text(encoding="utf-8")
        assert "Which bound?" in page
        assert "handed in by bob for ann and bob" in page


def test_the_points_of_each_go_to_their_own_line(quick_school):
    """Ann's file names Bob: by his row, which has none, only his name may say whose line it is."""
    earn(quick_school, "roezoe_103_7_ps1", **{"1.4": 8})
    roster = "student,group,file\nBob Lee,A,\nZoe Roe,A,roezoe_103_7_ps1\n"
    assert quick_school.grade("--roster", roster_of(quick_school, roster)) == 0
    sheet, out = quick_school.folder / "gradebook.csv", quick_school.folder / "import.csv"
    sheet.write_text("Student,ID,Section,HW\nPoints Possible,,,30\nLee,102,,\nRoe,103,,\n")
    words = ["export", "canvas", str(quick_school.table), str(sheet), "--column", "HW"]
    assert command.main([*words, "-o", str(out), "--partial"]) == 1  # Bob Lee is not known there
    with out.open(newline="") as file:
        lines = list(csv.reader(file))
    assert [line[-1] for line in lines] == ["HW", "30", "", "8"]
