"""What a page says about itself, and its links to elsewhere: with a public address and without."""

import re
import shutil
import tomllib
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from building import notebook
from notes_site import links
from packaging.specifiers import SpecifierSet
from packaging.version import Version

ROOT = Path(__file__).parent.parent.parent

REPOSITORY = "https://github.com/Some-One/notes"
SITE = "https://some-one.github.io/notes/"
LAUNCH = {
    "notebook_interface": "jupyterlab",
    "binderhub_url": "https://mybinder.org",
}

INDEX = """\
---
myst: {html_meta: {description: "All about & around it."}}
---
# First <page>

$\\mathbf{w}$ and $\\rho$, the [second](second).

```{toctree}
second
```
"""


@pytest.fixture
def build(build, tmp_path):
    """A function that builds two pages, into the folder of the site and the warnings."""

    def build_site(repository, *, index=INDEX):
        meta = {"html_meta": {"description": "The second page."}}
        (tmp_path / "book").mkdir(exist_ok=True)
        second = notebook(title="# Second\n\nMore.", myst=meta)
        (tmp_path / "book/second.ipynb").write_text(second, "utf-8")
        shutil.copy(ROOT / "book/_assets/favicon.svg", tmp_path)
        options = {"repository_url": repository, "launch_buttons": LAUNCH}
        _, warnings = build(
            index,
            *["myst_nb", "sphinx_book_theme", "front", "links"],
            name="book/index.md",
            root_doc="book/index",
            html_title="The Book",
            html_theme="sphinx_book_theme",
            html_favicon="favicon.svg",
            html_theme_options={"repository_branch": "main", **options},
            myst_enable_extensions=["dollarmath"],
            nb_execution_mode="off",
        )
        return tmp_path / "_build/html", warnings

    return build_site


def soup_of(file):
    return BeautifulSoup(file.read_text("utf-8"), "html.parser")


def metas(page):
    return {tag.get("name"): tag["content"] for tag in page.select("meta[content]")}


def hrefs(page):
    return [tag[name] for name in ("href", "src") for tag in page.select(f"[{name}]")]


# With an address --------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["", "/", ".git"])
def test_with_an_address_pages_say_where_they_are(build, end):
    site, warnings = build(REPOSITORY + end)
    assert warnings == ""
    page = soup_of(site / "book/index.html")
    assert metas(page)["description"] == "All about & around it."
    assert page.select_one("link[rel=canonical]")["href"] == f"{SITE}book/index.html"


def test_a_chapter_can_be_opened_elsewhere(build):
    site, _ = build(REPOSITORY)
    offered = hrefs(soup_of(site / "book/second.html"))
    place = "Some-One/notes"
    assert {
        f"https://mybinder.org/v2/gh/{place}/main?urlpath=lab/tree/book/second.ipynb",
        f"{REPOSITORY}/edit/main/book/second.ipynb",
    } <= set(offered)
    assert any(link.startswith(f"{REPOSITORY}/issues/new") for link in offered)
    # The first page is not a notebook that these could open.
    assert not [link for link in hrefs(soup_of(site / "book/index.html")) if "mybinder" in link]


@pytest.mark.parametrize(
    ("repository", "site"),
    [
        (REPOSITORY, SITE),
        ("https://github.com/One/one.github.io", "https://one.github.io/"),
        ("https://gitlab.com/one/notes", ""),
    ],
)
def test_where_pages_of_a_repository_are_published(repository, site):
    assert links.pages_address(repository) == site


# Without ----------------------------------------------------------------------------------------


def test_without_an_address_nothing_needs_one(build):
    site, warnings = build("")
    assert warnings == ""
    for file in [*site.glob("*.html"), *site.glob("book/*.html")]:
        page = soup_of(file)
        assert not page.select("link[rel=canonical], meta[property]"), file
        words = r"github|issues|binder|localhost|None"
        assert not [link for link in hrefs(page) if re.search(words, link)], file


def test_a_page_without_a_description_is_a_warning(build):
    _, warnings = build("", index="# Title\n\n```{toctree}\nsecond\n```\n")
    assert "book/index: no description" in warnings


# The pages beside the book ----------------------------------------------------------------------


@pytest.mark.parametrize("repository", ["", REPOSITORY])
def test_the_page_for_lost_readers_leads_to_the_address_of_the_site(build, repository):
    site, _ = build(repository)
    page = soup_of(site / "404.html")
    needed = [link for link in hrefs(page) if not link.startswith("data:")]
    home = SITE if repository else ""
    wanted = ("book/index.html", "search.html", "_static/licenses.txt")
    assert needed == [home + one for one in wanted]
    assert page.a.get_text() == "The Book"
    assert metas(page)["robots"] == "noindex"


# The committed book -----------------------------------------------------------------------------


def test_binder_takes_a_python_that_the_package_allows():
    taken = (ROOT / ".binder/runtime.txt").read_text("utf-8").strip().removeprefix("python-")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert Version(taken) in SpecifierSet(project["requires-python"])
    asked = (ROOT / ".binder/requirements.txt").read_text("utf-8").splitlines()[-1]
    assert (
        ROOT / ".binder" / asked.removeprefix("-r ")
    ).resolve() == ROOT / "requirements-book.txt"
