"""The sandbox, tried from inside: as the user who runs the tests, and as an ordinary one."""

import os
import platform
import pwd
import re
import subprocess
import sys
from pathlib import Path

import probes
import pytest
from perceptron_classroom.grading.session import Session
from perceptron_classroom.grading.submission import Graded
from perceptron_classroom.inside import seccomp

COLUMN = {"x86_64": 0, "aarch64": 1}.get(platform.machine(), 0)
#: An ordinary user whom `.ci/run` makes, and others that may be there.
USERS = ("grader",)
#: What an ordinary user tries besides this file.
ALSO_AS_USER = (
    "test_grading.py::test_right_points_and_status",
    "test_grading.py::test_no_secret_no_classmate_no_network",
    "test_grading.py::test_no_process_is_left",
    "test_grading.py::test_killing_the_grader_ends_everything",
    "test_grading.py::test_waiting_is_not_computing_and_ends_soon",
    "test_grading.py::test_a_thousand_slow_cells_end_with_the_time_of_the_notebook",
    "test_grading.py::test_more_cells_than_anybody_writes_are_not_run",
    "test_grading.py::test_twenty_megabytes_of_empty_cells_take_no_memory",
    "test_grading.py::test_a_sandbox_that_somebody_ends_costs_one_process",
    "test_calls.py::test_a_shape_that_lies_takes_no_memory",
    "test_calls.py::test_crowded_and_bottomless_lines_are_refused",
)
#: And in a quick run, of all this: what reaches furthest.
QUICK = "processes or kernel or number or files or fork or killing"


def remarks(shelter, cells, seconds=20, package=False, names=()):
    graded = Graded()
    with Session(shelter, cells, list(names), seconds, package) as session:
        session.run(graded)
    return graded.remarks


def refused(name, program):
    """A cell that complains only if the program runs to its end."""
    lines = "\n".join("    " + line for line in program.split("\n"))
    return (
        f"try:\n{lines}\nexcept Exception:\n    pass\n"
        f"else:\n    raise SystemExit({'it got through: ' + name!r})"
    )


def in_turns(shelter, cells):
    """Run attacks in batches small enough for all complaints to fit among the remarks."""
    found = []
    for start in range(0, len(cells), 18):
        found += remarks(shelter, [probes.BEFORE, *cells[start : start + 18]])
    return found


@pytest.mark.parametrize("kind", probes.REFUSED)
def test_what_is_refused(kind, shelter):
    cells = [refused(name, program) for name, program in probes.REFUSED[kind].items()]
    if kind == "points":  # each may change what the next one finds
        assert [r for cell in cells for r in remarks(shelter, [probes.BEFORE, cell])] == []
    else:
        assert in_turns(shelter, cells) == []


def test_calls_of_the_kernel(shelter):
    numbers = {name: entry[COLUMN] for name, entry in probes.KERNEL.items()}
    cells = [
        refused(name, f"numbers = {{{name!r}: {numbers[name]}}}\ncall({name!r}, {entry[2]})")
        for name, entry in probes.KERNEL.items()
    ]
    assert in_turns(shelter, cells) == []


def test_no_other_number_is_a_call(shelter):
    # Every number of a call that is not on the list, and those of x32: none is known.
    allowed = {int(name.split(":")[COLUMN + 1]) for name in names_of(seccomp.CALLS)}
    allowed |= {int(name.split(":")[COLUMN + 1]) for name in names_of(" ".join(seccomp.SOME))}
    # The kernel hides two calls of its own probes from filters; they kill their caller.
    numbers = [n for n in range(480) if n not in allowed | {335, 336}]
    numbers += [2**30 + n for n in range(0, 480, 40)] * (COLUMN == 0)
    cell = f"""
for n in {numbers}:
    ctypes.set_errno(0)
    got = libc.syscall(ctypes.c_long(n), *[ctypes.c_long(-1)] * 6)
    if got != -1 or ctypes.get_errno() not in (1, 11, 38):
        raise SystemExit(f"call {{n}}: {{got}}, {{ctypes.get_errno()}}")
"""
    assert remarks(shelter, [probes.BEFORE, cell]) == []


