"""A class of 25 from each platform: every row is the right student's, and points go back right."""

import csv
import json
import os

import pytest
from perceptron_classroom.grading import collect, command, late

#: Number, login, first and last name; two first names and one last name come twice.
FIRST = """Ann Bob Cyd Dan Eve Fay Gil Hal Ida Jim Kim Leo Mia Ned Ola Pia Quy Roy Sue Tom Ulf Zoë
Wu Ann Max"""
CLASS = [
    (str(50_001 + k), f"{first.lower()}{k}", first, last)
    for k, (first, last) in enumerate(
        zip(FIRST.split(), ["Lee", *"ABCDEFGHIJKLMNOPQRSTUVW", "Lee"], strict=True)
    )
]
NAMES = [f"{first} {last}" for _, _, first, last in CLASS]
#: Moodle's heads, a time, and its number of 30 points, by language.
MOODLE = {
    "English": (
        "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
        "Last modified (submission),Last modified (grade),Feedback comments",
        "Participant",
        "Wednesday, 10 June 2026, 2:14 PM",
        "30.00",
    ),
    "German": (
        "ID,Vollständiger Name,E-Mail-Adresse,Status,Bewertung,Bestwertung,Bewertung kann geändert "
        "werden,Zuletzt geändert (Abgabe),Zuletzt geändert (Bewertung),Feedback als Kommentar",
        "Teilnehmer/in",
        "Mittwoch, 10. Juni 2026, 14:14",
        "30,00",
    ),
    "French": (
        "Identifiant,Nom complet,Adresse de courriel,Statut,Note,Note maximale,La note peut être "
        "modifiée,Dernière modification (travail remis),Texte en ligne,Dernière modification,"
        "Feedback par commentaires",
        "Participant",
        "mercredi 10 juin 2026, 14:14",
        "30,00",
    ),
    "Chinese": (
        "识别号,全名,邮件,状态,成绩,最高分,成绩可更改,最后修改,最后修改 (成绩),反馈评语",
        "参与者",
        "2026年06月10日 星期三 14:14",
        "30.00",
    ),
}


def worksheet(language):
    head, participant, time, most = MOODLE[language]
    columns = head.split(",")
    lines = [
        [f"{participant}{number}", name, f"{login}@x.example", "", "", most, "?", time]
        + [""] * (len(columns) - 10)
        + ["-", ""]
        for (number, login, *_), name in zip(CLASS, NAMES, strict=True)
    ]
    return columns, lines


def gradebook():
    lines = [[f"{last}, {first}", number, login, ""] for number, login, first, last in CLASS]
    lines += [["Student, Test", "59999", "", ""]]
    return ["Student", "ID", "SIS Login ID", "Problem set 1 (7)"], [
        ["  Points", "", "", "30"],
        *lines,
    ]


def listed(students):
    return ["student"], [[student] for student in students]


#: By platform: how files are called, the roster, and who is who on it.
NUMBERS, LOGINS = [each[0] for each in CLASS], [each[1] for each in CLASS]
PLATFORMS = {
    "Canvas": (
        lambda n, login, f, last: f"{last}{f}_{n}_9{n}_ps1.ipynb".lower(),
        gradebook(),
        NUMBERS,
    ),
    **{
        f"Moodle in {language}": (
            lambda n, login, f, last: f"{f} {last}_{n}_assignsubmission_file/ps1.ipynb",
            worksheet(language),
            NUMBERS,
        )
        for language in MOODLE
    },
    "Blackboard": (
        lambda n, login, f, last: f"Problem set 1_{login}_attempt_2026-11-19-10-30-05_ps1.ipynb",
        listed(LOGINS),
        LOGINS,
    ),
    "Brightspace": (
        lambda n, login, f, last: f"{n}-6789 - {f} {last} - Nov 30, 2026 1159 PM - ps1.ipynb",
        listed(NAMES),
        NAMES,
    ),
    "Brightspace, by number": (
        lambda n, login, f, last: f"{n}-6789 - {f} {last} - Nov 30, 2026 1159 PM - ps1.ipynb",
        listed(NUMBERS),
        NUMBERS,
    ),
    "Google Classroom": (lambda n, login, f, last: f"{f} {last} - ps1.ipynb", listed(NAMES), NAMES),
    "Teams": (
        lambda n, login, f, last: f"{f} {last}/ps1/Version 10/ps1.ipynb",
        listed(NAMES),
        NAMES,
    ),
    "Sakai": (
        lambda n, login, f, last: f"{last}, {f}({login})/Submission attachment(s)/ps1.ipynb",
        listed(LOGINS),
        LOGINS,
    ),
}


