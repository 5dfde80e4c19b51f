"""The page for marking: one question, the answers of the whole class, served to one machine.

The server listens on 127.0.0.1 alone, where every user of the machine can reach it. So it answers
only requests with a random secret word. The word is in no address, which a browser would pass
to other programs and keep in its history, but in a file that its owner alone can read, and that
posts it; the page then sends it along with each request. A wrong ``Host`` or ``Origin`` is refused,
so no other page in the same browser can read or mark anything.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from markupsafe import Markup

from perceptron_classroom.grading import markup, report, table
from perceptron_classroom.grading.collect import Submission
from perceptron_classroom.grading.files import alone, journal_of, private
from perceptron_classroom.grading.groups import member_names
from perceptron_classroom.grading.journal import Journal
from perceptron_classroom.grading.marks import Mark, Marks, enter, points, valid
from perceptron_classroom.grading.pieces import Allowance, pieces
from perceptron_classroom.grading.prose import Answer, read_answers, versions
from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.terminal import reason
from perceptron_classroom.problem_sets import ProblemSet, Question

__all__ = ["Desk", "Server"]

#: Maximum length of a message, in bytes.
MESSAGE = 40_000


class Desk:
    """The answers and marks of a class; with `blind`, names are hidden."""

    def __init__(
        self,
        problems: ProblemSet,
        submissions: list[Submission],
        output: Path,
        blind: bool = False,
    ) -> None:
        self.problems, self.output, self.blind = problems, output, blind
        self.questions = {each.id: each for each in problems.questions if not each.check}
        one = [this for this in submissions if len(this.paths) == 1]
        #: By the student under whose name an answer is marked: the notebook, and the group.
        self.paths = {this.lead: this.paths[0] for this in one}
        self.homes = {this.lead: this.home for this in one}
        self.groups = {this.lead: this.group or (this.student,) for this in one}
        self.marks = Marks(output)
        self.order = {name: self.ordered(name) for name in self.questions}
        #: Results of the last grading, whose pictures are shown.
        self.ran = Journal(journal_of(output)).last
        #: Their names, by the table.
        self.called = {name: table.called(row) for name, row in self.rows().items()}
        self._read: dict[str, tuple[int, dict[str, Answer], dict[str, str]]] = {}

    def ordered(self, question: str) -> list[str]:
        """Return the students; when blind, in a fixed order that reveals nothing."""
        if not self.blind:
            return sorted(self.paths)

        def key(student: str) -> bytes:
            text = json.dumps([self.problems.name, question, student])
            return hashlib.sha256(text.encode()).digest()

        return sorted(self.paths, key=key)

    def read(self, question: str, student: str) -> Answer:
        """Return a student's answer in the current submission."""
        path = self.paths[student]
        changed = path.stat().st_mtime_ns if path.exists() else 0
        if self._read.get(student, (None,))[0] != changed:
            ran = self.ran.get(student)
            outputs = ran.outputs if ran else None
            answers = read_answers(self.problems, path, self.homes[student], outputs)
            prints = versions(self.problems, path, self.homes[student])
            self._read[student] = changed, answers, prints
        return self._read[student][1][question]

    def fingerprint(self, question: str, student: str) -> str:
        """Return what stands for an answer in its mark."""
        self.read(question, student)
        return self._read[student][2].get(f"answer:{question}", "")

    def answer(self, question: str, key: int) -> str:
        """Return the HTML of an answer."""
        answer = self.read(question, self.order[question][key])
        tools = report.templates().get_template("answer.html").module
        return str(tools.answer(list(pieces(answer, Allowance()))))  # type: ignore[attr-defined]

    def state(self, question: str) -> dict[str, Any]:
        """Return everything that the page shows of a question, except the answers."""
        this = self.questions[question]
        marks = self.marks.read().get(question, {})
        rows = self.rows()
        return {
            "id": this.id,
            "title": this.title,
            "prompt": markup.markdown_html(self.problems.prompt(question), lambda *_: Markup("")),
            "points": this.points,
            "rubric": this.rubric,
            "students": [
                self.entry(this, key, marks.get(student), rows.get(student, {}))
                for key, student in enumerate(self.order[question])
            ],
        }

    def entry(
        self, question: Question, key: int, mark: Mark | None, row: table.Row
    ) -> dict[str, Any]:
        """Return the page's entry for one student."""
        student = self.order[question.id][key]
        whose = member_names(tuple(self.called.get(each, each) for each in self.groups[student]))
        after, value = dict(row), points(mark, question)
        conflicts = enter(after, {question.id: mark}, self.problems) if mark else {}
        # Points that are only in the table were entered by hand.
        held = after.get(question.id, "") if value is None else conflicts.get(question.id, "")
        earned = mark["earned"] if mark else None
        if earned is not None and len(earned) != len(question.rubric):
            earned = None  # by an earlier rubric: the points stay, the items are open
        return {
            "key": key,
            "name": f"Answer {key + 1}" if self.blind else markup.legible(whose, 80),
            "earned": earned,
            "adjust": mark["adjust"] if mark else 0,
            "comment": mark["comment"] if mark else "",
            "version": mark["version"] if mark else 0,
            "points": value,
            "changed": bool(mark and mark.get("answer") != self.fingerprint(question.id, student)),
            "table": held,
        }

    def rows(self) -> dict[str, table.Row]:
        """Return the table, by student."""
        return {row["student"]: row for row in table.read_table(self.output, self.problems)}

    # ------------------------------------------------------------------------- changes

    def mark(self, question: str, key: int, given: Any, version: Any) -> dict[str, Any]:
        """Store a mark: the last one counts; overwriting somebody else's adds a note."""
        this, student = self.questions[question], self.order[question][key]
        mark = valid(given, this) | {"answer": self.fingerprint(question, student)}
        return self.put(this, key, mark, version)

    def seen(self, question: str, key: int) -> dict[str, Any]:
        """Confirm that the mark still holds for the changed answer."""
        student = self.order[question][key]
        mark = self.marks.read().get(question, {}).get(student)
        if mark is None:
            raise ValueError(f"{question} of {student} has no mark")
        mark = mark | {"answer": self.fingerprint(question, student)}
        return self.put(self.questions[question], key, mark, mark["version"])

    def put(self, question: Question, key: int, mark: Mark, version: Any) -> dict[str, Any]:
        """Write a mark, to its file first and then into the table."""
        student = self.order[question.id][key]
        before = self.marks.change(question.id, student, mark)
        note = self.into_table(student)
        there = before["version"] if before else 0
        if there != version:
            value = points(before, question)
            was = "nothing" if value is None else f"{value:g} points"
            note = f"Somebody else had changed this mark to {was}; yours took its place. " + note
        entry = self.entry(question, key, mark, self.rows().get(student, {}))
        return {"entry": entry, "note": note}

    def into_table(self, student: str) -> str:
        """Copy a student's marks into the table; return a note if that has to wait."""
        try:
            if self.output.exists():
                with alone(self.output):
                    self.write(student, self.rows())
        except (Refused, OSError) as error:
            return f"The mark is saved; the table gets it with the next grading. ({reason(error)})"
        return ""

    def write(self, student: str, rows: dict[str, table.Row]) -> None:
        """Write the table with a student's current marks."""
        marks = self.marks.of(student)
        for row in (rows[name] for name in self.groups[student] if name in rows):
            enter(row, marks, self.problems)
            table.settle(row, self.problems)
        table.write_table(self.output, rows.values(), self.problems)


