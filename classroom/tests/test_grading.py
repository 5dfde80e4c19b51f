"""Grading: right points for honest notebooks, no harm from others, nothing lost."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import tracemalloc
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import attacks
import numpy as np
import pytest
from notes_site.editions import notebook_in
from perceptron_classroom import checks, problem_sets
from perceptron_classroom.grading import sandbox
from perceptron_classroom.grading.intake import code_of, first_line
from perceptron_classroom.grading.sandbox import Refused, Sandbox
from perceptron_classroom.grading.session import Died, Session
from perceptron_classroom.grading.submission import Graded, grade, leaning, left_out, seed, twice
from perceptron_classroom.inside import calls
from processes import alive, below, wait_until
from school import PROBLEMS, SECRET, snapshot

ROOT = Path(__file__).parent.parent.parent


def points(graded):
    """The points of the questions that a check judges."""
    found = graded.questions
    return {name: found[name]["points"] for name in attacks.FULL if name in found}


def reports(graded):
    return "\n".join(result.get("report", "") for result in graded.questions.values())


def run_cells(shelter, *cells, seconds=20):
    """The remarks on cells that run by themselves."""
    graded = Graded()
    with Session(shelter, list(cells), [], seconds) as session:
        session.run(graded)
    return graded


# -------------------------------------------------------------------------------- attacks


#: Three questions whose checks take milliseconds; the one that all slow functions answer is the
#: second. So a limit can be short, and on a busy machine the others still keep to it.
SHORT = replace(
    PROBLEMS,
    questions=tuple(
        next(q for q in PROBLEMS.questions if q.id == id) for id in ("1.1", "1.3", "1.2")
    ),
)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case, id=case.name, marks=[pytest.mark.slow] * (case.name not in attacks.QUICK)
        )
        for case in attacks.CASES
    ],
)
def test_right_points_and_status(case, shelter, tmp_path):
    path = case.write(tmp_path)
    before = snapshot(tmp_path)
    problems, seconds = (SHORT, 3) if case.status == "timeout" else (PROBLEMS, 60)
    graded = grade(problems, path, "ann", SECRET, shelter, seconds)
    found = points(graded)
    assert (graded.status, found) == (case.status, {name: case.points[name] for name in found})
    assert found.keys() == attacks.FULL.keys() or problems is SHORT
    assert case.remark in "; ".join(graded.remarks)
    assert case.report in reports(graded)
    assert snapshot(tmp_path) == before


def test_no_secret_no_classmate_no_network(shelter, tmp_path):
    for name in ("secret", "classmate.ipynb"):
        (tmp_path / name).write_text("{}")
    calls_received = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def listen():
            while True:
                try:
                    calls_received.append(server.accept())
                except OSError:
                    return

        threading.Thread(target=listen, daemon=True).start()
        theirs = [tmp_path / "secret", tmp_path / "classmate.ipynb", attacks.MASTER, Path(__file__)]
        theirs += [
            Path("/etc/passwd"),
            Path("/proc"),
            Path("/sys"),
            Path("/var/log"),
            ROOT / ".git",
        ]
        case = attacks.spying([str(path) for path in theirs], server.getsockname()[1])
        graded = grade(PROBLEMS, case.write(tmp_path), "ann", SECRET, shelter, 20)
        socket.create_connection(server.getsockname()).close()  # the server does listen
    assert (graded.status, points(graded)) == ("ok", attacks.FULL), graded.remarks
    assert len(calls_received) <= 1


def test_no_process_is_left():
    own = Sandbox()
    with Session(own, ["x = 1"], [], 20) as session:
        session.run(Graded())
        inside = below(own._spawner.popen.pid)
        assert len(inside) == 5  # bubblewrap once more, the spawner, three for the student
    assert len(set(inside) & set(below(own._spawner.popen.pid))) == 2
    own.close()
    wait_until(lambda: not alive(inside))


def test_killing_the_grader_ends_everything(shelter):
    code = (
        "import os, signal, sys\n"
        "from perceptron_classroom.grading.sandbox import Sandbox\n"
        "shelter = Sandbox()\n"
        "process = shelter.start()\n"
        "process.line.recv(1)\n"
        "print(shelter._spawner.popen.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    wait_until(lambda: not alive([int(done.stdout)]))


def test_too_many_bad_cells_leave_out_the_rest(shelter):
    graded = run_cells(shelter, *[f"import os; os._exit({n})" for n in range(4)], "1 / 0")
    assert graded.status == "died"
    assert "nothing from the cell “import os; os._exit(2)” on was run" in graded.remarks[-1]


@pytest.mark.parametrize(
    "master",
    [
        # Those of the other sets are run by the tests of the notebooks, with the same checks.
        pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * (path.stem != "ps2"))
        for path in sorted(attacks.MASTER.parent.glob("*.ipynb"))
    ],
)
@pytest.mark.parametrize("auto", [False, True], ids=["whole", "auto"])
def test_every_master_earns_all_points_and_its_blank_none(master, auto, shelter, tmp_path):
    problems = problem_sets.read_master(master, auto)
    blank, solved = tmp_path / "blank.ipynb", tmp_path / "solved.ipynb"
    blank.write_text(given := problem_sets.student_version(master, auto), encoding="utf-8")
    # The sheet in Chinese, if there is one, with the answers in code.
    sheet = json.loads(notebook_in("zh_CN", f"book/assignments/{master.stem}", given))
    cells = json.loads(master.read_text("utf-8"))["cells"]
    code = {cell["id"]: cell["source"] for cell in cells if cell["cell_type"] == "code"}
    for cell in sheet["cells"]:
        cell["source"] = code.get(cell["id"], cell["source"])
    solved.write_text(json.dumps(sheet), "utf-8")
    assert auto == all(question.check for question in problems.questions)
    full, none = (grade(problems, path, "ann", SECRET, shelter, 120) for path in (solved, blank))
    coded = [question for question in problems.questions if question.check]
    assert full.status == "ok", full.remarks
    assert [full.questions[q.id]["points"] for q in coded] == [q.points for q in coded]
    assert [none.questions[q.id]["points"] for q in coded] == [0] * len(coded)
    assert all("Write your answer here" in none.questions[q.id]["report"] for q in coded)


@pytest.mark.parametrize(
    ("code", "put_back"),
    [
        ("np.ones(3)", ["import numpy as np"]),
        ("plt.plot(np.ones(3))", ["import matplotlib.pyplot as plt", "import numpy as np"]),
        ("import numpy as np\nnp.ones(3)", []),
        ("from numpy import ones as np", []),
        ("np = 3\nnp", []),
        ("def np(): pass\nnp()", []),
        ("snp.ones(3)", []),
        ("def f(np): return np.ones(3)", []),
        ("# np\n'np is not there'", []),
        ("def f():\n    return np.ones(3)  # import np", ["import numpy as np"]),
        ("x = 'np = 3'\nnp.ones(3)", ["import numpy as np"]),
        ("def (", []),
    ],
)
def test_only_imports_that_were_handed_out_and_are_needed_come_back(code, put_back):
    assert left_out(PROBLEMS, [code]) == put_back
    broken = replace(PROBLEMS, code=("def mend_me(:", "import numpy as np\nx = 1"))
    assert left_out(broken, [code]) == []  # a cell with an answer in it is no hand-out's


# ------------------------------------------------------------------------ time and memory


def burn(seconds):
    """A cell that takes so much of the processor."""
    return (
        f"import time\nend = time.process_time() + {seconds}\nwhile time.process_time() < end: pass"
    )


def test_time_is_the_processors_and_nobody_waits_for_sleep(shelter):
    wait = "import threading, time; time.sleep(100); threading.Event().wait({})"
    assert run_cells(shelter, wait.format(0.1), seconds=0.3).status == "ok"
    assert run_cells(shelter, wait.format(60), seconds=0.3).status == "timeout"


#: Cells that wait for nothing that ever comes, and hold the place of others meanwhile.
WAITING = {
    "sleeps": "import asyncio; await asyncio.sleep(900)",
    "reads": "import os; os.read(3, 1)",
    "waits for itself": "import threading; k = threading.Lock(); k.acquire(); k.acquire()",
    "naps": "import threading\nwhile True: threading.Event().wait(0.01)",
    "catches all": "import select\nwhile True:\n try: select.select([], [], [])\n except: pass",
    "drips": "import os, select\nwhile True:\n os.write(3, b'x')\n select.select([], [], [], .1)",
    "hears nothing": "import signal\nsignal.pthread_sigmask(0, [14])\nsignal.pause()",
    "is stopped": "import os; os.kill(os.getpid(), 19)",
}


@pytest.mark.parametrize("kind", WAITING)
def test_waiting_is_not_computing_and_ends_soon(kind, shelter):
    graded = Graded()
    with Session(shelter, [WAITING[kind], "def f(): pass"], ["f"], 1) as session:
        session.run(graded)
        assert session.known == ["f"]
    assert graded.status == ("died" if kind == "drips" else "timeout")
    assert session.slept
    assert session.at_work < session.seconds


@pytest.mark.parametrize(("cell", "late"), [(WAITING["reads"], False), ("while True: 1", True)])
def test_only_what_computed_is_tried_again(cell, late, shelter, tmp_path):
    case = attacks.Case("slow", attacks.with_cells(cell))
    graded = grade(SHORT, case.write(tmp_path), "ann", SECRET, shelter, 4)
    assert (graded.status, graded.late) == ("timeout", late)
    assert all(points(graded).values())


def test_pictures_and_prints_of_answers_are_kept_from_the_run(shelter, tmp_path):
    drawn = "print(1)\nplt.plot([1]); plt.show()\ndisplay(X4[0])\nX4.shape"
    change = attacks.with_cells(drawn, at=-4)  # below question 1.7
    graded = grade(PROBLEMS, attacks.Case("x", change).write(tmp_path), "ann", SECRET, shelter, 20)
    assert (graded.status, points(graded)) == ("ok", attacks.FULL), graded.remarks
    drawing, more, *_ = graded.outputs.values()  # of question 1.7, and the cell behind it
    assert [list(output["data"]) for output in drawing] == [["image/png"]]
    shown = [output.get("text") or next(iter(output["data"].values())) for output in more]
    assert [shown[0], shown[2], shown[3]] == ["1\n", "array([1., 1., 0.])", "(4, 3)"]


@pytest.mark.parametrize("name", ["ps2", "../2-pla", ""])
def test_what_is_no_notebook_of_this_set_is_left_to_a_person(name, shelter, tmp_path):
    path = tmp_path / "ann.ipynb"
    other = attacks.MASTER.parent / f"{name}.ipynb"
    path.write_text(other.read_text("utf-8") if name else '{"cells": []}', "utf-8")
    graded = grade(PROBLEMS, path, "ann", SECRET, shelter, 20)
    assert (graded.status, points(graded)) == ("unreadable", dict.fromkeys(attacks.FULL))
    assert "is not 'Problem set 1: the model and PLA'" in graded.remarks[0]


def test_a_thousand_slow_cells_end_with_the_time_of_the_notebook(shelter):
    graded = run_cells(shelter, *[f"# {n}\n{burn(0.05)}" for n in range(1000)], seconds=0.5)
    assert graded.status == "timeout"
    found = re.search(r"nothing from the cell “# (\d+)” on was run", graded.remarks[-1])
    assert int(found[1]) <= 5 * 0.5 / 0.05 + 1


def test_more_cells_than_anybody_writes_are_not_run(shelter, tmp_path):
    notebook = {"cells": [{"cell_type": "code", "source": ""}] * 1001}
    graded = graded_as(notebook, shelter, tmp_path)
    assert graded.status == "unreadable"
    assert "expected at most 1000" in graded.remarks[0]


def test_twenty_megabytes_of_empty_cells_take_no_memory(shelter, tmp_path):
    path = tmp_path / "ann.ipynb"
    path.write_text('{"cells": [' + "{}," * 6_600_000 + "{}]}")
    tracemalloc.start()
    graded = grade(PROBLEMS, path, "ann", SECRET, shelter, 20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "expected at most 20000" in graded.remarks[0]
    assert peak < 50_000_000  # the file itself, and little more


@pytest.mark.slow
def test_deadly_functions_are_run_again_while_there_is_time(shelter, tmp_path):
    slow = [burn(0.004)] * 500
    names = ("augment", "predict", "mistakes", "pla", "pla_worst")
    deadly = [f"def {name}(*a):\n    import os; os._exit(0)" for name in names]
    notebook = {"cells": [attacks.cell(source) for source in slow + deadly]}
    graded = graded_as(notebook, shelter, tmp_path, seconds=1)
    assert re.search(r"no time was left|took too long; nothing", "; ".join(graded.remarks))
    assert points(graded) == dict.fromkeys(attacks.FULL, 0)


def test_slow_honest_cells_leave_the_checks_their_time(shelter, tmp_path, monkeypatch):
    monkeypatch.setattr("perceptron_classroom.grading.session.PATIENCE", 0.05)  # all cells: 3 s
    case = attacks.Case("slow", attacks.with_cells(*[burn(1.2)] * 4))
    graded = grade(PROBLEMS, case.write(tmp_path), "ann", SECRET, shelter, 60)
    assert (graded.status, points(graded)) == ("timeout", attacks.FULL), graded.remarks


def test_hints_in_a_sandbox_are_about_what_happened(shelter, tmp_path):
    cell = """
