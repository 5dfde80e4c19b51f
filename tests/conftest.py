"""What several tests share: the built site, a browser, and reproducible chance."""

import functools
import http.server
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
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


@pytest.fixture(scope="session")
def serve() -> Callable[[Path], AbstractContextManager[str]]:
    """A function that serves a folder on this machine, for as long as its context lasts."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_args: object) -> None:
            pass

    @contextmanager
    def served(folder: Path) -> Iterator[str]:
        handler = functools.partial(Quiet, directory=str(folder))
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield f"http://127.0.0.1:{server.server_port}"
            server.shutdown()

    return served
