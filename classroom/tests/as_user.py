"""Run a command as an ordinary user, on a machine where root keeps its folders to itself.

    unshare --mount --propagation private python classroom/tests/as_user.py USER COMMAND…

The interpreter may lie in a home, and this repository in a temporary folder, that are closed to
others. Here, and for this command only, an empty folder is laid over each of these, in which
there is nothing but what leads to the interpreter and to the repository.
"""

import os
import stat
import sys
from pathlib import Path

from perceptron_classroom.inside import confine

ROOT = Path(__file__).parent.parent.parent


def bind(source: str, target: Path) -> None:
    """Show a file or a folder, with all that is mounted in it, in another place."""
    flags = 0x1000 | 0x4000  # MS_BIND, MS_REC
    confine.call("mount", source.encode(), os.fsencode(target), None, flags, None)


def needed() -> set[Path]:
    """Return the paths that the command must be able to read, under all their names."""
    given = {ROOT, Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable).resolve().parent}
    return {name for path in given for name in (path.absolute(), path.resolve())}


def closed(path: Path) -> bool:
    """Whether others may not enter a folder, or not see what is in it."""
    mode = path.stat().st_mode
    return stat.S_ISDIR(mode) and mode & 0o5 != 0o5


def open_up(folder: Path, paths: set[Path]) -> None:
    """Lay an empty folder over a closed one, and show in it what leads to these paths."""
    inside = [path.relative_to(folder).parts for path in paths if path.is_relative_to(folder)]
    names = set(os.listdir(folder)) if () in inside else {parts[0] for parts in inside}
    below = os.open(folder, os.O_PATH)
    confine.call("mount", b"tmpfs", os.fsencode(folder), b"tmpfs", 0, b"mode=0755")
    for name in names:
        source, target = f"/proc/self/fd/{below}/{name}", folder / name
        if os.path.islink(source):
            target.symlink_to(os.readlink(source))
            continue
        target.mkdir() if os.path.isdir(source) else target.touch()
        bind(source, target)
    os.close(below)


def main(user: str, *command: str) -> None:
    """Open the way, become the user, and run the command."""
    paths = needed()
    for folder in sorted({above for path in paths for above in (path, *path.parents)}):
        if closed(folder):
            open_up(folder, paths)
    os.chdir(ROOT)  # by its name, which may lead elsewhere now
    become = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    os.execvp("setpriv", [*become, *command])


if __name__ == "__main__":
    main(*sys.argv[1:])
