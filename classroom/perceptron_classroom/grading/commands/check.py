"""``perceptron-classroom check``: try a notebook on the public checks of its problem set.

For students and for continuous integration: no secret, no sandbox, on any system. The notebook
runs in this Python, with the checks beside it: this is feedback, and points come from `grade`.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import secrets
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch
from xml.sax.saxutils import escape, quoteattr

from perceptron_classroom.checks import ALL, SETS, Check, load
from perceptron_classroom.grading.intake import code_of, first_line, read_notebook
from perceptron_classroom.grading.terminal import Commands, printable, reason, say
from perceptron_classroom.inside.showing import Sheet
from perceptron_classroom.inside.worker import Late, Notebook, alarm, error_line
from perceptron_classroom.problem_sets import CODE_BLANK, TEXT_BLANKS, defining, own_checks

__all__ = ["add", "here", "run_here"]

#: Seconds for a cell and for a check, where there is an alarm clock, as on all systems but Windows.
SECONDS = 20
LIMIT: Any = alarm if hasattr(signal, "setitimer") else nullcontext
#: The exit code for what is not as it should be.
CODES = {"not written": 1, "failed": 1, "unreadable": 2}


@dataclass
class Found:
    """What became of a question; an answer in words has no function, and is not judged."""

    question: str
    points: int = 1
    function: str = ""
    status: str = "not judged"
    sentence: str = ""
    hint: str = ""
    report: str = ""

    def __str__(self) -> str:
        said = self.report.removeprefix(f"{self.function}: ")  # which stands in the name, too
        return f"{self.name}: {said or self.sentence or self.status}"

    @property
    def name(self) -> str:
        """What it is called in a report."""
        return f"{self.question} {self.function}".strip()


def add(commands: Commands) -> None:
    """Describe the command."""
    parser = commands.add_parser("check", help="try your own notebook on the checks of its set")
    option = parser.add_argument
    option("set", help=f"{', '.join(SETS)}, or the file of the sheet that was handed out")
    option("notebook", type=Path, help="the notebook; its code is run here, with your rights")
    option("--results", choices=FORMATS, help="print what was found in this form")
    option("--json", action="store_const", const="json", dest="results", help="the same as JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Return 0 if all is written and right as far as it is judged, 1 if not, 2 if nothing runs."""
    try:
        found = list(checked(options.set, options.notebook.resolve()))
    except (OSError, ValueError) as error:
        found = [Found(options.notebook.name, 0, "", "unreadable", reason(error))]
    for each in found:
        say(str(each))
    if options.results:
        print(FORMATS[options.results](found))
    return max(CODES.get(each.status, 0) for each in found)


def checked(named: str, path: Path) -> Iterator[Found]:
    """Run a notebook, and yield what became of each question of a problem set."""
    below = sheet = sections(path)
    known = {check.name: check for check in SETS.get(named, ())}
    if not known:
        if not Path(named).is_file():
            raise ValueError(f"no set or sheet is called {named}; the sets are {', '.join(SETS)}")
        sheet, own = sections(Path(named)), own_checks(named)
        public = ALL | (vars(load(own)) if own else {})
        called = re.findall(r"\.(\w+)\(\1\b", "".join(sheet.values()))
        known = {each: public[each] for each in called if each in public}
    with here(path.parent):
        space, errors = run_here(path)
        if not any(check.function in space for check in known.values()):
            names = ", ".join(known) or f"(no cell of {named} calls a check)"
            raise ValueError(f"{path.name} defines none of: {names}; is it of this set?")
        for number, text in sheet.items():
            points = re.search(r"^[*（](\d+)\b", text, flags=re.M)
            found = Found(number, int(points[1]) if points else 1)
            asked = [check for check in known.values() if defining(check.function).search(text)]
            for check in asked[:1]:
                yield judged(found, known.pop(check.name), space, errors)
            if number and not asked:
                blank = any(one in below[number] for one in (CODE_BLANK, *TEXT_BLANKS))
                yield replace(found, status="not written") if blank or not below[number] else found
        for check in known.values():  # what is not defined where the sheet asks for it
            yield judged(Found(""), check, space, errors)


