"""Grade one submission: run its cells, put the questions' functions to their checks.

The student's process may say what it likes, or nothing, or die: each of these is an answer
and costs at most the question that it was asked.
"""

from __future__ import annotations

import builtins
import hashlib
import hmac
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from time import monotonic
from typing import Any

from perceptron_notes.checks.check import Abandoned
from perceptron_notes.grading.calls import pack, unpack
from perceptron_notes.grading.sandbox import Process, Refused, Sandbox
from perceptron_notes.problem_sets import ProblemSet, Question

__all__ = [
    "Died",
    "Graded",
    "Session",
    "TimedOut",
    "Unreadable",
    "blank",
    "grade",
    "read_notebook",
    "seed",
]

#: Bytes of the largest notebook that is read, and of the longest answer.
NOTEBOOK, ANSWER = 20_000_000, 4_000_000
#: Remarks on a submission, and characters of a report.
REMARKS, REPORT = 20, 20_000
#: Seconds that a worker may take until it speaks; only a broken sandbox takes them all.
START = 60
#: A submission gets so many times the seconds of a cell or a check, all in all.
PATIENCE = 5
#: So many cells may hang or die before the rest of the notebook is left out.
BAD_CELLS = 3
#: From bad to worse.
STATUSES = ("ok", "cell error", "timeout", "died", "unreadable", "check failed")


class Unreadable(ValueError):  # noqa: N818 (no error of the program)
    """A submission that is no Python notebook; the text says what is the matter."""


class Died(Abandoned):
    """The student's process ended, or spoke out of turn."""


class TimedOut(Abandoned):
    """The student's process took too long."""


@dataclass
class Graded:
    """What grading found about one submission.

    Attributes
    ----------
    status : str
        One of ``ok``, ``cell error``, ``timeout``, ``died``, ``unreadable``, ``check failed``.
    remarks : list of str
        What the status is about.
    questions : dict
        By question: ``points`` (``None`` where a person must read), ``seed``, and where
        something is wrong a ``sentence`` and a ``report``.
    seconds : float
        How long it took.
    """

    status: str = "ok"
    remarks: list[str] = field(default_factory=list)
    questions: dict[str, dict[str, Any]] = field(default_factory=dict)
    seconds: float = 0.0

    def note(self, status: str, remark: str) -> None:
        """Remember that something happened; the worst decides the status.

        Parameters
        ----------
        status, remark : str
            What happened, in one word and in one line.
        """
        self.status = max(self.status, status, key=STATUSES.index)
        # Cells run anew after a process has ended, and a notebook may have any number of them.
        if remark not in self.remarks and len(self.remarks) < REMARKS:
            self.remarks.append(remark)


# -------------------------------------------------------------------------------- reading


def read_notebook(path: Path) -> list[dict[str, Any]]:
    """The cells of a submission, whatever was done to it.

    Parameters
    ----------
    path : Path
        A file in the format of Jupyter, version 4.

    Returns
    -------
    list of dict
        Each has a ``cell_type`` and a ``source``, which is one string.

    Raises
    ------
    Unreadable
        If it is none, or in another language than Python.
    """
    if path.is_symlink() or not path.is_file():
        raise Unreadable(f"{path.name} is no ordinary file")
    if path.suffix.lower() != ".ipynb":
        raise Unreadable(f"{path.name} is no notebook; expected a file that ends in .ipynb")
    if path.stat().st_size > NOTEBOOK:
        raise Unreadable(f"{path.name} is larger than {NOTEBOOK // 10**6} MB")
    try:
        notebook = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        what = f"cannot be read as JSON: {error}" if path.stat().st_size else "is empty"
        raise Unreadable(f"{path.name} {what}") from error
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise Unreadable(f"{path.name} has no cells; expected a notebook of format 4")
    language = language_of(notebook)
    if language not in ("", "python"):
        raise Unreadable(f"{path.name} is a notebook in {language}; expected Python")
    return [
        {**cell, "source": source_of(cell)} for cell in notebook["cells"] if isinstance(cell, dict)
    ]


def language_of(notebook: dict[str, Any]) -> str:
    """The language, as far as the metadata say one, without version: ``python``."""
    match notebook.get("metadata"):
        case {"language_info": {"name": str(name)}}:
            return name.lower().rstrip("0123456789")
        case {"kernelspec": {"language": str(name)}}:
            return name.lower().rstrip("0123456789")
    return ""


def source_of(cell: dict[str, Any]) -> str:
    """The source as one string; Jupyter also writes lists of lines."""
    source = cell.get("source", "")
    return "".join(map(str, source)) if isinstance(source, list) else str(source)


