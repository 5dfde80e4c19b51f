"""Owners of files, by names as systems, people and attackers write them."""

import os
import unicodedata

import attacks
import pytest
from hypothesis import given
from hypothesis import strategies as st
from perceptron_classroom.grading import collect
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.spelling import fold, normal

#: As bytes, because a file system knows no letters.
STRANGE = [
    b" lee.ipynb",
    b"lee .ipynb",
    b"=x.ipynb",
    b"'=x'.ipynb",
    b"''=x.ipynb",
    b"-1.ipynb",
    b"car\rriage.ipynb",
    b"two\nlines.ipynb",
    b"J\xf6rg.ipynb",
    "Zoe\u0308.ipynb".encode(),
    b"\x1b[2Jesc.ipynb",
    "\u202egnp.ipynb".encode(),
    b"a;=1+cmd.ipynb",
    b"007.ipynb",
    b"\xff\xfe.ipynb",
    "\u200b.ipynb".encode(),
    b"x" * 249 + b".ipynb",
]


def write(folder, *names):
    for name in names:
        path = os.path.join(os.fsencode(folder), name if isinstance(name, bytes) else name.encode())
        with open(path, "wb") as file:
            file.write(b'{"cells": []}' if b".ipynb" in os.fsencode(name) else b"x")


def found(folder, roster=None):
    return {this.student: this for this in collect.find(folder, roster, "ps1")[0]}


def roster_of(folder, text):
    path = folder / "roster.csv"
    path.write_text(text, encoding="utf-8")
    return collect.read_roster(path)


@given(st.text() | st.binary().map(os.fsdecode) | st.text(st.characters(categories=["Cs"])))
def test_a_name_is_normalised_once_and_can_be_written(text):
    once = normal(text)
    assert normal(once) == once == once.encode().decode().strip()
    assert unicodedata.is_normalized("NFC", once)
    assert not any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in once)
    assert once
    assert fold(once) == fold(text) == fold(fold(text))


def test_strange_names_keep_their_rows_for_ever(quick_school):
    write(quick_school.submissions, *STRANGE)
    assert quick_school.grade("--feedback", quick_school.folder / "pages") == 0
    first = quick_school.table.read_bytes()
    rows = quick_school.rows()
    assert len(rows) == len(STRANGE) - 1  # " lee" and "lee " are one student
    assert {"lee", "Jörg", "Zoë", "car riage", "'=x", "a,=1+cmd"} <= set(rows)
    assert "expected one notebook" in rows["lee"]["remark"]
    for _ in range(3):
        assert quick_school.grade("--feedback", quick_school.folder / "pages") == 0
        assert quick_school.table.read_bytes() == first


@pytest.mark.parametrize("other", ["ann\u200b", " ann", "\u202eann"])
@pytest.mark.parametrize("listed", [False, True])
def test_a_name_that_differs_in_what_nobody_sees_takes_nothing_from_a_classmate(
    tmp_path, other, listed
):
    inside = tmp_path / "submissions"
    inside.mkdir()
    write(inside, f"{other}.ipynb", "ann.ipynb")
    here = found(inside, roster_of(tmp_path, "student\nann\n") if listed else None)
    assert [path.name for path in here.pop("ann").paths] == ["ann.ipynb"]
    [(name, this)] = here.items()
    assert name.isascii()  # and so differs in what everybody sees
    assert this.known is not listed


@pytest.mark.parametrize("other", ["ann.pdf", "ann.py", "ANN.txt", "ann.docx"])
def test_a_file_beside_a_notebook_is_no_second_submission(tmp_path, other):
    write(tmp_path, "ann.ipynb")
    (tmp_path / other).write_text("something else")
    [this] = found(tmp_path).values()
    assert [path.name for path in this.paths] == ["ann.ipynb"]
    assert this.notes == (f"not graded: {other}",)


@pytest.mark.parametrize(
    ("files", "counts"),
    [
        # The minutes at which they were changed.
        ({"ps1.ipynb": 1, "ps1 (1).ipynb": 2}, "ps1 (1).ipynb"),
        ({"ps1.ipynb": 2, "ps1 (1).ipynb": 1}, "ps1.ipynb"),
        ({"ps1.ipynb": 1, "ps1 (1).ipynb": 1, "ps1 (2).ipynb": 1}, "ps1 (2).ipynb"),
        ({"ps1 final.ipynb": 1, "ps1 final final.ipynb": 1}, "ps1 final final.ipynb"),
        ({"ps1.ipynb": 1, "ps1-checkpoint.ipynb": 2}, "ps1.ipynb"),
        ({"ps1.ipynb": 1, ".ipynb_checkpoints/ps1-checkpoint.ipynb": 2}, "ps1.ipynb"),
        ({"my ps1.ipynb": 1, "ps2.ipynb": 2, "ps10.ipynb": 3}, "my ps1.ipynb"),
        ({"a.ipynb": 1, "b.ipynb": 2}, "b.ipynb"),
        ({"ps1.ipynb.json": 1}, "ps1.ipynb.json"),
        ({"deep/er/ps1.ipynb.txt": 1, "notes.txt": 2}, "ps1.ipynb.txt"),
    ],
)
def test_of_a_students_copies_the_newest_counts_and_the_row_says_so(tmp_path, files, counts):
    for name, minute in files.items():
        path = tmp_path / "ann" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("notes" if name == "notes.txt" else '{"cells": []}')
        os.utime(path, (60 * minute, 60 * minute))
    (this,) = found(tmp_path).values()
    assert [path.name for path in this.paths] == [counts]
    others = [n for n in files if not n.startswith(".") and n not in (counts, "notes.txt")]
    assert all(name in "".join(this.notes) for name in others if "/" not in name)
    assert bool(this.notes) == (len(files) > 1 and "/" not in "".join(files))


