"""The pool: whatever one submission does to the grader, the others are graded."""

import os
import signal
import subprocess
import sys
import time
from multiprocessing.connection import wait
from pathlib import Path, PosixPath

import attacks
import pytest
from perceptron_classroom.grading import batch, submission
from perceptron_classroom.grading.batch import Class
from perceptron_classroom.grading.collect import Submission
from perceptron_classroom.grading.files import alone
from perceptron_classroom.grading.sandbox import Refused, Sandbox
from processes import alive, below, wait_until
from school import PROBLEMS


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
    """A notebook on which it hangs for ever, after writing a file."""

    def is_symlink(self):
        self.with_name(f"stays {os.getpid()}").touch()
        time.sleep(600)


class Faulty(PosixPath):
    """A notebook that meets a fault of the grader."""

    def is_symlink(self):
        raise AssertionError("a fault")


class Unwelcome(PosixPath):
    """A notebook for which no process can be started, though others can."""

    def is_symlink(self):
        raise Refused("no process for this one")


def slowly(*values):
    """Parameters of the full suite alone."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]


@pytest.fixture
def group():
    return Class(attacks.MASTER, b"secret" * 8, Sandbox(), 0.1)


def graded_with(group, folder, *kinds, jobs=2):
    """The results of unreadable notebooks of these kinds, with ordinary ones between and around."""
    names = [f"student {k}" for k in range(2 * len(kinds) + 1)]
    paths = [
        (kinds[k // 2] if k % 2 else PosixPath)(folder / f"{name}.ipynb")
        for k, name in enumerate(names)
    ]
    for path in paths:
        path.write_text("")
    submissions = [Submission(path.stem, (path,), path.name) for path in paths]
    graded = {this.student: found for this, found in batch.grade_all(group, submissions, jobs)}
    found = [graded[name] for name in names]
    assert {each.status for each in found[::2]} == {"unreadable"}
    return found[1::2]


REMARKS = {
    Deadly: "the grader's own process ended (-9) on this notebook; judge it by hand",
    Faulty: "AssertionError: a fault; judge it by hand",
    Unwelcome: "no process for this one; judge it by hand",
}


@pytest.mark.parametrize("jobs", [2, *slowly(1)])
@pytest.mark.parametrize("kinds", [[Deadly, Faulty], *slowly([Unwelcome])], ids=["two", "one"])
def test_one_submission_costs_no_other(group, tmp_path, kinds, jobs):
    found = graded_with(group, tmp_path, *kinds, jobs=jobs)
    assert [each.remarks for each in found] == [[REMARKS[kind]] for kind in kinds]
    for each in found:
        assert each.status == "not graded"
        assert {result["points"] for result in each.questions.values()} == {None}
        assert each.questions["1.1"]["seed"]


def test_a_process_that_stays_away_is_given_up(group, tmp_path, monkeypatch):
    # The clock leaps when a process stays, so nothing depends on how fast this machine is.
    def leaping():
        return time.monotonic() + 1000 * len(list(tmp_path.glob("stays *")))

    monkeypatch.setattr(batch, "monotonic", leaping)
    monkeypatch.setattr(batch, "wait", lambda lines, _: wait(lines, 0.05))
    (bob,) = graded_with(group, tmp_path, Endless, jobs=1)
    assert bob.status == "not graded"
    assert "the grader spent 129 seconds" in bob.remarks[0]


def test_what_died_once_is_tried_again_alone(group, tmp_path):
    (bob,) = graded_with(group, tmp_path, DeadlyOnce)
    assert bob.status == "unreadable"


def test_what_took_too_long_is_tried_again_and_the_better_result_counts(quick_school, monkeypatch):
    quick_school.hand_in("ann")
    given = iter([2, 0, 1, 0, 4])

    def run(group, waiting, _):
        for this in waiting:
            graded = submission.unscored(PROBLEMS, this.student, group.secret)
            graded.questions["1.4"]["points"] = points = next(given)
            graded.note("ok" if points == 4 else "timeout", "1.4")
            yield this, graded

    monkeypatch.undo()
    monkeypatch.setattr(batch, "side_by_side", run)
    for points in ("2", "2", "4", "4"):  # the second run finds less, and the fourth runs nothing
        assert quick_school.grade() == 0
        assert quick_school.rows()["ann"]["1.4"] == points


# ---------------------------------------------------------------------------------- ends


def started(school):
    """The command in a process of its own, once a student's endless code runs."""
    school.hand_in("ann", attacks.at_start("while True: pass"))
    line = [sys.executable, "-m", "perceptron_classroom", "grade", str(attacks.MASTER)]
    line += [str(school.submissions), "-o", str(school.table), "--jobs", "1"]
    run = subprocess.Popen(line, start_new_session=True, stderr=subprocess.PIPE, text=True)
    # In a sandbox, the spawner comes first, and two that make the student's namespaces.
    wait_until(lambda: len(workers(run.pid)) >= 4)
    time.sleep(0.5)
    return run


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


@pytest.mark.parametrize("how", ["SIGINT", "SIGKILL"])
def test_however_the_grader_ends_nothing_is_left_behind(how, empty_school, shelter):
    run = started(empty_school)
    left = below(run.pid)
    assert left
    run.send_signal(getattr(signal, how))
    said = run.communicate(timeout=60)[1]
    assert run.returncode == {"SIGINT": 130, "SIGKILL": -9}[how]
    assert "Traceback" not in said
    wait_until(lambda: not alive(left))
    names = {path.name for path in empty_school.folder.iterdir()}
    assert names == {"submissions", "grades.secret", "grades.csv.journal"}


def test_two_runs_at_once_do_not_mix(quick_school, capsys):
    quick_school.hand_in("ann")
    with alone(quick_school.table):
        assert quick_school.grade() == 1
    assert "another run is at work on" in capsys.readouterr().err
    assert not quick_school.table.exists()
