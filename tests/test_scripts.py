"""The scripts have unit tests of their own, which run in Node."""

import subprocess
from pathlib import Path

from notes_site.npm import commands


def test_the_unit_tests_of_the_scripts_pass():
    node, _ = commands()
    files = sorted(map(str, (Path(__file__).parent / "js").glob("*.test.js")))
    done = subprocess.run([*node, "--test", *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
