"""The browser of this machine, and a server for it: for the PDF, the tests and the benchmarks."""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "microsoft-edge")
MISSING = (
    "No browser was found. Install Chromium, Chrome or Edge (on Debian and Ubuntu: "
    "apt-get install chromium), or set CHROMIUM to where one is."
)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-component-update",
    "--disable-background-networking",
    "--disable-sync",
]


def find() -> str | None:
    """Where the machine has Chromium or a relative of it; `MISSING` is what to say if nowhere."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def needed() -> str:
    """The same for a script, which ends with a sentence where there is none."""
    found = find()
    if found is None:
        raise SystemExit(MISSING)
    return found


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that does not tell what it is asked."""

    def log_message(self, *_args: object) -> None:
        """Nothing."""


@contextmanager
def served(folder: Path, kind: type[Quiet] = Quiet) -> Iterator[str]:
    """The address of a folder on this machine, for as long as the context lasts."""
    handler = functools.partial(kind, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
