"""Grading on a Dask cluster, whose processes are started as Dask's documentation tells a user."""

import base64
import json
import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from threading import Event, Lock, Thread

import attacks
import pytest
from perceptron_classroom.grading import remote as cluster
from perceptron_classroom.grading import submission
from perceptron_classroom.grading.batch import Class
from perceptron_classroom.grading.sandbox import Refused, Sandbox
from processes import alive, below, wait_until
from school import PROBLEMS, School

pytest.importorskip("distributed")
SECRET = "5ec2e7" * 10
HALTS = "import time\ntime.sleep({})"


class Dask:
    """A scheduler on a free port of this machine, and workers, from the command line."""

    def __init__(self, folder, *options):
        self.folder, self.runs, self.options = folder, [], options
        self.scheduler = self.start("scheduler", "--host", "127.0.0.1", "--port", "0")
        file = folder / "scheduler.json"
        wait_until(lambda: file.exists() and file.read_text().endswith("}"))
        self.address = json.loads(file.read_text())["address"]

    def start(self, kind, *words, **changes):
        """Start ``dask scheduler`` or ``dask worker``."""
        line = [sys.executable, "-m", "dask", kind, *map(str, words), *self.options]
        line += ["--no-dashboard", "--scheduler-file", str(self.folder / "scheduler.json")]
        log = (self.folder / f"{kind}.log").open("a")
        with log:
            run = subprocess.Popen(
                line,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env={**os.environ, **changes},
                start_new_session=True,
            )
        self.runs.append(run)
        return run

    def work(self, number=1, *words, **changes):
        """Start worker processes, each with one thread."""
        words += ("--nworkers", number, "--nthreads", 1, "--host", "127.0.0.1")
        return self.start("worker", *words, "--local-directory", self.folder / "space", **changes)

    def graders(self):
        """The workers that have a sandbox below them, in a process of the pool."""
        sandboxes = [pid for run in self.runs for pid in below(run.pid) if b"bwrap" in words(pid)]
        outer = [pid for pid in sandboxes if b"bwrap" not in words(parent(pid))]
        found = {parent(parent(pid)) for pid in outer}
        return sorted(pid for pid in found if parent(pid) in [run.pid for run in self.runs])

    def wait_for(self, number):
        """Wait until so many workers have come."""
        log = self.folder / "worker.log"
        wait_until(lambda: log.exists() and log.read_text().count("Registered to") >= number)

    def close(self):
        """End all processes, and see that they have ended."""
        left = [pid for run in self.runs for pid in (run.pid, *below(run.pid))]
        for run in self.runs:
            run.terminate()
        for run in self.runs:
            try:
                run.wait(20)
            except subprocess.TimeoutExpired:
                run.kill()
                run.wait()
        until = time.monotonic() + 20
        while alive(left) and time.monotonic() < until:
            time.sleep(0.1)
        for pid in (remain := alive(left)):
            os.kill(pid, signal.SIGKILL)
        assert remain == []


def parent(pid):
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def words(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@contextmanager
def started(folder, number=0, *options):
    """A scheduler with workers, for as long as it is needed."""
    with ExitStack() as stack:
        dask = Dask(folder, *options)
        stack.callback(dask.close)
        if number:
            dask.work(number)
        yield dask


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory, shelter):
    """A cluster with two workers."""
    with started(tmp_path_factory.mktemp("dask"), 2) as dask:
        yield dask


@pytest.fixture
def dask(two_workers):
    """The cluster, in which nobody grades any more: processes end a moment after their run."""
    wait_until(lambda: not two_workers.graders())
    return two_workers


@pytest.fixture
def school(empty_school):
    """A class of two, and a secret that is known."""
    empty_school.table.with_suffix(".secret").write_text(SECRET)
    empty_school.hand_in("zebedee-quux")
    empty_school.hand_in("bob", attacks.with_cells(attacks.ZERO))
    return empty_school


def graded(school, dask, *options):
    """What the command ends with, on the cluster."""
    address = dask if isinstance(dask, str) else dask.address
    return school.grade("--cluster", address, *options, jobs=None)


