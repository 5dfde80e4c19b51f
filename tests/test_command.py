"""The command line: what it says, what it refuses, what the documents show of it."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import attacks
import pytest

from perceptron_notes import problem_sets
from perceptron_notes.grading import command, terminal

ROOT = Path(__file__).parent.parent


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


def test_the_module_runs_as_a_command():
    done = subprocess.run(
        [sys.executable, "-m", "perceptron_notes", "--help"], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert "student" in done.stdout
    assert "grade" in done.stdout


@pytest.mark.parametrize("page", ["README.md", "book/teaching.md"])
def test_the_commands_in_the_documents_are_understood(page):
    lines = (ROOT / page).read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    commands = [shlex.split(line) for line in lines if re.match(r" *\S*perceptron-notes \w", line)]
    commands = [words for words in commands if "MASTER" not in words]
    assert len(commands) >= 2
    for program, *words in commands:
        assert program.removeprefix(".venv/bin/") == "perceptron-notes"
        command.parser().parse_args(words)


@pytest.mark.parametrize("on_screen", [True, False])
def test_progress_is_a_bar_or_a_line_now_and_then(on_screen, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: on_screen)
    progress = terminal.Progress(50)
    for _ in range(50):
        progress.step()
    said = capsys.readouterr().err
    assert said.count("\r") == (50 if on_screen else 0)
    assert said.count("\n") == (1 if on_screen else 10)
    assert said.endswith("50/50\n" if on_screen else "50 of 50 graded\n")
