"""Run the cells of a page without a kernel: Python in the reader's own browser.

The worker keeps one `Session`, which gets all cells above and the one to run. A cell runs as if
the page had been run from its top; needs.py says which cells that takes. The same file runs on any
Python with IPython, and so do its tests.
"""

import builtins
import json
import re
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from .needs import Cell, Plan

VIEW = "application/vnd.jupyter.widget-view+json"
NO_ANSWER = "input() has nobody to ask on a page; write the value into the code instead"
#: What is added to an error due to the browser, and the pattern of such errors.
ON_A_PAGE = """
A page runs Python with NumPy, SciPy, Matplotlib and scikit-learn: no other packages, no
commands of the system, no network, no threads or processes, no await."""
MISSING_HERE = re.compile(
    r"Not available$|emscripten|start new thread|stack switch|unknown url type|"
    r"No module named (?!.*(perceptron|numpy|scipy|matplotlib|sklearn))"
)

#: Escape sequences of a terminal.
ESCAPES = re.compile(r"\x1b\[[\d;]*[A-Za-z]")

#: Modules loaded only when a cell names them, with the names of their packages.
LARGE = {"sklearn": "scikit-learn", "scipy": "scipy"}

# ---------------------------------------------------------------------- how a cell is run


class Stream:
    """A text file that sends its text to the page, in pieces that are not too small."""

    encoding, isatty = "utf-8", staticmethod(lambda: False)

    def __init__(self, name: str, send: Callable[[dict[str, Any]], None]) -> None:
        self.name, self.send, self.waiting, self.sent = name, send, "", 0.0

    def write(self, text: str) -> int:
        """Buffer a text."""
        self.waiting += text
        if time.monotonic() - self.sent > 0.1:
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Send the buffered text."""
        text, self.waiting = ESCAPES.sub("", self.waiting), ""
        if text:
            self.send({"name": self.name, "text": text})
            self.sent = time.monotonic()


class Session:
    """Python for one page.

    Parameters
    ----------
    send : callable
        Receives each output of the running cell: a dict in a notebook's format.
    """

    def __init__(self, send: Callable[[dict[str, Any]], None], pictures: str = "") -> None:
        def give(output: dict[str, Any]) -> None:
            for stream in self.streams.values():
                if "text" not in output:
                    stream.flush()
            if not self.silent:
                send(output)

        class Hook(DisplayHook):
            def write_output_prompt(self) -> None: ...

            def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
                give({"data": shown(format_dict)})

        class Publisher(DisplayPublisher):
            def publish(self, data: Any, *_args: Any, **_kwargs: Any) -> None:
                give({"data": shown(data)})

            def clear_output(self, wait: bool = False) -> None:
                give({"clear": True})

        class Shell(InteractiveShell):
            displayhook_class, display_pub_class, source = Hook, Publisher, ""

            def showtraceback(self, exc_tuple: Any = None, *_args: Any, **_kwargs: Any) -> None:
                give({"error": error_line((exc_tuple or sys.exc_info())[1], self.source)})

            def showsyntaxerror(self, *_args: Any, **_kwargs: Any) -> None:
                self.showtraceback()

            def ask_exit(self) -> None: ...

        InteractiveShell.clear_instance()
        self.send = send
        self.silent, self.made = False, dict[str, int]()
        self.streams = {name: Stream(name, give) for name in ("stdout", "stderr")}
        self.shell = Shell.instance(config=Config({"HistoryManager": {"enabled": False}}))
        if pictures:  # how they are drawn, as IPython's configuration
            exec(compile(pictures, "pictures", "exec"), {"c": self.shell.config})

    def plan(self, cells: list[Cell]) -> list[int]:
        """Return the cells that will run before the last one."""
        return Plan(cells).missing(self.made)

    def packages(self, cells: list[Cell]) -> list[str]:
        """Return Pyodide's packages that these cells import, besides those loaded at the start."""
        texts = [cells[k]["source"] for k in [*self.plan(cells), -1]]
        words = {word for text in texts for word in re.findall(r"[\w.]+", text)}
        return sorted(
            {LARGE[word.partition(".")[0]] for word in words if word.partition(".")[0] in LARGE}
        )

    def run(self, cells: list[Cell]) -> bool:
        """Run the last cell, after the cells it needs; return whether it raised no exception."""
        plan = Plan(cells)
        namespace = self.shell.user_ns
        for name in {*self.made} & plan.wanted - {*plan.made}:
            namespace.pop(name, None)  # a cell below bound it
        *above, last = [*plan.missing(self.made), len(cells) - 1]
        for k in above:
            self.silent = True
            error = self.one(cells[k]["source"])
            self.silent = False
            if error is not None:
                self.send({"error": error_line(error, self.shell.source), "above": cells[k]["id"]})
                return False
            self.made = plan.after(self.made, [k])
        error = self.one(cells[last]["source"])
        if plan.names[last].broken:
            return False
        # It is unknown how far a failed cell came.
        self.made = plan.after(self.made, [last])
        if error is not None:
            for name in plan.names[last].bound | plan.names[last].changed:
                self.made[name] = -1
        return error is None

    def one(self, source: str) -> BaseException | None:
        """Run one cell; return its exception, or None."""
        self.shell.source = source
        before = sys.stdout, sys.stderr, builtins.input
        sys.stdout, sys.stderr = self.streams.values()
        builtins.input = refuse
        try:
            result: Any = self.shell.run_cell(source, store_history=False)  # type: ignore[no-untyped-call]
        finally:
            for stream in self.streams.values():
                stream.flush()
            sys.stdout, sys.stderr, builtins.input = before
        error: BaseException | None = result.error_before_exec or result.error_in_exec
        return error