def local_table(school, *options):
    """The table that this machine makes of the same class."""
    folder = school.folder / "local"
    folder.mkdir()
    other = School(folder)
    shutil.copytree(school.submissions, other.submissions, dirs_exist_ok=True)
    other.table.with_suffix(".secret").write_text(SECRET)
    assert other.grade(*options, jobs=2) == 0
    return other.table.read_bytes()


def in_this_process(number):
    """A cluster with so many workers of one thread, which costs no new processes."""
    from distributed import LocalCluster

    here = {"processes": False, "protocol": "tcp", "dashboard_address": None}
    return LocalCluster(n_workers=number, threads_per_worker=1, **here)


def test_a_cluster_grades_as_one_machine_does(school, shelter):
    with in_this_process(1) as workers:
        assert graded(school, workers.scheduler_address) == 0
    totals = {name: (row["1.2"], row["total"]) for name, row in school.rows().items()}
    assert totals == {"zebedee-quux": ("2", "18"), "bob": ("0", "16")}


# --------------------------------------------------------------------------- what is sent


class Relay:
    """Stands between the grader and the scheduler, and keeps every byte that passes."""

    def __init__(self, address):
        kind, _, place = address.partition("://")
        host, _, port = place.rpartition(":")
        self.goal, self.sent, self.got = (host, int(port)), bytearray(), bytearray()
        self.door = socket.create_server(("127.0.0.1", 0))
        self.address = f"{kind}://127.0.0.1:{self.door.getsockname()[1]}"
        Thread(target=self.welcome, daemon=True).start()

    def welcome(self):
        while True:
            try:
                one = self.door.accept()[0]
            except OSError:
                return
            two = socket.create_connection(self.goal)
            for source, sink, kept in ((one, two, self.sent), (two, one, self.got)):
                Thread(target=self.carry, args=(source, sink, kept), daemon=True).start()

    def carry(self, source, sink, kept):
        try:
            while data := source.recv(1 << 16):
                kept += data
                sink.sendall(data)
        except OSError:
            pass
        finally:
            for each in (source, sink):
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)


def forms_of_the_secret():
    """The secret as it is, as bytes, as base64, reversed; a third of each, wherever it begins."""
    plain = SECRET.encode()
    return [plain[:20], bytes.fromhex(SECRET)[:10], base64.b64encode(plain)[:20], plain[::-1][:20]]


@pytest.mark.slow
def test_neither_the_secret_nor_a_name_leaves_the_grader(school, dask, monkeypatch):
    from distributed import Client

    asked, submit = [], Client.submit

    def spy(self, function, *arguments, **options):
        asked.append(pickle.dumps((function, arguments, options)))
        return submit(self, function, *arguments, **options)

    monkeypatch.setattr(Client, "submit", spy)
    relay = Relay(dask.address)
    try:
        assert graded(school, relay.address) == 0
    finally:
        relay.door.close()
    everything = [bytes(relay.sent), bytes(relay.got), *asked]
    for form in (*forms_of_the_secret(), b"zebedee", b"quux"):
        assert not any(form in each for each in everything)
    # All of this was looked at: the code, the seeds, the master.
    assert len(asked) >= 3
    assert b"def predict" in relay.sent
    assert b"BEGIN SOLUTION" in relay.sent
    rows = school.rows()
    for row in rows.values():
        for name in attacks.FULL:
            number = (int(row[f"seed {name}"]) % 2**32).to_bytes(4, "little")  # as in a pickle
            assert any(number in each for each in asked)
            assert number in relay.sent
    assert {name: row["total"] for name, row in rows.items()} == {"zebedee-quux": "18", "bob": "16"}
    assert school.table.read_bytes() == local_table(school)


@pytest.mark.slow
def test_students_reach_neither_the_scheduler_nor_what_dask_keeps(empty_school, dask):
    port = dask.address.rpartition(":")[2]
    empty_school.hand_in(
        "eve",
        attacks.at_start(
            f"""
            import os, socket
            try:
                socket.create_connection(("127.0.0.1", {port}), 2)
            except OSError:
                pass
            else:
                raise RuntimeError("reached the scheduler")
            """,
            f"import os\nassert not os.path.exists({str(dask.folder)!r})",
            "import os\nassert not any('DASK' in name for name in os.environ)",
        ),
    )
    assert graded(empty_school, dask) == 0
    row = empty_school.rows()["eve"]
    assert (row["status"], row["total"]) == ("ok", "18")


