"""Grading: right points for honest notebooks, no harm from others, nothing lost."""

import csv
import hashlib
import json
import os
import re
import shlex
import socket
import stat
import subprocess
import sys
import threading
from fractions import Fraction
from pathlib import Path

import attacks
import numpy as np
import pytest

from perceptron_notes import checks, problem_sets
from perceptron_notes.grading import (
    batch,
    calls,
    collect,
    command,
    report,
    sandbox,
    submission,
    table,
    terminal,
)
from perceptron_notes.grading.sandbox import Refused, Sandbox
from perceptron_notes.grading.submission import Graded, Session, grade, seed

ROOT = Path(__file__).parent.parent
SECRET = b"a secret of the tests, long enough"
PROBLEMS = problem_sets.read(attacks.MASTER)
HANDED_OUT = report.handed_out(attacks.MASTER)


@pytest.fixture(scope="module")
def shelter():
    """A sandbox as the command makes it."""
    shelter = Sandbox(seconds=60, fonts=sandbox.gather_fonts())
    try:
        with Session(shelter, [], [], 20) as session:
            session.run(Graded())
    except Refused as error:
        if os.environ.get("CI") == "true":
            pytest.fail(str(error))
        pytest.skip(str(error))
    yield shelter
    shelter.close()


def points(graded):
    """The points of the questions that a check judges."""
    found = {name: result["points"] for name, result in graded.questions.items()}
    return {name: found[name] for name in attacks.FULL}


def reports(graded):
    return "\n".join(result.get("report", "") for result in graded.questions.values())


def snapshot(folder):
    """Every file below, with what it holds and how it may be used."""
    return {
        path.relative_to(folder): (
            path.lstat().st_mode,
            path.lstat().st_mtime_ns,
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
        )
        for path in sorted(folder.rglob("*"))
    }


def run_cells(shelter, *cells, seconds=20):
    """The remarks on cells that run by themselves."""
    graded = Graded()
    with Session(shelter, list(cells), [], seconds) as session:
        session.run(graded)
    return graded


# -------------------------------------------------------------------------------- attacks


@pytest.mark.parametrize("case", attacks.CASES, ids=lambda case: case.name)
def test_right_points_and_status(case, shelter, tmp_path):
    path = case.write(tmp_path)
    before = snapshot(tmp_path)
    seconds = 3 if case.status == "timeout" else 20
    graded = grade(PROBLEMS, path, "ann", SECRET, shelter, seconds)
    assert (graded.status, points(graded)) == (case.status, case.points), graded.remarks
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


def test_the_attacks_would_succeed_without_a_sandbox(tmp_path):
    # Otherwise the table above would prove nothing: here the same cells find what they look for.
    open_air = Sandbox(unsafe=True)
    (tmp_path / "secret").write_text("found")
    reading = f"raise ValueError(open({str(tmp_path / 'secret')!r}).read())"
    writing = f"open({str(tmp_path / 'new')!r}, 'w').write('x')"
    graded = run_cells(open_air, reading, writing)
    assert "ValueError: found" in graded.remarks[0]
    assert (tmp_path / "new").exists()
    if os.getuid() == 0:  # whom no limit on processes binds
        assert run_cells(open_air, "import os\nif not os.fork(): os._exit(0)").status == "ok"


def test_no_process_is_left(shelter, tmp_path):
    own = Sandbox()
    run_cells(own, "x = 1")
    inside = own._nest.popen.pid
    own.close()
    assert not Path(f"/proc/{inside}").exists()
    tables = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if readable(path)]
    workers = [line for line in tables if b"worker.py" in line]
    nests = [line for line in workers if b"bwrap" not in line.split(b"\0")[0]]
    assert len(nests) <= 1  # of the sandbox that all tests share


def readable(path):
    try:
        return bool(path.read_bytes())
    except OSError:
        return False