def refuse(_prompt: object = "") -> str:
    """Replace `input`, which has no keyboard here."""
    raise RuntimeError(NO_ANSWER)


def error_line(error: BaseException | None, source: str) -> str:
    """Return an error as Python prints it, with only the lines of cells in the traceback.

    A cell of one line, such as one that checks an answer, needs no line number.
    """
    if error is None:
        return ""
    whole = traceback.TracebackException.from_exception(error)
    lines: list[str] = []
    for frame in whole.stack:
        if frame.filename.startswith("<ipython"):
            where = "" if frame.name.startswith("<") else f", in {frame.name}"
            line = f"line {frame.lineno}{where}\n    {frame.line}\n"
            lines += [line] if line not in lines[-1:] else []  # as a comprehension has two frames
    if "\n" not in source.strip():
        lines = lines[1:]
    lines += whole.format_exception_only()
    kind = type(error)
    text = "".join(lines).rstrip().replace(f"{kind.__module__}.{kind.__qualname__}", kind.__name__)
    text = text.replace(f'  File "{getattr(error, "filename", None)}", line', "line")
    return text + ON_A_PAGE * bool(MISSING_HERE.search(str(error)))


def shown(data: dict[str, Any]) -> dict[str, Any]:
    """Return the formats of an output that a page can show."""
    kept = {kind: ESCAPES.sub("", text) for kind, text in data.items() if isinstance(text, str)}
    if VIEW in data:
        kept |= of_widget(data)
    return kept


def of_widget(data: dict[str, Any]) -> dict[str, Any]:
    """Return the state of a figure that works without Python, or the picture of other controls."""
    from ipywidgets.widgets import widget as widgets

    widget = widgets._instances[data[VIEW]["model_id"]]
    state = widget.get_state()
    if "scene" in state or ("run" in state and "settings" in state):
        state = {name: value for name, value in state.items() if not name.startswith("_")}
        return {"figure": json.loads(json.dumps(state, default=str))}
    picture = data.get("image/svg+xml")
    return {"still": [picture, widget.state] if picture else []}


def start(send: Callable[[str], None], pictures: str) -> Session:
    """Start the worker's session, which sends its outputs as JSON."""
    return Session(lambda output: send(json.dumps(output)), pictures)