# ------------------------------------------------------------------- the student's process


class Session:
    """A notebook that runs in a process of its own, started again when it has ended.

    Parameters
    ----------
    sandbox : Sandbox
        Where its processes start.
    cells : list of str
        The code.
    names : list of str
        The functions that will be asked for.
    seconds : float
        What a cell may take, and a check.
    """

    def __init__(
        self, sandbox: Sandbox, cells: list[str], names: list[str], seconds: float
    ) -> None:
        self.sandbox, self.names, self.seconds = sandbox, names, seconds
        self.cells = dict(enumerate(cells, start=1))
        self.known: list[str] = []
        self._end = monotonic() + PATIENCE * seconds
        self._process: Process | None = None
        self._asked = self._bad = 0
        self._late, self._complaint = False, ""

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *error: object) -> None:
        self._close()

    @property
    def alive(self) -> bool:
        """Whether there is a process to ask."""
        return self._process is not None

    def run(self, graded: Graded) -> None:
        """Run the cells in a new process; those that hang or kill it are left out from then on.

        Parameters
        ----------
        graded : Graded
            Where troubles are noted.

        Raises
        ------
        Refused
            If no process can be started at all.
        """
        while not self.alive:
            self._launch()
            errors = []
            number = 0
            try:
                for number, cell in self.cells.items():
                    with self.within():
                        error = self._ask(cell=cell).get("error")
                    if error is not None:
                        errors.append(f"cell {number}: {str(error)[:600]}")
                with self.within(self.seconds):
                    known = self._ask(names=self.names).get("names")
            except Abandoned as stop:
                if number == 0:
                    raise Refused(f"a process without any cell: {stop}") from stop
                graded.note(status_of(stop), f"cell {number}: {stop}")
                self._leave_out(number, graded)
        self.known = known if isinstance(known, list) else []
        for error in errors:
            graded.note("cell error", error)

    def function(self, name: str) -> Callable[..., Any]:
        """A function of the notebook, for a check to call.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        callable
            It raises what the student's function raises, and `Died`.
        """

        def call(*arguments: Any) -> Any:
            match self._ask(call=name, arguments=[pack(each) for each in arguments]):
                case {"value": value}:
                    try:
                        return unpack(value)
                    except (ValueError, RecursionError) as error:
                        raise Died("its answer cannot be read") from error
                case {"raised": [str(kind), str(text)]}:
                    raise exception(kind[:100], text[:2000])
            raise Died("its process spoke out of turn")

        call.__name__ = name
        return call

    @contextmanager
    def within(self, seconds: float | None = None) -> Iterator[None]:
        """End the process when the time is over: whatever waits for it then wakes.

        Parameters
        ----------
        seconds : float, optional
            The time; what a cell or a check may take if left out.
        """
        if seconds is None:
            seconds = max(0.05, min(self.seconds, self._end - monotonic()))
        process, self._late = self._process, False
        assert process is not None

        def stop() -> None:
            self._late = True
            process.wake()

        timer = Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            yield
        except Died as error:
            self._close()
            if not self._late:
                raise
            late = TimedOut("it took too long and was stopped")
            late.__notes__ = getattr(error, "__notes__", [])
            raise late from None
        finally:
            timer.cancel()
            if self._late:
                self._close()

    def _launch(self) -> None:
        """Start a process; failing in this is nobody's fault but the sandbox's."""
        for last in (False, True):  # the first may find that something has harmed the sandbox
            self._process = process = self.sandbox.start()
            try:
                with self.within(START):
                    if self._hear().get("hello") != process.token:
                        raise Died("it does not say hello")
                    return
            except Abandoned as error:
                if last:
                    raise Refused(self.sandbox.excuse(self._complaint or str(error))) from error

    def _leave_out(self, number: int, graded: Graded) -> None:
        """Leave out a cell; when too many were bad, all that follow too."""
        self._bad += 1
        enough = self._bad >= BAD_CELLS
        if enough:
            graded.remarks.append(f"nothing from cell {number} on was run")
        self.cells = {
            n: cell for n, cell in self.cells.items() if n < number or (n > number and not enough)
        }

    def _ask(self, **request: Any) -> dict[str, Any]:
        """Send a request and take the answer to it."""
        if self._process is None:
            raise Died("its process has ended")
        self._asked += 1
        line = json.dumps({"id": self._asked, **request}).encode() + b"\n"
        try:
            self._process.lines_in.write(line)
            self._process.lines_in.flush()
        except OSError:
            raise Died("its process ended") from None
        answer = self._hear()
        if answer.get("id") != self._asked:
            raise Died("its process spoke out of turn")
        return answer

    def _hear(self) -> dict[str, Any]:
        """The next message of the process."""
        assert self._process is not None
        try:
            line = self._process.lines_out.readline(ANSWER)
        except OSError:  # reset: it ended with something left unread
            line = b""
        if not line:
            raise Died("its process ended (os._exit, a crash, or too much memory)")
        if not line.endswith(b"\n"):
            raise Died(f"its answer is cut off, or longer than {ANSWER // 10**6} MB")
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise Died("its process spoke out of turn")
        return message

    def _close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._complaint = self._process.close()
            self._process = None


