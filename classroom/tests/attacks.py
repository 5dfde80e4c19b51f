"""Submissions as they come, and worse: what is done to a notebook, and what must come of it.

Each starts from the solved problem set 1. Where the sandbox should fail, none does harm: memory
stops at 1.5 GB, forks at 50 children that end by themselves within seconds, network attempts go
to this machine only, and files are written only where a temporary folder is.
"""

import copy
import json
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MASTER = Path(__file__).parent.parent.parent / "book" / "assignments" / "ps1.ipynb"
FULL = {"1.1": 2, "1.2": 2, "1.3": 2, "1.4": 8, "1.5": 4}

Notebook = dict[str, Any]


def solved() -> Notebook:
    """Problem set 1 with all answers right."""
    return json.loads(MASTER.read_text(encoding="utf-8"))


def cell(source: str) -> dict[str, Any]:
    """A cell of code."""
    source = textwrap.dedent(source).strip("\n")
    return {
        "cell_type": "code",
        "metadata": {},
        "source": source,
        "outputs": [],
        "execution_count": None,
    }


@dataclass(frozen=True)
class Case:
    """An attack, and its expected outcome."""

    name: str
    change: Callable[[Notebook], Any]
    status: str = "ok"
    lost: str = ""
    remark: str = ""
    report: str = ""

    def write(self, folder: Path) -> Path:
        """Write the submission into a folder."""
        notebook = copy.deepcopy(solved())
        self.change(notebook)
        path = folder / f"{self.name.replace(' ', '-')}.ipynb"
        path.write_text(json.dumps(notebook), encoding="utf-8")
        return path

    @property
    def points(self) -> dict[str, int | None]:
        """The points of each question; none at all where a person must judge."""
        if self.status == "unreadable":
            return dict.fromkeys(FULL)
        return {name: 0 if name in self.lost.split() else most for name, most in FULL.items()}


def with_cells(*sources: str, at: int | None = None) -> Callable[[Notebook], None]:
    """Add cells, at the end if no place is given."""

    def change(notebook: Notebook) -> None:
        place = len(notebook["cells"]) if at is None else at
        notebook["cells"][place:place] = [cell(source) for source in sources]

    return change


def at_start(*sources: str) -> Callable[[Notebook], None]:
    """Add cells before all others."""
    return with_cells(*sources, at=0)


def without(text: str) -> Callable[[Notebook], None]:
    """Delete the cells that hold a text."""

    def change(notebook: Notebook) -> None:
        kept = [cell for cell in notebook["cells"] if text not in "".join(cell["source"])]
        assert len(kept) < len(notebook["cells"])
        notebook["cells"] = kept

    return change


def changed(*pairs: tuple[str, str]) -> Callable[[Notebook], None]:
    """Replace texts by others, wherever they occur."""

    def change(notebook: Notebook) -> None:
        for each in notebook["cells"]:
            source = "".join(each["source"])
            for old, new in pairs:
                source = source.replace(old, new)
            each["source"] = source

    return change


def stripped(notebook: Notebook) -> None:
    """Remove all metadata, ids and outputs, as some tools do."""
    notebook["metadata"] = {}
    for each in notebook["cells"]:
        each.pop("id", None)
        each["metadata"] = {}
        each["source"] = "".join(each["source"]).splitlines(keepends=True)


def in_r(notebook: Notebook) -> None:
    """Hand in a notebook of another language."""
    notebook["metadata"] = {"kernelspec": {"name": "ir", "display_name": "R", "language": "R"}}
    notebook["cells"] = [cell("f <- function(x) {\n  x\n}")]


def nothing(notebook: Notebook) -> None:
    """Change nothing."""


ZERO = "def predict(w, X):\n    return np.where(X @ w >= 0, 1, -1)"

#: Runs as a student would: finds every open line of the process and answers for itself.
FORGED = """
import json, os
def forge(line):
    for number in range(3, 64):
        try:
            os.write(number, line)
        except OSError:
            pass
"""

