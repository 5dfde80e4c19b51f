"""The browser of this machine, and a server for it: for the PDF, the tests and the benchmarks."""

import functools
import http.server
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "microsoft-edge")
MISSING = "No browser was found: install Chromium, Chrome or Edge, or set CHROMIUM to its path."
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
    """Return the path of Chromium or a relative of it; if None, `MISSING` is the message."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def needed() -> str:
    """Return the same for a script, which exits with that message if there is none."""
    found = find()
    if found is None:
        raise SystemExit(MISSING)
    return found


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that does not log requests."""

    def log_message(self, *_args: object) -> None:
        """Log nothing."""


@contextmanager
def served(folder: Path, kind: type[Quiet] = Quiet) -> Iterator[str]:
    """Serve a folder on this machine during the context, and yield its address."""
    handler = functools.partial(kind, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
