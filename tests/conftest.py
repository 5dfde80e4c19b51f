"""What several tests share: the built site, a browser, and reproducible chance."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import hypothesis
import pytest
import web

ROOT = Path(__file__).parent.parent

# The same examples everywhere, so that a failure in CI is a failure at home.
hypothesis.settings.register_profile("notes", derandomize=True, deadline=None)
hypothesis.settings.load_profile("notes")


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


@pytest.fixture(scope="session")
def serve() -> Callable[[Path], AbstractContextManager[str]]:
    """A function that serves a folder on this machine, for as long as its context lasts."""
    return web.served
