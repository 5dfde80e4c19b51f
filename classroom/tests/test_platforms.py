"""A class of 60 from each platform, there and back: marks and pages reach the right students."""

import csv
import json
import os
import re
import zipfile

import pytest
from perceptron_classroom.grading import collect, command, late, marking
from school import PROBLEMS

FIRST = "Ann Bob Cyd Dan Eve Fay Gil Hal Ida Jürgen Kim Leo".split()  # noqa: SIM905
LAST = "Lee Roe Müßig O'Neil Åström".split()  # noqa: SIM905
#: 60 names; two are called Ann Lee, one has hyphens around, two are Chinese.
NAMES = [(first, last) for last in LAST for first in FIRST]
NAMES[20], NAMES[21], NAMES[22], NAMES[23] = (
    ("Ann", "Lee"),
    ("小明", "王"),
    ("芳", "李"),
    ("Zoë", "A - B"),
)
MISSING, LATE, TWICE = 5, 6, 8
CLASS = [
    {"k": k, "first": first, "last": last, "number": f"{50_001 + k}", "login": f"u{k}"}
    for k, (first, last) in enumerate(NAMES)
]
POINTS = [k % 9 + 0.5 for k in range(60)]
#: By platform: what its files are called, the second being a resubmission; who it says handed in.
PLATFORMS = {
    "moodle": (
        ["{first} {last}_{number}_assignsubmission_file/{n}ps1.ipynb"],
        lambda path: path.split("/")[0].split("_", 4)[1],
        "number",
    ),
    "canvas": (
        ["{last}{first}_{late}{number}_{n}9{number}_ps1.ipynb"],
        lambda path: next(part for part in path.split("_") if part.isdigit()),
        "number",
    ),
    "blackboard": (
        ["Set 1_{login}_attempt_2026-11-1{n}-10-30-05_ps1.ipynb"],
        lambda path: re.search(r"_([^_]+)_attempt_", path)[1],
        "login",
    ),
    "brightspace": (
        ["{number}-6789 - {first} {last} - Nov {n}0, 2026 1159 PM/ps1.ipynb"],
        lambda path: path.split("-")[0],
        "number",
    ),
    "sakai": (
        ["{last}, {first}({login})/Submission attachment(s)/{n}ps1.ipynb"],
        lambda path: re.fullmatch(r".*\((.*)\)", path.split("/")[1])[1],
        "login",
    ),
    "ilias": (
        ["{last}_{first}_{login}_{number}/{n}ps1.ipynb"],
        lambda path: path.split("/")[1].split("_")[2],
        "login",
    ),
}


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


def names(one):
    return f"{one['first']} {one['last']}"


def worksheet(language):
    """Moodle's grading worksheet; all have handed in."""
    *heads, last = MOODLE[language].split("\n")
    columns, (participant, time, most) = "".join(heads).split(","), last.split("/")
    ends = [*[""] * (len(columns) - 10), "-", ""]
    return columns, [
        [participant + one["number"], names(one), one["login"], "", "", most, "?", time, *ends]
        for one in CLASS
    ]


def roster(platform, key):
    """The table of the class, as the platform exports it."""
    if platform == "moodle":
        head = """Identifier,Full name,ID number,Status,Grade,Maximum Grade,Marking workflow state,
Can be changed,Last modified (submission),Last modified (grade),Feedback comments"""
        time = "Monday, 30 November 2026, {} PM"
        times = [time.format("6:14")] * 60
        times[LATE], times[MISSING] = time.format("9:14"), "-"
        # The ID number of each is the participant's number of another.
        lines = [
            [
                f"Participant {one['number']}",
                names(one),
                CLASS[-one["k"]]["number"],
                "",
                "",
                "30.00",
            ]
            for one in CLASS
        ]
        lines = [
            [*line, "Not marked", "Yes", time, "-", ""]
            for line, time in zip(lines, times, strict=True)
        ]
        return [each.strip() for each in head.split(",")], lines
    if platform == "canvas":
        head = ["Student", "ID", "SIS User ID", "Section", "Problem set 1 (7)"]
        lines = [[f"{one['last']}, {one['first']}", one["number"], "", "", ""] for one in CLASS]
        return head, [["Points Possible", "", "", "", "30"], *lines]
    head = ["student", "name", "Mark", "Words"]
    return head, [[one[key], f"{one['last']}, {one['first']}", "", ""] for one in CLASS]


def write_table(path, head, lines):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *lines])


def hand_in(path, points):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"cells": [], "points": {"1.4": points}}), encoding="utf-8")
    os.utime(path, (0, 0))  # as a download gives them, all at once


