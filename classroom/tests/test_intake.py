"""Submissions of any form: right work gets its points, and other files are named."""

import json

import attacks
import forms
import pytest
from perceptron_classroom.grading import collect, command, report
from perceptron_classroom.grading.intake import Unreadable, take_in
from perceptron_classroom.grading.submission import grade
from school import PROBLEMS, SECRET, School


def stream(count):
    return {"output_type": "stream", "name": "stdout", "text": ["[1.0, 2, 2.0]\n"] * count}


def shown(**data):
    data = {kind.replace("_", "/", 1): value for kind, value in data.items()}
    return {"output_type": "display_data", "data": data, "metadata": {}}


#: What a notebook has printed and drawn, by what grew large; none of it is code.
LARGE = {
    "printed lines": [stream(300_000)],
    "many outputs": [stream(1)] * 100_000,
    "pictures": [shown(image_png="A" * 7_000_000)] * 3,
}


def handed_in(folder, **last):
    """A right notebook, and one more cell."""
    notebook = attacks.solved()
    notebook["cells"].append({**attacks.cell("1"), **last})
    notebook["metadata"]["widgets"] = {"state": [[k] for k in range(300_000)]}
    path = folder / "ann.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.slow] * (kind != "pictures")) for kind in LARGE]
)
def test_outputs_never_decide_whether_code_is_graded(shelter, tmp_path, kind):
    path = handed_in(tmp_path, outputs=LARGE[kind])
    graded = grade(PROBLEMS, path, "ann", SECRET, shelter, 20)
    assert {name: graded.questions[name]["points"] for name in attacks.FULL} == attacks.FULL
    assert len(json.dumps(take_in(path)[0])) < 35_000_000


@pytest.mark.slow
def test_a_bomb_of_values_takes_no_memory_here_and_is_left_to_a_person(shelter, tmp_path):
    path = tmp_path / "ann.ipynb"
    path.write_text('{"cells": [' + "[[]]," * 19_000_000 + "1]}")
    with pytest.raises(Unreadable, match=r"expected at most|takes more than"):
        take_in(path)
    graded = grade(PROBLEMS, path, "ann", SECRET, shelter, 20)
    assert {each["points"] for each in graded.questions.values()} == {None}


def test_what_cannot_be_read_has_no_points_in_the_table_and_on_the_page(quick_school, shelter):
    path = quick_school.submissions / "ann.ipynb"
    path.write_text("%PDF-1.4")
    graded = grade(PROBLEMS, path, "ann", SECRET, shelter, 20)
    row = {"student": "ann", "total": "", "out of": "30"}
    page = report.feedback_page(PROBLEMS, path, graded, row)
    assert "✗" not in page
    assert "seed=" not in page
    assert graded.remarks == ["ann.ipynb is a PDF; judge it by hand"]


def test_odd_forms_in_one_folder_and_every_right_program_has_its_marks(tmp_path, shelter):
    master = tmp_path / "ps1.ipynb"
    master.write_text(json.dumps(forms.MASTER), encoding="utf-8")
    school = School(tmp_path)
    students = forms.write(school.submissions)
    roster = tmp_path / "roster.csv"
    roster.write_text("student\n" + "\n".join(students) + "\n")
    words = ["grade", master, school.submissions, "-o", school.table, "--roster", roster]
    assert command.main([*map(str, words), "--jobs", "2"]) == 0
    rows = school.rows()
    assert set(rows) == set(students)
    wrong = {
        what: rows[student]["remark"]
        for student, (right, what) in students.items()
        if [rows[student][f"1.{n}"] for n in (1, 2, 3)] != (["2"] * 3 if right else [""] * 3)
        or rows[student]["status"] != ("ok" if right else "unreadable")
    }
    assert wrong == {}


def locked(data):
    """The zip with the mark of a password on all its files."""
    return data.replace(b"PK\1\2\x14\3\x14\0\0", b"PK\1\2\x14\3\x14\0\1")


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: forms.zipped({"ps1.ipynb": bytes(150_000_000)}), "is larger than 100 MB"),
        (lambda: forms.zipped({f"{k}.ipynb": b"" for k in range(25_000)}), "of too many files"),
        (lambda: locked(forms.zipped({"ps1.ipynb": b"{}"})), "with a password"),
        (lambda: forms.zipped({"ps1.ipynb": forms.plain()})[:-200], "no complete zip"),
        (lambda: forms.zipped({"../../ps1.ipynb": b"{}"}), "names a place outside"),
        (lambda: forms.zipped({"ps1.ipynb": b"{}", "a\\..\\..\\x": b""}), "names a place outside"),
    ],
)
def test_a_hostile_zip_is_named_and_nothing_is_unpacked(tmp_path, make, what):
    path = tmp_path / "in" / "ann.zip"
    path.parent.mkdir()
    path.write_bytes(make())
    with pytest.raises(Unreadable, match=what):
        take_in(path, "ps1")
    assert [each.name for each in tmp_path.rglob("*") if each.is_file()] == ["ann.zip"]
    assert len(collect.find(path.parent, None, "ps1")[0]) == 1


@pytest.mark.parametrize("below", ["./", "./week 1/./", ""])
def test_a_zip_packed_from_inside_a_folder_is_read_with_its_pictures(tmp_path, below):
    notebook = json.loads(forms.plain())
    notebook["cells"].append({"cell_type": "markdown", "source": "![x](photo.png)"})
    files = {f"{below}ps1.ipynb": json.dumps(notebook), f"{below}photo.png": b"PNG"}
    path = tmp_path / "ann.zip"
    path.write_bytes(forms.zipped(files | {"./.git/ps1.ipynb": b"", "./__MACOSX/ps1.ipynb": b""}))
    cells = take_in(path, "ps1")[0]
    assert "photo.png" in json.dumps(cells[-1])
    assert "image/png" in json.dumps(cells[-1])