def test_killing_the_grader_ends_everything(shelter):
    code = (
        "import os, signal, sys\n"
        "from perceptron_notes.grading.sandbox import Sandbox\n"
        "shelter = Sandbox()\n"
        "process = shelter.start()\n"
        "process.lines_out.readline()\n"
        "print(shelter._nest.popen.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    pid = int(done.stdout)
    for _ in range(100):
        if not Path(f"/proc/{pid}/cmdline").exists() or not readable(Path(f"/proc/{pid}/cmdline")):
            return
        threading.Event().wait(0.05)
    raise AssertionError("the sandbox outlived the grader")


def test_too_many_bad_cells_leave_out_the_rest(shelter):
    graded = run_cells(shelter, *["import os; os._exit(0)"] * 4, "1 / 0")
    assert graded.status == "died"
    assert graded.remarks[-1] == "nothing from cell 3 on was run"


def test_a_notebook_gets_five_times_the_seconds_of_a_cell(shelter):
    graded = run_cells(shelter, *["import time; time.sleep(0.8)"] * 8, seconds=1)
    assert graded.status == "timeout"


@pytest.mark.parametrize(
    "master", sorted(attacks.MASTER.parent.glob("*.ipynb")), ids=lambda m: m.stem
)
def test_every_master_earns_all_points_and_its_blank_none(master, shelter, tmp_path):
    problems = problem_sets.read(master)
    blank = tmp_path / "blank.ipynb"
    blank.write_text(problem_sets.student_version(master), encoding="utf-8")
    full, none = (grade(problems, path, "ann", SECRET, shelter, 20) for path in (master, blank))
    coded = [question for question in problems.questions if question.check]
    assert full.status == "ok", full.remarks
    assert [full.questions[q.id]["points"] for q in coded] == [q.points for q in coded]
    assert [none.questions[q.id]["points"] for q in coded] == [0] * len(coded)
    assert all("Write your answer here" in none.questions[q.id]["report"] for q in coded)


# ---------------------------------------------------------------------------------- calls


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        -3,
        2**70,
        0.1,
        float("inf"),
        "ö\n",
        (1, (2.5, [])),
        Fraction(-3, 7),
        np.float64(0.1),
        np.bool_(True),
        np.arange(6).reshape(2, 3),
        np.array([[0.1, -0.0, np.nan]]),
        np.zeros((0, 3)),
        np.array([True, False]),
        np.array([1, -1], dtype=np.int8),
        np.array([Fraction(1, 3), 2], dtype=object),
        [np.array(3.0)],
    ],
    ids=repr,
)
def test_values_travel_whole(value):
    back = calls.unpack(json.loads(json.dumps(calls.pack(value))))
    assert type(back) is type(value)
    assert repr(back) == repr(value)
    if isinstance(value, np.ndarray):
        assert (back.dtype, back.shape, back.flags.writeable) == (value.dtype, value.shape, True)


def test_a_generator_travels_with_its_state():
    rng = np.random.default_rng(1)
    rng.random()
    back = calls.unpack(json.loads(json.dumps(calls.pack(rng))))
    assert back.random() == rng.random()


def test_what_cannot_travel_is_named():
    back = calls.unpack(json.loads(json.dumps(calls.pack({"w": 1}))))
    assert (back.kind, back.text) == ("dict", "{'w': 1}")


@pytest.mark.parametrize(
    "nonsense",
    [
        {},
        {"fraction": [1, 0]},
        {"array": "!", "dtype": "<f8", "shape": [1]},
        {"array": "", "dtype": "<f8", "shape": [5]},
        {"array": "", "dtype": "|O", "shape": [0]},
        {"array": "", "dtype": "<f8", "shape": None},
        {"items": [1], "shape": "x"},
        {"generator": {"bit_generator": "PCG64"}},
        {"tuple": 5},
        [{"__class__": "os"}],
    ],
    ids=repr,
)
def test_nonsense_is_refused(nonsense):
    with pytest.raises(ValueError, match=r"packed value|hold together"):
        calls.unpack(nonsense)


# ---------------------------------------------------------------------------------- seeds


def test_an_appeal_replays_exactly(shelter, tmp_path):
    path = attacks.Case("wrong", attacks.with_cells(attacks.ZERO)).write(tmp_path)
    result = grade(PROBLEMS, path, "ann", SECRET, shelter, 20).questions["1.2"]
    assert result["seed"] == seed(SECRET, "ps1", "1.2", "ann")
    with pytest.raises(checks.Wrong) as wrong:  # as in the student's own notebook
        checks.predict(lambda w, X: np.where(X @ w >= 0, 1, -1), seed=result["seed"])
    assert str(wrong.value) == result["report"]


def test_seeds_differ_by_everything_they_are_made_from():
    given = [(SECRET, "ps1", "1.2", "ann"), (b"other", "ps1", "1.2", "ann")]
    given += [(SECRET, "ps2", "1.2", "ann"), (SECRET, "ps1", "1.3", "ann")]
    given += [(SECRET, "ps1", "1.2", "bob"), (SECRET, "ps1", "1", ".2ann")]
    seeds = {seed(*each) for each in given}
    assert len(seeds) == len(given)
    assert max(seeds) < 10**10