def status_of(stop: Abandoned) -> str:
    """The word for it in the table."""
    return "timeout" if isinstance(stop, TimedOut) else "died"


def exception(kind: str, text: str) -> Exception:
    """An exception like the one in the student's process, as far as its name tells."""
    known = getattr(builtins, kind, None)
    if not (isinstance(known, type) and issubclass(known, Exception)):
        known = type(kind if kind.isidentifier() else "Exception", (Exception,), {})
    try:
        return known(text)
    except TypeError:  # such as UnicodeDecodeError, made from five things
        return Exception(f"{kind}: {text}")


# -------------------------------------------------------------------------------- grading


def seed(secret: bytes, problem_set: str, question: str, student: str) -> int:
    """The seed of the data for one student's answer to one question.

    Parameters
    ----------
    secret : bytes
        What only the teacher knows.
    problem_set, question, student : str
        Their names.

    Returns
    -------
    int
        Ten digits at most: a spreadsheet shows and keeps them all.

    Examples
    --------
    >>> seed(b"secret", "ps1", "1.3", "ann")
    2730120818
    """
    message = json.dumps([problem_set, question, student]).encode()
    return int.from_bytes(hmac.digest(secret, message, hashlib.sha256)) % 10**10


def blank(problems: ProblemSet, student: str, secret: bytes) -> Graded:
    """The result before anything is known: no points.

    Parameters
    ----------
    problems : ProblemSet
        The questions.
    student : str
        Whose result it is.
    secret : bytes
        From which the data are drawn.

    Returns
    -------
    Graded
    """
    graded = Graded()
    for question in problems.questions:
        graded.questions[question.id] = {"points": None}
        if question.check is not None:
            number = seed(secret, problems.name, question.id, student)
            graded.questions[question.id] = {"points": 0, "seed": number}
    return graded


def grade(
    problems: ProblemSet, path: Path, student: str, secret: bytes, sandbox: Sandbox, seconds: float
) -> Graded:
    """Grade a submission.

    Parameters
    ----------
    problems : ProblemSet
        The questions.
    path : Path
        The notebook; it is only read.
    student : str
        Whose it is.
    secret : bytes
        From which the data are drawn, see `seed`.
    sandbox : Sandbox
        Where the code runs.
    seconds : float
        What a cell may take, and a check; all in all five times as much.

    Returns
    -------
    Graded

    Raises
    ------
    Refused
        If students' processes cannot be started here.
    """
    graded = blank(problems, student, secret)
    try:
        cells = read_notebook(path)
    except Unreadable as error:
        graded.note("unreadable", str(error))
        return graded
    code = [cell["source"] for cell in cells if cell.get("cell_type") == "code"]
    names = [question.check.function for question in problems.questions if question.check]
    with Session(sandbox, code, names, seconds) as session:
        session.run(graded)
        for question in problems.questions:
            if question.check is not None:
                graded.questions[question.id] |= examine(question, session, graded)
    return graded


def examine(question: Question, session: Session, graded: Graded) -> dict[str, Any]:
    """Put one function to its check: the points, and what is wrong."""
    check = question.check
    assert check is not None
    if not session.alive:
        session.run(graded)
    if check.function not in session.known:
        sentence = f"The notebook defines no function {check.function}."
        return {"sentence": sentence, "report": sentence}
    try:
        with session.within():
            number = graded.questions[question.id]["seed"]
            finding = check.examine(session.function(check.function), number)
    except Abandoned as stop:
        graded.note(status_of(stop), f"{question.id}: {stop}")
        notes = "\n\n".join(getattr(stop, "__notes__", []))
        report = f"{check.function}: {stop}.\n\n{notes}"
        return {"sentence": f"{check.function}: {stop}.", "report": report[:REPORT]}
    except Exception as error:
        graded.note("check failed", f"{question.id}: {type(error).__name__}: {error}")
        sentence = "The check itself failed; your teacher will look at this answer."
        return {"points": None, "sentence": sentence, "report": sentence}
    if finding is None:
        return {"points": question.points}
    return {"sentence": finding.sentence[:600], "report": finding.report[:REPORT]}
