"""What several tests share: the built site, a browser, and reproducible chance."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

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
    names = ("chromium", "chromium-browser", "google-chrome", "chrome", "microsoft-edge")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if found is None:
        sentence = "no browser found: install chromium, or set CHROMIUM to where one is"
        if os.environ.get("CI") == "true":
            pytest.fail(sentence)
        pytest.skip(sentence)
    from playwright.sync_api import sync_playwright

    flags = (
        "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-component-update "
        "--disable-background-networking --disable-sync"
    )
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=flags.split())
        yield chromium
        chromium.close()