@pytest.fixture
def there(quick_school, monkeypatch):
    """A function that grades the class as a platform gives it out, and the words for its table."""
    monkeypatch.chdir(quick_school.folder)

    def grade(platform):
        (form,), _, key = PLATFORMS[platform]
        for one, points in zip(CLASS, POINTS, strict=True):
            late = "LATE_" * (one["k"] == LATE)
            for n in [] if one["k"] == MISSING else [1, 2] if one["k"] == TWICE else [1]:
                path = quick_school.submissions / form.format(**one, n=n, late=late)
                hand_in(path, points if one["k"] != TWICE or n == 2 else 0)
        write_table(quick_school.folder / "roster.csv", *roster(platform, key))
        due = ["--deadline", "2026-11-30 20:00", "--late", "10% a day"] * (platform == "moodle")
        assert quick_school.grade("--roster", "roster.csv", "--feedback", "pages", *due) == 0
        return key

    return grade


def total(platform, k):
    """The points of a student; one is late."""
    return POINTS[k] * (0.9 if platform == "moodle" and k == LATE else 1)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_page_goes_back_to_the_student_whose_it_is(platform, there, quick_school, capsys):
    key = there(platform)
    words = ["return", platform, "submissions", "grades.csv", "pages", "-o", "back.zip"]
    assert command.main(words) == 1
    assert "not all answers have been read yet: 59 students" in capsys.readouterr().err
    assert not (quick_school.folder / "back.zip").exists()
    assert command.main([*words, "--partial"]) == 0
    back = {}
    with zipfile.ZipFile("back.zip") as archive:
        for path in archive.namelist():
            back.setdefault(PLATFORMS[platform][1](path), []).append(archive.read(path).decode())
    assert {*back} == {one[key] for one in CLASS if one["k"] != MISSING}
    for one in CLASS:
        for page in back.get(one[key], ()):
            if platform == "canvas":
                page = json.loads(page)["cells"][0]["outputs"][0]["data"]["text/html"]
            assert f"<strong>{total(platform, one['k']):g}</strong> of 30" in page
            assert f"({one[key]})</bdi></h1>" in page
    assert max(map(len, back.values())) == 1


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_mark_goes_back_into_the_line_of_its_student(platform, there, quick_school):
    key = there(platform)
    if platform != "canvas":
        quick_school.enter(CLASS[9][key], comment="=Well done.")
    where = {"moodle": [], "canvas": ["--column", "Problem set 1"]}
    any_table = ["--id", "student", "--points", "Mark", "--comments", "Words"]
    words = where.get(platform, any_table)
    kind = platform if platform in where else "table"
    files = ["grades.csv", "roster.csv", "-o", "import.csv"]
    assert command.main(["export", kind, *files, "--partial", *words]) == 0
    with open("import.csv", encoding="utf-8", newline="") as file:
        head, *lines = csv.reader(file)
    column = head.index({"moodle": "Grade", "canvas": "Problem set 1 (7)"}.get(platform, "Mark"))
    lines = lines[platform == "canvas" :]
    expected = [f"{total(platform, k):g}" if k != MISSING else "" for k in range(60)]
    assert [line[column] for line in lines] == expected
    assert sum("Well done." in line[-1] for line in lines) == (platform != "canvas")


def test_a_page_without_a_path_or_with_old_points_is_named(there, quick_school, capsys):
    there("sakai")
    (quick_school.pages / "u0.html").unlink()
    quick_school.enter("u1", total="30")
    (quick_school.submissions / "Lee, Cyd(u2)").rename(quick_school.folder / "Cyd")
    capsys.readouterr()
    words = ["return", "sakai", "submissions", "grades.csv", "pages", "-o", "back.zip", "--partial"]
    assert command.main(words) == 1
    said = capsys.readouterr().err
    for who in ("no page for: Ann Lee (u0)", "older than the points", "no path for: Cyd Lee (u2)"):
        assert who in said
    assert "back.zip: 56 students" in said
    words[1] = "folder"
    assert command.main(words) == 1
    with zipfile.ZipFile("back.zip") as archive:
        assert "Cyd Lee (u2)/feedback.html" in archive.namelist()


def test_nobody_is_directed_to_the_place_of_another(quick_school, monkeypatch, capsys):
    """Whatever students call their files, commas and numbers in them decide nothing."""
    monkeypatch.chdir(quick_school.folder)
    for name in ("eve_1_9_a", "eve_1_8_a.ipynb, bob_2_7_b", "bob_2_7_b", "x_3_7_1_9_2_7_"):
        hand_in(quick_school.submissions / f"{name}.ipynb", 1)
    write_table(quick_school.folder / "r.csv", ["student"], [["1"], ["2"], ["3"]])
    assert quick_school.grade("--roster", "r.csv", "--feedback", "pages") == 0
    words = [
        "return",
        "canvas",
        "submissions",
        "grades.csv",
        "pages",
        "-o",
        "back.zip",
        "--partial",
    ]
    command.main(words)
    with zipfile.ZipFile("back.zip") as archive:
        for path in archive.namelist():
            page = json.loads(archive.read(path))["cells"][0]["outputs"][0]["data"]["text/html"]
            owner = path.split("_")[1]
            assert f"<h1><bdi>{owner}</bdi></h1>" in page
        assert len(archive.namelist()) == 3


