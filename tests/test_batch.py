"""The pool: whatever one submission does to the grader, the others are graded."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path, PosixPath

import attacks
import numpy as np
import pytest

from perceptron_notes.grading import batch
from perceptron_notes.grading.batch import Class
from perceptron_notes.grading.collect import Submission
from perceptron_notes.grading.sandbox import Refused, Sandbox


class Deadly(PosixPath):
    """A notebook on which the grader's own process dies."""

    def is_symlink(self):
        os.kill(os.getpid(), signal.SIGKILL)


class DeadlyOnce(PosixPath):
    """A notebook on which it dies the first time."""

    def is_symlink(self):
        mark = Path(f"{self}.seen")
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().is_symlink()


class Endless(PosixPath):
    """A notebook on which it stays for ever."""

    def is_symlink(self):
        time.sleep(600)


class Faulty(PosixPath):
    """A notebook that meets a fault of the grader."""

    def is_symlink(self):
        raise AssertionError("a fault")


class Unwelcome(PosixPath):
    """A notebook for which no process can be started, though others can."""

    def is_symlink(self):
        raise Refused("no process for this one")


class Counting(PosixPath):
    """A notebook that tells how many threads its grader has."""

    def is_symlink(self):
        big = np.ones((500, 500))
        big @ big
        raise AssertionError(f"{len(os.listdir('/proc/self/task'))} threads")


@pytest.fixture
def group():
    return Class(attacks.MASTER, b"secret" * 8, Sandbox(unsafe=True), 0.1)


def graded_with(group, tmp_path, kind, jobs=2):
    """The results of three unreadable notebooks, the second of the kind."""
    paths = [PosixPath(tmp_path / "ann.ipynb"), kind(tmp_path / "bob.ipynb")]
    paths.append(PosixPath(tmp_path / "cyd.ipynb"))
    for path in paths:
        path.write_text("")
    submissions = [Submission(path.stem, (path,), path.name) for path in paths]
    return {this.student: graded for this, graded in batch.grade_all(group, submissions, jobs)}


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("kind", "remark"),
    [
        (Deadly, "the grader's own process ended (-9) on this notebook; judge it by hand"),
        (Faulty, "AssertionError: a fault; judge it by hand"),
        (Unwelcome, "no process for this one; judge it by hand"),
    ],
)
def test_one_submission_costs_no_other(group, tmp_path, kind, remark, jobs):
    graded = graded_with(group, tmp_path, kind, jobs)
    assert [graded[name].status for name in ("ann", "bob", "cyd")] == [
        "unreadable",
        "not graded",
        "unreadable",
    ]
    assert graded["bob"].remarks == [remark]
    assert {result["points"] for result in graded["bob"].questions.values()} == {None}
    assert graded["bob"].questions["1.1"]["seed"]


def test_a_process_that_stays_away_is_given_up(group, tmp_path, monkeypatch):
    monkeypatch.setattr(batch, "GRACE", 8)
    graded = graded_with(group, tmp_path, Endless)
    assert graded["bob"].status == "not graded"
    assert "the grader spent 9.5 seconds" in graded["bob"].remarks[0]
    assert graded["cyd"].status == "unreadable"


def test_a_process_of_the_pool_computes_in_one_thread(group, tmp_path):
    before = dict(os.environ)
    graded = graded_with(group, tmp_path, Counting)
    # The other thread waits for the end of the grader.
    assert graded["bob"].remarks == ["AssertionError: 2 threads; judge it by hand"]
    assert dict(os.environ) == before


def test_what_died_once_is_tried_again_alone(group, tmp_path):
    graded = graded_with(group, tmp_path, DeadlyOnce)
    assert {each.status for each in graded.values()} == {"unreadable"}


def test_where_nothing_can_be_graded_the_class_stops(tmp_path, monkeypatch):
    fake = tmp_path / "bin" / "bwrap"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")
    group = Class(attacks.MASTER, b"secret" * 8, Sandbox(), 0.1)
    with pytest.raises(Refused, match="no student's process can be started"):
        graded_with(group, tmp_path, Unwelcome)


# ---------------------------------------------------------------------------------- ends


ENDLESS = """
import time
time.sleep(1000)
"""


def begun(school, *words):
    """The command in a process of its own, with an endless notebook to grade."""
    school.hand_in("ann", attacks.at_start(ENDLESS))
    line = [sys.executable, "-m", "perceptron_notes", "grade", str(attacks.MASTER)]
    line += [str(school.submissions), "-o", str(school.table), "--jobs", "1", *words]
    return subprocess.Popen(line, start_new_session=True, stderr=subprocess.PIPE, text=True)


def started(school, *words):
    """The command, once a student's code runs."""
    run = begun(school, *words)
    # In a sandbox, the nest comes first, and two that make the student's world.
    wait_until(lambda: len(workers(run.pid)) >= (1 if "--unsafe" in words else 4))
    time.sleep(0.5)
    return run


def wait_until(reached):
    """Wait for something, for so long that it must have come."""
    deadline = time.monotonic() + 100
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def below(pid):
    """All processes that descend from one."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(path.parent.name))
    todo, found = [pid], []
    while todo:
        children = parents.get(todo.pop(), [])
        found += children
        todo += children
    return found


def workers(pid):
    """The processes below one that run students' code, or wait to."""
    found = []
    for each in below(pid):
        try:
            words = Path(f"/proc/{each}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if not words[0].endswith(b"bwrap") and any(b".main(settings)" in w for w in words):
            found.append(each)
    return found


def alive(pids):
    """Those of the processes that run."""
    running = []
    for pid in pids:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
                running.append(pid)
        except OSError:
            continue
    return running


@pytest.mark.parametrize("unsafe", [False, True], ids=["sandbox", "unsafe"])
@pytest.mark.parametrize("how", ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"])
def test_however_the_grader_ends_nothing_is_left_behind(how, unsafe, empty_school, shelter):
    run = started(empty_school, *["--unsafe"] * unsafe)
    left = below(run.pid)
    assert left
    run.send_signal(getattr(signal, how))
    said = run.communicate(timeout=60)[1]
    assert run.returncode == {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129, "SIGKILL": -9}[how]
    assert "Traceback" not in said
    deadline = time.monotonic() + 20
    while alive(left) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert alive(left) == []
    names = {path.name for path in empty_school.folder.iterdir()}
    assert names == {"submissions", "grades.secret", "grades.csv.journal"}


@pytest.mark.parametrize("delay", [0.1, 0.4, 1])
def test_ctrl_c_is_quiet_while_processes_start(empty_school, shelter, delay):
    run = begun(empty_school)
    wait_until((empty_school.folder / "grades.csv.journal").exists)
    time.sleep(delay)
    os.killpg(run.pid, signal.SIGINT)  # a terminal sends it to all
    said = run.communicate(timeout=60)[1]
    assert run.returncode == 130
    assert "Traceback" not in said
    assert said.endswith("The same command goes on from here.\n")


def test_two_runs_at_once_do_not_mix(empty_school, shelter, capsys):
    run = started(empty_school)
    try:
        assert empty_school.grade() == 1
        assert "another run is at work on" in capsys.readouterr().err
        assert not empty_school.table.exists()
    finally:
        run.terminate()
        run.communicate(timeout=60)