# ---------------------------------------------------------------------------- the server


class Server(ThreadingHTTPServer):
    """Serves one desk to this machine alone; `question` is shown first."""

    daemon_threads = True

    def __init__(self, desk: Desk, question: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.desk, self.question = desk, question
        self.token = secrets.token_urlsafe(18)

    def handle_error(self, *_: Any) -> None:
        """Ignore dropped connections: a page was closed, or reloaded."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(*_)

    @property
    def origin(self) -> str:
        """The address without the word."""
        return f"http://127.0.0.1:{self.server_port}"

    def door(self, word: str = "", nonce: str = "") -> str:
        """Return the page that asks for the word; with the word, it goes on by itself."""
        template = report.templates().get_template("door.html")
        return template.render(origin=self.origin, word=word, nonce=nonce)

    def write_door(self, path: Path) -> None:
        """Write the file that opens the page, readable by its owner alone from the start."""
        path.unlink(missing_ok=True)
        with open(path, "x", opener=private) as file:
            file.write(self.door(self.token))

    def page(self, nonce: str) -> str:
        """Return the page itself, which loads answers and marks later."""
        folder = report.TEMPLATES
        return (
            report.templates()
            .get_template("mark.html")
            .render(
                title=self.desk.problems.title,
                questions=list(self.desk.questions.values()),
                first=self.question,
                blind=self.desk.blind,
                word=self.token,
                nonce=nonce,
                style=report.style("page.css", "mark.css"),
                script=Markup((folder / "mark.js").read_text(encoding="utf-8")),
            )
        )


class Handler(BaseHTTPRequestHandler):
    """Handles the requests of the page."""

    server: Server
    timeout = 30
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Serve the page, a question's state, or an answer."""
        address = urlsplit(self.path)
        query = {key: values[-1] for key, values in parse_qs(address.query).items()}
        desk, place = self.server.desk, address.path.removeprefix("/")
        if place == "":
            nonce = secrets.token_urlsafe(18)
            self.give("text/html", self.server.door(nonce=nonce), nonce)
        elif not self.allowed(self.headers.get("X-Word", "")):
            return
        elif place == "state":
            self.attempt(lambda: desk.state(query["q"]))
        elif place == "answer":
            self.attempt(lambda: {"html": desk.answer(query["q"], place_of(desk, query))})
        else:
            self.refuse(404, "there is no such page")

    def do_POST(self) -> None:
        """Apply a change of a mark."""
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > MESSAGE:
            self.refuse(413, "the message is too long")
            return
        body = self.rfile.read(int(length))
        desk, place = self.server.desk, urlsplit(self.path).path.removeprefix("/")
        if place == "":
            if self.allowed(parse_qs(body.decode("ascii", "replace")).get("word", [""])[0]):
                nonce = secrets.token_urlsafe(18)
                self.give("text/html", self.server.page(nonce), nonce)
            return
        if not self.allowed(self.headers.get("X-Word", "")):
            return
        if self.headers.get("Origin") != self.server.origin:
            self.refuse(403, "this comes from another page")
            return

        def change() -> dict[str, Any]:
            given = json.loads(body)
            if not isinstance(given, dict):
                raise ValueError("no message")
            question, key = str(given["q"]), place_of(desk, given)
            if place == "mark":
                return desk.mark(question, key, given["mark"], given.get("version"))
            if place == "seen":
                return desk.seen(question, key)
            raise ValueError(f"{place} is nothing that can be done")

        self.attempt(change)

    def allowed(self, word: str) -> bool:
        """Return whether a request is from this page; refuse others without explanation."""
        named = self.headers.get("Host") == self.server.origin.removeprefix("http://")
        if named and hmac.compare_digest(word.encode(), self.server.token.encode()):
            return True
        self.refuse(403, "this is nothing for you")
        return False

    def attempt(self, make: Any) -> None:
        """Send the result of a call, or one sentence on why it failed."""
        try:
            made = make()
        except (ValueError, LookupError, TypeError, RecursionError, Refused, OSError) as error:
            self.refuse(400, f"{error}")
            return
        self.give("application/json", json.dumps(made))

    def refuse(self, status: int, sentence: str) -> None:
        """Send a refusal."""
        self.close_connection = True
        self.give("application/json", json.dumps({"error": sentence}), status=status)

    def give(self, kind: str, text: str, nonce: str = "", status: int = 200) -> None:
        """Send a response with strict security headers."""
        data = text.encode("utf-8", "replace")
        allowed = f"script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; " if nonce else ""
        policy = f"default-src 'none'; {allowed}img-src data:; connect-src 'self'; "
        self.send_response(status)
        for name, value in {
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Length": str(len(data)),
            "Content-Security-Policy": policy
            + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Log nothing, so that the page's location stays in sight on the terminal."""


def place_of(desk: Desk, given: dict[str, Any]) -> int:
    """Return the index of the student in a request."""
    order = desk.order[str(given["q"])]
    key = int(given["k"])
    if not 0 <= key < len(order):
        raise ValueError(f"there is no answer {key}")
    return key
