"""What npm installs: once, again when it was lost, and in one sentence if it fails."""

import json
import shutil
import sys

import pytest
from notes_site import npm

#: It stands for npm: it counts its calls, and installs what package.json names, or fails.
NPM = """
import json, pathlib, sys
calls = pathlib.Path("calls")
calls.write_text(calls.read_text() + "." if calls.exists() else ".")
if pathlib.Path("fails").exists():
    sys.exit("npm error: no way out")
for name in json.loads(pathlib.Path("package.json").read_text())["dependencies"]:
    folder = pathlib.Path("node_modules", name)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text("{}")
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """A function that installs; it returns how often npm was called."""
    pinned, folder = tmp_path / "pinned", tmp_path / "node"
    pinned.mkdir()
    (pinned / "package.json").write_text(json.dumps({"dependencies": {"a": "1", "@b/c": "2"}}))
    (pinned / "package-lock.json").write_text("{}")
    monkeypatch.setattr(npm, "commands", lambda: ([], [sys.executable, "-c", NPM]))

    def installed():
        npm.install(folder, pinned)
        return len((folder / "calls").read_text())

    installed.folder = folder
    return installed


def test_packages_that_were_lost_are_installed_again(install):
    assert [install(), install()] == [1, 1]
    shutil.rmtree(install.folder / "node_modules")
    assert [install(), install()] == [2, 2]


def test_where_npm_fails_the_last_line_says_so_and_the_next_time_it_is_asked_again(install):
    install.folder.mkdir()
    (install.folder / "fails").touch()
    with pytest.raises(SystemExit) as ended:
        install()
    assert "no way out" in str(ended.value)
    assert "npm could not install" in str(ended.value).splitlines()[-1]
    (install.folder / "fails").unlink()
    assert install() == 2
