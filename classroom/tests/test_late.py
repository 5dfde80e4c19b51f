"""Late work: what is taken off, from whom, and that points stay as they were."""

import os
from datetime import timedelta

import pytest
from perceptron_classroom.grading import command, late
from school import earn

WORDS = ("--deadline", "2026-11-20 18:00", "--late", "10% a day")


def hand_in(school, name, when, **points):
    earn(school, name, **points)
    stamp = late.moment(when).timestamp()
    os.utime(school.submissions / f"{name}.ipynb", (stamp, stamp))


@pytest.mark.parametrize(
    ("text", "hours", "cell"),
    [
        ("10% a day", 0, ""),
        ("10% a day", 0.01, "1 day, 10% off"),
        ("10% a day", 24.01, "2 days, 20% off"),
        ("2,5% a day, at most 3 days", 200, "9 days, 7.5% off"),
        ("40% a day", 100, "5 days, 100% off"),
    ],
)
def test_what_a_rule_takes_off(text, hours, cell):
    assert late.rule(text).cell(timedelta(hours=hours)) == cell


@pytest.mark.parametrize("text", ["", "10%", "a day", "10% a week", "-1% a day", "10% a day x"])
def test_a_rule_that_is_none_is_refused(text, capsys):
    with pytest.raises(SystemExit):
        command.main(["grade", "m", "s", "--late", text])
    assert "is no rule for late work; expected one like" in capsys.readouterr().err


def test_a_day_alone_means_its_end_and_moodle_writes_times_its_own_way():
    assert late.moment("2026-11-20") == late.moment("2026-11-20 23:59:59")
    assert late.moment("2026-11-20T18:00+01:00") == late.moment("2026-11-20T17:00Z")
    for text in ("Friday, 20 November 2026, 2:04 PM", "Friday, November 20, 2026, 14:04"):
        assert late.moment(text) == late.moment("2026-11-20 14:04")
    with pytest.raises(ValueError, match="'tomorrow' is no time; expected one like"):
        late.moment("tomorrow")


def test_lateness_is_shown_and_points_are_kept(quick_school):
    hand_in(quick_school, "ann", "2026-11-20 18:00", **{"1.4": 8})
    hand_in(quick_school, "bob", "2026-11-21 18:30", **{"1.4": 8, "1.1": 2})
    assert quick_school.grade(*WORDS) == 0
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
        assert quick_school.grade(*WORDS) == 0
        bob = quick_school.rows()["bob"]
        assert (bob["late"], bob["deduction"], bob["total"]) == ("excused: ill", "", "15")


def test_extensions_and_times_stand_on_the_roster(quick_school, capsys):
    for name in ("ann", "bob", "cyd", "dan"):
        hand_in(quick_school, name, "2026-11-22 12:00", **{"1.4": 8})
    roster = quick_school.folder / "roster.csv"
    roster.write_text(
        "student,extension,handed in\nann,2 days,2026-11-22\nbob,2026-11-22,2026-11-22\n"
        "cyd,,2026-11-20 17:59\ndan,1 day,2026-11-21 18:01\neve,,\n"
    )
    assert quick_school.grade("--roster", roster, *WORDS) == 0
    cells = {name: row["late"] for name, row in quick_school.rows().items()}
    assert cells == {
        "ann": "1 day, 10% off",
        "bob": "",
        "cyd": "",
        "dan": "1 day, 10% off",
        "eve": "",
    }
    roster.write_text(roster.read_text().replace("2 days", "soon"))
    assert quick_school.grade("--roster", roster, *WORDS) == 1
    assert "the roster, ann: 'soon' is no time" in capsys.readouterr().err


def test_the_times_of_a_download_are_refused(quick_school, capsys):
    for k in range(5):
        hand_in(quick_school, f"s{k}", f"2026-11-25 10:0{k}" if k < 3 else "2026-11-19")
    roster = quick_school.folder / "roster.csv"
    roster.write_text("student,handed in\n" + "".join(f"s{k},2026-11-19\n" for k in range(4)))
    for more, silent in ([], "s0, s1, s2, s3, s4"), (["--roster", roster], "s4"):
        assert quick_school.grade(*WORDS, *more) == 1
        said = capsys.readouterr().err
        assert said.endswith(f"with a column `handed in` that says when, for {silent}\n")
    assert not quick_school.table.exists()
    with roster.open("a") as file:
        file.write("s4,2026-11-19\n")
    assert quick_school.grade(*WORDS, "--roster", roster) == 0
    assert not any(row["late"] for row in quick_school.rows().values())
    hand_in(quick_school, "s0", "2026-11-18")  # most are in time: nobody downloaded them
    assert quick_school.grade(*WORDS) == 0
    assert sum(bool(row["late"]) for row in quick_school.rows().values()) == 2


def test_a_rule_without_a_deadline_is_refused(quick_school, capsys):
    hand_in(quick_school, "ann", "2026-11-20")
    assert quick_school.grade("--late", "1% a day") == 1
    assert "expected a --deadline with it" in capsys.readouterr().err
    assert not list(quick_school.folder.glob("*.journal"))  # nothing was begun
