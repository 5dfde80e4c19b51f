"""A release: one version, a changelog, what the index shows, and workflows without a fault."""

import re
import runpy
import subprocess
import tomllib
from datetime import date

import pytest
from house import ROOT
from markdown_it import MarkdownIt
from packaging.version import Version

HEADING = re.compile(r"## (\d+\.\d+\.\d+) - (\S+)")
GROUPS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
READERS = ["readers", "teachers", "users of the package"]


def toml(path):
    return tomllib.loads(path.read_text("utf-8"))


def versions(root):
    """The version, wherever it is said."""
    first = {
        "CITATION.cff": r"^version: (\S+)",
        "book/index.md": r"Version (\d\S*)\. ",
        "perceptron_notes/__init__.py": r'^__version__ = "(.+)"',
        "classroom/perceptron_classroom/__init__.py": r'^__version__ = "(.+)"',
        "classroom/pyproject.toml": r'"perceptron_notes==(.+)"',
    }
    said = {
        name: re.search(pattern, (root / name).read_text("utf-8"), re.MULTILINE)[1]
        for name, pattern in first.items()
    }
    return said | {"pyproject.toml": toml(root / "pyproject.toml")["project"]["version"]}


def last_release(root):
    """The newest version that the changelog lists."""
    return HEADING.search((root / "CHANGELOG.md").read_text("utf-8"))[1]


def test_there_is_one_version_and_between_releases_it_is_the_next_ones():
    (version,) = {*versions(ROOT).values()}
    released = Version(last_release(ROOT))
    assert Version(version) > released if "dev" in version else Version(version) == released


def test_the_changelog_lists_versions_by_their_dates():
    headings = re.findall(r"^#.*", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    title, unreleased, *others = [line for line in headings if not line.startswith("###")]
    assert (title, unreleased) == ("# Changelog", "## Unreleased")
    found = [HEADING.fullmatch(line).groups() for line in others]
    order = [(Version(version), date.fromisoformat(day)) for version, day in found]
    assert order == sorted(order, reverse=True)
    groups = [line.lstrip("#").strip() for line in headings if line.startswith("###")]
    assert {*groups} <= {*GROUPS, *(f"For {who}" for who in READERS)}


def test_both_distributions_carry_the_licence():
    licence = (ROOT / "LICENSE").read_bytes()
    assert (ROOT / "classroom/LICENSE").read_bytes() == licence


# ---------------------------------------------------------------------- the page of the index

README = (ROOT / "README.md").read_text("utf-8")
SOURCE = "https://github.com/Some-One/notes"


@pytest.fixture(scope="module")
def page():
    """The function that makes README a page of its own."""
    return runpy.run_path(str(ROOT / "setup.py"))["page"]


def leads(markdown):
    """Where the links and the pictures of a text lead to."""
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)
    return re.findall(r'\b(?:href|src|srcset)="([^"]*)"', html)


def test_on_the_index_each_link_of_readme_leads_to_its_version(page):
    files = [link for link in leads(README) if not re.match(r"\w+:|#", link)]
    assert files
    for file in files:
        assert (ROOT / file.partition("#")[0]).exists(), file
    made = page(README, SOURCE, "0.2.0")
    assert len(leads(made)) == len(leads(README))
    for link, leads_to in zip(leads(README), leads(made), strict=True):
        picture = link.endswith((".png", ".gif", ".svg"))
        there = f"{SOURCE}/{'raw' if picture else 'blob'}/v0.2.0/{link}"
        assert leads_to == (there if link in files else link)


def test_without_an_address_the_index_shows_no_link_that_is_dead(page):
    made = page(README, "", "0.2.0")
    assert leads(made) == [link for link in leads(README) if re.match(r"\w+:|#", link)]
    assert "](" not in re.sub(r"\]\((https?:|#)", "", made)


# ----------------------------------------------------------------------------- the workflows


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["actionlint", "zizmor --offline --quiet ."])
def test_the_workflows_have_no_fault(tool):
    """They cut, build, try and publish a release; each action is pinned by a hash."""
    subprocess.run(["make", "tools"], cwd=ROOT, check=True)
    program, *options = tool.split()
    subprocess.run([ROOT / ".venv/release/bin" / program, *options], cwd=ROOT, check=True)
