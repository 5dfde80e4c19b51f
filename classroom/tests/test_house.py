"""The classroom's own house: its rooms import one way, and the package knows nothing of it."""

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
#: The same inside of `checks`: its topics never import from each other.
CHECKS = {
    "check": "",
    "own": "check",
    "samples": "",
    "runs": "",
    "rounding": "",
    "slips.tours": "check",
    "slips.model": "check",
    "slips.learning": "check slips.tours",
    "slips.proof": "check runs slips.tours",
    "slips.noise": "check",
    "slips.kernels": "check slips.tours",
    "slips.online": "check slips.tours",
    "slips.margins": "check",
    "slips.classes": "check slips.tours",
    "slips.networks": "check",
    "model": "check samples slips.model",
    "learning": "check runs samples slips.learning",
    "proof": "check runs samples slips.proof",
    "noise": "check samples slips.noise",
    "kernels": "check rounding runs samples slips.kernels",
    "online": "check rounding samples slips.online",
    "margins": "check rounding samples slips.margins",
    "classes": "check runs samples slips.classes",
    "networks": "check rounding samples slips.networks",
}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_what_its_row_says_and_no_less(room):
    files = [CLASSROOM / f"{room}.py"]
    files = files if files[0].exists() else list((CLASSROOM / room).rglob("*.py"))
    here = [name.split(".") for file in files for name in imports(file, CLASSROOM.parent)]
    rooms = {names[1] for names in here if names[0] == "perceptron_classroom"}
    assert rooms - {room} == set(ROOMS[room].split())


def test_the_rooms_of_the_checks_import_as_their_table_says():
    here, found = "perceptron_classroom.checks.", {}
    for path in sorted((CLASSROOM / "checks").rglob("*.py")):
        if path.stem != "__init__":
            name = ".".join(path.relative_to(CLASSROOM / "checks").with_suffix("").parts)
            names = set(imports(path, CLASSROOM.parent))
            found[name] = {each.removeprefix(here) for each in names if each.startswith(here)}
    assert found == {name: set(cell.split()) for name, cell in CHECKS.items()}


def test_what_runs_beside_a_students_code_needs_no_more_than_numpy_and_the_interpreter():
    files = (CLASSROOM / "inside").glob("*.py")
    names = {name.partition(".")[0] for file in files for name in imports(file, CLASSROOM.parent)}
    assert not names & {"perceptron_notes", "jinja2", "nh3"}
