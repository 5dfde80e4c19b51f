"""A release: one version, a changelog, what the index shows, and the way from a tag to a user."""

import os
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from datetime import date
from pathlib import Path

import pytest
from house import ROOT
from markdown_it import MarkdownIt
from packaging.version import Version

HEADING = re.compile(r"## (\d+\.\d+\.\d+) - (\S+)")
GROUPS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
READERS = ["readers", "teachers", "users of the package"]
AUTHOR = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


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


@pytest.mark.parametrize(
    ("written", "there", "nowhere"),
    [
        ("[a](b.md#c) ![d](e.png)", "[a](S/blob/v1/b.md#c) ![d](S/raw/v1/e.png)", "a "),
        ('<img width="9" src="b.png">', '<img width="9" src="S/raw/v1/b.png">', ""),
        ('<a href="b.md">c</a>', '<a href="S/blob/v1/b.md">c</a>', "c"),
        ("[a](https://b.c) [d](#e)", "[a](https://b.c) [d](#e)", "[a](https://b.c) [d](#e)"),
        ("```python\nx[0](y)\n```", "```python\nx[0](y)\n```", "```python\nx[0](y)\n```"),
    ],
)
def test_a_link_is_made_absolute_or_words(page, written, there, nowhere):
    assert page(written, "S", "1") == there
    assert page(written, "", "1") == nowhere


# ---------------------------------------------------------------- from a commit to a user's machine

TOOLS = ROOT / ".venv" / "release"