# ----------------------------------------------------------------------- who is refused


@pytest.mark.slow
def test_workers_without_a_sandbox_are_refused_by_name(school, tmp_path, shelter, capsys):
    fake = tmp_path / "bin" / "bwrap"
    fake.parent.mkdir()
    fake.write_text('#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap 0.8.0\nexit 1\n')
    fake.chmod(0o755)
    (tmp_path / "dask").mkdir()
    with started(tmp_path / "dask") as dask:
        dask.work(PATH=str(tmp_path))
        dask.work(PATH=str(fake.parent))
        dask.wait_for(2)
        assert graded(school, dask) == 1
        lines = capsys.readouterr().err.splitlines()
        refused = [line for line in lines if " is refused: " in line]
        assert len(refused) == 2
        assert all(line.startswith("tcp://127.0.0.1:") for line in refused)
        assert any("refused: no bubblewrap. On Debian" in line for line in refused)
        assert any("refused: a sandbox does not start: no student's" in line for line in refused)
        assert lines[-1] == (
            f"perceptron-classroom: no worker of {dask.address} can grade; above stands what each "
            "one lacks"
        )
        assert school.table.exists()
        dask.work()
        dask.wait_for(3)
        assert graded(school, dask) == 0  # by the one that can
    assert {row["status"] for row in school.rows().values()} == {"ok"}


@pytest.mark.slow
def test_a_worker_with_another_version_is_refused(school, dask, monkeypatch, capsys):
    here = cluster.versions()
    monkeypatch.setattr(cluster, "versions", lambda: {**here, "Python": "2.7", "numpy": "1.0"})
    assert graded(school, dask) == 1
    said = capsys.readouterr().err
    now = f"it has Python {here['Python']} (the grader has 2.7) and numpy {here['numpy']}"
    assert said.count(f" is refused: {now} (the grader has 1.0)\n") >= 1


@pytest.mark.parametrize("kind", ["tcp", "mars", "tls"])
def test_no_scheduler_is_one_sentence(school, monkeypatch, capsys, kind):
    monkeypatch.setattr(cluster, "CONNECT", 2)
    assert graded(school, f"{kind}://127.0.0.1:1") == 1
    error = capsys.readouterr().err
    assert f"perceptron-classroom: no scheduler answers at {kind}://127.0.0.1:1: " in error
    assert "Traceback" not in error


