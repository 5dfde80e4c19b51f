"""Setting up for grading: from nothing, word by word as the page for teachers says."""

import csv
import json
import os
import pwd
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from contextlib import suppress
from importlib import metadata
from itertools import product
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from perceptron_classroom.grading.session import Session
from perceptron_classroom.grading.submission import Graded

ROOT = Path(__file__).parent.parent.parent
FULL = {"1.1": "2", "1.2": "2", "1.3": "2", "1.4": "8", "1.5": "4", "1.8": "3"}
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
    named = {re.match(r"[\w-]+", each)[0] for each in metadata.requires("perceptron_classroom")}
    assert {"numpy", "scipy", "matplotlib", "ipywidgets"} <= named


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
        # Where packages come from, and whom to trust there, is the machine's affair.
        index = [f"{k}={v}" for k, v in os.environ.items() if k.startswith(("PIP_", "UV_", "SSL_"))]
        empty = ["env", "-i", f"PATH={path}", f"HOME={self.folder}", "LANG=C.UTF-8", *index]
        script = f"cd {shlex.quote(str(self.copy))}\n{commands}"
        return [*self.become, *empty, "bash", "-ec", script]

    def run(self, commands):
        """Run commands to their end, which must be good."""
        done = subprocess.run(self.line(commands), capture_output=True, text=True)
        assert done.returncode == 0, commands + done.stdout + done.stderr
        return done.stdout + done.stderr

    def give(self, name, text):
        """Write a file that comes from elsewhere, once."""
        path = self.copy / name
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            if self.become:
                shutil.chown(path, "grader", "grader")
                shutil.chown(path.parent, "grader", "grader")

    def rows(self):
        with (self.copy / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
            return {row["student"]: row for row in csv.DictReader(file)}


@pytest.fixture
def machine():
    with tempfile.TemporaryDirectory(prefix="notes-") as folder:
        yield Machine(Path(folder))


def blocks():
    """The commands on the pages, block by block, but for those of the system's administrator."""
    pages = (ROOT / "book" / f"{name}.md" for name in ("teaching", "teaching/questions"))
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    found = re.findall(r"^ *```sh\n(.*?)^ *```$", text, flags=re.M | re.S)
    return [textwrap.dedent(text) for text in found if not text.lstrip().startswith("sudo ")]


def solved(name):
    """A complete solution of a master, as a student hands it in, with the promised imports."""
    notebook = json.loads((ROOT / "book/assignments" / f"{name}.ipynb").read_text("utf-8"))
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    notebook["cells"].append({**cell, "source": PROMISED})
    return json.dumps(notebook)


#: Who hand in by way of Canvas, one of them an empty sheet.
ANN, BOB = "leeann_101_7000_ps1", "roebob_102_7001_ps1"
#: What Canvas and Moodle export for this class.
GRADEBOOK = """Student,ID,SIS User ID,SIS Login ID,Section,Problem set 1 (42),Problem set 10 (43)
Points Possible,,,,,30,30
"Lee, Ann",101,s-1,ann,A,,
"Roe, Bob",102,s-2,bob,A,,
"""
WORKSHEET = """Identifier,Full name,Email,Status,Grade,Maximum Grade,Changes,In,Out,Comments
Participant 101,Ann,ann,,,30.00,Yes,-,-,
Participant 102,Bob,bob,,,30.00,Yes,-,-,
"""


def mark_all_answers(machine, command):
    """Serve the page for marking, as the teacher does; give Bob 5 points for question 1.6."""
    with subprocess.Popen(machine.line(command), start_new_session=True) as server:
        door = machine.copy / "grades.mark.html"
        while not door.exists() or "</html>" not in door.read_text():
            assert server.poll() is None
            time.sleep(0.1)
        origin, word = re.search(r'action="(.*?)/".*value="(.*?)"', door.read_text(), re.S).groups()
        headers = {"X-Word": word, "Origin": origin}
        for question, key in product(("1.6", "1.7"), (0, 1)):
            right = (question, key) == ("1.6", 1)
            given = {
                "earned": [1, 1, 2, 1] if right else [0] * (4 if question == "1.6" else 3),
                "adjust": 0,
            }
            mark = {**given, "comment": "Which bound?" * right}
            body = json.dumps({"q": question, "k": key, "mark": mark, "version": 0}).encode()
            with urlopen(Request(f"{origin}/mark", body, headers)) as answer:
                assert json.load(answer)["entry"]["points"] == 5 * right
        os.killpg(server.pid, signal.SIGINT)
    assert not door.exists()


@pytest.mark.slow
def test_the_page_leads_word_by_word_from_nothing_to_marks_on_canvas(machine):
    """Each command on the page is run as it stands there; what it needs beside, others give."""
    machine.give("gradebook.csv", GRADEBOOK)
    machine.give("worksheet.csv", WORKSHEET)
    install, hand_out, play, grade, mark, *others = blocks()
    assert machine.run(install).endswith("This machine can grade.\n")
    machine.run(hand_out)
    machine.run(play)
    machine.run("rm -r submissions feedback grades.*")
    machine.give(f"submissions/{ANN}.ipynb", (machine.copy / "handout/ps1.ipynb").read_text())
    machine.give(f"submissions/{BOB}.ipynb", solved("ps1"))
    machine.run(grade)
    rows = machine.rows()
    assert {name: rows[BOB][name] for name in FULL} == FULL
    assert {name: rows[ANN][name] for name in FULL} == dict.fromkeys(FULL, "0")
    assert (rows[BOB]["status"], rows[BOB]["remark"]) == ("ok", "")
    mark_all_answers(machine, mark)
    table = (machine.copy / "grades.csv").read_text("utf-8")
    machine.run(grade)  # the pages get the comment
    imported = []
    for block in others:
        if "private" in block:
            machine.give("private/ps1b.ipynb", solved("ps1"))
        machine.run(block)
        if " export " in block:
            imported.append((machine.copy / "import.csv").read_text("utf-8").splitlines())
    canvas, moodle = imported
    assert [line.rpartition(",")[2] for line in canvas[2:]] == ["0", "26"]
    assert moodle[2] == "Participant 102,Bob,bob,,26,30.00,Yes,-,-,1.6: Which bound?"
    assert "Which bound?" in (machine.copy / "feedback" / f"{BOB}.html").read_text("utf-8")
    for made in ("class.txt", "handout/ps1-solutions.ipynb"):
        assert (machine.copy / made).stat().st_size > 100
    assert (machine.copy / "grades.csv").read_text("utf-8") == table  # other sets, other tables
