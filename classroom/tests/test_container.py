"""The environment for grading alone: what the Containerfile and `make grader` say fits together."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
CONTAINERFILE = ROOT / ".ci" / "Containerfile"


def instructions():
    """The instructions and their words, in order."""
    text = re.sub(r"^#.*\n", "", CONTAINERFILE.read_text(encoding="utf-8"), flags=re.M)
    lines = re.sub(r"\\\n", " ", text).splitlines()
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in lines if line.strip()]


def copies():
    """The files that are copied from the repository."""
    for word, rest in instructions():
        if word == "COPY" and not rest.startswith("--from"):
            yield from shlex.split(rest)[:-1]


@pytest.mark.parametrize("source", list(copies()))
def test_what_the_container_copies_is_in_the_repository(source):
    assert (ROOT / source).exists()


@pytest.mark.parametrize("folder", [".", "classroom"])
def test_the_container_copies_all_that_a_build_reads(folder):
    settings = tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf-8"))
    needed = {"pyproject.toml", "README.md", *settings["project"]["license-files"]}
    needed |= {"setup.py"} if (ROOT / folder / "setup.py").exists() else set()
    assert {(Path(folder) / name).as_posix() for name in needed} <= set(copies())


def test_the_container_and_make_install_the_same():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    container = " ".join(rest for _, rest in instructions())
    for text in (makefile, container):
        assert re.search(r"--constraint \S+/versions.txt\s+(?:\S+\s+)*?\. \./classroom", text)


def test_the_entry_is_a_script_of_the_package():
    settings = tomllib.loads((ROOT / "classroom/pyproject.toml").read_text(encoding="utf-8"))
    [entry] = [rest for word, rest in instructions() if word == "ENTRYPOINT"]
    assert entry.strip('[]"').rpartition("/")[2] in settings["project"]["scripts"]