def test_dask_is_needed_for_a_cluster_only(school, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert graded(school, "tcp://127.0.0.1:1") == 1
    assert "-m pip install 'perceptron_classroom[cluster]'\n" in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--unsafe"], ["--jobs", "2"]])
def test_some_options_are_for_this_machine_only(school, capsys, option):
    assert graded(school, "tcp://127.0.0.1:1", *option) == 1
    assert "--cluster goes with neither --unsafe nor --jobs" in capsys.readouterr().err


# ----------------------------------------------------------------------------- what ends


@pytest.mark.slow
def test_what_a_killed_worker_had_is_graded_elsewhere(school, dask):
    for name in ("cyd", "dan"):
        school.hand_in(name, attacks.at_start(HALTS.format(6)))
    killed = []

    def kill():
        wait_until(dask.graders)
        time.sleep(2)
        killed.append(dask.graders()[0])
        os.kill(killed[0], signal.SIGKILL)

    killer = Thread(target=kill)
    killer.start()
    assert graded(school, dask) == 0
    killer.join()
    assert killed
    assert alive(killed) == []
    assert school.table.read_bytes() == local_table(school)


FIRST, END, WORK = Lock(), Event(), cluster.work


def first_stands_still(*arguments):
    """The first worker that is given a paper does not answer until the end; the other one works."""
    if FIRST.acquire(blocking=False):
        END.wait()
    return WORK(*arguments)


@pytest.mark.slow
def test_a_worker_that_stands_still_is_left_out(school, shelter, monkeypatch, capsys):
    school.hand_in("cyd")
    journal = school.folder / "grades.csv.journal"

    def leaping():
        """A clock that leaps when all but one have been graded, however long that took."""
        done = journal.exists() and journal.read_text().count("\n") >= 2
        return time.monotonic() + 10_000 * done

    monkeypatch.setattr(cluster, "monotonic", leaping)
    monkeypatch.setattr(cluster, "work", first_stands_still)
    with in_this_process(2) as workers:
        try:
            assert graded(school, workers.scheduler_address) == 0
        finally:
            END.set()
    assert " is refused: it has not answered in time\n" in capsys.readouterr().err
    assert {row["total"] for row in school.rows().values()} == {"16", "18"}


@pytest.mark.slow
@pytest.mark.parametrize("how", ["SIGKILL", "SIGSTOP"])
def test_a_lost_scheduler_leaves_the_rows_so_far(school, tmp_path, shelter, capsys, how):
    school.hand_in("zora", attacks.at_start(HALTS.format(15)))
    school.hand_in("zoe", attacks.at_start(HALTS.format(15)))
    (tmp_path / "dask").mkdir()
    journal = school.folder / "grades.csv.journal"
    with started(tmp_path / "dask", 1) as dask:

        def kill():
            wait_until(lambda: journal.exists() and journal.read_text().count("\n") == 2)
            dask.scheduler.send_signal(getattr(signal, how))

        killer = Thread(target=kill)
        killer.start()
        assert graded(school, dask) == 1
        killer.join()
        dask.scheduler.send_signal(signal.SIGCONT)
    said = capsys.readouterr().err
    assert f"perceptron-classroom: the scheduler {dask.address} is gone (" in said
    assert said.endswith("; give the same command again to go on\n")
    assert "Traceback" not in said
    assert sorted(school.rows()) == ["bob", "zebedee-quux"]
    assert school.grade(jobs=2) == 0  # here, or on another cluster
    assert "2 are done or cannot be graded, 2 are left" in capsys.readouterr().err
    assert len(school.rows()) == 4


@pytest.mark.slow
@pytest.mark.parametrize("how", ["SIGINT", "SIGKILL"])
def test_however_the_grader_ends_the_workers_put_all_away(empty_school, dask, how):
    empty_school.hand_in("ann", attacks.at_start(HALTS.format(15 if how == "SIGKILL" else 1000)))
    line = [sys.executable, "-m", "perceptron_classroom", "grade", str(attacks.MASTER)]
    line += [str(empty_school.submissions), "-o", str(empty_school.table)]
    line += ["--cluster", dask.address]
    run = subprocess.Popen(line, stderr=subprocess.PIPE, text=True)
    try:
        wait_until(dask.graders)
        time.sleep(1)
        run.send_signal(getattr(signal, how))
        said = run.communicate(timeout=60)[1]
    finally:
        run.kill()
        run.wait()
    assert "Traceback" not in said
    if how == "SIGINT":
        assert run.returncode == 130
        assert said.endswith("The same command goes on from here.\n")
    # The processes first, then the folder.
    wait_until(lambda: not dask.graders() and not [*(dask.folder / "space").rglob("grading-*")])


# --------------------------------------------------------------------- hostile workers


def answered(change):
    """What is made of a worker's answer for a wrong notebook, once changed."""
    paper = submission.prepared(PROBLEMS, attacks.MASTER, "ann", b"secret" * 8)
    mine = submission.unmarked(PROBLEMS, paper.seeds)
    theirs = json.loads(json.dumps(asdict(mine)))
    change(theirs)
    return cluster.heard(theirs, PROBLEMS, mine)


def test_what_a_worker_says_counts_where_it_may():
    slip = next(each for each in PROBLEMS.questions if each.id == "1.5").check.slips[0].name

    def full(said):
        said["questions"]["1.4"]["points"] = 8
        said["questions"]["1.5"] |= {"points": None, "sentence": "look", "slips": [slip]}
        said["questions"]["1.6"]["points"] = 12  # for a person to give
        said["questions"]["9.9"] = {"points": 100}
        said["remarks"] = ["x\x1b[2J" * 10_000] * 1000

    graded = answered(full)
    assert graded.questions["1.4"]["points"] == 8
    assert graded.questions["1.5"]["sentence"] == "look"
    assert graded.questions["1.6"]["points"] is None
    assert "9.9" not in graded.questions
    assert len(graded.remarks) == submission.REMARKS
    assert max(map(len, graded.remarks)) <= submission.REMARK + 1


@pytest.mark.parametrize(
    "change",
    [
        lambda said: said["questions"]["1.4"].update(points=9),
        lambda said: said["questions"]["1.4"].update(points=-1),
        lambda said: said["questions"]["1.4"].update(points=float("nan")),
        lambda said: said["questions"]["1.4"].update(points="8"),
        lambda said: said["questions"]["1.4"].update(points=True),
        lambda said: said["questions"]["1.4"].update(seed=1),
        lambda said: said["questions"]["1.4"].update(slips=7),
        lambda said: said["questions"]["1.4"].update(slips=["a mistake that nobody knows"]),
        lambda said: said["questions"]["1.4"].update(report=["<script>"]),
        lambda said: said.update(seconds=10**400),
        lambda said: said.update(seconds=-1),
        lambda said: said["questions"]["1.4"].pop("seed"),
        lambda said: said["questions"].pop("1.4"),
        lambda said: said.update(status="excellent"),
        lambda said: said.update(remarks="ok"),
        lambda said: said.update(more=1),
        lambda said: said.clear(),
    ],
)
def test_what_no_honest_worker_says_is_no_answer(change):
    with pytest.raises(ValueError, match=r"."):
        answered(change)


LIES = """
import json, sys
from perceptron_classroom.grading import remote

def lie(run, code, seeds):
    questions = {name: {"points": 100, "seed": seed} for name, seed in seeds.items()}
    return json.dumps({"graded": {"questions": questions}})

remote.work = lie
"""


@pytest.mark.slow
def test_a_worker_that_lies_beyond_belief_is_refused(school, tmp_path, shelter, capsys):
    (tmp_path / "lies.py").write_text(LIES)
    (tmp_path / "dask").mkdir()
    with started(tmp_path / "dask") as dask:
        dask.work(1, "--preload", tmp_path / "lies.py")
        dask.wait_for(1)
        assert graded(school, dask) == 1
        said = capsys.readouterr().err
        assert " is refused: its answer is none: 100 where 0 to 2 was expected\n" in said
        dask.work()
        dask.wait_for(2)
        assert graded(school, dask) == 0
    assert [row["total"] for row in school.rows().values()] == ["16", "18"]


def test_checks_that_cannot_be_sent_are_refused(tmp_path):
    notebook = attacks.solved()
    notebook["metadata"]["perceptron_notes"] = {"checks": "../checks.py"}
    (tmp_path / "own").mkdir()
    (tmp_path / "checks.py").touch()
    master = tmp_path / "own" / "ps1.ipynb"
    master.write_text(json.dumps(notebook))
    with pytest.raises(Refused, match="lies outside of the master's folder"):
        cluster.kit_of(Class(master, b"", Sandbox(), 20))


# --------------------------------------------------------------------------- certificates


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_with_certificates_nothing_can_be_read_on_the_way(school, tmp_path, shelter):
    folder = tmp_path / "dask"
    folder.mkdir()
    key, mine = folder / "me.key", folder / "me.pem"
    line = (
        f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=me -keyout {key} -out {mine}"
    )
    subprocess.run(line.split(), check=True, capture_output=True)
    options = ["--protocol", "tls", "--tls-ca-file", mine, "--tls-cert", mine, "--tls-key", key]
    names = {"CA_FILE": mine, "CLIENT__CERT": mine, "CLIENT__KEY": key}
    settings = {f"DASK_DISTRIBUTED__COMM__TLS__{name}": str(path) for name, path in names.items()}
    with started(folder, 1, *options) as dask:
        relay = Relay(dask.address)
        line = [sys.executable, "-m", "perceptron_classroom", "grade", str(attacks.MASTER)]
        line += [str(school.submissions), "-o", str(school.table), "--cluster", relay.address]
        assert relay.address.startswith("tls://")
        done = subprocess.run(line, env={**os.environ, **settings}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert len(relay.sent) > 10_000
        assert b"def predict" not in relay.sent
        (school.folder / "grades.csv.journal").unlink()
        for address in (relay.address, relay.address.replace("tls", "tcp")):
            line[-1] = address
            done = subprocess.run(line, capture_output=True, text=True)  # without a certificate
            assert done.returncode == 1
            assert f"perceptron-classroom: no scheduler answers at {address}: " in done.stderr
            assert "Traceback" not in done.stderr
        relay.door.close()
    assert [row["total"] for row in school.rows().values()] == ["16", "18"]


# ------------------------------------------------------------------------------ a class