# ----------------------------------------------------------------------------- the command


@pytest.fixture
def school(tmp_path, shelter):
    """A folder with three submissions, and a way to grade them."""
    submissions = tmp_path / "submissions"
    submissions.mkdir()
    for name, change in {
        "ann": attacks.nothing,
        "bob": attacks.with_cells(attacks.ZERO),
        "cyd": attacks.with_cells("1 / 0"),
    }.items():
        attacks.Case(name, change).write(submissions)
    return School(tmp_path)


class School:
    def __init__(self, folder):
        self.folder, self.table = folder, folder / "grades.csv"

    def grade(self, *words, jobs=1):
        return command.main(
            [
                *("grade", str(attacks.MASTER), str(self.folder / "submissions")),
                *("-o", str(self.table), "--jobs", str(jobs), *map(str, words)),
            ]
        )

    def rows(self):
        with self.table.open(encoding="utf-8-sig", newline="") as file:
            return {row["student"]: row for row in csv.DictReader(file)}

    def enter(self, student, **cells):
        rows = self.rows()
        rows[student] |= cells
        with self.table.open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.DictWriter(file, rows[student], restval="")
            writer.writeheader()
            writer.writerows(rows.values())


def test_a_class_from_start_to_table(school, capsys):
    before = snapshot(school.folder / "submissions")
    (school.folder / "submissions" / "dan.ipynb").write_text("")
    (school.folder / "submissions" / "eve").mkdir()
    (school.folder / "submissions" / ".DS_Store").write_text("")
    (school.folder / "submissions" / "fay.py").write_text("print(1)")
    assert school.grade("--feedback", school.folder / "pages", jobs=2) == 0
    rows = school.rows()
    assert {name: (row["status"], row["total"]) for name, row in rows.items()} == {
        "ann": ("ok", "18"),
        "bob": ("ok", "16"),
        "cyd": ("cell error", "18"),
        "dan": ("unreadable", "0"),
        "eve": ("unreadable", "0"),
        "fay": ("unreadable", "0"),
    }
    assert list(rows["bob"]) == table.columns(PROBLEMS)
    assert [rows["bob"][f"1.{n}"] for n in range(1, 8)] == ["2", "0", "2", "8", "4", "", ""]
    assert rows["bob"]["out of"] == "30"
    secret = school.folder / "grades.secret"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    number = seed(secret.read_bytes().strip(), "ps1", "1.2", "bob")
    assert rows["bob"]["seed 1.2"] == str(number)
    pages = {path.name for path in (school.folder / "pages").iterdir()}
    assert pages == {f"{name}.html" for name in rows}
    assert f"seed={number}" in (school.folder / "pages" / "bob.html").read_text(encoding="utf-8")
    after = snapshot(school.folder / "submissions")
    assert {path: after[path] for path in before} == before
    said = capsys.readouterr().err
    assert "6 of 6" not in said  # three could not be graded at all
    assert "3 unreadable" in said


def test_a_stopped_run_goes_on(school, monkeypatch, capsys):
    grade_all = batch.grade_all

    def stopped(*arguments):
        for count, result in enumerate(grade_all(*arguments)):
            if count == 2:
                raise KeyboardInterrupt
            yield result

    monkeypatch.setattr(batch, "grade_all", stopped)
    assert school.grade() == 130
    assert not school.table.exists()
    journal = school.folder / "grades.csv.journal"
    with journal.open("a") as file:
        file.write('{"key": "cut of')
    graded = []
    monkeypatch.setattr(
        batch, "grade_all", lambda group, rest, jobs: map_back(graded, grade_all(group, rest, jobs))
    )
    assert school.grade() == 0
    assert len(graded) == 1
    assert {row["total"] for row in school.rows().values()} == {"18", "16"}
    assert "2 are done" in capsys.readouterr().err
    assert school.grade() == 0
    assert len(graded) == 1


def map_back(seen, results):
    for result in results:
        seen.append(result)
        yield result


def test_an_edited_submission_is_graded_again_and_only_that(school, monkeypatch):
    assert school.grade() == 0
    attacks.Case("bob", attacks.nothing).write(school.folder / "submissions")
    graded = []
    grade_all = batch.grade_all
    monkeypatch.setattr(
        batch, "grade_all", lambda group, rest, jobs: map_back(graded, grade_all(group, rest, jobs))
    )
    assert school.grade() == 0
    assert [this.student for this, _ in graded] == ["bob"]
    assert school.rows()["bob"]["total"] == "18"