def pla(X, y, picks=[]):
    w, found = np.zeros(X.shape[1]), True
    while found:
        found = False
        for i in range(len(y)):
            if y[i] * (w @ X[i]) <= 0:
                w, found = w + y[i] * X[i], True
                picks.append(i)
    return w, picks
def pla_worst(X, y):
    return X[len(y)]
def predict(w):
    return w
def helper(w):
    return w
def mistakes(w, X, y):
    return helper(w, X)
def augment(points):
    pass
"""
    path = attacks.Case("hints", attacks.with_cells(cell)).write(tmp_path)
    found = grade(PROBLEMS, path, "ann", SECRET, shelter, 20).questions
    assert "remembers earlier calls" in found["1.4"]["report"]
    assert "raised IndexError" in found["1.5"]["sentence"]
    assert (
        "called with 2 arguments, as the question says: predict() takes 1"
        in (found["1.2"]["sentence"])
    )
    assert "raised TypeError: helper() takes 1" in found["1.3"]["sentence"]
    assert "Hint." not in found["1.3"]["report"] + found["1.2"]["report"]
    assert "ends without a `return`" in found["1.1"]["report"]


def test_a_sandbox_that_somebody_ends_costs_one_process(shelter):
    graded = Graded()
    with Session(shelter, ["def f(): return 1"], ["f"], 20) as session:
        session.run(graded)
        os.killpg(shelter._spawner.popen.pid, signal.SIGKILL)
        with pytest.raises(Died), session.within(20):  # what is inside ends a moment later
            list(iter(session.function("f"), None))
        session.run(graded)
        assert session.alive
    assert (graded.status, graded.remarks) == ("ok", [])
    assert run_cells(shelter, "x = 1").status == "ok"


def graded_as(notebook, shelter, tmp_path, seconds=20):
    """The result of a notebook that is written from scratch."""
    path = tmp_path / "ann.ipynb"
    path.write_text(json.dumps(notebook))
    return grade(PROBLEMS, path, "ann", SECRET, shelter, seconds)


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("def pla(X, y): pass", True),
        ("if True:\n    pla = print", True),
        ('text = """\ndef pla(X, y): pass\n"""', False),
        ("# pla = 1\nrun = pla(X, y)\n[pla for pla in ()]", False),
        ("def other():\n    def pla(X, y): pass\n    pla = 1", False),
        ("def pla(X, y: pass", False),
        ("-" * 200_000 + "1", False),  # Python's parser runs out of memory
    ],
)
def test_twice_is_what_the_syntax_tree_says(cell, said):
    remarks = [*twice(["pla"], ["def pla(X, y): return 1", cell])]
    assert (
        remarks
        == [
            f"pla is defined in 2 cells: “def pla(X, y): return 1” and {first_line(cell)}; "
            "the last one counts"
        ]
        * said
    )


@pytest.mark.parametrize(
    ("cell", "remark"),
    [
        (
            "from perceptron_notes import *\ntheirs = separate",
            "import *” imports * from perceptron",
        ),
        (
            "def halts(X, y):\n    import perceptron_notes as pn",
            "“def halts(X, y):” imports perceptron_notes",
        ),
        (
            "own = separate\ndef halts(X, y): return own(X, y)",
            "2.5 uses separate of perceptron_notes, which",
        ),
        (
            "def halts(X, y):\n    pla = pla_of(X)\n    return record(pla)",
            "2.5 uses record of",
        ),
        ("def halts(X, y): return [certify(x) for x in X]", "2.5 uses certify"),
        ("def halts(X, y): return own(X, y)\ndef own(X, y): return pla(X)", "2.5 uses pla of"),
        ("trace = record(pla(X))\ndef halts(X, y): return X", ""),
        ("def halts(X, y): return separated(X, y)", ""),
        ("runs = [record(pla(disc(5, rng))) for _ in range(3)]", ""),
        ("def halts(X, y):\n    record = {}\n    return record[0]", ""),
        ("def halts(X, y):\n    # pla comes back: separate\n    'Is record pla?'", ""),
        ("def halts(X, y):\n    print('perceptron_notes: record')", ""),
        ("def halts(X, pla, *separate):\n    return [record for record in X], separate, pla", ""),
        ("def separate(X): return X\ndef halts(X, y): return separate(X)", ""),
        ("def halts(X, y): return X.record.pla(record=3)", ""),
        ("from perceptron_notes import (\n    certify,\n    pla,\n)  # as handed out", ""),
        ("from my_own import record\ndef halts(X, y): return record(X)", ""),
    ],
)
def test_a_cell_that_names_the_package_gets_a_remark(cell, remark):
    problems = problem_sets.read_master(attacks.MASTER.with_name("ps2.ipynb"))
    said = "; ".join(leaning(problems, [problems.code[0], cell]))
    assert remark in said
    assert remark or not said


@pytest.mark.parametrize(
    ("refuses", "status", "earned", "remark"),
    [
        (False, "ok", 8, "imports pla from perceptron_notes"),
        (True, "cell error", 0, "may not be used in this problem set"),
    ],
)
def test_a_problem_set_may_refuse_the_package(refuses, status, earned, remark, shelter, tmp_path):
    used = "from perceptron_notes import pla as theirs\nown = pla"
    used += "\ndef pla(X, y):\n    unused = theirs\n    return own(X, y)"
    problems = replace(PROBLEMS, refuses=refuses)
    path = attacks.Case("leaning", attacks.with_cells(used)).write(tmp_path)
    graded = grade(problems, path, "ann", SECRET, shelter, 20)
    assert (graded.status, points(graded)["1.4"]) == (status, earned), graded.remarks
    assert remark in "; ".join(graded.remarks)


# ---------------------------------------------------------------------------------- calls


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, -3, 2**70, 0.1, float("inf"), "ö\n", (1, (2.5, [])), Fraction(-3, 7)),
        *(np.float64(0.1), np.bool_(True), np.arange(6).reshape(2, 3), np.zeros((0, 3))),
        *(np.array([[0.1, -0.0, np.nan]]), np.array([True, False]), np.array([1, -1], np.int8)),
        *(np.array([Fraction(1, 3), 2], dtype=object), [np.array(3.0)]),
    ],
    ids=repr,
)
def test_values_travel_whole(value):
    back = calls.unpack(json.loads(json.dumps(calls.pack(value))))
    assert type(back) is type(value)
    assert repr(back) == repr(value)
    if isinstance(value, np.ndarray):
        assert (back.dtype, back.shape, back.flags.writeable) == (value.dtype, value.shape, True)


def test_a_generator_travels_with_its_state_and_its_children():
    rng, same = np.random.default_rng(7), np.random.default_rng(7)
    rng.random(3), same.random(3)
    arrived = calls.unpack(json.loads(json.dumps(calls.pack(rng))))
    assert arrived.random() == same.random()
    assert arrived.spawn(1)[0].random() == same.spawn(1)[0].random()


# ---------------------------------------------------------------------------------- seeds


def test_an_appeal_replays_exactly(shelter, tmp_path):
    path = attacks.Case("wrong", attacks.with_cells(attacks.ZERO)).write(tmp_path)
    result = grade(PROBLEMS, path, "ann", SECRET, shelter, 20).questions["1.2"]
    assert result["seed"] == seed(SECRET, "ps1", "1.2", "ann", code_of(path))
    with pytest.raises(checks.Wrong) as wrong:  # as in the student's own notebook
        checks.predict(lambda w, X: np.where(X @ w >= 0, 1, -1), seed=result["seed"])
    assert str(wrong.value) == result["report"]


def test_seeds_differ_by_everything_they_are_made_from():
    given = [(SECRET, "ps1", "1.2", "ann"), (b"other", "ps1", "1.2", "ann")]
    given += [(SECRET, "ps2", "1.2", "ann"), (SECRET, "ps1", "1.3", "ann")]
    given += [(SECRET, "ps1", "1.2", "bob"), (SECRET, "ps1", "1", ".2ann")]
    given += [(SECRET, "ps1", "1.2", "ann", ["x = 1"]), (SECRET, "ps1", "1.2", "ann", ["x = 2"])]
    seeds = {seed(*each) for each in given}
    assert len(seeds) == len(given)
    assert max(seeds) < 10**10


# ----------------------------------------------------------------------------- the command


def test_a_submission_that_students_code_could_read_is_refused(shelter):
    assert shelter.exposed(Path(sys.prefix) / "submissions") is not None
    assert shelter.exposed(attacks.MASTER) is None


@pytest.mark.parametrize("system", ["darwin", "win32", "linux"])
def test_without_bubblewrap_grading_is_refused(system, monkeypatch):
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: None)
    with pytest.raises(Refused, match=r"bubblewrap is missing" if system == "linux" else "WSL"):
        Sandbox().start()


def test_a_sandbox_that_does_not_start_stops_the_class(empty_school, monkeypatch, capsys, tmp_path):
    empty_school.hand_in("ann")
    fake = tmp_path / "bin" / "bwrap"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")
    assert empty_school.grade() == 1
    said = capsys.readouterr().err
    assert "setting up uid map: Permission denied" in said
    assert "The page for teachers" in said
    assert not empty_school.table.exists()
