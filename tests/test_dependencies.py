"""What is imported is declared: each part of the tree by the extras that it is run with."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

#: The extras of each part, beside what the package itself depends on.
PARTS = {
    "perceptron_notes": "sklearn grade",
    "book": "book",
    "tests": "test sklearn grade",
    "tests/book": "test book",
    "benchmarks": "book test sklearn bench",
}


def sources(part):
    """The Python files of a part, without those of a part within it."""
    within = [ROOT / other for other in PARTS if other.startswith(f"{part}/")]
    for file in sorted((ROOT / part).rglob("*.py")):
        if not any(file.is_relative_to(other) for other in within):
            yield file


def imported(file):
    """The names of all modules that a file imports anywhere, up to the first dot."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.partition(".")[0]


def declared(extras):
    """The distributions that an installation with these extras names."""
    lines = [*PROJECT["dependencies"]]
    for extra in extras.split():
        if extra == "bench":
            text = (ROOT / "benchmarks/requirements.txt").read_text("utf-8")
            lines += re.findall(r"^[^#\s].*", text, flags=re.M)
        else:
            lines += PROJECT["optional-dependencies"][extra]
    return {canonicalize_name(Requirement(line).name) for line in lines}


@pytest.mark.parametrize("part", PARTS)
def test_what_is_imported_is_declared(part):
    own = {file.stem for part in PARTS for file in sources(part)}
    own |= {"perceptron_notes", "notes_site"}
    distributions, allowed = packages_distributions(), declared(PARTS[part])
    for file in sources(part):
        for name in set(imported(file)) - own - sys.stdlib_module_names:
            found = {canonicalize_name(one) for one in distributions.get(name, [name])}
            assert found & allowed, f"{file.relative_to(ROOT)} imports {name}"


def test_requirements_pin_what_is_declared():
    text = (ROOT / "requirements.txt").read_text("utf-8")
    pinned = {canonicalize_name(name) for name in re.findall(r"^([\w.-]+)==", text, flags=re.M)}
    extras = set(PROJECT["optional-dependencies"])
    assert declared(" ".join(extras)) <= pinned