def test_columns_that_do_not_fit_are_refused(there, quick_school, capsys):
    there("ilias")
    words = ["export", "table", "grades.csv", "roster.csv", "-o", "import.csv", "--partial"]
    for options, sentence in (
        (["--id", "student"], "--points is missing"),
        (["--id", "student", "--points", "nothing"], "name one with --points"),
        (["--id", "Mark", "--points", "Mark"], "name one column twice"),
    ):
        assert command.main([*words, *options]) == 1
        assert sentence in capsys.readouterr().err
    assert not (quick_school.folder / "import.csv").exists()
    # Who is known by something else is named.
    assert command.main([*words, "--id", "name", "--points", "Mark"]) == 1
    assert "no line for: Ann Lee (u0), " in capsys.readouterr().err


@pytest.mark.parametrize("blind", [False, True])
def test_students_are_shown_by_name_but_where_marking_is_blind(there, quick_school, capsys, blind):
    there("moodle")
    assert "nothing was handed in by: Fay Lee (50006)" in capsys.readouterr().err
    known = collect.read_roster(quick_school.folder / "roster.csv")
    here, _ = collect.find(quick_school.submissions, known, "ps1")
    desk = marking.Desk(PROBLEMS, here, quick_school.table, blind)
    shown = json.dumps(desk.state("1.6"), ensure_ascii=False, default=str)
    for one in CLASS:
        if one["k"] != MISSING:
            assert (f"{names(one)} ({one['number']})" in shown) is not blind
            assert (one["number"] in shown) is not blind


@pytest.mark.parametrize(
    "form",
    [
        "{number}-6789 - {first} {last} - Nov 30, 2026 1159 PM - ps1.ipynb",
        "{first} {last} - ps1.ipynb",
        "{first} {last}/ps1/Version 10/ps1.ipynb",
    ],
    ids=["Brightspace", "Google Classroom", "Teams"],
)
def test_a_name_says_whose_row_it_is(form, quick_school):
    for one in CLASS[:20]:
        hand_in(quick_school.submissions / form.format(**one), POINTS[one["k"]])
        if "Version" in form:
            hand_in(quick_school.submissions / names(one) / "ps1/Version 9/ps1.ipynb", 0)
    students, path = [names(one) for one in CLASS[:20]], quick_school.folder / "roster.csv"
    write_table(path, ["student"], [[student] for student in students])
    assert quick_school.grade("--roster", path) == 0
    rows = quick_school.rows()
    assert {name: row["status"] for name, row in rows.items()} == dict.fromkeys(students, "ok")
    assert [rows[name]["1.4"] for name in students] == list(map(str, POINTS[:20]))
    said = "Version 10/ps1.ipynb counts, not Version 9/ps1.ipynb"
    assert (said in rows["Ann Lee"]["remark"]) == ("Version" in form)


@pytest.fixture
def in_language(quick_school, monkeypatch):
    """A function that grades the class from a Moodle in some language."""
    monkeypatch.chdir(quick_school.folder)

    def grade(language):
        for one, points in zip(CLASS, POINTS, strict=True):
            path = "{first} {last}_{number}_assignsubmission_file/ps1.ipynb".format(**one)
            hand_in(quick_school.submissions / path, points)
        write_table(quick_school.folder / "roster.csv", *worksheet(language))
        assert quick_school.grade("--roster", "roster.csv") == 0
        quick_school.enter(CLASS[0]["number"], comment="Well done.")

    return grade


@pytest.mark.parametrize("language", MOODLE)
def test_moodle_gets_its_worksheet_back_in_its_language(language, in_language, quick_school):
    in_language(language)
    rows = collect.read_roster(quick_school.folder / "roster.csv").rows
    assert f"{late.moment(rows['50001']['handed in']):%Y-%m-%d %H:%M}" == "2026-06-10 14:14"
    words = ["export", "moodle", "grades.csv", "roster.csv", "-o", "import.csv", "--partial"]
    assert command.main(words) == 0
    with open("import.csv", encoding="utf-8", newline="") as file:
        head, *after = csv.reader(file)
    changed = [
        {head[i]: new for i, (was, new) in enumerate(zip(old, line, strict=True)) if was != new}
        for old, line in zip(worksheet(language)[1], after, strict=True)
    ]
    point = "," if language in ("French", "German") else "."
    expected = [{head[4]: f"{each}".replace(".", point)} for each in POINTS]
    expected[0] |= {head[-1]: "Well done."}
    assert changed == expected


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda line: [*line[:5], "100,00", *line[6:]], "gives 100 points for this assignment"),
        (lambda line: [*line[:5], "Skala", *line[6:]], "not those of Moodle's grading worksheet"),
        (lambda line: line[:-1], "has no column for comments, and the table has some"),
    ],
)
def test_a_worksheet_in_which_marks_would_be_wrong_is_refused(
    change, sentence, in_language, quick_school, capsys
):
    in_language("German")
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
