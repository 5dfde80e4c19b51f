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
from pathlib import Path
from typing import Any
from unittest.mock import patch
from xml.etree import ElementTree

from perceptron_classroom.checks import ALL, SETS, Check, load
from perceptron_classroom.grading.intake import code_of, read_notebook
from perceptron_classroom.grading.terminal import Commands, printable, reason, say
from perceptron_classroom.inside.showing import Sheet
from perceptron_classroom.inside.worker import Late, Notebook, alarm, error_line
from perceptron_classroom.problem_sets import CODE_BLANK, TEXT_BLANK, defining, own_checks

__all__ = ["add", "here", "run_here"]

#: Seconds for a cell and for a check, where there is an alarm clock, as on all systems but Windows.
SECONDS = 20
LIMIT: Any = alarm if hasattr(signal, "setitimer") else nullcontext
BLANK = re.compile("|".join(map(re.escape, (TEXT_BLANK, CODE_BLANK))))
#: What became of a question: ``question`` (its number), ``function`` ("" for an answer in words),
#: ``points``, ``status``, ``sentence``, ``hint``, and the whole ``report``.
Found = dict[str, Any]


def add(commands: Commands) -> None:
    """Describe the command."""
    parser = commands.add_parser("check", help="try your own notebook on the checks of its set")
    option = parser.add_argument
    option("set", help=f"{', '.join(SETS)}, or the file of the sheet that was handed out")
    option("notebook", type=Path, help="the notebook; its code is run here, with your rights")
    option("--results", choices=FORMATS, help="print what was found in this form")
    option("--json", action="store_const", const="json", dest="results", help="the same as JSON")
    option("-o", "--output", type=Path, help="write it into this file instead")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Return 0 if all is written and right as far as it is judged, 1 if not, 2 if nothing runs."""
    broken = False
    try:
        found = list(checked(options.set, options.notebook.resolve()))
    except (OSError, ValueError) as error:
        broken, found = True, [{"question": "", "points": 0} | outcome("", "failed", reason(error))]
    for each in found:
        say(told(each))
    if options.results:
        text = FORMATS[options.results](found) + "\n"
        if options.output:
            options.output.write_text(text, encoding="utf-8")
        else:
            sys.stdout.write(text)
    open_ = any(each["status"] in ("failed", "not written") for each in found)
    return 2 if broken else int(open_)


def checked(named: str, path: Path) -> Iterator[Found]:
    """Run a notebook, and yield what became of each question of a problem set."""
    below = sheet = sections(path)
    known = {check.name: check for check in SETS.get(named, ())}
    if named not in SETS:
        if not Path(named).is_file():
            raise ValueError(f"no set or sheet is called {named}; the sets are {', '.join(SETS)}")
        sheet, own = sections(Path(named)), own_checks(named)
        public = ALL | (vars(load(own)) if own else {})
        called = re.findall(r"\.(\w+)\(\1\b", "".join(sheet.values()))
        known = {each: public[each] for each in called if each in public}
    with here(path.parent):
        space, errors = run_here(path)
        if not any(check.function in space for check in known.values()):
            raise ValueError(f"{path.name} defines none of: {', '.join(known)}; is it of this set?")
        for number, text in sheet.items():
            points = re.search(r"^\*(\d+)\b", text, flags=re.M)
            found: Found = {"question": number, "points": int(points[1]) if points else 1}
            asked = [check for check in known.values() if defining(check.function).search(text)]
            for check in asked[:1]:
                yield found | judged(known.pop(check.name), space, errors)
            if number and not asked:
                written = below[number] and not BLANK.search(below[number])
                yield found | outcome("", "not judged" if written else "not written")
        for check in known.values():  # what is not defined where the sheet asks for it
            yield {"question": "", "points": 1} | judged(check, space, errors)


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
    for number, cell in enumerate(code_of(path), start=1):
        notebook.troubles = []
        last = attempt(notebook.execute, cell)[1]
        found = filter(None, [*notebook.troubles, last])
        errors += [f"cell {number} of the code: {each}" for each in found]
    return notebook.names, errors


def attempt(do: Callable[..., Any], *arguments: Any) -> tuple[Any, str]:
    """Return what a call returns, and its error as one line, whatever it raises."""
    try:
        with LIMIT(SECONDS):
            return do(*arguments), ""
    except KeyboardInterrupt:
        raise
    except Late:
        return None, f"it took more than {SECONDS} seconds"
    except BaseException as error:
        return None, error_line(error)


def judged(check: Check, space: dict[str, Any], errors: list[str]) -> Found:
    """Try a function on new data."""
    function = space.get(check.function)
    if not callable(function):
        sentence = f"the notebook defines no function {check.function}"
        return outcome(check.name, "failed", sentence, report="\n".join([sentence, *errors]))
    wrong, error = attempt(check.examine, function, secrets.randbits(32))
    if error:
        return outcome(check.name, "failed", error)
    if wrong is None or isinstance(wrong.error, NotImplementedError):
        return outcome(check.name, "not written" if wrong else "passed")
    return outcome(check.name, "failed", wrong.sentence, wrong.hint, wrong.report)


def outcome(
    function: str, status: str, sentence: str = "", hint: str = "", report: str = ""
) -> Found:
    """Return what became of a question, without characters that no report may hold."""
    texts = {"sentence": sentence, "hint": hint, "report": report or sentence}
    texts = {key: printable(text) for key, text in texts.items()}
    return {"function": function, "status": status, **texts}


def name(found: Found) -> str:
    """Return what a question is called in a report."""
    return f"{found['question']} {found['function']}".strip() or "notebook"


def told(found: Found) -> str:
    """Return what became of a question in words."""
    return f"{name(found)}: {found['report'] or found['status']}"


def gradescope(found: list[Found]) -> str:
    """Return Gradescope's ``results.json``: gradescope-autograders.readthedocs.io, "specs"."""
    tests = [
        {
            "name": name(each),
            "score": each["points"] * (each["status"] == "passed"),
            "max_score": each["points"],
            "status": "passed" if each["status"] == "passed" else "failed",
            "output": each["report"] or each["status"],
        }
        for each in found
        if each["function"]
    ]
    words = "\n".join(told(each) for each in found if not each["function"])
    score = sum(test["score"] for test in tests)
    return json.dumps({"score": score, "output": words, "tests": tests}, indent=1)


def junit(found: list[Found]) -> str:
    """Return a report of tests, as GitLab reads it: docs.gitlab.com, "Unit test reports"."""
    suite = ElementTree.Element("testsuite", name="perceptron-classroom", tests=str(len(found)))
    for each in found:
        case = ElementTree.SubElement(suite, "testcase", classname="check", name=name(each))
        if each["status"] in ("failed", "not written"):
            said = each["sentence"] or each["status"]
            wrong = ElementTree.SubElement(case, "failure", message=said)
            wrong.text = each["report"] or said
    return ElementTree.tostring(suite, encoding="unicode")


#: The forms in which a program can have the results.
FORMATS: dict[str, Callable[[list[Found]], str]] = {
    "json": lambda found: json.dumps(found, indent=1),
    "gradescope": gradescope,
    "junit": junit,
}