def sections(path: Path) -> defaultdict[str, str]:
    """Return the text of a notebook below each question's number."""
    found, number = defaultdict[str, str](str), ""
    for cell in read_notebook(path):
        heading = re.search(r"^## (\d\S*) ", cell["source"], flags=re.M)
        number = heading[1] if heading and cell["cell_type"] == "markdown" else number
        found[number] += cell["source"] + "\n"
    return found


@contextmanager
def here(folder: Path) -> Iterator[None]:
    """Let a notebook run in a folder, without a screen; a check that it calls does nothing."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    main, calls = sys.modules["__main__"], patch.object(Check, "__call__", lambda *_, **__: None)
    silence = redirect_stdout(Sheet()), redirect_stderr(io.StringIO())
    try:
        with chdir(folder), silence[0], silence[1], calls, patch.object(time, "sleep"):
            yield
    finally:
        sys.modules["__main__"] = main


def run_here(path: Path) -> tuple[dict[str, Any], list[str]]:
    """Run the code of a notebook; return what it defines, and its errors."""
    notebook, errors = Notebook(), list[str]()
    for cell in code_of(path):
        notebook.troubles = []
        last = attempt(notebook.execute, cell)[1]
        troubles = filter(None, (*notebook.troubles, last))
        errors += [f"the cell {first_line(cell)}: {each}" for each in troubles]
    return notebook.names, errors


def attempt(do: Callable[..., Any], *arguments: Any) -> tuple[Any, str]:
    """Return what a call returns, and its error as one line, whatever it raises."""
    try:
        with LIMIT(SECONDS):
            return do(*arguments), ""
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        late = f"it took more than {SECONDS} seconds"
        return None, late if isinstance(error, Late) else error_line(error)


def judged(found: Found, check: Check, space: dict[str, Any], errors: list[str]) -> Found:
    """Try a function on new data."""
    found = replace(found, function=check.function, status="failed")
    if not callable(function := space.get(check.function)):
        sentence = f"the notebook defines no function {check.function}"
        return replace(found, sentence=sentence, report="\n".join([sentence, *errors]))
    wrong, error = attempt(check.examine, function, secrets.randbits(32))
    if error:
        return replace(found, sentence=error)
    if wrong is None or isinstance(wrong.error, NotImplementedError):
        return replace(found, status="not written" if wrong else "passed")
    return replace(found, sentence=wrong.sentence, hint=wrong.hint, report=wrong.report)


def as_json(found: list[Found]) -> str:
    """Return all that was found."""
    return json.dumps([asdict(each) for each in found], indent=1)


def gradescope(found: list[Found]) -> str:
    """Return Gradescope's ``results.json``: gradescope-autograders.readthedocs.io, "specs"."""
    tests = [
        {
            "name": each.name,
            "score": each.points * (each.status == "passed"),
            "max_score": each.points,
            "output": str(each),
        }
        for each in found
        if each.function
    ]
    words = "\n".join(str(each) for each in found if not each.function)
    return json.dumps({"output": words} | ({"tests": tests} if tests else {"score": 0}), indent=1)


def junit(found: list[Found]) -> str:
    """Return a report of tests, as GitLab reads it: docs.gitlab.com, "Unit test reports"."""
    cases = ""
    for each in found:
        wrong = f"<failure>{escape(printable(str(each)))}</failure>" * (each.status in CODES)
        cases += f"<testcase name={quoteattr(each.name)}>{wrong}</testcase>\n"
    return f'<testsuite name="check">\n{cases}</testsuite>'


#: The forms in which a program can have the results.
FORMATS = {"json": as_json, "gradescope": gradescope, "junit": junit}
