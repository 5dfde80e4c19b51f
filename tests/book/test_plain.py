"""The book without Jupyter Book, which only calls Sphinx: one configuration file suffices."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PROGRAMS = Path(sys.executable).parent


@pytest.mark.slow
def test_sphinx_alone_builds_the_same_site(site, tmp_path):
    """From the configuration that Jupyter Book generates; what its cells print is remembered."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in filter(None, os.fsdecode(listed.stdout).split("\0")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).exists():  # or it is deleted, but not yet committed
            shutil.copy(ROOT / name, tmp_path / name)
    for compiled in ROOT.glob("perceptron_notes/native/_loops.*"):  # which the runs have read
        shutil.copy(compiled, tmp_path / compiled.relative_to(ROOT))
    kept, made = ROOT / "_build", tmp_path / "_build"
    shutil.copytree(kept / ".runs", made / ".runs")
    (made / ".node").symlink_to(kept / ".node")
    for command in (
        ["jupyter-book", "config", "sphinx", "."],
        ["sphinx-build", "-q", "-W", "-n", "--keep-going", ".", "_build/html"],
    ):
        done = subprocess.run(
            [PROGRAMS / command[0], *command[1:]],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": "book/_ext"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def files(folder):
        """All files but Sphinx's notes for itself, each with its content."""
        apart = {".buildinfo", ".doctrees"}
        return {
            path.relative_to(folder): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file() and not apart & {*path.relative_to(folder).parts}
        }

    plain, ours = files(made / "html"), files(site)
    assert {path for path in plain if plain[path] != ours.get(path)} == set()
    assert {path for path in ours if path.suffix == ".html"} <= {*plain}
