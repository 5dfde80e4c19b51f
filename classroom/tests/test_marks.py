"""Marking by question: nothing is lost or overwritten, and nobody else gets in."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import attacks
import hostile
import pytest
from bs4 import BeautifulSoup
from perceptron_classroom.grading import collect, command, marks, table
from perceptron_classroom.grading.marking import Desk, Server
from perceptron_classroom.grading.sandbox import Refused
from school import NOTEBOOK, PROBLEMS

QUESTION = next(question for question in PROBLEMS.questions if question.id == "1.6")
WORTH = [1, 1, 2, 2]


def hand_in(folder, name, *cells):
    (folder / f"{name}.ipynb").write_text(hostile.notebook(list(cells), NOTEBOOK), "utf-8")


@pytest.fixture
def submissions(tmp_path):
    folder = tmp_path / "submissions"
    folder.mkdir()
    for name in ("ann", "bob", "eve"):
        hand_in(folder, name, hostile.words(f"The answer of number {len(name) + ord(name[0])}."))
    return folder


def desk_of(submissions, blind=False):
    found, _ = collect.find(submissions, None, PROBLEMS.name)
    table_file = submissions.parent / "grades.csv"
    return Desk(PROBLEMS, found, table_file, blind)


def write_rows(desk, *students, **cells):
    empty = dict.fromkeys(table.columns(PROBLEMS), "")
    rows = [{**empty, "student": name, **cells} for name in students]
    table.write_table(desk.output, rows, PROBLEMS)


def mark(earned, adjust=0, comment=""):
    return {"earned": earned, "adjust": adjust, "comment": comment}


def cell(desk, student, name="1.6"):
    return desk.rows()[student][name]


# ------------------------------------------------------------------------------ the marks


@pytest.mark.parametrize(
    "given",
    [
        None,
        {},
        mark([1, 1, 2]),
        mark([1, 1, 2, 3]),
        mark([1, 1, 2, -1]),
        mark([True, 1, 2, 2]),
        mark([1, 1, 2, float("nan")]),
        mark([1, 1, 2, "2"]),
        mark([1, 1, 2, 2], adjust=7),
        mark([1, 1, 2, 2], adjust="1"),
        {**mark(None), "comment": 5},
    ],
)
def test_what_is_no_mark_is_refused(given):
    with pytest.raises(ValueError, match=r"is no mark for 1\.6"):
        marks.valid(given, QUESTION)


def test_points_stay_between_nothing_and_all():
    assert marks.points(mark([1, 0, 1.5, 0], 0.5), QUESTION) == 3
    assert marks.points(mark([1, 1, 2, 2], 3), QUESTION) == 6
    assert marks.points(mark([0, 0, 0, 0], -1), QUESTION) == 0
    assert marks.points(mark(None), QUESTION) is None


@pytest.mark.parametrize("text", ["", "{", "[]", "5", '{"marks": {"1.6": {"ann": 5}}}'])
def test_a_file_that_holds_no_marks_is_left_alone(text, tmp_path):
    store = marks.Marks(tmp_path / "grades.csv")
    store.path.write_text(text)
    with pytest.raises(Refused, match="left as it is"):
        store.change("1.6", "ann", mark(WORTH))
    assert store.path.read_text() == text


def test_many_at_once_lose_nothing(tmp_path):
    stores = [marks.Marks(tmp_path / "grades.csv") for _ in range(4)]
    with ThreadPoolExecutor(8) as pool:
        for k in range(40):
            pool.submit(stores[k % 4].change, "1.6", f"student {k}", mark(WORTH))
    assert len(stores[0].read()["1.6"]) == 40


# ------------------------------------------------------------------------------ the table


def test_a_mark_goes_into_the_table_at_once_and_changes_there(submissions):
    desk = desk_of(submissions)
    write_rows(desk, "ann", "bob")
    desk.mark("1.6", 0, mark([1, 1, 1, 0], comment="Say why."), 0)
    row = desk.rows()["ann"]
    assert (row["1.6"], row["total"], row["comment 1.6"]) == ("3", "3", "Say why.")
    desk.mark("1.6", 0, mark([1, 1, 2, 2]), 1)
    row = desk.rows()["ann"]
    assert (row["1.6"], row["total"], row["comment 1.6"]) == ("6", "6", "")
    assert cell(desk, "bob") == ""
    desk.mark("1.6", 0, mark(None), 2)
    assert cell(desk, "ann") == ""


def test_what_a_person_entered_in_the_table_is_shown_and_counts(submissions):
    desk = desk_of(submissions)
    write_rows(desk, "ann", **{"1.6": "4", "comment 1.6": "Mine."})
    entry = desk.state("1.6")["students"][0]
    assert (entry["points"], entry["table"]) == (None, "4")
    entry = desk.mark("1.6", 0, mark([1, 1, 2, 2], comment="Yours."), 0)["entry"]
    assert (entry["points"], entry["table"]) == (6, "4")
    assert (cell(desk, "ann"), cell(desk, "ann", "comment 1.6")) == ("4", "Mine.")
    write_rows(desk, "ann", **{"comment 1.6": "Mine."})  # the cell is empty: the mark counts
    entry = desk.seen("1.6", 0)["entry"]
    assert (cell(desk, "ann"), entry["table"]) == ("6", "")
    assert cell(desk, "ann", "comment 1.6") == "Mine."


def test_while_a_class_is_graded_the_mark_is_saved_and_the_table_waits(submissions):
    from perceptron_classroom.grading.files import alone

    desk = desk_of(submissions)
    write_rows(desk, "ann")
    with alone(desk.output):
        note = desk.mark("1.6", 0, mark(WORTH), 0)["note"]
    assert "The mark is saved" in note
    assert cell(desk, "ann") == ""
    assert marks.points(desk.marks.of("ann")["1.6"], QUESTION) == 6


def test_a_resubmission_is_flagged_until_somebody_has_looked(submissions):
    desk = desk_of(submissions)
    desk.mark("1.6", 0, mark([1, 0, 0, 0]), 0)
    assert not desk.state("1.6")["students"][0]["changed"]
    hand_in(submissions, "ann", hostile.words("Another answer."))
    entry = desk.state("1.6")["students"][0]
    assert (entry["changed"], entry["points"]) == (True, 1)
    assert "Another answer." in desk.answer("1.6", 0)
    assert not desk.seen("1.6", 0)["entry"]["changed"]
    assert desk.marks.of("ann")["1.6"]["earned"] == [1, 0, 0, 0]


def test_who_overwrites_anothers_mark_is_told(submissions):
    one, other = desk_of(submissions), desk_of(submissions)
    one.mark("1.6", 0, mark([1, 0, 0, 0]), 0)
    note = other.mark("1.6", 0, mark([1, 1, 0, 0]), 0)["note"]
    assert note.startswith("Somebody else had changed this mark to 1 points; yours took its place.")
    assert "else" not in other.mark("1.6", 0, mark([1, 1, 2, 0]), 2)["note"]


def test_blind_marking_names_nobody_and_keeps_its_order(submissions):
    desk = desk_of(submissions, blind=True)
    names = [entry["name"] for entry in desk.state("1.6")["students"]]
    assert names == ["Answer 1", "Answer 2", "Answer 3"]
    assert desk.order == desk_of(submissions, blind=True).order
    assert any(order != sorted(order) for order in desk.order.values())
    assert not re.search("ann|bob|eve", json.dumps(desk.state("1.6")["students"]))


def test_marks_by_another_rubric_keep_their_points_and_open_their_items(submissions):
    desk = desk_of(submissions)
    desk.marks.change("1.6", "ann", {**mark([3, 1]), "answer": "x"})
    entry = desk.state("1.6")["students"][0]
    assert (entry["earned"], entry["points"]) == (None, 4)


def test_grading_takes_over_the_marks_and_the_pages_show_them(quick_school):
    school = quick_school
    for name in ("ann", "bob"):
        hand_in(school.submissions, name, hostile.words("My answer."))
    desk = desk_of(school.submissions)
    desk.mark("1.6", 0, mark([1, 1, 1, 0], comment="Say $x$ why."), 0)
    desk.mark("1.6", 1, mark([1, 1, 2, 2]), 0)
    feedback = school.pages
    assert school.grade("--feedback", feedback) == 0
    assert {name: row["1.6"] for name, row in school.rows().items()} == {"ann": "3", "bob": "6"}
    assert "3 of 6" in said_of(feedback, "ann")
    assert "why." in said_of(feedback, "ann")

    school.enter("bob", **{"1.6": "5"})
    desk.mark("1.6", 0, mark([1, 0, 0, 0]), 1)
    hand_in(school.submissions, "ann", hostile.words("Another answer."))
    assert school.grade() == 0
    rows = school.rows()
    assert {name: row["1.6"] for name, row in rows.items()} == {"ann": "1", "bob": "5"}
    assert "1.6" in rows["ann"]["look again"].split()
    assert "1.6" not in rows["bob"]["look again"].split()


def said_of(feedback, student, name="1.6"):
    """Return a student's page's text on a question."""
    page = BeautifulSoup((feedback / f"{student}.html").read_text("utf-8"), "html.parser")
    [section] = [each for each in page.find_all("section") if each.h2.text.startswith(name)]
    return section.text


# ----------------------------------------------------------------------------- the server


@pytest.fixture
def server(submissions):
    with Server(desk_of(submissions), "1.6") as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def ask(server, path="", body=None, *, word=None, **headers):
    """The status, the headers and the text of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    connection.request(
        "GET" if body is None else "POST",
        f"/{path}",
        body if body is None or isinstance(body, bytes) else json.dumps(body),
        {"Origin": server.origin, "X-Word": server.token if word is None else word, **headers},
    )
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, answer.headers, text


