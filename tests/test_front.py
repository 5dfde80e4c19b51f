"""What a visitor of the repository meets first: links, commands, the example, forms, a picture."""

import csv
import json
import re
import shutil
import subprocess
from contextlib import redirect_stdout
from datetime import date
from io import StringIO
from pathlib import Path

import pytest
import yaml
from markdown_it import MarkdownIt
from pypdf import PdfReader

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
TEXTS = [*ROOT.glob("*.md"), ROOT / "classroom/README.md", *ROOT.glob("paper/*.md")]
FORMS = sorted(ROOT.glob(".github/ISSUE_TEMPLATE/[0-9]*.yml"))
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))


def links(file):
    """Where the links and the pictures of a text lead."""
    for block in MarkdownIt().enable("table").parse(file.read_text("utf-8")):
        for token in block.children or ():
            where = token.attrGet("href") or token.attrGet("src")
            if where:
                yield where


def anchors(file):
    """The names by which GitHub lets a link lead to a heading."""
    headings = re.findall(r"^#+ (.+)$", file.read_text("utf-8"), flags=re.M)
    return [re.sub(r"[^\w -]", "", one).strip().lower().replace(" ", "-") for one in headings]


@pytest.mark.parametrize("file", TEXTS, ids=lambda file: file.name)
def test_links_lead_somewhere(file):
    for where in links(file):
        if not re.match(r"(https?|mailto):", where):
            path, _, anchor = where.partition("#")
            there = (file.parent / path) if path else file
            assert there.exists(), where
            assert not anchor or anchor in anchors(there), where


def test_the_readmes_example_prints_what_it_says():
    code, said = (
        README.split(f"```{kind}\n")[1].partition("```")[0] for kind in ("python", "text")
    )
    with redirect_stdout(StringIO()) as printed:
        exec(code, {})
    assert printed.getvalue() == said


def test_the_readmes_commands_exist():
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), flags=re.M)
    commands = re.findall(r"`make ([a-z-]+)", README)
    assert commands
    assert {*commands} <= {*targets}


def test_what_zenodo_is_told_agrees_with_the_citation():
    told = json.loads((ROOT / ".zenodo.json").read_text("utf-8"))
    assert told["title"] == CITATION["title"]
    assert told["license"] == CITATION["license"]
    assert told["keywords"] == CITATION["keywords"]
    assert [one["name"] for one in told["creators"]] == [one["name"] for one in CITATION["authors"]]


@pytest.mark.parametrize("file", FORMS, ids=lambda file: file.stem)
def test_a_form_for_issues_is_one_that_github_shows(file):
    """GitHub leaves out a form with a slip, and says so nowhere."""
    form = yaml.safe_load(file.read_text("utf-8"))
    assert form.keys() == {"name", "description", "labels", "body"}
    asked = [one for one in form["body"] if one["type"] != "markdown"]
    assert {one["type"] for one in asked} <= {"input", "textarea", "dropdown", "checkboxes"}
    assert all(one["attributes"]["label"] for one in asked)
    assert len({one["id"] for one in asked}) == len(asked)


def test_errata_have_a_day_and_the_newest_stand_first():
    with (ROOT / "book/errata.csv").open(encoding="utf-8", newline="") as table:
        heads, *rows = csv.reader(table)
    assert all(len(row) == len(heads) and all(row) for row in rows)
    days = [date.fromisoformat(row[0][:10]) for row in rows]
    assert days == sorted(days, reverse=True)


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("pandoc"), reason="pandoc is not installed")
def test_the_paper_is_printed():
    subprocess.run(["make", "-o", ".venv/ready", "paper"], cwd=ROOT, check=True, timeout=120)
    pages = PdfReader(ROOT / "_build/paper.pdf").pages
    text = "".join(page.extract_text() for page in pages)
    assert "Statement of need" in text
    assert "Rosenblatt, Frank. 1958" in text
    assert "@" not in text  # a source that was not found
