"""Grade a class of 300, the worst among them: how long it takes, and how much memory.

    make bench

Two in three notebooks are right, the others have a wrong function, an error in a cell, or a
process that ends early; three never end, and one of each severe kind of attack sits among them.
Each submission is graded on data of its own, and each must have exactly the points that are due:
an attack costs its own question, or nothing, and nobody else anything. The last line says what
the spawner is for: it starts a notebook's process with everything imported, where a new interpreter
would import it all again.
"""

import json
import os
import sys
import tempfile
import time
from multiprocessing import active_children
from pathlib import Path
from threading import Event, Thread

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "classroom" / "tests"))
import attacks  # noqa: E402
from perceptron_classroom.grading import batch, collect, sandbox, session, submission  # noqa: E402
from perceptron_classroom.grading.spelling import normal  # noqa: E402

CLASS, JOBS, TIMEOUT = 300, 2, 3
SECONDS, MEGABYTES, GROWTH = 60, 300, 10

#: One of each severe kind, by the number of the student, with the questions that it loses.
SEVERE = {
    # Fetch the control line of the spawner from the process above, and answer for it.
    20: (
        attacks.with_cells(
            attacks.FORGED
            + """
import ctypes
libc = ctypes.CDLL(None)
for pid in range(9):
    taken = libc.syscall(438, libc.syscall(434, pid, 0), 0, 0)
    assert taken < 0, "a line of somebody else's"
for number in range(64):
    forge(b"clean")
"""
        ),
        "",
    ),
    40: (attacks.with_cells("def predict(w, X):\n    return np.zeros((10**9, 0))"), "1.2"),
    60: (
        attacks.with_cells(
            "import time", *[f"time.sleep({TIMEOUT * (0.98 + k / 100)})" for k in range(4)]
        ),
        "",
    ),
    80: (attacks.nothing, ""),  # an odd file name
    90: (attacks.with_cells(*["import time; time.sleep(0.05)"] * 900), ""),
    100: (attacks.with_cells(*["def predict(w, X):\n    import os; os._exit(0)"] * 500), "1.2"),
    110: (lambda notebook: notebook.update(cells=[{}] * 480_000), ""),  # left to a person
    120: (attacks.with_cells("def predict(w, X):\n    return 10**5000"), "1.2"),
    130: (attacks.with_cells("kept = []\nwhile True:\n    kept.append(bytearray(10**8))"), ""),
    140: (
        attacks.with_cells("import os\nfor n in range(10**5): open(f'/box/{n}', 'w').close()"),
        "",
    ),
    160: (attacks.with_cells("import os\nos.chmod('/box', 0o555)"), ""),
    170: (attacks.with_cells(attacks.FORGED + "while True:\n    forge(b'x' * 100_000)"), ""),
    180: (attacks.with_cells("import os\nwhile True:\n    os.fork()"), ""),
    190: (attacks.at_start("from perceptron_classroom.checks.ps1 import walk as pla"), ""),
}
ENDLESS = (50, 150, 250)
ODD_NAME = " =Zoe\u0308\u00a0"


def case_of(n):
    """What student number n did to the solved problem set, and which questions that costs."""
    change, lost = attacks.nothing, ""
    if n in SEVERE:
        change, lost = SEVERE[n]
    elif n in ENDLESS:
        endless = "def mistakes(w, X, y):\n    while True:\n        pass"
        change, lost = attacks.with_cells(endless), "1.3"
    elif n % 12 == 1:
        change, lost = attacks.with_cells(attacks.ZERO), "1.2"
    elif n % 12 == 2:
        change, lost = attacks.without("def pla("), "1.4"
    elif n % 12 == 3:
        change = attacks.with_cells("1 / 0")
    elif n % 12 == 4:
        change, lost = attacks.with_cells("import os\ndef predict(w, X):\n    os._exit(0)"), "1.2"
    status = "unreadable" if n == 110 else "ok"
    return attacks.Case(f"student-{n:03}", change, status, lost)