def test_what_a_person_enters_is_never_lost(school, capsys):
    assert school.grade() == 0
    school.enter("ann", **{"1.6": "4,5", "comment": "Well argued.", "late": "1 day"})
    school.enter("bob", **{"1.2": "1", "1.7": "-1"})
    attacks.Case("ann", attacks.with_cells(attacks.ZERO)).write(school.folder / "submissions")
    attacks.Case("bob", attacks.without("def pla(")).write(school.folder / "submissions")
    assert school.grade("--feedback", school.folder / "pages") == 0
    ann, bob = school.rows()["ann"], school.rows()["bob"]
    assert (ann["1.6"], ann["comment"], ann["late"]) == ("4,5", "Well argued.", "1 day")
    assert (ann["1.2"], ann["total"]) == ("0", "20.5")  # the grader's own points follow
    assert (bob["1.2"], bob["1.4"], bob["1.7"], bob["total"]) == ("1", "0", "-1", "8")
    assert "kept points that were entered by hand: bob, 1.2: 1" in capsys.readouterr().err
    page = (school.folder / "pages" / "ann.html").read_text(encoding="utf-8")
    assert "Well argued." in page
    assert "4.5 of 6" in page


def test_rows_of_students_who_are_gone_stay(school):
    assert school.grade() == 0
    (school.folder / "submissions" / "bob.ipynb").unlink()
    assert school.grade() == 0
    assert school.rows()["bob"]["total"] == "16"


def test_only_one_student_is_graded_anew(school, capsys):
    assert school.grade() == 0
    before = school.rows()
    assert school.grade("--only", "bob") == 0
    assert school.rows() == before
    said = capsys.readouterr().err
    assert "1.2: 0 of 2, seed " + before["bob"]["seed 1.2"] in said
    assert "predict: the prediction of sample" in said
    assert school.grade("--only", "zoe") == 1
    assert "no submission of the student 'zoe'" in capsys.readouterr().err


def test_a_roster_says_whose_a_submission_is(school):
    submissions = school.folder / "submissions"
    (submissions / "ann.ipynb").rename(submissions / "Ann Smith_12345_ps1.ipynb")
    (submissions / "bob.ipynb").rename(submissions / "bobs-homework.ipynb")
    (submissions / "cyd.ipynb").rename(submissions / "dan_12345.ipynb")
    roster = school.folder / "roster.csv"
    roster.write_text("\ufeffstudent;file\r\n12345;\r\nbob;bobs-homework.ipynb\r\ndan;\r\nfay;\r\n")
    assert school.grade("--roster", roster) == 0
    rows = school.rows()
    assert {name: row["status"] for name, row in rows.items()} == {
        "12345": "ok",
        "bob": "ok",
        "dan": "missing",
        "dan_12345": "not on roster",  # one of two students', so nobody's
        "fay": "missing",
    }
    assert rows["dan_12345"]["total"] == "18"
    assert rows["fay"]["total"] == "0"


def test_two_submissions_of_one_student_are_not_chosen_between(school):
    other = school.folder / "submissions" / "ann"
    (other / ".ipynb_checkpoints").mkdir(parents=True)
    attacks.Case("x", attacks.nothing).write(other / ".ipynb_checkpoints")
    attacks.Case("ps1", attacks.nothing).write(other)
    assert school.grade() == 0
    assert school.rows()["ann"]["status"] == "unreadable"
    assert "ps1.ipynb, ann.ipynb; expected one" in school.rows()["ann"]["remark"]


def test_a_folder_of_a_student_may_hold_other_sets(school):
    other = school.folder / "submissions" / "gil"
    other.mkdir()
    attacks.Case("ps1", attacks.nothing).write(other)
    attacks.Case("ps2", attacks.without("def ")).write(other)
    assert school.grade() == 0
    assert school.rows()["gil"]["total"] == "18"


def test_links_are_not_followed(school):
    (school.folder / "grades.secret").write_text("0" * 64)
    (school.folder / "submissions" / "lee.ipynb").symlink_to(school.folder / "grades.secret")
    os.mkfifo(school.folder / "submissions" / "kim.ipynb")
    assert school.grade() == 0
    assert school.rows()["lee"]["remark"] == "lee.ipynb is no ordinary file"
    assert school.rows()["kim"]["remark"] == "kim.ipynb is no ordinary file"


