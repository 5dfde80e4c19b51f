"""Setting up for grading: from nothing, word by word as the page for teachers says."""

import csv
import json
import os
import pwd
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
from contextlib import suppress
from pathlib import Path

import pytest
from perceptron_classroom.grading import doctor
from perceptron_classroom.grading.session import Session
from perceptron_classroom.grading.submission import Graded

ROOT = Path(__file__).parent.parent.parent
FULL = {"1.1": "2", "1.2": "2", "1.3": "2", "1.4": "8", "1.5": "4"}
#: What the page promises to students' notebooks, at work.
PROMISED = """
import ipywidgets, matplotlib.pyplot as plt, numpy as np
from scipy.optimize import linprog
from scipy.spatial.distance import pdist

assert linprog([1, 1], A_ub=[[-1, -2], [-2, -1]], b_ub=[-3, -3]).status == 0
assert np.linalg.matrix_rank(np.eye(300)) == 300
assert pdist([[0, 0], [3, 4]]).tolist() == [5]
plt.plot([0, 1]);
"""


def test_students_may_import_what_the_page_promises(shelter):
    graded = Graded()
    with Session(shelter, [PROMISED], [], 60) as session:
        session.run(graded)
    assert graded.remarks == []
    names = {wanted.name for wanted in doctor.needed()}
    assert {"numpy", "scipy", "matplotlib", "ipywidgets"} <= names


# ------------------------------------------------------------------------- an empty machine


class Machine:
    """A copy of the repository and an empty home, of an ordinary user where there is one.

    Root has its interpreter and its folders to itself, so `as_user.py` opens the way.
    """

    def __init__(self, folder):
        self.folder, self.copy = folder, folder / "notes"
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True
        )
        for name in filter(None, os.fsdecode(listed.stdout).split("\0")):
            (self.copy / name).parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileNotFoundError):  # deleted, but not yet committed
                shutil.copy(ROOT / name, self.copy / name)
        self.become = []
        if os.getuid() == 0 and "grader" in {user.pw_name for user in pwd.getpwall()}:
            for path in (folder, *folder.rglob("*")):
                shutil.chown(path, "grader", "grader")
            self.become = ["unshare", "--mount", "--propagation", "private", sys.executable]
            self.become += [str(Path(__file__).with_name("as_user.py")), "grader"]

    def line(self, commands):
        """How commands are run in the copy, with nothing in the environment but this."""
        places = [str(self.copy / ".venv/grader/bin"), f"{sys.base_prefix}/bin"]
        path = ":".join([*places, "/usr/local/bin:/usr/bin:/bin"])
        empty = ["env", "-i", f"PATH={path}", f"HOME={self.folder}", "LANG=C.UTF-8"]
        script = f"cd {shlex.quote(str(self.copy))}\n{commands}"
        return [*self.become, *empty, "bash", "-ec", script]

    def run(self, commands):
        """Run commands to their end, which must be good."""
        done = subprocess.run(self.line(commands), capture_output=True, text=True)
        assert done.returncode == 0, commands + done.stdout + done.stderr
        return done.stdout + done.stderr

    def rows(self):
        with (self.copy / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
            return {row["student"]: row for row in csv.DictReader(file)}


@pytest.fixture
def machine():
    with tempfile.TemporaryDirectory(prefix="notes-") as folder:
        yield Machine(Path(folder))


def blocks(title):
    """The commands in a section of the page, block by block."""
    page = (ROOT / "book" / "teaching.md").read_text(encoding="utf-8")
    section = page.partition(f"## {title}\n")[2].partition("\n## ")[0]
    found = re.findall(r"^ *```sh\n(.*?)^ *```$", section, flags=re.M | re.S)
    return [textwrap.dedent(text) for text in found]


@pytest.mark.slow
def test_the_page_leads_from_nothing_to_marks(machine):
    _, install, hand_out, play = blocks("Set up in fifteen minutes")
    assert machine.run(install).endswith("This machine can grade.\n")
    machine.run(hand_out)
    machine.run(play)
    assert (machine.copy / "feedback" / "ann.html").exists()
    master = json.loads((ROOT / "book/assignments/ps1.ipynb").read_text(encoding="utf-8"))
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    master["cells"].append({**cell, "source": PROMISED})
    (machine.copy / "submissions" / "bob.ipynb").write_text(json.dumps(master), encoding="utf-8")
    machine.run(play)
    here = machine.rows()
    assert {name: here["bob"][name] for name in FULL} == FULL
    assert {name: here["ann"][name] for name in FULL} == dict.fromkeys(FULL, "0")
    assert (here["bob"]["status"], here["bob"]["remark"]) == ("ok", "")
