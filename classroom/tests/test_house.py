"""The classroom's own house: no topic knows another, and nothing private is used."""

import re
from pathlib import Path

import perceptron_classroom
from house import imports

CLASSROOM = Path(perceptron_classroom.__file__).parent


def test_a_topic_of_the_checks_knows_its_own_slips_and_no_other_topic():
    here, shared = "perceptron_classroom.checks.", {"check", "rounding", "runs", "samples"}
    for path in (CLASSROOM / "checks" / "slips").glob("[!_]*.py"):
        for file in (path, CLASSROOM / "checks" / path.name):
            found = imports(file, CLASSROOM.parent) if file.exists() else ()
            names = {name.removeprefix(here) for name in found if name.startswith(here)}
            assert names <= {*shared, "slips.tours", f"slips.{path.stem}"}, file


def test_nothing_private_of_the_package_is_used_but_for_what_both_commands_print():
    private = r"^ *(?:from|import) perceptron_notes\b(?!\._kit\.terminal\b).*\b_.*"
    for path in CLASSROOM.rglob("*.py"):
        assert not re.findall(private, path.read_text(), re.M), path