def page_of(server, word=None):
    """Return the response to posting the secret word, as the file that opens the page does."""
    return ask(server, "", f"word={server.token if word is None else word}".encode(), Origin="null")


def test_the_page_runs_its_own_script_and_loads_nothing(server):
    status, headers, text = page_of(server)
    soup = BeautifulSoup(text, "html.parser")
    nonce = soup.script["nonce"]
    assert status == 200
    assert soup.style["nonce"] == nonce
    assert f"script-src 'nonce-{nonce}'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert not soup.find_all(["link", "img", "iframe"])
    assert not re.search(r"https?://", text)
    assert nonce not in page_of(server)[2]  # another one each time
    assert headers["Referrer-Policy"] == "no-referrer"


def test_without_the_word_there_is_nothing_but_the_question_for_it(server):
    assert server.token not in ask(server, word="")[2]
    assert "ann" not in ask(server, word="")[2]
    for word in ("", "guess", "é"):
        assert page_of(server, word)[0] == 403
        assert ask(server, "state?q=1.6", word=word and "guess")[0] == 403
    assert ask(server, server.token + "/state?q=1.6", word="")[0] == 403


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({}, 200),
        ({"word": ""}, 403),
        ({"word": "guess"}, 403),
        ({"Host": "evil.example"}, 403),
        ({"Host": "localhost"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Content-Length": "99999999"}, 413),
    ],
)
def test_only_the_page_itself_may_mark(server, changed, status):
    body = {"q": "1.6", "k": 0, "version": 0, "mark": mark(WORTH)}
    assert ask(server, "mark", body, **changed)[0] == status
    assert bool(server.desk.marks.read()) == (status == 200)


