"""Grade a class of 300: how long it takes, and whether the grader's memory stays flat.

    make bench

Two in three notebooks are right, the others have a wrong function, an error in a cell, or a
process that ends early; one in a hundred never ends. Each submission is graded on data of its
own. The last line says what the nest is for: it starts a notebook's process with everything
imported, where a new interpreter would import it all again.
"""

import json
import os
import sys
import tempfile
import time
from multiprocessing import active_children
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import attacks  # noqa: E402

from perceptron_notes.grading import batch, collect, sandbox, session, submission  # noqa: E402

CLASS, JOBS, TIMEOUT = 300, 2, 20
SECONDS, GROWTH = 90, 10


def change(n):
    """What student number n did to the solved problem set."""
    if n % 100 == 50:
        return attacks.with_cells("def mistakes(w, X, y):\n    while True:\n        pass")
    if n % 12 == 1:
        return attacks.with_cells(attacks.ZERO)
    if n % 12 == 2:
        return attacks.without("def pla(")
    if n % 12 == 3:
        return attacks.with_cells("1 / 0")
    if n % 12 == 4:
        return attacks.with_cells("import os\ndef predict(w, X):\n    os._exit(0)")
    return attacks.nothing


def megabytes():
    """The memory of the grader's own processes."""
    pids = [os.getpid(), *(child.pid for child in active_children())]
    fields = [Path(f"/proc/{pid}/status").read_text().split("VmRSS:")[1] for pid in pids]
    return sum(int(field.split()[0]) for field in fields) / 1024


def grade_class(folder):
    """Seconds for the class, and the memory after each submission."""
    for n in range(CLASS):
        attacks.Case(f"student-{n:03}", change(n)).write(folder)
    fonts = sandbox.gather_fonts()
    shelter = sandbox.Sandbox(seconds=200, fonts=fonts)
    group = batch.Class(attacks.MASTER, b"benchmark" * 4, shelter, TIMEOUT)
    memory, statuses = [], {}
    start = time.perf_counter()
    submissions, _ = collect.find(folder, None, "ps1")
    for _, graded in batch.grade_all(group, submissions, JOBS):
        memory.append(megabytes())
        statuses[graded.status] = statuses.get(graded.status, 0) + 1
    return time.perf_counter() - start, memory, statuses


def start_up(shelter):
    """Seconds until a notebook that draws has run its first cell."""
    start = time.perf_counter()
    with session.Session(shelter, ["import matplotlib.pyplot"], [], 60) as running:
        running.run(submission.Graded())
    return time.perf_counter() - start


def main() -> None:
    """Grade the class and print a table."""
    with tempfile.TemporaryDirectory() as scratch:
        seconds, memory, statuses = grade_class(Path(scratch))
    print(f"{CLASS} submissions, {JOBS} jobs   {seconds:6.1f} s    (at most {SECONDS} s)")
    print(f"load beside it            {os.getloadavg()[1]:6.1f}      (of {os.cpu_count()} cores)")
    early, late = memory[CLASS // 10], memory[-1 - JOBS]
    print(
        f"memory of the grader      {early:6.1f} MB after {CLASS // 10}, {late:.1f} MB at the end"
    )
    print(f"growth                    {late - early:6.1f} MB   (at most {GROWTH} MB)")
    print(f"statuses                  {json.dumps(statuses)}")
    nest, alone = sandbox.Sandbox(), sandbox.Sandbox(unsafe=True)
    start_up(nest)
    times = [(start_up(nest), start_up(alone)) for _ in range(5)]
    nest.close()
    ratio = sorted(cold / warm for warm, cold in times)[2]
    print(f"a new interpreter takes   {ratio:6.1f} times as long as a process from the nest")


if __name__ == "__main__":
    main()