def test_lists_and_notes_are_nobodys(tmp_path):
    write(tmp_path, "README.txt", "marks.csv", "roster.xlsx", "index.html", "ann.ipynb", "bob.py")
    submissions, ignored = collect.find(tmp_path, None, "ps1")
    assert [this.student for this in submissions] == ["ann", "bob"]
    assert ignored == ["README.txt", "index.html", "marks.csv", "roster.xlsx"]


def test_nobody_can_spoil_the_submission_of_another(tmp_path):
    inside = tmp_path / "submissions"
    inside.mkdir()
    write(inside, "bob2.ipynb", "eve_bob2.ipynb", "x_y_bob2.pdf")
    here = found(inside, roster_of(tmp_path, "student\nbob2\nfay\n"))
    assert here["bob2"].name == "bob2.ipynb"
    assert not here["eve_bob2"].known
    assert here["fay"].paths == ()
    # Without a better claim, a part of the name is good enough; two such are for a person.
    (inside / "bob2.ipynb").unlink()
    assert found(inside, roster_of(tmp_path, "student\nbob2\n"))["bob2"].name == "eve_bob2.ipynb"


@pytest.mark.parametrize(
    ("name", "student"),
    [
        ("smithann_12345_678_ps1.ipynb", "12345"),
        ("smithann_LATE_12345_678_ps1.ipynb", "12345"),
        ("smithann_12345_678_ps1_12348.ipynb", "12345"),
        ("12348_12345_678_ps1.ipynb", "12345"),  # somebody is called so
        ("stranger_999_679_12345.ipynb", None),
        ("stranger_999_679_x_12345_7_y.ipynb", None),
        ("Ann Smith_12345_assignsubmission_file_12348.ipynb", "12345"),
        ("Ann Smith_12345_assignsubmission_file_", "12345"),
        ("stranger_999_679_x_12345_assignsubmission_file_y.ipynb", None),
        ("Problem set_1_12345_attempt_2026-11-19-10-30-05_12348.ipynb", "12345"),
    ],
)
def test_the_platforms_id_says_whose_it_is_whatever_else_the_name_holds(tmp_path, name, student):
    roster = roster_of(tmp_path, "student\n12345\n12348\n")
    owner = roster.owner(name.removesuffix(".ipynb"), platform=True)
    assert (owner and owner[1]) == student


def test_a_stranger_on_a_platform_is_nobody_on_the_roster(tmp_path):
    inside = tmp_path / "submissions"
    inside.mkdir()
    write(inside, "smithann_12345_678_ps1.ipynb", "stranger_999_679_12348.ipynb")
    here = found(inside, roster_of(tmp_path, "student\n12345\n12348\n"))
    assert here["12345"].name == "smithann_12345_678_ps1.ipynb"
    assert here["12348"].paths == ()
    assert not here["stranger_999_679_12348"].known


def test_one_name_like_a_platforms_changes_nothing_for_the_others(tmp_path):
    inside = tmp_path / "submissions"
    inside.mkdir()
    write(inside, "x_eve_attempt_2026-11-01-10-00-00_y.ipynb")
    write(inside, *(f"hw_1_{k}_{name}.ipynb" for k, name in enumerate(["ann", "bob", "cyd"])))
    write(inside, "hw_2_1_dan.ipynb")
    names = ["ann", "bob", "cyd", "dan", "eve"]
    here = found(inside, roster_of(tmp_path, "student\n" + "\n".join(names) + "\n"))
    assert {name: len(this.paths) for name, this in here.items()} == dict.fromkeys(names, 1)


