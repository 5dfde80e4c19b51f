"""What the tests of the book share: the built site and its address, a browser and its pages."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import web

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of the built site, with warnings as errors."""
    command = [str(Path(sys.executable).with_name("jupyter-book")), "build", "."]
    done = subprocess.run(
        [*command, "-W", "-n", "--keep-going"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return ROOT / "_build" / "html"


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """Chromium or a relative of it, as the machine has it."""
    found = web.find()
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail(web.MISSING)
        pytest.skip(web.MISSING)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=web.FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def origin(site: Path) -> Iterator[str]:
    """The address of a server of the site, on this machine."""
    with web.served(site) as address:
        yield address


@pytest.fixture
def tab(browser) -> Iterator[Callable]:
    """A function that opens a browser page of its own kind; all are closed afterwards."""
    contexts = []

    def open_tab(**options):
        contexts.append(browser.new_context(**options))
        return contexts[-1].new_page()

    yield open_tab
    for context in contexts:
        context.close()
