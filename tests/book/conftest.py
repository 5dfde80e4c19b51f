"""Fixtures of the book's tests: the built site and its address, a browser and its pages."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import web
from bs4 import BeautifulSoup
from building import builder_of
from filelock import FileLock
from notes_site import live as live_site

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="session")
def once(tmp_path_factory, worker_id) -> Callable:
    """A function that runs a task once for all workers of a session, and returns its result."""
    folder = tmp_path_factory.getbasetemp()
    folder = folder if worker_id == "master" else folder.parent  # the workers' common one

    def once_for_all(name: str, make: Callable[[], object]) -> object:
        note = folder / f"{name}.json"
        with FileLock(folder / f"{name}.lock"):
            if not note.is_file():
                note.write_text(json.dumps(make()), "utf-8")
        return json.loads(note.read_text("utf-8"))

    return once_for_all


def build_book() -> str:
    """Build the site in both languages, warnings as errors; return the output if that failed."""
    book = [str(Path(sys.executable).with_name("jupyter-book")), "build", "."]
    in_chinese = [sys.executable, "-m", "notes_site.in_language", "zh_CN"]
    settings = {**os.environ, "PYTHONPATH": str(ROOT / "book/_ext")}
    for command in ([*book, "-W", "-n", "--keep-going"], in_chinese):
        done = subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True)
        if done.returncode:
            return done.stdout + done.stderr
    return ""


@pytest.fixture(scope="session")
def complaint(once, pytestconfig) -> str:
    """The output of the site's build if it failed."""
    plugins = pytestconfig.pluginmanager
    if terminal := plugins.get_plugin("terminalreporter"):  # which xdist's workers have not
        with plugins.get_plugin("capturemanager").global_and_fixture_disabled():
            terminal.write_line(
                "The whole book is built, which takes minutes if notebooks changed …"
            )
    return once("site", build_book)


@pytest.fixture(scope="session")
def site(complaint: str) -> Path:
    """The folder of the built site."""
    if complaint:
        pytest.fail("The site was not built: test_the_book_builds says why.", pytrace=False)
    return ROOT / "_build" / "html"


@pytest.fixture(scope="session")
def live(once, site):
    """The folder of a site whose cells run."""

    def make():
        folder = ROOT / "_build" / "live-tested"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(site, folder)
        return str(folder) if live_site.add(folder, ROOT / "_build") else ""

    return Path(once("live", make))


@pytest.fixture(scope="session")
def html(site: Path) -> dict[str, str]:
    """Every page of the site but the redirect: its path there, and its HTML."""
    files = [file for file in sorted(site.rglob("*.html")) if "_static" not in file.parts]
    files.remove(site / "index.html")
    return {file.relative_to(site).as_posix(): file.read_text("utf-8") for file in files}


@pytest.fixture(scope="session")
def pages(html: dict[str, str]) -> dict[str, BeautifulSoup]:
    """The same pages, parsed."""
    return {path: BeautifulSoup(text, "html.parser") for path, text in html.items()}


@pytest.fixture(scope="session")
def origin(site: Path) -> Iterator[str]:
    """The address of a server of the site, on this machine."""
    with web.served(site) as address:
        yield address


@pytest.fixture
def build(tmp_path, node_modules):
    return builder_of(tmp_path, node_modules)
