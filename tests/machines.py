"""Does what is printed depend on the machine? The same tasks on many of them, a row for each.

    python tests/machines.py                      every machine, every suite
    python tests/machines.py Prescott WebAssembly --suite notebooks

The processor can pretend to be an older one, for the matrix products of OpenBLAS and for NumPy's
own loops; the compiled loops are those of older processors, or none; and Pyodide is a machine of
its own: indices of 32 bits, another BLAS, another C library. On each all notebooks must show what
is committed, the examples in the docstrings what they say, and the core's tests must pass. What
cannot run on a machine is named, with the reason.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "book" / "_ext"))

from filelock import FileLock
from notes_site import npm, pyodide
from numpy._core import _multiarray_umath as built

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "_build" / "machines"

#: The tests of the chapters' modules, and of what all of them use.
CORE = [
    *(
        file
        for file in sorted(ROOT.glob("tests/test_*.py"))
        if (ROOT / "perceptron_notes" / file.name.removeprefix("test_")).is_file()
    ),
    ROOT / "tests/_kit/test_elementary.py",
    ROOT / "tests/native/test_native.py",
]
SUITES = {
    "notebooks": [
        {"path": str(path.relative_to(ROOT))}
        for folder in ("book", "book/assignments")
        for path in sorted(ROOT.glob(f"{folder}/*.ipynb"))
    ],
    "docstrings": [{"path": "tests/test_package.py", "chosen": "the_examples_in_the_docstrings"}],
    "tests": [{"path": str(path.relative_to(ROOT))} for path in CORE],
}

#: How to build the compiled loops, or not at all.
BUILDS = {"loops": {}, "no compiler": {"CC": "false"}}
WASM = "WebAssembly"
#: NumPy's own loops for newer processors, as far as this one has what they need.
NEWER = [name for name in built.__cpu_dispatch__ if built.__cpu_features__[name]]


def threads(n):
    return {"OPENBLAS_NUM_THREADS": str(n), "OMP_NUM_THREADS": str(n)}


#: For each machine how the loops were built there, and what the environment says.
MACHINES = {
    "as it is": ("loops", {}),
    "Prescott": ("loops", {"OPENBLAS_CORETYPE": "Prescott"}),
    "Sandybridge": ("loops", {"OPENBLAS_CORETYPE": "Sandybridge"}),
    "Haswell": ("loops", {"OPENBLAS_CORETYPE": "Haswell"}),
    "old NumPy loops": ("loops", {"NPY_DISABLE_CPU_FEATURES": " ".join(NEWER)}),
    "1 thread": ("loops", threads(1)),
    "2 threads": ("loops", threads(2)),
    "avx2": ("loops", {"PERCEPTRON_NOTES_ENGINE": "avx2"}),
    "baseline": ("loops", {"PERCEPTRON_NOTES_ENGINE": "baseline"}),
    "plain": ("loops", {"PERCEPTRON_NOTES_ENGINE": "plain"}),
    "no compiler": ("no compiler", {}),
    WASM: (WASM, {}),
}

#: Tests that WebAssembly cannot run, and why.
LEFT_OUT = {
    "tests/native/test_native.py": {
        "test_an_engine_that_is_not_known_is_named": "another engine needs another process"
    },
}


def left_out(path):
    """Return the parts of a file that WebAssembly cannot run: tests, and cells with that tag."""
    if not path.endswith(".ipynb"):
        return list(LEFT_OUT.get(path, ()))
    cells = json.loads((ROOT / path).read_text("utf-8"))["cells"]
    return [one["id"] for one in cells if "no-page" in one["metadata"].get("tags", ())]


def run(name, task):
    """Do a task on a machine: how many cells or tests ran, what was wrong, by which engine."""
    build, variables = MACHINES[name]
    folder, without = prepare(build), left_out(task["path"]) if build == WASM else []
    message = json.dumps(task | {"left_out": without})
    if build == WASM:
        start = [*npm.commands()[0], ROOT / "tests/wasm.mjs", folder, ROOT]
        command = [*start, packages(task), "/book/tests/one_machine.py", message]
    else:
        command = [sys.executable, ROOT / "tests/one_machine.py", message]
    here = {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    environment = os.environ | here | variables
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    try:
        result = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):  # it did not come to its end
        end = (done.stderr or done.stdout).strip()[-300:]
        result = {"ran": 0, "wrong": [["", end]], "engine": "broken off"}
    result["wrong"] = [f"{name}: {task['path']} {place}: {what}" for place, what in result["wrong"]]
    return result


# ------------------------------------------------------------------------- what is set up


@cache
def prepare(build):
    """The folder with the package as it is now, built so; or that with Pyodide, fetched once."""
    folder = FOLDER / build.replace(" ", "-")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if build == WASM:
            if not (folder / "ready").exists():
                shutil.rmtree(folder, ignore_errors=True)
                set_up_pyodide(folder)
                (folder / "ready").touch()
        else:
            command = [sys.executable, "setup.py", "-q", "build", "--build-lib", folder]
            command += ["--build-base", f"{folder}.objects"]
            environment = os.environ | BUILDS[build]
            subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    return folder


#: Besides Pyodide: Python code that runs anywhere, from PyPI, and from this environment.
PURE = "hypothesis==6.155.7"
SHARED = (
    "anywidget comm iniconfig ipywidgets pluggy psygnal pytest sortedcontainers typing_extensions"
)


def set_up_pyodide(folder):
    """Copy the tasks' requirements beside Pyodide."""
    package = pyodide.fetch(ROOT / "_build")
    pure = folder / "pure"
    pure.mkdir(parents=True)
    with zipfile.ZipFile(pyodide.download(PURE, folder)) as wheel:
        wheel.extractall(pure)
    pyodide.copy_pure(SHARED.split(), pure)
    (folder / "package").symlink_to(package)


def packages(task):
    """The packages of Pyodide's that a task needs, separated by commas."""
    text = (ROOT / task["path"]).read_text("utf-8")
    needed = ["numpy", "threadpoolctl", "ipython"]
    needed += ["scipy"] if "/test_" in task["path"] else []
    needed += ["pandas"] if "pandas" in text else []
    needed += ["matplotlib"] if task["path"].endswith((".ipynb", "test_package.py")) else []
    return ",".join(needed + ["scikit-learn"] * ("sklearn" in text or "estimators" in text))


# ------------------------------------------------------------------------------- the rows


def survey(names, suites):
    """Run the suites on the machines; print every difference, and a row for each machine."""
    total = 0
    print("Differences and failures, of all cells, modules and tests:")
    for name in names:
        engines, cells = set(), []
        for suite in suites:
            results = [run(name, task) for task in SUITES[suite]]
            wrong = [line for result in results for line in result["wrong"]]
            print(*wrong, sep="\n", end="\n" * bool(wrong), flush=True)
            engines |= {result["engine"] for result in results}
            ran = sum(result["ran"] for result in results)
            cells.append(f"{suite} {len(wrong)} of {ran}".ljust(22))
            total += len(wrong)
        print(name.ljust(16), "/".join(sorted(engines)).ljust(10), *cells, flush=True)
    return total


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("machines", nargs="*", metavar="machine", help=", ".join(MACHINES))
    parser.add_argument("--suite", action="append", choices=SUITES)
    options = parser.parse_args()
    sys.exit(bool(survey(options.machines or [*MACHINES], options.suite or [*SUITES])))
