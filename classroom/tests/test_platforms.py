"""A class of 25 from each platform: every row is the right student's, and points go back right."""

import csv
import json
import os

import pytest
from perceptron_classroom.grading import collect, command, late

FIRST = """Ann Bob Cyd Dan Eve Fay Gil Hal Ida Jim Kim Leo Mia Ned Ola Pia Quy Roy Sue Tom Ulf Zoë
Wu Ann Max""".split()  # noqa: SIM905
LAST = ["Lee", *"ABCDEFGHIJKLMNOPQRSTUVW", "Lee"]
#: By what a student is known: a number, a login, the names; two are called Ann, and two Lee.
CLASS = [
    {"number": f"{50_001 + k}", "login": f"{first.lower()}{k}", "first": first, "last": last}
    for k, (first, last) in enumerate(zip(FIRST, LAST, strict=True))
]
NAMES = [f"{each['first']} {each['last']}" for each in CLASS]
NUMBERS, LOGINS = ([each[key] for each in CLASS] for key in ("number", "login"))
POINTS = [k % 9 + 0.5 for k in range(25)]
#: Moodle's heads, what it calls a participant, a time, and its number of 30 points.
MOODLE = {
    "English": """Identifier,Full name,Email address,Status,Grade,Maximum Grade,Can be changed,
Last modified (submission),Last modified (grade),Feedback comments
Participant/Wednesday, 10 June 2026, 2:14 PM/30.00""",
    "German": """ID,Vollständiger Name,E-Mail-Adresse,Status,Bewertung,Bestwertung,Bewertung kann
 geändert werden,Zuletzt geändert (Abgabe),Zuletzt geändert (Bewertung),Feedback als Kommentar
Teilnehmer/Mittwoch, 10. Juni 2026, 14:14/30,00""",
    "French": """Identifiant,Nom complet,Adresse de courriel,Statut,Note,Note maximale,La note peut
 être modifiée,Dernière modification (travail),Texte en ligne,Dernière modification,Feedback
Participant/mercredi 10 juin 2026, 14:14/30,00""",
    "Chinese": """识别号,全名,邮件地址,状态,成绩,最高分,成绩可更改,最后修改,最后修改 (成绩),反馈评语
参与者/2026年06月10日 星期三 14:14/30.00""",
}


def worksheet(language):
    *heads, last = MOODLE[language].split("\n")
    columns, (participant, time, most) = "".join(heads).split(","), last.split("/")
    ends = [*[""] * (len(columns) - 10), "-", ""]
    return columns, [
        [participant + number, name, f"{login}@x.example", "", "", most, "?", time, *ends]
        for number, login, name in zip(NUMBERS, LOGINS, NAMES, strict=True)
    ]


def gradebook():
    lines = [[f"{one['last']}, {one['first']}", one["number"], one["login"], ""] for one in CLASS]
    head = ["Student", "ID", "SIS Login ID", "Problem set 1 (7)"]
    return head, [["  Points", "", "", "30"], *lines, ["Student, Test", "59999", "", ""]]


def listed(students):
    return ["student"], [[student] for student in students]


#: By platform: the form of file names, the roster, and the names on it.
MADE = "{number}-6789 - {first} {last} - Nov 30, 2026 1159 PM - ps1.ipynb"
PLATFORMS = {
    "Canvas": ("{last}{first}_{number}_9{number}_ps1.ipynb", gradebook(), NUMBERS),
    "Blackboard": ("Set 1_{login}_attempt_2026-11-19-10-30-05_ps1.ipynb", listed(LOGINS), LOGINS),
    "Brightspace": (MADE, listed(NAMES), NAMES),
    "Brightspace by number": (MADE, listed(NUMBERS), NUMBERS),
    "Google Classroom": ("{first} {last} - ps1.ipynb", listed(NAMES), NAMES),
    "Teams": ("{first} {last}/ps1/Version 10/ps1.ipynb", listed(NAMES), NAMES),
    "Sakai": ("{last}, {first}({login})/Submission/ps1.ipynb", listed(LOGINS), LOGINS),
}
for language in MOODLE:
    form = "{first} {last}_{number}_assignsubmission_file/ps1.ipynb"
    PLATFORMS[f"Moodle in {language}"] = (form, worksheet(language), NUMBERS)


def write_table(path, head, lines):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *lines])


def hand_in(path, points):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"cells": [], "points": {"1.4": points}}), encoding="utf-8")
    os.utime(path, (0, 0))  # as a download gives them, all at once


