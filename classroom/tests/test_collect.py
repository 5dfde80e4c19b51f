"""Whose is what: names of files as systems, people and enemies write them."""

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
    "\u00a0lee\u00a0x.ipynb".encode(),
    b"=x.ipynb",
    b"'=x'.ipynb",
    b"''=x.ipynb",
    b"-1.ipynb",
    b"car\rriage.ipynb",
    b"two\nlines.ipynb",
    b"J\xf6rg.ipynb",
    "Zoe\u0308.ipynb".encode(),
    b"tab\tbed.ipynb",
    b"\x1b[2Jesc.ipynb",
    "\u202egnp.ipynb".encode(),
    b"a;=1+cmd.ipynb",
    b'quote".ipynb',
    b"comma,.ipynb",
    b"007.ipynb",
    b"nan.ipynb",
    b"\xff\xfe.ipynb",
    "\u200b.ipynb".encode(),
    b"x" * 249 + b".ipynb",
]


def write(folder, *names):
    for name in names:
        path = os.path.join(os.fsencode(folder), name if isinstance(name, bytes) else name.encode())
        with open(path, "wb") as file:
            file.write(b'{"cells": []}')


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


@pytest.mark.parametrize(
    ("written", "name"),
    [
        (b"J\xf6rg", "Jörg"),
        ("Jo\u0308rg".encode(), "Jörg"),
        (b" lee\xc2\xa0", "lee"),
        (b"a\r\nb", "a b"),
        (b"a;=1+cmd", "a,=1+cmd"),
        (b"\x1b[2J", "[2J"),
        (b"", "(no name)"),
    ],
)
def test_one_name_for_each_way_of_writing_it(written, name):
    assert normal(os.fsdecode(written)) == name


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


def test_composed_and_decomposed_letters_are_one_student(tmp_path):
    write(tmp_path, "Zo\u00eb.ipynb", "Zoe\u0308.ipynb")
    [this] = found(tmp_path).values()
    assert (this.student, len(this.paths)) == ("Zoë", 2)


def test_names_that_differ_in_capitals_only_are_said(tmp_path):
    write(tmp_path, "FAY.ipynb", "fay.ipynb", "ann.ipynb")
    here = found(tmp_path)
    assert here["FAY"].notes == here["fay"].notes == ("FAY and fay differ in capitals only",)
    assert here["ann"].notes == ()


@pytest.mark.parametrize("other", ["ann.pdf", "ann.py", "ANN.txt", "ann.ipynb.txt", "ann.zip"])
def test_a_file_beside_a_notebook_is_no_second_submission(tmp_path, other):
    write(tmp_path, "ann.ipynb", other)
    [this] = found(tmp_path).values()
    assert [path.name for path in this.paths] == ["ann.ipynb"]
    assert this.notes == (f"not graded: {other}",)


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
    # Without a better claim, a part of the name is good enough.
    (inside / "bob2.ipynb").unlink()
    assert found(inside, roster_of(tmp_path, "student\nbob2\n"))["bob2"].name == "eve_bob2.ipynb"


def test_what_a_student_called_the_file_counts_less_than_what_the_lms_did(tmp_path):
    inside = tmp_path / "submissions"
    inside.mkdir()
    write(inside, "smithann_12345_678_ps1.ipynb", "stranger_999_679_12345.ipynb")
    here = found(inside, roster_of(tmp_path, "student\n12345\n"))
    assert here["12345"].name == "smithann_12345_678_ps1.ipynb"
    assert not here["stranger_999_679_12345"].known


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
