"""Run a notebook, or a file of tests, on the machine this is; `machines.py` starts it.

    python tests/one_machine.py '{"path": "book/1-model.ipynb", "left_out": []}'

The last line that it prints is JSON: how many cells or tests ran, and what was wrong. Under
WebAssembly the same file does the same.
"""

import json
import os
import sys
import types
from itertools import zip_longest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def new_shell():
    """IPython in this process; the results of cells are kept, not printed."""
    from IPython.core.displayhook import DisplayHook
    from IPython.core.interactiveshell import InteractiveShell

    results = []

    class Kept(DisplayHook):
        def write_output_prompt(self): ...

        def write_format_data(self, format_dict, md_dict=None):
            results.append({"data": format_dict})

        def finish_displayhook(self): ...

    InteractiveShell.displayhook_class = Kept
    return InteractiveShell.instance(), results


def texts(outputs):
    """What a cell shows in words: of each kind all pieces together, as nbval compares them."""
    shown = {}
    for output in outputs:
        data = {output["name"]: output["text"]} if "name" in output else output["data"]
        for kind, text in data.items():
            if kind in ("stdout", "stderr") or kind.startswith("text/"):
                shown[kind] = shown.get(kind, "") + "".join(text)
    return shown


def run_notebook(path, left_out):
    """Run the cells of a notebook; what they print or show in words must be what is committed."""
    import matplotlib.pyplot  # noqa: F401  (so that no cell says that fonts are being looked for)
    from IPython.utils.capture import capture_output

    shell, results = new_shell()
    os.chdir(path.parent)
    ran, wrong = 0, []
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        if cell["cell_type"] != "code" or cell["id"] in left_out:
            continue
        results.clear()
        with capture_output() as caught:
            done = shell.run_cell("".join(cell["source"]), store_history=True)
        streams = {"stdout": caught.stdout, "stderr": caught.stderr}
        outputs = [{"name": name, "text": text} for name, text in streams.items() if text]
        now = texts([*outputs, *({"data": shown.data} for shown in caught.outputs), *results])
        ran, error = ran + 1, done.error_before_exec or done.error_in_exec
        if error or now != texts(cell["outputs"]):
            wrong.append([cell["id"], repr(error) if error else other(now, texts(cell["outputs"]))])
    return ran, wrong


def other(now, committed):
    """The first line that is another one than the committed line."""
    for kind in {**committed, **now}:
        pairs = zip_longest(committed.get(kind, "").split("\n"), now.get(kind, "").split("\n"))
        for old, new in pairs:
            if old != new:
                return f"{new!r} instead of {old!r}"
    return None


class Watch:
    """A plugin of pytest that keeps what failed."""

    def __init__(self):
        self.ran, self.wrong = set(), []

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.failed:
            self.ran.add(report.nodeid)
        if report.failed:
            lines = str(report.longrepr).strip().splitlines()
            told = [line[1:].strip(" *") for line in lines if line.startswith("E ")] or lines[-1:]
            reason = " | ".join(filter(None, told))
            self.wrong.append([report.nodeid.partition("::")[2], reason[:500]])

    def pytest_collectreport(self, report):
        if report.failed:
            self.wrong.append([report.nodeid, str(report.longrepr).strip().splitlines()[-1]])


def run_tests(path, left_out, chosen=""):
    """Run the quick tests of a file, with few random examples."""
    import pytest

    watch = Watch()
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:nbval", "--capture=sys"]
    options += ["--rootdir", str(ROOT), "--hypothesis-profile", "few", "-m", "not slow"]
    options += ["-k", chosen]
    options += [f"--deselect={path.relative_to(ROOT)}::{name}" for name in left_out]
    pytest.main([*options, str(path)], plugins=[watch])
    return len(watch.ran), watch.wrong


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    os.chdir(ROOT)
    if sys.platform == "emscripten":  # what starts processes can be imported and cannot be used
        stands_in = types.ModuleType("distributed")
        stands_in.Client = stands_in.LocalCluster = None
        sys.modules["distributed"] = stands_in
    task = json.loads(sys.argv[1])
    path = ROOT / task.pop("path")
    ran, wrong = (run_notebook if path.suffix == ".ipynb" else run_tests)(path, **task)
    from perceptron_notes import native

    print(json.dumps({"ran": ran, "wrong": wrong, "engine": native.engine}))