def names_of(calls):
    return [name for name in calls.split() if name.count(":") > COLUMN]


@pytest.mark.parametrize("kind", probes.TRUE)
def test_what_holds(kind, shelter):
    cells = [
        "worker = sys.modules['perceptron_classroom.inside.worker']\n"
        f"if not ({condition}): raise SystemExit({name!r})"
        for name, condition in probes.TRUE[kind].items()
    ]
    assert in_turns(shelter, cells) == []


@pytest.mark.parametrize(
    "left",
    [
        "open('/box/note', 'w').write('for you')",
        "os.makedirs('/box/a/b'); os.symlink('/usr', '/box/a/usr'); os.chmod('/box/a', 0)",
        "os.chmod('/box', 0o555)",
        "os.chmod('/box', 0)",
        "os.utime('/box', (5, 5))",
        "os.rename('/box/matplotlib', '/box/x')",
        "for n in range(9999): open(f'/box/{n}', 'w')",
        "for n in range(9): open(f'/box/{n}', 'wb').write(bytes(15_000_000))",
        "signal.pthread_sigmask(0, range(1, 65))",
        "os.umask(0o777)",
        "os.chdir('/')",
        "os.closerange(0, 99)",
        "os._exit(7)",
        "os.kill(os.getpid(), signal.SIGSTOP)",
        "os.kill(0, signal.SIGKILL)",
        "ctypes.string_at(0)",
        "resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))",
        "signal.alarm(1)",
        "kept = bytearray(700_000_000)",
    ],
)
def test_the_next_student_finds_nothing(left, shelter):
    remarks(shelter, [probes.BEFORE, left], seconds=2)
    fresh = """
assert os.listdir("/box") == ["matplotlib"], os.listdir("/box")
assert os.stat("/box").st_mode == 0o40700
assert time.time() - os.stat("/box").st_mtime < 60
assert os.getpid() == 2
open("/box/mine", "w").write("x")
assert os.umask(0) == 0o22
"""
    assert remarks(shelter, [probes.BEFORE, fresh]) == []


def test_two_students_at_once_see_nothing_of_each_other(shelter):
    from perceptron_classroom.grading.sandbox import Sandbox

    other = Sandbox(seconds=60, fonts=shelter.fonts)
    try:
        with Session(other, ["open('/box/note', 'w').write('x')"], [], 20) as session:
            session.run(Graded())
            look = "import os\nassert os.listdir('/box') == ['matplotlib']\nassert os.getpid() == 2"
            assert remarks(shelter, [look]) == []
    finally:
        other.close()


def test_the_filter_knows_both_machines():
    for machine in ("x86_64", "aarch64"):
        rules = seccomp.program(machine)
        assert len(rules) % 8 == 0
        assert len(rules) < 8 * 4096  # the most that a kernel takes
    assert seccomp.program("riscv64") is None
    names = [name.split(":")[0] for name in seccomp.CALLS.split()]
    assert len(names) == len(set(names))


@pytest.mark.skipif(os.getuid() != 0, reason="this is the ordinary user's half; root runs both")
@pytest.mark.parametrize(
    "tier", ["not slow", pytest.param("slow or not slow", marks=pytest.mark.slow)]
)
def test_the_same_as_an_ordinary_user(tier, shelter):
    user = next((name for name in USERS if name in {u.pw_name for u in pwd.getpwall()}), None)
    if user is None:
        missing = "no ordinary user to grade as; `useradd --create-home grader` makes one"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(missing)
    here = Path(__file__).parent
    command = ["unshare", "--mount", "--propagation", "private"]
    command += [sys.executable, str(here / "as_user.py"), user]
    command += [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += [__file__, *(str(here / place) for place in ALSO_AS_USER), "-m", tier]
    command += ["-k", QUICK] * (tier == "not slow")
    # Where root has a sandbox the user must have one too: in CI, none is a failure.
    clean = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "CI": "true"}
    clean |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(here.parent)}
    done = subprocess.run(command, cwd=here.parent, env=clean, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    told = re.search(r"^(\d+) passed", done.stdout, flags=re.M)
    assert int(told[1]) >= 8, done.stdout[-1000:]
