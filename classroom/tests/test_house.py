"""The classroom's own house: its rooms import one way, and the package knows nothing of it."""

import re
from pathlib import Path

import perceptron_classroom
import pytest
from house import imports

CLASSROOM = Path(perceptron_classroom.__file__).parent

#: What each room imports of the others: this and nothing less.
ROOMS = {
    "inside": "",
    "answers": "inside",
    "checks": "answers inside",
    "problem_sets": "checks",
    "grading": "checks inside problem_sets",
}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_what_its_row_says_and_no_less(room):
    files = [CLASSROOM / f"{room}.py"]
    files = files if files[0].exists() else list((CLASSROOM / room).rglob("*.py"))
    here = [name.split(".") for file in files for name in imports(file, CLASSROOM.parent)]
    rooms = {names[1] for names in here if names[0] == "perceptron_classroom"}
    assert rooms - {room} == set(ROOMS[room].split())


def test_a_topic_of_the_checks_knows_its_own_slips_and_no_other_topic():
    here, shared = (
        "perceptron_classroom.checks.",
        {"check", "rounding", "runs", "samples", "values"},
    )
    for path in (CLASSROOM / "checks" / "slips").glob("[!_]*.py"):
        for file in (path, CLASSROOM / "checks" / path.name):
            found = imports(file, CLASSROOM.parent) if file.exists() else ()
            names = {name.removeprefix(here) for name in found if name.startswith(here)}
            assert names <= {*shared, "slips.tours", f"slips.{path.stem}"}, file


def test_nothing_private_of_the_package_is_used():
    for path in CLASSROOM.rglob("*.py"):
        used = re.findall(r"^ *(?:from|import) perceptron_notes\b.*\b_.*", path.read_text(), re.M)
        assert not used, path


def test_what_runs_beside_a_students_code_needs_no_more_than_numpy_and_the_interpreter():
    files = (CLASSROOM / "inside").glob("*.py")
    names = {name.partition(".")[0] for file in files for name in imports(file, CLASSROOM.parent)}
    assert not names & {"perceptron_notes", "jinja2", "nh3"}
