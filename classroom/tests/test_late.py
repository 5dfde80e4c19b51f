"""Late work: what is taken off, from whom, and that points stay as they were."""

import os
from datetime import timedelta

import pytest
from perceptron_classroom.grading import command, late
from school import earn

DEADLINE = "2026-11-20 18:00"


def hand_in(school, name, when, **points):
    earn(school, name, **points)
    stamp = late.moment(when).timestamp()
    os.utime(school.submissions / f"{name}.ipynb", (stamp, stamp))


@pytest.mark.parametrize(
    ("text", "hours", "cell"),
    [
        ("10% a day", 0, ""),
        ("10% a day", -1, ""),
        ("10% a day", 0.01, "1 day, 10% off"),
        ("10% per day", 24, "1 day, 10% off"),
        ("10% a day", 24.01, "2 days, 20% off"),
        ("10% a day, at most 3", 200, "9 days, 30% off"),
        ("10% a day, at most 3 days, then nothing", 72, "3 days, 30% off"),
        ("10% a day, at most 3, then nothing", 73, "4 days, all off"),
        ("40% a day", 100, "5 days, 100% off"),
        ("1 point an hour", 1.5, "2 hours, 2 points off"),
        ("0,5 points per day", 30, "2 days, 1 point off"),
    ],
)
def test_what_a_rule_takes_off(text, hours, cell):
    assert late.rule(text).cell(timedelta(hours=hours)) == cell


@pytest.mark.parametrize("text", ["", "10%", "a day", "10% a week", "-1% a day", "10% a day x"])
def test_a_rule_that_is_none_is_refused(text, capsys):
    with pytest.raises(ValueError, match="no rule for late work; expected one like"):
        late.rule(text)
    with pytest.raises(SystemExit):
        command.main(["grade", "m", "s", "--late", text])
    assert "is no rule for late work" in capsys.readouterr().err


def test_a_day_alone_means_its_end():
    assert late.moment("2026-11-20") == late.moment("2026-11-20 23:59:59")
    assert late.moment("2026-11-20T18:00+01:00") == late.moment("2026-11-20T17:00+00:00")
    with pytest.raises(ValueError, match="'tomorrow' is no time; expected one like"):
        late.moment("tomorrow")


def test_lateness_is_shown_and_points_are_kept(quick_school):
    hand_in(quick_school, "ann", "2026-11-20 18:00", **{"1.4": 8})
    hand_in(quick_school, "bob", "2026-11-21 18:30", **{"1.4": 8, "1.1": 2})
    words = ["--deadline", DEADLINE, "--late", "10% a day"]
    assert quick_school.grade(*words) == 0
    ann, bob = quick_school.rows()["ann"], quick_school.rows()["bob"]
    assert (ann["late"], ann["deduction"], ann["total"]) == ("", "", "8")
    assert (bob["late"], bob["deduction"], bob["total"]) == ("2 days, 20% off", "2", "8")
    assert (bob["1.4"], bob["1.1"]) == ("8", "2")
    assert bob["handed in"].startswith("2026-11-21 18:30:00")
    # What a person adds is taken into account, with the deadline given again or not.
    quick_school.enter("bob", **{"1.6": "5"})
    assert quick_school.grade() == 0
    assert quick_school.rows()["bob"]["total"] == "12"
    quick_school.enter("bob", late="excused: ill")
    for _ in range(2):
        assert quick_school.grade(*words) == 0
        bob = quick_school.rows()["bob"]
        assert (bob["late"], bob["deduction"], bob["total"]) == ("excused: ill", "", "15")


def test_extensions_and_times_stand_on_the_roster(quick_school):
    for name in ("ann", "bob", "cyd", "dan"):
        hand_in(quick_school, name, "2026-11-22 12:00", **{"1.4": 8})
    roster = quick_school.folder / "roster.csv"
    roster.write_text(
        "student,extension,handed in\nann,2 days,\nbob,2026-11-22,\n"
        "cyd,,2026-11-20 17:59\ndan,1 hour,\neve,,\n"
    )
    words = ["--roster", roster, "--deadline", DEADLINE, "--late", "2 points a day"]
    words += ["--times", "files"]
    assert quick_school.grade(*words) == 0
    assert {name: row["late"] for name, row in quick_school.rows().items()} == {
        "ann": "",
        "bob": "",
        "cyd": "",
        "dan": "2 days, 4 points off",
        "eve": "",
    }
    roster.write_text("student,extension\nann,soon\n")
    assert quick_school.grade(*words) == 1


CANVAS = ("--times", "names", "--deadline", DEADLINE, "--late", "10% a day")


def late_of(school):
    return {name: (row["handed in"], row["late"]) for name, row in school.rows().items()}