def megabytes():
    """The memory of the grader's own processes."""
    total = 0
    for pid in [os.getpid(), *(child.pid for child in active_children())]:
        try:
            total += int(Path(f"/proc/{pid}/status").read_text().split("VmRSS:")[1].split()[0])
        except (OSError, IndexError):  # it has just ended
            continue
    return total / 1024


def watched(stop, seen):
    """Note the memory until told to stop."""
    while not stop.wait(0.05):
        seen.append(megabytes())


def grade_class(folder):
    """Seconds for the class, the memory meanwhile, and what came of whom."""
    cases = {}
    for n in range(CLASS):
        case = case_of(n)
        path = case.write(folder)
        if n == 80:
            path = path.rename(path.with_stem(ODD_NAME))
        cases[normal(path.stem)] = case
    shelter = sandbox.Sandbox(seconds=200, fonts=sandbox.gather_fonts())
    group = batch.Class(attacks.MASTER, b"benchmark" * 4, shelter, TIMEOUT)
    memory, statuses, wrong, times = [], {}, [], []
    stop, seen = Event(), []
    watcher = Thread(target=watched, args=(stop, seen))
    watcher.start()
    start = time.perf_counter()
    submissions, _ = collect.find(folder, None, "ps1")
    for this, graded in batch.grade_all(group, submissions, JOBS):
        memory.append(megabytes())
        times.append((graded.seconds, this.student))
        statuses[graded.status] = statuses.get(graded.status, 0) + 1
        earned = {name: graded.questions[name]["points"] for name in attacks.FULL}
        if earned != cases[this.student].points:
            wrong.append(f"{this.student}: {graded.status}, {earned}, {graded.remarks}")
    seconds = time.perf_counter() - start
    stop.set()
    watcher.join()
    assert sum(statuses.values()) == CLASS, statuses
    assert not wrong, "\n".join(wrong)
    return seconds, memory, max(seen), statuses, sorted(times)


def start_up(shelter):
    """Seconds until a notebook that draws has run its first cell."""
    start = time.perf_counter()
    with session.Session(shelter, ["import matplotlib.pyplot"], [], 60) as running:
        running.run(submission.Graded())
    return time.perf_counter() - start


def main() -> None:
    """Grade the class and print a table."""
    before = os.times()
    with tempfile.TemporaryDirectory() as scratch:
        seconds, memory, peak, statuses, times = grade_class(Path(scratch))
    after = os.times()
    spent = sum(after[:4]) - sum(before[:4])
    limit = f"(at most {SECONDS} s; --timeout {TIMEOUT})"
    print(f"{CLASS} submissions, {JOBS} jobs   {seconds:6.1f} s    {limit}")
    print(f"processor time            {spent:6.1f} s    of all processes that were waited for")
    print(f"load beside it            {os.getloadavg()[1]:6.1f}      (of {os.cpu_count()} cores)")
    slowest = ", ".join(f"{name} {seconds:.1f} s" for seconds, name in times[:-9:-1])
    print(f"median of a submission    {times[CLASS // 2][0]:6.2f} s    (slowest: {slowest})")
    early, late = memory[CLASS // 10], memory[-1 - JOBS]
    print(f"memory of the grader      {peak:6.1f} MB   (at most {MEGABYTES} MB, at any time)")
    print(f"growth                    {late - early:6.1f} MB   (at most {GROWTH} MB)")
    print(f"statuses                  {json.dumps(statuses)}")
    warm, alone = sandbox.Sandbox(), sandbox.Sandbox(unsafe=True)
    start_up(warm)
    times = [(start_up(warm), start_up(alone)) for _ in range(5)]
    warm.close()
    ratio = sorted(cold / warm for warm, cold in times)[2]
    print(f"a new interpreter takes   {ratio:6.1f} times as long as a process from the sandbox")


if __name__ == "__main__":
    main()