def done(*command, cwd, **more):
    """What a command said; it must have succeeded."""
    run = subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        capture_output=True,
        text=True,
        env=os.environ | AUTHOR,
        **more,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def refused(*command, cwd):
    """What a command said; it must have failed."""
    run = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True)
    assert run.returncode != 0, run.stdout
    return run.stdout + run.stderr


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A repository of its own with the files as they are now, in one commit."""
    home = tmp_path_factory.mktemp("clone") / "notes"
    files = done("git", "ls-files", "-z", cwd=ROOT).split("\0")
    for name in filter(None, files):
        if (ROOT / name).exists():  # or it is deleted, but not yet committed
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, home / name)
    done("make", "tools", cwd=ROOT)
    done("git", "init", "--quiet", cwd=home)
    done("git", "add", ".", cwd=home)
    done("git", "commit", "--quiet", "--message", "All of it", cwd=home)
    return home


NEW = "9.8.7"


@pytest.fixture(scope="module")
def released(clone):
    """The same, and a release cut from it; first, those that are refused."""
    ready = ROOT / ".venv/ready"  # as it is
    make = ["make", f"TOOLS={TOOLS}", f"BIN={ready.parent}/bin", f"READY={ready}", "-o", ready]
    make.append("release")
    for version in ("", "9.8", "next", last_release(clone), "0.0.0"):
        assert f"VERSION is {version}" in refused(*make, f"VERSION={version}", cwd=clone).replace(
            "'", ""
        )
    page = clone / "book/index.md"
    page.write_text(page.read_text("utf-8") + "\nNobody has translated this.\n", "utf-8")
    assert "book/index has 1 in English" in refused(*make, f"VERSION={NEW}", cwd=clone)
    done("git", "checkout", "book/index.md", cwd=clone)
    cited = (clone / "CITATION.cff").read_text("utf-8")
    (clone / "CITATION.cff").write_text(cited.replace("\nversion: ", "\nedition: "), "utf-8")
    assert "CITATION.cff" in refused(*make, f"VERSION={NEW}", cwd=clone)
    done("git", "checkout", "CITATION.cff", cwd=clone)
    done(*make, f"VERSION={NEW}", cwd=clone)
    assert {*versions(clone).values()} == {"9.9.0.dev0"}
    # With nothing unreleased there is nothing to cut.
    assert "CHANGELOG.md" in refused(*make, "VERSION=9.9.9", cwd=clone)
    done("git", "checkout", "--quiet", f"v{NEW}", cwd=clone)
    return clone


@pytest.mark.slow
def test_a_release_is_a_commit_and_a_tag(released):
    assert done("git", "tag", "--points-at", "HEAD", cwd=released).split() == [f"v{NEW}"]
    assert done("git", "status", "--porcelain", cwd=released) == ""
    assert {*versions(released).values()} == {NEW}
    today = re.search(rf"^## {NEW} - (\S+)", (released / "CHANGELOG.md").read_text("utf-8"), re.M)[
        1
    ]
    assert f"date-released: {today}\n" in (released / "CITATION.cff").read_text("utf-8")
    changed = done("git", "show", "--numstat", "--format=", cwd=released)
    assert len(changed.splitlines()) == len(versions(released)) + 1  # the changelog
    assert last_release(released) == NEW


@pytest.mark.slow
def test_only_a_tag_that_is_the_version_and_lies_on_main_is_published(released):
    ask = [released / ".ci/is-release", f"v{NEW}", "main"]
    done("git", "branch", "--force", "main", f"v{NEW}", cwd=released)
    done(*ask, cwd=released)
    done("git", "tag", "v9.9.9", cwd=released)
    assert NEW in refused(ask[0], "v9.9.9", "main", cwd=released)
    done("git", "branch", "--force", "main", f"v{NEW}~1", cwd=released)
    assert "main" in refused(*ask, cwd=released)
    done("git", "tag", "--delete", "v9.9.9", cwd=released)


@pytest.fixture(scope="module")
def dist(released):
    """What `make dist` builds of it, which asks the tools for their opinion, too."""
    done("make", f"TOOLS={TOOLS}", "dist", cwd=released)
    return released / "dist"


@pytest.mark.slow
def test_a_release_has_sources_and_wheels_of_both_distributions(dist):
    sources = {file.name for file in dist.glob("*.tar.gz")}
    assert sources == {f"perceptron_{name}-{NEW}.tar.gz" for name in ("notes", "classroom")}
    wheels = {file.name.split("-")[0] for file in dist.glob(f"*-{NEW}-*.whl")}
    assert wheels == {"perceptron_notes", "perceptron_classroom"}
    for source in dist.glob("*.tar.gz"):
        with tarfile.open(source) as archive:
            names = archive.getnames()
        assert not [name for name in names if "tests" in name or name.endswith((".so", ".pyd"))]
        assert any(name.endswith("/LICENSE") for name in names)
    for wheel in dist.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            assert any(name.endswith("licenses/LICENSE") for name in archive.namelist())


@pytest.fixture(scope="module")
def user(dist, tmp_path_factory):
    """The Python of a user who has installed both wheels, and what they need, somewhere else."""
    home = tmp_path_factory.mktemp("user")
    done(sys.executable, "-m", "venv", home / "venv", cwd=home)
    python = home / "venv" / "bin" / "python"
    done(python, "-m", "pip", "install", "--quiet", *dist.glob("*.whl"), cwd=home)
    return python


@pytest.mark.slow
def test_a_user_runs_the_example_of_readme(user, tmp_path):
    example = README.split("```python\n")[1].partition("```")[0]
    assert "True" in done(user, "-c", example, cwd=tmp_path)
    where = "import perceptron_notes as p; print(p.__version__, p.__file__, p.native.engine)"
    version, file, engine = done(user, "-c", where, cwd=tmp_path).split()
    assert (version, engine) == (NEW, "compiled")
    assert Path(file).is_relative_to(user.parent.parent)
    for command in ("perceptron-notes", "perceptron-classroom"):
        assert NEW in done(user.with_name(command), "--version", cwd=tmp_path)


@pytest.mark.slow
def test_a_users_type_checker_knows_the_types(user, tmp_path):
    """Of the wheel: its annotations are read, and the words that a string may be."""
    pytest.importorskip("mypy", reason="the package is tested without what checks its types")
    shutil.copy(ROOT / "tests" / "user_code.py", tmp_path)
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", user]
    done(*mypy, "user_code.py", cwd=tmp_path)
    (tmp_path / "slips.py").write_text(
        "from perceptron_notes.datasets import iris\niris('setoza')\n"
    )
    assert "setosa" in refused(*mypy, "slips.py", cwd=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "tool", [["actionlint"], ["zizmor", "--offline", "--quiet", "."]], ids=" ".join
)
def test_the_workflows_have_no_fault(clone, tool):
    done(TOOLS / "bin" / tool[0], *tool[1:], cwd=clone)