def write_table(path, table):
    head, lines = table
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

    def grade(platform, *words):
        called, table, students = PLATFORMS[platform]
        for k, each in enumerate(CLASS):
            hand_in(quick_school.submissions / called(*each), k % 9 + 0.5)
        if platform == "Teams":  # an earlier version, and one of another form
            for k, name in enumerate(NAMES):
                hand_in(quick_school.submissions / name / "ps1/Version 9/ps1.ipynb", k % 3)
        write_table(quick_school.folder / "roster.csv", table)
        assert quick_school.grade("--roster", "roster.csv", *words) == 0
        return students

    return grade


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_row_is_the_right_students(platform, graded, quick_school):
    students, rows = graded(platform), quick_school.rows()
    assert {name: row["status"] for name, row in rows.items()} == dict.fromkeys(students, "ok")
    assert [rows[name]["1.4"] for name in students] == [f"{k % 9 + 0.5}" for k in range(25)]
    if platform == "Teams":
        said = "Version 10/ps1.ipynb counts, not Version 9/ps1.ipynb"
        assert said in rows["Ann Lee"]["remark"]


@pytest.mark.parametrize("platform", [name for name in PLATFORMS if name[0] in "CM"])
def test_points_go_back_into_the_right_lines(platform, graded, quick_school, capsys):
    graded(platform)
    quick_school.enter(NUMBERS[0], comment="Well done.")
    lms = platform.split()[0].lower()
    words = ["export", lms, "grades.csv", "roster.csv", "-o", "import.csv"]
    words += ["--column", "Problem set 1"] * (lms == "canvas")
    if lms == "canvas":
        quick_school.enter(NUMBERS[0], comment="")
    assert command.main(words) == 1
    assert "not all answers have been read yet: 25 students" in capsys.readouterr().err
    assert not (quick_school.folder / "import.csv").exists()
    assert command.main([*words, "--partial"]) == 0
    with (quick_school.folder / "import.csv").open(encoding="utf-8", newline="") as file:
        head, *after = csv.reader(file)
    _, before = PLATFORMS[platform][1]
    changed = [
        {head[i]: new for i, (was, new) in enumerate(zip(old, line, strict=True)) if was != new}
        for old, line in zip(before, after, strict=True)
    ]
    comma = "French" in platform or "German" in platform
    points = [f"{k % 9 + 0.5}".replace(".", "," if comma else ".") for k in range(25)]
    if lms == "canvas":
        assert changed == [{}, *({head[-1]: each} for each in points), {}]
    else:
        column = head[head.index(MOODLE[platform.split()[-1]][0].split(",")[4])]
        assert changed == [
            {column: each} | ({head[-1]: "Well done."} if k == 0 else {})
            for k, each in enumerate(points)
        ]


@pytest.mark.parametrize("language", MOODLE)
def test_moodles_times_are_read_in_its_language(language, tmp_path):
    write_table(tmp_path / "roster.csv", worksheet(language))
    rows = collect.read_roster(tmp_path / "roster.csv").rows
    given = late.moment(rows["50001"]["handed in"])
    assert f"{given:%Y-%m-%d %H:%M}" == "2026-06-10 14:14"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda line: [*line[:5], "100,00", *line[6:]], "gives 100 points for this assignment"),
        (
            lambda line: [*line[:5], "Skala", *line[6:]],
            "are not those of Moodle's grading worksheet",
        ),
        (lambda line: line[:-1], "has no column for comments, and the table has some"),
    ],
)
def test_a_worksheet_in_which_marks_would_be_wrong_is_refused(
    change, sentence, graded, quick_school, capsys
):
    graded("Moodle in German")
    quick_school.enter(NUMBERS[3], comment="Why?")
    head, lines = worksheet("German")
    write_table(quick_school.folder / "sheet.csv", (change(head), map(change, lines)))
    words = ["export", "moodle", "grades.csv", "sheet.csv", "-o", "import.csv", "--partial"]
    assert command.main([*words, "--column", "Bewertung"]) == 1
    assert sentence in capsys.readouterr().err
    assert not (quick_school.folder / "import.csv").exists()


def test_a_form_of_the_names_says_who_is_who(quick_school, capsys):
    hand_in(quick_school.submissions / "hw1 by Ann Lee at noon.ipynb", 3)
    hand_in(quick_school.submissions / "hw1 by Bob A at two.ipynb", 4)
    assert quick_school.grade("--names", "by (?P<student>.+?) at") == 0
    assert {name: row["1.4"] for name, row in quick_school.rows().items()} == {
        "Ann Lee": "3",
        "Bob A": "4",
    }
    with pytest.raises(SystemExit):
        quick_school.grade("--names", "by (.+?) at")
    assert "has no group named student" in capsys.readouterr().err