@pytest.mark.parametrize(
    ("roster", "name", "student"),
    [
        ('student,name\n7,"Smith, Ann"\n', "Ann Smith", "7"),
        ('student\n"Smith, Ann"\n', "Ann Smith", "Smith, Ann"),
        ("student\nAnn Smith\n", "Smith, Ann", "Ann Smith"),
        ("student,name\n7,Ann Lee\n8,Ann Lee\n", "Ann Lee", None),
        ("student,name\n7,Ann Lee\n8,Ann Lee\n", "Ann Lee_8_ps1", "8"),
        ("student\nAnn\nAnn - Jones\n", "5-6 - Ann - Jones - Nov 30, 2026 1159 PM", None),
        ("student\nAnn - Jones\n", "5-6 - Ann - Jones - Nov 30, 2026 1159 PM", "Ann - Jones"),
        ("student\nAnn\nAnn - Jones\nps1\n", "Ann - Jones - ps1", None),
        ("student\nann\n", "ann+ps1+2026-11-30 18:00:00.123 UTC+aB_c", "ann"),
    ],
)
def test_a_name_finds_the_one_student_whom_it_fits(tmp_path, roster, name, student):
    roster = roster_of(tmp_path, roster)
    owner = roster.owner(name, platform=bool(collect.ids_in(name)))
    assert (owner and owner[1]) == student


def test_a_name_on_the_roster_at_the_end_of_a_strangers_file_is_no_owner(tmp_path):
    inside = tmp_path / "submissions"
    inside.mkdir()
    people = ["Ann Lee - Nov 30, 2026 1159 PM - x", "Eve - Nov 30, 2026 1159 PM - Bob - Cyd"]
    write(inside, *(f"{k}-6 - {each}.ipynb" for k, each in enumerate(people)))
    here = found(inside, roster_of(tmp_path, "student\nAnn Lee\nBob\n"))
    assert [here["Ann Lee"].known, here["Bob"].paths] == [True, ()]


def folders(inside, *names):
    for name in names:
        (inside / name).mkdir(parents=True)
        write(inside / name, "ps1.ipynb")


def test_github_classrooms_roster_finds_its_folders(tmp_path):
    inside, logins = tmp_path / "in", ["annsmith", "smith", "x-annsmith"]
    folders(inside, *(f"ps1-{login}" for login in logins))
    head = '"identifier","github_username","github_id","name"\n'
    lines = [f'"{number}","{login}","9",""\n' for number, login in enumerate([*logins, ""], 5)]
    here = found(inside, roster_of(tmp_path, head + "".join(lines)))
    names = {student: this.name for student, this in here.items() if this.known}
    assert names == {"5": "ps1-annsmith", "6": "ps1-smith", "7": "ps1-x-annsmith", "8": ""}


def test_gradescopes_folders_need_the_rosters_column_file(tmp_path):
    inside = tmp_path / "in"
    folders(inside, "submission_301", "submission_302")
    (inside / "submission_metadata.yml").write_text("submission_301:\n")
    table = "student,file\n100,submission_301\n"
    for some in (None, roster_of(tmp_path, table)):
        with pytest.raises(
            Refused, match="expected such names of Gradescope's in the column `file`"
        ):
            found(inside, *filter(None, [some]))
    here = found(inside, roster_of(tmp_path, table + "Bob Roe,submission_302\n"))
    assert {name: this.name for name, this in here.items() if this.known} == {
        "100": "submission_301",
        "Bob Roe": "submission_302",
    }


def test_several_files_from_a_platform_are_one_students(tmp_path):
    inside = tmp_path / "submissions"
    inside.mkdir()
    write(inside, "smithann_LATE_12345_678_ps1.ipynb", "smithann_LATE_12345_679_ps1 (1).ipynb")
    (this,) = found(inside, roster_of(tmp_path, "student\n12345\n")).values()
    assert [path.name for path in this.paths] == ["smithann_LATE_12345_679_ps1 (1).ipynb"]


def test_the_file_that_the_roster_names_is_the_students(tmp_path):
    inside = tmp_path / "submissions"
    inside.mkdir()
    write(inside, "mine.ipynb", "other.ipynb")
    here = found(inside, roster_of(tmp_path, "student,file\n12345,mine.ipynb\n"))
    assert [path.name for path in here.pop("12345").paths] == ["mine.ipynb"]
    (other,) = here.values()
    assert not other.known


def test_a_roster_knows_names_in_any_capitals_and_letters(tmp_path):
    roster = roster_of(tmp_path, "student\nZoe\u0308\nFay\nann\nANN\n")
    assert roster.student("zo\u00eb") == "Zoë"
    assert roster.student(" FAY ") == "Fay"
    assert (roster.student("ann"), roster.student("Ann")) == ("ann", None)


def test_a_roster_with_one_name_for_two_is_refused(tmp_path):
    with pytest.raises(Refused, match="'x' names 'ann' and 'bob'"):
        roster_of(tmp_path, "student;file\nann;x.ipynb\nbob;x\n")


def test_a_folder_of_pictures_beside_a_notebook_is_no_second_submission(tmp_path):
    attacks.Case("ann", attacks.nothing).write(tmp_path)
    (tmp_path / "ann").mkdir()
    write(tmp_path / "ann", "drawing.png")
    assert [path.name for path in found(tmp_path)["ann"].paths] == ["ann.ipynb"]