@pytest.fixture
def graded(quick_school, monkeypatch):
    """A function that grades the class as a platform gives it out."""
    monkeypatch.chdir(quick_school.folder)

    def grade(platform):
        form, table, students = PLATFORMS[platform]
        for one, name, points in zip(CLASS, NAMES, POINTS, strict=True):
            hand_in(quick_school.submissions / form.format(**one), points)
            if platform == "Teams":
                hand_in(quick_school.submissions / name / "ps1/Version 9/ps1.ipynb", 0)
        write_table(quick_school.folder / "roster.csv", *table)
        assert quick_school.grade("--roster", "roster.csv") == 0
        return students

    return grade


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_row_is_the_right_students(platform, graded, quick_school):
    students, rows = graded(platform), quick_school.rows()
    assert {name: row["status"] for name, row in rows.items()} == dict.fromkeys(students, "ok")
    assert [rows[name]["1.4"] for name in students] == list(map(str, POINTS))
    if platform == "Teams":
        said = "Version 10/ps1.ipynb counts, not Version 9/ps1.ipynb"
        assert said in rows["Ann Lee"]["remark"]


@pytest.mark.parametrize("platform", [name for name in PLATFORMS if name[0] in "CM"])
def test_points_go_back_into_the_right_lines(platform, graded, quick_school, capsys):
    graded(platform)
    moodle = platform != "Canvas"
    quick_school.enter(NUMBERS[0], comment="Well done." * moodle)
    words = ["export", "moodle" if moodle else "canvas", "grades.csv", "roster.csv"]
    words += ["-o", "import.csv", *["--column", "Problem set 1"] * (not moodle)]
    assert command.main(words) == 1
    assert "not all answers have been read yet: 25 students" in capsys.readouterr().err
    assert not (quick_school.folder / "import.csv").exists()
    assert command.main([*words, "--partial"]) == 0
    with (quick_school.folder / "import.csv").open(encoding="utf-8", newline="") as file:
        head, *after = csv.reader(file)
    changed = [
        {head[i]: new for i, (was, new) in enumerate(zip(old, line, strict=True)) if was != new}
        for old, line in zip(PLATFORMS[platform][1][1], after, strict=True)
    ]
    comma = platform.endswith(("French", "German"))
    column = head[4] if moodle else head[-1]
    expected = [{column: f"{each}".replace(".", "," if comma else ".")} for each in POINTS]
    expected[0] |= {head[-1]: "Well done."} if moodle else {}
    assert changed == (expected if moodle else [{}, *expected, {}])


@pytest.mark.parametrize("language", MOODLE)
def test_moodles_times_are_read_in_its_language(language, tmp_path):
    write_table(tmp_path / "roster.csv", *worksheet(language))
    rows = collect.read_roster(tmp_path / "roster.csv").rows
    given = late.moment(rows["50001"]["handed in"])
    assert f"{given:%Y-%m-%d %H:%M}" == "2026-06-10 14:14"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda line: [*line[:5], "100,00", *line[6:]], "gives 100 points for this assignment"),
        (lambda line: [*line[:5], "Skala", *line[6:]], "not those of Moodle's grading worksheet"),
        (lambda line: line[:-1], "has no column for comments, and the table has some"),
    ],
)
def test_a_worksheet_in_which_marks_would_be_wrong_is_refused(
    change, sentence, graded, quick_school, capsys
):
    graded("Moodle in German")
    quick_school.enter(NUMBERS[3], comment="Why?")
    head, lines = worksheet("German")
    write_table(quick_school.folder / "sheet.csv", change(head), map(change, lines))
    words = ["export", "moodle", "grades.csv", "sheet.csv", "-o", "import.csv", "--partial"]
    assert command.main([*words, "--column", "Bewertung"]) == 1
    assert sentence in capsys.readouterr().err
    assert not (quick_school.folder / "import.csv").exists()


def test_a_form_of_the_names_says_who_is_who(quick_school, capsys):
    hand_in(quick_school.submissions / "hw1 by Ann Lee at noon.ipynb", 3)
    hand_in(quick_school.submissions / "hw1 by Bob A at two.ipynb", 4)
    assert quick_school.grade("--names", "by (?P<student>.+?) at") == 0
    points = {name: row["1.4"] for name, row in quick_school.rows().items()}
    assert points == {"Ann Lee": "3", "Bob A": "4"}
    with pytest.raises(SystemExit):
        quick_school.grade("--names", "by (.+?) at")
    assert "has no group named student" in capsys.readouterr().err