@pytest.mark.parametrize(
    ("spoil", "words", "sentence"),
    [
        (lambda s: s.table.write_text("name,points\nann,3\n"), [], "expected one named `student`"),
        (lambda s: s.table.write_text("student,2.1\nann,3\n"), [], "no column 'file'"),
        (lambda s: s.table.write_text("student\nann\nann\n"), [], "two rows for the student 'ann'"),
        (lambda s: s.table.write_bytes("student\nÄ".encode("latin-1")), [], "in UTF-8"),
        (lambda s: (s.folder / "short").write_text("abc"), ["--secret-file", "short"], "16"),
        (lambda s: None, ["--secret-file", "nowhere"], "nowhere does not exist"),
        (lambda s: None, ["--roster", "nowhere"], "nowhere"),
        (lambda s: None, ["--feedback", "submissions/pages"], "among the submissions"),
        (lambda s: None, ["-o", "submissions/grades.csv"], "among the submissions"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_refusals_say_what_was_expected(school, monkeypatch, capsys, spoil, words, sentence):
    monkeypatch.chdir(school.folder)
    spoil(school)
    before = school.table.read_bytes() if school.table.exists() else None
    assert school.grade(*words) == 1
    assert sentence in capsys.readouterr().err
    assert (school.table.read_bytes() if school.table.exists() else None) == before
    assert not (school.folder / "submissions" / "pages").exists()


def test_a_submission_that_students_code_could_read_is_refused(shelter):
    assert shelter.exposed(Path(sys.prefix) / "submissions") is not None
    assert shelter.exposed(attacks.MASTER) is None


@pytest.mark.parametrize("missing", ["linux", "bwrap"])
def test_without_bubblewrap_grading_is_refused(missing, monkeypatch):
    if missing == "linux":
        monkeypatch.setattr(sys, "platform", "darwin")
    else:
        monkeypatch.setattr(sandbox.shutil, "which", lambda name: None)
    with pytest.raises(Refused, match=r"bubblewrap.*--unsafe"):
        Sandbox().start()


def test_unsafe_grading_gives_the_same_points(school, monkeypatch):
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: None)
    assert school.grade("--unsafe") == 0
    assert [row["total"] for row in school.rows().values()] == ["18", "16", "18"]


def test_a_sandbox_that_does_not_start_stops_the_class(school, monkeypatch, capsys, tmp_path):
    fake = tmp_path / "bin" / "bwrap"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")
    assert school.grade() == 1
    said = capsys.readouterr().err
    assert "setting up uid map: Permission denied" in said
    assert "The page for teachers" in said
    assert not school.table.exists()


def test_the_students_version_is_made(tmp_path, capsys):
    out = tmp_path / "out" / "ps1.ipynb"
    assert command.main(["student", str(attacks.MASTER), "-o", str(out)]) == 0
    assert out.read_text(encoding="utf-8") == problem_sets.student_version(attacks.MASTER)
    assert command.main(["student", str(attacks.MASTER)]) == 0
    assert capsys.readouterr().out == out.read_text(encoding="utf-8")
    assert command.main(["student", str(attacks.MASTER), "-o", str(attacks.MASTER)]) == 1
    assert "the master itself" in capsys.readouterr().err
    assert command.main(["student", str(tmp_path / "none.ipynb")]) == 1
    assert "none.ipynb" in capsys.readouterr().err


def test_the_module_runs_as_a_command():
    done = subprocess.run(
        [sys.executable, "-m", "perceptron_notes", "--help"], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert "student" in done.stdout
    assert "grade" in done.stdout


@pytest.mark.parametrize("page", ["README.md", "book/teaching.md"])
def test_the_commands_in_the_documents_are_understood(page):
    lines = (ROOT / page).read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    commands = [shlex.split(line) for line in lines if re.match(r" *\S*perceptron-notes \w", line)]
    commands = [words for words in commands if "MASTER" not in words]
    assert len(commands) >= 2
    for program, *words in commands:
        assert program.removeprefix(".venv/bin/") == "perceptron-notes"
        command.parser().parse_args(words)


@pytest.mark.parametrize("on_screen", [True, False])
def test_progress_is_a_bar_or_a_line_now_and_then(on_screen, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: on_screen)
    progress = terminal.Progress(50)
    for _ in range(50):
        progress.step()
    said = capsys.readouterr().err
    assert said.count("\r") == (50 if on_screen else 0)
    assert said.count("\n") == (1 if on_screen else 10)
    assert said.endswith("50/50\n" if on_screen else "50 of 50 graded\n")


# ---------------------------------------------------------------------------------- table


def test_names_of_files_become_no_formulas(tmp_path):
    row = dict.fromkeys(table.columns(PROBLEMS), "") | {
        "student": "=1+1",
        "remark": "@x",
        "1.6": "-2",
    }
    table.write_table(tmp_path / "t.csv", [row], PROBLEMS)
    text = (tmp_path / "t.csv").read_text(encoding="utf-8-sig")
    assert "'=1+1" in text
    assert "'@x" in text
    assert ",-2," in text
    assert table.read_table(tmp_path / "t.csv", PROBLEMS) == [row]


# --------------------------------------------------------------------------------- report


def handed_in(change):
    notebook = json.loads(problem_sets.student_version(attacks.MASTER))
    change(notebook["cells"])
    return [{**cell, "source": "".join(cell["source"])} for cell in notebook["cells"]]


def words(source):
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def blanks(cells):
    return [i for i, cell in enumerate(cells) if cell["source"] == problem_sets.TEXT_BLANK]


def answer_first(cells):
    cells[blanks(cells)[0]]["source"] = "My first answer."


def answer_both(cells):
    for order, i in enumerate(blanks(cells)):
        cells[i]["source"] = f"Answer {order}."


def answer_in_pieces(cells):
    i = blanks(cells)[1]
    cells[i : i + 1] = [words("Piece one."), words(""), attacks.cell("draw()"), words("Piece two.")]


def answer_and_solve(cells):
    answer_both(cells)
    for each in cells:
        each["source"] = each["source"].replace("raise NotImplementedError", "return 1 #")


def delete_all_questions(cells):
    answer_both(cells)
    cells[:] = [each for each in cells if not each["source"].startswith("## ")]


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda cells: None, ([], [])),
        (answer_first, (["My first answer."], [])),
        (answer_both, (["Answer 0."], ["Answer 1."])),
        (answer_in_pieces, ([], ["Piece one.", "draw()", "Piece two."])),
        (answer_and_solve, (["Answer 0."], ["Answer 1."])),
        (lambda cells: cells.clear(), ([], [])),
    ],
    ids=["blank", "first", "both", "pieces", "solved", "nothing"],
)
def test_written_answers_are_found_whatever_was_done(change, found):
    answers = report.written_answers(HANDED_OUT, handed_in(change))
    texts = [[cell["source"] for cell in answers[order]] for order in ("0", "1")]
    written = {text for each in found for text in each}
    assert [[text for text in each if text in written] for each in texts] == list(found)


