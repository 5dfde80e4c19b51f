"""Processes of this machine, and waiting for what they do."""

import time
from pathlib import Path


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
