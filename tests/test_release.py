"""A release: one version, a changelog, what the index shows, workflows, and which tag it is."""

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


def versions():
    """The version, wherever it is said."""
    first = {
        "CITATION.cff": r"^version: (\S+)",
        "book/index.ipynb": r"Version (\d\S*)\. ",
        "perceptron_notes/__init__.py": r'^__version__ = "(.+)"',
        "classroom/perceptron_classroom/__init__.py": r'^__version__ = "(.+)"',
        "classroom/pyproject.toml": r'"perceptron_notes==(.+)"',
    }
    said = {
        re.search(pattern, (ROOT / name).read_text("utf-8"), re.MULTILINE)[1]
        for name, pattern in first.items()
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return said | {project["version"]}


def test_there_is_one_version_and_between_releases_it_is_the_next_ones():
    (version,) = versions()
    released = Version(HEADING.search((ROOT / "CHANGELOG.md").read_text("utf-8"))[1])
    assert Version(version) > released if "dev" in version else Version(version) == released


def test_the_changelog_lists_versions_by_their_dates():
    headings = re.findall(r"^#.*", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    title, unreleased, *others = [line for line in headings if not line.startswith("###")]
    assert (title, unreleased) == ("# Changelog", "## Unreleased")
    found = [HEADING.fullmatch(line).groups() for line in others]
    order = [(Version(version), date.fromisoformat(day)) for version, day in found]
    assert order == sorted(order, reverse=True)


def test_both_distributions_carry_the_licence():
    licence = (ROOT / "LICENSE").read_bytes()
    assert (ROOT / "classroom/LICENSE").read_bytes() == licence


# ---------------------------------------------------------------------- the page of the index

README = (ROOT / "README.md").read_text("utf-8")
SOURCE = "https://github.com/Some-One/notes"


def leads(markdown):
    """Where the links and the pictures of a text lead to."""
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)
    return re.findall(r'\b(?:href|src|srcset)="([^"]*)"', html)


def test_on_the_index_each_link_of_readme_leads_to_its_version_or_is_none():
    page = runpy.run_path(str(ROOT / "setup.py"))["readme_page"]
    elsewhere = [link for link in leads(README) if re.match(r"\w+:|#", link)]
    assert leads(page(README, "", "0.2.0")) == elsewhere
    made = leads(page(README, SOURCE, "0.2.0"))
    for link, leads_to in zip(leads(README), made, strict=True):
        picture = link.endswith((".png", ".gif", ".svg"))
        there = f"{SOURCE}/{'raw' if picture else 'blob'}/v0.2.0/{link}"
        assert leads_to == (link if link in elsewhere else there)


# ------------------------------------------------------------------------------- the workflows

TOOLS = ROOT / ".venv" / "release"
WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))


@pytest.mark.slow
@pytest.mark.parametrize("tool", [["actionlint"], ["zizmor", "--offline", "--quiet"]], ids=" ".join)
def test_the_workflows_have_no_fault(tool):
    subprocess.run(["make", "tools"], cwd=ROOT, check=True)
    subprocess.run([TOOLS / "bin" / tool[0], *tool[1:], *WORKFLOWS], cwd=ROOT, check=True)


def test_only_a_tag_that_is_the_version_and_lies_on_main_is_published(tmp_path):
    def git(*command):
        author = ["-c", "user.name=x", "-c", "user.email=x"]
        subprocess.run(["git", *author, *command], cwd=tmp_path, check=True)

    def published(tag):
        ask = [ROOT / ".ci/is-release", tag, "main"]
        return subprocess.run(ask, cwd=tmp_path).returncode == 0

    git("init", "--quiet", "--initial-branch", "main")
    for version in ("9.8.7", "9.9.0"):
        (tmp_path / "pyproject.toml").write_text(f'[project]\nversion = "{version}"\n', "utf-8")
        git("add", ".")
        git("commit", "--quiet", "--message", version)
        git("tag", f"v{version}")
        git("checkout", "--quiet", "-B", "another")
    git("tag", "v9.9.9")
    assert published("v9.8.7")
    assert not published("v9.9.9")  # whose version is 9.9.0
    assert not published("v9.9.0")  # which is not on main