@pytest.mark.parametrize(
    "path", ["../x", "state?q=1.1", "state", "answer?q=1.6&k=-1", "answer?q=1.6&k=99"]
)
def test_what_is_not_there_is_refused(server, path):
    assert ask(server, path)[0] in (400, 403, 404)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"5",
        b"[" * 30_000,
        {"q": "1.6"},
        {"q": "1.6", "k": 0, "mark": 5},
        {"q": []},
    ],
)
def test_a_broken_message_changes_nothing(server, body):
    status, _, text = ask(server, "mark", body)
    assert (status, list(json.loads(text))) == (400, ["error"])
    assert server.desk.marks.read() == {}


def test_what_was_acknowledged_survives_a_kill(submissions):
    """Whenever the program is killed, every mark confirmed to the page is saved."""
    table_file = submissions.parent / "grades.csv"
    written = [*(sys.executable, "-m", "perceptron_classroom", "mark", str(attacks.MASTER))]
    program = subprocess.Popen(
        [*written, str(submissions), "-o", str(table_file)], stderr=subprocess.PIPE, text=True
    )
    said = "".join(program.stderr.readline() for _ in range(3))
    port, word = re.search(r"127\.0\.0\.1:(\d+)/ with the word (\S+)", said).groups()
    told = 0
    with suppress(OSError, http.client.HTTPException):
        while program.poll() is None:
            connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=20)
            given = mark([0, 0, 0, 0], comment=f"{told + 1}")
            body = {"q": "1.6", "k": (told + 1) % 3, "version": 0, "mark": given}
            connection.request(
                "POST",
                "/mark",
                json.dumps(body),
                {"Origin": f"http://127.0.0.1:{port}", "X-Word": word},
            )
            assert connection.getresponse().status == 200
            told += 1
            if told == 9:
                threading.Timer(0.1, program.send_signal, [signal.SIGKILL]).start()
    assert program.wait(20) == -signal.SIGKILL
    program.stderr.close()
    kept = marks.Marks(table_file).read()["1.6"]
    assert told >= 9
    comments = {int(each["comment"]) for each in kept.values()}
    # The one that was under way may be there too.
    assert comments in ({told, told - 1, told - 2}, {told + 1, told, told - 1})


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_another_user_of_the_machine_reads_nothing(submissions, tmp_path):
    """Wherever they look: processes, files, the page itself."""
    for folder in (tmp_path, *tmp_path.parents[:-2]):
        folder.chmod(0o755)
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\nexec sleep 60\n')
    browser.chmod(0o755)
    table_file = tmp_path / "grades.csv"
    program = subprocess.Popen(
        [
            *(sys.executable, "-m", "perceptron_classroom", "mark", str(attacks.MASTER)),
            *(str(submissions), "-o", str(table_file), "--open"),
        ],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "BROWSER": f"{browser} %s &"},
        umask=0,
    )
    try:
        said = "".join(program.stderr.readline() for _ in range(3))
        port, word = re.search(r":(\d+)/ with the word (\S+)", said).groups()
        while not (tmp_path / "asked").exists() or not (tmp_path / "asked").read_text():
            time.sleep(0.05)
        door = tmp_path / "grades.mark.html"
        assert word in door.read_text()
        assert (tmp_path / "asked").read_text().strip() == door.as_uri()
        look = f"cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ {door} {tmp_path}/*; ps -ef"
        look += f"; curl -si http://127.0.0.1:{port}/"
        seen = subprocess.run(["sh", "-c", look], capture_output=True, user=65534, group=65534)
        assert b"--open" in seen.stdout  # it did look
        assert word.encode() not in seen.stdout + seen.stderr
    finally:
        program.send_signal(signal.SIGINT)
        program.wait(20)
        program.stderr.close()
    assert not door.exists()


# ---------------------------------------------------------------------------- the command


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--question", "1.1"], "'1.1' is no question in words; ps1 has 1.6, 1.7"),
        (["-o", "submissions/grades.csv"], "lies among the submissions"),
    ],
)
def test_the_command_refuses_in_a_sentence(submissions, words, said, monkeypatch, capsys):
    monkeypatch.chdir(submissions.parent)
    assert command.main(["mark", str(attacks.MASTER), "submissions", *words]) == 1
    assert said in capsys.readouterr().err


def test_a_class_that_handed_in_nothing_cannot_be_marked(submissions, capsys):
    for path in submissions.iterdir():
        path.unlink()
    assert command.main(["mark", str(attacks.MASTER), str(submissions)]) == 1
    assert "no submission that can be read" in capsys.readouterr().err


def test_a_dropped_connection_is_no_traceback(submissions, capsys):
    with Server(desk_of(submissions), "1.6") as server:
        try:
            raise BrokenPipeError
        except BrokenPipeError:
            server.handle_error(None, ("127.0.0.1", 1))
    assert capsys.readouterr().err == ""