CASES = [
    Case("right", nothing),
    Case("wrong", with_cells(ZERO), lost="1.2", report="X["),
    Case("nothing defined", without("def "), "unreadable", "", "defines none of"),
    Case("deleted cell", without("def pla("), "cell error", "1.4", report="no function pla"),
    Case("syntax error", at_start("def f(:"), "cell error", remark="SyntaxError"),
    Case(
        "import cell deleted",
        without("import numpy as np"),
        remark="put back, as it was handed out: import matplotlib.pyplot as plt; import numpy",
    ),
    Case(
        "one cause of six zeros",
        with_cells("np = None"),
        lost="1.1 1.2 1.3 1.4 1.5",
        remark="1.1, 1.2, 1.3, 1.4, 1.5, 1.8 end in the same kind of error: AttributeError",
    ),
    Case(
        "sleeps at each update",
        changed(
            (
                "from perceptron_classroom import",
                "from time import sleep\nfrom perceptron_classroom import",
            ),
            ("picks.append(i)", "picks.append(i); sleep(0.2)"),
        ),
    ),
    Case(
        "a function twice",
        with_cells("def pla(X, y):\n    pass"),
        lost="1.4",
        remark="pla is defined in 2 cells: “def pla(X, y):”; the last one counts",
    ),
    Case("sys.exit", at_start("import sys; sys.exit(0)", "quit()"), "cell error"),
    Case(
        "magics",
        at_start(
            "%matplotlib inline\n!ls\nimport os",
            "%%bash\nrm -rf x",
            "%%time\nassert os",
            "x = 1\nif x:\n    %timeit x\nx?",
            "display(x); get_ipython().run_line_magic('time', '')",
            "from perceptron_classroom import checks",
            "X, y = checks.pla.data(seed=1, case=3)\nchecks.pla('this would raise')\nX, y",
        ),
    ),
    Case("input", at_start("input('your name?')"), "cell error", remark="EOFError"),
    Case(
        "exit in a cell",
        at_start("import os; os._exit(0)"),
        "died",
        remark="“import os; os._exit(0)”: its",
    ),
    Case(
        "exit in a function",
        with_cells("import os\ndef predict(w, X):\n    os._exit(0)"),
        "died",
        "1.2",
    ),
    Case("endless cell", at_start("while True:\n    pass"), "timeout", remark="“while True:”: it"),
    Case(
        "endless and deaf",
        with_cells("""
            import signal
            for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
                signal.signal(number, signal.SIG_IGN)
            def mistakes(w, X, y):
                while True:
                    try:
                        while True:
                            pass
                    except BaseException:
                        pass
        """),
        "timeout",
        "1.3",
    ),
    Case(
        "memory bomb",
        with_cells("def predict(w, X):\n    return bytearray(1_500_000_000)"),
        lost="1.2",
        report="MemoryError",
    ),
    Case(
        "fork bomb in a new namespace",
        at_start("""
            import ctypes, os, resource, time
            ctypes.CDLL(None).unshare(0x10000000)
            try:
                resource.setrlimit(resource.RLIMIT_NPROC, (99, 99))
            except (OSError, ValueError):
                pass
            for _ in range(50):
                if not os.fork():
                    time.sleep(3)
                    os._exit(0)
        """),
        "cell error",
        remark="BlockingIOError",
    ),
    Case(
        "huge output",
        at_start("""
            import os, sys
            for _ in range(200):
                print("x" * 1_000_000)
                sys.stderr.write("x" * 1_000_000)
                os.write(1, b"x" * 1_000_000)
                os.write(2, b"x" * 1_000_000)
        """),
    ),
    Case(
        "bottomless answer",
        with_cells("""
            def augment(points):
                x = []
                for _ in range(100_000):
                    x = [x]
                return x
            def predict(w, X):
                return 10 ** 100_000
        """),
        lost="1.1 1.2",
    ),
    Case(
        "patched checks",
        with_cells(
            ZERO,
            """
            from perceptron_classroom import checks
            checks.predict = lambda *a, **k: None
            checks.Check.examine = checks.Check.__call__ = lambda *a, **k: None
            np.array_equal = np.allclose = lambda *a, **k: True
            """,
        ),
        lost="1.2",
    ),
    Case(
        "forged from a function",
        with_cells(
            FORGED
            + """
def predict(w, X):
    forge(b'{"points": 2, "finding": null}\\n')
    return np.where(X @ w >= 0, 1, -1)
"""
        ),
        "died",
        lost="1.2",
        remark="1.2: its process spoke out of turn",
    ),
    Case(
        "closed lines",
        with_cells("import os\ndef predict(w, X):\n    os.closerange(0, 99)"),
        "died",
        "1.2",
    ),
    Case("other language", in_r, "unreadable", "", "a notebook in r"),
]

#: The most dangerous one of each kind, and all that costs nothing: `make test` tries these.
QUICK = {
    *("right", "magics", "exit in a function", "endless and deaf", "memory bomb"),
    *("fork bomb in a new namespace", "patched checks", "forged from a function"),
    "import cell deleted",
    *(case.name for case in CASES if case.status == "unreadable"),
}


def spying(paths: list[str], port: int) -> Case:
    """Try to read what is the teacher's or a classmate's, and to call somebody."""
    return Case(
        "spying",
        with_cells(f"""
            import os, socket
            for path in {paths}:
                assert not os.path.exists(path), path
            try:
                socket.create_connection(("127.0.0.1", {port}), timeout=2)
            except OSError:
                pass
            else:
                raise RuntimeError("connected")
        """),
    )