def test_canvas_says_who_is_late_and_a_student_cannot(quick_school, capsys):
    for name in (
        "smithann_12345_777_ps1",
        "garciazoe_LATE_12346_778_my_homework_2026-11-01-10-00-00",
        "late_12347_779_x_LATE_12348_1_ps1",
    ):
        hand_in(quick_school, name, "2026-11-28", **{"1.4": 8})
    roster = quick_school.folder / "roster.csv"
    roster.write_text("student\n12345\n12346\n12347\n12348\n")
    assert quick_school.grade(*CANVAS, "--roster", roster) == 0
    assert late_of(quick_school) == {
        "12345": ("in time", ""),
        "12346": ("late", "late"),
        "12347": ("in time", ""),
        "12348": ("", ""),
    }
    assert {row["deduction"] for row in quick_school.rows().values()} == {""}
    assert "late, but not by how much: 12346; nothing is taken off" in capsys.readouterr().err
    roster.write_text("student,handed in\n12345,\n12346,2026-11-21 12:00\n12347,\n12348,\n")
    assert quick_school.grade(*CANVAS, "--roster", roster) == 0
    assert late_of(quick_school)["12346"][1] == "1 day, 10% off"


def test_blackboards_names_say_when_and_no_file_of_the_students_does(quick_school, capsys):
    names = {
        "ps1_ann_attempt_2026-11-19-10-30-05_ps1": "2026-11-19 10:30:05",
        "ps1_bob_attempt_2026-11-22-10-30-05_x_attempt_2026-11-01-10-00-00": "2026-11-22 10:30:05",
        "ps1_cyd_attempt_2026-99-22-10-30-05_ps1": "",
        "dan_2026-11-01-10-00-00": "",
    }
    for name in names:
        hand_in(quick_school, name, "2026-11-25", **{"1.4": 8})
    assert quick_school.grade(*CANVAS) == 0
    here = late_of(quick_school)
    assert {name: given[:19] for name, (given, _) in here.items()} == names
    assert [here[name][1] for name in names] == ["", "2 days, 20% off", "", ""]
    assert "no time is known: dan" in capsys.readouterr().err


def test_a_students_own_timestamp_counts_for_nothing(quick_school):
    folder = quick_school.submissions / "bob"
    folder.mkdir()
    hand_in(quick_school, "x", "2026-11-25", **{"1.4": 8})
    (quick_school.submissions / "x.ipynb").rename(folder / "ps1.ipynb")
    (folder / "timestamp.txt").write_text("2026-11-19 10:00:00.123456 UTC\n")
    assert quick_school.grade("--deadline", DEADLINE, "--late", "1% a day") == 0
    assert late_of(quick_school)["bob"][1] == "6 days, 6% off"


def test_the_times_of_a_download_are_refused(quick_school, capsys):
    names = [f"smith{k}_{k}_77{k}_ps1" for k in range(5)]
    for k, name in enumerate(names):
        hand_in(quick_school, name, f"2026-11-25 10:0{k}" if k < 3 else "2026-11-19")
    words = ["--deadline", DEADLINE, "--late", "10% a day"]
    for more in ([], ["--only", names[0]]):
        assert quick_school.grade(*words, *more) == 1
        said = capsys.readouterr().err
        assert "Give --times names" in said
        assert "`handed in`" in said
    assert not quick_school.table.exists()
    # Where the teacher knows that they are true, or most are in time, nothing is refused.
    assert quick_school.grade(*words, "--times", "files") == 0
    assert sum(bool(taken) for _, taken in late_of(quick_school).values()) == 3
    hand_in(quick_school, names[0], "2026-11-18")
    assert quick_school.grade(*words) == 0
    roster = quick_school.folder / "roster.csv"
    roster.write_text("student,handed in\n" + "".join(f"{k},2026-11-19\n" for k in range(5)))
    for name in names:
        hand_in(quick_school, name, "2026-11-25 10:00")
    assert quick_school.grade(*words, "--roster", roster) == 0
    quick_school.table.unlink()
    roster.write_text("student,handed in\n" + "".join(f"{k},\n" for k in range(5)))
    assert quick_school.grade(*words, "--roster", roster, "--times", "roster") == 0
    assert set(late_of(quick_school).values()) == {("", "")}


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-20 14:04+00:00",
        "2026-11-20 14:04:00 UTC",
        "2026-11-20 06:04:00 -0800",
        "2026-11-20T14:04Z",
    ],
)
def test_a_time_with_a_zone(text):
    assert late.moment(text) == late.moment("2026-11-20T15:04+01:00")


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-20-14-04-00",
        "Friday, 20 November 2026, 2:04 PM",
        "Friday, November 20, 2026, 2:04 PM",
        "Friday, 20 November 2026, 14:04",
    ],
)
def test_a_time_as_platforms_write_it(text):
    assert late.moment(text) == late.moment("2026-11-20 14:04")


def test_a_rule_without_a_deadline_is_refused(quick_school, capsys):
    hand_in(quick_school, "ann", "2026-11-20")
    assert quick_school.grade("--late", "1% a day") == 1
    assert "expected a --deadline with them" in capsys.readouterr().err
    assert not list(quick_school.submissions.parent.glob("*.journal"))  # nothing was begun