def test_written_answers_are_shown_even_without_their_questions():
    answers = report.written_answers(HANDED_OUT, handed_in(delete_all_questions))
    shown = [cell["source"] for cells in answers.values() for cell in cells]
    assert {"Answer 0.", "Answer 1."} <= set(shown)


def test_pages_are_escaped_and_load_nothing(tmp_path):
    evil = '</pre><script>alert(1)</script><img src="http://x.example/">'

    def answer(cells):
        for i in blanks(cells):
            cells[i]["source"] = evil
        cells.append(attacks.cell("plot()"))
        cells[-1]["outputs"] = [
            {"data": {"image/png": '"><script>alert(2)</script>', "text/html": evil}},
            {"data": {"image/png": "iVBORw0KGgo="}},
        ]

    path = tmp_path / "evil.ipynb"
    path.write_text(json.dumps({"cells": handed_in(answer)}), encoding="utf-8")
    graded = submission.blank(PROBLEMS, evil, SECRET)
    graded.note("cell error", evil)
    graded.questions["1.1"] |= {"report": evil}
    row = batch.row_of(collect.Submission(evil, (path,), "x"), graded, PROBLEMS)
    row |= {"total": "0", "out of": "30", "comment": evil}
    page = report.page(PROBLEMS, HANDED_OUT, path, graded, row)
    assert "<script" not in page
    assert "http://x.example" not in page.replace("&quot;http://x.example/&quot;", "")
    assert page.count("&lt;script&gt;alert(1)") >= 6
    assert page.count("data:image/png;base64,iVBORw0KGgo=") == 1
    assert "default-src 'none'" in page


@pytest.mark.parametrize(
    "student", ["../../etc/passwd", "a/b", "x\x00y", ".hidden", "é" * 300, "CON:"]
)
def test_names_of_pages_stay_in_their_folder(student, tmp_path):
    name = report.file_name(student)
    assert Path(name).name == name
    (tmp_path / name).write_text("x")
    assert [path.name for path in tmp_path.iterdir()] == [name]
