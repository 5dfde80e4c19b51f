"""The command line: what it says, what it refuses, what the documents show of it."""

import re
import shlex
import stat
from pathlib import Path

import attacks
import pytest
from perceptron_classroom import problem_sets
from perceptron_classroom.grading import command

ROOT = Path(__file__).parent.parent.parent


def test_the_students_version_is_made(tmp_path, capsys):
    out = tmp_path / "out" / "ps1.ipynb"
    assert command.main(["student", str(attacks.MASTER), "-o", str(out)]) == 0
    assert out.read_text(encoding="utf-8") == problem_sets.student_version(attacks.MASTER)
    assert command.main(["student", str(attacks.MASTER)]) == 0
    assert capsys.readouterr().out == out.read_text(encoding="utf-8")
    assert command.main(["student", str(attacks.MASTER), "-o", str(attacks.MASTER)]) == 1
    assert "the master itself" in capsys.readouterr().err
    assert command.main(["student", str(tmp_path / "none.ipynb")]) == 1
    assert "none.ipynb" in capsys.readouterr().err


def test_the_solutions_are_made_without_what_is_for_teachers(tmp_path):
    out = tmp_path / "solved.ipynb"
    assert command.main(["student", "--solutions", str(attacks.MASTER), "-o", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    assert "def pla(" in text
    for never in ("BEGIN SOLUTION", '"question"', "NotImplementedError"):
        assert never not in text


def test_the_commands_for_teachers_are_understood():
    pages = [ROOT / "book/teaching.md", *(ROOT / "book/teaching").glob("*.md")]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    lines = text.replace("\\\n", " ").splitlines()
    commands = [
        shlex.split(line.partition(" > ")[0])
        for line in lines
        if re.match(r" *\S*perceptron-classroom \w", line)
    ]
    commands = [words for words in commands if not any(map(str.isupper, words))]
    assert len(commands) >= 12
    for program, *words in commands:
        assert program.rpartition("/")[2] == "perceptron-classroom"
        command.parser().parse_args(words)


def test_codes_that_steer_a_terminal_are_written_out(quick_school, capsys):
    write = (quick_school.submissions / "ann.ipynb").write_text
    write('{"cells": []}')
    assert quick_school.grade("--only", "\x1b[2Jann") == 1
    with pytest.raises(SystemExit):
        quick_school.grade("--jobs", "\x1b[2J")
    with pytest.raises(SystemExit):
        quick_school.grade("\x1b[31m")
    said = capsys.readouterr().err
    assert "\x1b" not in said
    assert r"\x1b[2J" in said


def test_a_secret_that_is_named_is_made(quick_school, capsys):
    (quick_school.submissions / "ann.ipynb").write_text('{"cells": []}')
    secret = quick_school.folder / "private" / "secret"
    assert quick_school.grade("--secret-file", secret) == 0
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    made = secret.read_bytes()
    assert len(made.strip()) == 64
    assert quick_school.grade("--secret-file", secret) == 0
    assert secret.read_bytes() == made
    assert capsys.readouterr().err.count("a new secret") == 1


# --------------------------------------------------------------------------------- doctor


def test_this_machine_can_grade(shelter, capsys):
    assert command.main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "a notebook runs in a sandbox" in said
    assert said.endswith("This machine can grade.\n")


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        (None, "apt-get install bubblewrap"),
        ("echo bubblewrap 0.6.1", "Install version 0.7 or newer"),
        ("echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1", "does not start"),
    ],
)
def test_the_doctor_says_what_is_missing_and_what_to_do(
    tmp_path, monkeypatch, capsys, script, sentence
):
    if script is not None:
        fake = tmp_path / "bwrap"
        fake.write_text(f"#!/bin/sh\n{script}\n")
        fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert command.main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert sentence in said
    assert said.endswith("This machine cannot grade yet.\n")
