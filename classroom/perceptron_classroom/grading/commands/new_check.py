"""``perceptron-classroom new-check``: start a check of your own from a template."""

from __future__ import annotations

import argparse
import keyword
from pathlib import Path

from perceptron_classroom.grading.sandbox import Refused
from perceptron_classroom.grading.terminal import Commands, say

__all__ = ["add"]

TEMPLATE = Path(__file__).parent.with_name("templates") / "checks.txt"


def add(commands: Commands) -> None:
    """Describe the command."""
    parser = commands.add_parser("new-check", help="begin a check of your own, from a template")
    parser.add_argument("name", help="the name of the function to check")
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("checks.py"), help="the file (default: checks.py)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the template."""
    name, output = options.name, options.output
    if not name.isidentifier() or keyword.iskeyword(name):
        raise Refused(f"{name!r} is no name of a function in Python")
    if output.exists():
        raise Refused(f"{output} is there already; expected the name of a new file")
    text = TEMPLATE.read_text(encoding="utf-8").replace("NAME", name)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(text, encoding="utf-8", newline="\n")
    say(f"{output}: a check of {name}(x), to be changed. Its end says what the master needs.")
    return 0
